"""Scalar types of protobuf fields: which Python values a field takes, and what it stores.

A check takes any value and returns the one to store, or raises TypeError (wrong kind of value) or
ValueError (right kind, but it does not fit). The caller adds the name of the field.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable
from operator import index
from typing import Any

from .enums import EnumType

Check = Callable[[Any], Any]
CheckMany = Callable[[Iterable[Any]], list]

RANGES = {
    "int32": (-(1 << 31), (1 << 31) - 1),
    "int64": (-(1 << 63), (1 << 63) - 1),
    "sint32": (-(1 << 31), (1 << 31) - 1),
    "sint64": (-(1 << 63), (1 << 63) - 1),
    "sfixed32": (-(1 << 31), (1 << 31) - 1),
    "sfixed64": (-(1 << 63), (1 << 63) - 1),
    "uint32": (0, (1 << 32) - 1),
    "uint64": (0, (1 << 64) - 1),
    "fixed32": (0, (1 << 32) - 1),
    "fixed64": (0, (1 << 64) - 1),
}

DEFAULTS: dict[str, Any] = {
    **{kind: 0 for kind in RANGES},
    "enum": 0,
    "bool": False,
    "float": 0.0,
    "double": 0.0,
    "string": "",
    "bytes": b"",
}

_FLOAT = struct.Struct("<f")
_INT_ONLY = {int}


def checks_of(kind: str, enum: EnumType | None = None) -> tuple[Check, CheckMany]:
    """The check of one value and the check of many, for a scalar type."""
    if kind in RANGES:
        return _int_checks(*RANGES[kind])
    if kind == "enum":
        return _enum_checks(enum)
    check = {"bool": _bool, "float": _float, "double": _double, "string": _string, "bytes": _bytes}[kind]
    if kind == "float":
        return check, _many_floats
    return check, lambda values: [check(value) for value in values]


def _int_checks(low: int, high: int) -> tuple[Check, CheckMany]:
    def check(value: Any) -> int:
        if type(value) is not int:
            value = int(index(value))
        if not low <= value <= high:
            raise ValueError(f"value out of range {low} to {high}")
        return value

    def check_many(values: Iterable[Any]) -> list[int]:
        values = _as_list(values)
        # Lists of plain small ints are the usual case and need no look at each one.
        if values and set(map(type, values)) == _INT_ONLY and low <= min(values) and max(values) <= high:
            return values
        return [check(value) for value in values]

    return check, check_many


def _enum_checks(enum: EnumType | None) -> tuple[Check, CheckMany]:
    check_int, _ = _int_checks(*RANGES["int32"])

    def check(value: Any) -> int:
        if type(value) is str and enum is not None:
            return enum.Value(value)
        return check_int(value)

    return check, lambda values: [check(value) for value in values]


def _bool(value: Any) -> bool:
    if value is True or value is False:
        return value
    return index(value) != 0 if not _is_numpy_bool(value) else bool(value)


def _is_numpy_bool(value: Any) -> bool:
    return type(value).__name__ in ("bool_", "bool") and type(value).__module__ == "numpy"


def _double(value: Any) -> float:
    if type(value) is float:
        return value
    if isinstance(value, (str, bytes, bytearray)) or getattr(value, "ndim", 0):
        raise TypeError("not a number")
    return float(value)


def _float(value: Any) -> float:
    value = _double(value)
    try:
        return _FLOAT.unpack(_FLOAT.pack(value))[0]
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


def _many_floats(values: Iterable[Any]) -> list[float]:
    values = _as_list(values)
    if set(map(type, values)) <= {float, int}:
        packed = struct.Struct(f"<{len(values)}f")
        try:
            return list(packed.unpack(packed.pack(*values)))
        except (OverflowError, struct.error):
            pass
    return [_float(value) for value in values]


def _as_list(values: Iterable[Any]) -> list:
    """A new list of the values; a numpy row of numbers becomes Python numbers at once."""
    if getattr(values, "ndim", 0) == 1 and values.dtype.kind in "iuf":
        return values.tolist()
    return list(values)


def _string(value: Any) -> str:
    if isinstance(value, str):
        # Lone surrogates have no UTF-8 form: refuse them here, not when the message is written.
        if not value.isascii():
            value.encode("utf-8")
        return value if type(value) is str else str(value)
    if isinstance(value, bytes):
        return value.decode("utf-8")
    raise TypeError("not a string")


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value if type(value) is bytes else bytes(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    raise TypeError("not bytes")
