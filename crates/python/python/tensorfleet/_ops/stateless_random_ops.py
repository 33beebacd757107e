"""Random numbers that follow from a seed alone: the same each time they are run."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.random_ops import _shape_tensor

__all__ = [
    "stateless_random_uniform", "stateless_random_normal", "stateless_truncated_normal", "stateless_multinomial",
    "stateless_random_poisson",
]

# The algorithm is left to the runtime.
_AUTOMATIC = 3


def _state(seed: Any) -> list[Tensor]:
    """The key and the counter that a seed stands for."""
    return many("StatelessRandomGetKeyCounter", seed)


def stateless_random_uniform(
    shape: Any, seed: Any, minval: Any = 0, maxval: Any = None, dtype: Any = dtypes.float32, name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers from `minval` to before `maxval`, all as likely.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Session() as sess:
    ...     numbers = tf.random.stateless_uniform([3], seed=[1, 2])
    ...     (sess.run(numbers) == sess.run(numbers)).all()
    np.True_
    """
    kind = dtypes.as_dtype(dtype).base_dtype
    if kind.is_integer and (minval is None) != (maxval is None):
        raise ValueError(f"whole numbers of {kind.name} need both minval and maxval, or neither for all of them")
    if maxval is None and not kind.is_integer:
        maxval = 1
    with op_scope(name, "stateless_random_uniform", [shape, seed, minval, maxval]) as scope:
        shape = _shape_tensor(shape)
        if kind.is_integer and minval is None:
            key, counter = _state(seed)
            return one("StatelessRandomUniformFullIntV2", shape, key, counter, _AUTOMATIC, name=scope, dtype=kind)
        low = convert_to_tensor(minval, dtype=kind, name="min")
        high = convert_to_tensor(maxval, dtype=kind, name="max")
        key, counter = _state(seed)
        if kind.is_integer:
            return one("StatelessRandomUniformIntV2", shape, key, counter, _AUTOMATIC, low, high, name=scope)
        numbers: Any = one("StatelessRandomUniformV2", shape, key, counter, _AUTOMATIC, dtype=kind)
        return one("AddV2", numbers * (high - low), low, name=scope)  # type: ignore[operator]


def _normal(op: str, default: str, shape: Any, seed: Any, mean: Any, stddev: Any, dtype: Any, name: str | None) -> Tensor:
    with op_scope(name, default, [shape, seed, mean, stddev]) as scope:
        shape = _shape_tensor(shape)
        mean = convert_to_tensor(mean, dtype=dtype, name="mean")
        stddev = convert_to_tensor(stddev, dtype=dtype, name="stddev")
        key, counter = _state(seed)
        numbers: Any = one(op, shape, key, counter, _AUTOMATIC, dtype=dtype)
        return one("AddV2", numbers * stddev, mean, name=scope)


def stateless_random_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of the normal distribution."""
    return _normal("StatelessRandomNormalV2", "stateless_random_normal", shape, seed, mean, stddev, dtype, name)


def stateless_truncated_normal(
    shape: Any, seed: Any, mean: Any = 0.0, stddev: Any = 1.0, dtype: Any = dtypes.float32, name: str | None = None,
    alg: Any = "auto_select",
) -> Tensor:
    """Numbers of the normal distribution, none further from `mean` than twice `stddev`."""
    return _normal("StatelessTruncatedNormalV2", "stateless_truncated_normal", shape, seed, mean, stddev, dtype, name)


def stateless_multinomial(
    logits: Any, num_samples: Any, seed: Any, output_dtype: Any = dtypes.int64, name: str | None = None
) -> Tensor:
    """Numbers of classes drawn at random, for each row of logarithms of their likelihoods."""
    with op_scope(name, "stateless_multinomial", [logits, seed]):
        logits = convert_to_tensor(logits, name="logits")
        return one("StatelessMultinomial", logits, num_samples, seed, output_dtype=output_dtype)


def stateless_random_poisson(shape: Any, seed: Any, lam: Any, dtype: Any = dtypes.int32, name: str | None = None) -> Tensor:
    """Numbers of the Poisson distribution with the mean `lam`."""
    with op_scope(name, "stateless_random_poisson", [shape, seed, lam]) as scope:
        shape = _shape_tensor(shape)
        return one("StatelessRandomPoisson", shape, seed, lam, name=scope, dtype=dtype)
