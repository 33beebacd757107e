"""Tensors made, joined, parted and laid out anew."""


def build(tf):
    p = tf.placeholder_with_default([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [None, 3])
    unknown = tf.placeholder(tf.float32)
    c = tf.constant([[1, 2, 3], [4, 5, 6]])
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    out = []
    hot = tf.constant([0, 1, 1])
    lengths = tf.constant([1, 3], tf.int64)
    out += [tf.zeros_like(p), tf.zeros_like(c), tf.zeros_like(c, tf.float32), tf.zeros_like(p, tf.int32), tf.ones_like(p),
            tf.ones_like(c), tf.ones_like(c, dtype=tf.bool), tf.ones_like(v)]
    tf.zeros_like(unknown)
    out += [tf.zeros([2, tf.shape(p)[0]]), tf.zeros(3), tf.zeros([], tf.string), tf.ones([40, 50]), tf.fill([2, 2], 7),
            tf.ones([2], tf.bool), tf.zeros(tf.TensorShape([2, 3])), tf.zeros(tf.shape(c), tf.int64)]
    out += [tf.shape(c), tf.shape(p), tf.shape(p, out_type=tf.int64), tf.size(c), tf.size(p), tf.rank(c), tf.shape([[1, 2]]),
            tf.shape(v), tf.size([1, 2]), tf.rank([[1]])]
    tf.rank(unknown)
    tf.transpose(unknown)
    out += tf.shape_n([p, v])
    out += [tf.reshape(c, [3, -1]), tf.reshape(c, [-1], name="flat"), tf.reshape(p, tf.stack([tf.shape(p)[1], -1])),
            tf.reshape(c, (6,))]
    out += [tf.transpose(c), tf.transpose(c, [1, 0]), tf.transpose([[1, 2]]), tf.matrix_transpose(c), tf.transpose(v)]
    out += [tf.concat([c, c], 0), tf.concat([c, c], axis=1, name="wide"), tf.concat([c], 0),
            tf.concat([p, [[1.0, 2.0, 3.0]]], 0),
            tf.concat(axis=0, values=[v, v])]
    out += list(tf.split(c, 3, 1)) + list(tf.split(c, [1, 2], 1)) + list(tf.split(value=c, num_or_size_splits=2, axis=0))
    out += [tf.stack([c, c]), tf.stack([c, c], axis=1), tf.stack([1, 2, 3]), tf.stack([p, p], name="two"),
            tf.stack([tf.shape(p)[0], 4]),
            tf.stack([1.0, tf.reduce_sum(p)], axis=0), tf.stack([v, v])]
    out += tf.unstack(c) + tf.unstack(c, axis=1) + tf.unstack(p, axis=1) + tf.unstack(p, num=2)
    out += [tf.expand_dims(c, 0), tf.expand_dims(c, -1), tf.expand_dims(c, axis=1), tf.squeeze([[[1], [2]]]),
            tf.squeeze([[[1], [2]]], [0]),
            tf.squeeze(tf.expand_dims(p, 0), axis=0)]
    out += [tf.slice(c, [0, 1], [1, 2]), tf.strided_slice(c, [0, 0], [2, 3], [1, 2]), tf.strided_slice(c, [0], [1])]
    out += [tf.identity(c), tf.identity(v, name="copy"), tf.tile(c, [1, 2]), tf.pad(c, [[1, 0], [0, 2]]),
            tf.pad(c, [[1, 0], [0, 2]], constant_values=9),
            tf.pad(c, [[1, 1], [1, 1]], "REFLECT"), tf.pad(c, [[1, 0], [0, 0]], mode="SYMMETRIC")]
    out += [tf.one_hot(hot, 3), tf.one_hot(hot, 2, 5, 7), tf.one_hot(hot, 2, on_value=2.0),
            tf.one_hot(hot, depth=2, dtype=tf.int32),
            tf.one_hot(hot, 2, axis=0), tf.one_hot(tf.constant([1]), 4, 1.0, 0.0)]
    out += [tf.range(5), tf.range(1, 10, 2), tf.range(0.0, 1.0, 0.25), tf.range(tf.shape(p)[0]),
            tf.range(3, dtype=tf.float32), tf.range(1, tf.constant(4.0))]
    out += [tf.broadcast_to([1, 2], [3, 2]), tf.broadcast_dynamic_shape([2, 1], [1, 3]), tf.ensure_shape(p, [2, 3])]
    out += [tf.reverse(c, [0]), tf.reverse_sequence(c, lengths, seq_dim=1), tf.space_to_depth(tf.ones([1, 4, 4, 1]), 2),
            tf.depth_to_space(tf.ones([1, 2, 2, 4]), 2), tf.space_to_batch_nd(tf.ones([1, 4, 4, 1]), [2, 2], [[0, 0], [0, 0]]),
            tf.batch_to_space_nd(tf.ones([4, 2, 2, 1]), [2, 2], [[0, 0], [0, 0]]),
            tf.space_to_batch(tf.ones([1, 4, 4, 1]), [[0, 0], [0, 0]], 2)]
    out += [tf.bitcast(tf.constant(1.0), tf.int32), tf.invert_permutation([1, 0, 2])]
    out += tf.identity_n([c, p])
    return out
