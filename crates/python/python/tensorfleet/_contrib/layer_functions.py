"""Layers of `tf.contrib.layers`: dense, convolutional and pooling ones, with variables `weights` and `biases`."""

from __future__ import annotations

import functools
from typing import Any, Callable

from tensorfleet._contrib.arg_scope import add_arg_scope
from tensorfleet._contrib.regularizers import xavier_initializer
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.init_ops import Zeros
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._layers import convolution as conv
from tensorfleet._layers import core, pooling
from tensorfleet._layers.separable import SeparableConv2D
from tensorfleet._ops import nn_activation
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "avg_pool2d", "avg_pool3d", "conv1d", "conv2d", "conv2d_transpose", "conv3d", "conv3d_transpose",
    "convolution", "convolution2d", "convolution2d_transpose", "convolution3d", "dropout", "flatten", "fully_connected", "linear",
    "max_pool2d", "max_pool3d", "relu", "relu6", "separable_conv2d", "separable_convolution2d", "softmax",
]


def model_getter(rename: dict[str, str] | None = None) -> Callable[..., Any]:
    """A getter that puts variables among those of the model and gives them other short names."""

    def getter(getter: Any, name: str, *args: Any, **kwargs: Any) -> Any:
        head, slash, short = name.rpartition("/")
        name = head + slash + (rename or {}).get(short, short)
        collections = list(kwargs.pop("collections", None) or [])
        kwargs["collections"] = list(dict.fromkeys([*collections, GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]))
        return getter(name, *args, **kwargs)

    return getter


def collect_variable(variable: Any, collections: Any, kind: str) -> None:
    """Adds a layer's variable to the collections that were asked for: a list, or a dict by the kind of variable."""
    names = collections.get(kind) if isinstance(collections, dict) else collections
    if names and variable is not None:
        get_default_graph().add_to_collections(names, variable)


def aliases_of(tensor: Tensor) -> list[str]:
    """The names under which layers put a tensor into collections."""
    return tensor.graph._kept.setdefault("aliases", {}).setdefault(tensor, [])


def collect_outputs(collections: Any, alias: str, outputs: Tensor) -> Tensor:
    """Adds a layer's output to collections, under its scope's name."""
    if collections:
        aliases_of(outputs).append(alias)
        get_default_graph().add_to_collections(collections, outputs)
    return outputs


def _finished(
    layer: Any, outputs: Tensor, normalizer_fn: Any, normalizer_params: Any, activation_fn: Any, variables_collections: Any,
    outputs_collections: Any, scope: Any, kernels: dict[str, str],
) -> Tensor:
    for attribute, kind in kernels.items():
        collect_variable(getattr(layer, attribute), variables_collections, kind)
    collect_variable(layer.bias, variables_collections, "biases")
    if normalizer_fn is not None:
        outputs = normalizer_fn(outputs, **(normalizer_params or {}))
    if activation_fn is not None:
        outputs = activation_fn(outputs)
    return collect_outputs(outputs_collections, scope.name, outputs)


@add_arg_scope
def fully_connected(
    inputs: Any, num_outputs: int, activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = None, weights_regularizer: Any = None,
    biases_initializer: Any = Zeros, biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None,
    outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Tensor:
    """`activation_fn(inputs @ weights + biases)`; a normalizer takes the place of the biases."""
    if not isinstance(num_outputs, int):
        raise ValueError(f"num_outputs is {num_outputs!r}; give a whole number")
    getter = model_getter({"bias": "biases", "kernel": "weights"})
    with variable_scope(scope, "fully_connected", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        layer = core.Dense(
            units=num_outputs, activation=None, use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer or xavier_initializer(), bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable, name=sc.name,
            dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        return _finished(
            layer, outputs, normalizer_fn, normalizer_params, activation_fn, variables_collections, outputs_collections, sc,
            {"kernel": "weights"},
        )


relu = functools.partial(fully_connected, activation_fn=nn_activation.relu)
relu6 = functools.partial(fully_connected, activation_fn=nn_activation.relu6)
linear = functools.partial(fully_connected, activation_fn=None)


def _layout(data_format: str | None) -> str:
    if data_format not in (None, "NWC", "NCW", "NHWC", "NCHW", "NDHWC", "NCDHW"):
        raise ValueError(f"data_format is {data_format!r}; it can be NWC, NCW, NHWC, NCHW, NDHWC or NCDHW")
    return "channels_first" if data_format and data_format.startswith("NC") else "channels_last"


@add_arg_scope
def convolution(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: str | None = None,
    rate: Any = 1, activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = Zeros,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, scope: Any = None, conv_dims: int | None = None,
) -> Tensor:
    """A convolution over as many dimensions as the inputs have, with an activation."""
    getter = model_getter({"bias": "biases", "kernel": "weights"})
    with variable_scope(scope, "Conv", [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if conv_dims is not None and rank is not None and conv_dims + 2 != rank:
            raise ValueError(f"this convolution is of {conv_dims + 2} dimensions, but its input has {rank}")
        kinds = {3: conv.Conv1D, 4: conv.Conv2D, 5: conv.Conv3D}
        if rank not in kinds:
            raise ValueError(f"there is no convolution of inputs with {rank} dimensions")
        layer = kinds[rank](
            filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding, data_format=_layout(data_format),
            dilation_rate=rate, activation=None, use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer or xavier_initializer(), bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable, name=sc.name,
            dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        return _finished(
            layer, outputs, normalizer_fn, normalizer_params, activation_fn, variables_collections, outputs_collections, sc,
            {"kernel": "weights"},
        )


@add_arg_scope
def convolution1d(inputs: Any, num_outputs: int, kernel_size: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A convolution of sequences."""
    return convolution(inputs, num_outputs, kernel_size, *args, conv_dims=1, **kwargs)


@add_arg_scope
def convolution2d(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: str | None = None,
    rate: Any = 1, activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = Zeros,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, scope: Any = None,
) -> Tensor:
    """A convolution of images, with an activation and variables `Conv/weights` and `Conv/biases`."""
    return convolution(
        inputs, num_outputs, kernel_size, stride, padding, data_format, rate, activation_fn, normalizer_fn, normalizer_params,
        weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse, variables_collections,
        outputs_collections, trainable, scope, conv_dims=2,
    )


@add_arg_scope
def convolution3d(inputs: Any, num_outputs: int, kernel_size: Any, *args: Any, **kwargs: Any) -> Tensor:
    """A convolution of volumes."""
    return convolution(inputs, num_outputs, kernel_size, *args, conv_dims=3, **kwargs)


def _transposed(
    kind: Any, scope_name: str, inputs: Any, num_outputs: int, kernel_size: Any, stride: Any, padding: str, data_format: str,
    activation_fn: Any, normalizer_fn: Any, normalizer_params: Any, weights_initializer: Any, weights_regularizer: Any,
    biases_initializer: Any, biases_regularizer: Any, reuse: Any, variables_collections: Any, outputs_collections: Any,
    trainable: bool, scope: Any,
) -> Tensor:
    getter = model_getter({"bias": "biases", "kernel": "weights"})
    with variable_scope(scope, scope_name, [inputs], reuse=reuse, custom_getter=getter) as sc:
        inputs = convert_to_tensor(inputs)
        layer = kind(
            filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding, data_format=_layout(data_format),
            activation=None, use_bias=normalizer_fn is None and biases_initializer is not None,
            kernel_initializer=weights_initializer or xavier_initializer(), bias_initializer=biases_initializer,
            kernel_regularizer=weights_regularizer, bias_regularizer=biases_regularizer, trainable=trainable, name=sc.name,
            dtype=inputs.dtype.base_dtype, _scope=sc, _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        return _finished(
            layer, outputs, normalizer_fn, normalizer_params, activation_fn, variables_collections, outputs_collections, sc,
            {"kernel": "weights"},
        )


@add_arg_scope
def convolution2d_transpose(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: str = "NHWC",
    activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = Zeros,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, scope: Any = None,
) -> Tensor:
    """The transpose of a convolution of images."""
    return _transposed(
        conv.Conv2DTranspose, "Conv2d_transpose", inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn,
        normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope,
    )


@add_arg_scope
def convolution3d_transpose(
    inputs: Any, num_outputs: int, kernel_size: Any, stride: Any = 1, padding: str = "SAME", data_format: str = "NDHWC",
    activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None, normalizer_params: Any = None,
    weights_initializer: Any = None, weights_regularizer: Any = None, biases_initializer: Any = Zeros,
    biases_regularizer: Any = None, reuse: Any = None, variables_collections: Any = None, outputs_collections: Any = None,
    trainable: bool = True, scope: Any = None,
) -> Tensor:
    """The transpose of a convolution of volumes."""
    return _transposed(
        conv.Conv3DTranspose, "Conv3d_transpose", inputs, num_outputs, kernel_size, stride, padding, data_format, activation_fn,
        normalizer_fn, normalizer_params, weights_initializer, weights_regularizer, biases_initializer, biases_regularizer, reuse,
        variables_collections, outputs_collections, trainable, scope,
    )


@add_arg_scope
def separable_convolution2d(
    inputs: Any, num_outputs: int | None, kernel_size: Any, depth_multiplier: int = 1, stride: Any = 1, padding: str = "SAME",
    data_format: str = "NHWC", rate: Any = 1, activation_fn: Any = nn_activation.relu, normalizer_fn: Any = None,
    normalizer_params: Any = None, weights_initializer: Any = None, pointwise_initializer: Any = None,
    weights_regularizer: Any = None, biases_initializer: Any = Zeros, biases_regularizer: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True, scope: Any = None,
) -> Tensor:
    """A separable convolution of images, with variables `depthwise_weights` and `pointwise_weights`."""
    if num_outputs is None:
        raise NotImplementedError("separable_conv2d without num_outputs is not here: use tf.nn.depthwise_conv2d")
    names = {"bias": "biases", "depthwise_kernel": "depthwise_weights", "pointwise_kernel": "pointwise_weights"}
    with variable_scope(scope, "SeparableConv2d", [inputs], reuse=reuse, custom_getter=model_getter(names)) as sc:
        inputs = convert_to_tensor(inputs)
        initial = weights_initializer or xavier_initializer()
        layer = SeparableConv2D(
            filters=num_outputs, kernel_size=kernel_size, strides=stride, padding=padding, data_format=_layout(data_format),
            dilation_rate=rate, activation=None, depth_multiplier=depth_multiplier,
            use_bias=normalizer_fn is None and biases_initializer is not None, depthwise_initializer=initial,
            pointwise_initializer=pointwise_initializer or initial, bias_initializer=biases_initializer,
            depthwise_regularizer=weights_regularizer, pointwise_regularizer=weights_regularizer,
            bias_regularizer=biases_regularizer, trainable=trainable, name=sc.name, dtype=inputs.dtype.base_dtype, _scope=sc,
            _reuse=reuse,
        )
        outputs = layer.apply(inputs)
        return _finished(
            layer, outputs, normalizer_fn, normalizer_params, activation_fn, variables_collections, outputs_collections, sc,
            {"depthwise_kernel": "weights", "pointwise_kernel": "weights"},
        )


conv1d, conv2d, conv3d = convolution1d, convolution2d, convolution3d
conv2d_transpose, conv3d_transpose = convolution2d_transpose, convolution3d_transpose
separable_conv2d = separable_convolution2d


def _pool(kind: Any, scope_name: str, inputs: Any, kernel_size: Any, stride: Any, padding: str, data_format: str,
          outputs_collections: Any, scope: str | None) -> Tensor:
    with op_scope(scope, scope_name, [inputs]) as sc:
        inputs = convert_to_tensor(inputs)
        layer = kind(
            pool_size=kernel_size, strides=stride, padding=padding, data_format=_layout(data_format), _scope=sc
        )
        return collect_outputs(outputs_collections, sc, layer.apply(inputs))


@add_arg_scope
def max_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: str = "NHWC",
    outputs_collections: Any = None, scope: str | None = None,
) -> Tensor:
    """The largest element of each window of images."""
    return _pool(
        pooling.MaxPooling2D, "MaxPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope
    )


@add_arg_scope
def avg_pool2d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: str = "NHWC",
    outputs_collections: Any = None, scope: str | None = None,
) -> Tensor:
    """The mean of each window of images."""
    return _pool(
        pooling.AveragePooling2D, "AvgPool2D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope
    )


@add_arg_scope
def max_pool3d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: str = "NDHWC",
    outputs_collections: Any = None, scope: str | None = None,
) -> Tensor:
    """The largest element of each window of volumes."""
    return _pool(
        pooling.MaxPooling3D, "MaxPool3D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope
    )


@add_arg_scope
def avg_pool3d(
    inputs: Any, kernel_size: Any, stride: Any = 2, padding: str = "VALID", data_format: str = "NDHWC",
    outputs_collections: Any = None, scope: str | None = None,
) -> Tensor:
    """The mean of each window of volumes."""
    return _pool(
        pooling.AveragePooling3D, "AvgPool3D", inputs, kernel_size, stride, padding, data_format, outputs_collections, scope
    )


@add_arg_scope
def dropout(
    inputs: Any, keep_prob: Any = 0.5, noise_shape: Any = None, is_training: Any = True, outputs_collections: Any = None,
    scope: Any = None, seed: int | None = None,
) -> Tensor:
    """Dropout while training, else a copy."""
    with variable_scope(scope, "Dropout", [inputs], custom_getter=model_getter()) as sc:
        inputs = convert_to_tensor(inputs)
        layer = core.Dropout(rate=1 - keep_prob, noise_shape=noise_shape, seed=seed, name=sc.name, _scope=sc)
        return collect_outputs(outputs_collections, sc.name, layer.apply(inputs, training=is_training))


@add_arg_scope
def flatten(inputs: Any, outputs_collections: Any = None, scope: str | None = None) -> Tensor:
    """All dimensions but the first made one."""
    with op_scope(scope, "Flatten", [inputs]) as sc:
        return collect_outputs(outputs_collections, sc, core.flatten(convert_to_tensor(inputs)))


@add_arg_scope
def softmax(logits: Any, scope: str | None = None) -> Tensor:
    """The softmax along the last dimension."""
    from tensorfleet._ops import array_ops

    with variable_scope(scope, "softmax", [logits]):
        logits = convert_to_tensor(logits)
        flat = array_ops.reshape(logits, [-1, logits.shape.as_list()[-1]])
        made = array_ops.reshape(nn_activation.softmax(flat), array_ops.shape(logits))
        made.set_shape(logits.shape)
        return made
