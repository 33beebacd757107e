"""Boxes that overlap, files of pictures, dilation, and pools with places or with sizes that are inputs."""

import struct

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    boxes(f)
    files(f)
    dilation(f)
    pools(f)


def boxes(f):
    state = np.random.RandomState(3)
    corners = np.concatenate([state.rand(14, 2), state.rand(14, 2) + 0.4], 1).astype(np.float32)
    scores = state.rand(14).astype(np.float32)
    for overlap in [0.0, 0.3, 0.6]:
        for pad in [False, True]:
            for least in [0.0, 0.5]:
                f.case("NonMaxSuppressionV4", corners, scores, scalar(9), np.float32(overlap), np.float32(least), pad_to_max_output_size=pad, grad=False)
                for sigma in [0.0, 0.25, 1.0]:
                    f.case("NonMaxSuppressionV5", corners, scores, scalar(9), np.float32(overlap), np.float32(least), np.float32(sigma),
                           pad_to_max_output_size=pad, tol=1e-5, grad=False)
    f.case("NonMaxSuppressionV4", corners.astype(np.float16), scores.astype(np.float16), scalar(4), np.float16(0.5), np.float16(0.25), grad=False)
    f.case("NonMaxSuppressionV4", corners, scores[:3], scalar(3), np.float32(0.5), np.float32(0), phrase="")
    f.case("NonMaxSuppressionV5", corners, scores, scalar(3), np.float32(1.5), np.float32(0), np.float32(0), phrase="")
    overlaps = state.rand(14, 14).astype(np.float32)
    for limit in [0.2, 0.7, 2.0]:
        f.case("NonMaxSuppressionWithOverlaps", overlaps, scores, scalar(8), np.float32(limit), np.float32(0.1), grad=False)
    f.case("NonMaxSuppressionWithOverlaps", overlaps[:5], scores, scalar(8), np.float32(0.5), np.float32(0.1), phrase="")
    many, each = state.rand(2, 7, 3, 4).astype(np.float32), state.rand(2, 7, 3).astype(np.float32)
    many[..., 2:] += 0.5
    for per_class in [False, True]:
        for clip in [False, True]:
            for kinds in [1, 3]:
                f.case("CombinedNonMaxSuppression", many[:, :, :kinds], each, scalar(3), scalar(12), np.float32(0.4), np.float32(0.2),
                       pad_per_class=per_class, clip_boxes=clip, grad=False)
    f.case("CombinedNonMaxSuppression", many[:, :, :2], each, scalar(3), scalar(12), np.float32(0.4), np.float32(0.2), phrase="")
    f.case("CombinedNonMaxSuppression", many, each, scalar(0), scalar(12), np.float32(0.4), np.float32(0.2), phrase="")
    f.case("CombinedNonMaxSuppression", many, each, scalar(3), scalar(0), np.float32(0.4), np.float32(0.2), phrase="")


def gif(frames, width=4, height=3):
    """An animation of plain frames of one colour each, uncompressed but for the codes."""
    palette = bytes([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    out = b"GIF89a" + struct.pack("<HHBBB", width, height, 0x91, 0, 0) + palette
    for left, top, wide, high, colour in frames:
        out += b"\x2c" + struct.pack("<HHHHB", left, top, wide, high, 0)
        # Codes of three bits, cleared before each, so that the table never grows.
        bits = "".join(format(code, "03b")[::-1] for _ in range(wide * high) for code in (4, colour)) + format(5, "03b")[::-1]
        data = bytes(int(bits[i:i + 8][::-1], 2) for i in range(0, len(bits), 8))
        out += b"\x02" + bytes([len(data)]) + data + b"\x00"
    return out + b"\x3b"


def bitmap(width, height):
    row = (width * 3 + 3) // 4 * 4
    pixels = np.random.RandomState(2).randint(0, 256, row * height).astype(np.uint8).tobytes()
    return b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, 24, 0, len(pixels), 0, 0, 0, 0) + pixels


def files(f):
    animation = np.array(gif([(0, 0, 4, 3, 1), (1, 1, 2, 2, 2), (0, 0, 1, 3, 3)]), object)
    still = np.array(gif([(0, 0, 4, 3, 2)]), object)
    f.case("DecodeGif", animation, name="DecodeGif")
    f.case("DecodeGif", still, name="DecodeGif")
    f.case("DecodeGif", np.array(b"GIF89a", object), phrase="", name="DecodeGif/short")
    f.case("DecodeGif", np.array(b"nothing", object), phrase="", name="DecodeGif/other")
    with tf.Graph().as_default(), v1.Session() as session:
        state = np.random.RandomState(3)
        pngs = [session.run(tf.io.encode_png(state.randint(0, 2**(8 * depth), (5, 4, channels)).astype([np.uint8, np.uint16][depth - 1])))
                for depth in [1, 2] for channels in [1, 3, 4]]
        # A picture of one colour is the same in every decoder.
        jpeg = np.array(session.run(tf.io.encode_jpeg(np.full((16, 24, 3), 128, np.uint8))), object)
    for dtype in [tf.uint8, tf.uint16, tf.float32]:
        for png in pngs:
            for channels in [0, 3]:
                f.case("DecodeImage", np.array(png, object), dtype=dtype, channels=channels, name="DecodeImage/png", tol=1e-6)
        for animations in [True, False]:
            f.case("DecodeImage", animation, dtype=dtype, expand_animations=animations, name="DecodeImage/gif", tol=1e-6)
        f.case("DecodeImage", np.array(bitmap(3, 2), object), dtype=dtype, name="DecodeImage/bmp", tol=1e-6)
        f.case("DecodeImage", jpeg, dtype=dtype, name="DecodeImage/jpeg", tol=1e-6)
    f.case("DecodeImage", animation, channels=1, phrase="", name="DecodeImage/channels")
    f.case("DecodeImage", np.array(b"what is this", object), phrase="", name="DecodeImage/unknown")
    for dtype in [tf.int32, tf.int64]:
        f.case("ExtractJpegShape", jpeg, output_type=dtype, name="ExtractJpegShape")
    f.case("ExtractJpegShape", np.array(b"what", object), phrase="", name="ExtractJpegShape/bad")
    f.case("DecodeAndCropJpeg", jpeg, i32(2, 3, 5, 6), name="DecodeAndCropJpeg")
    f.case("DecodeAndCropJpeg", jpeg, i32(2, 3, 5, 6), channels=1, name="DecodeAndCropJpeg")
    for window in [(0, 0, 17, 3), (-1, 0, 3, 3), (0, 0, 0, 3), (0, 0, 3)]:
        f.case("DecodeAndCropJpeg", jpeg, i32(*window), phrase="", name="DecodeAndCropJpeg/window")
    f.case("EncodeJpeg", values((4, 4), np.uint8), phrase="")
    f.case("EncodeJpeg", values((4, 4, 2), np.uint8), phrase="")
    f.case("EncodeJpeg", values((4, 4, 3), np.uint8), phrase="", quality=101)
    f.case("EncodeJpeg", values((4, 4, 3), np.uint8), phrase="", also={"format": "grayscale"})
    f.case("EncodeJpegVariableQuality", values((4, 4, 3), np.uint8), scalar(101), phrase="")


def dilation(f):
    for dtype in [np.float32, np.float64, np.float16, np.int32, np.uint8, np.int64]:
        for padding in ["SAME", "VALID"]:
            for strides, rates in [((1, 1), (1, 1)), ((2, 1), (1, 2)), ((2, 3), (2, 1))]:
                f.case("Dilation2D", values((2, 6, 7, 2), dtype), values((3, 2, 2), dtype, seed=3), strides=[1, *strides, 1], rates=[1, *rates, 1], padding=padding)
    options = dict(strides=[1, 1, 1, 1], rates=[1, 1, 1, 1], padding="VALID")
    for op, last in [("Dilation2DBackpropInput", (1, 3, 4, 1)), ("Dilation2DBackpropFilter", (1, 3, 4, 1))]:
        for dtype in [np.float32, np.int32, np.float64]:
            f.case(op, values((1, 4, 5, 1), dtype), values((2, 2, 1), dtype, seed=3), values(last, dtype, seed=5), **options)
        f.case(op, values((1, 4, 5, 1)), values((2, 2, 1)), values((1, 4, 5, 1)), phrase="", **options)
    f.case("Dilation2D", values((1, 4, 5, 2)), values((2, 2, 1)), phrase="", **options)
    f.case("Dilation2D", values((4, 5, 2)), values((2, 2, 2)), phrase="", **options)
    f.case("Dilation2D", values((1, 4, 5, 2)), values((2, 2)), phrase="", **options)


def pools(f):
    for dtype in [np.float32, np.float64, np.float16, np.int32, np.uint8]:
        for padding in ["SAME", "VALID"]:
            for ksize, strides in [((2, 2), (2, 2)), ((3, 2), (1, 2))]:
                x = values((2, 5, 6, 2), dtype)
                f.case("MaxPoolV2", x, i32(1, *ksize, 1), i32(1, *strides, 1), padding=padding)
                for target in [tf.int32, tf.int64]:
                    for batch in [False, True]:
                        f.case("MaxPoolWithArgmax", x, ksize=[1, *ksize, 1], strides=[1, *strides, 1], padding=padding, Targmax=target, include_batch_in_index=batch)
    x, dy = values((1, 4, 4, 1)), values((1, 2, 2, 1), seed=4)
    y = x.reshape(1, 2, 2, 2, 2, 1).max((2, 4))
    f.case("MaxPoolGradV2", x, y, dy, i32(1, 2, 2, 1), i32(1, 2, 2, 1), padding="VALID")
    f.case("MaxPoolGradGradV2", x, y, values((1, 4, 4, 1), seed=5), i32(1, 2, 2, 1), i32(1, 2, 2, 1), padding="VALID", grad=False)
    f.case("MaxPoolV2", x, i32(1, 2, 2), i32(1, 2, 2, 1), padding="VALID", phrase="")
    f.case("MaxPoolV2", x, i32(1, 2, 2, 1), i32(1, 0, 2, 1), padding="VALID", phrase="")
    options = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    f.case("MaxPoolGradWithArgmax", x, dy, np.array([0, 3, 9, 15], np.int64).reshape(1, 2, 2, 1), **options)
    f.case("MaxPoolGradWithArgmax", x, values((1, 2, 1, 1)), np.array([0, 3, 9, 15], np.int64).reshape(1, 2, 2, 1), phrase="", **options)
