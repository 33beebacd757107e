"""Checks of the elements of tensors: equal, less, positive and the like."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._framework import errors
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, constant_value, convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor
from tensorfleet._ops.group_ops import Assert, no_op
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.reduction_ops import reduce_all

__all__ = [
    "assert_equal", "assert_none_equal", "assert_less", "assert_less_equal", "assert_greater", "assert_greater_equal",
    "assert_near", "assert_positive", "assert_negative", "assert_non_negative", "assert_non_positive", "is_non_decreasing",
    "is_strictly_increasing",
]


def _binary(
    sign: str, op: str, check: Callable[..., Any], default: str, x: Any, y: Any, data: Any, summarize: Any, message: Any,
    name: Any
) -> Operation:
    """An operation that stops the step unless a comparison holds for all elements; an error at once if it is known not to."""
    with op_scope(name, default, [x, y]):
        x, y = convert_to_tensor(x, name="x"), convert_to_tensor(y, name="y")
        if data is None:
            data = [f"Condition x {sign} y did not hold element-wise:", f"x ({x.name}) = ", x, f"y ({y.name}) = ", y]
        if message is not None:
            data = [message] + list(data)
        holds = reduce_all(one(op, x, y))
        known_x, known_y = constant_value(x), constant_value(y)
        if known_x is not None and known_y is not None and not np.all(check(known_x, known_y)):
            raise errors.InvalidArgumentError(None, None, _shown(data))
        return Assert(holds, data, summarize=summarize)  # type: ignore[return-value]


def _shown(data: Any) -> str:
    """What an assertion tells, with the values that are known."""
    parts = []
    for item in data:
        value = constant_value(item) if isinstance(item, Tensor) else item
        parts.append(str(item.name if value is None else value))
    return "\n".join(parts)


def assert_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step where x and y differ."""
    with op_scope(name, "assert_equal", [x, y]):
        if x is y:
            return no_op()
    return _binary("==", "Equal", np.equal, "assert_equal", x, y, data, summarize, message, name)


def assert_none_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step where x equals y in any place."""
    return _binary("!=", "NotEqual", np.not_equal, "assert_none_equal", x, y, data, summarize, message, name)


def assert_less(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless all elements of x are below those of y."""
    return _binary("<", "Less", np.less, "assert_less", x, y, data, summarize, message, name)


def assert_less_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step if any element of x is above that of y."""
    return _binary("<=", "LessEqual", np.less_equal, "assert_less_equal", x, y, data, summarize, message, name)


def assert_greater(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless all elements of x are above those of y."""
    return _binary(">", "Greater", np.greater, "assert_greater", x, y, data, summarize, message, name)


def assert_greater_equal(
    x: Any, y: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step if any element of x is below that of y."""
    return _binary(">=", "GreaterEqual", np.greater_equal, "assert_greater_equal", x, y, data, summarize, message, name)


def assert_near(
    x: Any, y: Any, rtol: Any = None, atol: Any = None, data: Any = None, summarize: int | None = None,
    message: str | None = None, name: str | None = None,
) -> Operation:
    """An operation that stops the step unless x is near y everywhere: |x - y| < atol + rtol |y|."""
    with op_scope(name, "assert_near", [x, y, rtol, atol]):
        x = convert_to_tensor(x, name="x")
        y = convert_to_tensor(y, dtype=x.dtype.base_dtype, name="y")
        kind = x.dtype.real_dtype
        smallest = 10 * np.finfo(kind.as_numpy_dtype).eps if kind.is_floating else 0
        rtol = convert_to_tensor(smallest if rtol is None else rtol, dtype=kind, name="rtol")
        atol = convert_to_tensor(smallest if atol is None else atol, dtype=kind, name="atol")
        if data is None:
            data = [
                "" if message is None else message + ".  ",
                "x and y not equal to tolerance rtol = %s, atol = %s" % (rtol, atol),
                f"x ({x.name}) = ", x, f"y ({y.name}) = ", y,
            ]
        allowed: Any = atol + rtol * one("Abs", y)  # type: ignore[operator]
        distance = one("Abs", x - y)
        return Assert(reduce_all(one("Less", distance, allowed)), data, summarize=summarize)  # type: ignore[return-value]


def _data(sign: str, x: Tensor, message: str | None) -> list[Any]:
    return [
        "" if message is None else message + ".  ", f"Condition x {sign} 0 did not hold element-wise:", f"x ({x.name}) = ", x
    ]


def assert_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless all elements are positive."""
    with op_scope(name, "assert_positive", [x]):
        x = convert_to_tensor(x, name="x")
        data = _data(">", x, message) if data is None else data
        return assert_less(constant(0, x.dtype.base_dtype), x, data=data, summarize=summarize)


def assert_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless all elements are negative."""
    with op_scope(name, "assert_negative", [x]):
        x = convert_to_tensor(x, name="x")
        data = _data("<", x, message) if data is None else data
        return assert_less(x, constant(0, x.dtype.base_dtype), data=data, summarize=summarize)


def assert_non_negative(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step if any element is negative."""
    with op_scope(name, "assert_non_negative", [x]):
        x = convert_to_tensor(x, name="x")
        data = _data(">=", x, message) if data is None else data
        return assert_less_equal(constant(0, x.dtype.base_dtype), x, data=data, summarize=summarize)


def assert_non_positive(
    x: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step if any element is positive."""
    with op_scope(name, "assert_non_positive", [x]):
        x = convert_to_tensor(x, name="x")
        if data is None:
            first, condition, which, _ = _data("<=", x, message)
            data = [first, condition + which, x]
        return assert_less_equal(x, constant(0, x.dtype.base_dtype), data=data, summarize=summarize)


def is_non_decreasing(x: Any, name: str | None = None) -> Tensor:
    """Whether no element is below the one before it."""
    return _monotonic("GreaterEqual", "is_non_decreasing", x, name)


def is_strictly_increasing(x: Any, name: str | None = None) -> Tensor:
    """Whether each element is above the one before it."""
    return _monotonic("Greater", "is_strictly_increasing", x, name)


def _monotonic(op: str, default: str, x: Any, name: str | None) -> Tensor:
    from tensorfleet._ops import cond_ops, shape_ops, slice_ops

    with op_scope(name, default, [x]):
        flat = shape_ops.reshape(x, [-1])
        short = shape_ops.size(flat) < 2  # type: ignore[operator]
        length = shape_ops.shape(flat) - 1  # type: ignore[operator]

        def compare() -> Tensor:
            later = slice_ops.strided_slice(flat, [1], [1] + length)
            return one(op, later, slice_ops.strided_slice(flat, [0], length))

        return reduce_all(cond_ops.cond(short, lambda: convert_to_tensor([], dtype=bool), compare))
