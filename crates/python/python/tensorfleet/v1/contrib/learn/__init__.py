"""Data sets of `tf.contrib.learn`; each other name says what to use instead."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from tensorfleet.v1._refused import refusing

if TYPE_CHECKING:
    from tensorfleet.v1.contrib.learn import datasets

__all__ = ["ModeKeys", "datasets"]

_LOOP = "tf.train.MonitoredTrainingSession with a loop of one's own"
_missing = refusing(
    "tf.contrib.learn",
    _LOOP,
    {
        "RunConfig": "tf.ConfigProto, and the arguments of tf.train.MonitoredTrainingSession",
        "preprocessing": "a dict of words, or a table of tf.contrib.lookup", "monitors": "tf.train's SessionRunHook classes",
        "read_batch_examples": "tf.data", "extract_pandas_data": "pandas' own values",
    },
)


class ModeKeys:
    """The names of what a model function is called for."""

    TRAIN = "train"
    EVAL = "eval"
    INFER = "infer"


def __getattr__(name: str) -> Any:
    if name == "datasets":
        return importlib.import_module("tensorfleet.v1.contrib.learn.datasets")
    return _missing(name)
