"""All functions of images."""

from __future__ import annotations

from tensorfleet._ops import image_boxes, image_codec, image_color, image_geometry
from tensorfleet._ops.image_boxes import *
from tensorfleet._ops.image_codec import *
from tensorfleet._ops.image_color import *
from tensorfleet._ops.image_geometry import *

__all__ = [*image_boxes.__all__, *image_codec.__all__, *image_color.__all__, *image_geometry.__all__]
