//! The other side of `tests/interop/formats.py`, which compares our files with TensorFlow's.
//!
//! `formats write DIR` writes files of every format for TensorFlow to read; `formats read DIR` reads files that
//! TensorFlow wrote and prints what is in them as JSON.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use serde_json::{Value, json};
use tensor::{Buffer, DType, Result, Shape, Tensor, bail, bf16, err, f16};
use tensorfleet_files::bundle::parse_shape_and_slice;
use tensorfleet_files::{
    BundleReader, BundleWriter, Compression, EventReader, EventWriter, Histogram, RecordReader, RecordWriter,
    TensorSlice, checkpoint_state, idx, latest_checkpoint, merge_bundles,
};
use wire::event::What;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let done = match &arguments[..] {
        [command, folder] if command == "write" => write(Path::new(folder)),
        [command, folder] if command == "read" => read(Path::new(folder)).map(|digest| println!("{digest}")),
        _ => Err(err!(InvalidArgument, "usage: formats write|read DIR")),
    };
    if let Err(status) = done {
        eprintln!("{status}");
        std::process::exit(1);
    }
}

const COMPRESSIONS: [(&str, Compression); 3] =
    [("plain", Compression::None), ("zlib", Compression::Zlib), ("gzip", Compression::Gzip)];

fn write(folder: &Path) -> Result<()> {
    for (name, compression) in COMPRESSIONS {
        let mut writer = RecordWriter::create(&folder.join(format!("{name}.tfrecord")), compression)?;
        for i in 0..100u8 {
            writer.write(&vec![i; i as usize * 17])?;
        }
        writer.finish()?;
    }
    write_checkpoints(folder)?;
    let mut events = EventWriter::create(folder.join("logs"), "")?;
    for step in 0..5 {
        events.add_scalar(step, "loss", 1.0 / (1 + step) as f32)?;
    }
    let histogram: Histogram = (-500..500).map(|i| f64::from(i as f32 * 0.37)).collect();
    let value = wire::summary::Value {
        tag: "weights".to_owned(),
        value: Some(wire::summary::value::Value::Histo(histogram.to_proto())),
        ..Default::default()
    };
    events.add(9, What::Summary(wire::Summary { value: vec![value] }))?;
    events.flush()?;
    let path = |name: &str| folder.join(name).display().to_string();
    let state = wire::CheckpointState {
        model_checkpoint_path: path("ours"),
        all_model_checkpoint_paths: vec![path("merged"), path("ours")],
        all_model_checkpoint_timestamps: vec![1.5, 2.5],
        last_preserved_timestamp: 0.5,
    };
    checkpoint_state::write(folder, checkpoint_state::FILE_NAME, &state, true)
}

fn write_checkpoints(folder: &Path) -> Result<()> {
    let matrix = Shape::new(&[5, 4])?;
    let mut writer = BundleWriter::new(folder.join("ours"))?;
    for dtype in PLAIN {
        writer.add(&format!("plain/{}", dtype.python_name()), &numbers(dtype, &matrix)?)?;
    }
    writer.add("scalar", &numbers(DType::Float, &Shape::scalar())?)?;
    writer.add("empty", &numbers(DType::Float, &Shape::new(&[0, 3])?)?)?;
    writer.add("big", &numbers(DType::Float, &Shape::new(&[1000, 1000])?)?)?;
    let strings = (0..200usize).map(|i| Bytes::from(vec![i as u8; i * 3]));
    writer.add("strings", &Tensor::string_vector(strings))?;
    let whole = numbers(DType::Double, &matrix)?;
    for (start, length) in [(0, 2), (2, 3)] {
        let part = whole.window(start * 4, Shape::new(&[length as i64, 4])?)?;
        writer.add_slice("part", &matrix, &TensorSlice::new(&[Some((start as i64, length as i64)), None])?, &part)?;
    }
    writer.finish()?;
    // So many tensors that the index has several blocks.
    let mut writer = BundleWriter::new(folder.join("many"))?;
    for i in 0..20_000 {
        writer.add(&format!("tower/layer_{i}/weights"), &Tensor::from((i % 256) as u8))?;
    }
    writer.finish()?;
    let shards: Vec<PathBuf> = (0..2).map(|i| folder.join(format!("merged_temp/part-0000{i}-of-00002"))).collect();
    for (i, shard) in shards.iter().enumerate() {
        let mut writer = BundleWriter::new(shard)?;
        writer.add(&format!("v{i}"), &Tensor::from(i as i64))?;
        let row = whole.window(i * 4, Shape::new(&[1, 4])?)?;
        writer.add_slice("part", &Shape::new(&[2, 4])?, &TensorSlice::parse(&format!("{i},1:-"))?, &row)?;
        writer.finish()?;
    }
    merge_bundles(&shards, folder.join("merged"), true)
}

const PLAIN: [DType; 15] = {
    use DType::*;
    [
        Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Bool, Complex64,
        Complex128,
    ]
};

/// Element i is i * 37 % 101, converted to the type (bool: whether it is odd).
fn numbers(dtype: DType, shape: &Shape) -> Result<Tensor> {
    let values = (0..shape.num_elements() as u64).map(|i| i * 37 % 101);
    let bytes: Vec<u8> = match dtype {
        DType::Float => values.flat_map(|v| (v as f32).to_le_bytes()).collect(),
        DType::Double => values.flat_map(|v| (v as f64).to_le_bytes()).collect(),
        DType::Half => values.flat_map(|v| f16::from_f32(v as f32).to_le_bytes()).collect(),
        DType::BFloat16 => values.flat_map(|v| bf16::from_f32(v as f32).to_le_bytes()).collect(),
        DType::Complex64 => values.flat_map(|v| [v as f32, 0.0]).flat_map(f32::to_le_bytes).collect(),
        DType::Complex128 => values.flat_map(|v| [v as f64, 0.0]).flat_map(f64::to_le_bytes).collect(),
        DType::Bool => values.map(|v| (v % 2) as u8).collect(),
        other => values.flat_map(|v| v.to_le_bytes()[..other.size()].to_vec()).collect(),
    };
    Tensor::from_buffer(dtype, shape.clone(), Buffer::copy_of(&bytes))
}

fn read(folder: &Path) -> Result<Value> {
    let mut digest = serde_json::Map::new();
    for (name, compression) in COMPRESSIONS {
        let path = folder.join(format!("{name}.tfrecord"));
        if path.exists() {
            let records: Vec<String> =
                RecordReader::open(&path, compression)?.map(|record| Ok(hex(&record?))).collect::<Result<_>>()?;
            digest.insert(format!("{name}.tfrecord"), json!(records));
        }
    }
    let mut files: Vec<PathBuf> = fs::read_dir(folder)?.map(|file| Ok(file?.path())).collect::<Result<_>>()?;
    files.sort();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if let Some(prefix) = name.strip_suffix(".index") {
            digest.insert(name.clone(), read_checkpoint(&folder.join(prefix))?);
        } else if name.contains("tfevents") {
            digest.insert("events".to_owned(), read_events(&path)?);
        } else if name.contains(".idx") {
            digest.insert(name, described(&idx::read_file(&path)?)?);
        }
    }
    if let Some(state) = checkpoint_state::read(folder, checkpoint_state::FILE_NAME)? {
        let latest = latest_checkpoint(folder)?.map(|path| path.display().to_string());
        digest.insert("latest".to_owned(), json!([latest, state.all_model_checkpoint_paths]));
    }
    // Lines of checkpoint, tensor and slice, separated by tabs.
    if let Ok(requests) = fs::read_to_string(folder.join("slices.txt")) {
        let read = |line: &str| -> Result<Value> {
            let [prefix, name, spec] = line.split('\t').collect::<Vec<_>>()[..] else {
                bail!(InvalidArgument, "bad request {line}")
            };
            let reader = BundleReader::open(folder.join(prefix))?;
            let tensor = parse_shape_and_slice(spec).and_then(|parsed| match parsed {
                Some((_, slice)) => reader.lookup_slice(name, &slice),
                None => reader.lookup(name),
            });
            match tensor {
                Ok(tensor) => described(&tensor),
                Err(status) => Ok(json!({ "code": status.code().number(), "message": status.message() })),
            }
        };
        let answers: Vec<Value> = requests.lines().map(read).collect::<Result<_>>()?;
        digest.insert("slices".to_owned(), json!(answers));
    }
    Ok(Value::Object(digest))
}

fn read_checkpoint(prefix: &Path) -> Result<Value> {
    let reader = BundleReader::open(prefix)?;
    let mut tensors = BTreeMap::new();
    for entry in reader.entries()? {
        tensors.insert(entry.name.clone(), described(&reader.lookup(&entry.name)?)?);
    }
    Ok(json!(tensors))
}

fn read_events(path: &Path) -> Result<Value> {
    let mut events = Vec::new();
    for event in EventReader::open(path)? {
        let event = event?;
        events.push(match event.what {
            Some(What::FileVersion(version)) => json!([event.step, "version", version]),
            Some(What::Summary(summary)) => {
                let tags: Vec<&str> = summary.value.iter().map(|value| value.tag.as_str()).collect();
                let scalars: Vec<Option<f32>> = summary
                    .value
                    .iter()
                    .map(|value| match value.value {
                        Some(wire::summary::value::Value::SimpleValue(scalar)) => Some(scalar),
                        _ => None,
                    })
                    .collect();
                json!([event.step, "summary", tags, scalars])
            }
            Some(What::GraphDef(graph)) => json!([event.step, "graph", graph.len()]),
            Some(What::MetaGraphDef(graph)) => json!([event.step, "meta_graph", graph.len()]),
            Some(What::SessionLog(log)) => json!([event.step, "session_log", log.status]),
            other => json!([event.step, format!("{other:?}")]),
        });
    }
    Ok(json!(events))
}

/// Type, shape and elements: the bytes of up to 4096 of them in hexadecimal, or a checksum.
fn described(tensor: &Tensor) -> Result<Value> {
    let elements = match tensor.buffer() {
        Some(buffer) if buffer.len() <= 4096 => json!(hex(buffer.as_bytes())),
        Some(buffer) => json!(crc32c::crc32c(buffer.as_bytes())),
        None => json!(tensor.strings()?.iter().map(|string| hex(string)).collect::<Vec<_>>()),
    };
    Ok(json!({ "dtype": tensor.dtype().python_name(), "shape": tensor.dims(), "elements": elements }))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
