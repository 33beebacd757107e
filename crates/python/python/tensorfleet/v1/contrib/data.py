"""``tf.contrib.data``: datasets and functions for `Dataset.apply`, as they were before ``tf.data.experimental``."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._data import experimental
from tensorfleet._data.dataset import Dataset
from tensorfleet._data.experimental import *
from tensorfleet._data.experimental import Transformation, parallel_interleave
from tensorfleet._data.iterators import Iterator
from tensorfleet._data.options import Options
from tensorfleet._data.readers import FixedLengthRecordDataset, TextLineDataset, TFRecordDataset

__all__ = [
    "Dataset", "FixedLengthRecordDataset", "Iterator", "Options", "TFRecordDataset", "TextLineDataset",
    "batch_and_drop_remainder", "padded_batch_and_drop_remainder", "sloppy_interleave",
]
__all__ += experimental.__all__


def batch_and_drop_remainder(batch_size: Any) -> Transformation:
    """As `Dataset.batch`, without the last batch if it is smaller."""
    return lambda dataset: dataset.batch(batch_size, drop_remainder=True)


def padded_batch_and_drop_remainder(batch_size: Any, padded_shapes: Any, padding_values: Any = None) -> Transformation:
    """As `Dataset.padded_batch`, without the last batch if it is smaller."""
    return lambda dataset: dataset.padded_batch(batch_size, padded_shapes, padding_values, drop_remainder=True)


def sloppy_interleave(map_func: Callable[..., Any], cycle_length: Any, block_length: Any = 1) -> Transformation:
    """As `parallel_interleave`, in whatever order elements are there."""
    return parallel_interleave(map_func, cycle_length, block_length, sloppy=True)
