"""Sums and the like of segments of a tensor, counts, and products over chosen dimensions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "segment_sum", "segment_mean", "segment_prod", "segment_max", "segment_min", "unsorted_segment_sum",
    "unsorted_segment_prod",
    "unsorted_segment_max", "unsorted_segment_min", "unsorted_segment_mean", "unsorted_segment_sqrt_n", "sparse_segment_sum",
    "sparse_segment_mean", "sparse_segment_sqrt_n", "bincount", "tensordot", "confusion_matrix", "lbeta",
    "histogram_fixed_width", "histogram_fixed_width_bins",
]


def segment_sum(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment; the numbers of the segments are in order.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.segment_sum([1, 2, 3], [0, 0, 1])).tolist()
    [3, 3]
    """
    return one("SegmentSum", data, segment_ids, name=name)


def segment_mean(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The means of the rows of each segment."""
    return one("SegmentMean", data, segment_ids, name=name)


def segment_prod(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The products of the rows of each segment."""
    return one("SegmentProd", data, segment_ids, name=name)


def segment_max(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment."""
    return one("SegmentMax", data, segment_ids, name=name)


def segment_min(data: Any, segment_ids: Any, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment."""
    return one("SegmentMin", data, segment_ids, name=name)


def unsorted_segment_sum(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment; the numbers of the segments are in any order."""
    return one("UnsortedSegmentSum", data, segment_ids, num_segments, name=name)


def unsorted_segment_prod(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The products of the rows of each segment."""
    return one("UnsortedSegmentProd", data, segment_ids, num_segments, name=name)


def unsorted_segment_max(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The largest of the rows of each segment."""
    return one("UnsortedSegmentMax", data, segment_ids, num_segments, name=name)


def unsorted_segment_min(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The smallest of the rows of each segment."""
    return one("UnsortedSegmentMin", data, segment_ids, num_segments, name=name)


def _segment_counts(data: Tensor, segment_ids: Tensor, num_segments: Any) -> Tensor:
    """How many rows each segment has, at least one, in a shape that the segments can be divided by."""
    from tensorfleet._ops import fill_ops, join_ops, shape_ops

    num_segments = convert_to_tensor(num_segments)
    ones = fill_ops.ones(shape_ops._shape_of(segment_ids), data.dtype.base_dtype)
    counts = unsorted_segment_sum(ones, segment_ids, num_segments)
    leading = num_segments[None]  # type: ignore[index]
    extra = shape_ops.rank(data) - shape_ops.rank(segment_ids)  # type: ignore[operator]
    shape = join_ops.concat([leading, fill_ops.ones([extra], num_segments.dtype.base_dtype)], 0)
    return one("Maximum", shape_ops.reshape(counts, shape), 1)


def unsorted_segment_mean(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The means of the rows of each segment."""
    with op_scope(name, "UnsortedSegmentMean", [data, segment_ids]):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, segment_ids, num_segments) / counts  # type: ignore[operator]


def unsorted_segment_sqrt_n(data: Any, segment_ids: Any, num_segments: Any, name: str | None = None) -> Tensor:
    """The sums of the rows of each segment divided by the root of how many they are."""
    with op_scope(name, "UnsortedSegmentSqrtN", [data, segment_ids]):
        data, segment_ids = convert_to_tensor(data), convert_to_tensor(segment_ids)
        counts = _segment_counts(data, segment_ids, num_segments)
        return unsorted_segment_sum(data, segment_ids, num_segments) / one("Sqrt", counts)  # type: ignore[operator]


def _sparse_segment(op: str, data: Any, indices: Any, segment_ids: Any, name: str | None, num_segments: Any) -> Tensor:
    if num_segments is None:
        return one(op, data, indices, segment_ids, name=name)
    return one(op + "WithNumSegments", data, indices, segment_ids, num_segments, name=name)


def sparse_segment_sum(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None) -> Tensor:
    """The sums of chosen rows of each segment."""
    return _sparse_segment("SparseSegmentSum", data, indices, segment_ids, name, num_segments)


def sparse_segment_mean(data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None) -> Tensor:
    """The means of chosen rows of each segment."""
    return _sparse_segment("SparseSegmentMean", data, indices, segment_ids, name, num_segments)


def sparse_segment_sqrt_n(
    data: Any, indices: Any, segment_ids: Any, name: str | None = None, num_segments: Any = None
) -> Tensor:
    """The sums of chosen rows of each segment divided by the root of how many they are."""
    return _sparse_segment("SparseSegmentSqrtN", data, indices, segment_ids, name, num_segments)


def bincount(
    arr: Any, weights: Any = None, minlength: Any = None, maxlength: Any = None, dtype: Any = dtypes.int32,
    name: str | None = None,
) -> Tensor:
    """How often each number from zero on is among integers, or the sums of their weights."""
    from tensorfleet._ops import arithmetic_ops, reduction_ops, shape_ops

    with op_scope(name, "bincount", [arr]):
        arr = convert_to_tensor(arr, dtype=dtypes.int32, name="arr")
        occupied = shape_ops.size(arr) > 0  # type: ignore[operator]
        size: Any = arithmetic_ops.cast(occupied, dtypes.int32) * (reduction_ops.reduce_max(arr) + 1)  # type: ignore[operator]
        if minlength is not None:
            size = one("Maximum", convert_to_tensor(minlength, dtype=dtypes.int32, name="minlength"), size)
        if maxlength is not None:
            size = one("Minimum", convert_to_tensor(maxlength, dtype=dtypes.int32, name="maxlength"), size)
        if weights is not None:
            weights = shape_ops.reshape(weights, [-1])
        arr = shape_ops.reshape(arr, [-1])
        if weights is None:
            weights = constant([], dtype)
        return one("DenseBincount", arr, size, weights)


def histogram_fixed_width_bins(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """The number of the bin that each value falls into: bins are as wide, and the first and the last take what is beyond."""
    from tensorfleet._ops import clip_ops, group_ops, shape_ops
    from tensorfleet._ops.arithmetic_ops import cast, truediv
    from tensorfleet._ops.binary_ops import greater
    from tensorfleet._ops.unary_ops import floor

    with op_scope(name, "histogram_fixed_width_bins", [values, value_range, nbins]):
        values = convert_to_tensor(values, name="values")
        shape = shape_ops.shape(values)
        flat: Any = shape_ops.reshape(values, [-1])
        limits: Any = convert_to_tensor(value_range, name="value_range")
        bins: Any = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        check = group_ops.Assert(greater(bins, 0), [f"nbins {bins} must > 0"])
        count: Any = cast(group_ops.with_dependencies([check], bins), flat.dtype)
        scaled: Any = truediv(flat - limits[0], limits[1] - limits[0], name="scaled_values")
        numbers = clip_ops.clip_by_value(floor(count * scaled, name="indices"), 0, count - 1)
        return shape_ops.reshape(cast(numbers, dtypes.int32), shape)


def histogram_fixed_width(
    values: Any, value_range: Any, nbins: Any = 100, dtype: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """How many values fall into each of equal parts of a range; what is outside counts for the first or last."""
    from tensorfleet._ops import arithmetic_ops, clip_ops, shape_ops

    with op_scope(name, "histogram_fixed_width", [values, value_range, nbins]):
        values = shape_ops.reshape(convert_to_tensor(values, name="values"), [-1])
        bounds: Any = convert_to_tensor(value_range, dtype=values.dtype.base_dtype, name="value_range")
        count = convert_to_tensor(nbins, dtype=dtypes.int32, name="nbins")
        share = (values - bounds[0]) / (bounds[1] - bounds[0])  # type: ignore[operator]
        place = one("Floor", share * arithmetic_ops.cast(count, values.dtype.base_dtype))
        index = clip_ops.clip_by_value(arithmetic_ops.cast(place, dtypes.int32), 0, count - 1)  # type: ignore[operator]
        return unsorted_segment_sum(one("OnesLike", arithmetic_ops.cast(index, dtype)), index, count)


def tensordot(a: Any, b: Any, axes: Any, name: str | None = None) -> Tensor:
    """The sum of products of two tensors over chosen dimensions: a number of them, or a list for each tensor."""
    from tensorfleet._ops import arithmetic_ops, shape_ops

    with op_scope(name, "Tensordot", [a, b, axes]) as scope:
        a = convert_to_tensor(a, name="a")
        b = convert_to_tensor(b, name="b", preferred_dtype=a.dtype.base_dtype)
        a_axes, b_axes = _contracted(a.shape.ndims, axes)
        a_matrix, a_free = _as_matrix(a, a_axes, False)
        b_matrix, b_free = _as_matrix(b, b_axes, True)
        product = arithmetic_ops.matmul(a_matrix, b_matrix)
        if isinstance(a_free, list) and isinstance(b_free, list):
            if product.shape.is_fully_defined() and product.shape.as_list() == a_free + b_free:
                return product
            return shape_ops.reshape(product, a_free + b_free, name=scope)
        from tensorfleet._ops.join_ops import concat

        a_free = convert_to_tensor(a_free, dtype=dtypes.int32, name="Const")
        b_free = convert_to_tensor(b_free, dtype=dtypes.int32)
        made = shape_ops.reshape(product, concat([a_free, b_free], 0), name=scope)
        if a.shape.ndims is not None and b.shape.ndims is not None:
            made.set_shape(_free_dims(a, a_axes) + _free_dims(b, b_axes))
        return made


def _free_dims(tensor: Tensor, axes: list[int]) -> list[int | None]:
    dims = tensor.shape.as_list()
    used = {axis % len(dims) for axis in axes}
    return [dim for i, dim in enumerate(dims) if i not in used]


def _contracted(a_rank: int | None, axes: Any) -> tuple[list[Any], list[Any]]:
    if isinstance(axes, (int, np.integer)):
        if a_rank is None:
            raise ValueError("tensordot over a number of dimensions needs to know how many dimensions the first tensor has")
        if axes < 0 or axes > a_rank:
            raise ValueError(f"`axes` must be an integer between 0 and {a_rank}. Received {axes}.")
        return list(np.arange(a_rank - axes, a_rank)), list(np.arange(axes))
    if len(axes) != 2:
        raise ValueError(f"`axes` is {axes}; give one number or a pair of lists")
    first, second = ([part] if isinstance(part, (int, np.integer)) else list(part) for part in axes)
    if len(first) != len(second):
        raise ValueError(f"`a` is contracted along {len(first)} axes, `b` along {len(second)}")
    return first, second


def _as_matrix(tensor: Tensor, axes: list[int], first: bool) -> tuple[Tensor, Any]:
    """A tensor as a matrix whose rows (or columns) are the dimensions that are summed over; and the others' lengths."""
    from tensorfleet._ops import shape_ops, slice_ops
    from tensorfleet._ops.join_ops import concat, stack
    from tensorfleet._ops.reduction_ops import reduce_prod

    if tensor.shape.ndims is None:
        raise ValueError(f"tensordot needs to know how many dimensions {tensor.name} has")
    dims, ndims = tensor.shape.as_list(), tensor.shape.ndims
    axes = [int(axis) % ndims for axis in axes]
    free = [i for i in np.arange(ndims).tolist() if i not in axes]
    perm = axes + free if first else free + axes
    if tensor.shape.is_fully_defined():
        free_dims = [dims[i] for i in free]
        rows = int(np.prod([dims[i] for i in axes], dtype=np.int64))
        others = int(np.prod(free_dims, dtype=np.int64))
        shape = [rows, others] if first else [others, rows]
        turned = tensor if perm == list(np.arange(ndims)) else shape_ops.transpose(tensor, perm)
        return (turned if turned.shape.as_list() == shape else shape_ops.reshape(turned, shape)), free_dims
    axes_, free_ = convert_to_tensor(
        axes, dtype=dtypes.int32, name="axes"
    ), convert_to_tensor(free, dtype=dtypes.int32, name="free")
    shape_ = shape_ops.shape(tensor)
    free_dims_, axes_dims = slice_ops.gather(shape_, free_), slice_ops.gather(shape_, axes_)
    others_, rows_ = reduce_prod(free_dims_), reduce_prod(axes_dims)
    if first:
        perm_, new_shape = concat([axes_, free_], 0), stack([rows_, others_])
    else:
        perm_, new_shape = concat([free_, axes_], 0), stack([others_, rows_])
    return shape_ops.reshape(shape_ops.transpose(tensor, perm_), new_shape), free_dims_


def confusion_matrix(
    labels: Any, predictions: Any, num_classes: Any = None, dtype: Any = dtypes.int32, name: str | None = None,
    weights: Any = None
) -> Tensor:
    """How often each class (a row) was taken for each class (a column).

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.confusion_matrix([0, 1, 1], [0, 1, 0])).tolist()
    [[1, 0], [1, 1]]
    """
    from tensorfleet._ops import arithmetic_ops, fill_ops, group_ops, join_ops, number_checks, reduction_ops, scatter_ops

    with op_scope(name, "confusion_matrix", [labels, predictions, num_classes, weights]):
        labels, predictions = _without_last_one(labels, predictions)
        predictions = arithmetic_ops.cast(predictions, dtypes.int64)
        labels = arithmetic_ops.cast(labels, dtypes.int64)
        not_below = number_checks.assert_non_negative(labels, message="`labels` contains negative values")
        labels = group_ops.with_dependencies([not_below], labels)
        not_below = number_checks.assert_non_negative(predictions, message="`predictions` contains negative values")
        predictions = group_ops.with_dependencies([not_below], predictions)
        if num_classes is None:
            largest = one("Maximum", reduction_ops.reduce_max(predictions), reduction_ops.reduce_max(labels))
            classes: Any = largest + 1  # type: ignore[operator]
        else:
            classes, limit = num_classes, arithmetic_ops.cast(num_classes, dtypes.int64)
            below = number_checks.assert_less(labels, limit, message="`labels` out of bound")
            labels = group_ops.with_dependencies([below], labels)
            below = number_checks.assert_less(predictions, limit, message="`predictions` out of bound")
            predictions = group_ops.with_dependencies([below], predictions)
        if weights is not None:
            weights = arithmetic_ops.cast(convert_to_tensor(weights, name="weights"), dtype)
        shape = join_ops.stack([classes, classes])
        indices = join_ops.stack([labels, predictions], axis=1)
        values = fill_ops.ones_like(predictions, dtype) if weights is None else weights
        return scatter_ops.scatter_nd(indices, values, arithmetic_ops.cast(shape, dtypes.int64))


def _without_last_one(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    """Labels and predictions as tensors of one rank: a last dimension of length 1 that only one of them has goes away."""
    from tensorfleet._ops.shape_ops import squeeze

    predictions, labels = convert_to_tensor(predictions, name="predictions"), convert_to_tensor(labels, name="labels")
    if labels.shape.ndims is not None and predictions.shape.ndims is not None:
        if labels.shape.ndims == predictions.shape.ndims + 1:
            labels = squeeze(labels, [-1])
        elif predictions.shape.ndims == labels.shape.ndims + 1:
            predictions = squeeze(predictions, [-1])
    return labels, predictions


def lbeta(x: Any, name: str | None = None) -> Tensor:
    """The logarithm of the multivariate beta function along the last dimension."""
    from tensorfleet._ops.reduction_ops import reduce_sum

    with op_scope(name, "lbeta", [x]):
        x = convert_to_tensor(x, name="x")
        apart = reduce_sum(one("Lgamma", x), [-1])
        return apart - one("Lgamma", reduce_sum(x, [-1]))  # type: ignore[operator]
