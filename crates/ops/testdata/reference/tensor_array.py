"""TensorArrays and stacks, and the loops whose gradients are made of them."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    stacks(f)
    arrays(f)
    mistakes(f)
    gradients_of_arrays(f)
    loop_gradients(f)
    recurrent(f)
    references(f)


def stacks(f):
    with f.scenario("StackV2") as s:
        h = tf.raw_ops.StackV2(max_size=2, elem_type=tf.float32, stack_name="s")
        a = tf.raw_ops.StackPushV2(handle=h, elem=tf.constant([1.0, 2.0]))
        with tf.control_dependencies([a]):
            b = tf.raw_ops.StackPushV2(handle=h, elem=tf.constant(3.0))
        with tf.control_dependencies([b]):
            c = tf.raw_ops.StackPopV2(handle=h, elem_type=tf.float32)
            over = tf.raw_ops.StackPushV2(handle=h, elem=tf.constant(4.0))
        with tf.control_dependencies([c]):
            d = tf.raw_ops.StackPopV2(handle=h, elem_type=tf.float32)
        with tf.control_dependencies([d]):
            e = tf.raw_ops.StackPopV2(handle=h, elem_type=tf.float32)
        s.run([a, b, c, d])
        s.run([over])
        s.run([e], phrase="")
        with tf.control_dependencies([tf.raw_ops.StackCloseV2(handle=h)]):
            late = tf.raw_ops.StackPopV2(handle=h, elem_type=tf.float32)
        s.run([late], phrase="has already been closed")
        s.run([tf.raw_ops.StackPushV2(handle=h, elem=tf.constant(4))])


def array(size, dtype=tf.float32, **attrs):
    return tf.raw_ops.TensorArrayV3(size=size, dtype=dtype, **attrs)


def write(h, index, value, flow):
    return tf.raw_ops.TensorArrayWriteV3(handle=h, index=index, value=value, flow_in=flow)


def arrays(f):
    for dtype in [tf.float32, tf.float64, tf.int32, tf.int64, tf.string, tf.bool, tf.float16, tf.uint8]:
        with f.scenario(f"TensorArrayV3/{dtype.name}") as s:
            value = values((3, 2), object if dtype == tf.string else dtype.as_numpy_dtype)
            h, flow = array(3, dtype)
            for k in range(3):
                flow = write(h, k, value[k], flow)
            get = tf.raw_ops.TensorArrayReadV3(handle=h, index=1, flow_in=flow, dtype=dtype)
            all_ = tf.raw_ops.TensorArrayGatherV3(handle=h, indices=[2, 0], flow_in=flow, dtype=dtype)
            joined, lengths = tf.raw_ops.TensorArrayConcatV3(handle=h, flow_in=flow, dtype=dtype)
            s.run([get])
            s.run([all_])
            s.run([joined, lengths])
            s.run([tf.raw_ops.TensorArraySizeV3(handle=h, flow_in=flow)])
    with f.scenario("TensorArrayV3/scatter_split") as s:
        x = v1.placeholder(tf.float32, name="x")
        h, flow = array(4)
        flow = tf.raw_ops.TensorArrayScatterV3(handle=h, indices=[3, 1, 0, 2], value=x, flow_in=flow)
        back = tf.raw_ops.TensorArrayGatherV3(handle=h, indices=[0, 1, 2, 3], flow_in=flow, dtype=tf.float32)
        s.run([back], {x: values((4, 2))})
        s.run([back], {x: values((4,))})
        s.run([back], {x: values((3,))})
        s.run([back], {x: values(())})
        h, flow = array(3)
        flow = tf.raw_ops.TensorArraySplitV3(handle=h, value=x, lengths=np.array([1, 0, 3]), flow_in=flow)
        parts = [tf.raw_ops.TensorArrayReadV3(handle=h, index=k, flow_in=flow, dtype=tf.float32) for k in range(3)]
        joined = tf.raw_ops.TensorArrayConcatV3(handle=h, flow_in=flow, dtype=tf.float32)
        s.run(parts, {x: values((4, 2))})
        s.run(list(joined), {x: values((4, 2))})
        s.run(parts, {x: values((3, 2))})
        s.run(parts, {x: values(())})
    with f.scenario("TensorArrayV3/dynamic_size") as s:
        h, flow = array(0, dynamic_size=True, element_shape=tf.TensorShape([2]))
        flow = write(h, 2, [1.0, 2.0], flow)
        s.run([tf.raw_ops.TensorArraySizeV3(handle=h, flow_in=flow)])
        s.run([tf.raw_ops.TensorArrayGatherV3(handle=h, indices=[0, 1, 2], flow_in=flow, dtype=tf.float32)])
    with f.scenario("TensorArrayV3/empty") as s:
        h, flow = array(0, element_shape=tf.TensorShape([2]))
        none = np.zeros((0,), np.int32)
        s.run([tf.raw_ops.TensorArrayGatherV3(handle=h, indices=none, flow_in=flow, dtype=tf.float32)])
        s.run(list(tf.raw_ops.TensorArrayConcatV3(handle=h, flow_in=flow, dtype=tf.float32, element_shape_except0=[5])))


def mistakes(f):
    with f.scenario("TensorArrayV3/mistakes") as s:
        i = v1.placeholder(tf.int32, name="i")
        x = v1.placeholder(tf.float32, name="x")
        h, flow = array(2)
        s.run([write(h, i, x, flow)], {i: scalar(2), x: f32(1)}, phrase="Tried to write to index")
        s.run([write(h, i, x, flow)], {i: scalar(-1), x: f32(1)}, phrase="Tried to write to index")
        s.run([write(h, i, x, flow)], {i: i32(1), x: f32(1)})
        twice = write(h, i, x, write(h, 1, x, flow))
        s.run([twice], {i: scalar(1), x: f32(1)}, phrase="because it has already been written to")
        s.run([tf.raw_ops.TensorArrayReadV3(handle=h, index=i, flow_in=flow, dtype=tf.float32)], {i: scalar(0)},
              phrase="Could not read from TensorArray index 0")
        s.run([tf.raw_ops.TensorArrayReadV3(handle=h, index=i, flow_in=flow, dtype=tf.float32)], {i: scalar(3)},
              phrase="Tried to read from index 3 but array size is: 2")
        s.run([tf.raw_ops.TensorArrayReadV3(handle=h, index=0, flow_in=flow, dtype=tf.int32)])
        s.run([tf.raw_ops.TensorArrayWriteV3(handle=h, index=0, value=1, flow_in=flow)])
        written = write(h, 0, x, flow)
        first = tf.raw_ops.TensorArrayReadV3(handle=h, index=0, flow_in=written, dtype=tf.float32)
        with tf.control_dependencies([first]):
            again = tf.raw_ops.TensorArrayReadV3(handle=h, index=0, flow_in=written, dtype=tf.float32)
            rewrite = write(h, 0, x, written)
        s.run([first], {x: f32(1, 2)})
        s.run([again], {x: f32(1, 2)}, phrase="twice because it was cleared after a previous read")
        s.run([rewrite], {x: f32(1, 2)}, phrase="because it has already been read")
        both = write(h, 1, [1.0], written)
        s.run([tf.raw_ops.TensorArrayGatherV3(handle=h, indices=[0, 1], flow_in=both, dtype=tf.float32)], {x: f32(1, 2)})
        s.run(list(tf.raw_ops.TensorArrayConcatV3(handle=h, flow_in=both, dtype=tf.float32)), {x: np.float32(1)})
        with tf.control_dependencies([tf.raw_ops.TensorArrayCloseV3(handle=h)]):
            closed = write(h, 0, x, flow)
        s.run([closed], {x: f32(1)}, phrase="has already been closed")
        h, flow = array(2, identical_element_shapes=True)
        s.run([write(h, 1, x, write(h, 0, [1.0], flow))], {x: f32(1, 2)}, phrase="incompatible with the TensorArray's inferred element shape")
        s.run([array(-1)[1]])


def gradients_of_arrays(f):
    with f.scenario("TensorArrayGradV3") as s:
        x, y = v1.placeholder(tf.float32, name="x"), v1.placeholder(tf.float32, name="y")
        ta = tf.TensorArray(tf.float32, 3, clear_after_read=False).write(0, x).write(1, y).write(2, x * y)
        out = ta.stack()
        once = ta.read(1) * 2 + ta.read(1)
        feeds = {x: f32(1, 2), y: f32(3, 4)}
        s.run([out, once], feeds)
        s.gradients([out], [x, y], feeds)
        s.gradients([out, once], [x, y], feeds)
    with f.scenario("TensorArrayGradV3/unstack") as s:
        x = v1.placeholder(tf.float32, name="x")
        ta = tf.TensorArray(tf.float32, 3, element_shape=[2]).unstack(x)
        out = tf.square(ta.read(2)) + ta.read(0)
        s.run([out], {x: values((3, 2))})
        s.gradients([out], [x], {x: values((3, 2))})
    with f.scenario("TensorArrayGradV3/split_concat") as s:
        x = v1.placeholder(tf.float32, name="x")
        ta = tf.TensorArray(tf.float32, 3, infer_shape=False).split(x, [2, 0, 1])
        out = ta.concat()
        s.run([out], {x: values((3, 2))})
        s.gradients([tf.square(out)], [x], {x: values((3, 2))})


def loop_gradients(f):
    def check(name, build):
        with f.scenario(f"gradients/{name}") as s:
            x = v1.placeholder(tf.float32, [2], name="x")
            y = build(x)
            grads = [g for g in v1.gradients(y, [x]) if g is not None]
            for value in [f32(1, 2), f32(-0.5, 3)]:
                s.run([y, *grads], {x: value}, tol=1e-5)

    check("while", lambda x: v1.while_loop(lambda i, a: i < 4, lambda i, a: (i + 1, a * x + tf.sin(a)), [tf.constant(0), x])[1])
    check("while/data_dependent", lambda x: v1.while_loop(lambda a: tf.reduce_sum(tf.abs(a)) < 50.0, lambda a: a * a + x, [x + 1.0]))
    check("while/serial", lambda x: v1.while_loop(lambda i, a: i < 5, lambda i, a: (i + 1, a * tf.tanh(a * x)), [tf.constant(0), x],
                                                   parallel_iterations=1)[1])
    check("while/cond_inside", lambda x: v1.while_loop(
        lambda i, a: i < 5, lambda i, a: (i + 1, v1.cond(tf.equal(i % 2, 0), lambda: a * x, lambda: a + tf.square(x))), [tf.constant(0), x])[1])
    check("while/nested", lambda x: v1.while_loop(
        lambda i, a: i < 3,
        lambda i, a: (i + 1, v1.while_loop(lambda j, b: j < i + 1, lambda j, b: (j + 1, b * x + tf.cos(b)), [tf.constant(0), a])[1]),
        [tf.constant(0), x])[1])
    check("while/zero_iterations", lambda x: v1.while_loop(lambda i, a: i < 0, lambda i, a: (i + 1, a * x), [tf.constant(0), x])[1])
    check("cond/while_inside", lambda x: v1.cond(
        tf.reduce_sum(x) > 0, lambda: v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a * x), [tf.constant(0), x])[1], lambda: -x))
    check("map_fn", lambda x: tf.map_fn(lambda v: tf.square(v) * tf.sin(v), x))
    check("scan", lambda x: tf.scan(lambda a, v: a * v + v, x, initializer=tf.constant(1.0)))
    check("foldl", lambda x: tf.foldl(lambda a, v: a * v + tf.exp(v), x))
    check("second_order", lambda x: v1.gradients(tf.reduce_sum(x ** 3 + tf.sin(x)), [x])[0])
    with f.scenario("gradients/while/variables") as s:
        for use_resource in [False, True]:
            with v1.variable_scope(f"r{use_resource}"):
                w = v1.get_variable("w", initializer=[[1.0, 0.5], [-0.5, 2.0]], use_resource=use_resource)
                x = tf.constant([[1.0, 2.0]])
                y = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, tf.tanh(tf.matmul(a, w))), [tf.constant(0), x])[1]
                g = v1.gradients(tf.reduce_sum(y), [w])[0]
                s.run([], targets=[w.initializer])
                s.run([y, g], tol=1e-5)
                train = v1.train.GradientDescentOptimizer(0.1).minimize(tf.reduce_sum(y))
                for _ in range(3):
                    s.run([], targets=[train])
                s.run([y], tol=1e-5)
    with f.scenario("gradients/while/gather") as s:
        table = v1.get_variable("t", initializer=values((5, 2)))
        ids = v1.placeholder(tf.int32, [3], name="ids")
        y = v1.while_loop(lambda i, a: i < 3, lambda i, a: (i + 1, a + tf.square(tf.gather(table, ids[i]))), [tf.constant(0), tf.zeros([2])])[1]
        g = tf.convert_to_tensor(v1.gradients(y, [table])[0])
        s.run([], targets=[table.initializer])
        s.run([y, g], {ids: i32(1, 4, 1)})


def recurrent(f):
    for use_resource in [False, True]:
        for dynamic in [True, False]:
            with f.scenario(f"rnn/lstm_{'dynamic' if dynamic else 'static'}_{'resource' if use_resource else 'ref'}") as s:
                v1.get_variable_scope().set_use_resource(use_resource)
                x = v1.placeholder(tf.float32, [2, 4, 3], name="x")
                lengths = v1.placeholder(tf.int32, [2], name="lengths")
                kernel = v1.get_variable("kernel", initializer=np.linspace(-0.5, 0.5, 5 * 8).reshape(5, 8).astype(np.float32))
                bias = v1.get_variable("bias", initializer=np.linspace(-0.1, 0.1, 8).astype(np.float32))

                class Cell:
                    def __call__(self, inputs, state):
                        c, h = state
                        gates = tf.nn.bias_add(tf.matmul(tf.concat([inputs, h], 1), kernel), bias)
                        i, j, g, o = tf.split(gates, 4, 1)
                        c = c * tf.sigmoid(g + 1.0) + tf.sigmoid(i) * tf.tanh(j)
                        h = tf.tanh(c) * tf.sigmoid(o)
                        return h, (c, h)
                step = Cell()
                zero = (tf.zeros([2, 2]), tf.zeros([2, 2]))
                if dynamic:
                    time_major = tf.transpose(x, [1, 0, 2])
                    inputs = tf.TensorArray(tf.float32, 4, tensor_array_name="in").unstack(time_major)
                    outputs = tf.TensorArray(tf.float32, 4, tensor_array_name="out")

                    def body(t, state, out):
                        h, new = step(inputs.read(t), state)
                        keep = tf.expand_dims(t < lengths, 1)
                        mix = lambda a, b: tf.where(tf.tile(keep, [1, 2]), a, b)
                        return t + 1, tuple(mix(a, b) for a, b in zip(new, state)), out.write(t, mix(h, tf.zeros_like(h)))

                    _, state, out = v1.while_loop(lambda t, *_: t < 4, body, (tf.constant(0), zero, outputs), parallel_iterations=32)
                    out = tf.transpose(out.stack(), [1, 0, 2])
                else:
                    state, parts = zero, []
                    for k in range(4):
                        h, state = step(x[:, k], state)
                        parts.append(h)
                    out = tf.stack(parts, 1)
                loss = tf.reduce_sum(tf.square(out)) + tf.reduce_sum(state[0])
                grads = v1.gradients(loss, [kernel, bias, x])
                clipped, norm = tf.clip_by_global_norm(grads[:2], 1.0)
                train = v1.train.AdamOptimizer(0.1).apply_gradients(zip(clipped, [kernel, bias]))
                s.run([], targets=[v1.global_variables_initializer()])
                feeds = {x: values((2, 4, 3)), lengths: i32(4, 2)}
                s.run([out, loss, norm, *grads], feeds, tol=1e-4)
                for _ in range(3):
                    s.run([loss], feeds, targets=[train], tol=1e-3)
                s.run([loss], feeds, tol=1e-3)


def references(f):
    with f.scenario("RefSelect") as s:
        a = v1.get_variable("a", initializer=[1.0], use_resource=False)
        b = v1.get_variable("b", initializer=[2.0], use_resource=False)
        i = v1.placeholder(tf.int32, name="i")
        chosen = tf.raw_ops.RefSelect(index=i, inputs=[a._ref(), b._ref()])
        same = tf.raw_ops.RefIdentity(input=chosen)
        up = tf.raw_ops.AssignAdd(ref=same, value=[10.0])
        s.run([], targets=[a.initializer, b.initializer])
        s.run([up], {i: scalar(1)})
        s.run([a, b])
        s.run([up], {i: scalar(2)})
        s.run([up], {i: scalar(-1)})
