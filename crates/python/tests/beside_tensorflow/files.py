"""Checkpoints, meta graphs, graphs to serve, event files and records both ways: what one of TensorFlow and our package writes, the other reads.

usage: files.py; it starts itself as `files.py write|read tensorflow|tensorfleet FOLDER`.
"""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).resolve().parent.parent
SIDES = ("tensorflow", "tensorfleet")


def package(which):
    """TensorFlow's names, of the one or the other."""
    if which == "tensorfleet":
        import tensorfleet.v1 as tf

        return tf
    sys.path.insert(0, str(TESTS.parents[2] / "tests/interop"))
    from judge import tf as tensorflow

    tensorflow.compat.v1.disable_v2_behavior()
    return tensorflow.compat.v1


def model(tf):
    """A model with a plain, a partitioned and a slot variable."""
    step = tf.train.get_or_create_global_step()
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.get_variable("w", [3, 2], initializer=tf.constant_initializer(0.5))
    parts = tf.get_variable("parts", [4, 2], initializer=tf.ones_initializer(), partitioner=tf.fixed_size_partitioner(2))
    y = tf.identity(tf.matmul(x, w), name="y")
    loss = tf.reduce_sum(y * y) + tf.reduce_sum(tf.convert_to_tensor(parts) * 0.1)
    train = tf.train.AdamOptimizer(0.1).minimize(loss, global_step=step)
    return x, y, loss, train, step


def write(tf, folder):
    """Trains three steps and writes everything; returns what a reader must find."""
    x, y, loss, train, step = model(tf)
    tf.summary.scalar("loss", loss)
    tf.summary.histogram("y", y)
    merged, saver = tf.summary.merge_all(), tf.train.Saver()
    writer = tf.summary.FileWriter(str(folder / "events"), tf.get_default_graph())
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(3):
            value, summary, _, now = sess.run([loss, merged, train, step], {x: [[1.0, 2.0, 3.0]]})
            losses.append(float(value))
            writer.add_summary(summary, now)
        writer.close()
        prefix = saver.save(sess, str(folder / "model.ckpt"), global_step=step)
        answer = sess.run(y, {x: [[1.0, 0.0, -1.0], [2.0, 2.0, 2.0]]}).tolist()
        variables = {v.op.name: sess.run(v).tolist() for v in tf.global_variables()}
    with tf.python_io.TFRecordWriter(str(folder / "examples.tfrecords")) as records:
        for number in range(5):
            features = {
                "number": tf.train.Feature(int64_list=tf.train.Int64List(value=[number])),
                "halves": tf.train.Feature(float_list=tf.train.FloatList(value=[number / 2, number / 4])),
                "name": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"n%d" % number])),
            }
            records.write(tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString())
    return {"prefix": prefix, "losses": losses, "answer": answer, "variables": variables}


def write_to_serve(tf, folder):
    """A graph to serve, with a plain variable, a resource and a table."""
    with tf.Graph().as_default():
        x = tf.placeholder(tf.float32, [None, 2], name="x")
        w = tf.get_variable("w", initializer=tf.constant([[1.0], [2.0]]))
        b = tf.get_variable("b", initializer=tf.constant(3.0), use_resource=True)
        y = tf.matmul(x, w) + b
        words = tf.lookup.KeyValueTensorInitializer(tf.constant(["a", "b"]), tf.constant([1, 2], tf.int64))
        found = tf.lookup.StaticHashTable(words, -1).lookup(tf.constant(["b", "z"]))
        tables = tf.tables_initializer()
        with tf.Session() as sess:
            sess.run([tf.global_variables_initializer(), tables])
            builder = tf.saved_model.builder.SavedModelBuilder(str(folder / "serve"))
            signature = tf.saved_model.signature_def_utils.predict_signature_def({"x": x}, {"y": y, "found": found})
            key = tf.saved_model.signature_constants.DEFAULT_SERVING_SIGNATURE_DEF_KEY
            builder.add_meta_graph_and_variables(
                sess, [tf.saved_model.tag_constants.SERVING], {key: signature}, main_op=tables)
            builder.save()


def read_to_serve(tf, folder):
    with tf.Session(graph=tf.Graph()) as sess:
        graph = tf.saved_model.loader.load(sess, [tf.saved_model.tag_constants.SERVING], str(folder / "serve"))
        signature = graph.signature_def["serving_default"]
        feed = {signature.inputs["x"].name: [[1.0, 1.0], [0.0, 5.0]]}
        answer = {name: sess.run(tensor.name, feed).tolist() for name, tensor in signature.outputs.items()}
    assert answer == {"y": [[6.0], [13.0]], "found": [2, -1]}, answer


def read(tf, folder, wanted):
    """Reads what the other side wrote."""
    import numpy as np

    assert tf.train.latest_checkpoint(str(folder)) == wanted["prefix"], tf.train.latest_checkpoint(str(folder))
    # The same program, from the checkpoint.
    with tf.Graph().as_default():
        x, y, loss, _, step = model(tf)
        saver = tf.train.Saver()
        with tf.Session() as sess:
            saver.restore(sess, wanted["prefix"])
            assert sess.run(step) == 3
            np.testing.assert_allclose(sess.run(y, {x: [[1.0, 0.0, -1.0], [2.0, 2.0, 2.0]]}), wanted["answer"], rtol=1e-6)
            found = {v.op.name: sess.run(v) for v in tf.global_variables()}
            assert sorted(found) == sorted(wanted["variables"]), (sorted(found), sorted(wanted["variables"]))
            for name, value in wanted["variables"].items():
                np.testing.assert_allclose(found[name], value, rtol=1e-6, err_msg=name)
    # The graph from the meta graph, and training goes on.
    with tf.Graph().as_default() as graph:
        saver = tf.train.import_meta_graph(wanted["prefix"] + ".meta")
        with tf.Session() as sess:
            saver.restore(sess, wanted["prefix"])
            feed = {"x:0": [[1.0, 2.0, 3.0]]}
            before = sess.run(graph.get_tensor_by_name("y:0"), feed)
            sess.run(graph.get_operation_by_name("Adam"), feed)
            after = sess.run("y:0", feed)
            assert np.abs(after).sum() < np.abs(before).sum(), (before, after)
            assert len(tf.trainable_variables()) == 3, tf.trainable_variables()
    reader = tf.train.NewCheckpointReader(wanted["prefix"])
    np.testing.assert_allclose(reader.get_tensor("w"), wanted["variables"]["w"], rtol=1e-6)
    assert reader.get_variable_to_shape_map()["parts"] == [4, 2]
    # Events.
    (events,) = (folder / "events").iterdir()
    losses, graphs = [], 0
    for event in tf.train.summary_iterator(str(events)):
        graphs += bool(event.graph_def)
        losses += [value.simple_value for value in event.summary.value if value.tag == "loss"]
    np.testing.assert_allclose(losses, wanted["losses"], rtol=1e-6)
    assert graphs == 1, graphs
    # Records.
    records = [tf.train.Example.FromString(r) for r in tf.python_io.tf_record_iterator(str(folder / "examples.tfrecords"))]
    assert [list(r.features.feature["number"].int64_list.value) for r in records] == [[n] for n in range(5)]
    assert records[3].features.feature["name"].bytes_list.value[0] == b"n3"


def main():
    failed = 0
    for writer, reader in (SIDES, SIDES[::-1]):
        with tempfile.TemporaryDirectory() as folder:
            steps = [("write", writer), ("read", reader)]
            for what, which in steps:
                done = subprocess.run([sys.executable, __file__, what, which, folder], stderr=subprocess.PIPE, text=True, timeout=120)
                if done.returncode:
                    failed += 1
                    print(f"what {writer} wrote: {which} cannot {what} it:\n{done.stderr[-4000:]}")
                    break
            else:
                print(f"{reader} reads what {writer} wrote")
    print(f"{2 - failed} passed, {failed} failed")
    return 1 if failed else 0


if __name__ == "__main__":
    if len(sys.argv) == 1:
        sys.exit(main())
    tf, folder = package(sys.argv[2]), Path(sys.argv[3])
    note = folder / "wanted.json"
    if sys.argv[1] == "write":
        note.write_text(json.dumps(write(tf, folder)))
        write_to_serve(tf, folder)
    else:
        read_to_serve(tf, folder)
        read(tf, folder, json.loads(note.read_text()))
