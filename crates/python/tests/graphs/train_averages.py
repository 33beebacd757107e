"""Moving averages of variables of both kinds."""


def build(tf):
    count = tf.Variable(0, name="count", trainable=False)
    w = tf.Variable([1.0, 2.0], name="w")
    r = tf.get_variable("r", [2], initializer=tf.zeros_initializer(), use_resource=True)
    tf.train.ExponentialMovingAverage(0.9, num_updates=count).apply([w])
    with tf.control_dependencies([tf.no_op()]):
        tf.train.ExponentialMovingAverage(0.5, name="plain").apply([w, r])
