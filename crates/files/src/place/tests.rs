//! Formats in a store that is a table in memory.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use bytes::Bytes;
use parking_lot::Mutex;
use tensor::{Code, Result, Tensor, ensure, err};

use super::*;
use crate::checkpoint_state::{self, CheckpointState};
use crate::{
    BundleReader, BundleWriter, Compression, EventReader, EventWriter, RecordReader, RecordWriter, latest_checkpoint,
    merge_bundles,
};

type Table = Arc<Mutex<BTreeMap<String, Bytes>>>;

struct InMemory(Table);
struct Held(Bytes);
struct Coming(Table, String, Vec<u8>);

impl Store for InMemory {
    fn open(&self, url: &str) -> Result<Box<dyn Object>> {
        let found = self.0.lock().get(url).cloned();
        Ok(Box::new(Held(found.ok_or_else(|| err!(NotFound, "no such object"))?)))
    }

    fn create(&self, url: &str) -> Result<Box<dyn Upload>> {
        Ok(Box::new(Coming(self.0.clone(), url.to_owned(), Vec::new())))
    }

    fn list(&self, url: &str) -> Result<Vec<Entry>> {
        let below = format!("{url}/");
        let table = self.0.lock();
        let names = table.keys().filter_map(|key| key.strip_prefix(&below)?.split('/').next());
        let entry = |name: &str| Entry {
            path: Path::new(url).join(name),
            name: name.into(),
            is_folder: !table.contains_key(&format!("{below}{name}")),
            size: 0,
            modified: None,
        };
        let mut entries: Vec<Entry> = names.map(entry).collect();
        entries.dedup();
        Ok(entries)
    }

    fn rename(&self, from: &str, to: &str) -> Result<()> {
        let mut table = self.0.lock();
        let content = table.remove(from).ok_or_else(|| err!(NotFound, "no such object"))?;
        table.insert(to.to_owned(), content);
        Ok(())
    }

    fn remove(&self, url: &str) -> Result<()> {
        self.0.lock().remove(url);
        Ok(())
    }
}

impl Object for Held {
    fn size(&self) -> u64 {
        self.0.len() as u64
    }

    fn modified(&self) -> Option<SystemTime> {
        None
    }

    fn read(&self, offset: u64, length: u64) -> Result<Bytes> {
        ensure!(offset + length <= self.size(), DataLoss, "too short");
        Ok(self.0.slice(offset as usize..(offset + length) as usize))
    }
}

impl Upload for Coming {
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.2.extend_from_slice(bytes);
        Ok(())
    }

    fn close(&mut self) -> Result<()> {
        Ok(())
    }

    fn commit(&mut self) -> Result<()> {
        self.0.lock().insert(self.1.clone(), std::mem::take(&mut self.2).into());
        Ok(())
    }
}

/// All tests share the one store of the process, each below a folder of its own.
fn table() -> Table {
    static TABLE: std::sync::OnceLock<Table> = std::sync::OnceLock::new();
    let table = TABLE.get_or_init(|| {
        let table = Table::default();
        install(Box::new(InMemory(table.clone())));
        table
    });
    table.clone()
}

#[test]
fn records_are_written_and_read() {
    let table = table();
    let path = Path::new("mem://records/a.tfrecord");
    let mut writer = RecordWriter::create(path, Compression::Gzip).unwrap();
    writer.write(b"one").unwrap();
    writer.write(b"two").unwrap();
    assert!(!table.lock().contains_key("mem://records/a.tfrecord"), "it appears at its end");
    writer.finish().unwrap();
    let records: Vec<Bytes> = RecordReader::open(path, Compression::Gzip).unwrap().collect::<Result<_>>().unwrap();
    assert_eq!(records, ["one", "two"]);
    drop(RecordWriter::create(Path::new("mem://records/b"), Compression::None).unwrap());
    assert!(!table.lock().contains_key("mem://records/b"));
    let missing = RecordReader::open(Path::new("mem://records/c"), Compression::None).err().unwrap();
    assert_eq!((missing.code(), missing.message()), (Code::NotFound, "mem://records/c: no such object"));
}

#[test]
fn checkpoints_are_written_merged_and_read() {
    let table = table();
    let folder = Path::new("mem://checkpoints/run");
    let parts = ["m-7_temp/part-0", "m-7_temp/part-1"].map(|part| folder.join(part));
    let large: Vec<f32> = (0..1 << 20).map(|index| index as f32).collect();
    for (part, (name, value)) in parts.iter().zip([("a", Tensor::from([1f32, 2.0])), ("b", Tensor::from(large))]) {
        let mut writer = BundleWriter::new(part).unwrap();
        writer.add(name, &value).unwrap();
        writer.finish().unwrap();
    }
    let prefix = folder.join("m-7");
    merge_bundles(&parts, &prefix, true).unwrap();
    let names = ["m-7.data-00000-of-00002", "m-7.data-00001-of-00002", "m-7.index"];
    let found = |table: &Table| -> Vec<String> {
        let table = table.lock();
        table.keys().filter_map(|key| Some(key.strip_prefix("mem://checkpoints/run/")?.to_owned())).collect()
    };
    assert_eq!(found(&table), names);
    let state = CheckpointState { model_checkpoint_path: prefix.display().to_string(), ..Default::default() };
    checkpoint_state::write(folder, checkpoint_state::FILE_NAME, &state, false).unwrap();
    let latest = latest_checkpoint(folder).unwrap().unwrap();
    assert_eq!(latest, prefix);
    let reader = BundleReader::open(&latest).unwrap();
    assert_eq!(reader.lookup("a").unwrap(), Tensor::from([1f32, 2.0]));
    assert_eq!(reader.lookup("b").unwrap().as_slice::<f32>().unwrap()[1_000_000], 1_000_000.0);
    table.lock().insert("mem://checkpoints/run/m-7.data-00001-of-00002".into(), Bytes::from_static(b"short"));
    let torn = BundleReader::open(&latest).unwrap().lookup("b").unwrap_err();
    assert_eq!(torn.code(), Code::DataLoss);
}

#[test]
fn events_go_into_files_of_bounded_size() {
    let table = table();
    let folder = Path::new("mem://events/run");
    let mut writer = EventWriter::create(folder, "").unwrap();
    for step in 0..3 {
        writer.add_scalar(step, "loss", 0.5).unwrap();
    }
    writer.flush().unwrap();
    let first = writer.path().to_owned();
    assert_eq!(EventReader::open(&first).unwrap().count(), 4);
    let large = wire::Event { step: 9, ..Default::default() };
    let filler = wire::summary::Value { tag: "x".repeat(1 << 20), ..Default::default() };
    let large = wire::Event { what: Some(wire::event::What::Summary(wire::Summary { value: vec![filler] })), ..large };
    for _ in 0..6 {
        writer.write(&large).unwrap();
    }
    writer.flush().unwrap();
    assert_ne!(writer.path(), first);
    let files: Vec<Entry> = read_folder(folder).unwrap();
    assert!(files.len() >= 2, "{files:?}");
    let mut count = 0;
    for file in &files {
        assert!(table.lock()[file.path.to_str().unwrap()].len() < 6 << 20);
        count += EventReader::open(&file.path).unwrap().collect::<Result<Vec<_>>>().unwrap().len();
    }
    assert_eq!(count, 3 + 6 + files.len());
}

#[test]
fn a_reader_seeks_and_grows_its_pieces() {
    use std::io::{Read, Seek, SeekFrom};
    let table = table();
    let bytes: Vec<u8> = (0..3_000_000u32).map(|index| (index % 251) as u8).collect();
    table.lock().insert("mem://reader/x".into(), bytes.clone().into());
    let mut reader = Reader::open(Path::new("mem://reader/x")).unwrap();
    let mut read = Vec::new();
    reader.read_to_end(&mut read).unwrap();
    assert_eq!(read, bytes);
    reader.seek(SeekFrom::Start(1_000_001)).unwrap();
    let mut few = [0; 7];
    reader.read_exact(&mut few).unwrap();
    assert_eq!(few, bytes[1_000_001..1_000_008]);
    assert!(reader.seek(SeekFrom::Current(-2_000_000)).is_err());
    assert!(is_file(Path::new("mem://reader/x")) && !is_file(Path::new("mem://reader")));
    assert!(exists(Path::new("mem://reader")) && !exists(Path::new("mem://nothing")));
}
