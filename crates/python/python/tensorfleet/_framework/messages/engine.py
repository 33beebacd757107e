"""Protobuf messages in plain Python: the class that all messages share.

A message keeps the values of its fields in its own `__dict__`, so that reading a field that is set costs what reading
any attribute costs. Fields that are not set are answered by `__getattr__`: scalars with their default, others with an
empty child that remembers its parent and becomes part of it when it is first changed.

Subclasses are made by `schema.py` from the tables of fields; the bytes are made and read by `encode.py` and
`decode.py`, the text form by `text.py`.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, Self

from . import decode, encode
from .containers import copied, new_container
from .fields import Descriptor, Field, shortened


class Message:
    """A protobuf message. Its attributes are its fields.

    >>> from tensorfleet._framework.messages import ConfigProto
    >>> config = ConfigProto(allow_soft_placement=True)
    >>> config.gpu_options.allow_growth = True
    >>> config.HasField("gpu_options")
    True
    >>> ConfigProto.FromString(config.SerializeToString()) == config
    True
    """

    DESCRIPTOR: ClassVar[Descriptor]
    # Present in the instance only while they differ from these.
    _parent: tuple[Message, Field] | None = None
    _unknown: bytes = b""

    __hash__ = None

    def __init__(self, **fields: Any) -> None:
        if fields:
            self._set_all(fields)

    # Fields as attributes.

    def __getattr__(self, name: str) -> Any:
        field = self.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise AttributeError(f"message {self.DESCRIPTOR.name} has no field {name!r}")
        if not field.repeated:
            if field.kind != "message":
                return field.default
            child = field.message()
            child.__dict__["_parent"] = (self, field)
            return self.__dict__.setdefault(name, child)
        # Only a message that is not yet part of its parent needs to hear of changes.
        owner = self if self._parent is not None else None
        return self.__dict__.setdefault(name, new_container(field, owner))

    def __setattr__(self, name: str, value: Any) -> None:
        field = self.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise AttributeError(f"message {self.DESCRIPTOR.name} has no field {name!r}")
        if field.repeated:
            how = "update() or CopyFrom of its items" if field.is_map else "append() and extend()"
            raise AttributeError(f"cannot assign {field.full_name}: it is a {_holder(field)} field; use {how}")
        if field.kind == "message":
            raise AttributeError(f"cannot assign {field.full_name}: it is a message field; use {name}.CopyFrom(...)")
        self.__dict__[name] = field.checked(value)
        if field.siblings:
            self._clear_siblings(field)
        if self._parent is not None:
            self._touch()

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"cannot delete {self.DESCRIPTOR.name}.{name}; use ClearField({name!r})")

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.DESCRIPTOR.fields_by_name})

    # Presence.

    def HasField(self, name: str) -> bool:
        """Whether a field, or some field of a oneof, is set. A ValueError for fields that do not remember it."""
        if name in self.DESCRIPTOR.oneofs:
            return self.WhichOneof(name) is not None
        field = self._field(name)
        if not field.has_presence:
            raise ValueError(f"field {field.full_name} has no presence: it cannot be told from its default")
        return self._is_set(field)

    def ClearField(self, name: str) -> None:
        """Set a field, or whichever field of a oneof is set, back to its default."""
        if name in self.DESCRIPTOR.oneofs:
            name = self.WhichOneof(name)
            if name is None:
                return
        else:
            self._field(name)
        old = self.__dict__.pop(name, None)
        if isinstance(old, Message):
            old.__dict__.pop("_parent", None)
        elif old is not None and hasattr(old, "_owner"):
            old._owner = None
        self._touch()

    def WhichOneof(self, name: str) -> str | None:
        """The name of the field of a oneof that is set, or None."""
        names = self.DESCRIPTOR.oneofs.get(name)
        if names is None:
            raise ValueError(f"message {self.DESCRIPTOR.name} has no oneof {name!r}")
        fields = self.DESCRIPTOR.fields_by_name
        return next((name for name in names if self._is_set(fields[name])), None)

    def ListFields(self) -> list[tuple[Field, Any]]:
        """Pairs of field and value of all fields that are set, in the order of their numbers."""
        return [(field, self.__dict__[field.name]) for field in self.DESCRIPTOR.fields if self._is_set(field)]

    def SetInParent(self) -> None:
        """Make this message part of its parent, as if a field of it had been set."""
        self._touch()

    def Clear(self) -> None:
        """Set all fields back to their defaults."""
        self._empty()
        self._touch()

    # Whole messages.

    def CopyFrom(self, other: Message) -> None:
        """Become equal to another message of the same type."""
        if other is self:
            return
        self._require_same_type(other, "CopyFrom")
        self._empty()
        self._merge(other)
        self._touch()

    def MergeFrom(self, other: Message) -> None:
        """Take over the fields that are set in another message: lists are appended, messages merged."""
        self._require_same_type(other, "MergeFrom")
        if other is self:
            raise ValueError(f"cannot merge a {self.DESCRIPTOR.name} into itself")
        self._merge(other)
        self._touch()

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Message):
            return NotImplemented
        if type(self) is not type(other) or self._unknown != other._unknown:
            return False
        return all(self._value_of(field) == other._value_of(field) for field in self.DESCRIPTOR.fields)

    def __str__(self) -> str:
        from .text import message_to_text

        return message_to_text(self)

    __repr__ = __str__

    def __copy__(self) -> Message:
        copy = type(self)()
        values = copy.__dict__
        for name, value in self.__dict__.items():
            if isinstance(value, Message):
                # Children that were only looked at are not copied.
                if value._parent is None:
                    values[name] = value.__copy__()
            elif isinstance(value, (list, dict)):
                values[name] = value.copied()
            elif name != "_parent":
                values[name] = value
        return copy

    def __deepcopy__(self, memo: dict) -> Message:
        return self.__copy__()

    def __reduce__(self) -> tuple:
        return _restored, (self.DESCRIPTOR.full_name, self.SerializeToString())

    def IsInitialized(self) -> bool:
        """True: no message here has fields that must be set."""
        return True

    # Bytes.

    def SerializeToString(self, deterministic: bool | None = None) -> bytes:
        """The message in protobuf's binary format. Always deterministic: by field number, maps by key."""
        return bytes(encode.message_bytes(self))

    SerializePartialToString = SerializeToString

    def ByteSize(self) -> int:
        """The length of the binary form."""
        return len(encode.message_bytes(self))

    def ParseFromString(self, data: bytes) -> int:
        """Become the message that the bytes hold. Returns their number; raises `DecodeError` if they are malformed."""
        self._empty()
        return self.MergeFromString(data)

    def MergeFromString(self, data: bytes) -> int:
        """Merge the message that the bytes hold into this one."""
        if not isinstance(data, bytes):
            if not isinstance(data, (bytearray, memoryview)):
                raise TypeError(f"cannot parse {self.DESCRIPTOR.name}: expected bytes, got {type(data).__name__}")
            data = bytes(data)
        self._touch()
        decode.merge_bytes(self, data)
        return len(data)

    @classmethod
    def FromString(cls, data: bytes) -> Self:
        """The message that the bytes hold; raises `DecodeError` if they are malformed."""
        message = cls()
        message.MergeFromString(data)
        return message

    def DiscardUnknownFields(self) -> None:
        """Forget fields that were read from bytes but are not known, here and in all messages within."""
        self.__dict__.pop("_unknown", None)
        for field, value in self.ListFields():
            if field.is_map:
                children = value.values() if field.value.kind == "message" else ()
            else:
                children = () if field.kind != "message" else value if field.repeated else (value,)
            for child in children:
                child.DiscardUnknownFields()

    # Helpers.

    def _field(self, name: str) -> Field:
        field = self.DESCRIPTOR.fields_by_name.get(name)
        if field is None:
            raise ValueError(f"message {self.DESCRIPTOR.name} has no field {name!r}")
        return field

    def _is_set(self, field: Field) -> bool:
        value = self.__dict__.get(field.name)
        if value is None:
            return False
        if field.repeated:
            return len(value) > 0
        if field.kind == "message":
            return value._parent is None
        # Minus zero is not the default, though it equals it.
        return field.has_presence or bool(value) or (value == 0 and type(value) is float and _is_minus_zero(value))

    def _value_of(self, field: Field) -> Any:
        """The value for comparisons: None if it is not set."""
        return self.__dict__[field.name] if self._is_set(field) else None

    def _touch(self) -> None:
        """Become part of the parent, if this message is not yet."""
        link = self.__dict__.pop("_parent", None)
        if link is not None:
            parent, field = link
            parent.__dict__[field.name] = self
            parent._clear_siblings(field)
            parent._touch()

    def _clear_siblings(self, field: Field) -> None:
        for name in field.siblings:
            value = self.__dict__.get(name)
            # Children that were only looked at stay: they are not set.
            if value is not None and not (isinstance(value, Message) and value._parent is not None):
                del self.__dict__[name]

    def _empty(self) -> None:
        link = self._parent
        for value in self.__dict__.values():
            if isinstance(value, Message):
                value.__dict__.pop("_parent", None)
        self.__dict__.clear()
        if link is not None:
            self.__dict__["_parent"] = link

    def _require_same_type(self, other: Any, method: str) -> None:
        if type(other) is not type(self):
            raise TypeError(
                f"{method} of a {self.DESCRIPTOR.name} takes a {self.DESCRIPTOR.name}, got {type(other).__name__}"
            )

    def _merge(self, other: Message) -> None:
        values = self.__dict__
        for field, value in other.ListFields():
            name = field.name
            if not field.repeated:
                if field.kind == "message":
                    child = getattr(self, name)
                    child._merge(value)
                    child._touch()
                else:
                    values[name] = value
                    if field.siblings:
                        self._clear_siblings(field)
            elif field.is_map:
                own = getattr(self, name)
                if field.value.kind == "message":
                    own.MergeFrom(value)
                else:
                    dict.update(own, value)
            elif field.kind == "message":
                getattr(self, name).extend(value)
            else:
                list.extend(getattr(self, name), value)
        if other._unknown:
            values["_unknown"] = self._unknown + other._unknown

    def _set_all(self, fields: dict[str, Any]) -> None:
        """Set fields as the constructor takes them; None leaves a field alone."""
        for name, value in fields.items():
            field = self.DESCRIPTOR.fields_by_name.get(name)
            if field is None:
                raise ValueError(f"message {self.DESCRIPTOR.name} has no field {name!r}")
            if value is None:
                continue
            if not field.repeated:
                if field.kind != "message":
                    setattr(self, name, value)
                else:
                    self.__dict__[name] = copied(field, value)
                    self._clear_siblings(field)
            elif not field.is_map:
                getattr(self, name).extend(value)
            elif not isinstance(value, dict):
                raise TypeError(f"cannot set {field.full_name} to {shortened(value)}: it is a map and takes a dict")
            else:
                getattr(self, name).MergeFrom(value)


def _holder(field: Field) -> str:
    return "map" if field.is_map else "repeated"


def _is_minus_zero(value: float) -> bool:
    return math.copysign(1.0, value) < 0


def _restored(full_name: str, data: bytes) -> Message:
    from .schema import message_class

    return message_class(full_name).FromString(data)
