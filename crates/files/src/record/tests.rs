//! Records as TensorFlow writes them, and damaged ones.

use bytes::Bytes;
use proptest::prelude::*;
use tensor::Code;

use super::*;
use crate::testing::{Damage, testdata};

/// What TensorFlow 2.21 writes for the records `abc`, an empty one, and ten times `x`.
const THREE: &str = "0300000000000000b099490e6162636e57f121000000000000000029039807d8ea82a20a00000000000000\
                     aea3bf3a78787878787878787878cf2bb7d1";

fn three() -> Vec<u8> {
    (0..THREE.len()).step_by(2).map(|at| u8::from_str_radix(&THREE[at..at + 2], 16).unwrap()).collect()
}

fn read_all(bytes: &[u8], compression: Compression) -> Result<Vec<Bytes>> {
    RecordReader::new(bytes, "test", compression).collect()
}

fn write_all(records: &[Vec<u8>], compression: Compression) -> Vec<u8> {
    let mut writer = RecordWriter::new(Vec::new(), compression);
    for record in records {
        writer.write(record).unwrap();
    }
    writer.finish().unwrap()
}

#[test]
fn the_bytes_are_those_of_tensorflow() {
    assert_eq!(read_all(&three(), Compression::None).unwrap(), [&b"abc"[..], b"", b"xxxxxxxxxx"]);
    let records = [b"abc".to_vec(), vec![], vec![b'x'; 10]];
    assert_eq!(write_all(&records, Compression::None), three());
}

#[test]
fn compressed_files_of_tensorflow() {
    for (name, compression) in [("plain.tfrecord", ""), ("zlib.tfrecord", "ZLIB"), ("gzip.tfrecord", "GZIP")] {
        let compression = Compression::from_name(compression).unwrap();
        let records: Result<Vec<Bytes>> = RecordReader::open(&testdata(name), compression).unwrap().collect();
        assert_eq!(records.unwrap(), [&b"abc"[..], b"", &[b'x'; 1000]], "{name}");
    }
    assert_eq!(Compression::from_name("SNAPPY").unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn damage_is_named_with_its_offset() {
    let message = |bytes: &[u8]| {
        let status = read_all(bytes, Compression::None).unwrap_err();
        assert_eq!(status.code(), Code::DataLoss);
        status.message().to_owned()
    };
    let whole = three();
    assert!(message(&whole[..whole.len() - 1]).starts_with("truncated record at offset 35 of test"));
    assert!(message(&whole[..25]).starts_with("truncated record at offset 19 of test"));
    let mut payload = whole.clone();
    payload[13] ^= 1;
    assert!(message(&payload).starts_with("corrupted record at offset 12 of test"));
    let mut length = whole.clone();
    length[0] ^= 1;
    assert!(message(&length).starts_with("corrupted record at offset 0 of test"));
    // A compressed file read as a plain one, and the other way round.
    let gzip = std::fs::read(testdata("gzip.tfrecord")).unwrap();
    assert!(message(&gzip).starts_with("corrupted record at offset 0"));
    assert_eq!(read_all(&whole, Compression::Gzip).unwrap_err().code(), Code::DataLoss);
    assert_eq!(read_all(&gzip[..gzip.len() / 2], Compression::Gzip).unwrap_err().code(), Code::DataLoss);
}

#[test]
fn an_absurd_length_takes_no_memory() {
    let length = (u64::MAX - 3).to_le_bytes();
    let bytes = [&length[..], &crc::masked(&length).to_le_bytes(), b"short"].concat();
    let mut reader = RecordReader::new(&bytes[..], "test", Compression::None);
    assert!(reader.read().unwrap_err().message().starts_with("truncated record at offset 0"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_come_back(records: Vec<Vec<u8>>, kind in 0usize..3) {
        let compression = [Compression::None, Compression::Zlib, Compression::Gzip][kind];
        prop_assert_eq!(read_all(&write_all(&records, compression), compression).unwrap(), records);
    }

    #[test]
    fn damaged_files_end_in_an_error_or_fewer_records(damage in Damage::any()) {
        let damaged = damage.apply(&three());
        match read_all(&damaged, Compression::None) {
            Ok(records) => prop_assert!(records.len() < 3),
            Err(status) => prop_assert_eq!(status.code(), Code::DataLoss),
        }
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes: Vec<u8>) {
        for compression in [Compression::None, Compression::Zlib, Compression::Gzip] {
            let _ = read_all(&bytes, compression);
        }
    }
}
