"""A small residual network of convolutions with fused batch normalization, without any library of layers."""

import numpy as np


def conv(tf, x, size, name, stride=1, kernel=3):
    with tf.variable_scope(name):
        start = tf.variance_scaling_initializer(scale=2.0, mode="fan_out", seed=size + stride)
        w = tf.get_variable("w", [kernel, kernel, int(x.shape[3]), size], initializer=start)
        scale = tf.get_variable("scale", [size], initializer=tf.ones_initializer())
        offset = tf.get_variable("offset", [size], initializer=tf.zeros_initializer())
        x = tf.nn.conv2d(x, w, [1, stride, stride, 1], "SAME")
        return tf.nn.fused_batch_norm(x, scale, offset, epsilon=1e-3, is_training=True)[0]


def block(tf, x, size, name, stride=1):
    with tf.variable_scope(name):
        short = x if stride == 1 and int(x.shape[3]) == size else conv(tf, x, size, "short", stride, 1)
        x = tf.nn.relu(conv(tf, x, size, "a", stride))
        return tf.nn.relu(conv(tf, x, size, "b") + short)


def train(tf, steps=20):
    rng = np.random.RandomState(24)
    images = tf.placeholder(tf.float32, [16, 8, 8, 2], name="images")
    labels = tf.placeholder(tf.int64, [16], name="labels")
    net = tf.nn.relu(conv(tf, images, 4, "stem"))
    net = block(tf, block(tf, net, 4, "block1"), 8, "block2", stride=2)
    net = tf.reduce_mean(net, [1, 2], name="pooled")
    w = tf.get_variable("w", [8, 3], initializer=tf.random_normal_initializer(stddev=0.2, seed=3))
    loss = tf.losses.softmax_cross_entropy(tf.one_hot(labels, 3), tf.matmul(net, w), label_smoothing=0.1)
    step = tf.train.GradientDescentOptimizer(0.05).minimize(loss)
    feed = {images: rng.rand(16, 8, 8, 2), labels: rng.randint(0, 3, 16)}
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], feed)[0])
    return losses
