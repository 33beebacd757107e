"""Variable scopes: prefixes and defaults for variables, which `get_variable` makes or finds by their names."""

from __future__ import annotations

import contextlib
import functools
import threading
from types import TracebackType
from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, get_default_graph, graph_of
from tensorfleet._framework.partitioned import (
    fixed_size_partitioner,
    min_max_variable_partitioner,
    variable_axis_size_partitioner,
)
from tensorfleet._framework.variable_lists import *
from tensorfleet._framework.variable_lists import __all__ as _lists
from tensorfleet._framework.variable_store import AUTO_REUSE, VariableStore, store_of
from tensorfleet._framework.variables import GraphKeys

__all__ = [
    "AUTO_REUSE", "VariableScope", "create_partitioned_variables", "fixed_size_partitioner", "get_local_variable", "get_variable",
    "get_variable_scope", "min_max_variable_partitioner", "no_regularizer", "variable_axis_size_partitioner", "variable_op_scope",
    "variable_scope", *_lists,
]


def no_regularizer(_: Any) -> None:
    """A regularizer that adds nothing, also where the scope has one."""
    return None


class VariableScope:
    """A prefix of names and the defaults of the variables made under it."""

    def __init__(
        self,
        reuse: Any,
        name: str = "",
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        name_scope: str = "",
        dtype: Any = dtypes.float32,
        use_resource: bool | None = None,
        constraint: Any = None,
    ) -> None:
        self._name, self._reuse, self._name_scope = name, reuse, name_scope
        self._initializer, self._regularizer, self._constraint = initializer, regularizer, constraint
        self._caching_device, self._partitioner, self._custom_getter = caching_device, partitioner, custom_getter
        self._dtype, self._use_resource = dtype, use_resource

    @property
    def name(self) -> str:
        """The prefix, without a slash at its end."""
        return self._name

    @property
    def original_name_scope(self) -> str:
        """The scope of operations that was entered with it, with a slash at its end."""
        return self._name_scope

    @property
    def reuse(self) -> Any:
        """Whether variables are found (True), made (False or None), or either (AUTO_REUSE)."""
        return self._reuse

    @property
    def initializer(self) -> Any:
        """What variables get as their first value unless they say."""
        return self._initializer

    @property
    def regularizer(self) -> Any:
        """The regularizer of variables that name none."""
        return self._regularizer

    @property
    def dtype(self) -> DType:
        """The element type of variables that name none."""
        return self._dtype

    @property
    def use_resource(self) -> bool | None:
        """Whether variables are resources."""
        return self._use_resource

    @property
    def caching_device(self) -> Any:
        """The device on which copies of variables are kept."""
        return self._caching_device

    @property
    def partitioner(self) -> Any:
        """The function that says in how many parts variables are made."""
        return self._partitioner

    @property
    def custom_getter(self) -> Any:
        """The function through which variables are asked for."""
        return self._custom_getter

    @property
    def constraint(self) -> Any:
        """The constraint of variables that name none."""
        return self._constraint

    def reuse_variables(self) -> None:
        """From here on variables of this scope are found, not made."""
        self._reuse = True

    def set_initializer(self, initializer: Any) -> None:
        """Sets what variables get as their first value unless they say."""
        self._initializer = initializer

    def set_dtype(self, dtype: Any) -> None:
        """Sets the element type of variables that name none."""
        self._dtype = dtypes.as_dtype(dtype)

    def set_use_resource(self, use_resource: bool | None) -> None:
        """Sets whether variables are resources."""
        self._use_resource = use_resource

    def set_regularizer(self, regularizer: Any) -> None:
        """Sets the regularizer of variables that name none."""
        self._regularizer = regularizer

    def set_caching_device(self, caching_device: Any) -> None:
        """Sets the device on which copies of variables are kept."""
        self._caching_device = caching_device

    def set_partitioner(self, partitioner: Any) -> None:
        """Sets the function that says in how many parts variables are made."""
        self._partitioner = partitioner

    def set_custom_getter(self, custom_getter: Any) -> None:
        """Sets the function through which variables are asked for."""
        self._custom_getter = custom_getter

    def get_collection(self, name: Any) -> list[Any]:
        """The values of a collection whose names begin with this scope's."""
        scope = self._name + "/" if self._name else self._name
        return get_default_graph().get_collection(name, scope)

    def trainable_variables(self) -> list[Any]:
        """The variables of this scope that optimizers change."""
        return self.get_collection(GraphKeys.TRAINABLE_VARIABLES)

    def global_variables(self) -> list[Any]:
        """The variables of this scope that are shared and saved."""
        return self.get_collection(GraphKeys.GLOBAL_VARIABLES)

    def local_variables(self) -> list[Any]:
        """The variables of this scope that each process has by itself."""
        return self.get_collection(GraphKeys.LOCAL_VARIABLES)

    def get_variable(
        self,
        store: VariableStore,
        name: str,
        shape: Any = None,
        dtype: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Any = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """The variable of a name in this scope, with the scope's defaults for what is not said."""

        def chosen(given: Any, default: Any) -> Any:
            return default if given is None else given

        full_name = f"{self._name}/{name}" if self._name else name
        initializer = chosen(initializer, self._initializer)
        reuse = chosen(reuse, self._reuse)
        if initializer is not None and not callable(initializer) and dtype is None:
            kind = getattr(initializer, "dtype", None)
            if kind is None:
                from tensorfleet._framework.values import to_array

                kind = dtypes.from_number(to_array(initializer, None)[1])
            dtype = dtypes.as_dtype(kind).base_dtype
        # The scopes of operations have no part in the names of variables.
        with get_default_graph().name_scope(None):
            return store.get(
                full_name, shape=shape, dtype=chosen(dtype, self._dtype), initializer=initializer,
                regularizer=chosen(regularizer, self._regularizer), reuse=reuse, trainable=trainable, collections=collections,
                caching_device=chosen(caching_device, self._caching_device), partitioner=chosen(partitioner, self._partitioner),
                validate_shape=validate_shape, use_resource=chosen(use_resource, self._use_resource),
                custom_getter=chosen(custom_getter, self._custom_getter), constraint=chosen(constraint, self._constraint),
                synchronization=synchronization, aggregation=aggregation,
            )


class _Current(threading.local):
    """What each thread has open in a graph: the scope, and how often each name was opened."""

    def __init__(self) -> None:
        self.scope = VariableScope(False)
        self.counts: dict[str, int] = {}

    def open(self, name: str) -> None:
        self.counts[name] = self.counts.get(name, 0) + 1

    def forget_below(self, name: str) -> None:
        for known in self.counts:
            if not name or known.startswith(name + "/"):
                self.counts[known] = 0

    def unique(self, prefix: str) -> str:
        full = f"{self.scope.name}/{prefix}" if self.scope.name else prefix
        if not self.counts.get(full):
            return prefix
        number = 1
        while self.counts.get(f"{full}_{number}"):
            number += 1
        return f"{prefix}_{number}"


def _current(graph: Graph | None = None) -> _Current:
    kept = (graph or get_default_graph())._kept
    return kept.get("variable_scope") or kept.setdefault("variable_scope", _Current())


def get_variable_scope() -> VariableScope:
    """The scope that variables are made in."""
    return _current().scope


def get_variable(
    name: str,
    shape: Any = None,
    dtype: Any = None,
    initializer: Any = None,
    regularizer: Callable[[Any], Any] | None = None,
    trainable: bool | None = None,
    collections: Any = None,
    caching_device: Any = None,
    partitioner: Any = None,
    validate_shape: bool = True,
    use_resource: bool | None = None,
    custom_getter: Any = None,
    constraint: Callable[[Any], Any] | None = None,
    synchronization: Any = None,
    aggregation: Any = None,
) -> Any:
    """The variable of a name in the current scope: a new one, or the one that is there if the scope says `reuse`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.variable_scope("layer"):
    ...     tf.get_variable("w", [2, 3]).name
    'layer/w:0'
    """
    return get_variable_scope().get_variable(
        store_of(), name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer, trainable=trainable,
        collections=collections, caching_device=caching_device, partitioner=partitioner, validate_shape=validate_shape,
        use_resource=use_resource, custom_getter=custom_getter, constraint=constraint, synchronization=synchronization,
        aggregation=aggregation,
    )


def get_local_variable(name: str, *args: Any, collections: Any = None, **kwargs: Any) -> Any:
    """As `get_variable`, for a variable that is neither trained nor saved, and that each process has by itself."""
    collections = [GraphKeys.LOCAL_VARIABLES] if collections is None else [*collections, GraphKeys.LOCAL_VARIABLES]
    kwargs["trainable"] = False
    kwargs["collections"] = collections
    return get_variable(name, *args, **kwargs)


class variable_scope:
    """Variables made within are named with a prefix and get the scope's defaults; so are the names of operations.

    `name_or_scope` is a name, or a scope to enter again; without it `default_name` is made unique. `reuse` says whether variables
    are made (None), found (True) or either (`tf.AUTO_REUSE`).

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default():
    ...     with tf.variable_scope("a") as scope:
    ...         w = tf.get_variable("w", [1])
    ...     with tf.variable_scope(scope, reuse=True):
    ...         tf.get_variable("w", [1]) is w
    True
    """

    def __init__(
        self,
        name_or_scope: Any,
        default_name: str | None = None,
        values: Any = None,
        initializer: Any = None,
        regularizer: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        custom_getter: Any = None,
        reuse: Any = None,
        dtype: Any = None,
        use_resource: bool | None = None,
        constraint: Any = None,
        auxiliary_name_scope: bool = True,
    ) -> None:
        if default_name is None and name_or_scope is None:
            raise TypeError("variable_scope needs name_or_scope or default_name: both are None")
        if name_or_scope is not None and not isinstance(name_or_scope, (str, VariableScope)):
            raise TypeError(f"variable_scope takes a string or a VariableScope, not {name_or_scope!r}")
        if reuse not in (None, True, False) and reuse is not AUTO_REUSE:
            raise ValueError(f"reuse is True, False, tf.AUTO_REUSE or None, not {reuse!r}")
        if name_or_scope is None and reuse:
            raise ValueError("reuse=True needs a name_or_scope: a default_name would make a new scope")
        self._name_or_scope, self._default_name, self._values = name_or_scope, default_name, values
        self._settings = dict(
            initializer=initializer, regularizer=regularizer, caching_device=caching_device, partitioner=partitioner,
            dtype=None if dtype is None else dtypes.as_dtype(dtype), use_resource=use_resource, constraint=constraint,
        )
        self._custom_getter, self._reuse, self._auxiliary = custom_getter, reuse, auxiliary_name_scope
        self._opened: list[contextlib.ExitStack] = []

    def __enter__(self) -> VariableScope:
        graph = graph_of(self._values) if self._values else get_default_graph()
        with contextlib.ExitStack() as stack:
            stack.enter_context(graph.as_default())
            scope = self._enter(graph, stack)
            self._opened.append(stack.pop_all())
        return scope

    def _enter(self, graph: Graph, stack: contextlib.ExitStack) -> VariableScope:
        given = self._name_or_scope
        if not self._auxiliary:
            name_scope = graph.get_name_scope()
            entered = name_scope + "/" if name_scope else ""
            if name_scope:
                stack.enter_context(graph.name_scope(entered))
        else:
            wanted = self._default_name if given is None else given if isinstance(given, str) else given.name.split("/")[-1]
            if wanted:
                entered = stack.enter_context(graph.name_scope(wanted))
            else:
                name_scope = graph.get_name_scope()
                entered = name_scope + "/" if name_scope else ""
        current = _current(graph)
        if given is None:
            given = current.unique(self._default_name or "")
        original = given.original_name_scope if isinstance(given, VariableScope) else entered
        return stack.enter_context(
            _pure_scope(current, given, original, self._reuse, self._custom_getter, self._settings)
        )

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> bool | None:
        return self._opened.pop().__exit__(kind, error, traceback)

    def __call__(self, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def inside(*args: Any, **kwargs: Any) -> Any:
            with self:
                return function(*args, **kwargs)

        return inside


@contextlib.contextmanager
def _pure_scope(
    current: _Current, given: Any, name_scope: str, reuse: Any, custom_getter: Any, settings: dict[str, Any]
) -> Iterator[VariableScope]:
    """A variable scope without one of operations."""
    outer = current.scope
    counts: dict[str, int] | None = None
    if isinstance(given, VariableScope):
        base, name, reuse = given, given.name, reuse or given.reuse
        counts = dict(current.counts)
    else:
        base, name, reuse = outer, f"{outer.name}/{given}" if outer.name else given, reuse or outer.reuse
    chosen = {key: getattr(base, key) if value is None else value for key, value in settings.items()}
    scope = VariableScope(reuse, name=name, name_scope=name_scope, custom_getter=_nested(custom_getter, base.custom_getter), **chosen)
    current.open(name)
    current.scope = scope
    try:
        yield scope
    finally:
        current.forget_below(name)
        if counts is not None:
            current.counts = counts
        current.scope = outer


def _nested(inner: Any, outer: Any) -> Any:
    """A getter that asks through two others: the one of the inner scope comes first."""
    if inner is None or outer is None:
        return inner or outer

    def getter(getter: Any, *args: Any, **kwargs: Any) -> Any:
        return inner(functools.partial(outer, getter), *args, **kwargs)

    return getter


def variable_op_scope(values: Any, name_or_scope: Any, default_name: str | None = None, **settings: Any) -> variable_scope:
    """The old form of `variable_scope`."""
    return variable_scope(name_or_scope, default_name=default_name, values=values, **settings)


def create_partitioned_variables(
    shape: Any,
    slicing: Any,
    initializer: Any,
    dtype: Any = dtypes.float32,
    trainable: bool = True,
    collections: Any = None,
    name: str | None = None,
    reuse: Any = None,
) -> list[Any]:
    """The parts of a variable that is cut as `slicing` says: a number of parts for each dimension."""
    slicing = list(slicing)
    if len(shape) != len(slicing):
        raise ValueError(f"The shape and slicing must have the same length: shape {shape}, slicing {slicing}")
    with variable_scope(name, "PartitionedVariable", reuse=reuse) as scope, get_default_graph().name_scope(None):
        return list(store_of().get(
            scope.name, shape=shape, dtype=dtype, initializer=initializer, reuse=scope.reuse, trainable=trainable,
            collections=collections, partitioner=lambda **_: slicing,
        ))
