"""Batch normalization by moments, with moving averages that the training step updates."""

import numpy as np


def normalized(tf, x, training, name, decay=0.9):
    with tf.variable_scope(name):
        size = int(x.shape[-1])
        beta = tf.get_variable("beta", [size], initializer=tf.zeros_initializer())
        gamma = tf.get_variable("gamma", [size], initializer=tf.ones_initializer())
        mean = tf.get_variable("mean", [size], initializer=tf.zeros_initializer(), trainable=False)
        variance = tf.get_variable("variance", [size], initializer=tf.ones_initializer(), trainable=False)
        now_mean, now_variance = tf.nn.moments(x, [0], name="moments")
        updates = [tf.assign(mean, mean * decay + now_mean * (1 - decay)),
                   tf.assign(variance, variance * decay + now_variance * (1 - decay))]
        for update in updates:
            tf.add_to_collection(tf.GraphKeys.UPDATE_OPS, update)
        used_mean = tf.where(training, now_mean, mean)
        used_variance = tf.where(training, now_variance, variance)
        return tf.nn.batch_normalization(x, used_mean, used_variance, beta, gamma, 1e-3)


def train(tf, steps=20):
    rng = np.random.RandomState(3)
    x = tf.placeholder(tf.float32, [None, 8], name="x")
    target = tf.placeholder(tf.float32, [None, 1], name="target")
    training = tf.placeholder(tf.bool, [], name="training")
    start = tf.random_uniform_initializer(-0.5, 0.5, seed=7)
    w1 = tf.get_variable("w1", [8, 16], initializer=start)
    w2 = tf.get_variable("w2", [16, 1], initializer=tf.random_normal_initializer(stddev=0.3, seed=8))
    chosen = tf.fill([16], training)
    hidden = tf.nn.elu(normalized(tf, tf.matmul(x, w1), chosen, "bn"))
    loss = tf.losses.mean_squared_error(target, tf.matmul(hidden, w2))
    with tf.control_dependencies(tf.get_collection(tf.GraphKeys.UPDATE_OPS)):
        step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    data = (rng.randn(32, 8) * 3 + 1).astype(np.float32)
    wanted = np.sin(data.sum(1, keepdims=True)).astype(np.float32)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], {x: data, target: wanted, training: True})[0])
        losses.append(sess.run(loss, {x: data, target: wanted, training: False}))
        losses += sess.run(tf.global_variables("bn/mean")[0])[:4].tolist()
    return losses
