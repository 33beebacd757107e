"""Convolutions and pools over volumes."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    convolutions(f)
    pools(f)


def convolutions(f):
    for dtype in [np.float32, np.float64, *HALVES]:
        tol = (5e-2, 0.5) if dtype in HALVES else 1e-4
        f.case("Conv3D", values((2, 3, 4, 3, 2), dtype), values((2, 2, 3, 2, 3), dtype), strides=[1] * 5, padding="SAME", tol=tol)
    for strides in [[1, 1, 1, 1, 1], [1, 2, 1, 2, 1]]:
        for padding in ["SAME", "VALID"]:
            f.case("Conv3D", values((1, 4, 5, 3, 2)), values((3, 2, 1, 2, 2)), strides=strides, padding=padding, tol=1e-4)
            with f.scenario("Conv3D/second") as s:
                x, w = v1.placeholder(tf.float32), v1.placeholder(tf.float32)
                feeds = {x: values((1, 4, 5, 3, 2)), w: values((3, 2, 1, 2, 2))}
                y = tf.raw_ops.Conv3D(input=x, filter=w, strides=strides, padding=padding)
                dy = tf.raw_ops.Square(x=y)
                dx = tf.raw_ops.Conv3DBackpropInputV2(input_sizes=tf.shape(x), filter=w, out_backprop=dy, strides=strides, padding=padding)
                dw = tf.raw_ops.Conv3DBackpropFilterV2(input=x, filter_sizes=tf.shape(w), out_backprop=dy, strides=strides, padding=padding)
                s.run([dx, dw], feeds, tol=1e-4)
                s.gradients([dx], [x, w], feeds, tol=1e-3)
                s.gradients([dw], [x, w], feeds, tol=1e-3)
    one = dict(strides=[1] * 5, padding="SAME")
    f.case("Conv3D", values((1, 4, 4, 4, 2)), values((2, 2, 2, 1, 3)), **one)
    f.case("Conv3D", values((1, 4, 4, 4, 2)), values((2, 2, 2, 3, 3)), **one)
    f.case("Conv3D", values((4, 4, 4, 2)), values((2, 2, 2, 2, 3)), **one)
    f.case("Conv3D", values((1, 4, 4, 4, 2)), values((2, 2, 2, 3)), **one)
    f.case("Conv3D", values((1, 1, 4, 4, 2)), values((2, 2, 2, 2, 1)), strides=[1] * 5, padding="VALID", grad=False)
    f.case("Conv3D", values((1, 2, 4, 4, 4)), values((2, 2, 2, 2, 1)), data_format="NCDHW", **one)
    f.case("Conv3D", values((1, 4, 4, 4, 2)), values((2, 2, 2, 2, 1)), dilations=[1, 2, 2, 2, 1], **one)
    f.case("Conv3DBackpropInputV2", i32(1, 4, 4, 4, 2), values((2, 2, 2, 2, 3)), values((1, 4, 4, 4, 2)), **one)
    f.case("Conv3DBackpropInputV2", i32(1, 4, 4, 5, 2), values((2, 2, 2, 2, 3)), values((1, 4, 4, 4, 3)), phrase="Size of out_backprop doesn't match", **one)
    f.case("Conv3DBackpropFilterV2", values((1, 4, 4, 4, 2)), i32(2, 2, 2, 2, 3), values((1, 4, 4, 4, 2)), **one)


def pools(f):
    for op in ["MaxPool3D", "AvgPool3D"]:
        for dtype in [np.float32, np.float64, *HALVES]:
            tol = 2e-2 if dtype in HALVES else 1e-5
            f.case(op, values((2, 4, 5, 3, 2), dtype), ksize=[1, 2, 3, 2, 1], strides=[1, 2, 2, 1, 1], padding="SAME", tol=tol)
        for padding in ["SAME", "VALID"]:
            f.case(op, values((1, 5, 4, 6, 3)), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding=padding, tol=1e-5)
            f.case(op, values((1, 5, 4, 6, 1)), ksize=[1, 3, 2, 1, 1], strides=[1, 1, 1, 1, 1], padding=padding, tol=1e-5)
        f.case(op, values((5, 4, 6, 1)), ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="SAME")
        f.case(op, values((1, 2, 5, 4, 6)), ksize=[1, 1, 2, 2, 2], strides=[1] * 5, padding="SAME", data_format="NCDHW", phrase="")
    with f.scenario("MaxPool3DGradGrad") as s:
        x = v1.placeholder(tf.float32)
        feeds = {x: values((1, 4, 4, 4, 2))}
        window = dict(ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID")
        y = tf.raw_ops.MaxPool3D(input=x, **window)
        dx = tf.raw_ops.MaxPool3DGrad(orig_input=x, orig_output=y, grad=y, **window)
        s.run([dx], feeds)
        s.run([tf.raw_ops.MaxPool3DGradGrad(orig_input=x, orig_output=y, grad=dx, **window)], feeds)
    f.case("AvgPool3DGrad", i32(1, 4, 4, 4, 2), values((1, 2, 2, 2, 2)), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID")
    f.case("AvgPool3DGrad", i32(1, 4, 4, 4), values((1, 2, 2, 2, 2)), ksize=[1, 2, 2, 2, 1], strides=[1, 2, 2, 2, 1], padding="VALID")
    f.case("MaxPool3DGrad", values((1, 4, 4, 4, 2)), values((1, 4, 4, 4, 2)), values((1, 3, 4, 4, 2)), ksize=[1, 2, 2, 2, 1], strides=[1] * 5, padding="SAME")
