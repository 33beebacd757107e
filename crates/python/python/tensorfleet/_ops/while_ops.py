"""Loops: `while_loop`."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import dtypes, errors, nest
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Graph, Tensor, graph_of, user_location
from tensorfleet._framework.tensor_shape import TensorShape, as_shape
from tensorfleet._ops.cond_ops import _inside, _leaves, _opened, _packed
from tensorfleet._ops.op_scope import op_scope

__all__ = ["while_loop"]


def while_loop(
    cond: Callable[..., Any], body: Callable[..., Any], loop_vars: Any, shape_invariants: Any = None,
    parallel_iterations: int = 10, back_prop: bool = True, swap_memory: bool = False, name: str | None = None,
    maximum_iterations: Any = None, return_same_structure: bool = False,
) -> Any:
    """Runs what `body` builds on the loop variables, again and again, as long as `cond` holds for them; what they are then.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     i, s = tf.while_loop(lambda i, s: i < 5, lambda i, s: (i + 1, s + i), (0, 0))
    ...     sess.run([i, s])
    [np.int32(5), np.int32(10)]
    """
    for function, word in ((cond, "cond"), (body, "body")):
        if not callable(function):
            raise TypeError(f"'{word}' must be callable, not {function!r}")
    if not loop_vars:
        raise ValueError("while_loop needs loop_vars: there are none")
    if parallel_iterations is None or int(parallel_iterations) < 1:
        raise TypeError(f"'parallel_iterations' is {parallel_iterations!r}, but it counts iterations: 1 or more")
    single = not isinstance(loop_vars, (list, tuple, dict))
    given = [loop_vars] if single else loop_vars
    graph = graph_of(_leaves(given))
    invariants = None if shape_invariants is None else _flat_shapes(
        given, [shape_invariants] if single and not isinstance(shape_invariants, list) else shape_invariants
    )
    with op_scope(name, "while", _leaves(given)) as scope, _inside(graph):
        loop = _Loop(graph, cond, body, given, maximum_iterations)
        if invariants is not None and maximum_iterations is not None:
            invariants = [TensorShape([])] + invariants
        shapes = None if invariants is None else [None if s.ndims is None else s.as_list() for s in invariants]
        try:
            exits = graph._core.while_loop(
                loop.goes_on, loop.next, [var._place for var in loop.vars], scope, int(parallel_iterations), shapes
            )
        except errors.InvalidArgumentError as error:
            raise ValueError(f"{error.message} (built at {user_location()})") from None
    results = [graph._tensor(place) for place in exits]
    packed = loop.packed(results)
    if return_same_structure and not single:
        return packed
    return packed[0] if isinstance(packed, (list, tuple)) and len(packed) == 1 and not hasattr(packed, "_fields") else packed


class _Loop:
    """A loop that is built: its variables as tensors, and the functions as the core calls them."""

    def __init__(self, graph: Graph, cond: Callable[..., Any], body: Callable[..., Any], given: Any, most: Any) -> None:
        self._graph, self._cond, self._body, self._given = graph, cond, body, given
        self._most: Tensor | None = None
        self.vars: list[Tensor] = []
        if most is not None:
            self._most = convert_to_tensor(most, name="maximum_iterations")
            if self._most.shape.ndims not in (None, 0):
                raise ValueError(f"maximum_iterations must be a scalar, not of shape {self._most.shape}")
            self.vars.append(convert_to_tensor(0, dtype=self._most.dtype.base_dtype, name="iteration_counter"))
        self.vars += [convert_to_tensor(leaf) for leaf in _leaves(given)]
        for var in self.vars:
            if var.graph is not graph:
                raise ValueError(f"The loop variable {var.name} is of another graph than the others")

    def _state(self, places: list[tuple[int, int]]) -> tuple[Tensor | None, Any]:
        tensors = [self._graph._tensor(place) for place in places]
        counter = tensors.pop(0) if self._most is not None else None
        return counter, _packed(self._given, iter(tensors))

    def _call(self, function: Callable[..., Any], state: Any) -> Any:
        return function(**state) if isinstance(state, dict) else function(*state)

    def goes_on(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Builds the condition."""
        from tensorfleet._ops import math_ops

        counter, state = self._state(places)
        if counter is None:
            pred = self._call(self._cond, state)
        else:
            below = math_ops.less(counter, self._most)
            pred = math_ops.logical_and(below, self._call(self._cond, state))
        pred = convert_to_tensor(pred)
        if pred.dtype.base_dtype != dtypes.bool or pred.shape.ndims not in (None, 0):
            raise TypeError(f"while_loop: cond gives one bool, not {pred.dtype.name} of shape {pred.shape} ({pred.name})")
        return [pred._place]

    def next(self, places: list[tuple[int, int]]) -> list[tuple[int, int]]:
        """Builds the body."""
        counter, state = self._state(places)
        following = [] if counter is None else [counter + 1]  # type: ignore[operator]
        result = self._call(self._body, state)
        if not isinstance(result, (list, tuple, dict)):
            result = [result]
        if isinstance(result, (list, tuple)) and isinstance(self._given, (list, tuple)) and len(result) == len(self._given):
            result = type(self._given)(result) if not hasattr(self._given, "_fields") else type(self._given)(*result)
        try:
            nest.assert_same_structure(_opened(self._given), _opened(result), check_types=False)
        except (TypeError, ValueError):
            raise ValueError(
                f"while_loop: the body must return what the loop variables are: {self._given!r}, not {result!r}"
            ) from None
        self._result = result
        wanted = self.vars[len(following) :]
        for leaf, var in zip(_leaves(result), wanted):
            tensor = convert_to_tensor(leaf, dtype=None if isinstance(leaf, Tensor) else var.dtype.base_dtype)
            if tensor.dtype.base_dtype != var.dtype.base_dtype:
                raise TypeError(f"while_loop: a loop variable is {var.dtype.base_dtype.name} ({var.name}) when it enters, and "
                                f"{tensor.dtype.base_dtype.name} after one iteration ({tensor.name})")
            following.append(tensor)
        return [tensor._place for tensor in following]

    def packed(self, exits: list[Tensor]) -> Any:
        """The results in the structure of the variables."""
        rest = exits[1:] if self._most is not None else exits
        return _packed(self._result, iter(rest))


def _flat_shapes(given: Any, shapes: Any) -> list[TensorShape]:
    """A shape for each leaf of the loop variables."""
    if hasattr(given, "_flow_state"):
        return [TensorShape(None)]
    if isinstance(given, SparseTensor):
        rank = as_shape(shapes).ndims
        return [TensorShape([None, rank]), TensorShape([None]), TensorShape([rank])]
    if isinstance(given, IndexedSlices):
        known = as_shape(shapes)
        found = [known, TensorShape([known[0]] if known.ndims else None)]
        return found if given.dense_shape is None else found + [TensorShape([known.ndims])]
    if isinstance(given, dict):
        return [shape for key in sorted(given) for shape in _flat_shapes(given[key], shapes[key])]
    if isinstance(given, (list, tuple)):
        if not isinstance(shapes, (list, tuple)) or len(shapes) != len(given):
            raise ValueError(f"shape_invariants must have the structure of loop_vars: {shapes!r} for {given!r}")
        return [shape for item, part in zip(given, shapes) for shape in _flat_shapes(item, part)]
    return [as_shape(shapes)]
