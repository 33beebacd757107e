"""The optimizers that come with the package. Their steps are made by the core."""

from __future__ import annotations

import weakref
from typing import Any

from tensorfleet import _core
from tensorfleet._framework import errors
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph, user_location
from tensorfleet._framework.variables import Variable, find_variable
from tensorfleet._train.mirror import mirrored
from tensorfleet._train.optimizer import Optimizer, checked_pairs, core_pairs, note_train_op

_HOOKS = (
    "_apply_dense", "_apply_sparse", "_resource_apply_dense", "_resource_apply_sparse", "_create_slots", "_prepare", "_finish",
    "_apply_sparse_duplicate_indices", "_resource_apply_sparse_duplicate_indices",
)


class CoreOptimizer(Optimizer):
    """An optimizer whose steps the core makes."""

    _kind = ""

    def __init__(self, use_locking: bool, name: str, **settings: Any) -> None:
        super().__init__(use_locking, name)
        self._settings = settings
        self._cores: weakref.WeakKeyDictionary[Graph, _core.Optimizer] = weakref.WeakKeyDictionary()

    def _core_of(self, graph: Graph) -> _core.Optimizer:
        if graph not in self._cores:
            given = {name: _setting(self._call_if_callable(value)) for name, value in self._settings.items()}
            given["use_locking"] = self._use_locking
            self._cores[graph] = _core.Optimizer(graph._core, self._kind, self._name, given)
        return self._cores[graph]

    def _is_overridden(self) -> bool:
        return any(getattr(type(self), hook) is not getattr(Optimizer, hook) for hook in _HOOKS)

    def apply_gradients(
        self, grads_and_vars: Any, global_step: Variable | None = None, name: str | None = None
    ) -> Operation:
        """The operation that changes variables along these gradients, and then adds one to `global_step`."""
        if self._is_overridden():
            return super().apply_gradients(grads_and_vars, global_step, name)
        pairs = checked_pairs(grads_and_vars)
        graph = pairs[0][1].graph
        given = core_pairs(pairs)
        with graph.as_default(), mirrored(graph):
            step = None if global_step is None else global_step._shared_name
            try:
                node = self._core_of(graph).apply_gradients(graph._core, name or self._name, given, step)
            except errors.InvalidArgumentError as error:
                raise ValueError(f"{error.message} (built at {user_location()})") from None
        train = self._constrained(graph, graph._operation(node), pairs)
        note_train_op(graph, train)
        return train

    def _constrained(self, graph: Graph, train: Operation, pairs: list[tuple[Any, Variable]]) -> Operation:
        """The step, followed by what holds variables within their bounds."""
        bound = [variable for gradient, variable in pairs if gradient is not None and variable.constraint is not None]
        if not bound:
            return train
        from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

        with graph.as_default(), graph.name_scope(self._name), graph.control_dependencies([train]):
            held = []
            for variable in bound:
                with graph.colocate_with(variable.op):
                    held.append(variable.assign(variable.constraint(variable.read_value())))  # type: ignore[misc]
            return group(train, *[value.op if isinstance(value, Tensor) else value for value in held])

    def get_slot(self, var: Variable, name: str) -> Variable | None:
        """What is kept for a variable under a name, such as `momentum`; None before gradients are applied."""
        core = self._cores.get(var.graph)
        made = None if core is None else core.slot(var.graph._core, var._shared_name, name)
        return super().get_slot(var, name) if made is None else find_variable(var.graph, made)

    def get_slot_names(self) -> list[str]:
        """The names of what is kept for each variable."""
        for core in self._cores.values():
            return sorted({*core.slot_names(), *self._slots})
        return super().get_slot_names()

    def variables(self) -> list[Variable]:
        """All variables that it made in the default graph, by name."""
        graph = get_default_graph()
        core = self._cores.get(graph)
        made = super().variables()
        if core is not None:
            made += [find_variable(graph, name) for name in core.variables(graph._core)]
        return sorted(made, key=lambda variable: variable.name)


def _setting(value: Any) -> Any:
    """A number, a switch or the place of a tensor."""
    if isinstance(value, bool):
        return value
    if isinstance(value, Tensor) or hasattr(value, "_as_graph_element"):
        return convert_to_tensor(value)._place
    return float(value)


class GradientDescentOptimizer(CoreOptimizer):
    """Steps along the gradient, times the learning rate.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(1.0)
    ...     train = tf.train.GradientDescentOptimizer(0.25).minimize(w * w)
    ...     sess.run(w.initializer)
    ...     sess.run(train)
    ...     sess.run(w)
    np.float32(0.5)
    """

    _kind = "gradient_descent"

    def __init__(self, learning_rate: Any, use_locking: bool = False, name: str = "GradientDescent") -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate)
        self._learning_rate = learning_rate


class MomentumOptimizer(CoreOptimizer):
    """Steps along a sum of gradients in which earlier ones fade."""

    _kind = "momentum"

    def __init__(
        self, learning_rate: Any, momentum: Any, use_locking: bool = False, name: str = "Momentum", use_nesterov: bool = False
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, momentum=momentum, use_nesterov=use_nesterov)
        self._learning_rate, self._momentum, self._use_nesterov = learning_rate, momentum, use_nesterov


class AdagradOptimizer(CoreOptimizer):
    """Steps that become shorter where gradients were large."""

    _kind = "adagrad"

    def __init__(
        self, learning_rate: Any, initial_accumulator_value: float = 0.1, use_locking: bool = False, name: str = "Adagrad"
    ) -> None:
        if initial_accumulator_value <= 0.0:
            raise ValueError(f"initial_accumulator_value is {initial_accumulator_value}, but it must be above zero")
        super().__init__(
            use_locking, name, learning_rate=learning_rate, initial_accumulator_value=initial_accumulator_value)
        self._learning_rate, self._initial_accumulator_value = learning_rate, initial_accumulator_value


class AdadeltaOptimizer(CoreOptimizer):
    """Steps whose length follows from those before."""

    _kind = "adadelta"

    def __init__(
        self, learning_rate: Any = 0.001, rho: Any = 0.95, epsilon: Any = 1e-8, use_locking: bool = False,
        name: str = "Adadelta",
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, rho=rho, epsilon=epsilon)
        self._lr, self._rho, self._epsilon = learning_rate, rho, epsilon


class AdamOptimizer(CoreOptimizer):
    """Steps along a running mean of gradients, divided by the root of a running mean of their squares."""

    _kind = "adam"

    def __init__(
        self, learning_rate: Any = 0.001, beta1: float = 0.9, beta2: float = 0.999, epsilon: float = 1e-8,
        use_locking: bool = False, name: str = "Adam",
    ) -> None:
        super().__init__(use_locking, name, learning_rate=learning_rate, beta1=beta1, beta2=beta2, epsilon=epsilon)
        self._lr, self._beta1, self._beta2, self._epsilon = learning_rate, beta1, beta2, epsilon


class RMSPropOptimizer(CoreOptimizer):
    """Steps along the gradient, divided by the root of a running mean of squares."""

    _kind = "rms_prop"

    def __init__(
        self, learning_rate: Any, decay: Any = 0.9, momentum: Any = 0.0, epsilon: Any = 1e-10, use_locking: bool = False,
        centered: bool = False, name: str = "RMSProp",
    ) -> None:
        super().__init__(
            use_locking, name, learning_rate=learning_rate, decay=decay, momentum=momentum, epsilon=epsilon,
            centered=centered)
        self._learning_rate, self._decay, self._momentum = learning_rate, decay, momentum
        self._epsilon, self._centered = epsilon, centered


class FtrlOptimizer(CoreOptimizer):
    """Follow the regularized leader: many weights stay exactly zero."""

    _kind = "ftrl"

    def __init__(
        self, learning_rate: Any, learning_rate_power: float = -0.5, initial_accumulator_value: float = 0.1,
        l1_regularization_strength: float = 0.0, l2_regularization_strength: float = 0.0, use_locking: bool = False,
        name: str = "Ftrl", accum_name: str | None = None, linear_name: str | None = None,
        l2_shrinkage_regularization_strength: float = 0.0, beta: float | None = None,
    ) -> None:
        if initial_accumulator_value < 0.0:
            raise ValueError(f"initial_accumulator_value is {initial_accumulator_value}, but it cannot be below zero")
        if learning_rate_power > 0.0:
            raise ValueError(f"learning_rate_power is {learning_rate_power}, but it cannot be above zero")
        for what, value in (("l1_regularization_strength", l1_regularization_strength),
                            ("l2_regularization_strength", l2_regularization_strength),
                            ("l2_shrinkage_regularization_strength", l2_shrinkage_regularization_strength)):
            if value < 0.0:
                raise ValueError(f"{what} is {value}, but it cannot be below zero")
        super().__init__(
            use_locking, name, learning_rate=learning_rate, learning_rate_power=learning_rate_power,
            initial_accumulator_value=initial_accumulator_value, l1_regularization_strength=l1_regularization_strength,
            l2_regularization_strength=l2_regularization_strength,
            l2_shrinkage_regularization_strength=l2_shrinkage_regularization_strength, beta=beta or 0.0)
        self._learning_rate = learning_rate
