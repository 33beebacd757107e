"""Element types of tensors."""

from __future__ import annotations

from builtins import bool as _bool  # The name is that of a type of tensors here.
from typing import Any

import numpy as np


class DType:
    """An element type, such as `float32`.

    >>> float32.name, float32.size, float32.as_numpy_dtype.__name__
    ('float32', 4, 'float32')
    """

    __slots__ = ("_number", "_name", "_numpy", "_is_ref")

    def __init__(self, number: int, name: str, numpy_type: Any, is_ref: _bool = False) -> None:
        self._number, self._name, self._numpy, self._is_ref = number, name, numpy_type, is_ref

    @property
    def as_datatype_enum(self) -> int:
        """The number that messages have for the type; references are 100 more."""
        return self._number + (100 if self._is_ref else 0)

    @property
    def name(self) -> str:
        """The type's name, with `_ref` for references."""
        return self._name + ("_ref" if self._is_ref else "")

    @property
    def as_numpy_dtype(self) -> Any:
        """The type of numpy arrays of such elements."""
        if self._numpy is None:
            raise TypeError(f"numpy has no type for {self._name}")
        return self._numpy

    @property
    def base_dtype(self) -> DType:
        """The type that a reference is to; else the type itself."""
        return _BY_NUMBER[self._number] if self._is_ref else self

    @property
    def real_dtype(self) -> DType:
        """The type of the parts of a complex number; else the type itself."""
        return {8: float32, 18: float64}.get(self._number, self.base_dtype)

    @property
    def is_floating(self) -> _bool:
        """Whether elements are floating point numbers."""
        return self._number in (1, 2, 14, 19)

    @property
    def is_integer(self) -> _bool:
        """Whether elements are integers."""
        return self._number in (3, 4, 5, 6, 9, 17, 22, 23)

    @property
    def is_bool(self) -> _bool:
        """Whether elements are bools."""
        return self._number == 10

    @property
    def is_complex(self) -> _bool:
        """Whether elements are complex numbers."""
        return self._number in (8, 18)

    @property
    def is_unsigned(self) -> _bool:
        """Whether elements are unsigned integers."""
        return self._number in (4, 17, 22, 23)

    @property
    def is_numpy_compatible(self) -> _bool:
        """Whether numpy has arrays of such elements."""
        return self._numpy is not None

    @property
    def is_quantized(self) -> _bool:
        """Whether elements are quantised numbers."""
        return self._number in (11, 12, 13, 15, 16)

    @property
    def _is_ref_dtype(self) -> _bool:
        return self._is_ref

    @property
    def size(self) -> int:
        """How many bytes an element takes; 1 where that depends on it."""
        return 1 if self._numpy in (None, np.object_) else np.dtype(self._numpy).itemsize

    @property
    def min(self) -> Any:
        """The smallest value."""
        info = np.finfo if self.is_floating else np.iinfo
        return info(self.as_numpy_dtype).min

    @property
    def max(self) -> Any:
        """The largest value."""
        info = np.finfo if self.is_floating else np.iinfo
        return info(self.as_numpy_dtype).max

    @property
    def limits(self) -> tuple[Any, Any]:
        """The smallest and the largest value; for floating point numbers 0 and 1."""
        if self.is_floating:
            return (0, 1)
        return (self.min, self.max)

    def is_compatible_with(self, other: Any) -> _bool:
        """Whether a value of the other type can stand where one of this type is expected."""
        other = as_dtype(other)
        return self.as_datatype_enum in (other.as_datatype_enum, other.base_dtype.as_datatype_enum)

    def __eq__(self, other: object) -> _bool:
        if self is other:
            return True
        if other is None:
            return False
        try:
            return self.as_datatype_enum == as_dtype(other).as_datatype_enum
        except TypeError:
            return False

    def __ne__(self, other: object) -> _bool:
        return not self == other

    def __hash__(self) -> int:
        return self.as_datatype_enum

    def __repr__(self) -> str:
        return f"tf.{self.name}"

    def __str__(self) -> str:
        return f"<dtype: {self.name!r}>"

    def __int__(self) -> int:
        return self.as_datatype_enum

    def __reduce__(self) -> Any:
        return as_dtype, (self.name,)


float32 = DType(1, "float32", np.float32)
float64 = double = DType(2, "float64", np.float64)
int32 = DType(3, "int32", np.int32)
uint8 = DType(4, "uint8", np.uint8)
int16 = DType(5, "int16", np.int16)
int8 = DType(6, "int8", np.int8)
string = DType(7, "string", np.object_)
complex64 = DType(8, "complex64", np.complex64)
int64 = DType(9, "int64", np.int64)
bool = DType(10, "bool", np.bool_)
qint8 = DType(11, "qint8", np.int8)
quint8 = DType(12, "quint8", np.uint8)
qint32 = DType(13, "qint32", np.int32)
bfloat16 = DType(14, "bfloat16", None)
qint16 = DType(15, "qint16", np.int16)
quint16 = DType(16, "quint16", np.uint16)
uint16 = DType(17, "uint16", np.uint16)
complex128 = DType(18, "complex128", np.complex128)
float16 = half = DType(19, "float16", np.float16)
resource = DType(20, "resource", None)
variant = DType(21, "variant", None)
uint32 = DType(22, "uint32", np.uint32)
uint64 = DType(23, "uint64", np.uint64)

_BY_NUMBER: dict[int, DType] = {value._number: value for value in list(globals().values()) if isinstance(value, DType)}
_REFS: dict[int, DType] = {
    number + 100: DType(number, value._name, value._numpy, True) for number, value in _BY_NUMBER.items()
}
_BY_NUMBER.update(_REFS)
_BY_NAME: dict[str, DType] = {value.name: value for value in _BY_NUMBER.values()}
_BY_NAME.update({"double": float64, "half": float16, "float": float32, "float_ref": _BY_NAME["float32_ref"]})
_PYTHON: dict[Any, DType] = {float: float32, int: int32, complex: complex128, str: string, bytes: string, object: string}
_PYTHON[_bool] = bool

QUANTIZED_DTYPES = frozenset([qint8, quint8, qint16, quint16, qint32])


def as_dtype(value: Any) -> DType:
    """The type that a value stands for: a type, its name, its number, a numpy type or a Python type.

    >>> as_dtype("float32") is float32, as_dtype(np.int64) is int64, as_dtype(float) is float32
    (True, True, True)
    """
    if isinstance(value, DType):
        return value
    if isinstance(value, int) and not isinstance(value, _bool):
        if value in _BY_NUMBER:
            return _BY_NUMBER[value]
    elif isinstance(value, str):
        if value in _BY_NAME:
            return _BY_NAME[value]
    elif value in _PYTHON:
        return _PYTHON[value]
    else:
        found = _of_numpy(value)
        if found is not None:
            return found
    raise TypeError(f"{value!r} does not name a DType")


def _of_numpy(value: Any) -> DType | None:
    try:
        dtype = np.dtype(value)
    except TypeError:
        return None
    if dtype.kind in "SUO":
        return string
    return _BY_NAME.get(dtype.name)


def from_number(number: int, is_ref: _bool = False) -> DType:
    """The type with a number."""
    return _BY_NUMBER[number + 100 if is_ref else number]
