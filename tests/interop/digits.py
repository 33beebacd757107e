"""The digit program of the documents on clusters of our servers: TFRecord files, queue runners, shuffled batches, a CNN.

usage: digits.py PATH_OF_TENSORFLEET_BINARY [CASE..]
"""

import contextlib
import os
import sys
import tempfile

import numpy as np

from checks import run_cases
from mnist_data import digits
from server import serving_cluster, tf

v1 = tf.compat.v1
BINARY = sys.argv[1]
BATCH = 32
CONFIG = v1.ConfigProto(allow_soft_placement=True)


def write_records(folder, part, count, files=2):
    """Examples as the program writes them: the pixels as bytes, the one-hot label as raw float64."""
    images, labels = digits(part, count)
    paths = [os.path.join(folder, f"{part}-{number}.tfrecord") for number in range(files)]
    for number, path in enumerate(paths):
        with tf.io.TFRecordWriter(path) as writer:
            for row in range(number, count, files):
                example = tf.train.Example()
                values = {
                    "image": (images[row] * 255).astype(np.uint8).tobytes(),
                    "label": labels[row].astype(np.float64).tobytes(),
                }
                for name, value in values.items():
                    example.features.feature[name].bytes_list.value.append(value)
                writer.write(example.SerializeToString())
    return paths


def read_batch(paths, shuffle, epochs=None, threads=3):
    files = v1.train.string_input_producer(paths, num_epochs=epochs, shuffle=shuffle)
    _, serialized = v1.TFRecordReader().read(files)
    features = v1.parse_single_example(
        serialized,
        features={"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.string)},
    )
    image = tf.cast(tf.reshape(tf.io.decode_raw(features["image"], tf.uint8), [784]), tf.float32) * (1.0 / 255)
    label = tf.cast(tf.reshape(tf.io.decode_raw(features["label"], tf.float64), [10]), tf.float32)
    if shuffle:
        return v1.train.shuffle_batch(
            [image, label],
            batch_size=BATCH,
            capacity=20 * BATCH,
            min_after_dequeue=10 * BATCH,
            num_threads=threads,
            allow_smaller_final_batch=epochs is not None,
        )
    return v1.train.batch([image, label], batch_size=BATCH, capacity=4 * BATCH, num_threads=1)


class Network:
    """Two convolutions and two dense layers with dropout, L2 decay and a learning rate that falls."""

    def __init__(self, resource, keep):
        self.layers, self.resource, self.keep = {}, resource, keep

    def variables(self, name, shape):
        if name not in self.layers:
            initial = v1.truncated_normal(shape, stddev=0.1, seed=len(self.layers) + 1)
            w = v1.Variable(initial, name=f"{name}_w", use_resource=self.resource)
            b = v1.Variable(tf.constant(0.1, shape=shape[-1:]), name=f"{name}_b", use_resource=self.resource)
            self.layers[name] = w, b
        return self.layers[name]

    def logits(self, images, training):
        value = tf.reshape(images, [-1, 28, 28, 1])
        for name, shape in (("conv1", [5, 5, 1, 8]), ("conv2", [5, 5, 8, 16])):
            w, b = self.variables(name, shape)
            value = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(value, w, strides=[1, 1, 1, 1], padding="SAME"), b))
            value = tf.nn.max_pool2d(value, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
        w, b = self.variables("dense1", [7 * 7 * 16, 64])
        value = tf.nn.relu(tf.matmul(tf.reshape(value, [-1, 7 * 7 * 16]), w) + b)
        if training and self.keep < 1:
            value = v1.nn.dropout(value, keep_prob=self.keep)
        w, b = self.variables("dense2", [64, 10])
        return tf.matmul(value, w) + b

    def loss(self, logits, labels):
        losses = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=tf.argmax(labels, 1))
        weights = [w for w, _ in self.layers.values()]
        return tf.reduce_mean(losses) + 1e-4 * tf.add_n([tf.nn.l2_loss(w) for w in weights])


def program(cluster, folder, resource, steps, shuffle, keep=0.8):
    """Trains; gives the losses, and the accuracy on digits that come through a pipeline of their own. Without a cluster,
    in a local session of TensorFlow."""
    with tf.Graph().as_default():
        v1.set_random_seed(3)
        setter = v1.train.replica_device_setter(cluster=tf.train.ClusterSpec(cluster)) if cluster else ""
        with v1.device(setter):
            network = Network(resource, keep)
            global_step = v1.Variable(0, trainable=False, name="global_step", use_resource=resource)
            images, labels = read_batch(write_records(folder, "train", 1600), shuffle)
            test_images, test_labels = read_batch(write_records(folder, "t10k", 320), shuffle, epochs=None if shuffle else 50)
            loss = network.loss(network.logits(images, True), labels)
            rate = v1.train.exponential_decay(0.1, global_step, 20, 0.95, staircase=True)
            train = v1.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
            right = tf.equal(tf.argmax(network.logits(test_images, False), 1), tf.argmax(test_labels, 1))
            accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
            supervisor = v1.train.Supervisor(
                logdir=folder,
                init_op=v1.global_variables_initializer(),
                summary_op=None,
                recovery_wait_secs=1,
                global_step=global_step,
                save_model_secs=0,
            )
        target = "grpc://" + cluster["worker"][0] if cluster else ""
        session = supervisor.prepare_or_wait_for_session(target, config=CONFIG)
        # The supervisor has started the queue runners of the graph.
        losses = []
        for _ in range(steps):
            _, step, value = session.run([train, global_step, loss])
            losses.append(float(value))
        result = float(np.mean([session.run(accuracy) for _ in range(8)]))
        supervisor.request_stop()
        supervisor.stop()
        session.close()
    return losses, result


def shuffled(resource):
    def check():
        with serving_cluster(BINARY, ps=2, worker=1) as cluster, tempfile.TemporaryDirectory() as folder:
            losses, accuracy = program(cluster, folder, resource, steps=150, shuffle=True)
        assert np.mean(losses[-10:]) < 0.4 * np.mean(losses[:3]), losses
        assert accuracy > 0.75, accuracy
        return f"loss {np.mean(losses[:3]):.2f} to {np.mean(losses[-10:]):.2f}, accuracy {accuracy:.3f}"

    return check


def in_order(resource):
    """Without shuffling and dropout, the losses of TensorFlow."""

    def check():
        results = []
        for cluster in (serving_cluster(BINARY, ps=1, worker=1), contextlib.nullcontext()):
            with cluster as cluster, tempfile.TemporaryDirectory() as folder:
                results.append(program(cluster, folder, resource, steps=15, shuffle=False, keep=1))
        (ours, our_accuracy), (theirs, their_accuracy) = results
        np.testing.assert_allclose(ours, theirs, rtol=2e-3)
        assert abs(our_accuracy - their_accuracy) <= 0.02, (our_accuracy, their_accuracy)
        return f"last loss {ours[-1]:.5f}, TensorFlow's {theirs[-1]:.5f}"

    return check


def every_record_once():
    """One epoch gives every record exactly once, whatever the threads do, and then the end, by the right error."""
    with serving_cluster(BINARY, worker=2) as cluster, tempfile.TemporaryDirectory() as folder, tf.Graph().as_default():
        with v1.device("/job:worker/task:1"):
            images, _ = read_batch(write_records(folder, "t10k", 500, files=5), True, epochs=1, threads=4)
        with v1.Session("grpc://" + cluster["worker"][0], config=CONFIG) as session:
            session.run(v1.local_variables_initializer())
            coordinator = v1.train.Coordinator()
            threads = v1.train.start_queue_runners(session, coordinator)
            rows = []
            try:
                while not coordinator.should_stop():
                    rows.extend(session.run(images))
            except tf.errors.OutOfRangeError as error:
                assert "is closed and has insufficient elements" in error.message, error.message
                assert error.op.type == "QueueDequeueUpToV2", error.op
            coordinator.request_stop()
            coordinator.join(threads, stop_grace_period_secs=10)
    wanted = digits("t10k", 500)[0]
    assert len(rows) == 500, len(rows)
    order = lambda rows: sorted(np.rint(np.asarray(rows) * 255).astype(np.uint8).tobytes() for rows in rows)  # noqa: E731
    assert order(rows) == order(wanted)
    # They were shuffled, too.
    assert not np.array_equal(np.asarray(rows)[:50], wanted[:50])


CASES = [
    ("shuffled, ref variables", shuffled(False)),
    ("shuffled, resource variables", shuffled(True)),
    ("in order, ref variables", in_order(False)),
    ("in order, resource variables", in_order(True)),
    ("every record once", every_record_once),
]

if __name__ == "__main__":
    run_cases("digits", CASES, seconds=180)
