"""Images: decoding and resizing."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    resizing(f)
    decoding(f)


def resizing(f):
    for op in ["ResizeBilinear", "ResizeNearestNeighbor"]:
        for dtype in [np.float32, np.float64, np.uint8, np.int32, np.int64, np.float16, np.int16]:
            f.case(op, values((2, 3, 4, 2), dtype), i32(5, 3), grad=None if dtype == np.float32 else False, tol=1e-5)
        for size in [(3, 4), (1, 1), (7, 2), (6, 8)]:
            for align, half in [(False, False), (True, False), (False, True)]:
                f.case(op, values((1, 3, 4, 1)), i32(*size), align_corners=align, half_pixel_centers=half, tol=1e-5)
        f.case(op, values((1, 3, 4, 1)), i32(0, 2))
        f.case(op, values((1, 3, 4, 1)), i32(2, 2, 2), phrase="")
        f.case(op, values((3, 4, 1)), i32(2, 2), phrase="")
        f.case(op, values((1, 3, 4, 1)), i32(2, 2), align_corners=True, half_pixel_centers=True, phrase="If half_pixel_centers is True")


def decoding(f):
    picture = np.random.RandomState(3).randint(0, 256, (5, 4, 4)).astype(np.uint8)
    with tf.Graph().as_default(), v1.Session() as session:
        pngs = {c: session.run(tf.io.encode_png(picture[:, :, :c])) for c in [1, 2, 3, 4]}
        deep = session.run(tf.io.encode_png(np.random.RandomState(3).randint(0, 65536, (3, 4, 3)).astype(np.uint16)))
        smooth = np.tile(np.linspace(0, 255, 16).astype(np.uint8)[:, None, None], (1, 16, 3))
        jpg = session.run(tf.io.encode_jpeg(smooth, quality=100))
        grey = session.run(tf.io.encode_jpeg(smooth[:, :, :1], quality=100))
    for c, content in pngs.items():
        for wanted in [0, 1, 3, 4]:
            if c == 2 and wanted in (1, 3):
                continue
            f.case("DecodePng", np.array(content, object), channels=wanted, name="DecodePng")
    for wanted in [0, 3]:
        f.case("DecodePng", np.array(deep, object), channels=wanted, dtype=tf.uint16, name="DecodePng")
    f.case("DecodePng", np.array(pngs[3], object), dtype=tf.uint16, name="DecodePng")
    f.case("DecodePng", np.array(pngs[3][:30], object), name="DecodePng", phrase="")
    f.case("DecodePng", np.array(b"nonsense", object), name="DecodePng", phrase="")
    f.case("DecodeJpeg", np.array(jpg[:100], object), name="DecodeJpeg", phrase="")
    for number, (content, channels) in enumerate([(jpg, 0), (jpg, 1), (grey, 0), (grey, 3)]):
        with f.scenario("DecodeJpeg/close") as s:
            # TensorFlow takes a faster and less exact way from frequencies to pixels.
            x = tf.cast(tf.raw_ops.DecodeJpeg(contents=tf.constant(content), channels=channels), tf.float32)
            s.run([x], tol=(0.0, 5.5))
