"""Descriptions of message fields: number, type, presence and default of each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from . import scalars
from .enums import EnumType

if TYPE_CHECKING:
    from collections.abc import Callable

    from .engine import Message


class Field:
    """One field of a message.

    `kind` is a scalar type's name, "enum" or "message". `siblings` names the other fields of the same oneof.
    `has_presence` tells whether an explicitly set default differs from a field that was never set.
    """

    __slots__ = (
        "name", "number", "kind", "repeated", "key", "value", "oneof", "siblings", "has_presence", "default",
        "message_name", "enum_type", "check", "check_many", "_classes", "_message", "full_name",
    )

    def __init__(
        self,
        name: str,
        number: int,
        kind: str,
        *,
        full_name: str = "",
        repeated: bool = False,
        presence: bool = False,
        oneof: str | None = None,
        message_name: str | None = None,
        enum_type: EnumType | None = None,
        map_types: tuple[Field, Field] | None = None,
        classes: Callable[[str], type[Message]] | None = None,
    ) -> None:
        self.name = name
        self.number = number
        self.kind = kind
        self.full_name = full_name or name
        self.repeated = repeated
        self.key, self.value = map_types or (None, None)
        self.oneof = oneof
        self.siblings: tuple[str, ...] = ()
        self.has_presence = presence or oneof is not None or (kind == "message" and not repeated)
        self.default = scalars.DEFAULTS.get(kind)
        self.message_name = message_name
        self.enum_type = enum_type
        self._classes = classes
        self._message: type[Message] | None = None
        if kind != "message":
            self.check, self.check_many = scalars.checks_of(kind, enum_type)

    @property
    def is_map(self) -> bool:
        """Whether the field is a map."""
        return self.key is not None

    @property
    def is_repeated(self) -> bool:
        """Whether the field holds many values; maps do."""
        return self.repeated

    @property
    def message(self) -> type[Message]:
        """The class of the values of a message field. Made when it is first asked for, since messages nest."""
        if self._message is None:
            self._message = self._classes(self.message_name)
        return self._message

    def checked(self, value: Any) -> Any:
        """The value as it is stored; a TypeError or ValueError that names the field if it does not fit."""
        try:
            return self.check(value)
        except TypeError:
            raise TypeError(
                f"cannot set {self.full_name} to {shortened(value)}: expected {self.kind}, got {type(value).__name__}"
            ) from None
        except (ValueError, OverflowError) as error:
            raise ValueError(f"cannot set {self.full_name} ({self.kind}) to {shortened(value)}: {error}") from None

    def checked_many(self, values: Any) -> list:
        """Like `checked`, for all values of an iterable."""
        try:
            values = values if hasattr(values, "__len__") else list(values)
        except TypeError:
            raise TypeError(
                f"cannot set {self.full_name} to {shortened(values)}: it is repeated and takes an iterable"
            ) from None
        try:
            return self.check_many(values)
        except (TypeError, ValueError, OverflowError):
            # Once more, one by one, to name the value that does not fit.
            return [self.checked(value) for value in values]

    def __repr__(self) -> str:
        kind = self.message_name if self.kind == "message" else self.kind
        if self.is_map:
            kind = f"map<{self.key.kind}, {self.value.message_name or self.value.kind}>"
        elif self.repeated:
            kind = f"repeated {kind}"
        return f"<field {self.full_name} = {self.number}: {kind}>"


class Descriptor:
    """What a message class says about itself: its names and its fields in the order of their numbers."""

    def __init__(self, full_name: str, fields: list[Field]) -> None:
        self.full_name = full_name
        self.name = full_name.rpartition(".")[2]
        self.fields = fields
        self.fields_by_name = {field.name: field for field in fields}
        self.fields_by_number = {field.number: field for field in fields}
        self.oneofs: dict[str, tuple[str, ...]] = {}
        for field in fields:
            if field.oneof:
                self.oneofs[field.oneof] = (*self.oneofs.get(field.oneof, ()), field.name)
        for field in fields:
            if field.oneof:
                field.siblings = tuple(name for name in self.oneofs[field.oneof] if name != field.name)

    def __repr__(self) -> str:
        return f"<message type {self.full_name}>"


def shortened(value: Any) -> str:
    """The repr of a value, cut where it is long."""
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."
