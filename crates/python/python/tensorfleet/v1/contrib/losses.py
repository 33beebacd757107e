"""Losses as they were before `tf.losses` (`tf.contrib.losses`): predictions come before labels."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet.v1 import losses as _losses
from tensorfleet.v1.losses import add_loss, get_losses, get_regularization_losses, get_total_loss

__all__ = [
    "absolute_difference", "add_loss", "compute_weighted_loss", "cosine_distance", "get_losses",
    "get_regularization_losses", "get_total_loss", "hinge_loss", "log_loss", "mean_pairwise_squared_error",
    "mean_squared_error", "sigmoid_cross_entropy", "softmax_cross_entropy", "sparse_softmax_cross_entropy",
]


def compute_weighted_loss(losses: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """Losses of single elements times their weights, as one number."""
    return _losses.compute_weighted_loss(losses, weights, scope=scope or "weighted_loss")


def absolute_difference(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The absolute difference of predictions and labels."""
    return _losses.absolute_difference(labels, predictions, weights, scope)


def mean_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The squared difference of predictions and labels."""
    return _losses.mean_squared_error(labels, predictions, weights, scope)


def mean_pairwise_squared_error(predictions: Any, labels: Any = None, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The squared differences between the errors of all pairs of elements."""
    return _losses.mean_pairwise_squared_error(labels, predictions, weights, scope)


def log_loss(
    predictions: Any, labels: Any = None, weights: Any = 1.0, epsilon: float = 1e-7, scope: str | None = None
) -> Tensor:
    """The cross entropy of predicted probabilities."""
    return _losses.log_loss(labels, predictions, weights, epsilon, scope)


def hinge_loss(logits: Any, labels: Any = None, scope: str | None = None) -> Tensor:
    """How far logits are from 1 on the side that labels say, for each element."""
    return _losses.hinge_loss(labels, logits, 1.0, scope, None, _losses.Reduction.NONE)


def cosine_distance(
    predictions: Any, labels: Any = None, axis: Any = None, weights: Any = 1.0, scope: str | None = None, dim: Any = None
) -> Tensor:
    """One less the product of predictions and labels of length 1."""
    return _losses.cosine_distance(labels, predictions, axis, weights, scope, dim=dim)


def softmax_cross_entropy(
    logits: Any, onehot_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None
) -> Tensor:
    """The cross entropy of classes of which one is true."""
    return _losses.softmax_cross_entropy(onehot_labels, logits, weights, label_smoothing, scope)


def sparse_softmax_cross_entropy(logits: Any, labels: Any, weights: Any = 1.0, scope: str | None = None) -> Tensor:
    """The cross entropy of classes given by their numbers."""
    return _losses.sparse_softmax_cross_entropy(labels, logits, weights, scope)


def sigmoid_cross_entropy(
    logits: Any, multi_class_labels: Any, weights: Any = 1.0, label_smoothing: float = 0, scope: str | None = None
) -> Tensor:
    """The cross entropy of classes that do not exclude each other."""
    return _losses.sigmoid_cross_entropy(multi_class_labels, logits, weights, label_smoothing, scope)
