"""Values for variables out of checkpoints and dicts, as `tf.contrib.slim` has it."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._contrib.variables import get_unique_variable
from tensorfleet._ops import array_ops


def assign_from_values(var_names_to_values: dict[str, Any]) -> tuple[Any, dict[Any, Any]]:
    """The operation that gives variables values, and what to feed it."""
    from tensorfleet._ops import control_flow

    feeds, ops = {}, []
    for name, value in var_names_to_values.items():
        variable = get_unique_variable(name)
        placeholder = array_ops.placeholder(variable.dtype.base_dtype, name=f"placeholder/{variable.op.name}")
        ops.append(variable.assign(placeholder))
        feeds[placeholder] = np.reshape(value, variable.shape.as_list())
    return control_flow.group(*ops), feeds


def assign_from_values_fn(var_names_to_values: dict[str, Any]) -> Callable[[Any], None]:
    """A function of a session that gives variables values."""
    op, feeds = assign_from_values(var_names_to_values)
    return lambda session: session.run(op, feeds)


def _named(var_list: Any) -> dict[str, Any]:
    return dict(var_list) if isinstance(var_list, dict) else {variable.op.name: variable for variable in var_list}


def assign_from_checkpoint(model_path: str, var_list: Any, ignore_missing_vars: bool = False) -> tuple[Any, dict[Any, Any]]:
    """The operation that gives variables the values of a checkpoint, and what to feed it."""
    from tensorfleet._ops import control_flow
    from tensorfleet.v1 import train

    reader = train.NewCheckpointReader(model_path)
    feeds, ops = {}, []
    for name, variable in _named(var_list).items():
        if not reader.has_tensor(name):
            if ignore_missing_vars:
                continue
            raise ValueError(f"{model_path} has no variable {name!r}")
        value = reader.get_tensor(name)
        placeholder = array_ops.placeholder(variable.dtype.base_dtype, name=f"placeholder/{variable.op.name}")
        ops.append(variable.assign(placeholder))
        feeds[placeholder] = value.reshape(variable.shape.as_list())
    return control_flow.group(*ops), feeds


def assign_from_checkpoint_fn(
    model_path: str, var_list: Any, ignore_missing_vars: bool = False, reshape_variables: bool = False
) -> Callable[[Any], None] | None:
    """A function of a session that gives variables the values of a checkpoint."""
    from tensorfleet.v1 import train

    wanted = _named(var_list)
    if ignore_missing_vars:
        reader = train.NewCheckpointReader(model_path)
        wanted = {name: variable for name, variable in wanted.items() if reader.has_tensor(name)}
    if not wanted:
        return None
    saver = train.Saver(wanted)
    return lambda session: saver.restore(session, model_path)
