"""Arrays of tensors, which loops write and read one by one."""

from __future__ import annotations

import contextlib
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, many, one
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.dtypes import DType
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.op_scope import op_scope

__all__ = ["TensorArray"]


class _State:
    """What the arrays that come from one share."""

    def __init__(self, dtype: DType, handle: Tensor, infer: bool, shape: TensorShape, colocate: bool) -> None:
        self.dtype, self.handle, self.infer, self.shape, self.colocate = dtype, handle, infer, shape, colocate
        self.first: Operation | None = None
        self.size: Any = None
        self.dynamic = False


class TensorArray:
    """An array of tensors of one type, each of which is written once. Writing gives a new array object, which is to be used
    from then on.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     array = tf.TensorArray(tf.int32, size=2).write(0, 10).write(1, 20)
    ...     sess.run(array.stack()).tolist()
    [10, 20]
    """

    def __init__(
        self, dtype: Any, size: Any = None, dynamic_size: bool | None = None, clear_after_read: bool | None = None,
        tensor_array_name: str | None = None, handle: Any = None, flow: Any = None, infer_shape: bool = True,
        element_shape: Any = None, colocate_with_first_write_call: bool = True, name: str | None = None,
    ) -> None:
        if handle is not None and (tensor_array_name or size is not None or dynamic_size is not None):
            raise ValueError("A TensorArray is made either of a handle or of a size")
        if handle is None and size is None:
            raise ValueError("a TensorArray needs a size or the handle of another")
        kind = dtypes.as_dtype(dtype).base_dtype
        shape = as_shape(element_shape)
        with op_scope(name, "TensorArray", [handle, size, flow]) as scope:
            if handle is not None:
                self._flow = flow if flow is not None else one("TensorArraySizeV3", handle, 0.0)
                state = _State(kind, handle, infer_shape, shape, colocate_with_first_write_call)
            else:
                graph = get_default_graph()
                empty = graph.device(None) if colocate_with_first_write_call else contextlib.nullcontext()
                with empty, graph.colocate_with(None, ignore_existing=True):
                    made, self._flow = many(
                        "TensorArrayV3", size, name=scope, dtype=kind, element_shape=shape, dynamic_size=bool(dynamic_size),
                        identical_element_shapes=infer_shape, clear_after_read=clear_after_read is not False,
                        tensor_array_name=tensor_array_name or "",
                    )
                state = _State(kind, made, infer_shape, shape, colocate_with_first_write_call)
                state.size, state.dynamic = size, bool(dynamic_size)
        self._flow_state = state

    def _with_flow(self, flow: Tensor) -> TensorArray:
        """The same array after another operation on it."""
        other = TensorArray.__new__(TensorArray)
        other._flow, other._flow_state = flow, self._flow_state
        return other

    @property
    def flow(self) -> Tensor:
        """A tensor that orders the operations on the array."""
        return self._flow

    @property
    def dtype(self) -> DType:
        """The type of the elements."""
        return self._flow_state.dtype

    @property
    def handle(self) -> Tensor:
        """The resource of the array."""
        return self._flow_state.handle

    @property
    def element_shape(self) -> TensorShape:
        """What is known of the shapes of the elements."""
        return self._flow_state.shape

    @property
    def dynamic_size(self) -> bool:
        """Whether the array grows as it is written."""
        return self._flow_state.dynamic

    def _merge_shape(self, shape: TensorShape) -> None:
        state = self._flow_state
        if not shape.is_compatible_with(state.shape):
            raise ValueError(f"shape {shape} where the others have {state.shape}")
        if state.infer:
            state.shape = state.shape.merge_with(shape)

    @contextlib.contextmanager
    def _near(self, value: Tensor) -> Any:
        """Puts what is written where the first value was."""
        state, graph = self._flow_state, get_default_graph()
        if not state.colocate:
            yield
            return
        if state.first is None:
            state.first = value.op
        with graph.colocate_with(state.first):
            yield

    def read(self, index: Any, name: str | None = None) -> Tensor:
        """The element at a place."""
        value = one("TensorArrayReadV3", self.handle, index, self._flow, name=name, dtype=self.dtype)
        if self.element_shape.ndims is not None:
            value.set_shape(self.element_shape)
        return value

    def write(self, index: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with an element written."""
        with op_scope(name, "TensorArrayWrite", [self.handle, index, value]):
            value = convert_to_tensor(value, preferred_dtype=self.dtype, name="value")
            self._check(value)
            self._merge_shape(value.shape)
            with self._near(value):
                flow = one("TensorArrayWriteV3", self.handle, index, value, self._flow, name=name)
        return self._with_flow(flow)

    def _check(self, value: Tensor) -> None:
        if value.dtype.base_dtype != self.dtype:
            raise ValueError(f"TensorArray dtype is {self.dtype.name}, but {value.name} is {value.dtype.base_dtype.name}")

    def stack(self, name: str | None = None) -> Tensor:
        """All elements as one tensor, along a new first dimension."""
        from tensorfleet._ops.fill_ops import range

        with op_scope(name, "TensorArrayStack", [self.handle]):
            with get_default_graph().colocate_with(self.handle):
                return self.gather(range(0, self.size()), name=name)

    def gather(self, indices: Any, name: str | None = None) -> Tensor:
        """The elements at places as one tensor."""
        value = one(
            "TensorArrayGatherV3", self.handle, indices, self._flow, name=name, dtype=self.dtype,
            element_shape=self.element_shape,
        )
        if self.element_shape.ndims is not None:
            length = None if self._flow_state.dynamic else constant_value(convert_to_tensor(self._flow_state.size)) \
                if isinstance(self._flow_state.size, Tensor) else self._flow_state.size
            known = length if isinstance(length, int) else None
            value.set_shape(TensorShape([known if _is_all(indices) else None]).concatenate(self.element_shape))
        return value

    def concat(self, name: str | None = None) -> Tensor:
        """All elements joined along their first dimension."""
        shape = self.element_shape
        value, _ = many(
            "TensorArrayConcatV3", self.handle, self._flow, name=name, dtype=self.dtype,
            element_shape_except0=shape[1:] if shape.ndims is not None else shape,
        )
        if shape.ndims:
            count = constant_value(self.size()) if shape.is_fully_defined() else None
            length = None if count is None else int(count) * int(shape[0])
            value.set_shape(TensorShape([length]).concatenate(shape[1:]))
        return value

    def unstack(self, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor along its first dimension written."""
        from tensorfleet._ops.fill_ops import range
        from tensorfleet._ops.shape_ops import shape

        with op_scope(name, "TensorArrayUnstack", [self.handle, value]):
            count: Any = shape(value)[0]  # type: ignore[index]
            return self.scatter(range(0, count), value, name=name)

    def scatter(self, indices: Any, value: Any, name: str | None = None) -> TensorArray:
        """The array with the slices of a tensor written to places."""
        with op_scope(name, "TensorArrayScatter", [self.handle, value, indices]):
            value = convert_to_tensor(value, preferred_dtype=self.dtype, name="value")
            self._check(value)
            if value.shape.ndims is not None:
                self._merge_shape(value.shape[1:])
            with self._near(value):
                flow = one("TensorArrayScatterV3", self.handle, indices, value, self._flow, name=name)
        return self._with_flow(flow)

    def split(self, value: Any, lengths: Any, name: str | None = None) -> TensorArray:
        """The array with parts of a tensor, of given lengths along its first dimension, written."""
        from tensorfleet._ops.math_ops import cast

        with op_scope(name, "TensorArraySplit", [self.handle, value, lengths]):
            value = convert_to_tensor(value, dtype=self.dtype, name="value")
            lengths = cast(lengths, dtypes.int64)
            with self._near(value):
                flow = one("TensorArraySplitV3", self.handle, value, lengths, self._flow, name=name)
        return self._with_flow(flow)

    def size(self, name: str | None = None) -> Tensor:
        """How many elements the array has."""
        if not self._flow_state.dynamic and self._flow_state.size is not None:
            return convert_to_tensor(self._flow_state.size, dtype=dtypes.int32)
        return one("TensorArraySizeV3", self.handle, self._flow, name=name)

    def grad(self, source: str, flow: Any = None, name: str | None = None) -> TensorArray:
        """The array of the gradients of the elements."""
        handle, grad_flow = many(
            "TensorArrayGradV3", self.handle, self._flow if flow is None else flow, name=name, source=source
        )
        return TensorArray(self.dtype, handle=handle, flow=grad_flow, infer_shape=self._flow_state.infer,
                           element_shape=self.element_shape)

    def identity(self) -> TensorArray:
        """The same array, after what the scope waits for."""
        return self._with_flow(one("Identity", self._flow))

    def close(self, name: str | None = None) -> Operation:
        """An operation that frees the array."""
        return apply_op("TensorArrayCloseV3", self.handle, name=name)


def _is_all(indices: Any) -> bool:
    """Whether places are a whole range, as `stack` asks for."""
    return isinstance(indices, Tensor) and indices.op.type == "Range"
