"""Lists of a graph's variables, and the operations that give them their first values."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import constant
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys

__all__ = [
    "all_variables", "global_variables", "global_variables_initializer",
    "initialize_all_variables", "initialize_local_variables", "initialize_variables", "local_variables",
    "local_variables_initializer", "model_variables", "moving_average_variables", "report_uninitialized_variables",
    "trainable_variables", "variables_initializer",
]


def global_variables(scope: str | None = None) -> list[Any]:
    """The variables that processes share and that are saved; with `scope`, those whose names begin with that pattern.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     w = tf.Variable(1.0, name="w")
    ...     tf.global_variables() == [w]
    True
    """
    return get_default_graph().get_collection(GraphKeys.GLOBAL_VARIABLES, scope)


def all_variables() -> list[Any]:
    """The old name of `global_variables`."""
    return global_variables()


def local_variables(scope: str | None = None) -> list[Any]:
    """The variables that each process has by itself and that are not saved."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_VARIABLES, scope)


def model_variables(scope: str | None = None) -> list[Any]:
    """The variables of which the model's answers depend."""
    return get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES, scope)


def trainable_variables(scope: str | None = None) -> list[Any]:
    """The variables that optimizers change."""
    return get_default_graph().get_collection(GraphKeys.TRAINABLE_VARIABLES, scope)


def moving_average_variables(scope: str | None = None) -> list[Any]:
    """The variables of which moving averages are kept."""
    return get_default_graph().get_collection(GraphKeys.MOVING_AVERAGE_VARIABLES, scope)


def variables_initializer(var_list: Any, name: str = "init") -> Operation:
    """The operation that gives variables their first values."""
    from tensorfleet._ops import control_flow

    if not var_list:
        return control_flow.no_op(name=name)
    return control_flow.group(*[variable.initializer for variable in var_list], name=name)


def global_variables_initializer() -> Operation:
    """The operation that gives all global variables that there are their first values.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(1.0)
    ...     sess.run(tf.global_variables_initializer())
    ...     sess.run(w)
    np.float32(1.0)
    """
    return variables_initializer(global_variables())


def local_variables_initializer() -> Operation:
    """The operation that gives all local variables that there are their first values."""
    return variables_initializer(local_variables())


def initialize_all_variables() -> Operation:
    """The old name of `global_variables_initializer`."""
    return global_variables_initializer()


def initialize_local_variables() -> Operation:
    """The old name of `local_variables_initializer`."""
    return local_variables_initializer()


def initialize_variables(var_list: Any, name: str = "init") -> Operation:
    """The old name of `variables_initializer`."""
    return variables_initializer(var_list, name)


def _is_initialized(variable: Any) -> Tensor:
    from tensorfleet._framework.apply import one

    if getattr(variable, "_is_resource", False):
        with variable.graph.device(None), variable.graph.device(variable.device or None):
            return one("VarIsInitializedOp", variable.handle)
    return one("IsVariableInitialized", variable._ref(), dtype=variable.dtype.base_dtype)


def report_uninitialized_variables(var_list: Any = None, name: str = "report_uninitialized_variables") -> Tensor:
    """The names of the variables that have no value yet: of those given, else of all global and local ones."""
    from tensorfleet._ops import array_ops, math_ops

    if var_list is None:
        var_list = global_variables() + local_variables()
    graph = get_default_graph()
    with graph.name_scope(name):
        with graph.device("/cpu:0"):
            if not var_list:
                return constant([], dtype=dtypes.string)
            missing = math_ops.logical_not(array_ops.stack([_is_initialized(variable) for variable in var_list]))
            names = constant([variable.op.name for variable in var_list])
            return array_ops.boolean_mask(names, missing)
