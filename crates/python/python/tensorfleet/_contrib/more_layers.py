"""Normalization, embeddings and compositions of `tf.contrib.layers`."""

from __future__ import annotations

from typing import Any

from tensorfleet._contrib.arg_scope import add_arg_scope
from tensorfleet._contrib.layer_functions import collect_outputs, collect_variable, model_getter
from tensorfleet._contrib.variables import model_variable
from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.init_ops import Ones, Zeros
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._layers.normalization import BatchNormalization
from tensorfleet._ops import array_ops, math_ops, nn_activation, nn_embedding, nn_norm
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "batch_norm", "bias_add", "embed_sequence", "embedding_lookup_unique", "layer_norm", "one_hot_encoding", "repeat",
    "stack", "unit_norm",
]


@add_arg_scope
def batch_norm(
    inputs: Any, decay: float = 0.999, center: bool = True, scale: bool = False, epsilon: float = 0.001,
    activation_fn: Any = None, param_initializers: Any = None, param_regularizers: Any = None,
    updates_collections: Any = GraphKeys.UPDATE_OPS, is_training: Any = True, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True, batch_weights: Any = None,
    fused: bool | None = None, data_format: str = "NHWC", zero_debias_moving_mean: bool = False, scope: Any = None,
    renorm: bool = False, renorm_clipping: Any = None, renorm_decay: float = 0.99, adjustment: Any = None,
) -> Tensor:
    """Batch normalization. The updates of its averages go to a collection; with `updates_collections=None` the result waits for
    them instead."""
    if batch_weights is not None or zero_debias_moving_mean:
        raise NotImplementedError("batch_norm has no batch_weights or zero_debias_moving_mean here")
    initial, regular = param_initializers or {}, param_regularizers or {}
    with variable_scope(scope, "BatchNorm", [inputs], reuse=reuse, custom_getter=model_getter()) as sc:
        inputs = convert_to_tensor(inputs)
        layer = BatchNormalization(
            axis=1 if data_format.startswith("NC") else -1, momentum=decay, epsilon=epsilon, center=center, scale=scale,
            beta_initializer=initial.get("beta", Zeros), gamma_initializer=initial.get("gamma", Ones),
            moving_mean_initializer=initial.get("moving_mean", Zeros),
            moving_variance_initializer=initial.get("moving_variance", Ones), beta_regularizer=regular.get("beta"),
            gamma_regularizer=regular.get("gamma"), renorm=renorm, trainable=trainable, fused=fused, adjustment=adjustment,
            name=sc.name, _scope=sc, _reuse=reuse,
        )
        known = get_default_graph().get_collection_ref(GraphKeys.UPDATE_OPS)
        before = len(known)
        outputs = layer.apply(inputs, training=is_training)
        # The layer's updates go where they are asked for, which need not be the usual collection.
        del known[before:]
        for variable, kind in (
            (layer.beta, "beta"), (layer.gamma, "gamma"), (layer.moving_mean, "moving_mean"),
            (layer.moving_variance, "moving_variance"),
        ):
            collect_variable(variable, variables_collections, kind)
        if updates_collections is None:
            with get_default_graph().control_dependencies(layer.updates):
                outputs = array_ops.identity(outputs)
        else:
            for update in layer.updates:
                get_default_graph().add_to_collections(updates_collections, update)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def layer_norm(
    inputs: Any, center: bool = True, scale: bool = True, activation_fn: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True, begin_norm_axis: int = 1,
    begin_params_axis: int = -1, scope: Any = None,
) -> Tensor:
    """Each example brought to mean 0 and variance 1, then scaled and shifted."""
    with variable_scope(scope, "LayerNorm", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        rank = inputs.shape.ndims
        if rank is None:
            raise ValueError(f"the rank of {inputs.name} is unknown")
        begin_norm_axis = begin_norm_axis % rank
        params = inputs.shape[begin_params_axis:]
        if not params.is_fully_defined():
            raise ValueError(f"{inputs.name}: the shape {params} from dimension {begin_params_axis} on must be known")
        kind = inputs.dtype.base_dtype

        def weight(name: str, initializer: Any) -> Any:
            made = model_variable(
                name, shape=params, dtype=kind, initializer=initializer, trainable=trainable,
            )
            collect_variable(made, variables_collections, name)
            return made

        beta = weight("beta", Zeros()) if center else None
        gamma = weight("gamma", Ones()) if scale else None
        mean, variance = nn_norm.moments(inputs, list(range(begin_norm_axis, rank)), keep_dims=True)
        epsilon = 1e-3 if kind is dtypes.float16 else 1e-12
        outputs = nn_norm.batch_normalization(inputs, mean, variance, beta, gamma, epsilon)
        outputs.set_shape(inputs.shape)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def bias_add(
    inputs: Any, activation_fn: Any = None, initializer: Any = Zeros, regularizer: Any = None, reuse: Any = None,
    variables_collections: Any = None, outputs_collections: Any = None, trainable: bool = True, data_format: str = "NHWC",
    scope: Any = None,
) -> Tensor:
    """A vector of biases added to the last dimension, and an activation."""
    with variable_scope(scope, "BiasAdd", [inputs], reuse=reuse) as sc:
        inputs = convert_to_tensor(inputs)
        axis = 1 if data_format == "NCHW" else -1
        biases = model_variable(
            "biases", shape=[inputs.shape.as_list()[axis]], dtype=inputs.dtype.base_dtype, initializer=initializer,
            regularizer=regularizer, trainable=trainable,
        )
        collect_variable(biases, variables_collections, "biases")
        outputs = nn_activation.bias_add(inputs, biases, data_format=data_format)
        if activation_fn is not None:
            outputs = activation_fn(outputs)
        return collect_outputs(outputs_collections, sc.name, outputs)


@add_arg_scope
def one_hot_encoding(
    labels: Any, num_classes: int, on_value: float = 1.0, off_value: float = 0.0, outputs_collections: Any = None,
    scope: str | None = None,
) -> Tensor:
    """Numbers of classes as vectors with one element that is set."""
    with op_scope(scope, "OneHotEncoding", [labels]) as sc:
        labels = convert_to_tensor(labels)
        if labels.dtype.base_dtype == dtypes.int32:
            labels = math_ops.cast(labels, dtypes.int64)
        outputs = array_ops.one_hot(labels, num_classes, on_value=on_value, off_value=off_value)
        return collect_outputs(outputs_collections, sc, outputs)


@add_arg_scope
def unit_norm(inputs: Any, dim: int, epsilon: float = 1e-7, scope: Any = None) -> Tensor:
    """A tensor divided by its length along a dimension."""
    with variable_scope(scope, "UnitNorm", [inputs]):
        inputs = convert_to_tensor(inputs)
        lengths = math_ops.sqrt(epsilon + math_ops.reduce_sum(math_ops.square(inputs), dim, keepdims=True))
        return inputs / lengths


@add_arg_scope
def repeat(inputs: Any, repetitions: int, layer: Any, *args: Any, **kwargs: Any) -> Any:
    """A layer applied several times in a row, in scopes `layer_1`, `layer_2`, ..."""
    scope = kwargs.pop("scope", None)
    with variable_scope(scope, "Repeat", [inputs]):
        inputs = convert_to_tensor(inputs)
        base = scope or getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", "layer")
        for i in range(repetitions):
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{base}_{i + 1}"})
        return inputs


@add_arg_scope
def stack(inputs: Any, layer: Any, stack_args: Any, **kwargs: Any) -> Any:
    """A layer applied several times in a row, each time with other arguments."""
    scope = kwargs.pop("scope", None)
    if not isinstance(stack_args, (list, tuple)):
        raise TypeError(f"stack_args is {type(stack_args).__name__}; give a list or a tuple")
    with variable_scope(scope, "Stack", [inputs]):
        inputs = convert_to_tensor(inputs)
        base = scope or getattr(layer, "__name__", None) or getattr(getattr(layer, "func", None), "__name__", "layer")
        for i, args in enumerate(stack_args):
            args = args if isinstance(args, (list, tuple)) else [args]
            inputs = layer(inputs, *args, **{**kwargs, "scope": f"{base}_{i + 1}"})
        return inputs


def embed_sequence(
    ids: Any, vocab_size: int | None = None, embed_dim: int | None = None, unique: bool = False, initializer: Any = None,
    regularizer: Any = None, trainable: bool = True, scope: Any = None, reuse: Any = None,
) -> Tensor:
    """The rows of a table of embeddings, made here, with these numbers."""
    if not (reuse or vocab_size and embed_dim):
        raise ValueError("a new embedding needs both sizes: vocab_size is %s and embed_dim %s"
                         % (vocab_size, embed_dim))
    with variable_scope(scope, "EmbedSequence", [ids], reuse=reuse):
        shape = [vocab_size, embed_dim] if vocab_size and embed_dim else None
        table = model_variable(
            "embeddings", shape=shape, initializer=initializer, regularizer=regularizer, trainable=trainable
        )
        return nn_embedding.embedding_lookup(table, ids)


def embedding_lookup_unique(params: Any, ids: Any, partition_strategy: str = "mod", name: str | None = None) -> Tensor:
    """As `tf.nn.embedding_lookup`, which looks for each number once."""
    with op_scope(name, "EmbeddingLookupUnique", [ids]):
        ids = convert_to_tensor(ids)
        shape, flat = array_ops.shape(ids), array_ops.reshape(ids, [-1])
        unique, places = array_ops.unique(flat)
        rows = array_ops.gather(nn_embedding.embedding_lookup(params, unique, partition_strategy), places)
        made = array_ops.reshape(rows, array_ops.concat([shape, array_ops.shape(rows)[1:]], 0))
        made.set_shape(ids.shape.concatenate(rows.shape[1:]))
        return made
