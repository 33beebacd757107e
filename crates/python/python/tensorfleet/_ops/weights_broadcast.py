"""Weights of losses and metrics: whether they fit the values, and their extension to the values' shape."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import constant_value, convert_to_tensor
from tensorfleet._framework.graph import Operation, Tensor, get_default_graph
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.op_scope import op_scope


def _mismatch(weights: Any, values: Any) -> str:
    return f"the weights' shape {weights} does not broadcast to the values' {values}"


def assert_broadcastable(weights: Any, values: Any) -> Any:
    """An operation that fails unless weights are a scalar, or have the values' number of dimensions, each as long as theirs or 1.

    What can be said now is: ValueError.
    """
    from tensorfleet._ops import control_flow

    with op_scope(None, "assert_broadcastable", [weights, values]) as scope:
        with op_scope(None, "weights", [weights]) as weights_scope:
            weights = convert_to_tensor(weights, name=weights_scope) if not isinstance(weights, Tensor) else weights
            weights_shape = array_ops.shape(weights, name="shape")
            weights_rank = array_ops.rank(weights, name="rank")
        known_rank = constant_value(weights_rank)
        with op_scope(None, "values", [values]) as values_scope:
            values = convert_to_tensor(values, name=values_scope) if not isinstance(values, Tensor) else values
            values_shape = array_ops.shape(values, name="shape")
            values_rank = array_ops.rank(values, name="rank")
        known_values_rank = constant_value(values_rank)
        if known_rank is not None and known_values_rank is not None:
            if known_rank == 0:
                return control_flow.no_op(name="static_scalar_check_success")
            if known_rank != known_values_rank:
                raise ValueError(_mismatch(weights.shape, values.shape))
            if weights.shape.is_fully_defined() and values.shape.is_fully_defined():
                for mine, theirs in zip(weights.shape.as_list(), values.shape.as_list()):
                    if mine not in (1, theirs):
                        raise ValueError(_mismatch(weights.shape, values.shape))
                return control_flow.no_op(name="static_dims_check_success")
        is_scalar = one("Equal", 0, weights_rank, name="is_scalar")
        valid = control_flow.cond(
            is_scalar, lambda: is_scalar,
            lambda: _nonscalar(weights_rank, weights_shape, values_rank, values_shape), name="is_valid_shape",
        )
        data = [
            "weights can not be broadcast to values.", "weights.shape=", weights.name, weights_shape, "values.shape=", values.name,
            values_shape, "is_scalar=", is_scalar,
        ]
        return control_flow.Assert(valid, data, name=scope)


def _nonscalar(weights_rank: Tensor, weights_shape: Tensor, values_rank: Tensor, values_shape: Tensor) -> Tensor:
    from tensorfleet._ops import control_flow

    with op_scope(None, "has_valid_nonscalar_shape", [weights_rank]) as scope:
        same = one("Equal", values_rank, weights_rank, name="is_same_rank")
        return control_flow.cond(same, lambda: _no_invalid_dims(weights_shape, values_shape), lambda: same, name=scope)


def _no_invalid_dims(weights_shape: Tensor, values_shape: Tensor) -> Tensor:
    """Whether each length of the weights is 1 or the values'."""
    with op_scope(None, "has_invalid_dims", [weights_shape, values_shape]) as scope:
        lengths = array_ops.expand_dims(values_shape, -1)
        allowed = array_ops.concat([lengths, array_ops.ones_like(lengths)], 1)
        mine = array_ops.expand_dims(weights_shape, -1)
        rest = many("DenseToDenseSetOperation", mine, allowed, set_operation="a-b", validate_indices=True)[1]
        return one("Equal", 0, array_ops.size(rest, name="num_invalid_dims"), name=scope)


def broadcast_weights(weights: Any, values: Any) -> Tensor:
    """Weights in the shape of the values."""
    with op_scope(None, "broadcast_weights", [weights, values]) as scope:
        values = convert_to_tensor(values, name="values")
        weights = convert_to_tensor(weights, dtype=values.dtype.base_dtype, name="weights")
        if weights.shape.is_fully_defined() and values.shape.is_fully_defined() and \
                weights.shape.as_list() == values.shape.as_list():
            return weights
        with get_default_graph().control_dependencies([assert_broadcastable(weights, values)]):
            return one("Mul", weights, array_ops.ones_like(values), name=scope)


def remove_squeezable_dimensions(
    labels: Any, predictions: Any, expected_rank_diff: int = 0, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """Labels and predictions without a last dimension of length 1 that one has more than the other."""
    from tensorfleet._ops import control_flow

    with op_scope(name, "remove_squeezable_dimensions", [labels, predictions]):
        predictions, labels = convert_to_tensor(predictions), convert_to_tensor(labels)
        if predictions.shape.ndims is not None and labels.shape.ndims is not None:
            difference = predictions.shape.ndims - labels.shape.ndims
            if difference == expected_rank_diff + 1 and predictions.shape.dims[-1].is_compatible_with(1):
                predictions = array_ops.squeeze(predictions, [-1])
            elif difference == expected_rank_diff - 1 and labels.shape.dims[-1].is_compatible_with(1):
                labels = array_ops.squeeze(labels, [-1])
            return labels, predictions
        rank_difference = array_ops.rank(predictions) - array_ops.rank(labels)
        if predictions.shape.ndims is None or predictions.shape.dims[-1].is_compatible_with(1):
            predictions = control_flow.cond(
                one("Equal", expected_rank_diff + 1, rank_difference), lambda: array_ops.squeeze(predictions, [-1]),
                lambda: predictions,
            )
        if labels.shape.ndims is None or labels.shape.dims[-1].is_compatible_with(1):
            labels = control_flow.cond(
                one("Equal", expected_rank_diff - 1, rank_difference), lambda: array_ops.squeeze(labels, [-1]), lambda: labels
            )
        return labels, predictions


def as_float(value: Any) -> Tensor:
    """A value as float32."""
    return math_ops.cast(value, dtypes.float32)


def operations_of(value: Any) -> Operation:
    """The operation of a tensor, or the operation itself."""
    return getattr(value, "op", value)
