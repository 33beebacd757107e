//! The checkpoints of a folder, and what is in one.

use std::path::Path;

use files::CheckpointReader;
use serde_json::{Value, json};
use tensor::{Result, ensure, err};

use crate::ckpt::{list, text};

/// So many checkpoints and tensors are told.
const MOST: usize = 1000;

/// The checkpoints of a folder, newest first.
///
/// # Errors
/// `NotFound` if there is no such folder.
pub fn listed(folder: &Path) -> Result<Value> {
    let mut all = list::listed(folder)?;
    all.reverse();
    let count = all.len();
    all.truncate(MOST);
    for one in &mut all {
        let name = one["checkpoint"].as_str().and_then(|path| Path::new(path).file_name()?.to_str().map(str::to_owned));
        one["name"] = json!(name);
    }
    Ok(json!({"folder": folder.display().to_string(), "checkpoints": all, "count": count}))
}

/// The tensors of one checkpoint of a folder, largest first.
///
/// # Errors
/// `InvalidArgument` if the name leads out of the folder; `NotFound` if there is no such checkpoint; `DataLoss` if it is damaged.
pub fn tensors(folder: &Path, name: &str) -> Result<Value> {
    let plain = !name.is_empty() && !name.contains(['/', '\\', '\0']) && name != "." && name != "..";
    ensure!(plain, InvalidArgument, "'{name}' is no name of a checkpoint in the folder");
    let prefix = folder.join(name);
    ensure!(files::checkpoint_exists(&prefix), NotFound, "there is no checkpoint '{name}' in {}", folder.display());
    let reader = CheckpointReader::open(&prefix)
        .map_err(|status| err!(DataLoss, "checkpoint '{name}' cannot be read: {}", status.message()))?;
    let mut entries = reader.entries()?;
    entries.sort_by_key(|entry| std::cmp::Reverse(text::bytes_of(entry)));
    let (count, bytes) = (entries.len(), entries.iter().map(text::bytes_of).sum::<u64>());
    let elements: usize = entries.iter().map(|entry| entry.shape.num_elements()).sum();
    let told = entries.iter().take(MOST).map(|entry| {
        json!({"name": entry.name, "dtype": entry.dtype.to_string(), "shape": entry.shape.dims(),
            "bytes": text::bytes_of(entry), "slices": entry.slices.len()})
    });
    Ok(json!({"name": name, "tensors": told.collect::<Vec<_>>(), "count": count, "bytes": bytes, "elements": elements}))
}
