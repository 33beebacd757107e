"""Groups, conditions, loops and checks that decide what runs."""

from __future__ import annotations

from tensorfleet._ops import group_ops
from tensorfleet._ops.group_ops import *

__all__ = [*group_ops.__all__]
