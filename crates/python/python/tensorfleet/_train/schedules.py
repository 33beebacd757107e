"""Learning rates that change from step to step."""

from __future__ import annotations

import functools
import math
from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, name_scope


def _v1() -> Any:
    import tensorfleet.v1 as tf

    return tf


def _needs_step(global_step: Any, what: str) -> None:
    if global_step is None:
        raise ValueError(f"global_step is required for {what}.")


def _begin(learning_rate: Any) -> tuple[Tensor, Any]:
    rate = convert_to_tensor(learning_rate, name="initial_learning_rate")
    return rate, rate.dtype.base_dtype


def exponential_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Tensor:
    """`learning_rate * decay_rate ** (global_step / decay_steps)`, in steps of whole exponents if `staircase` says so.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     sess.run(tf.train.exponential_decay(1.0, 20, 10, 0.5))
    np.float32(0.25)
    """
    tf = _v1()
    _needs_step(global_step, "exponential_decay")
    with name_scope(name, "ExponentialDecay", [learning_rate, global_step, decay_steps, decay_rate]) as scope:
        rate, dtype = _begin(learning_rate)
        steps, base = tf.cast(decay_steps, dtype), tf.cast(decay_rate, dtype)
        passed = tf.cast(global_step, dtype) / steps
        if staircase:
            passed = tf.floor(passed)
        return tf.multiply(rate, tf.pow(base, passed), name=scope)


def piecewise_constant(x: Any, boundaries: Any, values: Any, name: str | None = None) -> Tensor:
    """`values[0]` up to the first boundary, `values[1]` up to the second, and so on."""
    tf = _v1()
    if len(boundaries) != len(values) - 1:
        raise ValueError(
            f"{len(boundaries)} boundaries make {len(boundaries) + 1} intervals, but there are {len(values)} values"
        )
    limits = [convert_to_tensor(limit) for limit in boundaries]
    rates = [convert_to_tensor(value) for value in values]
    at = convert_to_tensor(x)
    limits = [limit if limit.dtype.base_dtype == at.dtype.base_dtype else tf.cast(limit, at.dtype.base_dtype)
              for limit in limits]
    with name_scope(name, "PiecewiseConstant", [at, *limits, *rates]):
        pairs = [(at <= limits[0], lambda: rates[0]), (at > limits[-1], lambda: rates[-1])]
        for low, high, rate in zip(limits[:-1], limits[1:], rates[1:-1]):
            pairs.append(((at > low) & (at <= high), functools.partial(lambda chosen: chosen, rate)))
        return tf.case(pairs, lambda: rates[0], exclusive=True)


def polynomial_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, end_learning_rate: Any = 0.0001, power: Any = 1.0,
    cycle: bool = False, name: str | None = None,
) -> Tensor:
    """From `learning_rate` to `end_learning_rate` in so many steps, along a power; with `cycle` again and again, slower each
    time."""
    tf = _v1()
    _needs_step(global_step, "polynomial_decay")
    with name_scope(name, "PolynomialDecay", [learning_rate, global_step, decay_steps, end_learning_rate, power]) as scope:
        rate, dtype = _begin(learning_rate)
        end, exponent = tf.cast(end_learning_rate, dtype), tf.cast(power, dtype)
        step, steps = tf.cast(global_step, dtype), tf.cast(decay_steps, dtype)
        if cycle:
            times = one("SelectV2", tf.equal(step, 0), 1.0, tf.ceil(step / decay_steps))
            steps = tf.multiply(steps, times)
        else:
            step = tf.minimum(step, steps)
        passed = tf.divide(step, steps)
        return tf.add(tf.multiply(rate - end, tf.pow(1 - passed, exponent)), end, name=scope)


def natural_exp_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Tensor:
    """`learning_rate * exp(-decay_rate * global_step / decay_steps)`."""
    tf = _v1()
    return exponential_decay(
        learning_rate, global_step, decay_steps, tf.exp(tf.negative(decay_rate)), staircase=staircase, name=name)


def inverse_time_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, decay_rate: Any, staircase: bool = False, name: str | None = None
) -> Tensor:
    """`learning_rate / (1 + decay_rate * global_step / decay_steps)`."""
    tf = _v1()
    _needs_step(global_step, "inverse_time_decay")
    with name_scope(name, "InverseTimeDecay", [learning_rate, global_step, decay_rate]) as scope:
        rate, dtype = _begin(learning_rate)
        steps, decay = tf.cast(decay_steps, dtype), tf.cast(decay_rate, dtype)
        passed = tf.cast(global_step, dtype) / steps
        if staircase:
            passed = tf.floor(passed)
        return tf.divide(rate, tf.add(tf.cast(constant(1), dtype), tf.multiply(decay, passed)), name=scope)


def cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, alpha: float = 0.0, name: str | None = None
) -> Tensor:
    """Down to `alpha * learning_rate` in so many steps, along half a cosine."""
    tf = _v1()
    _needs_step(global_step, "cosine decay")
    with name_scope(name, "CosineDecay", [learning_rate, global_step]):
        rate, dtype = _begin(learning_rate)
        steps = tf.cast(decay_steps, dtype)
        passed = tf.minimum(tf.cast(global_step, dtype), steps) / steps
        wave = 0.5 * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * passed))
        return tf.multiply(rate, (1 - alpha) * wave + alpha)


def cosine_decay_restarts(
    learning_rate: Any, global_step: Any, first_decay_steps: Any, t_mul: float = 2.0, m_mul: float = 1.0, alpha: float = 0.0,
    name: str | None = None,
) -> Tensor:
    """As :func:`cosine_decay`, begun anew again and again: each time `t_mul` times as long and `m_mul` times as high."""
    tf = _v1()
    _needs_step(global_step, "cosine decay restarts")
    with name_scope(name, "SGDRDecay", [learning_rate, global_step]) as scope:
        rate, dtype = _begin(learning_rate)
        first, alpha = tf.cast(first_decay_steps, dtype), tf.cast(alpha, dtype)
        length, height = tf.cast(t_mul, dtype), tf.cast(m_mul, dtype)
        passed = tf.cast(global_step, dtype) / first

        def geometric() -> tuple[Tensor, Tensor]:
            period = tf.floor(tf.log(1.0 - passed * (1.0 - length)) / tf.log(length))
            before = (1.0 - length**period) / (1.0 - length)
            return period, (passed - before) / length**period

        def equal() -> tuple[Tensor, Tensor]:
            period = tf.floor(passed)
            return period, passed - period

        period, within = tf.cond(tf.equal(length, 1.0), equal, geometric)
        wave = 0.5 * height**period * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * within))
        return tf.multiply(rate, (1 - alpha) * wave + alpha, name=scope)


def linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, num_periods: float = 0.5, alpha: float = 0.0, beta: float = 0.001,
    name: str | None = None,
) -> Tensor:
    """A line down to zero times a cosine of so many periods."""
    tf = _v1()
    _needs_step(global_step, "linear cosine decay")
    with name_scope(name, "LinearCosineDecay", [learning_rate, global_step]) as scope:
        rate, dtype = _begin(learning_rate)
        steps, periods = tf.cast(decay_steps, dtype), tf.cast(num_periods, dtype)
        alpha, beta = tf.cast(alpha, dtype), tf.cast(beta, dtype)
        line, wave = _line_and_wave(tf, tf.cast(global_step, dtype), steps, periods, dtype)
        return tf.multiply(rate, (alpha + line) * wave + beta, name=scope)


def noisy_linear_cosine_decay(
    learning_rate: Any, global_step: Any, decay_steps: Any, initial_variance: float = 1.0, variance_decay: float = 0.55,
    num_periods: float = 0.5, alpha: float = 0.0, beta: float = 0.001, name: str | None = None,
) -> Tensor:
    """As :func:`linear_cosine_decay`, with noise on the line that becomes less."""
    tf = _v1()
    _needs_step(global_step, "noisy linear cosine decay")
    with name_scope(name, "NoisyLinearCosineDecay", [learning_rate, global_step]) as scope:
        rate, dtype = _begin(learning_rate)
        steps, step = tf.cast(decay_steps, dtype), tf.cast(global_step, dtype)
        line, wave = _line_and_wave(tf, step, steps, tf.cast(num_periods, dtype), dtype)
        variance = tf.cast(initial_variance, dtype) / tf.pow(1.0 + tf.minimum(step, steps), tf.cast(variance_decay, dtype))
        noisy = line + tf.random_normal(line.shape, stddev=tf.sqrt(variance))
        alpha, beta = tf.cast(alpha, dtype), tf.cast(beta, dtype)
        return tf.multiply(rate, (alpha + noisy) * wave + beta, name=scope)


def _line_and_wave(tf: Any, step: Tensor, steps: Tensor, periods: Tensor, dtype: Any) -> tuple[Tensor, Tensor]:
    step = tf.minimum(step, steps)
    line = (steps - step) / steps
    fraction = 2.0 * periods * (step / steps)
    return line, 0.5 * (1.0 + tf.cos(constant(math.pi, dtype=dtype) * fraction))
