"""Messages to bytes: protobuf's binary format.

For every message class a list of writers is made when the first message of it is written. A writer takes the
growing bytes and the value of one field; values that need not be written, such as proto3 defaults, it leaves out.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .engine import Message
    from .fields import Field

    Writer = Callable[[bytearray, Any], None]

VARINT, FIXED64, LENGTH, FIXED32 = 0, 1, 2, 5

WIRE_TYPES = {
    "int32": VARINT, "int64": VARINT, "uint32": VARINT, "uint64": VARINT, "sint32": VARINT, "sint64": VARINT,
    "bool": VARINT, "enum": VARINT, "fixed32": FIXED32, "sfixed32": FIXED32, "float": FIXED32,
    "fixed64": FIXED64, "sfixed64": FIXED64, "double": FIXED64, "string": LENGTH, "bytes": LENGTH, "message": LENGTH,
}
FIXED_FORMATS = {"float": "f", "double": "d", "fixed32": "I", "fixed64": "Q", "sfixed32": "i", "sfixed64": "q"}

_ONE_BYTE = [bytes((number,)) for number in range(128)]
_LOW_64_BITS = (1 << 64) - 1


def message_bytes(message: Message) -> bytearray:
    """The binary form of a message."""
    out = bytearray()
    values = message.__dict__
    if not values:
        return out
    for name, write in _writers_of(type(message)):
        value = values.get(name)
        if value is not None:
            write(out, value)
    unknown = values.get("_unknown")
    if unknown:
        out += unknown
    return out


def varint(number: int) -> bytes:
    """A whole number of at most 64 bits, seven bits a byte; negative ones as their two's complement."""
    if 0 <= number < 128:
        return _ONE_BYTE[number]
    number &= _LOW_64_BITS
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def zigzag(number: int) -> int:
    """Signed to unsigned, small magnitudes to small numbers."""
    return number << 1 if number >= 0 else (-number << 1) - 1


def _writers_of(cls: type[Message]) -> list[tuple[str, Writer]]:
    writers = cls.__dict__.get("_writers")
    if writers is None:
        writers = [(field.name, _writer(field)) for field in cls.DESCRIPTOR.fields]
        cls._writers = writers
    return writers


def _writer(field: Field) -> Writer:
    if field.is_map:
        return _map_writer(field)
    if field.kind == "message":
        return _repeated_message_writer(field) if field.repeated else _message_writer(field)
    if not field.repeated:
        return _scalar_writer(field)
    return _repeated_bytes_writer(field) if WIRE_TYPES[field.kind] == LENGTH else _packed_writer(field)


def _tag(field: Field, wire_type: int) -> bytes:
    return varint(field.number << 3 | wire_type)


def _message_writer(field: Field) -> Writer:
    tag = _tag(field, LENGTH)

    def write(out: bytearray, value: Message) -> None:
        if value._parent is None:
            data = message_bytes(value)
            out += tag
            out += varint(len(data))
            out += data

    return write


def _repeated_message_writer(field: Field) -> Writer:
    tag = _tag(field, LENGTH)

    def write(out: bytearray, items: list[Message]) -> None:
        for item in items:
            data = message_bytes(item)
            out += tag
            out += varint(len(data))
            out += data

    return write


def _scalar_bytes(kind: str) -> Callable[[Any], bytes]:
    """How one scalar value is written, without its tag."""
    if kind in FIXED_FORMATS:
        return struct.Struct("<" + FIXED_FORMATS[kind]).pack
    if kind in ("sint32", "sint64"):
        return lambda value: varint(zigzag(value))
    if kind == "string":
        return lambda value: varint(len(data := value.encode("utf-8"))) + data
    if kind == "bytes":
        return lambda value: varint(len(value)) + value
    return varint


def _scalar_writer(field: Field) -> Writer:
    tag = _tag(field, WIRE_TYPES[field.kind])
    as_bytes = _scalar_bytes(field.kind)
    if field.has_presence:

        def write(out: bytearray, value: Any) -> None:
            out += tag
            out += as_bytes(value)

    elif field.kind in ("float", "double"):
        zero = as_bytes(0.0)

        # Minus zero is written although it equals the default: the default is a pattern of bits.
        def write(out: bytearray, value: Any) -> None:
            if value or as_bytes(value) != zero:
                out += tag
                out += as_bytes(value)

    else:

        def write(out: bytearray, value: Any) -> None:
            if value:
                out += tag
                out += as_bytes(value)

    return write


def _repeated_bytes_writer(field: Field) -> Writer:
    tag = _tag(field, LENGTH)
    is_text = field.kind == "string"

    def write(out: bytearray, values: list) -> None:
        for value in values:
            data = value.encode("utf-8") if is_text else value
            out += tag
            out += varint(len(data))
            out += data

    return write


def _packed_writer(field: Field) -> Writer:
    tag = _tag(field, LENGTH)
    kind = field.kind
    code = FIXED_FORMATS.get(kind)

    def write(out: bytearray, values: list) -> None:
        if not values:
            return
        if code is not None:
            data = struct.pack(f"<{len(values)}{code}", *values)
        elif kind == "bool":
            data = bytes(values)
        else:
            numbers = [zigzag(value) for value in values] if kind in ("sint32", "sint64") else values
            # Small numbers, which are the usual ones, are a byte each.
            if min(numbers) >= 0 and max(numbers) < 128:
                data = bytes(numbers)
            else:
                data = b"".join(map(varint, numbers))
        out += tag
        out += varint(len(data))
        out += data

    return write


def _map_writer(field: Field) -> Writer:
    tag = _tag(field, LENGTH)
    key_tag = _tag(field.key, WIRE_TYPES[field.key.kind])
    value_tag = _tag(field.value, WIRE_TYPES[field.value.kind])
    key_bytes = _scalar_bytes(field.key.kind)
    of_messages = field.value.kind == "message"
    value_bytes = None if of_messages else _scalar_bytes(field.value.kind)

    # An entry has its key and its value even where they are defaults.
    def write(out: bytearray, entries: dict) -> None:
        for key in sorted(entries):
            value = dict.__getitem__(entries, key)
            entry = bytearray(key_tag)
            entry += key_bytes(key)
            entry += value_tag
            if of_messages:
                data = message_bytes(value)
                entry += varint(len(data))
                entry += data
            else:
                entry += value_bytes(value)
            out += tag
            out += varint(len(entry))
            out += entry

    return write
