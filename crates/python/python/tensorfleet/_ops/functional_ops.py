"""Functions applied along the first dimension of tensors: `map_fn`, `foldl`, `foldr`, `scan`."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.shape_ops import shape
from tensorfleet._ops.tensor_array import TensorArray
from tensorfleet._ops.while_ops import while_loop

__all__ = ["map_fn", "foldl", "foldr", "scan"]


def _static_length(tensor: Tensor) -> int | None:
    if tensor.shape.ndims == 0:
        raise ValueError(f"elements must be tensors with at least one dimension, not the scalar {tensor.name}")
    return tensor.shape[0].value if tensor.shape.ndims is not None else None


def _length(tensor: Tensor) -> Any:
    """How many slices a tensor has: a number if it is known."""
    known = _static_length(tensor)
    return shape(tensor)[0] if known is None else known  # type: ignore[index]


def _arrays(tensors: list[Tensor], count: Any, shaped: bool = False) -> list[TensorArray]:
    """The slices of tensors as arrays."""
    made = [
        TensorArray(
            tensor.dtype.base_dtype, size=count, dynamic_size=False, infer_shape=True,
            element_shape=tensor.shape[1:] if shaped else None,
        )
        for tensor in tensors
    ]
    return [array.unstack(tensor) for array, tensor in zip(made, tensors)]


def map_fn(
    fn: Callable[[Any], Any], elems: Any, dtype: Any = None, parallel_iterations: int | None = None, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, name: str | None = None, fn_output_signature: Any = None,
) -> Any:
    """What a function gives for each slice of tensors along their first dimension, put together.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     sess.run(tf.map_fn(lambda x: x * x, tf.constant([1, 2, 3]))).tolist()
    [1, 4, 9]
    """
    if not callable(fn):
        raise TypeError(f"fn must be callable, not {fn!r}")
    dtype = fn_output_signature if dtype is None else dtype
    flat = nest.flatten(elems)
    with op_scope(name, "map", flat):
        tensors = [convert_to_tensor(elem, name="elem") for elem in flat]
        kinds = [t.dtype.base_dtype for t in tensors] if dtype is None else [dtypes.as_dtype(d) for d in nest.flatten(dtype)]
        structure = elems if dtype is None else dtype
        count = _length(tensors[0])
        sources = _arrays(tensors, count)
        start = constant(0)
        results = [TensorArray(kind, size=count, dynamic_size=False, infer_shape=infer_shape) for kind in kinds]

        def body(i: Any, arrays: Any) -> Any:
            args = nest.pack_sequence_as(elems, [source.read(i) for source in sources])
            values = fn(args)
            nest.assert_same_structure(structure, values, check_types=False)
            leaves = nest.flatten(values)
            return i + 1, [array.write(i, value) for array, value in zip(arrays, leaves)]

        _, arrays = while_loop(
            lambda i, _: i < count, body, (start, results), parallel_iterations=parallel_iterations or 10, back_prop=back_prop,
            swap_memory=swap_memory, maximum_iterations=count,
        )
        return nest.pack_sequence_as(structure, _stacked(arrays, tensors))


def _stacked(arrays: list[TensorArray], tensors: list[Tensor]) -> list[Tensor]:
    """The elements of arrays as tensors, whose first dimension is that of others."""
    length = next((known for known in map(_static_length, tensors) if known is not None), None)
    made = [array.stack() for array in arrays]
    for tensor in made:
        tensor.set_shape(TensorShape([length]).concatenate(tensor.shape[1:]) if tensor.shape.ndims else TensorShape(None))
    return made


def foldl(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, name: str | None = None,
) -> Any:
    """A value that a function makes of itself and each slice of tensors in turn, from the first to the last.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     int(sess.run(tf.foldl(lambda a, x: a * 10 + x, tf.constant([1, 2, 3]))))
    123
    """
    return _fold(fn, elems, initializer, parallel_iterations, name, "foldl", backwards=False)


def foldr(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, name: str | None = None,
) -> Any:
    """A value that a function makes of itself and each slice of tensors in turn, from the last to the first."""
    return _fold(fn, elems, initializer, parallel_iterations, name, "foldr", backwards=True)


def _fold(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any, parallel: int, name: str | None, default: str, backwards: bool
) -> Any:
    if not callable(fn):
        raise TypeError(f"fn must be callable, not {fn!r}")
    with op_scope(name, default, nest.flatten(elems)):
        tensors = [convert_to_tensor(elem, name="elem") for elem in nest.flatten(elems)]
        count: Any = _length(tensors[0])
        sources = _arrays(tensors, count)

        def slices(i: Any) -> Any:
            return nest.pack_sequence_as(elems, [source.read(i) for source in sources])

        if backwards:
            first: Any = count if initializer is not None else count - 1
            value = initializer if initializer is not None else slices(count - 1)

            def back(i: Any, a: Any) -> Any:
                i = i - 1
                return i, fn(a, slices(i))

            _, result = while_loop(
                lambda i, a: i > 0, back, [first, value], parallel_iterations=parallel, maximum_iterations=count
            )
        else:
            first = constant(0 if initializer is not None else 1)
            value = initializer if initializer is not None else slices(0)

            def on(i: Any, a: Any) -> Any:
                a = fn(a, slices(i))
                return i + 1, a

            _, result = while_loop(
                lambda i, a: i < count, on, [first, value], parallel_iterations=parallel, maximum_iterations=count
            )
        return result


def scan(
    fn: Callable[[Any, Any], Any], elems: Any, initializer: Any = None, parallel_iterations: int = 10, back_prop: bool = True,
    swap_memory: bool = False, infer_shape: bool = True, reverse: bool = False, name: str | None = None,
) -> Any:
    """As :func:`foldl`, but all values on the way, put together.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     sess.run(tf.scan(lambda a, x: a + x, tf.constant([1, 2, 3]))).tolist()
    [1, 3, 6]
    """
    if not callable(fn):
        raise TypeError(f"fn must be callable, not {fn!r}")
    with op_scope(name, "scan", nest.flatten(elems)):
        tensors = [convert_to_tensor(elem, name="elem") for elem in nest.flatten(elems)]
        count: Any = _length(tensors[0])
        sources = _arrays(tensors, count, shaped=True)

        def slices(i: Any) -> Any:
            return nest.pack_sequence_as(elems, [source.read(i) for source in sources])

        if initializer is None:
            structure: Any = elems
            values = [source.read(count - 1 if reverse else 0) for source in sources]
            i = 1
        else:
            structure = initializer
            values = [convert_to_tensor(value) for value in nest.flatten(initializer)]
            i = 0
        arrays = [
            TensorArray(
                value.dtype.base_dtype, size=count, dynamic_size=False, infer_shape=infer_shape,
                element_shape=value.shape if infer_shape else None,
            )
            for value in values
        ]
        if initializer is None:
            arrays = [array.write(count - 1 if reverse else 0, value) for array, value in zip(arrays, values)]
        start = count - 1 - i if reverse else i

        def step(i: Any, a: Any, arrays: Any) -> Any:
            result = fn(nest.pack_sequence_as(structure, a), slices(i))
            nest.assert_same_structure(structure, result, check_types=False)
            leaves = [convert_to_tensor(value) for value in nest.flatten(result)]
            written = [array.write(i, value) for array, value in zip(arrays, leaves)]
            return (i - 1 if reverse else i + 1), leaves, written

        def goes_on(i: Any, *_: Any) -> Any:
            return i >= 0 if reverse else i < count

        _, _, arrays = while_loop(
            goes_on, step, (start, values, arrays), parallel_iterations=parallel_iterations, maximum_iterations=count
        )
        return nest.pack_sequence_as(structure, _stacked(arrays, tensors))
