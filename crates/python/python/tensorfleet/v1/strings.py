"""Strings: `tf.strings`."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope, renamed
from tensorfleet._ops.string_ops import (
    as_string,
    reduce_join,
    regex_full_match,
    regex_replace,
    string_format as format,
    string_join as join,
    string_length as length,
    string_lower as lower,
    string_strip as strip,
    string_to_hash_bucket as to_hash_bucket,
    string_to_hash_bucket_fast as to_hash_bucket_fast,
    string_to_hash_bucket_strong as to_hash_bucket_strong,
    string_to_number as to_number,
    string_upper as upper,
    substr,
)

__all__ = [
    "as_string", "format", "join", "length", "lower", "reduce_join", "regex_full_match", "regex_replace", "split", "strip",
    "substr",
    "to_hash_bucket", "to_hash_bucket_fast", "to_hash_bucket_strong", "to_number", "unicode_script",
    "unicode_transcode", "unsorted_segment_join", "upper",
]


def split(
    input: Any = None, sep: Any = None, maxsplit: int = -1, result_type: str = "SparseTensor", source: Any = None,
    name: str | None = None,
) -> SparseTensor:
    """The parts of strings between separators, as a sparse tensor; without one, the words between white space.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.strings.split(["a b", "c"])).values.tolist()
    [b'a', b'b', b'c']
    """
    from tensorfleet._ops.shape_ops import expand_dims

    input = renamed(input, source, "input", "source")
    if result_type != "SparseTensor":
        raise NotImplementedError(f"strings.split with result_type={result_type!r}: the result is a SparseTensor")
    with op_scope(name, "StringSplit", [input]):
        input = convert_to_tensor(input, dtype=dtypes.string, name="input")
        if input.shape.ndims == 0:
            input = expand_dims(input, 0)
        separator = convert_to_tensor("" if sep is None else sep, dtype=dtypes.string)
        indices, values, shape = many("StringSplitV2", input, separator, maxsplit=maxsplit)
        return SparseTensor(indices, values, shape)


def unicode_script(input: Any, name: str | None = None) -> Tensor:
    """The numbers of the scripts that characters, given by their numbers, belong to."""
    return one("UnicodeScript", input, name=name)


def unicode_transcode(
    input: Any, input_encoding: str, output_encoding: str, errors: str = "replace", replacement_char: int = 65533,
    replace_control_characters: bool = False, name: str | None = None,
) -> Tensor:
    """Text in another encoding.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.strings.unicode_transcode("\\u00e9", "UTF-8", "UTF-16-BE"))
    b'\\x00\\xe9'
    """
    return one(
        "UnicodeTranscode", input, name=name, input_encoding=input_encoding, output_encoding=output_encoding, errors=errors,
        replacement_char=replacement_char, replace_control_characters=replace_control_characters)


def unsorted_segment_join(
    inputs: Any, segment_ids: Any, num_segments: Any, separator: str = "", name: str | None = None
) -> Tensor:
    """The strings of each segment, one after the other."""
    return one("UnsortedSegmentJoin", inputs, segment_ids, num_segments, name=name, separator=separator)
