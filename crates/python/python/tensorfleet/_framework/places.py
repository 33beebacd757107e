"""Files wherever they are: the functions of `os` for paths of this machine and for those of stores (`s3://bucket/name`).

>>> is_url("s3://bucket/model"), is_url("file:///tmp/model"), is_url("/tmp/model")
(True, False, False)
"""

from __future__ import annotations

import fnmatch
import glob as _glob
import io
import os
import re
from collections.abc import Iterator
from typing import Any

_URL = re.compile(r"(?!file:)[A-Za-z][A-Za-z0-9+.-]*://")


def is_url(path: Any) -> bool:
    """Whether a path lies in a store."""
    return _URL.match(os.fsdecode(path)) is not None


def _core() -> Any:
    # Most programs never leave the disks of their machine.
    from tensorfleet import _core

    return _core


def _stat(path: Any) -> tuple[str, bool, int, float] | None:
    from tensorfleet._framework import errors

    try:
        found: tuple[str, bool, int, float] = _core().place_stat(os.fsdecode(path).rstrip("/"))
        return found
    except errors.NotFoundError:
        return None


def exists(path: Any) -> bool:
    """Whether there is a file or directory."""
    return _stat(path) is not None if is_url(path) else os.path.exists(path)


def isdir(path: Any) -> bool:
    """Whether there is a directory. In a store that is what the names of files have in common."""
    if not is_url(path):
        return os.path.isdir(path)
    found = _stat(path)
    return found is not None and found[1]


def isfile(path: Any) -> bool:
    """Whether there is a file."""
    if not is_url(path):
        return os.path.isfile(path)
    found = _stat(path)
    return found is not None and not found[1]


def getmtime(path: Any) -> float:
    """When a file was last written."""
    return stat(path)[1] if is_url(path) else os.path.getmtime(path)


def stat(path: Any) -> tuple[int, float, bool]:
    """Length, time of the last change, and whether it is a directory."""
    if is_url(path):
        _, is_folder, size, time = _core().place_stat(os.fsdecode(path).rstrip("/"))
        return size, time, is_folder
    status = os.stat(path)
    return status.st_size, status.st_mtime, os.path.isdir(path)


def makedirs(path: Any) -> None:
    """Makes a directory and those above it; in a store there is nothing to make."""
    if not is_url(path):
        os.makedirs(path, exist_ok=True)


def listdir(path: Any) -> list[str]:
    """The names in a directory."""
    if is_url(path):
        return [name for name, *_ in _core().place_list(os.fsdecode(path).rstrip("/"))]
    return [os.fsdecode(name) for name in os.listdir(path)]


def read(path: Any) -> bytes:
    """All of a file."""
    if is_url(path):
        content: bytes = _core().place_read(os.fsdecode(path))
        return content
    with open(path, "rb") as stream:
        return stream.read()


def write(path: Any, content: bytes) -> None:
    """Replaces a file of a store."""
    _core().place_write(os.fsdecode(path), content)


def remove(path: Any) -> None:
    """Removes a file."""
    if not is_url(path):
        os.remove(path)
        return
    # Stores are content with what is not there; programs want to be told.
    _core().place_stat(os.fsdecode(path))
    _core().place_remove(os.fsdecode(path))


def rename(path: Any, to: Any) -> None:
    """Gives a file another name in the same store."""
    _core().place_rename(os.fsdecode(path), os.fsdecode(to))


def walk(top: Any, topdown: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """A directory of a store and those below it, as `os.walk`."""
    top = os.fsdecode(top).rstrip("/")
    entries = _core().place_list(top)
    folders, files = [name for name, is_folder, *_ in entries if is_folder], [name for name, is_folder, *_ in entries if not is_folder]
    if not entries:
        return
    if topdown:
        yield top, folders, files
    for folder in folders:
        yield from walk(f"{top}/{folder}", topdown)
    if not topdown:
        yield top, folders, files


def glob(pattern: str) -> list[str]:
    """The paths that match a pattern."""
    if not is_url(pattern):
        return _glob.glob(pattern, include_hidden=True)
    scheme, _, rest = pattern.partition("://")
    bucket, _, below = rest.partition("/")
    found, parts = [f"{scheme}://{bucket}"], below.split("/")
    for at, part in enumerate(parts):
        is_last = at == len(parts) - 1
        if not any(char in part for char in "*?["):
            found = [f"{path}/{part}" for path in found]
            if is_last:
                found = [path for path in found if exists(path)]
            continue
        found = [
            f"{path}/{name}" for path in found for name, is_folder, *_ in _core().place_list(path)
            if (is_folder or is_last) and fnmatch.fnmatchcase(name, part)
        ]
    return found


class Buffered(io.BytesIO):
    """A file of a store in memory: read when it is opened, and written there when it is flushed or closed."""

    def __init__(self, path: Any, access: str) -> None:
        content = b""
        if access[0] == "r" or access[0] == "a" and exists(path):
            content = read(path)
        super().__init__(content)
        self._path, self._writes, self._is_new = path, access != "r", access[0] == "w"
        if access[0] == "a":
            self.seek(0, io.SEEK_END)

    def write(self, data: Any) -> int:
        self._is_new = True
        return super().write(data)

    def flush(self) -> None:
        if self._writes and self._is_new and not self.closed:
            write(self._path, self.getvalue())
            self._is_new = False

    def close(self) -> None:
        if not self.closed:
            try:
                self.flush()
            finally:
                super().close()


def open_binary(path: Any, access: str) -> Any:
    """Opens a file for bytes, in one of the modes r, w, a, r+, w+ and a+."""
    return Buffered(path, access) if is_url(path) else open(path, access[0] + "b" + access[1:])
