"""Queues, barriers and accumulators."""

from __future__ import annotations

import hashlib
from typing import Any

from tensorfleet._framework import dtypes as types
from tensorfleet._framework.apply import apply_op, many, one
from tensorfleet._framework.collections import get_seed
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph, name_scope
from tensorfleet._framework.tensor_shape import TensorShape, as_shape

__all__ = [
    "ConditionalAccumulator", "ConditionalAccumulatorBase", "FIFOQueue", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
    "RandomShuffleQueue", "SparseConditionalAccumulator",
]


def _type_list(dtypes: Any) -> list[types.DType]:
    return [types.as_dtype(dtype) for dtype in (dtypes if isinstance(dtypes, (list, tuple)) else [dtypes])]


def _shape_list(shapes: Any, dtypes: list[types.DType], unknown_dim_allowed: bool, unknown_rank_allowed: bool) -> Any:
    """The shapes of a queue's components, one for each; None if they are unknown."""
    if shapes is None:
        return None
    if isinstance(shapes, TensorShape) or not isinstance(shapes, (list, tuple)):
        shapes = [shapes]
    elif len(dtypes) == 1 and (not shapes or all(isinstance(dim, int) or dim is None for dim in shapes)):
        # The shape of the only component.
        shapes = [shapes]
    made = [as_shape(shape) for shape in shapes]
    if len(made) != len(dtypes):
        raise ValueError(f"a queue needs a shape for each type: there are {len(made)} shapes for {len(dtypes)} types")
    if not unknown_dim_allowed and any(not shape.is_fully_defined() for shape in made):
        raise ValueError(f"some shapes have unknown dimensions: {made}")
    if not unknown_rank_allowed and any(shape.ndims is None for shape in made):
        raise ValueError(f"some shapes have an unknown rank: {made}")
    return made


def _name_list(names: Any, dtypes: list[types.DType]) -> list[str] | None:
    if names is None:
        return None
    names = [names] if isinstance(names, str) else list(names)
    if len(names) != len(dtypes):
        raise ValueError(f"a queue needs a name for each type: {names} for {len(dtypes)} types")
    return names


class QueueBase:
    """A queue of tuples of tensors, which steps put elements into and take elements from.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     queue = tf.FIFOQueue(3, tf.int32, shapes=[[]])
    ...     sess.run(queue.enqueue_many([[1, 2]]))
    ...     sess.run(queue.dequeue()), sess.run(queue.size())
    (np.int32(1), np.int32(1))
    """

    def __init__(self, dtypes: Any, shapes: Any, names: Any, queue_ref: Tensor) -> None:
        self._dtypes, self._names, self._queue_ref = list(dtypes), names, queue_ref
        self._shapes = shapes if shapes is not None else [TensorShape(None)] * len(self._dtypes)
        self._name = queue_ref.op.name.split("/")[-1]

    @classmethod
    def _of_node(cls, op: Operation) -> QueueBase:
        """The queue of a node that the graph has."""
        self = cls.__new__(cls)
        shapes = [TensorShape(shape) for shape in op.get_attr("shapes")] or None
        QueueBase.__init__(self, op.get_attr("component_types"), shapes, None, op.outputs[0])
        return self

    @staticmethod
    def from_list(index: Any, queues: Any) -> QueueBase:
        """The queue with a number, which may be a tensor, of several of one kind."""
        if not queues or not isinstance(queues, list) or not all(isinstance(queue, QueueBase) for queue in queues):
            raise TypeError("from_list takes a list of queues")
        first = queues[0]
        if not all(first.dtypes == queue.dtypes for queue in queues[1:]):
            raise TypeError("the queues hold different types")
        if not all(first.names == queue.names for queue in queues[1:]):
            raise TypeError("the queues give their parts different names")
        ref = one("Gather" if first.queue_ref.dtype.base_dtype is not types.resource else "GatherV2",
                  one("Pack", [queue.queue_ref for queue in queues]), index, *([0] if first.queue_ref.dtype.base_dtype
                                                                            is types.resource else []))
        return QueueBase(first.dtypes, first.shapes, first.names, ref)

    @property
    def queue_ref(self) -> Tensor:
        """The handle of the queue."""
        return self._queue_ref

    @property
    def name(self) -> str:
        """The name of the queue's operation."""
        return self._queue_ref.op.name

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

    def _values(self, vals: Any) -> list[Any]:
        """One value for each component."""
        if isinstance(vals, dict):
            if not self._names:
                raise ValueError("a dict is for a queue whose parts have names")
            if sorted(self._names) != sorted(vals):
                raise ValueError(f"the dict has the keys {sorted(vals)}, the queue's parts are {sorted(self._names)}")
            return [vals[name] for name in self._names]
        if self._names:
            raise ValueError("the parts of this queue have names: enqueue a dict")
        return list(vals) if isinstance(vals, (list, tuple)) else [vals]

    def _components(self, vals: Any) -> list[Tensor]:
        values = self._values(vals)
        if len(values) != len(self._dtypes):
            raise ValueError(f"This queue has {len(self._dtypes)} components, but {len(values)} values are to be enqueued")
        return [convert_to_tensor(value, dtype=dtype, name=f"component_{i}")
                for i, (value, dtype) in enumerate(zip(values, self._dtypes))]

    def _scope(self, name: str | None, what: str, vals: Any) -> Any:
        values = vals.values() if isinstance(vals, dict) else vals if isinstance(vals, (list, tuple)) else [vals]
        return name_scope(name, f"{self._name}_{what}", list(values))

    def enqueue(self, vals: Any, name: str | None = None) -> Operation:
        """The operation that puts in one element; it waits while the queue is full."""
        with self._scope(name, "enqueue", vals) as scope:
            components = self._components(vals)
            for value, shape in zip(components, self._shapes):
                value.shape.assert_is_compatible_with(shape)
            return apply_op("QueueEnqueueV2", self._queue_ref, components, name=scope)

    def enqueue_many(self, vals: Any, name: str | None = None) -> Operation:
        """The operation that puts in as many elements as the first dimension has."""
        with self._scope(name, "EnqueueMany", vals) as scope:
            components = self._components(vals)
            length = components[0].shape.with_rank_at_least(1)[0]
            for value, shape in zip(components, self._shapes):
                length = length.merge_with(value.shape.with_rank_at_least(1)[0])
                value.shape[1:].assert_is_compatible_with(shape)
            return apply_op("QueueEnqueueManyV2", self._queue_ref, components, name=scope)

    def _returned(self, tensors: list[Tensor]) -> Any:
        if self._names:
            return dict(zip(self._names, tensors))
        return tensors[0] if len(tensors) == 1 else tensors

    def dequeue(self, name: str | None = None) -> Any:
        """One element; the step waits while the queue is empty."""
        tensors = many("QueueDequeueV2", self._queue_ref, component_types=self._dtypes, name=name or f"{self._name}_Dequeue")
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(shape)
        return self._returned(tensors)

    def _dequeue_several(self, op: str, n: Any, name: str, first: Any) -> Any:
        tensors = many(op, self._queue_ref, n, component_types=self._dtypes, name=name)
        for tensor, shape in zip(tensors, self._shapes):
            tensor.set_shape(TensorShape([first]).concatenate(shape))
        return self._returned(tensors)

    def dequeue_many(self, n: Any, name: str | None = None) -> Any:
        """So many elements in one; the step waits until there are as many."""
        from tensorfleet._framework.convert import constant_value

        known = n if isinstance(n, int) else constant_value(n)
        return self._dequeue_several(
            "QueueDequeueManyV2", n, name or f"{self._name}_DequeueMany", None if known is None else int(known))

    def dequeue_up_to(self, n: Any, name: str | None = None) -> Any:
        """So many elements in one, or fewer if the queue is closed and has no more."""
        return self._dequeue_several("QueueDequeueUpToV2", n, name or f"{self._name}_DequeueUpTo", None)

    def close(self, cancel_pending_enqueues: bool = False, name: str | None = None) -> Operation:
        """The operation that closes the queue: nothing more is put in, and what is in it can be taken."""
        return apply_op("QueueCloseV2", self._queue_ref, cancel_pending_enqueues=cancel_pending_enqueues,
                        name=name or f"{self._name}_Close")

    def is_closed(self, name: str | None = None) -> Tensor:
        """Whether it is closed."""
        return one("QueueIsClosedV2", self._queue_ref, name=name or f"{self._name}_Is_Closed")

    def size(self, name: str | None = None) -> Tensor:
        """How many elements are in it."""
        return one("QueueSizeV2", self._queue_ref, name=name or f"{self._name}_Size")


def _queue(op: str, name: str, dtypes: list[types.DType], shapes: Any, shared_name: str | None, **attrs: Any) -> Tensor:
    graph = get_default_graph()
    return one(op, component_types=dtypes, shapes=[] if shapes is None else shapes, shared_name=shared_name or "",
               container=graph._container or None, name=name, **attrs)


def _shared(shared_name: str | None) -> str:
    return "" if shared_name is None else shared_name


class RandomShuffleQueue(QueueBase):
    """A queue that gives its elements in no particular order."""

    def __init__(
        self, capacity: int, min_after_dequeue: int, dtypes: Any, shapes: Any = None, names: Any = None, seed: int | None = None,
        shared_name: str | None = None, name: str = "random_shuffle_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes, False, False), _name_list(names, dtypes)
        of_graph, of_op = get_seed(seed)
        if of_graph is not None and seed is None and shared_name is not None:
            # All clients of a shared queue must give the same seed.
            text = (str(get_default_graph().seed) + shared_name).encode()
            of_op = int(hashlib.md5(text).hexdigest()[:8], 16) & 0x7FFFFFFF
        ref = _queue("RandomShuffleQueueV2", name, dtypes, shapes, shared_name, capacity=capacity,
                     min_after_dequeue=min_after_dequeue, seed=of_graph or 0, seed2=of_op or 0)
        super().__init__(dtypes, shapes, names, ref)


class FIFOQueue(QueueBase):
    """A queue that gives its elements as they came, the oldest first."""

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None,
        name: str = "fifo_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes, False, False), _name_list(names, dtypes)
        with get_default_graph().device("/device:CPU:*"):
            ref = _queue("FIFOQueueV2", name, dtypes, shapes, shared_name, capacity=capacity)
        super().__init__(dtypes, shapes, names, ref)


class PaddingFIFOQueue(QueueBase):
    """A queue of elements of different sizes, which are filled up with zeros when several are taken."""

    def __init__(
        self, capacity: int, dtypes: Any, shapes: Any, names: Any = None, shared_name: str | None = None,
        name: str = "padding_fifo_queue",
    ) -> None:
        dtypes = _type_list(dtypes)
        shapes, names = _shape_list(shapes, dtypes, True, False), _name_list(names, dtypes)
        if shapes is None:
            raise ValueError("this queue needs the shapes of its parts")
        super().__init__(
            dtypes, shapes, names, _queue("PaddingFIFOQueueV2", name, dtypes, shapes, shared_name, capacity=capacity))


class PriorityQueue(QueueBase):
    """A queue that gives the element with the smallest number first; the number is the first component."""

    def __init__(
        self, capacity: int, types: Any, shapes: Any = None, names: Any = None, shared_name: str | None = None,
        name: str = "priority_queue",
    ) -> None:
        dtypes = _type_list(types)
        shapes = _shape_list(shapes, dtypes, False, False)
        ref = _queue("PriorityQueueV2", name, dtypes, shapes, shared_name, capacity=capacity)
        number = _type_list("int64")
        every = [TensorShape([])] + (shapes if shapes is not None else [TensorShape(None)] * len(dtypes))
        super().__init__(number + dtypes, every, _name_list(names, number + dtypes), ref)


def _step(step: Any) -> Tensor:
    """The number of a step, in the type that accumulators take."""
    step = convert_to_tensor(step)
    return step if step.dtype.base_dtype is types.int64 else one("Cast", step, DstT=types.int64)


class ConditionalAccumulatorBase:
    """Adds up gradients until there are enough, and drops those that come too late."""

    _prefix = ""

    def __init__(self, dtype: Any, shape: Any, accumulator_ref: Tensor) -> None:
        self._dtype, self._accumulator_ref = types.as_dtype(dtype), accumulator_ref
        self._shape = TensorShape(None) if shape is None else as_shape(shape)
        self._name = accumulator_ref.op.name.split("/")[-1]

    @property
    def accumulator_ref(self) -> Tensor:
        """The handle of the accumulator."""
        return self._accumulator_ref

    @property
    def name(self) -> str:
        """The name of the accumulator's operation."""
        return self._name

    @property
    def dtype(self) -> types.DType:
        """The type of the gradients."""
        return self._dtype

    def num_accumulated(self, name: str | None = None) -> Tensor:
        """How many gradients there are."""
        return one(f"{self._prefix}AccumulatorNumAccumulated", self._accumulator_ref,
                   name=name or f"{self._name}_NumAccumulated")

    def set_global_step(self, new_global_step: Any, name: str | None = None) -> Operation:
        """The operation that says which step it is: gradients of earlier ones are dropped."""
        return apply_op(f"{self._prefix}AccumulatorSetGlobalStep", self._accumulator_ref,
                        _step(new_global_step), name=name)


class ConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up dense gradients."""

    _prefix = "Resource"

    def __init__(
        self, dtype: Any, shape: Any = None, shared_name: str | None = None, name: str = "conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = one("ResourceConditionalAccumulator", dtype=types.as_dtype(dtype), shape=TensorShape(shape),
                  shared_name=_shared(shared_name), reduction_type=reduction_type, name=name)
        super().__init__(dtype, shape, ref)

    def apply_grad(self, grad: Any, local_step: Any = 0, name: str | None = None) -> Operation:
        """The operation that adds a gradient, unless it is of an earlier step."""
        grad = convert_to_tensor(grad, dtype=self._dtype)
        grad.shape.assert_is_compatible_with(self._shape)
        return apply_op("ResourceAccumulatorApplyGradient", self._accumulator_ref,
                        _step(local_step), grad, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> Tensor:
        """The mean of the gradients, when there are so many."""
        taken = one("ResourceAccumulatorTakeGradient", self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        taken.set_shape(self._shape)
        return taken


class SparseConditionalAccumulator(ConditionalAccumulatorBase):
    """Adds up gradients of rows."""

    def __init__(
        self, dtype: Any, shape: Any = None, shared_name: str | None = None, name: str = "sparse_conditional_accumulator",
        reduction_type: str = "MEAN",
    ) -> None:
        ref = one("SparseConditionalAccumulator", dtype=types.as_dtype(dtype), shape=TensorShape(shape),
                  shared_name=_shared(shared_name), reduction_type=reduction_type, name=name)
        super().__init__(dtype, shape, ref)

    def apply_indexed_slices_grad(self, grad: IndexedSlices, local_step: Any = 0, name: str | None = None) -> Operation:
        """The operation that adds a gradient of rows."""
        return self.apply_grad(grad.indices, grad.values, grad.dense_shape, local_step, name)

    def apply_grad(
        self, grad_indices: Any, grad_values: Any, grad_shape: Any = None, local_step: Any = 0, name: str | None = None
    ) -> Operation:
        """The operation that adds a gradient: which rows, and what they are."""
        known = grad_shape is not None
        return apply_op(
            "SparseAccumulatorApplyGradient", self._accumulator_ref, _step(local_step),
            one("Cast", grad_indices, DstT=types.int64), grad_values,
            one("Cast", grad_shape, DstT=types.int64) if known else convert_to_tensor([], dtype=types.int64),
            has_known_shape=known, name=name)

    def take_grad(self, num_required: Any, name: str | None = None) -> tuple[Tensor, Tensor, Tensor]:
        """Indices, values and shape of the mean of the gradients, when there are so many."""
        indices, values, shape = many(
            "SparseAccumulatorTakeGradient", self._accumulator_ref, num_required, dtype=self._dtype, name=name)
        return indices, values, shape

    def take_indexed_slices_grad(self, num_required: Any, name: str | None = None) -> IndexedSlices:
        """The mean of the gradients as rows, when there are so many."""
        indices, values, shape = self.take_grad(num_required, name)
        return IndexedSlices(values, indices, shape)


def refuse_sparse(tensors: Any) -> None:
    """NotImplementedError if there is a sparse tensor."""
    for tensor in tensors:
        if isinstance(tensor, SparseTensor):
            raise NotImplementedError(
                f"queues of sparse tensors are not offered: {tensor}; use tf.data, or parse examples after they are batched")
