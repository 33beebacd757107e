"""Staging areas: values of one step that a later step takes."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes as types
from tensorfleet._framework.apply import apply_op, many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

__all__ = ["StagingArea"]


class StagingArea:
    """Holds tuples of tensors between steps, so that input can be prepared while the step before still runs.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     area = StagingArea([tf.int32], shapes=[[]])
    ...     sess.run(area.put([3]))
    ...     sess.run(area.get())
    [np.int32(3)]
    """

    def __init__(
        self, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None, capacity: int = 0,
        memory_limit: int = 0,
    ) -> None:
        self._dtypes = [types.as_dtype(dtype) for dtype in dtypes]
        self._shapes = [TensorShape(None)] * len(self._dtypes) if shapes is None else [as_shape(shape) for shape in shapes]
        self._names = None if names is None else list(names)
        for what, given in (("shapes", self._shapes), ("names", self._names)):
            if given is not None and len(given) != len(self._dtypes):
                raise ValueError(f"a StagingArea needs as many {what} as types: {len(given)} and {len(self._dtypes)}")
        self._name = shared_name or get_default_graph().unique_name(type(self).__name__)
        self._attrs: dict[str, Any] = {"shared_name": self._name, "capacity": capacity, "memory_limit": memory_limit}

    @property
    def name(self) -> str:
        """The name of the area."""
        return self._name

    @property
    def dtypes(self) -> list[types.DType]:
        """The types of the components."""
        return self._dtypes

    @property
    def shapes(self) -> list[TensorShape]:
        """The shapes of the components."""
        return self._shapes

    @property
    def names(self) -> list[str] | None:
        """The names of the components, or None."""
        return self._names

    def put(self, values: Any, name: str | None = None) -> Operation:
        """The operation that puts values in; it waits while the area is full."""
        with get_default_graph().name_scope(name or f"{self._name}_put") as scope:
            if isinstance(values, dict):
                if not self._names or sorted(values) != sorted(self._names):
                    raise ValueError(f"The names of the area are {self._names}, not {sorted(values)}")
                values = [values[key] for key in self._names]
            values = list(values) if isinstance(values, (list, tuple)) else [values]
            if len(values) != len(self._dtypes):
                raise ValueError(f"{len(values)} values are given for {len(self._dtypes)} types")
            tensors = [convert_to_tensor(value, dtype=dtype) for value, dtype in zip(values, self._dtypes)]
            return apply_op("Stage", tensors, name=scope, **self._attrs)

    def _given(self, tensors: list[Tensor]) -> Any:
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return tensors if self._names is None else dict(zip(self._names, tensors))

    def get(self, name: str | None = None) -> Any:
        """The values that were put in first; the step waits while there are none."""
        return self._given(many("Unstage", dtypes=self._dtypes, name=name or f"{self._name}_get", **self._attrs))

    def peek(self, index: Any, name: str | None = None) -> Any:
        """The values at a place, which stay there."""
        return self._given(many("StagePeek", index, dtypes=self._dtypes, name=name or f"{self._name}_peek", **self._attrs))

    def size(self, name: str | None = None) -> Tensor:
        """How many tuples there are."""
        return one("StageSize", dtypes=self._dtypes, name=name or f"{self._name}_size", **self._attrs)

    def clear(self, name: str | None = None) -> Operation:
        """The operation that empties the area."""
        return apply_op("StageClear", dtypes=self._dtypes, name=name or f"{self._name}_clear", **self._attrs)
