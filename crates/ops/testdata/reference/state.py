"""Variables of both kinds: references (VariableV2) and resources (VarHandleOp)."""

import numpy as np
from judge import tf

from .scenario import *

TYPES = [np.float32, np.float64, np.int32, np.int64, np.float16, np.bool_, np.uint8]


def ref(shape, dtype=np.float32, name="v", validate=True):
    return tf.raw_ops.VariableV2(shape=shape, dtype=tf.as_dtype(dtype), name=name)


def resource(shape, dtype=np.float32, name="v"):
    return tf.raw_ops.VarHandleOp(shape=shape, dtype=tf.as_dtype(dtype), shared_name=name, name=name)


def record(f):
    references(f)
    resources(f)
    scatter(f)
    counting(f)
    python(f)


def references(f):
    for dtype in TYPES:
        with f.scenario(f"VariableV2/{np.dtype(dtype).name}") as s:
            v = ref([2], dtype)
            x = v1.placeholder(tf.as_dtype(dtype), name="x")
            put = v1.assign(v, x)
            ready = tf.raw_ops.IsVariableInitialized(ref=v)
            read = tf.identity(v)
            s.run([ready])
            s.run([read])
            s.run([v])
            s.run([put], {x: values((2,), dtype)})
            s.run([ready, read, v])
            s.run([put], {x: values((3,), dtype)})
            s.run([put], {x: values((), dtype)})
            s.run([read])
    for dtype in MAIN + HALVES:
        with f.scenario(f"AssignAdd/{tf.as_dtype(dtype).name}") as s:
            v = ref([2], dtype)
            x = v1.placeholder(tf.as_dtype(dtype), name="x")
            up, down = v1.assign_add(v, x), v1.assign_sub(v, x)
            put = v1.assign(v, tf.ones([2], tf.as_dtype(dtype)))
            s.run([up], {x: values((2,), dtype)})
            s.run([], targets=[put.op])
            s.run([up], {x: values((2,), dtype, 1)})
            s.run([down], {x: values((2,), dtype, 2)})
            s.run([v])
            s.run([up], {x: values((3,), dtype)})
            s.run([up], {x: values((), dtype)})
            s.run([up], {x: values((1, 2), dtype)})
            s.run([v])
    with f.scenario("Assign/validate_shape") as s:
        v = tf.raw_ops.VariableV2(shape=tf.TensorShape(None), dtype=tf.float32, name="v")
        x = v1.placeholder(tf.float32, name="x")
        put = tf.raw_ops.Assign(ref=v, value=x, validate_shape=False)
        strict = tf.raw_ops.Assign(ref=v, value=x, validate_shape=True)
        s.run([put], {x: values((2,))})
        s.run([put], {x: values((2, 3))})
        s.run([strict], {x: values((3, 2))})
        s.run([strict], {x: values((3, 2)) + 1})
        s.run([v, tf.shape(v)])
        s.run([put], {x: values(())})
        s.run([v])
        s.run([put], {x: values((0, 2))})
        s.run([v])
    with f.scenario("Assign/shared_value") as s:
        # Two variables get the same tensor, and do not share it afterwards.
        a, b = ref([2], name="a"), ref([2], name="b")
        start = tf.constant([1.0, 2.0])
        init = tf.group(v1.assign(a, start), v1.assign(b, start))
        s.run([], targets=[init])
        s.run([v1.assign_add(a, [10.0, 10.0])])
        s.run([a, b, start])
        s.run([], targets=[init])
        s.run([a, b])
    with f.scenario("Assign/other_variable") as s:
        a, b = ref([2], name="a"), ref([2], name="b")
        s0 = v1.assign(a, [1.0, 2.0])
        copy = v1.assign(b, a)
        up = v1.assign_add(a, [1.0, 1.0])
        s.run([s0])
        s.run([copy])
        s.run([up])
        s.run([a, b])
    with f.scenario("VariableV2/shared_name") as s:
        a = tf.raw_ops.VariableV2(shape=[], dtype=tf.int32, shared_name="same", name="a")
        b = tf.raw_ops.VariableV2(shape=[], dtype=tf.int32, shared_name="same", name="b")
        c = tf.raw_ops.VariableV2(shape=[], dtype=tf.int32, container="box", shared_name="same", name="c")
        s.run([v1.assign(a, 5)])
        s.run([b])
        s.run([c])
    with f.scenario("Variable/old") as s:
        v = tf.raw_ops.Variable(shape=[2], dtype=tf.float32, name="v")
        s.run([v1.assign(v, [1.0, 2.0])])
        s.run([v])
    with f.scenario("TemporaryVariable") as s:
        v = tf.raw_ops.TemporaryVariable(shape=[2], dtype=tf.float32, var_name="t", name="t")
        w = v1.assign(v, [1.0, 2.0])
        w = v1.assign_add(w, [3.0, 3.0])
        out = tf.raw_ops.DestroyTemporaryVariable(ref=w, var_name="t")
        s.run([out])
        s.run([out])
    with f.scenario("VariableV2/gradient") as s:
        v = ref([2], name="v")
        init = v1.assign(v, [1.0, -2.0])
        y = tf.square(v) + v
        s.run([], targets=[init.op])
        s.run([y])
        s.gradients([y], [v])


def resources(f):
    for dtype in TYPES + [bfloat16]:
        with f.scenario(f"VarHandleOp/{tf.as_dtype(dtype).name}") as s:
            h = resource([2], dtype)
            x = v1.placeholder(tf.as_dtype(dtype), name="x")
            put = tf.raw_ops.AssignVariableOp(resource=h, value=x)
            ready = tf.raw_ops.VarIsInitializedOp(resource=h)
            read = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.as_dtype(dtype))
            shape = tf.raw_ops.VariableShape(input=h)
            s.run([ready])
            s.run([read])
            s.run([shape])
            s.run([], {x: values((2,), dtype)}, targets=[put])
            s.run([ready, read, shape])
            s.run([], {x: values((2,), dtype, 5)}, targets=[put])
            s.run([read])
    for dtype in MAIN + HALVES:
        with f.scenario(f"AssignAddVariableOp/{tf.as_dtype(dtype).name}") as s:
            h = resource([2], dtype)
            x = v1.placeholder(tf.as_dtype(dtype), name="x")
            put = tf.raw_ops.AssignVariableOp(resource=h, value=x)
            up = tf.raw_ops.AssignAddVariableOp(resource=h, value=x)
            down = tf.raw_ops.AssignSubVariableOp(resource=h, value=x)
            read = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.as_dtype(dtype))
            s.run([], {x: values((2,), dtype)}, targets=[up])
            s.run([], {x: values((2,), dtype)}, targets=[put])
            s.run([], {x: values((2,), dtype, 1)}, targets=[up])
            s.run([read])
            s.run([], {x: values((2,), dtype, 2)}, targets=[down])
            s.run([read])
            s.run([], {x: values((3,), dtype)}, targets=[up])
            s.run([], {x: values((), dtype)}, targets=[down])
            s.run([read])
    with f.scenario("AssignVariableOp/shapes") as s:
        h = resource(tf.TensorShape([2]))
        x = v1.placeholder(tf.float32, name="x")
        put = tf.raw_ops.AssignVariableOp(resource=h, value=x)
        strict = tf.raw_ops.AssignVariableOp(resource=h, value=x, validate_shape=True)
        read = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32)
        s.run([], {x: values((2,))}, targets=[strict])
        s.run([], {x: values((3,))}, targets=[strict])
        s.run([read])
        s.run([], {x: values((3,))}, targets=[put])
        s.run([read])
    with f.scenario("ReadVariableOp/snapshot") as s:
        # What was read before an update is the old value.
        h = resource([2])
        init = tf.raw_ops.AssignVariableOp(resource=h, value=[1.0, 2.0])
        before = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32)
        with tf.control_dependencies([before]):
            up = tf.raw_ops.AssignAddVariableOp(resource=h, value=[10.0, 10.0])
        with tf.control_dependencies([up]):
            after = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32)
            same = tf.identity(before)
        s.run([], targets=[init])
        s.run([before, same, after])
    with f.scenario("VarHandleOp/shared_name") as s:
        a = tf.raw_ops.VarHandleOp(shape=[], dtype=tf.int32, shared_name="same", name="a")
        b = tf.raw_ops.VarHandleOp(shape=[], dtype=tf.int32, shared_name="same", name="b")
        c = tf.raw_ops.VarHandleOp(shape=[], dtype=tf.int32, container="box", shared_name="same", name="c")
        s.run([], targets=[tf.raw_ops.AssignVariableOp(resource=a, value=5)])
        s.run([tf.raw_ops.ReadVariableOp(resource=b, dtype=tf.int32)])
        s.run([tf.raw_ops.ReadVariableOp(resource=c, dtype=tf.int32)])
    with f.scenario("DestroyResourceOp") as s:
        h = resource([2])
        init = tf.raw_ops.AssignVariableOp(resource=h, value=[1.0, 2.0])
        strict = tf.raw_ops.DestroyResourceOp(resource=h, ignore_lookup_error=False)
        lenient = tf.raw_ops.DestroyResourceOp(resource=h)
        ready = tf.raw_ops.VarIsInitializedOp(resource=h)
        s.run([], targets=[strict])
        s.run([], targets=[lenient])
        s.run([], targets=[init])
        s.run([ready])
        s.run([], targets=[strict])
        s.run([ready])
    with f.scenario("DisableCopyOnRead") as s:
        h = resource([2])
        init = tf.raw_ops.AssignVariableOp(resource=h, value=[1.0, 2.0])
        dense = tf.raw_ops.DisableCopyOnRead(resource=h)
        s.run([], targets=[init])
        s.run([], targets=[dense])
        s.run([tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.float32)])
    gathers(f)


def gathers(f):
    for dtype in [np.float32, np.int64, np.float16, np.bool_]:
        with f.scenario("ResourceGather") as s:
            h = resource([3, 2], dtype)
            x = v1.placeholder(tf.int32, name="x")
            init = tf.raw_ops.AssignVariableOp(resource=h, value=values((3, 2), dtype))
            out = tf.raw_ops.ResourceGather(resource=h, indices=x, dtype=tf.as_dtype(dtype))
            s.run([out], {x: i32(0)})
            s.run([], targets=[init])
            for indices in [i32(2, 0, 2), scalar(1), i32(), np.array([[0], [1]], np.int32), i32(3), i32(-1)]:
                s.run([out], {x: indices})
    with f.scenario("ResourceGather/batch") as s:
        h = resource([2, 3])
        init = tf.raw_ops.AssignVariableOp(resource=h, value=values((2, 3)))
        x = v1.placeholder(tf.int64, name="x")
        out = tf.raw_ops.ResourceGather(resource=h, indices=x, dtype=tf.float32, batch_dims=1)
        s.run([], targets=[init])
        s.run([out], {x: np.array([[0, 2], [1, 1]], np.int64)})
    with f.scenario("ResourceGather/gradient") as s:
        v = v1.get_variable("v", initializer=values((3, 2)), use_resource=True)
        out = tf.nn.embedding_lookup(v, [2, 0, 2]) * 2.0
        s.run([], targets=[v.initializer])
        s.run([out])
        s.gradients([out], [v.handle])
    with f.scenario("ReadVariableOp/gradient") as s:
        v = v1.get_variable("v", initializer=values((2,)), use_resource=True)
        out = tf.square(v) * 3.0
        s.run([], targets=[v.initializer])
        s.gradients([out], [v.handle])


def scatter(f):
    for kind in ["Add", "Sub", "Update", "Mul", "Div", "Min", "Max"]:
        for dtype in ([np.float32, np.int32, np.float64, np.float16] if kind != "Update" else [np.float32, np.bool_]):
            with f.scenario(f"Scatter{kind}/{tf.as_dtype(dtype).name}") as s:
                v = ref([3, 2], dtype)
                i, u = v1.placeholder(tf.int32, name="i"), v1.placeholder(tf.as_dtype(dtype), name="u")
                init = v1.assign(v, values((3, 2), dtype, low=1))
                out = node_of("Scatter" + kind, [v, i, u])[0]
                s.run([out], {i: i32(0), u: values((1, 2), dtype)})
                scatter_steps(s, [], init.op, out, i, u, dtype)
            with f.scenario(f"ResourceScatter{kind}/{tf.as_dtype(dtype).name}") as s:
                h = resource([3, 2], dtype)
                i, u = v1.placeholder(tf.int32, name="i"), v1.placeholder(tf.as_dtype(dtype), name="u")
                init = tf.raw_ops.AssignVariableOp(resource=h, value=values((3, 2), dtype, low=1))
                read = tf.raw_ops.ReadVariableOp(resource=h, dtype=tf.as_dtype(dtype))
                out = node_of("ResourceScatter" + kind, [h, i, u])[0]
                s.run([], {i: i32(0), u: values((1, 2), dtype)}, targets=[out])
                scatter_steps(s, [out], init, read, i, u, dtype)


def scatter_steps(s, updates, init, read, i, u, dtype):
    s.run([], targets=[init])
    u2 = lambda shape: values(shape, dtype, 3, low=1)
    for indices, update in [(i32(2, 0), u2((2, 2))), (i32(1, 1, 1), u2((3, 2))), (i32(), u2((0, 2))), (scalar(1), u2((2,))),
                            (i32(0, 1), u2(())), (np.array([[0], [2]], np.int32), u2((2, 1, 2))), (i32(3), u2((1, 2))),
                            (i32(-1, 0), u2((2, 2))), (i32(0, 1), u2((2, 3))), (i32(0), u2((2, 2)))]:
        if updates and update.shape == (2, 3):
            continue  # TensorFlow does not check this one and reads past rows.
        if updates:
            s.run([], {i: indices, u: update}, targets=updates)
            s.run([read])
        else:
            s.run([read], {i: indices, u: update})


def counting(f):
    for dtype in [np.int32, np.int64]:
        with f.scenario("CountUpTo") as s:
            v = ref([], dtype)
            up = tf.raw_ops.CountUpTo(ref=v, limit=3)
            s.run([up])
            s.run([], targets=[v1.assign(v, np.array(1, dtype)).op])
            for _ in range(4):
                s.run([up])
            s.run([v])
        with f.scenario("ResourceCountUpTo") as s:
            h = resource([], dtype)
            up = tf.raw_ops.ResourceCountUpTo(resource=h, limit=2, T=tf.as_dtype(dtype))
            s.run([up])
            s.run([], targets=[tf.raw_ops.AssignVariableOp(resource=h, value=np.array(0, dtype))])
            for _ in range(4):
                s.run([up])
    with f.scenario("CountUpTo/vector") as s:
        v = ref(tf.TensorShape(None), np.int32)
        s.run([], targets=[tf.raw_ops.Assign(ref=v, value=i32(1, 2), validate_shape=False).op])
        s.run([tf.raw_ops.CountUpTo(ref=v, limit=3)])


def python(f):
    """As programs write it, with both kinds of variables."""
    for use_resource in [False, True]:
        with f.scenario(f"tf.Variable/{'resource' if use_resource else 'ref'}") as s:
            v1.set_random_seed(7)
            w = v1.get_variable("w", [2, 3], initializer=v1.glorot_uniform_initializer(), use_resource=use_resource)
            b = v1.get_variable("b", [3], initializer=v1.zeros_initializer(), use_resource=use_resource)
            n = v1.get_variable("n", initializer=np.int64(0), trainable=False, use_resource=use_resource)
            x = v1.placeholder(tf.float32, [None, 2], name="x")
            y = v1.nn.xw_plus_b(x, w, b)
            init = v1.global_variables_initializer()
            missing = v1.report_uninitialized_variables()
            s.run([missing])
            s.run([y], {x: values((1, 2))}, phrase="")
            s.run([], targets=[init])
            s.run([missing, w, b, n])
            s.run([y], {x: values((2, 2))})
            s.run([v1.assign_add(n, 5)])
            s.run([], targets=[b.assign([1.0, 2.0, 3.0]).op])
            s.run([y, n], {x: values((2, 2))})
