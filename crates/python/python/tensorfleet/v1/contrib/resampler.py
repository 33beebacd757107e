"""Points of images between pixels (`tf.contrib.resampler`)."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope

__all__ = ["resampler"]


def resampler(data: Any, warp: Any, name: str = "resampler") -> Tensor:
    """The values of images of shape [batch, height, width, channels] at points, whose last dimension is x and y; between pixels they are
    weighted by the distance, and beyond the borders they are zero.

    >>> import tensorfleet.v1 as tf
    >>> image = tf.reshape(tf.constant([1.0, 2.0, 3.0, 4.0]), [1, 2, 2, 1])
    >>> with tf.Session() as sess:
    ...     sess.run(resampler(image, [[[0.0, 0.0], [0.5, 0.5], [1.5, 0.0], [7.0, 7.0]]])).ravel().tolist()
    [1.0, 2.5, 1.0, 0.0]
    """
    with op_scope(name, "resampler", [data, warp]):
        images = convert_to_tensor(data, name="data")
        points = convert_to_tensor(warp, dtype=images.dtype, name="warp")
        rank = points.get_shape().ndims
        if images.get_shape().ndims != 4 or rank is None or points.get_shape()[-1].value not in (None, 2):
            raise ValueError(
                f"images have shape [batch, height, width, channels] and points [batch, ..., 2], not {images.get_shape()} and "
                f"{points.get_shape()}"
            )
        # A frame of zeros, so that neighbours beyond the border are there.
        framed = array_ops.pad(images, [[0, 0], [1, 1], [1, 1], [0, 0]])
        size = array_ops.shape(images)
        limits = array_ops.stack([size[2], size[1]])
        low = math_ops.floor(points)
        part = points - low
        corner = math_ops.cast(low, dtypes.int32)
        batch = array_ops.range(size[0]) if rank > 1 else array_ops.zeros([], dtypes.int32)
        batch = array_ops.reshape(batch, [-1] + [1] * (rank - 2))
        batch = batch + array_ops.zeros_like(corner[..., 0])
        parts = []
        for x in (0, 1):
            for y in (0, 1):
                at = corner + [x, y]
                inside = math_ops.reduce_all((at >= 0) & (at < limits), -1)
                at = math_ops.minimum(math_ops.maximum(at, -1), limits) + 1
                value = array_ops.gather_nd(framed, array_ops.stack([batch, at[..., 1], at[..., 0]], -1))
                weight = (part[..., 0] if x else 1 - part[..., 0]) * (part[..., 1] if y else 1 - part[..., 1])
                parts.append(value * array_ops.expand_dims(weight * math_ops.cast(inside, images.dtype), -1))
        return math_ops.add_n(parts)
