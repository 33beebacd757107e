"""Collections of variables on both sides: here they hold objects, in the core names. What the core reads is told to it before it
works, and the variables that it makes are put into the collections here afterwards, in the same order."""

from __future__ import annotations

import contextlib
from typing import Iterator

from tensorfleet._framework.graph import Graph
from tensorfleet._framework.variables import GraphKeys, SaveSliceInfo, Variable, find_variable, known_variables

_KEYS = (
    GraphKeys.GLOBAL_VARIABLES, GraphKeys.LOCAL_VARIABLES, GraphKeys.TRAINABLE_VARIABLES, GraphKeys.MODEL_VARIABLES,
    GraphKeys.MOVING_AVERAGE_VARIABLES,
)
_DEPTH = "mirrored collections"


@contextlib.contextmanager
def mirrored(graph: Graph) -> Iterator[None]:
    """The core may read and make variables within; blocks may be nested."""
    depth = graph._kept.get(_DEPTH, 0)
    if depth:
        _take_over(graph)
    for key in _KEYS:
        graph._core.clear_noted_collection(key)
        for variable in graph.get_collection(key):
            if isinstance(variable, Variable):
                graph._core.note_collection(key, variable._shared_name)
    graph._kept[_DEPTH] = depth + 1
    try:
        yield
    finally:
        graph._kept[_DEPTH] = depth
        _take_over(graph)


def _take_over(graph: Graph) -> None:
    for key in _KEYS:
        known = {variable._shared_name for variable in graph.get_collection(key) if isinstance(variable, Variable)}
        for name in graph._core.noted_collection(key):
            if name not in known:
                variable = find_variable(graph, name)
                _slice_like_primary(graph, variable)
                graph.add_to_collection(key, variable)


def _slice_like_primary(graph: Graph, slot: Variable) -> None:
    """A slot of a part of a larger variable is a part of a larger slot, and is saved as such."""
    primary, _, rest = slot._shared_name.rpartition("/")
    while primary and primary not in known_variables(graph):
        primary, _, more = primary.rpartition("/")
        rest = f"{more}/{rest}"
    found = known_variables(graph).get(primary)
    info = found._get_save_slice_info() if found is not None else None
    if info is not None and slot._get_save_slice_info() is None and slot.shape.as_list() == list(info.var_shape):
        slot._set_save_slice_info(SaveSliceInfo(f"{info.full_name}/{rest}", info.full_shape, info.var_offset, info.var_shape))
