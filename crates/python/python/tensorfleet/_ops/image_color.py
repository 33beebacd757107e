"""Colours of images: brightness, contrast, hue, saturation, and other ways to state them."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.image_geometry import beside, checked
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "adjust_brightness", "adjust_contrast", "adjust_gamma", "adjust_hue", "adjust_saturation", "convert_image_dtype",
    "grayscale_to_rgb", "hsv_to_rgb", "per_image_standardization", "per_image_whitening", "psnr", "random_brightness",
    "random_contrast", "random_hue", "random_saturation", "rgb_to_grayscale", "rgb_to_hsv", "rgb_to_yiq", "rgb_to_yuv",
    "yiq_to_rgb", "yuv_to_rgb",
]

_YIQ = [[0.299, 0.59590059, 0.2115], [0.587, -0.27455667, -0.52273617], [0.114, -0.32134392, 0.31119955]]
_FROM_YIQ = [[1, 1, 1], [0.95598634, -0.27201283, -1.10674021], [0.6208248, -0.64720424, 1.70423049]]
_YUV = [[0.299, -0.14714119, 0.61497538], [0.587, -0.28886916, -0.51496512], [0.114, 0.43601035, -0.10001026]]
_FROM_YUV = [[1, 1, 1], [0, -0.394642334, 2.03206185], [1.13988303, -0.58062185, 0]]


def convert_image_dtype(image: Any, dtype: Any, saturate: bool = False, name: str | None = None) -> Tensor:
    """An image of another element type: whole numbers up to their largest stand for 0 to 1.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.image.convert_image_dtype(tf.constant([255, 0], tf.uint8), tf.float32)).tolist()
    [1.0, 0.0]
    """
    image = convert_to_tensor(image, name="image")
    dtype = dtypes.as_dtype(dtype)
    source = image.dtype.base_dtype
    if not dtype.is_floating and not dtype.is_integer:
        raise AttributeError(f"images are of floats or integers, not of {dtype.name}")
    if dtype == source:
        return array_ops.identity(image, name=name)
    with op_scope(name, "convert_image", [image]) as scope:
        if source.is_integer and dtype.is_integer:
            have, want = source.max, dtype.max
            if have > want:
                scaled = one("FloorDiv", image, (have + 1) // (want + 1))
                return math_ops.saturate_cast(scaled, dtype, name=scope) if saturate else math_ops.cast(scaled, dtype, name=scope)
            wide = math_ops.saturate_cast(image, dtype) if saturate else math_ops.cast(image, dtype)
            return one("Mul", wide, (want + 1) // (have + 1), name=scope)
        if source.is_floating and dtype.is_floating:
            return math_ops.saturate_cast(image, dtype, name=scope) if saturate else math_ops.cast(image, dtype, name=scope)
        if source.is_integer:
            return one("Mul", math_ops.cast(image, dtype), 1.0 / source.max, name=scope)
        scaled = one("Mul", image, dtype.max + 0.5)
        return math_ops.saturate_cast(scaled, dtype, name=scope) if saturate else math_ops.cast(scaled, dtype, name=scope)


def adjust_brightness(image: Any, delta: Any) -> Tensor:
    """A number added to all pixels."""
    with op_scope(None, "adjust_brightness", [image, delta]) as scope:
        image = convert_to_tensor(image, name="image")
        kind = image.dtype.base_dtype
        wide = image if kind in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
        made = math_ops.add(wide, math_ops.cast(delta, wide.dtype), name=scope)
        return convert_image_dtype(made, kind, saturate=True)


def random_brightness(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """A random number up to `max_delta` added to all pixels, or taken from them."""
    from tensorfleet._ops import random_ops

    if max_delta < 0:
        raise ValueError(f"max_delta is {max_delta}, but it cannot be below zero")
    return adjust_brightness(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_contrast(images: Any, contrast_factor: Any) -> Tensor:
    """The difference of pixels from the mean of their channel, times a factor."""
    with op_scope(None, "adjust_contrast", [images, contrast_factor]) as scope:
        images = convert_to_tensor(images, name="images")
        kind = images.dtype.base_dtype
        wide = images if kind in (dtypes.float16, dtypes.float32) else convert_image_dtype(images, dtypes.float32)
        factor = convert_to_tensor(contrast_factor, dtype=dtypes.float32, name="contrast_factor")
        return convert_image_dtype(one("AdjustContrastv2", wide, factor, name=scope), kind, saturate=True)


def random_contrast(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_contrast` with a random factor between two bounds."""
    from tensorfleet._ops import random_ops

    _bounds(lower, upper)
    return adjust_contrast(image, random_ops.random_uniform([], lower, upper, seed=seed))


def _bounds(lower: float, upper: float) -> None:
    if upper <= lower:
        raise ValueError(f"upper is {upper}, which is not above lower, {lower}")
    if lower < 0:
        raise ValueError(f"lower is {lower}, but it cannot be below zero")


def adjust_hue(image: Any, delta: Any, name: str | None = None) -> Tensor:
    """The hue of all pixels turned by `delta`, of which 1 is the whole circle."""
    with op_scope(name, "adjust_hue", [image]):
        image = convert_to_tensor(image, name="image")
        kind = image.dtype.base_dtype
        wide = image if kind in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
        return convert_image_dtype(one("AdjustHue", wide, delta), kind)


def random_hue(image: Any, max_delta: float, seed: int | None = None) -> Tensor:
    """The hue of all pixels turned by a random amount up to `max_delta`."""
    from tensorfleet._ops import random_ops

    if not 0 <= max_delta <= 0.5:
        raise ValueError(f"max_delta must be between 0 and 0.5, not {max_delta}")
    return adjust_hue(image, random_ops.random_uniform([], -max_delta, max_delta, seed=seed))


def adjust_saturation(image: Any, saturation_factor: Any, name: str | None = None) -> Tensor:
    """The saturation of all pixels times a factor."""
    with op_scope(name, "adjust_saturation", [image]):
        image = convert_to_tensor(image, name="image")
        kind = image.dtype.base_dtype
        wide = image if kind in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
        return convert_image_dtype(one("AdjustSaturation", wide, saturation_factor), kind)


def random_saturation(image: Any, lower: float, upper: float, seed: int | None = None) -> Tensor:
    """`adjust_saturation` with a random factor between two bounds."""
    from tensorfleet._ops import random_ops

    _bounds(lower, upper)
    return adjust_saturation(image, random_ops.random_uniform([], lower, upper, seed=seed))


def adjust_gamma(image: Any, gamma: Any = 1, gain: Any = 1) -> Tensor:
    """`gain * image ** gamma`."""
    with op_scope(None, "adjust_gamma", [image, gamma, gain]):
        image = convert_to_tensor(image, name="image")
        kind = image.dtype.base_dtype
        wide = image if kind in (dtypes.float16, dtypes.float32) else convert_image_dtype(image, dtypes.float32)
        if not isinstance(gamma, Tensor) and gamma < 0:
            raise ValueError(f"gamma is {gamma}, but it cannot be below zero")
        return convert_image_dtype(gain * wide**gamma, kind, saturate=True)


def per_image_standardization(image: Any) -> Tensor:
    """Each image less its mean, divided by its deviation, which is at least one over the root of the number of elements."""
    with op_scope(None, "per_image_standardization", [image]) as scope:
        image = checked(image, "per_image_standardization")
        if image.dtype.base_dtype not in (dtypes.float16, dtypes.float32):
            image = math_ops.cast(image, dtypes.float32)
        elements = math_ops.reduce_prod(array_ops.shape(image)[-3:])  # type: ignore[index]
        mean = math_ops.reduce_mean(image, axis=[-1, -2, -3], keepdims=True)
        deviation = math_ops.reduce_std(image, axis=[-1, -2, -3], keepdims=True)
        least = one("Rsqrt", math_ops.cast(elements, image.dtype))
        return one("RealDiv", image - mean, one("Maximum", deviation, least), name=scope)


per_image_whitening = per_image_standardization


def rgb_to_grayscale(images: Any, name: str | None = None) -> Tensor:
    """Colours as one channel of brightness."""
    with op_scope(name, "rgb_to_grayscale", [images]) as scope:
        images = convert_to_tensor(images, name="images")
        kind = images.dtype.base_dtype
        wide = convert_image_dtype(images, dtypes.float32)
        gray = array_ops.expand_dims(math_ops.tensordot(wide, [0.2989, 0.5870, 0.1140], [-1, -1]), -1)
        return convert_image_dtype(gray, kind, name=scope)


def grayscale_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """One channel of brightness as three equal ones."""
    with op_scope(name, "grayscale_to_rgb", [images]) as scope:
        images = beside(convert_to_tensor(images, name="images"))
        lead = array_ops.expand_dims(array_ops.rank(images) - 1, 0)
        multiples = array_ops.concat([array_ops.ones(lead, dtype=dtypes.int32), array_ops.expand_dims(3, 0)], 0)
        made = array_ops.tile(images, multiples, name=scope)
        if images.shape.ndims is not None:
            made.set_shape(images.shape.as_list()[:-1] + [3])
        return made


def rgb_to_hsv(images: Any, name: str | None = None) -> Tensor:
    """Colours as hue, saturation and value."""
    return one("RGBToHSV", images, name=name)


def hsv_to_rgb(images: Any, name: str | None = None) -> Tensor:
    """Hue, saturation and value as colours."""
    return one("HSVToRGB", images, name=name)


def _mixed(images: Any, matrix: Any) -> Tensor:
    images = convert_to_tensor(images, name="images")
    kernel = constant(np.asarray(matrix), dtype=images.dtype.base_dtype, name="kernel")
    ndims = images.shape.ndims
    return math_ops.tensordot(images, kernel, axes=[[ndims - 1], [0]])  # type: ignore[operator]


def rgb_to_yiq(images: Any) -> Tensor:
    """Colours as YIQ."""
    return _mixed(images, _YIQ)


def yiq_to_rgb(images: Any) -> Tensor:
    """YIQ as colours."""
    return _mixed(images, _FROM_YIQ)


def rgb_to_yuv(images: Any) -> Tensor:
    """Colours as YUV."""
    return _mixed(images, _YUV)


def yuv_to_rgb(images: Any) -> Tensor:
    """YUV as colours."""
    return _mixed(images, _FROM_YUV)


def psnr(a: Any, b: Any, max_val: Any, name: str | None = None) -> Tensor:
    """The ratio of the largest value to the error of images, in decibels."""
    with op_scope(name, "PSNR", [a, b]):
        a, b = convert_to_tensor(a), convert_to_tensor(b)
        largest = convert_image_dtype(math_ops.cast(max_val, a.dtype), dtypes.float32)
        a, b = convert_image_dtype(a, dtypes.float32), convert_image_dtype(b, dtypes.float32)
        error = math_ops.reduce_mean(one("SquaredDifference", a, b), [-3, -2, -1])
        return one(
            "Sub", 20 * one("Log", largest) / one("Log", 10.0), np.float32(10 / np.log(10)) * one("Log", error), name="psnr"
        )
