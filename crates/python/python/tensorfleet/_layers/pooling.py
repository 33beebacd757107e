"""Pooling layers."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._layers.convolution import checked_format, checked_padding, conv_length, numbers, op_format
from tensorfleet._layers.layer import InputSpec, Layer
from tensorfleet._ops import array_ops, nn_pool


class _Pooling(Layer):
    """Pooling over one to three dimensions."""

    _rank = 2
    _largest = True

    def __init__(
        self, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.pool_size = numbers(pool_size, self._rank, "pool_size")
        self.strides = self.pool_size if strides is None else numbers(strides, self._rank, "strides")
        self.padding, self.data_format = checked_padding(padding), checked_format(data_format)
        self.input_spec = InputSpec(ndim=self._rank + 2)

    def call(self, inputs: Any) -> Tensor:
        """Builds the pooling."""
        first = self.data_format == "channels_first"
        sizes = [1, 1, *self.pool_size] if first else [1, *self.pool_size, 1]
        steps = [1, 1, *self.strides] if first else [1, *self.strides, 1]
        layout = op_format(self.data_format, self._rank + 2)
        if self._rank == 3:
            pool = nn_pool.max_pool3d if self._largest else nn_pool.avg_pool3d
            return pool(inputs, sizes, steps, self.padding.upper(), data_format=layout)
        pool2d = nn_pool.max_pool if self._largest else nn_pool.avg_pool
        return pool2d(inputs, sizes, steps, self.padding.upper(), data_format=layout)

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape after pooling."""
        dims = as_shape(input_shape).as_list()
        first = self.data_format == "channels_first"
        space = dims[2:] if first else dims[1:-1]
        new = [conv_length(*args) for args in zip(space, self.pool_size, [self.padding] * len(space), self.strides)]
        return TensorShape([dims[0], dims[1], *new] if first else [dims[0], *new, dims[-1]])


class _Pooling1D(_Pooling):
    _rank = 1

    def call(self, inputs: Any) -> Tensor:
        """Builds it as the pooling of images one pixel wide."""
        first = self.data_format == "channels_first"
        at = 3 if first else 2
        wide = array_ops.expand_dims(inputs, at)
        sizes = [1, 1, *self.pool_size, 1] if first else [1, *self.pool_size, 1, 1]
        steps = [1, 1, *self.strides, 1] if first else [1, *self.strides, 1, 1]
        pool = nn_pool.max_pool if self._largest else nn_pool.avg_pool
        pooled = pool(wide, sizes, steps, self.padding.upper(), data_format="NCHW" if first else "NHWC")
        return array_ops.squeeze(pooled, at)


class MaxPooling1D(_Pooling1D):
    """The largest element of each window of sequences."""


class AveragePooling1D(_Pooling1D):
    """The mean of each window of sequences."""

    _largest = False


class MaxPooling2D(_Pooling):
    """The largest element of each window of images."""


class AveragePooling2D(_Pooling):
    """The mean of each window of images."""

    _largest = False


class MaxPooling3D(_Pooling):
    """The largest element of each window of volumes."""

    _rank = 3


class AveragePooling3D(_Pooling):
    """The mean of each window of volumes."""

    _rank, _largest = 3, False


def max_pooling1d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The largest element of each window of sequences."""
    return MaxPooling1D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling1d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The mean of each window of sequences."""
    return AveragePooling1D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The largest element of each window of images."""
    return MaxPooling2D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling2d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The mean of each window of images."""
    return AveragePooling2D(pool_size, strides, padding, data_format, name)(inputs)


def max_pooling3d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The largest element of each window of volumes."""
    return MaxPooling3D(pool_size, strides, padding, data_format, name)(inputs)


def average_pooling3d(
    inputs: Any, pool_size: Any, strides: Any, padding: str = "valid", data_format: str = "channels_last", name: str | None = None
) -> Tensor:
    """The mean of each window of volumes."""
    return AveragePooling3D(pool_size, strides, padding, data_format, name)(inputs)
