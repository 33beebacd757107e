"""Moving averages of parameters, used for evaluation by their names in a checkpoint."""

import os
import tempfile

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(16)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    y = tf.placeholder(tf.float32, [None, 1], name="y")
    w = tf.Variable(tf.random_normal([4, 1], seed=1), name="w")
    b = tf.Variable(0.0, name="b")
    loss = tf.reduce_mean(tf.square(tf.matmul(x, w) + b - y))
    global_step = tf.Variable(0, trainable=False, name="global_step")
    gradient_step = tf.train.GradientDescentOptimizer(0.1).minimize(loss, global_step=global_step)
    averages = tf.train.ExponentialMovingAverage(0.9, num_updates=global_step)
    with tf.control_dependencies([gradient_step]):
        step = averages.apply([w, b])
    mean_of_w = averages.average(w)
    data = rng.randn(32, 4).astype(np.float32)
    feed = {x: data, y: data.sum(1, keepdims=True) * 2 + 1}
    numbers = []
    saver = tf.train.Saver()
    restorer = tf.train.Saver(averages.variables_to_restore([w, b]), name="averaged")
    with tempfile.TemporaryDirectory() as folder, tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers.append(sess.run([loss, step], feed)[0])
        numbers += sess.run(mean_of_w).ravel().tolist()
        path = saver.save(sess, os.path.join(folder, "model"), global_step=global_step)
        restorer.restore(sess, path)
        numbers += sess.run(w).ravel().tolist() + [sess.run(loss, feed)]
    return numbers
