"""Two hidden layers, trained by Adam, with weight decay."""

import numpy as np


def layer(tf, x, size, name, activation=None):
    with tf.name_scope(name):
        w = tf.Variable(tf.truncated_normal([int(x.shape[1]), size], stddev=0.1, seed=size), name="w")
        b = tf.Variable(tf.constant(0.1, shape=[size]), name="b")
        y = tf.nn.xw_plus_b(x, w, b)
        return (y if activation is None else activation(y)), tf.nn.l2_loss(w)


def train(tf, steps=20):
    rng = np.random.RandomState(1)
    x = tf.placeholder(tf.float32, [None, 20], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    first, decay1 = layer(tf, x, 32, "first", tf.nn.relu)
    second, decay2 = layer(tf, first, 16, "second", tf.nn.tanh)
    logits, _ = layer(tf, second, 4, "logits")
    entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits)
    loss = tf.reduce_mean(entropy, name="loss") + 1e-3 * tf.add_n([decay1, decay2])
    step = tf.train.AdamOptimizer(0.01, beta1=0.8, epsilon=1e-6).minimize(loss)
    right = tf.nn.in_top_k(logits, labels, 1)
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    data = rng.randn(64, 20).astype(np.float32)
    kinds = (data[:, 0] > 0) * 2 + (data[:, 1] > 0)
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers += sess.run([loss, accuracy, step], {x: data, labels: kinds})[:2]
    return numbers
