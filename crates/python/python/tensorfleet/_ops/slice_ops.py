"""Parts of tensors: slices, rows, elements by their places or by a mask, and orders."""

from __future__ import annotations

import builtins
from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant, constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import Dimension
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "slice", "strided_slice", "gather", "gather_nd", "batch_gather", "boolean_mask", "where", "where_v2", "reverse",
    "reverse_v2",
    "reverse_sequence", "roll", "unique", "unique_with_counts", "setdiff1d", "searchsorted", "sort", "argsort",
    "extract_image_patches",
]


def slice(input_: Any, begin: Any, size: Any, name: str | None = None) -> Tensor:
    """A part of a tensor: from where, and how long in each dimension; -1 is to the end."""
    return one("Slice", input_, begin, size, name=name)


def strided_slice(
    input_: Any, begin: Any, end: Any, strides: Any = None, begin_mask: int = 0, end_mask: int = 0, ellipsis_mask: int = 0,
    new_axis_mask: int = 0, shrink_axis_mask: int = 0, var: Any = None, name: str | None = None,
) -> Tensor:
    """A part of a tensor as `t[begin:end:strides]` has it; bits of the masks leave out bounds and drop dimensions."""
    from tensorfleet._ops.fill_ops import ones_like

    if strides is None:
        strides = ones_like(begin)
    return one(
        "StridedSlice", input_, begin, end, strides, name=name, begin_mask=begin_mask, end_mask=end_mask,
        ellipsis_mask=ellipsis_mask, new_axis_mask=new_axis_mask, shrink_axis_mask=shrink_axis_mask,
    )


def _check_index(index: Any) -> Any:
    """An index that is a number or a tensor of one; TypeError else."""
    if isinstance(index, Dimension):
        return index.value
    if hasattr(index, "_as_graph_element"):
        index = convert_to_tensor(index)
    if isinstance(index, Tensor):
        if index.dtype.base_dtype not in (dtypes.int16, dtypes.int32, dtypes.int64) or index.shape.ndims not in (None, 0):
            raise TypeError(
                "valid indices are whole numbers, slices, `...`, None (tf.newaxis) and scalar tensors of int32 or "
                f"int64, not {index!r}"
            )
        return index
    if hasattr(index, "__index__") and not isinstance(index, builtins.bool) and np.ndim(index) == 0:
        return int(index)
    raise TypeError(
        "valid indices are whole numbers, slices, `...`, None (tf.newaxis) and scalar tensors of int32 or int64, not "
        f"{index!r}"
    )


def _slice_helper(tensor: Any, slice_spec: Any, var: Any = None) -> Tensor:
    """What `tensor[slice_spec]` stands for."""
    from tensorfleet._ops.arithmetic_ops import cast
    from tensorfleet._ops.join_ops import stack

    tensor = convert_to_tensor(tensor)
    if isinstance(slice_spec, np.ndarray) and slice_spec.dtype == np.bool_ \
            or isinstance(slice_spec, Tensor) and slice_spec.dtype.base_dtype == dtypes.bool:
        return boolean_mask(tensor, slice_spec)
    parts = builtins.list(slice_spec) if isinstance(slice_spec, (builtins.list, tuple)) else [slice_spec]
    begin: list[Any] = []
    end: list[Any] = []
    strides: list[Any] = []
    masks = {"begin_mask": 0, "end_mask": 0, "ellipsis_mask": 0, "new_axis_mask": 0, "shrink_axis_mask": 0}
    for i, part in enumerate(parts):
        if isinstance(part, builtins.slice):
            bounds = [None if bound is None else _check_index(bound) for bound in (part.start, part.stop, part.step)]
            kind = next((bound.dtype.base_dtype for bound in bounds if isinstance(bound, Tensor)), None)
            for values, bound, missing in zip((begin, end, strides), bounds, (0, 0, 1)):
                # Beside a tensor, what is left out is a constant of its type.
                if bound is None:
                    bound = missing if kind is None else constant(missing, kind)
                values.append(bound)
            masks["begin_mask"] |= (part.start is None) << i
            masks["end_mask"] |= (part.stop is None) << i
        elif part is Ellipsis or part is None:
            begin.append(0)
            end.append(0)
            strides.append(1)
            masks["ellipsis_mask" if part is Ellipsis else "new_axis_mask"] |= 1 << i
        else:
            index = _check_index(part)
            begin.append(index)
            end.append(index + 1)
            wide = isinstance(index, Tensor) and index.dtype.base_dtype != dtypes.int32
            strides.append(constant(1, index.dtype.base_dtype) if wide else 1)
            masks["shrink_axis_mask"] |= 1 << i
    with op_scope(None, "strided_slice", [tensor]) as scope:
        if begin:
            packed = [stack(begin), stack(end), stack(strides)]
            if any(part.dtype.base_dtype == dtypes.int64 for part in packed):
                packed = [cast(part, dtypes.int64) for part in packed]
        else:
            packed = [constant([], dtypes.int32)] * 3
        return one("StridedSlice", tensor, *packed, name=scope, **masks)


def gather(
    params: Any, indices: Any, validate_indices: bool | None = None, name: str | None = None, axis: Any = None,
    batch_dims: int = 0
) -> Tensor:
    """Rows of a tensor, or slices along `axis`, by their numbers.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.gather([10, 20, 30], [2, 0])).tolist()
    [30, 10]
    """
    axis = batch_dims if axis is None else axis
    static = constant_value(axis) if isinstance(axis, Tensor) else axis
    if static == 0 and getattr(params, "_is_resource", False):
        with op_scope(name, "Gather", [params.handle]) as scope:
            return one("ResourceGather", params.handle, indices, name=scope, dtype=params.dtype.base_dtype)
    return one("GatherV2", params, indices, axis, name=name, batch_dims=batch_dims)


def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0) -> Tensor:
    """Elements or slices of a tensor by their places, each a row of `indices`."""
    if batch_dims:
        raise NotImplementedError(f"gather_nd with batch_dims={batch_dims}; tf.gather has batch_dims for one dimension")
    if getattr(params, "_is_resource", False):
        params = convert_to_tensor(params)
    return one("GatherNd", params, indices, name=name)


def batch_gather(params: Any, indices: Any, name: str | None = None) -> Tensor:
    """Elements by their numbers, in each of a batch."""
    with op_scope(name, "BatchGather", [params, indices]):
        indices = convert_to_tensor(indices, name="indices")
        params = convert_to_tensor(params, name="params")
        if indices.shape.ndims is None:
            raise ValueError(f"batch_gather needs the rank of its indices, which is unknown for {indices.name}")
        return gather(params, indices, axis=indices.shape.ndims - 1, batch_dims=indices.shape.ndims - 1)


def boolean_mask(tensor: Any, mask: Any, name: str | None = "boolean_mask", axis: Any = None) -> Tensor:
    """The elements or slices for which a mask is true.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.boolean_mask([1, 2, 3], [True, False, True])).tolist()
    [1, 3]
    """
    from tensorfleet._ops import join_ops, reduction_ops, shape_ops
    from tensorfleet._framework.tensor_shape import TensorShape

    with op_scope(name, "boolean_mask", [tensor, mask]):
        tensor = convert_to_tensor(tensor, name="tensor")
        mask = convert_to_tensor(mask, name="mask")
        ndims, known = mask.shape.ndims, tensor.shape
        if ndims == 0:
            raise ValueError("the mask is a scalar, but it needs a dimension")
        if ndims is None:
            raise ValueError(
                "the rank of the mask is unknown; its sizes may be, as in shape=[None], but not shape=None"
            )
        axis = 0 if axis is None else axis
        at = constant_value(axis) if isinstance(axis, Tensor) else axis
        at = 0 if at is None else int(at)
        if known.ndims is not None:
            known[at : at + ndims].assert_is_compatible_with(mask.shape)
        length = reduction_ops.reduce_prod(_shape(tensor)[at : at + ndims], [0])
        before, after = _shape(tensor)[:at], _shape(tensor)[at + ndims :]
        tensor = shape_ops.reshape(tensor, join_ops.concat([before, [length], after], 0))
        if known.ndims is not None:
            count = known[at : at + ndims].num_elements()
            tensor.set_shape(TensorShape(known[:at]).concatenate([count]).concatenate(known[at + ndims :]))
        flat = shape_ops.reshape(mask, [-1])
        indices = shape_ops.squeeze(where(flat), axis=[1])
        return gather(tensor, indices, axis=axis)


def _shape(tensor: Any) -> Any:
    from tensorfleet._ops import shape_ops

    return shape_ops.shape(tensor)


def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """The elements of `x` where a condition holds and of `y` elsewhere; without them, the places where it holds.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.where([True, False], [1, 2], [3, 4])).tolist()
    [1, 4]
    """
    if (x is None) != (y is None):
        raise ValueError("where takes x and y or neither: one is None")
    if x is not None:
        return one("Select", condition, x, y, name=name)
    with op_scope(name, "Where", [condition]) as scope:
        condition = convert_to_tensor(condition, preferred_dtype=dtypes.bool, name="condition")
        return one("Where", condition, name=scope)


def where_v2(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """As :func:`where`, with shapes that are made to fit each other."""
    if (x is None) != (y is None):
        raise ValueError("where takes x and y or neither: one is None")
    if x is not None:
        return one("SelectV2", condition, x, y, name=name)
    return where(condition, name=name)


def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """A tensor in reverse order along dimensions. TensorFlow 0.x took a bool for each dimension, which is understood too."""
    if isinstance(axis, (list, tuple)) and axis and all(isinstance(item, builtins.bool) for item in axis):
        axis = [i for i, turned in enumerate(axis) if turned]
    return one("ReverseV2", tensor, axis, name=name)


reverse_v2 = reverse


def reverse_sequence(
    input: Any, seq_lengths: Any, seq_axis: int | None = None, batch_axis: int | None = None, name: str | None = None,
    seq_dim: int | None = None, batch_dim: int | None = None,
) -> Tensor:
    """Sequences of a batch in reverse order, each up to its own length."""
    seq_axis = renamed(seq_axis, seq_dim, "seq_axis", "seq_dim")
    batch_axis = renamed(batch_axis, batch_dim, "batch_axis", "batch_dim")
    return one("ReverseSequence", input, seq_lengths, name=name, seq_dim=seq_axis, batch_dim=batch_axis)


def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The elements moved on along dimensions; what leaves at one end comes in at the other."""
    return one("Roll", input, shift, axis, name=name)


def unique(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """The different elements of a vector in the order of their first places, and for each element which it is."""
    return _Unique(*many("Unique", x, name=name, out_idx=out_idx))


def unique_with_counts(x: Any, out_idx: Any = dtypes.int32, name: str | None = None) -> Any:
    """As :func:`unique`, with how often each of the different elements is there."""
    return _UniqueWithCounts(*many("UniqueWithCounts", x, name=name, out_idx=out_idx))


def setdiff1d(x: Any, y: Any, index_dtype: Any = dtypes.int32, name: str | None = None) -> Any:
    """The elements of `x` that are not in `y`, and their places."""
    return _Difference(*many("ListDiff", x, y, name=name, out_idx=index_dtype))


class _Unique(tuple):
    """The different elements and, for each element, which of them it is."""

    __slots__ = ()
    _fields = ("y", "idx")

    def __new__(cls, *items: Any) -> Any:
        return super().__new__(cls, items)

    @property
    def y(self) -> Tensor:
        """The different elements."""
        return self[0]

    @property
    def idx(self) -> Tensor:
        """For each element, which of them it is."""
        return self[1]


class _UniqueWithCounts(_Unique):
    """With how often each is there."""

    __slots__ = ()
    _fields = ("y", "idx", "count")  # type: ignore[assignment]

    @property
    def count(self) -> Any:
        """How often each of the different elements is there."""
        return self[2]


class _Difference(tuple):
    """Elements and their places."""

    __slots__ = ()
    _fields = ("out", "idx")

    def __new__(cls, *items: Any) -> Any:
        return super().__new__(cls, items)

    @property
    def out(self) -> Tensor:
        """The elements."""
        return self[0]

    @property
    def idx(self) -> Tensor:
        """Their places."""
        return self[1]


def searchsorted(
    sorted_sequence: Any, values: Any, side: str = "left", out_type: Any = dtypes.int32, name: str | None = None
) -> Tensor:
    """Where values would go in a sequence that is in order."""
    from tensorfleet._ops import shape_ops

    if side not in ("left", "right"):
        raise ValueError(f"`side` is '{side}'; it can be 'left' or 'right'")
    length: Any = shape_ops._shape_of(sorted_sequence)[-1]  # type: ignore[index]
    wanted_length: Any = shape_ops._shape_of(values)[-1]  # type: ignore[index]
    rows = shape_ops.reshape(sorted_sequence, [-1, length])
    wanted = shape_ops.reshape(values, [-1, wanted_length])
    found = one("LowerBound" if side == "left" else "UpperBound", rows, wanted, name=name, out_type=out_type)
    return shape_ops.reshape(found, shape_ops._shape_of(values))


def sort(values: Any, axis: int = -1, direction: str = "ASCENDING", name: str | None = None) -> Tensor:
    """The elements in order along a dimension."""
    with op_scope(name, "sort", [values]):
        return _ordered(values, axis, direction, 0)


def argsort(
    values: Any, axis: int = -1, direction: str = "ASCENDING", stable: bool = False, name: str | None = None
) -> Tensor:
    """The places of the elements in order along a dimension."""
    with op_scope(name, "argsort", [values]):
        return _ordered(values, axis, direction, 1)


def _ordered(values: Any, axis: int, direction: str, wanted: int) -> Tensor:
    """The elements in order (0) or their places (1), by the op that finds the largest."""
    from tensorfleet._ops import shape_ops

    if direction not in ("ASCENDING", "DESCENDING"):
        raise ValueError(f"`direction` is {direction}; it can be 'ASCENDING' or 'DESCENDING'")
    constant(axis, dtypes.int32, name="axis")
    values = convert_to_tensor(values, name="values")
    rising, whole = direction == "ASCENDING", values.dtype.is_integer
    keys = _turned(values, whole) if rising else values
    length = _shape(keys)[axis]
    shape_ops.rank(keys)
    ndims = values.shape.ndims
    if ndims is None:
        raise ValueError(f"sorting needs to know how many dimensions {values.name} has")
    if axis in (-1, ndims - 1):
        found = many("TopKV2", keys, length, sorted=True)[wanted]
    else:
        order = np.arange(ndims)
        order[axis], order[-1] = ndims - 1, axis % ndims
        perm = constant(order, dtypes.int64, name="transposition")
        found = many("TopKV2", shape_ops.transpose(keys, perm), length, sorted=True)[wanted]
        found = shape_ops.transpose(found, perm)
    return _turned(found, whole) if rising and wanted == 0 else found


def _turned(values: Tensor, whole: bool) -> Tensor:
    """Values in the other order: integers without one that has no opposite."""
    turned: Any = one("Neg", values)
    return turned - 1 if whole else turned


def extract_image_patches(
    images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None, padding: str | None = None,
    name: str | None = None,
    sizes: Any = None,
) -> Tensor:
    """Patches of images laid into their depth."""
    ksizes = renamed(sizes, ksizes, "sizes", "ksizes")
    return one("ExtractImagePatches", images, name=name, ksizes=ksizes, strides=strides, rates=rates, padding=padding)
