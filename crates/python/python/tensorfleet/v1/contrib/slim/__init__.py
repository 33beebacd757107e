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
        "evaluation": "a loop of one's own around tf.train.Saver's restore",
    },
)


# Names that are loaded when they are first asked for: modules, and functions with the modules that they are in.
_MODULES = {
    "layers": "tensorfleet.v1.contrib.layers", "learning": "tensorfleet.v1.contrib.slim.learning",
    "losses": "tensorfleet.v1.contrib.slim.losses", "metrics": "tensorfleet.v1.contrib.metrics",
    "model_analyzer": "tensorfleet.v1.contrib.slim.model_analyzer",
    "prefetch_queue": "tensorfleet.v1.contrib.slim.prefetch_queue", "variables": "tensorfleet._contrib.variables",
}
_ASSIGNING = {"assign_from_checkpoint", "assign_from_checkpoint_fn", "assign_from_values", "assign_from_values_fn"}


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(_MODULES[name])
    if name in _ASSIGNING:
        return getattr(importlib.import_module("tensorfleet._contrib.assign"), name)
    return _missing(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_ASSIGNING})
