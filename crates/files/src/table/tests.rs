//! Sorted tables: written and read back, and damaged.

use std::collections::BTreeMap;

use bytes::Bytes;
use proptest::prelude::*;
use tensor::Code;

use super::*;
use crate::testing::{Damage, testdata};

fn written(entries: &BTreeMap<Vec<u8>, Vec<u8>>, block_size: usize) -> Vec<u8> {
    let mut writer = TableWriter::with_block_size(Vec::new(), block_size);
    for (key, value) in entries {
        writer.add(key, value).unwrap();
    }
    writer.finish().unwrap()
}

fn all(bytes: Vec<u8>) -> tensor::Result<BTreeMap<Vec<u8>, Vec<u8>>> {
    let table = Table::from_bytes("test", bytes.into())?;
    table.iter().map(|entry| entry.map(|(key, value)| (key, value.to_vec()))).collect()
}

fn numbered(count: usize) -> BTreeMap<Vec<u8>, Vec<u8>> {
    (0..count).map(|i| (format!("layer/{i:04}/weights").into_bytes(), vec![i as u8; i % 7])).collect()
}

/// The entries of a checkpoint index that TensorFlow 2.21 wrote, written again, give the same file.
#[test]
fn the_bytes_are_those_of_tensorflow() {
    let original = std::fs::read(testdata("model.index")).unwrap();
    let entries = all(original.clone()).unwrap();
    assert_eq!(entries[&b""[..]], b"\x08\x01\x1a\x02\x08\x01", "the header");
    assert!(written(&entries, 256 << 10) == original);
}

#[test]
fn keys_are_found_across_blocks() {
    let entries = numbered(500);
    let table = Table::from_bytes("test", written(&entries, 300).into()).unwrap();
    for (key, value) in &entries {
        assert_eq!(table.get(key).unwrap().unwrap(), &value[..]);
    }
    for missing in ["", "layer", "layer/0000/weightt", "layer/0250", "z"] {
        assert_eq!(table.get(missing.as_bytes()).unwrap(), None, "{missing}");
    }
}

#[test]
fn an_empty_table() {
    let bytes = written(&BTreeMap::new(), 300);
    assert_eq!(Table::from_bytes("test", bytes.clone().into()).unwrap().get(b"a").unwrap(), None);
    assert!(all(bytes).unwrap().is_empty());
}

#[test]
fn keys_must_ascend() {
    let mut writer = TableWriter::new(Vec::new());
    writer.add(b"b", b"").unwrap();
    assert_eq!(writer.add(b"b", b"").unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(writer.add(b"a", b"").unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn snappy_blocks_are_read() {
    // The only data block of a small table, compressed; its handle in the index is written anew.
    let entries = numbered(20);
    let mut block = block::BlockBuilder::new(16);
    entries.iter().for_each(|(key, value)| block.add(key, value));
    let compressed = snap::raw::Encoder::new().compress_vec(&block.take()).unwrap();
    let mut file = Vec::new();
    let mut append = |bytes: &[u8], kind: u8| {
        let handle = BlockHandle { offset: file.len() as u64, size: bytes.len() as u64 };
        file.extend_from_slice(bytes);
        file.push(kind);
        let crc = crate::crc::masked(&file[handle.offset as usize..]);
        file.extend_from_slice(&crc.to_le_bytes());
        handle
    };
    let mut value = Vec::new();
    append(&compressed, SNAPPY).write(&mut value);
    let mut index = block::BlockBuilder::new(1);
    index.add(b"z", &value);
    let index = append(&index.take(), UNCOMPRESSED);
    let mut footer = Vec::new();
    index.write(&mut footer);
    index.write(&mut footer);
    footer.resize(40, 0);
    footer.extend_from_slice(&MAGIC.to_le_bytes());
    file.extend_from_slice(&footer);
    assert_eq!(all(file).unwrap(), entries);
}

#[test]
fn what_is_no_table_is_refused_as_tensorflow_does() {
    let message = |bytes: &'static [u8]| {
        let status = Table::from_bytes("test", Bytes::from_static(bytes)).err().unwrap();
        assert_eq!(status.code(), Code::DataLoss);
        status.message().to_owned()
    };
    assert!(message(b"short").starts_with("file is too short to be an sstable"));
    assert!(message(&[0; 60]).starts_with("not an sstable (bad magic number)"));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn entries_come_back(entries: BTreeMap<Vec<u8>, Vec<u8>>, block_size in 1usize..400) {
        let bytes = written(&entries, block_size);
        let table = Table::from_bytes("test", bytes.clone().into()).unwrap();
        for (key, value) in &entries {
            let found = table.get(key).unwrap();
            prop_assert_eq!(found.as_deref(), Some(&value[..]));
        }
        prop_assert_eq!(all(bytes).unwrap(), entries);
    }

    #[test]
    fn damage_is_an_error_or_harmless(damage in Damage::any()) {
        let entries = numbered(40);
        match all(damage.apply(&written(&entries, 300))) {
            // Only bytes that nothing refers to, like the footer's padding, may change unnoticed.
            Ok(read) => prop_assert_eq!(read, entries),
            Err(status) => prop_assert_eq!(status.code(), Code::DataLoss),
        }
    }

    /// Blocks whose checksums would be valid are attacked in their structure.
    #[test]
    fn a_hostile_block_never_panics(content: Vec<u8>, key: Vec<u8>) {
        if let Ok(block) = block::Block::new(content.into()) {
            let block = std::sync::Arc::new(block);
            let _ = block.seek(&key);
            let mut cursor = block.cursor();
            while let Ok(true) = cursor.advance() {}
        }
    }
}
