"""Strings: joined, split, made of numbers and into numbers, hashed."""

from __future__ import annotations

from typing import Any

from tensorfleet._framework import dtypes
from tensorfleet._framework.apply import many, one
from tensorfleet._framework.convert import SparseTensor, convert_to_tensor
from tensorfleet._framework.graph import Tensor
from tensorfleet._ops.op_scope import op_scope, renamed

__all__ = [
    "as_string", "decode_base64", "encode_base64", "reduce_join", "regex_replace", "string_join", "string_length",
    "string_lower",
    "string_split", "string_strip", "string_to_hash_bucket", "string_to_hash_bucket_fast", "string_to_hash_bucket_strong",
    "string_to_number", "string_upper", "substr", "regex_full_match", "string_format",
]


def string_join(inputs: Any, separator: str = "", name: str | None = None) -> Tensor:
    """Strings of several tensors joined, element by element.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.string_join([["a", "b"], "c"], "-")).tolist()
    [b'a-c', b'b-c']
    """
    return one("StringJoin", list(inputs), name=name, separator=separator)


def string_split(
    source: Any, sep: Any = None, skip_empty: bool = True, delimiter: Any = None, result_type: str = "SparseTensor",
    name: str | None = None,
) -> SparseTensor:
    """The parts of strings between separators (each character of `sep` is one), as a sparse tensor."""
    delimiter = renamed(delimiter, sep, "delimiter", "sep")
    delimiter = " " if delimiter is None else delimiter
    if result_type != "SparseTensor":
        raise NotImplementedError(f"string_split with result_type={result_type!r}: the result is a SparseTensor")
    with op_scope(None, "StringSplit", [source]):
        delimiter = convert_to_tensor(delimiter, dtype=dtypes.string)
        source = convert_to_tensor(source, dtype=dtypes.string)
        parts = many("StringSplit", source, delimiter, skip_empty=skip_empty)
        for part, dims in zip(parts, ([None, 2], [None], [2])):
            part.set_shape(dims)
        return SparseTensor(*parts)


def string_length(input: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """How many bytes (or characters, if `unit` is "UTF8_CHAR") strings have."""
    return one("StringLength", input, name=name, unit=unit)


def string_lower(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in lower case."""
    return one("StringLower", input, name=name, encoding=encoding)


def string_upper(input: Any, encoding: str = "", name: str | None = None) -> Tensor:
    """Strings in upper case."""
    return one("StringUpper", input, name=name, encoding=encoding)


def string_strip(input: Any, name: str | None = None) -> Tensor:
    """Strings without white space at their ends."""
    return one("StringStrip", input, name=name)


def string_to_number(
    string_tensor: Any = None, out_type: Any = dtypes.float32, name: str | None = None, input: Any = None
) -> Tensor:
    """The numbers that strings stand for."""
    return one("StringToNumber", renamed(input, string_tensor, "input", "string_tensor"), name=name, out_type=out_type)


def as_string(
    input: Any, precision: int = -1, scientific: bool = False, shortest: bool = False, width: int = -1, fill: str = "",
    name: str | None = None,
) -> Tensor:
    """The strings of numbers or bools."""
    return one(
        "AsString", input, name=name, precision=precision, scientific=scientific, shortest=shortest, width=width, fill=fill
    )


def string_to_hash_bucket(
    string_tensor: Any = None, num_buckets: int | None = None, name: str | None = None, input: Any = None
) -> Tensor:
    """A number below `num_buckets` for each string, by its hash."""
    return one(
        "StringToHashBucket", renamed(input, string_tensor, "input", "string_tensor"), name=name, num_buckets=num_buckets
    )


def string_to_hash_bucket_fast(input: Any, num_buckets: int, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, by a fast hash."""
    return one("StringToHashBucketFast", input, name=name, num_buckets=num_buckets)


def string_to_hash_bucket_strong(input: Any, num_buckets: int, key: Any, name: str | None = None) -> Tensor:
    """A number below `num_buckets` for each string, by a hash with a secret key of two numbers."""
    return one("StringToHashBucketStrong", input, name=name, num_buckets=num_buckets, key=list(key))


def substr(input: Any, pos: Any, len: Any, name: str | None = None, unit: str = "BYTE") -> Tensor:
    """Parts of strings: from where, and how long."""
    return one("Substr", input, pos, len, name=name, unit=unit)


def decode_base64(input: Any, name: str | None = None) -> Tensor:
    """The bytes of web-safe base64 strings."""
    return one("DecodeBase64", input, name=name)


def encode_base64(input: Any, pad: bool = False, name: str | None = None) -> Tensor:
    """Strings as web-safe base64."""
    return one("EncodeBase64", input, name=name, pad=pad)


def regex_replace(input: Any, pattern: Any, rewrite: Any, replace_global: bool = True, name: str | None = None) -> Tensor:
    """Strings in which what matches a pattern is replaced."""
    if isinstance(pattern, (str, bytes)) and isinstance(rewrite, (str, bytes)):
        return one("StaticRegexReplace", input, name=name, pattern=pattern, rewrite=rewrite, replace_global=replace_global)
    return one("RegexReplace", input, pattern, rewrite, name=name, replace_global=replace_global)


def regex_full_match(input: Any, pattern: Any, name: str | None = None) -> Tensor:
    """Whether strings match a pattern as a whole."""
    if isinstance(pattern, (str, bytes)):
        return one("StaticRegexFullMatch", input, name=name, pattern=pattern)
    return one("RegexFullMatch", input, pattern, name=name)


def reduce_join(
    inputs: Any, axis: Any = None, keep_dims: bool | None = None, separator: str = "", name: str | None = None,
    reduction_indices: Any = None, keepdims: bool | None = None,
) -> Tensor:
    """Strings joined along dimensions, or all of them.

    >>> import tensorfleet.v1 as tf
    >>> tf.Session().run(tf.reduce_join([["a", "b"], ["c", "d"]], 1)).tolist()
    [b'ab', b'cd']
    """
    from tensorfleet._framework.convert import constant
    from tensorfleet._ops import fill_ops, shape_ops

    axis = renamed(axis, reduction_indices, "axis", "reduction_indices")
    keepdims = bool(renamed(keepdims, keep_dims, "keepdims", "keep_dims"))
    with op_scope(None, "ReduceJoin", [inputs]):
        inputs = convert_to_tensor(inputs)
        if axis is None:
            ndims = inputs.shape.ndims
            if ndims is not None:
                axis = constant(list(range(ndims))[::-1], dtypes.int32)
            else:
                axis = fill_ops.range(shape_ops.rank(inputs) - 1, -1, -1)  # type: ignore[operator]
        return one("ReduceJoin", inputs, axis, name=name, keep_dims=keepdims, separator=separator)


def string_format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> Tensor:
    """A template in which placeholders are replaced by tensors, shown."""
    inputs = list(inputs) if isinstance(inputs, (list, tuple)) else [inputs]
    return one("StringFormat", inputs, name=name, template=template, placeholder=placeholder, summarize=summarize)
