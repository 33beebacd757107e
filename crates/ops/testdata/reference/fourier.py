"""Discrete Fourier transforms."""

import numpy as np
from judge import tf

from .scenario import *


def complex_gradients(f, op, x, *others, tol, **attrs):
    """Values and gradients of an op on complex numbers, which `case` takes no gradients of."""
    with f.scenario(f"{op}/{x.dtype.name}/gradients") as s:
        fed = v1.placeholder(x.dtype, x.shape, name="x")
        y = node_of(op, [fed, *others], **attrs)[0]
        s.run(y, {fed: x}, tol=tol)
        s.gradients([y], [fed], {fed: x}, tol=tol)


def record(f):
    for complex_type, real_type in [(np.complex64, np.float32), (np.complex128, np.float64)]:
        tol = 1e-4 if real_type == np.float32 else 1e-10
        shapes = {"": [(5,), (2, 8), (3, 1)], "2D": [(4, 6), (2, 3, 5)], "3D": [(2, 3, 4), (2, 2, 1, 5)]}
        for suffix, sizes in shapes.items():
            rank = {"": 1, "2D": 2, "3D": 3}[suffix]
            for shape in sizes:
                x = values(shape, complex_type)
                for op in ["FFT", "IFFT"]:
                    f.case(op + suffix, x, tol=tol)
                    complex_gradients(f, op + suffix, x, tol=tol)
                real = values(shape, real_type)
                whole = np.array(shape[-rank:], np.int32)
                cropped = np.maximum(whole - 1, 1).astype(np.int32)
                for lengths in [whole, cropped]:
                    f.case("RFFT" + suffix, real, lengths, tol=tol, grad=False, Tcomplex=tf.as_dtype(complex_type))
                    if rank < 3 and (lengths == whole).all():
                        with f.scenario(f"RFFT{suffix}/{real.dtype.name}/gradients") as s:
                            fed = v1.placeholder(real_type, shape, name="x")
                            y = node_of("RFFT" + suffix, [fed, lengths], Tcomplex=tf.as_dtype(complex_type))[0]
                            s.gradients([y], [fed], {fed: real}, tol=tol)
                    # As many numbers as there are, and one that is left out.
                    for more in [0, 1]:
                        half = list(shape)
                        half[-1] = lengths[-1] // 2 + 1 + more
                        z = values(half, complex_type)
                        f.case("IRFFT" + suffix, z, lengths, tol=tol, grad=False, Treal=tf.as_dtype(real_type))
                        if rank < 3 and (lengths == whole).all() and not more and lengths[-1] > 1:
                            complex_gradients(f, "IRFFT" + suffix, z, lengths, tol=tol, Treal=tf.as_dtype(real_type))
    z = values((2, 4), np.complex64)
    f.case("FFT2D", values((4,), np.complex64), phrase="")
    f.case("FFT", np.zeros((0, 3), np.complex64))
    f.case("RFFT", values((4,)), i32(3, 2), phrase="")
    f.case("RFFT", values((4,)), i32(6), phrase="")
    f.case("RFFT", values((4,)), i32(-1), phrase="")
    f.case("IRFFT", z, i32(8), phrase="")
    f.case("RFFT3D", values((4, 4)), i32(2, 2, 2), phrase="")
