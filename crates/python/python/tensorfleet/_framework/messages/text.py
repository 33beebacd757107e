"""Protobuf's text format: messages to readable text and back.

`parse_text` understands what protobuf prints and what people write by hand: comments, lists in brackets, strings in
either quote that follow each other, `<` `>` for braces, commas and semicolons between fields.
"""

from __future__ import annotations

import re
import struct
from typing import Any, TypeVar

from .engine import Message
from .fields import Field

MAX_DEPTH = 100

_ESCAPES = {9: "\\t", 10: "\\n", 13: "\\r", 34: '\\"', 39: "\\'", 92: "\\\\"}

AnyMessage = TypeVar("AnyMessage", bound=Message)


class ParseError(ValueError):
    """The text is not a message of the type that was asked for."""


def message_to_text(message: Message) -> str:
    """A message in the text format, a field a line, maps in the order of their keys."""
    lines: list[str] = []
    _print_fields(message, "", lines)
    return "".join(lines)


def parse_text(text: str | bytes, into: AnyMessage | type[AnyMessage]) -> AnyMessage:
    """Read a message from the text format and merge it into a message, or into a new one of a class.

    >>> from tensorfleet._framework.messages import CheckpointState
    >>> parse_text('model_checkpoint_path: "model.ckpt-7"', CheckpointState).model_checkpoint_path
    'model.ckpt-7'
    """
    message = into() if isinstance(into, type) else into
    if isinstance(text, (bytes, bytearray)):
        text = bytes(text).decode("utf-8")
    _Parser(text, message.DESCRIPTOR.name).fields(message, None, 0)
    message.SetInParent()
    return message


# Printing.


def _print_fields(message: Message, indent: str, lines: list[str]) -> None:
    for field, value in message.ListFields():
        if field.is_map:
            for key in sorted(value):
                lines.append(f"{indent}{field.name} {{\n")
                _print_value(field.key, key, indent + "  ", lines)
                _print_value(field.value, dict.__getitem__(value, key), indent + "  ", lines)
                lines.append(f"{indent}}}\n")
        elif field.repeated:
            for item in value:
                _print_value(field, item, indent, lines)
        else:
            _print_value(field, value, indent, lines)


def _print_value(field: Field, value: Any, indent: str, lines: list[str]) -> None:
    if field.kind == "message":
        lines.append(f"{indent}{field.name} {{\n")
        _print_fields(value, indent + "  ", lines)
        lines.append(f"{indent}}}\n")
    else:
        lines.append(f"{indent}{field.name}: {_scalar_text(field, value)}\n")


def _scalar_text(field: Field, value: Any) -> str:
    kind = field.kind
    if kind == "string":
        return '"' + "".join(_escaped(ord(char), char) for char in value) + '"'
    if kind == "bytes":
        return '"' + "".join(_escaped(byte, None) for byte in value) + '"'
    if kind == "bool":
        return "true" if value else "false"
    if kind == "enum":
        return field.enum_type.name_or_none(value) or str(value)
    if kind == "float":
        short = f"{value:.6g}"
        return short if _as_float(float(short)) == value else f"{value:.9g}"
    if kind == "double":
        short = f"{value:.15g}"
        return short if float(short) == value else f"{value:.17g}"
    return str(value)


def _as_float(value: float) -> float:
    try:
        return struct.unpack("<f", struct.pack("<f", value))[0]
    except OverflowError:
        return value


def _escaped(code: int, char: str | None) -> str:
    """A character, or a byte where there is none; what cannot be printed becomes an octal escape."""
    if code in _ESCAPES:
        return _ESCAPES[code]
    if 32 <= code < 127:
        return chr(code)
    if char is not None and code > 127:
        return char
    return f"\\{code:03o}"


# Reading.

_TOKEN = re.compile(
    r"""(?P<skip>[ \t\r\n\v\f]+|\#[^\n]*)
    |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
    |(?P<word>[A-Za-z_][A-Za-z0-9_.]*)
    |(?P<number>\.?[0-9][A-Za-z0-9_.]*(?:(?<=[eE])[+-][0-9]+[fF]?)?)
    |(?P<mark>[{}<>\[\]:,;/-])""",
    re.VERBOSE,
)
_ESCAPED = re.compile(r"\\(?:x([0-9a-fA-F]{1,2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-7]{1,3})|(.))", re.DOTALL)
_SIMPLE = {"n": "\n", "r": "\r", "t": "\t", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "\\": "\\", "'": "'",
           '"': '"', "?": "?"}


class _Parser:
    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._at = 0
        self._next()

    def fields(self, message: Message, close: str | None, depth: int) -> None:
        """Read fields up to the closing mark, or to the end."""
        if depth > MAX_DEPTH:
            self._fail(f"messages nest deeper than {MAX_DEPTH}")
        while not (self._kind == "end" if close is None else self._token == close and self._kind == "mark"):
            if self._kind != "word":
                self._fail("expected the name of a field" + (f" or {close!r}" if close else ""))
            field = message.DESCRIPTOR.fields_by_name.get(self._token)
            if field is None:
                self._fail(f"message {message.DESCRIPTOR.name} has no field {self._token!r}")
            self._next()
            self._values(message, field, depth)
            if self._kind == "mark" and self._token in ",;":
                self._next()
        self._next()

    def _values(self, message: Message, field: Field, depth: int) -> None:
        has_colon = self._take(":")
        if not has_colon and field.kind != "message":
            self._fail(f"expected ':' after {field.name}")
        if field.repeated and self._take("["):
            while not self._take("]"):
                self._value(message, field, depth)
                if not self._take(",") and not (self._kind == "mark" and self._token == "]"):
                    self._fail("expected ',' or ']'")
        else:
            self._value(message, field, depth)

    def _value(self, message: Message, field: Field, depth: int) -> None:
        if field.is_map:
            entry: dict[str, Any] = {}
            self._entry(field, entry, depth)
            entries = getattr(message, field.name)
            key = entry.get("key", field.key.default)
            if field.value.kind == "message":
                entries.MergeFrom({key: entry.get("value") or field.value.message()})
            else:
                entries[key] = entry.get("value", field.value.default)
        elif field.kind == "message":
            child = getattr(message, field.name).add() if field.repeated else getattr(message, field.name)
            child.SetInParent()
            self.fields(child, self._open(), depth + 1)
        else:
            try:
                value = field.checked(self._scalar(field))
            except (TypeError, ValueError) as error:
                self._fail(str(error)) if not isinstance(error, ParseError) else None
                raise
            if field.repeated:
                getattr(message, field.name).append(value)
            else:
                setattr(message, field.name, value)

    def _entry(self, field: Field, entry: dict[str, Any], depth: int) -> None:
        close = self._open()
        while not self._take(close):
            part = {"key": field.key, "value": field.value}.get(self._token) if self._kind == "word" else None
            if part is None:
                self._fail(f"expected 'key', 'value' or {close!r} in {field.name}")
            self._next()
            has_colon = self._take(":")
            if part.kind == "message":
                entry["value"] = part.message()
                self.fields(entry["value"], self._open(), depth + 1)
            elif has_colon:
                entry[part.name] = part.checked(self._scalar(part))
            else:
                self._fail(f"expected ':' after {part.name}")
            self._take(",") or self._take(";")

    def _open(self) -> str:
        if self._take("{"):
            return "}"
        if self._take("<"):
            return ">"
        self._fail("expected '{'")

    def _scalar(self, field: Field) -> Any:
        if field.kind in ("string", "bytes"):
            return self._strings(field)
        sign = "-" if self._take("-") else ""
        if self._kind not in ("word", "number"):
            self._fail(f"expected a value of {field.name} ({field.kind})")
        token = sign + self._token
        try:
            value = _number(field, token)
        except ValueError:
            self._fail(f"{token!r} is no {field.kind} for {field.name}")
        self._next()
        return value

    def _strings(self, field: Field) -> str | bytes:
        if self._kind != "string":
            self._fail(f"expected a string in quotes for {field.name}")
        parts = []
        while self._kind == "string":
            parts.append(_unescaped(self._token[1:-1]))
            self._next()
        data = b"".join(parts)
        if field.kind == "bytes":
            return data
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            self._fail(f"the string of {field.name} is not UTF-8")

    def _take(self, mark: str) -> bool:
        if self._kind == "mark" and self._token == mark:
            self._next()
            return True
        return False

    def _next(self) -> None:
        while True:
            match = _TOKEN.match(self._text, self._at)
            if match is None:
                self._start = self._at
                self._kind, self._token = "end", ""
                if self._at < len(self._text):
                    self._token = self._text[self._at]
                    self._kind = "?"
                return
            self._start, self._at = self._at, match.end()
            if match.lastgroup != "skip":
                self._kind, self._token = match.lastgroup, match.group()
                return

    def _fail(self, problem: str) -> None:
        line = self._text.count("\n", 0, self._start) + 1
        column = self._start - (self._text.rfind("\n", 0, self._start) + 1) + 1
        found = repr(self._token) if self._token else "the end"
        raise ParseError(f"{self._name}, line {line}, column {column}: {problem}; found {found}")


def _number(field: Field, token: str) -> Any:
    kind = field.kind
    if kind == "enum" and not token.lstrip("-")[:1].isdigit():
        return field.enum_type.Value(token)
    if kind == "bool":
        if token in ("true", "True", "t", "1"):
            return True
        if token in ("false", "False", "f", "0"):
            return False
        raise ValueError(token)
    if kind in ("float", "double"):
        lower = token.lower()
        if lower.lstrip("-") in ("inf", "infinity", "nan"):
            return float(lower)
        if lower[-1:] == "f" and "x" not in lower:
            lower = lower[:-1]
        if "_" in lower:
            raise ValueError(token)
        return float(lower)
    if "_" in token:
        raise ValueError(token)
    digits = token.lstrip("-")
    octal = len(digits) > 1 and digits[0] == "0" and digits.isdigit()
    return int(token, 8 if octal else 0)


def _unescaped(text: str) -> bytes:
    if "\\" not in text:
        return text.encode("utf-8")
    out = bytearray()
    at = 0
    for match in _ESCAPED.finditer(text):
        out += text[at : match.start()].encode("utf-8")
        at = match.end()
        hexadecimal, short, long, octal, simple = match.groups()
        if hexadecimal or octal:
            out.append(int(hexadecimal, 16) if hexadecimal else int(octal, 8) & 255)
        elif short or long:
            try:
                out += chr(int(short or long, 16)).encode("utf-8")
            except ValueError:
                raise ParseError(f"{match.group()} is no character") from None
        else:
            if simple not in _SIMPLE:
                raise ParseError(f"{match.group()} is no escape in a string")
            out += _SIMPLE[simple].encode()
    return bytes(out + text[at:].encode("utf-8"))
