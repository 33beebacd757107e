"""Switch, Merge, loops and assertions, with control flow as TensorFlow 1.x writes it."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    switches(f)
    conditions(f)
    loops(f)
    asserts(f)
    dependencies(f)


def switches(f):
    with f.scenario("Switch") as s:
        x, p = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.bool, name="p")
        no, yes = tf.raw_ops.Switch(data=x, pred=p)
        merged, index = tf.raw_ops.Merge(inputs=[no * 2, yes + 1])
        for value in [False, True]:
            s.run([merged, index], {x: f32(1, 2), p: np.array(value)})
        s.run([yes], {x: f32(1), p: np.array(True)})
        s.run([yes], {x: f32(1), p: np.array(False)})
        s.run([no + 1], {x: f32(1), p: np.array(True)})
        s.run([merged], {x: f32(1), p: np.array([True])})
        s.gradients([merged], [x], {x: f32(1, 2), p: np.array(True)})
        s.gradients([merged], [x], {x: f32(1, 2), p: np.array(False)})
    for dtype in [np.int64, np.bool_, object, np.float64, np.float16]:
        with f.scenario("Switch/types") as s:
            x, p = v1.placeholder(tf.as_dtype(np.dtype(dtype)) if dtype is not object else tf.string, name="x"), v1.placeholder(tf.bool, name="p")
            no, yes = tf.raw_ops.Switch(data=x, pred=p)
            merged, index = tf.raw_ops.Merge(inputs=[tf.identity(no), tf.identity(yes)])
            s.run([merged, index], {x: values((2,), dtype), p: np.array(True)})
    with f.scenario("Merge/first_alive") as s:
        p = v1.placeholder(tf.bool, name="p")
        a = tf.raw_ops.Switch(data=tf.constant(1), pred=p)
        b = tf.raw_ops.Switch(data=tf.constant([2, 3]), pred=p)
        merged, index = tf.raw_ops.Merge(inputs=[a[0], b[1]])
        s.run([merged, index], {p: np.array(True)})
        s.run([merged, index], {p: np.array(False)})
    with f.scenario("ControlTrigger") as s:
        p = v1.placeholder(tf.bool, name="p")
        a = tf.raw_ops.Switch(data=tf.constant(1), pred=p)
        with tf.control_dependencies([a[1].op, tf.no_op()]):
            trigger = v1.get_default_graph().create_op("ControlTrigger", [], [], name="t")
        with tf.control_dependencies([trigger]):
            c = tf.constant(5)
        s.run([c], {p: np.array(False)})


def conditions(f):
    with f.scenario("cond") as s:
        x = v1.placeholder(tf.float32, name="x")
        y = v1.cond(tf.reduce_sum(x) > 0, lambda: tf.square(x), lambda: -x)
        z = v1.cond(y[0] > 5, lambda: v1.cond(y[0] > 50, lambda: y * 2, lambda: y * 3), lambda: y)
        for value in [[1, 2], [-1, -2], [3, 4], [9, 1]]:
            s.run([y, z], {x: f32(*value)})
            s.gradients([y, z], [x], {x: f32(*value)})
    with f.scenario("cond/several_outputs") as s:
        p = v1.placeholder(tf.bool, name="p")
        a, b = tf.constant([1.0, 2.0]), tf.constant(3)
        u, w = v1.cond(p, lambda: (a, b + 1), lambda: (a[:1], b * 2))
        s.run([u, w], {p: np.array(True)})
        s.run([u, w], {p: np.array(False)})
    with f.scenario("cond/not_taken_has_no_effect") as s:
        p = v1.placeholder(tf.bool, name="p")
        v = v1.get_variable("v", initializer=1.0, use_resource=False)
        r = v1.get_variable("r", initializer=1.0, use_resource=True)
        up = v1.cond(p, lambda: v1.assign_add(v, 10.0) + 0.0, lambda: tf.constant(0.0))
        ur = v1.cond(p, lambda: tf.group(r.assign_add(10.0)), lambda: tf.no_op())
        s.run([], targets=[v.initializer, r.initializer])
        s.run([up], {p: np.array(False)}, targets=[ur])
        s.run([v, r.read_value()])
        s.run([up], {p: np.array(True)}, targets=[ur])
        s.run([v, r.read_value()])


def loops(f):
    with f.scenario("while/sum") as s:
        n = v1.placeholder(tf.int32, [], name="n")
        i, total = v1.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, t + i * i), [tf.constant(0), tf.constant(0)])
        for count in [0, 1, 5, 100]:
            s.run([i, total], {n: np.array(count, np.int32)})
    for parallel in [1, 3, 32]:
        with f.scenario(f"while/parallel_{parallel}") as s:
            x = v1.placeholder(tf.float32, name="x")
            out = v1.while_loop(lambda i, a, b: i < 7, lambda i, a, b: (i + 1, a * 1.5 + b, b - tf.cast(i, tf.float32)),
                                [tf.constant(0), x, x + 1], parallel_iterations=parallel)
            s.run(list(out), {x: f32(1, -2)})
    with f.scenario("while/nested") as s:
        n, m = v1.placeholder(tf.int32, [], name="n"), v1.placeholder(tf.int32, [], name="m")

        def inner(i, total):
            return v1.while_loop(lambda j, t: j < m, lambda j, t: (j + 1, t + i * j + 1), [tf.constant(0), total])[1]

        i, total = v1.while_loop(lambda i, t: i < n, lambda i, t: (i + 1, inner(i, t)), [tf.constant(0), tf.constant(0)])
        for a, b in [(0, 3), (3, 0), (1, 1), (4, 5)]:
            s.run([i, total], {n: np.array(a, np.int32), m: np.array(b, np.int32)})
    with f.scenario("while/cond_inside") as s:
        n = v1.placeholder(tf.int32, [], name="n")
        body = lambda i, t: (i + 1, v1.cond(tf.equal(i % 2, 0), lambda: t + i, lambda: t * 2))
        out = v1.while_loop(lambda i, t: i < n, body, [tf.constant(0), tf.constant(1)])
        for count in [0, 1, 6]:
            s.run(list(out), {n: np.array(count, np.int32)})
    with f.scenario("while/inside_cond") as s:
        p, n = v1.placeholder(tf.bool, name="p"), v1.placeholder(tf.int32, [], name="n")
        loop = lambda: v1.while_loop(lambda i: i < n, lambda i: i + 3, [tf.constant(0)])
        out = v1.cond(p, loop, lambda: tf.constant(-1))
        for value in [True, False]:
            s.run([out], {p: np.array(value), n: np.array(10, np.int32)})
    with f.scenario("while/growing_shape") as s:
        n = v1.placeholder(tf.int32, [], name="n")
        out = v1.while_loop(lambda i, v: i < n, lambda i, v: (i + 1, tf.concat([v, [i]], 0)),
                            [tf.constant(0), tf.zeros([0], tf.int32)],
                            shape_invariants=[tf.TensorShape([]), tf.TensorShape([None])])
        s.run(list(out), {n: np.array(4, np.int32)})
    with f.scenario("while/variable") as s:
        v = v1.get_variable("v", initializer=0.0, use_resource=False)

        def body(i):
            with tf.control_dependencies([v1.assign_add(v, 2.0)]):
                return i + 1

        out = v1.while_loop(lambda i: i < 5, body, [tf.constant(0)], parallel_iterations=1)
        s.run([], targets=[v.initializer])
        s.run([out])
        s.run([v])
    with f.scenario("while/error_inside") as s:
        x = v1.placeholder(tf.int32, name="x")
        out = v1.while_loop(lambda i, t: i < 5, lambda i, t: (i + 1, t // (3 - i)), [tf.constant(0), x])
        s.run(list(out), {x: scalar(100)})
    with f.scenario("while/gradient") as s:
        x = v1.placeholder(tf.float32, name="x")
        out = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a * 0.5 + x), [tf.constant(0), x])
        s.run([out[1]], {x: f32(0.5, 1)})
    with f.scenario("while/gradient_nodes") as s:
        # TensorFlow's own gradient nodes: stacks that save values of the forward loop.
        x = v1.placeholder(tf.float32, name="x")
        out = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * a * 0.5 + x), [tf.constant(0), x])
        grad = v1.gradients(out[1], [x])[0]
        s.run([out[1], grad], {x: f32(0.5, 1)})
    with f.scenario("while/tensor_array") as s:
        x = v1.placeholder(tf.float32, [None, 2], name="x")
        source = tf.TensorArray(tf.float32, size=tf.shape(x)[0]).unstack(x)
        sink = tf.TensorArray(tf.float32, size=tf.shape(x)[0])
        body = lambda i, acc, ta: (i + 1, acc + source.read(i), ta.write(i, acc))
        _, acc, ta = v1.while_loop(lambda i, acc, ta: i < tf.shape(x)[0], body, [0, tf.zeros([2]), sink])
        out = ta.stack()
        s.run([acc, out], {x: values((3, 2))})


def asserts(f):
    with f.scenario("Assert") as s:
        p, x = v1.placeholder(tf.bool, name="p"), v1.placeholder(tf.float32, name="x")
        check = tf.raw_ops.Assert(condition=p, data=[tf.constant("x is"), x, tf.constant([1, 2, 3, 4])], summarize=3)
        with tf.control_dependencies([check]):
            y = x + 1
        s.run([y], {p: np.array(True), x: f32(1)})
        s.run([y], {p: np.array(False), x: f32(1.5)}, phrase="assertion failed: [x is] [1.5] [1 2 3...]")
        s.run([y], {p: np.array([True]), x: f32(1)})
        s.run([], {p: np.array(False), x: f32(1, 2)}, targets=[check])


def dependencies(f):
    with f.scenario("order") as s:
        v = v1.get_variable("v", initializer=[1, 2], use_resource=False)
        a = v1.assign_add(v, [1, 1])
        with tf.control_dependencies([a]):
            b = v1.assign(v, v.read_value() * 10)
        with tf.control_dependencies([b]):
            c = v.read_value()
        s.run([], targets=[v.initializer])
        s.run([c])
        s.run([c])
    with f.scenario("tuple_and_group") as s:
        x, y = tf.constant(1), tf.constant(2)
        pair = v1.tuple([x, y])
        done = tf.group(x.op, y.op)
        s.run(pair, targets=[done])
