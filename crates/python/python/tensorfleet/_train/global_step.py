"""The counter of training steps."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import Graph, Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys, Variable


def global_step(sess: Any, global_step_tensor: Any) -> int:
    """The number of steps that a session has made."""
    return int(sess.run(global_step_tensor))


def get_global_step(graph: Graph | None = None) -> Any:
    """The counter of a graph, or None."""
    graph = graph or get_default_graph()
    found = graph.get_collection(GraphKeys.GLOBAL_STEP)
    if len(found) == 1:
        step = found[0]
    elif not found:
        try:
            step = graph.get_tensor_by_name("global_step:0")
        except KeyError:
            return None
        known = graph._kept.get("variables", {}).get("global_step")
        step = step if known is None else known
    else:
        raise ValueError(f"the collection global_step holds more than one: {[step.name for step in found]}")
    assert_global_step(step)
    return step


def assert_global_step(global_step_tensor: Any) -> None:
    """TypeError unless a tensor is a scalar of integers."""
    if not (isinstance(global_step_tensor, (Variable, Tensor)) or hasattr(global_step_tensor, "_as_graph_element")):
        raise TypeError(f'the collection "global_step" holds {global_step_tensor}, neither a variable nor a tensor')
    if not global_step_tensor.dtype.base_dtype.is_integer:
        raise TypeError(f'"global_step" counts steps, so it is of whole numbers, not of {global_step_tensor.dtype}')
    if global_step_tensor.shape.ndims not in (0, None):
        raise TypeError(f'"global_step" is one number, not a tensor of shape {global_step_tensor.shape}')


def create_global_step(graph: Graph | None = None) -> Any:
    """Makes the counter of a graph.

    :raises ValueError: if there is one
    """
    graph = graph or get_default_graph()
    if get_global_step(graph) is not None:
        raise ValueError('the graph has a "global_step" already')
    import tensorfleet.v1 as tf

    with graph.as_default(), graph.name_scope(None):
        return tf.get_variable(
            GraphKeys.GLOBAL_STEP, shape=[], dtype=dtypes.int64, initializer=tf.zeros_initializer(), trainable=False,
            collections=[GraphKeys.GLOBAL_VARIABLES, GraphKeys.GLOBAL_STEP],
        )


def get_or_create_global_step(graph: Graph | None = None) -> Any:
    """The counter of a graph, which is made if there is none."""
    graph = graph or get_default_graph()
    found = get_global_step(graph)
    return create_global_step(graph) if found is None else found


_READ = "global_step_read_op_cache"


def get_or_create_global_step_read(graph: Graph | None = None) -> Tensor | None:
    """A tensor by which hooks read the counter of a graph: its first value while it has none. None if there is no counter."""
    import tensorfleet.v1 as tf

    graph = graph or get_default_graph()
    found = graph.get_collection(_READ)
    if found:
        return found[0]
    counter = get_global_step(graph)
    if counter is None:
        return None
    with graph.as_default(), graph.name_scope(""), graph.name_scope(counter.op.name + "/"):
        value = counter
        if isinstance(counter, Variable):
            value = tf.cond(tf.is_variable_initialized(counter), counter.read_value, lambda: counter.initial_value)
        read = value + 0
    graph.add_to_collection(_READ, read)
    return read
