"""First values of variables that depend on other variables: they are rebuilt on the others' first values, so that all variables can
be initialised in one step, in any order."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Graph, Operation, Tensor

_VARIABLES = ("Variable", "VariableV2")
# What reads the state of a variable on purpose, and is left as it is.
_LEFT = ("IsVariableInitialized", "VarIsInitializedOp", "ReadVariableOp", "If")
_LOOPS = ("NextIteration", "RefNextIteration")
# What takes a reference, and its kin that takes a value.
_PLAIN = {"RefSwitch": "Switch", "RefMerge": "Merge", "RefIdentity": "Identity"}


def guarded(name: str, value: Tensor) -> Tensor:
    """A first value of the variable `name` that needs no other variable to have a value yet."""
    graph, needed = value.graph, _needed(value.op)
    if not any(op.type in _VARIABLES for op in needed) or any(op.type in _LOOPS for op in needed):
        return value
    from tensorfleet._framework.messages import GraphDef
    from tensorfleet._framework.variables import known_variables

    message = GraphDef()
    # The names of what stands for tensors, where that is something else.
    replaced: dict[str, str] = {}
    for op in needed:
        if op.type in _VARIABLES:
            variable = known_variables(graph).get(op.name)
            if variable is not None and variable.initial_value is not None:
                replaced[op.outputs[0].name] = variable.initialized_value().name
        elif op.type not in _LEFT and any(tensor.name in replaced for tensor in op.inputs):
            node = message.node.add()
            node.CopyFrom(op.node_def)
            node.name, node.op = f"{op.name}_{name}", _PLAIN.get(op.type, op.type)
            del node.input[:]
            node.input.extend([replaced.get(tensor.name, tensor.name) for tensor in op.inputs])
            node.input.extend([f"^{waited.name}" for waited in op.control_inputs])
            _colocate(graph, node)
            replaced.update({tensor.name: f"{node.name}:{tensor.value_index}" for tensor in op.outputs})
    # Some of these nodes stand beside the nodes of a branch, which only a message can say.
    graph._core.import_graph_def(message.SerializeToString())
    return graph.get_tensor_by_name(replaced.get(value.name, value.name))


def _colocate(graph: Graph, node: Any) -> None:
    """Puts a node beside those of the scopes that it is built in."""
    beside = [group for number in graph._kept.get("colocations", ()) for group in graph._operation(number).colocation_groups()]
    if beside:
        groups = sorted({*beside, *node.attr["_class"].list.s})
        del node.attr["_class"].list.s[:]
        node.attr["_class"].list.s.extend(groups)


def _needed(op: Operation) -> list[Operation]:
    """What an operation is computed from, in an order in which it can be built again."""
    found: dict[int, Operation] = {}
    waiting = [op]
    while waiting:
        op = waiting.pop()
        if op._id not in found:
            found[op._id] = op
            if op.type not in _LEFT:
                waiting += [tensor.op for tensor in op.inputs]
    return [found[number] for number in sorted(found)]
