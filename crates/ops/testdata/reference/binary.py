"""Elementwise functions of two arguments, with broadcasting, and sums of many."""

import numpy as np
from judge import tf

from .scenario import *

ARITHMETIC = ["Add", "AddV2", "Sub", "Mul", "RealDiv", "Div", "DivNoNan", "MulNoNan", "FloorDiv", "TruncateDiv", "FloorMod",
              "Mod", "TruncateMod", "Maximum", "Minimum", "Pow", "SquaredDifference", "Atan2", "Xdivy", "Xlogy"]
COMPARISON = ["Equal", "NotEqual", "Less", "LessEqual", "Greater", "GreaterEqual"]
SHAPES = [((2, 3), (2, 3)), ((), (3,)), ((3,), ()), ((), ()), ((2, 3), (3,)), ((3,), (2, 3)), ((2, 1), (1, 3)),
          ((2, 1, 3), (4, 1)), ((0,), (1,)), ((1,), (0,)), ((2, 0), (2, 1)), ((1, 1), (2, 2)), ((2, 2, 1, 2), (2, 1, 3, 1)),
          ((2, 1, 2, 1, 2), (1, 2, 1, 2, 1)), ((33,), (33,)), ((5, 33), (33,)), ((33, 5), (33, 1))]
BAD = [((2,), (3,)), ((2, 3), (2,)), ((0,), (2,)), ((2, 2), (3, 2))]


def record(f):
    for op in ARITHMETIC + COMPARISON:
        forms(f, op)
        numbers(f, op)
    for op in ["Equal", "NotEqual"]:
        for dtype in [np.bool_, object, np.complex64]:
            f.case(op, values((2, 3), dtype), values((3,), dtype, 1))
        f.case(op, f32(1, 2), f32(1, 2, 3), incompatible_shape_error=False)
        f.case(op, f32(1, 2), f32(1, 3), incompatible_shape_error=False)
    for op in ["LogicalAnd", "LogicalOr"]:
        both = np.array([[True, True], [False, False]]), np.array([[True, False], [True, False]])
        f.case(op, *both)
        f.case(op, np.array(True), np.array([True, False]))
        f.case(op, np.array([[True], [False]]), np.array([True, False]))
        f.case(op, np.zeros((0,), np.bool_), np.array(True))
        f.case(op, np.array([True, True]), np.array([True] * 3))
    for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor", "LeftShift", "RightShift"]:
        f.case(op, i32(12, -7, 5), i32(10, 3, 1))
        f.case(op, i64(12, 7), scalar(1, np.int64))
    sums(f)
    for dtype in COMPLEX:
        for op in ["AddV2", "Sub", "Mul", "RealDiv"]:
            f.case(op, values((3,), dtype), values((3,), dtype, 8) + 1, grad=False)


def forms(f, op):
    for a, b in SHAPES:
        low = 1 if op in ("Pow", "Xlogy") else -4
        f.case(op, values(a, low=low), values(b, seed=3, low=low, high=3), tol=1e-5 if op in ("Pow", "Atan2") else None)
    for a, b in BAD:
        f.case(op, values(a), values(b))
    f.case(op, values((2, 3), np.int32), values((3,), np.int32, 1, low=1))


def numbers(f, op):
    whole = [0.0, -0.0, 1.0, -1.0, 2.0, -3.5, 7.25, nan, inf, -inf]
    x, y = (v.reshape(-1) for v in np.meshgrid(whole, whole))
    for dtype in FLOATS:
        f.case(op, x.astype(dtype), y.astype(dtype), grad=False)
        f.case(op, np.array([1, 2.5, 3, 0.5], dtype), np.array([2, -1.5, 3, 0.25], dtype))
    for dtype in INTS:
        info = np.iinfo(dtype)
        a = [v for v in (0, 1, 2, 7, 13, -1, -2, -7, info.max, info.min) if info.min <= v <= info.max]
        b = [v for v in (1, 2, 3, 5, -1, -2, -3, info.max, info.min) if info.min <= v <= info.max and v]
        x, y = (v.reshape(-1) for v in np.meshgrid(np.array(a, dtype), np.array(b, dtype)))
        if op == "Pow":
            x, y = np.array([0, 1, 2, 3, 5, info.max], dtype), np.array([0, 5, 3, 2, 1, 2], dtype)
        elif op in ("FloorDiv", "TruncateDiv", "Div", "FloorMod", "Mod", "TruncateMod", "DivNoNan"):
            keep = ~((x == info.min) & (y.astype(object) == -1))
            x, y = x[keep], y[keep]
        f.case(op, x, y, phrase="" if op in ("Add", "Sub") else None)
        if op in ("FloorDiv", "Div", "FloorMod", "Mod"):
            f.case(op, np.array([1, 2], dtype), np.array([1, 0], dtype))
            f.case(op, np.array([1, 2], dtype), np.array(0, dtype))
            f.case(op, np.array([], dtype), np.array(0, dtype))
    if op == "Pow":
        f.case(op, i32(2), i32(-1))
        f.case(op, i64(2, 3), i64(1, -2))
    if op in ("Add", "AddV2"):
        f.case(op, values((2,), object), values((), object, 2))


def sums(f):
    for n in [1, 2, 3, 5, 9]:
        f.case("AddN", [values((2, 2), seed=k) for k in range(n)])
    for dtype in FLOATS + INTS + COMPLEX:
        f.case("AddN", [values((3,), dtype), values((3,), dtype, 2), values((3,), dtype, 3)])
    f.case("AddN", [values((0,)), values((0,))])
    f.case("AddN", [values(()), values(())])
    f.case("AddN", [values((2,)), values((3,))])
    f.case("AddN", [values((2,)), values(())])
    f.case("AccumulateNV2", [values((2,)), values((2,), seed=1)], shape=[2])
