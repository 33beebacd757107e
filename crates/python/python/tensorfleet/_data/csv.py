"""A dataset of the records of files of comma-separated values."""

from __future__ import annotations

from typing import Any

from tensorfleet._data import structure
from tensorfleet._data.dataset import Dataset
from tensorfleet._data.sources import int64
from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor

_READ_AHEAD = 4 * 1024 * 1024


def _defaults(values: Any) -> list[Tensor]:
    """What stands for fields that are empty; a type says that there is no such value."""
    values = [convert_to_tensor([], dtype=value, name="Const") if isinstance(value, dtypes.DType) else value for value in values]
    return [convert_to_tensor(value, name=f"record_defaults_{i}") for i, value in enumerate(values)]


def _columns(columns: Any, name: str) -> Tensor:
    return convert_to_tensor([] if columns is None else columns, dtype=dtypes.int64, name=name)


class CsvDataset(Dataset):
    """The records of files of comma-separated values: each is a tuple with a scalar for every column.

    >>> import tempfile, tensorfleet.v1 as tf
    >>> with tempfile.NamedTemporaryFile("w", suffix=".csv", delete=False) as file:
    ...     print("name,size\\none,1\\ntwo,", file=file)
    >>> records = CsvDataset(file.name, [tf.string, [7]], header=True)
    >>> record = records.make_one_shot_iterator().get_next()
    >>> with tf.Session() as sess:
    ...     [[str(part) for part in sess.run(record)] for _ in range(2)]
    [["b'one'", '1'], ["b'two'", '7']]
    """

    def __init__(
        self, filenames: Any, record_defaults: Any, compression_type: Any = None, buffer_size: Any = None,
        header: Any = False, field_delim: Any = ",", use_quote_delim: Any = True, na_value: Any = "",
        select_cols: Any = None, exclude_cols: Any = None,
    ) -> None:
        files = convert_to_tensor(filenames, dtype=dtypes.string, name="filenames")
        compression = convert_to_tensor(compression_type or "", dtype=dtypes.string, name="compression_type")
        defaults = _defaults(record_defaults)
        size = int64(_READ_AHEAD if buffer_size is None else buffer_size, "buffer_size")
        has_header = convert_to_tensor(header, dtype=dtypes.bool, name="header")
        delimiter = convert_to_tensor(field_delim, dtype=dtypes.string, name="field_delim")
        quoted = convert_to_tensor(use_quote_delim, dtype=dtypes.bool, name="use_quote_delim")
        absent = convert_to_tensor(na_value, dtype=dtypes.string, name="na_value")
        selected = _columns(select_cols, "select_cols")
        excluded = _columns(exclude_cols, "exclude_cols")
        spec = tuple(structure.TensorSpec([], default.dtype) for default in defaults)
        made = one(
            "CSVDatasetV2", files, compression, size, has_header, delimiter, quoted, absent, selected, defaults, excluded,
            output_shapes=structure.types_and_shapes(spec)["output_shapes"],
        )
        super().__init__(made, spec)
