"""Floats brought to steps of few bits, and integers that stand for floats."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    x = np.array([[-7.1, -6.0, -3.3, -0.02, 0.0], [0.4, 2.49, 5.98, 6.0, 9.5]], np.float32)
    grads = values((2, 5), seed=3)
    for bits in [2, 8, 16]:
        for narrow in [False, True]:
            options = dict(num_bits=bits, narrow_range=narrow, tol=1e-5)
            # Bounds belong to arguments of `case`, too.
            for low, high in [(-6.0, 6.0), (0.0, 5.0), (-3.7, 0.0), (1.0, 4.0)]:
                bounds = {"min": low, "max": high}
                f.case("FakeQuantWithMinMaxArgs", x, also=bounds, **options)
                f.case("FakeQuantWithMinMaxArgsGradient", grads, x, also=bounds, **options)
                pair = [np.float32(low), np.float32(high)]
                f.case("FakeQuantWithMinMaxVars", x, *pair, **options)
                f.case("FakeQuantWithMinMaxVarsGradient", grads, x, *pair, **options)
            lows, highs = f32(-6, -1, 0, -0.5, 0), f32(6, 2.5, 3, 0, 0)
            f.case("FakeQuantWithMinMaxVarsPerChannel", x, lows, highs, **options)
            f.case("FakeQuantWithMinMaxVarsPerChannelGradient", grads, x, lows, highs, **options)
    f.case("FakeQuantWithMinMaxVarsPerChannel", x[0], f32(-6, -1, 0, -0.5, 0), f32(6, 2.5, 3, 0, 1), tol=1e-5)
    f.case("FakeQuantWithMinMaxVarsPerChannel", values((2, 2, 3, 2)), f32(-2, -1), f32(2, 3), tol=1e-5)
    f.case("FakeQuantWithMinMaxVars", x, np.float32(0), np.float32(0))
    f.case("FakeQuantWithMinMaxArgs", x, num_bits=1, phrase="")
    f.case("FakeQuantWithMinMaxArgs", x, also={"min": 3.0, "max": 2.0}, phrase="")
    f.case("FakeQuantWithMinMaxVarsPerChannel", x, f32(0, 1), f32(2, 3), phrase="")
    there_and_back(f, x)
    integers(f, x)


def there_and_back(f, x):
    for dtype in [np.float32, np.float64]:
        data = x.astype(dtype)
        pair = [np.array(-5, dtype), np.array(4.5, dtype)]
        for signed in [True, False]:
            for given in [True, False]:
                attrs = dict(signed_input=signed, range_given=given)
                f.old_case("QuantizeAndDequantize", np.abs(data), producer=21, num_bits=7, input_min=0.0, input_max=4.0, **attrs)
                for narrow in [True, False]:
                    f.case("QuantizeAndDequantizeV2", data, *pair, num_bits=5, narrow_range=narrow, **attrs)
                    f.case("QuantizeAndDequantizeV3", data, *pair, np.int32(6), narrow_range=narrow, **attrs)
                f.case("QuantizeAndDequantizeV2", data, *pair, round_mode="HALF_UP", **attrs)
                f.case("QuantizeAndDequantizeV4", data, *pair, **attrs)
                channels = [np.array([-5, -1, 0, -3, -0.5], dtype), np.array([4, 2, 1, 0, 0.5], dtype)]
                f.case("QuantizeAndDequantizeV2", data, *channels, axis=1, **attrs)
                f.case("QuantizeAndDequantizeV4", data, *channels, axis=1, **attrs)
        f.case("QuantizeAndDequantizeV4Grad", data, data, *pair, grad=False)
        f.case("QuantizeAndDequantizeV4Grad", data, data, *[bound.repeat(2) for bound in pair], axis=0, grad=False)
    pair = [np.float32(-5), np.float32(4.5)]
    f.case("QuantizeAndDequantizeV2", x, pair[1], pair[0], range_given=True, phrase="")
    f.case("QuantizeAndDequantizeV2", x, *pair, num_bits=0, phrase="")
    f.case("QuantizeAndDequantizeV2", x, *pair, num_bits=63, phrase="")
    f.case("QuantizeAndDequantizeV3", x, *pair, np.int32(70), phrase="")
    f.case("QuantizeAndDequantizeV2", np.zeros((2, 3), np.float32), *pair)


def integers(f, x):
    types = [tf.qint8, tf.quint8, tf.qint16, tf.quint16, tf.qint32]
    for dtype in types:
        for mode in ["MIN_COMBINED", "MIN_FIRST", "SCALED"]:
            rounds = ["HALF_AWAY_FROM_ZERO", "HALF_TO_EVEN"] if mode == "SCALED" else ["HALF_AWAY_FROM_ZERO"]
            for round_mode in rounds:
                for low, high in [(-6.0, 6.0), (0.0, 5.0), (-3.0, -1.0), (2.0, 2.0)]:
                    # Integers of 32 bits do not fit in the floats that they are computed with.
                    if dtype != tf.qint32:
                        f.case("QuantizeV2", x, np.float32(low), np.float32(high), T=dtype, round_mode=round_mode, also={"mode": mode},
                               name=f"QuantizeV2/{dtype.name}")
            if dtype in (tf.qint8, tf.quint8):
                f.case("QuantizeV2", x, f32(-1, -2), f32(3, 8), T=dtype, also={"mode": mode}, axis=0, name=f"QuantizeV2/{dtype.name}/axis")
            for narrow in [False, True]:
                for out in [tf.float32, tf.bfloat16]:
                    with f.scenario(f"Dequantize/{dtype.name}") as s:
                        plain = np.array([[0, 1, 5, 100], [127, 90, 2, 64]]).astype(np.dtype(dtype.name[1:]))
                        fed = v1.placeholder(plain.dtype, plain.shape, name="x")
                        q = tf.bitcast(fed, dtype)
                        y = node_of("Dequantize", [q, np.float32(-3), np.float32(5)], mode=mode, narrow_range=narrow, dtype=out)[0]
                        s.run(y, {fed: plain}, tol=1e-5 if out == tf.float32 else 1e-2)
            if dtype in (tf.qint8, tf.quint8):
                with f.scenario(f"Dequantize/{dtype.name}/axis") as s:
                    plain = np.array([[0, 1, 5, 100], [127, 90, 2, 64]]).astype(np.dtype(dtype.name[1:]))
                    fed = v1.placeholder(plain.dtype, plain.shape, name="x")
                    y = node_of("Dequantize", [tf.bitcast(fed, dtype), f32(-3, -1), f32(5, 2)], mode=mode, axis=0)[0]
                    s.run(y, {fed: plain}, tol=1e-5)
    f.case("QuantizeV2", x, np.float32(3), np.float32(1), T=tf.quint8, phrase="")
    f.case("QuantizeV2", x, np.float32(1), np.float32(3), T=tf.quint8, round_mode="HALF_TO_EVEN", phrase="")
    f.case("QuantizeV2", x, f32(1, 2, 3), f32(4, 5, 6), T=tf.quint8, axis=0, phrase="")
    for low, high in [(-256.0, 256.0), (-10.0, 30.0)]:
        with f.scenario("QuantizeDownAndShrinkRange") as s:
            plain = np.array([[-(1 << 23), 0, 1 << 20], [1 << 22, 12345, -54321]], np.int32)
            fed = v1.placeholder(tf.int32, plain.shape, name="x")
            made = node_of("QuantizeDownAndShrinkRange", [tf.bitcast(fed, tf.qint32), np.float32(low), np.float32(high)], out_type=tf.quint8)
            s.run([tf.bitcast(made[0], tf.uint8), *made[1:]], {fed: plain}, tol=1e-4)
