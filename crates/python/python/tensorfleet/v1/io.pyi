# Written by stubs.py; do not edit.

from tensorfleet._ops.feature_ops import FixedLenFeature as FixedLenFeature
from tensorfleet._ops.feature_ops import FixedLenSequenceFeature as FixedLenSequenceFeature
from tensorfleet._ops.queue_ops import PaddingFIFOQueue as PaddingFIFOQueue
from tensorfleet._ops.queue_ops import PriorityQueue as PriorityQueue
from tensorfleet._ops.queue_ops import QueueBase as QueueBase
from tensorfleet._ops.queue_ops import RandomShuffleQueue as RandomShuffleQueue
from tensorfleet._ops.queue_ops import SparseConditionalAccumulator as SparseConditionalAccumulator
from tensorfleet._ops.feature_ops import SparseFeature as SparseFeature
from tensorfleet.v1.python_io import TFRecordCompressionType as TFRecordCompressionType
from tensorfleet.v1.python_io import TFRecordOptions as TFRecordOptions
from tensorfleet.v1.python_io import TFRecordWriter as TFRecordWriter
from tensorfleet._ops.feature_ops import VarLenFeature as VarLenFeature
from tensorfleet._ops.image_codec import decode_and_crop_jpeg as decode_and_crop_jpeg
from tensorfleet._ops.string_ops import decode_base64 as decode_base64
from tensorfleet._ops.image_codec import decode_bmp as decode_bmp
from tensorfleet._ops.text_ops import decode_compressed as decode_compressed
from tensorfleet._ops.text_ops import decode_csv as decode_csv
from tensorfleet._ops.image_codec import decode_gif as decode_gif
from tensorfleet._ops.image_codec import decode_image as decode_image
from tensorfleet._ops.image_codec import decode_jpeg as decode_jpeg
from tensorfleet._ops.image_codec import decode_png as decode_png
from tensorfleet._ops.text_ops import decode_raw as decode_raw
from tensorfleet._ops.sparse_combine_ops import deserialize_many_sparse as deserialize_many_sparse
from tensorfleet._ops.string_ops import encode_base64 as encode_base64
from tensorfleet._ops.image_codec import encode_jpeg as encode_jpeg
from tensorfleet._ops.image_codec import encode_png as encode_png
from tensorfleet._ops.image_codec import extract_jpeg_shape as extract_jpeg_shape
from tensorfleet.v1 import gfile as gfile
from tensorfleet._ops.image_codec import is_jpeg as is_jpeg
from tensorfleet._train.input import match_filenames_once as match_filenames_once
from tensorfleet._ops.file_ops import matching_files as matching_files
from tensorfleet._ops.feature_ops import parse_example as parse_example
from tensorfleet._ops.feature_ops import parse_single_example as parse_single_example
from tensorfleet._ops.feature_ops import parse_single_sequence_example as parse_single_sequence_example
from tensorfleet._ops.text_ops import parse_tensor as parse_tensor
from tensorfleet._ops.file_ops import read_file as read_file
from tensorfleet._ops.sparse_combine_ops import serialize_many_sparse as serialize_many_sparse
from tensorfleet._ops.sparse_combine_ops import serialize_sparse as serialize_sparse
from tensorfleet._ops.text_ops import serialize_tensor as serialize_tensor
from tensorfleet.v1.python_io import tf_record_iterator as tf_record_iterator
from tensorfleet._ops.file_ops import write_file as write_file
from tensorfleet._train.meta_graph import write_graph as write_graph

__all__ = [
    "FixedLenFeature", "FixedLenSequenceFeature", "PaddingFIFOQueue", "PriorityQueue", "QueueBase",
    "RandomShuffleQueue", "SparseConditionalAccumulator", "SparseFeature", "TFRecordCompressionType", "TFRecordOptions",
    "TFRecordWriter", "VarLenFeature", "decode_and_crop_jpeg", "decode_base64", "decode_bmp", "decode_compressed",
    "decode_csv", "decode_gif", "decode_image", "decode_jpeg", "decode_png", "decode_raw", "deserialize_many_sparse",
    "encode_base64", "encode_jpeg", "encode_png", "extract_jpeg_shape", "gfile", "is_jpeg", "match_filenames_once",
    "matching_files", "parse_example", "parse_single_example", "parse_single_sequence_example", "parse_tensor",
    "read_file", "serialize_many_sparse", "serialize_sparse", "serialize_tensor", "tf_record_iterator", "write_file",
    "write_graph"
]
