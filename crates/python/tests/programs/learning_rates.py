"""Schedules of the learning rate, all following one global step."""

import numpy as np


def train(tf, steps=20):
    global_step = tf.train.get_or_create_global_step()
    rates = [
        tf.train.exponential_decay(0.5, global_step, 4, 0.7, staircase=True),
        tf.train.exponential_decay(0.5, global_step, 4, 0.7),
        tf.train.piecewise_constant(global_step, [5, 10], [0.4, 0.2, 0.1]),
        tf.train.polynomial_decay(0.5, global_step, 15, 0.05, power=2.0),
        tf.train.polynomial_decay(0.5, global_step, 6, 0.05, cycle=True),
        tf.train.natural_exp_decay(0.5, global_step, 4, 0.3),
        tf.train.inverse_time_decay(0.5, global_step, 4, 0.3),
        tf.train.cosine_decay(0.5, global_step, 18, alpha=0.1),
        tf.train.linear_cosine_decay(0.5, global_step, 18),
    ]
    rate = tf.add_n(rates) / len(rates)
    w = tf.Variable(tf.constant([3.0, -2.0]), name="w")
    loss = tf.reduce_sum(tf.square(w) * tf.constant([0.5, 1.0]))
    step = tf.train.GradientDescentOptimizer(rate).minimize(loss, global_step=global_step)
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers += [float(value) for value in np.array(sess.run(rates))]
            numbers.append(sess.run([loss, step])[0])
        numbers.append(tf.train.global_step(sess, global_step))
    return numbers
