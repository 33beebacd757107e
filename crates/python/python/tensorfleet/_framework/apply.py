"""Applying ops: Python values become tensors, attributes follow from inputs, and nodes get TensorFlow's names."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core
from tensorfleet._framework import dtypes, values
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape

_definitions: dict[str, Any] | None = None


def definitions() -> dict[str, Any]:
    """The definitions of all ops."""
    global _definitions
    if _definitions is None:
        _definitions = _core.op_definitions()
    return _definitions


def _find_graph(inputs: Any) -> Graph:
    default = get_default_graph()
    if default.building_function:
        return default
    for value in inputs:
        for item in value if isinstance(value, (list, tuple)) else (value,):
            if isinstance(item, Tensor):
                return item.graph
            if hasattr(item, "_as_graph_element"):
                return item.graph
    return default


def _attr(kind: str, value: Any) -> Any:
    """An attribute's value as the core takes it."""
    if kind == "type":
        return dtypes.as_dtype(value).base_dtype.as_datatype_enum
    if kind == "list(type)":
        return [dtypes.as_dtype(item).base_dtype.as_datatype_enum for item in value]
    if kind == "shape":
        return _shape(value)
    if kind == "list(shape)":
        return [_shape(item) for item in value]
    return value


def _shape(value: Any) -> Any:
    shape = value if isinstance(value, TensorShape) else TensorShape(value)
    return None if shape.ndims is None else shape.as_list()


def _type_of(values: Any) -> DType | None:
    """The element type of the first tensor among values."""
    for value in values:
        if isinstance(value, Tensor):
            return value._dtype.base_dtype
        if hasattr(value, "_as_graph_element"):
            return value.dtype.base_dtype
    return None


def _is_ready(arg: Any, value: Any) -> bool:
    """Whether nothing is to be converted for an argument."""
    if arg["is_list"]:
        return type(value) is list and all(type(item) is Tensor for item in value)
    return type(value) is Tensor


def apply_op(op_type: str, *inputs: Any, name: str | None = None, graph: Graph | None = None, **attrs: Any) -> Operation:
    """Adds an operation. Inputs may be Python values, which become constants named after the arguments; attributes that are None
    are left to their defaults."""
    definition = definitions().get(op_type)
    if definition is None:
        raise NotImplementedError(f"There is no op {op_type!r}")
    kinds = {attr["name"]: attr["kind"] for attr in definition["attrs"]}
    given = {key: _attr(kinds.get(key, ""), value) for key, value in attrs.items() if value is not None}
    graph = graph or _find_graph(inputs)
    if len(inputs) != len(definition["inputs"]):
        raise TypeError(f"{op_type} takes {len(definition['inputs'])} inputs, not {len(inputs)}")
    if all(_is_ready(arg, value) for arg, value in zip(definition["inputs"], inputs)):
        return graph.create_op(op_type, inputs, given, name or op_type)
    with graph.as_default(), graph.name_scope(name or op_type) as scope:
        converted = _convert_inputs(definition, inputs, given)
        return graph.create_op(op_type, converted, given, scope)


def _convert_inputs(definition: Any, inputs: Any, attrs: dict[str, Any]) -> list[Any]:
    known: dict[str, DType] = {}
    for arg, value in zip(definition["inputs"], inputs):
        type_attr = arg.get("type_attr")
        if type_attr is None or type_attr in known:
            continue
        if isinstance(attrs.get(type_attr), int):
            known[type_attr] = dtypes.from_number(attrs[type_attr])
        elif not (arg["is_list"] and arg["number_attr"] is None):
            found = _type_of(value if arg["is_list"] else [value])
            if found is not None:
                known[type_attr] = found
    converted: list[Any] = []
    for arg, value in zip(definition["inputs"], inputs):
        type_attr, type_list = arg.get("type_attr"), arg["is_list"] and arg["number_attr"] is None
        if "type" in arg:
            dtype: DType | None = dtypes.from_number(arg["type"])
        else:
            dtype = None if type_list else known.get(type_attr)
        if arg["is_list"]:
            types = attrs.get(type_attr) if type_list else None
            tensors = []
            for i, item in enumerate(value):
                wanted = dtypes.from_number(types[i]) if types else dtype
                tensor = convert_to_tensor(item, dtype=wanted, name=f"{arg['name']}_{i}", as_ref=arg["is_ref"])
                if dtype is None and not type_list:
                    dtype = known[type_attr] = tensor.dtype.base_dtype
                tensors.append(tensor)
            converted.append(tensors)
        else:
            tensor = convert_to_tensor(
                value, dtype=dtype, name=arg["name"], as_ref=arg["is_ref"],
                preferred_dtype=None if dtype is not None else _default_type(definition, type_attr, value),
            )
            if type_attr is not None and type_attr not in known and not type_list:
                known[type_attr] = tensor.dtype.base_dtype
            converted.append(tensor)
    return converted


def _default_type(definition: Any, type_attr: str | None, value: Any) -> DType | None:
    """The type that a Python value takes where its own is not allowed: the attribute's default."""
    for attr in definition["attrs"]:
        if attr["name"] == type_attr and attr["has_default"] and attr["kind"] == "type":
            try:
                own = values.to_array(value, None)[1]
            except (TypeError, ValueError, NotImplementedError):
                return None
            allowed = attr["allowed_types"]
            return dtypes.from_number(attr["default"]) if allowed and own not in allowed else None
    return None


def one(op_type: str, *inputs: Any, name: str | None = None, **attrs: Any) -> Tensor:
    """Adds an operation and gives its first output."""
    return apply_op(op_type, *inputs, name=name, **attrs)._outputs[0]


def many(op_type: str, *inputs: Any, name: str | None = None, **attrs: Any) -> list[Tensor]:
    """Adds an operation and gives its outputs."""
    return apply_op(op_type, *inputs, name=name, **attrs)._outputs
