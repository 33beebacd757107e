"""Metrics that add up over batches in local variables, beside a model that is trained."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(26)
    x = tf.placeholder(tf.float32, [None, 4], name="x")
    labels = tf.placeholder(tf.int64, [None], name="labels")
    w = tf.get_variable("w", [4, 2], initializer=tf.random_normal_initializer(stddev=0.1, seed=1))
    logits = tf.matmul(x, w)
    loss = tf.losses.sparse_softmax_cross_entropy(labels, logits)
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    guess = tf.argmax(logits, 1)
    chance = tf.nn.softmax(logits)[:, 1]
    metrics = {
        "accuracy": tf.metrics.accuracy(labels, guess),
        "precision": tf.metrics.precision(labels, guess),
        "recall": tf.metrics.recall(labels, guess),
        "mean": tf.metrics.mean(chance),
        "mse": tf.metrics.mean_squared_error(tf.cast(labels, tf.float32), chance),
        "auc": tf.metrics.auc(labels, chance, num_thresholds=20),
    }
    values = [metrics[key][0] for key in sorted(metrics)]
    updates = [metrics[key][1] for key in sorted(metrics)]
    numbers = [len(tf.local_variables())]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for number in range(steps):
            if number % 5 == 0:
                sess.run(tf.local_variables_initializer())
            data = rng.randn(16, 4).astype(np.float32)
            feed = {x: data, labels: (data[:, 0] + 0.3 * rng.randn(16) > 0).astype(np.int64)}
            numbers.append(sess.run([loss, step, updates], feed)[0])
            numbers += sess.run(values)
    return numbers
