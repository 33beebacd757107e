"""Reductions along axes."""

import numpy as np
from judge import tf

from .scenario import *

AXES = [((2, 3), [0]), ((2, 3), [1]), ((2, 3), [0, 1]), ((2, 3), [-1]), ((2, 3), []), ((), []), ((3,), [0]),
        ((2, 3, 4), [1]), ((2, 3, 4), [0, 2]), ((2, 3, 4), [2, 0]), ((2, 3, 4), [0, 1, 2]), ((2, 3, 4), [-1, -2]),
        ((0, 3), [0]), ((0, 3), [1]), ((2, 0), [1]), ((0,), [0]), ((2, 0, 3), [0, 2]), ((2, 1, 2, 1, 2), [0, 2, 4]),
        ((2, 3, 2, 3), [1, 3]), ((1, 1), [0]), ((2, 3), [2]), ((2, 3), [-3]), ((2, 3), [0, 0]), ((2, 3), [1, -1]),
        ((), [0]), ((4, 33), [1]), ((33, 4), [0]), ((3, 5, 7), [1])]


def record(f):
    for op in ["Sum", "Mean", "Prod", "Max", "Min"]:
        reduction(f, op, np.float32)
        for dtype in FLOATS + INTS:
            f.case(op, values((2, 3), dtype, low=-2, high=3), i32(1))
            f.case(op, values((0, 2), dtype), i32(0))
        for dtype in COMPLEX:
            if op in ("Sum", "Mean", "Prod"):
                f.case(op, values((2, 3), dtype), i32(1), grad=False)
        f.case(op, f32(1, nan, 3), i32(0), grad=False)
        f.case(op, f32(inf, -inf, 3), i32(0), grad=False)
        f.case(op, f32(-inf, -inf), i32(0), grad=False)
        f.case(op, values((2, 3)), scalar(1))
        f.case(op, values((2, 3)), i64(0))
        f.case(op, values((2, 3)), np.array([[0, 1]], np.int32))
    f.case("Sum", np.array([2**31 - 1, 1], np.int32), i32(0))
    f.case("Prod", np.array([2**20, 2**20], np.int32), i32(0))
    f.case("Sum", np.full((100,), 100, np.int8), i32(0))
    f.case("Mean", i32(1, 2, 2), i32(0))
    f.case("Mean", i32(-1, -2, -2), i32(0))
    f.case("Max", f32(2, 2, 1), i32(0))
    f.case("Prod", f32(2, 0, 3), i32(0))
    f.case("Prod", np.array([[2, 0, 0], [1, 2, 3]], np.float32), i32(1))
    f.case("Sum", (np.arange(5000, dtype=np.float32) % 7 - 3) / 3, i32(0), tol=1e-4)
    for op in ["Any", "All"]:
        reduction(f, op, np.bool_)
        f.case(op, np.array([[True, True], [False, False], [True, False]]), i32(1))
    for op in ["ArgMax", "ArgMin"]:
        arguments(f, op)
    for x in [values((3,)), values((2, 3)), values(()), values((0,)), values((3,), np.float64), values((3,), np.float16)]:
        f.case("L2Loss", x)
    cumulative(f)
    for op in ["EuclideanNorm"]:
        f.case(op, values((2, 3)), i32(1))


def reduction(f, op, dtype):
    for shape, axes in AXES:
        for keep in [False, True]:
            low, high = (-2, 2) if op == "Prod" else (-4, 4)
            f.case(op, values(shape, dtype, low=low, high=high), np.array(axes, np.int32), keep_dims=keep,
                   tol=1e-4 if op == "Prod" else None)


def arguments(f, op):
    for shape, axis in [((3,), 0), ((2, 3), 0), ((2, 3), 1), ((2, 3), -1), ((2, 3, 4), 1), ((2, 3), 2), ((2, 3), -3),
                        ((0,), 0), ((0, 2), 0), ((0, 2), 1), ((), 0), ((1,), 0), ((5, 33), 1)]:
        f.case(op, values(shape), scalar(axis))
    for dtype in FLOATS + INTS + [np.bool_]:
        f.case(op, values((2, 4), dtype), scalar(1))
    for target in [tf.int32, tf.int16, tf.uint16]:
        f.case(op, values((2, 3)), scalar(1), output_type=target)
    f.case(op, f32(1, 3, 3, 1, 1), scalar(0, np.int64))
    f.case(op, f32(nan, 1, 2), scalar(0))
    f.case(op, f32(1, nan, 2), scalar(0))
    f.case(op, f32(nan, nan), scalar(0))
    f.case(op, f32(inf, -inf, inf), scalar(0))
    f.case(op, values((2, 3)), i32(1))
    f.case(op, values((2, 3)), i32(0, 1))


def cumulative(f):
    for op in ["Cumsum", "Cumprod"]:
        for exclusive in [False, True]:
            for reverse in [False, True]:
                f.case(op, values((2, 3)), scalar(1), exclusive=exclusive, reverse=reverse)
        f.case(op, values((2, 3)), scalar(-2))
        f.case(op, values((2, 3)), scalar(2))
        f.case(op, values((0,)), scalar(0))
        f.case(op, values(()), scalar(0))
        for dtype in MAIN:
            f.case(op, values((4,), dtype), scalar(0, np.int64))
