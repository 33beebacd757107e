"""Shapes of tensors, known or partly known."""

from __future__ import annotations

from typing import Any, Iterator


class Dimension:
    """One dimension of a shape: a number, or None if it is not known.

    >>> Dimension(3) + 2, Dimension(None) == 3
    (Dimension(5), None)
    """

    __slots__ = ("_value",)

    def __init__(self, value: Any) -> None:
        if isinstance(value, Dimension):
            value = value.value
        if value is not None:
            if not hasattr(value, "__index__"):
                raise TypeError(f"a dimension is a whole number or None, not {value!r}")
            value = value.__index__()
            if value < 0:
                raise ValueError(f"a dimension cannot be below zero: {value}")
        self._value: int | None = value

    @property
    def value(self) -> int | None:
        """The number, or None."""
        return self._value

    def is_compatible_with(self, other: Any) -> bool:
        """Whether both can be the same number."""
        other = as_dimension(other)
        return self._value is None or other.value is None or self._value == other.value

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless both can be the same number."""
        if not self.is_compatible_with(other):
            raise ValueError(f"dimensions {self} and {other} do not agree")

    def merge_with(self, other: Any) -> Dimension:
        """What both together say."""
        other = as_dimension(other)
        self.assert_is_compatible_with(other)
        return other if self._value is None else self

    def _both(self, other: Any, work: Any) -> int | bool | None:
        """What a function makes of the two numbers, if both are known."""
        pair = self._value, as_dimension(other).value
        return None if None in pair else work(*pair)

    def _with(self, other: Any, work: Any) -> Any:
        return Dimension(self._both(other, work)) if _is_dimension(other) else NotImplemented

    def __add__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a + b)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a - b)

    def __rsub__(self, other: Any) -> Any:
        return as_dimension(other) - self

    def __mul__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a * b)

    __rmul__ = __mul__

    def __floordiv__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a // b)

    def __rfloordiv__(self, other: Any) -> Any:
        return as_dimension(other) // self

    __div__ = __floordiv__

    def __mod__(self, other: Any) -> Any:
        return self._with(other, lambda a, b: a % b)

    def __eq__(self, other: object) -> Any:
        return self._both(other, lambda a, b: a == b) if _is_dimension(other) else NotImplemented

    def __ne__(self, other: object) -> Any:
        equal = self == other
        return None if equal is None else not equal

    def __lt__(self, other: Any) -> Any:
        return self._both(other, lambda a, b: a < b)

    def __le__(self, other: Any) -> Any:
        return self._both(other, lambda a, b: a <= b)

    def __gt__(self, other: Any) -> Any:
        return self._both(other, lambda a, b: a > b)

    def __ge__(self, other: Any) -> Any:
        return self._both(other, lambda a, b: a >= b)

    def __int__(self) -> int:
        if self._value is None:
            raise TypeError("the size of this dimension is not known")
        return self._value

    def __index__(self) -> int:
        return int(self)

    def __bool__(self) -> bool:
        return bool(self._value)

    def __hash__(self) -> int:
        return hash(self._value)

    def __str__(self) -> str:
        return "?" if self._value is None else str(self._value)

    def __repr__(self) -> str:
        return f"Dimension({self._value})"


def as_dimension(value: Any) -> Dimension:
    """A dimension of a number, None or a dimension."""
    return value if isinstance(value, Dimension) else Dimension(value)


def _is_dimension(value: Any) -> bool:
    try:
        as_dimension(value)
    except (TypeError, ValueError):
        return False
    return True


def dimension_value(dimension: Any) -> int | None:
    """The number of a dimension, or None."""
    return dimension.value if isinstance(dimension, Dimension) else dimension


class TensorShape:
    """The shape of a tensor; a dimension or all of it may be unknown.

    >>> TensorShape([None, 784]).as_list()
    [None, 784]
    >>> TensorShape(None).ndims is None
    True
    """

    __slots__ = ("_dims",)

    def __init__(self, dims: Any) -> None:
        if isinstance(dims, TensorShape):
            self._dims: tuple[int | None, ...] | None = dims._dims
        elif dims is None:
            self._dims = None
        elif hasattr(dims, "unknown_rank"):
            self._dims = None if dims.unknown_rank else tuple(None if d.size < 0 else int(d.size) for d in dims.dim)
        elif hasattr(dims, "__iter__"):
            self._dims = tuple(Dimension(None if _is_minus_one(d) else d).value for d in dims)
        else:
            self._dims = (Dimension(dims).value,)

    @property
    def dims(self) -> list[Dimension] | None:
        """The dimensions, or None if not even their number is known."""
        return None if self._dims is None else [Dimension(d) for d in self._dims]

    @property
    def ndims(self) -> int | None:
        """The number of dimensions, or None."""
        return None if self._dims is None else len(self._dims)

    @property
    def rank(self) -> int | None:
        """The number of dimensions, or None."""
        return self.ndims

    def as_list(self) -> list[Any]:
        """The dimensions as numbers and None; ValueError if their number is not known."""
        if self._dims is None:
            raise ValueError("the rank of this shape is unknown, so there is no list of its dimensions")
        return list(self._dims)

    def is_fully_defined(self) -> bool:
        """Whether every dimension is known."""
        return self._dims is not None and None not in self._dims

    def assert_is_fully_defined(self) -> None:
        """Raises ValueError unless every dimension is known."""
        if not self.is_fully_defined():
            raise ValueError(f"some dimensions of the shape {self} are unknown")

    def num_elements(self) -> int | None:
        """How many elements a tensor of this shape has, or None."""
        if not self.is_fully_defined():
            return None
        count = 1
        for dim in self._dims or ():
            count *= dim  # type: ignore[operator]
        return count

    def merge_with(self, other: Any) -> TensorShape:
        """What both together say; ValueError if they contradict."""
        other = as_shape(other)
        if self._dims is None:
            return other
        if other._dims is None:
            return self
        if len(self._dims) != len(other._dims):
            raise ValueError(f"shapes {self} and {other} differ in rank")
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are not compatible")
        return TensorShape([b if a is None else a for a, b in zip(self._dims, other._dims)])

    def concatenate(self, other: Any) -> TensorShape:
        """The dimensions of this shape, then those of the other."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return TensorShape(None)
        return TensorShape(self._dims + other._dims)

    def with_rank(self, rank: int) -> TensorShape:
        """This shape if it can have so many dimensions; else ValueError."""
        try:
            return self.merge_with(unknown_shape(rank))
        except ValueError:
            raise ValueError(f"the shape {self} is not of {rank} dimensions") from None

    def with_rank_at_least(self, rank: int) -> TensorShape:
        """This shape if it can have at least so many dimensions; else ValueError."""
        if self.ndims is not None and self.ndims < rank:
            raise ValueError(f"the shape {self} has fewer than {rank} dimensions")
        return self

    def with_rank_at_most(self, rank: int) -> TensorShape:
        """This shape if it can have at most so many dimensions; else ValueError."""
        if self.ndims is not None and self.ndims > rank:
            raise ValueError(f"the shape {self} has more than {rank} dimensions")
        return self

    def assert_has_rank(self, rank: int) -> None:
        """Raises ValueError unless there can be so many dimensions."""
        if self.ndims not in (None, rank):
            raise ValueError(f"the shape {self} is not of {rank} dimensions")

    def assert_same_rank(self, other: Any) -> None:
        """Raises ValueError if the ranks are known to differ."""
        other = as_shape(other)
        if self.ndims is not None and other.ndims is not None and self.ndims != other.ndims:
            raise ValueError(f"shapes {self} and {other} differ in rank")

    def is_compatible_with(self, other: Any) -> bool:
        """Whether one tensor can have both shapes."""
        other = as_shape(other)
        if self._dims is None or other._dims is None:
            return True
        if len(self._dims) != len(other._dims):
            return False
        return all(a is None or b is None or a == b for a, b in zip(self._dims, other._dims))

    def assert_is_compatible_with(self, other: Any) -> None:
        """Raises ValueError unless one tensor can have both shapes."""
        if not self.is_compatible_with(other):
            raise ValueError(f"Shapes {self} and {other} are incompatible")

    def as_proto(self) -> Any:
        """The shape as a message."""
        from tensorfleet._framework.messages import TensorShapeProto

        if self._dims is None:
            return TensorShapeProto(unknown_rank=True)
        return TensorShapeProto(dim=[TensorShapeProto.Dim(size=-1 if d is None else d) for d in self._dims])

    def __iter__(self) -> Iterator[Dimension]:
        if self._dims is None:
            raise ValueError("the rank of this shape is unknown, so its dimensions cannot be walked through")
        return iter([Dimension(d) for d in self._dims])

    def __len__(self) -> int:
        if self._dims is None:
            raise ValueError("the rank of this shape is unknown, so it has no length")
        return len(self._dims)

    def __bool__(self) -> bool:
        return self._dims is not None

    def __getitem__(self, key: Any) -> Any:
        if self._dims is None:
            return TensorShape(None) if isinstance(key, slice) else Dimension(None)
        if isinstance(key, slice):
            return TensorShape(self._dims[key])
        return Dimension(self._dims[key])

    def __add__(self, other: Any) -> TensorShape:
        return self.concatenate(other)

    def __radd__(self, other: Any) -> TensorShape:
        return as_shape(other).concatenate(self)

    def __eq__(self, other: object) -> bool:
        try:
            return self._dims == as_shape(other)._dims
        except (TypeError, ValueError):
            return NotImplemented

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash(self._dims)

    def __str__(self) -> str:
        if self._dims is None:
            return "<unknown>"
        if len(self._dims) == 1:
            return f"({'?' if self._dims[0] is None else self._dims[0]},)"
        return "(" + ", ".join("?" if d is None else str(d) for d in self._dims) + ")"

    def __repr__(self) -> str:
        if self._dims is None:
            return "TensorShape(None)"
        return f"TensorShape({[Dimension(d) for d in self._dims]!r})"

    def __reduce__(self) -> Any:
        return TensorShape, (None if self._dims is None else list(self._dims),)


def _is_minus_one(value: Any) -> bool:
    return isinstance(value, int) and value == -1


def as_shape(value: Any) -> TensorShape:
    """A shape of a list, a number, None or a shape.

    >>> as_shape([2, None])
    TensorShape([Dimension(2), Dimension(None)])
    """
    return value if isinstance(value, TensorShape) else TensorShape(value)


def unknown_shape(rank: int | None = None) -> TensorShape:
    """A shape of which at most the number of dimensions is known."""
    return TensorShape(None if rank is None else [None] * rank)
