"""Classes that TensorFlow's Python code takes from its C++ code, as far as programs use them: writers of events, and readers of
checkpoints."""

from __future__ import annotations

from typing import Any

from tensorfleet import _core
from tensorfleet._train.checkpoints import NewCheckpointReader

__all__ = ["EventsWriter", "NewCheckpointReader"]


class EventsWriter:
    """Writes events to a file that is named by what its path begins with, the time and the machine.

    >>> import os, tempfile, tensorfleet.v1 as tf
    >>> writer = EventsWriter(os.path.join(tempfile.mkdtemp(), "eval").encode())
    >>> writer.WriteEvent(tf.Event(step=3))
    >>> writer.Close()
    True
    >>> [event.step for event in tf.train.summary_iterator(writer.FileName().decode())]
    [0, 3]
    """

    def __init__(self, file_prefix: Any) -> None:
        self._file = _core.EventFile.with_prefix(file_prefix.decode() if isinstance(file_prefix, bytes) else str(file_prefix))

    def FileName(self) -> bytes:
        """The path of the file."""
        return self._file.path.encode()

    def WriteEvent(self, event: Any) -> None:
        """Adds an event."""
        self._file.write(event.SerializeToString())

    def Flush(self) -> bool:
        """Brings to the disk what has been added."""
        self._file.flush()
        return True

    def Close(self) -> bool:
        """Ends the file."""
        self._file.close()
        return True
