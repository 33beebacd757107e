"""Sparse tensors: `tf.sparse`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.convert import SparseTensor
from tensorfleet._ops.segment_ops import (
    sparse_segment_mean as segment_mean, sparse_segment_sqrt_n as segment_sqrt_n, sparse_segment_sum as segment_sum,
)
from tensorfleet._ops.sparse_combine_ops import (
    sparse_concat as concat, sparse_fill_empty_rows as fill_empty_rows, sparse_merge as merge,
    sparse_placeholder as placeholder, sparse_reorder as reorder, sparse_reset_shape as reset_shape,
    sparse_reshape as reshape, sparse_retain as retain, sparse_slice as slice, sparse_split as split,
    sparse_to_indicator as to_indicator, sparse_transpose as transpose,
)
from tensorfleet._ops.sparse_math_ops import (
    sparse_add as add, sparse_mask as mask, sparse_tensor_dense_matmul as matmul, sparse_reduce_max as reduce_max,
    sparse_reduce_max_sparse as reduce_max_sparse, sparse_reduce_sum as reduce_sum,
    sparse_reduce_sum_sparse as reduce_sum_sparse, sparse_softmax as softmax,
    sparse_tensor_dense_matmul as sparse_dense_matmul, sparse_tensor_to_dense as to_dense,
)

__all__ = [
    "SparseTensor", "add", "concat", "fill_empty_rows", "from_dense", "mask", "matmul", "merge", "placeholder",
    "reduce_max", "reduce_max_sparse", "reduce_sum", "reduce_sum_sparse", "reorder", "reset_shape", "reshape",
    "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul", "split",
    "to_dense", "to_indicator", "transpose",
]


def from_dense(tensor: Any, name: str | None = None) -> SparseTensor:
    """A dense tensor as a sparse one: its elements that are not zero."""
    from tensorfleet._framework.convert import convert_to_tensor
    from tensorfleet._ops.binary_ops import not_equal
    from tensorfleet._ops.fill_ops import zeros_like
    from tensorfleet._ops.op_scope import op_scope
    from tensorfleet._ops.shape_ops import shape
    from tensorfleet._ops.slice_ops import gather_nd, where
    from tensorfleet._framework.dtypes import int64

    with op_scope(name, "dense_to_sparse", [tensor]):
        tensor = convert_to_tensor(tensor)
        indices = where(not_equal(tensor, zeros_like(tensor)))
        return SparseTensor(indices, gather_nd(tensor, indices), shape(tensor, out_type=int64))
