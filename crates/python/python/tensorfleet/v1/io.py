"""Files and records: `tf.io`."""

from __future__ import annotations

import importlib
from typing import Any

from tensorfleet._ops.feature_ops import (
    FixedLenFeature, FixedLenSequenceFeature, SparseFeature, VarLenFeature, parse_example, parse_single_example,
    parse_single_sequence_example,
)
from tensorfleet._ops.sparse_combine_ops import deserialize_many_sparse, serialize_many_sparse, serialize_sparse
from tensorfleet._ops.string_ops import decode_base64, encode_base64
from tensorfleet._ops.text_ops import decode_compressed, decode_csv, decode_raw, parse_tensor, serialize_tensor

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "SparseFeature", "VarLenFeature", "decode_base64", "decode_compressed", "decode_csv",
    "decode_raw",
    "deserialize_many_sparse", "encode_base64", "parse_example", "parse_single_example", "parse_single_sequence_example",
    "parse_tensor", "serialize_many_sparse", "serialize_sparse", "serialize_tensor",
]

# Names of other modules of the public namespace, which are loaded when they are asked for.
_ELSEWHERE = {
    "gfile": "tensorfleet.v1.gfile",
    "TFRecordWriter": "tensorfleet.v1.python_io", "TFRecordOptions": "tensorfleet.v1.python_io",
    "TFRecordCompressionType": "tensorfleet.v1.python_io", "tf_record_iterator": "tensorfleet.v1.python_io",
    "write_graph": "tensorfleet.v1.train", "match_filenames_once": "tensorfleet.v1.train",
    "decode_jpeg": "tensorfleet.v1.image", "decode_png": "tensorfleet.v1.image", "decode_image": "tensorfleet.v1.image",
    "decode_bmp": "tensorfleet.v1.image", "decode_gif": "tensorfleet.v1.image", "encode_jpeg": "tensorfleet.v1.image",
    "encode_png": "tensorfleet.v1.image", "is_jpeg": "tensorfleet.v1.image", "decode_and_crop_jpeg": "tensorfleet.v1.image",
    "extract_jpeg_shape": "tensorfleet.v1.image", "SparseConditionalAccumulator": "tensorfleet.v1",
    "read_file": "tensorfleet.v1", "write_file": "tensorfleet.v1", "matching_files": "tensorfleet.v1",
    "PaddingFIFOQueue": "tensorfleet.v1", "PriorityQueue": "tensorfleet.v1", "QueueBase": "tensorfleet.v1",
    "RandomShuffleQueue": "tensorfleet.v1",
}


def __getattr__(name: str) -> Any:
    if name not in _ELSEWHERE:
        if name.startswith("__"):
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        from tensorfleet.v1._refused import unknown_name

        raise AttributeError(unknown_name("io", name, __dir__()))
    module = importlib.import_module(_ELSEWHERE[name])
    value = module if name == "gfile" else getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(set(__all__) | set(_ELSEWHERE))
