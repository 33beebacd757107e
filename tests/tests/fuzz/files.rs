//! Files: checkpoints of both formats and their state, sorted tables, records, events, IDX.

use std::path::{Path, PathBuf};

use files::{
    BundleReader, BundleWriter, CheckpointReader, Compression, EventReader, EventWriter, RecordReader, RecordWriter,
};
use tensor::{Result, Shape, Tensor};
use testkit::fuzz;

/// A folder that goes with the test.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-fuzz-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn told<T>(outcome: Result<T>) -> String {
    outcome.map_or_else(|status| status.to_string(), |_| "taken".to_owned())
}

fn tensors() -> Vec<(&'static str, Tensor)> {
    vec![
        ("layer/bias", Tensor::from([1f32, 2.0, 3.0])),
        ("layer/kernel", Tensor::from([[1f64, 2.0], [3.0, 4.0]])),
        ("step", Tensor::from(7i64)),
        ("words", Tensor::string_vector(["a", "", "longer than the others"])),
    ]
}

fn everything_in(prefix: &Path) -> Result<()> {
    let reader = CheckpointReader::open(prefix)?;
    for entry in reader.entries()? {
        reader.lookup(&entry.name)?;
    }
    Ok(())
}

#[test]
fn checkpoint_index() {
    let folder = Folder::new("index");
    let prefix = folder.path("model");
    let mut writer = BundleWriter::new(&prefix).expect("a checkpoint");
    for (name, tensor) in tensors() {
        writer.add(name, &tensor).expect("room");
    }
    let (whole, part) = (Shape::new(&[4, 2]).expect("a shape"), files::TensorSlice::parse("2,2:-").expect("a slice"));
    writer.add_slice("sliced", &whole, &part, &Tensor::from([[1f32, 2.0], [3.0, 4.0]])).expect("room");
    writer.finish().expect("a checkpoint");
    let index = files::bundle::index_path(&prefix);
    let seed = std::fs::read(&index).expect("an index");
    fuzz("checkpoint_index", &[seed], |bytes| {
        std::fs::write(&index, bytes).expect("a disk");
        told(everything_in(&prefix).and_then(|()| BundleReader::open(&prefix)?.lookup("sliced").map(drop)))
    });
}

#[test]
fn checkpoint_data() {
    let folder = Folder::new("data");
    let prefix = folder.path("model");
    let mut writer = BundleWriter::new(&prefix).expect("a checkpoint");
    for (name, tensor) in tensors() {
        writer.add(name, &tensor).expect("room");
    }
    writer.finish().expect("a checkpoint");
    let data = files::bundle::data_path(&prefix, 0, 1);
    let seed = std::fs::read(&data).expect("data");
    fuzz("checkpoint_data", &[seed], |bytes| {
        std::fs::write(&data, bytes).expect("a disk");
        told(everything_in(&prefix))
    });
}

#[test]
fn first_checkpoint_format() {
    let folder = Folder::new("slices");
    let path = folder.path("model.ckpt");
    let mut writer = files::SlicesWriter::new(&path).expect("a checkpoint");
    for (name, tensor) in tensors() {
        writer.add(name, &tensor).expect("room");
    }
    writer.finish().expect("a checkpoint");
    let seed = std::fs::read(&path).expect("a file");
    fuzz("first_checkpoint_format", &[seed], |bytes| {
        std::fs::write(&path, bytes).expect("a disk");
        told(everything_in(&path))
    });
}

#[test]
fn checkpoint_state() {
    let folder = Folder::new("state");
    let seed = br#"model_checkpoint_path: "model-20"
all_model_checkpoint_paths: "model-\"10\""
all_model_checkpoint_paths: '/x/\303\244-20'
all_model_checkpoint_timestamps: 1.5e9
last_preserved_timestamp: 1.5e9
"#;
    fuzz("checkpoint_state", &[seed.to_vec()], |bytes| {
        std::fs::write(folder.path("checkpoint"), bytes).expect("a disk");
        told(files::latest_checkpoint(&folder.0)) + &told(files::all_checkpoints(&folder.0))
    });
}

#[test]
fn tables() {
    let mut writer = files::table::TableWriter::new(Vec::new());
    for number in 0..200 {
        writer.add(format!("key{number:04}").as_bytes(), &vec![7; number % 30]).expect("an entry");
    }
    let seed = writer.finish().expect("a table");
    fuzz("tables", &[seed], |bytes| {
        let table = files::table::Table::from_bytes("fuzz", bytes.to_vec().into());
        told(table.and_then(|table| {
            table.get(b"key0100")?;
            table.iter().try_for_each(|entry| entry.map(drop))
        }))
    });
}

#[test]
fn records() {
    for compression in [Compression::None, Compression::Zlib, Compression::Gzip] {
        let mut writer = RecordWriter::new(Vec::new(), compression);
        for length in [0, 1, 300, 5] {
            writer.write(&vec![9; length]).expect("memory");
        }
        let seed = writer.finish().expect("memory");
        fuzz(&format!("records_{compression:?}"), &[seed], |bytes| {
            let mut reader = RecordReader::new(bytes, "fuzz", compression);
            loop {
                match reader.read() {
                    Ok(Some(_)) => {}
                    end => break told(end),
                }
            }
        });
    }
}

#[test]
fn events() {
    let folder = Folder::new("events");
    let mut writer = EventWriter::create(&folder.0, "").expect("a file");
    for step in 0..5 {
        writer.add_scalar(step, "loss", 0.5).expect("room");
    }
    writer.flush().expect("a disk");
    let path = writer.path().to_owned();
    drop(writer);
    let seed = std::fs::read(&path).expect("a file");
    fuzz("events", &[seed], |bytes| {
        std::fs::write(&path, bytes).expect("a disk");
        let read = || -> Result<()> {
            let mut reader = EventReader::open(&path)?;
            while reader.read()?.is_some() {}
            Ok(())
        };
        told(read())
    });
}

#[test]
fn idx() {
    let seed = [&[0, 0, 8, 2, 0, 0, 0, 2, 0, 0, 0, 3][..], &[1, 2, 3, 4, 5, 6]].concat();
    let floats = [&[0, 0, 13, 1, 0, 0, 0, 1][..], &1f32.to_be_bytes()].concat();
    fuzz("idx", &[seed, floats], |bytes| told(files::idx::read(bytes, "fuzz")));
}
