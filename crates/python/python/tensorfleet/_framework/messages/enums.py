"""Enumerations of the protobuf messages: whole numbers that have names."""

from __future__ import annotations


class EnumType:
    """The names and numbers of one enumeration.

    Values are plain ints; this object translates between them and their names.

    >>> level = EnumType("RunOptions.TraceLevel", {"NO_TRACE": 0, "FULL_TRACE": 3})
    >>> level.FULL_TRACE, level.Name(3), level.Value("NO_TRACE")
    (3, 'FULL_TRACE', 0)
    """

    def __init__(self, full_name: str, numbers: dict[str, int]) -> None:
        self.full_name = full_name
        self.name = full_name.rpartition(".")[2]
        self._numbers = numbers
        # Two names may share a number; the first one is the one that is printed.
        self._names = {number: name for name, number in reversed(numbers.items())}

    def __getattr__(self, name: str) -> int:
        try:
            return self.__dict__["_numbers"][name]
        except KeyError:
            raise AttributeError(f"enum {self.__dict__.get('full_name')} has no value {name!r}") from None

    def Name(self, number: int) -> str:
        """The name of a number; a ValueError if it has none."""
        name = self._names.get(number)
        if name is None:
            raise ValueError(f"enum {self.full_name} has no name for {number!r}")
        return name

    def Value(self, name: str) -> int:
        """The number of a name; a ValueError if there is no such name."""
        number = self._numbers.get(name)
        if number is None:
            raise ValueError(f"enum {self.full_name} has no value {name!r}")
        return number

    def name_or_none(self, number: int) -> str | None:
        """The name of a number, or None."""
        return self._names.get(number)

    def keys(self) -> list[str]:
        """All names, in the order of their definition."""
        return list(self._numbers)

    def values(self) -> list[int]:
        """All numbers, in the order of their definition."""
        return list(self._numbers.values())

    def items(self) -> list[tuple[str, int]]:
        """Pairs of name and number, in the order of their definition."""
        return list(self._numbers.items())

    def __repr__(self) -> str:
        return f"<enum {self.full_name}>"
