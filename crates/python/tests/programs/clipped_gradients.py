"""Gradients taken by hand: computed, clipped by global norm, by norm and by value, and applied."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(23)
    x = tf.placeholder(tf.float32, [None, 5], name="x")
    labels = tf.placeholder(tf.int32, [None], name="labels")
    w1 = tf.get_variable("w1", [5, 7], initializer=tf.glorot_uniform_initializer(seed=1))
    b1 = tf.get_variable("b1", [7], initializer=tf.constant_initializer(0.05))
    w2 = tf.get_variable("w2", [7, 3], initializer=tf.variance_scaling_initializer(seed=2))
    unused = tf.get_variable("unused", [2], initializer=tf.zeros_initializer())
    logits = tf.matmul(tf.nn.relu6(tf.matmul(x, w1) + b1), w2)
    loss = 4.0 * tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    optimizer = tf.train.MomentumOptimizer(0.05, 0.8)
    pairs = optimizer.compute_gradients(loss)
    numbers = [sum(gradient is None for gradient, _ in pairs)]
    pairs = [(gradient, variable) for gradient, variable in pairs if gradient is not None]
    gradients, variables = zip(*pairs)
    clipped, norm = tf.clip_by_global_norm(gradients, 0.8)
    clipped = [tf.clip_by_norm(clipped[0], 0.5), tf.clip_by_value(clipped[1], -0.1, 0.1), clipped[2]]
    step = optimizer.apply_gradients(zip(clipped, variables), name="train")
    data = rng.randn(24, 5).astype(np.float32)
    feed = {x: data, labels: np.argmax(data[:, :3], 1)}
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers += sess.run([loss, norm, step], feed)[:2]
    return numbers
