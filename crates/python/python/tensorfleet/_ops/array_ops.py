"""Tensors made, joined, parted, sliced and laid out anew."""

from __future__ import annotations

from tensorfleet._ops import fill_ops, join_ops, matrix_ops, scatter_ops, shape_ops, slice_ops
from tensorfleet._ops.fill_ops import *
from tensorfleet._ops.join_ops import *
from tensorfleet._ops.matrix_ops import *
from tensorfleet._ops.scatter_ops import *
from tensorfleet._ops.shape_ops import *
from tensorfleet._ops.slice_ops import *
from tensorfleet._ops.slice_ops import _slice_helper

__all__ = [
    *fill_ops.__all__, *join_ops.__all__, *matrix_ops.__all__, *scatter_ops.__all__, *shape_ops.__all__, *slice_ops.__all__,
]
