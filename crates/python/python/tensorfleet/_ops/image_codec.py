"""Images out of their files' bytes, and back."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.image_color import convert_image_dtype
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "decode_and_crop_jpeg", "decode_bmp", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "encode_jpeg", "encode_png",
    "extract_jpeg_shape", "is_jpeg",
]


def decode_jpeg(
    contents: Any, channels: int = 0, ratio: int = 1, fancy_upscaling: bool = True, try_recover_truncated: bool = False,
    acceptable_fraction: float = 1, dct_method: str = "", name: str | None = None,
) -> Tensor:
    """The pixels of a JPEG file; with `channels` 1 or 3, or those of the file if that is 0."""
    return one(
        "DecodeJpeg", contents, name=name, channels=channels, ratio=ratio, fancy_upscaling=fancy_upscaling,
        try_recover_truncated=try_recover_truncated, acceptable_fraction=float(acceptable_fraction), dct_method=dct_method,
    )


def decode_png(contents: Any, channels: int = 0, dtype: Any = dtypes.uint8, name: str | None = None) -> Tensor:
    """The pixels of a PNG file."""
    return one("DecodePng", contents, name=name, channels=channels, dtype=dtype)


def decode_bmp(contents: Any, channels: int = 0, name: str | None = None) -> Tensor:
    """The pixels of a BMP file."""
    return one("DecodeBmp", contents, name=name, channels=channels)


def decode_gif(contents: Any, name: str | None = None) -> Tensor:
    """There is no reader of GIF files here; make PNG files of them."""
    return one("DecodeGif", contents, name=name)


def decode_and_crop_jpeg(contents: Any, crop_window: Any, channels: int = 0, name: str | None = None, **_: Any) -> Tensor:
    """A part of the pixels of a JPEG file: the window is [top, left, height, width]."""
    from tensorfleet._ops import array_ops

    with op_scope(name, "DecodeAndCropJpeg", [contents]):
        window = convert_to_tensor(crop_window, dtypes.int32)
        image = decode_jpeg(contents, channels)
        begin = array_ops.concat([window[:2], [0]], 0)  # type: ignore[index]
        return array_ops.slice(image, begin, array_ops.concat([window[2:], [-1]], 0))  # type: ignore[index]


def encode_png(image: Any, compression: int = -1, name: str | None = None) -> Tensor:
    """The bytes of a PNG file with these pixels."""
    return one("EncodePng", image, name=name, compression=compression)


def encode_jpeg(image: Any, *_: Any, name: str | None = None, **__: Any) -> Tensor:
    """There is no writer of JPEG files here; `encode_png` makes PNG files."""
    raise NotImplementedError("tensorfleet writes no JPEG files: tf.image.encode_png keeps an image without loss")


def is_jpeg(contents: Any, name: str | None = None) -> Tensor:
    """Whether bytes begin as those of a JPEG file."""
    with op_scope(name, "is_jpeg", [contents]):
        return one("Equal", one("Substr", contents, 0, 3), b"\xff\xd8\xff", name="is_jpeg")


def decode_image(
    contents: Any, channels: int | None = None, dtype: Any = dtypes.uint8, name: str | None = None,
    expand_animations: bool = True,
) -> Tensor:
    """The pixels of a JPEG, PNG or BMP file, whichever it is."""
    from tensorfleet._ops import control_flow

    with op_scope(name, "decode_image", [contents]):
        contents = convert_to_tensor(contents, dtype=dtypes.string, name="contents")
        wanted = channels or 0
        start = one("Substr", contents, 0, 2)
        image = control_flow.cond(
            is_jpeg(contents), lambda: decode_jpeg(contents, wanted),
            lambda: control_flow.cond(
                one("Equal", start, b"BM"), lambda: decode_bmp(contents, wanted), lambda: decode_png(contents, wanted)
            ),
        )
        return convert_image_dtype(image, dtype)


def extract_jpeg_shape(contents: Any, output_type: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Height, width and channels of a JPEG file, without its pixels."""
    return one("ExtractJpegShape", contents, name=name, output_type=output_type)
