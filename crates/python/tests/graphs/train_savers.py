"""Savers of all variables, of some, under other names, and in shards."""


def build(tf):
    a = tf.Variable([1.0, 2.0], name="a")
    with tf.device("/job:ps/task:1"):
        b = tf.Variable(3, name="b")
    c = tf.get_variable("c", [2], use_resource=True, initializer=tf.zeros_initializer())
    tf.train.Saver()
    tf.train.Saver({"x": a, "y": b}, name="renamed")
    tf.train.Saver([a, c], sharded=True)
    tf.train.Saver([a], reshape=True)
