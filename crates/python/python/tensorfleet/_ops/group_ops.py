"""Operations tied together, checks that stop a step, and tensors printed while it runs."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, convert_to_tensor, convert_to_tensor_or_indexed_slices
from tensorfleet._framework.graph import Graph, Operation, Tensor, control_dependencies, graph_of
from tensorfleet._ops.op_scope import op_scope

__all__ = ["group", "tuple", "no_op", "with_dependencies", "Assert", "Print"]


def no_op(name: str | None = None) -> Operation:
    """An operation that does nothing; it can wait for others."""
    return apply_op("NoOp", name=name)


def _operation(value: Any) -> Operation:
    """The operation of a tensor, of rows, of a variable, or itself."""
    if isinstance(value, Operation):
        return value
    if isinstance(value, (Tensor, IndexedSlices, SparseTensor)) or hasattr(value, "_as_graph_element"):
        return value.op
    if hasattr(value, "op") and isinstance(value.op, Operation):
        return value.op
    raise TypeError(f"Expected operations or tensors, not {type(value).__name__}: {value!r}")


def _no_op_after(deps: list[Operation], device: str, name: str | None = None) -> Operation:
    graph: Graph = deps[0].graph
    with graph.as_default(), graph.control_dependencies(deps):
        if device:
            with graph.device(device):
                return no_op(name)
        return no_op(name)


def group(*inputs: Any, **kwargs: Any) -> Operation:
    """One operation that is done when several are.

    >>> import tensorfleet.v1 as tf
    >>> tf.group(tf.no_op(), tf.no_op(), name="both").name
    'both'
    """
    name = kwargs.pop("name", None)
    if kwargs:
        raise ValueError(f"group does not know the arguments {', '.join(kwargs)}")
    leaves = [leaf for leaf in nest.flatten(list(inputs)) if leaf is not None]
    with op_scope(
        name, "group_deps", [leaf.values if isinstance(leaf, (IndexedSlices, SparseTensor)) else leaf for leaf in leaves]
    ) as scope:
        if not leaves:
            return no_op(scope)
        by_device: dict[str, list[Operation]] = {}
        for leaf in leaves:
            operation = _operation(leaf)
            by_device.setdefault(operation.device, []).append(operation)
        if len(by_device) == 1:
            (device, deps), = by_device.items()
            return _no_op_after(deps, device, scope)
        parts = [_no_op_after(by_device[device], device) for device in sorted(by_device)]
        graph = parts[0].graph
        with graph.control_dependencies(parts):
            return no_op(scope)


def tuple(tensors: Any, name: str | None = None, control_inputs: Any = None) -> list[Any]:
    """The same tensors; none of them is there before all are, and before `control_inputs` are done."""
    with op_scope(name, "tuple", [t for t in tensors if isinstance(t, Tensor)]):
        tensors = [t if t is None or isinstance(t, (Operation, IndexedSlices)) else convert_to_tensor(t) for t in tensors]
        gates = [t if isinstance(t, Operation) else t.op for t in tensors if t is not None]
        gates += [_operation(value) for value in control_inputs or ()]
        if not gates:
            raise ValueError(f"tuple needs a tensor among {tensors}")
        gate = group(*gates)
        passed: list[Any] = []
        for t in tensors:
            passed.append(None if t is None else with_dependencies([gate], t) if not isinstance(t, Operation) else t)
        return passed


def with_dependencies(dependencies: Any, output_tensor: Any, name: str | None = None) -> Any:
    """The same tensor, which is there only after operations are done."""
    with op_scope(name, "control_dependency", list(dependencies) + [output_tensor]) as scope:
        with _colocated(output_tensor), control_dependencies(dependencies):
            output = convert_to_tensor_or_indexed_slices(output_tensor)
            if isinstance(output, IndexedSlices):
                return IndexedSlices(one("Identity", output.values, name=scope), output.indices, output.dense_shape)
            return one("Identity", output, name=scope)


def _colocated(value: Any) -> Any:
    graph = graph_of([value])
    return graph.colocate_with(value.values if isinstance(value, IndexedSlices) else value)


def Assert(condition: Any, data: Any, summarize: int | None = None, name: str | None = None) -> Operation | None:
    """An operation that stops the step and shows `data` unless a condition holds."""
    from tensorfleet._ops.cond_ops import cond

    if isinstance(condition, (bool, np.bool_)) and not condition:
        raise ValueError(f"'{condition}' is known to be false: {data}")
    with op_scope(name, "Assert", [condition] + [value for value in data if isinstance(value, Tensor)]):
        data = list(data)
        kinds = [convert_to_tensor(value).dtype.base_dtype for value in data]
        if all(kind in (dtypes.string, dtypes.int32) for kind in kinds):
            return apply_op("Assert", condition, data, summarize=summarize, name="Assert")
        condition = convert_to_tensor(condition, name="Condition")
        guarded = cond(
            condition, no_op, lambda: apply_op("Assert", condition, data, summarize=summarize, name="Assert"),
            name="AssertGuard"
        )
        return guarded.op


def Print(
    input_: Any, data: Any, message: str | None = None, first_n: int | None = None, summarize: int | None = None,
    name: str | None = None,
) -> Tensor:
    """The same tensor; `data` is written to standard error whenever it is computed."""
    return one("Print", input_, list(data), name=name, message=message, first_n=first_n, summarize=summarize)


