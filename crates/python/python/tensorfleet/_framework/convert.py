"""Python values as tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from tensorfleet._framework import dtypes, values
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Graph, Operation, Tensor, get_default_graph, graph_of
from tensorfleet._framework.tensor_shape import Dimension, TensorShape


class IndexedSlices:
    """Rows of a larger tensor: row `indices[i]` is `values[i]`."""

    def __init__(self, values: Tensor, indices: Tensor, dense_shape: Tensor | None = None) -> None:
        self._values, self._indices, self._dense_shape = values, indices, dense_shape

    @property
    def values(self) -> Tensor:
        """The rows."""
        return self._values

    @property
    def indices(self) -> Tensor:
        """Which row each of them is."""
        return self._indices

    @property
    def dense_shape(self) -> Tensor | None:
        """The shape of the larger tensor, if it is known."""
        return self._dense_shape

    @property
    def name(self) -> str:
        """The name of the rows."""
        return self._values.name

    @property
    def op(self) -> Operation:
        """The operation that gives the rows."""
        return self._values.op

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that the rows are in."""
        return self._values.graph

    @property
    def device(self) -> str:
        """The device of the rows."""
        return self._values.device

    def __str__(self) -> str:
        shape = f", dense_shape={self._dense_shape}" if self._dense_shape is not None else ""
        return f"IndexedSlices(indices={self._indices}, values={self._values}{shape})"


class SparseTensor:
    """A tensor of which most elements are zero: where the others are, what they are, and the shape of it all."""

    def __init__(self, indices: Any, values: Any, dense_shape: Any) -> None:
        graph = graph_of([indices, values, dense_shape])
        with graph.as_default(), graph.name_scope("SparseTensor"):
            self._indices = convert_to_tensor(indices, name="indices", dtype=dtypes.int64)
            self._values = convert_to_tensor(values, name="values")
            self._dense_shape = convert_to_tensor(dense_shape, name="dense_shape", dtype=dtypes.int64)

    @property
    def indices(self) -> Tensor:
        """Where the elements are: a row for each."""
        return self._indices

    @property
    def values(self) -> Tensor:
        """What they are."""
        return self._values

    @property
    def dense_shape(self) -> Tensor:
        """The shape of the whole."""
        return self._dense_shape

    @property
    def shape(self) -> TensorShape:
        """What is known of the shape."""
        value = constant_value(self._dense_shape)
        if value is not None:
            return TensorShape([int(dim) for dim in value])
        if self._dense_shape.op.type == "Pack":
            dims = [constant_value(dim) for dim in self._dense_shape.op.inputs]
            return TensorShape([None if dim is None else int(dim) for dim in dims])
        rank = self._dense_shape.shape.as_list()[0] if self._dense_shape.shape.ndims == 1 else None
        return TensorShape(None if rank is None else [None] * rank)

    def get_shape(self) -> TensorShape:
        """What is known of the shape."""
        return self.shape

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._values.dtype

    @property
    def graph(self) -> Graph:
        """The graph that it is in."""
        return self._indices.graph

    @property
    def op(self) -> Operation:
        """The operation that gives the elements."""
        return self._values.op

    def eval(self, feed_dict: Any = None, session: Any = None) -> Any:
        """Its value in a session."""
        from tensorfleet._framework.session import session_or_default

        return session_or_default(session, self.graph, "eval").run(self, feed_dict)

    def __str__(self) -> str:
        return f"SparseTensor(indices={self._indices}, values={self._values}, dense_shape={self._dense_shape})"


def constant(
    value: Any, dtype: Any = None, shape: Any = None, name: str | None = "Const", verify_shape: bool = False
) -> Tensor:
    """A tensor that always has the same value.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.constant([1, 2])).tolist()
    [1, 2]
    """
    dtype = None if dtype is None else dtypes.as_dtype(dtype)
    if dtype is not None and dtype.base_dtype is dtypes.bfloat16:
        bits, number = values.to_array(value, dtype)
        array = bits
    else:
        if isinstance(value, (list, tuple)) and _holds_tensor(value):
            raise TypeError(f"A constant cannot be made of tensors: {value!r}; tf.stack joins them")
        array, number = values.to_array(value, dtype)
    if shape is not None:
        dims = [int(dim) for dim in TensorShape(shape).as_list()]  # type: ignore[arg-type]
        if verify_shape and list(array.shape) != dims:
            raise TypeError(f"a value of shape {array.shape} is given for the shape {tuple(dims)}")
        array = _filled(array, dims)
    packed = values.pack_array(array, number)
    graph = get_default_graph()
    operation = graph.create_op("Const", [], {"value": packed, "dtype": number}, name or "Const")
    return operation._outputs[0]


def _filled(array: np.ndarray, dims: list[int]) -> np.ndarray:
    """An array in another shape; the last element is repeated if there are too few."""
    wanted = int(np.prod(dims, dtype=np.int64))
    if array.size == wanted:
        return array.reshape(dims)
    if array.size > wanted:
        raise ValueError(f"{array.size:d} values are given for a tensor of {wanted:d}")
    if array.size == 0:
        raise ValueError(f"Cannot fill the shape {dims} with nothing")
    filled = np.empty(wanted, dtype=array.dtype)
    filled[: array.size] = array.ravel()
    filled[array.size :] = array.ravel()[-1]
    return filled.reshape(dims)


def _holds_tensor(value: Any) -> bool:
    return any(
        isinstance(item, Tensor) or hasattr(item, "_as_graph_element") or isinstance(item, (list, tuple)) and _holds_tensor(item)
        for item in value
    )


def _first_type(value: Any) -> DType | None:
    for item in value:
        if isinstance(item, Tensor) or hasattr(item, "_as_graph_element"):
            return item.dtype.base_dtype
        if isinstance(item, (list, tuple)):
            found = _first_type(item)
            if found is not None:
                return found
    return None


def _packed(value: Any, dtype: DType | None, name: str) -> Tensor:
    """One tensor of nested lists that hold tensors."""
    with get_default_graph().name_scope(name) as scope:
        items = []
        for i, item in enumerate(value):
            if isinstance(item, (list, tuple)) and _holds_tensor(item):
                items.append(_packed(item, dtype, str(i)))
            else:
                items.append(convert_to_tensor(item, dtype=dtype, name=str(i)))
        return graph_of(items).create_op("Pack", [items], {"axis": 0}, scope)._outputs[0]


def convert_to_tensor(
    value: Any, dtype: Any = None, name: str | None = None, preferred_dtype: Any = None, as_ref: bool = False,
    dtype_hint: Any = None,
) -> Tensor:
    """The tensor that a value stands for: itself, a variable's value, the dense form of rows, or a constant.

    >>> convert_to_tensor([1.0, 2.0]).dtype
    tf.float32
    """
    wanted = None if dtype is None else dtypes.as_dtype(dtype)
    if not isinstance(value, Tensor):
        if hasattr(value, "_as_tensor"):
            value = value._as_tensor(as_ref)
        elif isinstance(value, IndexedSlices):
            value = _dense(value, name)
        else:
            return _constant_of(value, wanted, name, preferred_dtype if preferred_dtype is not None else dtype_hint)
    if wanted is not None and not wanted.base_dtype == value.dtype.base_dtype:
        raise ValueError(
            f"a tensor of {wanted.name} is needed here, but this one is of {value.dtype.name}: {value!r}"
        )
    if not as_ref and (default := get_default_graph()).building_function:
        # The body of a function has a tensor of its own for each that it uses from outside.
        return default.capture(value)  # type: ignore[attr-defined]
    return value


def _constant_of(value: Any, wanted: DType | None, name: str | None, preferred: Any) -> Tensor:
    if isinstance(value, TensorShape):
        if not value.is_fully_defined():
            raise ValueError(f"the shape {value} has unknown parts, so it cannot become a tensor")
        dims = value.as_list()
        big = any(dim > 2147483647 for dim in dims)  # type: ignore[operator]
        return constant(np.array(dims, dtype=np.int64), wanted or (dtypes.int64 if big else dtypes.int32), name=name or "shape_as_tensor")
    if isinstance(value, Dimension):
        if value.value is None:
            raise ValueError("Cannot convert an unknown Dimension to a Tensor")
        return constant(value.value, wanted or dtypes.int32, name=name or "Const")
    if isinstance(value, (list, tuple)):
        if _holds_tensor(value):
            return _packed(value, wanted or _first_type(value), name or "packed")
        value = _plain_dimensions(value)
    if value is None:
        raise ValueError("None cannot become a tensor")
    if wanted is None and preferred is not None:
        try:
            return constant(value, dtypes.as_dtype(preferred), name=name or "Const")
        except (TypeError, ValueError):
            pass
    return constant(value, wanted, name=name or "Const")


def _plain_dimensions(value: Any) -> Any:
    """A list in which dimensions are plain numbers."""
    if any(isinstance(item, Dimension) for item in value):
        return [int(item) if isinstance(item, Dimension) else item for item in value]
    return value


def _dense(slices: IndexedSlices, name: str | None) -> Tensor:
    if slices.dense_shape is None:
        raise ValueError(f"these IndexedSlices have no dense_shape, so they cannot become a tensor: {slices}")
    from tensorfleet._framework.apply import one

    shape = one("StridedSlice", slices.dense_shape, [0], [1], [1], shrink_axis_mask=1)
    return one("UnsortedSegmentSum", slices.values, slices.indices, shape, name=name)


def convert_to_tensor_or_indexed_slices(value: Any, dtype: Any = None, name: str | None = None) -> Any:
    """The value itself if it is rows of a tensor, else the tensor that it stands for."""
    return value if isinstance(value, IndexedSlices) else convert_to_tensor(value, dtype, name)


def convert_n_to_tensor(items: Any, dtype: Any = None, name: str | None = None) -> list[Tensor]:
    """The tensors that several values stand for."""
    return [convert_to_tensor(item, dtype, None if name is None else f"{name}_{i}") for i, item in enumerate(items)]


def constant_value(tensor: Any, partial: bool = False) -> Any:
    """The value of a tensor if it follows from constants, else None."""
    if not isinstance(tensor, Tensor):
        return tensor if isinstance(tensor, np.ndarray) else None
    packed = tensor.graph._core.constant_value(tensor._place)
    return None if packed is None else np.asarray(values.unpack(packed))
