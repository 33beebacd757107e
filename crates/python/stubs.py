"""Writes the type stubs of the package: `python crates/python/stubs.py`, with the package on the path.

Modules that define functions and classes have their types inline. Modules that only gather names, some of them when they are
first asked for, tell a checker nothing: for these, for the functions of all ops and for the messages, which are made of tables,
this writes a `.pyi` beside the module. A test compares the files with what would be written.
"""

from __future__ import annotations

import ast
import functools
import importlib
import inspect
import sys
import textwrap
import types
from pathlib import Path
from typing import Any

import tensorfleet
from tensorfleet._framework import messages
from tensorfleet._framework.messages import schema

PACKAGE = Path(tensorfleet.__file__).parent
HEAD = "# Written by stubs.py; do not edit.\n"
MESSAGES = messages.__name__
SCALARS = {"bool": "bool", "bytes": "bytes", "double": "float", "enum": "int", "float": "float", "string": "str"}
REPEATED = """
@type_check_only
class _Messages(list[_T]):
    def add(self, **fields: Any) -> _T: ...
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

@type_check_only
class _Repeated(list[_T]):
    def MergeFrom(self, other: Iterable[_T]) -> None: ...

@type_check_only
class _Map(dict[_K, _T]):
    def get_or_create(self, key: _K) -> _T: ...
    def MergeFrom(self, other: Mapping[_K, _T]) -> None: ...
"""


def public_modules() -> list[types.ModuleType]:
    """The modules of the public surface, `tensorfleet.v1` first. All of them are loaded then, and attributes of their packages."""
    found = []
    for path in sorted((PACKAGE / "v1").rglob("*.py")):
        parts = path.relative_to(PACKAGE).with_suffix("").parts
        # The paths of TensorFlow's source tree stand for modules that are public under other names.
        if parts[1] == "python" or any(part.startswith("_") and part != "__init__" for part in parts):
            continue
        found.append(importlib.import_module(".".join(("tensorfleet", *(part for part in parts if part != "__init__")))))
    return found


def public_names(module: types.ModuleType) -> dict[str, Any]:
    """What a module offers: what it lists; else, if it defines anything, that; else what it gathers of this package's."""
    listed, own = getattr(module, "__all__", ()), defines(module)
    # A module that lists its names has no others, but for those that it finds when they are asked for.
    offered = dir(module) if not listed or "__dir__" in vars(module) else listed
    found = {}
    for name in sorted(name for name in offered if not name.startswith("_")):
        value = getattr(module, name)
        home = value.__name__ if isinstance(value, types.ModuleType) else getattr(value, "__module__", module.__name__)
        inside = home == module.__name__ if own else home.startswith("tensorfleet") and home != "tensorfleet.v1._refused"
        if name in listed or inside:
            found[name] = value
    return found


def defines(module: types.ModuleType) -> bool:
    """Whether a module has functions or classes of its own, whose types are inline."""
    assert module.__file__ is not None
    tree = ast.parse(Path(module.__file__).read_text())
    kinds = (ast.FunctionDef, ast.ClassDef)
    return any(isinstance(node, kinds) and not node.name.startswith("_") for node in tree.body)


def stubs() -> dict[Path, str]:
    """The text of every stub by its path in the package."""
    made = {Path("_framework/messages/__init__.pyi"): _of_messages()}
    for module in public_modules():
        if defines(module):
            continue
        assert module.__file__ is not None
        path = Path(module.__file__).relative_to(PACKAGE).with_suffix(".pyi")
        made[path] = _of_ops(module) if module.__name__ == "tensorfleet.v1.raw_ops" else _of_gathered(module)
    return made


# Modules that gather names


def _of_gathered(module: types.ModuleType) -> str:
    lines, names = [], public_names(module)
    for name, value in names.items():
        if isinstance(value, types.ModuleType):
            parent, _, own = value.__name__.rpartition(".")
            lines.append(f"from {parent} import {own} as {name}")
        elif (home := _home(name, value)) is not None:
            lines.append(f"from {home[0]} import {home[1]} as {name}")
        elif inspect.isfunction(value):
            lines.append(_definition(name, inspect.signature(value)))
        else:
            lines.append(f"{name}: {'None' if value is None else '_builtins.' + type(value).__name__}")
    # Without a list of names those that have another name at home would not count as offered.
    listed = textwrap.fill(", ".join(f'"{name}"' for name in names), 120, initial_indent="    ", subsequent_indent="    ")
    text = "\n".join([*lines, "", "__all__ = [", listed, "]", ""])
    heads = [
        # What these stand for is not part of the module.
        line for word, line in (
            ("_builtins.", "import builtins as _builtins"), ("Any", "from typing import Any"),
            (") -> Tensor", "from tensorfleet._framework.graph import Tensor"),
        ) if word in text
    ]
    return "\n".join([HEAD, *heads, text])


def _home(name: str, value: Any) -> tuple[str, str] | None:
    """The module and the name there of what is not the module's own; None for a function that was made by another function."""
    if inspect.isfunction(value) or inspect.isclass(value):
        where, own = value.__module__, value.__name__
        return (where, own) if getattr(sys.modules.get(where), own, None) is value else None
    for where, module in sorted(sys.modules.items()):
        if where.startswith("tensorfleet._") and vars(module).get(name) is value and name in _assigned(module):
            return where, name
    return None


@functools.cache
def _assigned(module: types.ModuleType) -> set[str]:
    """The names that a module gives values to."""
    if module.__file__ is None or not module.__file__.endswith(".py"):
        return set()
    found = set()
    for node in ast.parse(Path(module.__file__).read_text()).body:
        targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
        found.update(part.id for target in targets for part in ast.walk(target) if isinstance(part, ast.Name))
    return found


def _definition(name: str, signature: inspect.Signature) -> str:
    """The line of a function with this signature, whose annotations are texts."""
    parameters, star = [], False
    for parameter in signature.parameters.values():
        if parameter.kind is parameter.KEYWORD_ONLY and not star:
            parameters.append("*")
            star = True
        known = parameter.annotation is not parameter.empty
        text = f"{parameter.name}: {parameter.annotation}" if known else parameter.name
        parameters.append(text if parameter.default is parameter.empty else f"{text} = ...")
    return f"def {name}({', '.join(parameters)}) -> {signature.return_annotation}: ..."


# The functions of all ops


def _of_ops(module: Any) -> str:
    lines = [
        HEAD, "from typing import Sequence", "", "from tensorfleet._framework.graph import Operation, Tensor", "",
    ]
    for name in dir(module):
        lines.append(_definition(name, inspect.signature(getattr(module, name))))
    return "\n".join(lines) + "\n"


# Messages


def _of_messages() -> str:
    lines = [
        HEAD, "from typing import Any, ClassVar, Iterable, Mapping, Self, TypeVar, type_check_only", "",
        "from .decode import DecodeError as DecodeError", "from .enums import EnumType as EnumType",
        "from .fields import Descriptor as _Descriptor, Field",
    ]
    lines.append("from .text import ParseError as ParseError")
    lines += ["", '_T = TypeVar("_T")', '_K = TypeVar("_K")', REPEATED, *_base(), "", 'AnyMessage = TypeVar("AnyMessage", bound=Message)', ""]
    functions = ("enum_names", "enum_type", "message_class", "message_names", "message_to_text", "parse_text")
    lines += [*(_definition(name, inspect.signature(getattr(messages, name))) for name in functions), ""]
    for name in schema.enum_names():
        if "." not in name:
            lines += [f"{name}: EnumType", *(f"{label}: int" for label in schema.enum_type(name).keys()), ""]
    for name in schema.message_names():
        if "." not in name:
            lines += [*_message(name, ""), ""]
    return "\n".join(lines)


def _base() -> list[str]:
    """The class of all messages: what it offers, without the fields that it finds when they are asked for."""
    lines = ["class Message:", "    DESCRIPTOR: ClassVar[_Descriptor]", "    def __init__(self, **fields: Any) -> None: ..."]
    for name, value in sorted(vars(messages.Message).items()):
        if name.startswith("_") or not isinstance(value, (types.FunctionType, classmethod)):
            continue
        if isinstance(value, classmethod):
            lines.append("    @classmethod")
        lines.append("    " + _definition(name, inspect.signature(inspect.unwrap(value))))
    return lines


def _message(name: str, indent: str) -> list[str]:
    cls, deeper = schema.message_class(name), indent + "    "
    lines = [f"{indent}class {name.rpartition('.')[2]}(Message):"]
    for inner in schema.message_names():
        if inner.rpartition(".")[0] == name:
            lines += _message(inner, deeper)
    for enum in schema.enum_names():
        if enum.rpartition(".")[0] == name:
            lines.append(f"{deeper}{enum.rpartition('.')[2]}: ClassVar[EnumType]")
            lines += [f"{deeper}{label}: ClassVar[int]" for label in schema.enum_type(enum).keys()]
    given = []
    for field in cls.DESCRIPTOR.fields:
        assert field.name not in SCALARS.values(), f"{name}.{field.name} would hide a type"
        kept, taken = _field_types(field)
        given.append(f"{field.name}: {taken} = ...")
        if kept == taken:
            lines.append(f"{deeper}{field.name}: {kept}")
        else:
            # What is made with its message: it is changed, not replaced.
            lines += [f"{deeper}@property", f"{deeper}def {field.name}(self) -> {kept}: ..."]
    return [*lines, f"{deeper}def __init__({', '.join(['self', *(['*', *given] if given else [])])}) -> None: ..."]


def _field_types(field: Any) -> tuple[str, str]:
    """The types of a field as it is read, and as it is given to a new message."""
    if field.is_map:
        key, value = (_scalar(part) for part in (field.key, field.value))
        return f"_Map[{key}, {value}]", f"Mapping[{key}, {value}]"
    kind = _scalar(field)
    if field.repeated:
        return f"{'_Messages' if field.kind == 'message' else '_Repeated'}[{kind}]", f"Iterable[{kind}]"
    return (kind, f"{kind} | Mapping[str, Any] | None") if field.kind == "message" else (kind, kind)


def _scalar(field: Any) -> str:
    return field.message_name if field.kind == "message" else SCALARS.get(field.kind, "int")


if __name__ == "__main__":
    for path, text in stubs().items():
        (PACKAGE / path).write_text(text)
        print(path)
