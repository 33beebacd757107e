"""Losses (`tf.losses`): each is one number, weighted, and added to the collection of losses."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.variables import GraphKeys
from tensorfleet._ops import array_ops, math_ops, nn_activation, nn_loss
from tensorfleet._ops.op_scope import op_scope, renamed
from tensorfleet._ops.weights_broadcast import (
    as_float,
    assert_broadcastable,
    broadcast_weights,
    remove_squeezable_dimensions,
)

__all__ = [
    "Reduction", "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_loss", "get_regularization_losses", "get_total_loss", "hinge_loss", "huber_loss", "log_loss",
    "mean_pairwise_squared_error", "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy",
    "sparse_softmax_cross_entropy",
]


class Reduction:
    """How the losses of single elements become one."""

    NONE = "none"
    SUM = "weighted_sum"
    SUM_OVER_BATCH_SIZE = "weighted_sum_over_batch_size"
    MEAN = "weighted_mean"
    SUM_BY_NONZERO_WEIGHTS = "weighted_sum_by_nonzero_weights"
    SUM_OVER_NONZERO_WEIGHTS = SUM_BY_NONZERO_WEIGHTS

    @classmethod
    def all(cls) -> tuple[str, ...]:
        """All ways."""
        return (cls.NONE, cls.SUM, cls.MEAN, cls.SUM_OVER_BATCH_SIZE, cls.SUM_OVER_NONZERO_WEIGHTS, cls.SUM_BY_NONZERO_WEIGHTS)

    @classmethod
    def validate(cls, key: str) -> None:
        """ValueError for a way that does not exist."""
        if key not in cls.all():
            raise ValueError(f"reduction is {key!r}; it can be one of {cls.all()}")


def _safe_mean(losses: Tensor, count: Tensor) -> Tensor:
    total = one("Sum", losses, array_ops.range(0, array_ops.rank(losses)))
    return math_ops.div_no_nan(total, count, name="value")


def _num_present(losses: Tensor, weights: Tensor, per_batch: bool = False) -> Tensor:
    with op_scope(None, "num_present", [losses, weights]) as scope:
        present = one(
            "Select", one("Equal", weights, 0.0), array_ops.zeros_like(weights), array_ops.ones_like(weights)
        )
        present = broadcast_weights(present, losses)
        if per_batch:
            axes = array_ops.range(1, array_ops.rank(present))
            return math_ops.reduce_sum(present, axes, keepdims=True, name=scope)
        return math_ops.reduce_sum(present, name=scope)


def _num_elements(losses: Tensor) -> Tensor:
    with op_scope(None, "num_elements", [losses]) as scope:
        return math_ops.cast(array_ops.size(losses, name=scope), losses.dtype)


def compute_weighted_loss(
    losses: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Losses of single elements times their weights, as one number.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     float(sess.run(tf.losses.compute_weighted_loss([1.0, 2.0, 3.0], [1.0, 0.0, 1.0])))
    2.0
    """
    Reduction.validate(reduction)
    with op_scope(scope, "weighted_loss", [losses, weights]):
        with get_default_graph().control_dependencies([assert_broadcastable(weights, losses)]):
            losses = convert_to_tensor(losses)
            kind = losses.dtype.base_dtype
            losses, weights = as_float(losses), as_float(weights)
            weighted = one("Mul", losses, weights)
            if reduction == Reduction.NONE:
                loss = weighted
            else:
                divisors: dict[str, Callable[[], Tensor]] = {
                    Reduction.MEAN: lambda: math_ops.reduce_sum(array_ops.ones_like(losses) * weights),
                    Reduction.SUM_BY_NONZERO_WEIGHTS: lambda: _num_present(losses, weights),
                    Reduction.SUM_OVER_BATCH_SIZE: lambda: _num_elements(losses),
                }
                loss = math_ops.reduce_sum(weighted)
                if reduction in divisors:
                    loss = _safe_mean(loss, divisors[reduction]())
            loss = math_ops.cast(loss, kind)
            add_loss(loss, loss_collection)
            return loss


def _given(kind: str, labels: Any, predictions: Any, what: str = "predictions") -> None:
    if labels is None or predictions is None:
        raise ValueError(f"labels and {what} must not be None: {kind}")


def _pair(labels: Any, predictions: Any) -> tuple[Tensor, Tensor]:
    predictions, labels = as_float(predictions), as_float(labels)
    if not predictions.shape.is_compatible_with(labels.shape):
        raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    return labels, predictions


def absolute_difference(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The absolute difference of predictions and labels."""
    _given("absolute_difference", labels, predictions)
    with op_scope(scope, "absolute_difference", [predictions, labels, weights]) as scope:
        labels, predictions = _pair(labels, predictions)
        losses = math_ops.abs(one("Sub", predictions, labels))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def cosine_distance(
    labels: Any, predictions: Any, axis: Any = None, weights: Any = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS, dim: Any = None,
) -> Tensor:
    """One less the product of predictions and labels, which have length 1 along a dimension."""
    axis = renamed(axis, dim, "axis", "dim")
    if axis is None:
        raise ValueError("cosine_distance needs an `axis`")
    _given("cosine_distance", labels, predictions)
    with op_scope(scope, "cosine_distance_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _pair(labels, predictions)
        losses = 1 - math_ops.reduce_sum(one("Mul", predictions, labels), axis=(axis,), keepdims=True)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def hinge_loss(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """How far logits are from 1 on the side that labels, 0 or 1, say."""
    _given("hinge_loss", labels, logits, "logits")
    with op_scope(scope, "hinge_loss", [logits, labels, weights]) as scope:
        labels, logits = _pair(labels, logits)
        ones = array_ops.ones_like(labels)
        signs = one("Sub", 2 * labels, ones)
        losses = nn_activation.relu(one("Sub", ones, one("Mul", signs, logits)))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def huber_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, delta: float = 1.0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """Half the squared error up to `delta`, and linear beyond."""
    _given("huber_loss", labels, predictions)
    with op_scope(scope, "huber_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _pair(labels, predictions)
        size = math_ops.abs(one("Sub", predictions, labels))
        quadratic = one("Minimum", size, delta)
        linear = one("Sub", size, quadratic)
        half = convert_to_tensor(0.5, dtype=quadratic.dtype.base_dtype)
        losses = math_ops.add(one("Mul", half, one("Mul", quadratic, quadratic)), one("Mul", delta, linear))
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def log_loss(
    labels: Any, predictions: Any, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of predicted probabilities."""
    _given("log_loss", labels, predictions)
    with op_scope(scope, "log_loss", [predictions, labels, weights]) as scope:
        labels, predictions = _pair(labels, predictions)
        losses = -one("Mul", labels, one("Log", predictions + epsilon)) - one(
            "Mul", 1 - labels, one("Log", 1 - predictions + epsilon)
        )
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def mean_pairwise_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES
) -> Tensor:
    """The squared differences between the errors of all pairs of elements of each example."""
    _given("mean_pairwise_squared_error", labels, predictions)
    with op_scope(scope, "mean_pairwise_squared_error", [predictions, labels, weights]):
        weights = as_float(weights)
        labels = as_float(labels)
        with get_default_graph().control_dependencies([assert_broadcastable(weights, labels)]):
            labels, predictions = _pair(labels, predictions)
            errors = one("Sub", predictions, labels)
            axes = array_ops.range(1, array_ops.rank(errors))
            squares = math_ops.reduce_sum(one("Square", errors), axes, keepdims=True)
            count = _num_present(errors, weights, per_batch=True)
            first = 2.0 * math_ops.div_no_nan(squares, one("Maximum", count - 1, 0), name="value")
            sums = math_ops.reduce_sum(errors, axes, keepdims=True)
            second = 2.0 * math_ops.div_no_nan(
                one("Square", sums), one("Maximum", one("Mul", count, count - 1), 0), name="value"
            )
            weighted = one("Mul", first - second, weights)
            loss = math_ops.reduce_sum(weighted)
            mean = one(
                "Select", math_ops.reduce_sum(count) > 0, loss, array_ops.zeros_like(loss), name="value"
            )
            add_loss(mean, loss_collection)
            return mean


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The squared difference of predictions and labels.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     float(sess.run(tf.losses.mean_squared_error([1.0, 2.0], [1.0, 4.0])))
    2.0
    """
    _given("mean_squared_error", labels, predictions)
    with op_scope(scope, "mean_squared_error", [predictions, labels, weights]) as scope:
        labels, predictions = _pair(labels, predictions)
        losses = one("SquaredDifference", predictions, labels)
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sigmoid_cross_entropy(
    multi_class_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes that do not exclude each other."""
    _given("sigmoid_cross_entropy", multi_class_labels, logits, "logits")
    with op_scope(scope, "sigmoid_cross_entropy_loss", [logits, multi_class_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(multi_class_labels, logits.dtype)
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError(f"Shapes {logits.shape} and {labels.shape} are incompatible")
        if label_smoothing > 0:
            labels = labels * (1 - label_smoothing) + 0.5 * label_smoothing
        losses = nn_loss.sigmoid_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def softmax_cross_entropy(
    onehot_labels: Any, logits: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None,
    loss_collection: Any = GraphKeys.LOSSES, reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes of which one is true."""
    _given("softmax_cross_entropy", onehot_labels, logits, "logits")
    with op_scope(scope, "softmax_cross_entropy_loss", [logits, onehot_labels, weights]) as scope:
        logits = convert_to_tensor(logits)
        labels = math_ops.cast(onehot_labels, logits.dtype)
        if not logits.shape.is_compatible_with(labels.shape):
            raise ValueError(f"Shapes {logits.shape} and {labels.shape} are incompatible")
        if label_smoothing > 0:
            classes = math_ops.cast(array_ops.shape(labels)[-1], logits.dtype)
            positives = 1.0 - label_smoothing
            negatives = label_smoothing / classes
            labels = labels * positives + negatives
        labels = one("StopGradient", labels, name="labels_stop_gradient")
        losses = nn_loss.softmax_cross_entropy_with_logits_v2(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def sparse_softmax_cross_entropy(
    labels: Any, logits: Any, weights: Any = 1.0, scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES,
    reduction: str = Reduction.SUM_BY_NONZERO_WEIGHTS,
) -> Tensor:
    """The cross entropy of classes given by their numbers."""
    _given("sparse_softmax_cross_entropy", labels, logits, "logits")
    with op_scope(scope, "sparse_softmax_cross_entropy_loss", [logits, labels, weights]) as scope:
        labels, logits, weights = _without_last(labels, logits, weights)
        losses = nn_loss.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits, name="xentropy")
        return compute_weighted_loss(losses, weights, scope, loss_collection, reduction)


def _without_last(labels: Any, logits: Any, weights: Any) -> tuple[Tensor, Tensor, Any]:
    """Labels and weights without a last dimension of length 1 that is one too many."""
    labels, logits = remove_squeezable_dimensions(labels, logits, expected_rank_diff=1)
    if weights is None:
        return labels, logits, None
    weights = convert_to_tensor(weights)
    if weights.shape.ndims == 0:
        return labels, logits, weights
    if weights.shape.ndims is not None and labels.shape.ndims is not None:
        if weights.shape.ndims - labels.shape.ndims == 1:
            weights = array_ops.squeeze(weights, [-1])
    return labels, logits, weights


def add_loss(loss: Any, loss_collection: Any = GraphKeys.LOSSES) -> None:
    """Puts a loss where get_losses finds it."""
    if loss_collection:
        get_default_graph().add_to_collection(loss_collection, loss)


def get_losses(scope: str | None = None, loss_collection: Any = GraphKeys.LOSSES) -> list[Any]:
    """The losses of the collection."""
    return get_default_graph().get_collection(loss_collection, scope)


def get_regularization_losses(scope: str | None = None) -> list[Any]:
    """The losses of regularizers."""
    return get_default_graph().get_collection(GraphKeys.REGULARIZATION_LOSSES, scope)


def get_regularization_loss(scope: str | None = None, name: str = "total_regularization_loss") -> Tensor:
    """The sum of the losses of regularizers."""
    terms = get_regularization_losses(scope)
    return math_ops.add_n(terms, name=name) if terms else convert_to_tensor(0.0, dtype=dtypes.float32)


def get_total_loss(
    add_regularization_losses: bool = True, name: str = "total_loss", scope: str | None = None
) -> Tensor:
    """The sum of all losses, with those of regularizers if asked."""
    losses = get_losses(scope)
    if add_regularization_losses:
        losses += get_regularization_losses(scope)
    return math_ops.add_n(losses, name=name)
