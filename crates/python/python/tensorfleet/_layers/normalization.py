"""Batch normalization as a layer."""

from __future__ import annotations

import functools
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.init_ops import Ones, Zeros
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._layers.layer import InputSpec, Layer, smart_cond, static_bool
from tensorfleet._ops import array_ops, math_ops, nn_norm


class BatchNormalization(Layer):
    """Each channel brought to mean 0 and variance 1, of the batch while training and of all batches so far otherwise, then
    scaled and shifted. The operations that keep the averages are in the collection UPDATE_OPS."""

    def __init__(
        self, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
        beta_initializer: Any = Zeros, gamma_initializer: Any = Ones, moving_mean_initializer: Any = Zeros,
        moving_variance_initializer: Any = Ones, beta_regularizer: Any = None, gamma_regularizer: Any = None,
        beta_constraint: Any = None, gamma_constraint: Any = None, renorm: bool = False, renorm_clipping: Any = None,
        renorm_momentum: float = 0.99, fused: bool | None = None, trainable: bool = True, virtual_batch_size: int | None = None,
        adjustment: Any = None, name: str | None = None, **kwargs: Any,
    ) -> None:
        super().__init__(trainable=trainable, name=name, **kwargs)
        if renorm or virtual_batch_size is not None or adjustment is not None:
            raise NotImplementedError("batch normalization has no renorm, virtual_batch_size or adjustment here")
        self.axis = list(axis) if isinstance(axis, (list, tuple)) else axis
        self.momentum, self.epsilon, self.center, self.scale, self.fused = momentum, epsilon, center, scale, fused
        self.beta_initializer, self.gamma_initializer = beta_initializer, gamma_initializer
        self.moving_mean_initializer, self.moving_variance_initializer = moving_mean_initializer, moving_variance_initializer
        self.beta_regularizer, self.gamma_regularizer = beta_regularizer, gamma_regularizer
        self.beta_constraint, self.gamma_constraint = beta_constraint, gamma_constraint
        self.gamma: Any = None
        self.beta: Any = None

    def build(self, input_shape: Any) -> None:
        """Makes the scale, the shift and the averages."""
        shape = as_shape(input_shape)
        if shape.ndims is None:
            raise ValueError(f"Input has undefined rank: {shape}")
        axes = [self.axis] if isinstance(self.axis, int) else list(self.axis)
        axes = [axis + shape.ndims if axis < 0 else axis for axis in axes]
        if any(not 0 <= axis < shape.ndims for axis in axes) or len(set(axes)) != len(axes):
            raise ValueError(f"Invalid axis: {self.axis} for an input of {shape.ndims} dimensions")
        self.axis = axes
        if self.fused is None:
            self.fused = shape.ndims == 4 and axes in ([1], [3])
        elif self.fused and shape.ndims != 4:
            raise ValueError(f"Fused batch normalization takes 4 dimensions, not {shape.ndims}")
        dims = shape.as_list()
        if any(dims[axis] is None for axis in axes):
            raise ValueError(f"Input has undefined `axis` dimension. Input shape: {shape}")
        self.input_spec = InputSpec(ndim=shape.ndims, axes={axis: dims[axis] for axis in axes})
        small = self.dtype in (dtypes.float16, dtypes.bfloat16)
        kind = dtypes.float32 if small else self.dtype or dtypes.float32
        sizes = [dims[axes[0]]] if len(axes) == 1 else [dims[i] if i in axes else 1 for i in range(len(dims))]
        if self.scale:
            self.gamma = self.add_weight(
                "gamma", shape=sizes, dtype=kind, initializer=self.gamma_initializer, regularizer=self.gamma_regularizer,
                constraint=self.gamma_constraint, trainable=True,
            )
        elif self.fused:
            self._gamma_const = constant(1.0, dtype=kind, shape=sizes)
        if self.center:
            self.beta = self.add_weight(
                "beta", shape=sizes, dtype=kind, initializer=self.beta_initializer, regularizer=self.beta_regularizer,
                constraint=self.beta_constraint, trainable=True,
            )
        elif self.fused:
            self._beta_const = constant(0.0, dtype=kind, shape=sizes)
        self.moving_mean = self.add_weight(
            "moving_mean", shape=sizes, dtype=kind, initializer=self.moving_mean_initializer, trainable=False
        )
        self.moving_variance = self.add_weight(
            "moving_variance", shape=sizes, dtype=kind, initializer=self.moving_variance_initializer, trainable=False
        )
        super().build(input_shape)

    def _moved(self, variable: Any, value: Any, momentum: Any) -> Any:
        """The operation that moves an average towards a value."""
        graph = get_default_graph()
        with graph.name_scope("AssignMovingAvg") as scope, graph.colocate_with(variable.op):
            decay = convert_to_tensor(1.0 - momentum, name="decay")
            if decay.dtype.base_dtype != variable.dtype.base_dtype:
                decay = math_ops.cast(decay, variable.dtype.base_dtype)
            delta = (variable - math_ops.cast(value, variable.dtype.base_dtype)) * decay
            return variable.assign_sub(delta, name=scope)

    def _fused(self, inputs: Tensor, training: Any) -> Tensor:
        layout = "NCHW" if self.axis == [1] else "NHWC"
        beta = self.beta if self.center else self._beta_const
        gamma = self.gamma if self.scale else self._gamma_const

        def train() -> Any:
            return nn_norm.fused_batch_norm(inputs, gamma, beta, epsilon=self.epsilon, data_format=layout)

        def infer() -> Any:
            return nn_norm.fused_batch_norm(
                inputs, gamma, beta, mean=self.moving_mean, variance=self.moving_variance, epsilon=self.epsilon,
                is_training=False, data_format=layout,
            )

        output, mean, variance = smart_cond(training, train, infer)
        known = static_bool(training)
        if known is None:
            momentum = smart_cond(training, lambda: constant(self.momentum), lambda: constant(1.0))
        else:
            momentum = convert_to_tensor(self.momentum)
        if known is not False:
            self.add_update(self._moved(self.moving_mean, mean, momentum), inputs)
            self.add_update(self._moved(self.moving_variance, variance, momentum), inputs)
        return output

    def call(self, inputs: Any, training: Any = False) -> Tensor:
        """Builds the normalization and, while training, the updates of the averages."""
        if self.fused:
            return self._fused(inputs, training)
        dims = inputs.shape.as_list()
        reduced = [i for i in range(len(dims)) if i not in self.axis]
        wide = [dims[i] if i in self.axis else 1 for i in range(len(dims))]

        def spread(value: Any) -> Any:
            if value is not None and value.shape.ndims != len(dims) and reduced != list(range(len(dims) - 1)):
                return array_ops.reshape(value, wide)
            return value

        known = static_bool(training)
        if known is False:
            mean, variance = self.moving_mean, self.moving_variance
        else:
            mean, variance = nn_norm.moments(inputs, reduced, keep_dims=len(self.axis) > 1)
            batch_mean, batch_variance = mean, variance
            mean = smart_cond(training, lambda: batch_mean, lambda: convert_to_tensor(self.moving_mean))
            variance = smart_cond(training, lambda: batch_variance, lambda: convert_to_tensor(self.moving_variance))
            for average, value in ((self.moving_mean, mean), (self.moving_variance, variance)):
                self.add_update(
                    smart_cond(
                        training, functools.partial(self._moved, average, value, self.momentum),
                        functools.partial(convert_to_tensor, average),
                    ),
                    inputs,
                )
        kind = inputs.dtype.base_dtype
        mean, variance = convert_to_tensor(mean), convert_to_tensor(variance)
        if mean.dtype.base_dtype != kind:
            mean, variance = math_ops.cast(mean, kind), math_ops.cast(variance, kind)
        outputs = nn_norm.batch_normalization(
            inputs, spread(mean), spread(variance), _as(spread(self.beta), kind), _as(spread(self.gamma), kind), self.epsilon
        )
        outputs.set_shape(inputs.shape)
        return outputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The input's shape."""
        return as_shape(input_shape)


def _as(value: Any, kind: Any) -> Any:
    if value is None or value.dtype.base_dtype == kind:
        return value
    return one("Cast", value, DstT=kind)


def batch_normalization(
    inputs: Any, axis: Any = -1, momentum: float = 0.99, epsilon: float = 1e-3, center: bool = True, scale: bool = True,
    beta_initializer: Any = Zeros, gamma_initializer: Any = Ones, moving_mean_initializer: Any = Zeros,
    moving_variance_initializer: Any = Ones, beta_regularizer: Any = None, gamma_regularizer: Any = None,
    beta_constraint: Any = None, gamma_constraint: Any = None, training: Any = False, trainable: bool = True,
    name: str | None = None, reuse: Any = None, renorm: bool = False, renorm_clipping: Any = None, renorm_momentum: float = 0.99,
    fused: bool | None = None, virtual_batch_size: int | None = None, adjustment: Any = None,
) -> Tensor:
    """Batch normalization. The operations that keep the averages are in the collection UPDATE_OPS: make the training operation
    depend on them.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     y = tf.layers.batch_normalization(tf.ones([2, 3]), training=True)
    ...     len(tf.get_collection(tf.GraphKeys.UPDATE_OPS))
    2
    """
    layer = BatchNormalization(
        axis, momentum, epsilon, center, scale, beta_initializer, gamma_initializer, moving_mean_initializer,
        moving_variance_initializer, beta_regularizer, gamma_regularizer, beta_constraint, gamma_constraint, renorm,
        renorm_clipping, renorm_momentum, fused, trainable, virtual_batch_size, adjustment, name, _scope=name, _reuse=reuse,
    )
    return layer(inputs, training=training)
