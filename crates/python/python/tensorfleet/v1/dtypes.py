"""Element types: `tf.dtypes`."""

from __future__ import annotations

from tensorfleet._framework.dtypes import (
    QUANTIZED_DTYPES, DType, as_dtype, bfloat16, bool, complex64, complex128, double, float16, float32, float64, half,
    int8, int16,
    int32, int64, qint8, qint16, qint32, quint8, quint16, resource, string, uint8, uint16, uint32, uint64, variant,
)
from tensorfleet._ops.arithmetic_ops import cast, complex, saturate_cast
from tensorfleet._ops.string_ops import as_string

__all__ = [
    "QUANTIZED_DTYPES", "DType", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex64", "complex128",
    "double",
    "float16", "float32", "float64", "half", "int8", "int16", "int32", "int64", "qint8", "qint16", "qint32", "quint8",
    "quint16",
    "resource", "saturate_cast", "string", "uint8", "uint16", "uint32", "uint64", "variant",
]
