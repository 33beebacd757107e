"""Losses whose weights have a shape that only a step knows."""


def build(tf):
    x = tf.placeholder_with_default(tf.constant([[1.0, 2.0, 3.0]]), [None, 3], name="x")
    w = tf.placeholder_with_default(tf.constant([[2.0]]), None, name="w")
    return [tf.losses.compute_weighted_loss(x, weights=w), tf.losses.absolute_difference(x, 2.0 * x, weights=w[:, :1])]
