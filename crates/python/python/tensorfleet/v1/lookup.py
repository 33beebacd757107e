"""Lookup tables: `tf.lookup`."""

from __future__ import annotations

from tensorfleet._ops.lookup_ops import (
    KeyValueTensorInitializer, MutableHashTable, StaticHashTable, StaticVocabularyTable, TextFileIndex, TextFileInitializer,
)

__all__ = [
    "KeyValueTensorInitializer", "MutableHashTable", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex",
    "TextFileInitializer",
]
