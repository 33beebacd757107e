"""Ops that look at shapes and make tensors."""

import numpy as np
from judge import tf

from .scenario import *

EVERY = FLOATS + INTS + [np.bool_, np.complex64, np.complex128, object]
SHAPES = [(), (0,), (3,), (2, 3), (2, 0, 3), (1, 2, 1, 2)]


def record(f):
    same(f)
    shapes(f)
    reshape(f)
    fill(f)
    constants(f)
    broadcast(f)
    ranges(f)
    one_hot(f)


def same(f):
    for op in ["Identity", "Snapshot", "StopGradient", "ZerosLike", "OnesLike"]:
        for dtype in EVERY:
            f.case(op, values((2, 2), dtype))
        for shape in SHAPES:
            f.case(op, values(shape))
    f.case("IdentityN", [values((2,)), values((3,), np.int32), values((), object)])
    f.case("IdentityN", [values((0,), np.float64), values((1, 2))])
    for message in [f32(1, 2), f32(1, nan), f32(-inf, 2), np.float64([inf]), f32()]:
        f.case("CheckNumerics", message, message="looking at x")


def shapes(f):
    for shape in SHAPES:
        x = values(shape)
        f.case("Size", x)
        f.case("Size", x, out_type=tf.int64)
        f.case("Rank", x)
        f.case("Shape", x)
        f.case("Shape", x, out_type=tf.int64)
        f.case("ShapeN", [x, values((4,)), values(shape)])
        f.case("ShapeN", [x], out_type=tf.int64)
    for dtype in [np.bool_, object, np.int64, np.float16]:
        for op in ["Size", "Rank", "Shape"]:
            f.case(op, values((2, 1), dtype))
    f.case("EnsureShape", values((2, 3)), shape=[2, 3])
    f.case("EnsureShape", values((2, 3)), shape=[None, 3])
    f.case("EnsureShape", values((2, 3)), shape=tf.TensorShape(None))
    f.case("EnsureShape", values((2, 3)), shape=[3, None], phrase="Shape of tensor")
    f.case("EnsureShape", values((), np.int32), shape=[1], phrase="Shape of tensor")


def reshape(f):
    x = values((2, 3, 4))
    for target in [[24], [6, 4], [-1], [4, -1], [2, 3, 4], [1, -1, 1], [2, -1, 0], [5, -1], [-1, -1], [-2, 12], [7],
                   []]:
        f.case("Reshape", x, np.array(target, np.int32))
    f.case("Reshape", x, i64(3, 8))
    f.case("Reshape", values(()), i32())
    f.case("Reshape", values(()), i32(1, 1))
    f.case("Reshape", values((0, 3)), i32(3, 0, 2))
    f.case("Reshape", values((0, 3)), i32(3, -1))
    f.case("Reshape", values((0, 3)), i32(0, -1))
    f.case("Reshape", values((1,)), i32())
    f.case("Reshape", x, np.array([[24]], np.int32))
    f.case("Reshape", x, np.array(24, np.int32))
    f.case("Reshape", values((2,)), i64(1 << 33, 1 << 33))
    for dtype in EVERY:
        f.case("Reshape", values((2, 2), dtype), i32(4))
    for axis in [0, 1, 2, -1, -3, 3, -4]:
        f.case("ExpandDims", values((2, 3)), scalar(axis))
    f.case("ExpandDims", values((2, 3), object), scalar(1, np.int64))
    f.case("ExpandDims", values(()), scalar(0))
    f.case("ExpandDims", values(()), scalar(-1))
    f.case("ExpandDims", values((0,)), i32(1))
    f.case("ExpandDims", values((2,)), i32(0, 1))
    f.case("ExpandDims", values((2,)), i32())
    y = values((1, 2, 1, 3, 1))
    for dims in [[], [0], [2], [-1], [0, 2, 4], [4, 2, 0], [-1, 4], [1], [5], [-6]]:
        f.case("Squeeze", y, squeeze_dims=dims)
    f.case("Squeeze", values(()), squeeze_dims=[])
    f.case("Squeeze", values((1, 1), object), squeeze_dims=[])
    f.case("Squeeze", values((0, 1)), squeeze_dims=[])
    f.case("Squeeze", values((1,), np.int64), squeeze_dims=[0])


def fill(f):
    for dims in [i32(), i32(3), i32(2, 3), i32(0), i32(2, 0, 3), i64(2, 2), i32(-1), i32(2, -3), np.array([[2]], np.int32),
                 scalar(2)]:
        f.case("Fill", dims, scalar(1.5, np.float32))
    f.case("Fill", i32(2), f32(1))
    f.case("Fill", i32(2), f32(1, 2))
    f.case("Fill", i64(1 << 40, 1 << 40), scalar(1, np.float32))
    for dtype in EVERY:
        f.case("Fill", i32(2), values((), dtype))


def constants(f):
    for dtype in EVERY:
        for shape in [(), (0,), (2, 2)]:
            with f.scenario(f"Const/{tf.as_dtype(dtype).name if dtype is not object else 'string'}") as s:
                c = tf.constant(values(shape, dtype))
                s.run([c, tf.identity(c)])
    # Short lists of values: the last one fills the rest.
    for text in ['dtype: DT_FLOAT tensor_shape { dim { size: 2 } dim { size: 3 } } float_val: 1.5 float_val: 2',
                 'dtype: DT_INT32 tensor_shape { dim { size: 4 } } int_val: 7',
                 'dtype: DT_INT64 tensor_shape { dim { size: 3 } }',
                 'dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: "ab"',
                 'dtype: DT_STRING tensor_shape { dim { size: 2 } }',
                 'dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: 15360',
                 'dtype: DT_BFLOAT16 tensor_shape { dim { size: 2 } } half_val: 16256 half_val: 16000',
                 'dtype: DT_BOOL tensor_shape { dim { size: 3 } } bool_val: true bool_val: false',
                 'dtype: DT_UINT8 tensor_shape { dim { size: 2 } } int_val: 200',
                 'dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: 1 scomplex_val: 2',
                 'dtype: DT_DOUBLE tensor_shape { } double_val: 0.25']:
        from google.protobuf import text_format
        value = text_format.Parse(text, tf.compat.v1.AttrValue().tensor)
        with f.scenario("Const/compressed") as s:
            made = v1.get_default_graph().create_op(
                "Const", [], [tf.as_dtype(value.dtype)], name="c",
                attrs={"value": v1.AttrValue(tensor=value), "dtype": v1.AttrValue(type=value.dtype)})
            s.run(made.outputs)
    with f.scenario("Placeholder/fed_or_not") as s:
        p = v1.placeholder(tf.float32, name="p")
        q = v1.placeholder(tf.int32, shape=[None, 2], name="q")
        d = v1.placeholder_with_default(tf.constant([[1.0, 2.0]]), [None, 2], name="d")
        u = tf.identity(p)
        w = tf.identity(q)
        e = tf.identity(d)
        s.run([u], {p: f32(1, 2)})
        s.run([u])
        s.run([w], {q: np.array([[3, 4]], np.int32)})
        s.run([w])
        s.run([e])
        s.run([e], {d: np.array([[5, 6], [7, 8]], np.float32)})
        s.gradients([e], [d])
    with f.scenario("NoOp") as s:
        n = tf.no_op(name="n")
        with tf.control_dependencies([n]):
            c = tf.constant(3)
        s.run([c], targets=[n])
        s.run([], targets=[n])


def broadcast(f):
    for x, shape in [((), []), ((), [2, 3]), ((3,), [2, 3]), ((2, 1), [2, 3]), ((1,), [0]), ((2, 3), [2, 3]),
                     ((1, 3), [4, 2, 3]), ((3,), [2]), ((2, 3), [3]), ((0,), [0]), ((1,), [2, -1]), ((2, 1, 3), [2, 2, 3])]:
        f.case("BroadcastTo", values(x), np.array(shape, np.int32))
    for dtype in EVERY:
        f.case("BroadcastTo", values((2, 1), dtype), i64(2, 2))
    for a, b in [([2, 3], [3]), ([3], [2, 3]), ([], []), ([], [4]), ([1], [4]), ([2, 1, 3], [1, 4, 1]), ([2, 3], [2, 3]),
                 ([1, 1], [1]), ([0], [1]), ([2, 0], [1, 1]), ([2, 3], [2]), ([1, 2], [2, 1]), ([1], [1])]:
        for dtype in [np.int32, np.int64]:
            f.case("BroadcastGradientArgs", np.array(a, dtype), np.array(b, dtype))
        f.case("BroadcastArgs", np.array(a, np.int32), np.array(b, np.int32))
    f.case("BroadcastGradientArgs", np.array([[1]], np.int32), i32(1))
    for x in [[0, 1, 2], [2, 0, 1], [], [3, 0, 1], [0, 0, 1], [-1, 0]]:
        f.case("InvertPermutation", np.array(x, np.int32))
        f.case("InvertPermutation", np.array(x, np.int64))
    f.case("InvertPermutation", np.array([[0]], np.int32))


def ranges(f):
    for start, limit, delta in [(0, 5, 1), (2, 10, 3), (5, 0, -2), (0, 0, 1), (3, 3, -1), (0, 5, 0), (0, 5, -1),
                                (5, 0, 1), (-3, 4, 2)]:
        for dtype in MAIN:
            f.case("Range", *(scalar(v, dtype) for v in (start, limit, delta)))
    f.case("Range", scalar(0, np.float32), scalar(1, np.float32), scalar(0.1, np.float32))
    f.case("Range", scalar(0, np.float64), scalar(1, np.float64), scalar(0.3, np.float64))
    f.case("Range", i32(0), scalar(3), scalar(1))
    f.case("Range", i32(0, 1), scalar(3), scalar(1))
    f.case("Range", scalar(0, np.int64), scalar(2**62, np.int64), scalar(1, np.int64))
    f.case("Range", scalar(2**31 - 3), scalar(2**31 - 1), scalar(1))
    for start, stop, n in [(0, 1, 5), (2, -2, 3), (1, 1, 1), (0, 1, 0), (0, 1, -1), (0, 9, 2)]:
        f.case("LinSpace", scalar(start, np.float32), scalar(stop, np.float32), scalar(n))
        f.case("LinSpace", scalar(start, np.float64), scalar(stop, np.float64), scalar(n, np.int64))


def one_hot(f):
    on, off = scalar(2, np.float32), scalar(-1, np.float32)
    for indices in [i32(0, 2, 1), i32(-1, 3, 5), i32(), scalar(1), np.array([[0, 1], [2, -7]], np.int32), i64(1, 0),
                    np.array([1, 255], np.uint8)]:
        for axis in [-1, 0, 1]:
            f.case("OneHot", indices, scalar(3), on, off, axis=axis)
    f.case("OneHot", i32(0), scalar(0), on, off)
    f.case("OneHot", i32(0), scalar(-1), on, off)
    f.case("OneHot", i32(0), i32(2), on, off)
    f.case("OneHot", i32(0), scalar(2), f32(1, 2), off)
    f.case("OneHot", i32(0), scalar(2), on, off, axis=3)
    f.case("OneHot", i32(0), scalar(2), on, off, axis=-2)
    for dtype in EVERY:
        f.case("OneHot", i32(1, 0), scalar(2), values((), dtype, 1), values((), dtype, 5), axis=-1)
