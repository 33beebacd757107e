"""Checkpoints, meta graphs and event files of ours in TensorFlow and TensorBoard, and TensorFlow's here.

    python checkpoints.py PATH-OF-THE-checkpoints-BINARY

A model trained here for three steps goes on in TensorFlow from its `.meta` file and checkpoint, whole and sharded, with the
same losses; and the other way round. TensorBoard's own reader finds what was written to the event file. Exits with 1 and the
differences if anything differs.
"""

import os
import subprocess
import sys
import tempfile

from judge import tf  # before anything else imports TensorFlow

import numpy as np
from tensorboard.backend.event_processing import event_accumulator

tf1 = tf.compat.v1
tf1.disable_v2_behavior()
OURS = os.path.abspath(sys.argv[1])
failures = []


def check(what, got, expected):
    if got != expected:
        failures.append(f"{what}:\n  got      {str(got)[:500]}\n  expected {str(expected)[:500]}")


def near(what, got, expected):
    if np.shape(got) != np.shape(expected) or not np.allclose(got, expected, rtol=1e-5, atol=1e-6):
        failures.append(f"{what}:\n  got      {got}\n  expected {expected}")


def ours(command, folder):
    done = subprocess.run([OURS, command, folder], capture_output=True, text=True, timeout=300)
    if done.returncode != 0:
        raise SystemExit(f"{OURS} {command} failed: {done.stderr}")
    lines = [line.split(" ", 1) for line in done.stdout.splitlines()]
    return [value for key, value in lines if key == "variable"], [float(value) for key, value in lines if key == "loss"]


def go_on(session, train, loss):
    losses = []
    for _ in range(3):
        losses.append(float(session.run(loss)))
        session.run(train)
    return losses


def read_ours(folder):
    _, losses = ours("write", folder)
    values = {}
    for prefix in ["ours.ckpt-3", "sharded.ckpt-3"]:
        path = os.path.join(folder, prefix)
        reader = tf.train.load_checkpoint(path)
        values[prefix] = {name: reader.get_tensor(name).tolist() for name in reader.get_variable_to_shape_map()}
        with tf.Graph().as_default() as graph:
            saver = tf1.train.import_meta_graph(path + ".meta")
            check(f"{prefix} global step", tf1.train.get_global_step().name, "global_step:0")
            names = sorted(variable.op.name for variable in tf1.trainable_variables())
            check(f"{prefix} trainable variables", names, ["p/part_0", "p/part_1", "r", "w"])
            config = tf1.ConfigProto(device_count={"CPU": 2})
            with tf1.Session(config=config) as session:
                saver.restore(session, path)
                train, loss = tf1.get_collection("train_op")[0], tf1.get_collection("losses")[0]
                near(f"{prefix} losses", go_on(session, train, loss), losses)
                # The queue runner of the collection fills its queue for one epoch.
                session.run(tf1.local_variables_initializer())
                coord = tf1.train.Coordinator()
                threads = tf1.train.start_queue_runners(session, coord)
                check(f"{prefix} queue", [session.run(tf1.get_collection("numbers")[0]) for _ in range(3)], [0, 1, 2])
                coord.request_stop()
                coord.join(threads)
                saver.save(session, os.path.join(folder, "again.ckpt"))
        check(f"{prefix} nodes", len(graph.get_operations()) > 50, True)
    check("sharded and whole", values["sharded.ckpt-3"], values["ours.ckpt-3"])
    check("the newest", tf.train.latest_checkpoint(folder), os.path.join(folder, "again.ckpt"))


def read_events(folder):
    events = event_accumulator.EventAccumulator(
        os.path.join(folder, "events"), size_guidance=event_accumulator.STORE_EVERYTHING_SIZE_GUIDANCE
    )
    events.Reload()
    tags = events.Tags()
    check("scalars", [(e.step, round(e.value, 4) > 0) for e in events.Scalars("loss")], [(1, True), (2, True), (3, True)])
    check("histogram tags", tags["histograms"], ["weights"])
    histogram = events.Histograms("weights")[0].histogram_value
    check("histogram count", (histogram.num, histogram.min >= 0.5, histogram.max <= 6.5), (6.0, True, True))
    check("image tags", tags["images"], ["picture/image"])
    image = events.Images("picture/image")[0]
    check("image", (image.width, image.height, image.encoded_image_string[:4]), (2, 2, b"\x89PNG"))
    check("text", tf.make_ndarray(events.Tensors("note")[0].tensor_proto).item(), b"**bold**")
    plugin = events.SummaryMetadata("note").plugin_data.plugin_name
    check("text plugin", plugin, "text")
    check("graph", len(events.Graph().node) > 50, True)
    logs = []
    for name in os.listdir(os.path.join(folder, "events")):
        for event in tf1.train.summary_iterator(os.path.join(folder, "events", name)):
            if event.WhichOneof("what") == "session_log":
                logs.append((event.step, event.session_log.status, os.path.basename(event.session_log.checkpoint_path)))
    check("session log", logs, [(0, 1, ""), (3, 3, "ours.ckpt-3")])


def read_examples(folder):
    found = []
    for record in tf1.python_io.tf_record_iterator(os.path.join(folder, "examples.tfrecords")):
        feature = tf.train.Example.FromString(record).features.feature
        label = np.frombuffer(feature["label"].bytes_list.value[0], "<f8").tolist()
        found.append((label, list(feature["size"].int64_list.value), list(feature["x"].float_list.value)))
    check("examples", found, [([0.0], [28, 0], [0.5, 0.0]), ([1.0], [28, 1], [0.5, 1.0])])


def theirs(folder, resource):
    with tf.Graph().as_default():
        tf1.set_random_seed(1)
        w = tf1.get_variable("w", initializer=[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], use_resource=resource)
        p = tf1.get_variable("p", [3, 2], partitioner=tf1.fixed_size_partitioner(2), use_resource=resource)
        step = tf1.train.get_or_create_global_step()
        loss = tf.reduce_mean(tf.square(tf.tanh(tf.matmul(p, w)) - 0.5))
        train = tf1.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
        tf1.add_to_collection("train_op", train)
        tf1.add_to_collection("losses", loss)
        tf1.train.string_input_producer(["a", "b"], num_epochs=1)
        tf1.summary.scalar("loss", loss)
        saver = tf1.train.Saver(sharded=resource)
        with tf1.Session() as session:
            session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
            for _ in range(3):
                session.run(train)
            saver.save(session, os.path.join(folder, "theirs.ckpt"), global_step=3)
            names, losses = ours("read", folder)
            check("variables", names, [variable.op.name for variable in tf1.global_variables()])
            near(f"losses of TensorFlow's model, resource={resource}", losses, go_on(session, train, loss))
            values = {variable.op.name: session.run(variable) for variable in tf1.global_variables()}
            saver.restore(session, os.path.join(folder, "back.ckpt"))
            for variable in tf1.global_variables():
                name = variable.op.name
                near(f"{name} after going on here, resource={resource}", session.run(variable), values[name])


with tempfile.TemporaryDirectory() as scratch:
    read_ours(scratch)
    read_events(scratch)
    read_examples(scratch)
for resource in [False, True]:
    with tempfile.TemporaryDirectory() as scratch:
        theirs(scratch, resource)
if failures:
    raise SystemExit("\n".join(failures))
print("checkpoints, meta graphs and events agree")
