"""Batches of elements of similar length."""

from __future__ import annotations

from typing import Any, Callable, Sequence

from tensorfleet._data import structure
from tensorfleet._data.dataset import Dataset
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape


def bucket_by_sequence_length(
    element_length_func: Callable[..., Any], bucket_boundaries: Sequence[int], bucket_batch_sizes: Sequence[int],
    padded_shapes: Any = None, padding_values: Any = None, pad_to_bucket_boundary: bool = False, no_padding: bool = False,
    drop_remainder: bool = False,
) -> Callable[[Dataset], Dataset]:
    """Batches of elements whose lengths lie between the same boundaries; there is a batch size for each bucket.

    :raises ValueError: unless there is one batch size more than there are boundaries
    """
    bounds, sizes = [int(bound) for bound in bucket_boundaries], [int(size) for size in bucket_batch_sizes]
    if len(sizes) != len(bounds) + 1:
        raise ValueError(
            f"{len(bounds)} bucket_boundaries make {len(bounds) + 1} buckets, but bucket_batch_sizes has {len(sizes)} "
            "entries"
        )

    batch_sizes: Any = None

    def bucket(*args: Any) -> Tensor:
        length = element_length_func(*args)
        length = one("Cast", convert_to_tensor(length), DstT=dtypes.int64)
        above = one("GreaterEqual", length, convert_to_tensor(bounds, dtype=dtypes.int64))
        return one("Sum", one("Cast", above, DstT=dtypes.int64), [0])

    def batch_size(key: Tensor) -> Tensor:
        return one("GatherV2", batch_sizes, key, 0)

    def batch(key: Tensor, grouped: Dataset) -> Dataset:
        size = batch_size(key)
        if no_padding:
            return grouped.batch(size, drop_remainder)
        shapes = padded_shapes if padded_shapes is not None else structure.map_leaves(lambda leaf: leaf.shape, grouped._spec)
        if pad_to_bucket_boundary:
            widths = convert_to_tensor([bound - 1 for bound in bounds] + [-1], dtype=dtypes.int64)
            width = one("GatherV2", widths, key, 0)
            shapes = structure.map_leaves(lambda leaf: _filled(leaf, width), _shapes(grouped._spec, shapes))
        return grouped.padded_batch(size, shapes, padding_values, drop_remainder)

    def apply(dataset: Dataset) -> Dataset:
        nonlocal batch_sizes
        batch_sizes = convert_to_tensor(sizes, dtype=dtypes.int64)
        return dataset.group_by_window(bucket, batch, window_size_func=batch_size)

    return apply


def _shapes(spec: Any, shapes: Any) -> Any:
    from tensorfleet._data.transforms import _leaves_like

    return structure.pack(spec, [TensorShape(shape) for shape in _leaves_like(spec, shapes)])


def _filled(shape: TensorShape, width: Tensor) -> Tensor:
    """A shape as a tensor, with the unknown dimensions as wide as the bucket."""
    dims = [width if dim is None else dim for dim in shape.as_list()]
    return convert_to_tensor(dims, dtype=dtypes.int64)
