"""Matrices: `tf.linalg`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import many
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.arithmetic_ops import cross, einsum, matmul
from tensorfleet._ops.clip_ops import global_norm, l2_normalize, norm
from tensorfleet._ops.decomposition_ops import (
    logm, lu, matrix_solve_ls as lstsq, qr, self_adjoint_eig as eigh, self_adjoint_eigvals as eigvalsh,
    matrix_square_root as sqrtm, svd,
)
from tensorfleet._ops.fill_ops import eye
from tensorfleet._ops.matrix_ops import (
    matrix_band_part as band_part, cholesky, cholesky_solve, matrix_determinant as det, matrix_diag as diag,
    matrix_diag_part as diag_part, matrix_inverse as inv, matrix_set_diag as set_diag, matrix_solve as solve,
    diag as tensor_diag, diag_part as tensor_diag_part, trace, matrix_triangular_solve as triangular_solve,
)
from tensorfleet._ops.segment_ops import tensordot
from tensorfleet._ops.shape_ops import matrix_transpose, matrix_transpose as transpose

__all__ = [
    "adjoint", "band_part", "cholesky", "cholesky_solve", "cross", "det", "diag", "diag_part", "eigh", "eigvalsh", "einsum",
    "eye",
    "global_norm", "inv", "l2_normalize", "logdet", "logm", "lstsq", "lu", "matmul", "matrix_transpose", "matvec", "norm", "qr",
    "set_diag", "slogdet", "solve", "sqrtm", "svd", "tensor_diag", "tensor_diag_part", "tensordot", "trace", "transpose", "triangular_solve",
]


def adjoint(matrix: Any, name: str | None = None) -> Tensor:
    """Matrices with rows for columns and, if they are complex, the other sign of their imaginary parts."""
    from tensorfleet._framework.convert import convert_to_tensor
    from tensorfleet._ops.op_scope import op_scope

    with op_scope(name, "adjoint", [matrix]):
        return matrix_transpose(convert_to_tensor(matrix, name="matrix"), conjugate=True)


def slogdet(input: Any, name: str | None = None) -> tuple[Tensor, Tensor]:
    """The signs and the logarithms of the absolute values of the determinants of matrices."""
    sign, log_abs_determinant = many("LogMatrixDeterminant", input, name=name)
    return sign, log_abs_determinant


def logdet(matrix: Any, name: str | None = None) -> Tensor:
    """The logarithms of the determinants of positive definite matrices."""
    from tensorfleet._ops.op_scope import op_scope
    from tensorfleet._ops.arithmetic_ops import real
    from tensorfleet._ops.reduction_ops import reduce_sum
    from tensorfleet._ops.unary_ops import log

    with op_scope(name, "logdet", [matrix]):
        return 2.0 * reduce_sum(log(real(diag_part(cholesky(matrix)))), [-1])  # type: ignore[operator]


def matvec(a: Any, b: Any, transpose_a: bool = False, adjoint_a: bool = False, name: str | None = None) -> Tensor:
    """The product of matrices and vectors."""
    from tensorfleet._ops.op_scope import op_scope
    from tensorfleet._ops.shape_ops import expand_dims, squeeze

    with op_scope(name, "MatVec", [a, b]):
        column = expand_dims(b, axis=-1)
        return squeeze(matmul(a, column, transpose_a=transpose_a, adjoint_a=adjoint_a), axis=-1)
