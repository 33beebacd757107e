//! V1 checkpoints as TensorFlow writes and reads them.

use std::fs;

use proptest::prelude::*;
use tensor::{Code, Complex64, DType, Shape, Tensor, f16};

use super::*;
use crate::testing::{Damage, TempDir, testdata};

fn everything() -> Vec<(&'static str, Tensor)> {
    let matrix = |values: Vec<f32>| Tensor::new([2, 3], values).unwrap();
    vec![
        ("a", matrix((0..6).map(|v| v as f32).collect())),
        ("b", Tensor::from([1i64, 2, 3])),
        ("c", Tensor::from(true)),
        ("d", Tensor::from([1.5f64, 2.5])),
        ("e", Tensor::new([1, 1], vec![Complex64::new(1.0, 2.0)]).unwrap()),
        ("f", Tensor::from([1u8, 255])),
        ("g", Tensor::string_vector(["xy", "", "z"])),
        ("h", Tensor::from([f16::from_f32(1.0), f16::from_f32(2.0)])),
    ]
}

#[test]
fn a_checkpoint_of_tensorflow() {
    let reader = SlicesReader::open(testdata("v1.ckpt")).unwrap();
    let read: Vec<(String, Tensor)> =
        reader.entries().into_iter().map(|entry| (entry.name.clone(), reader.lookup(&entry.name).unwrap())).collect();
    let wanted: Vec<(String, Tensor)> =
        everything().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    assert_eq!(read, wanted);
    assert!(reader.entry("a").unwrap().slices.is_empty());
    let status = reader.lookup("z").unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::NotFound, "Key z not found in checkpoint"));
}

#[test]
fn the_bytes_are_those_of_tensorflow() {
    let dir = TempDir::new();
    let path = dir.path().join("v1");
    let mut writer = SlicesWriter::new(&path).unwrap();
    for (name, value) in everything() {
        writer.add(name, &value).unwrap();
    }
    writer.finish().unwrap();
    assert_eq!(fs::read(path).unwrap(), fs::read(testdata("v1.ckpt")).unwrap());
}

#[test]
fn shards_are_one_checkpoint() {
    for name in ["v1-sharded", "v1-sharded-?????-of-?????", "v1-sharded-?????-of-00002"] {
        let reader = SlicesReader::open(testdata(name)).unwrap();
        assert_eq!(reader.entry("w").unwrap().slices.len(), 2);
        let whole = Tensor::new([4, 2], vec![1f32, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]).unwrap();
        assert_eq!(reader.lookup("w").unwrap(), whole);
        let middle = reader.lookup_slice("w", &crate::TensorSlice::parse("1,2:0,1").unwrap()).unwrap();
        assert_eq!(middle, Tensor::new([2, 1], vec![1f32, 0.0]).unwrap());
        assert_eq!(reader.lookup("x").unwrap(), Tensor::from(3f32));
    }
    assert_eq!(SlicesReader::open(testdata("v1-shard")).err().unwrap().code(), Code::NotFound);
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = TempDir::new();
    let mut writer = SlicesWriter::new(dir.path().join("a")).unwrap();
    let (whole, half) = (Shape::new(&[4]).unwrap(), crate::TensorSlice::parse("0,2").unwrap());
    writer.add_slice("w", &whole, &half, &Tensor::from([1f32, 2.0])).unwrap();
    let code = |result: tensor::Result<()>| result.unwrap_err().code();
    assert_eq!(code(writer.add_slice("w", &whole, &half, &Tensor::from([1f32, 2.0]))), Code::InvalidArgument);
    assert_eq!(code(writer.add_slice("w", &whole, &half, &Tensor::from([1i32, 2]))), Code::Internal);
    assert_eq!(code(writer.add_slice("v", &whole, &half, &Tensor::from([1f32]))), Code::InvalidArgument);
    assert_eq!(code(writer.add("u", &Tensor::from([1u64]))), Code::InvalidArgument);
    assert_eq!(code(writer.add("", &Tensor::from([1f32]))), Code::InvalidArgument);
    let bfloat = Tensor::zeros(DType::BFloat16, &whole).unwrap();
    assert_eq!(code(writer.add("u", &bfloat)), Code::Unimplemented);
    drop(writer);
    assert!(dir.names().is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn damage_is_an_error_or_harmless(damage in Damage::any()) {
        let dir = TempDir::new();
        let path = dir.path().join("v1");
        fs::write(&path, damage.apply(&fs::read(testdata("v1.ckpt")).unwrap())).unwrap();
        if let Ok(reader) = SlicesReader::open(&path) {
            for entry in reader.entries() {
                let _ = reader.lookup(&entry.name);
            }
        }
    }
}
