"""Sets along the last dimension of tensors: `tf.sets`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor

__all__ = ["difference", "intersection", "set_difference", "set_intersection", "set_size", "set_union", "size", "union"]


def size(a: SparseTensor, validate_indices: bool = True) -> Tensor:
    """How many different elements each row of a sparse tensor has."""
    if not isinstance(a, SparseTensor):
        raise TypeError(f"sets are rows of a SparseTensor, not {a!r}")
    return one("SetSize", a.indices, a.values, a.dense_shape, validate_indices=validate_indices)


def _operation(kind: str, a: Any, b: Any, validate_indices: bool) -> SparseTensor:
    sparse_a, sparse_b = isinstance(a, SparseTensor), isinstance(b, SparseTensor)
    if sparse_a and not sparse_b:
        # The op takes the dense one first.
        a, b, sparse_a, sparse_b = b, a, False, True
        kind = {"a-b": "b-a", "b-a": "a-b"}.get(kind, kind)
    options: dict[str, Any] = {"set_operation": kind, "validate_indices": validate_indices}
    if sparse_a:
        parts = [a.indices, a.values, a.dense_shape, b.indices, b.values, b.dense_shape]
        return SparseTensor(*many("SparseToSparseSetOperation", *parts, **options))
    a = convert_to_tensor(a)
    if sparse_b:
        return SparseTensor(*many("DenseToSparseSetOperation", a, b.indices, b.values, b.dense_shape, **options))
    return SparseTensor(*many("DenseToDenseSetOperation", a, b, **options))


def intersection(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements that rows of both have."""
    return _operation("intersection", a, b, validate_indices)


def difference(a: Any, b: Any, aminusb: bool = True, validate_indices: bool = True) -> SparseTensor:
    """The elements that rows of one have and of the other do not."""
    return _operation("a-b" if aminusb else "b-a", a, b, validate_indices)


def union(a: Any, b: Any, validate_indices: bool = True) -> SparseTensor:
    """The elements that rows of either have."""
    return _operation("union", a, b, validate_indices)


set_size, set_intersection, set_difference, set_union = size, intersection, difference, union
