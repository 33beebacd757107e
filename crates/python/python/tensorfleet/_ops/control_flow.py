"""Groups, conditions, loops and checks that decide what runs."""

from __future__ import annotations

from tensorfleet._ops import cond_ops, functional_ops, group_ops, tensor_array, while_ops
from tensorfleet._ops.cond_ops import *
from tensorfleet._ops.functional_ops import *
from tensorfleet._ops.group_ops import *
from tensorfleet._ops.tensor_array import *
from tensorfleet._ops.while_ops import *

__all__ = [
    *cond_ops.__all__, *functional_ops.__all__, *group_ops.__all__, *tensor_array.__all__, *while_ops.__all__,
]
