"""Bytes to messages: protobuf's binary format.

For every message class a table from tag to reader is made when the first message of it is read. A reader takes the
message, the whole buffer and a range in it and returns the position after the value, negated if it could not use it.
Nothing is believed: lengths are checked against the range, nesting against a limit, and fields that are not known, or
have another wire type than they should, are kept as they are and written again.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from .containers import new_container
from .encode import FIXED32, FIXED64, FIXED_FORMATS, LENGTH, VARINT, WIRE_TYPES

if TYPE_CHECKING:
    from .engine import Message
    from .fields import Field

    Reader = Callable[[Message, bytes, int, int, int], int]

# How deep messages may nest, as in the protobuf package.
MAX_DEPTH = 100
_START_GROUP, _END_GROUP = 3, 4


class DecodeError(Exception):
    """The bytes are not a message of the type that was asked for."""


def merge_bytes(message: Message, data: bytes) -> None:
    """Merge the message that the bytes hold into a message; raises `DecodeError` where they are malformed."""
    try:
        _merge(message, data, 0, len(data), MAX_DEPTH)
    except IndexError:
        problem = "they end within a field"
    except UnicodeDecodeError as error:
        problem = f"a string is not UTF-8: {error}"
    except DecodeError as error:
        problem = str(error)
    else:
        return
    raise DecodeError(f"cannot parse {len(data)} bytes as {message.DESCRIPTOR.full_name}: {problem}")


def _merge(message: Message, data: bytes, at: int, end: int, depth: int) -> None:
    if depth <= 0:
        raise DecodeError(f"messages nest deeper than {MAX_DEPTH}")
    readers = _readers_of(type(message))
    unknown = []
    while at < end:
        start = at
        tag = data[at]
        at += 1
        if tag > 127:
            tag, at = _varint(data, start)
        reader = readers.get(tag)
        if reader is not None:
            at = reader(message, data, at, end, depth)
            if at < 0:
                at = -at
                unknown.append(data[start:at])
        else:
            at = _skip(data, tag, at, end, depth)
            unknown.append(data[start:at])
    if at != end:
        raise DecodeError(f"a field of {message.DESCRIPTOR.name} goes on after the end of its message")
    if unknown:
        message.__dict__["_unknown"] = message._unknown + b"".join(unknown)


def _varint(data: bytes, at: int) -> tuple[int, int]:
    result = shift = 0
    while True:
        byte = data[at]
        at += 1
        result |= (byte & 127) << shift
        if byte < 128:
            return result & 0xFFFFFFFFFFFFFFFF, at
        shift += 7
        if shift >= 70:
            raise DecodeError("a number is longer than ten bytes")


def _length(data: bytes, at: int, end: int) -> tuple[int, int]:
    """Where a value of a stated length begins and ends."""
    length = data[at]
    at += 1
    if length > 127:
        length, at = _varint(data, at - 1)
    stop = at + length
    if stop > end:
        raise DecodeError(f"a value states {length} bytes where {max(end - at, 0)} are left")
    return at, stop


def _skip(data: bytes, tag: int, at: int, end: int, depth: int) -> int:
    """The position after a field that is not known."""
    wire_type = tag & 7
    if not 0 < tag >> 3 < 1 << 29:
        raise DecodeError(f"tag {tag} has no valid field number")
    if wire_type == VARINT:
        return _varint(data, at)[1]
    if wire_type == FIXED64:
        at += 8
    elif wire_type == FIXED32:
        at += 4
    elif wire_type == LENGTH:
        return _length(data, at, end)[1]
    elif wire_type == _START_GROUP:
        return _skip_group(data, tag, at, end, depth)
    else:
        raise DecodeError(f"tag {tag} has the wire type {wire_type}, which cannot stand here")
    if at > end:
        raise DecodeError("a number goes on after the end of its message")
    return at


def _skip_group(data: bytes, tag: int, at: int, end: int, depth: int) -> int:
    """Groups within groups are counted, not recursed into."""
    open_groups = [tag >> 3]
    while open_groups:
        if len(open_groups) > depth:
            raise DecodeError(f"groups nest deeper than {MAX_DEPTH}")
        if at >= end:
            raise DecodeError(f"group {open_groups[-1]} has no end")
        tag, at = _varint(data, at)
        if tag & 7 == _START_GROUP:
            if not 0 < tag >> 3 < 1 << 29:
                raise DecodeError(f"tag {tag} has no valid field number")
            open_groups.append(tag >> 3)
        elif tag & 7 == _END_GROUP:
            if tag >> 3 != open_groups.pop():
                raise DecodeError(f"group {tag >> 3} ends, but it did not begin")
        else:
            at = _skip(data, tag, at, end, depth)
    return at


def _readers_of(cls: type[Message]) -> dict[int, Reader]:
    readers = cls.__dict__.get("_readers")
    if readers is None:
        readers = {}
        for field in cls.DESCRIPTOR.fields:
            for wire_type, reader in _field_readers(field):
                readers[field.number << 3 | wire_type] = reader
        cls._readers = readers
    return readers


def _field_readers(field: Field) -> list[tuple[int, Reader]]:
    if field.is_map:
        return [(LENGTH, _map_reader(field))]
    if field.kind == "message":
        return [(LENGTH, _repeated_message_reader(field) if field.repeated else _message_reader(field))]
    wire_type = WIRE_TYPES[field.kind]
    if not field.repeated:
        return [(wire_type, _scalar_reader(field))]
    readers = [(wire_type, _repeated_scalar_reader(field))]
    if wire_type != LENGTH:
        # Packed and unpacked are both understood, whichever the definition says.
        readers.append((LENGTH, _packed_reader(field)))
    return readers


def _signed(bits: int) -> Callable[[int], int]:
    low, sign = (1 << bits) - 1, 1 << (bits - 1)
    return lambda number: ((number & low) ^ sign) - sign


def _unzigzag(number: int) -> int:
    return (number >> 1) ^ -(number & 1)


_FROM_VARINT: dict[str, Callable[[int], Any]] = {
    "int32": _signed(32),
    "enum": _signed(32),
    "int64": _signed(64),
    "uint32": lambda number: number & 0xFFFFFFFF,
    "uint64": lambda number: number,
    "bool": lambda number: number != 0,
    "sint32": lambda number: _unzigzag(number & 0xFFFFFFFF),
    "sint64": _unzigzag,
}


def _value_reader(kind: str) -> Callable[[bytes, int, int], tuple[Any, int]]:
    """How one scalar value is read: value and the position after it."""
    if kind in FIXED_FORMATS:
        packed = struct.Struct("<" + FIXED_FORMATS[kind])

        def read(data: bytes, at: int, end: int) -> tuple[Any, int]:
            stop = at + packed.size
            if stop > end:
                raise DecodeError("a number goes on after the end of its message")
            return packed.unpack_from(data, at)[0], stop

    elif kind == "bytes":

        def read(data: bytes, at: int, end: int) -> tuple[Any, int]:
            at, stop = _length(data, at, end)
            return data[at:stop], stop

    elif kind == "string":

        def read(data: bytes, at: int, end: int) -> tuple[Any, int]:
            at, stop = _length(data, at, end)
            return data[at:stop].decode("utf-8"), stop

    else:
        convert = _FROM_VARINT[kind]

        def read(data: bytes, at: int, end: int) -> tuple[Any, int]:
            number, at = _varint(data, at)
            return convert(number), at

    return read


def _scalar_reader(field: Field) -> Reader:
    name = field.name
    read = _value_reader(field.kind)

    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        message.__dict__[name], at = read(data, at, end)
        if field.siblings:
            message._clear_siblings(field)
        return at

    return reader


def _list_of(message: Message, field: Field) -> list:
    items = message.__dict__.get(field.name)
    if items is None:
        items = message.__dict__[field.name] = new_container(field)
    return items


def _repeated_scalar_reader(field: Field) -> Reader:
    read = _value_reader(field.kind)

    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        value, at = read(data, at, end)
        list.append(_list_of(message, field), value)
        return at

    return reader


def _packed_reader(field: Field) -> Reader:
    code = FIXED_FORMATS.get(field.kind)
    size = struct.calcsize("<" + code) if code else 1
    convert = _FROM_VARINT.get(field.kind)
    is_plain = field.kind in ("int32", "int64", "uint32", "uint64", "enum")

    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        at, stop = _length(data, at, end)
        items = _list_of(message, field)
        if code:
            if (stop - at) % size:
                raise DecodeError(f"{stop - at} bytes of {field.full_name} are no multiple of {size}")
            list.extend(items, struct.unpack_from(f"<{(stop - at) // size}{code}", data, at))
            return stop
        chunk = data[at:stop]
        if is_plain and chunk.isascii():
            # All numbers are below 128, so each is its byte.
            list.extend(items, chunk)
            return stop
        while at < stop:
            number, at = _varint(data, at)
            list.append(items, convert(number))
        if at != stop:
            raise DecodeError(f"a number of {field.full_name} goes on after the end of its list")
        return stop

    return reader


def _message_reader(field: Field) -> Reader:
    name = field.name

    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        at, stop = _length(data, at, end)
        child = message.__dict__.get(name)
        if child is None:
            child = message.__dict__[name] = field.message()
        else:
            child.__dict__.pop("_parent", None)
        if field.siblings:
            message._clear_siblings(field)
        _merge(child, data, at, stop, depth - 1)
        return stop

    return reader


def _repeated_message_reader(field: Field) -> Reader:
    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        at, stop = _length(data, at, end)
        child = field.message()
        _merge(child, data, at, stop, depth - 1)
        list.append(_list_of(message, field), child)
        return stop

    return reader


def _map_reader(field: Field) -> Reader:
    key_tag = field.key.number << 3 | WIRE_TYPES[field.key.kind]
    value_tag = field.value.number << 3 | WIRE_TYPES[field.value.kind]
    read_key = _value_reader(field.key.kind)
    of_messages = field.value.kind == "message"
    read_value = None if of_messages else _value_reader(field.value.kind)

    def reader(message: Message, data: bytes, at: int, end: int, depth: int) -> int:
        at, stop = _length(data, at, end)
        if depth <= 1:
            raise DecodeError(f"messages nest deeper than {MAX_DEPTH}")
        key = field.key.default
        value = field.value.message() if of_messages else field.value.default
        is_known = True
        while at < stop:
            tag, at = _varint(data, at)
            if tag == key_tag:
                key, at = read_key(data, at, stop)
            elif tag != value_tag:
                at = _skip(data, tag, at, stop, depth)
                is_known = False
            elif of_messages:
                at, value_stop = _length(data, at, stop)
                _merge(value, data, at, value_stop, depth - 2)
                at = value_stop
            else:
                value, at = read_value(data, at, stop)
        if at != stop:
            raise DecodeError(f"an entry of {field.full_name} goes on after its end")
        if not is_known:
            # An entry has nowhere to keep what is not known, so the whole of it is kept as it is.
            return -stop
        dict.__setitem__(_list_of(message, field), key, value)
        return stop

    return reader
