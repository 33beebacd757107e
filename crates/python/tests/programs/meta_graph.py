"""A model is exported with its graph, and trained on in a new graph by names and collections alone; a part of it is imported."""

import os
import tempfile

import numpy as np


def build(tf):
    x = tf.placeholder(tf.float32, [None, 3], name="x")
    w = tf.Variable(tf.random_normal([3, 1], seed=1), name="w")
    y = tf.matmul(x, w, name="y")
    loss = tf.reduce_mean(tf.square(y - 1.0), name="loss")
    step = tf.train.AdamOptimizer(0.05).minimize(loss, name="step")
    tf.add_to_collection("inputs", x)
    tf.add_to_collection("fetches", loss)
    tf.add_to_collection("fetches", step)


def train(tf, steps=20):
    rng = np.random.RandomState(27)
    data = rng.randn(12, 3).astype(np.float32)
    numbers = []
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "model")
        with tf.Graph().as_default(), tf.Session() as sess:
            build(tf)
            saver = tf.train.Saver()
            sess.run(tf.global_variables_initializer())
            for _ in range(steps // 2):
                numbers.append(sess.run(tf.get_collection("fetches"), {"x:0": data})[0])
            saver.save(sess, prefix)
            plain = sess.graph.as_graph_def()
            frozen = tf.graph_util.convert_variables_to_constants(sess, plain, ["y"])
        restored = tf.train.import_meta_graph(prefix + ".meta")
        [x] = tf.get_collection("inputs")
        with tf.Session() as sess:
            restored.restore(sess, prefix)
            for _ in range(steps // 2):
                numbers.append(sess.run(tf.get_collection("fetches"), {x: data})[0])
            numbers.append(len(tf.trainable_variables()))
        doubled = tf.constant(data * 2.0)
        [y] = tf.import_graph_def(frozen, input_map={"x:0": doubled}, return_elements=["y:0"], name="frozen")
        with tf.Session() as sess:
            numbers += sess.run(y).ravel().tolist()
    return numbers
