"""Convolutional layers."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.init_ops import Zeros
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._layers.layer import InputSpec, Layer
from tensorfleet._ops import array_ops, nn_activation, nn_conv


def numbers(value: Any, n: int, what: str) -> tuple[int, ...]:
    """`n` numbers, from one or from a list of them.

    >>> numbers(3, 2, "strides")
    (3, 3)
    """
    if isinstance(value, int):
        return (value,) * n
    try:
        made = tuple(int(item) for item in value)
    except (TypeError, ValueError):
        made = ()
    if len(made) != n:
        raise ValueError(f"`{what}` is {value!r}; give one whole number or {n} of them")
    return made


def checked_format(value: str | None) -> str:
    """The name of a layout, in lower case."""
    value = "channels_last" if value is None else value.lower()
    if value not in ("channels_first", "channels_last"):
        raise ValueError(f"`data_format` is {value!r}; it can be 'channels_first' or 'channels_last'")
    return value


def checked_padding(value: str) -> str:
    """The name of a way of padding, in lower case."""
    value = value.lower()
    if value not in ("valid", "same", "causal"):
        raise ValueError(f"`padding` is {value!r}; it can be 'valid' or 'same' (for Conv1D 'causal' too)")
    return value


def op_format(data_format: str, ndim: int) -> str:
    """The layout as ops name it.

    >>> op_format("channels_first", 4), op_format("channels_last", 3)
    ('NCHW', 'NWC')
    """
    spatial = {3: "W", 4: "HW", 5: "DHW"}[ndim]
    return "N" + spatial + "C" if data_format == "channels_last" else "NC" + spatial


def conv_length(length: int | None, size: int, padding: str, stride: int, dilation: int = 1) -> int | None:
    """How long a dimension is after a convolution."""
    if length is None:
        return None
    dilated = size + (size - 1) * (dilation - 1)
    length = length if padding in ("same", "causal") else length - dilated + 1
    return (length + stride - 1) // stride


def transposed_length(length: Any, size: int, padding: str, stride: int) -> Any:
    """How long a dimension is after the transpose of a convolution; `length` may be a tensor."""
    length = length * stride
    return length + max(size - stride, 0) if padding == "valid" else length


class Conv(Layer):
    """A convolution over one to three dimensions, with a bias and an activation."""

    _op_names = {1: "conv1d", 2: "Conv2D", 3: "Conv3D"}

    def __init__(
        self, rank: int, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
        dilation_rate: Any = 1, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
        bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
        name: str | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.rank, self.filters = rank, int(filters)
        self.kernel_size, self.strides = numbers(kernel_size, rank, "kernel_size"), numbers(strides, rank, "strides")
        self.padding, self.data_format = checked_padding(padding), checked_format(data_format)
        if self.padding == "causal" and rank != 1:
            raise ValueError("padding='causal' exists for `Conv1D` and `SeparableConv1D` alone")
        self.dilation_rate = numbers(dilation_rate, rank, "dilation_rate")
        self.activation, self.use_bias = activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = InputSpec(ndim=rank + 2)

    def _channels(self, input_shape: Any) -> int:
        axis = 1 if self.data_format == "channels_first" else -1
        channels = as_shape(input_shape)[axis].value
        if channels is None:
            raise ValueError("how many channels the inputs have is unknown, but the kernel's shape needs it")
        self.input_spec = InputSpec(ndim=self.rank + 2, axes={axis: channels})
        return channels

    def _add_bias(self) -> None:
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", shape=[self.filters], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                constraint=self.bias_constraint, trainable=True, dtype=self.dtype,
            )

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias."""
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            "kernel", shape=[*self.kernel_size, channels, self.filters], initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint, trainable=True, dtype=self.dtype,
        )
        self._add_bias()
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Builds the convolution, the bias and the activation."""
        padding = self.padding.upper()
        if self.padding == "causal":
            left = self.dilation_rate[0] * (self.kernel_size[0] - 1)
            amounts = [[0, 0], [left, 0], [0, 0]] if self.data_format == "channels_last" else [[0, 0], [0, 0], [left, 0]]
            inputs, padding = array_ops.pad(inputs, amounts), "VALID"
        outputs = nn_conv.convolution(
            inputs, self.kernel, padding, strides=self.strides, dilation_rate=self.dilation_rate,
            data_format=op_format(self.data_format, self.rank + 2), name=self._op_names[self.rank],
        )
        return self._finish(outputs)

    def _finish(self, outputs: Tensor) -> Tensor:
        if self.use_bias:
            if self.data_format == "channels_first" and self.rank == 1:
                outputs += array_ops.reshape(self.bias, [1, self.filters, 1])
            else:
                outputs = nn_activation.bias_add(
                    outputs, self.bias, data_format="NCHW" if self.data_format == "channels_first" else "NHWC"
                )
        return self.activation(outputs) if self.activation is not None else outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape after the convolution."""
        dims = as_shape(input_shape).as_list()
        first = self.data_format == "channels_first"
        space = dims[2:] if first else dims[1:-1]
        new = [
            conv_length(length, size, self.padding, stride, rate)
            for length, size, stride, rate in zip(space, self.kernel_size, self.strides, self.dilation_rate)
        ]
        return TensorShape([dims[0], self.filters, *new] if first else [dims[0], *new, self.filters])


class Conv1D(Conv):
    """A convolution of sequences."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(1, filters, kernel_size, *args, **kwargs)


class Conv2D(Conv):
    """A convolution of images."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(2, filters, kernel_size, *args, **kwargs)


class Conv3D(Conv):
    """A convolution of volumes."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(3, filters, kernel_size, *args, **kwargs)


class _Transpose(Conv):
    """The transpose of a convolution; its kernel has outputs before inputs."""

    def __init__(
        self, rank: int, filters: int, kernel_size: Any, strides: Any = 1, padding: str = "valid", data_format: str | None = None,
        activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None, bias_initializer: Any = Zeros,
        kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
        kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: str | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(
            rank, filters, kernel_size, strides, padding, data_format, 1, activation, use_bias, kernel_initializer,
            bias_initializer, kernel_regularizer, bias_regularizer, activity_regularizer, kernel_constraint, bias_constraint,
            trainable, name, **kwargs,
        )

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias."""
        channels = self._channels(input_shape)
        self.kernel = self.add_weight(
            "kernel", shape=[*self.kernel_size, self.filters, channels], initializer=self.kernel_initializer,
            regularizer=self.kernel_regularizer, constraint=self.kernel_constraint, trainable=True, dtype=self.dtype,
        )
        self._add_bias()
        self.built = True

    def _lengths(self, dims: Any) -> list[Any]:
        return [
            transposed_length(length, size, self.padding, stride)
            for length, size, stride in zip(dims, self.kernel_size, self.strides)
        ]

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape after the transpose of the convolution."""
        dims = as_shape(input_shape).as_list()
        first = self.data_format == "channels_first"
        space = dims[2:] if first else dims[1:-1]
        new = [None if length is None else made for length, made in zip(space, self._lengths([d or 0 for d in space]))]
        return TensorShape([dims[0], self.filters, *new] if first else [dims[0], *new, self.filters])

    def _window(self) -> list[int]:
        return [1, 1, *self.strides] if self.data_format == "channels_first" else [1, *self.strides, 1]


class Conv2DTranspose(_Transpose):
    """The transpose of a convolution of images."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(2, filters, kernel_size, *args, **kwargs)

    def call(self, inputs: Any) -> Tensor:
        """Builds the transposed convolution, the bias and the activation."""
        shape = array_ops.shape(inputs)
        batch = shape[0]  # type: ignore[index]
        first = self.data_format == "channels_first"
        known = inputs.shape.as_list()[2:] if first else inputs.shape.as_list()[1:-1]
        space = [shape[i + (2 if first else 1)] if length is None else length for i, length in enumerate(known)]  # type: ignore[index]
        new = self._lengths(space)
        whole = array_ops.stack([batch, self.filters, *new] if first else [batch, *new, self.filters])
        # TensorFlow looks at the first number again and leaves this node in the graph.
        whole[0]  # type: ignore[index]
        outputs = nn_conv.conv2d_transpose(
            inputs, self.kernel, whole, self._window(), self.padding.upper(), data_format=op_format(self.data_format, 4)
        )
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._finish(outputs)


class Conv3DTranspose(_Transpose):
    """The transpose of a convolution of volumes."""

    def __init__(self, filters: int, kernel_size: Any, *args: Any, **kwargs: Any) -> None:
        super().__init__(3, filters, kernel_size, *args, **kwargs)

    def call(self, inputs: Any) -> Tensor:
        """Builds the transposed convolution, the bias and the activation."""
        shape = array_ops.shape(inputs)
        batch = shape[0]  # type: ignore[index]
        first = self.data_format == "channels_first"
        new = self._lengths([shape[i + (2 if first else 1)] for i in range(3)])  # type: ignore[index]
        whole = array_ops.stack([batch, self.filters, *new] if first else [batch, *new, self.filters])
        outputs = nn_conv.conv3d_transpose(
            inputs, self.kernel, whole, self._window(), self.padding.upper(), data_format=op_format(self.data_format, 5)
        )
        outputs.set_shape(self.compute_output_shape(inputs.shape))
        return self._finish(outputs)
