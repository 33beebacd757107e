"""Decompositions of matrices, and what is solved with them."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    random = np.random.RandomState(11)
    for dtype in [np.float32, np.float64]:
        tol = 1e-3 if dtype == np.float32 else 1e-8
        a = random.randn(2, 3, 3).astype(dtype)
        positive = (a @ a.transpose(0, 2, 1) + 2 * np.eye(3)).astype(dtype)
        well = (a + 4 * np.eye(3)).astype(dtype)
        f.case("Cholesky", positive, tol=tol)
        f.case("Cholesky", positive[0], tol=tol, known=True)
        for op in ["MatrixDeterminant", "LogMatrixDeterminant"]:
            f.case(op, well, tol=tol)
            f.case(op, well[0], tol=tol)
        for adjoint in [False, True]:
            f.case("MatrixInverse", well, adjoint=adjoint, tol=tol)
            f.case("MatrixSolve", well, random.randn(2, 3, 2).astype(dtype), adjoint=adjoint, tol=tol)
            for lower in [False, True]:
                f.case("MatrixTriangularSolve", well, random.randn(2, 3, 2).astype(dtype), adjoint=adjoint, lower=lower, tol=tol)
                f.case("MatrixTriangularSolve", well[0], random.randn(2, 3, 1).astype(dtype), adjoint=adjoint, lower=lower, tol=tol)
                f.case("MatrixTriangularSolve", well[1], random.randn(3, 2).astype(dtype), adjoint=adjoint, lower=lower, tol=tol)
    singular = np.ones((2, 2), np.float32)
    f.case("MatrixInverse", singular)
    f.case("MatrixSolve", singular, values((2, 1)))
    f.case("MatrixTriangularSolve", np.array([[1, 0], [1, 0]], np.float32), values((2, 1)), grad=False)
    f.case("MatrixInverse", values((2, 3)), phrase="")
    f.case("MatrixInverse", values((2,)), phrase="")
    f.case("Cholesky", values((2, 3)), phrase="")
    f.case("MatrixDeterminant", values((2, 3)), phrase="")
    f.case("MatrixSolve", values((2, 2)), values((3, 1)), phrase="")
    f.case("MatrixTriangularSolve", values((2, 2)), values((3, 1)), phrase="")
    f.case("MatrixDeterminant", singular)
    f.case("MatrixInverse", np.zeros((0, 0), np.float32), grad=False)
