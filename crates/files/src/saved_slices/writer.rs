//! Writing a V1 checkpoint.

use std::collections::BTreeMap;
use std::path::Path;

use prost::Message;
use tensor::proto::shape_to_proto;
use tensor::{Result, Shape, Tensor, ensure};

use super::{META_KEY, VERSION, values};
use crate::atomic::AtomicFile;
use crate::bundle::TensorSlice;
use crate::table::TableWriter;

/// A message may not be larger than this.
const MAX_MESSAGE: usize = i32::MAX as usize;

/// Writes tensors, or slices of them, to a file of a V1 checkpoint, which appears with [`finish`](SlicesWriter::finish). The table
/// is sorted, so everything stays in memory until then.
///
/// ```
/// use tensor::{Shape, Tensor};
/// use tensorfleet_files::{SlicesReader, SlicesWriter, TensorSlice};
///
/// let path = std::env::temp_dir().join(format!("slices-writer-{}", std::process::id()));
/// let mut writer = SlicesWriter::new(&path)?;
/// let (shape, tensor) = (Shape::new(&[4])?, Tensor::from([1f32, 2.0]));
/// writer.add_slice("w", &shape, &TensorSlice::parse("0,2")?, &tensor)?;
/// writer.add_slice("w", &shape, &TensorSlice::parse("2,2")?, &tensor)?;
/// writer.finish()?;
/// assert_eq!(SlicesReader::open(&path)?.lookup("w")?, Tensor::from([1f32, 2.0, 1.0, 2.0]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct SlicesWriter {
    file: AtomicFile,
    meta: wire::SavedTensorSliceMeta,
    /// The number of a tensor in `meta`.
    numbers: BTreeMap<String, usize>,
    slices: BTreeMap<Vec<u8>, Vec<u8>>,
}

impl SlicesWriter {
    /// Begins a file.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn new(path: impl AsRef<Path>) -> Result<SlicesWriter> {
        let versions = Some(wire::VersionDef { producer: VERSION, ..Default::default() });
        Ok(SlicesWriter {
            file: AtomicFile::create(path.as_ref())?,
            meta: wire::SavedTensorSliceMeta { versions, ..Default::default() },
            numbers: BTreeMap::new(),
            slices: BTreeMap::new(),
        })
    }

    /// Adds a whole tensor.
    ///
    /// # Errors
    /// As [`add_slice`](SlicesWriter::add_slice).
    pub fn add(&mut self, name: &str, tensor: &Tensor) -> Result<()> {
        self.add_slice(name, tensor.shape(), &TensorSlice::full(tensor.shape().rank()), tensor)
    }

    /// Adds one slice of a tensor whose whole shape is `shape`.
    ///
    /// # Errors
    /// `InvalidArgument` for a name that is empty or taken, for more than 2 GiB, or if the slice does not have the tensor's shape;
    /// `Unimplemented` for elements that the format does not hold; `Internal`, as in TensorFlow, if the slice leaves the whole or
    /// slices do not belong together.
    pub fn add_slice(&mut self, name: &str, shape: &Shape, slice: &TensorSlice, tensor: &Tensor) -> Result<()> {
        ensure!(!name.is_empty(), InvalidArgument, "a tensor in a checkpoint needs a name");
        let expected = slice.shape_in(shape)?;
        ensure!(
            *tensor.shape() == expected,
            InvalidArgument,
            "{name} has shape {} where slice {slice} of {shape} has {expected}",
            tensor.shape()
        );
        let (dtype, shape) = (tensor.dtype().number(), shape_to_proto(shape));
        if let Some(number) = self.numbers.get(name) {
            let known = &self.meta.tensor[*number];
            ensure!(
                known.r#type == dtype && known.shape.as_ref() == Some(&shape),
                Internal,
                "slices of {name} do not belong together: this one is of type {} and another whole shape or type",
                tensor.dtype()
            );
        }
        let key = slice.key(name);
        ensure!(!self.slices.contains_key(&key), InvalidArgument, "Adding duplicate key: {name}, slice {slice}");
        let data = wire::SavedSlice {
            name: name.to_owned(),
            slice: Some(slice.to_proto()),
            data: Some(values::write(tensor)?),
        };
        let message = wire::SavedTensorSlices { meta: None, data: Some(data) };
        let size = message.encoded_len();
        ensure!(
            size <= MAX_MESSAGE,
            InvalidArgument,
            "Tensor slice is too large to serialize: {name} takes {size} bytes; a V1 checkpoint holds at most {MAX_MESSAGE}"
        );
        let next = self.meta.tensor.len();
        let number = *self.numbers.entry(name.to_owned()).or_insert(next);
        if number == next {
            let tensor =
                wire::SavedSliceMeta { name: name.to_owned(), shape: Some(shape), r#type: dtype, slice: Vec::new() };
            self.meta.tensor.push(tensor);
        }
        self.meta.tensor[number].slice.push(slice.to_proto());
        self.slices.insert(key, message.encode_to_vec());
        Ok(())
    }

    /// Makes the file appear.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn finish(self) -> Result<()> {
        let mut table = TableWriter::new(self.file);
        let meta = wire::SavedTensorSlices { meta: Some(self.meta), data: None };
        table.add(META_KEY, &meta.encode_to_vec())?;
        for (key, slice) in &self.slices {
            table.add(key, slice)?;
        }
        table.finish()?.commit()
    }
}
