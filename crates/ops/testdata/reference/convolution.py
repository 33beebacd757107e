"""Convolutions and pooling of images."""

import numpy as np
from judge import tf

from .scenario import *

CASES = [
    # input, filter, strides, padding, options
    ((1, 4, 4, 1), (2, 2, 1, 1), 1, "VALID", {}),
    ((1, 4, 4, 1), (3, 3, 1, 2), 1, "SAME", {}),
    ((2, 5, 4, 2), (3, 2, 2, 3), 1, "SAME", {}),
    ((2, 5, 4, 2), (3, 2, 2, 3), 1, "VALID", {}),
    ((1, 5, 5, 2), (3, 3, 2, 2), 2, "SAME", {}),
    ((1, 5, 5, 2), (2, 2, 2, 2), 2, "VALID", {}),
    ((1, 4, 4, 2), (1, 1, 2, 3), 1, "VALID", {}),
    ((1, 4, 4, 2), (1, 1, 2, 3), 2, "SAME", {}),
    ((1, 7, 7, 1), (2, 2, 1, 1), 3, "VALID", {}),
    ((1, 6, 6, 1), (2, 2, 1, 2), 1, "VALID", dict(dilations=[1, 2, 2, 1])),
    ((1, 6, 6, 1), (3, 3, 1, 2), 1, "SAME", dict(dilations=[1, 2, 1, 1])),
    ((1, 4, 4, 1), (3, 3, 1, 1), 1, "EXPLICIT", dict(explicit_paddings=[0, 0, 1, 2, 0, 1, 0, 0])),
    ((0, 4, 4, 1), (2, 2, 1, 1), 1, "VALID", {}),
    ((1, 4, 4, 1), (4, 4, 1, 1), 1, "VALID", {}),
    ((1, 2, 2, 1), (3, 3, 1, 1), 1, "SAME", {}),
    ((1, 3, 5, 3), (3, 5, 3, 4), 1, "VALID", {}),
]
BAD = [
    ((1, 2, 2, 1), (3, 3, 1, 1), 1, "VALID", {}),
    ((1, 4, 4, 2), (2, 2, 3, 1), 1, "VALID", {}),
    ((4, 4, 1), (2, 2, 1, 1), 1, "VALID", {}),
    ((1, 4, 4, 1), (2, 2, 1), 1, "VALID", {}),
    ((1, 4, 4, 1), (2, 2, 1, 0), 1, "VALID", {}),
    ((1, 4, 4, 1), (0, 2, 1, 1), 1, "VALID", {}),
]


def record(f):
    convolutions(f)
    fused(f)
    pooling(f)


def convolutions(f):
    for shape, kernel, stride, padding, options in CASES + BAD:
        strides = [1, stride, stride, 1]
        # Where no window fits, TensorFlow's gradient of the filter is memory as it was found.
        grad = None if (shape, kernel, stride, padding, options) in CASES else False
        f.case("Conv2D", values(shape), values(kernel, seed=1), strides=strides, padding=padding, tol=1e-4, grad=grad, **options)
    for dtype in FLOATS:
        f.case("Conv2D", values((1, 4, 4, 2), dtype), values((2, 2, 2, 1), dtype, 1), strides=[1, 1, 1, 1], padding="SAME")
    x, k = values((1, 4, 4, 1)), values((2, 2, 1, 1))
    f.case("Conv2D", x, k, strides=[1, 1, 1, 2], padding="SAME")
    f.case("Conv2D", x, k, strides=[2, 1, 1, 1], padding="SAME")
    f.case("Conv2D", x, k, strides=[1, 2, 1, 1], padding="SAME")
    f.case("Conv2D", values((1, 2, 4, 4)), values((2, 2, 2, 3)), strides=[1, 1, 1, 1], padding="SAME", data_format="NCHW")
    for shape, kernel, stride, padding, options in CASES:
        if "dilations" in options:
            continue  # TensorFlow has no kernels for these on the CPU.
        strides = [1, stride, stride, 1]
        with tf.Graph().as_default():
            out = tf.raw_ops.Conv2D(input=tf.constant(values(shape)), filter=tf.constant(values(kernel)), strides=strides,
                                    padding=padding, **options).shape.as_list()
        g = values(out, seed=2)
        f.case("Conv2DBackpropInput", np.array(shape, np.int32), values(kernel, seed=1), g, strides=strides,
               padding=padding, tol=1e-4, **options)
        f.case("Conv2DBackpropFilter", values(shape), np.array(kernel, np.int32), g, strides=strides, padding=padding,
               tol=1e-4, **options)
    one = dict(strides=[1, 1, 1, 1], padding="VALID")
    f.case("Conv2DBackpropInput", i32(1, 4, 4, 1), values((2, 2, 1, 1)), values((1, 2, 2, 1)), **one)
    f.case("Conv2DBackpropInput", i32(4, 4), values((2, 2, 1, 1)), values((1, 3, 3, 1)), **one)
    f.case("Conv2DBackpropFilter", values((1, 4, 4, 1)), i32(2, 2, 1, 1), values((1, 2, 2, 1)), **one)
    f.case("Conv2DBackpropFilter", values((1, 4, 4, 1)), i32(2, 2), values((1, 3, 3, 1)), **one)
    for dtype in FLOATS:
        f.case("Conv2DBackpropInput", i32(1, 4, 4, 1), values((2, 2, 1, 1), dtype), values((1, 3, 3, 1), dtype), **one)
        f.case("Conv2DBackpropFilter", values((1, 4, 4, 1), dtype), i32(2, 2, 1, 1), values((1, 3, 3, 1), dtype), **one)


def fused(f):
    x, k, bias = values((1, 4, 4, 2)), values((2, 2, 2, 3), seed=1), values((3,), seed=2)
    for ops in [["BiasAdd"], ["BiasAdd", "Relu"], ["BiasAdd", "Relu6"], ["BiasAdd", "Elu"], ["BiasAdd", "LeakyRelu"]]:
        f.case("_FusedConv2D", x, k, [bias], [], fused_ops=ops, num_args=1, strides=[1, 1, 1, 1], padding="SAME", grad=False,
               tol=1e-4)
    f.case("_FusedConv2D", x, k, [bias], [], fused_ops=["BiasAdd", "Relu"], num_args=1, strides=[1, 2, 2, 1], padding="VALID",
           grad=False, tol=1e-4)
    scale, offset, mean, variance = (values((3,), seed=s, low=1) for s in range(4))
    f.case("_FusedConv2D", x, k, [scale, offset, mean, variance], [], fused_ops=["FusedBatchNorm", "Relu"], num_args=4, 
           epsilon=0.001, strides=[1, 1, 1, 1], padding="SAME", grad=False, tol=1e-4)


POOLS = [
    # input, window, strides, padding
    ((1, 4, 4, 1), 2, 2, "VALID"),
    ((1, 4, 4, 2), 2, 1, "VALID"),
    ((2, 5, 5, 2), 3, 2, "SAME"),
    ((1, 5, 5, 1), 2, 2, "SAME"),
    ((1, 5, 5, 1), 2, 3, "VALID"),
    ((1, 3, 3, 1), 1, 1, "VALID"),
    ((1, 3, 3, 2), 1, 2, "SAME"),
    ((0, 4, 4, 1), 2, 2, "VALID"),
    ((1, 2, 2, 1), 3, 1, "SAME"),
]


def pooling(f):
    for op in ["MaxPool", "AvgPool"]:
        for shape, k, s, padding in POOLS:
            f.case(op, values(shape), ksize=[1, k, k, 1], strides=[1, s, s, 1], padding=padding)
        f.case(op, values((1, 4, 6, 1)), ksize=[1, 2, 3, 1], strides=[1, 1, 2, 1], padding="SAME")
        # No window fits; TensorFlow's gradient of it is memory as it was found.
        f.case(op, values((1, 2, 2, 1)), ksize=[1, 3, 3, 1], strides=[1, 1, 1, 1], padding="VALID", grad=False)
        f.case(op, values((2, 2, 1)), ksize=[1, 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID")
        f.case(op, values((1, 2, 2, 1)), ksize=[1, 0, 1, 1], strides=[1, 1, 1, 1], padding="VALID", phrase="")
        f.case(op, values((1, 2, 2, 1)), ksize=[1, 1, 1, 1], strides=[1, 0, 1, 1], padding="VALID")
        f.case(op, values((2, 2, 2, 1)), ksize=[2, 1, 1, 1], strides=[1, 1, 1, 1], padding="VALID")
        f.case(op, np.array([nan, 1, 2, -inf], np.float32).reshape(1, 2, 2, 1), ksize=[1, 2, 2, 1], strides=[1, 1, 1, 1],
               padding="VALID", grad=False)
        for dtype in FLOATS + INTS:
            f.case(op, values((1, 4, 4, 1), dtype), ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    for shape, k, s, padding in POOLS:
        ksize, strides = [1, k, k, 1], [1, s, s, 1]
        x = values(shape)
        with v1.Session(graph=tf.Graph(), config=config()) as session:
            out = session.run(tf.nn.max_pool(tf.constant(x), ksize, strides, padding))
        g = values(out.shape, seed=3)
        f.case("MaxPoolGrad", x, out, g, ksize=ksize, strides=strides, padding=padding)
        f.case("MaxPoolGradGrad", x, out, values(shape, seed=6), ksize=ksize, strides=strides, padding=padding)
        f.case("AvgPoolGrad", np.array(shape, np.int32), g, ksize=ksize, strides=strides, padding=padding)
    two = dict(ksize=[1, 2, 2, 1], strides=[1, 2, 2, 1], padding="VALID")
    # Equal values in a window: the first wins.
    f.case("MaxPool", np.ones((1, 4, 4, 1), np.float32), **two)
    f.case("MaxPoolGrad", values((1, 4, 4, 1)), values((1, 2, 2, 1)), values((1, 3, 3, 1)), **two)
    f.case("MaxPoolGrad", values((1, 4, 4, 1)), values((1, 3, 2, 1)), values((1, 3, 2, 1)), **two)
    f.case("AvgPoolGrad", i32(1, 4, 4), values((1, 2, 2, 1)), **two)
    for dtype in [np.float64, np.float16, bfloat16]:
        x = values((1, 4, 4, 1), dtype)
        out = x.reshape(1, 2, 2, 2, 2, 1).transpose(0, 1, 3, 2, 4, 5).reshape(1, 2, 2, 4, 1).astype(np.float64).max(axis=3)
        f.case("MaxPoolGrad", x, out.astype(dtype), values((1, 2, 2, 1), dtype, 5), **two)
        f.case("AvgPoolGrad", i32(1, 4, 4, 1), values((1, 2, 2, 1), dtype, 5), **two)
