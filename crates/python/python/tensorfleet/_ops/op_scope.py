"""The scope that a function builds its nodes in."""

from __future__ import annotations

import contextlib
from typing import Any, Iterator

from tensorfleet._framework.graph import graph_of

__all__: list[str] = []


@contextlib.contextmanager
def op_scope(name: str | None, default: str, values: Any = ()) -> Iterator[str]:
    """Within, nodes are added to the graph of `values` under a name; the name is given with a slash at its end, so that a node
    can have exactly it."""
    graph = graph_of(values)
    with graph.as_default(), graph.name_scope(default if name is None else name) as scope:
        yield scope


def renamed(new: Any, old: Any, new_name: str, old_name: str) -> Any:
    """The value of an argument that has a new and an old name, of which one may be given."""
    if old is None:
        return new
    if new is not None:
        raise ValueError(f"'{old_name}' and '{new_name}' are names of one argument: give it once")
    return old
