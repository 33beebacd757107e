"""The variables of a graph by the names that programs gave them, so that a second request finds the first one's variable."""

from __future__ import annotations

import inspect
from typing import Any, Callable

import numpy as np

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Tensor, get_default_graph
from tensorfleet._framework.partitioned import PartitionedVariable, PartitionInfo, slice_offsets
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._framework.variables import GraphKeys, SaveSliceInfo, Variable
from tensorfleet._ops.operators import add_operators


class _AutoReuse:
    """The value of `reuse` with which a variable is made if there is none of its name, and found otherwise."""

    def __repr__(self) -> str:
        return "AUTO_REUSE"


AUTO_REUSE = _AutoReuse()


class VariableStore:
    """Makes and finds the variables of one graph."""

    def __init__(self) -> None:
        self.variables: dict[str, Any] = {}
        self.partitioned: dict[str, PartitionedVariable] = {}

    def get(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Callable[[Any], Any] | None = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Callable[..., Any] | None = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        custom_getter: Callable[..., Any] | None = None,
        constraint: Callable[[Any], Any] | None = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        """The variable of a name: made, or found, as `reuse` says; a partitioned one if there is a partitioner."""
        dtype = dtypes.as_dtype(dtype).base_dtype
        if custom_getter is None:
            return self._make_or_find(
                name, shape, dtype, initializer, regularizer, reuse, trainable, collections, caching_device, partitioner,
                validate_shape, use_resource, constraint,
            )
        keywords = dict(
            getter=self._make_or_find, name=name, shape=shape, dtype=dtype, initializer=initializer, regularizer=regularizer,
            reuse=reuse, trainable=trainable, collections=collections, caching_device=caching_device, partitioner=partitioner,
            validate_shape=validate_shape, use_resource=use_resource, synchronization=synchronization, aggregation=aggregation,
        )
        if "constraint" in _parameters(custom_getter) or _takes_any(custom_getter):
            keywords["constraint"] = constraint
        return custom_getter(**keywords)

    def _make_or_find(
        self,
        name: str,
        shape: Any = None,
        dtype: Any = dtypes.float32,
        initializer: Any = None,
        regularizer: Any = None,
        reuse: Any = None,
        trainable: bool | None = None,
        collections: Any = None,
        caching_device: Any = None,
        partitioner: Any = None,
        validate_shape: bool = True,
        use_resource: bool | None = None,
        constraint: Any = None,
        synchronization: Any = None,
        aggregation: Any = None,
    ) -> Any:
        is_scalar = shape is not None and isinstance(shape, (list, tuple)) and not shape
        dtype = dtypes.as_dtype(dtype).base_dtype
        rest = (regularizer, reuse, trainable, collections, caching_device, validate_shape, use_resource, constraint)
        if partitioner is not None and not is_scalar:
            if not callable(partitioner):
                raise ValueError(f"the partitioner is not a function: {partitioner!r}")
            return self._partitioned(name, partitioner, shape, dtype, initializer, *rest)
        if f"{name}/part_0" in self.variables:
            raise ValueError(
                f"{name} is asked for whole, but it exists in parts, from {name}/part_0 on; give the partitioner it "
                "was made with"
            )
        return self._single(name, shape, dtype, initializer, None, *rest)

    def _single(
        self,
        name: str,
        shape: Any,
        dtype: DType,
        initializer: Any,
        partition: PartitionInfo | None,
        regularizer: Any,
        reuse: Any,
        trainable: bool | None,
        collections: Any,
        caching_device: Any,
        validate_shape: bool,
        use_resource: bool | None,
        constraint: Any,
    ) -> Any:
        from_value = initializer is not None and not callable(initializer)
        shape = as_shape(shape)
        if from_value and shape.ndims is not None and partition is None:
            raise ValueError(
                f"variable {name}: its initializer is a value and has a shape, so do not specify shape: {shape}"
            )
        if name in self.variables:
            return self._found(name, shape, dtype, reuse)
        if reuse is True or reuse and reuse is not AUTO_REUSE:
            raise ValueError(
                f"Variable {name} does not exist among those of tf.get_variable(), and reuse=True makes none; "
                "reuse=tf.AUTO_REUSE would"
            )
        if initializer is None:
            initializer = default_initializer(name, dtype)
        if inspect.isclass(initializer):
            initializer = initializer()
        wanted: DType | None = dtype
        if from_value:
            initial, wanted = initializer, None
            if isinstance(initializer, Tensor) and initializer.dtype.base_dtype != dtype:
                raise ValueError(
                    f"dtype is '{dtype.name}', but the initializer is a tensor of '{initializer.dtype.base_dtype.name}'"
                )
        else:
            initial = _initial_value(name, shape, dtype, initializer, partition)
        variable = Variable(
            initial_value=initial, name=name, trainable=trainable, collections=collections, caching_device=caching_device,
            dtype=wanted, validate_shape=validate_shape, constraint=constraint, use_resource=use_resource,
        )
        self.variables[name] = variable
        if regularizer is not None:
            add_regularization_loss(name, variable, regularizer)
        return variable

    def _found(self, name: str, shape: TensorShape, dtype: DType, reuse: Any) -> Any:
        found = self.variables[name]
        if reuse is False or reuse is None:
            raise ValueError(
                f"Variable {name} already exists; to share it, enter its scope with reuse=True or tf.AUTO_REUSE. "
                f"It was first defined at {found.op.location or 'an unknown place'}"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"variable {name} is shared with another shape: {shape} is asked for, it has {found.get_shape()}"
            )
        if not dtype.is_compatible_with(found.dtype.base_dtype):
            raise ValueError(
                f"variable {name} is shared with another dtype: {dtype.name} is asked for, it has "
                f"{found.dtype.base_dtype.name}"
            )
        return found

    def _partitioned(
        self, name: str, partitioner: Any, shape: Any, dtype: DType, initializer: Any, regularizer: Any, reuse: Any,
        trainable: Any, collections: Any, caching_device: Any, validate_shape: bool, use_resource: Any, constraint: Any,
    ) -> PartitionedVariable:
        from_value = initializer is not None and not callable(initializer)
        full = as_shape(shape)
        if from_value:
            initializer = convert_to_tensor(initializer)
            full = full.merge_with(initializer.shape)
        if name in self.partitioned:
            return self._found_partitioned(name, full, dtype, reuse)
        if not full.is_fully_defined():
            raise ValueError(f"variable {name} can only be partitioned when its whole shape is known, not {full}")
        if full.ndims is None or full.ndims < 1:
            raise ValueError(f"variable {name} of shape {full} has no dimension to partition")
        partitions = _checked_partitions(partitioner(shape=full, dtype=dtype), full, name)
        if reuse is True or reuse and reuse is not AUTO_REUSE:
            if f"{name}/part_0" not in self.variables:
                raise ValueError(
                    f"there is no partitioned variable {name} among those of tf.get_variable(), and reuse=True makes "
                    "none; reuse=tf.AUTO_REUSE would"
                )
        axis, offsets = slice_offsets(full.as_list(), partitions)
        parts = []
        for i, (offset, part_shape) in enumerate(offsets):
            part_name = f"{name}/part_{i}"
            info = PartitionInfo(full_shape=full.as_list(), var_offset=offset)
            initial: Any = initializer
            if from_value:
                from tensorfleet._ops import array_ops

                with get_default_graph().name_scope(f"{name}/part_{i}/"):
                    initial = array_ops.slice(initializer, offset, part_shape)
            part = self._single(
                part_name, part_shape, dtype, initial, info, regularizer, reuse, trainable, collections, caching_device,
                validate_shape, use_resource, constraint,
            )
            part._set_save_slice_info(SaveSliceInfo(name, full.as_list(), offset, part_shape))
            parts.append(part)
        made = PartitionedVariable(name, full, dtype, parts, partitions, axis)
        self.partitioned[name] = made
        return made

    def _found_partitioned(self, name: str, shape: TensorShape, dtype: DType, reuse: Any) -> PartitionedVariable:
        found = self.partitioned[name]
        if reuse is False or reuse is None:
            raise ValueError(
                f"Partitioned variable {name} already exists; to share it, enter its scope with reuse=True or "
                "reuse=tf.AUTO_REUSE"
            )
        if not shape.is_compatible_with(found.get_shape()):
            raise ValueError(
                f"partitioned variable {name} is shared with another shape: {shape} is asked for, it has "
                f"{found.get_shape()}"
            )
        if not dtype.is_compatible_with(found.dtype):
            raise ValueError(
                f"partitioned variable {name} is shared with another dtype: {dtype.name} is asked for, it has "
                f"{found.dtype.name}"
            )
        return found


def store_of(graph: Graph | None = None) -> VariableStore:
    """The store of a graph, or of the default one."""
    graph = graph or get_default_graph()
    return graph._kept.setdefault("variable_store", VariableStore())


def default_initializer(name: str, dtype: DType) -> Any:
    """What a variable of a type gets as its first value if nobody says."""
    from tensorfleet._framework import init_ops

    if dtype.is_floating or dtype.is_complex:
        return init_ops.GlorotUniform()
    if dtype.is_integer or dtype.is_bool:
        return init_ops.Zeros()
    raise ValueError(f"variable {name}: an initializer is required for {dtype!r}")


class _RegularizationLoss:
    """What a regularizer makes of a variable. As in TensorFlow, an operation that takes it gets nodes of its own."""

    def __init__(self, make: Callable[[], Tensor]) -> None:
        self._make, self._made = make, make()

    def _as_graph_element(self) -> Tensor:
        return self._made

    def _as_tensor(self, as_ref: bool = False) -> Tensor:
        return self._make()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.__dict__["_made"], name)


add_operators(_RegularizationLoss)


def add_regularization_loss(name: str, variable: Any, regularizer: Callable[[Any], Any]) -> None:
    """Adds what a regularizer makes of a variable to the collection of such losses."""
    graph = variable.graph

    def make() -> Tensor:
        with graph.as_default(), graph.colocate_with(variable.op), graph.name_scope(f"{name}/Regularizer/"):
            return regularizer(variable)

    # TensorFlow asks once whether there is a loss at all, and leaves these nodes in the graph.
    if regularizer(variable) is not None:
        graph.add_to_collection(GraphKeys.REGULARIZATION_LOSSES, _RegularizationLoss(make))


def _initial_value(name: str, shape: TensorShape, dtype: DType, initializer: Any, partition: PartitionInfo | None) -> Any:
    parameters = _parameters(initializer)
    if not shape.is_fully_defined():
        if all(p.default is not p.empty for p in parameters.values()):
            return initializer
        raise ValueError(f"variable {name}: the shape {shape} must be fully defined for its initializer")
    dims = shape.as_list()
    if "partition_info" in parameters:
        return lambda: initializer(dims, dtype=dtype, partition_info=partition)
    if "dtype" in parameters or _takes_any(initializer):
        return lambda: initializer(dims, dtype=dtype)
    positional = [p for p in parameters.values() if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return lambda: initializer(dims, dtype) if len(positional) > 1 else initializer(dims)


def _parameters(function: Any) -> dict[str, inspect.Parameter]:
    try:
        return dict(inspect.signature(function).parameters)
    except (TypeError, ValueError):
        return {}


def _takes_any(function: Any) -> bool:
    return any(p.kind is p.VAR_KEYWORD for p in _parameters(function).values())


def _checked_partitions(partitions: Any, shape: TensorShape, name: str) -> list[int]:
    partitions = [int(count) for count in np.asarray(partitions).ravel()] if not isinstance(partitions, list) else partitions
    if len(partitions) != shape.ndims:
        raise ValueError(
            f"the partitioner of {name} answered {partitions}, which has another rank than the shape {shape}"
        )
    if any(count < 1 for count in partitions):
        raise ValueError(f"the partitioner of {name} answered {partitions}: each axis needs one part or more")
    if sum(count > 1 for count in partitions) > 1:
        raise ValueError(f"variable {name} of shape {shape} can be cut along one axis only, not into {partitions}")
    return partitions
