"""Functions that make a convolutional layer and apply it."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.init_ops import Zeros
from tensorfleet._layers.convolution import Conv1D, Conv2D, Conv2DTranspose, Conv3D, Conv3DTranspose
from tensorfleet._layers.separable import SeparableConv1D, SeparableConv2D


def _made(kind: type, inputs: Any, name: str | None, reuse: Any, settings: dict[str, Any]) -> Tensor:
    return kind(**settings, name=name, _scope=name, _reuse=reuse)(inputs)


def conv1d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str = "channels_last",
    dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """A convolution of sequences, with variables `conv1d/kernel` and `conv1d/bias`."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(Conv1D, inputs, name, reuse, settings)


def conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None,
    activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: str | None = None, reuse: Any = None,
) -> Tensor:
    """A convolution of images, with variables `conv2d/kernel` and `conv2d/bias`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.conv2d(tf.ones([1, 8, 8, 3]), 4, 3).shape.as_list()
    [1, 6, 6, 4]
    """
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(Conv2D, inputs, name, reuse, settings)


def conv3d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1, 1), activation: Any = None, use_bias: bool = True,
    kernel_initializer: Any = None, bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None,
    activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
    name: str | None = None, reuse: Any = None,
) -> Tensor:
    """A convolution of volumes."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(Conv3D, inputs, name, reuse, settings)


def conv2d_transpose(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """The transpose of a convolution of images."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(Conv2DTranspose, inputs, name, reuse, settings)


def conv3d_transpose(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1, 1), padding: str = "valid",
    data_format: str = "channels_last", activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """The transpose of a convolution of volumes."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(Conv3DTranspose, inputs, name, reuse, settings)


def separable_conv1d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str = "channels_last",
    dilation_rate: Any = 1, depth_multiplier: int = 1, activation: Any = None, use_bias: bool = True,
    depthwise_initializer: Any = None, pointwise_initializer: Any = None, bias_initializer: Any = Zeros,
    depthwise_regularizer: Any = None, pointwise_regularizer: Any = None, bias_regularizer: Any = None,
    activity_regularizer: Any = None, depthwise_constraint: Any = None, pointwise_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """A separable convolution of sequences."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(SeparableConv1D, inputs, name, reuse, settings)


def separable_conv2d(
    inputs: Any, filters: int, kernel_size: Any, strides: Any = (1, 1), padding: str = "valid",
    data_format: str = "channels_last", dilation_rate: Any = (1, 1), depth_multiplier: int = 1, activation: Any = None,
    use_bias: bool = True, depthwise_initializer: Any = None, pointwise_initializer: Any = None, bias_initializer: Any = Zeros,
    depthwise_regularizer: Any = None, pointwise_regularizer: Any = None, bias_regularizer: Any = None,
    activity_regularizer: Any = None, depthwise_constraint: Any = None, pointwise_constraint: Any = None,
    bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """A separable convolution of images."""
    settings = dict(locals())
    inputs, name, reuse = settings.pop("inputs"), settings.pop("name"), settings.pop("reuse")
    return _made(SeparableConv2D, inputs, name, reuse, settings)
