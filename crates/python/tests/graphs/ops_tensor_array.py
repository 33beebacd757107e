"""Arrays of tensors, and functions along the first dimension."""


def build(tf):
    xs = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0]], [None, 2], name="xs")
    ys = tf.constant([1, 2, 3], name="ys")
    a = tf.TensorArray(tf.float32, size=3, name="a")
    a = a.write(0, 1.0).write(1, tf.constant(2.0)).write(2, 3.0)
    out = [a.stack()]
    b = tf.TensorArray(tf.float32, 2, dynamic_size=True, clear_after_read=False).unstack(xs)
    out += [b.read(0), b.size(), b.gather([1, 0]), b.concat()]
    _, c = tf.while_loop(lambda i, t: i < 3, lambda i, t: (i + 1, t.write(i, i * 2)),
            (tf.constant(0), tf.TensorArray(tf.int32, 3)))
    out += [c.stack()]
    out += [tf.map_fn(lambda x: x * x, ys), tf.map_fn(lambda x: tf.reduce_sum(x), xs)]
    out += list(tf.map_fn(lambda p: (p[0] + p[1], p[0]), (ys, ys), dtype=(tf.int32, tf.int32)))
    out += [tf.foldl(lambda s, x: s + x, ys), tf.foldr(lambda s, x: s * 2 + x, ys),
            tf.foldl(lambda s, x: s + x, ys, initializer=10)]
    out += [tf.scan(lambda s, x: s + x, ys), tf.scan(lambda s, x: s + x, xs, initializer=tf.zeros([2]))]
    return out
