"""Sampling of classes, for losses over many of them."""

from __future__ import annotations

from collections import namedtuple
from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.collections import get_seed
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._framework.partitioned import PartitionedVariable
from tensorfleet._ops import array_ops, math_ops
from tensorfleet._ops.nn_embedding import embedding_lookup
from tensorfleet._ops.nn_loss import sigmoid_cross_entropy_with_logits, softmax_cross_entropy_with_logits_v2
from tensorfleet._ops.op_scope import op_scope

__all__ = [
    "all_candidate_sampler", "compute_accidental_hits", "fixed_unigram_candidate_sampler", "learned_unigram_candidate_sampler",
    "log_uniform_candidate_sampler", "nce_loss", "sampled_softmax_loss", "uniform_candidate_sampler",
]

Sampled = namedtuple("Sampled", ["sampled_candidates", "true_expected_count", "sampled_expected_count"])


def _seeds(seed: int | None) -> dict[str, int]:
    first, second = get_seed(seed)
    return {"seed": first or 0, "seed2": second or 0}


def _sample(op: str, true_classes: Any, name: str | None, seed: int | None, **attrs: Any) -> Any:
    return Sampled(*many(op, true_classes, name=name, **attrs, **_seeds(seed)))


def log_uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of classes, of which small numbers are more frequent, as those of words sorted by their frequency."""
    return _sample(
        "LogUniformCandidateSampler", true_classes, name, seed, num_true=num_true, num_sampled=num_sampled, unique=unique,
        range_max=range_max,
    )


def uniform_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of classes, all equally frequent."""
    return _sample(
        "UniformCandidateSampler", true_classes, name, seed, num_true=num_true, num_sampled=num_sampled, unique=unique,
        range_max=range_max,
    )


def learned_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Samples of classes, as frequent as they were among the true ones so far."""
    return _sample(
        "LearnedUnigramCandidateSampler", true_classes, name, seed, num_true=num_true, num_sampled=num_sampled, unique=unique,
        range_max=range_max,
    )


def fixed_unigram_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, range_max: int, vocab_file: str = "",
    distortion: float = 1.0, num_reserved_ids: int = 0, num_shards: int = 1, shard: int = 0, unigrams: Any = (),
    seed: int | None = None, name: str | None = None,
) -> Any:
    """Samples of classes whose frequencies are given, in a list or in a file."""
    return _sample(
        "FixedUnigramCandidateSampler", true_classes, name, seed, num_true=num_true, num_sampled=num_sampled, unique=unique,
        range_max=range_max, vocab_file=vocab_file, distortion=float(distortion), num_reserved_ids=num_reserved_ids,
        num_shards=num_shards, shard=shard, unigrams=[float(count) for count in unigrams],
    )


def all_candidate_sampler(
    true_classes: Any, num_true: int, num_sampled: int, unique: bool, seed: int | None = None, name: str | None = None
) -> Any:
    """All classes, as samples; for tests."""
    return _sample(
        "AllCandidateSampler", true_classes, name, seed, num_true=num_true, num_sampled=num_sampled, unique=unique
    )


def compute_accidental_hits(
    true_classes: Any, sampled_candidates: Any, num_true: int, seed: int | None = None, name: str | None = None
) -> list[Tensor]:
    """Where samples are true classes: their rows, their places among the samples, and a weight that takes them out."""
    return many("ComputeAccidentalHits", true_classes, sampled_candidates, name=name, num_true=num_true, **_seeds(seed))


def _rows_sums(x: Tensor) -> Tensor:
    columns = array_ops.shape(x)[1]  # type: ignore[index]
    ones = array_ops.ones(array_ops.stack([columns, 1]), x.dtype)
    return array_ops.reshape(math_ops.matmul(x, ones), [-1])


def _sampled_logits(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int, sampled_values: Any,
    subtract_log_q: bool, remove_accidental_hits: bool, strategy: str, name: str, seed: int | None,
) -> tuple[Tensor, Tensor]:
    """The logits of the true and of the sampled classes, and labels for them."""
    if isinstance(weights, PartitionedVariable):
        weights = list(weights)
    weights = list(weights) if isinstance(weights, (list, tuple)) else [weights]
    with op_scope(name, "compute_sampled_logits", [*weights, biases, inputs, labels]):
        labels = convert_to_tensor(labels)
        if labels.dtype.base_dtype != dtypes.int64:
            labels = math_ops.cast(labels, dtypes.int64)
        flat = array_ops.reshape(labels, [-1])
        if sampled_values is None:
            sampled_values = log_uniform_candidate_sampler(labels, num_true, num_sampled, True, num_classes, seed=seed)
        sampled, true_count, sampled_count = (one("StopGradient", value) for value in sampled_values)
        if sampled.dtype.base_dtype != dtypes.int64:
            sampled = math_ops.cast(sampled, dtypes.int64)
        ids = array_ops.concat([flat, sampled], 0)
        rows = embedding_lookup(weights, ids, partition_strategy=strategy)
        inputs = convert_to_tensor(inputs)
        if rows.dtype.base_dtype != inputs.dtype.base_dtype:
            rows = math_ops.cast(rows, inputs.dtype.base_dtype)
        true_rows = array_ops.slice(rows, [0, 0], array_ops.stack([array_ops.shape(flat)[0], -1]))
        sampled_rows = array_ops.slice(rows, array_ops.stack([array_ops.shape(flat)[0], 0]), [-1, -1])
        sampled_logits = math_ops.matmul(inputs, sampled_rows, transpose_b=True)
        all_biases = embedding_lookup(biases, ids, partition_strategy=strategy)
        if all_biases.dtype.base_dtype != inputs.dtype.base_dtype:
            all_biases = math_ops.cast(all_biases, inputs.dtype.base_dtype)
        true_biases = array_ops.slice(all_biases, [0], array_ops.shape(flat))
        sampled_biases = array_ops.slice(all_biases, array_ops.shape(flat), [-1])
        dim = array_ops.shape(true_rows)[1:2]  # type: ignore[index]
        by_class = array_ops.concat([[-1, num_true], dim], 0)
        products = one("Mul", array_ops.expand_dims(inputs, 1), array_ops.reshape(true_rows, by_class))
        as_matrix = array_ops.reshape(products, array_ops.concat([[-1], dim], 0))
        true_logits = array_ops.reshape(_rows_sums(as_matrix), [-1, num_true])
        true_biases = array_ops.reshape(true_biases, [-1, num_true])
        true_logits += true_biases
        sampled_logits += sampled_biases
        if remove_accidental_hits:
            rows_hit, places, taken = compute_accidental_hits(labels, sampled, num_true=num_true)
            rows_hit = array_ops.reshape(rows_hit, [-1, 1])
            places = array_ops.reshape(math_ops.cast(places, dtypes.int32), [-1, 1])
            where = array_ops.concat([rows_hit, places], 1, name="sparse_indices")
            shape = array_ops.concat([array_ops.shape(labels)[:1], array_ops.expand_dims(num_sampled, 0)], 0)
            if sampled_logits.dtype.base_dtype != taken.dtype.base_dtype:
                taken = math_ops.cast(taken, sampled_logits.dtype.base_dtype)
            sampled_logits += one("SparseToDense", where, shape, taken, 0.0, validate_indices=False)
        if subtract_log_q:
            true_logits -= one("Log", true_count)
            sampled_logits -= one("Log", sampled_count)
        logits = array_ops.concat([true_logits, sampled_logits], 1)
        made = array_ops.concat(
            [array_ops.ones_like(true_logits) / num_true, array_ops.zeros_like(sampled_logits)], 1
        )
        return logits, made


def nce_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = False, partition_strategy: str = "mod", name: str = "nce_loss",
) -> Tensor:
    """The loss that tells true classes from sampled ones, for each row. Before TensorFlow 1.0 `inputs` came before `labels`,
    which is understood if the labels are integers."""
    if _is_integral(inputs) and not _is_integral(labels):
        inputs, labels = labels, inputs
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True, remove_accidental_hits,
        partition_strategy, name, None,
    )
    return _rows_sums(sigmoid_cross_entropy_with_logits(labels=targets, logits=logits, name="sampled_losses"))


def sampled_softmax_loss(
    weights: Any, biases: Any, labels: Any, inputs: Any, num_sampled: int, num_classes: int, num_true: int = 1,
    sampled_values: Any = None, remove_accidental_hits: bool = True, partition_strategy: str = "mod",
    name: str = "sampled_softmax_loss", seed: int | None = None,
) -> Tensor:
    """The cross entropy of a softmax over the true and some sampled classes, for each row. Before TensorFlow 1.0 `inputs` came
    before `labels`, which is understood if the labels are integers."""
    if _is_integral(inputs) and not _is_integral(labels):
        inputs, labels = labels, inputs
    logits, targets = _sampled_logits(
        weights, biases, labels, inputs, num_sampled, num_classes, num_true, sampled_values, True, remove_accidental_hits,
        partition_strategy, name, seed,
    )
    targets = one("StopGradient", targets, name="labels_stop_gradient")
    return softmax_cross_entropy_with_logits_v2(labels=targets, logits=logits)


def _is_integral(value: Any) -> bool:
    kind = getattr(value, "dtype", None)
    return kind is not None and dtypes.as_dtype(kind).base_dtype.is_integer
