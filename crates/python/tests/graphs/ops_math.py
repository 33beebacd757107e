"""Arithmetic, comparisons, reductions, changes of type."""


def build(tf):
    a = tf.constant([[1.0, -2.0], [3.0, 4.0]])
    b = tf.placeholder_with_default([[2.0, 0.5], [1.0, -1.0]], [None, 2])
    n = tf.constant([3, -4, 5])
    u = tf.placeholder(tf.float32)
    v = tf.Variable([[1.0, 2.0], [3.0, 4.0]], name="v")
    s = tf.constant(2.0)
    out = [tf.add(a, b), tf.add(a, 1.0), tf.add(1.0, a), tf.add(v, v), tf.subtract(a, b),
            tf.multiply(a, 2.0, name="twice"), tf.divide(a, b), tf.div(a, b),
           tf.truediv(n, 2), tf.div(n, 2), tf.floordiv(n, 2), tf.mod(n, 2), tf.floormod(n, 2), tf.realdiv(a, b),
           tf.truncatediv(n, 2), tf.truncatemod(n, 2),
           tf.pow(a, 2.0), tf.maximum(a, b), tf.minimum(a, 0.0), tf.squared_difference(a, b), tf.div_no_nan(a, 0.0),
           tf.divide(n, 2), tf.divide(a, b, name="q")]
    out += [a + b, a - 1, 2 - a, a * 2, 3 * a, a / b, n / 2, n // 2, n % 3, a ** 2, -a, abs(a), 2 / a, 7 // n, 2.0 ** a,
            v + 1, 1 + v, v * v, -v,
            a > b, a < 0, a >= b, a <= b, (a > 0) & (b > 0), (a > 0) | (b > 0), ~(a > 0), a @ a, v @ a]
    out += [tf.square(a), tf.sqrt(s), tf.rsqrt(s), tf.exp(a), tf.log(s), tf.abs(a), tf.negative(a), tf.sign(a),
            tf.sigmoid(a), tf.tanh(a), tf.sin(a), tf.cos(a), tf.tan(a),
            tf.asin(0.5), tf.acos(0.5), tf.atan(0.5), tf.sinh(a), tf.cosh(a), tf.asinh(a), tf.acosh(2.0), tf.atanh(0.5),
            tf.erf(a), tf.erfc(a), tf.lgamma(s), tf.digamma(s),
            tf.expm1(a), tf.log1p(s), tf.reciprocal(a), tf.floor(a), tf.ceil(a), tf.rint(a), tf.round(a), tf.round(n),
            tf.is_nan(a), tf.is_inf(a), tf.is_finite(a),
            tf.atan2(a, b), tf.log_sigmoid(a), tf.square(v), tf.square([1, 2])]
    out += [tf.equal(n, 3), tf.not_equal(a, b), tf.less(a, b), tf.greater_equal(a, 1.0), tf.logical_and(a > 0, True),
            tf.logical_not([True]), tf.logical_xor(a > 0, b > 0), tf.logical_or(a > 0, b > 0)]
    out += [tf.matmul(a, b), tf.matmul(a, b, transpose_b=True), tf.matmul(a, a, adjoint_a=True), tf.matmul([a, a], [a, a]),
            tf.matmul(tf.ones([2, 1, 2]), tf.ones([2, 2, 3]), transpose_a=False),
            tf.matmul(v, [[1.0], [2.0]], name="product")]
    tf.matmul(u, a)
    out += [tf.add_n([a, b, a]), tf.add_n([a]), tf.add_n([a], name="only"), tf.accumulate_n([a, b]), tf.scalar_mul(2.0, a),
            tf.scalar_mul(s, v)]
    out += [tf.reduce_sum(a), tf.reduce_mean(b), tf.reduce_max(a, 0), tf.reduce_min(a, axis=[0, 1]), tf.reduce_prod(n),
            tf.reduce_all(a > 0), tf.reduce_any(a > 0, 1, keepdims=True),
            tf.reduce_sum(a, axis=-1, keepdims=True), tf.reduce_mean(s), tf.reduce_mean(v), tf.reduce_sum([1, 2]),
            tf.reduce_logsumexp(a), tf.reduce_logsumexp(a, 1, keepdims=True),
            tf.count_nonzero(a), tf.count_nonzero(n, 0)]
    tf.reduce_sum(u)
    tf.reduce_mean(u, 0, name="mean")
    out += [tf.argmax(a, 1), tf.argmin(a), tf.argmax(a, axis=0, output_type=tf.int32), tf.argmax(n), tf.arg_max(a, 1)]
    out += [tf.cast(a, tf.int32), tf.cast(a, tf.float32), tf.cast(v, tf.float32), tf.cast(v, tf.int32),
            tf.cast([1, 2], tf.float32), tf.to_float(n), tf.to_int32(a), tf.to_int64(n), tf.to_double(a),
            tf.saturate_cast(a, tf.uint8), tf.cast(a > 0, tf.float32, name="mask"), tf.cast(1, tf.float32)]
    z = tf.complex(3.0, 4.0)
    out += [tf.real(z), tf.imag(z), tf.abs(z), tf.angle(z), tf.imag(tf.conj(z)), tf.real(a), tf.imag(a)]
    out += [tf.cumsum(a), tf.cumsum(a, 1, exclusive=True), tf.cumprod(a, reverse=True), tf.einsum("ij,jk->ik", a, a),
            tf.cross([1.0, 0.0, 0.0], [0.0, 1.0, 0.0])]
    out += [tf.segment_sum([1, 2, 3], [0, 0, 1]), tf.unsorted_segment_sum([1, 2, 3], [1, 0, 1], 2),
            tf.segment_mean([1.0, 2.0], [0, 0]), tf.sparse_segment_sum(a, [0, 1], [0, 0]),
            tf.unsorted_segment_mean([1.0, 2.0], [0, 0], 2), tf.unsorted_segment_sqrt_n([1.0, 2.0], [0, 0], 2)]
    out += [tf.clip_by_value(a, -1.0, 1.0), tf.clip_by_norm(a, 1.0), tf.clip_by_norm(v, 1.0, axes=[1]),
            tf.global_norm([a, b]), tf.clip_by_average_norm(a, 0.5)]
    clipped, size = tf.clip_by_global_norm([a, b, v], 1.0)
    out += clipped + [size]
    out += [tf.norm(a), tf.norm(a, axis=1), tf.norm(a, ord=1, axis=0), tf.nn.l2_normalize(a, 1)]
    out += [tf.tensordot(a, b, 1), tf.tensordot(a, a, [[1], [0]]), tf.trace(a), tf.check_numerics(a, "bad"),
            tf.verify_tensor_all_finite(a, "bad")]
    out += [tf.bincount([1, 1, 2]), tf.confusion_matrix([0, 1, 1], [0, 1, 0]), tf.lbeta([1.0, 2.0])]
    out += [tf.diag([1, 2]), tf.diag_part([[1, 2], [3, 4]]), tf.matrix_diag([1, 2]), tf.matrix_diag_part(a),
            tf.matrix_determinant(a), tf.matrix_inverse(a),
            tf.matrix_solve(a, a), tf.matrix_triangular_solve(a, a), tf.cholesky([[4.0, 0.0], [0.0, 9.0]]),
            tf.cholesky_solve([[2.0, 0.0], [0.0, 3.0]], [[1.0], [1.0]])]
    return out
