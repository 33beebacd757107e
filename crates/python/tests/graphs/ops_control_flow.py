"""Conditions and loops, nested, with operations and structures."""


def build(tf):
    x = tf.placeholder_with_default(3.0, [], name="x")
    v = tf.Variable(1.0, name="v")
    out = []
    out += [tf.cond(x > 2.0, lambda: x * 2.0, lambda: x + 1.0)]
    out += list(tf.cond(x < 2.0, lambda: (x, tf.constant(1)), lambda: (x + 1.0, tf.constant(2)), name="pair"))
    out += [tf.cond(x > 2.0, fn1=lambda: tf.cond(x > 5.0, lambda: x, lambda: -x), fn2=lambda: x)]
    out += [tf.cond(x > 1.0, lambda: tf.no_op(), lambda: tf.group(x))]
    out += [tf.cond(x > 1.0, lambda: 1.0, lambda: v)]
    out += [tf.while_loop(lambda i: tf.less(i, 5), lambda i: tf.add(i, 1), [tf.constant(0)])]
    out += list(tf.while_loop(lambda i, s: i < 4, lambda i, s: (i + 1, s * x), (0, 1.0), name="power"))
    out += list(tf.while_loop(lambda i, s: s < 100.0, lambda i, s: [i + 1, s * 2.0], [tf.constant(0), x], maximum_iterations=3))
    grown = tf.while_loop(
        lambda i, t: i < 3, lambda i, t: (i + 1, tf.concat([t, t], 0)), (tf.constant(0), tf.ones([1])),
        shape_invariants=(tf.TensorShape([]), tf.TensorShape([None])), parallel_iterations=1,
    )
    out += list(grown)
    out += [tf.case([(x < 0.0, lambda: tf.constant(1)), (x > 2.0, lambda: tf.constant(2))], default=lambda: tf.constant(3))]
    with tf.control_dependencies([tf.Assert(x > 0.0, [x, "must be positive"])]):
        out += [tf.identity(x)]
    with tf.control_dependencies([tf.Assert(x > 0.0, ["must be positive"])]):
        out += [tf.identity(x)]
    out += tf.tuple([x, x + 1.0])
    out += [tf.Print(x, [x, "is x"], "message: ", first_n=0)]
    with tf.device("/cpu:0"):
        on_cpu = tf.identity(x)
    tf.group(on_cpu, x, v.initializer, name="many")
    return out
