"""Branches and loops in a model: a loss that depends on a switch, Newton's iterations in a loop, and gradients through both."""

import numpy as np

OTHER_GRADIENTS = "those of loops and conditionals are our own"


def train(tf, steps=20):
    rng = np.random.RandomState(22)
    x = tf.placeholder(tf.float32, [8, 3], name="x")
    robust = tf.placeholder(tf.bool, [], name="robust")
    w = tf.Variable(tf.constant([[0.5], [0.1], [-0.3]]), name="w")
    counter = tf.Variable(0, trainable=False, name="counter")
    error = tf.matmul(x, w)[:, 0] - tf.reduce_sum(x, 1)
    cost = tf.cond(robust, lambda: tf.reduce_mean(tf.abs(error)), lambda: tf.reduce_mean(tf.square(error)), name="cost")

    def root(value):
        def body(i, guess):
            return i + 1, 0.5 * (guess + value / guess)

        return tf.while_loop(lambda i, guess: i < 4, body, [tf.constant(0), tf.ones_like(value)], name="newton")[1]

    loss = root(cost + 0.5)
    kind = tf.case([(tf.less(cost, 0.5), lambda: tf.constant(1.0)), (tf.less(cost, 1.5), lambda: tf.constant(2.0))],
                   default=lambda: tf.constant(3.0))
    step = tf.train.GradientDescentOptimizer(0.1).minimize(loss)
    with tf.control_dependencies([step]):
        count = tf.cond(robust, lambda: tf.assign_add(counter, 1), lambda: tf.identity(counter))
    total = tf.foldl(lambda a, row: a + tf.reduce_sum(row), x, initializer=tf.constant(0.0))
    mapped = tf.map_fn(lambda row: tf.reduce_max(row), x)
    data = rng.randn(8, 3).astype(np.float32)
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(steps):
            numbers += sess.run([loss, kind, count], {x: data, robust: number % 3 == 0})
        numbers += [sess.run(total, {x: data}), sess.run(tf.reduce_sum(mapped), {x: data})]
    return numbers
