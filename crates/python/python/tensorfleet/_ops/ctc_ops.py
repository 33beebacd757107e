"""Sequences that are not aligned with their labels: connectionist temporal classification."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import many
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import renamed

__all__ = ["ctc_loss", "ctc_greedy_decoder", "ctc_beam_search_decoder", "ctc_beam_search_decoder_v2"]


def ctc_loss(
    labels: Any, inputs: Any = None, sequence_length: Any = None, preprocess_collapse_repeated: bool = False,
    ctc_merge_repeated: bool = True, ignore_longer_outputs_than_inputs: bool = False, time_major: bool = True, logits: Any = None,
) -> Tensor:
    """The negative logarithm of the likelihood of each sequence of labels, a sparse tensor, under the logits of all times. The last
    class stands for no label."""
    from tensorfleet._ops.shape_ops import transpose

    if not isinstance(labels, SparseTensor):
        raise TypeError(f"Expected labels to be a SparseTensor, not {type(labels).__name__}")
    given: Any = convert_to_tensor(renamed(inputs, logits, "inputs", "logits"), name="logits")
    if not time_major:
        given = transpose(given, [1, 0, 2])
    return many(
        "CTCLoss", given, labels.indices, labels.values, sequence_length,
        preprocess_collapse_repeated=preprocess_collapse_repeated, ctc_merge_repeated=ctc_merge_repeated,
        ignore_longer_outputs_than_inputs=ignore_longer_outputs_than_inputs,
    )[0]


def ctc_greedy_decoder(
    inputs: Any, sequence_length: Any, merge_repeated: bool = True, blank_index: int | None = None
) -> tuple[list[SparseTensor], Tensor]:
    """The labels that follow from the likeliest class of each time, in a list of one sparse tensor, and the logarithm of the
    likelihood of each sequence, with the other sign."""
    indices, labels, shape, score = many(
        "CTCGreedyDecoder", inputs, sequence_length, merge_repeated=merge_repeated, blank_index=blank_index)
    return [SparseTensor(indices, labels, shape)], score


def ctc_beam_search_decoder(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest sequences of labels, the best first, each as a sparse tensor, and the logarithms of their likelihoods."""
    found = many(
        "CTCBeamSearchDecoder", inputs, sequence_length, beam_width=beam_width, top_paths=top_paths,
        merge_repeated=merge_repeated)
    indices, labels, shapes = (found[part * top_paths:(part + 1) * top_paths] for part in range(3))
    return [SparseTensor(*parts) for parts in zip(indices, labels, shapes)], found[-1]


def ctc_beam_search_decoder_v2(
    inputs: Any, sequence_length: Any, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """As :func:`ctc_beam_search_decoder`, with repeated labels left as they are."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
