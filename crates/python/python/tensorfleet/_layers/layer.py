"""What all layers have in common: a name, a variable scope, weights, losses and updates."""

from __future__ import annotations

import re
from typing import Any, Callable

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Tensor, get_default_graph, graph_of
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._framework.variable_scope import get_variable, variable_scope
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops import array_ops, math_ops


def snake_case(name: str) -> str:
    """The name of a class as variables have it.

    >>> snake_case("MaxPooling2D"), snake_case("BasicLSTMCell")
    ('max_pooling2d', 'basic_lstm_cell')
    """
    name = re.sub("(.)([A-Z][a-z0-9]+)", r"\1_\2", name)
    name = re.sub("([a-z])([A-Z])", r"\1_\2", name).lower()
    return name if name[0] != "_" else "private" + name


def smart_cond(pred: Any, true_fn: Callable[[], Any], false_fn: Callable[[], Any], name: str | None = None) -> Any:
    """What one of two functions gives: chosen now if `pred` is known, else when a step runs."""
    from tensorfleet._ops import control_flow

    known = static_bool(pred)
    if known is not None:
        return true_fn() if known else false_fn()
    return control_flow.cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)


def static_bool(pred: Any) -> bool | None:
    """The value of a condition if it is known while the graph is built."""
    if isinstance(pred, (bool, int)):
        return bool(pred)
    if hasattr(pred, "_as_graph_element") and not isinstance(pred, Tensor):
        return None
    value = constant_value(pred)
    return None if value is None else bool(value)


class InputSpec:
    """What a layer expects of its input."""

    def __init__(
        self, dtype: Any = None, shape: Any = None, ndim: int | None = None, max_ndim: int | None = None,
        min_ndim: int | None = None, axes: dict[int, int] | None = None,
    ) -> None:
        self.dtype, self.shape, self.ndim = dtype, shape, ndim if shape is None else len(shape)
        self.max_ndim, self.min_ndim, self.axes = max_ndim, min_ndim, axes or {}

    def check(self, layer: str, shape: TensorShape) -> None:
        """Raises ValueError if an input of this shape does not fit."""
        ndims = shape.ndims
        if ndims is None:
            if self.ndim is not None or self.min_ndim is not None:
                raise ValueError(f"Input to layer {layer} must have a known number of dimensions")
            return
        if self.ndim is not None and ndims != self.ndim:
            raise ValueError(
                f"layer {layer}: expected ndim={self.ndim}, found ndim={ndims} in an input of shape {shape.as_list()}"
            )
        if self.min_ndim is not None and ndims < self.min_ndim or self.max_ndim is not None and ndims > self.max_ndim:
            raise ValueError(
                f"layer {layer}: expected min_ndim={self.min_ndim}, max_ndim={self.max_ndim}, found ndim={ndims} in an "
                f"input of shape {shape.as_list()}"
            )
        for axis, wanted in self.axes.items():
            found = shape.as_list()[axis]
            if wanted is not None and found not in (wanted, None):
                raise ValueError(
                    f"layer {layer}: axis {axis} of its input is {wanted}, but an input of shape {shape.as_list()} came"
                )


class Layer:
    """A layer: `build` makes its weights at the first call, `call` builds its operations.

    >>> import tensorfleet.v1 as tf
    >>> class Scale(tf.layers.Layer):
    ...     def build(self, shape):
    ...         self.factor = self.add_weight("factor", [], initializer=tf.ones_initializer())
    ...         super().build(shape)
    ...     def call(self, x):
    ...         return x * self.factor
    >>> with tf.Graph().as_default():
    ...     layer = Scale()
    ...     y = layer(tf.constant(2.0))
    ...     layer.factor.name
    'scale/factor:0'
    """

    def __init__(self, trainable: bool = True, name: str | None = None, dtype: Any = None, **kwargs: Any) -> None:
        scope, reuse = kwargs.pop("_scope", None), kwargs.pop("_reuse", None)
        self._activity_regularizer = kwargs.pop("activity_regularizer", None)
        if kwargs:
            raise TypeError(f"{type(self).__name__} does not know the arguments {sorted(kwargs)}")
        self.trainable, self.built = trainable, False
        self._dtype: DType | None = None if dtype is None else dtypes.as_dtype(dtype).base_dtype
        self._base_name = name or snake_case(type(self).__name__)
        self._name = name or self._base_name
        self._given_name = name
        self._reuse, self._graph, self._scope = reuse, get_default_graph(), None
        self._trainable_weights: list[Any] = []
        self._non_trainable_weights: list[Any] = []
        self._updates: list[Any] = []
        self._losses: list[Any] = []
        self._calls = 0
        self._input: Any = None
        self._output: Any = None
        self.input_spec: InputSpec | None = None
        if scope:
            with variable_scope(scope) as captured:
                self._scope = captured

    # What it is called

    @property
    def name(self) -> str:
        """The layer's name."""
        return self._name

    @property
    def dtype(self) -> DType | None:
        """The element type of its weights."""
        return self._dtype

    @property
    def graph(self) -> Graph:
        """The graph that it builds in."""
        return self._graph

    @property
    def scope_name(self) -> str:
        """The prefix of its weights' names."""
        if self._scope is None:
            raise ValueError(f'layer "{self._name}" gets its scope when it is first called, and it has not been')
        return self._scope.name

    # Weights, losses and updates

    @property
    def trainable_weights(self) -> list[Any]:
        """The weights that optimizers change."""
        return list(self._trainable_weights) if self.trainable else []

    @property
    def non_trainable_weights(self) -> list[Any]:
        """The weights that optimizers leave alone."""
        return list(self._non_trainable_weights) if self.trainable else self._trainable_weights + self._non_trainable_weights

    @property
    def weights(self) -> list[Any]:
        """All weights."""
        return self.trainable_weights + self.non_trainable_weights

    @property
    def variables(self) -> list[Any]:
        """All weights."""
        return self.weights

    @property
    def trainable_variables(self) -> list[Any]:
        """The weights that optimizers change."""
        return self.trainable_weights

    @property
    def non_trainable_variables(self) -> list[Any]:
        """The weights that optimizers leave alone."""
        return self.non_trainable_weights

    @property
    def updates(self) -> list[Any]:
        """The operations that training steps should run besides."""
        return self._updates

    @property
    def losses(self) -> list[Any]:
        """The losses of regularizers."""
        return self._losses

    @property
    def activity_regularizer(self) -> Any:
        """The function whose value of the layer's output is a loss."""
        return self._activity_regularizer

    @property
    def input(self) -> Any:
        """What the layer was called with."""
        if self._calls != 1:
            raise AttributeError(f"The layer {self._name} was called {self._calls} times: it has no single input.")
        return self._input

    @property
    def output(self) -> Any:
        """What the layer gave."""
        if self._calls != 1:
            raise AttributeError(f"The layer {self._name} was called {self._calls} times: it has no single output.")
        return self._output

    @property
    def input_shape(self) -> tuple[Any, ...]:
        """The shape of what the layer was called with."""
        return tuple(self.input.shape.as_list())

    @property
    def output_shape(self) -> tuple[Any, ...]:
        """The shape of what the layer gave."""
        return tuple(self.output.shape.as_list())

    def count_params(self) -> int:
        """How many numbers its weights are."""
        if not self.built:
            raise ValueError(f"layer {self._name} has no weights to count before it is built")
        return sum(weight.shape.num_elements() for weight in self.weights)

    def add_weight(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        trainable: bool | None = None,
        constraint: Any = None,
        use_resource: bool | None = None,
        partitioner: Any = None,
        **_: Any,
    ) -> Any:
        """A new weight in the layer's scope, or the one that is there."""
        dtype = dtypes.as_dtype(dtype or self._dtype or dtypes.float32).base_dtype
        trainable = True if trainable is None else trainable
        reuse = self.built or self._reuse
        known = set(get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES))
        self._set_scope()
        with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
            with get_default_graph().name_scope(self._name_scope_name(scope) or None):
                weight = get_variable(
                    name, shape, dtype, initializer=initializer if initializer is not None else scope.initializer,
                    constraint=constraint, trainable=trainable and self.trainable, use_resource=use_resource,
                    partitioner=partitioner,
                )
                parts = list(weight) if not hasattr(weight, "initializer") and hasattr(weight, "__iter__") else [weight]
                if regularizer is not None and not any(part in known for part in parts):
                    self._regularize(name, parts, regularizer)
        (self._trainable_weights if trainable else self._non_trainable_weights).append(weight)
        return weight

    add_variable = add_weight

    def _regularize(self, name: str, parts: list[Any], regularizer: Any) -> None:
        graph = get_default_graph()
        for part in parts:
            with graph.name_scope(f"{name}/Regularizer"):
                loss = regularizer(part)
            if loss is not None:
                self.add_loss(loss)

    def add_loss(self, losses: Any, inputs: Any = None) -> None:
        """Adds losses to those of regularizers."""
        for loss in losses if isinstance(losses, (list, tuple)) else [losses]:
            self._losses.append(loss)
            get_default_graph().add_to_collection(GraphKeys.REGULARIZATION_LOSSES, loss)

    def add_update(self, updates: Any, inputs: Any = None) -> None:
        """Adds operations to those that training steps should run besides."""
        for update in updates if isinstance(updates, (list, tuple)) else [updates]:
            update = getattr(update, "op", update)
            self._updates.append(update)
            get_default_graph().add_to_collection(GraphKeys.UPDATE_OPS, update)

    def get_losses_for(self, inputs: Any) -> list[Any]:
        """The losses of the layer."""
        return list(self._losses)

    def get_updates_for(self, inputs: Any) -> list[Any]:
        """The updates of the layer."""
        return list(self._updates)

    # Building

    def build(self, input_shape: Any) -> None:
        """Makes the weights for an input of a shape. Layers with weights define it."""
        self.built = True

    def call(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """Builds the layer's operations. Every layer defines it."""
        return inputs

    def compute_output_shape(self, input_shape: Any) -> TensorShape:
        """The shape of what the layer gives for an input of a shape."""
        raise NotImplementedError(f"{type(self).__name__} does not say what shape it gives")

    def _set_scope(self, scope: Any = None) -> None:
        if self._scope is not None:
            return
        if self._reuse:
            with variable_scope(scope if scope is not None else self._base_name) as captured:
                self._scope = captured
        else:
            with variable_scope(scope, default_name=self._base_name) as captured:
                self._scope = captured

    def _name_scope_name(self, scope: Any) -> str:
        return scope.original_name_scope

    def __call__(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        self._set_scope(kwargs.pop("scope", None))
        graph = graph_of(nest.flatten(inputs))
        with graph.as_default():
            if not self.built:
                # A scope that says so makes a layer's variables shared from the first call on.
                reuse = self._reuse
            else:
                reuse = True
            with variable_scope(self._scope, reuse=reuse, auxiliary_name_scope=False) as scope:
                with graph.name_scope(self._name_scope_name(scope) or None):
                    return self._apply(inputs, args, kwargs)

    def _apply(self, inputs: Any, args: Any, kwargs: Any) -> Any:
        inputs = nest.map_structure(lambda value: value if hasattr(value, "indices") else convert_to_tensor(value), inputs)
        flat = nest.flatten(inputs)
        if not self.built:
            if self._dtype is None and flat:
                self._dtype = flat[0].dtype.base_dtype
            shapes = [value.shape for value in flat]
            if self.input_spec is not None and len(shapes) == 1:
                self.input_spec.check(self._name, shapes[0])
            self.build(shapes[0] if len(shapes) == 1 else shapes)
            self.built = True
        if self.input_spec is not None and len(flat) == 1:
            self.input_spec.check(self._name, flat[0].shape)
        outputs = self.call(inputs, *args, **kwargs)
        if self._activity_regularizer is not None:
            self._regularize_activity(outputs)
        self._calls += 1
        self._input, self._output = inputs, outputs
        return outputs

    def _regularize_activity(self, outputs: Any) -> None:
        with get_default_graph().name_scope("ActivityRegularizer"):
            for output in nest.flatten(outputs):
                loss = self._activity_regularizer(output)
                rows = math_ops.cast(array_ops.shape(output)[0], loss.dtype)
                self.add_loss(loss / rows)

    def apply(self, inputs: Any, *args: Any, **kwargs: Any) -> Any:
        """The same as calling the layer."""
        return self(inputs, *args, **kwargs)

    def __deepcopy__(self, memo: dict[int, Any]) -> Layer:
        """A layer with the same settings, in the same graph."""
        import copy

        made = type(self).__new__(type(self))
        memo[id(self)] = made
        for key, value in self.__dict__.items():
            shared = key in ("_graph", "_scope", "_trainable_weights", "_non_trainable_weights")
            made.__dict__[key] = value if key in ("_graph", "_scope") else list(value) if shared else copy.deepcopy(value, memo)
        return made

    def __repr__(self) -> str:
        return f"<{type(self).__name__} layer {self._name!r}>"
