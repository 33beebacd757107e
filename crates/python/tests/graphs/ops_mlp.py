"""The ops of a small network: placeholders, variables, products, losses and accuracy."""


def build(tf):
    x = tf.placeholder(tf.float32, [None, 784], name="x")
    y_ = tf.placeholder(tf.float32, [None, 10])
    w1 = tf.Variable(tf.truncated_normal([784, 20], stddev=1.0 / 28, seed=3), name="w1")
    b1 = tf.Variable(tf.zeros([20]), name="b1")
    w2 = tf.Variable(tf.random_normal([20, 10], stddev=0.1, seed=4))
    b2 = tf.Variable(tf.constant(0.1, shape=[10]))
    h = tf.sigmoid(tf.matmul(x, w1) + b1)
    z = tf.add(tf.matmul(h, w2), b2, name="logits")
    y = tf.exp(z) / tf.reduce_sum(tf.exp(z), 1, keep_dims=True)
    loss = -tf.reduce_sum(y_ * tf.log(tf.clip_by_value(y, 1e-10, 1.0)))
    mean = tf.reduce_mean(-tf.reduce_sum(y_ * tf.log(y), reduction_indices=[1]))
    right = tf.equal(tf.argmax(y, 1), tf.argmax(y_, 1))
    accuracy = tf.reduce_mean(tf.cast(right, tf.float32), name="accuracy")
    image = tf.reshape(x, [-1, 28, 28, 1])
    image + 1
    big = tf.zeros([100, 100])
    ones = tf.ones([2, 2], tf.int32)
    tf.group(loss, mean, accuracy, name="all")
    tf.no_op()
    return [big, ones, w1, w2]
