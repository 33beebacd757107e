"""The same work on TensorFlow and on tensorfleet, in one interleaved run; medians of five.

usage: run.py PATH_OF_TENSORFLEET_BENCH [WORK ...]
"""

import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")

import numpy as np  # noqa: E402
import tensorflow as tf  # noqa: E402

v1 = tf.compat.v1
v1.disable_v2_behavior()
v1.disable_control_flow_v2()
ROUNDS = 5


def rate(step):
    for _ in range(3):
        step()
    begin, steps = time.perf_counter(), 0
    while time.perf_counter() - begin < 1.0 or steps < 10:
        step()
        steps += 1
    return steps / (time.perf_counter() - begin)


def chain():
    last = tf.no_op()
    for _ in range(999):
        with tf.control_dependencies([last]):
            last = tf.no_op()
    # Without rewriting: TensorFlow would remove nodes that do nothing instead of executing them.
    session = v1.Session(config=plain())
    run = session.make_callable(last)
    return lambda: 1e9 / rate(run) / 1000


def empty_step():
    node = tf.no_op()
    session = v1.Session()
    run = session.make_callable(node)
    return lambda: rate(run)


def inputs(batch):
    pixels = (np.arange(batch * 784) * 7919 % 256 / 255.0).astype(np.float32).reshape(batch, 784)
    return pixels, np.eye(10, dtype=np.float32)[np.arange(batch) % 10]


def trainer(x, y_, train, batch):
    session = v1.Session()
    session.run(v1.global_variables_initializer())
    run = session.make_callable(train, [x, y_])
    images, labels = inputs(batch)
    return lambda: rate(lambda: run(images, labels))


def placeholders():
    return v1.placeholder(tf.float32, [None, 784]), v1.placeholder(tf.float32, [None, 10])


def mlp():
    x, y_ = placeholders()
    hid_w = v1.Variable(v1.truncated_normal([784, 100], stddev=1.0 / 28))
    hid_b = v1.Variable(tf.zeros([100]))
    sm_w = v1.Variable(v1.truncated_normal([100, 10], stddev=0.1))
    sm_b = v1.Variable(tf.zeros([10]))
    hid = tf.nn.relu(v1.nn.xw_plus_b(x, hid_w, hid_b))
    y = tf.nn.softmax(v1.nn.xw_plus_b(hid, sm_w, sm_b))
    loss = -tf.reduce_sum(y_ * v1.log(tf.clip_by_value(y, 1e-10, 1.0)))
    step = v1.Variable(0, name="global_step", trainable=False)
    return trainer(x, y_, v1.train.AdamOptimizer(0.01).minimize(loss, global_step=step), 100)


def cnn():
    x, y_ = placeholders()

    def weights(shape):
        return v1.Variable(v1.truncated_normal(shape, stddev=0.1)), v1.Variable(tf.constant(0.1, shape=shape[-1:]))

    def layer(value, shape):
        w, b = weights(shape)
        value = tf.nn.relu(tf.nn.bias_add(tf.nn.conv2d(value, w, strides=[1, 1, 1, 1], padding="SAME"), b))
        return tf.nn.max_pool2d(value, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")

    hidden = layer(layer(tf.reshape(x, [-1, 28, 28, 1]), [5, 5, 1, 32]), [5, 5, 32, 64])
    w1, b1 = weights([3136, 512])
    w2, b2 = weights([512, 10])
    hidden = tf.nn.relu(tf.matmul(tf.reshape(hidden, [-1, 3136]), w1) + b1)
    logits = tf.matmul(hidden, w2) + b2
    loss = tf.reduce_mean(v1.nn.softmax_cross_entropy_with_logits_v2(labels=y_, logits=logits))
    return trainer(x, y_, v1.train.GradientDescentOptimizer(0.01).minimize(loss), 128)


def gemm(m, k, n):
    """Products that depend on nothing but variables, ten a step, so that the step's own cost hardly counts."""

    def build():
        a, b = v1.Variable(tf.fill([m, k], 1.5)), v1.Variable(tf.fill([k, n], 0.5))
        last = a.initialized_value()
        work = []
        for _ in range(10):
            with tf.control_dependencies(work[-1:]):
                work.append(tf.matmul(a, b).op)
        session = v1.Session(config=plain())
        session.run(v1.global_variables_initializer())
        del last
        run = session.make_callable(work[-1])
        return lambda: rate(run) * 10 * 2 * m * k * n / 1e9

    return build


class Program:
    """A graph that both sides run, `init` once and then `step`; `unit` makes the number to show of steps a second."""

    def __init__(self, init, step, unit=lambda rate: rate, config=None):
        self.init, self.step, self.unit = init.name, step.name, unit
        self.session = v1.Session(config=config)
        self.session.run(init)
        self.run = self.session.make_callable(step)
        self.folder = tempfile.TemporaryDirectory()
        self.file = os.path.join(self.folder.name, "program.meta")
        v1.train.export_meta_graph(self.file)

    def __call__(self):
        return self.unit(rate(self.run))

    def ours(self, binary):
        return self.unit(number([binary, "program", self.file, self.init, self.step]))


def loop():
    """A while loop with a cheap body."""
    iterations = 10_000
    total = v1.while_loop(lambda i, _: i < iterations, lambda i, sum: (i + 1, sum + 2.0), [tf.constant(0), tf.constant(0.0)])
    # Without rewriting: TensorFlow would compute the result when it builds.
    return Program(tf.no_op(), total[1].op, lambda rate: 1e9 / rate / iterations, plain())


def lstm():
    """One training step of an LSTM as TensorFlow's dynamic RNN builds it: batch 32, 64 steps, 256 units."""
    batch, steps, units = 32, 64, 256
    inputs = v1.Variable(v1.random_normal([steps, batch, units], seed=1), trainable=False, use_resource=False)
    weights = v1.Variable(v1.random_uniform([2 * units, 4 * units], -0.05, 0.05, seed=2), use_resource=False)
    bias = v1.Variable(tf.zeros([4 * units]), use_resource=False)
    sources = tf.TensorArray(tf.float32, steps).unstack(inputs)
    w, b = tf.identity(weights), tf.identity(bias)

    def cell(t, c, h, outputs):
        i, j, f, o = tf.split(tf.nn.bias_add(tf.matmul(tf.concat([sources.read(t), h], 1), w), b), 4, 1)
        c = c * tf.sigmoid(f + 1.0) + tf.sigmoid(i) * tf.tanh(j)
        h = tf.tanh(c) * tf.sigmoid(o)
        return t + 1, c, h, outputs.write(t, h)

    zeros = tf.zeros([batch, units])
    outputs = tf.TensorArray(tf.float32, steps)
    _, _, _, outputs = v1.while_loop(lambda t, *_: t < steps, cell, [tf.constant(0), zeros, zeros, outputs])
    loss = tf.reduce_mean(tf.square(outputs.stack()))
    gradients = zip(*v1.train.GradientDescentOptimizer(0.1).compute_gradients(loss))
    gradients, variables = (list(part) for part in gradients)
    gradients, _ = tf.clip_by_global_norm(gradients, 5.0)
    train = v1.train.GradientDescentOptimizer(0.1).apply_gradients(zip(gradients, variables))
    return Program(v1.global_variables_initializer(), train)


def dataset_map():
    """A dataset whose elements go through a cheap function, one after the other."""
    elements = 10_000
    mapped = v1.data.Dataset.range(elements).map(lambda x: x * 3 + 1)
    # All but the last are skipped, so that hardly anything else is measured.
    last = mapped.skip(elements - 1).get_single_element()
    return Program(tf.no_op(), last.op, lambda rate: rate * elements, plain())


def number(command):
    return float(subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout)


def plain():
    """No rewriting: the ten equal products must all be computed."""
    config = v1.ConfigProto()
    config.graph_options.rewrite_options.disable_meta_optimizer = True
    config.graph_options.optimizer_options.opt_level = -1
    return config


# Name, what builds TensorFlow's side, unit, whether more is better.
WORK = {
    "chain": (chain, "ns a node, chain of 1,000", False),
    "empty_step": (empty_step, "empty steps/s", True),
    "mlp": (mlp, "MLP steps/s", True),
    "cnn": (cnn, "CNN steps/s", True),
    "loop": (loop, "ns an iteration of a loop", False),
    "lstm": (lstm, "LSTM steps/s", True),
    "dataset_map": (dataset_map, "mapped elements/s", True),
    "gemm_mlp": (gemm(100, 784, 100), "GFLOP/s, 100x784x100", True),
    "gemm_256": (gemm(256, 256, 256), "GFLOP/s, 256^3", True),
    "gemm_1024": (gemm(1024, 1024, 1024), "GFLOP/s, 1024^3", True),
}


def main(binary, names):
    print(f"{'work':<28}{'TensorFlow':>12}{'tensorfleet':>13}{'ratio':>8}   medians of {ROUNDS}; ratio > 1: we are faster")
    for name in names or WORK:
        build, unit, more_is_better = WORK[name]
        with tf.Graph().as_default():
            measure = build()
            theirs, ours = [], []
            for _ in range(ROUNDS):
                theirs.append(measure())
                ours.append(measure.ours(binary) if isinstance(measure, Program) else number([binary, name]))
        their, our = statistics.median(theirs), statistics.median(ours)
        ratio = our / their if more_is_better else their / our
        print(f"{unit:<28}{their:>12.1f}{our:>13.1f}{ratio:>8.2f}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2:])
