"""Softmax regression on digits, trained by gradient descent."""


def train(tf, steps=20):
    import numpy as np

    rng = np.random.RandomState(0)
    tf.set_random_seed(1)
    x = tf.placeholder(tf.float32, [None, 64], name="x")
    y_ = tf.placeholder(tf.float32, [None, 10], name="y_")
    w = tf.Variable(tf.zeros([64, 10]), name="w")
    b = tf.Variable(tf.zeros([10]), name="b")
    y = tf.nn.softmax(tf.matmul(x, w) + b)
    loss = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)), axis=[1]))
    step = tf.train.GradientDescentOptimizer(0.5).minimize(loss)
    right = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32))
    losses = []
    with tf.Session() as sess:
        sess.run(tf.global_variables_initializer())
        for _ in range(steps):
            images, labels = rng.rand(32, 64).astype(np.float32), np.eye(10, dtype=np.float32)[rng.randint(0, 10, 32)]
            losses.append(sess.run([loss, accuracy, step], {x: images, y_: labels})[0])
    return losses
