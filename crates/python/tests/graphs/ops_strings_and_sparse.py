"""Strings, sparse tensors, checks and records."""


def build(tf):
    words = tf.constant(["a b", "c"], name="words")
    s = tf.SparseTensor([[0, 1], [1, 0]], [1.0, 2.0], [2, 2])
    x = tf.placeholder_with_default([[1.0, 2.0], [3.0, 4.0]], [None, 2], name="x")
    n = tf.placeholder_with_default([1, 2], [None], name="n")
    u = tf.placeholder_with_default(1.0, None, name="u")
    v = tf.Variable([1.0, 2.0, 3.0], name="v")
    i = tf.Variable(0, name="i")
    out = [tf.string_join([words, "x"], "-"), tf.string_to_number(["1", "2"]), tf.string_to_number(["1"], tf.int32),
            tf.as_string([1, 2]), tf.as_string([1.5], precision=2),
           tf.string_to_hash_bucket(words, 10), tf.string_to_hash_bucket_fast(words, 10, name="h"),
           tf.string_to_hash_bucket_strong(words, 10, [1, 2]),
           tf.substr(words, 0, 1), tf.encode_base64(words), tf.decode_base64(tf.encode_base64(words)),
           tf.regex_replace(words, "a", "z"), tf.reduce_join(words),
           tf.reduce_join([["a", "b"]], 1, separator="+"), tf.string_strip([" a "]), tf.strings.length(words),
           tf.decode_raw(["ab"], tf.uint8)]
    parts = tf.string_split(words)
    out += [parts.indices, parts.values, parts.dense_shape]
    out += tf.decode_csv(["1,x", "2,y"], [[0], ["d"]])
    out += [tf.sparse_to_dense([[0, 1]], [2, 2], 5), tf.sparse_tensor_to_dense(s), tf.sparse_tensor_dense_matmul(s, x),
            tf.sparse_add(s, x), tf.sparse_reduce_sum(s, 1), tf.sparse_reduce_sum(s)]
    for made in (tf.sparse_softmax(s), tf.sparse_slice(s, [0, 0], [1, 2]), tf.sparse_retain(s, [True, False]), s * 2.0):
        out += [made.indices, made.values]
    with tf.control_dependencies([tf.assert_equal(n, n), tf.assert_equal(n, [1, 2]), tf.assert_positive(x),
            tf.assert_non_negative(x, message="m"), tf.assert_less(x, 9.0),
                                  tf.assert_rank(x, 2), tf.assert_rank(u, 0), tf.assert_rank_at_least(u, 0),
                                  tf.assert_greater_equal(x, 1.0, name="ge"), tf.assert_integer(n),
                                  tf.assert_type(x, tf.float32), tf.assert_non_positive(-x), tf.assert_negative(-x),
                                  tf.assert_rank_in(u, [0, 1])]):
        out += [tf.identity(x)]
    # What changes variables is built, but not fetched: in one step the order of the changes is not said.
    tf.assign(v, [4.0, 5.0, 6.0])
    tf.assign_add(v, [1.0, 1.0, 1.0], name="more")
    tf.assign_sub(v, [1.0, 1.0, 1.0], use_locking=True)
    tf.scatter_update(v, [0], [9.0])
    tf.scatter_add(v, [0], [1.0])
    tf.scatter_sub(v, [1], [1.0])
    tf.scatter_mul(v, [0], [2.0])
    tf.scatter_nd_update(v, [[2]], [7.0])
    tf.count_up_to(i, 3)
    out += [tf.is_variable_initialized(v)]
    # A record with the features a: [1.0, 2.0] and b: [7].
    record = b"\n\x1f\n\x11\n\x01a\x12\x0c\x12\n\n\x08\x00\x00\x80?\x00\x00\x00@\n\n\n\x01b\x12\x05\x1a\x03\n\x01\x07"
    parsed = tf.parse_example([record], {"a": tf.FixedLenFeature([2], tf.float32), "b": tf.VarLenFeature(tf.int64),
            "c": tf.FixedLenFeature([], tf.string, "none")})
    out += [parsed["a"], parsed["b"].values, parsed["c"]]
    single = tf.parse_single_example(record, {"a": tf.FixedLenFeature([2], tf.float32),
            "b": tf.FixedLenFeature([], tf.int64)}, name="one")
    out += [single["a"], single["b"]]
    tf.sparse_placeholder(tf.float32, [2, 3], name="sp")
    return out
