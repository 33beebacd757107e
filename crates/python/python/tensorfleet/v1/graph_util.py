"""``tf.graph_util``: parts of graphs, and variables made constants, on the messages of graphs."""

from __future__ import annotations

from typing import Any, Iterable

from tensorfleet._framework.graph import Graph
from tensorfleet._framework.tensor_shape import TensorShape

__all__ = ["convert_variables_to_constants", "extract_sub_graph", "must_run_on_cpu", "remove_training_nodes",
           "tensor_shape_from_node_def_name"]

_VARIABLES = ("Variable", "VariableV2", "VarHandleOp")
_READS = ("ReadVariableOp", "ResourceGather", "ResourceGatherNd")


def _node_name(item: str) -> str:
    """The name of the node that an input is of."""
    return item.lstrip("^").split(":")[0]


def _checked(graph_def: Any) -> Any:
    if type(graph_def).__name__ != "GraphDef" or not hasattr(graph_def, "SerializeToString"):
        raise TypeError(f"graph_def is {type(graph_def).__name__}; give a GraphDef")
    return graph_def


def _reachable(graph_def: Any, names: Iterable[str]) -> set[str]:
    by_name = {node.name: node for node in graph_def.node}
    found: set[str] = set()
    waiting = [_node_name(name) for name in names]
    for name in waiting:
        if name not in by_name:
            raise AssertionError(f"{name} is not in graph")
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [_node_name(item) for item in by_name[name].input]
    return found


def extract_sub_graph(graph_def: Any, dest_nodes: Any) -> Any:
    """The nodes of a GraphDef that some of them need, as a new one.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default() as graph:
    ...     a, b = tf.constant(1, name="a"), tf.constant(2, name="b")
    >>> [node.name for node in extract_sub_graph(graph.as_graph_def(), ["b"]).node]
    ['b']
    """
    if isinstance(dest_nodes, str):
        raise TypeError(f"dest_nodes is {type(dest_nodes).__name__}; give a list of names")
    kept = _reachable(_checked(graph_def), dest_nodes)
    part = type(graph_def)()
    for node in graph_def.node:
        if node.name in kept:
            part.node.add().CopyFrom(node)
    part.library.CopyFrom(graph_def.library)
    part.versions.CopyFrom(graph_def.versions)
    return part


def convert_variables_to_constants(
    sess: Any, input_graph_def: Any, output_node_names: Any, variable_names_whitelist: Any = None,
    variable_names_blacklist: Any = None,
) -> Any:
    """A GraphDef of what some nodes need, with the variables' values in a session as constants."""
    part = extract_sub_graph(input_graph_def, list(output_node_names))
    chosen = []
    for node in part.node:
        listed = variable_names_whitelist is None or node.name in variable_names_whitelist
        if node.op in _VARIABLES and listed and node.name not in (variable_names_blacklist or ()):
            chosen.append(node.name)
    values = _values(sess, part, chosen)
    result = type(input_graph_def)()
    handles = _handles(part, set(chosen))
    for node in part.node:
        new = result.node.add()
        if node.name in values:
            new.name, new.op = node.name, "Const"
            new.attr["dtype"].CopyFrom(node.attr["dtype"])
            new.attr["value"].tensor.CopyFrom(_tensor(values[node.name], node.attr["dtype"].type, new))
        elif node.op in _READS and node.input and _node_name(node.input[0]) in handles:
            _read(node, new)
        elif node.name in handles:
            new.CopyFrom(node)
            new.attr["T"].CopyFrom(_variable_type(part, node.name))
        else:
            new.CopyFrom(node)
    result.library.CopyFrom(input_graph_def.library)
    result.versions.CopyFrom(input_graph_def.versions)
    return result


def _handles(graph_def: Any, chosen: set[str]) -> set[str]:
    """The nodes whose output is the handle of a chosen variable: the variable itself, or an Identity of it."""
    found = {node.name for node in graph_def.node if node.name in chosen and node.op == "VarHandleOp"}
    for node in graph_def.node:
        if node.op in ("Identity", "Enter") and node.input and _node_name(node.input[0]) in found:
            found.add(node.name)
    return found


def _variable_type(graph_def: Any, name: str) -> Any:
    by_name = {node.name: node for node in graph_def.node}
    while by_name[name].op != "VarHandleOp":
        name = _node_name(by_name[name].input[0])
    return by_name[name].attr["dtype"]


def _read(node: Any, new: Any) -> None:
    """What reads a variable's value, now that the value stands where the variable did."""
    new.name, new.device = node.name, node.device
    if node.op == "ReadVariableOp":
        new.op = "Identity"
        new.input.extend(node.input)
        new.attr["T"].CopyFrom(node.attr["dtype"])
        if "_class" in node.attr:
            new.attr["_class"].CopyFrom(node.attr["_class"])
        return
    raise ValueError(f"{node.name} is a {node.op}: variables that it reads cannot be made constants; keep them by "
                     "variable_names_blacklist")


def _values(sess: Any, graph_def: Any, names: list[str]) -> dict[str, Any]:
    """The values of variables in a session."""
    by_name = {node.name: node for node in graph_def.node}
    fetches = {}
    for name in names:
        if by_name[name].op == "VarHandleOp":
            fetches[name] = _existing_read(sess.graph, name)
        else:
            fetches[name] = sess.graph.get_tensor_by_name(name + ":0")
    return sess.run(fetches) if fetches else {}


def _existing_read(graph: Graph, name: str) -> Any:
    """A tensor that reads a resource variable."""
    handle = graph.get_tensor_by_name(name + ":0")
    for operation in handle.consumers():
        if operation.type == "ReadVariableOp":
            return operation.outputs[0]
    from tensorfleet._framework.apply import one

    with graph.as_default():
        return one("ReadVariableOp", handle, dtype=handle.op.get_attr("dtype"))


def _tensor(value: Any, number: int, node: Any) -> Any:
    """The message of a value, of the class that the node's messages are of."""
    import numpy as np

    from tensorfleet._framework.dtypes import as_dtype

    tensor = type(node.attr["value"].tensor)()
    array = np.asarray(value)
    tensor.dtype = number
    tensor.tensor_shape.CopyFrom(type(tensor.tensor_shape)())
    for size in array.shape:
        tensor.tensor_shape.dim.add().size = size
    if number == 7:
        tensor.string_val.extend(array.ravel().tolist())
    else:
        tensor.tensor_content = np.ascontiguousarray(array, dtype=as_dtype(number).as_numpy_dtype).tobytes()
    return tensor


def remove_training_nodes(input_graph: Any, protected_nodes: Any = None) -> Any:
    """A GraphDef without the nodes that only training needs: Identity and CheckNumerics, but for those that are protected."""
    protected = set(protected_nodes or ())
    skipped: dict[str, str] = {}
    for node in _checked(input_graph).node:
        plain = [item for item in node.input if not item.startswith("^")]
        if node.name in protected or not plain:
            continue
        waits = any(item.startswith("^") for item in node.input)
        if node.op == "CheckNumerics" or node.op == "Identity" and not waits:
            skipped[node.name] = plain[0]

    def source(item: str) -> str:
        while _node_name(item) in skipped and not item.startswith("^"):
            item = skipped[_node_name(item)]
        return item

    awaited = {_node_name(item) for node in input_graph.node for item in node.input if item.startswith("^")}
    result = type(input_graph)()
    for node in input_graph.node:
        if node.name in skipped and node.name not in awaited:
            continue
        new = result.node.add()
        new.CopyFrom(node)
        inputs = [source(item) for item in node.input]
        del new.input[:]
        new.input.extend(inputs)
    return result


def tensor_shape_from_node_def_name(graph: Graph, input_name: str) -> TensorShape:
    """What is known of the shape of a tensor, by its name or its operation's."""
    name = input_name if ":" in input_name else input_name + ":0"
    return graph.get_tensor_by_name(name).get_shape()


def must_run_on_cpu(node: Any, pin_variables_on_cpu: bool = False) -> bool:
    """Whether an operation runs on a CPU only: it gives strings, or integers as a constant."""
    node_def = getattr(node, "node_def", node)
    if pin_variables_on_cpu and node_def.op in _VARIABLES:
        return True
    if node_def.op == "Const":
        return node_def.attr["dtype"].type in (3, 7)
    return node_def.op in ("DynamicStitch", "ParallelDynamicStitch", "Size")
