"""Reductions: sums, means, largest elements and the like, over some dimensions or all."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope, renamed
from tensorfleet._ops.shape_ops import _all_axes

__all__ = [
    "reduce_all", "reduce_any", "reduce_euclidean_norm", "reduce_logsumexp", "reduce_max", "reduce_mean", "reduce_min",
    "reduce_prod", "reduce_std", "reduce_sum", "reduce_variance", "count_nonzero",
]


def _options(axis: Any, keepdims: Any, reduction_indices: Any, keep_dims: Any) -> tuple[Any, bool]:
    """The dimensions and whether they stay, from new and old names of the arguments."""
    axis = renamed(axis, reduction_indices, "axis", "reduction_indices")
    keepdims = renamed(keepdims, keep_dims, "keepdims", "keep_dims")
    return axis, bool(keepdims)


def _reduce(op: str, x: Any, axis: Any, keepdims: bool, name: str | None) -> Tensor:
    made = one(op, x, _all_axes(x) if axis is None else axis, name=name, keep_dims=keepdims)
    if axis is None and not keepdims:
        made.set_shape([])
    return made


def reduce_sum(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The sum of the elements.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.reduce_sum([[1, 2], [3, 4]], 0)).tolist()
    [4, 6]
    """
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Sum", input_tensor, axis, keepdims, name)


def reduce_mean(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The mean of the elements."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Mean", input_tensor, axis, keepdims, name)


def reduce_prod(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The product of the elements."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Prod", input_tensor, axis, keepdims, name)


def reduce_max(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The largest of the elements."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Max", input_tensor, axis, keepdims, name)


def reduce_min(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The smallest of the elements."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Min", input_tensor, axis, keepdims, name)


def reduce_all(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether all elements are true."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("All", input_tensor, axis, keepdims, name)


def reduce_any(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """Whether any element is true."""
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    return _reduce("Any", input_tensor, axis, keepdims, name)


def reduce_logsumexp(
    input_tensor: Any, axis: Any = None, keepdims: bool | None = None, name: str | None = None, reduction_indices: Any = None,
    keep_dims: bool | None = None,
) -> Tensor:
    """The logarithm of the sum of the exponentials of the elements, computed so that nothing overflows."""
    from tensorfleet._ops import arithmetic_ops, shape_ops

    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    with op_scope(name, "ReduceLogSumExp", [input_tensor]) as scope:
        x = convert_to_tensor(input_tensor)
        largest = reduce_max(x, axis, True)
        shift = one("StopGradient", one("SelectV2", one("IsFinite", largest), largest, 0))
        summed = one("Log", reduce_sum(one("Exp", one("Sub", x, shift)), axis, keepdims))
        if not keepdims:
            shift = shape_ops.reshape(shift, one("Shape", summed))
        return arithmetic_ops.add(summed, shift, name=scope)


def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The variance of the elements."""
    with op_scope(name, "reduce_variance", [input_tensor]):
        x = convert_to_tensor(input_tensor)
        means = reduce_mean(x, axis, True)
        if means.dtype.is_integer:
            raise TypeError(f"a variance is of real or complex numbers, not of {means.dtype!r}")
        distances: Any = x - means  # type: ignore[operator]
        return reduce_mean(one("Square", distances), axis, keepdims)


def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The standard deviation of the elements."""
    with op_scope(name, "reduce_std", [input_tensor]):
        return one("Sqrt", reduce_variance(input_tensor, axis, keepdims))


def reduce_euclidean_norm(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The elements are squared and summed, and the root is taken."""
    with op_scope(name, "EuclideanNorm", [input_tensor]) as scope:
        return one("Sqrt", reduce_sum(one("Square", input_tensor), axis, keepdims), name=scope)


def count_nonzero(
    input_tensor: Any = None, axis: Any = None, keepdims: bool | None = None, dtype: Any = dtypes.int64,
    name: str | None = None,
    reduction_indices: Any = None, keep_dims: bool | None = None, input: Any = None,
) -> Tensor:
    """How many elements are not zero."""
    from tensorfleet._ops import arithmetic_ops, fill_ops

    x = renamed(input_tensor, input, "input_tensor", "input")
    axis, keepdims = _options(axis, keepdims, reduction_indices, keep_dims)
    with op_scope(name, "count_nonzero", [x.values if isinstance(x, SparseTensor) else x]):
        if isinstance(x, SparseTensor):
            raise TypeError("count_nonzero takes dense tensors; tf.sparse_reduce_sum counts in sparse ones")
        x = convert_to_tensor(x, name="input")
        marked = one("NotEqual", x, fill_ops.zeros([], x.dtype.base_dtype))
        return arithmetic_ops.cast(reduce_sum(one("Cast", marked, DstT=dtypes.int64), axis, keepdims), dtype)
