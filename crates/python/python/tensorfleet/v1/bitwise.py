"""Bits of whole numbers: `tf.bitwise`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.graph import Tensor

__all__ = ["bitwise_and", "bitwise_or", "bitwise_xor", "invert", "left_shift", "right_shift"]


def bitwise_and(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that both have."""
    return one("BitwiseAnd", x, y, name=name)


def bitwise_or(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that either has."""
    return one("BitwiseOr", x, y, name=name)


def bitwise_xor(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits that one of both has.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.bitwise.bitwise_xor(6, 3))
    np.int32(5)
    """
    return one("BitwiseXor", x, y, name=name)


def invert(x: Any, name: str | None = None) -> Tensor:
    """Every bit the other way."""
    return one("Invert", x, name=name)


def left_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of `x` moved up by `y` places."""
    return one("LeftShift", x, y, name=name)


def right_shift(x: Any, y: Any, name: str | None = None) -> Tensor:
    """The bits of `x` moved down by `y` places."""
    return one("RightShift", x, y, name=name)
