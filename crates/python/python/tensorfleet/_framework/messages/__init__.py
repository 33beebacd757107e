"""Protobuf messages of TensorFlow as small classes of our own, without the protobuf package.

    >>> from tensorfleet._framework.messages import Example, GraphDef
    >>> example = Example()
    >>> example.features.feature["x"].int64_list.value.extend([1, 2])
    >>> Example.FromString(example.SerializeToString()).features.feature["x"].int64_list.value
    [1, 2]

Every message and enumeration of the tables is an attribute of this package; `DT_FLOAT` and the other names of
enumerations that stand outside of messages are too. Classes are made when they are first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .decode import DecodeError
from .engine import Message
from .enums import EnumType
from .schema import enum_names, enum_type, message_class, message_names

if TYPE_CHECKING:
    from .text import ParseError, message_to_text, parse_text

__all__ = [
    "DecodeError", "EnumType", "Message", "ParseError", "enum_names", "enum_type", "message_class", "message_names",
    "message_to_text", "parse_text",
]


def __getattr__(name: str) -> Any:
    if not name.startswith("_"):
        value = _find(name)
        if value is not None:
            # From now on the package finds it without asking here.
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *(name for name in message_names() + enum_names() if "." not in name)})


def _find(name: str) -> Any:
    if name in ("ParseError", "message_to_text", "parse_text"):
        from . import text

        return getattr(text, name)
    if name in message_names():
        return message_class(name)
    outer = [enum for enum in enum_names() if "." not in enum]
    if name in outer:
        return enum_type(name)
    for enum in outer:
        if name in enum_type(enum).keys():
            return enum_type(enum).Value(name)
    return None
