"""The lists and maps that hold repeated and map fields.

They are Python lists and dicts that check what is put into them. Every change is reported to the owner, the message
that they are part of, as long as that message is itself not yet part of its parent.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from .fields import Field, shortened

if TYPE_CHECKING:
    from .engine import Message


class _Owned:
    """What the containers share: the field, and the message to tell of the first change."""

    __slots__ = ()

    _field: Field
    _owner: Message | None

    def _touch(self) -> None:
        owner, self._owner = self._owner, None
        if owner is not None:
            owner._touch()

    def __reduce__(self) -> tuple:
        # Copies and pickles are plain lists and dicts: a copy belongs to no message.
        plain = dict if isinstance(self, dict) else list
        return plain, (plain(self),)

    def __deepcopy__(self, memo: dict) -> Any:
        from copy import deepcopy

        return deepcopy(dict(self) if isinstance(self, dict) else list(self), memo)


class _RepeatedField(_Owned, list):
    __slots__ = ("_field", "_owner")
    __hash__ = None

    def __init__(self, field: Field, owner: Message | None = None) -> None:
        list.__init__(self)
        self._field = field
        self._owner = owner

    def copied(self) -> _RepeatedField:
        """A list with copies of the values, for another message."""
        copy = type(self)(self._field)
        is_message = self._field.kind == "message"
        list.extend(copy, [item.__copy__() for item in self] if is_message else self)
        return copy

    def MergeFrom(self, other: Iterable[Any]) -> None:
        """Append copies of all values of another repeated field."""
        self.extend(other)

    def __iadd__(self, values: Iterable[Any]):
        self.extend(values)
        return self

    def __imul__(self, times: int):
        raise TypeError(f"{self._field.full_name} does not support *=")

    def __delitem__(self, key: int | slice) -> None:
        self._touch()
        list.__delitem__(self, key)

    def pop(self, position: int = -1) -> Any:
        """Remove the value at a position and return it."""
        self._touch()
        return list.pop(self, position)

    def remove(self, value: Any) -> None:
        """Remove the first value that equals this one."""
        self._touch()
        list.remove(self, value)

    def clear(self) -> None:
        """Remove all values."""
        self._touch()
        list.clear(self)


class RepeatedScalar(_RepeatedField):
    """A repeated field of scalars."""

    __slots__ = ()

    def append(self, value: Any) -> None:
        """Add a value at the end."""
        list.append(self, self._field.checked(value))
        self._touch()

    def extend(self, values: Iterable[Any]) -> None:
        """Add all values at the end."""
        if values is None:
            return
        list.extend(self, self._field.checked_many(values))
        self._touch()

    def insert(self, position: int, value: Any) -> None:
        """Put a value before the one at a position."""
        list.insert(self, position, self._field.checked(value))
        self._touch()

    def __setitem__(self, key: int | slice, value: Any) -> None:
        checked = self._field.checked_many(value) if isinstance(key, slice) else self._field.checked(value)
        list.__setitem__(self, key, checked)
        self._touch()


class RepeatedMessage(_RepeatedField):
    """A repeated field of messages. Messages put into it are copied."""

    __slots__ = ()

    def add(self, **fields: Any) -> Message:
        """Append a new message with these fields and return it."""
        item = self._field.message(**fields)
        list.append(self, item)
        self._touch()
        return item

    def append(self, value: Message) -> None:
        """Append a copy of a message."""
        list.append(self, self._copied(value))
        self._touch()

    def extend(self, values: Iterable[Message]) -> None:
        """Append copies of all messages."""
        if values is None:
            return
        try:
            items = [self._copied(value) for value in values]
        except TypeError:
            if not isinstance(values, Iterable):
                raise TypeError(
                    f"cannot set {self._field.full_name} to {shortened(values)}: it is repeated and takes an iterable"
                ) from None
            raise
        list.extend(self, items)
        self._touch()

    def insert(self, position: int, value: Message) -> None:
        """Put a copy of a message before the one at a position."""
        list.insert(self, position, self._copied(value))
        self._touch()

    def __setitem__(self, key: int | slice, value: Any) -> None:
        raise TypeError(f"{self._field.full_name} does not support assignment of items; use add() or items' CopyFrom")

    def _copied(self, value: Any) -> Message:
        return copied(self._field, value)


class _MapField(_Owned, dict):
    __slots__ = ("_field", "_owner")
    __hash__ = None

    def __init__(self, field: Field, owner: Message | None = None) -> None:
        dict.__init__(self)
        self._field = field
        self._owner = owner

    def copied(self) -> _MapField:
        """A map with copies of the values, for another message."""
        copy = type(self)(self._field)
        is_message = self._field.value.kind == "message"
        dict.update(copy, {key: item.__copy__() for key, item in self.items()} if is_message else self)
        return copy

    def __contains__(self, key: object) -> bool:
        return dict.__contains__(self, self._key(key))

    def get(self, key: Any, default: Any = None) -> Any:
        """The value of a key, or the default if there is none; unlike `[]` this adds nothing."""
        return dict.get(self, self._key(key), default)

    def __delitem__(self, key: Any) -> None:
        self._touch()
        dict.__delitem__(self, self._key(key))

    def pop(self, key: Any, *default: Any) -> Any:
        """Remove a key and return its value."""
        self._touch()
        return dict.pop(self, self._key(key), *default)

    def popitem(self) -> tuple[Any, Any]:
        """Remove some key and return it with its value."""
        self._touch()
        return dict.popitem(self)

    def clear(self) -> None:
        """Remove all keys."""
        self._touch()
        dict.clear(self)

    def update(self, *others: Any, **values: Any) -> None:
        """Set the keys and values of mappings or of iterables of pairs."""
        for key, value in dict(*others, **values).items():
            self[key] = value

    def __ior__(self, other: Any):
        self.update(other)
        return self

    def _key(self, key: Any) -> Any:
        return key if type(key) is str and self._field.key.kind == "string" else self._field.key.checked(key)


class ScalarMap(_MapField):
    """A map whose values are scalars. Reading a missing key adds it with the default, as protobuf does."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Any:
        key = self._key(key)
        if not dict.__contains__(self, key):
            self[key] = self._field.value.default
        return dict.__getitem__(self, key)

    def __setitem__(self, key: Any, value: Any) -> None:
        dict.__setitem__(self, self._field.key.checked(key), self._field.value.checked(value))
        self._touch()

    def setdefault(self, key: Any, default: Any = None) -> Any:
        """The value of a key, which is first set to the default if it is missing."""
        if key not in self:
            self[key] = default
        return self[key]

    def MergeFrom(self, other: Mapping) -> None:
        """Take over all keys and values of another map."""
        self.update(other)


class MessageMap(_MapField):
    """A map whose values are messages. Reading a missing key adds an empty message, as protobuf does."""

    __slots__ = ()

    def __getitem__(self, key: Any) -> Message:
        item = dict.get(self, key) if type(key) is str else None
        if item is None:
            key = self._field.key.checked(key)
            item = dict.get(self, key)
            if item is None:
                item = dict.setdefault(self, key, self._field.value.message())
                self._touch()
        return item

    def get_or_create(self, key: Any) -> Message:
        """The message of a key, which is added if it is missing."""
        return self[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        raise ValueError(
            f"cannot assign {self._field.full_name}[{key!r}]: its values are messages; use [{key!r}].CopyFrom(...)"
        )

    def setdefault(self, key: Any, default: Any = None) -> Message:
        """Refused, since values that are messages cannot be assigned."""
        raise NotImplementedError(f"{self._field.full_name} has messages as values; use [{key!r}].CopyFrom(...)")

    def MergeFrom(self, other: Mapping) -> None:
        """Take over copies of all messages of another map."""
        for key, value in other.items():
            key = self._field.key.checked(key)
            dict.__setitem__(self, key, copied(self._field.value, value))
        self._touch()


def new_container(field: Field, owner: Message | None = None) -> Any:
    """An empty list or map for a repeated field."""
    if field.is_map:
        return (MessageMap if field.value.kind == "message" else ScalarMap)(field, owner)
    return (RepeatedMessage if field.kind == "message" else RepeatedScalar)(field, owner)


def copied(field: Field, value: Any) -> Message:
    """A copy of a message, or a message made of a dict, for a field."""
    if type(value) is field.message:
        return value.__copy__()
    if isinstance(value, dict):
        return field.message(**value)
    raise TypeError(
        f"cannot set {field.full_name} to {shortened(value)}: "
        f"expected {field.message.DESCRIPTOR.name}, got {type(value).__name__}"
    )
