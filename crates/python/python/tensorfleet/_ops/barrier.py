"""Barriers: tuples that are put together from parts which steps bring one by one, under keys."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.convert import constant_value
from tensorfleet._framework.graph import Operation, Tensor
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

__all__ = ["Barrier"]


class Barrier:
    """Elements by key; an element is complete when each of its components was inserted, and can be taken then.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     barrier = Barrier((tf.float32, tf.int32), shapes=((), ()))
    ...     sess.run(barrier.insert_many(0, ["a", "b"], [1.0, 2.0]))
    ...     sess.run(barrier.insert_many(1, ["b"], [20]))
    ...     sess.run((barrier.ready_size(), barrier.incomplete_size()))
    ...     sess.run(barrier.take_many(1))[1:]
    (np.int32(1), np.int32(1))
    (array([b'b'], dtype=object), [array([2.], dtype=float32), array([20], dtype=int32)])
    """

    def __init__(self, types: Any, shapes: Any = None, shared_name: str | None = None, name: str = "barrier") -> None:
        self._types = [dtypes.as_dtype(kind) for kind in (types if isinstance(types, (list, tuple)) else [types])]
        if shapes is None:
            self._shapes = [TensorShape(None)] * len(self._types)
        else:
            self._shapes = [as_shape(shape) for shape in shapes]
            for i, shape in enumerate(self._shapes):
                if not shape.is_fully_defined():
                    raise ValueError(f"the shape of component {i} of a barrier has unknown dimensions: {shape}")
        given = [] if shapes is None else self._shapes
        self._barrier_ref = one(
            "Barrier", component_types=self._types, shapes=given, shared_name=shared_name or "", name=name)
        self._name = self._barrier_ref.op.name.split("/")[-1]

    @property
    def barrier_ref(self) -> Tensor:
        """The handle of the barrier."""
        return self._barrier_ref

    @property
    def name(self) -> str:
        """The name of the barrier's operation."""
        return self._barrier_ref.op.name

    def insert_many(self, component_index: int, keys: Any, values: Any, name: str | None = None) -> Operation:
        """The operation that gives a component of the elements with these keys its values."""
        return apply_op(
            "BarrierInsertMany", self._barrier_ref, keys, values, component_index=component_index,
            name=name or f"{self._name}_BarrierInsertMany")

    def take_many(
        self, num_elements: Any, allow_small_batch: bool = False, timeout: int | None = None, name: str | None = None
    ) -> tuple[Tensor, Tensor, list[Tensor]]:
        """Takes complete elements, waiting until there are so many: the order in which they came, their keys and components.

        With `allow_small_batch` there may be fewer of them once the barrier is closed.
        """
        operation = apply_op(
            "BarrierTakeMany", self._barrier_ref, num_elements, component_types=self._types, allow_small_batch=allow_small_batch,
            timeout_ms=-1 if timeout is None else timeout, name=name or f"{self._name}_BarrierTakeMany")
        indices, keys, *values = operation.outputs
        known = None if allow_small_batch else constant_value(operation.inputs[1])
        batch = None if known is None else int(known)
        indices.set_shape([batch])
        keys.set_shape([batch])
        for value, shape in zip(values, self._shapes):
            value.set_shape(TensorShape([batch]).concatenate(shape))
        return indices, keys, values

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """The operation after which no new keys come; components of elements that have begun still may, unless cancelled."""
        return apply_op(
            "BarrierClose", self._barrier_ref, cancel_pending_enqueues=cancel_pending_enqueues,
            name=name or f"{self._name}_BarrierClose")

    def ready_size(self, name: str | None = None) -> Tensor:
        """How many elements are complete."""
        return one("BarrierReadySize", self._barrier_ref, name=name or f"{self._name}_BarrierReadySize")

    def incomplete_size(self, name: str | None = None) -> Tensor:
        """How many elements still lack a component."""
        return one("BarrierIncompleteSize", self._barrier_ref, name=name or f"{self._name}_BarrierIncompleteSize")
