"""Graphs, and the scopes that they are built in."""

from __future__ import annotations

import contextlib
import threading
from typing import Any, Callable, Iterable, Iterator

from tensorfleet import _core
from tensorfleet._framework import dtypes, errors
from tensorfleet._framework.nodes import Arithmetic, Operation, Tensor, device_string, user_location
from tensorfleet._framework.tensor_shape import TensorShape

__all__ = [
    "Arithmetic", "Graph", "Operation", "Tensor", "colocate_with", "container", "control_dependencies", "device",
    "device_string", "get_default_graph", "graph_of", "has_default_graph", "name_scope", "reset_default_graph", "user_location",
]


class _DeviceView:
    """What a device function sees of a node that is being built."""

    def __init__(
        self, graph: Graph, op: str, name: str, device: str, inputs: list[tuple[int, int]], size: tuple[int, Any] | None
    ) -> None:
        self.graph, self.type, self.name, self.device = graph, op, name, device
        self._inputs, self._size = inputs, size

    def get_attr(self, name: str) -> Any:
        """The type or the shape of a variable; nothing else is known of a node that is being built."""
        if self._size is None or name not in ("dtype", "shape"):
            raise ValueError(f"Operation '{self.name}' has no attr named '{name}'.")
        return dtypes.from_number(self._size[0]) if name == "dtype" else TensorShape(self._size[1]).as_proto()

    @property
    def inputs(self) -> list[Tensor]:
        return [self.graph._tensor(place) for place in self._inputs]

    @property
    def node_def(self) -> Any:
        from tensorfleet._framework.messages import NodeDef

        return NodeDef(name=self.name, op=self.type, device=self.device)


class Graph:
    """A graph of operations.

    >>> graph = Graph()
    >>> with graph.as_default():
    ...     graph.unique_name("w"), graph.unique_name("w")
    ('w', 'w_1')
    """

    def __init__(self) -> None:
        self._core = _core.Graph()
        self._operations: dict[int, Operation] = {}
        self._collections: dict[Any, list[Any]] = {}
        self._lock = threading.RLock()
        # Complete by its own word, and closed to new operations.
        self._finalized = self._closed = False
        self._seed: int | None = None
        self._unfeedable: set[Tensor] = set()
        self._unfetchable: set[Any] = set()
        self._container = ""
        #: What other modules keep with a graph, by their own keys.
        self._kept: dict[Any, Any] = {}

    # Nodes

    def _operation(self, number: int) -> Operation:
        found = self._operations.get(number)
        if found is None:
            with self._lock:
                found = self._operations.get(number)
                if found is None:
                    found = self._operations[number] = Operation(self, number)
        return found

    def _tensor(self, place: tuple[int, int]) -> Tensor:
        return self._operation(place[0])._outputs[place[1]]

    def _place_of(self, tensor: Tensor) -> tuple[int, int]:
        """Where a tensor is that a new operation takes."""
        op = tensor._op
        if op._graph is not self:
            return self._foreign(tensor)
        return op._id, tensor._index

    def _foreign(self, tensor: Tensor) -> tuple[int, int]:
        """Where a tensor of another graph is in this one."""
        raise ValueError(
            f"Tensor {tensor.name!r} (built at {tensor.op.location}) is of another graph than what is built with it "
            f"(at {user_location()}); one graph cannot use tensors of another"
        )

    def create_op(
        self,
        op_type: str,
        inputs: Iterable[Any],
        attrs: dict[str, Any] | None = None,
        name: str | None = None,
        control_inputs: Iterable[Operation] = (),
        colocate_with: Iterable[Operation] = (),
        device: str | None = None,
    ) -> Operation:
        """Adds an operation. Inputs are tensors and lists of tensors, in the order of the op's arguments; a name that ends in a
        slash is taken as it is."""
        self._check_open()
        exact = False
        if name is not None and name.endswith("/"):
            name, exact = name[:-1], True
        places = [self._place_of(t) if type(t) is Tensor else [self._place_of(u) for u in t] for t in inputs]
        try:
            number = self._core.add_op(
                op_type, name, places, attrs or {}, [c._id for c in control_inputs], device, exact,
                [c._id for c in colocate_with],
            )
        except (errors.InvalidArgumentError, errors.NotFoundError) as error:
            where = user_location()
            kind = ValueError if isinstance(error, errors.InvalidArgumentError) else NotImplementedError
            raise kind(f"{error.message} (built at {where})") from None
        operation = Operation(self, number, user_location())
        self._operations[number] = operation
        return operation

    def get_operations(self) -> list[Operation]:
        """All operations, the oldest first."""
        return [self._operation(number) for number in range(self._core.num_nodes())]

    def get_operation_by_name(self, name: str) -> Operation:
        """The operation with a name; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of an operation is a string, not {type(name).__name__}")
        return self.as_graph_element(name, allow_tensor=False)

    def get_tensor_by_name(self, name: str) -> Tensor:
        """The tensor with a name such as `add:0`; KeyError if there is none."""
        if not isinstance(name, str):
            raise TypeError(f"the name of a tensor is a string, not {type(name).__name__}")
        return self.as_graph_element(name, allow_operation=False)

    def as_graph_element(self, obj: Any, allow_tensor: bool = True, allow_operation: bool = True) -> Any:
        """The tensor or operation that a value stands for: itself, its name, or a variable."""
        if hasattr(obj, "_as_graph_element"):
            obj = obj._as_graph_element()
        if isinstance(obj, bytes):
            obj = obj.decode()
        if isinstance(obj, str):
            return self._element_by_name(obj, allow_tensor, allow_operation)
        if isinstance(obj, Tensor) and allow_tensor or isinstance(obj, Operation) and allow_operation:
            if obj.graph is not self:
                kind = "Tensor" if isinstance(obj, Tensor) else "Operation"
                raise ValueError(f"{kind} {obj} belongs to another graph")
            return obj
        wanted = " or ".join([kind for kind, allowed in (("Tensor", allow_tensor), ("Operation", allow_operation)) if allowed])
        raise TypeError(f"{type(obj).__name__} cannot stand for a {wanted}")

    def _element_by_name(self, name: str, allow_tensor: bool, allow_operation: bool) -> Any:
        node, colon, index = name.partition(":")
        if colon and not allow_tensor:
            raise ValueError(f"{name!r} is the name of a tensor, where an operation is asked for")
        if not colon and not allow_operation:
            raise ValueError(
                f"{name!r} is the name of an operation, where a tensor is asked for: tensor names have the form "
                "'<op>:<index>'"
            )
        number = self._core.find(node)
        if number is None:
            raise KeyError(f"The name {name!r} refers to {'a Tensor' if colon else 'an Operation'} which does not exist: "
                           f"there is no operation {node!r} in the graph.")
        operation = self._operation(number)
        if not colon:
            return operation
        try:
            return operation.outputs[int(index)]
        except (ValueError, IndexError):
            raise KeyError(
                f"there is no tensor {name!r}: operation {node!r} has {len(operation.outputs)} outputs") from None

    def as_graph_def(self, from_version: int | None = None, add_shapes: bool = False) -> Any:
        """The graph as a message."""
        from tensorfleet._framework.messages import GraphDef

        graph_def = GraphDef.FromString(self._core.graph_def())
        if from_version is not None:
            del graph_def.node[:from_version]
        return graph_def

    @property
    def version(self) -> int:
        """A number that grows with the graph."""
        return self._core.num_nodes()

    @property
    def graph_def_versions(self) -> Any:
        """The versions that the graph's message states."""
        return self.as_graph_def().versions

    @property
    def finalized(self) -> bool:
        """Whether :meth:`finalize` was called."""
        return self._finalized

    def finalize(self) -> None:
        """Says that the graph is complete: from now on, whoever adds an operation gets a RuntimeError."""
        self._finalized = self._closed = True

    def _complete(self) -> None:
        """Says that the graph is complete, as supervisors and monitored sessions do; operations can be added all the same."""
        self._finalized = True

    def _unsafe_unfinalize(self) -> None:
        self._finalized = self._closed = False

    def _check_open(self) -> None:
        if self._closed:
            raise RuntimeError("Graph is finalized and cannot be modified.")

    @property
    def building_function(self) -> bool:
        """Whether the graph is the body of a function."""
        return False

    def is_feedable(self, tensor: Any) -> bool:
        """Whether a tensor may be fed."""
        return tensor not in self._unfeedable

    def is_fetchable(self, tensor_or_op: Any) -> bool:
        """Whether a tensor may be fetched, or an operation be run."""
        return tensor_or_op not in self._unfetchable

    def prevent_feeding(self, tensor: Tensor) -> None:
        """Refuses to feed a tensor."""
        self._unfeedable.add(tensor)

    def prevent_fetching(self, op: Operation) -> None:
        """Refuses to fetch an operation."""
        self._unfetchable.add(op)

    # Seeds

    @property
    def seed(self) -> int | None:
        """The seed that random operations of the graph start from, or None."""
        return self._seed

    @seed.setter
    def seed(self, seed: int | None) -> None:
        self._seed = seed
        self._core.set_seed(seed)

    # Collections

    def add_to_collection(self, name: Any, value: Any) -> None:
        """Adds a value to a collection."""
        with self._lock:
            self._collections.setdefault(name, []).append(value)

    def add_to_collections(self, names: Any, value: Any) -> None:
        """Adds a value to several collections, to each once."""
        names = (names,) if isinstance(names, str) else tuple(dict.fromkeys(names))
        for name in names:
            self.add_to_collection(name, value)

    def get_collection_ref(self, name: Any) -> list[Any]:
        """The list of a collection's values, which is the collection itself."""
        with self._lock:
            return self._collections.setdefault(name, [])

    def get_collection(self, name: Any, scope: str | None = None) -> list[Any]:
        """The values of a collection; those whose name begins with a pattern, if `scope` is given."""
        import re

        with self._lock:
            values = list(self._collections.get(name, ()))
        if scope is None:
            return values
        pattern = re.compile(scope)
        return [value for value in values if hasattr(value, "name") and pattern.match(value.name)]

    def get_all_collection_keys(self) -> list[Any]:
        """The names of the collections."""
        with self._lock:
            return [key for key in self._collections if isinstance(key, str)]

    @property
    def collections(self) -> list[Any]:
        """The names of the collections."""
        return list(self._collections)

    def clear_collection(self, name: Any) -> None:
        """Empties a collection."""
        with self._lock:
            self._collections.pop(name, None)

    # Scopes

    def unique_name(self, name: str, mark_as_used: bool = True) -> str:
        """A name that nothing has yet, within the current scope."""
        return self._core.unique_name(name)

    def get_name_scope(self) -> str:
        """The current scope of names, without a slash at its end."""
        return self._core.name_scope()

    @contextlib.contextmanager
    def name_scope(self, name: str | None) -> Iterator[str]:
        """Operations built within are named with a prefix; it is given, with a slash at its end."""
        entered = self._core.enter_name(name or "")
        try:
            current = self._core.name_scope()
            yield current + "/" if current else ""
        finally:
            entered.leave()

    @contextlib.contextmanager
    def device(self, device_name_or_function: Any) -> Iterator[None]:
        """Operations built within are put on a device: a name, a function of an operation, or None for no device at all."""
        device = device_name_or_function
        if callable(device) and not hasattr(device, "to_string"):
            function: Callable[[Any], Any] = device

            def choose(
                op: str, name: str, given: str, inputs: list[tuple[int, int]], size: tuple[int, Any] | None = None
            ) -> str:
                return device_string(function(_DeviceView(self, op, name, given, inputs, size)))

            entered = self._core.enter_device(choose)
        else:
            try:
                entered = self._core.enter_device(None if device is None else device_string(device))
            except errors.InvalidArgumentError as error:
                raise ValueError(error.message) from None
        # Nodes that are imported are placed by the same scopes.
        scopes = self._kept.setdefault("devices", [])
        scopes.append(device)
        try:
            yield
        finally:
            scopes.pop()
            entered.leave()

    @contextlib.contextmanager
    def control_dependencies(self, control_inputs: Iterable[Any] | None) -> Iterator[None]:
        """Operations built within run after these; None lifts what enclosing scopes say."""
        if control_inputs is None:
            entered = self._core.enter_no_control_dependencies()
        else:
            nodes = []
            for value in control_inputs:
                if getattr(value, "_is_resource", False):
                    value = value.op
                if hasattr(value, "_as_graph_element"):
                    value = value._as_graph_element()
                if hasattr(value, "values") and hasattr(value, "indices"):
                    value = value.values
                element = self.as_graph_element(value)
                nodes.append((element if isinstance(element, Operation) else element.op)._id)
            entered = self._core.enter_control_dependencies(list(dict.fromkeys(nodes)))
        try:
            yield
        finally:
            entered.leave()

    @contextlib.contextmanager
    def colocate_with(self, op: Any, ignore_existing: bool = False) -> Iterator[None]:
        """Operations built within share a device with another."""
        if op is None:
            if not ignore_existing:
                raise ValueError("colocate_with(None) needs ignore_existing=True")
            outer, entered = None, self._core.enter_no_colocation()
        else:
            element = self.as_graph_element(op)
            number = (element if isinstance(element, Operation) else element.op)._id
            outer = self._core.enter_no_colocation() if ignore_existing else None
            entered = self._core.enter_colocation(number)
        # Nodes that come by a message are put beside the same ones.
        before = self._kept.get("colocations", ())
        self._kept["colocations"] = (() if ignore_existing else before) + (() if op is None else (number,))
        try:
            yield
        finally:
            self._kept["colocations"] = before
            entered.leave()
            if outer is not None:
                outer.leave()

    @contextlib.contextmanager
    def _class_scope(self, name: str) -> Iterator[None]:
        """Operations built within share a device with a node that is yet to come."""
        entered = self._core.enter_class(name)
        try:
            yield
        finally:
            entered.leave()

    @contextlib.contextmanager
    def container(self, container_name: str) -> Iterator[None]:
        """Variables and queues built within are kept in a container of this name."""
        before, self._container = self._container, container_name
        try:
            yield
        finally:
            self._container = before

    @contextlib.contextmanager
    def as_default(self) -> Iterator[Graph]:
        """Operations built within, on this thread, are added to this graph."""
        stack = _default_stack()
        stack.append(self)
        try:
            yield self
        finally:
            stack.remove(self)


class _Defaults(threading.local):
    def __init__(self) -> None:
        self.stack: list[Graph] = []


_defaults = _Defaults()
_global_default: Graph | None = None
_global_lock = threading.Lock()


def _default_stack() -> list[Graph]:
    return _defaults.stack


def get_default_graph() -> Graph:
    """The graph that operations are added to."""
    global _global_default
    if _defaults.stack:
        return _defaults.stack[-1]
    if _global_default is None:
        with _global_lock:
            if _global_default is None:
                _global_default = Graph()
    return _global_default


def reset_default_graph() -> None:
    """Begins a new default graph."""
    global _global_default
    if _defaults.stack:
        raise AssertionError("tf.reset_default_graph() inside `with graph.as_default()`: leave the `with` block first")
    with _global_lock:
        _global_default = Graph()


def has_default_graph() -> bool:
    """Whether there is a default graph already."""
    return bool(_defaults.stack) or _global_default is not None


def name_scope(name: str | None, default_name: str | None = None, values: Any = None) -> contextlib.AbstractContextManager[str]:
    """Operations built within are named with a prefix: `name`, or `default_name` if that is None.

    >>> with Graph().as_default(), name_scope("layer") as scope:
    ...     scope
    'layer/'
    """
    if name is None and default_name is None and values is not None:
        raise ValueError(f"name_scope needs a name or a default_name: they are {name} and {default_name}")
    graph = graph_of(values) if values else get_default_graph()
    return graph.name_scope(default_name if name is None else name)


def graph_of(values: Any) -> Graph:
    """The graph of the first tensor among values, else the default one. Within the body of a function it is the body."""
    if _defaults.stack and _defaults.stack[-1].building_function:
        return _defaults.stack[-1]
    for value in values or ():
        if isinstance(value, (Tensor, Operation)):
            return value.graph
        if hasattr(value, "_as_graph_element"):
            return value.graph
    return get_default_graph()


def device(device_name_or_function: Any) -> contextlib.AbstractContextManager[None]:
    """Operations built within are put on a device of the default graph."""
    return get_default_graph().device(device_name_or_function)


def control_dependencies(control_inputs: Any) -> contextlib.AbstractContextManager[None]:
    """Operations built within, in the default graph, run after these."""
    return get_default_graph().control_dependencies(control_inputs)


def colocate_with(op: Any, ignore_existing: bool = False) -> contextlib.AbstractContextManager[None]:
    """Operations built within, in the default graph, share a device with another."""
    return get_default_graph().colocate_with(op, ignore_existing)


def container(container_name: str) -> contextlib.AbstractContextManager[None]:
    """Variables and queues built within are kept in a container of this name."""
    return get_default_graph().container(container_name)
