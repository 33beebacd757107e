"""Whole files as strings."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework.apply import apply_op, one
from tensorfleet._framework.graph import Operation, Tensor

__all__ = ["read_file", "write_file", "matching_files"]


def read_file(filename: Any, name: str | None = None) -> Tensor:
    """What a file holds, as a string."""
    return one("ReadFile", filename, name=name)


def write_file(filename: Any, contents: Any, name: str | None = None) -> Operation:
    """An operation that writes a string to a file; folders are made."""
    return apply_op("WriteFile", filename, contents, name=name)


def matching_files(pattern: Any, name: str | None = None) -> Tensor:
    """The names of the files that match a pattern, in order."""
    return one("MatchingFiles", pattern, name=name)
