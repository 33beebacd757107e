"""Records of features, rows of text and raw bytes made into tensors."""

from __future__ import annotations

from tensorfleet._ops import feature_ops, file_ops, text_ops
from tensorfleet._ops.feature_ops import *
from tensorfleet._ops.file_ops import *
from tensorfleet._ops.text_ops import *

__all__ = [*feature_ops.__all__, *file_ops.__all__, *text_ops.__all__]
