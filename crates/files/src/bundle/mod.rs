//! Checkpoints, TensorFlow's V2 format ("tensor bundle").
//!
//! A checkpoint named by a prefix is `<prefix>.index`, a sorted table of what is stored where, and
//! `<prefix>.data-00000-of-00001` (or more such shards), the elements themselves. A tensor may be stored in slices, as a
//! partitioned variable is; it can be read whole, or any box of it, however it was stored.

pub(crate) mod assemble;
mod merge;
mod reader;
pub(crate) mod slice;
mod stream;
mod strings;
mod writer;

use std::path::{Path, PathBuf};

pub use merge::merge_bundles;
pub use reader::{BundleEntry, BundleReader};
pub use slice::{TensorSlice, parse_shape_and_slice};
pub use writer::BundleWriter;

/// The key of the header in the index.
const HEADER_KEY: &[u8] = b"";
/// The format's version that is written and understood here.
const VERSION: i32 = 1;

/// Returns the path of the index of a checkpoint.
///
/// ```
/// use std::path::Path;
/// use tensorfleet_files::bundle::index_path;
///
/// assert_eq!(index_path(Path::new("logs/model.ckpt-7")), Path::new("logs/model.ckpt-7.index"));
/// ```
pub fn index_path(prefix: &Path) -> PathBuf {
    with_suffix(prefix, ".index")
}

/// Returns the path of a data file of a checkpoint.
///
/// ```
/// use std::path::Path;
/// use tensorfleet_files::bundle::data_path;
///
/// assert_eq!(data_path(Path::new("model"), 0, 1), Path::new("model.data-00000-of-00001"));
/// ```
pub fn data_path(prefix: &Path, shard: i32, num_shards: i32) -> PathBuf {
    with_suffix(prefix, &format!(".data-{shard:05}-of-{num_shards:05}"))
}

fn with_suffix(prefix: &Path, suffix: &str) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(suffix);
    PathBuf::from(name)
}

fn header(num_shards: i32) -> wire::BundleHeaderProto {
    wire::BundleHeaderProto {
        num_shards,
        endianness: wire::bundle_header_proto::Endianness::Little as i32,
        version: Some(wire::VersionDef { producer: VERSION, ..Default::default() }),
    }
}

#[cfg(test)]
mod tests;
