"""Text and bytes, and the number types that Python and numpy share (`tf.compat`)."""

from __future__ import annotations

import datetime
import numbers
import os
from typing import Any

import numpy as np

__all__ = [
    "as_bytes", "as_str", "as_str_any", "as_text", "bytes_or_text_types", "complex_types", "forward_compatible",
    "integral_types", "path_to_str", "real_types",
]

integral_types = (numbers.Integral, np.integer)
"""The types of whole numbers, for `isinstance`."""

real_types = (numbers.Real, np.integer, np.floating)
"""The types of real numbers, for `isinstance`."""

complex_types = (numbers.Complex, np.number)
"""The types of all numbers, for `isinstance`."""

bytes_or_text_types = (bytes, str)
"""The types of strings, for `isinstance`."""

# The day up to which `forward_compatible` answers yes: that of the release whose behaviour this package has.
_HORIZON = datetime.date(2026, 1, 1)


def as_bytes(bytes_or_text: str | bytes | bytearray, encoding: str = "utf-8") -> bytes:
    """A string as bytes.

    >>> as_bytes("a"), as_bytes(b"a")
    (b'a', b'a')
    """
    if isinstance(bytes_or_text, bytearray):
        return bytes(bytes_or_text)
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text
    raise TypeError(f"expected a string or bytes, got {bytes_or_text!r} ({type(bytes_or_text).__name__})")


def as_text(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """A string or bytes as text.

    >>> as_text(b"a"), as_text("a")
    ('a', 'a')
    """
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, (bytes, bytearray)):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"expected a string or bytes, got {bytes_or_text!r} ({type(bytes_or_text).__name__})")


def as_str(bytes_or_text: str | bytes, encoding: str = "utf-8") -> str:
    """A string or bytes as `str`; in Python 3 the same as `as_text`."""
    return as_text(bytes_or_text, encoding)


def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Bytes as text, anything else as `str` shows it.

    >>> as_str_any(3), as_str_any(b"x")
    ('3', 'x')
    """
    return as_str(value, encoding) if isinstance(value, bytes) else str(value)


def path_to_str(path: Any) -> Any:
    """A path object as a string; anything else unchanged.

    >>> import pathlib
    >>> path_to_str(pathlib.PurePosixPath("a/b"))
    'a/b'
    """
    return os.fspath(path) if hasattr(path, "__fspath__") else path


def forward_compatible(year: int, month: int, day: int) -> bool:
    """Whether programs may rely on what TensorFlow promised for a day.

    >>> forward_compatible(2019, 1, 1), forward_compatible(2099, 1, 1)
    (True, False)
    """
    return _HORIZON > datetime.date(year, month, day)
