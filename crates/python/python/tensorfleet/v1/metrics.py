"""Metrics (`tf.metrics`): each gives its value and an operation that takes in one more batch."""

from __future__ import annotations

from tensorfleet._ops.metric_counts import *
from tensorfleet._ops.metric_ops import *
