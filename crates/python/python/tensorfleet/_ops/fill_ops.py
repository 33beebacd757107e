"""Tensors made of nothing but a shape and a value: placeholders, zeros, ones, ranges, one-hot rows."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "placeholder", "placeholder_with_default", "zeros", "ones", "fill", "zeros_like", "ones_like", "one_hot", "range",
    "linspace", "lin_space", "eye", "sequence_mask", "meshgrid",
]

# Filled tensors below this size are stored in the graph; larger ones are made when a step runs.
_SMALL = 1000


def placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> Tensor:
    """A tensor whose value is fed when a step runs.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.placeholder(tf.float32, [None])
    ...     sess.run(x + 1, {x: [1, 2]}).tolist()
    [2.0, 3.0]
    """
    known = as_shape(shape)
    graph = get_default_graph()
    attrs = {"dtype": dtypes.as_dtype(dtype).base_dtype.as_datatype_enum,
             "shape": None if known.ndims is None else known.as_list()}
    return graph.create_op("Placeholder", [], attrs, name or "Placeholder")._outputs[0]


def placeholder_with_default(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """A tensor whose value may be fed; it is `input` if it is not."""
    return one("PlaceholderWithDefault", input, name=name, shape=as_shape(shape))


def _filled(shape: Any, value: Any, dtype: Any, name: str) -> Tensor:
    """A tensor of one value, within a scope of its name."""
    if not isinstance(shape, Tensor) and not hasattr(shape, "_as_graph_element"):
        dims = _plain_dims(shape)
        if dims is not None:
            if hasattr(shape, "__iter__") and np.prod(dims, dtype=np.float64) < _SMALL:
                # An empty tensor has no element to repeat.
                return constant(value if 0 not in dims else [], dtype, dims, name)
            shape = convert_to_tensor(TensorShape(dims), name="shape_as_tensor")
        else:
            shape = convert_to_tensor(shape, dtype=dtypes.int32)
    shape = convert_to_tensor(shape)
    if shape.shape.ndims == 0:
        shape = one("Reshape", shape, [-1])
    return one("Fill", shape, constant(value, dtype), name=name)


def _plain_dims(shape: Any) -> list[int] | None:
    """The numbers of a shape; None if tensors are among them."""
    try:
        if isinstance(shape, TensorShape) or not hasattr(shape, "__iter__"):
            dims = as_shape(shape).as_list()
        else:
            dims = [int(dim) for dim in shape]
    except (TypeError, ValueError, NotImplementedError):
        if isinstance(shape, TensorShape):
            raise ValueError(f"A tensor cannot be made of the shape {shape}, which is not fully known") from None
        return None
    if any(dim is None for dim in dims):
        raise ValueError(f"A tensor cannot be made of the shape {shape}, which is not fully known")
    if any(dim < 0 for dim in dims):  # type: ignore[operator]
        raise ValueError(f"A tensor cannot be made of the shape {dims}: dimensions are not negative")
    return dims  # type: ignore[return-value]


def zeros(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of zeros, of False or of empty strings.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.zeros([2, 2])).tolist()
    [[0.0, 0.0], [0.0, 0.0]]
    """
    dtype = dtypes.as_dtype(dtype).base_dtype
    zero: Any = False if dtype == dtypes.bool else "" if dtype == dtypes.string else 0
    with op_scope(name, "zeros", [shape]) as scope:
        return _filled(shape, zero, dtype, scope)


def ones(shape: Any, dtype: Any = dtypes.float32, name: str | None = None) -> Tensor:
    """A tensor of ones, or of True."""
    dtype = dtypes.as_dtype(dtype).base_dtype
    with op_scope(name, "ones", [shape]) as scope:
        return _filled(shape, True if dtype == dtypes.bool else 1, dtype, scope)


def fill(dims: Any, value: Any, name: str | None = None) -> Tensor:
    """A tensor of one value."""
    return one("Fill", dims, value, name=name)


def zeros_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Zeros in the shape of a tensor."""
    from tensorfleet._ops.shape_ops import _shape_of

    with op_scope(name, "zeros_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        wanted = tensor.dtype.base_dtype if dtype is None else dtypes.as_dtype(dtype).base_dtype
        if tensor.shape.is_fully_defined() and tensor.dtype.base_dtype != dtypes.variant:
            return zeros(tensor.shape, wanted, scope)
        if wanted != tensor.dtype.base_dtype and wanted != dtypes.variant:
            return zeros(_shape_of(tensor, optimize=optimize), wanted, scope)
        return one("ZerosLike", tensor, name=scope)


def ones_like(tensor: Any, dtype: Any = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Ones in the shape of a tensor."""
    from tensorfleet._ops.shape_ops import _shape_of

    with op_scope(name, "ones_like", [tensor]) as scope:
        tensor = convert_to_tensor(tensor, name="tensor")
        shape = _shape_of(tensor, optimize=optimize)
        made = ones(shape, tensor.dtype.base_dtype if dtype is None else dtype, scope)
        made.set_shape(tensor.shape)
        return made


def one_hot(
    indices: Any, depth: Any, on_value: Any = None, off_value: Any = None, axis: int | None = None, dtype: Any = None,
    name: str | None = None,
) -> Tensor:
    """Rows that are `off_value` but for one element, which is `on_value`.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.one_hot([0, 2], 3)).tolist()
    [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    """
    with op_scope(name, "one_hot", [indices, depth, on_value, off_value]) as scope:
        wanted = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        given = {}
        for key, value in (("on_value", on_value), ("off_value", off_value)):
            if value is not None:
                given[key] = convert_to_tensor(value, dtype=wanted)
        found = {tensor.dtype.base_dtype for tensor in given.values()}
        if len(found) == 2:
            raise TypeError(f"dtypes of on_value and off_value differ: {sorted(kind.name for kind in found)}")
        wanted = wanted or (found.pop() if found else dtypes.float32)
        for key, default in (("on_value", 1), ("off_value", 0)):
            if key not in given:
                given[key] = convert_to_tensor(default, dtype=wanted, name=key)
        return one("OneHot", indices, depth, given["on_value"], given["off_value"], name=scope, axis=axis)


_RANGE_TYPES = [dtypes.int32, dtypes.int64, dtypes.float16, dtypes.bfloat16, dtypes.float32, dtypes.float64]


def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str | None = "range") -> Tensor:
    """Numbers from `start` to before `limit`, a step of `delta` apart; with one number, from 0 to before it.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.range(3, 18, 3)).tolist()
    [3, 6, 9, 12, 15]
    """
    if limit is None:
        start, limit = 0, start
    with op_scope(name, "Range", [start, limit, delta]) as scope:
        numbers = {}
        for key, value in (("start", start), ("limit", limit), ("delta", delta)):
            numbers[key] = value if isinstance(value, Tensor) else convert_to_tensor(value, dtype=dtype, name=key)
        if dtype is None:
            kinds = [number.dtype.base_dtype for number in numbers.values()]
            for kind in kinds:
                if kind not in _RANGE_TYPES:
                    raise TypeError(
                        f"a range is of numbers, not of {kind.name}: start {start!r}, limit {limit!r}, delta {delta!r}"
                    )
            wanted = max(kinds, key=_RANGE_TYPES.index)
        else:
            wanted = dtypes.as_dtype(dtype).base_dtype
        cast = [
            number if number.dtype.base_dtype == wanted else one("Cast", number, name="Cast", DstT=wanted)
            for number in numbers.values()
        ]
        return one("Range", *cast, name=scope)


def linspace(start: Any, stop: Any, num: Any, name: str | None = None) -> Tensor:
    """`num` numbers from `start` to `stop`, both included."""
    return one("LinSpace", start, stop, num, name=name)


lin_space = linspace


def eye(
    num_rows: Any, num_columns: Any = None, batch_shape: Any = None, dtype: Any = dtypes.float32, name: str | None = None
) -> Tensor:
    """Matrices with 1 on the diagonal and 0 beside it."""
    from tensorfleet._ops import matrix_ops
    from tensorfleet._ops.join_ops import concat

    with op_scope(name, "eye", [num_rows, num_columns, batch_shape]):
        square = num_columns is None
        batch = [] if batch_shape is None else batch_shape
        columns = num_rows if square else num_columns
        if not any(isinstance(value, Tensor) for value in (num_rows, columns, batch)):
            square = square or int(num_rows) == int(columns)
            diagonal = ones(list(batch) + [min(int(num_rows), int(columns))], dtype)
        else:
            size = one("Minimum", num_rows, columns)
            leading = convert_to_tensor(batch, dtype=dtypes.int32, name="shape")
            diagonal = ones(concat([leading, [size]], axis=0), dtype)
        if square:
            return matrix_ops.matrix_diag(diagonal)
        return matrix_ops.matrix_diag(diagonal, num_rows=num_rows, num_cols=columns)


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = dtypes.bool, name: str | None = None) -> Tensor:
    """For each length, so many True and then False up to `maxlen`.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.sequence_mask([1, 3], 3)).tolist()
    [[True, False, False], [True, True, True]]
    """
    from tensorfleet._ops import math_ops, shape_ops

    with op_scope(name, "SequenceMask", [lengths, maxlen]):
        lengths = convert_to_tensor(lengths)
        if maxlen is None:
            maxlen = math_ops.reduce_max(lengths, shape_ops._all_axes(lengths))
            maxlen = math_ops.maximum(constant(0, maxlen.dtype.base_dtype), maxlen)
        else:
            maxlen = convert_to_tensor(maxlen)
        if maxlen.shape.ndims not in (None, 0):
            raise ValueError(f"maxlen is one number, not a tensor of shape {maxlen.shape}")
        kind = maxlen.dtype.base_dtype
        row = one("Range", constant(0, kind), maxlen, constant(1, kind))
        column = one("Cast", shape_ops.expand_dims(lengths, -1), DstT=kind)
        mask = one("Less", row, column)
        if dtype is None or mask.dtype.is_compatible_with(dtypes.as_dtype(dtype)):
            return mask
        return math_ops.cast(mask, dtype)


def meshgrid(*args: Any, **kwargs: Any) -> list[Tensor]:
    """Grids of coordinates from lists of coordinates; `indexing` is "xy" or "ij"."""
    from tensorfleet._ops import shape_ops
    from tensorfleet._ops.join_ops import stack

    indexing, name = kwargs.pop("indexing", "xy"), kwargs.pop("name", "meshgrid")
    if kwargs:
        raise TypeError(f"there is no argument '{next(iter(kwargs))}'")
    if indexing not in ("xy", "ij"):
        raise ValueError(f"`indexing` is '{indexing}'; it can be 'xy' or 'ij'")
    with op_scope(name, "meshgrid", args):
        count = len(args)
        ones_after = (1,) * count
        grids = [
            shape_ops.reshape(stack(x), ones_after[:i] + (-1,) + ones_after[i + 1:]) for i, x in enumerate(args)
        ]
        sizes = [shape_ops.size(x) for x in args]
        kind = convert_to_tensor(args[0]).dtype.base_dtype if args else dtypes.float32
        if indexing == "xy" and count > 1:
            grids[0] = shape_ops.reshape(grids[0], (1, -1) + (1,) * (count - 2))
            grids[1] = shape_ops.reshape(grids[1], (-1, 1) + (1,) * (count - 2))
            sizes[0], sizes[1] = sizes[1], sizes[0]
        factor = ones(sizes, kind)
        return [grid * factor for grid in grids]  # type: ignore[operator]
