"""Contributed parts of TensorFlow 1.x, as far as programs use them. Each is loaded when it is first asked for."""

from __future__ import annotations

import importlib
from typing import Any

from tensorfleet.v1._refused import refusing

_MODULES = {
    "data", "framework", "image", "layers", "learn", "legacy_seq2seq", "losses", "metrics", "resampler", "rnn", "seq2seq", "slim", "staging", "training",
}
# Parts that are elsewhere in TensorFlow's later versions, and here.
_MOVED = {"lookup": "tensorfleet.v1.lookup", "summary": "tensorfleet.v1.summary"}

_missing = refusing(
    "tf.contrib",
    "the parts of tf itself",
    {
        "estimator": "tf.train.MonitoredTrainingSession with a loop of one's own", "keras": "tf.layers", "tpu": "tf.device",
        "cudnn_rnn": "tf.nn.rnn_cell.LSTMCell and tf.nn.dynamic_rnn",
        "distribute": "tf.train.Server and tf.train.replica_device_setter",
        "distributions": "tf.random_normal and others, with the densities written out",
        "tensor_forest": "a library of trees", "boosted_trees": "a library of trees", "factorization": "a library of clustering (its ops are not there)",
        "opt": "tf.train's optimizers",
        "eager": "tf.Session", "crf": "tf.nn.dynamic_rnn and a loss of one's own",
        "quantize": "the graph as it is", "signal": "tf.signal", "nn": "tf.nn", "util": "numpy",
        "tensorboard": "tf.summary", "testing": "unittest",
    },
)


def __getattr__(name: str) -> Any:
    if name in _MODULES:
        return importlib.import_module(f"tensorfleet.v1.contrib.{name}")
    if name in _MOVED:
        return importlib.import_module(_MOVED[name])
    return _missing(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_MODULES, *_MOVED})
