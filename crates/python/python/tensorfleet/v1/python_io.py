"""`tf.python_io`: files of records, written and read by the program itself."""

from __future__ import annotations

import os
from typing import Any, Iterator

from tensorfleet import _core

__all__ = ["TFRecordCompressionType", "TFRecordOptions", "TFRecordWriter", "tf_record_iterator"]


class TFRecordCompressionType:
    """How a file of records is compressed."""

    NONE = 0
    ZLIB = 1
    GZIP = 2


class TFRecordOptions:
    """How files of records are written and read."""

    compression_type_map = {
        TFRecordCompressionType.ZLIB: "ZLIB", TFRecordCompressionType.GZIP: "GZIP", TFRecordCompressionType.NONE: "",
    }

    def __init__(self, compression_type: Any = None, **_: Any) -> None:
        self.get_compression_type_string(compression_type)
        self.compression_type = compression_type

    @classmethod
    def get_compression_type_string(cls, options: Any) -> str:
        """The name of the compression: `ZLIB`, `GZIP` or nothing.

        >>> TFRecordOptions.get_compression_type_string(TFRecordOptions(TFRecordCompressionType.GZIP))
        'GZIP'
        """
        if isinstance(options, TFRecordOptions):
            options = options.compression_type
        if not options:
            return ""
        if options in cls.compression_type_map:
            return cls.compression_type_map[options]
        if options in cls.compression_type_map.values():
            return options
        raise ValueError(f"there is no compression_type {options!r}")


class TFRecordWriter:
    """Writes a file of records.

    >>> import tempfile
    >>> path = os.path.join(tempfile.mkdtemp(), "numbers")
    >>> with TFRecordWriter(path) as writer:
    ...     writer.write(b"one")
    >>> list(tf_record_iterator(path))
    [b'one']
    """

    def __init__(self, path: Any, options: Any = None) -> None:
        self._core = _core.RecordWriter(os.fspath(path), TFRecordOptions.get_compression_type_string(options))

    def write(self, record: bytes) -> None:
        """Adds a record."""
        self._core.write(record)

    def flush(self) -> None:
        """Writes what is waiting."""
        self._core.flush()

    def close(self) -> None:
        """Ends the file."""
        self._core.close()

    def __enter__(self) -> TFRecordWriter:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


def tf_record_iterator(path: Any, options: Any = None) -> Iterator[bytes]:
    """The records of a file, one after another."""
    reader = _core.RecordReader(os.fspath(path), TFRecordOptions.get_compression_type_string(options))
    while (record := reader.read()) is not None:
        yield record
