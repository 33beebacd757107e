"""Losses of sequences (`tf.contrib.seq2seq`); decoders are not here."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.graph import Tensor
from tensorfleet._ops import array_ops, math_ops, nn_loss
from tensorfleet._ops.op_scope import op_scope
from tensorfleet.v1._refused import refusing

__all__ = ["sequence_loss"]


def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True,
    softmax_loss_function: Any = None, name: str | None = None, **_: Any,
) -> Tensor:
    """The weighted cross entropy of sequences: logits are [batch, time, classes], targets and weights [batch, time]."""
    with op_scope(name, "sequence_loss", [logits, targets, weights]):
        classes = array_ops.shape(logits)[2]
        flat_logits = array_ops.reshape(logits, [-1, classes])
        flat_targets = array_ops.reshape(targets, [-1])
        if softmax_loss_function is None:
            crossent = nn_loss.sparse_softmax_cross_entropy_with_logits(labels=flat_targets, logits=flat_logits)
        else:
            crossent = softmax_loss_function(labels=flat_targets, logits=flat_logits)
        crossent *= array_ops.reshape(weights, [-1])
        if average_across_timesteps and average_across_batch:
            return math_ops.div_no_nan(math_ops.reduce_sum(crossent), math_ops.reduce_sum(weights))
        crossent = array_ops.reshape(crossent, array_ops.shape(logits)[0:2])
        for average, axis in ((average_across_timesteps, 1), (average_across_batch, 0)):
            if average:
                return math_ops.div_no_nan(math_ops.reduce_sum(crossent, axis=[axis]), math_ops.reduce_sum(weights, axis=[axis]))
        return crossent


__getattr__ = refusing(
    "tf.contrib.seq2seq", "tf.nn.dynamic_rnn for the encoder and tf.nn.raw_rnn or tf.while_loop for the decoder"
)
