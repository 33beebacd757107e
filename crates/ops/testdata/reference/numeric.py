"""Products, convolutions and slices in the forms that are met less often, and element types that are."""

import numpy as np
from judge import tf

from .scenario import *
from .fourier import complex_gradients
from .training import DENSE, SPARSE, Slots, build, dense, sparse


def record(f):
    products(f)
    layers(f)
    slices(f)
    types(f)
    optimizers(f)


def products(f):
    for dtype in [*FLOATS, np.int32, np.int64, np.int16, *COMPLEX]:
        x, y = values((2, 1, 2, 3), dtype), values((3, 3, 4), dtype, seed=1)
        f.case("BatchMatMulV2", x, y)
        f.case("BatchMatMulV3", x, y, Tout=tf.as_dtype(dtype))
        f.case("BatchMatMulV2", values((2, 3, 2), dtype), values((2, 4, 3), dtype, seed=1), adj_x=True, adj_y=True)
        f.case("BatchMatMul", values((2, 3, 2), dtype), values((2, 4, 3), dtype, seed=1), adj_x=True, adj_y=True)
    for a in [np.int8, np.uint8]:
        for b in [np.int8, np.uint8]:
            f.case("BatchMatMulV3", values((2, 3), a), values((3, 4), b), Tout=tf.int32)
    for dtype in COMPLEX:
        complex_gradients(f, "MatMul", values((2, 3), dtype), values((3, 2), dtype, seed=1), tol=1e-4)
        complex_gradients(f, "MatMul", values((2, 3), dtype), values((2, 3), dtype, seed=1), tol=1e-4, transpose_b=True)
        complex_gradients(f, "BatchMatMulV2", values((2, 2, 3), dtype), values((3, 2), dtype, seed=1), tol=1e-4)
        complex_gradients(f, "BatchMatMulV2", values((2, 3, 2), dtype), values((2, 3), dtype, seed=1), tol=1e-4, adj_x=True, adj_y=True)
    for transposes in range(4):
        ta, tb = bool(transposes & 1), bool(transposes & 2)
        a, b = values((3, 2) if ta else (2, 3)), values((4, 3) if tb else (3, 4), seed=1)
        f.case("SparseMatMul", a, b, transpose_a=ta, transpose_b=tb, a_is_sparse=True)
        f.case("SparseMatMul", a.astype(bfloat16), b, transpose_a=ta, transpose_b=tb, b_is_sparse=True, grad=False)
    f.case("SparseMatMul", values((2, 3)), values((2, 3)), phrase="")


def layers(f):
    for dtype in FLOATS:
        # TensorFlow sums some of these as it stores them.
        tol = {np.float16: 3e-2, bfloat16: 8e-2}.get(dtype)
        x, w = values((2, 5, 6, 3), dtype), values((2, 3, 3, 4), dtype, seed=1)
        channels = [np.array([1, -0.5, 0.25], dtype), np.array([2, 0.5, 1], dtype), np.array([0.5, 1, -1], dtype), np.array([1, 2, 3], dtype)]
        for scale in [True, False]:
            attrs = dict(variance_epsilon=0.01, scale_after_normalization=scale, tol=tol or 1e-4, producer=8)
            f.old_case("BatchNormWithGlobalNormalization", x, *channels, **attrs)
            f.old_case("BatchNormWithGlobalNormalizationGrad", x, *channels[:3], values(x.shape, dtype, seed=2), **attrs)
        for padding in ["SAME", "VALID"]:
            f.case("Conv", x, w, strides=[1, 2, 1, 1], padding=padding, tol=tol or 1e-5)
            f.case("Conv", values((1, 3, 4, 3, 2), dtype), values((2, 2, 2, 2, 3), dtype), strides=[1] * 5, padding=padding, tol=tol or 1e-5)
            # One image: TensorFlow gives the first one again for the others.
            for mode in ["REFLECT", "SYMMETRIC"]:
                pads = np.array([[0, 0], [1, 2], [0, 1], [0, 0]], np.int32)
                attrs = dict(also={"mode": mode}, strides=[1, 1, 1, 1], padding=padding, known=True)
                f.case("FusedPadConv2D", x[:1], pads, w, tol=tol or 1e-4, **attrs)
                for align in [True, False]:
                    f.case("FusedResizeAndPadConv2D", x[:1], i32(7, 4), pads, w, resize_align_corners=align, tol=tol or 1e-4, **attrs)
        volume, filter_, dy = values((1, 3, 4, 3, 2), dtype), values((2, 2, 2, 2, 3), dtype), values((1, 3, 4, 3, 3), dtype, seed=1)
        for op in ["Conv3DBackpropInput", "Conv3DBackpropFilter"]:
            f.old_case(op, volume, filter_, dy, producer=9, tol=tol or 1e-4, strides=[1] * 5, padding="SAME")
    f.case("Conv", values((2, 3)), values((2, 3)), strides=[1, 1], padding="SAME", phrase="")
    f.case("FusedPadConv2D", values((1, 2, 2, 1)), np.array([[0, 0], [3, 0], [0, 0], [0, 0]], np.int32), values((1, 1, 1, 1)),
           also={"mode": "REFLECT"}, strides=[1, 1, 1, 1], padding="SAME", phrase="", known=True)


def slices(f):
    for dtype in [np.float32, np.int32, np.bool_, np.complex64, object]:
        x = values((4, 5), dtype)
        f.case("TensorStridedSliceUpdate", x, i32(1, 0), i32(3, 5), i32(1, 2), values((2, 3), dtype, seed=1), known=True)
        f.case("TensorStridedSliceUpdate", x, i32(3, 0), i32(0, 1), i32(-1, 1), values((3,), dtype, seed=1), shrink_axis_mask=2, known=True)
        with f.scenario(f"ResourceGatherNd/{np.dtype(dtype).name}") as s:
            variable = v1.get_variable("v", initializer=tf.constant(x), use_resource=True)
            s.run(targets=variable.initializer)
            for index in [[[1, 2], [3, 4]], [[0], [2]], [[[0]], [[1]]]]:
                s.run(tf.raw_ops.ResourceGatherNd(resource=variable.handle, indices=np.array(index, np.int64), dtype=tf.as_dtype(x.dtype)))
            s.run(tf.raw_ops.ResourceGatherNd(resource=variable.handle, indices=np.array([[9, 2]]), dtype=tf.as_dtype(x.dtype)))
            begin, end, step = tf.constant([1, 0]), tf.constant([3, 5]), tf.constant([1, 2])
            put = tf.raw_ops.ResourceStridedSliceAssign(ref=variable.handle, begin=begin, end=end, strides=step, value=values((2, 3), dtype, seed=1))
            read = variable.read_value()
            s.run(targets=put)
            s.run(read)
            bad = tf.raw_ops.ResourceStridedSliceAssign(ref=variable.handle, begin=begin, end=end, strides=step, value=values((2, 2), dtype))
        with f.scenario(f"StridedSliceAssign/{np.dtype(dtype).name}") as s:
            variable = v1.get_variable("v", initializer=tf.constant(x), use_resource=False)
            s.run(targets=variable.initializer)
            put = tf.raw_ops.StridedSliceAssign(ref=variable._ref(), begin=begin_of([0, 1]), end=begin_of([2, 4]), strides=begin_of([1, 1]),
                                                value=values((2, 3), dtype, seed=1))
            s.run(targets=put.op)
            s.run(variable)


def begin_of(items):
    return tf.constant(items)


def types(f):
    for dtype in COMPLEX:
        x = values((4, 3), dtype)
        for op in ["SegmentSum", "SegmentMean", "SegmentProd"]:
            f.case(op, x, i32(0, 0, 1, 3))
        f.case("UnsortedSegmentProd", x, i32(0, 2, 2, 0), np.int32(3))
        f.case("SparseFillEmptyRowsGrad", i64(2, 1), values((3,), dtype))
    for dtype in [np.uint32, np.uint64]:
        x, y, dy = values((1, 4, 4, 1), dtype), values((1, 2, 2, 1), dtype), values((1, 2, 2, 1), dtype, seed=4)
        y = x.reshape(2, 2, 2, 2).max((1, 3)).reshape(1, 2, 2, 1)
        f.case("MaxPoolGrad", x, y, dy, ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
        f.case("MaxPoolGradGrad", x, y, values((1, 4, 4, 1), dtype, seed=5), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    for dtype in HALVES:
        f.case("ResizeBilinearGrad", values((1, 4, 6, 2)), values((1, 3, 4, 2), dtype), grad=False)
    for dtype in [*HALVES, np.int32, np.int8, np.uint8]:
        f.case("ResizeNearestNeighborGrad", values((1, 4, 6, 2), dtype), i32(3, 4), grad=False)
    for padding in ["SAME", "VALID"]:
        f.case("Conv2D", values((2, 5, 6, 3), np.int32), values((2, 3, 3, 4), np.int32), strides=[1, 2, 1, 1], padding=padding)
        out = {"SAME": (2, 3, 6, 4), "VALID": (2, 2, 4, 4)}[padding]
        f.case("Conv2DBackpropInput", i32(2, 5, 6, 3), values((2, 3, 3, 4), np.int32), values(out, np.int32), strides=[1, 2, 1, 1], padding=padding)
    f.case("MatrixInverse", (values((2, 3, 3)) + 8 * np.eye(3)).astype(np.float16), grad=False)


def optimizers(f):
    for dtype in COMPLEX:
        for name in ["GradientDescent", "Adagrad", "AdagradV2", "Momentum", "Adam", "RMSProp", "CenteredRMSProp", "Adadelta"]:
            dense(f, name, DENSE[name], dtype)
        dense(f, "Momentum", DENSE["Momentum"], dtype, use_nesterov=True)
        dense(f, "Adam", DENSE["Adam"], dtype, use_nesterov=True)
    for name in ["Adagrad", "Momentum", "RMSProp", "CenteredRMSProp", "Adadelta"]:
        sparse(f, name, SPARSE[name], np.complex128)
    for dtype in [np.float32, np.float64]:
        alone(f, "ApplyAdamWithAmsgrad", ["m", "v", "vhat"], [0.9, 0.999, 0.01, 0.9, 0.999, 1e-8, "g"], dtype)
        for nesterov in [False, True]:
            alone(f, "ApplyKerasMomentum", ["accum"], [0.1, "g", 0.9], dtype, use_nesterov=nesterov)
            alone(f, "SparseApplyKerasMomentum", ["accum"], [0.1, "g", "i", 0.9], dtype, use_nesterov=nesterov)


def alone(f, name, slots, rest, dtype, **attrs):
    """Steps of an op that there is for resources only."""
    with f.scenario(f"Resource{name}/{np.dtype(dtype).name}") as s:
        state = Slots(slots, [3, 2], dtype, True)
        rows = i32(2, 0) if "i" in rest else i32(0, 1, 2)
        g = v1.placeholder(dtype, name="g")
        op = build("Resource", name, state, rest, {"g": g, "i": tf.constant(rows)}, dtype, attrs)
        read = state.read()
        s.run([], targets=[state.init])
        for step in range(3):
            s.run([], {g: values((len(rows), 2), dtype, step)}, targets=[op])
            s.run(read)
        s.run([], {g: values((1, 1), dtype)}, targets=[op], phrase="")
