"""Discrete Fourier transforms."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import shape_ops
from tensorfleet._ops.op_scope import op_scope

__all__ = ["fft", "fft2d", "fft3d", "ifft", "ifft2d", "ifft3d"]


def fft(input: Any, name: str | None = None) -> Tensor:
    """The transform along the last dimension.

    >>> import tensorfleet.v1 as tf
    >>> abs(tf.Session().run(tf.fft(tf.constant([1, 1, 1, 1], tf.complex64)))).tolist()
    [4.0, 0.0, 0.0, 0.0]
    """
    return one("FFT", input, name=name)


def fft2d(input: Any, name: str | None = None) -> Tensor:
    """The transform along the last two dimensions."""
    return one("FFT2D", input, name=name)


def fft3d(input: Any, name: str | None = None) -> Tensor:
    """The transform along the last three dimensions."""
    return one("FFT3D", input, name=name)


def ifft(input: Any, name: str | None = None) -> Tensor:
    """What has this transform along the last dimension."""
    return one("IFFT", input, name=name)


def ifft2d(input: Any, name: str | None = None) -> Tensor:
    """What has this transform along the last two dimensions."""
    return one("IFFT2D", input, name=name)


def ifft3d(input: Any, name: str | None = None) -> Tensor:
    """What has this transform along the last three dimensions."""
    return one("IFFT3D", input, name=name)


def rfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The transform of real numbers along the last dimension: the half of it that says all."""
    return _real("RFFT", "rfft", 1, input_tensor, fft_length, name)


def rfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The transform of real numbers along the last two dimensions."""
    return _real("RFFT2D", "rfft2d", 2, input_tensor, fft_length, name)


def rfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The transform of real numbers along the last three dimensions."""
    return _real("RFFT3D", "rfft3d", 3, input_tensor, fft_length, name)


def irfft(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The real numbers that have this transform along the last dimension."""
    return _back("IRFFT", "irfft", 1, input_tensor, fft_length, name)


def irfft2d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The real numbers that have this transform along the last two dimensions."""
    return _back("IRFFT2D", "irfft2d", 2, input_tensor, fft_length, name)


def irfft3d(input_tensor: Any, fft_length: Any = None, name: str | None = None) -> Tensor:
    """The real numbers that have this transform along the last three dimensions."""
    return _back("IRFFT3D", "irfft3d", 3, input_tensor, fft_length, name)


def _real(op: str, default: str, rank: int, given: Any, length: Any, name: str | None) -> Tensor:
    with op_scope(name, default, [given, length]) as scope:
        numbers = convert_to_tensor(given, preferred_dtype=dtypes.float32)
        if numbers.dtype.base_dtype not in (dtypes.float32, dtypes.float64):
            raise ValueError(f"{default} is of real numbers (float32 or float64), not of {numbers.dtype.name}")
        wide = dtypes.complex64 if numbers.dtype.base_dtype == dtypes.float32 else dtypes.complex128
        lengths = _lengths(numbers, rank, length)
        return one(op, _padded(numbers, rank, lengths), _known(lengths), name=scope, Tcomplex=wide)


def _back(op: str, default: str, rank: int, given: Any, length: Any, name: str | None) -> Tensor:
    with op_scope(name, default, [given, length]) as scope:
        numbers = convert_to_tensor(given, preferred_dtype=dtypes.complex64)
        narrow = dtypes.float64 if numbers.dtype.base_dtype == dtypes.complex128 else dtypes.float32
        if length is None:
            known = numbers.shape[-rank:]
            if not known.is_fully_defined():
                raise ValueError(f"{default} of a tensor of shape {numbers.shape} needs fft_length")
            sizes = known.as_list()
            length = sizes[:-1] + [max(0, 2 * (sizes[-1] - 1))]
        lengths = convert_to_tensor(length, dtypes.int32)
        return one(op, _padded(numbers, rank, lengths, back=True), _known(lengths), name=scope, Treal=narrow)


def _lengths(numbers: Tensor, rank: int, length: Any) -> Any:
    if length is not None:
        return convert_to_tensor(length, dtypes.int32)
    known = numbers.shape[-rank:]
    if known.is_fully_defined():
        return convert_to_tensor(known.as_list(), dtypes.int32)
    return shape_ops.shape(numbers)[-rank:]  # type: ignore[index]


def _known(lengths: Tensor) -> Any:
    """The lengths as numbers, if they are known."""
    value = constant_value(lengths)
    return lengths if value is None else value


def _padded(numbers: Tensor, rank: int, lengths: Tensor, back: bool = False) -> Tensor:
    """With zeros behind the numbers where a transform is longer than they are; lengths that are not known are as they are."""
    wanted, known = constant_value(lengths), numbers.shape
    if wanted is None or known.ndims is None or not known[-rank:].is_fully_defined() or 0 in known.as_list():
        return numbers
    sizes = [int(size) for size in wanted]
    if back:
        sizes[-1] = sizes[-1] // 2 + 1
    more = [[0, max(size - have, 0)] for size, have in zip(sizes, known.as_list()[-rank:])]
    if not any(behind for _, behind in more):
        return numbers
    return shape_ops.pad(numbers, [[0, 0]] * (known.ndims - rank) + more)
