"""Sparse tensors made dense, added, multiplied and reduced."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "sparse_to_dense", "sparse_tensor_to_dense", "sparse_tensor_dense_matmul", "sparse_add", "sparse_reduce_sum",
    "sparse_reduce_sum_sparse", "sparse_reduce_max", "sparse_reduce_max_sparse", "sparse_softmax", "sparse_matmul",
    "sparse_mask", "edit_distance",
    "convert_to_tensor_or_sparse_tensor",
]


def _sparse(value: Any, word: str = "sp_input") -> SparseTensor:
    """A sparse tensor, or the value of one; TypeError else."""
    if isinstance(value, SparseTensor):
        return value
    if hasattr(value, "dense_shape") and hasattr(value, "indices") and not isinstance(value, IndexedSlices):
        return SparseTensor(value.indices, value.values, value.dense_shape)
    raise TypeError(f"{word} must be a SparseTensor, not {value!r}")


def _parts(value: SparseTensor) -> tuple[Tensor, Tensor, Tensor]:
    return value.indices, value.values, value.dense_shape


def sparse_to_dense(
    sparse_indices: Any, output_shape: Any, sparse_values: Any, default_value: Any = 0, validate_indices: bool = True,
    name: str | None = None,
) -> Tensor:
    """A tensor of one value with others at places.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.sparse_to_dense([0, 2], [4], 1)).tolist()
    [1, 0, 1, 0]
    """
    return one(
        "SparseToDense", sparse_indices, output_shape, sparse_values, default_value, name=name,
        validate_indices=validate_indices
    )


def sparse_tensor_to_dense(
    sp_input: Any, default_value: Any = None, validate_indices: bool = True, name: str | None = None
) -> Tensor:
    """A sparse tensor as a dense one."""
    from tensorfleet._ops.fill_ops import zeros

    sp_input = _sparse(sp_input)
    if default_value is None:
        default_value = zeros([], sp_input.dtype)
    return sparse_to_dense(sp_input.indices, sp_input.dense_shape, sp_input.values, default_value, validate_indices, name)


def sparse_tensor_dense_matmul(
    sp_a: Any, b: Any, adjoint_a: bool = False, adjoint_b: bool = False, name: str | None = None
) -> Tensor:
    """The product of a sparse matrix and a dense one."""
    sp_a = _sparse(sp_a, "sp_a")
    with op_scope(name, "SparseTensorDenseMatMul", [sp_a.indices, b]):
        b = convert_to_tensor(b, name="b")
        return one("SparseTensorDenseMatMul", *_parts(sp_a), b, adjoint_a=adjoint_a, adjoint_b=adjoint_b)


def sparse_add(a: Any, b: Any, threshold: Any = None, thresh: Any = None) -> Any:
    """Two sparse tensors added, or a sparse and a dense one."""
    threshold = renamed(threshold, thresh, "threshold", "thresh")
    sparse_a, sparse_b = isinstance(a, SparseTensor), isinstance(b, SparseTensor)
    if not sparse_a and not sparse_b:
        raise TypeError(f"At least one input of sparse_add must be a SparseTensor, not {a!r} and {b!r}")
    if sparse_a and sparse_b:
        limit = convert_to_tensor(0 if threshold is None else threshold, dtype=a.values.dtype.real_dtype, name="threshold")
        return SparseTensor(*many("SparseAdd", *_parts(a), *_parts(b), limit))
    if sparse_b:
        a, b = b, a
    return one("SparseTensorDenseAdd", *_parts(a), b)


def _axes(sp_input: SparseTensor, axis: Any) -> Any:
    import numpy as np

    from tensorfleet._framework.convert import constant
    from tensorfleet._ops.fill_ops import range
    from tensorfleet._ops.shape_ops import rank

    if axis is not None:
        return axis
    count = sp_input.dense_shape.shape[0].value if sp_input.dense_shape.shape.ndims else None
    return constant(np.arange(count, dtype=np.int32)) if count is not None else range(0, rank(sp_input))


def _reduce(op: str, sp_input: Any, axis: Any, keepdims: Any, reduction_axes: Any, keep_dims: Any) -> list[Tensor]:
    sp_input = _sparse(sp_input)
    axis = renamed(axis, reduction_axes, "axis", "reduction_axes")
    keepdims = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    return many(op, *_parts(sp_input), _axes(sp_input, axis), keep_dims=keepdims)


def sparse_reduce_sum(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, reduction_axes: Any = None, keep_dims: bool | None = None
) -> Tensor:
    """The sums of the elements of a sparse tensor along dimensions, as a dense tensor."""
    return _reduce("SparseReduceSum", sp_input, axis, keepdims, reduction_axes, keep_dims)[0]


def sparse_reduce_sum_sparse(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, reduction_axes: Any = None, keep_dims: bool | None = None
) -> SparseTensor:
    """The sums of the elements of a sparse tensor along dimensions, as a sparse tensor."""
    return SparseTensor(*_reduce("SparseReduceSumSparse", sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_reduce_max(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, reduction_axes: Any = None, keep_dims: bool | None = None
) -> Tensor:
    """The largest elements of a sparse tensor along dimensions, as a dense tensor."""
    return _reduce("SparseReduceMax", sp_input, axis, keepdims, reduction_axes, keep_dims)[0]


def sparse_reduce_max_sparse(
    sp_input: Any, axis: Any = None, keepdims: bool | None = None, reduction_axes: Any = None, keep_dims: bool | None = None
) -> SparseTensor:
    """The largest elements of a sparse tensor along dimensions, as a sparse tensor."""
    return SparseTensor(*_reduce("SparseReduceMaxSparse", sp_input, axis, keepdims, reduction_axes, keep_dims))


def sparse_softmax(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The softmax of the elements that a sparse tensor has, along its last dimension."""
    sp_input = _sparse(sp_input)
    with op_scope(name, "SparseSoftmax", [sp_input.indices]):
        values = one("SparseSoftmax", *_parts(sp_input))
        return SparseTensor(sp_input.indices, values, sp_input.dense_shape)


def sparse_matmul(
    a: Any, b: Any, transpose_a: bool = False, transpose_b: bool = False, a_is_sparse: bool = False, b_is_sparse: bool = False,
    name: str | None = None,
) -> Tensor:
    """The product of two matrices of which many elements may be zero; computed as a dense product."""
    from tensorfleet._ops.arithmetic_ops import matmul

    return matmul(a, b, transpose_a, transpose_b, name=name or "SparseMatMul")


def sparse_mask(a: IndexedSlices, mask_indices: Any, name: str | None = None) -> IndexedSlices:
    """Rows without those of given numbers."""
    from tensorfleet._ops.slice_ops import gather

    with op_scope(name, "sparse_mask", [a.indices]) as scope:
        indices, places = many("ListDiff", a.indices, mask_indices)
        return IndexedSlices(gather(a.values, places, name=scope), indices, a.dense_shape)


def convert_to_tensor_or_sparse_tensor(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The sparse tensor that a value is, else the tensor that it stands for."""
    if dtype is not None:
        dtype = dtypes.as_dtype(dtype)
    if isinstance(value, SparseTensor) or hasattr(value, "dense_shape"):
        value = _sparse(value)
        if dtype is not None and value.dtype.base_dtype != dtype:
            raise RuntimeError(f"{dtype.name} is asked for, but the sparse tensor is of {value.dtype.name}")
        return value
    return convert_to_tensor(value, dtype, name)


def _multiply(x: SparseTensor, y: Any) -> SparseTensor:
    with op_scope(None, "mul", [x.indices]) as scope:
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        return SparseTensor(x.indices, one("SparseDenseCwiseMul", *_parts(x), y, name=scope), x.dense_shape)


def _divide(x: SparseTensor, y: Any) -> SparseTensor:
    with op_scope(None, "truediv", [x.indices]) as scope:
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        return SparseTensor(x.indices, one("SparseDenseCwiseDiv", *_parts(x), y, name=scope), x.dense_shape)


SparseTensor.__mul__ = _multiply  # type: ignore[attr-defined, operator]
SparseTensor.__truediv__ = _divide  # type: ignore[attr-defined, operator]


def edit_distance(hypothesis: Any, truth: Any, normalize: bool = True, name: str = "edit_distance") -> Tensor:
    """How many insertions, deletions and replacements make one sequence of another; divided by the length of `truth`, if normalized.

    >>> import tensorfleet.v1 as tf
    >>> word = lambda text: tf.SparseTensor([[0, i] for i in range(len(text))], tf.constant(list(text)), [1, len(text)])
    >>> tf.Session().run(tf.edit_distance(word("kitten"), word("sitting"), normalize=False)).tolist()
    [3.0]
    """
    for label, value in (("Hypothesis", hypothesis), ("Truth", truth)):
        if not isinstance(value, SparseTensor):
            raise TypeError(f"{label} must be a SparseTensor, not {type(value).__name__}")
    return one(
        "EditDistance", hypothesis.indices, hypothesis.values, hypothesis.dense_shape, truth.indices, truth.values,
        truth.dense_shape, name=name, normalize=normalize)
