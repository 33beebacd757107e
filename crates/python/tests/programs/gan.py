"""A generator and a discriminator, each trained by an optimizer of its own on its own variables."""

import numpy as np


def dense(tf, x, size, name):
    with tf.variable_scope(name):
        w = tf.get_variable("w", [int(x.shape[1]), size], initializer=tf.random_normal_initializer(stddev=0.2, seed=size))
        b = tf.get_variable("b", [size], initializer=tf.constant_initializer(0.0))
        return tf.matmul(x, w) + b


def train(tf, steps=20):
    rng = np.random.RandomState(8)
    noise = tf.placeholder(tf.float32, [None, 4], name="noise")
    real = tf.placeholder(tf.float32, [None, 2], name="real")

    def generator(z):
        with tf.variable_scope("generator"):
            return dense(tf, tf.nn.relu(dense(tf, z, 16, "hidden")), 2, "out")

    def discriminator(x, reuse):
        with tf.variable_scope("discriminator", reuse=reuse):
            return dense(tf, tf.nn.leaky_relu(dense(tf, x, 12, "hidden")), 1, "out")

    fake = generator(noise)
    on_real, on_fake = discriminator(real, False), discriminator(fake, True)

    def entropy(logits, label):
        labels = tf.ones_like(logits) * label
        return tf.reduce_mean(tf.nn.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits))

    d_loss = entropy(on_real, 0.9) + entropy(on_fake, 0.0)
    g_loss = entropy(on_fake, 1.0)
    d_vars = tf.trainable_variables("discriminator")
    g_vars = tf.get_collection(tf.GraphKeys.TRAINABLE_VARIABLES, scope="generator")
    d_step = tf.train.AdamOptimizer(0.01, beta1=0.5).minimize(d_loss, var_list=d_vars)
    g_step = tf.train.AdamOptimizer(0.02, beta1=0.5, name="AdamG").minimize(g_loss, var_list=g_vars)
    numbers = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            feed = {noise: rng.randn(16, 4), real: rng.randn(16, 2) + 2.0}
            numbers.append(sess.run([d_loss, d_step], feed)[0])
            numbers.append(sess.run([g_loss, g_step], feed)[0])
    return numbers
