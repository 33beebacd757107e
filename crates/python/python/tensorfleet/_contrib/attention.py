"""Decoders that look back at what an encoder wrote, step by step over lists (`tf.contrib.legacy_seq2seq`)."""

from __future__ import annotations

import copy
import weakref
from typing import Any, Callable

from tensorfleet._framework import dtypes, nest
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.init_ops import zeros_initializer
from tensorfleet._framework.variable_scope import get_variable, get_variable_scope, variable_scope
from tensorfleet._ops import array_ops, math_ops, nn_activation, nn_conv, nn_embedding
from tensorfleet._ops.cond_ops import cond
from tensorfleet._ops.op_scope import op_scope
from tensorfleet._ops.rnn import static_rnn

__all__ = ["attention_decoder", "embedding_attention_decoder", "embedding_attention_seq2seq", "model_with_buckets"]


# Cells as they were before their first use.
_UNUSED: weakref.WeakKeyDictionary[Any, Any] = weakref.WeakKeyDictionary()


def unused_copy(cell: Any) -> Any:
    """A cell like the given one, with variables of its own, also if that one has been used in the meantime."""
    if cell not in _UNUSED:
        _UNUSED[cell] = copy.deepcopy(cell)
    return copy.deepcopy(_UNUSED[cell])


def _linear(parts: list[Any], size: int, kind: Any) -> Any:
    """A dense layer over several tensors side by side, with the names `kernel` and `bias`."""
    width = sum(int(part.shape[1]) for part in parts)
    kernel = get_variable("kernel", [width, size], dtype=kind)
    bias = get_variable("bias", [size], dtype=kind, initializer=zeros_initializer())
    joined = parts[0] if len(parts) == 1 else array_ops.concat(parts, 1)
    return nn_activation.bias_add(math_ops.matmul(joined, kernel), bias)


def attention_decoder(
    decoder_inputs: list[Any], initial_state: Any, attention_states: Any, cell: Any, output_size: int | None = None,
    num_heads: int = 1, loop_function: Callable[..., Any] | None = None, dtype: Any = None, scope: Any = None,
    initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """A cell that in each step also sees a weighted mean of `attention_states`, [batch, length, size]; the weights follow from
    its state."""
    if not decoder_inputs:
        raise ValueError("a decoder needs at least one input")
    if num_heads < 1:
        raise ValueError(f"there is at least one head, not {num_heads}")
    size = attention_states.shape[2].value
    if size is None:
        raise ValueError(f"the last dimension of attention_states is not known: {attention_states.shape}")
    kind = dtypes.as_dtype(dtype or dtypes.float32)
    output_size = cell.output_size if output_size is None else output_size
    with variable_scope(scope or "attention_decoder", dtype=kind):
        batch: Any = array_ops.shape(decoder_inputs[0])[0]  # type: ignore[index]
        length: Any = attention_states.shape[1].value
        if length is None:
            length = array_ops.shape(attention_states)[1]  # type: ignore[index]
        hidden: Any = array_ops.reshape(attention_states, [-1, length, 1, size])
        features, weights = [], []
        for head in range(num_heads):
            filters = get_variable(f"AttnW_{head}", [1, 1, size, size], dtype=kind)
            features.append(nn_conv.conv2d(hidden, filters, [1, 1, 1, 1], "SAME"))
            weights.append(get_variable(f"AttnV_{head}", [size], dtype=kind))

        def attention(query: Any) -> list[Any]:
            parts = nest.flatten(query)
            looked = []
            for head in range(num_heads):
                with variable_scope(f"Attention_{head}"):
                    y = array_ops.reshape(_linear(parts, size, kind), [-1, 1, 1, size])
                    scores = math_ops.reduce_sum(weights[head] * math_ops.tanh(features[head] + y), [2, 3])
                    shares: Any = array_ops.reshape(nn_activation.softmax(scores), [-1, length, 1, 1])
                    looked.append(array_ops.reshape(math_ops.reduce_sum(shares * hidden, [1, 2]), [-1, size]))
            return looked

        state, outputs, last = initial_state, [], None
        seen = [array_ops.zeros(array_ops.stack([batch, size]), kind) for _ in range(num_heads)]
        for one in seen:
            one.set_shape([None, size])
        if initial_state_attention:
            seen = attention(initial_state)
        for i, value in enumerate(decoder_inputs):
            if i > 0:
                get_variable_scope().reuse_variables()
            if loop_function is not None and last is not None:
                with variable_scope("loop_function", reuse=True):
                    value = loop_function(last, i)
            mixed = _linear([value, *seen], int(value.shape[1]), kind)
            output, state = cell(mixed, state)
            with variable_scope(get_variable_scope(), reuse=True if i == 0 and initial_state_attention else None):
                seen = attention(state)
            with variable_scope("AttnOutputProjection"):
                output = _linear([output, *seen], output_size, kind)
            last = output if loop_function is not None else None
            outputs.append(output)
        return outputs, state


def _following(embedding: Any, projection: Any, update_embedding: bool = True) -> Callable[..., Any]:
    """What makes the next input of an output: the embedding of the likeliest symbol."""
    from tensorfleet._ops.gradient_ops import stop_gradient

    def loop_function(last: Any, _: int) -> Tensor:
        if projection is not None:
            last = nn_activation.bias_add(math_ops.matmul(last, projection[0]), projection[1])
        found = nn_embedding.embedding_lookup(embedding, math_ops.argmax(last, 1))
        return found if update_embedding else stop_gradient(found)

    return loop_function


def embedding_attention_decoder(
    decoder_inputs: list[Any], initial_state: Any, attention_states: Any, cell: Any, num_symbols: int, embedding_size: int,
    num_heads: int = 1, output_size: int | None = None, output_projection: Any = None, feed_previous: bool = False,
    update_embedding_for_previous: bool = True, dtype: Any = None, scope: Any = None, initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """As :func:`attention_decoder`, of the numbers of symbols; with `feed_previous`, all but the first are its own."""
    kind = dtypes.as_dtype(dtype or dtypes.float32)
    with variable_scope(scope or "embedding_attention_decoder", dtype=kind):
        embedding = get_variable("embedding", [num_symbols, embedding_size], dtype=kind)
        following = _following(embedding, output_projection, update_embedding_for_previous) if feed_previous else None
        inputs = [nn_embedding.embedding_lookup(embedding, symbols) for symbols in decoder_inputs]
        return attention_decoder(
            inputs, initial_state, attention_states, cell, output_size=cell.output_size if output_size is None else output_size,
            num_heads=num_heads, loop_function=following, dtype=kind, initial_state_attention=initial_state_attention)


def embedding_attention_seq2seq(
    encoder_inputs: list[Any], decoder_inputs: list[Any], cell: Any, num_encoder_symbols: int, num_decoder_symbols: int,
    embedding_size: int, num_heads: int = 1, output_projection: Any = None, feed_previous: Any = False, dtype: Any = None,
    scope: Any = None, initial_state_attention: bool = False,
) -> tuple[list[Any], Any]:
    """An encoder of the numbers of symbols, and a decoder that looks back at all of its outputs."""
    from tensorfleet.v1.contrib.rnn import EmbeddingWrapper, OutputProjectionWrapper

    kind = dtypes.as_dtype(dtype or dtypes.float32)
    with variable_scope(scope or "embedding_attention_seq2seq", dtype=kind) as outer:
        reader = EmbeddingWrapper(unused_copy(cell), num_encoder_symbols, embedding_size)
        outputs, state = static_rnn(reader, encoder_inputs, dtype=kind)
        looked_at = array_ops.concat([array_ops.reshape(output, [-1, 1, cell.output_size]) for output in outputs], 1)
        size = None
        if output_projection is None:
            cell, size = OutputProjectionWrapper(cell, num_decoder_symbols), num_decoder_symbols

        def decode(own: bool) -> tuple[list[Any], Any]:
            return embedding_attention_decoder(
                decoder_inputs, state, looked_at, cell, num_decoder_symbols, embedding_size, num_heads=num_heads,
                output_size=size, output_projection=output_projection, feed_previous=own,
                initial_state_attention=initial_state_attention, dtype=kind)

        if isinstance(feed_previous, bool):
            return decode(feed_previous)

        def branch(own: bool) -> list[Any]:
            with variable_scope(outer, reuse=None if own else True):
                written, after = decode(own)
            return written + nest.flatten(after)

        both = cond(feed_previous, lambda: branch(True), lambda: branch(False))
        count = len(decoder_inputs)
        return both[:count], nest.pack_sequence_as(state, both[count:])


def model_with_buckets(
    encoder_inputs: list[Any], decoder_inputs: list[Any], targets: list[Any], weights: list[Any], buckets: list[Any],
    seq2seq: Callable[..., Any], softmax_loss_function: Any = None, per_example_loss: bool = False, name: str | None = None,
) -> tuple[list[Any], list[Any]]:
    """A network for each pair of lengths, all with the same variables: their outputs and their losses."""
    from tensorfleet.v1.contrib.legacy_seq2seq import sequence_loss, sequence_loss_by_example

    longest = [max(bucket[side] for bucket in buckets) for side in (0, 1)]
    for label, given, needed in (
        ("encoder inputs", encoder_inputs, longest[0]), ("targets", targets, longest[1]), ("weights", weights, longest[1]),
    ):
        if len(given) < needed:
            raise ValueError(f"there are {len(given)} {label}, and the largest bucket needs {needed}")
    losses, outputs = [], []
    with op_scope(name, "model_with_buckets", [*encoder_inputs, *decoder_inputs, *targets, *weights]):
        for number, (read, written) in enumerate(buckets):
            with variable_scope(get_variable_scope(), reuse=True if number > 0 else None):
                made, _ = seq2seq(encoder_inputs[:read], decoder_inputs[:written])
                outputs.append(made)
                loss = sequence_loss_by_example if per_example_loss else sequence_loss
                losses.append(loss(
                    made, targets[:written], weights[:written], softmax_loss_function=softmax_loss_function))
    return outputs, losses
