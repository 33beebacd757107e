"""Functions in Python as operations of a graph."""

from __future__ import annotations

import itertools
import weakref
from typing import Any, Callable

import numpy as np

from tensorfleet import _core
from tensorfleet._framework import dtypes, values
from tensorfleet._framework.apply import apply_op
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import get_default_graph

__all__ = ["py_func", "numpy_function"]

_tokens = itertools.count()


def _packed(result: Any, wanted: list[dtypes.DType]) -> list[Any]:
    """What a function returned, for the core: arrays of the types it said, where numpy's differ only by habit."""
    results = list(result) if isinstance(result, (list, tuple)) else [] if result is None and not wanted else [result]
    packed = []
    for i, value in enumerate(results):
        array, number = values.to_array(value if isinstance(value, (np.ndarray, np.generic)) else np.array(value), None)
        # Python's own numbers have no width, so they take the one that was asked for.
        if i < len(wanted) and not isinstance(value, (np.ndarray, np.generic)):
            array, number = values.to_array(array, wanted[i])
        packed.append(values.pack_array(array, number))
    return packed


def py_func(func: Callable[..., Any], inp: Any, Tout: Any, stateful: bool = True, name: str | None = None) -> Any:
    """A function of numpy arrays as an operation, for sessions and servers of this process.

    >>> import numpy as np
    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     sess.run(tf.py_func(np.sinh, [tf.constant(0.0)], tf.float32))
    np.float32(0.0)

    An exception in the function fails the step: ValueError and TypeError with `InvalidArgumentError`, others mostly with
    `UnknownError`. There is no gradient.
    """
    single = not isinstance(Tout, (list, tuple))
    wanted = [dtypes.as_dtype(dtype) for dtype in ([Tout] if single else Tout)]
    token = f"pyfunc_{next(_tokens)}"

    def call(inputs: list[Any]) -> list[Any]:
        return _packed(func(*[values.unpack(value) for value in inputs]), wanted)

    graph = get_default_graph()
    _core.register_function(token, call)
    # A function lives as long as the graph that calls it; the body of a dataset's function is gone before.
    while graph.building_function:
        graph = graph.outer_graph  # type: ignore[attr-defined]
    weakref.finalize(graph, _core.forget_function, token)
    operation = apply_op(
        "PyFunc" if stateful else "PyFuncStateless", [convert_to_tensor(value) for value in inp], name=name, token=token,
        Tout=wanted,
    )
    if not wanted:
        return operation
    return operation.outputs[0] if single else operation.outputs


def numpy_function(func: Callable[..., Any], inp: Any, Tout: Any, name: str | None = None) -> Any:
    """As `py_func`."""
    return py_func(func, inp, Tout, name=name)
