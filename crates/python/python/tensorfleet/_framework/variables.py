"""Variables: values that steps read and change."""

from __future__ import annotations

from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.initial_values import guarded
from tensorfleet._framework.graph import Arithmetic, Graph, Operation, Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._ops.operators import add_operators


class GraphKeys:
    """The names of the usual collections."""

    GLOBAL_VARIABLES = "variables"
    LOCAL_VARIABLES = "local_variables"
    METRIC_VARIABLES = "metric_variables"
    MODEL_VARIABLES = "model_variables"
    TRAINABLE_VARIABLES = "trainable_variables"
    SUMMARIES = "summaries"
    QUEUE_RUNNERS = "queue_runners"
    TABLE_INITIALIZERS = "table_initializer"
    ASSET_FILEPATHS = "asset_filepaths"
    MOVING_AVERAGE_VARIABLES = "moving_average_variables"
    REGULARIZATION_LOSSES = "regularization_losses"
    CONCATENATED_VARIABLES = "concatenated_variables"
    SAVERS = "savers"
    WEIGHTS = "weights"
    BIASES = "biases"
    ACTIVATIONS = "activations"
    UPDATE_OPS = "update_ops"
    LOSSES = "losses"
    SAVEABLE_OBJECTS = "saveable_objects"
    RESOURCES = "resources"
    LOCAL_RESOURCES = "local_resources"
    INIT_OP = "init_op"
    LOCAL_INIT_OP = "local_init_op"
    READY_OP = "ready_op"
    READY_FOR_LOCAL_INIT_OP = "ready_for_local_init_op"
    SUMMARY_OP = "summary_op"
    GLOBAL_STEP = "global_step"
    EVAL_STEP = "eval_step"
    TRAIN_OP = "train_op"
    COND_CONTEXT = "cond_context"
    WHILE_CONTEXT = "while_context"
    VARIABLES = "variables"


class SaveSliceInfo:
    """Which part of a larger variable a variable is."""

    def __init__(self, full_name: str, full_shape: list[int], var_offset: list[int], var_shape: list[int]) -> None:
        self.full_name, self.full_shape = full_name, list(full_shape)
        self.var_offset, self.var_shape = list(var_offset), list(var_shape)

    @property
    def spec(self) -> str:
        """How checkpoints write it: the full shape, then start and length of each dimension."""
        parts = ":".join(f"{start},{size}" for start, size in zip(self.var_offset, self.var_shape))
        return " ".join(map(str, self.full_shape)) + f" {parts}"


class Variable(Arithmetic):
    """A value that steps read and change. It stands for its value wherever a tensor is expected.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     w = tf.Variable(3.0, name="w")
    ...     sess.run(w.initializer)
    ...     sess.run(w.assign_add(1.0))
    np.float32(4.0)
    """

    __array_priority__ = 100
    SaveSliceInfo = SaveSliceInfo

    def __init__(
        self,
        initial_value: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        validate_shape: bool = True,
        caching_device: Any = None,
        name: str | None = None,
        variable_def: Any = None,
        dtype: Any = None,
        expected_shape: Any = None,
        import_scope: str | None = None,
        constraint: Callable[[Any], Any] | None = None,
        use_resource: bool | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
        shape: Any = None,
    ) -> None:
        if initial_value is None:
            raise ValueError("tf.Variable needs an initial_value or a variable_def")
        trainable = True if trainable is None else trainable
        if collections is None:
            collections = [GraphKeys.GLOBAL_VARIABLES]
        if not isinstance(collections, (list, tuple, set)):
            raise ValueError(f"`collections` is {collections!r}; give a list, tuple or set of names")
        if trainable and GraphKeys.TRAINABLE_VARIABLES not in collections:
            collections = list(collections) + [GraphKeys.TRAINABLE_VARIABLES]
        self._trainable, self._constraint = trainable, constraint
        self._save_slice_info: Any = None
        wanted = None if dtype is None else dtypes.as_dtype(dtype)
        graph = self._graph = get_default_graph() if not isinstance(initial_value, Tensor) else initial_value.graph
        if graph.building_function:
            raise ValueError(f"The variable {name!r} is built within a function of a dataset: build it outside and use it there")
        resource = _use_resource(use_resource)
        with graph.as_default(), graph.control_dependencies(None):
            with graph.name_scope("Variable" if name is None else name) as scope:
                full_name = scope[:-1]
                self._shared_name = full_name
                if resource:
                    self._build_resource(graph, scope, full_name, initial_value, wanted, validate_shape, caching_device)
                else:
                    self._build_ref(graph, scope, full_name, initial_value, wanted, validate_shape, caching_device)
        self._adopt(graph, collections)

    @classmethod
    def _from_nodes(
        cls, graph: Graph, name: str, handle: Tensor, initial_value: Tensor | None, initializer: Operation, snapshot: Tensor,
        trainable: bool, is_resource: bool,
    ) -> Variable:
        """A variable of nodes that the graph has already. It is in no collection yet."""
        self = cls.__new__(cls)
        self._graph, self._shared_name, self._trainable, self._constraint = graph, name, trainable, None
        self._variable, self._initial_value, self._is_resource = handle, initial_value, is_resource
        self._initializer_op, self._snapshot, self._save_slice_info = initializer, snapshot, None
        self._dtype = snapshot.dtype.base_dtype
        known_variables(graph)[name] = self
        return self

    def _build_ref(
        self, graph: Graph, scope: str, full_name: str, initial: Any, wanted: DType | None, validate: bool, caching: Any
    ) -> None:
        self._is_resource = False

        def node(value: Tensor) -> Tensor:
            shape = value.shape if validate else TensorShape(None)
            attrs = {"shape": None if shape.ndims is None else shape.as_list(), "dtype": value.dtype.base_dtype._number,
                     "container": graph._container, "shared_name": ""}
            return graph.create_op("VariableV2", [], attrs, scope)._outputs[0]

        if callable(initial):
            with graph._class_scope(full_name):
                with graph.name_scope("Initializer"), graph.device(None):
                    value = convert_to_tensor(initial(), dtype=wanted, name="initial_value")
                self._variable = node(value)
        else:
            value = convert_to_tensor(initial, dtype=wanted, name="initial_value")
            self._variable = node(value)
        self._check(value, validate)
        self._initial_value: Tensor | None = value
        self._dtype = value.dtype.base_dtype
        first = guarded(full_name, value)
        self._initializer_op = apply_op("Assign", self._variable, first, name="Assign", validate_shape=validate)
        if caching is not None:
            with graph.device(caching):
                self._snapshot = one("Identity", self._variable, name="read")
        else:
            with graph.colocate_with(self._variable.op):
                self._snapshot = one("Identity", self._variable, name="read")

    def _build_resource(
        self, graph: Graph, scope: str, full_name: str, initial: Any, wanted: DType | None, validate: bool, caching: Any
    ) -> None:
        self._is_resource = True
        with graph._class_scope(full_name):
            with graph.name_scope("Initializer"), graph.device(None):
                value = convert_to_tensor(initial() if callable(initial) else initial, dtype=wanted, name="initial_value")
            self._check(value, validate)
            attrs = {"shape": _dims(value.shape if validate else TensorShape(None)), "dtype": value.dtype.base_dtype._number,
                     "shared_name": full_name, "debug_name": scope, "container": graph._container}
            self._variable = graph.create_op("VarHandleOp", [], attrs, scope)._outputs[0]
        self._initial_value, self._dtype = value, value.dtype.base_dtype
        with graph.name_scope("IsInitialized"):
            self._is_initialized = one("VarIsInitializedOp", self._variable)
        device = self._variable.device
        with graph.colocate_with(None, ignore_existing=True), graph.device(device):
            with graph.name_scope("Assign") as inner:
                first = guarded(full_name, value)
                self._initializer_op = apply_op("AssignVariableOp", self._variable, first, name=inner, dtype=self._dtype)
        with graph.name_scope("Read"), graph.device(device if caching is None else caching):
            self._snapshot = one("ReadVariableOp", self._variable, dtype=self._dtype)

    def _check(self, value: Tensor, validate: bool) -> None:
        if validate and not value.shape.is_fully_defined():
            raise ValueError(f"the shape of initial_value is unknown, and validate_shape is True: {value}")

    def _adopt(self, graph: Graph, collections: Any) -> None:
        known_variables(graph)[self._shared_name] = self
        assert self._initial_value is not None
        graph._core.adopt_variable(
            self._shared_name, self._is_resource, self._variable._place, self._initial_value._place,
            self._initializer_op._id, self._snapshot._place, self._trainable,
        )
        for key in dict.fromkeys(collections):
            graph.add_to_collection(key, self)

    # What it stands for

    def _as_graph_element(self) -> Tensor:
        return self._snapshot if self._is_resource else self._variable

    def _as_tensor(self, as_ref: bool = False) -> Tensor:
        return self._variable if as_ref else self.value()

    def value(self) -> Tensor:
        """The value, as it is when the step first needs it; a resource is read by an operation of its own at each use."""
        if not self._is_resource:
            return self._snapshot
        with get_default_graph().colocate_with(None, ignore_existing=True):
            read = one("ReadVariableOp", self._variable, dtype=self._dtype)
        if get_default_graph().building_function:
            read.set_shape(self.shape)
        return read

    def read_value(self) -> Tensor:
        """The value, read by an operation of its own that waits for what it is built after."""
        if self._is_resource:
            with self._graph.name_scope("Read"):
                read = one("ReadVariableOp", self._variable, dtype=self._dtype)
            return one("Identity", read)
        return one("Identity", self._variable, name="read")

    @property
    def handle(self) -> Tensor:
        """The reference or handle by which operations change the variable."""
        return self._variable

    def _ref(self) -> Tensor:
        return self._variable

    def ref(self) -> Any:
        """Something that can be a key of a dict; a variable can be one itself."""
        return self

    def experimental_ref(self) -> Any:
        """As `ref`."""
        return self

    @property
    def name(self) -> str:
        """The name of the variable's tensor: `w:0`."""
        return f"{self._shared_name}:0"

    @property
    def op(self) -> Operation:
        """The operation of the variable."""
        return self._variable.op

    @property
    def graph(self) -> Graph:
        """The graph that it is in."""
        return self._graph

    @property
    def device(self) -> str:
        """The device that it is on."""
        return self._variable.device

    @property
    def dtype(self) -> DType:
        """The type of the elements; a reference to it unless the variable is a resource."""
        return self._dtype if self._is_resource else self._variable.dtype

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        return self._snapshot.shape if self._is_resource else self._variable.shape

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    def set_shape(self, shape: Any) -> None:
        """Adds to what is known of the shape."""
        self._as_graph_element().set_shape(shape)
        self._snapshot.set_shape(shape)

    @property
    def trainable(self) -> bool:
        """Whether optimizers change it."""
        return self._trainable

    @property
    def constraint(self) -> Callable[[Any], Any] | None:
        """The function that a value goes through after an optimizer has changed it."""
        return self._constraint

    @property
    def initializer(self) -> Operation:
        """The operation that gives it its first value."""
        return self._initializer_op

    @property
    def initial_value(self) -> Tensor | None:
        """The tensor that it gets as its first value."""
        return self._initial_value

    def initialized_value(self) -> Tensor:
        """The value, or the first value if it has none yet."""
        from tensorfleet._ops import control_flow, state_ops

        return control_flow.cond(state_ops.is_variable_initialized(self), self.read_value, lambda: self.initial_value)

    # Changing it

    def _change(self, by_reference: str, by_handle: str, value: Any, use_locking: Any, name: str | None, read_value: bool) -> Any:
        if not self._is_resource:
            changed = apply_op(by_reference, self._variable, value, name=name, use_locking=use_locking)
            return changed._outputs[0] if read_value else changed
        value = convert_to_tensor(value, dtype=self._dtype)
        extra: dict[str, Any] = {"validate_shape": False} if by_handle == "AssignVariableOp" else {}
        change = apply_op(by_handle, self._variable, value, name=name, dtype=self._dtype, **extra)
        return _Changed(self, change) if read_value else change

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Gives it a value."""
        return self._change("Assign", "AssignVariableOp", value, use_locking or None, name, read_value)

    def assign_add(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Adds to its value."""
        return self._change("AssignAdd", "AssignAddVariableOp", delta, use_locking or None, name, read_value)

    def assign_sub(self, delta: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> Any:
        """Takes from its value."""
        return self._change("AssignSub", "AssignSubVariableOp", delta, use_locking or None, name, read_value)

    def count_up_to(self, limit: int) -> Tensor:
        """Adds one, until a limit is reached; then it fails with OutOfRangeError."""
        return one("CountUpTo", self._variable, limit=limit)

    def load(self, value: Any, session: Any = None) -> None:
        """Gives it a value in a session at once."""
        from tensorfleet._framework.session import session_or_default

        assert self._initial_value is not None
        session_or_default(session, self._graph, "load").run(self._initializer_op, {self._initial_value: value})

    def eval(self, session: Any = None) -> Any:
        """Its value in a session."""
        return self.value().eval(session=session)

    def to_proto(self, export_scope: str | None = None) -> Any:
        """The variable as a message, as meta graphs have it."""
        from tensorfleet._framework.messages import VariableDef

        made = VariableDef(
            variable_name=self._variable.name, initializer_name=self._initializer_op.name, snapshot_name=self._snapshot.name,
            trainable=self._trainable, is_resource=self._is_resource,
        )
        if self._initial_value is not None:
            made.initial_value_name = self._initial_value.name
        return made

    def _set_save_slice_info(self, info: Any) -> None:
        self._save_slice_info = info
        self._graph._core.set_save_slice(self._shared_name, info.full_name, info.full_shape, info.var_offset, info.var_shape)

    def _get_save_slice_info(self) -> Any:
        return self._save_slice_info

    def __iter__(self) -> Iterator[Any]:
        raise TypeError("'Variable' object is not iterable.")

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        return self is other

    def __repr__(self) -> str:
        return f"<tf.Variable {self.name!r} shape={self.shape} dtype={self.dtype.name}>"


class _Changed(Variable):
    """A resource variable after a change: whoever waits for it waits for the change, and its value is read after that."""

    def __init__(self, variable: Variable, change: Operation) -> None:
        self.__dict__.update(variable.__dict__)
        self._change_op = change
        self._element = self.value()

    @property
    def op(self) -> Operation:
        """The operation that changes the variable."""
        return self._change_op

    def _as_graph_element(self) -> Tensor:
        return self._element

    def value(self) -> Tensor:
        """The value after the change."""
        with self._graph.control_dependencies([self._change_op]):
            return super().value()

    def read_value(self) -> Tensor:
        """The value after the change."""
        with self._graph.control_dependencies([self._change_op]):
            return super().read_value()

    def eval(self, session: Any = None) -> Any:
        """The value after the change, in a session."""
        return self._as_graph_element().eval(session=session)


add_operators(Variable)
RefVariable = Variable


def _dims(shape: TensorShape) -> Any:
    return None if shape.ndims is None else shape.as_list()


_resource_variables = False


def _use_resource(asked: bool | None) -> bool:
    if asked is not None:
        return asked
    from tensorfleet._framework.variable_scope import get_variable_scope

    scope = get_variable_scope()
    return scope.use_resource if scope.use_resource is not None else _resource_variables


def enable_resource_variables() -> None:
    """From here on variables are resources."""
    global _resource_variables
    _resource_variables = True


def disable_resource_variables() -> None:
    """From here on variables are passed on by reference."""
    global _resource_variables
    _resource_variables = False


def resource_variables_enabled() -> bool:
    """Whether variables are resources."""
    return _resource_variables


def known_variables(graph: Graph) -> dict[str, Variable]:
    """The variables of a graph by name."""
    return graph._kept.setdefault("variables", {})


def find_variable(graph: Graph, name: str) -> Variable:
    """The variable of a graph with a name, also one that the core made."""
    known = known_variables(graph)
    if name not in known:
        resource, handle, initial, initializer, read, trainable = graph._core.variable(name)
        Variable._from_nodes(
            graph, name, graph._tensor(handle), graph._tensor(initial), graph._operation(initializer), graph._tensor(read),
            trainable, resource,
        )
    return known[name]
