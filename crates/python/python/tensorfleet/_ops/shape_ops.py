"""Shapes of tensors: asking for them and changing them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "shape", "shape_n", "size", "rank", "reshape", "expand_dims", "squeeze", "transpose", "matrix_transpose",
    "broadcast_static_shape", "broadcast_dynamic_shape", "broadcast_to", "ensure_shape", "tile", "pad", "identity",
    "identity_n",
    "guarantee_const", "is_tensor", "get_static_value", "space_to_depth", "depth_to_space", "space_to_batch", "batch_to_space",
    "space_to_batch_nd", "batch_to_space_nd", "bitcast", "required_space_to_batch_paddings", "invert_permutation",
]


def shape(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """The shape of a tensor, as a vector of int32 unless `out_type` says otherwise.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.shape([[1, 2, 3]])).tolist()
    [1, 3]
    """
    return _shape_of(input, name, True, dtypes.int32 if out_type is None else dtypes.as_dtype(out_type))


def _shape_of(input: Any, name: str | None = None, optimize: bool = True, out_type: Any = None) -> Tensor:
    """The shape of a tensor: a constant if it is known."""
    from tensorfleet._ops.math_ops import cast

    with op_scope(name, "Shape", _parts(input)) as scope:
        if isinstance(input, SparseTensor):
            return cast(input.dense_shape, dtypes.int32 if out_type is None else out_type)
        input = convert_to_tensor(input)
        if optimize and input.shape.is_fully_defined():
            if out_type is None:
                return convert_to_tensor(input.shape, name="shape_as_tensor")
            return constant(input.shape.as_list(), out_type, name=scope)
        return one("Shape", input, name=scope, out_type=out_type)


def _parts(input: Any) -> list[Any]:
    return [input.indices] if isinstance(input, SparseTensor) else [input]


def shape_n(input: Any, out_type: Any = dtypes.int32, name: str | None = None) -> list[Tensor]:
    """The shapes of several tensors."""
    return many("ShapeN", list(input), name=name, out_type=out_type)


def size(input: Any, name: str | None = None, out_type: Any = None) -> Tensor:
    """How many elements a tensor has."""
    from tensorfleet._ops.math_ops import cast, reduce_prod

    kind = dtypes.int32 if out_type is None else dtypes.as_dtype(out_type)
    with op_scope(name, "Size", _parts(input)) as scope:
        if isinstance(input, SparseTensor):
            return reduce_prod(cast(input.dense_shape, kind), 0, name=scope)
        input = convert_to_tensor(input)
        count = input.shape.num_elements()
        if count is None and input.shape.ndims is not None and 0 in input.shape.as_list():
            count = 0
        if count is not None:
            return constant(count, kind, name=scope)
        return one("Size", input, name=scope, out_type=kind)


def rank(input: Any, name: str | None = None) -> Tensor:
    """How many dimensions a tensor has."""
    with op_scope(name, "Rank", _parts(input)) as scope:
        if isinstance(input, SparseTensor):
            return size(input.dense_shape, name=scope)
        input = convert_to_tensor(input)
        if input.shape.ndims is not None:
            return constant(input.shape.ndims, dtypes.int32, name=scope)
        return one("Rank", input, name=scope)


def _all_axes(input: Any) -> Any:
    """The numbers of all dimensions of a tensor: a constant if they are known."""
    from tensorfleet._ops.fill_ops import range

    known = getattr(input, "shape", None)
    ndims = len(known) if isinstance(known, tuple) else getattr(known, "ndims", None)
    if ndims:
        return constant(np.arange(ndims, dtype=np.int32))
    return range(0, rank(input))


def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape, of which one dimension may be -1.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.reshape([1, 2, 3, 4], [2, -1])).tolist()
    [[1, 2], [3, 4]]
    """
    return one("Reshape", tensor, shape, name=name)


def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The same elements with one dimension of length 1 more."""
    axis = renamed(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("expand_dims needs an axis")
    return one("ExpandDims", input, axis, name=name)


def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """The same elements without dimensions of length 1: all such, or those of `axis`."""
    axis = renamed(axis, squeeze_dims, "axis", "squeeze_dims")
    if axis is not None and np.ndim(axis) == 0:
        axis = [int(axis)]
    return one("Squeeze", input, name=name, squeeze_dims=None if axis is None else [int(a) for a in axis])


def transpose(a: Any, perm: Any = None, name: str | None = "transpose", conjugate: bool = False) -> Tensor:
    """A tensor with its dimensions in another order: `perm`, or the reverse one.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.transpose([[1, 2, 3]])).tolist()
    [[1], [2], [3]]
    """
    with op_scope(name, "transpose", [a]) as scope:
        a = convert_to_tensor(a, name="a")
        op = "ConjugateTranspose" if conjugate and a.dtype.is_complex else "Transpose"
        if perm is None:
            ndims = a.shape.ndims
            if ndims is None:
                perm = one("Range", one("Rank", a) - 1, -1, -1)  # type: ignore[operator]
            else:
                perm = np.arange(ndims - 1, -1, -1, dtype=np.int32)
        return one(op, a, perm, name=scope)


def matrix_transpose(a: Any, name: str | None = "matrix_transpose", conjugate: bool = False) -> Tensor:
    """A tensor with its last two dimensions exchanged."""
    from tensorfleet._ops.fill_ops import range
    from tensorfleet._ops.join_ops import concat

    with op_scope(name, "matrix_transpose", [a]):
        a = convert_to_tensor(a, name="a")
        ndims = a.shape.ndims
        if ndims is not None:
            if ndims < 2:
                raise ValueError(
                    f"a matrix has two dimensions at least, but `a` = {a} has shape {a.shape}"
                )
            perm: Any = list(np.arange(ndims - 2)) + [ndims - 1, ndims - 2]
        else:
            count = rank(a)
            perm = concat((range(count - 2), [count - 1, count - 2]), 0)  # type: ignore[operator]
        return transpose(a, perm, conjugate=conjugate)


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> TensorShape:
    """The shape that two known shapes make together.

    >>> broadcast_static_shape(TensorShape([2, 1]), TensorShape([1, 3])).as_list()
    [2, 3]
    """
    one_, other = as_shape(shape_x), as_shape(shape_y)
    if one_.ndims is None or other.ndims is None:
        return TensorShape(None)
    a, b = one_.as_list(), other.as_list()
    a, b = [1] * (len(b) - len(a)) + a, [1] * (len(a) - len(b)) + b
    joined: list[int | None] = []
    for x, y in zip(a, b):
        if x == 1 or y == 1:
            joined.append(y if x == 1 else x)
        elif x is None or y is None:
            joined.append(x if y is None else y)
        elif x == y:
            joined.append(x)
        else:
            raise ValueError(f"Incompatible shapes for broadcasting: {one_} and {other}")
    return TensorShape(joined)


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Tensor:
    """The shape that two shapes make together, where each is a vector."""
    return one("BroadcastArgs", shape_x, shape_y)


def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """The elements repeated along dimensions of length 1, to make up a shape."""
    return one("BroadcastTo", input, shape, name=name)


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same tensor; a step fails if its shape is not `shape`."""
    return one("EnsureShape", x, name=name, shape=as_shape(shape))


def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """A tensor repeated along each dimension."""
    return one("Tile", input, multiples, name=name)


def pad(tensor: Any, paddings: Any, mode: str = "CONSTANT", name: str | None = None, constant_values: Any = 0) -> Tensor:
    """A tensor with more elements before and after it in each dimension: a constant, or those near the edge mirrored."""
    kind = mode.upper()
    if kind == "CONSTANT":
        if not isinstance(constant_values, (Tensor, np.ndarray)) and np.ndim(constant_values) == 0 and constant_values == 0:
            return one("Pad", tensor, paddings, name=name)
        return one("PadV2", tensor, paddings, constant_values, name=name)
    if kind in ("REFLECT", "SYMMETRIC"):
        return one("MirrorPad", tensor, paddings, name=name, mode=kind)
    raise ValueError(
        f"`mode` is {mode}; it can be 'CONSTANT', 'REFLECT' or 'SYMMETRIC'"
    )


def identity(input: Any, name: str | None = None) -> Any:
    """The same value as a tensor of its own."""
    if isinstance(input, SparseTensor):
        with op_scope(name, "Identity", [input.indices]):
            return SparseTensor(
                one("Identity", input.indices), one("Identity", input.values), one("Identity", input.dense_shape)
            )
    return one("Identity", input, name=name)


def identity_n(input: Any, name: str | None = None) -> list[Tensor]:
    """The same values as tensors of their own; none of them is there before all are."""
    return many("IdentityN", [convert_to_tensor(value) for value in input], name=name)


def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """The same value, which the program promises not to change."""
    return identity(input, name)


def is_tensor(x: Any) -> bool:
    """Whether a value is a tensor, a sparse tensor, rows of one or a variable."""
    return isinstance(x, (Tensor, SparseTensor)) or hasattr(x, "_as_graph_element") or hasattr(x, "dense_shape")


def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if it follows from constants, else None."""
    from tensorfleet._framework.convert import constant_value

    return constant_value(tensor, partial)


def space_to_depth(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """Blocks of an image laid into its depth."""
    return one("SpaceToDepth", input, name=name, block_size=block_size, data_format=data_format)


def depth_to_space(input: Any, block_size: int, name: str | None = None, data_format: str = "NHWC") -> Tensor:
    """The depth of an image laid out as blocks."""
    return one("DepthToSpace", input, name=name, block_size=block_size, data_format=data_format)


def space_to_batch(
    input: Any, paddings: Any, block_size: int | None = None, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """Blocks of images laid into the batch."""
    size_ = block_size if block_size is not None else block_shape
    with op_scope(name, "SpaceToBatchND", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        blocks = constant([size_, size_], dtypes.int64, name="block_shape")
        made = space_to_batch_nd(input, blocks, paddings, scope)
    made.set_shape(made.shape.with_rank(4))
    return made


def batch_to_space(
    input: Any, crops: Any, block_size: int | None = None, name: str | None = None, block_shape: Any = None
) -> Tensor:
    """The batch laid out as blocks of images."""
    size_ = block_size if block_size is not None else block_shape
    with op_scope(name, "BatchToSpaceND", [input]) as scope:
        input = convert_to_tensor(input, name="input")
        blocks = constant([size_, size_], dtypes.int64, name="block_shape")
        made = batch_to_space_nd(input, blocks, crops, scope)
    made.set_shape(made.shape.with_rank(4))
    return made


def space_to_batch_nd(input: Any, block_shape: Any, paddings: Any, name: str | None = None) -> Tensor:
    """Blocks of several dimensions laid into the batch."""
    return one("SpaceToBatchND", input, block_shape, paddings, name=name)


def batch_to_space_nd(input: Any, block_shape: Any, crops: Any, name: str | None = None) -> Tensor:
    """The batch laid out as blocks of several dimensions."""
    return one("BatchToSpaceND", input, block_shape, crops, name=name)


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bytes as elements of another type."""
    return one("Bitcast", input, name=name, type=type)


def required_space_to_batch_paddings(
    input_shape: Any, block_shape: Any, base_paddings: Any = None, name: str | None = None
) -> tuple[Any, Any]:
    """The paddings and crops that make a shape divide into blocks, for shapes that are known."""
    with op_scope(name, "required_space_to_batch_paddings", [input_shape, block_shape]):
        sizes, blocks = np.asarray(input_shape), np.asarray(block_shape)
        base = np.zeros([len(blocks), 2], dtype=np.int64) if base_paddings is None else np.asarray(base_paddings)
        ends = sizes + base.sum(axis=1)
        extra = -ends % blocks
        paddings = np.stack([base[:, 0], base[:, 1] + extra], axis=1)
        crops = np.stack([np.zeros_like(extra), extra], axis=1)
        return constant(paddings, dtypes.int32, name="paddings"), constant(crops, dtypes.int32, name="crops")


def invert_permutation(x: Any, name: str | None = None) -> Tensor:
    """The permutation that undoes another."""
    return one("InvertPermutation", x, name=name)


