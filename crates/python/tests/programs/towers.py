"""Towers of one model on several devices of one session: gradients are averaged on another device and applied once."""

import numpy as np


def average(tf, towers):
    averaged = []
    for pairs in zip(*towers):
        gradients = tf.concat([tf.expand_dims(gradient, 0) for gradient, _ in pairs], axis=0)
        averaged.append((tf.reduce_mean(gradients, 0), pairs[0][1]))
    return averaged


def train(tf, steps=20, count=2):
    rng = np.random.RandomState(15)
    with tf.device("/cpu:0"):
        x = tf.placeholder(tf.float32, [8 * count, 6], name="x")
        y = tf.placeholder(tf.float32, [8 * count], name="y")
        global_step = tf.get_variable("global_step", [], tf.int32, tf.constant_initializer(0), trainable=False)
        optimizer = tf.train.GradientDescentOptimizer(0.05)
        towers, losses = [], []
        for i, (part, wanted) in enumerate(zip(tf.split(x, count), tf.split(y, count))):
            with tf.variable_scope("model", reuse=i > 0), tf.device(f"/cpu:{i}"), tf.name_scope(f"tower_{i}"):
                with tf.device("/cpu:0"):
                    w1 = tf.get_variable("w1", [6, 5], initializer=tf.random_normal_initializer(stddev=0.3, seed=1))
                    w2 = tf.get_variable("w2", [5, 1], initializer=tf.random_normal_initializer(stddev=0.3, seed=2))
                guess = tf.matmul(tf.nn.relu(tf.matmul(part, w1)), w2)[:, 0]
                loss = tf.reduce_mean(tf.square(guess - wanted), name="loss")
                losses.append(loss)
                towers.append(optimizer.compute_gradients(loss))
        step = optimizer.apply_gradients(average(tf, towers), global_step=global_step)
        total = tf.add_n(losses) / float(count)
    data = rng.randn(8 * count, 6).astype(np.float32)
    numbers = []
    config = tf.ConfigProto(device_count={"CPU": count}, allow_soft_placement=True)
    with tf.Session(config=config) as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers.append(sess.run([total, step], {x: data, y: np.abs(data).sum(1)})[0])
        numbers.append(sess.run(global_step))
    return numbers
