"""Names of TensorFlow's earlier versions, and what is said of names that are not here."""

from __future__ import annotations

from typing import Any


def find(name: str) -> Any:
    """What an old name stands for; AttributeError for a name that is not here."""
    if name.startswith("__"):
        raise AttributeError(f"module 'tensorfleet.v1' has no attribute {name!r}")
    raise AttributeError(f"tensorfleet has no tf.{name}")
