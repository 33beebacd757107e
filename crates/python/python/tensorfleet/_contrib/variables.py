"""Variables of models, and lists of them, as `tf.contrib.framework` has them."""

from __future__ import annotations

import re
from typing import Any

from tensorfleet._contrib.arg_scope import add_arg_scope
from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.variable_scope import get_variable, get_variable_scope
from tensorfleet._framework.variables import GraphKeys

__all__ = [
    "add_model_variable", "assert_global_step", "assert_or_get_global_step", "create_global_step", "get_global_step",
    "get_local_variables", "get_model_variables", "get_or_create_global_step", "get_trainable_variables", "get_unique_variable",
    "get_variable_full_name", "get_variables", "get_variables_by_name", "get_variables_by_suffix", "get_variables_to_restore",
    "global_variable", "local_variable", "model_variable", "variable",
]


@add_arg_scope
def variable(
    name: str, shape: Any = None, dtype: Any = None, initializer: Any = None, regularizer: Any = None, trainable: bool = True,
    collections: Any = None, caching_device: Any = None, device: Any = None, partitioner: Any = None, custom_getter: Any = None,
    use_resource: bool | None = None, **_: Any,
) -> Any:
    """As `tf.get_variable`, on a device."""
    collections = list(dict.fromkeys(collections if collections is not None else [GraphKeys.GLOBAL_VARIABLES]))
    with get_default_graph().device(device or ""):
        return get_variable(
            name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
            collections=collections, caching_device=caching_device, partitioner=partitioner, custom_getter=custom_getter,
            use_resource=use_resource,
        )


@add_arg_scope
def model_variable(
    name: str, shape: Any = None, dtype: Any = dtypes.float32, initializer: Any = None, regularizer: Any = None,
    trainable: bool = True, collections: Any = None, caching_device: Any = None, device: Any = None, partitioner: Any = None,
    custom_getter: Any = None, use_resource: bool | None = None, **_: Any,
) -> Any:
    """As `variable`, also in the collection of the model's variables."""
    collections = list(collections or []) + [GraphKeys.GLOBAL_VARIABLES, GraphKeys.MODEL_VARIABLES]
    return variable(
        name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
        collections=collections, caching_device=caching_device, device=device, partitioner=partitioner,
        custom_getter=custom_getter, use_resource=use_resource,
    )


def local_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None, **_: Any) -> Any:
    """A variable that each process has by itself."""
    from tensorfleet._framework.variables import Variable

    return Variable(
        initial_value, trainable=False, collections=[GraphKeys.LOCAL_VARIABLES], validate_shape=validate_shape, name=name
    )


def global_variable(initial_value: Any, validate_shape: bool = True, name: str | None = None, **_: Any) -> Any:
    """A variable that processes share and that is not trained."""
    from tensorfleet._framework.variables import Variable

    return Variable(
        initial_value, trainable=False, collections=[GraphKeys.GLOBAL_VARIABLES], validate_shape=validate_shape, name=name
    )


def add_model_variable(var: Any) -> None:
    """Adds a variable to those of the model."""
    if var not in get_default_graph().get_collection(GraphKeys.MODEL_VARIABLES):
        get_default_graph().add_to_collection(GraphKeys.MODEL_VARIABLES, var)


def get_variables(scope: Any = None, suffix: str | None = None, collection: Any = GraphKeys.GLOBAL_VARIABLES) -> list[Any]:
    """The variables of a collection whose names begin with a scope and end with a suffix."""
    if hasattr(scope, "original_name_scope"):
        scope = scope.name
    if suffix is not None:
        if ":" not in suffix:
            suffix += ":"
        scope = (scope or "") + ".*" + suffix
    return get_default_graph().get_collection(collection, scope)


def get_model_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables of the model."""
    return get_variables(scope, suffix, GraphKeys.MODEL_VARIABLES)


def get_local_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables that each process has by itself."""
    return get_variables(scope, suffix, GraphKeys.LOCAL_VARIABLES)


def get_trainable_variables(scope: Any = None, suffix: str | None = None) -> list[Any]:
    """The variables that optimizers change."""
    return get_variables(scope, suffix, GraphKeys.TRAINABLE_VARIABLES)


def get_variables_by_suffix(suffix: str, scope: Any = None) -> list[Any]:
    """The variables whose names end with a suffix."""
    return get_variables(scope=scope, suffix=suffix)


def get_variables_by_name(given_name: str, scope: Any = None) -> list[Any]:
    """The variables with a name, in any scope."""
    return get_variables(scope=scope, suffix=f"/{given_name}:|^{re.escape(given_name)}:")


def get_variables_to_restore(include: Any = None, exclude: Any = None) -> list[Any]:
    """The variables whose names begin with one of some scopes, and with none of others."""
    found = [v for scope in include for v in get_variables(scope)] if include is not None else get_variables()
    left_out = {id(v) for scope in exclude or [] for v in get_variables(scope)}
    return [v for v in found if id(v) not in left_out]


def get_unique_variable(var_op_name: str) -> Any:
    """The variable with exactly a name."""
    found = [v for v in get_variables() if v.op.name == var_op_name]
    if len(found) != 1:
        raise ValueError(f"Variable {var_op_name} was found {len(found)} times")
    return found[0]


def get_variable_full_name(var: Any) -> str:
    """The name of a variable as checkpoints have it."""
    info = getattr(var, "_save_slice_info", None)
    return info.full_name if info is not None else var.op.name


def _train() -> Any:
    from tensorfleet.v1 import train

    return train


def get_global_step(graph: Any = None) -> Any:
    """The variable that counts training steps, or None."""
    return _train().get_global_step(graph)


def get_or_create_global_step(graph: Any = None) -> Any:
    """The variable that counts training steps, made if there is none."""
    return _train().get_or_create_global_step(graph)


def create_global_step(graph: Any = None) -> Any:
    """Makes the variable that counts training steps."""
    return _train().create_global_step(graph)


def assert_global_step(global_step_tensor: Any) -> None:
    """Raises unless a tensor can count training steps."""
    _train().assert_global_step(global_step_tensor)


def assert_or_get_global_step(graph: Any = None, global_step_tensor: Any = None) -> Any:
    """The given global step, which must be the graph's."""
    step = get_global_step(graph)
    if global_step_tensor is not None and step is not None and step is not global_step_tensor:
        raise TypeError(f"The global step is {step}, not {global_step_tensor}")
    return step if step is not None else global_step_tensor


def current_scope_name() -> str:
    """The name of the variable scope."""
    return get_variable_scope().name
