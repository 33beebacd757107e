# Written by stubs.py; do not edit.

from tensorfleet._framework.dtypes import DType as DType
from tensorfleet._framework.dtypes import QUANTIZED_DTYPES as QUANTIZED_DTYPES
from tensorfleet._framework.dtypes import as_dtype as as_dtype
from tensorfleet._ops.string_ops import as_string as as_string
from tensorfleet._framework.dtypes import bfloat16 as bfloat16
from tensorfleet._framework.dtypes import bool as bool
from tensorfleet._ops.arithmetic_ops import cast as cast
from tensorfleet._ops.arithmetic_ops import complex as complex
from tensorfleet._framework.dtypes import complex128 as complex128
from tensorfleet._framework.dtypes import complex64 as complex64
from tensorfleet._framework.dtypes import double as double
from tensorfleet._framework.dtypes import float16 as float16
from tensorfleet._framework.dtypes import float32 as float32
from tensorfleet._framework.dtypes import float64 as float64
from tensorfleet._framework.dtypes import half as half
from tensorfleet._framework.dtypes import int16 as int16
from tensorfleet._framework.dtypes import int32 as int32
from tensorfleet._framework.dtypes import int64 as int64
from tensorfleet._framework.dtypes import int8 as int8
from tensorfleet._framework.dtypes import qint16 as qint16
from tensorfleet._framework.dtypes import qint32 as qint32
from tensorfleet._framework.dtypes import qint8 as qint8
from tensorfleet._framework.dtypes import quint16 as quint16
from tensorfleet._framework.dtypes import quint8 as quint8
from tensorfleet._framework.dtypes import resource as resource
from tensorfleet._ops.arithmetic_ops import saturate_cast as saturate_cast
from tensorfleet._framework.dtypes import string as string
from tensorfleet._framework.dtypes import uint16 as uint16
from tensorfleet._framework.dtypes import uint32 as uint32
from tensorfleet._framework.dtypes import uint64 as uint64
from tensorfleet._framework.dtypes import uint8 as uint8
from tensorfleet._framework.dtypes import variant as variant

__all__ = [
    "DType", "QUANTIZED_DTYPES", "as_dtype", "as_string", "bfloat16", "bool", "cast", "complex", "complex128",
    "complex64", "double", "float16", "float32", "float64", "half", "int16", "int32", "int64", "int8", "qint16",
    "qint32", "qint8", "quint16", "quint8", "resource", "saturate_cast", "string", "uint16", "uint32", "uint64",
    "uint8", "variant"
]
