"""What is said of parts of TensorFlow that are not here."""

from __future__ import annotations

from types import ModuleType
from typing import Any, Callable, NoReturn


def refusing(module: str, instead: str, special: dict[str, str] | None = None) -> Callable[[str], NoReturn]:
    """A module's `__getattr__` that says for each name what to use instead.

    >>> refusing("tf.keras", "tf.layers")("Sequential")
    Traceback (most recent call last):
    AttributeError: tensorfleet has no tf.keras.Sequential; use tf.layers
    """
    known = special or {}

    def missing(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"module {module!r} has no attribute {name!r}")
        raise AttributeError(f"tensorfleet has no {module}.{name}; use {known.get(name, instead)}")

    return missing


def unknown_name(module: str, name: str, here: Any) -> str:
    """A sentence about a name that a module does not have: whether TensorFlow had it, and which names of the module are near."""
    import difflib

    from tensorfleet.v1._known_names import IN_MODULES

    had = name in IN_MODULES.get(module, "").split()
    near = difflib.get_close_matches(name, [word for word in here if not word.startswith("_")], 3)
    hint = f"; did you mean {' or '.join(f'tf.{module}.{word}' for word in near)}?" if near else ""
    if had:
        return f"tensorfleet has no tf.{module}.{name}, which TensorFlow 1.x had{hint or '; docs/python.md lists what is here'}"
    return f"tensorfleet has no tf.{module}.{name}, and TensorFlow 1.x had none either{hint}"


def explains(module: ModuleType, path: str) -> None:
    """Lets a module that finds nothing by itself say so in a sentence."""
    if "__getattr__" in vars(module):
        return

    def missing(name: str) -> NoReturn:
        if name.startswith("__"):
            raise AttributeError(f"module {module.__name__!r} has no attribute {name!r}")
        raise AttributeError(unknown_name(path, name, vars(module)))

    vars(module)["__getattr__"] = missing


def lazily(package: str, modules: set[str], otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
    """A package's `__getattr__` that loads modules of it when they are first asked for."""
    import importlib

    def find(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        return otherwise(name)

    return find
