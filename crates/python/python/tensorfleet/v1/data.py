"""``tf.data``: input pipelines."""

from __future__ import annotations

from typing import Any

from tensorfleet._data.dataset import Dataset
from tensorfleet._data.iterators import Iterator, make_initializable_iterator, make_one_shot_iterator
from tensorfleet._data.options import Options
from tensorfleet._data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset
from tensorfleet._data.structure import DatasetSpec
from tensorfleet._data import experimental

__all__ = [
    "AUTOTUNE", "Dataset", "DatasetSpec", "FixedLengthRecordDataset", "INFINITE_CARDINALITY", "Iterator", "Options",
    "TFRecordDataset", "TextLineDataset", "UNKNOWN_CARDINALITY", "experimental", "get_output_classes", "get_output_shapes",
    "get_output_types", "make_initializable_iterator", "make_one_shot_iterator",
]

AUTOTUNE = -1
INFINITE_CARDINALITY = -1
UNKNOWN_CARDINALITY = -2


def get_output_types(dataset_or_iterator: Any) -> Any:
    """The types of the components of elements."""
    return dataset_or_iterator.output_types


def get_output_shapes(dataset_or_iterator: Any) -> Any:
    """The shapes of the components of elements."""
    return dataset_or_iterator.output_shapes


def get_output_classes(dataset_or_iterator: Any) -> Any:
    """The classes of the components of elements."""
    return dataset_or_iterator.output_classes
