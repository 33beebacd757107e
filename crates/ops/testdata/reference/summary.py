"""Summaries: outputs are serialized messages, compared by content."""

import numpy as np
from judge import tf

from .scenario import *


def text(*items):
    return np.array(items, object)


def record(f):
    for dtype in MAIN + HALVES + [np.uint8]:
        f.case("ScalarSummary", np.array(b"loss", object), values((), dtype, 3), mode="summary")
    f.case("ScalarSummary", text(b"a", b"b/c"), f32(1.5, nan), mode="summary")
    f.case("ScalarSummary", text(b"a"), f32(1.5, 2))
    f.case("ScalarSummary", text(b"a"), scalar(1.5, np.float32))
    f.case("ScalarSummary", text(), f32(), mode="summary")
    for x in [values((20,)), values((2, 3)), f32(), f32(0), f32(-1e30, 1e30), values((5,), np.float64), values((5,), np.int64),
              values((5,), np.int32), values(()), (np.arange(200) - 77).astype(np.float32) ** 3, values((4,), np.float16)]:
        f.case("HistogramSummary", np.array(b"h", object), x, mode="summary", phrase="")
    f.case("HistogramSummary", np.array(b"h", object), f32(1, nan))
    f.case("HistogramSummary", np.array(b"h", object), f32(1, inf))
    f.case("HistogramSummary", text(b"h"), f32(1), phrase="", mode="summary")
    merged(f)
    images(f)
    tensors(f)


def merged(f):
    parts = []
    for tag, value in [("a", 1.0), ("b", 2.0)]:
        made = v1.Summary(value=[v1.Summary.Value(tag=tag, simple_value=value)])
        parts.append(np.array(made.SerializeToString(), object))
    f.case("MergeSummary", parts, mode="summary")
    f.case("MergeSummary", parts[:1], mode="summary")
    f.case("MergeSummary", [text(parts[0].item(), parts[1].item())], mode="summary")
    f.case("MergeSummary", [parts[0], parts[0]])
    f.case("MergeSummary", [np.array(b"\xff\xff", object)])
    f.case("MergeSummary", [np.array(b"", object)], mode="summary")
    with f.scenario("merge_all") as s:
        x = v1.placeholder(tf.float32, name="x")
        v1.summary.scalar("total", tf.reduce_sum(x))
        v1.summary.histogram("x", x)
        s.run([v1.summary.merge_all()], {x: f32(1, 2, 3)}, mode="summary")


def images(f):
    pixels = np.arange(2 * 3 * 4 * 3, dtype=np.uint8).reshape(2, 3, 4, 3) * 3
    for channels in [1, 3, 4]:
        x = np.resize(pixels, (2, 3, 4, channels))
        f.case("ImageSummary", np.array(b"i", object), x, mode="summary")
        f.case("ImageSummary", np.array(b"i", object), x.astype(np.float32) / 8 - 3, mode="summary")
    f.case("ImageSummary", np.array(b"i", object), pixels.astype(np.float32) / 8, mode="summary", max_images=1)
    f.case("ImageSummary", np.array(b"i", object), pixels.astype(np.float16), mode="summary")
    bad = pixels.astype(np.float32)
    bad[0, 0, 0, 0] = nan
    f.case("ImageSummary", np.array(b"i", object), bad, mode="summary")
    f.case("ImageSummary", np.array(b"i", object), np.zeros((1, 2, 2, 1), np.float32), mode="summary")
    f.case("ImageSummary", np.array(b"i", object), np.ones((1, 2, 2, 2), np.float32))
    f.case("ImageSummary", np.array(b"i", object), np.ones((2, 2, 1), np.float32))
    f.case("ImageSummary", text(b"i"), np.ones((1, 2, 2, 1), np.float32), mode="summary", phrase="")


def tensors(f):
    f.case("TensorSummaryV2", np.array(b"t", object), values((2, 2)), np.array(b"", object), mode="summary")
    f.case("TensorSummaryV2", np.array(b"t", object), text(b"x"), np.array(b"", object), mode="summary")
    f.case("AudioSummaryV2", np.array(b"t", object), values((1, 20, 1), low=-1, high=1), scalar(8000, np.float32), mode="summary")
