"""Regularizers and initializers of `tf.contrib.layers`."""

from __future__ import annotations

import math
import numbers
from typing import Any, Callable

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops import math_ops, nn_activation, random_ops
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "apply_regularization", "l1_l2_regularizer", "l1_regularizer", "l2_regularizer", "sum_regularizer",
    "variance_scaling_initializer", "xavier_initializer", "xavier_initializer_conv2d",
]


def _checked(scale: Any) -> None:
    if isinstance(scale, numbers.Integral):
        raise ValueError(f"scale is the integer {scale}; give a float")
    if isinstance(scale, numbers.Real) and scale < 0.0:
        raise ValueError(f"scale is {scale}, but it cannot be below zero")


def l2_regularizer(scale: float, scope: str | None = None) -> Callable[[Any], Tensor | None]:
    """A function that gives `scale` times half the sum of squares of weights."""
    _checked(scale)
    if scale == 0.0:
        return lambda _: None

    def l2(weights: Any) -> Tensor:
        with op_scope(scope, "l2_regularizer", [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return math_ops.multiply(factor, nn_activation.l2_loss(weights), name=name)

    return l2


def l1_regularizer(scale: float, scope: str | None = None) -> Callable[[Any], Tensor | None]:
    """A function that gives `scale` times the sum of absolute values of weights."""
    _checked(scale)
    if scale == 0.0:
        return lambda _: None

    def l1(weights: Any) -> Tensor:
        with op_scope(scope, "l1_regularizer", [weights]) as name:
            factor = convert_to_tensor(scale, dtype=weights.dtype.base_dtype, name="scale")
            return math_ops.multiply(factor, math_ops.reduce_sum(math_ops.abs(weights)), name=name)

    return l1


def sum_regularizer(regularizer_list: Any, scope: str | None = None) -> Callable[[Any], Tensor | None] | None:
    """A function that gives the sum of what others give."""
    regularizers = [regularizer for regularizer in regularizer_list if regularizer is not None]
    if not regularizers:
        return None

    def total(weights: Any) -> Tensor | None:
        with op_scope(scope, "sum_regularizer", [weights]):
            losses = [loss for loss in (regularizer(weights) for regularizer in regularizers) if loss is not None]
            return math_ops.add_n(losses) if losses else None

    return total


def l1_l2_regularizer(
    scale_l1: float = 1.0, scale_l2: float = 1.0, scope: str | None = None
) -> Callable[[Any], Tensor | None] | None:
    """A function that gives the sum of `l1_regularizer` and `l2_regularizer`."""
    return sum_regularizer([l1_regularizer(scale_l1), l2_regularizer(scale_l2)], scope=scope or "l1_l2_regularizer")


def apply_regularization(regularizer: Any, weights_list: Any = None) -> Tensor:
    """The sum of what a regularizer gives for weights; it is added to the collection of such losses."""
    graph = get_default_graph()
    weights_list = weights_list if weights_list is not None else graph.get_collection(GraphKeys.WEIGHTS)
    if not weights_list:
        raise ValueError("there are no weights in the list to regularize")
    with graph.name_scope("get_regularization_penalty") as scope:
        penalties = [regularizer(weights) for weights in weights_list]
        penalties = [convert_to_tensor(0.0) if penalty is None else penalty for penalty in penalties]
        total = math_ops.add_n(penalties, name=scope)
    graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, total)
    return total


def variance_scaling_initializer(
    factor: float = 2.0, mode: str = "FAN_IN", uniform: bool = False, seed: int | None = None, dtype: Any = dtypes.float32
) -> Callable[..., Tensor]:
    """Random numbers of the variance `factor` over the number of inputs, of outputs, or their mean."""
    if mode not in ("FAN_IN", "FAN_OUT", "FAN_AVG"):
        raise TypeError(f"mode is {mode!r}; it can be FAN_IN, FAN_OUT or FAN_AVG")
    default = dtype

    def initializer(shape: Any, dtype: Any = default, partition_info: Any = None) -> Tensor:
        dims = [float(dim) for dim in shape]
        fan_in = dims[-2] if len(dims) > 1 else dims[-1]
        fan_out = dims[-1]
        for dim in dims[:-2]:
            fan_in, fan_out = fan_in * dim, fan_out * dim
        n = {"FAN_IN": fan_in, "FAN_OUT": fan_out, "FAN_AVG": (fan_in + fan_out) / 2.0}[mode]
        if uniform:
            limit = math.sqrt(3.0 * factor / n)
            return random_ops.random_uniform(shape, -limit, limit, dtype, seed=seed)
        return random_ops.truncated_normal(shape, 0.0, math.sqrt(1.3 * factor / n), dtype, seed=seed)

    return initializer


def xavier_initializer(uniform: bool = True, seed: int | None = None, dtype: Any = dtypes.float32) -> Callable[..., Tensor]:
    """Random numbers of the variance two over the sum of the numbers of inputs and outputs."""
    return variance_scaling_initializer(factor=1.0, mode="FAN_AVG", uniform=uniform, seed=seed, dtype=dtype)


xavier_initializer_conv2d = xavier_initializer
