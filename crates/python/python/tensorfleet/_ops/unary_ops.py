"""Functions of single elements that are one op each."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.graph import Tensor

__all__ = [
    "square", "sqrt", "rsqrt", "exp", "expm1", "log", "log1p", "negative", "sign", "reciprocal", "floor", "ceil",
    "rint", "sigmoid", "tanh", "sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh",
    "erf", "erfc", "lgamma", "digamma", "is_nan", "is_inf", "is_finite", "logical_not",
]


def square(x: Any, name: str | None = None) -> Tensor:
    """The squares of the elements."""
    return one("Square", x, name=name)


def sqrt(x: Any, name: str | None = None) -> Tensor:
    """The square roots of the elements."""
    return one("Sqrt", x, name=name)


def rsqrt(x: Any, name: str | None = None) -> Tensor:
    """One divided by the square roots of the elements."""
    return one("Rsqrt", x, name=name)


def exp(x: Any, name: str | None = None) -> Tensor:
    """The number e to the power of the elements."""
    return one("Exp", x, name=name)


def expm1(x: Any, name: str | None = None) -> Tensor:
    """The number e to the power of the elements, less one; exact for small elements."""
    return one("Expm1", x, name=name)


def log(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithms of the elements."""
    return one("Log", x, name=name)


def log1p(x: Any, name: str | None = None) -> Tensor:
    """The natural logarithms of one more than the elements; exact for small elements."""
    return one("Log1p", x, name=name)


def negative(x: Any, name: str | None = None) -> Tensor:
    """The elements with the other sign."""
    return one("Neg", x, name=name)


def sign(x: Any, name: str | None = None) -> Tensor:
    """-1, 0 or 1 for elements that are negative, zero or positive."""
    return one("Sign", x, name=name)


def reciprocal(x: Any, name: str | None = None) -> Tensor:
    """One divided by the elements."""
    return one("Reciprocal", x, name=name)


def floor(x: Any, name: str | None = None) -> Tensor:
    """The largest integers that are not above the elements."""
    return one("Floor", x, name=name)


def ceil(x: Any, name: str | None = None) -> Tensor:
    """The smallest integers that are not below the elements."""
    return one("Ceil", x, name=name)


def rint(x: Any, name: str | None = None) -> Tensor:
    """The nearest integers, the even one of two that are as near."""
    return one("Rint", x, name=name)


def sigmoid(x: Any, name: str | None = None) -> Tensor:
    """1 / (1 + exp(-x)) of the elements."""
    return one("Sigmoid", x, name=name)


def tanh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic tangents of the elements."""
    return one("Tanh", x, name=name)


def sin(x: Any, name: str | None = None) -> Tensor:
    """The sines of the elements."""
    return one("Sin", x, name=name)


def cos(x: Any, name: str | None = None) -> Tensor:
    """The cosines of the elements."""
    return one("Cos", x, name=name)


def tan(x: Any, name: str | None = None) -> Tensor:
    """The tangents of the elements."""
    return one("Tan", x, name=name)


def asin(x: Any, name: str | None = None) -> Tensor:
    """The angles whose sines the elements are."""
    return one("Asin", x, name=name)


def acos(x: Any, name: str | None = None) -> Tensor:
    """The angles whose cosines the elements are."""
    return one("Acos", x, name=name)


def atan(x: Any, name: str | None = None) -> Tensor:
    """The angles whose tangents the elements are."""
    return one("Atan", x, name=name)


def sinh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic sines of the elements."""
    return one("Sinh", x, name=name)


def cosh(x: Any, name: str | None = None) -> Tensor:
    """The hyperbolic cosines of the elements."""
    return one("Cosh", x, name=name)


def asinh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic sines of the elements."""
    return one("Asinh", x, name=name)


def acosh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic cosines of the elements."""
    return one("Acosh", x, name=name)


def atanh(x: Any, name: str | None = None) -> Tensor:
    """The inverse hyperbolic tangents of the elements."""
    return one("Atanh", x, name=name)


def erf(x: Any, name: str | None = None) -> Tensor:
    """The error function of the elements."""
    return one("Erf", x, name=name)


def erfc(x: Any, name: str | None = None) -> Tensor:
    """One less the error function of the elements."""
    return one("Erfc", x, name=name)


def lgamma(x: Any, name: str | None = None) -> Tensor:
    """The logarithms of the absolute values of the gamma function of the elements."""
    return one("Lgamma", x, name=name)


def digamma(x: Any, name: str | None = None) -> Tensor:
    """The derivative of :func:`lgamma` at the elements."""
    return one("Digamma", x, name=name)


def is_nan(x: Any, name: str | None = None) -> Tensor:
    """Whether the elements are not numbers."""
    return one("IsNan", x, name=name)


def is_inf(x: Any, name: str | None = None) -> Tensor:
    """Whether the elements are infinite."""
    return one("IsInf", x, name=name)


def is_finite(x: Any, name: str | None = None) -> Tensor:
    """Whether the elements are numbers and not infinite."""
    return one("IsFinite", x, name=name)


def logical_not(x: Any, name: str | None = None) -> Tensor:
    """True for False and False for True."""
    return one("LogicalNot", x, name=name)
