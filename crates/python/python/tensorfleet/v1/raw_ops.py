"""Every op as a function of its inputs and attributes, by name: `tf.raw_ops.MatMul(a=x, b=y)`.

The functions are made of the definitions of the ops when they are first asked for.
"""

from __future__ import annotations

from inspect import Parameter, Signature
from typing import Any as _Any, Callable

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, definitions

# Arguments that have another name in Python than in the definition of the op.
_RENAMED = {
    op: {"axis": old}
    for old, ops in {
        "reduction_indices": ("All", "Any", "Max", "Mean", "Min", "Prod", "Sum"), "split_dim": ("Split", "SplitV"),
        "dim": ("ExpandDims",), "squeeze_dims": ("Squeeze",),
    }.items()
    for op in ops
}


def __getattr__(name: str) -> Callable[..., _Any]:
    if name.startswith("__"):
        raise AttributeError(name)
    definition = definitions().get(name)
    if definition is None:
        import difflib

        near = difflib.get_close_matches(name, definitions(), 3)
        hint = f"; did you mean {', '.join(near)}?" if near else ""
        raise AttributeError(f"there is no op {name!r}{hint}")
    function = _function(name, definition)
    globals()[name] = function
    return function


def __dir__() -> list[str]:
    return sorted(name for name in definitions() if not name.startswith("_"))


def _inferred(definition: _Any) -> set[str]:
    """The attributes that follow from the inputs."""
    found: set[str] = set()
    for arg in definition["inputs"]:
        found.update(key for key in (arg.get("type_attr"), arg["number_attr"]) if key is not None)
    return found


def _function(op: str, definition: _Any) -> Callable[..., _Any]:
    """The function of an op."""
    inputs = [arg["name"] for arg in definition["inputs"]]
    inferred = _inferred(definition)
    attrs = {attr["name"]: attr for attr in definition["attrs"] if attr["name"] not in inferred}
    required = inputs + [name for name, attr in attrs.items() if not attr["has_default"]]
    known = set(inputs) | set(attrs) | inferred | {"name"}

    def call(**kwargs: _Any) -> _Any:
        for new, old in _RENAMED.get(op, {}).items():
            if new in kwargs:
                kwargs[old] = kwargs.pop(new)
        for key in kwargs:
            if key not in known:
                raise TypeError(f"raw_ops.{op} has no argument {key!r}; it takes {', '.join(_order(inputs, attrs))}")
        missing = [key for key in required if key not in kwargs]
        if missing:
            raise TypeError(f"raw_ops.{op} needs the argument{'s' if len(missing) > 1 else ''} {', '.join(missing)}")
        name = kwargs.pop("name", None)
        operation = apply_op(op, *[kwargs.pop(key) for key in inputs], name=name, **kwargs)
        outputs = definition["outputs"]
        if not outputs:
            return operation
        if len(outputs) == 1:
            return list(operation.outputs) if outputs[0]["is_list"] else operation.outputs[0]
        return tuple(operation.outputs) if not any(arg["is_list"] for arg in outputs) else _grouped(operation, definition)

    call.__name__ = call.__qualname__ = op
    call.__doc__ = _documentation(op, definition, attrs)
    call.__signature__ = _signature(op, definition, attrs)  # type: ignore[attr-defined]
    return call


_PYTHON_TYPES = {"bool": "bool", "float": "float", "int": "int", "string": "str | bytes"}


def _signature(op: str, definition: _Any, attrs: dict[str, _Any]) -> Signature:
    """What a checker and `help` are told of a function."""
    renamed = {old: new for new, old in _RENAMED.get(op, {}).items()}

    def parameter(name: str, kind: str, default: _Any = Parameter.empty) -> Parameter:
        return Parameter(renamed.get(name, name), Parameter.KEYWORD_ONLY, default=default, annotation=kind)

    taken = [parameter(arg["name"], "Sequence[object]" if arg["is_list"] else "object") for arg in definition["inputs"]]
    for name, attr in attrs.items():
        inner = attr["kind"].removeprefix("list(").removesuffix(")")
        kind = _PYTHON_TYPES.get(inner, "object")
        kind = kind if inner == attr["kind"] else f"Sequence[{kind}]"
        taken.append(parameter(name, kind, attr["default"] if attr["has_default"] else Parameter.empty))
    taken.append(parameter("name", "str | None", None))
    given = ["list[Tensor]" if arg["is_list"] else "Tensor" for arg in definition["outputs"]]
    result = "Operation" if not given else given[0] if len(given) == 1 else f"tuple[{', '.join(given)}]"
    return Signature(taken, return_annotation=result)


def _grouped(operation: _Any, definition: _Any) -> tuple[_Any, ...]:
    """The outputs of an op, those of a list together."""
    rest = list(operation.outputs)
    groups: list[_Any] = []
    for arg in definition["outputs"]:
        if not arg["is_list"]:
            groups.append(rest.pop(0))
            continue
        key = arg["number_attr"] or arg.get("type_attr")
        value = operation.get_attr(key)
        count = len(value) if isinstance(value, list) else value
        groups.append([rest.pop(0) for _ in range(count)])
    return tuple(groups)


def _order(inputs: list[str], attrs: dict[str, _Any]) -> list[str]:
    return inputs + list(attrs) + ["name"]


def _documentation(op: str, definition: _Any, attrs: dict[str, _Any]) -> str:
    lines = [f"The op {op}." + (" It keeps or changes state." if definition["stateful"] else ""), ""]
    for word, args in (("Inputs", definition["inputs"]), ("Outputs", definition["outputs"])):
        if args:
            lines.append(f"{word}:")
            lines += [f"    {arg['name']}: {_type(arg)}" for arg in args]
    if attrs:
        lines.append("Attributes:")
        for name, attr in attrs.items():
            default = f", {_shown(attr)} if not given" if attr["has_default"] else ""
            lines.append(f"    {name}: {attr['kind']}{default}")
    return "\n".join(lines)


def _type(arg: _Any) -> str:
    kind = dtypes.from_number(arg["type"]).name if "type" in arg else arg["type_attr"]
    if arg["is_list"]:
        kind = f"list of {arg['number_attr']} tensors of {kind}" if arg["number_attr"] else f"list of tensors of the types {kind}"
    else:
        kind = f"tensor of {kind}"
    return kind + (" (a reference)" if arg["is_ref"] else "")


def _shown(attr: _Any) -> str:
    value = attr["default"]
    if attr["kind"] == "type":
        return dtypes.from_number(value).name
    return repr(value)
