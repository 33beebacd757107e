"""Variables that begin with values of a checkpoint."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import one
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.variables import GraphKeys, Variable
from tensorfleet._train.checkpoints import _prefix_of, load_checkpoint


def init_from_checkpoint(ckpt_dir_or_file: Any, assignment_map: Any) -> None:
    """Lets the initializers of variables take values of a checkpoint: `{name in the checkpoint: variable or its name}`, where
    both may be scopes that end in a slash."""
    reader, prefix = load_checkpoint(ckpt_dir_or_file), _prefix_of(ckpt_dir_or_file)
    shapes = reader.get_variable_to_shape_map()
    graph = get_default_graph()
    every = {variable.op.name: variable for key in (GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES)
             for variable in graph.get_collection(key)}
    items = assignment_map.items() if isinstance(assignment_map, dict) else [(name, name) for name in assignment_map]
    for name, target in items:
        if isinstance(target, str) and target.endswith("/") or name == "/":
            scope, prefix_here = name.lstrip("/") if name != "/" else "", target
            wanted = "" if prefix_here == "/" else prefix_here
            found = {key: variable for key, variable in every.items() if key.startswith(wanted)}
            if not found:
                raise ValueError(
                    f"the checkpoint's scope {name} is for the graph's scope {target}, which has no variables"
                )
            for key, variable in found.items():
                _begin_with(variable, scope + key[len(wanted):], prefix, shapes)
            continue
        variables = target if isinstance(target, (list, tuple)) else [target]
        for variable in variables:
            if isinstance(variable, str):
                if variable not in every:
                    raise ValueError(f"the graph has no variable {variable}: not found")
                variable = every[variable]
            _begin_with(variable, name, prefix, shapes)


def _begin_with(variable: Variable, name: str, prefix: str, shapes: dict[str, list[int]]) -> None:
    if name not in shapes:
        raise ValueError(f"{name} was not found: the checkpoint {prefix} has {shapes}")
    info = variable._get_save_slice_info()
    full = variable.shape.as_list() if info is None else info.full_shape
    if list(full) != list(shapes[name]):
        raise ValueError(
            f"variable {variable.name} has shape {variable.shape}, but {name} in the checkpoint has {shapes[name]}"
        )
    graph = variable.graph
    with graph.as_default(), graph.name_scope("init_from_checkpoint"), graph.device(variable.device or None):
        restored = one("RestoreV2", prefix, [name], ["" if info is None else info.spec], dtypes=[variable.dtype.base_dtype])
        restored.set_shape(variable.shape)
        if variable._is_resource:
            initializer = variable.assign(restored, read_value=False)
        else:
            initializer = variable.assign(restored).op
    variable._initializer_op, variable._initial_value = initializer, restored
    graph._core.adopt_variable(
        variable._shared_name, variable._is_resource, variable._variable._place, restored._place, initializer._id,
        variable._snapshot._place, variable._trainable)
