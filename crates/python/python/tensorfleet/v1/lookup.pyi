# Written by stubs.py; do not edit.

from tensorfleet._ops.lookup_ops import KeyValueTensorInitializer as KeyValueTensorInitializer
from tensorfleet._ops.lookup_ops import MutableHashTable as MutableHashTable
from tensorfleet._ops.lookup_ops import HashTable as StaticHashTable
from tensorfleet._ops.lookup_ops import StaticVocabularyTable as StaticVocabularyTable
from tensorfleet._ops.lookup_ops import TextFileIndex as TextFileIndex
from tensorfleet._ops.lookup_ops import TextFileInitializer as TextFileInitializer

__all__ = [
    "KeyValueTensorInitializer", "MutableHashTable", "StaticHashTable", "StaticVocabularyTable", "TextFileIndex",
    "TextFileInitializer"
]
