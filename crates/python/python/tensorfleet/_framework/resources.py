"""Resources that a program registers, such as tables of its own: how they begin, and whether they have begun."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorfleet._framework.convert import constant
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops.array_ops import boolean_mask, stack
from tensorfleet._ops.group_ops import group
from tensorfleet._ops.math_ops import logical_not

__all__ = ["initialize_resources", "local_resources", "register_resource", "report_uninitialized_resources", "shared_resources"]


class _Resource(NamedTuple):
    handle: Tensor
    create: Operation
    is_initialized: Tensor


def register_resource(handle: Tensor, create_op: Operation, is_initialized_op: Tensor, is_shared: bool = True) -> None:
    """Adds a resource to those of the default graph."""
    key = GraphKeys.RESOURCES if is_shared else GraphKeys.LOCAL_RESOURCES
    get_default_graph().add_to_collection(key, _Resource(handle, create_op, is_initialized_op))


def shared_resources() -> list[Any]:
    """The resources that sessions share."""
    return get_default_graph().get_collection(GraphKeys.RESOURCES)


def local_resources() -> list[Any]:
    """The resources of this task alone."""
    return get_default_graph().get_collection(GraphKeys.LOCAL_RESOURCES)


def initialize_resources(resource_list: Any, name: str = "init") -> Operation:
    """The operation that begins all of these."""
    return group(*[resource.create for resource in resource_list], name=name)


def report_uninitialized_resources(resource_list: Any = None, name: str = "report_uninitialized_resources") -> Tensor:
    """The names of those that have not begun."""
    with get_default_graph().name_scope(name):
        resources = shared_resources() + local_resources() if resource_list is None else resource_list
        if not resources:
            return constant([], dtype="string")
        begun = stack([resource.is_initialized for resource in resources])
        names = constant([resource.handle.name for resource in resources])
        return boolean_mask(names, logical_not(begun))
