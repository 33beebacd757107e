"""Graphs with functions: calls, and control flow made of them."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    v1.enable_control_flow_v2()
    try:
        calls(f)
        conditions(f)
        loops(f)
        lists(f)
        variables(f)
    finally:
        v1.disable_control_flow_v2()


def calls(f):
    @tf.function
    def affine(a, b):
        return a * b + 1.0, a - b

    @tf.function
    def twice(a):
        return affine(affine(a, 2.0)[0], 3.0)[0]

    @tf.function
    def nothing():
        return tf.constant([1.0, 2.0]), tf.range(3)

    with f.scenario("PartitionedCall") as s:
        x = v1.placeholder(tf.float32, [2], name="x")
        a, b = affine(x, tf.constant(3.0))
        c = twice(x)
        d = nothing()
        g = v1.gradients(c, [x])
        s.run([a, b], {x: f32(1, 2)})
        s.run([c, *g], {x: f32(1, 2)})
        s.run(list(d))
        s.run([a], {x: f32(1, 2), b: f32(5, 5)})
    with f.scenario("PartitionedCall/extended") as s:
        x = v1.placeholder(tf.float32, [2], name="x")
        c = twice(x)
        s.run([c], {x: f32(1, 2)})
    with f.scenario("Defun") as s:
        from tensorflow.python.framework import function

        @function.Defun(tf.float32, tf.float32)
        def legacy(a, b):
            return a * b, a + b

        x = v1.placeholder(tf.float32, [2], name="x")
        p, q = legacy(x, x + 1)
        s.run([p, q], {x: f32(1, 2)})


def conditions(f):
    with f.scenario("StatelessIf") as s:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.cond(tf.reduce_sum(x) > 0, lambda: x * 2, lambda: x - 1)
        z = tf.cond(x[0] > 0, lambda: tf.cond(x[1] > 0, lambda: (x * y, 1), lambda: (x + y, 2)), lambda: (tf.zeros_like(x), 3))
        g = v1.gradients([y, z[0]], [x])
        for value in [f32(1, 2), f32(-1, -2), f32(1, -0.5), f32(-1, 4)]:
            s.run([y, *z, *g], {x: value})
    with f.scenario("StatelessCase") as s:
        i = v1.placeholder(tf.int32, [], name="i")
        x = tf.constant([1.0, 2.0])
        y = tf.switch_case(i, [lambda: x + 1, lambda: x * 5])
        for value in [0, 1, 7, -1]:
            s.run([y], {i: scalar(value)})
    with f.scenario("StatelessCase/many") as s:
        i = v1.placeholder(tf.int32, [], name="i")
        x = v1.placeholder(tf.float32, [2], name="x")
        y, z = tf.switch_case(i, [lambda n=n: (x ** float(n), n) for n in range(5)])
        g = v1.gradients(y, [x])
        for value in [0, 1, 2, 3, 4, 5, -1]:
            s.run([y, z, *g], {i: scalar(value), x: f32(1, 2)})
    with f.scenario("StatelessIf/second_gradient") as s:
        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.cond(x[0] > 0, lambda: tf.sin(x * 2.0) * x, lambda: tf.exp(x))
        first = v1.gradients(y, [x])[0]
        for value in [f32(1, 2), f32(-1, 2)]:
            s.run([first, *v1.gradients(first, [x])], {x: value}, tol=1e-5)


def loops(f):
    with f.scenario("StatelessWhile") as s:
        n = v1.placeholder(tf.int32, [], name="n")
        x = v1.placeholder(tf.float32, [2], name="x")
        i, y = tf.while_loop(lambda i, a: i < n, lambda i, a: (i + 1, a * x + 1.0), [tf.constant(0), x])
        g = v1.gradients(y, [x])
        for count in [0, 1, 5]:
            s.run([i, y], {n: scalar(count), x: f32(1, 2)})
        for count in [1, 5]:
            s.run([y, *g], {n: scalar(count), x: f32(1, 2)})
    with f.scenario("StatelessWhile/nested") as s:
        x = v1.placeholder(tf.float32, [2], name="x")
        inner = lambda i, a: tf.while_loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, b * x + tf.cos(b)), [tf.constant(0), a])[1]
        y = tf.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, inner(i, a)), [tf.constant(0), x])[1]
        g = v1.gradients(y, [x])
        s.run([y, *g], {x: f32(1, 0.5)}, tol=1e-4)
    with f.scenario("StatelessWhile/cond_and_call") as s:
        @tf.function
        def step(a, b):
            return tf.cond(tf.reduce_sum(a) > 3.0, lambda: a - b, lambda: a * 1.5 + 1.0)

        x = v1.placeholder(tf.float32, [2], name="x")
        y = tf.while_loop(lambda i, a: i < 6, lambda i, a: (i + 1, step(a, x)), [tf.constant(0), x])[1]
        g = v1.gradients(y, [x])
        s.run([y, *g], {x: f32(1, 0.5)}, tol=1e-4)
    with f.scenario("StatelessWhile/tensor_array") as s:
        x = v1.placeholder(tf.float32, [4, 2], name="x")
        inputs = tf.TensorArray(tf.float32, 4).unstack(x)
        out = tf.TensorArray(tf.float32, 4)
        _, h, out = tf.while_loop(lambda t, h, o: t < 4, lambda t, h, o: (t + 1, tf.tanh(h + inputs.read(t)), o.write(t, h)),
                                  [tf.constant(0), tf.zeros([2]), out])
        y = out.stack()
        g = v1.gradients([y, h], [x])
        s.run([y, h], {x: values((4, 2))}, tol=1e-5)
        s.run(g, {x: values((4, 2))}, tol=1e-4)
    with f.scenario("map_fn/functions") as s:
        x = v1.placeholder(tf.float32, [4], name="x")
        y = tf.map_fn(lambda v: tf.square(v) * tf.sin(v), x)
        g = v1.gradients(y, [x])
        s.run([y, *g], {x: values((4,))}, tol=1e-5)


def lists(f):
    with f.scenario("TensorList") as s:
        x = v1.placeholder(tf.float32, name="x")
        empty = tf.raw_ops.EmptyTensorList(element_shape=tf.constant([2]), max_num_elements=2, element_dtype=tf.float32)
        one = tf.raw_ops.TensorListPushBack(input_handle=empty, tensor=x)
        two = tf.raw_ops.TensorListPushBack(input_handle=one, tensor=x * 2)
        three = tf.raw_ops.TensorListPushBack(input_handle=two, tensor=x * 3)
        shape = tf.constant([2])
        back, last = tf.raw_ops.TensorListPopBack(input_handle=two, element_shape=shape, element_dtype=tf.float32)
        s.run([last, tf.raw_ops.TensorListLength(input_handle=back)], {x: f32(1, 2)})
        s.run([tf.raw_ops.TensorListStack(input_handle=two, element_shape=shape, element_dtype=tf.float32)], {x: f32(1, 2)})
        s.run([tf.raw_ops.TensorListLength(input_handle=three)], {x: f32(1, 2)})
        s.run([tf.raw_ops.TensorListLength(input_handle=two)], {x: f32(1, 2, 3)})
        s.run([tf.raw_ops.TensorListElementShape(input_handle=two, shape_type=tf.int64)], {x: f32(1, 2)})
        s.run(list(tf.raw_ops.TensorListPopBack(input_handle=empty, element_shape=shape, element_dtype=tf.float32))[1:], {x: f32(1)})
        room = tf.raw_ops.TensorListReserve(element_shape=tf.constant([2]), num_elements=3, element_dtype=tf.float32)
        i = v1.placeholder(tf.int32, name="i")
        put = tf.raw_ops.TensorListSetItem(input_handle=room, index=i, item=x)
        get = tf.raw_ops.TensorListGetItem(input_handle=put, index=1, element_shape=shape, element_dtype=tf.float32)
        s.run([get], {i: scalar(1), x: f32(1, 2)})
        s.run([get], {i: scalar(0), x: f32(1, 2)})
        s.run([get], {i: scalar(3), x: f32(1, 2)})
        s.run([get], {i: scalar(-1), x: f32(1, 2)})
        s.run([tf.raw_ops.TensorListStack(input_handle=put, element_shape=shape, element_dtype=tf.float32)], {i: scalar(2), x: f32(1, 2)})
        rows = tf.raw_ops.TensorListFromTensor(tensor=x, element_shape=shape)
        s.run([tf.raw_ops.TensorListGetItem(input_handle=rows, index=1, element_shape=shape, element_dtype=tf.float32)], {x: values((3, 2))})


def variables(f):
    with f.scenario("StatefulPartitionedCall") as s:
        v = v1.get_variable("v", initializer=[1.0, 2.0], use_resource=True)

        @tf.function
        def change(a):
            v.assign_add(a)
            return v.read_value() * 2.0

        @tf.function
        def effect(a):
            v.assign_sub(a)

        x = v1.placeholder(tf.float32, [2], name="x")
        y = change(x)
        s.run([], targets=[v.initializer])
        s.run([y], {x: f32(1, 1)})
        s.run([v.read_value()])
        done = effect(x)
        op = [n for n in v1.get_default_graph().get_operations() if n.type == "StatefulPartitionedCall"][-1]
        s.run([], {x: f32(1, 1)}, targets=[op])
        s.run([v.read_value()])
        p = v1.placeholder(tf.bool, [], name="p")
        up = tf.cond(p, lambda: v.assign_add([10.0, 10.0]), lambda: v.read_value())
        s.run([up], {p: np.array(False)})
        s.run([up], {p: np.array(True)})
        s.run([v.read_value()])
        k = v1.placeholder(tf.int32, [], name="k")
        many = tf.switch_case(k, [lambda n=n: v.assign_add([n, 0.0]) for n in (1.0, 2.0, 3.0)])
        for value in [2, 0, 1, 9]:
            s.run([many], {k: scalar(value)})
        s.run([v.read_value()])
        loop = tf.while_loop(lambda i: i < 3, lambda i: (tf.group(v.assign_add([1.0, 1.0])), i + 1)[1], [tf.constant(0)])
        s.run(list(tf.nest.flatten(loop)))
        s.run([v.read_value()])
