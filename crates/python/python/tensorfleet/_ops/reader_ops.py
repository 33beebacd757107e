"""Readers: elements of files whose names come from a queue."""

from __future__ import annotations

from typing import Any, NamedTuple

from tensorfleet._framework.apply import apply_op, many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework import dtypes
from tensorfleet._framework.graph import Operation, Tensor

__all__ = [
    "FixedLengthRecordReader", "IdentityReader", "ReaderBase", "TFRecordReader", "TextLineReader", "WholeFileReader",
]


class ReaderRead(NamedTuple):
    """A key and a value."""

    key: Tensor
    value: Tensor


class ReaderBase:
    """Gives one element after another: each has a key, which says where it is from, and a value."""

    def __init__(self, reader_ref: Tensor, supports_serialize: bool = False) -> None:
        self._reader_ref, self._supports_serialize = reader_ref, supports_serialize

    @property
    def reader_ref(self) -> Tensor:
        """The handle of the reader."""
        return self._reader_ref

    @property
    def supports_serialize(self) -> bool:
        """Whether its state can be kept."""
        return self._supports_serialize

    def read(self, queue: Any, name: str | None = None) -> ReaderRead:
        """The next element; the names of files are taken from a queue."""
        return ReaderRead(*many("ReaderReadV2", self._reader_ref, _handle(queue), name=name))

    def read_up_to(self, queue: Any, num_records: Any, name: str | None = None) -> ReaderRead:
        """The next elements, so many at most."""
        number = convert_to_tensor(num_records, dtype=dtypes.int64, name="num_records") \
            if isinstance(num_records, Tensor) else num_records
        return ReaderRead(*many("ReaderReadUpToV2", self._reader_ref, _handle(queue), number, name=name))

    def num_records_produced(self, name: str | None = None) -> Tensor:
        """How many elements it has given."""
        return one("ReaderNumRecordsProducedV2", self._reader_ref, name=name)

    def num_work_units_completed(self, name: str | None = None) -> Tensor:
        """How many files it has finished."""
        return one("ReaderNumWorkUnitsCompletedV2", self._reader_ref, name=name)

    def serialize_state(self, name: str | None = None) -> Tensor:
        """Its state as a string."""
        return one("ReaderSerializeStateV2", self._reader_ref, name=name)

    def restore_state(self, state: Any, name: str | None = None) -> Operation:
        """The operation that gives it a state."""
        return apply_op("ReaderRestoreStateV2", self._reader_ref, state, name=name)

    def reset(self, name: str | None = None) -> Operation:
        """The operation that lets it begin anew."""
        return apply_op("ReaderResetV2", self._reader_ref, name=name)


def _handle(queue: Any) -> Tensor:
    return queue if isinstance(queue, Tensor) else queue.queue_ref


class WholeFileReader(ReaderBase):
    """Gives files: the name is the key, the content the value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(one("WholeFileReaderV2", name=name), supports_serialize=True)


class TextLineReader(ReaderBase):
    """Gives the lines of files."""

    def __init__(self, skip_header_lines: int | None = None, name: str | None = None) -> None:
        super().__init__(one("TextLineReaderV2", skip_header_lines=skip_header_lines, name=name))


class FixedLengthRecordReader(ReaderBase):
    """Gives pieces of files, of so many bytes each."""

    def __init__(
        self, record_bytes: int, header_bytes: int | None = None, footer_bytes: int | None = None, hop_bytes: int | None = None,
        name: str | None = None, encoding: str | None = None,
    ) -> None:
        super().__init__(one(
            "FixedLengthRecordReaderV2", record_bytes=record_bytes, header_bytes=header_bytes, footer_bytes=footer_bytes,
            hop_bytes=hop_bytes, encoding=encoding, name=name))


class TFRecordReader(ReaderBase):
    """Gives the records of files of records."""

    def __init__(self, name: str | None = None, options: Any = None) -> None:
        from tensorfleet.v1.python_io import TFRecordOptions

        compression = TFRecordOptions.get_compression_type_string(options)
        super().__init__(one("TFRecordReaderV2", compression_type=compression, name=name))


class IdentityReader(ReaderBase):
    """Gives what is in the queue, as key and as value."""

    def __init__(self, name: str | None = None) -> None:
        super().__init__(one("IdentityReaderV2", name=name), supports_serialize=True)
