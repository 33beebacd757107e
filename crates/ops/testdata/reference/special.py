"""Special functions, bits of integers, and gradients of complex numbers."""

import numpy as np
from judge import tf

from .scenario import *

# Where TensorFlow's approximations hold for every function: its single precision is poor far out.
ALL = [0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 1e-3, -7.25, 20.0, -20.0, nan]
POSITIVE = [1e-3, 0.125, 0.5, 1.0, 1.25, 2.0, 2.5, 5.5, 9.0, 20.0]
UNIT = [0.001, 0.01, 0.125, 0.25, 0.5, 0.625, 0.875, 0.99]
EVERYWHERE = ["BesselI0", "BesselI0e", "BesselI1", "BesselI1e", "BesselJ0", "BesselJ1", "Dawsn", "FresnelCos", "FresnelSin"]
ABOVE_ZERO = ["BesselK0", "BesselK0e", "BesselK1", "BesselK1e", "BesselY0", "BesselY1", "Expint", "Spence"]


def complex_gradients(f, name, build, *inputs, tol=1e-5):
    """The values and gradients of a function of complex numbers."""
    for dtype in [np.complex64, np.complex128]:
        with f.scenario(f"{name}/{np.dtype(dtype).name}/gradients") as s:
            xs = [v1.placeholder(dtype, np.shape(x), name=f"x{i}") for i, x in enumerate(inputs)]
            y = build(*xs)
            feeds = {x: np.asarray(value, dtype) for x, value in zip(xs, inputs)}
            accuracy = tol if dtype == np.complex64 else 1e-9
            s.run([y], feeds, tol=accuracy)
            s.gradients([y], xs, feeds, tol=accuracy)


def record(f):
    for dtype in [np.float32, np.float64, np.float16]:
        tol = {np.float32: 3e-5, np.float64: 1e-9, np.float16: 2e-3}[dtype]
        for op in EVERYWHERE:
            f.case(op, np.array(ALL, dtype), grad=False, tol=tol)
            f.case(op, np.array(POSITIVE[:-1], dtype), tol=tol)
        for op in ABOVE_ZERO:
            f.case(op, np.array([0.0, -1.0, nan], dtype), grad=False) if op != "BesselY1" else None
            f.case(op, np.array(POSITIVE[:-1], dtype), tol=tol)
        for op in ["Erfinv", "Ndtri"]:
            f.case(op, np.array([0.0, 1.0, 1.5, nan], dtype), grad=False)
            f.case(op, np.array(UNIT, dtype), tol=tol)
        f.case("Erfinv", np.array([-1, -0.75, -1e-3], dtype), grad=False, tol=tol)
    f.case("BesselJ0", np.zeros((0, 2), np.float32))
    for dtype in [np.float32, np.float64]:
        tol = 1e-4 if dtype == np.float32 else 1e-8
        a, x = np.array([0.25, 0.5, 1, 2.5, 4, 10, 0.75], dtype), np.array([0.125, 2, 1, 2, 7, 9.5, 30], dtype)
        odd = np.array([0, -1, 1, 2, nan, 2], dtype), np.array([1, 1, 0, -1, 1, nan], dtype)
        for op in ["Igamma", "Igammac", "IgammaGradA", "RandomGammaGrad"]:
            f.case(op, a, x, tol=tol)
            f.case(op, *odd, grad=False)
            f.case(op, a[:3], x[:2, None], tol=tol)
            f.case(op, np.array([1, 2], dtype), np.array([1, 2, 3], dtype), grad=False)
        f.case("Zeta", np.array([2, 1.5, 3, 10, 2], dtype), np.array([1, 2.5, 0.5, 1.25, 1000], dtype), tol=tol)
        f.case("Zeta", np.array([1, 0.5, 2, 2, 3, 2, 3, nan], dtype), np.array([1, 1, 0, -1, -2, -1.5, -1.5, 1], dtype), grad=False, tol=tol)
        f.case("Polygamma", np.array([1, 2, 3, 5], dtype), np.array([0.5, 2.5, 1, 4], dtype), tol=tol)
        f.case("Polygamma", np.array([0, 1.5, -1], dtype), np.array([1, 1, 1], dtype), grad=False, tol=tol)
        f.case("Digamma", np.array([0.5, 1, 2.25, 7], dtype), tol=tol)
        beta = [np.array(part, dtype) for part in ([1, 2, 0.5, 5, 40], [1, 3, 0.5, 2, 30], [0.5, 0.25, 0.125, 0.875, 0.5])]
        f.case("Betainc", *beta, tol=tol)
        f.case("Betainc", beta[0], scalar(2, dtype), beta[2], tol=tol)
        f.case("Betainc", scalar(2, dtype), scalar(3, dtype), beta[2], tol=tol)
        f.case("Betainc", beta[0], beta[1][:2], beta[2])
        f.case("Betainc", np.array([0, 1, 1, -1], dtype), np.array([1, 0, 1, 1], dtype), np.array([0.5, 0.5, 2, 0.5], dtype), grad=False)
        f.case("NextAfter", np.array([1, 0, nan, 1, 5], dtype), np.array([2, 1, 1, 1, -1], dtype), grad=False)
        f.case("NextAfter", values((2, 1), dtype), values((3,), dtype))
        f.case("ApproximateEqual", np.array([1, 2, nan, 3], dtype), np.array([1, 2.1, nan, 3 + 1e-6], dtype))
        f.case("ApproximateEqual", np.array([1, 2], dtype), np.array([1.5, 2.1], dtype), tolerance=0.2)
        f.case("ApproximateEqual", values((2,), dtype), values((3,), dtype))
    for dtype in FLOATS + COMPLEX:
        x, y = np.array([0, 0, 1, 2, 0.5], dtype), np.array([-1, 2, 0.5, 3, 0.25], dtype)
        f.case("Xlog1py", x, y, tol=1e-5 if dtype in (np.float32, np.complex64) else None)
        if dtype in COMPLEX:
            for op in ["Xlogy", "Xdivy", "DivNoNan", "MulNoNan", "SquaredDifference", "Pow"]:
                f.case(op, values((5,), dtype), values((5,), dtype, seed=3), tol=1e-4 if dtype == np.complex64 else 1e-9)
            f.case("DivNoNan", values((2,), dtype), np.zeros(2, dtype))
            for op in ["TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
                f.case(op, values((4,), dtype), values((4,), dtype, seed=2))
    for dtype in INTS:
        x, y = values((2, 3), dtype, high=100, low=-100), values((3,), dtype, seed=5, high=100, low=-100)
        for op in ["BitwiseAnd", "BitwiseOr", "BitwiseXor"]:
            f.case(op, x, y)
        for op in ["LeftShift", "RightShift"]:
            f.case(op, x, np.array([0, 1, 3], dtype))
            f.case(op, x[0], np.array([100, 7, 63], dtype))
        f.case("Invert", x)
        f.case("PopulationCount", x)
        f.case("PopulationCount", np.array([np.iinfo(dtype).min, np.iinfo(dtype).max], dtype))
    f.case("LeftShift", np.array([-5, 5, 1], np.int32), np.array([-3, -1, 40], np.int32))
    f.case("RightShift", np.array([-5, 5, 1], np.int32), np.array([-3, -1, 40], np.int32))
    f.case("BitwiseAnd", values((2,), np.int32), values((3,), np.int32))
    for dtype in FLOATS:
        for options in [{}, {"exclusive": True}, {"reverse": True}, {"exclusive": True, "reverse": True}]:
            f.case("CumulativeLogsumexp", values((2, 3), dtype), scalar(1), **options)
            f.case("CumulativeLogsumexp", values((2, 3), dtype), scalar(-2), **options)
    f.case("CumulativeLogsumexp", np.array([-inf, 1, -inf, 100, 2], np.float32), scalar(0), grad=False)
    f.case("CumulativeLogsumexp", values((2,)), scalar(1))
    for dtype in FLOATS + INTS + COMPLEX:
        f.case("EuclideanNorm", values((2, 3), dtype), i32(0))
        f.case("EuclideanNorm", values((2, 3, 2), dtype), i32(0, -1), keep_dims=True)
    f.case("EuclideanNorm", values((2, 3)), i64(1))
    f.case("EuclideanNorm", values((2, 3)), i32())
    f.case("EuclideanNorm", values((2, 0)), i32(1), grad=False)

    z, w = values((4,), np.complex128) + (0.3 - 0.2j), values((4,), np.complex128, seed=4) + (0.7 + 0.1j)
    small = z / 8
    for op in ["Neg", "Square", "Sqrt", "Rsqrt", "Reciprocal", "Inv", "Log", "Log1p", "Exp", "Expm1", "Tanh", "Sigmoid", "Sin",
               "Cos", "Tan", "Sinh", "Cosh", "Asin", "Acos", "Atan", "Asinh", "Acosh", "Atanh"]:
        complex_gradients(f, op, lambda x: node_of(op, [x])[0], small, tol=1e-4)
    for op in ["Add", "AddV2", "Sub", "Mul", "Div", "RealDiv", "DivNoNan", "MulNoNan", "Pow", "SquaredDifference", "Xlogy", "Xlog1py", "Xdivy"]:
        complex_gradients(f, op, lambda x, y: node_of(op, [x, y])[0], z, w, tol=1e-3)
        complex_gradients(f, op, lambda x, y: node_of(op, [x, y])[0], z[:2, None], w[:3], tol=1e-3)
    for op in ["TanhGrad", "SigmoidGrad", "SqrtGrad", "RsqrtGrad", "ReciprocalGrad", "InvGrad"]:
        complex_gradients(f, op, lambda x, y: node_of(op, [x, y])[0], small, w, tol=1e-3)
