"""Sequences as lists of steps (`tf.contrib.legacy_seq2seq`): losses, and decoders with and without attention."""

from __future__ import annotations

from typing import Any

from tensorfleet._contrib.attention import (
    attention_decoder, embedding_attention_decoder, embedding_attention_seq2seq, model_with_buckets, unused_copy,
)
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.variable_scope import get_variable_scope, variable_scope
from tensorfleet._ops import array_ops, math_ops, nn_loss
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.rnn import static_rnn
from tensorfleet.v1._refused import refusing

__all__ = [
    "attention_decoder", "basic_rnn_seq2seq", "embedding_attention_decoder", "embedding_attention_seq2seq", "model_with_buckets",
    "rnn_decoder", "sequence_loss", "sequence_loss_by_example",
]


def sequence_loss_by_example(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, softmax_loss_function: Any = None,
    name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of each example, summed over the steps of a list."""
    if not len(logits) == len(targets) == len(weights):
        raise ValueError(
            f"there are {len(logits)} logits, {len(weights)} weights and {len(targets)} targets: as many of each are needed"
        )
    with op_scope(name, "sequence_loss_by_example", [*logits]):
        losses = []
        for logit, target, weight in zip(logits, targets, weights):
            if softmax_loss_function is None:
                target = array_ops.reshape(target, [-1])
                crossent = nn_loss.sparse_softmax_cross_entropy_with_logits(labels=target, logits=logit)
            else:
                crossent = softmax_loss_function(labels=target, logits=logit)
            losses.append(crossent * weight)
        total = math_ops.add_n(losses)
        if average_across_timesteps:
            total /= math_ops.add_n(list(weights)) + 1e-12
        return total


def sequence_loss(
    logits: Any, targets: Any, weights: Any, average_across_timesteps: bool = True, average_across_batch: bool = True,
    softmax_loss_function: Any = None, name: str | None = None,
) -> Tensor:
    """The weighted cross entropy of all examples, summed over the steps of a list."""
    with op_scope(name, "sequence_loss", [*logits]):
        cost = math_ops.reduce_sum(
            sequence_loss_by_example(logits, targets, weights, average_across_timesteps, softmax_loss_function)
        )
        if average_across_batch:
            return cost / math_ops.cast(array_ops.shape(targets[0])[0], cost.dtype)
        return cost


def rnn_decoder(decoder_inputs: Any, initial_state: Any, cell: Any, loop_function: Any = None, scope: Any = None) -> Any:
    """A cell applied to a list of inputs; `loop_function` makes the next input of the output instead."""
    with variable_scope(scope or "rnn_decoder"):
        state, outputs, last = initial_state, [], None
        for i, value in enumerate(decoder_inputs):
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    value = loop_function(last, i)
            if i > 0:
                get_variable_scope().reuse_variables()
            output, state = cell(value, state)
            outputs.append(output)
            if loop_function is not None:
                last = output
        return outputs, state


def basic_rnn_seq2seq(encoder_inputs: Any, decoder_inputs: Any, cell: Any, dtype: Any = None, scope: Any = None) -> Any:
    """A network that reads one list and another, from the first's last state, that writes one."""
    from tensorfleet._framework import dtypes

    with variable_scope(scope or "basic_rnn_seq2seq"):
        _, state = static_rnn(unused_copy(cell), encoder_inputs, dtype=dtype or dtypes.float32)
        return rnn_decoder(decoder_inputs, state, cell)


__getattr__ = refusing(
    "tf.contrib.legacy_seq2seq", "tf.nn.dynamic_rnn for the encoder and tf.nn.raw_rnn or tf.while_loop for the decoder"
)
