"""Dense layers, dropout and flattening."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant
from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.init_ops import Zeros
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._layers.layer import InputSpec, Layer, smart_cond
from tensorfleet._ops import array_ops, math_ops, nn_activation


class Dense(Layer):
    """`activation(inputs @ kernel + bias)`."""

    def __init__(
        self, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
        bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None,
        activity_regularizer: Any = None, kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True,
        name: str | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, activity_regularizer=activity_regularizer, **kwargs)
        self.units, self.activation, self.use_bias = int(units), activation, use_bias
        self.kernel_initializer, self.bias_initializer = kernel_initializer, bias_initializer
        self.kernel_regularizer, self.bias_regularizer = kernel_regularizer, bias_regularizer
        self.kernel_constraint, self.bias_constraint = kernel_constraint, bias_constraint
        self.kernel: Any = None
        self.bias: Any = None
        self.input_spec = InputSpec(min_ndim=2)

    def build(self, input_shape: Any) -> None:
        """Makes kernel and bias."""
        last = as_shape(input_shape)[-1].value
        if last is None:
            raise ValueError("the last dimension of what Dense is given is unknown, but the kernel's shape needs it")
        self.input_spec = InputSpec(min_ndim=2, axes={-1: last})
        self.kernel = self.add_weight(
            "kernel", shape=[last, self.units], initializer=self.kernel_initializer, regularizer=self.kernel_regularizer,
            constraint=self.kernel_constraint, dtype=self.dtype, trainable=True,
        )
        if self.use_bias:
            self.bias = self.add_weight(
                "bias", shape=[self.units], initializer=self.bias_initializer, regularizer=self.bias_regularizer,
                constraint=self.bias_constraint, dtype=self.dtype, trainable=True,
            )
        super().build(input_shape)

    def call(self, inputs: Any) -> Tensor:
        """Builds the product, the sum and the activation."""
        rank = inputs.shape.ndims
        if rank is not None and rank > 2:
            outputs = math_ops.tensordot(inputs, self.kernel, [[rank - 1], [0]])
            outputs.set_shape(inputs.shape.as_list()[:-1] + [self.units])
        else:
            outputs = one("MatMul", inputs, self.kernel)
        if self.use_bias:
            outputs = nn_activation.bias_add(outputs, self.bias)
        return self.activation(outputs) if self.activation is not None else outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The input's shape with `units` as its last dimension."""
        return as_shape(input_shape)[:-1].concatenate(self.units)


class Dropout(Layer):
    """While training, elements are zero with a probability and the others grow so that the mean stays."""

    def __init__(
        self, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, name: str | None = None, **kwargs: Any
    ) -> None:
        super().__init__(name=name, **kwargs)
        self.rate, self.noise_shape, self.seed = rate, noise_shape, seed

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """Builds dropout if `training`, else a copy."""
        return smart_cond(
            training,
            lambda: nn_activation.dropout(inputs, rate=self.rate, noise_shape=self.noise_shape, seed=self.seed),
            lambda: array_ops.identity(inputs),
        )

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The input's shape."""
        return as_shape(input_shape)


class Flatten(Layer):
    """All dimensions but the first made one."""

    def __init__(self, data_format: str | None = None, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.data_format = data_format or "channels_last"
        self.input_spec = InputSpec(min_ndim=1)

    def call(self, inputs: Any) -> Tensor:
        """Builds the change of shape."""
        rank = inputs.shape.ndims
        if self.data_format == "channels_first" and rank is not None and rank > 1:
            inputs = array_ops.transpose(inputs, [0, *range(2, rank), 1])
        if rank == 1:
            return array_ops.expand_dims(inputs, 1)
        dims = inputs.shape.as_list()
        if None not in dims[1:]:
            inner = 1
            for dim in dims[1:]:
                inner *= dim
            return array_ops.reshape(inputs, constant([-1, inner], dtypes.int32))
        return array_ops.reshape(inputs, [array_ops.shape(inputs)[0], -1])

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """Two dimensions: the first, and the product of the others."""
        dims = as_shape(input_shape).as_list()
        inner: int | None = 1
        for dim in dims[1:]:
            inner = None if dim is None or inner is None else inner * dim
        return TensorShape([dims[0], inner])


def dense(
    inputs: Any, units: int, activation: Any = None, use_bias: bool = True, kernel_initializer: Any = None,
    bias_initializer: Any = Zeros, kernel_regularizer: Any = None, bias_regularizer: Any = None, activity_regularizer: Any = None,
    kernel_constraint: Any = None, bias_constraint: Any = None, trainable: bool = True, name: str | None = None, reuse: Any = None,
) -> Tensor:
    """`activation(inputs @ kernel + bias)`, with variables `dense/kernel` and `dense/bias`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.dense(tf.ones([2, 3]), 4).shape.as_list()
    [2, 4]
    """
    layer = Dense(
        units, activation, use_bias, kernel_initializer, bias_initializer, kernel_regularizer, bias_regularizer,
        activity_regularizer, kernel_constraint, bias_constraint, trainable, name, _scope=name, _reuse=reuse,
    )
    return layer(inputs)


def dropout(
    inputs: Any, rate: Any = 0.5, noise_shape: Any = None, seed: int | None = None, training: Any = False, name: str | None = None
) -> Tensor:
    """Dropout while `training`, which may be a tensor; else a copy of the input."""
    return Dropout(rate, noise_shape=noise_shape, seed=seed, name=name)(inputs, training=training)


def flatten(inputs: Any, name: str | None = None, data_format: str = "channels_last") -> Tensor:
    """All dimensions but the first made one.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     tf.layers.flatten(tf.ones([2, 3, 4])).shape.as_list()
    [2, 12]
    """
    return Flatten(data_format=data_format, name=name)(inputs)
