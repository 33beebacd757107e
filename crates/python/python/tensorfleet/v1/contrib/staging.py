"""`tf.contrib.staging`: areas that hold values from one step for a later one."""

from __future__ import annotations

from tensorfleet._ops.staging import StagingArea

__all__ = ["StagingArea"]
