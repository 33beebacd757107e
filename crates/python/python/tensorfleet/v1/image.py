"""Images (`tf.image`): reading and writing, cutting, resizing, turning and colours."""

from __future__ import annotations

from tensorfleet._ops.image_ops import *
