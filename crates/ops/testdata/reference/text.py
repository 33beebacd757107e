"""Strings: splitting, replacing, hashing, numbers, CSV, formats."""

import numpy as np
from judge import tf

from .scenario import *


def record(f):
    split(f)
    replace(f)
    hashes(f)
    numbers(f)
    csv(f)
    letters(f)
    formats(f)
    joins(f)


def s_(*items):
    return np.array([item if isinstance(item, bytes) else item.encode() for item in items], object)


def one(text):
    return np.array(text if isinstance(text, bytes) else text.encode(), object)


def split(f):
    lines = s_("a b  c", "", " x ", "one,two,,three", "\t tab\nline ", "noseparators")
    for sep in ["", " ", ",", ", ", "ab", ",,"]:
        for most in [-1, 0, 1, 2]:
            f.case("StringSplitV2", lines, one(sep), maxsplit=most, name="StringSplitV2")
    f.case("StringSplitV2", s_(), one(","), name="StringSplitV2")
    f.case("StringSplitV2", one("a b"), one(""), name="StringSplitV2")
    f.case("StringSplitV2", lines, s_(","), name="StringSplitV2")
    for sep in ["", " ", ",", ", "]:
        for skip in [True, False]:
            f.case("StringSplit", lines, one(sep), skip_empty=skip, name="StringSplit")


def replace(f):
    words = s_("hello world", "", "aaa", "a1b22c333", "back\\slash")
    for pattern, rewrite in [("o", "0"), ("a*", "x"), ("(\\w+) (\\w+)", "\\2 \\1"), ("[0-9]+", "<\\0>"), ("l+", "\\\\"), ("^", "> ")]:
        for everywhere in [True, False]:
            f.case("StaticRegexReplace", words, pattern=pattern, rewrite=rewrite, replace_global=everywhere, name="StaticRegexReplace")
    f.case("RegexReplace", words, one("l"), one("L"), name="RegexReplace")
    f.case("RegexReplace", words, one("("), one("L"), name="RegexReplace", phrase="Invalid pattern: (")
    f.case("RegexReplace", words, s_("l"), one("L"), name="RegexReplace", phrase="")


def hashes(f):
    texts = s_("", "a", "hello", "a longer text, beyond sixteen bytes", "x" * 40, "y" * 100, "z" * 1000, b"\x00\xff\x01", "0123456789abcdef", "w" * 64, "w" * 65, "w" * 32, "w" * 33)
    for buckets in [1, 10, 1000003, 2**40]:
        f.case("StringToHashBucketFast", texts, num_buckets=buckets, name="StringToHashBucketFast")
        f.case("StringToHashBucketStrong", texts, num_buckets=buckets, key=[123, 456], name="StringToHashBucketStrong")
    f.case("StringToHashBucketFast", texts[:4].reshape(2, 2), num_buckets=7, name="StringToHashBucketFast")


def numbers(f):
    good = s_("1", "-2", " 3 ", "+4", "0")
    for kind in [tf.float32, tf.float64, tf.int32, tf.int64]:
        f.case("StringToNumber", good, out_type=kind, name="StringToNumber")
    for kind in [tf.float32, tf.float64]:
        f.case("StringToNumber", s_("1.5", "1e3", "-2.5e-3", "inf", "-inf", "0.1", ".5", "16777217"), out_type=kind, name="StringToNumber")
    for bad in ["", "abc", "1.5x", "1 2"]:
        for kind in [tf.float32, tf.int32]:
            f.case("StringToNumber", s_("1", bad), out_type=kind, name="StringToNumber")
    f.case("StringToNumber", s_("2147483648"), out_type=tf.int32, name="StringToNumber")


def csv(f):
    defaults = [f32(), i32(7), s_("none")]
    f.case("DecodeCSV", s_("1.5,2,abc", "-3,,", "0,5,\"a,b\"", "2,3,\"say \"\"hi\"\"\""), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("2,3,\"say\"\n"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("2,3,say\n"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("1.5,2", "1,2,3"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_(",2,a"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("x,2,a"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("1,2.5,a"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("1,2,a\"b"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("1,2,\"ab"), defaults, name="DecodeCSV", phrase="")
    f.case("DecodeCSV", s_("1,2,a\"b"), defaults, use_quote_delim=False, name="DecodeCSV")
    f.case("DecodeCSV", s_("1;2;a b"), defaults, field_delim=";", name="DecodeCSV")
    f.case("DecodeCSV", s_("1,NA,NA"), defaults, na_value="NA", name="DecodeCSV")
    f.case("DecodeCSV", s_("a,1,2,b,3", "a,4,5,b,6"), [i64(0), i64(0)], select_cols=[1, 4], name="DecodeCSV")
    f.case("DecodeCSV", one("1,2,x"), defaults, name="DecodeCSV")
    f.case("DecodeCSV", s_("1,2,x", "2,3,y").reshape(2, 1), defaults, name="DecodeCSV")


def letters(f):
    texts = s_("Hello World", "", "  spaces\t\n", "ABC xyz 123", "Äöü ß", "日本語")
    for op in ["StringLower", "StringUpper"]:
        f.case(op, texts, name=op)
        f.case(op, texts, encoding="utf-8", name=op)
    f.case("StringStrip", texts, name="StringStrip")
    for unit in ["BYTE", "UTF8_CHAR"]:
        f.case("StringLength", texts, unit=unit, name="StringLength")
        for pos, length in [(0, 2), (1, 100), (-1, 1), (0, 0)]:
            f.case("Substr", s_("Hello", "日本語x", "ab"), scalar(pos), scalar(length), unit=unit, name="Substr")
    f.case("Substr", s_("Hello", "World"), i32(1, 2), i32(2, 3), name="Substr")
    f.case("Substr", s_("Hello"), i32(1, 2, 3), i32(2, 1, 1), name="Substr")
    f.case("Substr", one("Hello"), i64(1), i64(2), name="Substr")
    f.case("Substr", s_("Hello", "W"), scalar(3), scalar(1), name="Substr")
    f.case("Substr", s_("Hello"), scalar(-6), scalar(1), name="Substr")
    cube = s_("abc", "defg", "hi", "jklm").reshape(1, 2, 2)
    f.case("Substr", cube, i32(0, 1).reshape(1, 1, 2), i32(1, 1).reshape(1, 1, 2), name="Substr", phrase="Substr broadcast not implemented for")
    f.case("Substr", cube, i32(0, 1, 0, 1).reshape(1, 2, 2), i32(1, 1, 2, 2).reshape(1, 2, 2), name="Substr")
    for pad in [True, False]:
        f.case("EncodeBase64", s_("", "a", "ab", "abc", b"\xff\xfe\x00\x01"), pad=pad, name="EncodeBase64")
    f.case("DecodeBase64", s_("", "YQ", "YWI", "YWJj", "__4AAQ", "YQ=="), name="DecodeBase64")
    for wrong in ["a!bc", "YQ=", "YWJj==", "YWI=="]:
        f.case("DecodeBase64", s_(wrong), name="DecodeBase64", phrase="")


def formats(f):
    for value in [f32(1, 2.5, -3), values((3, 4)), values((9,), np.int32), values((8, 8), np.int64), np.float32(1.5), s_("a", "b"), np.array([True, False]),
                  values((2, 2, 2)), f32(), s_("a\n\x01\"\\'\t", "ü")]:
        f.case("StringFormat", [value], template="<{}>", placeholder="{}", name="StringFormat")
    f.case("StringFormat", [values((9,), np.int32), np.float32(2)], template="a {} b {}", placeholder="{}", summarize=-1, name="StringFormat")
    f.case("StringFormat", [values((9,), np.int32)], template="{}", placeholder="{}", summarize=1, name="StringFormat")
    f.case("StringFormat", [values((2,), np.int32)], template="{} {}", placeholder="{}", name="StringFormat")
    for dtype in [np.float32, np.int64, object, np.bool_]:
        with f.scenario("SerializeTensor") as s:
            x = tf.constant(values((2, 3), dtype))
            s.run([tf.raw_ops.ParseTensor(serialized=tf.raw_ops.SerializeTensor(tensor=x), out_type=x.dtype)])
    with f.scenario("ParseTensor/mistakes") as s:
        x = v1.placeholder(tf.string, name="x")
        s.run([tf.raw_ops.ParseTensor(serialized=x, out_type=tf.int32)], {x: tf.make_tensor_proto(f32(1)).SerializeToString()})
        s.run([tf.raw_ops.ParseTensor(serialized=x, out_type=tf.int32)], {x: b"nonsense"}, phrase="Could not parse `serialized` as TensorProto")
    with f.scenario("Print") as s:
        x = v1.placeholder(tf.float32, name="x")
        y = tf.raw_ops.Print(input=x, data=[x, tf.constant([1])], message="m", first_n=0)
        s.run([y], {x: f32(1, 2)})
        s.gradients([y], [x], {x: f32(1, 2)})


def joins(f):
    square = s_("a", "b", "c", "dd").reshape(2, 2)
    for axes in [[0], [1], [0, 1], [1, 0], [-1], [], [2], [0, -2]]:
        f.case("ReduceJoin", square, np.array(axes, np.int32), separator="-")
    f.case("ReduceJoin", square, i32(0, 1), keep_dims=True)
    f.case("ReduceJoin", square[:0], i32(0))
    f.case("UnsortedSegmentJoin", square, i32(1, 1), np.int32(3), separator="/")
    f.case("UnsortedSegmentJoin", square, i64(1, 0, 0, 1).reshape(2, 2), np.int64(2))
    f.case("UnsortedSegmentJoin", square, i32(1, 5), np.int32(3))
    f.case("UnsortedSegmentJoin", square, i32(0), np.int32(3))
    f.case("StringToHashBucket", s_("", "a", "hello", "12345678", "a longer text of 27 letters"), num_buckets=1 << 40)
