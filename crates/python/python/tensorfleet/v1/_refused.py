"""What is said of parts of TensorFlow that are not here."""

from __future__ import annotations

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


def lazily(package: str, modules: set[str], otherwise: Callable[[str], Any]) -> Callable[[str], Any]:
    """A package's `__getattr__` that loads modules of it when they are first asked for."""
    import importlib

    def find(name: str) -> Any:
        if name in modules:
            return importlib.import_module(f"{package}.{name}")
        return otherwise(name)

    return find
