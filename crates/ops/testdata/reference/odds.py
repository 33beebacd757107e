"""Ops on arrays that few programs use: rows in place, coordinates, layouts, histograms, diagonals of the old forms."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    for x in [scalar(0.5, np.float32), scalar(0), scalar(0.0, np.float64), np.array(b""), np.array(b"a"), np.zeros(2), np.zeros((0, 2)),
              np.array(True), scalar(3, np.int8), scalar(1, np.complex64)]:
        f.case("ToBool", x)
    for dtype in FLOATS + INTS + COMPLEX:
        for op in ["InplaceAdd", "InplaceSub", "InplaceUpdate"]:
            f.case(op, values((3, 2), dtype), i32(0, 2, 0), values((3, 2), dtype, seed=1))
    for op in ["InplaceAdd", "InplaceUpdate"]:
        f.case(op, values((3, 2)), i32(0, 5, -1, -5), values((4, 2), seed=1))
        f.case(op, values((3, 2)), i32(0), values((2, 2)))
        f.case(op, values((3, 2)), i32(0), values((1, 3)))
        f.case(op, values((3, 2)), scalar(0), values((1, 2)))
        f.case(op, values((3, 2)), i32(0), values((2,)))
        f.case(op, values((2,), np.bool_), i32(0), values((1,), np.bool_))
        f.case(op, values((2,), object), i32(1), values((1,), object, seed=2))
    for dtype in [tf.float32, tf.string, tf.int32, tf.bool]:
        f.case("Empty", i32(2, 3), dtype=dtype, init=True)
    f.case("Empty", i32(-2), dtype=tf.float32)
    f.case("Empty", i32(2, 3), dtype=tf.float32, mode="shape")
    for x in [values((2, 3)), values((2,), object), values((), np.int32)]:
        f.case("DeepCopy", x)
        f.case("GuaranteeConst", x)
    for dtype in [np.int32, np.int64]:
        dims = np.array([7, 6], dtype)
        for indices in [[22, 41, 37], 22, [-1], [42], [[1, 2]], []]:
            f.case("UnravelIndex", np.array(indices, dtype), dims)
        for bad in [[7, 0], 7, [7, -2], [1 << 20, 1 << 20, 1 << 30], []]:
            f.case("UnravelIndex", np.array([1], dtype), np.array(bad, np.int64).astype(dtype), phrase="")
        for op in ["DataFormatDimMap", "DataFormatVecPermute"]:
            f.case(op, np.array([0, 1, 2, 3], dtype))
            f.case(op, np.array([1, 2], dtype))
            f.case(op, np.array([[1, 2], [3, 4]], dtype))
            f.case(op, np.array([3, 1, 2, 0, 4], dtype), src_format="NDHWC", dst_format="NCDHW")
            f.case(op, np.array([1, 2, 3], dtype), src_format="NDHWC", dst_format="NCDHW")
            f.case(op, np.array([0, 1, 2, 3], dtype), src_format="NHWC", dst_format="HWNC")
            f.case(op, np.array([1, 2], dtype), src_format="NHWC", dst_format="HWNC")
        f.case("DataFormatDimMap", np.array([4, -4, -1], dtype))
        f.case("DataFormatVecPermute", values((4, 2), dtype))
        f.case("DataFormatVecPermute", values((3,), dtype))
        f.case("DataFormatVecPermute", values((3, 2), dtype))
        f.case("DataFormatVecPermute", values((), dtype))
        f.case("DataFormatVecPermute", values((1, 2, 2), dtype))
    for source, target in [("NHWC", "NCHWD"), ("NHWC", "NHWX"), ("NH", "NH")]:
        f.case("DataFormatDimMap", i32(1), src_format=source, dst_format=target)
    for dtype in MAIN:
        for bins in [1, 3, 5]:
            for out in [tf.int32, tf.int64]:
                f.case("HistogramFixedWidth", np.array([-1, 0, 1, 2, 5, 15], dtype), np.array([0, 5], dtype), scalar(bins), dtype=out)
    f.case("HistogramFixedWidth", f32(nan), f32(0, 5), scalar(5))
    f.case("HistogramFixedWidth", f32(1), f32(5, 5), scalar(5))
    f.case("HistogramFixedWidth", f32(1), f32(0, 5), scalar(0))
    f.case("HistogramFixedWidth", f32(1), f32(0, 5, 6), scalar(5))
    f.case("HistogramFixedWidth", f32(1), f32(0, 5), i32(5))
    f.case("HistogramFixedWidth", f32(), f32(0, 5), scalar(2))
    for dtype in FLOATS + INTS:
        for reverse in [False, True]:
            f.case("NthElement", values((2, 5), dtype), scalar(1), reverse=reverse)
    f.case("NthElement", f32(1, 2, 2, 3), scalar(1))
    f.case("NthElement", f32(1, 2), scalar(2))
    f.case("NthElement", f32(1, 2), scalar(-1))
    f.case("NthElement", scalar(1, np.float32), scalar(0))
    f.case("NthElement", f32(1, 2), i32(0))
    for x in [values((2, 3)), values((2, 3), object), values((2, 3), np.int64)]:
        for dims in [[True, False], [False, True], [True, True]]:
            f.case("Reverse", x, np.array(dims))
        f.case("Reverse", x, np.array([True]))
        f.case("Reverse", x, np.array(True))
    for dtype in [np.float32, np.int64, np.bool_, np.complex64]:
        f.case("MatrixDiag", values((2, 3), dtype))
        f.case("MatrixDiag", values((3,), dtype))
        f.case("MatrixDiagPart", values((2, 3, 4), dtype))
        f.case("MatrixDiagPart", values((4, 3), dtype))
        f.case("MatrixSetDiag", values((2, 3, 4), dtype), values((2, 3), dtype, seed=1))
        f.case("MatrixSetDiag", values((3, 3), dtype), values((3,), dtype, seed=1))
        pad = np.array(7).astype(dtype)
        for k, shape in [([0], (2, 3)), ([1], (2, 3)), ([-1, 1], (2, 3, 3)), ([-2, 0], (3, 3))]:
            k = np.array(k, np.int32)
            f.case("MatrixDiagV2", values(shape, dtype), k, scalar(-1), scalar(-1), pad)
            wide = values((2, 4, 3), dtype)
            f.case("MatrixDiagPartV2", wide, k, pad)
            part = v1.Session().run(tf.raw_ops.MatrixDiagPartV2(input=wide, k=k, padding_value=pad))
            f.case("MatrixSetDiagV2", wide, values(part.shape, dtype, seed=2), k)
            for align in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]:
                f.case("MatrixSetDiagV3", wide, values(part.shape, dtype, seed=2), k, align=align)
    f.case("MatrixDiag", scalar(1, np.float32))
    f.case("MatrixDiagPart", values((2,)))
    f.case("MatrixSetDiag", values((3, 3)), values((2,)))
    f.case("MatrixSetDiag", values((3,)), values((3,)))
    f.case("MatrixSetDiag", values((3, 3)), scalar(1, np.float32))
    f.case("MatrixSetDiagV3", values((3, 3)), values((3,)), i32(5), phrase="")
    f.case("MatrixSetDiagV3", values((3, 3)), values((3,)), i32(1, 0))
