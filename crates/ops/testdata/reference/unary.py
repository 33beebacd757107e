"""Elementwise functions of one argument."""

import numpy as np
from judge import tf

from .scenario import *

AWKWARD = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-3, -7.25, 20.0, -20.0, 88.0, -88.0, 100.0, -100.0, nan, inf, -inf]
SMOOTH = [-2.25, -0.75, -0.125, 0.25, 0.875, 3.5]

FUNCTIONS = ["Neg", "Square", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Log", "Log1p", "Exp", "Expm1", "Tanh", "Sigmoid",
             "Abs", "Sign", "Ceil", "Floor", "Round", "Rint", "Sin", "Cos", "Tan", "Sinh", "Cosh", "Asin", "Acos", "Atan",
             "Asinh", "Acosh", "Atanh", "Erf", "Erfc", "Lgamma", "Digamma", "Softplus", "Softsign"]
GRADIENTS = ["TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]


def record(f):
    for op in FUNCTIONS:
        rough = op in ("Lgamma", "Digamma", "Erf", "Erfc", "Tan", "Sinh", "Cosh", "Asinh", "Acosh", "Atanh", "Exp", "Expm1")
        # The gradient of Digamma needs functions that are not here.
        grad = False if op == "Digamma" else None
        for dtype in FLOATS:
            tol = None if dtype in HALVES else (1e-5 if dtype is np.float32 else 1e-10) if rough else None
            # Erf of an infinite double is NaN in TensorFlow 2.21, which nobody can want.
            numbers = AWKWARD[:-3] if op == "Erf" else AWKWARD
            f.case(op, np.array(numbers, dtype), grad=False, tol=tol)
            f.case(op, np.array(SMOOTH, dtype), tol=tol, grad=grad)
        for shape in [(), (0,), (2, 0), (2, 3)]:
            f.case(op, values(shape, low=0, high=2), grad=grad)
        # Round gives zeros for integers in TensorFlow 2.21.
        for dtype in INTS if op != "Round" else []:
            numbers = [0, 1, 2, 5] + ([] if np.dtype(dtype).kind == "u" else [-1, -2, -7])
            f.case(op, np.array(numbers + [np.iinfo(dtype).max, np.iinfo(dtype).min], dtype))
        # Long enough for vector code and its remainder.
        f.case(op, (np.arange(37, dtype=np.float32) - 18) / 7, tol=1e-5 if rough else None, grad=grad)
    for op in GRADIENTS:
        for dtype in FLOATS:
            f.case(op, np.array([-0.5, 0.25, 0.75, 2.0], dtype), np.array([1, -2, 0.5, 3], dtype))
        f.case(op, values((0,)), values((0,)))
        f.case(op, values((2,)), values((3,)))
        f.case(op, scalar(0.5, np.float32), scalar(2, np.float32))
    for x in [np.array([True, False]), np.array(True), np.zeros((0, 2), np.bool_)]:
        f.case("LogicalNot", x)
    for op in ["IsNan", "IsInf", "IsFinite"]:
        for dtype in FLOATS:
            f.case(op, np.array(AWKWARD, dtype))
    for op in ["Invert"]:
        for dtype in INTS:
            f.case(op, values((3,), dtype))
