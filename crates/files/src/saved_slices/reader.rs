//! Reading a V1 checkpoint.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::path::{Path, PathBuf};

use prost::Message;
use tensor::proto::{dtype_from_proto, partial_shape_from_proto};
use tensor::{DType, Result, Shape, Tensor, ensure, err};

use super::{META_KEY, VERSION, files, values};
use crate::bundle::assemble::assemble;
use crate::bundle::{BundleEntry, TensorSlice};
use crate::table::Table;

/// More slices of one tensor than this are taken for damage: they are compared pairwise.
const MAX_SLICES: usize = 1 << 13;

/// An open V1 checkpoint.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::{SlicesReader, SlicesWriter};
///
/// let path = std::env::temp_dir().join(format!("slices-reader-{}", std::process::id()));
/// let mut writer = SlicesWriter::new(&path)?;
/// writer.add("w", &Tensor::from([1f32, 2.0]))?;
/// writer.finish()?;
/// let reader = SlicesReader::open(&path)?;
/// assert_eq!(reader.entries()[0].name, "w");
/// assert_eq!(reader.lookup("w")?, Tensor::from([1f32, 2.0]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct SlicesReader {
    tables: Vec<Table>,
    tensors: BTreeMap<String, Stored>,
}

struct Stored {
    entry: BundleEntry,
    /// The number of the file of each slice.
    places: Vec<usize>,
}

impl SlicesReader {
    /// Opens the checkpoint of this name.
    ///
    /// # Errors
    /// `NotFound` if there is none; `DataLoss` if it is no V1 checkpoint or damaged.
    pub fn open(name: impl AsRef<Path>) -> Result<SlicesReader> {
        let paths = files(name.as_ref());
        ensure!(
            !paths.is_empty(),
            NotFound,
            "Unsuccessful TensorSliceReader constructor: Failed to find any matching files for {}",
            name.as_ref().display()
        );
        let mut reader = SlicesReader { tables: Vec::new(), tensors: BTreeMap::new() };
        for path in paths {
            reader.add(Table::open(&path)?)?;
        }
        Ok(reader)
    }

    fn add(&mut self, table: Table) -> Result<()> {
        let (place, file) = (self.tables.len(), table.name().to_owned());
        let meta = table.get(META_KEY)?.ok_or_else(|| err!(DataLoss, "{file} has no list of tensors"))?;
        let meta = wire::SavedTensorSlices::decode(meta);
        let meta = meta.map_err(|error| err!(DataLoss, "the list of tensors of {file} cannot be read: {error}"))?;
        let meta = meta.meta.unwrap_or_default();
        let versions = meta.versions.unwrap_or_default();
        ensure!(
            versions.min_consumer <= VERSION && !versions.bad_consumers.contains(&VERSION),
            FailedPrecondition,
            "{file} has format version {}, which asks for a reader of at least {}; this one is {VERSION}",
            versions.producer,
            versions.min_consumer
        );
        for tensor in meta.tensor {
            let damaged =
                |status: tensor::Status| err!(DataLoss, "{} in {file} is damaged: {}", tensor.name, status.message());
            let (dtype, shape, slices) = described(&tensor).map_err(damaged)?;
            match self.tensors.entry(tensor.name.clone()) {
                Entry::Vacant(free) => {
                    let places = vec![place; slices.len()];
                    free.insert(Stored { entry: BundleEntry { name: tensor.name, dtype, shape, slices }, places });
                }
                Entry::Occupied(mut known) => {
                    let known = known.get_mut();
                    ensure!(
                        known.entry.dtype == dtype && known.entry.shape == shape,
                        DataLoss,
                        "{} is of type {dtype} and shape {shape} in {file}, of type {} and shape {} in an earlier file",
                        tensor.name,
                        known.entry.dtype,
                        known.entry.shape
                    );
                    known.places.extend(vec![place; slices.len()]);
                    known.entry.slices.extend(slices);
                    let slices = known.entry.slices.len();
                    ensure!(slices <= MAX_SLICES, DataLoss, "{} has {slices} slices, above the limit", tensor.name);
                }
            }
        }
        self.tables.push(table);
        Ok(())
    }

    pub(crate) fn files(&self) -> Vec<PathBuf> {
        self.tables.iter().map(|table| PathBuf::from(table.name())).collect()
    }

    /// Returns an entry for every tensor, ascending by name. A tensor that is stored whole has no slices.
    pub fn entries(&self) -> Vec<BundleEntry> {
        self.tensors.values().map(|stored| public(&stored.entry)).collect()
    }

    /// Returns type, shape and slices of a tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor.
    pub fn entry(&self, name: &str) -> Result<BundleEntry> {
        self.stored(name).map(|stored| public(&stored.entry))
    }

    /// Reads a whole tensor.
    ///
    /// # Errors
    /// `NotFound` if there is no such tensor; `DataLoss` if it is damaged; `InvalidArgument` if parts are missing.
    pub fn lookup(&self, name: &str) -> Result<Tensor> {
        let rank = self.stored(name)?.entry.shape.rank();
        self.lookup_slice(name, &TensorSlice::full(rank))
    }

    /// Reads a box of a tensor, however it was stored.
    ///
    /// # Errors
    /// As [`lookup`](SlicesReader::lookup); `Internal`, as in TensorFlow, if the slice does not fit the tensor.
    pub fn lookup_slice(&self, name: &str, slice: &TensorSlice) -> Result<Tensor> {
        let Stored { entry, places } = self.stored(name)?;
        let stored: Vec<&TensorSlice> = entry.slices.iter().collect();
        // A slice is a message, whose values are as many as its shape has elements: reading one takes what the file holds.
        let bytes = (entry.shape.num_elements() as u64).saturating_mul(entry.dtype.size().max(1) as u64);
        let limit = self.tables.iter().map(Table::size).sum::<u64>().saturating_mul(EXPANSION);
        ensure!(bytes <= limit, DataLoss, "{name} of shape {} cannot be in files of this size", entry.shape);
        assemble(entry, slice, &stored, |_| Ok(()), |piece| self.read(entry, &entry.slices[piece], places[piece]))
    }

    fn read(&self, of: &BundleEntry, slice: &TensorSlice, place: usize) -> Result<Tensor> {
        let table = &self.tables[place];
        let damaged = |what: String| err!(DataLoss, "slice {slice} of {} in {} {what}", of.name, table.name());
        let stored = table.get(&slice.key(&of.name))?.ok_or_else(|| damaged("is missing".to_owned()))?;
        let stored = wire::SavedTensorSlices::decode(stored);
        let stored = stored.map_err(|error| damaged(format!("cannot be read: {error}")))?;
        let data = stored.data.and_then(|data| data.data).ok_or_else(|| damaged("has no data".to_owned()))?;
        values::read(data, of.dtype, &slice.shape_in(&of.shape)?).map_err(|status| damaged(status.message().to_owned()))
    }

    fn stored(&self, name: &str) -> Result<&Stored> {
        self.tensors.get(name).ok_or_else(|| err!(NotFound, "Key {name} not found in checkpoint"))
    }
}

/// How many bytes of elements one byte of a file can hold: small integers take one byte for eight.
const EXPANSION: u64 = 64;

fn described(tensor: &wire::SavedSliceMeta) -> Result<(DType, Shape, Vec<TensorSlice>)> {
    let dtype = dtype_from_proto(tensor.r#type)?;
    let shape = partial_shape_from_proto(&tensor.shape.clone().unwrap_or_default())?;
    let shape = shape.to_shape().ok_or_else(|| err!(DataLoss, "its shape is not fully known"))?;
    let slices = tensor.slice.iter().map(TensorSlice::from_proto).collect::<Result<Vec<_>>>()?;
    ensure!(slices.len() <= MAX_SLICES, DataLoss, "it has {} slices, above the limit of {MAX_SLICES}", slices.len());
    for slice in &slices {
        slice.region(&shape)?;
    }
    Ok((dtype, shape, slices))
}

/// As others see it: a tensor that is stored whole has no slices.
fn public(entry: &BundleEntry) -> BundleEntry {
    match &entry.slices[..] {
        [slice] if slice.is_full(&entry.shape) => BundleEntry { slices: Vec::new(), ..entry.clone() },
        _ => entry.clone(),
    }
}
