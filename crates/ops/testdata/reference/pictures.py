"""Images: other ways of resizing, crops, colours, boxes and file formats."""

import struct

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    resizing(f)
    crops(f)
    boxes(f)
    colours(f)
    files(f)


def resizing(f):
    for op in ["ResizeBicubic", "ResizeArea"]:
        for dtype in [np.float32, np.float64, np.uint8, np.int32, np.int64, np.float16, np.int16]:
            f.case(op, values((2, 3, 4, 2), dtype), i32(5, 3), grad=None if dtype == np.float32 else False, tol=1e-4)
        for size in [(3, 4), (1, 1), (7, 2), (6, 8), (2, 3)]:
            f.case(op, values((1, 3, 4, 1)), i32(*size), align_corners=True, tol=1e-4)
            f.case(op, values((1, 3, 4, 1)), i32(*size), tol=1e-4)
            if op == "ResizeBicubic":
                f.case(op, values((1, 3, 4, 1)), i32(*size), half_pixel_centers=True, tol=1e-4)
        f.case(op, values((1, 3, 4, 1)), i32(0, 2))
        f.case(op, values((1, 3, 4, 1)), i32(2, 2, 2), phrase="")
        f.case(op, values((3, 4, 1)), i32(2, 2), phrase="")


def crops(f):
    places = np.array([[0, 0, 1, 1], [0.25, 0.5, 0.75, 1.25], [1, 1, 0.25, 0], [-0.5, 0.125, 0.5, 0.625]], np.float32)
    for dtype in [np.float32, np.float64, np.uint8, np.int32, np.int64, np.float16]:
        for method in ["bilinear", "nearest"]:
            f.case("CropAndResize", values((2, 4, 5, 2), dtype), places, i32(0, 1, 1, 0), i32(3, 4), method=method, extrapolation_value=0.5,
                   grad=dtype == np.float32 and method == "bilinear", tol=1e-4)
    for size in [(1, 1), (1, 3), (5, 1)]:
        f.case("CropAndResize", values((2, 4, 5, 2)), places, i32(0, 1, 1, 0), i32(*size), tol=1e-4)
    f.case("CropAndResize", values((2, 4, 5, 2)), places, i32(0, 1, 2, 0), i32(2, 2), phrase="")
    f.case("CropAndResize", values((2, 4, 5, 2)), places, i32(0, 1, 0), i32(2, 2), phrase="")
    f.case("CropAndResize", values((2, 4, 5, 2)), places, i32(0, 1, 0, 0), i32(0, 2), phrase="")
    f.case("CropAndResize", values((4, 5, 2)), places, i32(0, 1, 0, 0), i32(2, 2), phrase="")
    f.case("CropAndResizeGradImage", values((4, 3, 2, 2)), places, i32(0, 1, 1, 0), i32(2, 4, 5, 2), method="nearest", T=tf.float32, tol=1e-4)
    f.case("CropAndResizeGradImage", values((4, 3, 2, 2)), places, i32(0, 1, 1, 0), i32(2, 4, 5, 2), T=tf.float64, tol=1e-4)


def boxes(f):
    random = np.random.RandomState(7)
    corners = np.concatenate([random.rand(12, 2), random.rand(12, 2) + 0.4], 1).astype(np.float32)
    scores = random.rand(12).astype(np.float32)
    f.case("NonMaxSuppression", corners, scores, scalar(5), iou_threshold=0.4, name="NonMaxSuppression")
    for overlap in [0.0, 0.3, 0.6, 1.0]:
        f.case("NonMaxSuppressionV2", corners, scores, scalar(20), np.float32(overlap))
        f.case("NonMaxSuppressionV3", corners, scores, scalar(4), np.float32(overlap), np.float32(0.5))
    f.case("NonMaxSuppressionV3", corners.astype(np.float16), scores.astype(np.float16), scalar(4), np.float16(0.5), np.float16(0.25))
    f.case("NonMaxSuppressionV3", corners[:, [2, 3, 0, 1]], np.ones(12, np.float32), scalar(12), np.float32(0.25), np.float32(0))
    f.case("NonMaxSuppressionV2", corners, scores[:5], scalar(3), np.float32(0.5), phrase="")
    f.case("NonMaxSuppressionV2", corners, scores, scalar(3), np.float32(1.5))
    f.case("NonMaxSuppressionV2", corners[:, :3], scores, scalar(3), np.float32(0.5), phrase="")
    f.case("NonMaxSuppressionV2", corners, scores, i32(3), np.float32(0.5), phrase="")
    for depth in [1, 3, 4]:
        for dtype in [np.float32, np.float16]:
            lines = np.stack([corners[:6], corners[6:] * 1.5 - 0.4]).astype(np.float32)
            f.case("DrawBoundingBoxes", np.abs(values((2, 8, 9, depth), dtype)), lines)
            f.case("DrawBoundingBoxesV2", np.abs(values((2, 8, 9, depth), dtype)), lines, values((3, 4)))
    f.case("DrawBoundingBoxes", values((2, 8, 9, 2)), corners.reshape(2, 6, 4), phrase="")


def colours(f):
    state = np.random.RandomState(5)
    picture = state.rand(2, 3, 4, 3)
    picture[0, 0, 0] = 0
    picture[0, 0, 1] = 0.5
    picture[0, 1, 1] = [0.25, 0.75, 0.25]
    for dtype in [np.float32, np.float64, np.float16]:
        tol = 1e-2 if dtype == np.float16 else 1e-5
        f.case("RGBToHSV", picture.astype(dtype), grad=False, tol=tol)
        f.case("HSVToRGB", picture.astype(dtype), grad=False, tol=tol)
        if dtype != np.float64:
            for amount in [0.0, 0.5, 1.5]:
                f.case("AdjustContrastv2", picture.astype(dtype), np.float32(amount), tol=tol)
                f.case("AdjustSaturation", picture.astype(dtype), np.float32(amount), tol=tol)
            for amount in [0.0, 0.3, -0.7, 0.95]:
                f.case("AdjustHue", picture.astype(dtype), np.float32(amount), tol=2e-2 if dtype == np.float16 else 1e-4)
    f.case("RGBToHSV", values((2, 4)))
    f.case("RGBToHSV", values(()))
    f.case("AdjustHue", values((2, 2, 4)), np.float32(0.5))
    f.case("AdjustSaturation", values((2, 3)), np.float32(0.5), phrase="")
    f.case("AdjustContrastv2", values((2, 3)), np.float32(0.5), phrase="")
    f.case("AdjustContrastv2", values((2, 2, 3)), f32(0.5, 1), phrase="")


def bitmap(width, height, bits):
    row = (width * bits // 8 + 3) // 4 * 4
    pixels = np.random.RandomState(2).randint(0, 256, row * abs(height)).astype(np.uint8).tobytes()
    header = b"BM" + struct.pack("<IHHI", 54 + len(pixels), 0, 0, 54) + struct.pack("<IiiHHIIiiII", 40, width, height, 1, bits, 0, len(pixels), 0, 0, 0, 0)
    return header + pixels


def files(f):
    for width, height, bits in [(3, 2, 24), (5, -3, 24), (2, 2, 32), (3, 2, 8)]:
        f.case("DecodeBmp", np.array(bitmap(width, height, bits), object), name="DecodeBmp")
    f.case("DecodeBmp", np.array(bitmap(3, 2, 24), object), channels=3, name="DecodeBmp")
    f.case("DecodeBmp", np.array(bitmap(3, 2, 24), object), channels=4, name="DecodeBmp", phrase="")
    f.case("DecodeBmp", np.array(bitmap(3, 2, 24)[:60], object), name="DecodeBmp", phrase="")
    f.case("DecodeBmp", np.array(b"BM", object), name="DecodeBmp", phrase="")
    with f.scenario("EncodePng") as s:
        for dtype, top in [(np.uint8, 256), (np.uint16, 65536)]:
            for channels in [1, 3, 4]:
                picture = np.random.RandomState(3).randint(0, top, (5, 4, channels)).astype(dtype)
                s.run([tf.raw_ops.DecodePng(contents=tf.raw_ops.EncodePng(image=picture), dtype=dtype)])
    f.case("EncodePng", values((4, 4), np.uint8), phrase="")
    f.case("EncodePng", values((4, 4, 5), np.uint8), phrase="")
