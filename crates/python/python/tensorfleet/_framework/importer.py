"""Importing graphs: the nodes of a message are added to a graph under a prefix, with other tensors for some of their inputs."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import errors
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.device_spec import DeviceSpec
from tensorfleet._framework.graph import Graph, Tensor, graph_of

__all__ = ["import_graph_def"]


def import_graph_def(
    graph_def: Any, input_map: Any = None, return_elements: Any = None, name: str | None = None, op_dict: Any = None,
    producer_op_list: Any = None,
) -> list[Any] | None:
    """Adds the nodes of a GraphDef to the default graph, their names under `name`, which is "import" if it is not given.

    `input_map` says by which tensors of this graph those of the message are replaced as inputs, by their names there. The
    operations and tensors that `return_elements` names are returned.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default() as other:
    ...     _ = tf.add(tf.placeholder(tf.float32, [], name="x"), 1.0, name="y")
    >>> two = tf.constant(2.0)
    >>> y, = tf.import_graph_def(other.as_graph_def(), {"x:0": two}, ["y:0"], name="part")
    >>> y.name, tf.Session(graph=y.graph).run(y)
    ('part/y:0', np.float32(3.0))

    :raises ValueError: if the message is malformed, or names are not in it
    """
    message = _message(graph_def)
    wanted = _wanted(return_elements)
    names = {node.name for node in message.node}
    for element in wanted or ():
        if element.partition(":")[0] not in names:
            raise ValueError(f"Requested return_element {element!r} not found in graph_def.")
    if input_map is None:
        input_map = {}
    elif not isinstance(input_map, dict):
        raise TypeError(f"`input_map` is {type(input_map).__name__}; give a dict of names and tensors")
    graph = graph_of(input_map.values())
    with graph.as_default(), graph.name_scope("import" if name is None else name) as scope:
        with graph.name_scope("_inputs"):
            replaced = {_tensor_name(key): convert_to_tensor(value) for key, value in input_map.items()}
        renamed = _rename(graph, message, scope, replaced)
    _place(graph, message)
    try:
        graph._core.import_graph_def(message.SerializeToString())
    except errors.OpError as error:
        raise ValueError(error.message) from None
    if wanted is None:
        return None
    return [_element(graph, renamed, element) for element in wanted]


def _message(graph_def: Any) -> Any:
    """A copy of the message, of our own class."""
    from tensorfleet._framework.messages import GraphDef

    if type(graph_def).__name__ != "GraphDef" or not hasattr(graph_def, "SerializeToString"):
        raise TypeError(f"`graph_def` is {type(graph_def).__name__}; give a GraphDef")
    return GraphDef.FromString(graph_def.SerializeToString())


def _wanted(elements: Any) -> list[str] | None:
    if elements is None:
        return None
    elements = tuple(elements)
    if not all(isinstance(element, str) for element in elements):
        raise TypeError(f"`return_elements` is {elements!r}; give a list of names")
    return list(elements)


def _tensor_name(key: Any) -> str:
    """The full name of a tensor that an input map names; an operation's name stands for its first output."""
    key = key.decode() if isinstance(key, bytes) else key.name if isinstance(key, Tensor) else key
    if not isinstance(key, str):
        raise TypeError(f"Keys of `input_map` are names of tensors, not {type(key).__name__}.")
    return key if key.startswith("^") or ":" in key else key + ":0"


def _rename(graph: Graph, message: Any, scope: str, replaced: dict[str, Tensor]) -> dict[str, str]:
    """Gives nodes the names that they have in the graph, and returns these by those that they had."""
    known = {node.name for node in message.node}
    missing = sorted(key for key in replaced if key.lstrip("^").split(":")[0] not in known)
    if missing:
        raise ValueError(f"`input_map` names inputs that graph_def does not have: [{', '.join(missing)}]")
    renamed: dict[str, str] = {}
    with graph.name_scope(""):
        for node in message.node:
            full = scope + node.name
            renamed[node.name] = full if graph._core.find(full) is None else graph.unique_name(full)
    for node in message.node:
        inputs = [_input(node.name, item, renamed, replaced) for item in node.input]
        del node.input[:]
        node.input.extend(inputs)
        if "_class" in node.attr:
            groups = [_group(node.name, group, renamed) for group in node.attr["_class"].list.s]
            del node.attr["_class"].list.s[:]
            node.attr["_class"].list.s.extend(groups)
        node.name = renamed[node.name]
    return renamed


def _input(node: str, item: str, renamed: dict[str, str], replaced: dict[str, Tensor]) -> str:
    control, item = item.startswith("^"), item.lstrip("^")
    name, _, index = item.partition(":")
    if control:
        other = replaced.get("^" + name)
        if other is not None:
            return "^" + other.op.name
    else:
        other = replaced.get(f"{name}:{index or 0}")
        if other is not None:
            return other.name
    if name not in renamed:
        raise ValueError(f"Node '{node}': Unknown input node '{item}'")
    return ("^" if control else "") + renamed[name] + (":" + index if index else "")


def _group(node: str, group: bytes, renamed: dict[str, str]) -> bytes:
    """A name of a group of nodes that share a device, in the graph."""
    if not group.startswith(b"loc:@"):
        return group
    other = group[5:].decode()
    if other not in renamed:
        raise ValueError(f"Node '{node}' expects to be colocated with unknown node '{other}'")
    return b"loc:@" + renamed[other].encode()


def _place(graph: Graph, message: Any) -> None:
    """Puts nodes on the devices of the scopes that the import is in, where they do not say otherwise, and those that share a device
    with another on that one's."""
    scopes = graph._kept.get("devices", ())
    by_name = {node.name: node for node in message.node}
    for node in message.node:
        for device in reversed(scopes):
            if device is None:
                break
            if callable(device) and not hasattr(device, "to_string"):
                from tensorfleet._framework.graph import _DeviceView, device_string

                node.device = device_string(device(_DeviceView(graph, node.op, node.name, node.device, [], None)))
                continue
            text = device if isinstance(device, str) else device.to_string()
            node.device = DeviceSpec.from_string(text).make_merged_spec(DeviceSpec.from_string(node.device)).to_string()
    for node in message.node:
        if "_class" in node.attr:
            for group in node.attr["_class"].list.s:
                other = by_name.get(group[5:].decode())
                if other is not None:
                    node.device = other.device


def _element(graph: Graph, renamed: dict[str, str], element: str) -> Any:
    name, colon, index = element.partition(":")
    try:
        return graph.as_graph_element(renamed[name] + colon + index)
    except KeyError as error:
        raise ValueError(f"Requested return_element {element!r} not found in graph_def: {error.args[0]}") from None
