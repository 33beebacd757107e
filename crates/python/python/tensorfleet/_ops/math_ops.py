"""Arithmetic, reductions and comparisons."""

from __future__ import annotations

from tensorfleet._ops import arithmetic_ops, binary_ops, clip_ops, reduction_ops, segment_ops, special_ops, unary_ops
from tensorfleet._ops.arithmetic_ops import *
from tensorfleet._ops.binary_ops import *
from tensorfleet._ops.clip_ops import *
from tensorfleet._ops.reduction_ops import *
from tensorfleet._ops.segment_ops import *
from tensorfleet._ops.special_ops import *
from tensorfleet._ops.unary_ops import *

__all__ = [
    *arithmetic_ops.__all__, *binary_ops.__all__, *clip_ops.__all__, *reduction_ops.__all__, *segment_ops.__all__,
    *special_ops.__all__, *unary_ops.__all__,
]
