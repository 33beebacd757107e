"""Cross entropies and other losses of single examples."""

from __future__ import annotations

from typing import Any

import math

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.tensor_shape import TensorShape
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "log_poisson_loss", "sigmoid_cross_entropy_with_logits", "softmax_cross_entropy_with_logits",
    "softmax_cross_entropy_with_logits_v2", "sparse_softmax_cross_entropy_with_logits", "weighted_cross_entropy_with_logits",
]


def _flattened(x: Tensor) -> Tensor:
    """A matrix of the rows of a tensor."""
    rank = array_ops.rank(x)
    last = array_ops.slice(array_ops.shape(x), [one("Sub", rank, 1)], [1])
    flat = array_ops.reshape(x, array_ops.concat([[-1], last], 0))
    if x.shape.ndims is not None:
        rows = 1
        for dim in x.shape.as_list()[:-1]:
            rows = None if dim is None or rows is None else rows * dim  # type: ignore[assignment]
        flat.set_shape([rows, x.shape.as_list()[-1]])
    return flat


def _moved_to_end(x: Tensor, axis: int, rank: Tensor) -> Tensor:
    order = array_ops.concat([array_ops.range(axis), array_ops.range(axis + 1, rank), [axis]], 0)
    return array_ops.transpose(x, order)


def _both(kind: str, labels: Any, logits: Any) -> None:
    if labels is None or logits is None:
        raise ValueError(f"{kind} needs `labels` and `logits`: one is None")


def softmax_cross_entropy_with_logits_v2(
    labels: Any = None, logits: Any = None, axis: Any = None, name: str | None = None, dim: Any = None
) -> Tensor:
    """The cross entropy between `labels`, which are probabilities, and the softmax of `logits`, for each row."""
    axis = renamed(axis, dim, "axis", "dim")
    axis = -1 if axis is None else axis
    _both("softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "softmax_cross_entropy_with_logits", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        kind = logits.dtype.base_dtype
        if kind in (dtypes.float16, dtypes.bfloat16):
            logits = math_ops.cast(logits, dtypes.float32)
        labels = math_ops.cast(labels, logits.dtype.base_dtype)
        rank = array_ops.rank(logits)
        known = logits.shape
        if axis != -1:
            if logits.shape.ndims is None:
                raise ValueError(f"the number of dimensions of {logits.name} must be known for the dimension {axis}")
            axis %= logits.shape.ndims
            logits, labels = _moved_to_end(logits, axis, rank), _moved_to_end(labels, axis, rank)
        shape = array_ops.shape(logits)
        cost = many("SoftmaxCrossEntropyWithLogits", _flattened(logits), _flattened(labels), name=scope)[0]
        cost = array_ops.reshape(cost, array_ops.slice(shape, [0], [one("Sub", rank, 1)]))
        if known.ndims is not None:
            dims = known.as_list()
            del dims[axis]
            cost.set_shape(dims)
        return math_ops.cast(cost, kind) if kind in (dtypes.float16, dtypes.bfloat16) else cost


def softmax_cross_entropy_with_logits(
    *args: Any, labels: Any = None, logits: Any = None, dim: int = -1, name: str | None = None, axis: Any = None,
    _sentinel: Any = None,
) -> Tensor:
    """As `softmax_cross_entropy_with_logits_v2`, without a gradient for the labels.

    Without keywords the arguments are (logits, labels), as TensorFlow 0.x had it.
    """
    logits, labels, name = _positional("softmax_cross_entropy_with_logits", args, logits, labels, name)
    dim = dim if axis is None else axis
    _both("softmax_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "softmax_cross_entropy_with_logits_sg", [logits, labels]) as scope:
        labels = one("StopGradient", convert_to_tensor(labels), name="labels_stop_gradient")
        return softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, axis=dim, name=scope)


def _positional(kind: str, args: tuple[Any, ...], logits: Any, labels: Any, name: str | None) -> tuple[Any, Any, str | None]:
    """Arguments in TensorFlow 0.x's order: logits, labels, name."""
    if len(args) > 3:
        raise TypeError(f"{kind} takes logits and labels, not {len(args)} arguments")
    given = dict(zip(("logits", "labels", "name"), args))
    if "logits" in given and given["logits"] is not None and logits is not None or "labels" in given and labels is not None:
        raise TypeError(f"{kind} got an argument twice; use keywords: labels=..., logits=...")
    return (
        logits if given.get("logits") is None else given["logits"], given.get("labels", labels), given.get("name", name),
    )


def sparse_softmax_cross_entropy_with_logits(
    *args: Any, labels: Any = None, logits: Any = None, name: str | None = None, _sentinel: Any = None
) -> Tensor:
    """The cross entropy between classes given by their numbers and the softmax of `logits`, for each row.

    Without keywords the arguments are (logits, labels), as TensorFlow 0.x had it.
    """
    logits, labels, name = _positional("sparse_softmax_cross_entropy_with_logits", args, logits, labels, name)
    _both("sparse_softmax_cross_entropy_with_logits", labels, logits)
    op = "SparseSoftmaxCrossEntropyWithLogits"
    with op_scope(name, op, [labels, logits]):
        labels = convert_to_tensor(labels)
        logits = convert_to_tensor(logits)
        kind = logits.dtype.base_dtype
        precise = math_ops.cast(logits, dtypes.float32) if kind is dtypes.float16 else logits
        known, shape = labels.shape, array_ops.shape(labels)
        if logits.shape.ndims == 0:
            raise ValueError(f"the logits are a scalar, {logits!r}: they need a dimension of classes")
        if known.ndims is not None and logits.shape.ndims is not None and known.ndims != logits.shape.ndims - 1:
            raise ValueError(
                f"labels have one dimension fewer than logits: here they are {known} (rank {known.ndims}) and "
                f"{logits.shape} (rank {logits.shape.ndims})"
            )
        if known.ndims is not None and not known.is_compatible_with(TensorShape(logits.shape.dims[:-1]) if
                                                                   logits.shape.dims is not None else known):
            raise ValueError(
                f"labels and logits agree in all dimensions but the classes: here they are {known} and {logits.shape}"
            )
        if logits.shape.ndims == 2:
            cost = many(op, precise, labels, name=name)[0]
            return math_ops.cast(cost, dtypes.float16) if kind is dtypes.float16 else cost
        classes = array_ops.shape(logits)[array_ops.rank(logits) - 1]
        flat = many(op, array_ops.reshape(precise, [-1, classes]), array_ops.reshape(labels, [-1]), name=name)[0]
        cost = array_ops.reshape(flat, shape)
        cost.set_shape(known)
        return math_ops.cast(cost, dtypes.float16) if kind is dtypes.float16 else cost


def _same_shape(logits: Tensor, labels: Tensor) -> None:
    if not logits.shape.is_compatible_with(labels.shape):
        raise ValueError(f"logits are {logits.shape} and labels {labels.shape}: they need one shape")


def sigmoid_cross_entropy_with_logits(
    *args: Any, labels: Any = None, logits: Any = None, name: str | None = None, targets: Any = None, _sentinel: Any = None
) -> Tensor:
    """The cross entropy between `labels` and the sigmoid of `logits`, for each element on its own.

    Without keywords the arguments are (logits, targets), as TensorFlow 0.x had it.
    """
    labels = renamed(labels, targets, "labels", "targets")
    logits, labels, name = _positional("sigmoid_cross_entropy_with_logits", args, logits, labels, name)
    _both("sigmoid_cross_entropy_with_logits", labels, logits)
    with op_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shape(logits, labels)
        # max(x, 0) - x * z + log(1 + exp(-abs(x))), which nothing makes overflow.
        zeros = array_ops.zeros_like(logits, dtype=logits.dtype.base_dtype)
        positive = one("GreaterEqual", logits, zeros)
        above = one("Select", positive, logits, zeros)
        below = one("Select", positive, -logits, logits)
        return math_ops.add(above - logits * labels, one("Log1p", one("Exp", below)), name=scope)


def weighted_cross_entropy_with_logits(
    labels: Any = None, logits: Any = None, pos_weight: Any = None, name: str | None = None, targets: Any = None
) -> Tensor:
    """As `sigmoid_cross_entropy_with_logits`, with positive labels counted `pos_weight` times."""
    labels = renamed(labels, targets, "labels", "targets")
    with op_scope(name, "logistic_loss", [logits, labels]) as scope:
        logits = convert_to_tensor(logits, name="logits")
        labels = convert_to_tensor(labels, name="labels")
        _same_shape(logits, labels)
        weight = 1 + (pos_weight - 1) * labels
        return math_ops.add(
            (1 - labels) * logits,
            weight * (one("Log1p", one("Exp", -math_ops.abs(logits))) + one("Relu", -logits)),
            name=scope,
        )


def log_poisson_loss(targets: Any, log_input: Any, compute_full_loss: bool = False, name: str | None = None) -> Tensor:
    """The loss of counts whose expected logarithms are `log_input`; with Stirling's formula for the constant part if asked."""
    with op_scope(name, "log_poisson_loss", [log_input, targets]):
        log_input = convert_to_tensor(log_input, name="log_input")
        targets = convert_to_tensor(targets, name="targets")
        _same_shape(log_input, targets)
        result = one("Exp", log_input) - log_input * targets
        if compute_full_loss:
            half = constant(0.5, dtype=targets.dtype.base_dtype)
            circle = constant(2 * math.pi, dtype=targets.dtype.base_dtype)
            stirling = targets * one("Log", targets) - targets + half * one("Log", circle * targets)
            zeros = array_ops.zeros_like(targets, dtype=targets.dtype.base_dtype)
            ones = array_ops.ones_like(targets, dtype=targets.dtype.base_dtype)
            small = one("LogicalAnd", targets >= zeros, targets <= ones)
            result += one("Select", small, zeros, stirling)
        return result
