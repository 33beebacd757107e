"""Activation functions, layers of one product, dropout, and the largest elements."""

from __future__ import annotations

import numbers
from collections import namedtuple
from typing import Any

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant, constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "bias_add", "bias_add_v1", "crelu", "dropout", "elu", "gelu", "in_top_k", "l2_loss", "leaky_relu", "log_softmax", "relu",
    "relu6", "relu_layer", "selu", "sigmoid", "silu", "softmax", "softplus", "softsign", "swish", "tanh", "top_k", "xw_plus_b",
    "zero_fraction",
]

TopKV2 = namedtuple("TopKV2", ["values", "indices"])


def relu(features: Any, name: str | None = None) -> Tensor:
    """The elements, with zero for those below it.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.nn.relu([-1.0, 2.0])).tolist()
    [0.0, 2.0]
    """
    return one("Relu", features, name=name)


def relu6(features: Any, name: str | None = None) -> Tensor:
    """The elements, none below zero and none above six."""
    return one("Relu6", features, name=name)


def elu(features: Any, name: str | None = None) -> Tensor:
    """`exp(x) - 1` below zero, `x` above."""
    return one("Elu", features, name=name)


def selu(features: Any, name: str | None = None) -> Tensor:
    """A scaled `elu` that keeps mean and variance."""
    return one("Selu", features, name=name)


def softplus(features: Any, name: str | None = None) -> Tensor:
    """`log(exp(x) + 1)`."""
    return one("Softplus", features, name=name)


def softsign(features: Any, name: str | None = None) -> Tensor:
    """`x / (abs(x) + 1)`."""
    return one("Softsign", features, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """`1 / (1 + exp(-x))`."""
    return one("Sigmoid", x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic tangent."""
    return one("Tanh", x, name=name)


def leaky_relu(features: Any, alpha: Any = 0.2, name: str | None = None) -> Tensor:
    """`alpha * x` below zero, `x` above."""
    with op_scope(name, "LeakyRelu", [features, alpha]) as scope:
        features = convert_to_tensor(features, name="features")
        if features.dtype.is_integer:
            features = math_ops.cast(features, dtypes.float32)
        if isinstance(alpha, numbers.Real) or isinstance(alpha, np.ndarray):
            return one("LeakyRelu", features, name=scope, alpha=float(alpha))
        return one("Maximum", alpha * features, features, name=scope)


def crelu(features: Any, name: str | None = None, axis: int = -1) -> Tensor:
    """The positive and the negative parts of a tensor, joined along a dimension."""
    with op_scope(name, "CRelu", [features]) as scope:
        features = convert_to_tensor(features, name="features")
        return relu(array_ops.concat([features, -features], axis, name=scope))


def swish(features: Any, beta: Any = 1.0) -> Tensor:
    """`x * sigmoid(beta * x)`."""
    features = convert_to_tensor(features, name="features")
    beta = convert_to_tensor(beta, dtype=features.dtype.base_dtype, name="beta")
    return features * one("Sigmoid", beta * features)


silu = swish


def gelu(features: Any, approximate: bool = False, name: str | None = None) -> Tensor:
    """`x` times the part of a normal distribution that is below `x`."""
    with op_scope(name, "Gelu", [features]):
        features = convert_to_tensor(features, name="features")
        if approximate:
            coefficient = math_ops.cast(0.044715, features.dtype)
            inner = 0.7978845608028654 * (features + coefficient * math_ops.pow(features, 3))
            return 0.5 * features * (1.0 + one("Tanh", inner))
        return 0.5 * features * (1.0 + one("Erf", features / math_ops.cast(1.4142135623730951, features.dtype)))


def _swapped(x: Tensor, axis: int, last: Tensor, name: str | None = None) -> Tensor:
    order = array_ops.concat([array_ops.range(axis), [last], array_ops.range(axis + 1, last), [axis]], 0)
    return array_ops.transpose(x, order, name=name)


def _softmax(op: str, logits: Any, axis: Any, name: str | None) -> Tensor:
    logits = convert_to_tensor(logits)
    axis = -1 if axis is None else axis
    known = constant_value(axis) if isinstance(axis, Tensor) else axis
    ndims = logits.shape.ndims
    if known is None:
        raise ValueError(f"the dimension of {op} must be known while the graph is built, not {axis!r}")
    known = int(known)
    if ndims == 0:
        raise ValueError(f"{op} needs at least one dimension, but {logits.name} is a scalar")
    if known == -1 or ndims is not None and known == ndims - 1:
        return one(op, logits, name=name)
    if ndims is None:
        raise ValueError(f"the number of dimensions of {logits.name} must be known for the dimension {known}")
    if not -ndims <= known < ndims:
        raise ValueError(f"Dimension {known} is out of range: {op} of {logits.name} of shape {logits.shape}")
    array_ops.rank(logits)
    rank = array_ops.rank(logits)
    swapped = _swapped(logits, known % ndims, one("Sub", rank, 1))
    result = one(op, swapped)
    result = _swapped(result, known % ndims, one("Sub", rank, 1), name)
    result.set_shape(logits.shape)
    return result


def softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Numbers as probabilities: `exp(x)` over their sum along a dimension, which is the last unless said.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.nn.softmax([[1.0, 1.0]])).tolist()
    [[0.5, 0.5]]
    """
    if isinstance(axis, str):
        # Before 1.1 the second argument was the name.
        axis, name = None, axis
    return _softmax("Softmax", logits, renamed(axis, dim, "axis", "dim"), name)


def log_softmax(logits: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """The logarithm of `softmax`."""
    if isinstance(axis, str):
        axis, name = None, axis
    return _softmax("LogSoftmax", logits, renamed(axis, dim, "axis", "dim"), name)


def bias_add(value: Any, bias: Any, data_format: str | None = None, name: str | None = None) -> Tensor:
    """A vector added to a tensor along its channels, which are the last dimension unless the format begins with "NC"."""
    with op_scope(name, "BiasAdd", [value, bias]) as scope:
        if data_format is not None:
            second, last = data_format[:2] == "NC", data_format[:1] + data_format[-1:] == "NC"
            if not second and not last:
                raise ValueError(
                    f"`data_format` is {data_format!r}; the channels stand last (`N...C`) or second (`NC...`)"
                )
            data_format = "NCHW" if second else "NHWC"
        value = convert_to_tensor(value, name="input")
        bias = convert_to_tensor(bias, dtype=value.dtype.base_dtype, name="bias")
        return one("BiasAdd", value, bias, name=scope, data_format=data_format)


def bias_add_v1(value: Any, bias: Any, name: str | None = None) -> Tensor:
    """A vector added to a tensor along its last dimension, by the op of old graphs."""
    return one("BiasAddV1", value, bias, name=name)


def xw_plus_b(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`x @ weights + biases`."""
    with op_scope(name, "xw_plus_b", [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name="x"), convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return bias_add(math_ops.matmul(x, weights), biases, name=scope)


def relu_layer(x: Any, weights: Any, biases: Any, name: str | None = None) -> Tensor:
    """`relu(x @ weights + biases)`."""
    with op_scope(name, "relu_layer", [x, weights, biases]) as scope:
        x, weights = convert_to_tensor(x, name="x"), convert_to_tensor(weights, name="weights")
        biases = convert_to_tensor(biases, name="biases")
        return relu(bias_add(math_ops.matmul(x, weights), biases), name=scope)


def l2_loss(t: Any, name: str | None = None) -> Tensor:
    """The elements squared and summed, halved."""
    return one("L2Loss", t, name=name)


def dropout(
    x: Any, keep_prob: Any = None, noise_shape: Any = None, seed: int | None = None, name: str | None = None, rate: Any = None
) -> Tensor:
    """Each element is zero with the probability `rate`, or `1 - keep_prob`; the others grow so that the mean stays.

    >>> import tensorfleet.v1 as tf
    >>> x = tf.constant([1.0, 2.0])
    >>> tf.nn.dropout(x, keep_prob=1.0) is x
    True
    """
    if keep_prob is None and rate is None:
        raise ValueError("You must provide a rate to dropout.")
    if keep_prob is not None:
        rate = renamed(None if rate is None else rate, 1 - keep_prob, "rate", "keep_prob")
    with op_scope(name, "dropout", [x]):
        plain = isinstance(rate, numbers.Real)
        if plain and not 0 <= float(rate) < 1:
            raise ValueError(f"`rate` is {rate}; it is a number from 0 to below 1, or a scalar tensor")
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_floating:
            raise ValueError(f"dropout scales what it keeps, so `x` must be of floats, not of {x.dtype.name}")
        if plain and float(rate) == 0:
            return x
        if plain:
            kept = one("Mul", x, constant(1.0 / (1 - float(rate)), dtype=x.dtype.base_dtype))
        else:
            rate = convert_to_tensor(rate, dtype=x.dtype.base_dtype, name="rate")
            kept = one("RealDiv", x, one("Sub", constant(1.0, dtype=x.dtype.base_dtype), rate))
        from tensorfleet._ops import random_ops

        noise = random_ops.random_uniform(_noise_shape(x, noise_shape), dtype=x.dtype.base_dtype, seed=seed)
        keep = one("GreaterEqual", noise, rate)
        result = one("SelectV2", keep, kept, constant(0, dtype=x.dtype.base_dtype))
        result.set_shape(x.shape)
        return result


def _noise_shape(x: Tensor, noise_shape: Any) -> Any:
    if noise_shape is None:
        return array_ops.shape(x)
    try:
        given = TensorShape(noise_shape)
    except (TypeError, ValueError):
        return noise_shape
    if x.shape.ndims is None or x.shape.ndims != given.ndims:
        return noise_shape
    return TensorShape([mine if mine is not None else own for mine, own in zip(given.as_list(), x.shape.as_list())])


def top_k(input: Any, k: Any = 1, sorted: bool = True, name: str | None = None) -> Any:
    """The largest elements of the last dimension, and where they are."""
    return TopKV2(*many("TopKV2", input, k, name=name, sorted=sorted))


def in_top_k(predictions: Any, targets: Any, k: Any, name: str | None = None) -> Tensor:
    """Whether the prediction of each target is among the `k` largest of its row."""
    with op_scope(name, "in_top_k", [predictions, targets]):
        return one("InTopKV2", predictions, targets, k, name=name)


def zero_fraction(value: Any, name: str | None = None) -> Tensor:
    """Which part of the elements is zero."""
    from tensorfleet._ops import control_flow

    with op_scope(name, "zero_fraction", [value]):
        value = convert_to_tensor(value, name="value")
        size = array_ops.size(value, out_type=dtypes.int64)

        def count(dtype: Any) -> Tensor:
            with op_scope(None, "count_nonzero", [value]):
                zero = array_ops.zeros([], dtype=value.dtype.base_dtype)
                return math_ops.reduce_sum(math_ops.cast(one("NotEqual", value, zero), dtype), name="nonzero_count")

        nonzero = control_flow.cond(
            size <= dtypes.int32.max, lambda: math_ops.cast(count(dtypes.int32), dtypes.int64), lambda: count(dtypes.int64)
        )
        with op_scope(None, "counts_to_fraction", [value]):
            zeros = math_ops.cast(size - nonzero, dtypes.float32)
            fraction = zeros / math_ops.cast(size, dtypes.float32)
        return array_ops.identity(fraction, "fraction")
