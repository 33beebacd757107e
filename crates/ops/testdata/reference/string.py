"""Strings."""

import numpy as np
from judge import tf

from .scenario import *


def text(*items):
    return np.array(items, object)


def record(f):
    a, b = np.array([b"a", b"bb"], object), np.array([b"x", b""], object)
    f.case("StringJoin", [a, b])
    f.case("StringJoin", [a, b, a], separator="--")
    f.case("StringJoin", [a, np.array(b"s", object)], separator="/")
    f.case("StringJoin", [np.array(b"p", object), np.array(b"q", object)])
    f.case("StringJoin", [a, np.array([b"1", b"2", b"3"], object)])
    f.case("StringJoin", [np.zeros((0,), object), np.array(b"s", object)])
    f.case("StringJoin", [np.array([[b"a", b"b"]], object), np.array([[b"c", b"d"]], object)])
    for pattern in ["a+", "", ".*x", "(a|b)*", "\\d+", "^a$"]:
        f.case("StaticRegexFullMatch", text(b"aaa", b"", b"abx", b"abab", b"123", b"a\nb"), pattern=pattern)
    f.case("StaticRegexFullMatch", text(b"/tmp/x.ckpt", b"s3://bucket/y"), pattern="^s3://.*")
    f.case("StaticRegexFullMatch", text(b"a"), pattern="(", phrase="")
    f.case("StaticRegexFullMatch", np.zeros((0, 2), object), pattern="a")
    f.case("StaticRegexReplace", text(b"aabaa", b"xyz", b""), pattern="a+", rewrite="<\\0>")
    f.case("StaticRegexReplace", text(b"aabaa"), pattern="a", rewrite="b", replace_global=False)
    decode(f)
    for x in [values((3,)), values((3,), np.float64), i32(1, -20, 300), i64(2**40), np.array([True, False]), f32(nan, inf, -inf, 1e20, 0.1)]:
        f.case("AsString", x)
    f.case("AsString", f32(1.23456, -7), precision=2)
    f.case("AsString", f32(1.23456, 1e10), scientific=True)
    f.case("AsString", f32(1.23456, 1e10), shortest=True)
    f.case("AsString", i32(7, -123), width=5)
    f.case("AsString", i32(7, 123), width=5, fill="0")
    f.case("AsString", f32(1.5), width=8, precision=3, fill=" ")
    for target in [tf.float32, tf.float64, tf.int32, tf.int64]:
        f.case("StringToNumber", text(b"12", b"-7", b"0"), out_type=target)
        f.case("StringToNumber", text(b"abc"), out_type=target)
        f.case("StringToNumber", text(b""), out_type=target)
        f.case("StringToNumber", text(b" 12 "), out_type=target)
    f.case("StringToNumber", text(b"1.5e3", b"inf", b"-.25", b"nan"))
    f.case("StringToHashBucketFast", text(b"a", b"hello world", b"", b"x" * 100), num_buckets=1000)
    f.case("StringToHashBucketFast", np.array(b"abc", object), num_buckets=1)
    f.case("StringLength", text(b"abc", b"", "é".encode()))
    f.case("Substr", text(b"hello", b"world"), scalar(1), scalar(3))
    f.case("StringSplitV2", text(b"a b  c", b"", b"d"), np.array(b"", object))
    f.case("StringSplitV2", text(b"a,b,,c"), np.array(b",", object))
    f.case("StringSplitV2", text(b"a,b,,c"), np.array(b",", object), maxsplit=1)
    f.case("StringUpper", text(b"aBc"))
    f.case("StringLower", text(b"aBc"))
    f.case("StringStrip", text(b"  a b ", b"\t"))
    for x in [values((2, 2)), values((), np.int64), text(b"a", b"bc"), np.array([True])]:
        f.case("SerializeTensor", x)


def decode(f):
    for kind in [tf.uint8, tf.int8, tf.int16, tf.int32, tf.int64, tf.float32, tf.float64, tf.float16, tf.uint16, tf.bool]:
        f.case("DecodeRaw", text(bytes([0, 1, 2, 60, 0, 1, 0, 1]) * 2, bytes(range(16))) if kind != tf.bool else text(b"\x00\x01"), out_type=kind)
    f.case("DecodeRaw", text(bytes([0, 1, 2, 3])), out_type=tf.int16, little_endian=False)
    f.case("DecodeRaw", np.array(b"\x01\x02", object), out_type=tf.uint8)
    f.case("DecodeRaw", text(b"abc"), out_type=tf.int16)
    f.case("DecodeRaw", text(b"ab", b"abcd"), out_type=tf.uint8)
    f.case("DecodeRaw", text(b"", b""), out_type=tf.float32)
    f.case("DecodeRaw", np.zeros((0,), object), out_type=tf.float32)
    f.case("DecodeRaw", np.array([[b"ab"], [b"cd"]], object), out_type=tf.uint8)
    csv = text(b"1,2.5,hello", b"2,,\"a,b\"\"c\"")
    f.case("DecodeCSV", csv, [i32(0), f32(-1), text(b"none")])
    f.case("DecodeCSV", text(b"1"), [i32(0), i32(0)])
    f.case("DecodeCSV", text(b"x"), [i32(0)])
    f.case("DecodeCSV", text(b""), [np.zeros((0,), np.int32)])
    f.case("DecodeCSV", text(b"1;2"), [i64(0), i64(0)], field_delim=";")
