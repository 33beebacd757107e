"""Random numbers: `tf.random`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.collections import get_seed, set_random_seed
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.nn_candidate import (
    all_candidate_sampler, fixed_unigram_candidate_sampler, learned_unigram_candidate_sampler,
    log_uniform_candidate_sampler, uniform_candidate_sampler,
)
from tensorfleet._ops.random_ops import (
    multinomial, random_gamma as gamma, random_normal as normal, random_poisson as poisson, random_shuffle as shuffle, truncated_normal, random_uniform as uniform,
)
from tensorfleet._ops.stateless_random_ops import (
    stateless_multinomial, stateless_multinomial as stateless_categorical, stateless_random_normal as stateless_normal, stateless_random_poisson as stateless_poisson,
    stateless_truncated_normal, stateless_random_uniform as stateless_uniform,
)

__all__ = [
    "all_candidate_sampler", "categorical", "fixed_unigram_candidate_sampler", "gamma", "get_seed",
    "learned_unigram_candidate_sampler", "log_uniform_candidate_sampler", "multinomial", "normal", "poisson",
    "set_random_seed",
    "shuffle", "stateless_categorical", "stateless_multinomial", "stateless_normal", "stateless_poisson", "stateless_truncated_normal",
    "stateless_uniform", "truncated_normal", "uniform", "uniform_candidate_sampler",
]


def categorical(logits: Any, num_samples: Any, dtype: Any = None, seed: int | None = None, name: str | None = None) -> Tensor:
    """Numbers of classes drawn at random, for each row of logarithms of their likelihoods."""
    return multinomial(logits, num_samples, seed, name or "categorical", dtype)
