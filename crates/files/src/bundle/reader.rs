//! Reading a checkpoint.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;
use prost::Message;
use tensor::proto::{dtype_from_proto, partial_shape_from_proto};
use tensor::{Buffer, Code, DType, Result, Shape, Status, Tensor, ensure, err};
use wire::bundle_header_proto::Endianness;

use super::{HEADER_KEY, TensorSlice, VERSION, data_path, index_path, strings};
use crate::crc;
use crate::place;
use crate::source::Source;
use crate::table::Table;

/// How much is read at once, so that the checksum is taken of bytes still in the cache.
pub(super) const PIECE: usize = 1 << 18;
/// More slices of one tensor than this are taken for damage: they are compared pairwise.
const MAX_SLICES: usize = 1 << 13;

/// An open checkpoint. May be used from several threads.
///
/// ```
/// use tensor::{DType, Tensor};
/// use tensorfleet_files::{BundleReader, BundleWriter, TensorSlice};
///
/// let folder = std::env::temp_dir().join(format!("bundle-reader-{}", std::process::id()));
/// let mut writer = BundleWriter::new(folder.join("model"))?;
/// writer.add("w", &Tensor::from([1f32, 2.0, 3.0]))?;
/// writer.finish()?;
///
/// let reader = BundleReader::open(folder.join("model"))?;
/// assert!(!reader.contains("v")?);
/// assert_eq!(reader.entry("w")?.dtype, DType::Float);
/// assert_eq!(reader.lookup_slice("w", &TensorSlice::parse("1,2")?)?, Tensor::from([2f32, 3.0]));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct BundleReader {
    pub(super) prefix: PathBuf,
    pub(super) index: Table,
    num_shards: i32,
    shards: Mutex<HashMap<i32, Arc<Source>>>,
}

/// What is known of a stored tensor without reading it.
///
/// ```
/// use tensor::{DType, Tensor};
/// use tensorfleet_files::{BundleReader, BundleWriter};
///
/// let folder = std::env::temp_dir().join(format!("bundle-entry-{}", std::process::id()));
/// let mut writer = BundleWriter::new(folder.join("model"))?;
/// writer.add("w", &Tensor::from([1f32, 2.0, 3.0]))?;
/// writer.finish()?;
/// let entry = BundleReader::open(folder.join("model"))?.entry("w")?;
/// assert_eq!((entry.dtype, entry.shape.dims()), (DType::Float, &[3][..]));
/// assert!(entry.slices.is_empty());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BundleEntry {
    /// The name under which it is stored.
    pub name: String,
    /// The type of its elements.
    pub dtype: DType,
    /// The shape of the whole, also of a tensor that is stored in slices.
    pub shape: Shape,
    /// The slices it is stored in; none for a tensor stored whole.
    pub slices: Vec<TensorSlice>,
}

impl BundleReader {
    /// Opens the checkpoint with this prefix.
    ///
    /// # Errors
    /// `NotFound` if there is none; `DataLoss` if its index is damaged; `FailedPrecondition` or `Unimplemented` if it
    /// was written by software or a machine too different.
    pub fn open(prefix: impl AsRef<Path>) -> Result<BundleReader> {
        let prefix = prefix.as_ref();
        let index = Table::open(&index_path(prefix)).map_err(|status| match status.code() {
            Code::NotFound => err!(
                NotFound,
                "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}{}",
                prefix.display(),
                // A store has more to say than that a file is missing.
                if place::is_url(prefix) { format!(" ({})", status.message()) } else { String::new() }
            ),
            _ => status,
        })?;
        BundleReader::with_index(prefix, index)
    }

    pub(super) fn with_index(prefix: &Path, index: Table) -> Result<BundleReader> {
        let name = index.name();
        let header = index.get(HEADER_KEY).map_err(|status| {
            err!(
                DataLoss,
                "Unable to read file ({name}). Perhaps the file is corrupt or was produced by a newer version of \
                 TensorFlow with format changes (failed to seek to header entry): {}",
                status.message()
            )
        })?;
        let header = header.ok_or_else(|| err!(DataLoss, "{name} has no header entry"))?;
        let header = wire::BundleHeaderProto::decode(header);
        let header = header.map_err(|error| err!(DataLoss, "the header entry of {name} cannot be read: {error}"))?;
        ensure!(header.num_shards >= 0, DataLoss, "{name} claims {} shards", header.num_shards);
        ensure!(
            header.endianness == Endianness::Little as i32,
            Unimplemented,
            "{name} was written on a big-endian machine, which is not supported"
        );
        let version = header.version.unwrap_or_default();
        ensure!(
            version.min_consumer <= VERSION && !version.bad_consumers.contains(&VERSION),
            FailedPrecondition,
            "{name} has format version {}, which asks for a reader of at least {}; this one is {VERSION}",
            version.producer,
            version.min_consumer
        );
        let shards = Mutex::default();
        Ok(BundleReader { prefix: prefix.to_owned(), index, num_shards: header.num_shards, shards })
    }

    /// Returns the prefix that names the checkpoint.
    pub fn prefix(&self) -> &Path {
        &self.prefix
    }

    /// Returns how many data files the checkpoint has.
    pub fn num_shards(&self) -> i32 {
        self.num_shards
    }

    /// Returns an entry for every tensor, ascending by name.
    ///
    /// ```
    /// use tensor::Tensor;
    /// use tensorfleet_files::{BundleReader, BundleWriter};
    ///
    /// let folder = std::env::temp_dir().join(format!("bundle-entries-{}", std::process::id()));
    /// let mut writer = BundleWriter::new(folder.join("model"))?;
    /// writer.add("w", &Tensor::from(1f32))?;
    /// writer.add("b", &Tensor::from(2f32))?;
    /// writer.finish()?;
    /// let entries = BundleReader::open(folder.join("model"))?.entries()?;
    /// assert_eq!(entries.iter().map(|entry| entry.name.as_str()).collect::<Vec<_>>(), ["b", "w"]);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `DataLoss` if the index is damaged.
    pub fn entries(&self) -> Result<Vec<BundleEntry>> {
        let mut entries = Vec::new();
        for item in self.raw_entries() {
            let (key, entry) = item?;
            // The parts of partitioned tensors have keys that begin with a zero byte.
            if key.first() != Some(&0) {
                let name = String::from_utf8(key).map_err(|_| err!(DataLoss, "a name is not valid UTF-8"))?;
                entries.push(self.describe(&name, &entry)?);
            }
        }
        Ok(entries)
    }

    /// Everything in the index but the header, slices included.
    pub(super) fn raw_entries(&self) -> impl Iterator<Item = Result<(Vec<u8>, wire::BundleEntryProto)>> + '_ {
        let entries = self.index.iter().filter(|item| !matches!(item, Ok((key, _)) if key == HEADER_KEY));
        entries.map(|item| {
            let (key, value) = item?;
            let entry = wire::BundleEntryProto::decode(value);
            let entry = entry.map_err(|error| {
                err!(DataLoss, "entry {} of {} cannot be read: {error}", key.escape_ascii(), self.index.name())
            })?;
            Ok((key, entry))
        })
    }

    /// Returns whether there is a tensor of this name.
    ///
    /// # Errors
    /// `DataLoss` if the index is damaged.
    pub fn contains(&self, name: &str) -> Result<bool> {
        Ok(!name.is_empty() && self.index.get(name.as_bytes())?.is_some())
    }

    /// Returns type, shape and slices of a tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor; `DataLoss` if the index is damaged.
    pub fn entry(&self, name: &str) -> Result<BundleEntry> {
        self.describe(name, &self.raw_entry(name)?)
    }

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor; `DataLoss` if it is damaged; `InvalidArgument` if it is partitioned and
    /// parts are missing; `Unimplemented` for types that cannot be stored.
    pub fn lookup(&self, name: &str) -> Result<Tensor> {
        let entry = self.raw_entry(name)?;
        let described = self.describe(name, &entry)?;
        if described.slices.is_empty() {
            self.read(name, &entry, described.dtype, described.shape)
        } else {
            let rank = described.shape.rank();
            self.read_slice(&described, entry, &TensorSlice::full(rank))
        }
    }

    /// Reads a box of a tensor, however it was stored.
    ///
    /// # Errors
    /// As [`lookup`](BundleReader::lookup); `Internal`, as in TensorFlow, if the slice does not fit the tensor.
    pub fn lookup_slice(&self, name: &str, slice: &TensorSlice) -> Result<Tensor> {
        let entry = self.raw_entry(name)?;
        self.read_slice(&self.describe(name, &entry)?, entry, slice)
    }

    /// Reads what one entry of the index points to.
    pub(super) fn read(
        &self,
        name: &str,
        entry: &wire::BundleEntryProto,
        dtype: DType,
        shape: Shape,
    ) -> Result<Tensor> {
        let (source, offset, size) = self.locate(name, entry, dtype, &shape)?;
        let (tensor, checksum) = if dtype == DType::String {
            let content = source.read(offset, size)?;
            let read = strings::read(content, shape.num_elements());
            let (strings, checksum) = read.map_err(|status| status.context(source.name()).context(name))?;
            (Tensor::from_strings(shape, strings)?, checksum)
        } else {
            let mut buffer = Buffer::try_dirty(size as usize)?;
            let target = buffer.get_mut().ok_or_else(|| err!(Internal, "a new buffer is not writable"))?;
            let (mut at, mut checksum) = (offset, 0);
            for piece in target.chunks_mut(PIECE) {
                source.read_into(at, piece)?;
                checksum = crc32c::crc32c_append(checksum, piece);
                at += piece.len() as u64;
            }
            (Tensor::from_buffer(dtype, shape, buffer)?, checksum)
        };
        self.check_sum(name, entry, checksum)?;
        Ok(tensor)
    }

    /// Compares the checksum of what was read with the stored one.
    pub(super) fn check_sum(&self, name: &str, entry: &wire::BundleEntryProto, checksum: u32) -> Result<()> {
        ensure!(
            crc::mask(checksum) == entry.crc32c,
            DataLoss,
            "TensorBundle at {} shard {} ({} bytes): Checksum does not match: stored {} vs. calculated on the restored \
             bytes {checksum} (tensor {name})",
            self.prefix.display(),
            entry.shard_id,
            entry.size,
            crc::unmask(entry.crc32c)
        );
        Ok(())
    }

    /// The file, offset and size of an entry, known to lie within the file and to fit type and shape.
    pub(super) fn locate(
        &self,
        name: &str,
        entry: &wire::BundleEntryProto,
        dtype: DType,
        shape: &Shape,
    ) -> Result<(Arc<Source>, u64, u64)> {
        let string = dtype == DType::String;
        ensure!(dtype.is_plain() || string, Unimplemented, "{name} is of type {dtype}, which cannot be restored");
        let (Ok(offset), Ok(size)) = (u64::try_from(entry.offset), u64::try_from(entry.size)) else {
            return Err(self.damaged(name, "its offset or size is negative"));
        };
        // A string takes at least the byte of its length.
        let expected = (shape.num_elements() as u64).saturating_mul(dtype.size().max(1) as u64);
        ensure!(
            size == expected || (string && size > expected),
            DataLoss,
            "Invalid size in bundle entry: key {name}; stored size {size}; expected size {expected}"
        );
        let shard = entry.shard_id;
        ensure!(
            shard >= 0 && shard < self.num_shards,
            DataLoss,
            "{name} is said to be in shard {shard} of {}, which has {}",
            self.prefix.display(),
            self.num_shards
        );
        let known = self.shards.lock().get(&shard).cloned();
        let source = match known {
            Some(source) => source,
            None => {
                let source = Arc::new(Source::open(&data_path(&self.prefix, shard, self.num_shards))?);
                self.shards.lock().insert(shard, source.clone());
                source
            }
        };
        ensure!(
            source.contains(offset, size),
            DataLoss,
            "Read less bytes than requested: {name} takes {size} bytes at offset {offset} of {}, which has {}",
            source.name(),
            source.len()
        );
        Ok((source, offset, size))
    }

    pub(super) fn raw_entry(&self, name: &str) -> Result<wire::BundleEntryProto> {
        let value = if name.is_empty() { None } else { self.index.get(name.as_bytes())? };
        let value = value.ok_or_else(|| err!(NotFound, "Key {name} not found in checkpoint"))?;
        wire::BundleEntryProto::decode(value).map_err(|error| self.damaged(name, &error.to_string()))
    }

    pub(super) fn describe(&self, name: &str, entry: &wire::BundleEntryProto) -> Result<BundleEntry> {
        let (dtype, shape) = self.type_and_shape(name, entry)?;
        ensure!(
            entry.slices.len() <= MAX_SLICES,
            DataLoss,
            "{name} in {} has {} slices, above the limit of {MAX_SLICES}",
            self.index.name(),
            entry.slices.len()
        );
        let slices = entry.slices.iter().map(TensorSlice::from_proto).collect::<Result<Vec<_>>>();
        let slices = slices.map_err(|status| self.damaged(name, status.message()))?;
        Ok(BundleEntry { name: name.to_owned(), dtype, shape, slices })
    }

    pub(super) fn type_and_shape(&self, name: &str, entry: &wire::BundleEntryProto) -> Result<(DType, Shape)> {
        let dtype = dtype_from_proto(entry.dtype).map_err(|status| self.damaged(name, status.message()))?;
        let shape = partial_shape_from_proto(&entry.shape.clone().unwrap_or_default());
        let shape = shape.map_err(|status| self.damaged(name, status.message()))?.to_shape();
        Ok((dtype, shape.ok_or_else(|| self.damaged(name, "its shape is not fully known"))?))
    }

    pub(super) fn damaged(&self, name: &str, what: &str) -> Status {
        err!(DataLoss, "the entry of {name} in {} is damaged: {what}", self.index.name())
    }
}
