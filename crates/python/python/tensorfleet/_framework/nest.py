"""Nested structures: lists, tuples, named tuples and dicts of values."""

from __future__ import annotations

from typing import Any, Callable, Iterator


def is_attrs(value: Any) -> bool:
    """Whether a value is of a class made with the package `attrs`."""
    return hasattr(type(value), "__attrs_attrs__")


def attrs_values(value: Any) -> list[Any]:
    """The fields of a value of an `attrs` class."""
    return [getattr(value, field.name) for field in type(value).__attrs_attrs__]


def is_nested(value: Any) -> bool:
    """Whether a value is a structure of others."""
    return isinstance(value, (list, tuple, dict))


is_sequence = is_nested


def flatten(value: Any) -> list[Any]:
    """The leaves of a structure, in order; those of a dict in the order of its sorted keys.

    >>> flatten({"b": [1, 2], "a": (3, (4,))})
    [3, 4, 1, 2]
    """
    return list(_leaves(value))


def _leaves(value: Any) -> Iterator[Any]:
    if isinstance(value, dict):
        for key in sorted(value):
            yield from _leaves(value[key])
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _leaves(item)
    else:
        yield value


def _like(structure: Any, items: list[Any]) -> Any:
    """A structure of the same kind with other items."""
    if isinstance(structure, dict):
        by_key = dict(zip(sorted(structure), items))
        return type(structure)((key, by_key[key]) for key in structure)
    if hasattr(structure, "_fields"):
        return type(structure)(*items)
    return type(structure)(items)


def pack_sequence_as(structure: Any, flat: Any) -> Any:
    """Leaves put together as a structure is.

    >>> pack_sequence_as({"b": [0, 0], "a": 0}, [1, 2, 3])
    {'b': [2, 3], 'a': 1}
    """
    flat = list(flat)
    count = len(flatten(structure))
    if count != len(flat):
        raise ValueError(f"The structure has {count} elements, but there are {len(flat)}")
    rest = iter(flat)

    def build(part: Any) -> Any:
        if isinstance(part, dict):
            return _like(part, [build(part[key]) for key in sorted(part)])
        if isinstance(part, (list, tuple)):
            return _like(part, [build(item) for item in part])
        return next(rest)

    return build(structure)


def map_structure(function: Callable[..., Any], *structures: Any) -> Any:
    """A structure of what a function gives for the leaves.

    >>> map_structure(lambda x: x + 1, [1, (2, 3)])
    [2, (3, 4)]
    """
    for other in structures[1:]:
        assert_same_structure(structures[0], other)
    flat = zip(*[flatten(structure) for structure in structures])
    return pack_sequence_as(structures[0], [function(*leaves) for leaves in flat])


def assert_same_structure(one: Any, other: Any, check_types: bool = True) -> None:
    """Raises ValueError unless two structures are alike, and TypeError if their kinds differ."""
    if is_nested(one) != is_nested(other):
        raise ValueError(f"two structures that are nested differently: {one!r} and {other!r}")
    if not is_nested(one):
        return
    if check_types and type(one) is not type(other) and not (isinstance(one, dict) and isinstance(other, dict)):
        raise TypeError(f"The two structures are of the types {type(one).__name__} and {type(other).__name__}")
    if isinstance(one, dict):
        if set(one) != set(other):
            raise ValueError(f"The two dictionaries don't have the same keys: {sorted(one)} and {sorted(other)}")
        for key in one:
            assert_same_structure(one[key], other[key], check_types)
        return
    if len(one) != len(other):
        raise ValueError(f"two structures with unequal numbers of parts: {one!r} and {other!r}")
    for a, b in zip(one, other):
        assert_same_structure(a, b, check_types)
