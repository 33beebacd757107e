"""Exponential moving averages of variables: smoother values, often better for evaluation than the last ones."""

from __future__ import annotations

import weakref
from typing import Any

from tensorfleet import _core
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys, SaveSliceInfo, Variable, find_variable
from tensorfleet._train.mirror import mirrored
from tensorfleet._train.optimizer import flat_variables


class ExponentialMovingAverage:
    """Averages that move towards the values of variables: `average = decay * average + (1 - decay) * value`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(4.0, name="w")
    ...     ema = tf.train.ExponentialMovingAverage(0.5)
    ...     move = ema.apply([w])
    ...     sess.run(tf.global_variables_initializer())
    ...     w.assign(8.0).op.run()
    ...     sess.run(move)
    ...     ema.average_name(w), sess.run(ema.average(w))
    ('w/ExponentialMovingAverage', np.float32(6.0))
    """

    def __init__(
        self, decay: Any, num_updates: Any = None, zero_debias: bool = False, name: str = "ExponentialMovingAverage"
    ) -> None:
        self._decay, self._num_updates, self._zero_debias, self._name = decay, num_updates, zero_debias, name
        self._averages: dict[Variable, Variable] = {}
        self._cores: weakref.WeakKeyDictionary[Graph, _core.MovingAverage] = weakref.WeakKeyDictionary()

    @property
    def name(self) -> str:
        """The name of the averages."""
        return self._name

    def _core_of(self, graph: Graph) -> _core.MovingAverage:
        if graph not in self._cores:
            decay, updates = self._decay, self._num_updates
            if updates is not None and not isinstance(updates, Variable):
                # The core counts with a variable; anything else is put together here.
                with graph.as_default():
                    decay, updates = _limited(convert_to_tensor(decay, name="decay"), updates), None
            place = convert_to_tensor(decay)._place if hasattr(decay, "graph") else float(decay)
            self._cores[graph] = _core.MovingAverage(
                graph._core, place, None if updates is None else updates._shared_name, self._zero_debias, self._name)
        return self._cores[graph]

    def apply(self, var_list: Any = None) -> Operation:
        """The operation that moves the averages of these variables or tensors, or of all that are trained."""
        if var_list is None:
            var_list = get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)
        given = list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]
        if not given:
            raise ValueError("There are no variables to average")
        tensors = [value for value in given if isinstance(value, Tensor)]
        variables = flat_variables([value for value in given if not isinstance(value, Tensor)])
        averaged: list[Any] = [*tensors, *variables]
        for value in averaged:
            if not value.dtype.base_dtype.is_floating:
                raise TypeError(f"averages are kept of floats, and {value.name} holds others")
        graph = (tensors or variables)[0].graph
        made: list[Operation] = []
        with graph.as_default():
            if variables:
                made.append(self._apply_to_variables(graph, variables))
            if tensors:
                with mirrored(graph):
                    node = self._core_of(graph).apply_to_tensors(graph._core, [tensor._place for tensor in tensors])
                made.append(graph._operation(node))
            if len(made) == 1:
                return made[0]
            from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

            return group(*made)

    def _apply_to_variables(self, graph: Graph, variables: list[Variable]) -> Operation:
        from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

        for variable in variables:
            if variable not in self._averages:
                with graph.control_dependencies(None):
                    self._averages[variable] = self._make_average(variable)
                graph.add_to_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, variable)
        with graph.name_scope(self._name) as scope:
            decay = convert_to_tensor(self._decay, dtype="float32", name="decay")
            if self._num_updates is not None:
                decay = _limited(decay, self._num_updates)
            return group(*[_move(self._averages[variable], variable, decay) for variable in variables], name=scope)

    def _make_average(self, variable: Variable) -> Variable:
        import tensorfleet.v1 as tf

        graph = variable.graph
        with graph.device(variable.device):
            initial = tf.cond(
                tf.is_variable_initialized(variable), variable.read_value, lambda: variable.initial_value)
        with tf.variable_scope(None, f"{variable.op.name}/{self._name}"), graph.colocate_with(variable.op):
            average = tf.get_variable("", initializer=initial, trainable=False, use_resource=variable._is_resource)
        info = variable._get_save_slice_info()
        if info is not None:
            name = info.full_name + average.op.name[len(variable.op.name):]
            average._set_save_slice_info(SaveSliceInfo(name, info.full_shape, info.var_offset, info.var_shape))
        return average

    def average(self, var: Any) -> Variable | None:
        """The average of a variable or a tensor, or None."""
        if not isinstance(var, Tensor):
            return self._averages.get(var)
        core = self._cores.get(var.graph)
        name = None if core is None else core.average_of_tensor(var.graph._core, var._place)
        return None if name is None else find_variable(var.graph, name)

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable, also where it is yet to be made."""
        average = self.average(var)
        return f"{var.op.name}/{self._name}" if average is None else average.op.name

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Variable]:
        """For a saver that restores averages as the values of variables: names in the checkpoint, and variables."""
        graph = get_default_graph()
        if moving_avg_variables is None:
            moving_avg_variables = graph.get_collection(GraphKeys.TRAINABLE_VARIABLES) + graph.get_collection(
                GraphKeys.MOVING_AVERAGE_VARIABLES)
        averaged = dict.fromkeys(moving_avg_variables)
        names = {self.average_name(variable): variable for variable in averaged}
        taken = {variable.name for variable in averaged}
        for variable in graph.get_collection(GraphKeys.GLOBAL_VARIABLES):
            if variable.name not in taken and variable.op.name not in names:
                names[variable.op.name] = variable
        return names


def _limited(decay: Any, num_updates: Any) -> Tensor:
    """A decay that is less in the first updates."""
    import tensorfleet.v1 as tf

    updates = tf.cast(num_updates, tf.float32, name="num_updates")
    return tf.minimum(decay, (1.0 + updates) / (10.0 + updates))


def _move(average: Variable, value: Variable, decay: Tensor) -> Any:
    """The operation that moves an average towards a value."""
    import tensorfleet.v1 as tf

    graph, dtype = average.graph, average.dtype.base_dtype
    with graph.name_scope("AssignMovingAvg") as scope:
        rest = 1.0 - decay
        if rest.dtype.base_dtype != dtype:
            rest = tf.cast(rest, dtype)
        if not average._is_resource:
            return average.assign_sub((average - value) * rest, name=scope)
        # Reads of their own wait for what the averages are told to wait for.
        now = one("ReadVariableOp", average.handle, dtype=dtype)
        with graph.name_scope("sub") as inner:
            there = one("ReadVariableOp", value.handle, dtype=dtype)
            step = one("Sub", now, there, name=inner)
        moved = apply_op("AssignSubVariableOp", average.handle, step * rest, dtype=dtype)
        with graph.control_dependencies([moved]):
            one("ReadVariableOp", average.handle, dtype=dtype)
        return moved
