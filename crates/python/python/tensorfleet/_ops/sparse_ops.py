"""Sparse tensors."""

from __future__ import annotations

from tensorfleet._ops import sparse_combine_ops, sparse_math_ops
from tensorfleet._ops.sparse_combine_ops import *
from tensorfleet._ops.sparse_math_ops import *

__all__ = [*sparse_combine_ops.__all__, *sparse_math_ops.__all__]
