"""Two tasks on one trunk: losses and regularizers gather in collections, weights of examples mask some of them."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(25)
    x = tf.placeholder(tf.float32, [None, 6], name="x")
    price = tf.placeholder(tf.float32, [None, 1], name="price")
    kind = tf.placeholder(tf.int32, [None], name="kind")
    known = tf.placeholder(tf.float32, [None], name="known")

    def decay(w):
        return 0.01 * tf.nn.l2_loss(w)

    with tf.variable_scope("trunk", initializer=tf.random_normal_initializer(stddev=0.3, seed=4)):
        w = tf.get_variable("w", [6, 8])
        b = tf.get_variable("b", [8], initializer=tf.zeros_initializer())
        shared = tf.nn.selu(tf.matmul(x, w) + b)
        tf.losses.add_loss(decay(w), loss_collection=tf.GraphKeys.REGULARIZATION_LOSSES)
    with tf.variable_scope("price", initializer=tf.random_normal_initializer(stddev=0.3, seed=5)):
        guess = tf.matmul(shared, tf.get_variable("w", [8, 1]))
        tf.losses.huber_loss(price, guess, weights=2.0, delta=0.5)
    with tf.variable_scope("kind", initializer=tf.random_normal_initializer(stddev=0.3, seed=6)):
        logits = tf.matmul(shared, tf.get_variable("w", [8, 3]))
        tf.losses.sparse_softmax_cross_entropy(kind, logits, weights=known)
    tf.losses.add_loss(0.1 * tf.reduce_mean(tf.abs(shared)))
    parts = tf.losses.get_losses()
    total = tf.losses.get_total_loss()
    step = tf.train.ProximalGradientDescentOptimizer(0.1, l1_regularization_strength=0.001).minimize(total)
    data = rng.randn(24, 6).astype(np.float32)
    feed = {x: data, price: data[:, :1] * 2, kind: np.argmax(data[:, :3], 1), known: rng.randint(0, 2, 24)}
    numbers = [len(parts), len(tf.losses.get_regularization_losses())]
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            numbers += sess.run(parts, feed) + [sess.run([total, step], feed)[0]]
    return numbers
