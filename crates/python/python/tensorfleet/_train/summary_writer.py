"""Event files, for TensorBoard."""

from __future__ import annotations

import os
import threading
import time
from typing import Any

from tensorfleet import _core
from tensorfleet._framework.graph import Graph
from tensorfleet._framework.messages import Event, Summary, TaggedRunMetadata


class FileWriter:
    """Writes summaries and graphs to an event file in a folder.

    >>> import tempfile
    >>> with FileWriter(tempfile.mkdtemp()) as writer:
    ...     writer.add_summary(Summary(value=[Summary.Value(tag="loss", simple_value=0.5)]), global_step=1)
    """

    def __init__(
        self, logdir: Any, graph: Graph | None = None, max_queue: int = 10, flush_secs: float = 120, graph_def: Any = None,
        filename_suffix: str | None = None, session: Any = None,
    ) -> None:
        if session is not None:
            raise NotImplementedError("summaries as operations of a session are not offered: leave out `session`")
        self._logdir, self._flush_secs, self._suffix = os.fspath(logdir), flush_secs, filename_suffix or ""
        self._lock = threading.Lock()
        self._file: _core.EventFile | None = _core.EventFile(self._logdir, self._suffix, flush_secs)
        self._closed = False
        self._seen: set[str] = set()
        self._traced: set[str] = set()
        if graph is not None and not isinstance(graph, Graph) and hasattr(graph, "SerializeToString"):
            graph, graph_def = None, graph
        if graph is not None or graph_def is not None:
            self.add_graph(graph=graph, graph_def=graph_def)

    def __enter__(self) -> FileWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def get_logdir(self) -> str:
        """The folder."""
        return self._logdir

    def add_event(self, event: Any) -> None:
        """Adds an event."""
        with self._lock:
            if self._closed:
                from tensorfleet.v1 import logging

                logging.warn("this FileWriter is closed: nothing is written before reopen()")
                return
            if self._file is None:
                self._file = _core.EventFile(self._logdir, self._suffix, self._flush_secs)
            self._file.write(event if isinstance(event, bytes) else event.SerializeToString())

    def _add(self, event: Any, global_step: Any) -> None:
        event.wall_time = time.time()
        if global_step is not None:
            event.step = int(global_step)
        self.add_event(event)

    def add_summary(self, summary: Any, global_step: Any = None) -> None:
        """Adds a summary: a message, or the bytes of one as a session gives them."""
        message = Summary.FromString(bytes(summary) if not isinstance(summary, bytes) else summary) \
            if not hasattr(summary, "SerializeToString") else Summary.FromString(summary.SerializeToString())
        for value in message.value:
            # Metadata is the same every time, and is written with the first one.
            if value.HasField("metadata"):
                if value.tag in self._seen:
                    value.ClearField("metadata")
                else:
                    self._seen.add(value.tag)
        event = Event()
        event.summary.CopyFrom(message)
        self._add(event, global_step)

    def add_session_log(self, session_log: Any, global_step: Any = None) -> None:
        """Adds that a session started, stopped or saved a checkpoint."""
        event = Event()
        event.session_log.CopyFrom(session_log)
        self._add(event, global_step)

    def add_graph(self, graph: Any = None, global_step: Any = None, graph_def: Any = None) -> None:
        """Adds a graph."""
        if graph is not None and graph_def is not None:
            raise ValueError("graph and graph_def (the older of the two) are both given: choose one")
        if isinstance(graph, Graph):
            content = graph._core.graph_def()
        elif graph is not None or graph_def is not None:
            message = graph_def if graph_def is not None else graph
            if not hasattr(message, "SerializeToString"):
                raise TypeError(f"a graph is a `Graph` or a `GraphDef`, not {message!r}")
            content = message.SerializeToString()
        else:
            raise TypeError("The argument is a graph or graph_def is missing")
        self._add(Event(graph_def=content), global_step)

    def add_meta_graph(self, meta_graph_def: Any, global_step: Any = None) -> None:
        """Adds a meta graph: a message, or its bytes."""
        content = meta_graph_def if isinstance(meta_graph_def, bytes) else meta_graph_def.SerializeToString()
        self._add(Event(meta_graph_def=content), global_step)

    def add_run_metadata(self, run_metadata: Any, tag: str, global_step: Any = None) -> None:
        """Adds the trace of a step, under a tag of its own."""
        if tag in self._traced:
            raise ValueError(f"the tag {tag!r} was used for another run's metadata before")
        self._traced.add(tag)
        self._add(Event(tagged_run_metadata=TaggedRunMetadata(tag=tag, run_metadata=run_metadata.SerializeToString())), global_step)

    def flush(self) -> None:
        """Writes what is waiting."""
        with self._lock:
            if self._file is not None:
                self._file.flush()

    def close(self) -> None:
        """Writes what is waiting and closes the file."""
        with self._lock:
            self._closed = True
            if self._file is not None:
                self._file.close()
                self._file = None

    def reopen(self) -> None:
        """Goes on in a new file after it was closed."""
        with self._lock:
            self._closed = False


class FileWriterCache:
    """One writer for each folder."""

    _cache: dict[str, FileWriter] = {}
    _lock = threading.Lock()

    @staticmethod
    def clear() -> None:
        """Closes all writers."""
        with FileWriterCache._lock:
            for writer in FileWriterCache._cache.values():
                writer.close()
            FileWriterCache._cache = {}

    @staticmethod
    def get(logdir: Any) -> FileWriter:
        """The writer of a folder."""
        folder = os.fspath(logdir)
        with FileWriterCache._lock:
            if folder not in FileWriterCache._cache:
                from tensorfleet._framework.graph import get_default_graph

                FileWriterCache._cache[folder] = FileWriter(folder, graph=get_default_graph())
            return FileWriterCache._cache[folder]
