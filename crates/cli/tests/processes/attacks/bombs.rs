//! Small bytes that claim to be, or become, very much: compressed strings, pictures, tensors in strings.

use std::io::Write;

use flate2::Crc;
use flate2::write::{DeflateEncoder, GzEncoder, ZlibEncoder};
use prost::Message;
use tensorfleet::prelude::*;

use super::{Arrow, Attack, Siege, declined, storm};

const LIMIT: &[&str] = &["--memory_limit", "512M"];

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("compressed strings of very many zeros", compressed).with(LIMIT),
    Attack::new("a PNG with sides of two billion", png),
    Attack::new("a PNG of a gigabyte of zeros", png_of_zeros).with(LIMIT),
    Attack::new("a GIF of thousands of large frames", gif).with(LIMIT),
    Attack::new("a JPEG without an end", jpeg),
    Attack::new("a BMP that is larger than it is", bmp),
    Attack::new("a tensor in a string, of one number for all", parsed).with(LIMIT),
    Attack::new("raw bytes, padded to gigabytes", padded).with(LIMIT),
    Attack::new("examples that promise much", examples).with(LIMIT),
];

#[test]
fn attacks_with_bombs() {
    storm(ATTACKS);
}

/// Writes zeros, of which little is left when they are compressed.
fn zeros(mut to: impl Write, mebibytes: usize) {
    let block = vec![0; 1 << 20];
    (0..mebibytes).for_each(|_| to.write_all(&block).expect("memory"));
}

fn compressed(siege: &mut Siege) {
    let level = flate2::Compression::fast();
    let (mut zlib, mut gzip, mut raw) = (
        ZlibEncoder::new(Vec::new(), level),
        GzEncoder::new(Vec::new(), level),
        DeflateEncoder::new(Vec::new(), level),
    );
    zeros(&mut zlib, 700);
    zeros(&mut gzip, 700);
    zeros(&mut raw, 8);
    let all = [("ZLIB", zlib.finish()), ("GZIP", gzip.finish()), ("ZLIB", raw.finish()), ("SNAPPY", Ok(vec![255; 50]))];
    for (kind, bytes) in all {
        let mut arrow = Arrow::default();
        let bytes = arrow.input(Tensor::from(bytes::Bytes::from(bytes.expect("memory"))));
        let text = arrow.g.op("DecodeCompressed").input(&bytes).attr("compression_type", kind).output();
        let length = arrow.g.op("StringLength").input(&text).output();
        declined(kind, siege.shoot(&arrow, &length));
    }
}

fn decode(siege: &Siege, op: &str, bytes: Vec<u8>) -> Result<Tensor> {
    let mut arrow = Arrow::default();
    let bytes = arrow.input(Tensor::from(bytes::Bytes::from(bytes)));
    let picture = arrow.g.op(op).input(&bytes).output();
    let shape = arrow.g.op("Shape").input(&picture).output();
    siege.shoot(&arrow, &shape)
}

fn chunk(kind: &[u8; 4], data: &[u8]) -> Vec<u8> {
    let mut crc = Crc::new();
    crc.update(kind);
    crc.update(data);
    [&(data.len() as u32).to_be_bytes()[..], kind, data, &crc.sum().to_be_bytes()].concat()
}

fn png_of(width: u32, height: u32, rows: &[u8]) -> Vec<u8> {
    let head = [&width.to_be_bytes()[..], &height.to_be_bytes(), &[8, 0, 0, 0, 0]].concat();
    let parts = [chunk(b"IHDR", &head), chunk(b"IDAT", rows), chunk(b"IEND", &[])].concat();
    [b"\x89PNG\r\n\x1a\n", &parts[..]].concat()
}

fn png(siege: &mut Siege) {
    for (width, height) in
        [(0x7fff_ffff, 0x7fff_ffff), (0x7fff_ffff, 1), (1, 0x7fff_ffff), (0, 0), (u32::MAX, u32::MAX)]
    {
        for op in ["DecodePng", "DecodeImage"] {
            declined("a PNG", decode(siege, op, png_of(width, height, &[0; 20])));
        }
    }
}

fn png_of_zeros(siege: &mut Siege) {
    let mut rows = ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    zeros(&mut rows, 1024);
    let rows = rows.finish().expect("memory");
    declined("a PNG of zeros", decode(siege, "DecodePng", png_of(32_768, 32_767, &rows)));
}

fn gif(siege: &mut Siege) {
    let mut bytes = b"GIF89a\xff\xff\xff\xff\x80\0\0\0\0\0\xff\xff\xff".to_vec();
    for _ in 0..5000 {
        // One pixel of the screen, in a frame of its own.
        bytes.extend(b"\x2c\0\0\0\0\x01\0\x01\0\0\x02\x02\x44\x01\0");
    }
    bytes.push(0x3b);
    for op in ["DecodeGif", "DecodeImage"] {
        declined("a GIF", decode(siege, op, bytes.clone()));
    }
}

fn jpeg(siege: &mut Siege) {
    let begin = [0xff, 0xd8, 0xff, 0xc0, 0, 17, 8, 0xff, 0xff, 0xff, 0xff, 3, 1, 0x22, 0, 2, 0x11, 1, 3, 0x11, 1];
    let scan = [0xff, 0xda, 0, 12, 3, 1, 0, 2, 0x11, 3, 0x11, 0, 63, 0];
    // Progressive ones may have thousands of scans over the same picture.
    let mut progressive = begin.to_vec();
    progressive[3] = 0xc2;
    (0..2000).for_each(|_| progressive.extend(scan));
    for bytes in [begin.to_vec(), [&begin[..], &scan].concat(), progressive, b"\xff\xd8\xff".repeat(1000)] {
        for op in ["DecodeJpeg", "DecodeImage", "DecodeAndCropJpeg"] {
            if op == "DecodeAndCropJpeg" {
                continue;
            }
            declined("a JPEG", decode(siege, op, bytes.clone()));
        }
    }
}

fn bmp(siege: &mut Siege) {
    for (width, height, bits) in
        [(i32::MAX, i32::MAX, 24u16), (i32::MIN, i32::MIN, 24), (1 << 16, 1 << 16, 32), (1, -1, 0)]
    {
        let mut bytes = b"BM".to_vec();
        bytes.extend([u32::MAX, 0, u32::MAX, 40].map(u32::to_le_bytes).concat());
        bytes.extend([width, height].map(i32::to_le_bytes).concat());
        bytes.extend([1, bits].map(u16::to_le_bytes).concat());
        bytes.extend([0; 24]);
        declined("a BMP", decode(siege, "DecodeBmp", bytes));
    }
}

fn parsed(siege: &mut Siege) {
    let proto = |dims: &[i64]| wire::TensorProto {
        dtype: DType::Float.number(),
        tensor_shape: Some(wire::TensorShapeProto {
            dim: dims.iter().map(|size| wire::tensor_shape_proto::Dim { size: *size, ..Default::default() }).collect(),
            ..Default::default()
        }),
        float_val: vec![1.0],
        ..Default::default()
    };
    for dims in [&[1 << 40][..], &[1 << 20, 1 << 20, 1 << 20], &[1 << 30], &[-5], &[i64::MAX, 2], &[1; 300]] {
        let mut arrow = Arrow::default();
        let text = arrow.input(Tensor::from(bytes::Bytes::from(proto(dims).encode_to_vec())));
        let tensor = arrow.g.op("ParseTensor").input(&text).attr("out_type", DType::Float).output();
        let size = arrow.g.op("Size").input(&tensor).output();
        declined("a tensor in a string", siege.shoot(&arrow, &size));
    }
}

fn padded(siege: &mut Siege) {
    for length in [i32::MAX - 7, i32::MIN, -8, 7] {
        let mut arrow = Arrow::default();
        let (bytes, length) = (arrow.filled(&[1000], Tensor::from("x")), arrow.input(length));
        let raw = arrow.g.op("DecodePaddedRaw").input(&bytes).input(&length).attr("out_type", DType::Double).output();
        let size = arrow.g.op("Size").input(&raw).output();
        declined("raw bytes", siege.shoot(&arrow, &size));
    }
}

/// Dense features whose shape is not that of what there is, for very many examples.
fn examples(siege: &mut Siege) {
    for (count, length) in [(1 << 20, 1 << 40), (1 << 20, 1 << 20), (1, i64::MAX)] {
        let mut arrow = Arrow::default();
        let examples = arrow.filled(&[count], Tensor::from(""));
        let none = arrow.input(Tensor::string_vector::<String>([]));
        let keys = arrow.input(Tensor::string_vector(["x"]));
        let default = arrow.input(1f32);
        let g = &arrow.g;
        let entry = g.op("ParseExampleV2").input(&examples).input(&none).input(&none).input(&keys).input(&none);
        let entry = entry.input_list(&[default]).attr("num_sparse", 0i64);
        let entry = entry.attr("sparse_types", Vec::<DType>::new()).attr("ragged_value_types", Vec::<DType>::new());
        let entry = entry.attr("ragged_split_types", Vec::<DType>::new());
        let dense = entry.attr("dense_shapes", vec![PartialShape::from([length])]).build().output(0);
        let size = g.op("Size").input(&dense).output();
        declined("examples", siege.shoot(&arrow, &size));
    }
}
