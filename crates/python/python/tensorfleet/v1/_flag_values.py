"""The values of flags: what the command line gives, what the program assigns, and the defaults.

`flags.py` has the functions that define flags; here is the object that holds them, and the reading of arguments.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

# Texts that a boolean flag takes.
TRUE = ("true", "t", "1", "yes", "y")
FALSE = ("false", "f", "0", "no", "n")


class Error(Exception):
    """Something is wrong with a flag."""


class DuplicateFlagError(Error):
    """A flag was defined twice, differently."""


class IllegalFlagValueError(Error, ValueError):
    """A flag has a value that it cannot take, or none although it must."""


class UnrecognizedFlagError(Error, AttributeError):
    """There is no flag of this name."""


class Flag:
    """One flag: its name, kind, default and help."""

    def __init__(
        self, values: FlagValues, name: str, kind: str, default: Any, help: str, parse: Callable[[str], Any],
        is_multi: bool = False, short_name: str | None = None,
    ) -> None:
        self._values = values
        self.name = name
        self.kind = kind
        self.help = help or ""
        self.parse = parse
        self.is_multi = is_multi
        self.short_name = short_name
        self.default = self.converted_default(default)

    @property
    def boolean(self) -> bool:
        """Whether the flag is on or off."""
        return self.kind == "boolean"

    @property
    def value(self) -> Any:
        """The value of the flag now."""
        return getattr(self._values, self.name)

    @value.setter
    def value(self, value: Any) -> None:
        setattr(self._values, self.name, value)

    @property
    def present(self) -> bool:
        """Whether the command line has the flag."""
        self._values._parse_once()
        return self.name in self._values.__dict__["_given"]

    def parsed(self, text: str) -> Any:
        """The value that a text stands for."""
        try:
            return self.parse(text)
        except ValueError as error:
            raise IllegalFlagValueError(f"flag --{self.name} cannot be {text!r}: {error}") from None

    def converted_default(self, default: Any) -> Any:
        """The default in the flag's own type, as far as it has a form in it."""
        if default is None:
            return None
        if self.is_multi:
            items = [default] if isinstance(default, (str, int, float)) else list(default)
            return [self.parsed(item) if isinstance(item, str) else item for item in items]
        if isinstance(default, str):
            return self.parsed(default)
        if self.kind == "boolean" and default in (0, 1):
            return bool(default)
        if self.kind == "float" and isinstance(default, int):
            return float(default)
        if self.kind == "integer" and isinstance(default, float) and default.is_integer():
            return int(default)
        if self.kind in ("list", "spaceseplist"):
            return list(default)
        return default


class FlagValues:
    """The flags of a program, each an attribute. The first access parses the command line."""

    def __init__(self) -> None:
        # Names as programs of TensorFlow 1.x reach for them: `FLAGS.__flags` and `FLAGS.__parsed`.
        self.__dict__["__flags"] = {}
        self.__dict__["__parsed"] = False
        self.__dict__["_defined"] = {}
        self.__dict__["_given"] = {}
        self.__dict__["_assigned"] = set()
        self.__dict__["_required"] = {}
        self.__dict__["_args"] = None

    # Parsing.

    def _parse_flags(self, args: list[str] | None = None) -> list[str]:
        """Parse arguments, by default those of the process, and return those that are no flags."""
        state = self.__dict__
        if args is not None:
            # Flags that are defined later are looked for in the same arguments.
            state["_args"] = list(args)
        args = sys.argv[1:] if state["_args"] is None else state["_args"]
        given, rest = _read_arguments(args, state["_defined"])
        if given is None:
            print(self._help_text())
            sys.exit(0)
        state["_given"] = given
        for name, flag in state["_defined"].items():
            # What the program has assigned itself stays.
            if name not in state["_assigned"]:
                state["__flags"][name] = given.get(name, _fresh(flag.default))
        for name in state["_required"]:
            if state["__flags"].get(name) is None:
                raise IllegalFlagValueError(f"flag --{name} is required, but it was not given")
        state["__parsed"] = True
        return rest

    def _parse_once(self) -> None:
        if not self.__dict__["__parsed"]:
            self._parse_flags()

    def __call__(self, argv: list[str], known_only: bool = False) -> list[str]:
        """Parse a program's name and arguments; returns the name and the arguments that are no flags."""
        return argv[:1] + self._parse_flags(args=argv[1:])

    def is_parsed(self) -> bool:
        """Whether the command line has been parsed."""
        return self.__dict__["__parsed"]

    def mark_as_parsed(self) -> None:
        """Take the defaults and do not look at the command line."""
        self._parse_flags(args=[])

    def unparse_flags(self) -> None:
        """Parse again at the next access."""
        self.__dict__["__parsed"] = False
        self.__dict__["_args"] = None
        self.__dict__["_assigned"].clear()

    # Values.

    def __getattr__(self, name: str) -> Any:
        state = self.__dict__
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if not state["__parsed"]:
            self._parse_flags()
        try:
            return state["__flags"][name]
        except KeyError:
            known = ", ".join(sorted(state["_defined"])) or "none"
            raise UnrecognizedFlagError(f"there is no flag {name!r}; defined are: {known}") from None

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self.__dict__:
            self.__dict__[name] = value
            return
        self._parse_once()
        self.__dict__["__flags"][name] = value
        self.__dict__["_assigned"].add(name)

    def __delattr__(self, name: str) -> None:
        if name not in self.__dict__["_defined"] and name not in self.__dict__["__flags"]:
            raise UnrecognizedFlagError(f"there is no flag {name!r}")
        for table in ("_defined", "__flags", "_given", "_required"):
            self.__dict__[table].pop(name, None)
        self.__dict__["_assigned"].discard(name)

    def __getitem__(self, name: str) -> Flag:
        try:
            return self.__dict__["_defined"][name]
        except KeyError:
            raise UnrecognizedFlagError(f"there is no flag {name!r}") from None

    def __contains__(self, name: object) -> bool:
        return name in self.__dict__["_defined"] or name in self.__dict__["__flags"]

    def __iter__(self) -> Iterator[str]:
        return iter(list(self.__dict__["_defined"]))

    def __len__(self) -> int:
        return len(self.__dict__["_defined"])

    def __dir__(self) -> list[str]:
        return sorted({*object.__dir__(self), *self.__dict__["_defined"]})

    def flag_values_dict(self) -> dict[str, Any]:
        """All names with their values."""
        self._parse_once()
        return dict(self.__dict__["__flags"])

    def set_default(self, name: str, value: Any) -> None:
        """Change the default of a flag; it holds unless the command line or the program gives another value."""
        flag = self[name]
        flag.default = flag.converted_default(value)
        state = self.__dict__
        if state["__parsed"] and name not in state["_given"] and name not in state["_assigned"]:
            state["__flags"][name] = _fresh(flag.default)

    # Definitions.

    def _define(self, flag: Flag) -> Flag:
        state = self.__dict__
        old = state["_defined"].get(flag.name)
        if old is not None:
            if (old.kind, old.default, old.is_multi) != (flag.kind, flag.default, flag.is_multi):
                raise DuplicateFlagError(
                    f"flag --{flag.name} is defined twice: as {old.kind} with default {old.default!r} "
                    f"and as {flag.kind} with default {flag.default!r}"
                )
            return old
        if hasattr(type(self), flag.name) or flag.name in state:
            raise DuplicateFlagError(f"a flag cannot be called {flag.name!r}: FLAGS has a method of that name")
        state["_defined"][flag.name] = flag
        # A flag that is defined after parsing is looked up at the next access.
        state["__parsed"] = False
        return flag

    def _help_text(self) -> str:
        lines = [f"usage: {sys.argv[0] if sys.argv else 'program'} [flags]", "", "flags:"]
        for name in sorted(self.__dict__["_defined"]):
            flag = self.__dict__["_defined"][name]
            form = f"--[no]{name}" if flag.boolean else f"--{name}"
            lines.append(f"  {form}: {flag.help or 'no description'}")
            lines.append(f"    (default: {flag.default!r}; {flag.kind}{', may be repeated' if flag.is_multi else ''})")
        lines.append("  --help: show this list and exit")
        return "\n".join(lines)


def _read_arguments(args: list[str], defined: dict[str, Flag]) -> tuple[dict[str, Any] | None, list[str]]:
    """Values of the flags in the arguments, and the other arguments. None for the values if help is asked for."""
    given: dict[str, Any] = {}
    rest: list[str] = []
    short = {flag.short_name: flag for flag in defined.values() if flag.short_name}
    at = 0
    while at < len(args):
        arg = args[at]
        at += 1
        if arg == "--":
            rest.extend(args[at:])
            break
        name, equals, text = arg.lstrip("-").partition("=")
        if not arg.startswith("-") or not name or arg.startswith("---"):
            rest.append(arg)
            continue
        if arg in ("--help", "-help", "-h", "--helpfull", "--helpshort") and name not in defined:
            return None, rest
        flag, is_negated = _find(name, defined, short, allow_beginning=arg.startswith("--"))
        if flag is None:
            rest.append(arg)
            continue
        if is_negated:
            if equals:
                raise IllegalFlagValueError(f"flag --{name} takes no value, got {text!r}")
            value = False
        elif equals:
            value = flag.parsed(text)
        elif flag.boolean:
            value = True
            if at < len(args) and args[at].lower() in TRUE + FALSE:
                value = flag.parsed(args[at])
                at += 1
        else:
            if at == len(args) or _is_flag(args[at], defined):
                raise IllegalFlagValueError(f"flag --{flag.name} needs a value ({flag.kind})")
            value = flag.parsed(args[at])
            at += 1
        if flag.is_multi:
            given.setdefault(flag.name, []).append(value)
        else:
            given[flag.name] = value
    return given, rest


def _find(
    name: str, defined: dict[str, Flag], short: dict[str, Flag], allow_beginning: bool
) -> tuple[Flag | None, bool]:
    flag = defined.get(name) or short.get(name)
    if flag is not None:
        return flag, False
    if name.startswith("no") and name[2:] in defined and defined[name[2:]].boolean:
        return defined[name[2:]], True
    if allow_beginning:
        matches = [flag for full, flag in defined.items() if full.startswith(name)]
        if len(matches) == 1:
            return matches[0], False
    return None, False


def _is_flag(arg: str, defined: dict[str, Flag]) -> bool:
    return arg.startswith("--") and arg[2:].partition("=")[0] in defined


def _fresh(default: Any) -> Any:
    """A list is copied, so that a program that changes it does not change the default."""
    return list(default) if isinstance(default, list) else default
