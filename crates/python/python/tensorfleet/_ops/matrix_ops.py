"""Matrices: diagonals, bands, inverses, solutions of equations."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "diag", "diag_part", "matrix_diag", "matrix_diag_part", "matrix_set_diag", "matrix_band_part", "matrix_determinant",
    "matrix_inverse", "matrix_solve", "matrix_triangular_solve", "cholesky", "cholesky_solve", "trace",
]


def diag(diagonal: Any, name: str | None = None) -> Tensor:
    """A tensor with given elements on its diagonal and zeros elsewhere.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.diag([1, 2])).tolist()
    [[1, 0], [0, 2]]
    """
    return one("Diag", diagonal, name=name)


def diag_part(input: Any, name: str | None = None) -> Tensor:
    """The diagonal of a tensor."""
    return one("DiagPart", input, name=name)


def _padding(value: Any, kind: Any) -> Any:
    """The element for what is outside of diagonals; True and False are taken for a tensor of bools."""
    return bool(value) if kind == dtypes.bool and isinstance(value, int) else value


def matrix_diag(
    diagonal: Any, name: str | None = "diag", k: Any = 0, num_rows: Any = -1, num_cols: Any = -1, padding_value: Any = 0,
    align: str = "RIGHT_LEFT",
) -> Tensor:
    """Matrices with given diagonals."""
    kind = diagonal.dtype.base_dtype if hasattr(diagonal, "dtype") else None
    return one("MatrixDiagV3", diagonal, k, num_rows, num_cols, _padding(padding_value, kind), name=name or "diag", align=align)


def matrix_diag_part(
    input: Any, name: str | None = "diag_part", k: Any = 0, padding_value: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """The diagonals of matrices."""
    kind = input.dtype.base_dtype if hasattr(input, "dtype") else None
    return one("MatrixDiagPartV3", input, k, _padding(padding_value, kind), name=name or "diag_part", align=align)


def matrix_set_diag(
    input: Any, diagonal: Any, name: str | None = "set_diag", k: Any = 0, align: str = "RIGHT_LEFT"
) -> Tensor:
    """Matrices with other main diagonals."""
    from tensorfleet._ops import fill_ops, shape_ops

    if not isinstance(k, int) or k != 0:
        raise NotImplementedError(f"matrix_set_diag sets the main diagonal, not those of k={k!r}")
    with op_scope(name, "set_diag", [input, diagonal]) as scope:
        input = convert_to_tensor(input, name="input")
        diagonal = convert_to_tensor(diagonal, dtype=input.dtype.base_dtype, name="diagonal")
        shape: Any = shape_ops.shape(input)
        rows, columns = shape[-2], shape[-1]
        marks = matrix_diag(fill_ops.ones_like(diagonal, dtypes.bool), num_rows=rows, num_cols=columns, padding_value=False)
        return one("SelectV2", marks, matrix_diag(diagonal, num_rows=rows, num_cols=columns), input, name=scope)


def matrix_band_part(input: Any, num_lower: Any, num_upper: Any, name: str | None = None) -> Tensor:
    """Matrices with zeros outside of a band about the diagonal."""
    return one("MatrixBandPart", input, num_lower, num_upper, name=name)


def matrix_determinant(input: Any, name: str | None = None) -> Tensor:
    """The determinants of matrices."""
    return one("MatrixDeterminant", input, name=name)


def matrix_inverse(input: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """The inverses of matrices."""
    return one("MatrixInverse", input, name=name, adjoint=adjoint)


def matrix_solve(matrix: Any, rhs: Any, adjoint: bool = False, name: str | None = None) -> Tensor:
    """What a matrix has to be multiplied with to give `rhs`."""
    return one("MatrixSolve", matrix, rhs, name=name, adjoint=adjoint)


def matrix_triangular_solve(
    matrix: Any, rhs: Any, lower: bool = True, adjoint: bool = False, name: str | None = None
) -> Tensor:
    """What a triangular matrix has to be multiplied with to give `rhs`."""
    with op_scope(name, "triangular_solve", [matrix, rhs]):
        return one("MatrixTriangularSolve", matrix, rhs, name=name, lower=lower, adjoint=adjoint)


def cholesky(input: Any, name: str | None = None) -> Tensor:
    """The lower triangular matrices whose squares are the given ones."""
    return one("Cholesky", input, name=name)


def cholesky_solve(chol: Any, rhs: Any, name: str | None = None) -> Tensor:
    """What a matrix has to be multiplied with to give `rhs`, from its Cholesky decomposition."""
    with op_scope(name, "cholesky_solve", [chol, rhs]):
        y = one("MatrixTriangularSolve", chol, rhs, adjoint=False, lower=True)
        return one("MatrixTriangularSolve", chol, y, adjoint=True, lower=True)


def trace(x: Any, name: str | None = None) -> Tensor:
    """The sums of the diagonals of matrices."""
    from tensorfleet._ops.reduction_ops import reduce_sum

    with op_scope(name, "Trace", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return reduce_sum(matrix_diag_part(x), [-1], name=scope)


def _logdet_parts(matrix: Any, name: str | None = None) -> list[Tensor]:
    """The signs and the logarithms of the absolute values of determinants."""
    return many("LogMatrixDeterminant", matrix, name=name)
