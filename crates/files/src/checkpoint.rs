//! A checkpoint of either format.

use std::path::{Path, PathBuf};

use tensor::{Result, Tensor};

use crate::bundle::{BundleEntry, BundleReader, TensorSlice, data_path, index_path};
use crate::place;
use crate::saved_slices::{self, SlicesReader};

/// Returns whether there is a checkpoint of this name: the index of a V2 checkpoint, or a file of a V1 checkpoint.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::{SlicesWriter, checkpoint_exists};
///
/// let path = std::env::temp_dir().join(format!("checkpoint-exists-{}", std::process::id()));
/// assert!(!checkpoint_exists(&path));
/// SlicesWriter::new(&path)?.finish()?;
/// assert!(checkpoint_exists(&path));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub fn checkpoint_exists(prefix: impl AsRef<Path>) -> bool {
    place::is_file(&index_path(prefix.as_ref())) || !saved_slices::files(prefix.as_ref()).is_empty()
}

/// An open checkpoint of either format, told apart by whether there is an index.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::{CheckpointReader, SlicesWriter};
///
/// let path = std::env::temp_dir().join(format!("checkpoint-reader-{}", std::process::id()));
/// let mut writer = SlicesWriter::new(&path)?;
/// writer.add("w", &Tensor::from([1f32, 2.0]))?;
/// writer.finish()?;
/// assert_eq!(CheckpointReader::open(&path)?.lookup("w")?, Tensor::from([1f32, 2.0]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
#[expect(clippy::large_enum_variant, reason = "there are few readers, and none lies in a collection")]
pub enum CheckpointReader {
    /// TensorFlow 1.0 and later.
    V2(BundleReader),
    /// Before.
    V1(SlicesReader),
}

impl CheckpointReader {
    /// Opens the checkpoint of this name.
    ///
    /// # Errors
    /// `NotFound` if there is none; `DataLoss` if it is damaged.
    pub fn open(prefix: impl AsRef<Path>) -> Result<CheckpointReader> {
        let prefix = prefix.as_ref();
        match !place::is_file(&index_path(prefix)) && !saved_slices::files(prefix).is_empty() {
            true => SlicesReader::open(prefix).map(CheckpointReader::V1),
            false => BundleReader::open(prefix).map(CheckpointReader::V2),
        }
    }

    /// Returns the files of the checkpoint, also of those that are missing.
    pub fn files(&self) -> Vec<PathBuf> {
        match self {
            CheckpointReader::V1(reader) => reader.files(),
            CheckpointReader::V2(reader) => {
                let (prefix, shards) = (reader.prefix(), reader.num_shards());
                let data = (0..shards).map(|shard| data_path(prefix, shard, shards));
                std::iter::once(index_path(prefix)).chain(data).collect()
            }
        }
    }

    /// Returns an entry for every tensor, ascending by name.
    ///
    /// # Errors
    /// `DataLoss` if the index is damaged.
    pub fn entries(&self) -> Result<Vec<BundleEntry>> {
        match self {
            CheckpointReader::V1(reader) => Ok(reader.entries()),
            CheckpointReader::V2(reader) => reader.entries(),
        }
    }

    /// Returns type, shape and slices of a tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor; `DataLoss` if the index is damaged.
    pub fn entry(&self, name: &str) -> Result<BundleEntry> {
        match self {
            CheckpointReader::V1(reader) => reader.entry(name),
            CheckpointReader::V2(reader) => reader.entry(name),
        }
    }

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor; `DataLoss` if it is damaged; `InvalidArgument` if parts are missing.
    pub fn lookup(&self, name: &str) -> Result<Tensor> {
        match self {
            CheckpointReader::V1(reader) => reader.lookup(name),
            CheckpointReader::V2(reader) => reader.lookup(name),
        }
    }

    /// Reads a box of a tensor, however it was stored.
    ///
    /// # Errors
    /// As [`lookup`](CheckpointReader::lookup); `Internal`, as in TensorFlow, if the slice does not fit the tensor.
    pub fn lookup_slice(&self, name: &str, slice: &TensorSlice) -> Result<Tensor> {
        match self {
            CheckpointReader::V1(reader) => reader.lookup_slice(name, slice),
            CheckpointReader::V2(reader) => reader.lookup_slice(name, slice),
        }
    }

    /// Reads the elements of a tensor from first to last in pieces, as [`BundleReader::read_in_pieces`]; a tensor of a V1
    /// checkpoint is one piece.
    ///
    /// # Errors
    /// As there.
    pub fn read_in_pieces(&self, name: &str, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        match self {
            CheckpointReader::V2(reader) => reader.read_in_pieces(name, take),
            CheckpointReader::V1(reader) => match reader.lookup(name)?.buffer() {
                Some(buffer) => take(buffer.as_bytes()),
                None => tensor::bail!(Unimplemented, "{name} of type string cannot be read in pieces"),
            },
        }
    }
}
