"""Images turned, cut, padded and resized."""

from __future__ import annotations

import enum
from typing import Any, Callable

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "ResizeMethod", "central_crop", "crop_and_resize", "crop_to_bounding_box", "draw_bounding_boxes", "extract_image_patches",
    "flip_left_right", "flip_up_down", "image_gradients", "non_max_suppression", "pad_to_bounding_box", "random_crop",
    "random_flip_left_right", "random_flip_up_down", "resize", "resize_area", "resize_bicubic", "resize_bilinear",
    "resize_image_with_crop_or_pad", "resize_image_with_pad", "resize_images", "resize_nearest_neighbor",
    "resize_with_crop_or_pad", "rot90", "sobel_edges", "total_variation", "transpose", "transpose_image",
]


class ResizeMethod(enum.IntEnum):
    """How the pixels of a resized image are made."""

    BILINEAR = 0
    NEAREST_NEIGHBOR = 1
    BICUBIC = 2
    AREA = 3


def beside(image: Tensor) -> Tensor:
    """The same image, by an operation of its own."""
    with image.graph.colocate_with(image.op):
        return array_ops.identity(image, name="control_dependency")


def checked(image: Any, what: str) -> Tensor:
    """An image, or images, of at least three dimensions."""
    image = convert_to_tensor(image, name="image")
    if image.shape.ndims is not None and image.shape.ndims < 3:
        raise ValueError(f"'image' (shape {image.shape}) has fewer than three dimensions: {what}")
    return beside(image)


def _flip(image: Any, axis: int, scope: str) -> Tensor:
    with op_scope(None, scope, [image]):
        image = checked(image, scope)
        if image.shape.ndims == 4:
            return array_ops.reverse(image, [axis + 1])
        if image.shape.ndims != 3:
            raise ValueError(f"'image' (shape {image.shape}) has neither 3 nor 4 dimensions")
        return _same_shape(array_ops.reverse(image, [axis]), image)


def _same_shape(result: Tensor, image: Tensor) -> Tensor:
    result.set_shape([None, None, None] if image.shape.ndims is None else image.shape)
    return result


def flip_left_right(image: Any) -> Tensor:
    """The mirror image, left and right exchanged.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.image.flip_left_right([[[1.0], [2.0]]])).ravel().tolist()
    [2.0, 1.0]
    """
    return _flip(image, 1, "flip_left_right")


def flip_up_down(image: Any) -> Tensor:
    """The image with top and bottom exchanged."""
    return _flip(image, 0, "flip_up_down")


def _random_flip(image: Any, axis: int, seed: int | None, scope: str) -> Tensor:
    from tensorfleet._ops import control_flow, random_ops

    with op_scope(None, scope, [image]) as inside:
        image = checked(image, scope)
        if image.shape.ndims == 4:
            batch = array_ops.shape(image)[0]  # type: ignore[index]
            chance = random_ops.random_uniform([batch], 0, 1.0, seed=seed)
            flips = math_ops.cast(math_ops.round(array_ops.reshape(chance, [batch, 1, 1, 1])), image.dtype)
            flipped = array_ops.reverse(image, [axis + 1])
            return flips * flipped + (1 - flips) * image
        if image.shape.ndims != 3:
            raise ValueError(f"'image' (shape {image.shape}) has neither 3 nor 4 dimensions")
        mirror = one("Less", random_ops.random_uniform([], 0, 1.0, seed=seed), 0.5)
        result = control_flow.cond(mirror, lambda: array_ops.reverse(image, [axis]), lambda: image, name=inside)
        return _same_shape(result, image)


def random_flip_left_right(image: Any, seed: int | None = None) -> Tensor:
    """The image or its mirror image, each as often."""
    return _random_flip(image, 1, seed, "random_flip_left_right")


def random_flip_up_down(image: Any, seed: int | None = None) -> Tensor:
    """The image or itself upside down, each as often."""
    return _random_flip(image, 0, seed, "random_flip_up_down")


def transpose(image: Any, name: str | None = None) -> Tensor:
    """The image with rows and columns exchanged."""
    with op_scope(name, "transpose", [image]):
        image = checked(image, "transpose")
        return array_ops.transpose(image, [0, 2, 1, 3] if image.shape.ndims == 4 else [1, 0, 2])


transpose_image = transpose


def rot90(image: Any, k: int = 1, name: str | None = None) -> Tensor:
    """The image turned `k` times by 90 degrees, against the clock."""
    with op_scope(name, "rot90", [image]):
        image = checked(image, "rot90")
        turns = k if isinstance(k, int) else constant_value(k)
        if turns is None:
            raise ValueError(f"the number of turns must be known while the graph is built, not {k!r}")
        lead = 1 if image.shape.ndims == 4 else 0
        order = [0, 2, 1, 3] if lead else [1, 0, 2]
        turns = int(turns) % 4
        if turns == 1:
            return array_ops.transpose(array_ops.reverse(image, [lead + 1]), order)
        if turns == 2:
            return array_ops.reverse(image, [lead, lead + 1])
        if turns == 3:
            return array_ops.reverse(array_ops.transpose(image, order), [lead + 1])
        return image


def _dims(image: Tensor, rank: int) -> list[Any]:
    """The lengths of the dimensions: numbers where they are known, else tensors."""
    if image.shape.is_fully_defined():
        return image.shape.as_list()
    known = image.shape.with_rank(rank).as_list()
    dynamic = array_ops.unstack(array_ops.shape(image), rank)
    return [d if s is None else s for s, d in zip(known, dynamic)]


def _as_batch(image: Any, what: str) -> tuple[Tensor, bool]:
    image = convert_to_tensor(image, name="image")
    if image.shape.ndims == 3:
        return array_ops.expand_dims(image, 0), False
    if image.shape.ndims is None:
        batch = array_ops.expand_dims(image, 0)
        batch.set_shape([None] * 4)
        return batch, False
    if image.shape.ndims != 4:
        raise ValueError(f"'image' (shape {image.shape}) has neither 3 nor 4 dimensions: {what}")
    return image, True


def _positive(holds: Any, message: str) -> None:
    if not isinstance(holds, Tensor) and not holds:
        raise ValueError(message)


def crop_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Tensor:
    """A part of an image: its offset from the top and the left, and its size."""
    with op_scope(None, "crop_to_bounding_box", [image]):
        image, is_batch = _as_batch(image, "crop_to_bounding_box")
        _, height, width, depth = _dims(image, 4)
        _positive(offset_width >= 0, f"offset_width must be >= 0, not {offset_width}")
        _positive(offset_height >= 0, f"offset_height must be >= 0, not {offset_height}")
        _positive(target_width > 0, f"target_width must be > 0, not {target_width}")
        _positive(target_height > 0, f"target_height must be > 0, not {target_height}")
        _positive(width >= target_width + offset_width, f"width must be >= target + offset: {width}, {target_width}, {offset_width}")
        _positive(
            height >= target_height + offset_height, f"height must be >= target + offset: {height}, {target_height}, {offset_height}"
        )
        image = beside(image)
        begin = array_ops.stack([0, offset_height, offset_width, 0])
        size = array_ops.stack([array_ops.shape(image)[0], target_height, target_width, array_ops.shape(image)[3]])
        cropped = array_ops.slice(image, begin, size)
        cropped.set_shape([_number(d) for d in (image.shape.as_list()[0], target_height, target_width, depth)])
        return cropped if is_batch else array_ops.squeeze(cropped, [0])


def _number(value: Any) -> int | None:
    value = constant_value(value) if isinstance(value, Tensor) else value
    return None if value is None else int(value)


def pad_to_bounding_box(image: Any, offset_height: Any, offset_width: Any, target_height: Any, target_width: Any) -> Tensor:
    """An image with zeros around it: its offset from the top and the left, and the size of the whole."""
    with op_scope(None, "pad_to_bounding_box", [image]):
        image, is_batch = _as_batch(image, "pad_to_bounding_box")
        batch, height, width, depth = _dims(image, 4)
        right = target_width - offset_width - width
        below = target_height - offset_height - height
        _positive(offset_height >= 0, f"offset_height must be >= 0, not {offset_height}")
        _positive(offset_width >= 0, f"offset_width must be >= 0, not {offset_width}")
        _positive(right >= 0, f"width must be <= target - offset: {width}, {target_width}, {offset_width}")
        _positive(below >= 0, f"height must be <= target - offset: {height}, {target_height}, {offset_height}")
        image = beside(image)
        amounts = array_ops.reshape(array_ops.stack([0, 0, offset_height, below, offset_width, right, 0, 0]), [4, 2])
        padded = array_ops.pad(image, amounts)
        padded.set_shape([_number(d) for d in (image.shape.as_list()[0], target_height, target_width, depth)])
        return padded if is_batch else array_ops.squeeze(padded, [0])


def _least(x: Any, y: Any) -> Any:
    return one("Minimum", x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else min(x, y)


def _most(x: Any, y: Any) -> Any:
    return one("Maximum", x, y) if isinstance(x, Tensor) or isinstance(y, Tensor) else max(x, y)


def resize_image_with_crop_or_pad(image: Any, target_height: Any, target_width: Any) -> Tensor:
    """An image of a size: its middle where it is larger, with zeros around it where it is smaller.

    >>> import tensorfleet.v1 as tf
    >>> tf.image.resize_image_with_crop_or_pad(tf.ones([5, 2, 3]), 3, 4).shape.as_list()
    [3, 4, 3]
    """
    with op_scope(None, "resize_image_with_crop_or_pad", [image]):
        image, is_batch = _as_batch(image, "resize_image_with_crop_or_pad")
        image = beside(image)
        _, height, width, _ = _dims(image, 4)
        wider, higher = target_width - width, target_height - height
        left, above = _most(-wider // 2, 0), _most(-higher // 2, 0)
        pad_left, pad_above = _most(wider // 2, 0), _most(higher // 2, 0)
        cropped = crop_to_bounding_box(image, above, left, _least(target_height, height), _least(target_width, width))
        resized = pad_to_bounding_box(cropped, pad_above, pad_left, target_height, target_width)
        resized = beside(resized)
        return resized if is_batch else array_ops.squeeze(resized, [0])


resize_with_crop_or_pad = resize_image_with_crop_or_pad


def central_crop(image: Any, central_fraction: float) -> Tensor:
    """The middle of an image, a fraction of it in each direction."""
    with op_scope(None, "central_crop", [image]):
        image = convert_to_tensor(image, name="image")
        if not 0.0 < central_fraction <= 1.0:
            raise ValueError(f"central_fraction is {central_fraction}; it lies above 0 and is at most 1")
        if central_fraction == 1.0:
            return image
        checked(image, "central_crop")
        rank = image.shape.ndims
        if rank not in (3, 4):
            raise ValueError(f"`image` should have rank 3 or 4. Had rank = {rank}.")
        lead = rank - 3
        known = image.shape.as_list()
        dynamic = None if None not in known[lead : lead + 2] else array_ops.shape(image)

        def part(axis: int) -> tuple[Any, Any]:
            length = known[axis]
            if length is not None:
                start = int((length - length * central_fraction) / 2)
                return start, length - start * 2
            size = math_ops.cast(dynamic[axis], dtypes.float64)  # type: ignore[index]
            start = math_ops.cast((size - size * central_fraction) / 2, dtypes.int32)
            return start, dynamic[axis] - start * 2  # type: ignore[index]

        (top, height), (left, width) = part(lead), part(lead + 1)
        begin = array_ops.stack([0] * lead + [top, left, 0])
        size = array_ops.stack([-1] * lead + [height, width, -1])
        cropped = array_ops.slice(image, begin, size)
        cropped.set_shape(known[:lead] + [_number(height), _number(width), known[-1]])
        return cropped


def _resizer(op: str) -> Callable[..., Tensor]:
    def resize_with(
        images: Any, size: Any, align_corners: bool = False, name: str | None = None, half_pixel_centers: bool = False
    ) -> Tensor:
        extra = {} if op == "ResizeArea" else {"half_pixel_centers": half_pixel_centers}
        return one(op, images, size, name=name, align_corners=align_corners, **extra)

    resize_with.__doc__ = f"Images of another size, by the op {op}."
    return resize_with


resize_bilinear = _resizer("ResizeBilinear")
resize_nearest_neighbor = _resizer("ResizeNearestNeighbor")
resize_bicubic = _resizer("ResizeBicubic")
resize_area = _resizer("ResizeArea")

_METHODS = {
    0: resize_bilinear, 1: resize_nearest_neighbor, 2: resize_bicubic, 3: resize_area,
    "bilinear": resize_bilinear, "nearest": resize_nearest_neighbor, "bicubic": resize_bicubic, "area": resize_area,
}


def resize_images(
    images: Any, size: Any, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False,
    preserve_aspect_ratio: bool = False, name: str | None = None, *old: Any,
) -> Tensor:
    """Images of another size. Before TensorFlow 1.0 height and width were two arguments, which is understood too."""
    if isinstance(size, int) and isinstance(method, int) and not isinstance(method, ResizeMethod):
        size = [size, method]
        method = align_corners if not isinstance(align_corners, bool) else ResizeMethod.BILINEAR
        align_corners = False
    with op_scope(name, "resize", [images, size]):
        images, is_batch = _as_batch(images, "resize")
        size = convert_to_tensor(size, dtypes.int32, name="size")
        if size.shape.ndims != 1 or size.shape[0].value != 2:
            raise ValueError(f"`size` is [height, width], not a tensor of shape {size.shape}")
        if preserve_aspect_ratio:
            size = _with_ratio(images, size)
        known = constant_value(size)
        new = [None, None] if known is None else [int(d) for d in known]
        if None not in new and images.shape.as_list()[1:3] == new:
            return images if is_batch else array_ops.squeeze(images, [0])
        if method not in _METHODS:
            raise ValueError(f"there is no resize method {method!r}")
        made = _METHODS[method](images, size, align_corners=align_corners)
        made.set_shape([images.shape.as_list()[0], *new, images.shape.as_list()[3]])
        return made if is_batch else array_ops.squeeze(made, [0])


def _with_ratio(images: Tensor, size: Tensor) -> Tensor:
    _, height, width, _ = _dims(images, 4)
    f = dtypes.float32
    by_height = math_ops.cast(size[0], f) / math_ops.cast(height, f)  # type: ignore[index]
    by_width = math_ops.cast(size[1], f) / math_ops.cast(width, f)  # type: ignore[index]
    factor = one("Minimum", by_height, by_width)
    new_height = math_ops.cast(math_ops.round(factor * math_ops.cast(height, f)), dtypes.int32)
    new_width = math_ops.cast(math_ops.round(factor * math_ops.cast(width, f)), dtypes.int32)
    return convert_to_tensor([new_height, new_width], dtypes.int32, name="size")


resize = resize_images


def resize_image_with_pad(
    image: Any, target_height: int, target_width: int, method: Any = ResizeMethod.BILINEAR, align_corners: bool = False
) -> Tensor:
    """An image resized without changing its proportions, with zeros around it."""
    with op_scope(None, "resize_image_with_pad", [image]):
        image, is_batch = _as_batch(image, "resize_image_with_pad")
        height, width = image.shape.as_list()[1:3]
        if height is None or width is None:
            raise ValueError(f"the size of the image must be known while the graph is built, but its shape is {image.shape}")
        ratio = max(width / target_width, height / target_height)
        new_height, new_width = int(height / ratio), int(width / ratio)
        above = max(0, int((target_height - height / ratio) / 2))
        left = max(0, int((target_width - width / ratio) / 2))
        resized = resize_images(image, [new_height, new_width], method, align_corners)
        padded = pad_to_bounding_box(resized, above, left, target_height, target_width)
        return padded if is_batch else array_ops.squeeze(padded, [0])


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of a tensor, of a size, at a random place."""
    from tensorfleet._ops import random_ops

    return random_ops.random_crop(value, size, seed, name)


def crop_and_resize(
    image: Any, boxes: Any, box_ind: Any = None, crop_size: Any = None, method: str = "bilinear",
    extrapolation_value: float = 0, name: str | None = None, box_indices: Any = None,
) -> Tensor:
    """Boxes cut out of images and brought to one size."""
    return one(
        "CropAndResize", image, boxes, box_ind if box_ind is not None else box_indices, crop_size, name=name, method=method,
        extrapolation_value=float(extrapolation_value),
    )


def draw_bounding_boxes(images: Any, boxes: Any, name: str | None = None, colors: Any = None) -> Tensor:
    """Images with the frames of boxes drawn into them."""
    if colors is None:
        return one("DrawBoundingBoxes", images, boxes, name=name)
    return one("DrawBoundingBoxesV2", images, boxes, colors, name=name)


def non_max_suppression(
    boxes: Any, scores: Any, max_output_size: Any, iou_threshold: Any = 0.5, score_threshold: Any = float("-inf"),
    name: str | None = None,
) -> Tensor:
    """The numbers of the boxes with the highest scores that do not overlap too much."""
    with op_scope(name, "non_max_suppression", [boxes, scores]):
        limit = convert_to_tensor(iou_threshold, dtypes.float32, name="iou_threshold")
        least = convert_to_tensor(score_threshold, dtypes.float32, name="score_threshold")
        return one("NonMaxSuppressionV3", boxes, scores, max_output_size, limit, least)


def extract_image_patches(
    images: Any, ksizes: Any = None, strides: Any = None, rates: Any = None, padding: str | None = None,
    name: str | None = None, sizes: Any = None,
) -> Tensor:
    """The windows of images, each as one vector of channels."""
    return one(
        "ExtractImagePatches", images, name=name, ksizes=list(ksizes if ksizes is not None else sizes), strides=list(strides),
        rates=list(rates), padding=padding,
    )


def total_variation(images: Any, name: str | None = None) -> Tensor:
    """How much neighbouring pixels of each image differ, summed."""
    with op_scope(name, "total_variation", [images]):
        images = convert_to_tensor(images)
        ndims = images.shape.ndims
        if ndims == 3:
            down, right, axis = images[1:, :, :] - images[:-1, :, :], images[:, 1:, :] - images[:, :-1, :], None  # type: ignore[index]
        elif ndims == 4:
            down = images[:, 1:, :, :] - images[:, :-1, :, :]  # type: ignore[index]
            right, axis = images[:, :, 1:, :] - images[:, :, :-1, :], [1, 2, 3]  # type: ignore[index]
        else:
            raise ValueError(f"'images' has shape {images.shape}, which is neither of 3 nor of 4 dimensions")
        return math_ops.reduce_sum(math_ops.abs(down), axis=axis) + math_ops.reduce_sum(math_ops.abs(right), axis=axis)


def image_gradients(image: Any) -> tuple[Tensor, Tensor]:
    """The differences of each pixel from those below and right of it."""
    image = convert_to_tensor(image)
    if image.shape.ndims != 4:
        raise ValueError(f"image_gradients expects a 4D tensor [batch, height, width, depth], not {image.shape}.")
    shape = array_ops.shape(image)
    batch, height, width, depth = array_ops.unstack(shape)
    dy = image[:, 1:, :, :] - image[:, :-1, :, :]  # type: ignore[index]
    dx = image[:, :, 1:, :] - image[:, :, :-1, :]  # type: ignore[index]
    dy = array_ops.concat([dy, array_ops.zeros(array_ops.stack([batch, 1, width, depth]), image.dtype)], 1)
    dx = array_ops.concat([dx, array_ops.zeros(array_ops.stack([batch, height, 1, depth]), image.dtype)], 2)
    return array_ops.reshape(dy, shape), array_ops.reshape(dx, shape)


def sobel_edges(image: Any) -> Tensor:
    """The edges of images in both directions, by Sobel's filters."""
    from tensorfleet._ops import nn_conv

    image = convert_to_tensor(image)
    known, shape = image.shape, array_ops.shape(image)
    down, right = [[-1, -2, -1], [0, 0, 0], [1, 2, 1]], [[-1, 0, 1], [-2, 0, 2], [-1, 0, 1]]
    filters = constant(np.stack([down, right], axis=-1)[:, :, None, :].astype(np.float32), dtypes.float32)
    filters = array_ops.tile(filters, [1, 1, shape[-1], 1], name="sobel_filters")  # type: ignore[index]
    padded = array_ops.pad(image, [[0, 0], [1, 1], [1, 1], [0, 0]], mode="REFLECT")
    made = nn_conv.depthwise_conv2d(padded, filters, [1, 1, 1, 1], "VALID")
    result = array_ops.reshape(made, array_ops.concat([shape, [2]], 0))
    result.set_shape(known.concatenate([2]))
    return result


