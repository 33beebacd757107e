"""Fourier transforms and matrices taken apart. Vectors, whose signs are free, are compared by their products."""


def build(tf):
    x = tf.constant([[4.0, 1.0, 0.5], [1.0, 3.0, 0.2], [0.5, 0.2, 2.0]], name="x")
    tall = tf.constant([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]], name="tall")
    wave = tf.constant([1.0, 2.0, -1.0, 0.5, 3.0, 0.0, 1.0, -2.0], name="wave")
    z = tf.complex(wave, wave * 0.5)
    s, u, v = tf.svd(tall)
    e, w = tf.self_adjoint_eig(x)
    q, r = tf.qr(tall)
    lower, order = tf.linalg.lu(x)
    spectrum = tf.signal.rfft(wave)
    return [
        s, tf.matmul(u * s, v, transpose_b=True), tf.svd(tall, compute_uv=False), e, tf.matmul(w * e, w, transpose_b=True),
        tf.self_adjoint_eigvals(x), tf.matmul(q, r), lower, order, tf.matrix_square_root(x),
        tf.matrix_solve_ls(tall, tf.constant([[1.0], [2.0], [3.0]])),
        tf.real(tf.fft(z)), tf.imag(tf.ifft(z)), tf.real(spectrum), tf.imag(spectrum), tf.signal.irfft(spectrum),
        tf.real(tf.signal.rfft(wave, [12])), tf.real(tf.fft2d(tf.reshape(z, [2, 4]))),
        *[value for value in tf.nn.fractional_max_pool(tf.reshape(tf.range(36.0), [1, 6, 6, 1]), [1.0, 1.44, 1.73, 1.0], seed=3,
                                                       seed2=2, deterministic=True)],
    ]
