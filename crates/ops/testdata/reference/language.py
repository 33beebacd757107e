"""Characters, n-grams, fingerprints, edit distances, and labels of sequences (CTC)."""

import gzip
import zlib

import numpy as np
from judge import tf

from .scenario import *


def text(*items):
    return np.array(items, object)


def record(f):
    unicode(f)
    n_grams(f)
    prints(f)
    distances(f)
    losses(f)
    decoders(f)


def unicode(f):
    utf8 = text("héllo".encode(), b"", "日本語 🎉".encode(), b"a\xffb\xe3\x81", b"\xc0\x80\xed\xa0\x80", b"tab\there\x7f", b"\xf0\x9f\x8e")
    for errors in ["replace", "ignore", "strict"]:
        for control in [False, True]:
            f.case("UnicodeDecode", utf8, input_encoding="UTF-8", errors=errors, replace_control_characters=control, phrase="", name="UnicodeDecode")
            f.case("UnicodeDecodeWithOffsets", utf8, input_encoding="utf8", errors=errors, replace_control_characters=control,
                   replacement_char=63, phrase="", name="UnicodeDecodeWithOffsets")
            for target in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
                f.case("UnicodeTranscode", utf8, input_encoding="UTF-8", output_encoding=target, errors=errors, replace_control_characters=control,
                       phrase="", name="UnicodeTranscode")
        for kind in ["UTF-16-BE", "UTF-16-LE", "UTF-16", "UTF-32-BE", "UTF-32-LE", "US-ASCII", "ISO-8859-1", "windows-1252"]:
            # TensorFlow remembers the order of bytes from one string to the next, so this kind is recorded with one.
            words = ["héllo"] if kind == "UTF-16" else ["héllo", "", "日本🎉"]
            good = [word.encode(kind.replace("-BE", "BE").replace("-LE", "LE"), "ignore") for word in words]
            f.case("UnicodeDecodeWithOffsets", text(*good), input_encoding=kind, errors=errors, phrase="", name=f"UnicodeDecodeWithOffsets/{kind}")
            f.case("UnicodeTranscode", text(*good), input_encoding=kind, output_encoding="UTF-8", errors=errors, phrase="", name=f"UnicodeTranscode/{kind}")
            if kind in ["US-ASCII", "ISO-8859-1", "windows-1252"]:
                f.case("UnicodeDecode", text(bytes(range(256))), input_encoding=kind, errors=errors, phrase="", name=f"UnicodeDecode/{kind}")
    f.case("UnicodeDecode", text(b"\xd8\x00\x00a"), input_encoding="UTF-16-BE", name="UnicodeDecode/half")
    f.case("UnicodeDecode", np.array([[b"ab"], [b"c"]], object), input_encoding="UTF-8", name="UnicodeDecode/matrix")
    f.case("UnicodeDecode", text(b"a"), input_encoding="no such", name="UnicodeDecode/unknown")
    f.case("UnicodeTranscode", np.array(b"a", object), input_encoding="UTF-8", output_encoding="UTF-8", replacement_char=0x110000, phrase="", name="UnicodeTranscode/replacement")
    codes = i32(104, 233, 0x1F389, 0xD800, 0x110000, -1, 0xFDD0, 0xFFFE, 97, 0xFFFD)
    for errors in ["replace", "ignore", "strict"]:
        for target in ["UTF-8", "UTF-16-BE", "UTF-32-BE"]:
            f.case("UnicodeEncode", codes, i64(0, 3, 3, 10), output_encoding=target, errors=errors, replacement_char=63)
            f.case("UnicodeEncode", codes[:3], i32(0, 1, 3), output_encoding=target, errors=errors)
    for splits in [(1, 3), (0, 2), (0, 2, 1, 3), (0, 5, 3)]:
        f.case("UnicodeEncode", codes[:3], i64(*splits), output_encoding="UTF-8", phrase="", name="UnicodeEncode/splits")
    f.case("UnicodeScript", i32(-1, 97, 233, 0x65E5, 0x3042, 0x30A2, 0x5D0, 0x627, 0x1F389, 0x378, 0x10FFFF, 0x110000, 0xD800, 48))
    f.case("UnicodeScript", np.arange(0x20, 0x370, 4, np.int32).reshape(2, -1))


def n_grams(f):
    words = text(b"aa", b"bb", b"cc", b"dd", b"ee", b"ff")
    for widths in [[1], [2], [3, 1], [7], [2, 4]]:
        for pad in [-1, 0, 1, 2]:
            for short in [False, True]:
                f.case("StringNGrams", words, i64(0, 4, 4, 5, 6), separator="|", ngram_widths=widths, left_pad="L", right_pad="R", pad_width=pad,
                       preserve_short_sequences=short, name="StringNGrams")
    options = dict(separator="", ngram_widths=[2], left_pad="", right_pad="", pad_width=0, preserve_short_sequences=False)
    f.case("StringNGrams", words, i32(0, 3, 6), **options, name="StringNGrams/int32")
    f.case("StringNGrams", words[:0], i64(0, 0, 0), **options, name="StringNGrams/empty")
    f.case("StringNGrams", words[:0], i64(), **options, name="StringNGrams/nothing")
    for splits in [(1, 6), (0, 5), (0, 4, 3, 6), (0, 7)]:
        f.case("StringNGrams", words, i64(*splits), **options, phrase="", name="StringNGrams/splits")
    f.case("StringNGrams", words, i64(0, 6), **(options | dict(ngram_widths=[0])), name="StringNGrams/width")
    f.case("StringNGrams", words, i64(0, 6), **(options | dict(ngram_widths=[], preserve_short_sequences=True, pad_width=1)), name="StringNGrams/none")


def prints(f):
    method = np.array(b"farmhash64", object)
    for x in [values((3, 2)), i64(1, 2, 3), text(b"a", b"bc", b""), np.array([[b"a", b"b"], [b"c", b"d"]], object), np.zeros((2, 0), np.float32), np.array([True, False])]:
        f.case("Fingerprint", x, method)
    f.case("Fingerprint", values((3,)), np.array(b"other", object), phrase="")
    f.case("Fingerprint", values(()), method, phrase="")
    for kind, pack in [("", lambda x: x), ("ZLIB", zlib.compress), ("GZIP", gzip.compress)]:
        f.case("DecodeCompressed", text(pack(b"hello" * 50), pack(b"")), compression_type=kind, name="DecodeCompressed")
    f.case("DecodeCompressed", text(b"a"), compression_type="LZ", phrase="", name="DecodeCompressed/kind")
    for kind in [tf.uint8, tf.int16, tf.int32, tf.float32, tf.int64]:
        f.case("DecodePaddedRaw", text(b"abcdefgh", b"", b"abcdefghijklm"), scalar(8), out_type=kind)
    f.case("DecodePaddedRaw", text(b"abc"), scalar(4), out_type=tf.int16, little_endian=False)
    f.case("DecodePaddedRaw", text(b"abc"), scalar(3), out_type=tf.int16, phrase="")
    f.case("DecodePaddedRaw", text(b"abc"), scalar(0), out_type=tf.int16, phrase="")


def distances(f):
    indices = i64([0, 0], [0, 1], [0, 2], [1, 0], [3, 0], [3, 1])
    others = i64([0, 0], [0, 1], [1, 0], [1, 1], [2, 0])
    for normalize in [True, False]:
        for left, right in [(text(b"a", b"b", b"c", b"a", b"x", b"y"), text(b"a", b"c", b"a", b"b", b"z")), (i64(1, 2, 3, 4, 5, 6), i64(1, 3, 4, 4, 2)),
                            (f32(0, 1, 2, 3, 4, 5), f32(-0.0, 2, 3, 3, 1))]:
            f.case("EditDistance", indices, left, i64(4, 3), others, right, i64(3, 2), normalize=normalize, grad=False)
    f.case("EditDistance", i64([0, 0, 0], [1, 1, 0]), i32(1, 2), i64(2, 2, 2), i64([0, 0, 0], [1, 0, 0]), i32(1, 2), i64(2, 2, 1))
    f.case("EditDistance", indices, i32(1, 2), i64(4, 3), others, i32(1, 2, 3, 4, 5), i64(3, 2), phrase="")
    f.case("EditDistance", indices, i32(1, 2, 3, 4, 5, 6), i64(4, 3, 1), others, i32(1, 2, 3, 4, 5), i64(3, 2), phrase="")
    f.case("EditDistance", i64([0], [1]), i32(1, 2), i64(2), i64([0], [1]), i32(1, 2), i64(2), phrase="")


def losses(f):
    state = np.random.RandomState(4)
    inputs = state.randn(6, 3, 5).astype(np.float32)
    indices = i64([0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [2, 0])
    labels, lengths = i32(1, 1, 2, 0, 3, 2), i32(6, 4, 5)
    for dtype in [np.float32, np.float64]:
        for collapse in [False, True]:
            for merge in [False, True]:
                f.case("CTCLoss", inputs.astype(dtype), indices, labels, lengths, preprocess_collapse_repeated=collapse, ctc_merge_repeated=merge, tol=1e-4)
    f.case("CTCLoss", inputs, indices, labels, i32(3, 4, 5), ignore_longer_outputs_than_inputs=True, tol=1e-4)
    f.case("CTCLoss", inputs, indices, labels, i32(3, 4, 5))
    f.case("CTCLoss", inputs, indices, labels, i32(6, 0, 5), tol=1e-4)
    f.case("CTCLoss", inputs, indices, labels, i32(7, 4, 5), phrase="")
    f.case("CTCLoss", inputs, indices, labels, i32(6, 4), phrase="")
    f.case("CTCLoss", inputs, indices, i32(1, 4, 2, 0, 3, 1), lengths, phrase="")
    f.case("CTCLoss", inputs, indices, i32(1, -1, 2, 0, 3, 1), lengths, phrase="")
    f.case("CTCLoss", inputs, indices[:5], labels[:5], lengths, phrase="", tol=1e-4)
    f.case("CTCLoss", inputs, indices, labels[:5], lengths, phrase="")
    f.case("CTCLoss", inputs[0], indices, labels, lengths, phrase="")
    f.case("CTCLoss", inputs[:0], indices, labels, lengths, phrase="")


def decoders(f):
    state = np.random.RandomState(6)
    inputs, lengths = (3 * state.randn(9, 3, 4)).astype(np.float32), i32(9, 5, 0)
    for dtype in [np.float32, np.float64]:
        for merge in [False, True]:
            for blank in [-1, 0, 2]:
                f.case("CTCGreedyDecoder", inputs.astype(dtype), lengths, merge_repeated=merge, blank_index=blank, tol=1e-5, grad=False)
            for width, paths in [(1, 1), (4, 2), (20, 3), (100, 4)]:
                f.case("CTCBeamSearchDecoder", inputs.astype(dtype)[:, :2], lengths[:2], beam_width=width, top_paths=paths, merge_repeated=merge, tol=1e-4, grad=False)
    f.case("CTCBeamSearchDecoder", inputs, lengths, beam_width=4, top_paths=2, phrase="")
    f.case("CTCBeamSearchDecoder", inputs, lengths, beam_width=2, top_paths=3, phrase="")
    for op, attrs in [("CTCGreedyDecoder", {}), ("CTCBeamSearchDecoder", dict(beam_width=2, top_paths=1))]:
        f.case(op, inputs, i32(10, 5, 1), phrase="", **attrs)
        f.case(op, inputs, i32(9, 5), phrase="", **attrs)
        f.case(op, inputs[0], lengths, phrase="", **attrs)
    f.case("CTCGreedyDecoder", inputs, lengths, blank_index=4, phrase="")
