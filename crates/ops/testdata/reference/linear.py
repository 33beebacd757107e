"""Counting, searching in order, diagonals, einsum."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    counting(f)
    bounds(f)
    diagonals(f)
    einsum(f)


def counting(f):
    for dtype in [np.int32, np.int64, np.float32, np.float64]:
        for index in [np.int32, np.int64]:
            numbers = np.array([1, 3, 1, 0, 9, 3], index)
            f.case("DenseBincount", numbers, np.array(5, index), values((6,), dtype), grad=False)
            f.case("DenseBincount", numbers, np.array(5, index), np.zeros((0,), dtype), grad=False)
            f.case("DenseBincount", numbers.reshape(2, 3), np.array(4, index), np.zeros((0,), dtype), binary_output=True, grad=False)
            f.case("DenseBincount", numbers.reshape(2, 3), np.array(4, index), values((2, 3), dtype), grad=False)
        f.case("Bincount", i32(1, 3, 1, 7).reshape(2, 2), scalar(5), values((2, 2), dtype), grad=False)
        f.case("Bincount", i32(1, 3, 1, 7), scalar(5), np.zeros((0,), dtype), grad=False)
    f.case("DenseBincount", i32(1, -1), scalar(5), np.zeros((0,), np.float32), grad=False)
    f.case("DenseBincount", i32(1, 1), scalar(-5), np.zeros((0,), np.float32), grad=False, phrase="")
    f.case("DenseBincount", i32(1, 1), scalar(5), values((3,)), grad=False, phrase="")


def bounds(f):
    for op in ["LowerBound", "UpperBound"]:
        for dtype in [*MAIN, np.int8, np.uint8, np.int16, np.float16]:
            f.case(op, np.array([[0, 1, 1, 3], [-1 if np.dtype(dtype).kind != "u" else 0, 0, 2, 2]], dtype), np.array([[1, 2, 9], [2, 0, 1]], dtype), grad=False)
        f.case(op, values((1, 0)), values((1, 2)), grad=False)
        f.case(op, np.sort(values((2, 3))), values((2, 3)), out_type=tf.int64, grad=False)
        f.case(op, np.sort(values((2, 3))), values((3, 3)), grad=False)
        f.case(op, np.sort(values((3,))), values((3, 3)), grad=False, phrase="")


def diagonals(f):
    minus = scalar(-1)
    for dtype in [*MAIN, np.bool_, np.float16]:
        f.case("MatrixDiagV3", values((2, 3), dtype), scalar(0), minus, minus, np.zeros((), dtype))
    for k, rows, columns in [(1, -1, -1), (-2, -1, -1), (1, 4, 4), (-1, 5, 3), (0, 3, 5), (0, 5, 3)]:
        f.case("MatrixDiagV3", values((3,)), scalar(k), scalar(rows), scalar(columns), np.float32(9))
    for align in ["LEFT_RIGHT", "RIGHT_LEFT", "LEFT_LEFT", "RIGHT_RIGHT"]:
        f.case("MatrixDiagV3", values((2, 3, 4)), i32(-1, 1), minus, minus, np.float32(0), align=align)
        f.case("MatrixDiagPartV3", values((2, 4, 5)), i32(-2, 1), np.float32(7), align=align)
        f.case("MatrixDiagPartV3", values((4, 3)), i32(0, 2), np.float32(7), align=align)
    f.case("MatrixDiagV3", values((3,)), scalar(0), scalar(2), scalar(5), np.float32(9), phrase="")
    f.case("MatrixDiagV3", values((3,)), scalar(0), scalar(4), scalar(5), np.float32(9), phrase="")
    f.case("MatrixDiagV3", values((2, 3)), i32(1, 0), minus, minus, np.float32(9), phrase="")
    for k in [0, 1, -1, 3, -4]:
        f.case("MatrixDiagPartV3", values((3, 4)), scalar(k), np.float32(0), phrase="")


def einsum(f):
    for dtype in [*MAIN, np.complex64]:
        f.case("Einsum", [values((2, 3), dtype), values((3, 4), dtype)], equation="ab,bc->ac", tol=1e-5)
    two = [("ab,bc->ca", (2, 3), (3, 4)), ("ab,ab->", (2, 3), (2, 3)), ("abc,acd->abd", (2, 3, 4), (2, 4, 5)), ("ab,cd->abcd", (2, 3), (2, 2)),
           ("abc,cd->abd", (2, 3, 4), (4, 2)), ("ab,b->a", (2, 3), (3,)), ("bhqd,bhkd->bhqk", (2, 2, 3, 4), (2, 2, 5, 4))]
    for equation, a, b in two:
        f.case("Einsum", [values(a), values(b, seed=1)], equation=equation, tol=1e-5)
    f.case("Einsum", [values((2, 3))], equation="ab->ba")
    for equation, shape in [("ab->a", (2, 3)), ("aa->a", (3, 3)), ("aa->", (3, 3)), ("...a->a...", (2, 3, 4))]:
        f.case("Einsum", [values(shape)], equation=equation, grad=False)
    f.case("Einsum", [values((2, 3, 4)), values((4, 5))], equation="...ab,bc->...ac", grad=False)
    f.case("Einsum", [values((2, 3, 4)), values((1, 4, 5))], equation="...ab,...bc->...ac", grad=False)
    f.case("Einsum", [values((2, 3)), values((4, 5))], equation="ab,bc->ac", phrase="")
    f.case("Einsum", [values((2, 3)), values((3,))], equation="ab,bc->ac", phrase="")
