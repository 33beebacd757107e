"""Functions of two elements that are one op each."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.graph import Tensor

__all__ = [
    "subtract", "multiply", "realdiv", "truncatediv", "truncatemod", "floormod", "floor_div", "pow", "maximum",
    "minimum", "squared_difference", "equal", "not_equal", "less", "less_equal", "greater", "greater_equal",
    "logical_and", "logical_or", "xdivy", "xlogy", "multiply_no_nan",
]


def subtract(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x less y, element by element."""
    return one("Sub", x, y, name=name)


def multiply(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x times y, element by element."""
    return one("Mul", x, y, name=name)


def realdiv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, element by element, for floating point numbers."""
    return one("RealDiv", x, y, name=name)


def truncatediv(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, rounded towards zero, for integers."""
    return one("TruncateDiv", x, y, name=name)


def truncatemod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """What is left of x after dividing by y with rounding towards zero."""
    return one("TruncateMod", x, y, name=name)


def floormod(x: Any, y: Any, name: str | None = None) -> Tensor:
    """What is left of x after dividing by y with rounding down."""
    return one("FloorMod", x, y, name=name)


def floor_div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, rounded down."""
    return one("FloorDiv", x, y, name=name)


def pow(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x to the power of y, element by element."""
    return one("Pow", x, y, name=name)


def maximum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The larger of x and y, element by element."""
    return one("Maximum", x, y, name=name)


def minimum(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The smaller of x and y, element by element."""
    return one("Minimum", x, y, name=name)


def squared_difference(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The square of x less y, element by element."""
    return one("SquaredDifference", x, y, name=name)


def equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x equals y, element by element."""
    return one("Equal", x, y, name=name)


def not_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x and y differ, element by element."""
    return one("NotEqual", x, y, name=name)


def less(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x is below y, element by element."""
    return one("Less", x, y, name=name)


def less_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x is not above y, element by element."""
    return one("LessEqual", x, y, name=name)


def greater(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x is above y, element by element."""
    return one("Greater", x, y, name=name)


def greater_equal(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x is not below y, element by element."""
    return one("GreaterEqual", x, y, name=name)


def logical_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether both x and y are true, element by element."""
    return one("LogicalAnd", x, y, name=name)


def logical_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Whether x or y or both are true, element by element."""
    return one("LogicalOr", x, y, name=name)


def xdivy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x divided by y, and zero where x is zero."""
    return one("Xdivy", x, y, name=name)


def xlogy(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x times the logarithm of y, and zero where x is zero."""
    return one("Xlogy", x, y, name=name)


def multiply_no_nan(x: Any, y: Any, name: str | None = None) -> Tensor:
    """x times y, and zero where y is zero, whatever x is."""
    return one("MulNoNan", x, y, name=name)
