"""Checks of the ranks and types of tensors."""

from __future__ import annotations

from typing import Any, Iterable

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import SparseTensor, constant_value, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Operation, Tensor
from tensorfleet._ops.group_ops import Assert, no_op
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "assert_rank", "assert_rank_at_least", "assert_rank_in", "assert_type", "assert_integer", "assert_scalar",
    "assert_proper_iterable", "assert_same_float_dtype", "is_numeric_tensor", "assert_variables_initialized",
]


def _name(tensor: Any) -> str:
    return tensor.name


def _first(message: str | None) -> str:
    return "" if message is None else message + ".  "


def _rank_check(
    default: str, x: Any, ranks: list[Any], holds: Any, op: str, words: str, data: Any, summarize: Any, message: Any, name: Any
) -> Operation:
    from tensorfleet._ops import math_ops, shape_ops

    with op_scope(name, default, [x]):
        x = convert_to_tensor(x, name="x")
        wanted = [convert_to_tensor(rank, name="rank") for rank in ranks]
        first = _first(message)
        if data is None:
            data = [first, f"Tensor {x.name} must have rank{words}", *wanted, "Received shape: ", shape_ops.shape(x)]
        for rank in wanted:
            assert_type(rank, dtypes.int32)
        known = [constant_value(rank) for rank in wanted]
        for value in known:
            if value is not None and np.ndim(value) != 0:
                raise ValueError(f"a rank is one number, not {value}")
        if all(value is not None for value in known) and x.shape.ndims is not None:
            if not holds(x.shape.ndims, [int(value) for value in known]):
                shown = " or ".join(str(int(value)) for value in known)
                raise ValueError(
                    f"{first}{x.name} must have rank{words} {shown}. Received rank {x.shape.ndims}, shape {x.shape}"
                )
            return no_op("static_checks_determined_all_ok")
        count = one("Rank", x)
        if op == "in":
            marks = [one("Equal", rank, count) for rank in wanted]
            condition = marks[0]
            for mark in marks[1:]:
                condition = math_ops.logical_or(condition, mark)
        else:
            condition = one(op, count, wanted[0])
        return Assert(condition, data, summarize=summarize)  # type: ignore[return-value]


def assert_rank(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless a tensor has so many dimensions; an error at once if it is known not to."""
    return _rank_check("assert_rank", x, [rank], lambda n, ranks: n == ranks[0], "Equal", "", data, summarize, message, name)


def assert_rank_at_least(
    x: Any, rank: Any, data: Any = None, summarize: int | None = None, message: str | None = None, name: str | None = None
) -> Operation:
    """An operation that stops the step unless a tensor has at least so many dimensions."""
    return _rank_check(
        "assert_rank_at_least", x, [rank], lambda n, ranks: n >= ranks[0], "GreaterEqual", " at least", data, summarize,
        message, name
    )


def assert_rank_in(
    x: Any, ranks: Iterable[Any], data: Any = None, summarize: int | None = None, message: str | None = None,
    name: str | None = None
) -> Operation:
    """An operation that stops the step unless the number of a tensor's dimensions is one of several."""
    return _rank_check(
        "assert_rank_in", x, list(ranks), lambda n, known: n in known, "in", " in", data, summarize, message, name
    )


def assert_type(tensor: Any, tf_type: Any, message: str | None = None, name: str | None = None) -> Operation:
    """TypeError unless a tensor is of a type; an operation that does nothing otherwise."""
    wanted = dtypes.as_dtype(tf_type)
    with op_scope(name, "assert_type", [] if isinstance(tensor, SparseTensor) else [tensor]):
        if not isinstance(tensor, SparseTensor):
            tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.dtype.base_dtype != wanted:
            raise TypeError(
                f"{_first(message)}{_name(tensor.op)} must be of type {wanted.name}, not {tensor.dtype.base_dtype.name}"
            )
        return no_op("statically_determined_correct_type")


def assert_integer(x: Any, message: str | None = None, name: str | None = None) -> Operation:
    """TypeError unless a tensor is of integers."""
    with op_scope(name, "assert_integer", [x]):
        x = convert_to_tensor(x, name="x")
        if not x.dtype.is_integer:
            raise TypeError(f"{_first(message)}{x.name} is of {x.dtype.name}, not of whole numbers")
        return no_op("statically_determined_was_integer")


def assert_scalar(tensor: Any, name: str | None = None, message: str | None = None) -> Tensor:
    """The tensor, if it can be a scalar; else ValueError."""
    with op_scope(name, "assert_scalar", [tensor]):
        tensor = convert_to_tensor(tensor, name="tensor")
        if tensor.shape.ndims not in (None, 0):
            raise ValueError(f"{_first(message)}{tensor.name} has shape {tensor.shape}, but one number is needed")
        return tensor


def assert_proper_iterable(values: Any) -> None:
    """TypeError unless a value is a list or something of that kind, and not a tensor, array or string."""
    if isinstance(values, (Tensor, SparseTensor, np.ndarray, str, bytes)) or not hasattr(values, "__iter__"):
        raise TypeError(f"`values` is {type(values)}; give a list or a tuple")


def assert_same_float_dtype(tensors: Any = None, dtype: Any = None) -> DType:
    """The floating point type that all tensors have; ValueError if they differ or are of another kind."""
    found = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
    for tensor in tensors or ():
        if tensor is None:
            continue
        kind = tensor.dtype.base_dtype
        if found is not None and kind != found:
            raise ValueError(f"Tensor {tensor.name} is of type {kind.name}, where {found.name} is expected")
        found = kind
    found = found or dtypes.float32
    if not found.is_floating:
        raise ValueError(f"floats are needed, not {found.name}")
    return found


def is_numeric_tensor(tensor: Any) -> bool:
    """Whether a value is a tensor of numbers."""
    return isinstance(tensor, Tensor) and (
        tensor.dtype.is_floating or tensor.dtype.is_integer or tensor.dtype.is_complex or tensor.dtype.is_quantized
    )


def assert_variables_initialized(var_list: Any = None) -> Tensor | None:
    """A tensor whose step fails unless all variables have a value."""
    from tensorfleet._framework.graph import get_default_graph
    from tensorfleet._ops.join_ops import stack

    collected = get_default_graph().get_collection
    variables = [*collected("variables"), *collected("local_variables")] if var_list is None else list(var_list)
    ranks = []
    for variable in variables:
        with variable.graph.colocate_with(variable.op):
            ranks.append(one("Rank", variable))
    if len(ranks) > 1:
        return stack(ranks)
    return ranks[0] if ranks else None
