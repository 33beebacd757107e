"""Datasets of what is in files: records, lines, and pieces of a fixed length."""

from __future__ import annotations

from typing import Any, Callable

from tensorfleet._data import structure, transforms
from tensorfleet._data.dataset import Dataset
from tensorfleet._data.functions import ElementFunction
from tensorfleet._data.sources import int64
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor

_STRING = structure.TensorSpec([], dtypes.string)
_READ_AHEAD = 256 * 1024


def _names(filenames: Any) -> Dataset:
    """The names of files as a dataset of strings."""
    if isinstance(filenames, Dataset):
        if structure.flatten(filenames._spec)[0].dtype != dtypes.string:
            raise TypeError(f"`filenames` must be a dataset of strings, not {filenames!r}")
        return filenames
    tensor = convert_to_tensor(filenames, dtype=dtypes.string)
    flat = one("Reshape", tensor, [-1], name="flat_filenames")
    return Dataset(one("TensorSliceDataset", [flat], output_shapes=[_STRING.shape], is_files=True), _STRING)


def _read(filenames: Any, num_parallel_reads: Any, read: Callable[[Tensor], Tensor]) -> tuple[Tensor, Any]:
    def read_one_file(filename: Tensor) -> Dataset:
        return Dataset(read(filename), _STRING)

    names = _names(filenames)
    if num_parallel_reads is None:
        return transforms.flat_map(names, read_one_file)
    if num_parallel_reads == transforms.AUTOTUNE:
        return transforms.interleave(names, read_one_file, None, None, num_parallel_reads, None)
    return parallel_interleave(names, read_one_file, num_parallel_reads, 1, False)


def parallel_interleave(names: Dataset, function: Any, cycle_length: Any, block_length: Any, sloppy: bool) -> tuple[Tensor, Any]:
    """The elements of the datasets that a function makes of each element, of several at once."""
    f = ElementFunction("parallel_interleave", function, names._spec)
    numbers = [int64(cycle_length, "cycle_length"), int64(block_length, "block_length"),
               int64(transforms.AUTOTUNE, "buffer_output_elements"), int64(transforms.AUTOTUNE, "prefetch_input_elements"),
               int64(cycle_length, "num_parallel_calls")]
    return transforms.simple(
        "ParallelInterleaveDatasetV4", names, f.captures, *numbers, f=f.name, Targuments=f.capture_types,
        deterministic=transforms.order(not sloppy), spec=f.element_spec_of_dataset("parallel_interleave"),
    )


def _text(value: Any, name: str) -> Tensor:
    return convert_to_tensor("" if value is None else value, dtype=dtypes.string, name=name)


class TFRecordDataset(Dataset):
    """The records of files that TFRecordWriter wrote, as strings."""

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(filename: Tensor) -> Tensor:
            size = int64(-1 if buffer_size is None else buffer_size, "buffer_size")
            return one("TFRecordDataset", filename, _text(compression_type, "compression_type"), size)

        super().__init__(*_read(filenames, num_parallel_reads, read))


class TextLineDataset(Dataset):
    """The lines of text files, as strings without their ends."""

    def __init__(
        self, filenames: Any, compression_type: Any = None, buffer_size: Any = None, num_parallel_reads: Any = None,
        name: str | None = None,
    ) -> None:
        def read(filename: Tensor) -> Tensor:
            size = int64(_READ_AHEAD if buffer_size is None else buffer_size, "buffer_size")
            return one("TextLineDataset", filename, _text(compression_type, "compression_type"), size)

        super().__init__(*_read(filenames, num_parallel_reads, read))


class FixedLengthRecordDataset(Dataset):
    """Pieces of files, each of `record_bytes`, as strings."""

    def __init__(
        self, filenames: Any, record_bytes: Any, header_bytes: Any = None, footer_bytes: Any = None, buffer_size: Any = None,
        compression_type: Any = None, num_parallel_reads: Any = None, name: str | None = None,
    ) -> None:
        def read(filename: Tensor) -> Tensor:
            numbers = [int64(header_bytes or 0, "header_bytes"), int64(record_bytes, "record_bytes"),
                       int64(footer_bytes or 0, "footer_bytes"),
                       int64(_READ_AHEAD if buffer_size is None else buffer_size, "buffer_size")]
            return one("FixedLengthRecordDatasetV2", filename, *numbers, _text(compression_type, "compression_type"))

        super().__init__(*_read(filenames, num_parallel_reads, read))
