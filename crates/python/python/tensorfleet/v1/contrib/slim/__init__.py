"""Short definitions of networks (`tf.contrib.slim`)."""

from __future__ import annotations

import importlib
from typing import Any

from tensorfleet._contrib.arg_scope import *
from tensorfleet._contrib.layer_functions import *
from tensorfleet._contrib.more_layers import *
from tensorfleet._contrib.regularizers import *
from tensorfleet._contrib.variables import *
from tensorfleet.v1 import summary as summaries
from tensorfleet.v1._refused import refusing

_missing = refusing(
    "tf.contrib.slim",
    "tf.layers, tf.train and tf.data",
    {
        "nets": "networks of one's own, of slim.conv2d and slim.fully_connected", "queues": "tf.train.Coordinator",
        "dataset": "tf.data", "dataset_data_provider": "tf.data", "tfexample_decoder": "tf.parse_single_example",
        "prefetch_queue": "tf.data's prefetch, or tf.FIFOQueue and tf.train.QueueRunner",
        "evaluation": "a loop of one's own around tf.train.Saver's restore",
    },
)


def __getattr__(name: str) -> Any:
    if name in ("learning", "losses", "model_analyzer"):
        return importlib.import_module(f"tensorfleet.v1.contrib.slim.{name}")
    if name in ("layers", "metrics"):
        return importlib.import_module(f"tensorfleet.v1.contrib.{name}")
    if name == "variables":
        return importlib.import_module("tensorfleet._contrib.variables")
    if name in ("assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn"):
        return getattr(importlib.import_module("tensorfleet._contrib.assign"), name)
    return _missing(name)
