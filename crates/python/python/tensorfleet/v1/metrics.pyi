# Written by stubs.py; do not edit.

from tensorfleet._ops.metric_ops import accuracy as accuracy
from tensorfleet._ops.metric_counts import auc as auc
from tensorfleet._ops.metric_counts import false_negatives as false_negatives
from tensorfleet._ops.metric_counts import false_negatives_at_thresholds as false_negatives_at_thresholds
from tensorfleet._ops.metric_counts import false_positives as false_positives
from tensorfleet._ops.metric_counts import false_positives_at_thresholds as false_positives_at_thresholds
from tensorfleet._ops.metric_ops import mean as mean
from tensorfleet._ops.metric_ops import mean_absolute_error as mean_absolute_error
from tensorfleet._ops.metric_ops import mean_cosine_distance as mean_cosine_distance
from tensorfleet._ops.metric_ops import mean_iou as mean_iou
from tensorfleet._ops.metric_ops import mean_per_class_accuracy as mean_per_class_accuracy
from tensorfleet._ops.metric_ops import mean_relative_error as mean_relative_error
from tensorfleet._ops.metric_ops import mean_squared_error as mean_squared_error
from tensorfleet._ops.metric_ops import mean_tensor as mean_tensor
from tensorfleet._ops.metric_ops import percentage_below as percentage_below
from tensorfleet._ops.metric_counts import precision as precision
from tensorfleet._ops.metric_counts import precision_at_k as precision_at_k
from tensorfleet._ops.metric_counts import precision_at_thresholds as precision_at_thresholds
from tensorfleet._ops.metric_counts import precision_at_top_k as precision_at_top_k
from tensorfleet._ops.metric_counts import recall as recall
from tensorfleet._ops.metric_counts import recall_at_k as recall_at_k
from tensorfleet._ops.metric_counts import recall_at_thresholds as recall_at_thresholds
from tensorfleet._ops.metric_counts import recall_at_top_k as recall_at_top_k
from tensorfleet._ops.metric_ops import root_mean_squared_error as root_mean_squared_error
from tensorfleet._ops.metric_counts import sensitivity_at_specificity as sensitivity_at_specificity
from tensorfleet._ops.metric_counts import precision_at_k as sparse_precision_at_k
from tensorfleet._ops.metric_counts import specificity_at_sensitivity as specificity_at_sensitivity
from tensorfleet._ops.metric_counts import true_negatives as true_negatives
from tensorfleet._ops.metric_counts import true_negatives_at_thresholds as true_negatives_at_thresholds
from tensorfleet._ops.metric_counts import true_positives as true_positives
from tensorfleet._ops.metric_counts import true_positives_at_thresholds as true_positives_at_thresholds

__all__ = [
    "accuracy", "auc", "false_negatives", "false_negatives_at_thresholds", "false_positives",
    "false_positives_at_thresholds", "mean", "mean_absolute_error", "mean_cosine_distance", "mean_iou",
    "mean_per_class_accuracy", "mean_relative_error", "mean_squared_error", "mean_tensor", "percentage_below",
    "precision", "precision_at_k", "precision_at_thresholds", "precision_at_top_k", "recall", "recall_at_k",
    "recall_at_thresholds", "recall_at_top_k", "root_mean_squared_error", "sensitivity_at_specificity",
    "sparse_precision_at_k", "specificity_at_sensitivity", "true_negatives", "true_negatives_at_thresholds",
    "true_positives", "true_positives_at_thresholds"
]
