"""Special functions, bits, and random numbers that follow from a seed."""


def build(tf):
    x = tf.constant([0.25, 0.5, 0.75])
    two = tf.constant([1.5, 2.0, 3.0])
    boxes = tf.constant([[0.0, 0.0, 1.0, 1.0], [0.0, 0.0, 1.0, 0.9], [2.0, 2.0, 3.0, 3.0]])
    scores, overlaps = tf.constant([0.9, 0.8, 0.7]), tf.constant([[1.0, 0.9, 0.0], [0.9, 1.0, 0.0], [0.0, 0.0, 1.0]])
    tf.set_random_seed(3)
    return [
        tf.betainc(two, two, x), tf.igamma(two, x), tf.igammac(two, x), tf.polygamma(tf.constant([1.0, 2.0, 3.0]), two),
        tf.zeta(two, two), tf.math.erfinv(x), tf.math.ndtri(x), tf.math.bessel_i0(x), tf.math.bessel_i1e(x),
        tf.math.nextafter(x, two), tf.math.cumulative_logsumexp(x), tf.math.xlog1py(x, two),
        tf.bitwise.bitwise_and(12, 10), tf.bitwise.bitwise_or(12, 10), tf.bitwise.bitwise_xor(12, 10), tf.bitwise.invert(5),
        tf.bitwise.left_shift(1, 4), tf.bitwise.right_shift(32, 2),
        tf.random.stateless_uniform([3], seed=[1, 2]), tf.random.stateless_uniform([2, 2], seed=[7, 2], minval=2.0, maxval=3.0),
        tf.random.stateless_uniform([4], seed=[1, 2], minval=0, maxval=10, dtype=tf.int32),
        tf.random.stateless_normal([3], seed=[1, 2], mean=1.0), tf.random.stateless_truncated_normal([3], seed=[5, 2]),
        tf.random.stateless_multinomial([[1.0, 2.0, 0.5]], 4, seed=[1, 2]),
        tf.random_gamma([2], [0.5, 1.5], beta=2.0, seed=4), tf.random_poisson([1.0, 4.0], [3], seed=5),
        tf.strings.unicode_script([0x4E2D, 0x41]), tf.strings.unicode_transcode(["\u00e9", "a"], "UTF-8", "UTF-16-BE"),
        tf.strings.unsorted_segment_join(["a", "b", "c"], [1, 0, 1], 2, separator="-"),
        tf.histogram_fixed_width_bins([-1.0, 0.3, 2.0, 5.0, 15.0], [0.0, 5.0], nbins=5), tf.fingerprint([[1, 2], [3, 4]]),
        tf.decode_compressed(["as it is"]),
        tf.edit_distance(
            tf.SparseTensor([[0, 0], [0, 1]], ["a", "b"], [1, 2]), tf.SparseTensor([[0, 0], [0, 1]], ["a", "c"], [1, 2])),
        *tf.image.non_max_suppression_with_scores(boxes, scores, 2),
        tf.image.non_max_suppression_overlaps(overlaps, scores, 2),
    ]
