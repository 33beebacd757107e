"""Conditions: `cond`, `case`, `switch_case`."""

from __future__ import annotations

from typing import Any, Callable

import numpy as np

from tensorfleet._framework import dtypes, errors, nest
from tensorfleet._framework.convert import IndexedSlices, SparseTensor, constant, constant_value, convert_to_tensor
from tensorfleet._framework.graph import Graph, Operation, Tensor, user_location
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = ["cond", "case", "switch_case"]


def cond(
    pred: Any, true_fn: Callable[[], Any] | None = None, false_fn: Callable[[], Any] | None = None, strict: bool = False,
    name: str | None = None, fn1: Callable[[], Any] | None = None, fn2: Callable[[], Any] | None = None,
) -> Any:
    """What one of two functions builds: `true_fn` if `pred` is true, else `false_fn`. Only what the function that is taken
    builds runs; both return the same structure of tensors.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.placeholder(tf.float32, [])
    ...     y = tf.cond(x > 0, lambda: x, lambda: -x)
    ...     sess.run(y, {x: -3.0})
    np.float32(3.0)
    """
    true_fn, false_fn = renamed(true_fn, fn1, "true_fn", "fn1"), renamed(false_fn, fn2, "false_fn", "fn2")
    for function, word in ((true_fn, "true_fn"), (false_fn, "false_fn")):
        if not callable(function):
            raise TypeError(f"cond: {word} is a function, not {function!r}")
    if isinstance(pred, (bool, np.bool_)):
        raise TypeError(f"pred is the Python bool {pred}: a Python `if` decides while the graph is built")
    pred = convert_to_tensor(pred)
    if pred.dtype.base_dtype != dtypes.bool:
        raise TypeError(f"cond: pred is a bool, not {pred.dtype.name} ({pred.name})")
    graph: Graph = pred.graph
    taken = _Branch(graph, true_fn, "true_fn", "switch_t", strict)
    other = _Branch(graph, false_fn, "false_fn", "switch_f", strict)
    other.beside = taken
    with graph.as_default(), _inside(graph):
        try:
            merged = graph._core.cond(pred._place, taken, other, "cond" if name is None else name)
        except errors.InvalidArgumentError as error:
            raise ValueError(f"{error.message} (built at {user_location()})") from None
    return taken.packed([graph._tensor(place) for place in merged])


class _inside:
    """Notes that a part of a conditional or loop is built: variables are read there anew."""

    def __init__(self, graph: Graph) -> None:
        self._graph = graph

    def __enter__(self) -> None:
        self._graph._kept["control_depth"] = self._graph._kept.get("control_depth", 0) + 1

    def __exit__(self, *_: Any) -> None:
        self._graph._kept["control_depth"] -= 1


class _Branch:
    """One side of a conditional, which the core calls to build it."""

    beside: _Branch | None = None

    def __init__(self, graph: Graph, function: Callable[[], Any], word: str, pivot: str, strict: bool) -> None:
        self._graph, self._function, self._word, self._pivot, self._strict = graph, function, word, pivot, strict
        self.structure: Any = None

    def __call__(self, _: Any) -> list[tuple[int, int]]:
        scope = self._graph.get_name_scope()
        result = self._function()
        if result is None:
            raise ValueError(f"cond: {self._word} must have a return value")
        if not self._strict:
            result = _only(result)
        leaves = _leaves(result)
        pivot = self._graph._core.find(f"{scope}/{self._pivot}")
        tensors = [self._tensor(leaf, pivot) for leaf in leaves]
        self.structure = result
        if self.beside is not None:
            self._compare(self.beside, tensors)
        self.tensors = tensors
        return [tensor._place for tensor in tensors]

    def _tensor(self, leaf: Any, pivot: int | None) -> Tensor:
        """The tensor of a leaf; an operation becomes a tensor that waits for it."""
        from tensorfleet._ops.group_ops import with_dependencies

        if isinstance(leaf, Operation) or leaf is None:
            gate = self._graph._operation(pivot or 0)._outputs[0]
            return gate if leaf is None else with_dependencies([leaf], gate)
        tensor = convert_to_tensor(leaf)
        if tensor.graph is not self._graph:
            raise ValueError(f"cond: {self._word} returns {tensor.name}, which is of another graph than the condition")
        return tensor

    def _compare(self, other: _Branch, tensors: list[Tensor]) -> None:
        try:
            nest.assert_same_structure(_opened(other.structure), _opened(self.structure))
        except (TypeError, ValueError):
            raise ValueError(
                f"cond: the same structure must come of both functions, not {other.structure!r} and {self.structure!r}"
            ) from None
        for mine, theirs in zip(tensors, other.tensors):
            if mine.dtype.base_dtype != theirs.dtype.base_dtype:
                raise TypeError(f"cond: true_fn returns {theirs.name} of type {theirs.dtype.base_dtype.name}, false_fn "
                                f"{mine.name} of type {mine.dtype.base_dtype.name}")

    def packed(self, tensors: list[Tensor]) -> Any:
        """Tensors in the structure that the function returned."""
        return _packed(self.structure, iter(tensors))


def _only(result: Any) -> Any:
    """What a list or tuple of one thing holds."""
    return result[0] if isinstance(result, (list, tuple)) and len(result) == 1 and not hasattr(result, "_fields") else result


def _opened(value: Any) -> Any:
    """A structure in which sparse tensors and rows are tuples of their parts."""
    if isinstance(value, IndexedSlices):
        parts = (value.values, value.indices)
        return parts if value.dense_shape is None else parts + (value.dense_shape,)
    if isinstance(value, SparseTensor):
        return (value.indices, value.values, value.dense_shape)
    if hasattr(value, "_flow_state"):
        return (value.flow,)
    if isinstance(value, dict):
        return {key: _opened(value[key]) for key in value}
    if isinstance(value, (list, tuple)):
        return tuple(_opened(item) for item in value) if isinstance(value, tuple) else [_opened(item) for item in value]
    return value


def _leaves(value: Any) -> list[Any]:
    return nest.flatten(_opened(value))


def _packed(structure: Any, leaves: Any) -> Any:
    """The inverse of taking a structure's leaves."""
    if isinstance(structure, IndexedSlices):
        values, indices = next(leaves), next(leaves)
        return IndexedSlices(values, indices, None if structure.dense_shape is None else next(leaves))
    if isinstance(structure, SparseTensor):
        return SparseTensor(next(leaves), next(leaves), next(leaves))
    if hasattr(structure, "_flow_state"):
        return structure._with_flow(next(leaves))
    if isinstance(structure, dict):
        by_key = {key: _packed(structure[key], leaves) for key in sorted(structure)}
        return type(structure)((key, by_key[key]) for key in structure)
    if isinstance(structure, (list, tuple)):
        items = [_packed(item, leaves) for item in structure]
        return type(structure)(*items) if hasattr(structure, "_fields") else type(structure)(items)
    return next(leaves)


def case(
    pred_fn_pairs: Any, default: Callable[[], Any] | None = None, exclusive: bool = False, strict: bool = False,
    name: str | None = "case",
) -> Any:
    """What the first function builds whose condition holds, or `default`.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.placeholder(tf.int32, [])
    ...     y = tf.case([(x < 0, lambda: tf.constant(-1)), (x > 0, lambda: tf.constant(1))], lambda: tf.constant(0))
    ...     [int(sess.run(y, {x: n})) for n in (-5, 0, 5)]
    [-1, 0, 1]
    """
    from tensorfleet._ops.group_ops import Assert
    from tensorfleet._ops import math_ops
    from tensorfleet._framework.graph import control_dependencies
    from tensorfleet._ops.join_ops import stack

    pairs = list(pred_fn_pairs.items()) if isinstance(pred_fn_pairs, dict) else list(pred_fn_pairs)
    if isinstance(pred_fn_pairs, dict):
        pairs.sort(key=lambda pair: pair[0].name)
    if not pairs and default is None:
        raise ValueError("case: there is neither a pair of a condition and a function, nor a default")
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError(f"pred_fn_pairs holds pairs of a predicate and a function, not {pair!r}")
        if not callable(pair[1]):
            raise TypeError(f"case: the function for {pair[0]!r} is {pair[1]!r}")
    preds = [pair[0] for pair in pairs]
    with op_scope(name, "case", preds):
        checks: list[Any] = []
        if exclusive:
            held = stack(preds, name="preds_c")
            count = math_ops.reduce_sum(math_ops.cast(held, dtypes.int32), name="num_true_conds")
            one_at_most = math_ops.less_equal(count, constant(1, name="n_true_conds"))
            words = f"Input error: exclusive=True: more than 1 conditions ({', '.join(pred.name for pred in preds)}) evaluated as True:"
            checks.append(Assert(one_at_most, [words, held], summarize=len(preds)))
        if default is None:
            last_pred, last = pairs[-1]
            words = f"case: no condition holds, of {', '.join(pred.name for pred in preds)}, and there is no default: "

            def checked() -> Any:
                holds = Assert(last_pred, [words, stack(preds)], summarize=len(preds))
                with control_dependencies([holds]):
                    return last()

            pairs, fallback = pairs[:-1], checked
        else:
            fallback = default
        if not pairs:
            with control_dependencies(checks):
                return _only(fallback()) if not strict else fallback()
        chosen: Callable[[], Any] = fallback
        for pred, function in reversed(pairs[1:]):
            chosen = _nested(pred, function, chosen, strict)
        with control_dependencies(checks):
            return cond(pairs[0][0], pairs[0][1], chosen, strict=strict, name="cond")


def _nested(pred: Any, function: Callable[[], Any], otherwise: Callable[[], Any], strict: bool) -> Callable[[], Any]:
    return lambda: cond(pred, function, otherwise, strict=strict, name="cond")


def switch_case(branch_index: Any, branch_fns: Any, default: Callable[[], Any] | None = None, name: str = "switch_case") -> Any:
    """What the function with a number builds, or `default` if there is none with it (or the last if none is given)."""
    from tensorfleet._ops import math_ops

    if isinstance(branch_fns, dict):
        pairs = sorted(branch_fns.items())
    else:
        pairs = [item if isinstance(item, tuple) else (i, item) for i, item in enumerate(branch_fns)]
    if default is None:
        default = pairs[-1][1]
        pairs = pairs[:-1]
    index = convert_to_tensor(branch_index)
    known = constant_value(index)
    if known is not None and not pairs:
        return default()
    with op_scope(name, "switch_case", [index]):
        return case([(math_ops.equal(index, number), function) for number, function in pairs], default, name="case")
