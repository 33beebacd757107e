//! Writing a checkpoint.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::io::Write;
use std::path::{Path, PathBuf};

use prost::Message;
use tensor::proto::shape_to_proto;
use tensor::{DType, Result, Shape, Tensor, bail, ensure};

use super::{HEADER_KEY, TensorSlice, data_path, header, index_path, strings};
use crate::atomic::{AtomicFile, at};
use crate::crc;
use crate::place;
use crate::table::TableWriter;

/// Writes tensors to a checkpoint of one shard. Elements go to a temporary file as they come; nothing appears under the
/// checkpoint's name before [`finish`](BundleWriter::finish), and nothing stays behind without it.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::{BundleReader, BundleWriter};
///
/// let folder = std::env::temp_dir().join(format!("bundle-writer-{}", std::process::id()));
/// let prefix = folder.join("model.ckpt-1");
/// let mut writer = BundleWriter::new(&prefix)?;
/// writer.add("w", &Tensor::from([1f32, 2.0]))?;
/// writer.finish()?;
/// assert_eq!(BundleReader::open(&prefix)?.lookup("w")?, Tensor::from([1f32, 2.0]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct BundleWriter {
    prefix: PathBuf,
    data: AtomicFile,
    offset: u64,
    entries: BTreeMap<Vec<u8>, wire::BundleEntryProto>,
}

impl BundleWriter {
    /// Begins a checkpoint; makes its folder if that is missing.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn new(prefix: impl AsRef<Path>) -> Result<BundleWriter> {
        let prefix = prefix.as_ref();
        ensure!(prefix.file_name().is_some(), InvalidArgument, "{} does not name a checkpoint", prefix.display());
        if let Some(folder) = prefix.parent() {
            place::create_folder(folder).map_err(|error| at(folder, error))?;
        }
        let data = AtomicFile::create(&data_path(prefix, 0, 1))?;
        Ok(BundleWriter { prefix: prefix.to_owned(), data, offset: 0, entries: BTreeMap::new() })
    }

    /// Says about how many bytes the tensors have in all. A store that takes long then tells how much is left.
    pub fn expect(&mut self, bytes: u64) {
        self.data.expect(bytes);
    }

    /// Adds a tensor.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is empty or taken; `Unimplemented` for elements that cannot be stored
    /// (resources, variants); the code of the operating system's error.
    pub fn add(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        self.check_name(name)?;
        self.store(name.as_bytes().to_vec(), tensor)
    }

    /// Adds one slice of a tensor whose whole shape is `shape`.
    ///
    /// ```
    /// use tensor::{Shape, Tensor};
    /// use tensorfleet_files::{BundleReader, BundleWriter, TensorSlice};
    ///
    /// let folder = std::env::temp_dir().join(format!("bundle-slices-{}", std::process::id()));
    /// let mut writer = BundleWriter::new(folder.join("model"))?;
    /// let shape = Shape::new(&[4])?;
    /// writer.add_slice("w", &shape, &TensorSlice::parse("0,2")?, &Tensor::from([1f32, 2.0]))?;
    /// writer.add_slice("w", &shape, &TensorSlice::parse("2,2")?, &Tensor::from([3f32, 4.0]))?;
    /// writer.finish()?;
    /// let whole = BundleReader::open(folder.join("model"))?.lookup("w")?;
    /// assert_eq!(whole, Tensor::from([1f32, 2.0, 3.0, 4.0]));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`add`](BundleWriter::add); `InvalidArgument` if the slice does not have the tensor's shape, or earlier slices
    /// were of another type or whole shape; `Internal`, as in TensorFlow, if the slice leaves the whole.
    pub fn add_slice(&mut self, name: &str, shape: &Shape, slice: &TensorSlice, tensor: &Tensor) -> Result<()> {
        let expected = slice.shape_in(shape)?;
        ensure!(
            tensor.shape() == &expected,
            InvalidArgument,
            "Slice in shape_and_slice specification does not match the shape of the tensor to save: {name} has shape \
             {}, slice {slice} of {shape} has {expected}",
            tensor.shape()
        );
        if slice.is_full(shape) {
            return self.add(name, tensor);
        }
        let dtype = tensor.dtype();
        let whole = shape_to_proto(shape);
        match self.entries.get(name.as_bytes()) {
            None => self.check_name(name)?,
            Some(entry) if entry.slices.is_empty() => bail!(InvalidArgument, "Adding duplicate key: {name}"),
            Some(entry) => ensure!(
                entry.dtype == dtype.number() && entry.shape.as_ref() == Some(&whole),
                InvalidArgument,
                "slices of {name} do not belong together: this one is of type {dtype} and whole shape {shape}"
            ),
        }
        let key = slice.key(name);
        ensure!(!self.entries.contains_key(&key), InvalidArgument, "Adding duplicate key: {name}, slice {slice}");
        self.store(key, tensor)?;
        let entry = self.entries.entry(name.as_bytes().to_vec()).or_insert_with(|| wire::BundleEntryProto {
            dtype: dtype.number(),
            shape: Some(whole),
            ..Default::default()
        });
        entry.slices.push(slice.to_proto());
        Ok(())
    }

    /// Adds a tensor of plain elements that comes in pieces: `produce` calls the function that it is passed with the next
    /// bytes (little-endian, row-major) until there are no more.
    ///
    /// ```
    /// use tensor::{DType, Shape, Tensor};
    /// use tensorfleet_files::{BundleReader, BundleWriter};
    ///
    /// let folder = std::env::temp_dir().join(format!("bundle-pieces-{}", std::process::id()));
    /// let mut writer = BundleWriter::new(folder.join("model"))?;
    /// writer.add_in_pieces("w", DType::Float, &Shape::new(&[2])?, |take| {
    ///     take(&1f32.to_le_bytes())?;
    ///     take(&2f32.to_le_bytes())
    /// })?;
    /// writer.finish()?;
    /// assert_eq!(BundleReader::open(folder.join("model"))?.lookup("w")?, Tensor::from([1f32, 2.0]));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`add`](BundleWriter::add); what `produce` returns; `Internal` if it passes too few or too many bytes.
    pub fn add_in_pieces(
        &mut self,
        name: &str,
        dtype: DType,
        shape: &Shape,
        produce: impl FnOnce(&mut dyn FnMut(&[u8]) -> Result<()>) -> Result<()>,
    ) -> Result<()> {
        self.check_name(name)?;
        ensure!(dtype.is_plain(), Unimplemented, "{name} of type {dtype} cannot be saved in pieces");
        let (mut size, mut checksum) = (0u64, 0);
        let data = &mut self.data;
        let produced = produce(&mut |piece: &[u8]| {
            data.write_all(piece)?;
            size += piece.len() as u64;
            checksum = crc32c::crc32c_append(checksum, piece);
            Ok(())
        });
        let start = self.offset;
        self.offset += size;
        produced?;
        let wanted = shape.num_elements() as u64 * dtype.size() as u64;
        ensure!(
            size == wanted,
            Internal,
            "{name} of type {dtype} and shape {shape} came as {size} bytes, not {wanted}"
        );
        self.enter(name.as_bytes().to_vec(), dtype, shape, start, size, checksum)
    }

    /// Makes the checkpoint appear: first the data, then the index that points into it.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn finish(mut self) -> Result<()> {
        self.data.close()?;
        let mut index = index_file(&self.prefix, 1, &self.entries)?;
        index.close()?;
        self.data.commit()?;
        index.commit()
    }

    fn check_name(&self, name: &str) -> Result<()> {
        ensure!(!name.is_empty(), InvalidArgument, "a tensor in a checkpoint needs a name");
        let free = !self.entries.contains_key(name.as_bytes());
        ensure!(free, InvalidArgument, "Adding duplicate key: {name}");
        Ok(())
    }

    fn store(&mut self, key: Vec<u8>, tensor: &Tensor) -> Result<()> {
        let start = self.offset;
        let (size, checksum) = match (tensor.dtype(), tensor.buffer()) {
            (DType::String, _) => strings::write(&mut self.data, tensor.strings()?)?,
            (_, Some(buffer)) => {
                let bytes = buffer.try_bytes()?;
                self.data.write_all(bytes)?;
                (bytes.len() as u64, crc32c::crc32c(bytes))
            }
            (other, None) => bail!(Unimplemented, "{} of type {other} cannot be saved", key.escape_ascii()),
        };
        self.offset += size;
        self.enter(key, tensor.dtype(), tensor.shape(), start, size, checksum)
    }

    fn enter(&mut self, key: Vec<u8>, dtype: DType, shape: &Shape, at: u64, size: u64, checksum: u32) -> Result<()> {
        let entry = wire::BundleEntryProto {
            dtype: dtype.number(),
            shape: Some(shape_to_proto(shape)),
            shard_id: 0,
            offset: at as i64,
            size: size as i64,
            crc32c: crc::mask(checksum),
            slices: Vec::new(),
        };
        match self.entries.entry(key) {
            Entry::Occupied(taken) => bail!(InvalidArgument, "Adding duplicate key: {}", taken.key().escape_ascii()),
            Entry::Vacant(free) => free.insert(entry),
        };
        Ok(())
    }
}

/// The index of a checkpoint, written but not yet under its name.
pub(super) fn index_file(
    prefix: &Path,
    num_shards: i32,
    entries: &BTreeMap<Vec<u8>, wire::BundleEntryProto>,
) -> Result<AtomicFile> {
    let mut table = TableWriter::new(AtomicFile::create(&index_path(prefix))?);
    table.add(HEADER_KEY, &header(num_shards).encode_to_vec())?;
    for (key, entry) in entries {
        table.add(key, &entry.encode_to_vec())?;
    }
    table.finish()
}
