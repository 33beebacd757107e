"""Flags of programs (`tf.app.flags`), read from the command line.

    tf.app.flags.DEFINE_string("job_name", "worker", "One of ps and worker")
    FLAGS = tf.app.flags.FLAGS
    print(FLAGS.job_name)

The command line is parsed when a flag is first read, so programs need not call `tf.app.run`. A flag is written
`--name=value`, `--name value` or with one dash; a boolean `--name`, `--noname` or with a value. A unique beginning of a
name stands for it. Arguments that are no flags are left for the program's `main`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ._flag_values import (
    FALSE,
    TRUE,
    DuplicateFlagError,
    Error,
    Flag,
    FlagValues,
    IllegalFlagValueError,
    UnrecognizedFlagError,
)

__all__ = [
    "DEFINE_bool", "DEFINE_boolean", "DEFINE_enum", "DEFINE_float", "DEFINE_integer", "DEFINE_list",
    "DEFINE_multi_enum", "DEFINE_multi_float", "DEFINE_multi_integer", "DEFINE_multi_string", "DEFINE_spaceseplist",
    "DEFINE_string", "DuplicateFlagError", "Error", "FLAGS", "Flag", "FlagValues", "IllegalFlagValueError",
    "UnrecognizedFlagError", "mark_flag_as_required", "mark_flags_as_required", "set_default",
]

FLAGS = FlagValues()
"""The flags of the program."""


def DEFINE_string(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is a string: `DEFINE_string(flag_name, default_value, docstring)`."""
    return _define("string", str, args, kwargs)


def DEFINE_integer(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is a whole number; `lower_bound` and `upper_bound` limit it."""
    return _define("integer", _bounded(_integer, kwargs), args, kwargs)


def DEFINE_float(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is a number; `lower_bound` and `upper_bound` limit it."""
    return _define("float", _bounded(_number, kwargs), args, kwargs)


def DEFINE_boolean(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is on or off: `--name`, `--noname`, `--name=true`, `--name false`."""
    return _define("boolean", _boolean, args, kwargs)


DEFINE_bool = DEFINE_boolean


def DEFINE_list(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is a list of strings, separated by commas."""
    return _define("list", lambda text: [part.strip() for part in text.split(",")] if text else [], args, kwargs)


def DEFINE_spaceseplist(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that is a list of strings, separated by white space."""
    return _define("spaceseplist", str.split, args, kwargs)


def DEFINE_enum(
    name: str, default: str | None, enum_values: Iterable[str], help: str = "", *args: Any, **kwargs: Any
) -> Flag:
    """Define a flag that is one of some strings."""
    parse = _one_of(list(enum_values), kwargs.pop("case_sensitive", True))
    return _define("enum", parse, (name, default, help, *args), kwargs)


def DEFINE_multi_string(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that may be repeated; its value is the list of all strings."""
    return _define("string", str, args, kwargs, is_multi=True)


def DEFINE_multi_integer(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that may be repeated; its value is the list of all whole numbers."""
    return _define("integer", _bounded(_integer, kwargs), args, kwargs, is_multi=True)


def DEFINE_multi_float(*args: Any, **kwargs: Any) -> Flag:
    """Define a flag that may be repeated; its value is the list of all numbers."""
    return _define("float", _bounded(_number, kwargs), args, kwargs, is_multi=True)


def DEFINE_multi_enum(
    name: str, default: Any, enum_values: Iterable[str], help: str = "", *args: Any, **kwargs: Any
) -> Flag:
    """Define a flag that may be repeated; its value is a list, each item one of some strings."""
    parse = _one_of(list(enum_values), kwargs.pop("case_sensitive", True))
    return _define("enum", parse, (name, default, help, *args), kwargs, is_multi=True)


def mark_flag_as_required(flag_name: str, flag_values: FlagValues = FLAGS) -> None:
    """Refuse to go on if a flag has no value when the command line is parsed."""
    flag_values[flag_name]
    flag_values.__dict__["_required"][flag_name] = True


def mark_flags_as_required(flag_names: Iterable[str], flag_values: FlagValues = FLAGS) -> None:
    """Like `mark_flag_as_required`, for many flags."""
    for name in flag_names:
        mark_flag_as_required(name, flag_values)


def set_default(flag: Flag, value: Any) -> None:
    """Change the default of a flag that a `DEFINE_` function returned."""
    flag._values.set_default(flag.name, value)


_NAMES = (("name", "flag_name"), ("default", "default_value"), ("help", "docstring"))


def _define(
    kind: str, parse: Callable[[str], Any], args: tuple, kwargs: dict[str, Any], is_multi: bool = False
) -> Flag:
    """Define a flag. Names of arguments are those of old and of newer versions of TensorFlow 1.x."""
    found: dict[str, Any] = {"help": ""}
    positions = ("name", "default", "help", "flag_values")
    if len(args) > len(positions):
        raise TypeError(f"DEFINE_{kind} takes at most {len(positions)} positional arguments, got {len(args)}")
    found.update(zip(positions, args))
    for new, old in _NAMES:
        for word in (new, old):
            if word in kwargs:
                found[new] = kwargs.pop(word)
    for needed in ("name", "default"):
        if needed not in found:
            raise TypeError(f"DEFINE_{kind} needs a {needed}")
    values = kwargs.pop("flag_values", found.get("flag_values", FLAGS))
    short_name = kwargs.pop("short_name", None)
    required = kwargs.pop("required", False)
    if kwargs:
        raise TypeError(f"DEFINE_{kind} of {found['name']!r} does not know the argument {next(iter(kwargs))!r}")
    flag = Flag(values, found["name"], kind, found["default"], found["help"], parse, is_multi, short_name)
    flag = values._define(flag)
    if required:
        mark_flag_as_required(flag.name, values)
    return flag


def _boolean(text: str) -> bool:
    if text.lower() in TRUE:
        return True
    if text.lower() in FALSE:
        return False
    raise ValueError("expected true or false")


def _integer(text: str) -> int:
    text = text.strip()
    try:
        return int(text, 16 if text.lower().lstrip("+-").startswith("0x") else 10)
    except ValueError:
        raise ValueError("expected a whole number") from None


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError("expected a number") from None


def _bounded(parse: Callable[[str], Any], kwargs: dict[str, Any]) -> Callable[[str], Any]:
    """The parser with the limits that the arguments of a definition name."""
    low, high = kwargs.pop("lower_bound", None), kwargs.pop("upper_bound", None)

    def bounded(text: str) -> Any:
        value = parse(text)
        if (low is not None and value < low) or (high is not None and value > high):
            limits = ("-inf" if low is None else low, "inf" if high is None else high)
            raise ValueError(f"expected a number from {limits[0]} to {limits[1]}")
        return value

    return bounded


def _one_of(choices: list[str], case_sensitive: bool) -> Callable[[str], str]:
    by_text = {choice if case_sensitive else choice.lower(): choice for choice in choices}

    def parse(text: str) -> str:
        choice = by_text.get(text if case_sensitive else text.lower())
        if choice is None:
            raise ValueError(f"expected one of {', '.join(choices)}")
        return choice

    return parse
