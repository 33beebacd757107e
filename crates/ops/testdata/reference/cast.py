"""Conversion between types."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    types = FLOATS + INTS + [np.bool_] + COMPLEX
    for source in types:
        for target in types:
            # Out of range conversions are left to the machine by TensorFlow; only numbers that fit are compared.
            numbers = [0, 1, 2, 3, 100]
            if np.dtype(source).kind not in "ub" and np.dtype(target).kind not in "ub":
                numbers += [-1, -100]
            if source in FLOATS:
                numbers += [1.5, 2.75, 0.25]
                if np.dtype(target).kind not in "ub":
                    numbers += [-1.5, -0.75]
            f.case("Cast", np.array(numbers).astype(source), DstT=tf.as_dtype(target))
    special = np.array([nan, inf, -inf, 1e30, -1e30, 65504, 70000, 1e-8, 3.14159274], np.float32)
    for target in FLOATS:
        f.case("Cast", special, DstT=tf.as_dtype(target))
        f.case("Cast", special.astype(np.float64), DstT=tf.as_dtype(target))
    f.case("Cast", special.astype(np.float16), DstT=tf.float32)
    # Rounding to even at the border, and truncation.
    edges = np.array([1 + 2**-8, 1 + 3 * 2**-8, 1 + 2**-9, 1 + 2**-11, 1 + 3 * 2**-11, 1 + 2**-12, 6e-8, 5.9e-8], np.float32)
    for target in [tf.bfloat16, tf.float16]:
        f.case("Cast", edges, DstT=target)
        f.case("Cast", edges, DstT=target, Truncate=True)
    for source, target in [(np.int64, tf.int32), (np.int32, tf.int8), (np.int32, tf.uint8), (np.int64, tf.uint16),
                           (np.uint8, tf.int8), (np.int8, tf.uint32), (np.int64, tf.uint64)]:
        f.case("Cast", np.array([-1, 127, -128, 100], np.int64).astype(source), DstT=target)
    f.case("Cast", i64(2**40 + 5, -2**40), DstT=tf.int32)
    f.case("Cast", i64(2**53 + 1, -2**62), DstT=tf.float64)
    f.case("Cast", i64(2**24 + 1, 2**60), DstT=tf.float32)
    for shape in [(), (0,), (2, 0), (2, 3)]:
        f.case("Cast", values(shape), DstT=tf.int32)
        f.case("Cast", values(shape, np.bool_), DstT=tf.float32)
    f.case("Cast", values((2,)), DstT=tf.float64, grad=True)
    f.case("Cast", values((2,)), DstT=tf.bfloat16, grad=True)
    f.case("Cast", values((2,), np.float64), DstT=tf.float32, grad=True)
    f.case("Cast", values((2,)), DstT=tf.string)
    for source, target in [(np.float32, tf.int32), (np.int32, tf.float32), (np.int64, tf.float64), (np.float64, tf.int64),
                           (np.uint8, tf.bool), (np.float16, tf.uint16), (np.complex64, tf.float64)]:
        f.case("Bitcast", values((2,), source), type=target)
    f.case("Bitcast", values((2, 2), np.float32), type=tf.uint8)
    f.case("Bitcast", values((2, 4), np.uint8), type=tf.int32)
    f.case("Bitcast", values((2, 2), np.float32), type=tf.float64)
    f.case("Bitcast", values((2, 3), np.uint8), type=tf.int32)
