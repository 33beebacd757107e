"""Metrics that are means of something, kept in local variables over many steps."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._framework.variables import GraphKeys, Variable
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.weights_broadcast import broadcast_weights, remove_squeezable_dimensions

__all__ = [
    "accuracy", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou", "mean_per_class_accuracy",
    "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below", "root_mean_squared_error",
]


def metric_variable(shape: Any, dtype: Any, validate_shape: bool = True, name: str | None = None) -> Variable:
    """A local variable of zeros that a metric counts in."""
    return Variable(
        lambda: array_ops.zeros(shape, dtype), trainable=False,
        collections=[GraphKeys.LOCAL_VARIABLES, GraphKeys.METRIC_VARIABLES], validate_shape=validate_shape, name=name,
    )


def matched(predictions: Any, labels: Any, weights: Any) -> tuple[Tensor, Any, Any]:
    """Predictions, labels and weights without a last dimension of length 1 that one of them has more."""
    predictions = convert_to_tensor(predictions)
    if labels is not None:
        labels, predictions = remove_squeezable_dimensions(labels, predictions)
        if not predictions.shape.is_compatible_with(labels.shape):
            raise ValueError(f"Shapes {predictions.shape} and {labels.shape} are incompatible")
    if weights is None:
        return predictions, labels, None
    weights = convert_to_tensor(weights)
    if weights.shape.ndims == 0:
        return predictions, labels, weights
    if weights.shape.ndims is not None and predictions.shape.ndims is not None:
        if weights.shape.ndims - predictions.shape.ndims == 1:
            weights = array_ops.squeeze(weights, [-1])
        elif predictions.shape.ndims - weights.shape.ndims == 1:
            weights = array_ops.expand_dims(weights, [-1])
    return predictions, labels, weights


def collected(value: Any, update: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    """Adds a metric and its update to the collections that were asked for."""
    graph = get_default_graph()
    for collections, item in ((metrics_collections, value), (updates_collections, update)):
        if collections:
            graph.add_to_collections(collections, item)
    return value, update


def mean(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean of values over all steps that ran the update: the mean, and the operation that takes in more values.

    >>> import tensorfleet.v1 as tf
    >>> with tf.Graph().as_default(), tf.Session() as sess:
    ...     x = tf.placeholder(tf.float32, [2])
    ...     value, update = tf.metrics.mean(x)
    ...     sess.run(tf.local_variables_initializer())
    ...     for pair in ([1, 2], [3, 4]):
    ...         _ = sess.run(update, {x: pair})
    ...     float(sess.run(value))
    2.5
    """
    with variable_scope(name, "mean", [values, weights]):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable([], dtypes.float32, name="total")
        count = metric_variable([], dtypes.float32, name="count")
        if weights is None:
            number = math_ops.cast(array_ops.size(values), dtypes.float32)
        else:
            values, _, weights = matched(values, None, weights)
            weights = broadcast_weights(math_ops.cast(weights, dtypes.float32), values)
            values = one("Mul", values, weights)
            number = math_ops.reduce_sum(weights)
        more = total.assign_add(math_ops.reduce_sum(values))
        with get_default_graph().control_dependencies([values]):
            counted = count.assign_add(number)
        value = math_ops.div_no_nan(total, one("Maximum", count, 0.0), name="value")
        update = math_ops.div_no_nan(more, one("Maximum", counted, 0.0), name="update_op")
        return collected(value, update, metrics_collections, updates_collections)


def accuracy(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """How often predictions equal labels."""
    predictions, labels, weights = matched(predictions, labels, weights)
    if labels.dtype.base_dtype != predictions.dtype.base_dtype:
        predictions = math_ops.cast(predictions, labels.dtype)
    correct = math_ops.cast(one("Equal", predictions, labels), dtypes.float32)
    return mean(correct, weights, metrics_collections, updates_collections, name or "accuracy")


def mean_absolute_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean absolute difference of predictions and labels."""
    predictions, labels, weights = matched(predictions, labels, weights)
    errors = math_ops.abs(predictions - labels)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_absolute_error")


def mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean squared difference of predictions and labels."""
    predictions, labels, weights = matched(predictions, labels, weights)
    errors = one("SquaredDifference", labels, predictions)
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_squared_error")


def root_mean_squared_error(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The root of the mean squared difference of predictions and labels."""
    value, update = mean_squared_error(labels, predictions, weights, None, None, name or "root_mean_squared_error")
    return collected(one("Sqrt", value), one("Sqrt", update), metrics_collections, updates_collections)


def mean_relative_error(
    labels: Any, predictions: Any, normalizer: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean absolute difference of predictions and labels, divided by a normalizer."""
    predictions, labels, weights = matched(predictions, labels, weights)
    normalizer, predictions = remove_squeezable_dimensions(normalizer, predictions)
    errors = one(
        "Select", one("Equal", normalizer, 0.0), array_ops.zeros_like(labels),
        one("RealDiv", math_ops.abs(labels - predictions), normalizer, name="truediv"),
    )
    return mean(errors, weights, metrics_collections, updates_collections, name or "mean_relative_error")


def mean_cosine_distance(
    labels: Any, predictions: Any, dim: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean of one less the product of predictions and labels, which have length 1 along a dimension."""
    predictions, labels, weights = matched(predictions, labels, weights)
    products = math_ops.reduce_sum(one("Mul", predictions, labels), axis=[dim], keepdims=True)
    value, update = mean(products, weights, None, None, name or "mean_cosine_distance")
    return collected(one("Sub", 1.0, value), one("Sub", 1.0, update), metrics_collections, updates_collections)


def percentage_below(
    values: Any, threshold: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of values is below a threshold."""
    below = math_ops.cast(one("Less", values, threshold), dtypes.float32)
    return mean(below, weights, metrics_collections, updates_collections, name or "percentage_below_threshold")


def mean_tensor(
    values: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean of tensors over all steps, element by element."""
    with variable_scope(name, "mean", [values, weights]):
        values = math_ops.cast(values, dtypes.float32)
        total = metric_variable(values.shape, dtypes.float32, name="total_tensor")
        count = metric_variable(values.shape, dtypes.float32, name="count_tensor")
        number: Tensor = array_ops.ones_like(values)
        if weights is not None:
            values, _, weights = matched(values, None, weights)
            weights = broadcast_weights(math_ops.cast(weights, dtypes.float32), values)
            values = one("Mul", values, weights)
            number = one("Mul", number, weights)
        more = total.assign_add(values)
        with get_default_graph().control_dependencies([values]):
            counted = count.assign_add(number)
        value = math_ops.div_no_nan(total, one("Maximum", count, 0.0), name="value")
        update = math_ops.div_no_nan(more, one("Maximum", counted, 0.0), name="update_op")
        return collected(value, update, metrics_collections, updates_collections)


def _confusion(labels: Any, predictions: Any, classes: int, weights: Any) -> tuple[Variable, Tensor]:
    total = metric_variable([classes, classes], dtypes.float64, name="total_confusion_matrix")
    predictions = math_ops.cast(predictions, dtypes.int64)
    labels = math_ops.cast(labels, dtypes.int64)
    number = math_ops.cast(classes, dtypes.int64)
    predictions, labels = _row(predictions), _row(labels)
    if weights is not None:
        weights = _row(convert_to_tensor(weights))
    current = math_ops.confusion_matrix(labels, predictions, number, weights=weights, dtype=dtypes.float64)
    return total, total.assign_add(current)


def _row(x: Tensor) -> Tensor:
    """The elements of a tensor as a vector."""
    return array_ops.reshape(x, [-1]) if x.shape.ndims is None or x.shape.ndims > 1 else x


def mean_iou(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean, over classes, of how much predictions and labels of the class overlap; the update gives the confusion matrix."""
    with variable_scope(name, "mean_iou", [predictions, labels, weights]):
        total, update = _confusion(labels, predictions, num_classes, weights)
        columns = math_ops.cast(math_ops.reduce_sum(total, 0), dtypes.float32)
        rows = math_ops.cast(math_ops.reduce_sum(total, 1), dtypes.float32)
        diagonal = math_ops.cast(array_ops.diag_part(total), dtypes.float32)
        denominator = columns + rows - diagonal
        entries = math_ops.reduce_sum(math_ops.cast(one("NotEqual", denominator, 0.0), dtypes.float32))
        denominator = one("Select", denominator > 0, denominator, array_ops.ones_like(denominator))
        iou = one("RealDiv", diagonal, denominator, name="truediv")
        value = one(
            "Select", entries > 0, one("RealDiv", math_ops.reduce_sum(iou, name="mean_iou"), entries, name="truediv"), 0.0
        )
        return collected(value, update, metrics_collections, updates_collections)


def mean_per_class_accuracy(
    labels: Any, predictions: Any, num_classes: int, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean, over classes, of how often predictions are right for labels of the class."""
    with variable_scope(name, "mean_accuracy", [predictions, labels, weights]):
        labels = math_ops.cast(labels, dtypes.int64)
        predictions = _row(convert_to_tensor(predictions))
        total = metric_variable([num_classes], dtypes.float32, name="total")
        count = metric_variable([num_classes], dtypes.float32, name="count")
        predictions, labels, weights = matched(math_ops.cast(predictions, labels.dtype), _row(labels), weights)
        ones: Tensor = array_ops.ones([array_ops.size(labels)], dtypes.float32)
        correct = math_ops.cast(one("Equal", predictions, labels), dtypes.float32)
        if weights is not None:
            weights = math_ops.cast(array_ops.reshape(weights, [-1]), dtypes.float32)
            correct, ones = correct * weights, ones * weights
        more = one("ScatterAdd", total._ref(), labels, ones)
        counted = one("ScatterAdd", count._ref(), labels, correct)
        value = math_ops.reduce_mean(math_ops.div_no_nan(count, one("Maximum", total, 0.0)), name="mean_accuracy")
        update = math_ops.div_no_nan(counted, one("Maximum", more, 0.0), name="update_op")
        return collected(value, update, metrics_collections, updates_collections)
