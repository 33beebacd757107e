"""Default arguments of functions within a block: `arg_scope`."""

from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any, Callable, Iterator

__all__ = ["add_arg_scope", "arg_scope", "arg_scoped_arguments", "has_arg_scope"]

_decorated: dict[str, tuple[str, ...]] = {}


class _Stack(threading.local):
    def __init__(self) -> None:
        self.scopes: list[dict[str, dict[str, Any]]] = [{}]


_stack = _Stack()


def _key(function: Any) -> str:
    return getattr(function, "_key_op", str(function))


def add_arg_scope(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function whose default arguments `arg_scope` can set.

    >>> @add_arg_scope
    ... def scaled(x, factor=1):
    ...     return x * factor
    >>> with arg_scope([scaled], factor=3):
    ...     scaled(2)
    6
    """
    import inspect

    key = f"{function.__module__}.{function.__qualname__}.{id(function)}"

    @functools.wraps(function)
    def with_defaults(*args: Any, **kwargs: Any) -> Any:
        defaults = _stack.scopes[-1].get(key)
        if defaults:
            positional = list(inspect.signature(function).parameters)[: len(args)]
            given = {name: value for name, value in defaults.items() if name not in positional}
            kwargs = {**given, **kwargs}
        return function(*args, **kwargs)

    with_defaults._key_op = key  # type: ignore[attr-defined]
    _decorated[key] = tuple(
        name for name, parameter in inspect.signature(function).parameters.items()
        if parameter.default is not parameter.empty
    )
    return with_defaults


def has_arg_scope(func: Any) -> bool:
    """Whether `arg_scope` can set a function's defaults."""
    return _key(func) in _decorated


def arg_scoped_arguments(func: Any) -> tuple[str, ...]:
    """The arguments of a function that `arg_scope` can set."""
    if not has_arg_scope(func):
        raise ValueError(f"{func} takes no arg_scope: it lacks @add_arg_scope")
    return _decorated[_key(func)]


@contextlib.contextmanager
def arg_scope(list_ops_or_scope: Any, **kwargs: Any) -> Iterator[dict[str, dict[str, Any]]]:
    """Within, functions of a list have other default arguments; or those of a scope that was given before, again."""
    if isinstance(list_ops_or_scope, dict):
        if kwargs:
            raise ValueError(f"a scope that is entered again takes no further arguments: {sorted(kwargs)}")
        new = dict(list_ops_or_scope)
    else:
        if not isinstance(list_ops_or_scope, (list, tuple)):
            raise TypeError("arg_scope takes a list of functions, or a scope (a dict) to enter again")
        new = {key: dict(value) for key, value in _stack.scopes[-1].items()}
        for function in list_ops_or_scope:
            key = _key(function)
            if not has_arg_scope(function):
                raise ValueError(f"{getattr(function, '__name__', function)} takes no arg_scope: it lacks @add_arg_scope")
            new[key] = {**new.get(key, {}), **kwargs}
    _stack.scopes.append(new)
    try:
        yield new
    finally:
        _stack.scopes.pop()
