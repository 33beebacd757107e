"""Variables in several parts, and the functions that say how many."""

from __future__ import annotations

import math
from typing import Any, Callable, Iterator

from tensorfleet._framework import dtypes
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.operators import add_operators


class PartitionInfo:
    """Which part of a larger variable an initializer makes."""

    def __init__(self, full_shape: Any, var_offset: Any) -> None:
        if len(full_shape) != len(var_offset):
            raise ValueError(f"full_shape {full_shape} and var_offset {var_offset} have different lengths")
        self._full_shape, self._var_offset = list(full_shape), list(var_offset)

    @property
    def full_shape(self) -> list[int]:
        """The shape of the whole variable."""
        return self._full_shape

    @property
    def var_offset(self) -> list[int]:
        """Where the part begins, in each dimension."""
        return self._var_offset

    def single_slice_dim(self, shape: Any) -> int | None:
        """The dimension in which a part of this shape is shorter than the whole; None if there is none."""
        found = [i for i, (part, whole) in enumerate(zip(shape, self._full_shape)) if part != whole]
        if len(found) > 1:
            raise ValueError(f"A part of shape {shape} is smaller than {self._full_shape} in several dimensions: {found}")
        return found[0] if found else None

    def single_offset(self, shape: Any) -> int:
        """Where the part begins, in the dimension in which it is shorter."""
        dim = self.single_slice_dim(shape)
        return 0 if dim is None else self._var_offset[dim]


class PartitionedVariable:
    """A variable in several parts, which are variables named `w/part_0`, `w/part_1`, ... As a tensor it is their join."""

    __array_priority__ = 100

    def __init__(
        self, name: str, shape: Any, dtype: DType, variable_list: list[Any], partitions: list[int], axis: int = 0
    ) -> None:
        self._name, self._shape, self._dtype = name, as_shape(shape), dtype
        self._variable_list, self._partitions, self._axis = variable_list, partitions, axis
        self._joined: Tensor | None = None

    def _join(self) -> Tensor:
        from tensorfleet._ops import array_ops

        graph = self.graph
        if len(self._variable_list) == 1:
            with graph.name_scope(None):
                return array_ops.identity(self._variable_list[0], name=self._name)
        with graph.name_scope(f"{self._name}/ConcatPartitions/"):
            joined = array_ops.concat([part._as_tensor() for part in self._variable_list], self._axis)
        with graph.name_scope(None):
            return array_ops.identity(joined, name=self._name)

    def as_tensor(self) -> Tensor:
        """All parts joined to one tensor."""
        graph = self.graph
        with graph.as_default(), graph.control_dependencies(None):
            return self._join()

    def _as_tensor(self, as_ref: bool = False) -> Tensor:
        if as_ref:
            raise NotImplementedError(f"the partitioned variable {self._name} cannot be changed as a whole: change its parts")
        return self.as_tensor()

    def _as_graph_element(self) -> Tensor:
        return self.as_tensor()

    def __len__(self) -> int:
        return len(self._variable_list)

    def __iter__(self) -> Iterator[Any]:
        return iter(self._variable_list)

    @property
    def name(self) -> str:
        """The name of the whole."""
        return self._name

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._dtype

    @property
    def shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    def get_shape(self) -> TensorShape:
        """The shape of the whole."""
        return self._shape

    @property
    def graph(self) -> Graph:
        """The graph that the parts are in."""
        return self._variable_list[0].graph

    @property
    def op(self) -> Any:
        """The operation of the first part."""
        return self._variable_list[0].op

    def _get_variable_list(self) -> list[Any]:
        return self._variable_list

    def _get_partitions(self) -> list[int]:
        return self._partitions

    def assign(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> list[Any]:
        """Gives each part its slice of a value."""
        return self._change("assign", value, use_locking, name, read_value)

    def assign_add(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> list[Any]:
        """Adds its slice of a value to each part."""
        return self._change("assign_add", value, use_locking, name, read_value)

    def assign_sub(self, value: Any, use_locking: bool = False, name: str | None = None, read_value: bool = True) -> list[Any]:
        """Takes its slice of a value from each part."""
        return self._change("assign_sub", value, use_locking, name, read_value)

    def _change(self, method: str, value: Any, use_locking: bool, name: str | None, read_value: bool) -> list[Any]:
        from tensorfleet._ops import array_ops

        sizes = [int(part.shape[self._axis]) for part in self._variable_list]
        if isinstance(value, PartitionedVariable):
            values = list(value)
        else:
            values = array_ops.split(convert_to_tensor(value, dtype=self._dtype), sizes, axis=self._axis)
        return [
            getattr(part, method)(piece, use_locking=use_locking, name=name, read_value=read_value)
            for part, piece in zip(self._variable_list, values)
        ]

    def __repr__(self) -> str:
        return f"<tf.PartitionedVariable {self._name!r} shape={self._shape} dtype={self._dtype.name} parts={len(self)}>"


add_operators(PartitionedVariable)


def slice_offsets(shape: list[int], partitions: list[int]) -> tuple[int, list[tuple[list[int], list[int]]]]:
    """The dimension that is cut, and start and shape of each part; the first parts are longer if it does not divide.

    >>> slice_offsets([5, 2], [2, 1])
    (0, [([0, 0], [3, 2]), ([3, 0], [2, 2])])
    """
    axis = next((i for i, count in enumerate(partitions) if count > 1), 0)
    each, longer = divmod(shape[axis], partitions[axis])
    start, parts = 0, []
    for i in range(partitions[axis]):
        length = each + (1 if i < longer else 0)
        offset, part = [0] * len(shape), list(shape)
        offset[axis], part[axis] = start, length
        parts.append((offset, part))
        start += length
    return axis, parts


def fixed_size_partitioner(num_shards: int, axis: int = 0) -> Callable[..., list[int]]:
    """A partitioner that cuts one dimension in a number of parts.

    >>> fixed_size_partitioner(3)(shape=TensorShape([9, 2]))
    [3, 1]
    """

    def partitioner(shape: Any, **_: Any) -> list[int]:
        partitions = [1] * len(shape)
        partitions[axis] = min(num_shards, int(shape[axis]))
        return partitions

    return partitioner


def variable_axis_size_partitioner(
    max_shard_bytes: int, axis: int = 0, bytes_per_string_element: int = 16, max_shards: int | None = None
) -> Callable[..., list[int]]:
    """A partitioner that cuts one dimension so that no part has more than `max_shard_bytes`."""
    if max_shard_bytes < 1 or bytes_per_string_element < 1 or max_shards is not None and max_shards < 1:
        raise ValueError(f"The sizes must be positive: max_shard_bytes {max_shard_bytes}, bytes_per_string_element "
                         f"{bytes_per_string_element}, max_shards {max_shards}")

    def partitioner(shape: Any, dtype: Any, **_: Any) -> list[int]:
        dims = as_shape(shape).as_list()
        size = bytes_per_string_element if dtypes.as_dtype(dtype).base_dtype is dtypes.string else dtypes.as_dtype(dtype).size
        partitions = [1] * len(dims)
        slice_bytes = size * math.prod(dims) // max(dims[axis], 1)
        slices_per_part = max(1, max_shard_bytes // max(slice_bytes, 1))
        count = math.ceil(dims[axis] / slices_per_part)
        partitions[axis] = min(count, max_shards) if max_shards else count
        return partitions

    return partitioner


def min_max_variable_partitioner(
    max_partitions: int = 1, axis: int = 0, min_slice_size: int = 256 << 10, bytes_per_string_element: int = 16
) -> Callable[..., list[int]]:
    """A partitioner that cuts one dimension in as many parts as there can be, each of at least `min_slice_size` bytes."""

    def partitioner(shape: Any, dtype: Any, **_: Any) -> list[int]:
        dims = as_shape(shape).as_list()
        if axis >= len(dims):
            raise ValueError(f"there is no axis {axis} to partition: the shape is {dims}")
        kind = dtypes.as_dtype(dtype).base_dtype
        size = bytes_per_string_element if kind is dtypes.string else kind.size
        possible = max(1, math.prod(dims) * size // min_slice_size)
        partitions = [1] * len(dims)
        partitions[axis] = max(1, min(dims[axis], max_partitions, possible))
        return partitions

    return partitioner
