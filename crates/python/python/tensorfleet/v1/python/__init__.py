"""`tensorflow.python`: the paths of TensorFlow's source tree that programs import from."""

from __future__ import annotations

from typing import Any

from tensorfleet import _source_tree


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return _source_tree.find(f"python.{name}")
