"""An autoencoder with tied weights and noise on its input."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(7)
    tf.set_random_seed(21)
    x = tf.placeholder(tf.float32, [None, 24], name="x")
    noisy = x + 0.1 * tf.random_normal(tf.shape(x))
    with tf.variable_scope("encoder"):
        w = tf.get_variable("w", [24, 6], initializer=tf.random_uniform_initializer(-0.3, 0.3))
        b = tf.get_variable("b", [6], initializer=tf.zeros_initializer())
        code = tf.sigmoid(tf.matmul(noisy, w) + b, name="code")
    with tf.variable_scope("decoder"):
        c = tf.get_variable("c", [24], initializer=tf.zeros_initializer())
        logits = tf.matmul(code, w, transpose_b=True) + c
    cost = tf.nn.sigmoid_cross_entropy_with_logits(labels=x, logits=logits)
    loss = tf.reduce_mean(tf.reduce_sum(cost, axis=1))
    step = tf.train.AdadeltaOptimizer(1.0).minimize(loss)
    data = (rng.rand(32, 24) > 0.6).astype(np.float32)
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], {x: data})[0])
    return losses
