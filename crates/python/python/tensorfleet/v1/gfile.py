"""Files (`tf.gfile`): reading and writing, listing, moving and removing, with TensorFlow's exceptions.

    >>> import os, tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "notes.txt")
    >>> with GFile(path, "w") as file:
    ...     file.write("two\\nlines\\n")
    >>> GFile(path).readlines()
    ['two\\n', 'lines\\n']

Paths are strings, bytes or path objects, of the local file system or of a store (`s3://bucket/name`), whose files are held in
memory while they are open. A file is opened at the first read or write; one
that nothing is written to is not made.
"""

from __future__ import annotations

import contextlib
import errno
import os
import shutil
from collections.abc import Iterable, Iterator
from types import TracebackType
from typing import Any, NamedTuple

from tensorfleet._framework import places

from .compat import as_bytes

__all__ = [
    "Copy", "DeleteRecursively", "Exists", "FastGFile", "FileStatistics", "GFile", "Glob", "IsDirectory", "ListDirectory",
    "MakeDirs", "MkDir", "Open", "Path", "Remove", "Rename", "Stat", "Walk",
]

Path = str | bytes | os.PathLike

_MODES = ("r", "w", "a", "r+", "w+", "a+")


class FileStatistics(NamedTuple):
    """What `Stat` says of a file: its length in bytes, the time of its last change, whether it is a directory."""

    length: int
    mtime_nsec: int
    is_directory: bool


class GFile:
    """A file. In modes with a `b` values are bytes, in others text in UTF-8; positions are counted in bytes."""

    def __init__(self, name: Path, mode: str = "r") -> None:
        self._name = name
        self._mode = mode
        self._is_binary = "b" in mode
        self._access = mode.replace("b", "")
        if self._access not in _MODES:
            raise _errors().InvalidArgumentError(
                None, None, f"{_text(name)}: mode is {mode!r}, not one of {', '.join(_MODES)}, with or without b"
            )
        self._file: Any = None

    @property
    def name(self) -> Path:
        """The path as it was given."""
        return self._name

    @property
    def mode(self) -> str:
        """The mode as it was given."""
        return self._mode

    def read(self, n: int = -1) -> Any:
        """Read n bytes, or all that is left. Text is never cut within a character."""
        data = self._reader().read(n)
        if self._is_binary:
            return data
        while True:
            try:
                return data.decode("utf-8")
            except UnicodeDecodeError as error:
                is_cut = error.end == len(data) and error.reason == "unexpected end of data"
                more = self._reader().read(1) if is_cut else b""
                if not more:
                    raise
                data += more

    def readline(self) -> Any:
        """Read up to the end of the line, which is part of the result. Empty at the end of the file."""
        return self._shown(self._reader().readline())

    def readlines(self) -> list:
        """Read all lines that are left."""
        return list(self)

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    next = __next__

    def write(self, file_content: str | bytes) -> None:
        """Write text or bytes at the end of what has been written."""
        data = as_bytes(file_content)
        if self._access == "r":
            raise self._refused("writing")
        with _translated(self._name):
            self._opened().write(data)

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Go to a position in bytes. `position` is the name that old programs use for `offset`."""
        if offset is None:
            offset = position
        if offset is None:
            raise TypeError("seek needs an offset")
        if whence not in (0, 1, 2):
            raise _errors().InvalidArgumentError(
                None, None, f"seek in {_text(self._name)}: whence is {whence!r}, not 0, 1 or 2"
            )
        with _translated(self._name):
            self._opened().seek(offset, whence)

    def tell(self) -> int:
        """The position in bytes."""
        with _translated(self._name):
            return self._opened().tell()

    def size(self) -> int:
        """The length of the file in bytes."""
        self.flush()
        return Stat(self._name).length

    def seekable(self) -> bool:
        """True: positions can be chosen."""
        return True

    def flush(self) -> None:
        """Hand everything written to the system."""
        if self._file is not None and self._access != "r":
            with _translated(self._name):
                self._file.flush()

    def close(self) -> None:
        """Close the file. A read or write after it opens it again."""
        file, self._file = self._file, None
        if file is not None:
            with _translated(self._name):
                file.close()

    def __enter__(self) -> GFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def __del__(self) -> None:
        # `GFile(path).read()` leaves the closing to this.
        with contextlib.suppress(Exception):
            self.close()

    def __repr__(self) -> str:
        return f"<GFile {_text(self._name)!r}, mode {self._mode!r}>"

    def _opened(self) -> Any:
        if self._file is None:
            self._file = places.open_binary(self._name, self._access)
        return self._file

    def _reader(self) -> Any:
        if self._access in ("w", "a"):
            raise self._refused("reading")
        with _translated(self._name):
            return self._opened()

    def _refused(self, what: str) -> Exception:
        message = f"{_text(self._name)} is not open for {what} (mode {self._mode!r})"
        return _errors().PermissionDeniedError(None, None, message)

    def _shown(self, data: bytes) -> Any:
        return data if self._is_binary else data.decode("utf-8")


class FastGFile(GFile):
    """The same as `GFile`; TensorFlow's old name for files on its own system."""


Open = GFile


def Exists(filename: Path) -> bool:
    """Whether there is a file or directory."""
    return places.exists(filename)


def IsDirectory(dirname: Path) -> bool:
    """Whether there is a directory."""
    return places.isdir(dirname)


def ListDirectory(dirname: Path) -> list[str]:
    """The names in a directory, sorted, without `.` and `..`."""
    if not places.isdir(dirname):
        raise _errors().NotFoundError(None, None, f"there is no folder {_text(dirname)}")
    with _translated(dirname):
        return sorted(places.listdir(dirname))


def Glob(filename: Path | Iterable[Path]) -> list[str]:
    """The paths that match a pattern, or any of a list of patterns, sorted for each pattern.

    `*` and `?` match within a name, also names that begin with a dot. A pattern without a directory gives paths that
    begin with `./`, as in TensorFlow.
    """
    patterns = [filename] if isinstance(filename, (str, bytes, os.PathLike)) else filename
    found: list[str] = []
    for pattern in map(_text, patterns):
        first = next((at for at, char in enumerate(pattern) if char in "*?["), None)
        if first is not None and os.sep not in pattern[:first]:
            pattern = os.path.join(".", pattern)
        with _translated(pattern):
            found.extend(sorted(places.glob(pattern)))
    return found


def MkDir(dirname: Path) -> None:
    """Make a directory in one that exists. It is no mistake if it is there already."""
    if not places.is_url(dirname) and not os.path.isdir(dirname):
        with _translated(dirname):
            os.mkdir(dirname)


def MakeDirs(dirname: Path) -> None:
    """Make a directory and those above it, as far as they are missing."""
    with _translated(dirname):
        try:
            places.makedirs(dirname)
        except FileExistsError:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR)) from None


def Remove(filename: Path) -> None:
    """Remove a file."""
    with _translated(filename):
        places.remove(filename)


def DeleteRecursively(dirname: Path) -> None:
    """Remove a directory with everything in it, or a file."""
    if places.is_url(dirname):
        found = [f"{folder}/{name}" for folder, _, names in places.walk(dirname) for name in names]
        for path in found or [_text(dirname)]:
            places.remove(path)
        return
    if not os.path.lexists(dirname):
        raise _errors().NotFoundError(None, None, f"{_text(dirname)} not found")
    with _translated(dirname):
        if os.path.isdir(dirname) and not os.path.islink(dirname):
            shutil.rmtree(dirname)
        else:
            os.remove(dirname)


def Copy(oldpath: Path, newpath: Path, overwrite: bool = False) -> None:
    """Copy a file. A file that is there is replaced only if asked for."""
    _refuse_existing(newpath, overwrite)
    if places.is_url(oldpath) or places.is_url(newpath):
        with _translated(oldpath), places.open_binary(newpath, "w") as copy:
            copy.write(places.read(oldpath))
        return
    with _translated(oldpath if not os.path.exists(oldpath) or os.path.isdir(oldpath) else newpath):
        shutil.copyfile(oldpath, newpath)


def Rename(oldname: Path, newname: Path, overwrite: bool = False) -> None:
    """Move a file or directory. A file that is there is replaced only if asked for."""
    _refuse_existing(newname, overwrite)
    if places.is_url(oldname):
        places.rename(oldname, newname)
        return
    with _translated(oldname):
        os.replace(oldname, newname)


def Stat(filename: Path) -> FileStatistics:
    """Length, time of the last change and kind of a file."""
    with _translated(filename):
        if places.is_url(filename):
            length, seconds, is_directory = places.stat(filename)
            return FileStatistics(length, int(seconds * 1e9), is_directory)
        status = os.stat(filename)
    return FileStatistics(status.st_size, status.st_mtime_ns, os.path.isdir(filename))


def Walk(top: Path, in_order: bool = True) -> Iterator[tuple[str, list[str], list[str]]]:
    """A directory and those below it, each as its path, its directories and its files.

    A directory comes before those within it if `in_order`, else after them. Without the directory there is nothing.
    """
    walked: Any = places.walk(top, in_order) if places.is_url(top) else os.walk(top, topdown=in_order)
    for path, directories, files in walked:
        directories.sort()
        yield _text(path), [_text(name) for name in directories], sorted(_text(name) for name in files)


def _text(path: Path) -> str:
    return os.fsdecode(path)


def _errors() -> Any:
    # Only mistakes need the exceptions, and the module they are in loads the core.
    from tensorfleet._framework import errors

    return errors


def _refuse_existing(path: Path, overwrite: bool) -> None:
    if not overwrite and places.exists(path):
        raise _errors().AlreadyExistsError(None, None, f"file already exists: {_text(path)}")


_CODES = {
    errno.ENOENT: "NotFoundError",
    errno.EEXIST: "AlreadyExistsError",
    errno.ENOTEMPTY: "FailedPreconditionError",
    errno.EISDIR: "FailedPreconditionError",
    errno.ENOTDIR: "FailedPreconditionError",
    errno.EXDEV: "UnimplementedError",
    errno.EACCES: "PermissionDeniedError",
    errno.EPERM: "PermissionDeniedError",
    errno.EROFS: "PermissionDeniedError",
    errno.EINVAL: "InvalidArgumentError",
    errno.ENAMETOOLONG: "InvalidArgumentError",
    errno.ENOSPC: "ResourceExhaustedError",
    errno.EMFILE: "ResourceExhaustedError",
    errno.EDQUOT: "ResourceExhaustedError",
}


@contextlib.contextmanager
def _translated(path: Path) -> Iterator[None]:
    """Errors of the system as TensorFlow's exceptions, in its form `path; reason`."""
    try:
        yield
    except OSError as error:
        kind = _CODES.get(error.errno or 0, "UnknownError")
        raise getattr(_errors(), kind)(None, None, f"{_text(path)}; {error.strerror or error}") from None
