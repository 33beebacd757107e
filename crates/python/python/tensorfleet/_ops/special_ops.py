"""Special functions of numbers: gamma and beta functions, error functions, Bessel functions and others."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope

__all__ = ["betainc", "igamma", "igammac", "polygamma", "zeta"]


def betainc(a: Any, b: Any, x: Any, name: str | None = None) -> Tensor:
    """The regularized incomplete beta function."""
    return one("Betainc", a, b, x, name=name)


def igamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The lower regularized incomplete gamma function.

    >>> import tensorfleet.v1 as tf
    >>> round(float(tf.Session().run(tf.igamma(1.0, 2.0))), 4)
    0.8647
    """
    return one("Igamma", a, x, name=name)


def igammac(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The upper regularized incomplete gamma function."""
    return one("Igammac", a, x, name=name)


def polygamma(a: Any, x: Any, name: str | None = None) -> Tensor:
    """The derivatives of order `a` of the digamma function."""
    return one("Polygamma", a, x, name=name)


def zeta(x: Any, q: Any, name: str | None = None) -> Tensor:
    """The Hurwitz zeta function."""
    return one("Zeta", x, q, name=name)


def nextafter(x1: Any, x2: Any, name: str | None = None) -> Tensor:
    """The next number that there is after `x1` on the way to `x2`."""
    return one("NextAfter", x1, x2, name=name)


def xlog1py(x: Any, y: Any, name: str | None = None) -> Tensor:
    """`x * log1p(y)`, and zero where `x` is zero."""
    with op_scope(name, "xlog1py", [x]):
        return one("Xlog1py", x, y)


def _scoped(op: str, scope: str, x: Any, name: str | None) -> Tensor:
    with op_scope(name, scope, [x]):
        return one(op, x)


def erfinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the error function."""
    return _scoped("Erfinv", "erfinv", x, name)


def ndtri(x: Any, name: str | None = None) -> Tensor:
    """The quantiles of the standard normal distribution."""
    return _scoped("Ndtri", "ndtri", x, name)


def erfcinv(x: Any, name: str | None = None) -> Tensor:
    """The inverse of the complementary error function."""
    with op_scope(name, "erfcinv", [x]):
        x = convert_to_tensor(x, name="start")
        return -ndtri(0.5 * x) * (0.5 ** 0.5)  # type: ignore[operator]


def bessel_i0(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0."""
    return _scoped("BesselI0", "bessel_i0", x, name)


def bessel_i0e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 0, times `exp(-abs(x))`."""
    return _scoped("BesselI0e", "bessel_i0e", x, name)


def bessel_i1(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1."""
    return _scoped("BesselI1", "bessel_i1", x, name)


def bessel_i1e(x: Any, name: str | None = None) -> Tensor:
    """The modified Bessel function of order 1, times `exp(-abs(x))`."""
    return _scoped("BesselI1e", "bessel_i1e", x, name)


def cumulative_logsumexp(
    x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None
) -> Tensor:
    """The logarithms of the sums of exponentials up to each element along an axis."""
    with op_scope(name, "CumulativeLogsumexp", [x]) as scope:
        x = convert_to_tensor(x, name="x")
        return one("CumulativeLogsumexp", x, axis, name=scope, exclusive=exclusive, reverse=reverse)
