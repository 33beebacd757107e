"""From the tables of fields to message classes.

A table is text. A message is its name at the start of a line and a line for each field:

    NodeDef
      name 1 string
      input 3 repeated string
      attr 5 map string AttrValue

`optional` before a type gives a scalar presence, `in NAME` after it puts the field into a oneof. An enumeration is
`enum NAME` and a line for each name and number. Nested types are written with their outer name: `Summary.Value`.

Classes are made when they are first asked for, so that a program pays for the messages that it uses.
"""

from __future__ import annotations

import threading
from importlib import import_module
from typing import Any

from . import scalars
from .engine import Message
from .enums import EnumType
from .fields import Descriptor, Field

TABLES = ("config", "example", "graph", "meta_graph", "objects", "stats", "summary")

_PACKAGES = {"Any": "google.protobuf"}

_lock = threading.RLock()
_blocks: dict[str, list[str]] = {}
_enum_blocks: dict[str, list[str]] = {}
_classes: dict[str, type[Message]] = {}
_enums: dict[str, EnumType] = {}


def message_names() -> list[str]:
    """The names of all messages, without their package; nested ones as `Outer.Inner`."""
    _read_tables()
    return sorted(_blocks)


def enum_names() -> list[str]:
    """The names of all enumerations, without their package."""
    _read_tables()
    return sorted(_enum_blocks)


def message_class(name: str) -> type[Message]:
    """The class of a message by its name, with or without its package; a KeyError if there is none."""
    name = name.removeprefix("tensorflow.").removeprefix("google.protobuf.")
    found = _classes.get(name)
    if found is None:
        with _lock:
            _read_tables()
            found = _classes.get(name) or _make_class(name)
    return found


def enum_type(name: str) -> EnumType:
    """An enumeration by its name; a KeyError if there is none."""
    with _lock:
        _read_tables()
        if name not in _enums:
            numbers = {label: int(number) for label, number in map(str.split, _enum_blocks[name])}
            _enums[name] = EnumType(name, numbers)
        return _enums[name]


def _read_tables() -> None:
    with _lock:
        if _blocks:
            return
        for table in TABLES:
            lines: list[str] = []
            for line in import_module(f".tables.{table}", __package__).TABLE.splitlines():
                if line.startswith("  "):
                    lines.append(line)
                elif line.startswith("enum "):
                    lines = _enum_blocks.setdefault(line[5:].strip(), [])
                elif line.strip():
                    lines = _blocks.setdefault(line.strip(), [])


def _make_class(name: str) -> type[Message]:
    package = _PACKAGES.get(name, "tensorflow")
    fields = [_field(line.split(), name) for line in _blocks[name]]
    fields.sort(key=lambda field: field.number)
    namespace: dict[str, Any] = {
        "__module__": __package__,
        "__qualname__": name,
        "__doc__": f"The message {package}.{name}: {', '.join(field.name for field in fields) or 'no fields'}.",
        "DESCRIPTOR": Descriptor(f"{package}.{name}", fields),
    }
    for enum_name in _enum_blocks:
        if enum_name.rpartition(".")[0] == name:
            enum = enum_type(enum_name)
            namespace[enum.name] = enum
            namespace.update(enum.items())
    cls = type(Message)(name.rpartition(".")[2], (Message,), namespace)
    _classes[name] = cls
    for nested in _blocks:
        if nested.rpartition(".")[0] == name:
            setattr(cls, nested.rpartition(".")[2], message_class(nested))
    return cls


def _field(words: list[str], owner: str) -> Field:
    name, number, *words = words
    oneof = None
    if len(words) > 2 and words[-2] == "in":
        oneof = words[-1]
        words = words[:-2]
    full_name = f"{owner}.{name}"
    if words[0] == "map":
        key = Field("key", 1, words[1], full_name=f"{full_name}.key")
        value = Field("value", 2, full_name=f"{full_name}.value", **_type(words[2]))
        return Field(name, int(number), "message", full_name=full_name, repeated=True, map_types=(key, value))
    repeated = words[0] == "repeated"
    presence = words[0] == "optional"
    return Field(
        name, int(number), full_name=full_name, repeated=repeated, presence=presence, oneof=oneof, **_type(words[-1])
    )


def _type(word: str) -> dict[str, Any]:
    if word in scalars.DEFAULTS:
        return {"kind": word}
    if word in _enum_blocks:
        return {"kind": "enum", "enum_type": enum_type(word)}
    return {"kind": "message", "message_name": word, "classes": message_class}
