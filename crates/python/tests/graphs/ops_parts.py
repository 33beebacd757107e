"""Parts of tensors: slices, rows, masks, orders, places."""


def build(tf):
    c = tf.constant([[1, 2, 3], [4, 5, 6]])
    p = tf.placeholder_with_default([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], [None, 3])
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    i = tf.constant(1)
    out = [c[0], c[0, 1], c[:, 1], c[..., 1:], c[:, tf.newaxis], c[0:1, ::2], c[i], c[i, 0:2], c[-1], c[:],
            c[..., tf.newaxis, 0], c[i:, 0], v[0], v[:, 1],
           p[0], p[1:, -1], c[tf.constant(0, tf.int64)], c[::-1]]
    out += [tf.gather(c, [1, 0]), tf.gather(c, [2], axis=1), tf.gather(v, [0]), tf.gather(c, i),
            tf.gather_nd(c, [[0, 0], [1, 2]])]
    out += [tf.boolean_mask(c, [True, False]), tf.boolean_mask(p, p > 2.0), tf.boolean_mask(c, [True, False, True], axis=1)]
    out += [tf.where(p > 2.0), tf.where(p > 2.0, p, -p), tf.where([True, False], c, c + 1), tf.where_v2(p > 2.0, p, 0.0)]
    out += [tf.roll(c, 1, 0)]
    out += list(tf.unique([1, 2, 1])) + list(tf.unique_with_counts([1, 2, 1])) + list(tf.setdiff1d([1, 2, 3], [2]))
    out += [tf.searchsorted([1, 3, 5], [0, 3, 6]), tf.searchsorted([1, 3, 5], [0, 3, 6], side="right")]
    out += [tf.scatter_nd([[0], [2]], [5, 6], [4]), tf.tensor_scatter_update([1, 2, 3], [[1]], [9]),
            tf.tensor_scatter_nd_add([1, 2, 3], [[1]], [9])]
    out += list(tf.dynamic_partition([1, 2, 3], [0, 1, 0], 2)) + [tf.dynamic_stitch([[0, 2], [1]], [[10, 30], [20]])]
    out += [tf.extract_image_patches(tf.ones([1, 4, 4, 1]), [1, 2, 2, 1], [1, 2, 2, 1], [1, 1, 1, 1], "VALID")]
    out += [tf.sort([3, 1, 2]), tf.sort([3.0, 1.0, 2.0], direction="DESCENDING"), tf.argsort([3, 1, 2]), tf.sort(c, axis=0),
            tf.sort(p), tf.argsort(p, axis=0, direction="DESCENDING")]
    return out
