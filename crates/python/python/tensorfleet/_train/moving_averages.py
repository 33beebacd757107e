"""Exponential moving averages of variables: smoother values, often better for evaluation than the last ones."""

from __future__ import annotations

import weakref
from typing import Any

from tensorfleet import _core
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor
from tensorfleet._framework.variables import GraphKeys, Variable, find_variable
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
                    decay, updates = _limited(decay, updates), None
            place = convert_to_tensor(decay)._place if hasattr(decay, "graph") else float(decay)
            self._cores[graph] = _core.MovingAverage(
                graph._core, place, None if updates is None else updates._shared_name, self._zero_debias, self._name)
        return self._cores[graph]

    def apply(self, var_list: Any = None) -> Operation:
        """The operation that moves the averages of these variables or tensors, or of all that are trained."""
        from tensorfleet._framework.graph import get_default_graph

        if var_list is None:
            var_list = get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES)
        given = list(var_list) if isinstance(var_list, (list, tuple)) else [var_list]
        if not given:
            raise ValueError("There are no variables to average")
        tensors = [value for value in given if isinstance(value, Tensor)]
        variables = flat_variables([value for value in given if not isinstance(value, Tensor)])
        for value in [*tensors, *variables]:
            if not value.dtype.base_dtype.is_floating:
                raise TypeError(f"The variables must be half, float, or double: {value.name}")
        graph = (tensors or variables)[0].graph
        core = self._core_of(graph)
        made = []
        with graph.as_default(), mirrored(graph):
            if variables:
                made.append(core.apply(graph._core, [variable._shared_name for variable in variables]))
            if tensors:
                made.append(core.apply_to_tensors(graph._core, [tensor._place for tensor in tensors]))
        if len(made) == 1:
            return graph._operation(made[0])
        from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

        with graph.as_default():
            return group(*[graph._operation(node) for node in made])

    def average(self, var: Any) -> Variable | None:
        """The average of a variable or a tensor, or None."""
        core = self._cores.get(var.graph)
        if core is None:
            return None
        if isinstance(var, Tensor):
            name = core.average_of_tensor(var.graph._core, var._place)
        else:
            name = core.average(var.graph._core, var._shared_name)
        return None if name is None else find_variable(var.graph, name)

    def average_name(self, var: Any) -> str:
        """The name of the average of a variable, also where it is yet to be made."""
        average = self.average(var)
        return f"{var.op.name}/{self._name}" if average is None else average.op.name

    def variables_to_restore(self, moving_avg_variables: Any = None) -> dict[str, Variable]:
        """For a saver that restores averages as the values of variables: names in the checkpoint, and variables."""
        from tensorfleet._framework.graph import get_default_graph

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
    return tf.minimum(convert_to_tensor(decay, name="decay"), (1.0 + updates) / (10.0 + updates))
