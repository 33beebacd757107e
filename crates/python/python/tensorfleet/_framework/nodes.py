"""Operations and tensors: the nodes of a graph, and what they give."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Iterator

from tensorfleet._framework import dtypes, errors
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

if TYPE_CHECKING:
    from tensorfleet._framework.graph import Graph

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__))) + os.sep


def user_location() -> str:
    """The file and line of the program that called into this package."""
    frame: Any = sys._getframe(1)
    while frame is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        frame = frame.f_back
    return f"{frame.f_code.co_filename}:{frame.f_lineno}" if frame is not None else ""


class Operation:
    """A node of a graph: it takes tensors and gives tensors."""

    __slots__ = ("_graph", "_id", "_type", "_name", "_outputs", "location", "__weakref__", "_extra")

    def __init__(self, graph: Graph, number: int, location: str = "") -> None:
        self._graph, self._id = graph, number
        self._type, self._name, types = graph._core.describe(number)
        self._outputs = [Tensor(self, i, dtypes.from_number(t, ref)) for i, (t, ref) in enumerate(types)]
        #: The file and line of the program that built the node, if it is known.
        self.location = location

    @property
    def graph(self) -> Graph:
        """The graph that the operation is in."""
        return self._graph

    @property
    def name(self) -> str:
        """The full name."""
        return self._name

    @property
    def type(self) -> str:
        """The kind of operation, such as `MatMul`."""
        return self._type

    @property
    def outputs(self) -> list[Tensor]:
        """The tensors that it gives."""
        return self._outputs

    @property
    def inputs(self) -> list[Tensor]:
        """The tensors that it takes."""
        return [self._graph._tensor(place) for place in self._graph._core.inputs(self._id)]

    @property
    def control_inputs(self) -> list[Operation]:
        """The operations that it waits for."""
        return [self._graph._operation(node) for node in self._graph._core.control_inputs(self._id)]

    @property
    def device(self) -> str:
        """The device that was asked for; empty if any will do."""
        return self._graph._core.device(self._id)

    def _set_device(self, device: Any) -> None:
        self._graph._core.set_device(self._id, device_string(device))

    def _set_attr(self, name: str, value: Any) -> None:
        self._graph._core.set_attr(self._id, {name: value})

    @property
    def node_def(self) -> Any:
        """The node as a message."""
        from tensorfleet._framework.messages import NodeDef

        return NodeDef.FromString(self._graph._core.node_def(self._id))

    @property
    def op_def(self) -> Any:
        """The definition of the kind of operation, as a message with its name."""
        from tensorfleet._framework.messages import OpDef

        return OpDef(name=self._type)

    def get_attr(self, name: str) -> Any:
        """The value of an attribute; ValueError if there is none of that name."""
        try:
            kind, value = self._graph._core.attr(self._id, name)
        except KeyError:
            raise ValueError(f"Operation '{self._name}' has no attr named '{name}'.") from None
        if kind == "type":
            return dtypes.from_number(value)
        if kind == "list(type)":
            return [dtypes.from_number(number) for number in value]
        if kind == "shape":
            return TensorShape(value).as_proto()
        if kind == "list(shape)":
            return [TensorShape(shape).as_proto() for shape in value]
        if kind == "tensor":
            return self.node_def.attr[name].tensor
        return value

    def colocation_groups(self) -> list[bytes]:
        """The names of the operations that it shares a device with."""
        try:
            return self._graph._core.attr(self._id, "_class")[1]
        except KeyError:
            return [b"loc:@" + self._name.encode()]

    def values(self) -> tuple[Tensor, ...]:
        """The tensors that it gives."""
        return tuple(self._outputs)

    @property
    def traceback(self) -> list[str]:
        """Where the program built the node."""
        return [self.location]

    def run(self, feed_dict: Any = None, session: Any = None) -> None:
        """Runs the operation in a session: the default one unless another is given."""
        from tensorfleet._framework.session import session_or_default

        session_or_default(session, self._graph, "run").run(self, feed_dict)

    def __repr__(self) -> str:
        return f"<tf.Operation {self._name!r} type={self._type}>"

    def __str__(self) -> str:
        return f"name: {self._name!r}\nop: {self._type!r}\n"


class Arithmetic:
    """The operators of tensors and variables; `_ops/operators.py` gives them to both."""

    __slots__ = ()
    if TYPE_CHECKING:

        def __add__(self, other: Any) -> Tensor: ...
        def __radd__(self, other: Any) -> Tensor: ...
        def __sub__(self, other: Any) -> Tensor: ...
        def __rsub__(self, other: Any) -> Tensor: ...
        def __mul__(self, other: Any) -> Tensor: ...
        def __rmul__(self, other: Any) -> Tensor: ...
        def __truediv__(self, other: Any) -> Tensor: ...
        def __rtruediv__(self, other: Any) -> Tensor: ...
        def __floordiv__(self, other: Any) -> Tensor: ...
        def __rfloordiv__(self, other: Any) -> Tensor: ...
        def __mod__(self, other: Any) -> Tensor: ...
        def __rmod__(self, other: Any) -> Tensor: ...
        def __pow__(self, other: Any) -> Tensor: ...
        def __rpow__(self, other: Any) -> Tensor: ...
        def __matmul__(self, other: Any) -> Tensor: ...
        def __rmatmul__(self, other: Any) -> Tensor: ...
        def __and__(self, other: Any) -> Tensor: ...
        def __or__(self, other: Any) -> Tensor: ...
        def __xor__(self, other: Any) -> Tensor: ...
        def __lt__(self, other: Any) -> Tensor: ...
        def __le__(self, other: Any) -> Tensor: ...
        def __gt__(self, other: Any) -> Tensor: ...
        def __ge__(self, other: Any) -> Tensor: ...
        def __neg__(self) -> Tensor: ...
        def __abs__(self) -> Tensor: ...
        def __invert__(self) -> Tensor: ...
        def __getitem__(self, key: Any) -> Tensor: ...


class Tensor(Arithmetic):
    """One output of an operation. Arithmetic on tensors adds operations to their graph."""

    __slots__ = ("_op", "_index", "_place", "_dtype", "_attributes", "__weakref__")
    # Numpy leaves arithmetic with arrays to this class.
    __array_priority__ = 100

    def __init__(self, op: Operation, index: int, dtype: DType) -> None:
        self._op, self._index, self._dtype = op, index, dtype
        self._place = (op._id, index)

    @property
    def op(self) -> Operation:
        """The operation that gives it."""
        return self._op

    @property
    def value_index(self) -> int:
        """Which output of the operation it is."""
        return self._index

    @property
    def graph(self) -> Graph:
        """The graph that it is in."""
        return self._op._graph

    @property
    def dtype(self) -> DType:
        """The type of its elements."""
        return self._dtype

    @property
    def name(self) -> str:
        """The operation's name and the output's number: `add:0`."""
        return f"{self._op._name}:{self._index}"

    @property
    def device(self) -> str:
        """The device of its operation."""
        return self._op.device

    @property
    def shape(self) -> TensorShape:
        """What is known of its shape."""
        return TensorShape(self._op._graph._core.shape(self._place))

    @shape.setter
    def shape(self, shape: Any) -> None:
        self.set_shape(shape)

    def get_shape(self) -> TensorShape:
        """What is known of its shape."""
        return self.shape

    @property
    def ndim(self) -> int | None:
        """The number of dimensions, or None."""
        return self.shape.ndims

    def set_shape(self, shape: Any) -> None:
        """Adds to what is known of its shape; ValueError if that contradicts it."""
        shape = as_shape(shape)
        try:
            self._op._graph._core.set_shape(self._place, None if shape.ndims is None else shape.as_list())
        except errors.InvalidArgumentError as error:
            raise ValueError(f"{self.name}: {error.message}") from None

    def consumers(self) -> list[Operation]:
        """The operations that take it."""
        graph = self._op._graph
        return [graph._operation(node) for node in graph._core.consumers(self._place)]

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in a session: the default one unless another is given."""
        from tensorfleet._framework.session import session_or_default

        return session_or_default(session, self.graph, "eval").run(self, feed_dict)

    # Tensors are keys of every feed: no Python code runs to find one.
    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __ne__(self, other: object) -> bool:
        return self is not other

    def __bool__(self) -> bool:
        raise TypeError(
            "a `tf.Tensor` has no truth value while the graph is built: it is known only when a step runs. Use `if t "
            "is not None:` to ask whether there is a tensor, and tf.cond for operations that depend on its value."
        )

    def __iter__(self) -> Iterator[Tensor]:
        length = self.shape[0].value if self.shape.ndims else None
        if length is None:
            raise TypeError(f"Tensor {self.name!r} is not iterable: its first dimension is not known while the graph is built.")
        return iter([self[i] for i in range(length)])

    def __len__(self) -> int:
        raise TypeError(f"object of type 'Tensor' has no len(): use tf.shape or {self.name!r}.get_shape()")

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise NotImplementedError(f"{self.name} has no value as a numpy array before a step runs: run it in a session")

    def __repr__(self) -> str:
        return f"<tf.Tensor {self.name!r} shape={self.shape} dtype={self._dtype.name}>"

    def __str__(self) -> str:
        parts = [f'"{self.name}"']
        if self.shape.ndims is not None:
            parts.append(f"shape={self.shape}")
        parts.append(f"dtype={self._dtype.name}")
        if self.device:
            parts.append(f"device={self.device}")
        return f"Tensor({', '.join(parts)})"


def device_string(device: Any) -> str:
    """The name of a device: a name, or something that has one; empty for None."""
    if device is None:
        return ""
    if hasattr(device, "to_string"):
        return device.to_string()
    return str(device)
