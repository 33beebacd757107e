"""Normalization: moments, batch normalization, responses of neighbours."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "batch_norm_with_global_normalization", "batch_normalization", "fused_batch_norm", "l2_normalize",
    "local_response_normalization", "lrn", "moments", "normalize_moments", "sufficient_statistics", "weighted_moments",
]


def l2_normalize(x: Any, axis: Any = None, epsilon: float = 1e-12, name: str | None = None, dim: Any = None) -> Tensor:
    """A tensor divided by its length along dimensions.

    >>> import tensorfleet.v1 as tf
    >>> [round(float(v), 3) for v in tf.Session().run(tf.nn.l2_normalize([3.0, 4.0], 0))]
    [0.6, 0.8]
    """
    axis = renamed(axis, dim, "axis", "dim")
    with op_scope(name, "l2_normalize", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        squares = math_ops.reduce_sum(one("Square", x), axis, keepdims=True)
        return one("Mul", x, one("Rsqrt", one("Maximum", squares, epsilon)), name=scope)


def lrn(
    input: Any, depth_radius: int = 5, bias: float = 1.0, alpha: float = 1.0, beta: float = 0.5, name: str | None = None
) -> Tensor:
    """Each channel divided by a power of the squares of its neighbours."""
    return one("LRN", input, name=name, depth_radius=depth_radius, bias=float(bias), alpha=float(alpha), beta=float(beta))


local_response_normalization = lrn


def moments(
    x: Any, axes: Any, shift: Any = None, name: str | None = None, keep_dims: bool | None = None, keepdims: bool | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance along dimensions."""
    keep = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    with op_scope(name, "moments", [x]):
        x = convert_to_tensor(x)
        small = x.dtype.base_dtype in (dtypes.float16, dtypes.bfloat16)
        y = math_ops.cast(x, dtypes.float32) if small else x
        mean = math_ops.reduce_mean(y, axes, keepdims=True, name="mean")
        variance = math_ops.reduce_mean(
            one("SquaredDifference", y, one("StopGradient", mean)), axes, keepdims=True, name="variance"
        )
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        if small:
            return math_ops.cast(mean, x.dtype), math_ops.cast(variance, x.dtype)
        return mean, variance


def weighted_moments(
    x: Any, axes: Any, frequency_weights: Any, name: str | None = None, keep_dims: bool | None = None,
    keepdims: bool | None = None,
) -> tuple[Tensor, Tensor]:
    """Mean and variance along dimensions, with elements counted as often as their weights say."""
    keep = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    with op_scope(name, "weighted_moments", [x, frequency_weights]):
        x = convert_to_tensor(x, name="x")
        weights = convert_to_tensor(frequency_weights, name="frequency_weights")
        if weights.dtype.base_dtype != x.dtype.base_dtype:
            weights = math_ops.cast(weights, x.dtype.base_dtype)
        total = math_ops.reduce_sum(weights * x, axes, keepdims=True, name="weighted_input_sum")
        wide = weights + array_ops.zeros_like(x)
        count = math_ops.reduce_sum(wide, axes, keepdims=True, name="sum_of_weights")
        mean = math_ops.div_no_nan(total, count)
        spread = math_ops.reduce_sum(
            weights * one("SquaredDifference", x, mean), axes, keepdims=True, name="weighted_distsq"
        )
        variance = math_ops.div_no_nan(spread, count)
        if not keep:
            mean, variance = array_ops.squeeze(mean, axes), array_ops.squeeze(variance, axes)
        return mean, variance


def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keep_dims: bool | None = None, name: str | None = None, keepdims: bool | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """Count, sum and sum of squares along dimensions, and the shift that was taken from the elements."""
    keep = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    axes = sorted(set(axes if hasattr(axes, "__len__") else [axes]))
    with op_scope(name, "sufficient_statistics", [x, shift]):
        x = convert_to_tensor(x, name="x")
        dims = None if x.shape.ndims is None else [x.shape.as_list()[axis] for axis in axes]
        if dims is not None and None not in dims:
            product = 1
            for dim in dims:
                product *= dim
            count: Tensor = constant(product, dtype=x.dtype.base_dtype)
        else:
            picked = array_ops.gather(math_ops.cast(array_ops.shape(x), x.dtype), axes)
            count = math_ops.reduce_prod(picked, name="count")
        if shift is not None:
            shift = convert_to_tensor(shift, name="shift")
            first, second = x - shift, one("SquaredDifference", x, shift)
        else:
            first, second = x, one("Square", x)
        first = math_ops.reduce_sum(first, axes, keepdims=keep, name="mean_ss")
        second = math_ops.reduce_sum(second, axes, keepdims=keep, name="var_ss")
        return count, first, second, shift


def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Mean and variance from what `sufficient_statistics` gives."""
    with op_scope(name, "normalize", [counts, mean_ss, variance_ss, shift]):
        divisor = one("Reciprocal", counts, name="divisor")
        if shift is not None:
            shifted = one("Mul", mean_ss, divisor, name="shifted_mean")
            mean = math_ops.add(shifted, shift, name="mean")
        else:
            shifted = mean = one("Mul", mean_ss, divisor, name="mean")
        variance = one("Sub", one("Mul", variance_ss, divisor), one("Square", shifted), name="variance")
        return mean, variance


def batch_normalization(
    x: Any, mean: Any, variance: Any, offset: Any, scale: Any, variance_epsilon: float, name: str | None = None
) -> Tensor:
    """`scale * (x - mean) / sqrt(variance + variance_epsilon) + offset`."""
    with op_scope(name, "batchnorm", [x, mean, variance, scale, offset]):
        factor = one("Rsqrt", variance + variance_epsilon)
        if scale is not None:
            factor *= scale
        x = convert_to_tensor(x)
        kind = x.dtype.base_dtype
        return x * math_ops.cast(factor, kind) + math_ops.cast(
            offset - mean * factor if offset is not None else -mean * factor, kind
        )


def batch_norm_with_global_normalization(
    t: Any = None, m: Any = None, v: Any = None, beta: Any = None, gamma: Any = None, variance_epsilon: Any = None,
    scale_after_normalization: bool | None = None, name: str | None = None, input: Any = None, mean: Any = None,
    variance: Any = None,
) -> Tensor:
    """Batch normalization, with the scale only if it is asked for."""
    return batch_normalization(
        renamed(t, input, "t", "input"), renamed(m, mean, "m", "mean"), renamed(v, variance, "v", "variance"), beta,
        gamma if scale_after_normalization else None, variance_epsilon, name,
    )


def fused_batch_norm(
    x: Any, scale: Any, offset: Any, mean: Any = None, variance: Any = None, epsilon: float = 0.001, data_format: str = "NHWC",
    is_training: bool = True, name: str | None = None, exponential_avg_factor: float = 1.0,
) -> tuple[Tensor, Tensor, Tensor]:
    """Batch normalization as one op: the result, and mean and variance of the batch, or what becomes of those given."""
    if (not is_training or exponential_avg_factor != 1.0) and (mean is None or variance is None):
        raise ValueError(
            "with is_training=False or an exponential_avg_factor other than 1.0, mean and variance are given, one "
            f"number a channel: they are {mean!r} and {variance!r}"
        )
    x, scale = convert_to_tensor(x, name="input"), convert_to_tensor(scale, name="scale")
    offset = convert_to_tensor(offset, name="offset")
    mean = constant([], dtype=dtypes.float32) if mean is None else mean
    variance = constant([], dtype=dtypes.float32) if variance is None else variance
    y, batch_mean, batch_variance = many(
        "FusedBatchNormV3", x, scale, offset, mean, variance, name=name, epsilon=max(float(epsilon), 1.001e-5),
        exponential_avg_factor=float(exponential_avg_factor), data_format=data_format, is_training=is_training,
    )[:3]
    return y, batch_mean, batch_variance
