//! Checkpoints of TensorFlow before 1.0, the V1 format: a table of slices, in one file or one for each task.
//!
//! A file is a sorted table. Under the empty key it lists its tensors; every slice has a key of its own and holds the elements as
//! a list of values in a message, which bounds a slice to 2 GiB. A checkpoint is the file of its name, or files
//! `<name>-00000-of-00002`, each of which holds some slices.

mod reader;
mod values;
mod writer;

use std::path::{Path, PathBuf};

pub use reader::SlicesReader;
pub use writer::SlicesWriter;

use crate::place;

/// The key of the list of tensors.
const META_KEY: &[u8] = b"";
/// The format's version that is written and understood here.
const VERSION: i32 = 1;

/// The files of the checkpoint of this name, of which a pattern `<name>-?????-of-00002` is another form; empty if there is none.
pub(crate) fn files(name: &Path) -> Vec<PathBuf> {
    if place::is_file(name) {
        return vec![name.to_owned()];
    }
    let Some(base) = name.file_name().and_then(|base| base.to_str()) else { return Vec::new() };
    let base = base.split_once("-?????-of-").map_or(base, |(base, _)| base);
    let folder = name.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let Ok(entries) = place::read_folder(folder) else { return Vec::new() };
    let mut found: Vec<PathBuf> = entries
        .into_iter()
        .filter(|entry| entry.name.to_str().and_then(|file| file.strip_prefix(base)).is_some_and(is_shard))
        .map(|entry| entry.path)
        .collect();
    found.sort();
    found
}

/// Whether this is `-00000-of-00002` with any numbers.
fn is_shard(suffix: &str) -> bool {
    let number = |text: &str| text.len() == 5 && text.bytes().all(|byte| byte.is_ascii_digit());
    let numbers = suffix.strip_prefix('-').and_then(|rest| rest.split_once("-of-"));
    numbers.is_some_and(|(shard, of)| number(shard) && number(of))
}

#[cfg(test)]
mod tests;
