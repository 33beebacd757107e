"""Event files, read."""

from __future__ import annotations

from typing import Any, Iterator

from tensorfleet._framework.messages import Event


def summary_iterator(path: Any) -> Iterator[Any]:
    """The events of a file, one after another."""
    from tensorfleet.v1.python_io import tf_record_iterator

    for record in tf_record_iterator(path):
        yield Event.FromString(record)
