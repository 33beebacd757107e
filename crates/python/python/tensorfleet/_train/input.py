"""Input by queues: producers of file names and numbers, and batches."""

from __future__ import annotations

import functools
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, control_dependencies, name_scope
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._framework.variables import GraphKeys, Variable
from tensorfleet._ops.queue_ops import FIFOQueue, PaddingFIFOQueue, QueueBase, RandomShuffleQueue, refuse_sparse
from tensorfleet._train.queue_runner import QueueRunner, add_queue_runner


def match_filenames_once(pattern: Any, name: str | None = None) -> Variable:
    """A local variable with the names of the files that fit a pattern, as they are when it is initialised."""
    with name_scope(name, "matching_filenames", [pattern]) as scope:
        return Variable(
            one("MatchingFiles", pattern), name=scope, trainable=False, validate_shape=False,
            collections=[GraphKeys.LOCAL_VARIABLES])


def limit_epochs(tensor: Any, num_epochs: int | None = None, name: str | None = None) -> Tensor:
    """The tensor so many times; then OutOfRangeError. Its count is a local variable."""
    if num_epochs is None:
        return tensor
    if num_epochs <= 0:
        raise ValueError(f"num_epochs is {num_epochs}, but at least one is needed")
    with name_scope(name, "limit_epochs", [tensor]) as scope:
        zero = convert_to_tensor(0, dtype=dtypes.int64)
        epochs = Variable(zero, name="epochs", trainable=False, collections=[GraphKeys.LOCAL_VARIABLES])
        counter = epochs.count_up_to(num_epochs)
        with control_dependencies([counter]):
            return one("Identity", tensor, name=scope)


def input_producer(
    input_tensor: Any, element_shape: Any = None, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None,
    capacity: int = 32, shared_name: str | None = None, summary_name: str | None = None, name: str | None = None,
    cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of the rows of a tensor, filled by a queue runner."""
    import tensorfleet.v1 as tf

    with name_scope(name, "input_producer", [input_tensor]):
        tensor = convert_to_tensor(input_tensor, name="input_tensor")
        shape = tensor.shape.with_rank_at_least(1)[1:].merge_with(element_shape)
        if not shape.is_fully_defined():
            raise ValueError("the shape of `input_tensor` is not wholly known: give `element_shape`")
        if shuffle:
            tensor = tf.random_shuffle(tensor, seed=seed)
        tensor = limit_epochs(tensor, num_epochs)
        queue = FIFOQueue(
            capacity=capacity, dtypes=[tensor.dtype.base_dtype], shapes=[shape], shared_name=shared_name,
            name=name or "fifo_queue")
        enqueue = queue.enqueue_many([tensor])
        add_queue_runner(QueueRunner(queue, [enqueue], cancel_op=cancel_op))
        if summary_name is not None:
            _fraction(summary_name, tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
        return queue


def _fraction(name: str, value: Tensor) -> None:
    from tensorfleet.v1 import summary

    summary.scalar(name, value)


def string_input_producer(
    string_tensor: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None, cancel_op: Any = None,
) -> FIFOQueue:
    """A queue of strings, such as the names of files."""
    import tensorfleet.v1 as tf

    # The graph holds this text, so it is TensorFlow's.
    empty = "string_input_producer requires a non-null input tensor"
    if not isinstance(string_tensor, (Tensor, Variable)) and not len(string_tensor):
        raise ValueError(empty)
    with name_scope(name, "input_producer", [string_tensor]) as scope:
        tensor = convert_to_tensor(string_tensor, dtype=dtypes.string)
        with control_dependencies([tf.Assert(tf.greater(tf.size(tensor), 0), [empty])]):
            tensor = tf.identity(tensor)
        return input_producer(
            tensor, [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope, cancel_op)


def range_input_producer(
    limit: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None,
) -> FIFOQueue:
    """A queue of the numbers from 0 up to a limit."""
    import tensorfleet.v1 as tf

    with name_scope(name, "input_producer", [limit]) as scope:
        return input_producer(
            tf.range(limit), [], num_epochs, shuffle, seed, capacity, shared_name, f"fraction_of_{capacity}_full", scope)


def slice_input_producer(
    tensor_list: Any, num_epochs: int | None = None, shuffle: bool = True, seed: int | None = None, capacity: int = 32,
    shared_name: str | None = None, name: str | None = None,
) -> list[Tensor]:
    """A row of each of several tensors: the same one of all of them."""
    import tensorfleet.v1 as tf

    with name_scope(name, "input_producer", list(tensor_list)):
        tensors = [convert_to_tensor(tensor) for tensor in tensor_list]
        if not tensors:
            raise ValueError("slice_input_producer was given no tensors")
        size = tf.shape(tensors[0])[0]
        queue = range_input_producer(size, num_epochs, shuffle, seed, capacity, shared_name)
        index = queue.dequeue()
        return [tf.gather(tensor, index) for tensor in tensors]


# Batches


def _as_list(tensors: Any) -> list[Any]:
    return [tensors[key] for key in sorted(tensors)] if isinstance(tensors, dict) else list(tensors)


def _as_given(original: Any, made: list[Any]) -> Any:
    """Tensors put together as they were given."""
    if isinstance(original, dict):
        return dict(zip(sorted(original), made))
    return tuple(made) if isinstance(original, tuple) and len(made) > 1 else made if len(made) > 1 else made[0]


def _shapes_of(lists: list[list[Tensor]], shapes: Any, enqueue_many: bool) -> list[TensorShape]:
    if shapes is not None:
        return [as_shape(shape) for shape in shapes]
    made = []
    for parts in zip(*lists):
        every = [part.shape.with_rank_at_least(1)[1:] if enqueue_many else part.shape for part in parts]
        shape = every[0]
        for other in every[1:]:
            if shape.ndims is None or other.ndims is None:
                shape = TensorShape(None)
            elif shape.ndims != other.ndims:
                raise ValueError(f"Cannot merge shapes {shape} and {other} of tensors that go into one queue")
            else:
                shape = TensorShape([a.value if a.value == b.value else None for a, b in zip(shape.dims, other.dims)])
        made.append(shape)
    return made


def _keep(keep_input: Any, enqueue_many: bool) -> Tensor:
    keep = convert_to_tensor(keep_input)
    if keep.shape.ndims is None:
        raise ValueError("the rank of `keep_input` is unknown")
    if not enqueue_many and keep.shape.ndims == 1:
        raise ValueError("`keep_input` is a list, which goes with enqueue_many=True alone")
    if keep.shape.ndims > 1:
        raise ValueError("`keep_input` is one bool or a list of them")
    return keep


def _enqueue_ops(queue: QueueBase, lists: list[list[Tensor]], enqueue_many: bool, keep: Tensor, times: int) -> list[Any]:
    import tensorfleet.v1 as tf
    from tensorfleet._framework.convert import constant_value

    put = queue.enqueue_many if enqueue_many else queue.enqueue
    made: list[Any] = []
    for tensors in lists:
        if keep.shape.ndims == 1:
            which = tf.where(keep)[:, 0]
            made += [put([tf.gather(tensor, which) for tensor in tensors])] * times
        else:
            known = constant_value(keep)
            if known is None:
                made += [tf.cond(keep, functools.partial(put, tensors), tf.no_op)] * times
            else:
                made += [put(tensors) if bool(known) else tf.no_op()] * times
    return made


def _batched(
    what: str, original: Any, lists: list[list[Any]], batch_size: Any, keep_input: Any, num_threads: int, capacity: int,
    enqueue_many: bool, shapes: Any, smaller: bool, shared_name: str | None, name: str | None, dynamic_pad: bool = False,
    min_after_dequeue: int | None = None, seed: int | None = None,
) -> Any:
    import tensorfleet.v1 as tf

    for tensors in lists:
        refuse_sparse(tensors)
    with name_scope(name, what, [tensor for tensors in lists for tensor in tensors]) as scope:
        lists = [[convert_to_tensor(tensor) for tensor in tensors] for tensors in lists]
        if not lists or not lists[0]:
            raise ValueError(f"{what} was given no tensors")
        keep = _keep(keep_input, enqueue_many)
        types = [tensor.dtype.base_dtype for tensor in lists[0]]
        for tensors in lists[1:]:
            if [tensor.dtype.base_dtype for tensor in tensors] != types:
                raise TypeError(
                    f"the lists of tensors differ in their types: {[t.name for t in types]} and "
                    f"{[tensor.dtype.name for tensor in tensors]}"
                )
        known = _shapes_of(lists, shapes, enqueue_many)
        queue: QueueBase
        if min_after_dequeue is not None:
            queue = RandomShuffleQueue(
                capacity=capacity, min_after_dequeue=min_after_dequeue, seed=seed, dtypes=types, shapes=known,
                shared_name=shared_name)
        elif dynamic_pad:
            queue = PaddingFIFOQueue(capacity=capacity, dtypes=types, shapes=known, shared_name=shared_name)
        else:
            queue = FIFOQueue(capacity=capacity, dtypes=types, shapes=known, shared_name=shared_name)
        add_queue_runner(QueueRunner(queue, _enqueue_ops(queue, lists, enqueue_many, keep, num_threads)))
        if min_after_dequeue is None:
            _fraction(f"fraction_of_{capacity}_full", tf.cast(queue.size(), tf.float32) * (1.0 / capacity))
        else:
            over = tf.cast(tf.maximum(0, queue.size() - min_after_dequeue), tf.float32)
            rest = capacity - min_after_dequeue
            _fraction(f"fraction_over_{min_after_dequeue}_of_{rest}_full", over * (1.0 / rest))
        take = queue.dequeue_up_to if smaller else queue.dequeue_many
        taken = take(batch_size, name=scope)
        return _as_given(original, taken if isinstance(taken, list) else [taken])


def batch(
    tensors: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:
    """Batches of tensors, put together by threads of a queue runner."""
    return _batched("batch", tensors, [_as_list(tensors)], batch_size, True, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, dynamic_pad)


def maybe_batch(
    tensors: Any, keep_input: Any, batch_size: Any, num_threads: int = 1, capacity: int = 32, enqueue_many: bool = False,
    shapes: Any = None, dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As :func:`batch`, of what is to be kept."""
    return _batched("batch", tensors, [_as_list(tensors)], batch_size, keep_input, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, dynamic_pad)


def batch_join(
    tensors_list: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:
    """Batches of several lists of tensors, each put in by a thread of its own."""
    lists = [_as_list(tensors) for tensors in tensors_list]
    return _batched("batch_join", tensors_list[0], lists, batch_size, True, 1, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, dynamic_pad)


def maybe_batch_join(
    tensors_list: Any, keep_input: Any, batch_size: Any, capacity: int = 32, enqueue_many: bool = False, shapes: Any = None,
    dynamic_pad: bool = False, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:
    """As :func:`batch_join`, of what is to be kept."""
    lists = [_as_list(tensors) for tensors in tensors_list]
    return _batched("batch_join", tensors_list[0], lists, batch_size, keep_input, 1, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, dynamic_pad)


def shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, num_threads: int = 1, seed: int | None = None,
    enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """Batches of tensors in no particular order."""
    return _batched("shuffle_batch", tensors, [_as_list(tensors)], batch_size, True, num_threads, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, False, min_after_dequeue, seed)


def maybe_shuffle_batch(
    tensors: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any, num_threads: int = 1,
    seed: int | None = None, enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False,
    shared_name: str | None = None, name: str | None = None,
) -> Any:
    """As :func:`shuffle_batch`, of what is to be kept."""
    return _batched("shuffle_batch", tensors, [_as_list(tensors)], batch_size, keep_input, num_threads, capacity, enqueue_many,
                    shapes, allow_smaller_final_batch, shared_name, name, False, min_after_dequeue, seed)


def shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int, seed: int | None = None, enqueue_many: bool = False,
    shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None, name: str | None = None,
) -> Any:
    """Batches of several lists of tensors in no particular order, each put in by a thread of its own."""
    lists = [_as_list(tensors) for tensors in tensors_list]
    return _batched("shuffle_batch_join", tensors_list[0], lists, batch_size, True, 1, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, False, min_after_dequeue, seed)


def maybe_shuffle_batch_join(
    tensors_list: Any, batch_size: Any, capacity: int, min_after_dequeue: int, keep_input: Any, seed: int | None = None,
    enqueue_many: bool = False, shapes: Any = None, allow_smaller_final_batch: bool = False, shared_name: str | None = None,
    name: str | None = None,
) -> Any:
    """As :func:`shuffle_batch_join`, of what is to be kept."""
    lists = [_as_list(tensors) for tensors in tensors_list]
    return _batched("shuffle_batch_join", tensors_list[0], lists, batch_size, keep_input, 1, capacity, enqueue_many, shapes,
                    allow_smaller_final_batch, shared_name, name, False, min_after_dequeue, seed)
