"""Metrics of yes-or-no predictions: counts, precision, recall, and curves over thresholds."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant, convert_to_tensor
from tensorfleet._framework.graph import Tensor, get_default_graph
from tensorfleet._framework.variable_scope import variable_scope
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.metric_ops import collected, matched, metric_variable
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.weights_broadcast import broadcast_weights

__all__ = [
    "auc", "false_negatives", "false_negatives_at_thresholds", "false_positives", "false_positives_at_thresholds", "precision",
    "precision_at_k", "precision_at_thresholds", "precision_at_top_k", "recall", "recall_at_k", "recall_at_thresholds",
    "recall_at_top_k", "sensitivity_at_specificity", "sparse_precision_at_k", "specificity_at_sensitivity", "true_negatives",
    "true_negatives_at_thresholds", "true_positives", "true_positives_at_thresholds",
]

_EPSILON = 1e-7
# What keeps quotients of areas finite.
_AREA_EPSILON = 1e-6


def _count_condition(values: Tensor, weights: Any, metrics_collections: Any, updates_collections: Any) -> tuple[Any, Any]:
    from tensorfleet._ops import check_ops

    check_ops.assert_type(values, dtypes.bool)
    count = metric_variable([], dtypes.float32, name="count")
    values = math_ops.cast(values, dtypes.float32)
    if weights is not None:
        check = check_ops.assert_rank_in(weights, (0, array_ops.rank(values)))
        with get_default_graph().control_dependencies([check]):
            values = one("Mul", values, math_ops.cast(weights, dtypes.float32))
    value = array_ops.identity(count)
    update = count.assign_add(math_ops.reduce_sum(values))
    return collected(value, update, metrics_collections, updates_collections)


def _counter(name: str, label: bool, prediction: bool) -> Callable[..., tuple[Tensor, Tensor]]:
    def count(
        labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
        name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        with variable_scope(name, default, [predictions, labels, weights]):
            predictions, labels, weights = matched(
                math_ops.cast(predictions, dtypes.bool), math_ops.cast(labels, dtypes.bool), weights
            )
            found = one("LogicalAnd", one("Equal", labels, label), one("Equal", predictions, prediction))
            return _count_condition(found, weights, metrics_collections, updates_collections)

    default = name
    count.__name__ = count.__qualname__ = name
    count.__doc__ = f"How often the label is {label} and the prediction {prediction}, weighted."
    return count


true_positives = _counter("true_positives", True, True)
false_positives = _counter("false_positives", False, True)
false_negatives = _counter("false_negatives", True, False)
true_negatives = _counter("true_negatives", False, False)


def _ratio(hits: Any, misses: Any, name: str) -> Tensor:
    return one("Select", hits + misses > 0, _divided(hits, hits + misses), 0.0, name=name)


def _divided(a: Any, b: Any) -> Tensor:
    return one("RealDiv", a, b, name="truediv")


def _precision_like(
    kind: str, other: Callable[..., Any], labels: Any, predictions: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: str | None,
) -> tuple[Tensor, Tensor]:
    with variable_scope(name, kind, [predictions, labels, weights]):
        predictions, labels, weights = matched(
            math_ops.cast(predictions, dtypes.bool), math_ops.cast(labels, dtypes.bool), weights
        )
        hits, hits_update = true_positives(labels, predictions, weights)
        misses, misses_update = other(labels, predictions, weights)
        value = _ratio(hits, misses, "value")
        update = _ratio(hits_update, misses_update, "update_op")
        return collected(value, update, metrics_collections, updates_collections)


def precision(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of positive predictions is right."""
    return _precision_like(
        "precision", false_positives, labels, predictions, weights, metrics_collections, updates_collections, name
    )


def recall(
    labels: Any, predictions: Any, weights: Any = None, metrics_collections: Any = None, updates_collections: Any = None,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of positive labels is predicted."""
    return _precision_like(
        "recall", false_negatives, labels, predictions, weights, metrics_collections, updates_collections, name
    )


def _at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, includes: Any = ("tp", "fn", "tn", "fp")
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Counts for each threshold, as variables and as their updates."""
    from tensorfleet._ops import check_ops

    predictions = convert_to_tensor(predictions)
    message = "predictions must be in [0, 1]"
    low = check_ops.assert_greater_equal(predictions, math_ops.cast(0.0, predictions.dtype), message=message)
    high = check_ops.assert_less_equal(predictions, math_ops.cast(1.0, predictions.dtype), message=message)
    with get_default_graph().control_dependencies([check for check in (low, high) if check is not None]):
        predictions, labels, weights = matched(
            math_ops.cast(predictions, dtypes.float32), math_ops.cast(labels, dtypes.bool), weights
        )
    count = len(thresholds)
    columns = array_ops.reshape(predictions, [-1, 1])
    label_row = array_ops.reshape(math_ops.cast(labels, dtypes.bool), [1, -1])
    number: Any = columns.shape[0].value
    if number is None:
        number = array_ops.shape(columns)[0]
    tiled = array_ops.tile(array_ops.expand_dims(constant(thresholds), [1]), array_ops.stack([1, number]))
    positive = one("Greater", array_ops.tile(array_ops.transpose(columns), [count, 1]), tiled)
    negative = one("LogicalNot", positive) if "fn" in includes or "tn" in includes else None
    is_true = array_ops.tile(label_row, [count, 1])
    is_false = one("LogicalNot", is_true) if "fp" in includes or "tn" in includes else None
    weights_tiled = None
    if weights is not None:
        wide = broadcast_weights(math_ops.cast(weights, dtypes.float32), predictions)
        weights_tiled = array_ops.tile(array_ops.reshape(wide, [1, -1]), [count, 1])
    names = {"tp": "true_positives", "fn": "false_negatives", "tn": "true_negatives", "fp": "false_positives"}
    pairs = {"tp": (is_true, positive), "fn": (is_true, negative), "tn": (is_false, negative), "fp": (is_false, positive)}
    values, updates = {}, {}
    for key in ("tp", "fn", "tn", "fp"):
        if key not in includes:
            continue
        variable = metric_variable([count], dtypes.float32, name=names[key])
        hits = math_ops.cast(one("LogicalAnd", *pairs[key]), dtypes.float32)
        if weights_tiled is not None:
            hits *= weights_tiled
        updates[key] = variable.assign_add(math_ops.reduce_sum(hits, 1))
        values[key] = variable
    return values, updates


def _count_at_thresholds(key: str, name: str) -> Callable[..., tuple[Tensor, Tensor]]:
    default = name

    def count(
        labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
        updates_collections: Any = None, name: str | None = None,
    ) -> tuple[Tensor, Tensor]:
        with variable_scope(name, default, [predictions, labels, weights]):
            values, updates = _at_thresholds(labels, predictions, thresholds, weights, includes=(key,))
            return collected(
                array_ops.identity(values[key]), updates[key], metrics_collections, updates_collections
            )

    count.__name__ = count.__qualname__ = f"{name}_at_thresholds"
    count.__doc__ = f"The {name.replace('_', ' ')} for each of several thresholds."
    return count


true_positives_at_thresholds = _count_at_thresholds("tp", "true_positives")
false_positives_at_thresholds = _count_at_thresholds("fp", "false_positives")
false_negatives_at_thresholds = _count_at_thresholds("fn", "false_negatives")
true_negatives_at_thresholds = _count_at_thresholds("tn", "true_negatives")


def _ratio_at_thresholds(
    kind: str, other: str, labels: Any, predictions: Any, thresholds: Any, weights: Any, metrics_collections: Any,
    updates_collections: Any, name: str | None,
) -> tuple[Tensor, Tensor]:
    with variable_scope(name, f"{kind}_at_thresholds", [predictions, labels, weights]):
        values, updates = _at_thresholds(labels, predictions, thresholds, weights, includes=("tp", other))

        def ratio(counts: dict[str, Any], suffix: str) -> Tensor:
            return one("RealDiv", counts["tp"], _EPSILON + counts["tp"] + counts[other], name=f"{kind}_{suffix}")

        return collected(ratio(values, "value"), ratio(updates, "update_op"), metrics_collections, updates_collections)


def precision_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The precision for each of several thresholds."""
    return _ratio_at_thresholds(
        "precision", "fp", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


def recall_at_thresholds(
    labels: Any, predictions: Any, thresholds: Any, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The recall for each of several thresholds."""
    return _ratio_at_thresholds(
        "recall", "fn", labels, predictions, thresholds, weights, metrics_collections, updates_collections, name
    )


def _thresholds(count: int, above: float = _EPSILON) -> list[float]:
    inner = [(i + 1) * 1.0 / (count - 1) for i in range(count - 2)]
    return [0.0 - _EPSILON, *inner, 1.0 + above]


def auc(
    labels: Any, predictions: Any, weights: Any = None, num_thresholds: int = 200, metrics_collections: Any = None,
    updates_collections: Any = None, curve: str = "ROC", name: str | None = None, summation_method: str = "trapezoidal",
    thresholds: Any = None,
) -> tuple[Tensor, Tensor]:
    """The area under the curve of hits over false alarms ("ROC"), or of precision over recall ("PR")."""
    if curve not in ("ROC", "PR"):
        raise ValueError(f"curve is {curve!r}; it can be 'ROC' or 'PR'")
    if summation_method not in ("trapezoidal", "minoring", "majoring"):
        raise NotImplementedError(f"auc sums by 'trapezoidal', 'minoring' or 'majoring', not by {summation_method!r}")
    with variable_scope(name, "auc", [labels, predictions, weights]):
        if thresholds is not None:
            limits = [0.0 - _EPSILON, *sorted(thresholds), 1.0 + _EPSILON]
        else:
            limits = _thresholds(num_thresholds)
        values, updates = _at_thresholds(labels, predictions, limits, weights)
        last = len(limits) - 1

        def area(c: dict[str, Any], name: str) -> Tensor:
            hits = _divided(c["tp"] + _AREA_EPSILON, c["tp"] + c["fn"] + _AREA_EPSILON)
            if curve == "ROC":
                x, y = _divided(c["fp"], c["fp"] + c["tn"] + _AREA_EPSILON), hits
            else:
                x, y = hits, _divided(c["tp"] + _AREA_EPSILON, c["tp"] + c["fp"] + _AREA_EPSILON)
            width = x[:last] - x[1:]  # type: ignore[index]
            if summation_method == "trapezoidal":
                height = (y[:last] + y[1:]) / 2.0  # type: ignore[index]
            else:
                op = "Minimum" if summation_method == "minoring" else "Maximum"
                height = one(op, y[:last], y[1:])  # type: ignore[index]
            return math_ops.reduce_sum(one("Mul", width, height), name=name)

        return collected(area(values, "value"), area(updates, "update_op"), metrics_collections, updates_collections)


def _target(name: str, target: float) -> None:
    if not 0 <= target <= 1:
        raise ValueError(f"`{name}` is {target}, which lies outside of [0, 1]")


def sensitivity_at_specificity(
    labels: Any, predictions: Any, specificity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of positive labels is predicted, at the threshold where that of negative labels is nearest to `specificity`."""
    _target("specificity", specificity)
    with variable_scope(name, "sensitivity_at_specificity", [predictions, labels, weights]):
        values, updates = _at_thresholds(labels, predictions, _thresholds(num_thresholds), weights)

        def found(c: dict[str, Any], name: str) -> Tensor:
            ratios = _divided(c["tn"], c["tn"] + c["fp"] + _EPSILON)
            at = math_ops.cast(math_ops.argmin(math_ops.abs(ratios - specificity), 0), dtypes.int32)
            return one("RealDiv", c["tp"][at], c["tp"][at] + c["fn"][at] + _EPSILON, name=name)

        return collected(found(values, "value"), found(updates, "update_op"), metrics_collections, updates_collections)


def specificity_at_sensitivity(
    labels: Any, predictions: Any, sensitivity: float, weights: Any = None, num_thresholds: int = 200,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of negative labels is predicted, at the last threshold where that of positive labels is nearest to
    `sensitivity`."""
    _target("sensitivity", sensitivity)
    with variable_scope(name, "specificity_at_sensitivity", [predictions, labels, weights]):
        values, updates = _at_thresholds(labels, predictions, _thresholds(num_thresholds, -_EPSILON), weights)

        def found(c: dict[str, Any], name: str) -> Tensor:
            ratios = _divided(c["tp"], c["tp"] + c["fn"] + _EPSILON)
            least = math_ops.reduce_min(math_ops.abs(ratios - sensitivity))
            nearest = math_ops.cast(one("Equal", math_ops.abs(ratios - sensitivity), least), dtypes.int64)
            at = math_ops.cast(math_ops.argmax(math_ops.cumsum(nearest), 0), dtypes.int32)
            return one("RealDiv", c["tn"][at], c["tn"][at] + c["fp"][at] + _EPSILON, name=name)

        return collected(found(values, "value"), found(updates, "update_op"), metrics_collections, updates_collections)


def _set_counts(kind: str, operation: str, labels: Tensor, chosen: Tensor, k: int, weights: Any) -> tuple[Any, Tensor]:
    singular = {"true_positives": "true_positive", "false_positives": "false_positive", "false_negatives": "false_negative"}[kind]
    with op_scope(None, f"{singular}_at_{k}", [chosen, labels]) as scope:
        with op_scope(None, kind, [chosen, labels]):
            indices, values, shape = many(
                "DenseToDenseSetOperation", chosen, labels, set_operation=operation, validate_indices=True
            )
            counts = math_ops.cast(one("SetSize", indices, values, shape, validate_indices=True), dtypes.float64)
            if weights is not None:
                counts = one("Mul", counts, math_ops.cast(weights, dtypes.float64))
        total = math_ops.reduce_sum(counts)
        variable = metric_variable([], dtypes.float64, name=scope)
        return variable, variable.assign_add(total, name="update")


def _top_k_metric(
    kind: str, operation: str, labels: Any, chosen: Tensor, k: int, weights: Any, metrics_collections: Any,
    updates_collections: Any, scope: str,
) -> tuple[Tensor, Tensor]:
    labels = math_ops.cast(labels, dtypes.int64)
    if labels.shape.ndims is not None and chosen.shape.ndims is not None and labels.shape.ndims == chosen.shape.ndims - 1:
        labels = array_ops.expand_dims(labels, -1)
    hits, hits_update = _set_counts("true_positives", "intersection", labels, chosen, k, weights)
    misses, misses_update = _set_counts(kind, operation, labels, chosen, k, weights)
    value = one("RealDiv", hits, math_ops.add(hits, misses), name=scope)
    update = one("RealDiv", hits_update, math_ops.add(hits_update, misses_update), name="update")
    return collected(value, update, metrics_collections, updates_collections)


def _only_all(class_id: Any) -> None:
    if class_id is not None:
        raise NotImplementedError("metrics at k count all classes here: class_id is not taken")


def recall_at_top_k(
    labels: Any, predictions_idx: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of the labels is among `k` predicted classes."""
    _only_all(class_id)
    with op_scope(name, f"recall_at_{k}", [predictions_idx, labels]) as scope:
        chosen = math_ops.cast(predictions_idx, dtypes.int64)
        return _top_k_metric(
            "false_negatives", "b-a", labels, chosen, k, weights, metrics_collections, updates_collections, scope
        )


def recall_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of the labels is among the `k` classes with the largest predictions."""
    with op_scope(name, f"recall_at_{k}", [predictions, labels]) as scope:
        chosen = many("TopKV2", predictions, k, sorted=True)[1]
        return recall_at_top_k(labels, chosen, k, class_id, weights, metrics_collections, updates_collections, scope)


def precision_at_top_k(
    labels: Any, predictions_idx: Any, k: int | None = None, class_id: Any = None, weights: Any = None,
    metrics_collections: Any = None, updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of `k` predicted classes is among the labels."""
    _only_all(class_id)
    k = k or int(predictions_idx.shape[-1])
    with op_scope(name, f"precision_at_{k}", [predictions_idx, labels]) as scope:
        chosen = math_ops.cast(predictions_idx, dtypes.int64)
        return _top_k_metric(
            "false_positives", "a-b", labels, chosen, k, weights, metrics_collections, updates_collections, scope
        )


def precision_at_k(
    labels: Any, predictions: Any, k: int, class_id: Any = None, weights: Any = None, metrics_collections: Any = None,
    updates_collections: Any = None, name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """Which part of the `k` classes with the largest predictions is among the labels."""
    with op_scope(name, f"precision_at_{k}", [predictions, labels]) as scope:
        chosen = many("TopKV2", predictions, k, sorted=True)[1]
        return precision_at_top_k(labels, chosen, k, class_id, weights, metrics_collections, updates_collections, scope)


sparse_precision_at_k = precision_at_k
