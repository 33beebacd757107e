"""Metrics as they were before `tf.metrics` (`tf.contrib.metrics`): predictions come before labels."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._ops import math_ops
from tensorfleet.v1 import metrics as _metrics
from tensorfleet.v1._refused import refusing

__all__ = [
    "accuracy", "aggregate_metric_map", "aggregate_metrics", "confusion_matrix", "streaming_accuracy", "streaming_auc",
    "streaming_false_negatives", "streaming_false_positives", "streaming_mean", "streaming_mean_absolute_error",
    "streaming_mean_iou", "streaming_mean_squared_error", "streaming_mean_tensor", "streaming_percentage_less",
    "streaming_precision", "streaming_recall", "streaming_recall_at_k", "streaming_root_mean_squared_error",
    "streaming_true_negatives", "streaming_true_positives",
]

streaming_mean = _metrics.mean
streaming_mean_tensor = _metrics.mean_tensor
streaming_percentage_less = _metrics.percentage_below


def _streaming(function: Callable[..., Any]) -> Callable[..., Any]:
    def metric(predictions: Any, labels: Any, *args: Any, **kwargs: Any) -> Any:
        return function(labels, predictions, *args, **kwargs)

    metric.__name__ = metric.__qualname__ = f"streaming_{function.__name__}"
    metric.__doc__ = function.__doc__
    return metric


streaming_accuracy = _streaming(_metrics.accuracy)
streaming_precision = _streaming(_metrics.precision)
streaming_recall = _streaming(_metrics.recall)
streaming_auc = _streaming(_metrics.auc)
streaming_mean_absolute_error = _streaming(_metrics.mean_absolute_error)
streaming_mean_squared_error = _streaming(_metrics.mean_squared_error)
streaming_root_mean_squared_error = _streaming(_metrics.root_mean_squared_error)
streaming_mean_iou = _streaming(_metrics.mean_iou)
streaming_true_positives = _streaming(_metrics.true_positives)
streaming_false_positives = _streaming(_metrics.false_positives)
streaming_false_negatives = _streaming(_metrics.false_negatives)
streaming_true_negatives = _streaming(_metrics.true_negatives)
streaming_recall_at_k = _streaming(_metrics.recall_at_k)


def accuracy(predictions: Any, labels: Any, weights: Any = None, name: str | None = None) -> Any:
    """How often predictions equal labels in one batch."""
    from tensorfleet._framework import dtypes
    from tensorfleet._framework.apply import one
    from tensorfleet._ops.op_scope import op_scope

    with op_scope(name, "accuracy", [predictions, labels]):
        correct = math_ops.cast(one("Equal", predictions, labels), dtypes.float32)
        if weights is not None:
            return math_ops.reduce_sum(correct * weights) / math_ops.reduce_sum(weights)
        return math_ops.reduce_mean(correct)


def confusion_matrix(labels: Any, predictions: Any, num_classes: Any = None, **kwargs: Any) -> Any:
    """How often labels of each class were predicted as each class."""
    return math_ops.confusion_matrix(labels, predictions, num_classes, **kwargs)


def aggregate_metrics(*value_update_tuples: Any) -> Any:
    """The values and the updates of several metrics, as two tuples."""
    if not value_update_tuples:
        raise ValueError("there are no metrics to aggregate")
    values, updates = zip(*value_update_tuples)
    return list(values), list(updates)


def aggregate_metric_map(names_to_tuples: dict[str, Any]) -> Any:
    """The values and the updates of several metrics, as two dicts."""
    return (
        {name: pair[0] for name, pair in names_to_tuples.items()}, {name: pair[1] for name, pair in names_to_tuples.items()},
    )


__getattr__ = refusing("tf.contrib.metrics", "tf.metrics")
