"""Images projected, scaled and cut by chance, fractional pools, and sound."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    projections(f)
    scales(f)
    boxes(f)
    pools(f)
    sound(f)
    binomials(f)
    glimpses(f)
    between(f)


def projections(f):
    turns = np.array([[1, 0, 0, 0, 1, 0, 0, 0], [0.8, 0.3, -1.5, -0.2, 1.1, 0.75, 0.01, -0.02]], np.float32)
    for dtype in [*FLOATS, np.uint8, np.int32, np.int64]:
        images = values((2, 5, 6, 2), dtype)
        for interpolation in ["NEAREST", "BILINEAR"]:
            for fill in ["CONSTANT", "REFLECT", "WRAP", "NEAREST"]:
                attrs = dict(interpolation=interpolation, fill_mode=fill, tol=2e-2 if dtype in HALVES else 1e-4)
                grads = dtype == np.float32 and fill == "CONSTANT"
                f.case("ImageProjectiveTransformV2", images, turns, i32(4, 7), grad=grads, known=True, **attrs)
                f.case("ImageProjectiveTransformV3", images, turns[1:], i32(5, 6), np.float32(3), grad=grads, known=True, **attrs)
    images = values((2, 5, 6, 2))
    f.case("ImageProjectiveTransformV2", images, turns[:, :6], i32(4, 7), interpolation="NEAREST", phrase="")
    f.case("ImageProjectiveTransformV2", images, np.zeros((3, 8), np.float32), i32(4, 7), interpolation="NEAREST", phrase="")
    f.case("ImageProjectiveTransformV2", images, turns, i32(4, 0), interpolation="NEAREST", phrase="")


def scales(f):
    for kernel in ["lanczos1", "lanczos3", "lanczos5", "gaussian", "box", "triangle", "keyscubic", "mitchellcubic"]:
        for antialias in [True, False]:
            for size, scale, shift in [((3, 4), (0.6, 0.7), (0, 0)), ((9, 8), (1.5, 1.25), (-0.5, 2))]:
                arguments = [values((1, 6, 5, 2)), i32(*size), f32(*scale), f32(*shift)]
                f.case("ScaleAndTranslate", *arguments, kernel_type=kernel, antialias=antialias, tol=1e-4)
    for dtype in [np.uint8, np.int32, np.float16, np.float64]:
        f.case("ScaleAndTranslate", values((1, 6, 5, 2), dtype), i32(3, 3), f32(0.5, 0.5), f32(0, 0), tol=1e-4, grad=False)
    f.case("ScaleAndTranslate", values((1, 6, 5, 2)), i32(3, 3), f32(0, 0.5), f32(0, 0), phrase="")
    f.case("ScaleAndTranslate", values((1, 6, 5, 2)), i32(3, 3), f32(1, 0.5), f32(0, 0), kernel_type="none", phrase="")
    for dtype in [np.float32, np.float64, np.int32, np.uint8]:
        volumes = values((2, 4, 5, 3, 2), dtype)
        for padding in ["SAME", "VALID"]:
            f.case("ExtractVolumePatches", volumes, ksizes=[1, 2, 3, 2, 1], strides=[1, 2, 1, 1, 1], padding=padding, known=True)
            f.case("ExtractVolumePatches", volumes, ksizes=[1, 1, 2, 1, 1], strides=[1, 1, 3, 2, 1], padding=padding, known=True)


def boxes(f):
    some = np.array([[[0.1, 0.2, 0.7, 0.9], [0, 0, 0.3, 0.4]]], np.float32)
    for seed in range(1, 6):
        for dtype in [np.int32, np.int64, np.uint8]:
            size = np.array([40, 50, 3], dtype)
            with f.scenario(f"SampleDistortedBoundingBox/{np.dtype(dtype).name}") as s:
                fed = v1.placeholder(dtype, [3], name="size")
                made = node_of("SampleDistortedBoundingBoxV2", [fed, some, np.float32(0.3)], seed=seed, seed2=7)
                wide = node_of("SampleDistortedBoundingBox", [fed, some], seed=seed, seed2=3, min_object_covered=0.5,
                               aspect_ratio_range=[0.5, 2.0], area_range=[0.1, 0.6], max_attempts=20)
                for _ in range(3):
                    s.run([*made, *wide], {fed: size})
        f.case("StatelessSampleDistortedBoundingBox", i32(40, 50, 3), some, np.float32(0.2), i64(seed, 11))
        f.case("StatelessSampleDistortedBoundingBox", i32(64, 32, 3), some, np.float32(0.2), i32(seed, 2), aspect_ratio_range=[0.9, 1.1])
    none = np.zeros((1, 0, 4), np.float32)
    f.case("StatelessSampleDistortedBoundingBox", i32(4, 5, 3), none, np.float32(0.2), i64(1, 2), use_image_if_no_bounding_boxes=True)
    f.case("StatelessSampleDistortedBoundingBox", i32(4, 5, 3), none, np.float32(0.2), i64(1, 2), phrase="")
    f.case("StatelessSampleDistortedBoundingBox", i32(4, 5, 3), some * 2, np.float32(0.2), i64(1, 2), phrase="")
    f.case("StatelessSampleDistortedBoundingBox", i32(4, 5), some, np.float32(0.2), i64(1, 2), phrase="")


def pools(f):
    for dtype in [np.float32, np.float64, np.int32, np.int64]:
        x = values((2, 9, 11, 2), dtype)
        for op in ["FractionalMaxPool", "FractionalAvgPool"]:
            for pseudo in [True, False]:
                for overlapping in [True, False]:
                    f.case(op, x, pooling_ratio=[1.0, 1.5, 2.3, 1.0], pseudo_random=pseudo, overlapping=overlapping, deterministic=True,
                           seed=5, seed2=9, known=True, tol=1e-5)
            f.case(op, x[:, :8, :8], pooling_ratio=[1.0, 2.0, 2.0, 1.0], deterministic=True, seed=5, seed2=9, known=True)
        rows, columns = i64(0, 1, 3, 4), i64(0, 2, 4)
        image, dy = values((2, 4, 4, 2), dtype), values((2, 3, 2, 2), dtype, seed=1)
        for overlapping in [True, False]:
            f.case("FractionalAvgPoolGrad", i64(2, 4, 4, 2), dy, rows, columns, overlapping=overlapping)
    f.case("FractionalMaxPool", values((1, 4, 4, 1)), pooling_ratio=[1.0, 0.5, 1.0, 1.0], phrase="")
    f.case("FractionalMaxPool", values((1, 4, 4, 1)), pooling_ratio=[1.0, 1.5, 1.0, 1.0], seed=3, phrase="")


def sound(f):
    audio = np.sin(np.arange(400, dtype=np.float32)[:, None] * np.array([0.05, 0.3], np.float32)) * np.float32(1.1)
    f.case("EncodeWav", audio, np.int32(8000))
    f.case("EncodeWav", audio[:, :1], np.int32(44100))
    f.case("EncodeWav", audio[:, 0], np.int32(44100), phrase="")
    with v1.Session(graph=tf.Graph()) as session:
        wav = session.run(tf.raw_ops.EncodeWav(audio=audio, sample_rate=8000))
    for channels in [-1, 1, 2, 3]:
        for samples in [-1, 10, 500]:
            f.case("DecodeWav", np.array(wav, object), desired_channels=channels, desired_samples=samples)
    for end in [10, 30, 43, 100]:
        f.case("DecodeWav", np.array(wav[:end], object), phrase="")
    for window, stride in [(64, 32), (50, 20), (500, 3)]:
        for squared in [True, False]:
            f.case("AudioSpectrogram", audio, window_size=window, stride=stride, magnitude_squared=squared, tol=1e-3)
    f.case("AudioSpectrogram", audio, window_size=1, stride=3, phrase="")
    f.case("AudioSpectrogram", audio, window_size=10, stride=0, phrase="")
    spectrum = np.abs(values((2, 3, 129))) + np.float32(0.5)
    f.case("Mfcc", spectrum, np.int32(16000), tol=1e-4)
    f.case("Mfcc", spectrum, np.int32(22050), filterbank_channel_count=20, dct_coefficient_count=7, upper_frequency_limit=6000.0, tol=1e-4)


def binomials(f):
    for dtype in [np.float32, np.float64]:
        counts = np.array([0, 1, 5, 30, 200, 1000], dtype)
        for prob in [0.3, 0.7]:
            for out in [tf.float32, tf.int32, tf.int64]:
                f.case("StatelessRandomBinomial", i32(4, 6), i64(3, 8), counts, np.array(prob, dtype), dtype=out)
    f.case("StatelessRandomBinomial", i32(4, 5), i64(3, 8), np.ones(6), np.array(0.5), phrase="")
    with f.scenario("StatefulRandomBinomial") as s:
        state = v1.get_variable("state", initializer=tf.constant([5, 6, 7], tf.int64), use_resource=True)
        s.run(targets=state.initializer)
        made = tf.raw_ops.StatefulRandomBinomial(resource=state.handle, algorithm=1, shape=[3, 2], counts=[10.0, 300.0], probs=0.4, dtype=tf.int64)
        s.run(made)


def glimpses(f):
    images = values((2, 7, 9, 2))
    for op in ["ExtractGlimpse", "ExtractGlimpseV2"]:
        for centered in [True, False]:
            for normalized in [True, False]:
                attrs = dict(centered=centered, normalized=normalized)
                points = np.array([[0.1, -0.05], [0.5, 0.4]], np.float32) * (1 if normalized else 6)
                # Windows that leave the image show noise, which is compared only where it is none.
                f.case(op, images, i32(3, 2), points, uniform_noise=False, noise="zero", **attrs)
                f.case(op, images, i32(8, 5), points, uniform_noise=False, noise="zero", **attrs)
    f.case("ExtractGlimpse", images, i32(3, 2), np.zeros((1, 2), np.float32), phrase="")
    f.case("ExtractGlimpse", images, i32(3), np.zeros((2, 2), np.float32), phrase="")


def between(f):
    for dtype in [np.float32, np.float64]:
        one = lambda x: np.array(x, dtype)
        for low, high in [(-1, 2), (-9, 9), (2.5, 2.75), (3, 9), (-np.inf, -2), (1, np.inf), (-0.25, 0.5)]:
            with f.scenario(f"ParameterizedTruncatedNormal/{np.dtype(dtype).name}") as s:
                made = node_of("ParameterizedTruncatedNormal", [i32(3, 50), one(0.5), one(1.5), one(low), one(high)], seed=4, seed2=2)
                many = node_of("ParameterizedTruncatedNormal",
                               [i32(2, 7), np.array([0, 1], dtype), one(1), np.array([low, low], dtype), one(high)], seed=1, seed2=2)
                s.run([*made, *many], tol=1e-5)
            f.case("StatelessParameterizedTruncatedNormal", i32(5, 2), i64(3, 1), np.array([0, 1], dtype), one(1.5), one(low), one(high),
                   tol=1e-5, grad=False)
    f.case("StatelessParameterizedTruncatedNormal", i32(5, 2), i64(3, 1), f32(0, 1), np.float32(-1), np.float32(0), np.float32(1), phrase="")
    f.case("StatelessParameterizedTruncatedNormal", i32(5, 3), i64(3, 1), f32(0, 1), np.float32(1), np.float32(0), np.float32(1), phrase="")
