"""The two operations of the word2vec tutorial: pairs of words of a text, and one step of learning from them."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import many
from tensorfleet.v1 import raw_ops

__all__ = ["neg_train", "skipgram"]


def skipgram(
    filename: str, batch_size: int, window_size: int = 5, min_count: int = 5, subsample: float = 1e-3, name: str | None = None,
) -> Any:
    """Words that stand near each other in a text: the vocabulary, its counts, how far the text has been read, and a batch of pairs."""
    return many(
        "Skipgram", filename=filename, batch_size=batch_size, window_size=window_size, min_count=min_count,
        subsample=subsample, name=name,
    )


def neg_train(
    w_in: Any, w_out: Any, examples: Any, labels: Any, lr: Any, vocab_count: Any, num_negative_samples: int, name: str | None = None,
) -> Any:
    """Changes two matrices of embeddings by what a batch of pairs teaches, beside words drawn by their counts."""
    return raw_ops.NegTrain(
        w_in=w_in, w_out=w_out, examples=examples, labels=labels, lr=lr, vocab_count=vocab_count,
        num_negative_samples=num_negative_samples, name=name,
    )
