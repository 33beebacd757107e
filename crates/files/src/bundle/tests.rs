//! Checkpoint bundles: written and read back, in slices, merged, and damaged.

use std::fs;

use bytes::Bytes;
use proptest::prelude::*;
use tensor::{Code, DType, Result, Shape, Tensor, bf16};

use super::*;
use crate::testing::{Damage, TempDir, testdata};

fn shape(dims: &[i64]) -> Shape {
    Shape::new(dims).unwrap()
}

fn slice(text: &str) -> TensorSlice {
    TensorSlice::parse(text).unwrap()
}

/// The `part` of `testdata/make.py`: 0 to 14 in shape [5,3].
fn part() -> Tensor {
    Tensor::new([5, 3], (0..15).map(|i| i as f32).collect()).unwrap()
}

fn refused<T>(result: Result<T>, code: Code, phrase: &str) {
    let status = result.err().expect("an error");
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().starts_with(phrase), "{status}");
}

/// All tensors of a checkpoint.
fn read_all(reader: &BundleReader) -> Result<Vec<(String, Tensor)>> {
    reader.entries()?.into_iter().map(|entry| Ok((entry.name.clone(), reader.lookup(&entry.name)?))).collect()
}

#[test]
fn a_checkpoint_of_tensorflow() {
    let reader = BundleReader::open(testdata("model")).unwrap();
    let lookup = |name: &str| reader.lookup(name).unwrap();
    assert_eq!(lookup("floats"), Tensor::from([[1.5f32, -2.0], [0.0, 3.25]]));
    assert_eq!(lookup("step"), Tensor::from(42i64));
    let names = Tensor::from_strings(shape(&[1, 3]), vec!["a".into(), "".into(), "bcd".into()]).unwrap();
    assert_eq!(lookup("names"), names);
    assert_eq!(lookup("no_names"), Tensor::from_strings(shape(&[0]), vec![]).unwrap());
    assert_eq!(lookup("empty"), Tensor::zeros(DType::Int32, &shape(&[0, 4])).unwrap());
    assert_eq!(lookup("flags"), Tensor::from([true, false]));
    assert_eq!(lookup("brain"), Tensor::from([bf16::from_f32(1.0), bf16::from_f32(2.0)]));
    assert_eq!(lookup("part"), part());
    let long: Vec<u8> = (0..20000).map(|i| i as u8).collect();
    assert_eq!(lookup("long"), Tensor::vector(&long));
    let listed: Vec<String> = reader.entries().unwrap().into_iter().map(|entry| entry.name).collect();
    let expected =
        ["brain", "complex", "empty", "flags", "floats", "hole", "long", "names", "no_names", "part", "step"];
    assert_eq!(listed, expected);
    let part = reader.entry("part").unwrap();
    assert_eq!((part.dtype, part.shape, part.slices.len()), (DType::Float, shape(&[5, 3]), 3));
}

#[test]
fn slices_are_read_from_whatever_is_stored() {
    let reader = BundleReader::open(testdata("model")).unwrap();
    // Across all three stored slices: rows 1 to 3, columns 1 and 2.
    let expected = Tensor::new([3, 2], vec![4f32, 5.0, 7.0, 8.0, 10.0, 11.0]).unwrap();
    assert_eq!(reader.lookup_slice("part", &slice("1,3:1,2")).unwrap(), expected);
    // Exactly a stored one, and a piece of a tensor stored whole.
    assert_eq!(reader.lookup_slice("part", &slice("0,2:-")).unwrap(), part().window(0, shape(&[2, 3])).unwrap());
    assert_eq!(reader.lookup_slice("floats", &slice("1,1:-")).unwrap(), Tensor::from([[0.0f32, 3.25]]));
    let name = reader.lookup_slice("names", &slice("-:2,1")).unwrap();
    assert_eq!(name, Tensor::from_strings(shape(&[1, 1]), vec!["bcd".into()]).unwrap());
}

#[test]
fn errors_are_those_of_tensorflow() {
    let reader = BundleReader::open(testdata("model")).unwrap();
    refused(reader.lookup("absent"), Code::NotFound, "Key absent not found in checkpoint");
    refused(reader.lookup(""), Code::NotFound, "Key  not found in checkpoint");
    assert!(reader.contains("step").unwrap() && !reader.contains("absent").unwrap());
    let missing = "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for /nonexistent/x";
    refused(BundleReader::open("/nonexistent/x"), Code::NotFound, missing);
    let hole = "Does not have sufficient slices for partitioned tensor hole to restore in slice_spec: -:-";
    refused(reader.lookup("hole"), Code::InvalidArgument, hole);
    assert!(reader.lookup_slice("hole", &slice("0,1:1,1")).is_ok());
    let outside = "Extent in dimension 0 out of bounds: shape = [5,3], slice = 1,9:0,2";
    refused(reader.lookup_slice("part", &slice("1,9:0,2")), Code::Internal, outside);
}

/// The tensors of `testdata/make.py`, written in the same order, give the same two files.
#[test]
fn the_bytes_are_those_of_tensorflow() {
    let dir = TempDir::new();
    let original = BundleReader::open(testdata("model")).unwrap();
    let mut writer = BundleWriter::new(dir.path().join("model")).unwrap();
    for name in ["floats", "step", "names", "no_names", "empty", "flags", "brain", "complex"] {
        writer.add(name, &original.lookup(name).unwrap()).unwrap();
    }
    for (name, whole, text) in [
        ("part", &[5, 3][..], "0,2:-"),
        ("part", &[5, 3], "2,3:0,2"),
        ("part", &[5, 3], "2,3:2,1"),
        ("hole", &[5, 3], "0,2:-"),
        ("long", &[20000], "0,70"),
        ("long", &[20000], "70,10000"),
        ("long", &[20000], "10070,9930"),
    ] {
        let tensor = original.lookup_slice(name, &slice(text)).unwrap();
        writer.add_slice(name, &shape(whole), &slice(text), &tensor).unwrap();
    }
    writer.finish().unwrap();
    for name in ["model.data-00000-of-00001", "model.index"] {
        assert!(fs::read(dir.path().join(name)).unwrap() == fs::read(testdata(name)).unwrap(), "{name}");
    }
    assert_eq!(dir.names(), ["model.data-00000-of-00001", "model.index"]);
}

#[test]
fn what_does_not_fit_is_refused() {
    let dir = TempDir::new();
    let mut writer = BundleWriter::new(dir.path().join("a/b/model")).unwrap();
    let row = Tensor::from([[1f32, 2.0]]);
    writer.add("a", &row).unwrap();
    refused(writer.add("a", &row), Code::InvalidArgument, "Adding duplicate key: a");
    refused(writer.add("", &row), Code::InvalidArgument, "a tensor in a checkpoint needs a name");
    let whole = shape(&[3, 2]);
    writer.add_slice("p", &whole, &slice("0,1:-"), &row).unwrap();
    let add = |writer: &mut BundleWriter, name: &str, whole: &Shape, text: &str, tensor: &Tensor| {
        writer.add_slice(name, whole, &slice(text), tensor)
    };
    refused(add(&mut writer, "p", &whole, "0,1:-", &row), Code::InvalidArgument, "Adding duplicate key: p");
    refused(add(&mut writer, "a", &whole, "0,1:-", &row), Code::InvalidArgument, "Adding duplicate key: a");
    let other = shape(&[4, 2]);
    refused(add(&mut writer, "p", &other, "1,1:-", &row), Code::InvalidArgument, "slices of p do not belong");
    refused(add(&mut writer, "p", &whole, "1,2:-", &row), Code::InvalidArgument, "Slice in shape_and_slice");
    refused(add(&mut writer, "p", &whole, "3,1:-", &row), Code::Internal, "Extent in dimension 0");
    let handle = Tensor::from_handle(Default::default());
    refused(writer.add("h", &handle), Code::Unimplemented, "h of type resource cannot be saved");
    // Nothing has appeared, and nothing stays.
    drop(writer);
    assert_eq!(fs::read_dir(dir.path().join("a/b")).unwrap().count(), 0);
}

#[test]
fn a_tensor_in_pieces() {
    let dir = TempDir::new();
    let prefix = dir.path().join("model");
    let mut writer = BundleWriter::new(&prefix).unwrap();
    let vector = shape(&[4]);
    let short = writer.add_in_pieces("short", DType::UInt8, &vector, |put| put(&[1, 2, 3]));
    refused(short, Code::Internal, "short of type uint8 and shape [4] came as 3 bytes, not 4");
    let pieces = |put: &mut dyn FnMut(&[u8]) -> Result<()>| put(&[1, 2, 3]).and_then(|()| put(&[4]));
    writer.add_in_pieces("bytes", DType::UInt8, &vector, pieces).unwrap();
    writer.finish().unwrap();
    let reader = BundleReader::open(&prefix).unwrap();
    assert_eq!(read_all(&reader).unwrap(), [("bytes".to_owned(), Tensor::from([1u8, 2, 3, 4]))]);
}

/// Whole tensors and slices, split by rows, by columns, and with rows that no buffer holds several of.
#[test]
fn tensors_are_read_in_pieces() {
    let dir = TempDir::new();
    let prefix = dir.path().join("model");
    let (rows, columns) = (3i64, 1 << 21);
    let whole: Vec<u8> = (0..rows * columns).map(|at| (at % 251) as u8).collect();
    let mut writer = BundleWriter::new(&prefix).unwrap();
    writer.add("whole", &Tensor::new([rows, columns], whole.clone()).unwrap()).unwrap();
    let column_part = |from: i64, count: i64| {
        let parts = whole.chunks(columns as usize).flat_map(|row| &row[from as usize..(from + count) as usize]);
        Tensor::new([rows, count], parts.copied().collect::<Vec<u8>>()).unwrap()
    };
    for (from, count) in [(5, columns - 5), (0, 5)] {
        let slice = slice(&format!("-:{from},{count}"));
        writer.add_slice("columns", &shape(&[rows, columns]), &slice, &column_part(from, count)).unwrap();
    }
    writer.add_slice("hole", &shape(&[2]), &slice("0,1"), &Tensor::from([1u8])).unwrap();
    writer.add("empty", &Tensor::zeros(DType::Float, &shape(&[0, 3])).unwrap()).unwrap();
    writer.add("names", &Tensor::string_vector(["a"])).unwrap();
    writer.finish().unwrap();
    let reader = BundleReader::open(&prefix).unwrap();
    let read = |name: &str| {
        let (mut bytes, mut largest) = (Vec::new(), 0);
        let done = reader.read_in_pieces(name, |piece| {
            largest = largest.max(piece.len());
            bytes.extend_from_slice(piece);
            Ok(())
        });
        done.map(|()| (bytes, largest))
    };
    for name in ["whole", "columns"] {
        let (bytes, largest) = read(name).unwrap();
        assert!(bytes == whole && largest <= 4 << 20, "{name}: {} bytes, pieces of {largest}", bytes.len());
    }
    assert_eq!(read("empty").unwrap().0, []);
    refused(read("hole"), Code::InvalidArgument, "Does not have sufficient slices");
    refused(read("names"), Code::Unimplemented, "names of type string");
    let data = data_path(&prefix, 0, 1);
    let mut bytes = std::fs::read(&data).unwrap();
    bytes[17] ^= 1;
    std::fs::write(&data, bytes).unwrap();
    refused(read("whole"), Code::DataLoss, "TensorBundle at");
}

#[test]
fn merging_renumbers_shards_and_joins_slices() {
    let dir = TempDir::new();
    let whole = shape(&[2, 2]);
    let prefixes =
        [dir.path().join("model_temp/part-00000-of-00002"), dir.path().join("model_temp/part-00001-of-00002")];
    for (task, prefix) in prefixes.iter().enumerate() {
        let mut writer = BundleWriter::new(prefix).unwrap();
        writer.add(&format!("v{task}"), &Tensor::from([task as i32])).unwrap();
        let row = Tensor::from([[task as f32, 1.0]]);
        writer.add_slice("p", &whole, &slice(&format!("{task},1:-")), &row).unwrap();
        writer.finish().unwrap();
    }
    merge_bundles(&prefixes, dir.path().join("model"), true).unwrap();
    let files = ["model.data-00000-of-00002", "model.data-00001-of-00002", "model.index"];
    assert_eq!(dir.names(), files);
    let reader = BundleReader::open(dir.path().join("model")).unwrap();
    let expected = [
        ("p".to_owned(), Tensor::from([[0f32, 1.0], [1.0, 1.0]])),
        ("v0".to_owned(), Tensor::from([0])),
        ("v1".to_owned(), Tensor::from([1])),
    ];
    assert_eq!(read_all(&reader).unwrap(), expected);
}

#[test]
fn a_failed_merge_leaves_everything() {
    let dir = TempDir::new();
    let prefixes = [dir.path().join("a"), dir.path().join("b")];
    for prefix in &prefixes {
        let mut writer = BundleWriter::new(prefix).unwrap();
        writer.add("v", &Tensor::from(1f32)).unwrap();
        writer.finish().unwrap();
    }
    let before = dir.names();
    let duplicate = merge_bundles(&prefixes, dir.path().join("c"), false);
    refused(duplicate, Code::InvalidArgument, "Duplicate tensor keyed by v encountered, when merging prefix: ");
    let missing = merge_bundles(&[dir.path().join("d")], dir.path().join("c"), false);
    refused(missing, Code::InvalidArgument, &dir.path().join("d").display().to_string());
    assert_eq!(dir.names(), before);
}

#[test]
fn damaged_data_is_noticed() {
    let dir = TempDir::new();
    let index = fs::read(testdata("model.index")).unwrap();
    let data = fs::read(testdata("model.data-00000-of-00001")).unwrap();
    fs::write(dir.path().join("model.index"), &index).unwrap();
    let with_data = |bytes: &[u8]| {
        fs::write(dir.path().join("model.data-00000-of-00001"), bytes).unwrap();
        BundleReader::open(dir.path().join("model")).unwrap()
    };
    let mut flipped = data.clone();
    flipped[3] ^= 0x10;
    let message = format!(
        "TensorBundle at {} shard 0 (16 bytes): Checksum does not match: stored",
        dir.path().join("model").display()
    );
    refused(with_data(&flipped).lookup("floats"), Code::DataLoss, &message);
    refused(with_data(&data[..20]).lookup("names"), Code::DataLoss, "Read less bytes than requested");
    let reader = with_data(&data);
    fs::remove_file(dir.path().join("model.data-00000-of-00001")).unwrap();
    refused(reader.lookup("floats"), Code::NotFound, dir.path().to_str().unwrap());
}

/// A checkpoint whose index says what the test wants, with valid checksums.
fn forged(dir: &TempDir, entries: &[(&str, wire::BundleEntryProto)]) -> BundleReader {
    let prefix = dir.path().join("forged");
    let entries = entries.iter().map(|(name, entry)| (name.as_bytes().to_vec(), entry.clone())).collect();
    writer::index_file(&prefix, 1, &entries).unwrap().commit().unwrap();
    fs::write(data_path(&prefix, 0, 1), [0; 16]).unwrap();
    BundleReader::open(&prefix).unwrap()
}

#[test]
fn forged_entries_take_no_memory() {
    let dir = TempDir::new();
    let dims = |dims: &[i64]| Some(tensor::proto::shape_to_proto(&shape(dims)));
    let entry = |dtype: DType, shape: Option<wire::TensorShapeProto>, offset: i64, size: i64| wire::BundleEntryProto {
        dtype: dtype.number(),
        shape,
        offset,
        size,
        ..Default::default()
    };
    let huge = 1 << 50;
    let mut elsewhere = entry(DType::UInt8, dims(&[16]), 0, 16);
    elsewhere.shard_id = 7;
    let mut unknown = entry(DType::UInt8, dims(&[16]), 0, 16);
    unknown.dtype = 999;
    let mut sliced = entry(DType::UInt8, dims(&[huge]), 0, 0);
    sliced.slices.push(slice("0,1").to_proto());
    let reader = forged(
        &dir,
        &[
            ("elsewhere", elsewhere),
            ("huge", entry(DType::UInt8, dims(&[huge]), 0, huge)),
            ("lying", entry(DType::Complex128, dims(&[huge]), 0, 16)),
            ("negative", entry(DType::UInt8, dims(&[16]), -1, 16)),
            ("overflow", entry(DType::UInt8, dims(&[i64::MAX]), i64::MAX, i64::MAX)),
            ("sliced", sliced),
            ("strings", entry(DType::String, dims(&[huge]), 0, 16)),
            ("unknown", unknown),
        ],
    );
    for name in ["elsewhere", "huge", "lying", "negative", "overflow", "sliced", "strings", "unknown"] {
        assert_eq!(reader.lookup(name).unwrap_err().code(), Code::DataLoss, "{name}");
    }
    refused(reader.lookup_slice("lying", &slice("0,1")), Code::DataLoss, "Invalid size in bundle entry: key lying");
}

fn any_tensor() -> impl Strategy<Value = Tensor> {
    let plain = proptest::collection::vec(any::<i32>(), 0..20).prop_map(|values| Tensor::vector(&values));
    let strings = proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..200), 0..5);
    let strings = strings.prop_map(|strings| Tensor::string_vector(strings.into_iter().map(Bytes::from)));
    prop_oneof![plain, strings, any::<i64>().prop_map(Tensor::from), any::<bool>().prop_map(Tensor::from)]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn tensors_come_back(tensors in proptest::collection::btree_map("[ -~]{1,12}", any_tensor(), 0..8)) {
        let dir = TempDir::new();
        let mut writer = BundleWriter::new(dir.path().join("m")).unwrap();
        for (name, tensor) in &tensors {
            writer.add(name, tensor).unwrap();
        }
        writer.finish().unwrap();
        let reader = BundleReader::open(dir.path().join("m")).unwrap();
        prop_assert_eq!(read_all(&reader).unwrap(), tensors.into_iter().collect::<Vec<_>>());
    }

    /// However a matrix is cut into rows and columns, any box of it reads the same.
    #[test]
    fn slices_come_back(rows in 1i64..6, columns in 1i64..6, cut in 0i64..6, from in (0i64..6, 0i64..6)) {
        let whole = shape(&[rows, columns]);
        let values: Vec<i32> = (0..(rows * columns) as i32).collect();
        let tensor = Tensor::from_slice(&whole, &values).unwrap();
        let dir = TempDir::new();
        let mut writer = BundleWriter::new(dir.path().join("m")).unwrap();
        let cut = cut.min(rows);
        for (start, length) in [(0, cut), (cut, rows - cut)] {
            if length > 0 {
                let rows = TensorSlice::new(&[Some((start, length)), None]).unwrap();
                let part = tensor.window((start * columns) as usize, shape(&[length, columns])).unwrap();
                writer.add_slice("m", &whole, &rows, &part).unwrap();
            }
        }
        writer.finish().unwrap();
        let reader = BundleReader::open(dir.path().join("m")).unwrap();
        prop_assert_eq!(reader.lookup("m").unwrap(), tensor);
        let (row, column) = (from.0 % rows, from.1 % columns);
        let wanted = TensorSlice::new(&[Some((row, rows - row)), Some((column, columns - column))]).unwrap();
        let expected: Vec<i32> =
            (row..rows).flat_map(|r| (column..columns).map(move |c| (r * columns + c) as i32)).collect();
        let read = reader.lookup_slice("m", &wanted).unwrap();
        prop_assert_eq!(read.as_slice::<i32>().unwrap(), &expected[..]);
    }

    #[test]
    fn damage_is_an_error_or_harmless(damage in Damage::any(), in_index: bool) {
        let dir = TempDir::new();
        for name in ["model.index", "model.data-00000-of-00001"] {
            let bytes = fs::read(testdata(name)).unwrap();
            let damaged = if name.ends_with("index") == in_index { damage.apply(&bytes) } else { bytes };
            fs::write(dir.path().join(name), damaged).unwrap();
        }
        let original = BundleReader::open(testdata("model")).unwrap();
        match BundleReader::open(dir.path().join("model")) {
            Err(status) => prop_assert_eq!(status.code(), Code::DataLoss),
            Ok(reader) => for entry in original.entries().unwrap() {
                match (reader.lookup(&entry.name), original.lookup(&entry.name)) {
                    (Ok(read), Ok(expected)) => prop_assert_eq!(read, expected),
                    (Err(status), Ok(_)) => prop_assert_eq!(status.code(), Code::DataLoss),
                    (read, Err(_)) => prop_assert!(read.is_err()),
                }
            },
        }
    }

    /// Entries of an index whose checksums are intact are damaged themselves.
    #[test]
    fn hostile_entries_never_panic(damage in Damage::any(), which in 0usize..20) {
        use prost::Message;
        let original = BundleReader::open(testdata("model")).unwrap();
        let entries: Vec<_> = original.raw_entries().collect::<Result<_>>().unwrap();
        let which = which % entries.len();
        let mut table = crate::table::TableWriter::new(Vec::new());
        table.add(HEADER_KEY, &header(1).encode_to_vec()).unwrap();
        for (i, (key, entry)) in entries.iter().enumerate() {
            let value = entry.encode_to_vec();
            table.add(key, &if i == which { damage.apply(&value) } else { value }).unwrap();
        }
        let table = crate::table::Table::from_bytes("test", table.finish().unwrap().into()).unwrap();
        let reader = BundleReader::with_index(&testdata("model"), table).unwrap();
        let _ = reader.entries();
        for (key, _) in &entries {
            let _ = reader.lookup(&String::from_utf8_lossy(key));
        }
    }
}
