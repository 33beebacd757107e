"""Tensors joined and parted: concat, split, stack, unstack."""

from __future__ import annotations

import numbers
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import Dimension
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = ["concat", "split", "stack", "unstack", "parallel_stack", "repeat"]


def _is_number(value: Any) -> bool:
    return isinstance(value, (numbers.Integral, Dimension)) and not isinstance(value, bool)


def concat(values: Any = None, axis: Any = None, name: str | None = "concat", concat_dim: Any = None) -> Tensor:
    """Tensors joined along a dimension. TensorFlow 0.x had the dimension first, which is understood too.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.concat([[1, 2], [3]], 0)).tolist()
    [1, 2, 3]
    >>> tf.Session().run(tf.concat(0, [[1, 2], [3]])).tolist()
    [1, 2, 3]
    """
    if concat_dim is not None:
        axis = renamed(axis, concat_dim, "axis", "concat_dim")
    if isinstance(axis, (list, tuple)) and (_is_number(values) or isinstance(values, Tensor) and values.shape.ndims == 0):
        values, axis = axis, values
    if values is None or axis is None:
        raise TypeError("concat(values, axis): the tensors come first, as a list, then the dimension's number")
    values = list(values) if isinstance(values, (list, tuple)) else [values]
    if len(values) == 1:
        with op_scope(name, "concat", values):
            number = convert_to_tensor(axis, dtype=dtypes.int32, name="concat_dim")
            if number.shape.ndims not in (None, 0):
                raise ValueError(f"concat joins along one dimension, not {axis!r}")
            return one("Identity", values[0], name=name or "concat")
    return one("ConcatV2", values, axis, name=name or "concat")


def split(
    value: Any = None, num_or_size_splits: Any = None, axis: Any = 0, num: int | None = None, name: str | None = "split",
    split_dim: Any = None, num_split: Any = None,
) -> list[Tensor]:
    """A tensor parted along a dimension: in so many equal parts, or in parts of given lengths. TensorFlow 0.x took the
    dimension, the number of parts and then the tensor, which is understood too.

    >>> import tensorfleet.v1 as tf
    >>> [part.tolist() for part in tf.Session().run(tf.split([1, 2, 3, 4], 2))]
    [[1, 2], [3, 4]]
    """
    if split_dim is not None or num_split is not None:
        axis, num_or_size_splits = (0 if split_dim is None else split_dim), renamed(
            num_or_size_splits, num_split, "num_or_size_splits", "num_split"
        )
    elif _is_number(value) and _is_number(num_or_size_splits) and not _is_number(axis):
        axis, value = value, axis
    if value is None or num_or_size_splits is None:
        raise TypeError("split takes a tensor and a number of parts: split(value, num_or_size_splits, axis)")
    if _is_number(num_or_size_splits):
        return many("Split", axis, value, name=name or "split", num_split=int(num_or_size_splits))
    sizes = convert_to_tensor(num_or_size_splits)
    if sizes.shape.ndims == 0:
        raise ValueError(
            "num_or_size_splits is a number for equal parts or a list of sizes, not the scalar tensor "
            f"{num_or_size_splits!r}"
        )
    if num is None:
        num = sizes.shape[0].value if sizes.shape.ndims else None
        if num is None:
            raise ValueError(
                f"the sizes of the parts have shape {sizes.shape}, which does not say how many there are: give `num`"
            )
    return many("SplitV", value, sizes, axis, name=name or "split", num_split=num)


def stack(values: Any, axis: int = 0, name: str | None = "stack") -> Tensor:
    """Tensors of one shape joined along a new dimension.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.stack([[1, 4], [2, 5]], axis=1)).tolist()
    [[1, 2], [4, 5]]
    """
    if axis == 0:
        try:
            return convert_to_tensor(values, name=name or "stack")
        except (TypeError, ValueError):
            pass
    values = list(values)
    if not values:
        raise ValueError("There is nothing to stack: the list is empty")
    ndims = convert_to_tensor(values[0]).shape.ndims if isinstance(values[0], Tensor) else None
    if ndims is not None and not -(ndims + 1) <= axis < ndims + 1:
        raise ValueError(f"axis {axis} lies outside of [{-(ndims + 1)}, {ndims + 1})")
    return one("Pack", values, name=name or "stack", axis=axis)


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str | None = "unstack") -> list[Tensor]:
    """The slices of a tensor along a dimension, which goes away.

    >>> import tensorfleet.v1 as tf
    >>> [row.tolist() for row in tf.Session().run(tf.unstack([[1, 2], [3, 4]]))]
    [[1, 2], [3, 4]]
    """
    if num is None:
        value = convert_to_tensor(value)
        ndims = value.shape.ndims
        if ndims is not None:
            if not -ndims <= axis < ndims:
                raise ValueError(f"axis {axis} lies outside of [{-ndims}, {ndims})")
            num = value.shape[axis].value
        if num is None:
            raise ValueError(
                f"dimension {axis} of {value.name} of shape {value.shape} is not known: give `num`"
            )
    return many("Unpack", value, name=name or "unstack", num=num, axis=axis)


def parallel_stack(values: Any, name: str | None = "parallel_stack") -> Tensor:
    """Tensors of one known shape joined along a new first dimension, each as soon as it is there."""
    from tensorfleet._ops.shape_ops import expand_dims

    with op_scope(name, "parallel_stack", values):
        first = convert_to_tensor(values[0])
        if not first.shape.is_fully_defined():
            raise ValueError(f"parallel_stack needs a fully known shape, not {first.shape} of {first.name}")
        rows = [expand_dims(value, 0) for value in values]
        return one("ParallelConcat", rows, name=None, shape=[len(values)] + first.shape.as_list())


def repeat(input: Any, repeats: Any, axis: int | None = None, name: str | None = None) -> Tensor:
    """Each element (or slice along `axis`) repeated so many times, one number for all or one for each.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.repeat([1, 2], [1, 3])).tolist()
    [1, 2, 2, 2]
    """
    from tensorfleet._ops import fill_ops, math_ops, shape_ops, slice_ops

    with op_scope(name, "Repeat", [input, repeats]):
        input = convert_to_tensor(input)
        repeats = math_ops.cast(convert_to_tensor(repeats), dtypes.int32)
        if axis is None:
            input, axis = shape_ops.reshape(input, [-1]), 0
        length = shape_ops.shape(input)[axis]  # type: ignore[index]
        counts = shape_ops.broadcast_to(repeats, shape_ops.expand_dims(length, 0))
        ends = math_ops.cumsum(counts)
        rows = fill_ops.range(math_ops.reduce_sum(counts))
        indices = one("UpperBound", shape_ops.expand_dims(ends, 0), shape_ops.expand_dims(rows, 0))
        return slice_ops.gather(input, shape_ops.squeeze(indices, [0]), axis=axis)
