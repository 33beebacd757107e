"""Raw bytes, rows of text and stored tensors."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import renamed

__all__ = ["decode_raw", "decode_csv", "parse_tensor", "serialize_tensor", "decode_compressed", "fingerprint"]


def decode_raw(
    input_bytes: Any = None, out_type: Any = None, little_endian: bool = True, name: str | None = None, bytes: Any = None
) -> Tensor:
    """The numbers that the bytes of strings are."""
    return one("DecodeRaw", renamed(input_bytes, bytes, "input_bytes", "bytes"), name=name, out_type=out_type,
            little_endian=little_endian)


def decode_csv(
    records: Any, record_defaults: Any, field_delim: str = ",", use_quote_delim: bool = True, name: str | None = None,
    na_value: str = "", select_cols: Any = None,
) -> list[Tensor]:
    """The fields of rows of text: a tensor for each, of the type of its default.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.decode_csv("1,2.5", [[0], [0.0]]))
    [np.int32(1), np.float32(2.5)]
    """
    if select_cols is not None:
        if any(b <= a for a, b in zip(select_cols, select_cols[1:])):
            raise ValueError(f"`select_cols` must be strictly increasing, not {select_cols}")
        if min(select_cols) < 0:
            raise ValueError(f"`select_cols` must be non-negative, not {select_cols}")
        if len(select_cols) != len(record_defaults):
            raise ValueError(f"there are {len(select_cols)} columns in `select_cols` but {len(record_defaults)} defaults")
    for i, default in enumerate(record_defaults):
        if isinstance(default, Tensor) and default.dtype.base_dtype not in (
            dtypes.float32, dtypes.float64, dtypes.int32, dtypes.int64, dtypes.string
        ):
            raise TypeError(f"the default of field {i} is {default.dtype.name}; fields are numbers or strings")
    return many(
        "DecodeCSV", records, [_default(d) for d in record_defaults], name=name, field_delim=field_delim,
        use_quote_delim=use_quote_delim, na_value=na_value, select_cols=select_cols,
    )


def _default(value: Any) -> Any:
    return convert_to_tensor([], dtype=dtypes.as_dtype(value)) if isinstance(value, dtypes.DType) else value


def parse_tensor(serialized: Any, out_type: Any, name: str | None = None) -> Tensor:
    """The tensor that a string holds as a message."""
    return one("ParseTensor", serialized, name=name, out_type=out_type)


def serialize_tensor(tensor: Any, name: str | None = None) -> Tensor:
    """A string that holds a tensor as a message."""
    return one("SerializeTensor", tensor, name=name)


def decode_compressed(bytes: Any, compression_type: str = "", name: str | None = None) -> Tensor:
    """Strings as they were before they were compressed: nothing, `ZLIB` or `GZIP`."""
    return one("DecodeCompressed", bytes, name=name, compression_type=compression_type)


def fingerprint(data: Any, method: Any = "farmhash64", name: str | None = None) -> Tensor:
    """A row of bytes for each row of a tensor, which differ where the rows differ."""
    return one("Fingerprint", data, method, name=name)
