"""Tensors laid out anew: `tf.manip`."""

from __future__ import annotations

from tensorfleet._ops.scatter_ops import scatter_nd
from tensorfleet._ops.shape_ops import batch_to_space_nd, reshape, space_to_batch_nd, tile
from tensorfleet._ops.slice_ops import gather_nd, reverse, roll

__all__ = [
    "batch_to_space_nd", "gather_nd", "reshape", "reverse", "roll", "scatter_nd", "space_to_batch_nd", "tile",
]
