"""Rows of tables, which may be in several parts, by their numbers."""

from __future__ import annotations

import contextlib
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.partitioned import PartitionedVariable
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope

__all__ = ["embedding_lookup", "embedding_lookup_sparse", "safe_embedding_lookup_sparse"]


def _parts(params: Any) -> list[Any]:
    if isinstance(params, PartitionedVariable):
        return list(params)
    parts = list(params) if isinstance(params, (list, tuple)) else [params]
    if not parts:
        raise ValueError("Argument `params` is required: there is no table to look in")
    return parts


def _gather(table: Any, ids: Any, name: str | None = None) -> Tensor:
    """Rows of a table, where the table is."""
    if getattr(table, "_is_resource", False):
        return one("ResourceGather", table.handle, ids, name=name, dtype=table.dtype.base_dtype)
    return one("GatherV2", convert_to_tensor(table), ids, 0, name=name)


def _clipped(rows: Tensor, ids: Tensor, max_norm: Any) -> Tensor:
    if max_norm is None:
        return rows
    known = ids.shape.ndims
    if known is not None and rows.shape.ndims is not None:
        axes: Any = list(range(known, rows.shape.ndims))
    else:
        axes = array_ops.range(array_ops.rank(ids), array_ops.rank(rows))
    return math_ops.clip_by_norm(rows, max_norm, axes=axes)


def embedding_lookup(
    params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None, validate_indices: bool = True,
    max_norm: Any = None,
) -> Tensor:
    """The rows of a table with these numbers. Rows of a table in parts are dealt out in turn ("mod"), or in blocks ("div").

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.nn.embedding_lookup([[1.0], [2.0], [3.0]], [2, 0])).tolist()
    [[3.0], [1.0]]
    """
    if isinstance(params, (list, tuple)) and params and not _is_table(params[0]):
        params = convert_to_tensor(params)
    parts = _parts(params)
    with op_scope(name, "embedding_lookup", [*parts, ids]) as scope:
        ids = convert_to_tensor(ids, name="ids")
        if len(parts) == 1:
            with _beside(parts[0]):
                rows = _clipped(_gather(parts[0], ids, scope), ids, max_norm)
            return array_ops.identity(rows)
        return _from_parts(parts, ids, partition_strategy, scope, max_norm)


def _is_table(value: Any) -> bool:
    return isinstance(value, Tensor) or hasattr(value, "_as_graph_element") or hasattr(value, "shape")


def _beside(table: Any) -> Any:
    element = table._as_graph_element() if hasattr(table, "_as_graph_element") else table
    if getattr(table, "_is_resource", False):
        element = table.handle
    return element.graph.colocate_with(element.op) if isinstance(element, Tensor) else contextlib.nullcontext()


def _rows_of(part: Any) -> int | None:
    shape = part.shape if isinstance(part.shape, TensorShape) else TensorShape(part.shape)
    return None if shape.ndims is None else shape.as_list()[0]


def _from_parts(parts: list[Any], ids: Tensor, strategy: str, scope: str, max_norm: Any) -> Tensor:
    count = len(parts)
    flat = array_ops.reshape(ids, [-1])
    places = array_ops.range(array_ops.size(flat))
    if strategy == "mod":
        assigned, inner = flat % count, flat // count
    elif strategy == "div":
        rows = [_rows_of(part) for part in parts]
        if all(row is not None for row in rows):
            total: Tensor = constant(sum(rows), flat.dtype.base_dtype)  # type: ignore[arg-type]
        else:
            sizes = [math_ops.cast(array_ops.shape(part)[0], flat.dtype) for part in parts]
            total = math_ops.reduce_sum(array_ops.stack(sizes))
        each, longer = total // count, total % count
        assigned = one("Maximum", flat // (each + 1), (flat - longer) // each)
        inner = one("Select", assigned < longer, flat % (each + 1), (flat - longer) % each)
    else:
        raise ValueError(f"partition_strategy is {strategy!r}; it can be 'mod' or 'div'")
    if assigned.dtype.base_dtype != dtypes.int32:
        assigned = math_ops.cast(assigned, dtypes.int32)
    found = many("DynamicPartition", inner, assigned, num_partitions=count)
    where = many("DynamicPartition", places, assigned, num_partitions=count)
    rows_of_parts = []
    for part, numbers in zip(parts, found):
        with _beside(part):
            rows_of_parts.append(_gather(part, numbers))
    stitched = one("ParallelDynamicStitch", where, rows_of_parts, name=scope)
    element = TensorShape(None)
    for part in parts:
        shape = part.shape if isinstance(part.shape, TensorShape) else TensorShape(part.shape)
        if shape.ndims is not None:
            element = TensorShape(shape.as_list()[1:]).merge_with(element)
    if element.is_fully_defined():
        whole = array_ops.concat([array_ops.shape(ids), element.as_list()], 0)
    else:
        with _beside(parts[0]):
            inner_shape = array_ops.shape(parts[0])[1:]
        whole = array_ops.concat([array_ops.shape(ids), inner_shape], 0)
    result = array_ops.reshape(stitched, whole)
    result.set_shape(ids.shape.concatenate(element))
    return _clipped(result, ids, max_norm)


def embedding_lookup_sparse(
    params: Any, sp_ids: SparseTensor, sp_weights: SparseTensor | None, partition_strategy: str = "mod", name: str | None = None,
    combiner: str | None = None, max_norm: Any = None, allow_fast_lookup: bool = False,
) -> Tensor:
    """For each row of a sparse tensor of numbers, the rows of a table with these numbers, combined to one: their "sum", "mean", or
    sum over the root of their squared weights ("sqrtn")."""
    combiner = combiner or "mean"
    if combiner not in ("mean", "sqrtn", "sum"):
        raise ValueError(f"combiner is {combiner!r}; it can be 'mean', 'sqrtn' or 'sum'")
    if not isinstance(sp_ids, SparseTensor):
        raise TypeError(f"sp_ids is {type(sp_ids).__name__}; give a SparseTensor")
    if sp_weights is not None and not isinstance(sp_weights, SparseTensor):
        raise TypeError(f"sp_weights is {type(sp_weights).__name__}; give a SparseTensor or None")
    parts = _parts(params)
    with op_scope(name, "embedding_lookup_sparse", [*parts, sp_ids.values]) as scope:
        segments = sp_ids.indices[:, 0]  # type: ignore[index]
        ids = sp_ids.values
        op = {"sum": "SparseSegmentSum", "mean": "SparseSegmentMean", "sqrtn": "SparseSegmentSqrtN"}[combiner]
        if len(parts) == 1 and sp_weights is None and max_norm is None and not getattr(parts[0], "_is_resource", False):
            return one(op, convert_to_tensor(parts[0]), ids, segments, name=scope, sparse_gradient=True)
        unique, places = many("Unique", ids)
        rows = embedding_lookup(params, unique, partition_strategy, max_norm=max_norm)
        if sp_weights is None:
            return one(op, rows, places, segments, name=scope)
        if segments.dtype.base_dtype != dtypes.int32:
            segments = math_ops.cast(segments, dtypes.int32)
        weights = sp_weights.values
        rows = array_ops.gather(rows, places)
        if weights.dtype.base_dtype != rows.dtype.base_dtype:
            weights = math_ops.cast(weights, rows.dtype.base_dtype)
        extra = array_ops.expand_dims(array_ops.rank(rows) - 1, 0)
        wide = array_ops.concat([array_ops.shape(weights), array_ops.ones(extra, dtype=dtypes.int32)], 0)
        known = weights.shape
        weights = array_ops.reshape(weights, wide)
        if rows.shape.ndims is not None:
            weights.set_shape(known.concatenate([1] * (rows.shape.ndims - 1)))
        rows *= weights
        if combiner == "sum":
            return one("SegmentSum", rows, segments, name=scope)
        summed = one("SegmentSum", rows, segments)
        if combiner == "mean":
            return one("DivNoNan", summed, one("SegmentSum", weights, segments), name=scope)
        squares = one("SegmentSum", one("Pow", weights, 2.0), segments)
        return one("DivNoNan", summed, one("Sqrt", squares), name=scope)


def safe_embedding_lookup_sparse(
    embedding_weights: Any, sparse_ids: SparseTensor, sparse_weights: SparseTensor | None = None, combiner: str = "mean",
    default_id: int | None = None, name: str | None = None, partition_strategy: str = "div", max_norm: Any = None,
    allow_fast_lookup: bool = False,
) -> Tensor:
    """As `embedding_lookup_sparse`; rows without numbers, or with none that is valid, get the row `default_id`, or zeros."""
    from tensorfleet._ops import sparse_ops

    parts = _parts(embedding_weights)
    with op_scope(name, "embedding_lookup", [*parts, sparse_ids.values]) as scope:
        valid = sparse_ids.values >= 0
        if sparse_weights is not None and combiner != "sum":
            valid = one("LogicalAnd", valid, sparse_weights.values > 0)
        kept = sparse_ops.sparse_retain(sparse_ids, valid)
        kept_weights = None if sparse_weights is None else sparse_ops.sparse_retain(sparse_weights, valid)
        kept, empty = sparse_ops.sparse_fill_empty_rows(kept, default_id or 0)
        if kept_weights is not None:
            kept_weights, _ = sparse_ops.sparse_fill_empty_rows(kept_weights, 1.0)
        result = embedding_lookup_sparse(
            embedding_weights, kept, kept_weights, partition_strategy, combiner=combiner, max_norm=max_norm,
            name=None if default_id is None else scope,
        )
        if default_id is not None:
            return result
        wide = array_ops.tile(array_ops.reshape(empty, [-1, 1]), array_ops.stack([1, array_ops.shape(result)[1]]))
        found = one("Select", wide, array_ops.zeros_like(result), result, name=scope)
        return found
