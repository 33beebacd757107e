"""Values between numpy and the core: a number of the element type, the dimensions, and the bytes or strings."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet import _core
from tensorfleet._framework import dtypes
from tensorfleet._framework.dtypes import DType

_NUMPY = {number: np.dtype(t._numpy) for number, t in dtypes._BY_NUMBER.items() if t._numpy is not None and number < 100}
_NUMBERS = {dtype: number for number, dtype in reversed(list(_NUMPY.items())) if dtype != np.dtype(object)}

_core.set_array_factory(lambda count: np.empty(count, np.uint8))


def to_bytes(value: Any) -> bytes:
    """The bytes of a string: text is UTF-8."""
    if isinstance(value, bytes):
        return value
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, (np.bytes_, np.str_)):
        return to_bytes(value.item())
    if isinstance(value, bytearray):
        return bytes(value)
    raise TypeError(f"Expected a string (bytes or text), not {value!r} of type {type(value).__name__}")


def pack_array(array: np.ndarray, number: int) -> Any:
    """An array that has the right type, for the core."""
    if number == 7:
        return number, array.shape, [to_bytes(item) for item in array.ravel().tolist()]
    flat = np.ascontiguousarray(array).reshape(-1)
    return number, array.shape, flat.view(np.uint8)


def to_array(value: Any, dtype: DType | None) -> tuple[np.ndarray, int]:
    """The array of a Python value and the number of its element type: the given one, else what TensorFlow infers, which is
    float32 for Python's floats and int32 for its integers unless they are too large."""
    if isinstance(value, np.ndarray) or isinstance(value, np.generic):
        array = np.asarray(value)
    else:
        array = _from_python(value, dtype)
    if dtype is None:
        if array.dtype.kind in "SUO":
            return array, 7
        number = _NUMBERS.get(array.dtype)
        if number is None:
            raise TypeError(f"There is no element type for arrays of {array.dtype}")
        return array, number
    number = dtype.base_dtype.as_datatype_enum
    if number == 7:
        if array.dtype.kind not in "SUO":
            if array.size:
                raise TypeError(f"Expected strings, not {value!r}")
            array = array.astype(object)
        return array, 7
    if number == 14:
        return _to_bfloat16(array), 14
    wanted = _NUMPY.get(number)
    if wanted is None:
        raise TypeError(f"A Python value cannot be a tensor of type {dtype.name}")
    if array.dtype != wanted:
        if array.dtype.kind in "SUO":
            raise TypeError(f"Expected {dtype.name}, not {value!r}")
        array = array.astype(wanted)
    return array, number


def _from_python(value: Any, dtype: DType | None) -> np.ndarray:
    """The array of a number, a string or nested lists of such, of the type that TensorFlow gives it."""
    try:
        array = np.array(value)
    except (ValueError, TypeError, OverflowError) as error:
        raise ValueError(f"Can't convert {value!r} to a tensor: {error}") from None
    if array.dtype.kind == "O" and array.ndim == 0 and not isinstance(value, (bytes, str)):
        raise TypeError(f"Can't convert {type(value).__name__} {value!r} to a tensor")
    if array.dtype.kind == "U" or array.dtype.kind == "S":
        # Numpy drops trailing zero bytes of fixed-size strings, and makes numbers beside strings text.
        array = np.array(value, dtype=object)
        if any(not isinstance(item, (bytes, str)) for item in array.ravel().tolist()):
            raise TypeError(f"Strings and numbers are mixed in {value!r}")
    if dtype is None:
        if array.dtype == np.float64:
            with np.errstate(over="ignore"):
                return array.astype(np.float32)
        if array.dtype == np.int64:
            if array.size and (array.max() > 2147483647 or array.min() < -2147483648):
                return array
            return array.astype(np.int32)
        if array.size == 0 and array.dtype == np.float64:
            return array.astype(np.float32)
    elif dtype.base_dtype.is_integer and array.dtype.kind == "f" and array.size:
        raise TypeError(f"Expected {dtype.base_dtype.name}, but got {value!r} of type 'float'.")
    elif dtype.base_dtype.is_bool and array.dtype.kind not in "b" and array.size:
        raise TypeError(f"Expected bool, but got {value!r}.")
    elif array.dtype.kind == "b" and not dtype.base_dtype.is_bool and array.size:
        raise TypeError(f"Expected {dtype.base_dtype.name}, but got {value!r} of type 'bool'.")
    return array


def _to_bfloat16(array: np.ndarray) -> np.ndarray:
    """The upper halves of float32 numbers, rounded to the nearest even one."""
    bits = np.ascontiguousarray(array, dtype=np.float32).view(np.uint32)
    return ((bits + 0x7FFF + ((bits >> 16) & 1)) >> 16).astype(np.uint16)


def pack(value: Any, dtype: DType | None = None) -> Any:
    """A Python value, for the core."""
    if isinstance(value, _core.Handle):
        return value
    array, number = to_array(value, dtype)
    return pack_array(array, number)


def unpack(value: Any) -> Any:
    """The numpy value of what the core gives: an array that may be written to, or a scalar."""
    if isinstance(value, _core.Handle):
        return value
    number, shape, data = value
    if number == 7:
        if not shape:
            return data[0]
        array = np.empty(len(data), dtype=object)
        array[:] = data
        return array.reshape(shape)
    if number == 14:
        bits = np.frombuffer(data, dtype=np.uint16).astype(np.uint32) << 16
        array = bits.view(np.float32)
    else:
        array = np.frombuffer(data, dtype=_NUMPY[number])
    return array[0] if not shape else array.reshape(shape)
