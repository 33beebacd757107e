"""Images turned and moved (`tf.contrib.image`)."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope
from tensorfleet.v1._refused import refusing

__all__ = ["angles_to_projective_transforms", "rotate", "transform"]


def angles_to_projective_transforms(angles: Any, image_height: Any, image_width: Any, name: str | None = None) -> Tensor:
    """The eight numbers that turn images about their centers, against the clock, for each angle."""
    with op_scope(name, "angles_to_projective_transforms", [angles]):
        given: Any = convert_to_tensor(angles, name="angles", dtype=dtypes.float32)
        turns = given[None] if given.shape.ndims == 0 else given
        cosines: Any = math_ops.cos(turns)
        sines: Any = math_ops.sin(turns)
        right, bottom = image_width - 1, image_height - 1
        # The center stays where it is.
        x = (right - (cosines * right - sines * bottom)) / 2.0
        y = (bottom - (sines * right + cosines * bottom)) / 2.0
        zeros = array_ops.zeros_like(turns)
        return array_ops.stack([cosines, -sines, x, sines, cosines, y, zeros, zeros], axis=1)


def transform(
    images: Any, transforms: Any, interpolation: str = "NEAREST", output_shape: Any = None, name: str | None = None
) -> Tensor:
    """Images whose pixels are taken from other places, by eight numbers for each image or for all."""
    with op_scope(name, "transform", [images, transforms]):
        pictures, back = _batch(images)
        numbers: Any = convert_to_tensor(transforms, name="transforms", dtype=dtypes.float32)
        if numbers.shape.ndims == 1:
            numbers = numbers[None]
        size = array_ops.shape(pictures)[1:3] if output_shape is None else output_shape  # type: ignore[index]
        moved = one(
            "ImageProjectiveTransformV3", pictures, numbers, size, 0.0, interpolation=interpolation.upper(), fill_mode="CONSTANT")
        return back(moved)


def rotate(images: Any, angles: Any, interpolation: str = "NEAREST", name: str | None = None) -> Tensor:
    """Images turned about their centers, against the clock, by angles in radians."""
    with op_scope(name, "rotate", [images, angles]):
        pictures, back = _batch(images)
        size: Any = math_ops.cast(array_ops.shape(pictures), dtypes.float32)
        return back(transform(pictures, angles_to_projective_transforms(angles, size[1], size[2]), interpolation))


def _batch(images: Any) -> tuple[Any, Any]:
    """Images as a batch with channels, and what makes of such a batch what was given."""
    pictures: Any = convert_to_tensor(images, name="images")
    if pictures.shape.ndims == 2:
        return pictures[None, :, :, None], lambda batch: batch[0, :, :, 0]
    if pictures.shape.ndims == 3:
        return pictures[None], lambda batch: batch[0]
    if pictures.shape.ndims == 4:
        return pictures, lambda batch: batch
    raise TypeError(f"images have two, three or four dimensions, not the shape {pictures.shape}")


__getattr__ = refusing("tf.contrib.image", "tf.image")
