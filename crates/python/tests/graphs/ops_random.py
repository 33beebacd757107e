"""Random numbers: the same names, seeds and values."""


def build(tf):
    a = tf.placeholder_with_default([2, 3], [2])
    out = []
    tf.random_normal([2])
    tf.set_random_seed(7)
    out += [tf.random_normal([2, 3]), tf.random_normal(a, mean=1.0, stddev=2.0, seed=5, name="n"),
            tf.truncated_normal([4], stddev=0.1),
            tf.random_uniform([3]), tf.random_uniform([3], -1.0, 1.0), tf.random_uniform([3], 0, 10, tf.int32),
            tf.random_uniform([2], maxval=5.0),
            tf.random_uniform([], seed=1), tf.random_shuffle([1, 2, 3]), tf.random_crop([[1, 2], [3, 4]], [1, 1]),
            tf.multinomial([[0.5, 0.5]], 3),
            tf.random_normal([2], dtype=tf.float64), tf.random_uniform([2, 2], minval=0.0, maxval=1.0)]
    return out
