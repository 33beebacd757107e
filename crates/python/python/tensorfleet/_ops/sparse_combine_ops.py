"""Sparse tensors joined, parted, laid out anew and chosen from."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import as_shape
from tensorfleet._ops.op_scope import op_scope, renamed
from tensorfleet._ops.sparse_math_ops import _parts, _sparse

__all__ = [
    "sparse_placeholder", "sparse_reorder", "sparse_concat", "sparse_split", "sparse_slice", "sparse_reshape", "sparse_retain",
    "sparse_reset_shape", "sparse_fill_empty_rows", "sparse_transpose", "sparse_merge", "sparse_to_indicator",
    "serialize_sparse",
    "serialize_many_sparse", "deserialize_many_sparse",
]


def sparse_placeholder(dtype: Any, shape: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor whose value is fed when a step runs."""
    from tensorfleet._ops.fill_ops import placeholder, placeholder_with_default

    def label(part: str) -> str | None:
        return None if name is None else f"{name}/{part}"

    if shape is None:
        rank = None
        dense_shape = placeholder(dtypes.int64, [None], label("shape"))
    else:
        dims = [-1 if dim is None else dim for dim in as_shape(shape).as_list()]
        rank = len(dims)
        default = constant(dims, dtypes.int64, name=label("shape_default"))
        dense_shape = placeholder_with_default(default, [rank], label("shape"))
    values = placeholder(dtype, [None], label("values"))
    indices = placeholder(dtypes.int64, [None, rank], label("indices"))
    return SparseTensor(indices, values, dense_shape)


def sparse_reorder(sp_input: Any, name: str | None = None) -> SparseTensor:
    """The same sparse tensor with its places in order."""
    sp_input = _sparse(sp_input)
    indices, values = many("SparseReorder", *_parts(sp_input), name=name)
    known = sp_input.shape
    return SparseTensor(indices, values, known.as_list() if known.is_fully_defined() else one("Identity", sp_input.dense_shape))


def sparse_concat(
    axis: Any = None, sp_inputs: Any = None, name: str | None = None, expand_nonconcat_dim: bool = False,
    concat_dim: Any = None,
    expand_nonconcat_dims: bool | None = None,
) -> SparseTensor:
    """Sparse tensors joined along a dimension; the others grow to the largest if asked for."""
    from tensorfleet._ops import join_ops, reduction_ops, shape_ops, slice_ops

    axis = renamed(axis, concat_dim, "axis", "concat_dim")
    inputs = [_sparse(value, "sp_inputs") for value in sp_inputs]
    if len(inputs) == 1:
        return inputs[0]
    shapes = [value.dense_shape for value in inputs]
    if expand_nonconcat_dim or expand_nonconcat_dims:
        largest = reduction_ops.reduce_max(join_ops.stack(shapes), 0)
        at = axis % shape_ops.get_static_value(shape_ops.size(shapes[0])) if axis < 0 else axis
        shapes = [
            join_ops.concat([largest[:at], slice_ops.slice(shape, [at], [1]), largest[at + 1 :]], 0)  # type: ignore[index]
            for shape in shapes
        ]
    made = many(
        "SparseConcat", [value.indices for value in inputs], [value.values for value in inputs], shapes, name=name,
        concat_dim=axis
    )
    return SparseTensor(*made)


def sparse_split(
    keyword_required: Any = None, sp_input: Any = None, num_split: int | None = None, axis: Any = None, name: str | None = None,
    split_dim: Any = None,
) -> list[SparseTensor]:
    """A sparse tensor parted along a dimension; all arguments are given by name."""
    if keyword_required is not None:
        raise ValueError("give these arguments by name")
    if sp_input is None or num_split is None:
        raise ValueError("sparse_split takes sp_input and num_split by name")
    axis = renamed(axis, split_dim, "axis", "split_dim")
    made = many("SparseSplit", axis, *_parts(_sparse(sp_input)), name=name, num_split=num_split)
    return [SparseTensor(made[i], made[num_split + i], made[2 * num_split + i]) for i in range(num_split)]


def sparse_slice(sp_input: Any, start: Any, size: Any, name: str | None = None) -> SparseTensor:
    """A part of a sparse tensor."""
    sp_input = _sparse(sp_input)
    start = convert_to_tensor(start, dtype=dtypes.int64)
    size = convert_to_tensor(size, dtype=dtypes.int64)
    with op_scope(name, "SparseSlice", [sp_input.indices]) as scope:
        return SparseTensor(*many("SparseSlice", *_parts(sp_input), start, size, name=scope))


def sparse_reshape(sp_input: Any, shape: Any, name: str | None = None) -> SparseTensor:
    """The same elements in another shape."""
    from tensorfleet._ops.arithmetic_ops import cast

    sp_input = _sparse(sp_input)
    shape = cast(shape, dtypes.int64)
    with op_scope(name, "SparseReshape", [sp_input.indices]) as scope:
        indices, new_shape = many("SparseReshape", sp_input.indices, sp_input.dense_shape, shape, name=scope)
        return SparseTensor(indices, one("Identity", sp_input.values), new_shape)


def sparse_retain(sp_input: Any, to_retain: Any) -> SparseTensor:
    """Those elements of a sparse tensor for which a mask is true."""
    from tensorfleet._ops import shape_ops, slice_ops

    sp_input = _sparse(sp_input)
    places = shape_ops.reshape(slice_ops.where(convert_to_tensor(to_retain)), [-1])
    return SparseTensor(
        slice_ops.gather(sp_input.indices, places), slice_ops.gather(sp_input.values, places),
        one("Identity", sp_input.dense_shape),
    )


def sparse_reset_shape(sp_input: Any, new_shape: Any = None) -> SparseTensor:
    """The same elements in a shape that just holds them, or in a larger one."""
    from tensorfleet._ops import arithmetic_ops, fill_ops, reduction_ops

    sp_input = _sparse(sp_input)
    indices, values = one("Identity", sp_input.indices), one("Identity", sp_input.values)
    shape = one("Identity", sp_input.dense_shape)
    if new_shape is None:
        last = reduction_ops.reduce_max(indices, 0)
        zero = constant(0, dtypes.int64)
        return SparseTensor(indices, values, one("Maximum", zero, arithmetic_ops.add(last, fill_ops.ones_like(shape))))
    wanted = arithmetic_ops.cast(new_shape, dtypes.int64)
    return SparseTensor(indices, values, wanted)


def sparse_fill_empty_rows(sp_input: Any, default_value: Any, name: str | None = None) -> tuple[SparseTensor, Tensor]:
    """A sparse matrix with a default element in rows that had none, and which rows those were."""
    sp_input = _sparse(sp_input)
    with op_scope(name, "SparseFillEmptyRows", [sp_input.indices]):
        default = convert_to_tensor(default_value, dtype=sp_input.values.dtype.base_dtype)
        indices, values, empty, _ = many("SparseFillEmptyRows", *_parts(sp_input), default)
        return SparseTensor(indices, values, sp_input.dense_shape), empty


def sparse_transpose(sp_input: Any, perm: Any = None, name: str | None = None) -> SparseTensor:
    """A sparse tensor with its dimensions in another order."""
    import numpy as np

    from tensorfleet._ops import shape_ops, slice_ops

    sp_input = _sparse(sp_input)
    with op_scope(name, "SparseTranspose", [sp_input.indices]):
        if perm is None:
            count = sp_input.dense_shape.shape[0].value
            if count is None:
                raise ValueError("sparse_transpose needs to know how many dimensions there are, or an order of them")
            perm = np.arange(count)[::-1]
        columns = shape_ops.transpose(sp_input.indices)
        indices = shape_ops.transpose(slice_ops.gather(columns, perm))
        shape = slice_ops.gather(sp_input.dense_shape, perm)
        return sparse_reorder(SparseTensor(indices, sp_input.values, shape))


def sparse_merge(
    sp_ids: Any, sp_values: Any, vocab_size: Any, name: str | None = None, already_sorted: bool = False
) -> SparseTensor:
    """A sparse tensor of places and values that are two sparse tensors of one shape: the last dimension becomes the places."""
    from tensorfleet._ops import arithmetic_ops, join_ops, shape_ops

    many_ids = isinstance(sp_ids, (list, tuple))
    all_ids = [_sparse(ids, "sp_ids") for ids in (sp_ids if many_ids else [sp_ids])]
    sizes = list(vocab_size) if many_ids else [vocab_size]
    sp_values = _sparse(sp_values, "sp_values")
    with op_scope(name, "SparseMerge", [sp_values.indices]):
        columns = [
            shape_ops.expand_dims(arithmetic_ops.cast(ids.values, dtypes.int64), axis=1) for ids in all_ids
        ]
        lengths = [arithmetic_ops.cast(size, dtypes.int64) for size in sizes]
        indices = join_ops.concat([all_ids[0].indices[:, :-1]] + columns, axis=1)  # type: ignore[index]
        shape = join_ops.concat([all_ids[0].dense_shape[:-1], lengths], axis=0)  # type: ignore[index]
        merged = SparseTensor(indices, sp_values.values, shape)
        return merged if already_sorted else sparse_reorder(merged)


def sparse_to_indicator(sp_input: Any, vocab_size: Any, name: str | None = None) -> Tensor:
    """Rows of bools: True at the places that the values of a sparse tensor are."""
    from tensorfleet._ops import fill_ops, shape_ops
    from tensorfleet._ops.sparse_math_ops import sparse_tensor_to_dense

    sp_input = _sparse(sp_input)
    with op_scope(name, "SparseToIndicator", [sp_input.indices]) as scope:
        count: Any = shape_ops.shape(sp_input.indices)[0]  # type: ignore[index]
        marks = fill_ops.fill(shape_ops.expand_dims(count, 0), True)
        merged = sparse_merge(sp_input, SparseTensor(sp_input.indices, marks, sp_input.dense_shape), vocab_size, scope)
        return sparse_tensor_to_dense(merged, False, False, scope)


def serialize_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Tensor:
    """A sparse tensor as three strings."""
    return one("SerializeSparse", *_parts(_sparse(sp_input)), name=name, out_type=out_type)


def serialize_many_sparse(sp_input: Any, name: str | None = None, out_type: Any = dtypes.string) -> Tensor:
    """The rows of a sparse tensor as three strings each."""
    return one("SerializeManySparse", *_parts(_sparse(sp_input)), name=name, out_type=out_type)


def deserialize_many_sparse(
    serialized_sparse: Any, dtype: Any, rank: int | None = None, name: str | None = None
) -> SparseTensor:
    """A sparse tensor of rows that are three strings each."""
    made = SparseTensor(*many("DeserializeManySparse", serialized_sparse, name=name, dtype=dtype))
    made.indices.set_shape([None, rank])
    made.dense_shape.set_shape([rank])
    return made
