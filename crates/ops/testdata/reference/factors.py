"""Factors, singular values, eigenvalues and functions of matrices. Vectors whose signs are anybody's choice are compared by what
they make together."""

import numpy as np
from judge import tf

from .scenario import *
from .fourier import complex_gradients

TYPES = [np.float32, np.float64, np.complex64, np.complex128]


def random_matrices(shape, dtype, seed):
    random = np.random.RandomState(seed)
    made = random.randn(*shape)
    if np.dtype(dtype).kind == "c":
        made = made + 1j * random.randn(*shape)
    return made.astype(dtype)


def adjoint(x):
    return np.conj(np.swapaxes(x, -1, -2))


def record(f):
    for dtype in TYPES:
        narrow = dtype in (np.float32, np.complex64)
        tol = 2e-3 if narrow else 1e-8
        square = random_matrices((2, 3, 3), dtype, 1)
        well = (square + 4 * np.eye(3)).astype(dtype)
        positive = (square @ adjoint(square) + 2 * np.eye(3)).astype(dtype)
        rhs = random_matrices((2, 3, 2), dtype, 2)
        f.case("Lu", square, tol=tol)
        f.case("Lu", square[0], tol=tol, output_idx_type=tf.int64)
        for shape in [(3, 3), (2, 5, 3), (2, 5), (1, 1)]:
            matrix = random_matrices(shape, dtype, 3)
            for full in [False, True]:
                f.case("Qr", matrix, full_matrices=full, tol=tol, grad=False)
        if narrow is False:
            linear(f, dtype, tol)
        f.old_case("MatrixExponential", square, producer=26, tol=tol)
        f.case("MatrixSquareRoot", positive, tol=tol, grad=dtype == np.float64)
        if np.dtype(dtype).kind == "c":
            f.case("MatrixLogarithm", positive, tol=tol)
            f.case("MatrixLogarithm", well, tol=tol)
        for op in ["Cholesky", "MatrixInverse", "MatrixDeterminant", "LogMatrixDeterminant"]:
            f.case(op, positive, tol=tol)
        for adjoint_a in [False, True]:
            f.case("MatrixInverse", well, adjoint=adjoint_a, tol=tol)
            f.case("MatrixSolve", well, rhs, adjoint=adjoint_a, tol=tol)
            for lower in [False, True]:
                f.case("MatrixTriangularSolve", well, rhs, adjoint=adjoint_a, lower=lower, tol=tol)
                bands = random_matrices((2, 2, 4), dtype, 4) + np.array([[1], [3]]).astype(dtype)[::-1 if lower else 1]
                side = random_matrices((2, 4, 3), dtype, 5)
                f.case("BandedTriangularSolve", bands, side, adjoint=adjoint_a, lower=lower, tol=tol)
                f.case("BandedTriangularSolve", bands[0], side, adjoint=adjoint_a, lower=lower, tol=tol)
        for rows, columns in [(4, 3), (3, 4), (3, 3)]:
            a, b = random_matrices((2, rows, columns), dtype, 6), random_matrices((2, rows, 2), dtype, 7)
            for fast in [True, False]:
                f.case("MatrixSolveLs", a, b, np.float64(0.5), fast=fast, tol=tol, grad=False)
            if np.dtype(dtype).kind == "f":
                f.case("MatrixSolveLs", a, b, np.float64(0.5), tol=tol, known=True)
                f.old_case("BatchMatrixSolveLs", a, b, np.float64(0.5), producer=12, tol=tol)
        for size in [1, 2, 5]:
            lines = random_matrices((2, 3, size), dtype, 8)
            lines[:, 1] += 4
            f.case("TridiagonalSolve", lines, random_matrices((2, size, 2), dtype, 9), tol=tol)
            f.case("TridiagonalSolve", lines, random_matrices((2, size, 2), dtype, 9), partial_pivoting=False, tol=tol)
            lines[:, 1] = 0.25
            f.case("TridiagonalSolve", lines, random_matrices((2, size, 2), dtype, 9), tol=tol)
            parts = [random_matrices((2, 1, size), dtype, seed) for seed in (10, 11, 12)]
            f.case("TridiagonalMatMul", *parts, random_matrices((2, size, 3), dtype, 13), tol=tol)
        singular_values(f, dtype, tol)
        eigenvalues(f, dtype, tol, positive)
    real = random_matrices((2, 3, 3), np.float64, 20)
    lower = np.tril(real) + 3 * np.eye(3)
    for dtype in [np.float32, np.float64]:
        tol = 2e-3 if dtype == np.float32 else 1e-9
        f.case("CholeskyGrad", lower.astype(dtype), real.astype(dtype), tol=tol)
        f.old_case("BatchCholeskyGrad", lower.astype(dtype), real.astype(dtype), producer=12, tol=tol)
    mistakes(f)


def linear(f, dtype, tol):
    """Gradients that need known shapes."""
    for shape in [(3, 3), (2, 5, 3), (2, 5)]:
        x = random_matrices(shape, dtype, 14)
        with f.scenario(f"Qr/{np.dtype(dtype).name}/gradients") as s:
            fed = v1.placeholder(dtype, shape, name="x")
            outputs = node_of("Qr", [fed])
            s.gradients(outputs, [fed], {fed: x}, tol=tol)
    if np.dtype(dtype).kind == "c":
        square = random_matrices((2, 3, 3), dtype, 15)
        positive = (square @ adjoint(square) + 2 * np.eye(3)).astype(dtype)
        for op in ["Cholesky", "MatrixInverse", "MatrixDeterminant"]:
            complex_gradients(f, op, positive, tol=tol)
        complex_gradients(f, "MatrixSolve", positive, random_matrices((2, 3, 2), dtype, 16), tol=tol)


def singular_values(f, dtype, tol):
    for shape in [(3, 3), (2, 5, 3), (2, 5)]:
        x = random_matrices(shape, dtype, 17)
        with f.scenario(f"Svd/{np.dtype(dtype).name}/values") as s:
            fed = v1.placeholder(dtype, shape, name="x")
            s.run(node_of("Svd", [fed], compute_uv=False)[0], {fed: x}, tol=tol)
        f.old_case("BatchSvd", x, producer=12, then=None if np.dtype(dtype).kind == "c" else "Abs", only=1, tol=tol)
        for full in [False, True]:
            with f.scenario(f"Svd/{np.dtype(dtype).name}") as s:
                fed = v1.placeholder(dtype, shape, name="x")
                values_, left, right = node_of("Svd", [fed], full_matrices=full)
                short = min(shape[-2:])
                first = left[..., :short] @ tf.linalg.diag(values_) @ tf.linalg.adjoint(right[..., :short])
                ones = [tf.linalg.adjoint(side) @ side for side in (left, right)]
                s.run([values_, first, *ones], {fed: x}, tol=tol)
        if np.dtype(dtype) == np.float64:
            with f.scenario("Svd/float64/gradients") as s:
                fed = v1.placeholder(dtype, shape, name="x")
                values_, left, right = node_of("Svd", [fed])
                s.gradients([values_, left @ tf.linalg.adjoint(right)], [fed], {fed: x}, tol=1e-6)
            with f.scenario("Svd/float64/values/gradients") as s:
                fed = v1.placeholder(dtype, shape, name="x")
                s.gradients([node_of("Svd", [fed], compute_uv=False)[0]], [fed], {fed: x}, tol=1e-6)


def eigenvalues(f, dtype, tol, positive):
    with f.scenario(f"SelfAdjointEigV2/{np.dtype(dtype).name}/values") as s:
        fed = v1.placeholder(dtype, positive.shape, name="x")
        s.run(node_of("SelfAdjointEigV2", [fed], compute_v=False)[0], {fed: positive}, tol=tol)
    with f.scenario(f"SelfAdjointEigV2/{np.dtype(dtype).name}") as s:
        fed = v1.placeholder(dtype, positive.shape, name="x")
        e, v = node_of("SelfAdjointEigV2", [fed])
        s.run([e, v @ tf.linalg.diag(e) @ tf.linalg.adjoint(v), tf.linalg.adjoint(v) @ v], {fed: positive}, tol=tol)
        if np.dtype(dtype) == np.float64:
            s.gradients([e, v @ tf.linalg.diag(e * e) @ tf.linalg.adjoint(v)], [fed], {fed: positive}, tol=1e-6)
    if np.dtype(dtype).kind == "f":
        # The signs of vectors are anybody's choice.
        f.old_case("SelfAdjointEig", positive, producer=10, then="Abs", tol=tol)
        f.old_case("BatchSelfAdjointEig", positive, producer=10, then="Abs", tol=tol)
        f.old_case("BatchSelfAdjointEigV2", positive, producer=12, then="Abs", tol=tol)
    with f.scenario(f"Eig/{np.dtype(dtype).name}") as s:
        x = random_matrices((2, 4, 4), dtype, 18)
        fed = v1.placeholder(dtype, x.shape, name="x")
        wide = tf.complex64 if dtype in (np.float32, np.complex64) else tf.complex128
        e, v = node_of("Eig", [fed], Tout=wide)
        alone = node_of("Eig", [fed], Tout=wide, compute_v=False)[0]
        # Powers of all eigenvalues together do not depend on their order.
        powers = [tf.reduce_sum(e**k, -1) for k in (1, 2, 3)] + [tf.reduce_sum(alone * alone, -1)]
        lengths = tf.reduce_sum(tf.abs(v) ** 2, -2)
        s.run([*powers, lengths, v @ tf.linalg.diag(e) @ tf.linalg.inv(v)], {fed: x}, tol=tol * 5)
        if np.dtype(dtype) == np.float64:
            s.gradients([tf.reduce_sum(e**3, -1)], [fed], {fed: x}, tol=1e-6)


def mistakes(f):
    singular = np.ones((2, 2), np.float32)
    f.case("Lu", singular)
    f.case("Lu", values((2, 3)), phrase="")
    f.case("Qr", values((3,)), phrase="")
    f.case("Svd", values((3,)), phrase="")
    f.case("SelfAdjointEigV2", values((2, 3)), phrase="")
    f.case("Eig", values((2, 3)), phrase="", Tout=tf.complex64)
    f.case("MatrixSolveLs", np.zeros((2, 2), np.float32), values((2, 1)), np.float64(0), phrase="")
    f.case("MatrixSolveLs", singular, values((2, 1)), np.float64(0), fast=False, tol=1e-4)
    f.case("MatrixSolveLs", singular, values((3, 1)), np.float64(0), phrase="")
    f.case("TridiagonalSolve", np.zeros((3, 3), np.float32), values((3, 1)), phrase="")
    f.case("TridiagonalSolve", values((2, 3)), values((3, 1)), phrase="")
    f.case("TridiagonalSolve", values((3, 3)), values((2, 1)), phrase="")
    f.case("BandedTriangularSolve", values((2, 3)), values((4, 1)), phrase="")
    f.case("BandedTriangularSolve", values((4, 3)), values((3, 1)), phrase="")
    f.old_case("MatrixExponential", values((2, 3)), producer=26, phrase="")
    f.case("MatrixSquareRoot", values((2, 3)), phrase="")
    for op in ["Qr", "Svd", "MatrixSquareRoot", "SelfAdjointEigV2"]:
        f.case(op, np.zeros((0, 2, 2), np.float32), grad=False)
    f.case("MatrixSquareRoot", np.zeros((0, 0), np.float32), grad=False)
    f.case("Qr", np.zeros((2, 3), np.float32), tol=1e-5, grad=False)
