//! TensorFlow's file formats: TFRecord, checkpoint bundles, event files, and MNIST's IDX.
//!
//! | format | module |
//! |---|---|
//! | TFRecord files, plain or compressed | [`record`] |
//! | checkpoints (V2, "tensor bundle") | [`bundle`], on top of the sorted tables of [`table`] |
//! | checkpoints of TensorFlow before 1.0 (V1) | [`SlicesReader`], [`SlicesWriter`]; [`CheckpointReader`] reads both |
//! | the `checkpoint` file of a directory | [`checkpoint_state`] |
//! | event files for TensorBoard, and the histograms in them | [`events`], [`histogram`] |
//! | IDX, the format of MNIST | [`idx`] |
//!
//! What is written here TensorFlow reads, and the other way round. Every file that is read counts as hostile: sizes are
//! held against the size of the file before memory is taken, checksums are verified, and damage is an error with a
//! code (mostly `DataLoss`) that names the file. Files that others may be reading are replaced by renaming ([`atomic`]). A path may
//! also lead into a store, as `s3://bucket/model` does ([`place`]).
//!
//! A checkpoint that TensorFlow has written, read tensor by tensor:
//!
//! ```no_run
//! use tensorfleet_files::{BundleReader, latest_checkpoint};
//!
//! let prefix = latest_checkpoint("/tmp/model")?.expect("a checkpoint");
//! let reader = BundleReader::open(prefix)?;
//! for entry in reader.entries()? {
//!     println!("{} {} {}", entry.name, entry.dtype, entry.shape);
//! }
//! let weights = reader.lookup("hid_w")?;
//! # Ok::<(), tensor::Status>(())
//! ```
//!
//! The crate has no features.

#![warn(missing_docs)]

pub mod atomic;
pub mod bundle;
mod checkpoint;
pub mod checkpoint_state;
mod crc;
#[doc(hidden)]
pub mod disk;
pub mod events;
pub mod histogram;
pub mod idx;
mod litter;
mod ordered_code;
pub mod place;
pub mod record;
mod saved_slices;
mod source;
pub mod table;
#[cfg(test)]
mod testing;

pub use bundle::{BundleReader, BundleWriter, TensorSlice, merge_bundles};
pub use checkpoint::{CheckpointReader, checkpoint_exists};
pub use checkpoint_state::{all_checkpoints, latest_checkpoint};
pub use events::{EventReader, EventWriter};
pub use histogram::Histogram;
pub use litter::sweep_litter;
pub use record::{Compression, RecordReader, RecordWriter, decompressed};
pub use saved_slices::{SlicesReader, SlicesWriter};
