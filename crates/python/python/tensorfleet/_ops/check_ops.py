"""Checks: operations that stop a step, or errors while the graph is built, if tensors are not as expected."""

from __future__ import annotations

from tensorfleet._ops import number_checks, shape_checks
from tensorfleet._ops.number_checks import *
from tensorfleet._ops.shape_checks import *

__all__ = [*number_checks.__all__, *shape_checks.__all__]
