"""Matrices taken apart: singular values, eigenvalues, QR and LU; functions of matrices; least squares."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.arithmetic_ops import real
from tensorfleet._ops.op_scope import op_scope

__all__ = ["matrix_solve_ls", "matrix_square_root", "qr", "self_adjoint_eig", "self_adjoint_eigvals", "svd"]


def svd(tensor: Any, full_matrices: bool = False, compute_uv: bool = True, name: str | None = None) -> Any:
    """The singular values of matrices, and the matrices to their left and right.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.svd([[0.0, 2.0], [1.0, 0.0]], compute_uv=False)).tolist()
    [2.0, 1.0]
    """
    values, left, right = many("Svd", tensor, name=name, compute_uv=compute_uv, full_matrices=full_matrices)
    # They are real, but of the matrices' type.
    values = real(values)
    return (values, left, right) if compute_uv else values


def self_adjoint_eig(tensor: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The eigenvalues, the smallest first, and the eigenvectors of symmetric matrices."""
    values, vectors = many("SelfAdjointEigV2", tensor, name=name, compute_v=True)
    return values, vectors


def self_adjoint_eigvals(tensor: Any, name: str | None = None) -> Tensor:
    """The eigenvalues of symmetric matrices, the smallest first."""
    return many("SelfAdjointEigV2", tensor, name=name, compute_v=False)[0]


def qr(input: Any, full_matrices: bool = False, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Orthogonal and upper triangular matrices whose products are the given ones."""
    q, r = many("Qr", input, name=name, full_matrices=full_matrices)
    return q, r


def lu(input: Any, output_idx_type: Any = dtypes.int32, name: str | None = None) -> tuple[Tensor, Tensor]:
    """Lower and upper triangular matrices in one, whose products are the given ones, and the order of their rows."""
    both, order = many("Lu", input, name=name, output_idx_type=output_idx_type)
    return both, order


def logm(input: Any, name: str | None = None) -> Tensor:
    """The logarithms of matrices."""
    return one("MatrixLogarithm", input, name=name)


def matrix_square_root(input: Any, name: str | None = None) -> Tensor:
    """The matrices whose squares are the given ones."""
    return one("MatrixSquareRoot", input, name=name)


def matrix_solve_ls(
    matrix: Any, rhs: Any, l2_regularizer: float = 0.0, fast: bool = True, name: str | None = None
) -> Tensor:
    """What a matrix has to be multiplied with to come nearest to `rhs`."""
    matrix = convert_to_tensor(matrix, name="matrix")
    sizes = matrix.shape[-2:]
    if not fast or not sizes.is_fully_defined():
        return one("MatrixSolveLs", matrix, rhs, l2_regularizer, name=name, fast=fast)
    from tensorfleet._ops.arithmetic_ops import matmul
    from tensorfleet._ops.matrix_ops import cholesky_solve

    tall = sizes.as_list()[0] >= sizes.as_list()[1]
    with op_scope(name, "matrix_solve_ls", [matrix, rhs, l2_regularizer]):
        root = _root_of_square(matrix, l2_regularizer, tall)
        if tall:
            return cholesky_solve(root, matmul(matrix, rhs, adjoint_a=True))
        return matmul(matrix, cholesky_solve(root, rhs), adjoint_a=True)


def _root_of_square(matrix: Tensor, l2_regularizer: float, tall: bool) -> Tensor:
    """The Cholesky decomposition of a matrix times its own transpose, the smaller way around, plus a multiple of one."""
    from tensorfleet._ops.arithmetic_ops import matmul
    from tensorfleet._ops.fill_ops import eye
    from tensorfleet._ops.matrix_ops import cholesky

    square: Any = matmul(matrix, matrix, adjoint_a=tall, adjoint_b=not tall)
    if l2_regularizer != 0:
        shape = matrix.shape.as_list()
        square = square + l2_regularizer * eye(min(shape[-2:]), dtype=matrix.dtype.base_dtype)  # type: ignore[operator]
    return cholesky(square)
