"""Separable convolutional layers: each channel by itself, then all channels mixed."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.init_ops import Zeros
from tensorfleet._layers.convolution import Conv, op_format
from tensorfleet._ops import array_ops, nn_conv


class _Separable(Conv):
    def __init__(
        self, rank: int, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
        dilation_rate: Any = 1, depth_multiplier: int = 1, activation: Any = None, use_bias: bool = True,
        depthwise_initializer: Any = None, pointwise_initializer: Any = None, bias_initializer: Any = Zeros,
        depthwise_regularizer: Any = None, pointwise_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, depthwise_constraint: Any = None, pointwise_constraint: Any = None,
        bias_constraint: Any = None, trainable: bool = True, name: str | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(
            rank, filters, kernel_size, strides, padding, data_format, dilation_rate, activation, use_bias,
            bias_initializer=bias_initializer, bias_regularizer=bias_regularizer, activity_regularizer=activity_regularizer,
            bias_constraint=bias_constraint, trainable=trainable, name=name, **kwargs,
        )
        self.depth_multiplier = depth_multiplier
        self.depthwise_initializer, self.pointwise_initializer = depthwise_initializer, pointwise_initializer
        self.depthwise_regularizer, self.pointwise_regularizer = depthwise_regularizer, pointwise_regularizer
        self.depthwise_constraint, self.pointwise_constraint = depthwise_constraint, pointwise_constraint

    def build(self, input_shape: Any) -> None:
        """Makes both kernels and the bias."""
        channels = self._channels(input_shape)
        self.depthwise_kernel = self.add_weight(
            "depthwise_kernel", shape=[*self.kernel_size, channels, self.depth_multiplier],
            initializer=self.depthwise_initializer, regularizer=self.depthwise_regularizer, constraint=self.depthwise_constraint,
            trainable=True, dtype=self.dtype,
        )
        self.pointwise_kernel = self.add_weight(
            "pointwise_kernel", shape=[*(1,) * self.rank, self.depth_multiplier * channels, self.filters],
            initializer=self.pointwise_initializer, regularizer=self.pointwise_regularizer, constraint=self.pointwise_constraint,
            trainable=True, dtype=self.dtype,
        )
        self._add_bias()
        self.built = True


class SeparableConv1D(_Separable):
    """A separable convolution of sequences."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(1, filters, kernel_size, *args, **kwargs)

    def call(self, inputs: Any) -> Tensor:
        """Builds it as a convolution of images of height one."""
        padding = self.padding
        if padding == "causal":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            inputs, padding = array_ops.pad(inputs, [[0, 0], [left, 0], [0, 0]]), "valid"
        first = self.data_format == "channels_first"
        at = 2 if first else 1
        steps = self.strides * 2
        wide = array_ops.expand_dims(inputs, at)
        depthwise = array_ops.expand_dims(self.depthwise_kernel, 0)
        pointwise = array_ops.expand_dims(self.pointwise_kernel, 0)
        outputs = nn_conv.separable_conv2d(
            wide, depthwise, pointwise, [1, 1, *steps] if first else [1, *steps, 1], padding.upper(),
            rate=(1,) + self.dilation_rate, data_format="NCHW" if first else "NHWC",
        )
        activation, self.activation = self.activation, None
        rank, self.rank = self.rank, 2
        try:
            outputs = self._finish(outputs)
        finally:
            self.activation, self.rank = activation, rank
        outputs = array_ops.squeeze(outputs, [at])
        return activation(outputs) if activation is not None else outputs


class SeparableConv2D(_Separable):
    """A separable convolution of images."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(2, filters, kernel_size, *args, **kwargs)

    def call(self, inputs: Any) -> Tensor:
        """Builds both convolutions, the bias and the activation."""
        first = self.data_format == "channels_first"
        outputs = nn_conv.separable_conv2d(
            inputs, self.depthwise_kernel, self.pointwise_kernel, [1, 1, *self.strides] if first else [1, *self.strides, 1],
            self.padding.upper(), rate=self.dilation_rate, data_format=op_format(self.data_format, 4),
        )
        return self._finish(outputs)
