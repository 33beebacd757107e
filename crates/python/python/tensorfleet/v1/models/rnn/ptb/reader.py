"""The Penn Treebank as numbers of words, cut into batches for a language model."""

from __future__ import annotations

import collections
import os
from typing import Any, Iterator

import numpy as np

import tensorfleet.v1 as tf

__all__ = ["ptb_iterator", "ptb_producer", "ptb_raw_data"]


def _words(path: str) -> list[str]:
    with open(path, encoding="utf-8") as file:
        return file.read().replace("\n", " <eos> ").split()


def _vocabulary(path: str) -> dict[str, int]:
    """The number of each word: the most frequent first, equally frequent ones by the alphabet."""
    counts = collections.Counter(_words(path))
    ordered = sorted(counts, key=lambda word: (-counts[word], word))
    return {word: number for number, word in enumerate(ordered)}


def _numbers(path: str, vocabulary: dict[str, int]) -> list[int]:
    return [vocabulary[word] for word in _words(path) if word in vocabulary]


def ptb_raw_data(data_path: Any = None) -> tuple[list[int], list[int], list[int], int]:
    """The words of `ptb.train.txt`, `ptb.valid.txt` and `ptb.test.txt` in a folder as numbers, and how many words there are.
    Words that are not in the first file are left out."""
    folder = os.fspath(data_path or "")
    train, valid, test = (os.path.join(folder, f"ptb.{part}.txt") for part in ("train", "valid", "test"))
    vocabulary = _vocabulary(train)
    return _numbers(train, vocabulary), _numbers(valid, vocabulary), _numbers(test, vocabulary), len(vocabulary)


def ptb_producer(raw_data: Any, batch_size: int, num_steps: int, name: str | None = None) -> tuple[Any, Any]:
    """Tensors of the next piece of a text and of the same one word later, both of shape [batch_size, num_steps]; a queue runner
    goes through the text again and again.

    >>> import tensorfleet.v1 as tf
    >>> now, later = ptb_producer(list(range(10)), 2, 2)
    >>> with tf.train.MonitoredSession() as sess:
    ...     [part.tolist() for part in sess.run((now, later))]
    [[[0, 1], [5, 6]], [[1, 2], [6, 7]]]
    """
    with tf.name_scope(name, "PTBProducer", [raw_data, batch_size, num_steps]):
        text = tf.convert_to_tensor(raw_data, name="raw_data", dtype=tf.int32)
        length = tf.size(text) // batch_size
        rows = tf.reshape(text[: batch_size * length], [batch_size, length])
        pieces = (length - 1) // num_steps
        enough = tf.assert_positive(pieces, message="there are too few words: make batch_size or num_steps smaller")
        with tf.control_dependencies([enough]):
            pieces = tf.identity(pieces, name="epoch_size")
        begin = tf.train.range_input_producer(pieces, shuffle=False).dequeue() * num_steps
        parts = [tf.strided_slice(rows, [0, begin + by], [batch_size, begin + num_steps + by]) for by in (0, 1)]
        for part in parts:
            part.set_shape([batch_size, num_steps])
        return parts[0], parts[1]


def ptb_iterator(raw_data: Any, batch_size: int, num_steps: int) -> Iterator[tuple[Any, Any]]:
    """The pieces that :func:`ptb_producer` gives, as arrays, once.

    >>> [(x.tolist(), y.tolist()) for x, y in ptb_iterator(list(range(10)), 2, 3)]
    [([[0, 1, 2], [5, 6, 7]], [[1, 2, 3], [6, 7, 8]])]
    """
    text = np.array(raw_data, dtype=np.int32)
    length = len(text) // batch_size
    rows = text[: batch_size * length].reshape(batch_size, length)
    pieces = (length - 1) // num_steps
    if pieces == 0:
        raise ValueError(f"{len(text)} words are too few for {batch_size} rows of {num_steps} steps")
    for begin in range(0, pieces * num_steps, num_steps):
        yield rows[:, begin : begin + num_steps], rows[:, begin + 1 : begin + num_steps + 1]
