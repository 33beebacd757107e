"""Whole training programs, exported by the real TensorFlow together with the losses it computes.

usage: programs.py OUTPUT_FOLDER MNIST_FOLDER

Each program becomes a file of scenarios: its GraphDef as TensorFlow builds it, gradients and optimizer included, and
20 steps with the fed batch and the loss. Both kinds of variables.

Training is compared where it is stable: a program in which a difference in rounding grows until it shows in the losses
tells nothing about who runs it, and is refused here (see `stability.py`).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(__file__), "..", "..", "crates", "ops", "testdata"))

import numpy as np  # noqa: E402
from mnist_data import digits  # noqa: E402
from reference.scenario import Family, tf, v1  # noqa: E402
from stability import TOLERANCE, check_the_check, recorded  # noqa: E402

STEPS = 20


def batches(data, size):
    images, labels = data
    for step in range(STEPS):
        rows = slice(step * size % len(images), step * size % len(images) + size)
        yield images[rows], labels[rows]


def train(scenario, data, size, x, y_, train_op, loss):
    init = v1.global_variables_initializer()
    scenario.run(targets=[init])
    losses = [scenario.run([loss], {x: images, y_: labels}, targets=[train_op], tol=TOLERANCE)[0] for images, labels in batches(data, size)]
    assert np.mean(losses[-5:]) < 0.9 * np.mean(losses[:5]), f"the loss does not fall: {losses}"


def inputs():
    return v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])


def softmax_adagrad(scenario, data):
    """The MNIST softmax program of the documents."""
    x, y_ = inputs()
    w, b = v1.Variable(tf.zeros([784, 10])), v1.Variable(tf.zeros([10]))
    y = tf.matmul(x, w) + b
    loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=y))
    step = v1.train.get_or_create_global_step()
    train(scenario, data, 100, x, y_, v1.train.AdagradOptimizer(0.01).minimize(loss, global_step=step), loss)


def mlp_adam(scenario, data):
    """The distributed MLP of the documents: clipped cross entropy and Adam."""
    v1.set_random_seed(1)
    x, y_ = inputs()
    hid_w = v1.Variable(v1.truncated_normal([784, 100], stddev=1.0 / 28), name="hid_w")
    hid_b = v1.Variable(tf.zeros([100]), name="hid_b")
    sm_w = v1.Variable(v1.truncated_normal([100, 10], stddev=0.1), name="sm_w")
    sm_b = v1.Variable(tf.zeros([10]), name="sm_b")
    hid = tf.nn.relu(v1.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
    loss = -tf.reduce_sum(y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
    step = v1.train.get_or_create_global_step()
    train(scenario, data, 100, x, y_, v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step), loss)


def grainy(data):
    """The images with some grain. On a background of one value all rectifiers of a channel switch at the same moment, and
    whether they do before or after a step depends on rounding; on grain they switch one by one."""
    images, labels = data
    return images + np.random.RandomState(3).randint(-16, 17, images.shape).astype(np.float32) / 256, labels


def cnn_sgd(scenario, data):
    """The digit network: two convolutions, two dense layers, dropout switched off. Slow and smooth enough to be stable."""
    data = grainy(data)
    v1.set_random_seed(2)
    x, y_ = inputs()
    keep = v1.placeholder_with_default(1.0, [])

    def weights(shape):
        # By the number of inputs, so that the first logits are about one and the loss falls from the first step on.
        spread = float(np.sqrt(2.0 / np.prod(shape[:-1])))
        return v1.Variable(v1.truncated_normal(shape, stddev=spread)), v1.Variable(tf.constant(0.1, shape=shape[-1:]))

    def layer(value, shape):
        w, b = weights(shape)
        value = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(value, w, strides=[1, 1, 1, 1], padding="SAME"), b))
        return tf.nn.max_pool2d(value, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

    hidden = layer(layer(tf.reshape(x, [-1, 28, 28, 1]), [5, 5, 1, 32]), [5, 5, 32, 64])
    w1, b1 = weights([7 * 7 * 64, 512])
    w2, b2 = weights([512, 10])
    hidden = tf.nn.elu(tf.matmul(tf.reshape(hidden, [-1, 7 * 7 * 64]), w1) + b1) / keep
    logits = tf.matmul(hidden, w2) + b2
    cross_entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(logits=logits, labels=tf.argmax(y_, 1))
    decay = 1e-4 * (tf.nn.l2_loss(w1) + tf.nn.l2_loss(w2))
    loss = tf.reduce_mean(cross_entropy) + decay
    train(scenario, data, 16, x, y_, v1.train.GradientDescentOptimizer(0.003).minimize(loss), loss)


def record_files(data):
    """Two TFRecord files of examples as the digit program writes them: the label as raw float64 bytes."""
    images, labels = data
    files = {}
    for part in range(2):
        path = f"digits-{part}.tfrecord"
        with tf.io.TFRecordWriter(path + ".tmp") as writer:
            for i in range(part * 60, part * 60 + 60):
                features = {
                    "image": (images[i] * 255).astype(np.uint8).tobytes(),
                    "label": labels[i].astype(np.float64).tobytes(),
                }
                example = tf.train.Example()
                for name, value in features.items():
                    example.features.feature[name].bytes_list.value.append(value)
                writer.write(example.SerializeToString())
        with open(path + ".tmp", "rb") as file:
            files[path] = file.read()
        os.remove(path + ".tmp")
    return files


def record_pipeline(family, name, data):
    """Files through a queue, a reader, a parser and a batch queue, as the digit program's input.

    The queues are filled by hand between the steps, so that every step gives the same in both runtimes."""
    with recorded(family, name, files=record_files(data)) as scenario:
        # Fed, because the files lie elsewhere where the scenario is run again.
        filenames = v1.placeholder(tf.string, [2])
        paths = [scenario.path("digits-0.tfrecord"), scenario.path("digits-1.tfrecord")]
        names = tf.queue.FIFOQueue(10, [tf.string], shapes=[[]])
        put_names = names.enqueue_many([filenames])
        close_names = names.close()
        reader = v1.TFRecordReader()
        _, serialized = reader.read(names)
        features = v1.parse_single_example(
            serialized,
            {"image": tf.io.FixedLenFeature([], tf.string), "label": tf.io.FixedLenFeature([], tf.string)},
        )
        image = tf.cast(tf.reshape(tf.io.decode_raw(features["image"], tf.uint8), [784]), tf.float32) * (1.0 / 255)
        label = tf.cast(tf.reshape(tf.io.decode_raw(features["label"], tf.float64), [10]), tf.float32)
        batch = tf.queue.FIFOQueue(200, [tf.float32, tf.float32], shapes=[[784], [10]])
        put_one = batch.enqueue([image, label])
        x, y_ = batch.dequeue_many(5)
        w = v1.Variable(tf.zeros([784, 10]))
        loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=tf.matmul(x, w)))
        train_op = v1.train.GradientDescentOptimizer(0.5).minimize(loss)
        scenario.run(targets=[v1.global_variables_initializer(), put_names], feeds={filenames: paths})
        scenario.run(targets=[close_names])
        for _ in range(STEPS):
            for _ in range(5):
                scenario.run(targets=[put_one])
            scenario.run([loss], targets=[train_op], tol=TOLERANCE)
        for _ in range(20):
            scenario.run(targets=[put_one])
        # All 120 records are read, so the next read finds the queue of names closed and empty.
        scenario.run(targets=[put_one], phrase="is closed and has insufficient elements")


def loops(scenario, data):
    """A condition and a nested loop, as TensorFlow 1.x builds them, with a gradient through the loop."""
    del data
    v1.disable_control_flow_v2()
    n = v1.placeholder(tf.int32, [])
    x = v1.placeholder(tf.float32, [3])

    def outer(i, total):
        def inner(j, value):
            return j + 1, value * 0.5 + tf.cast(j, tf.float32)

        _, value = tf.while_loop(lambda j, _: j <= i, inner, [tf.constant(0), total])
        return i + 1, value + x

    _, total = tf.while_loop(lambda i, _: i < n, outer, [tf.constant(0), x])
    branch = v1.cond(n > 3, lambda: total * 2.0, lambda: total - 1.0)
    for count in (0, 1, 3, 4, 9):
        scenario.run([total, branch], {n: count, x: [1.0, -2.0, 0.25]}, tol=TOLERANCE)


def main(folder, data_folder):
    os.makedirs(folder, exist_ok=True)
    check_the_check(Family("chaos"))
    data = digits("train", 2000, data_folder)
    programs = {"softmax_adagrad": softmax_adagrad, "mlp_adam": mlp_adam, "cnn_sgd": cnn_sgd, "loops": loops}
    for name, build in programs.items():
        family = Family(name)
        for resource in (False, True):
            v1.enable_resource_variables() if resource else v1.disable_resource_variables()
            with recorded(family, f"{name}/{'resource' if resource else 'ref'}") as scenario:
                build(scenario, data)
        v1.disable_resource_variables()
        family.write(folder)
        print(f"{name}: {len(family.records)} scenarios")
    family = Family("record_pipeline")
    record_pipeline(family, "record_pipeline", data)
    family.write(folder)
    print(f"record_pipeline: {len(family.records)} scenarios")


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2])
