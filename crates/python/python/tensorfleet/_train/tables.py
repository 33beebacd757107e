"""The operation that fills all lookup tables of the default graph."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import apply_op
from tensorfleet._framework.graph import get_default_graph
from tensorfleet._framework.variables import GraphKeys


def tables_initializer(name: str = "init_all_tables") -> Any:
    """Fills the tables; an operation that does nothing if there are none."""
    from tensorfleet._ops.control_flow import group  # type: ignore[attr-defined]

    initializers = get_default_graph().get_collection(GraphKeys.TABLE_INITIALIZERS)
    return group(*initializers, name=name) if initializers else apply_op("NoOp", name=name)
