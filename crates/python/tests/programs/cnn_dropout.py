"""A convolutional network with pooling and dropout, whose seeds are fixed."""

import numpy as np


def train(tf, steps=20):
    rng = np.random.RandomState(2)
    images = tf.placeholder(tf.float32, [None, 12, 12, 1], name="images")
    labels = tf.placeholder(tf.float32, [None, 3], name="labels")
    keep = tf.placeholder_with_default(0.8, [], name="keep")

    def weights(shape, seed):
        return tf.Variable(tf.random_normal(shape, stddev=0.1, seed=seed), name="weights")

    def biases(size):
        return tf.Variable(tf.zeros([size]), name="biases")

    with tf.name_scope("conv1"):
        net = tf.nn.conv2d(images, weights([3, 3, 1, 8], 1), strides=[1, 1, 1, 1], padding="SAME")
        net = tf.nn.relu(tf.nn.bias_add(net, biases(8)))
        net = tf.nn.max_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="SAME")
    with tf.name_scope("conv2"):
        net = tf.nn.conv2d(net, weights([3, 3, 8, 16], 2), strides=[1, 1, 1, 1], padding="VALID")
        net = tf.nn.relu(net + biases(16))
        net = tf.nn.avg_pool(net, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    with tf.name_scope("dense"):
        net = tf.reshape(net, [-1, 2 * 2 * 16])
        net = tf.nn.relu(tf.matmul(net, weights([64, 24], 3)) + biases(24))
        net = tf.nn.dropout(net, keep_prob=keep, seed=4)
        logits = tf.matmul(net, weights([24, 3], 5)) + biases(3)
    loss = tf.reduce_mean(tf.nn.softmax_cross_entropy_with_logits(labels=labels, logits=logits))
    step = tf.train.MomentumOptimizer(0.05, 0.9).minimize(loss)
    data = rng.rand(24, 12, 12, 1).astype(np.float32)
    kinds = np.eye(3, dtype=np.float32)[rng.randint(0, 3, 24)]
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            losses.append(sess.run([loss, step], {images: data, labels: kinds})[0])
        losses.append(sess.run(loss, {images: data, labels: kinds, keep: 1.0}))
    return losses
