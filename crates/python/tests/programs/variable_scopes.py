"""Variable scopes: names, reuse, defaults that inner scopes inherit, and a custom getter."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(21)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.float32, [None, 4], name="y")
    made = []

    def noting(getter, name, *args, **kwargs):
        made.append(name)
        return getter(name, *args, **kwargs)

    def layer(inputs, size, name):
        with tf.variable_scope(name) as scope:
            w = tf.get_variable("w", [int(inputs.shape[1]), size])
            b = tf.get_variable("b", [size], initializer=tf.zeros_initializer())
            return tf.matmul(inputs, w, name="product") + b, scope

    with tf.variable_scope("net", initializer=tf.random_normal_initializer(stddev=0.3, seed=5), custom_getter=noting):
        hidden, first = layer(x, 6, "first")
        out, _ = layer(tf.tanh(hidden), 4, "second")
        with tf.variable_scope(first, reuse=True):
            again = tf.get_variable("w")
        with tf.variable_scope(None, default_name="unnamed"):
            scale = tf.get_variable("scale", [], initializer=tf.ones_initializer())
        with tf.variable_scope(None, default_name="unnamed"):
            shift = tf.get_variable("shift", [], initializer=tf.zeros_initializer())
    with tf.variable_scope("net", reuse=True):
        twice, _ = layer(tf.tanh(layer(y, 6, "first")[0]), 4, "second")
    with tf.variable_scope("auto", reuse=tf.AUTO_REUSE):
        one, same = tf.get_variable("v", [4], initializer=tf.ones_initializer()), tf.get_variable("v", [4])
    loss = tf.reduce_mean(tf.square(out * scale + shift - y * one)) + 0.1 * tf.reduce_mean(tf.square(twice - x))
    step = tf.train.GradientDescentOptimizer(0.2).minimize(loss)
    numbers = [float(again is tf.trainable_variables()[0]), float(one is same), len(made), len(tf.trainable_variables("net"))]
    feed = {x: rng.randn(8, 4), y: rng.randn(8, 4)}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers.append(sess.run([loss, step], feed)[0])
    return numbers
