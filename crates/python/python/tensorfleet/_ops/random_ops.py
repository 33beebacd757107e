"""Random numbers."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.collections import get_seed
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "random_normal", "truncated_normal", "random_uniform", "random_shuffle", "random_crop", "multinomial", "random_gamma",
    "random_poisson",
]


def _shape_tensor(shape: Any) -> Tensor:
    """A shape as a tensor of integers."""
    kind = dtypes.int32 if isinstance(shape, (list, tuple)) and not shape else None
    return convert_to_tensor(shape, dtype=kind, name="shape")


def random_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: int | None = None,
    name: str | None = None
) -> Tensor:
    """Numbers of the normal distribution.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.random_normal([2, 3])).shape
    (2, 3)
    """
    return _normal("RandomStandardNormal", "random_normal", shape, mean, stddev, dtype, seed, name)


def truncated_normal(
    shape: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, seed: int | None = None,
    name: str | None = None
) -> Tensor:
    """Numbers of the normal distribution, none further from `mean` than twice `stddev`."""
    return _normal("TruncatedNormal", "truncated_normal", shape, mean, stddev, dtype, seed, name)


def _normal(op: str, default: str, shape: Any, mean: Any, stddev: Any, dtype: Any, seed: Any, name: str | None) -> Tensor:
    with op_scope(name, default, [shape, mean, stddev]) as scope:
        shape = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        seed1, seed2 = get_seed(seed)
        numbers: Any = one(op, shape, dtype=dtype, seed=seed1, seed2=seed2)
        return one("AddV2", numbers * stddev, mean, name=scope)


def random_uniform(
    shape: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, seed: int | None = None,
    name: str | None = None
) -> Tensor:
    """Numbers from `minval` to before `maxval`, all as likely; up to 1 if `maxval` is not given."""
    kind = dtypes.as_dtype(dtype).base_dtype
    if maxval is None:
        if kind.is_integer:
            raise ValueError(f"whole numbers of {kind.name} are drawn from a range: give maxval")
        maxval = 1
    with op_scope(name, "random_uniform", [shape, minval, maxval]) as scope:
        shape = _shape_tensor(shape)
        from_zero = isinstance(minval, int) and minval == 0
        to_one = isinstance(maxval, int) and maxval == 1
        if not from_zero or not to_one or kind.is_integer:
            minval = convert_to_tensor(minval, dtype=kind, name="min")
            maxval = convert_to_tensor(maxval, dtype=kind, name="max")
        seed1, seed2 = get_seed(seed)
        if kind.is_integer:
            return one("RandomUniformInt", shape, minval, maxval, name=scope, seed=seed1, seed2=seed2)
        numbers: Any = one("RandomUniform", shape, dtype=kind, seed=seed1, seed2=seed2)
        if from_zero:
            return numbers if to_one else one("Mul", numbers, maxval)
        return one("AddV2", numbers * (maxval - minval), minval, name=scope)


def random_shuffle(value: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """The rows of a tensor in a random order."""
    seed1, seed2 = get_seed(seed)
    return one("RandomShuffle", value, name=name, seed=seed1, seed2=seed2)


def random_crop(value: Any, size: Any, seed: int | None = None, name: str | None = None) -> Tensor:
    """A part of a tensor of a given size, from a random place."""
    from tensorfleet._ops import group_ops, math_ops, shape_ops, slice_ops

    with op_scope(name, "random_crop", [value, size]) as scope:
        value = convert_to_tensor(value, name="value")
        size = convert_to_tensor(size, dtype=dtypes.int32, name="size")
        shape: Any = shape_ops.shape(value)
        check = group_ops.Assert(
            math_ops.reduce_all(shape >= size), ["Need value.shape >= size, got ", shape, size], summarize=1000
        )
        shape = group_ops.with_dependencies([check], shape)
        limit = shape - size + 1
        kind = size.dtype.base_dtype
        offset = random_uniform(
            shape_ops.shape(shape), dtype=kind, maxval=kind.max, seed=seed
        ) % limit  # type: ignore[operator]
        return slice_ops.slice(value, offset, size, name=scope)


def multinomial(
    logits: Any, num_samples: Any, seed: int | None = None, name: str | None = None, output_dtype: Any = None
) -> Tensor:
    """Numbers of classes drawn at random, for each row of logarithms of their likelihoods."""
    with op_scope(name, "multinomial", [logits]):
        logits = convert_to_tensor(logits, name="logits")
        seed1, seed2 = get_seed(seed)
        return one("Multinomial", logits, num_samples, seed=seed1, seed2=seed2, output_dtype=output_dtype)


def random_gamma(
    shape: Any, alpha: Any, beta: Any = None, dtype: Any = dtypes.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Numbers of the gamma distribution with the shape parameter `alpha` and the inverse scale `beta`."""
    import numpy as np

    from tensorfleet._ops import binary_ops, shape_ops

    with op_scope(name, "random_gamma", [shape, alpha, beta]):
        shape = convert_to_tensor(shape, dtype=dtypes.int32, name="shape")
        alpha = convert_to_tensor(alpha, dtype=dtype, name="alpha")
        scale: Any = convert_to_tensor(1 if beta is None else beta, dtype=dtype, name="beta")
        together = shape_ops.broadcast_dynamic_shape(shape_ops.shape(alpha), shape_ops.shape(scale))
        wide = one("BroadcastTo", alpha, together)
        seed1, seed2 = get_seed(seed)
        numbers: Any = one("RandomGamma", shape, wide, seed=seed1, seed2=seed2)
        least = np.finfo(alpha.dtype.as_numpy_dtype).tiny
        return binary_ops.maximum(least, numbers / scale)


def random_poisson(
    lam: Any, shape: Any, dtype: Any = dtypes.float32, seed: int | None = None, name: str | None = None
) -> Tensor:
    """Numbers of the Poisson distribution with the mean `lam`."""
    with op_scope(name, "random_poisson", [lam, shape]):
        shape = convert_to_tensor(shape, dtype=dtypes.int32, name="shape")
        seed1, seed2 = get_seed(seed)
        return one("RandomPoissonV2", shape, lam, dtype=dtype, seed=seed1, seed2=seed2)
