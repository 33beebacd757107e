//! Texts and pictures, as the ops that read them get them.

use std::time::Duration;

use runtime::{LocalSession, RunRequest, Session};
use tensorfleet::prelude::*;
use testkit::{eval, fuzz};

/// An op with a scalar string as its input, and what it says to a string.
fn reader(op: &str, attrs: &dyn Fn(graph::OpBuilder) -> graph::OpBuilder) -> impl FnMut(&[u8]) -> String + use<> {
    let g = Graph::new();
    let text = g.placeholder(DType::String, PartialShape::scalar());
    let output = attrs(g.op(op).input(&text)).build();
    let session = LocalSession::new(&g).expect("a session");
    move |bytes| {
        let value = Tensor::from(bytes::Bytes::copy_from_slice(bytes));
        let request = RunRequest::new().feed(&text, value).target(&output).timeout(Duration::from_secs(10));
        session.run(request).map_or_else(|status| status.to_string(), |_| "taken".to_owned())
    }
}

fn picture(channels: i64) -> Tensor {
    let bytes: Vec<u8> = (0..6 * 5 * channels).map(|number| (number * 37 % 251) as u8).collect();
    Tensor::new([6, 5, channels], bytes).expect("a picture")
}

fn encoded(op: &str, channels: i64) -> Vec<u8> {
    let g = Graph::new();
    let text = eval(&g.op(op).input(g.constant(picture(channels))).output()).expect("a picture");
    text.strings().expect("a string")[0].to_vec()
}

#[test]
fn png() {
    let seeds: Vec<Vec<u8>> = [1, 3, 4].map(|channels| encoded("EncodePng", channels)).to_vec();
    fuzz("png", &seeds, reader("DecodePng", &|entry| entry));
    fuzz("png_16", &seeds, reader("DecodePng", &|entry| entry.attr("dtype", DType::UInt16).attr("channels", 3i64)));
}

#[test]
fn jpeg() {
    let seeds: Vec<Vec<u8>> = [1, 3].map(|channels| encoded("EncodeJpeg", channels)).to_vec();
    fuzz("jpeg", &seeds, reader("DecodeJpeg", &|entry| entry));
    fuzz("jpeg_small", &seeds, reader("DecodeJpeg", &|entry| entry.attr("ratio", 4i64).attr("channels", 3i64)));
}

fn bmp_of(bits: u16, height: i32) -> Vec<u8> {
    let row = (3 * usize::from(bits) / 8).next_multiple_of(4);
    let pixels = vec![77; row * height.unsigned_abs() as usize];
    let mut bytes = b"BM".to_vec();
    bytes.extend([54 + pixels.len() as u32, 0, 54, 40].map(u32::to_le_bytes).concat());
    bytes.extend([3, height].map(i32::to_le_bytes).concat());
    bytes.extend([1, bits].map(u16::to_le_bytes).concat());
    bytes.extend([0; 24]);
    bytes.extend(pixels);
    bytes
}

#[test]
fn bmp() {
    fuzz("bmp", &[bmp_of(24, 2), bmp_of(32, -2), bmp_of(8, 2)], reader("DecodeBmp", &|entry| entry));
}

/// Two frames of two pixels, with a table of two colours.
fn gif_seed() -> Vec<u8> {
    let frame = b"\x21\xf9\x04\x04\x05\0\x01\0\x2c\0\0\0\0\x02\0\x01\0\0\x02\x02\x44\x0a\0";
    [b"GIF89a\x02\0\x01\0\x80\0\0\0\0\0\xff\xff\xff", &frame[..], &frame[..], b"\x3b"].concat()
}

#[test]
fn gif() {
    fuzz("gif", &[gif_seed()], reader("DecodeGif", &|entry| entry));
}

#[test]
fn pictures_of_any_kind() {
    let seeds = [encoded("EncodePng", 3), encoded("EncodeJpeg", 3), bmp_of(24, 2), gif_seed()];
    fuzz("pictures", &seeds, reader("DecodeImage", &|entry| entry));
}

#[test]
fn csv() {
    let g = Graph::new();
    let lines = g.placeholder(DType::String, PartialShape::unknown());
    let defaults =
        [g.constant([1f32]), g.constant(Tensor::vector::<i64>(&[])), g.constant(Tensor::string_vector(["x"]))];
    let parsed = g.op("DecodeCSV").input(&lines).input_list(&defaults).build();
    let session = LocalSession::new(&g).expect("a session");
    let seeds: Vec<Vec<u8>> = [&b"1.5,7,abc"[..], b",-9,\"a \"\"b\"\", c\"", b"1e5,9223372036854775807,\n", b"nan,1,"]
        .map(<[u8]>::to_vec)
        .to_vec();
    fuzz("csv", &seeds, |bytes| {
        let value = Tensor::from(bytes::Bytes::copy_from_slice(bytes));
        let request = RunRequest::new().feed(&lines, value).target(&parsed).timeout(Duration::from_secs(10));
        session.run(request).map_or_else(|status| status.to_string(), |_| "taken".to_owned())
    });
}

#[test]
fn compressed() {
    let stored = |bytes: &[u8]| {
        [&[0x78, 1, 1, bytes.len() as u8, 0, !(bytes.len() as u8), 0xff][..], bytes, &[6, 44, 2, 21]].concat()
    };
    let fixed = b"\x78\x9c\x4b\x4c\x4c\x4c\x4c\x4c\x04\x00\x08\x3d\x02\x47".to_vec();
    fuzz(
        "zlib",
        &[stored(b"hello"), fixed],
        reader("DecodeCompressed", &|entry| entry.attr("compression_type", "ZLIB")),
    );
}

#[test]
fn tensors_in_strings() {
    let g = Graph::new();
    let seed = eval(&g.op("SerializeTensor").input(g.constant([[1f32, 2.0]])).output()).expect("a tensor");
    let seed = seed.strings().expect("a string")[0].to_vec();
    fuzz("parse_tensor", &[seed], reader("ParseTensor", &|entry| entry.attr("out_type", DType::Float)));
}

/// Patterns, numbers, base64, JSON of features, Unicode: what other ops read from texts.
#[test]
fn texts() {
    let seeds =
        [&b"(a+|b*)[c-e]{2,3}?$"[..], b"1.5e3", b"aGVsbG8_d29ybGQ-", b"0x7f", "h\u{e9}llo \u{1F600}".as_bytes()];
    let seeds = seeds.map(<[u8]>::to_vec);
    for op in ["StringToNumber", "DecodeBase64", "StringLower", "StringStrip", "StringToHashBucketFast"] {
        let attrs =
            |entry: graph::OpBuilder| if op.ends_with("Fast") { entry.attr("num_buckets", 9i64) } else { entry };
        fuzz(op, &seeds, reader(op, &attrs));
    }
    let unicode = |entry: graph::OpBuilder| {
        entry.attr("input_encoding", "UTF-8").attr("output_encoding", "UTF-16-BE").attr("errors", "strict")
    };
    fuzz("UnicodeTranscode", &seeds, reader("UnicodeTranscode", &unicode));
    let g = Graph::new();
    let pattern = g.placeholder(DType::String, PartialShape::scalar());
    let replaced = g.op("RegexReplace").input(g.constant("aabcd ccee")).input(&pattern).input(&pattern).build();
    let session = LocalSession::new(&g).expect("a session");
    fuzz("patterns", &seeds, |bytes| {
        let value = Tensor::from(bytes::Bytes::copy_from_slice(bytes));
        let request = RunRequest::new().feed(&pattern, value).target(&replaced).timeout(Duration::from_secs(10));
        session.run(request).map_or_else(|status| status.to_string(), |_| "taken".to_owned())
    });
}
