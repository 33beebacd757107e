"""Scopes of arguments, and variables (`tf.contrib.framework`)."""

from __future__ import annotations

from typing import Any

from tensorfleet._contrib.arg_scope import *
from tensorfleet._contrib.variables import *
from tensorfleet._framework import nest
from tensorfleet.v1._refused import refusing

_TRAIN = {"list_variables", "load_variable", "load_checkpoint", "init_from_checkpoint"}
_missing = refusing("tf.contrib.framework", "tf.train, tf.get_variable and tf.global_variables")


def __getattr__(name: str) -> Any:
    if name in _TRAIN:
        from tensorfleet.v1 import train

        return getattr(train, name)
    return _missing(name)


def __dir__() -> list[str]:
    return sorted({*globals(), *_TRAIN})
