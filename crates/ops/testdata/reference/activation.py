"""Biases, activations, softmax and losses of neural networks."""

import numpy as np
from judge import tf

from .scenario import *

LINE = [-100.0, -6.5, -2.0, -0.25, -0.0, 0.0, 0.25, 1.0, 5.5, 6.0, 7.5, 100.0]


def record(f):
    bias(f)
    activations(f)
    softmax(f)
    losses(f)
    f.case("InTopK", values((3, 4)), i32(0, 3, 1), k=2)
    f.case("InTopK", values((3, 4)), i32(0, 4, -1), k=1)
    f.case("InTopK", f32([nan, 1], [inf, 2]), i32(1, 0), k=1)
    f.case("InTopKV2", values((3, 4)), i32(0, 3, 1), scalar(2))
    f.case("InTopKV2", values((3, 4)), i64(0, 3, 1), scalar(9, np.int64))
    for k in [0, 2, 3, 4, -1]:
        f.case("TopKV2", f32([1, 3, 2], [2, 2, 0]), scalar(k))
    f.case("TopKV2", i32(5, 9, 9, 1), scalar(3))


def bias(f):
    for shape in [(2, 3), (2, 2, 3), (1, 2, 2, 3), (0, 3), (2, 1, 1, 1, 3)]:
        f.case("BiasAdd", values(shape), values((3,), seed=1))
        f.case("BiasAddGrad", values(shape))
    nchw = values((2, 3, 2, 2))
    f.case("BiasAdd", nchw, values((3,)), data_format="NCHW")
    f.case("BiasAddGrad", nchw, data_format="NCHW")
    f.case("BiasAdd", values((2, 3)), values((3,)), data_format="NCHW")
    f.case("BiasAddGrad", values((2, 3)), data_format="NCHW")
    f.case("BiasAdd", values((2, 3)), values((2,)))
    f.case("BiasAdd", values((3,)), values((3,)))
    f.case("BiasAdd", values((2, 3)), values((1, 3)))
    f.case("BiasAddGrad", values((3,)))
    for dtype in FLOATS + INTS:
        f.case("BiasAdd", values((2, 3), dtype), values((3,), dtype))
        f.case("BiasAddGrad", values((2, 3), dtype))
    f.case("BiasAddV1", values((2, 3)), values((3,), seed=1))


def activations(f):
    for op in ["Relu", "Relu6", "Elu", "Selu", "LeakyRelu", "Softplus", "Softsign"]:
        for dtype in FLOATS:
            f.case(op, np.array(LINE, dtype))
            f.case(op, np.array([nan, inf, -inf], dtype), grad=False)
        for shape in [(), (0,), (2, 0), (2, 3), (41,)]:
            f.case(op, values(shape))
        for dtype in INTS:
            f.case(op, np.array([0, 1, 9], dtype))
    f.case("LeakyRelu", f32(*LINE), alpha=0.5)
    f.case("LeakyRelu", f32(*LINE), alpha=-1.5)
    f.case("LeakyRelu", f32(*LINE), alpha=2.0)
    for op in ["ReluGrad", "Relu6Grad", "EluGrad", "SeluGrad", "LeakyReluGrad", "SoftplusGrad", "SoftsignGrad"]:
        for dtype in FLOATS:
            f.case(op, values((12,), dtype, 5), np.array(LINE, dtype))
        f.case(op, values((0,)), values((0,)))
        f.case(op, values((2, 3)), values((2, 3), seed=4))
        f.case(op, values(()), values(()))
        f.case(op, values((2,)), values((3,)))
    f.case("ReluGrad", i32(1, 2, 3), i32(-1, 0, 4))


def softmax(f):
    for op in ["Softmax", "LogSoftmax"]:
        for shape in [(3,), (2, 3), (2, 2, 3), (1, 1), (0, 3), (2, 0), (), (2, 17)]:
            f.case(op, values(shape))
        for x in [[1000, 1001], [-1000, -1001], [0, -inf], [nan, 1], [inf, 1], [inf, -inf], [-inf, -inf]]:
            f.case(op, f32(x), grad=False)
        for dtype in FLOATS:
            f.case(op, values((2, 4), dtype))


def losses(f):
    labels = np.array([[0, 0.25, 0.75], [1, 0, 0]], np.float32)
    op = "SoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        f.case(op, values((2, 3), dtype), labels.astype(dtype))
    f.case(op, f32([1000, 0, -1000]), f32([0, 1, 0]))
    f.case(op, f32([inf, 0, 1]), f32([0, 1, 0]), grad=False)
    f.case(op, f32([nan, 0, 1]), f32([0, 1, 0]), grad=False)
    f.case(op, values((0, 3)), values((0, 3)), grad=False)
    f.case(op, values((2, 0)), values((2, 0)), grad=False)
    f.case(op, values((2, 3)), values((1, 3), low=0))
    f.case(op, values((2, 3)), values((2, 1), low=0))
    f.case(op, values((2, 3)), values((3, 2)))
    f.case(op, values((3,)), values((3,)))
    f.case(op, values((2, 3)), values((2, 4)))
    op = "SparseSoftmaxCrossEntropyWithLogits"
    for dtype in FLOATS:
        f.case(op, values((2, 3), dtype), i32(2, 0))
    f.case(op, values((2, 3)), i64(1, 1))
    f.case(op, values((2, 3)), i64(1, 3))
    f.case(op, values((2, 3)), i64(-1, 0))
    f.case(op, f32([1000, 0, -1000]), i32(1))
    f.case(op, values((0, 3)), i32())
    f.case(op, values((2, 0)), i32(0, 0))
    f.case(op, values((2, 3)), i32(1))
    f.case(op, values((3,)), i32(1))
    f.case(op, values((2, 3)), np.array([[1], [0]], np.int32))
    f.case(op, f32([inf, 0, 1], [nan, 1, 2]), i32(1, 1), grad=False)
