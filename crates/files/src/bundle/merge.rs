//! Joining checkpoints: the last step of a sharded save, where each task wrote a checkpoint of its own.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::path::{Path, PathBuf};

use tensor::{Code, Result, bail, ensure, err};

use super::writer::index_file;
use super::{BundleReader, data_path, index_path};
use crate::atomic::at;
use crate::{disk, place};

/// Makes one checkpoint of several, whose data files are renamed, not copied, and whose indices vanish. With
/// `delete_old_dirs`, their folders vanish too if then empty.
///
/// Everything is checked before anything is moved, so an error in the checkpoints leaves them as they were.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::{BundleReader, BundleWriter, merge_bundles};
///
/// let folder = std::env::temp_dir().join(format!("merge-bundles-{}", std::process::id()));
/// let parts = [folder.join("part-0"), folder.join("part-1")];
/// for (prefix, name) in parts.iter().zip(["v", "w"]) {
///     let mut writer = BundleWriter::new(prefix)?;
///     writer.add(name, &Tensor::from(1f32))?;
///     writer.finish()?;
/// }
/// merge_bundles(&parts, folder.join("model"), false)?;
/// let merged = BundleReader::open(folder.join("model"))?;
/// assert_eq!((merged.num_shards(), merged.lookup("w")?), (2, Tensor::from(1f32)));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if one is missing or a tensor is in two; `DataLoss` if one is damaged; the code of the operating
/// system's error.
pub fn merge_bundles<P: AsRef<Path>>(
    prefixes: &[P],
    destination: impl AsRef<Path>,
    delete_old_dirs: bool,
) -> Result<()> {
    let destination = destination.as_ref();
    let prefixes: Vec<&Path> = prefixes.iter().map(AsRef::as_ref).collect();
    let mut merged = Merged::default();
    for prefix in &prefixes {
        merged.add(prefix)?;
    }
    if let Some(folder) = destination.parent() {
        place::create_folder(folder).map_err(|error| at(folder, error))?;
    }
    for (from, shard) in &merged.shards {
        ensure!(place::is_file(from), NotFound, "{}; No such file or directory (shard {shard})", from.display());
    }
    let mut index = index_file(destination, merged.num_shards, &merged.entries)?;
    index.close()?;
    let target = index_path(destination);
    for (from, shard) in &merged.shards {
        disk::rename(from, &data_path(destination, *shard, merged.num_shards)).map_err(|error| at(from, error))?;
    }
    index.commit()?;
    for prefix in &prefixes {
        // The checkpoint is complete by now; what cannot be cleaned up is only litter.
        let old = index_path(prefix);
        if old != target {
            let _ = disk::remove_file(&old);
        }
    }
    if delete_old_dirs {
        for folder in prefixes.iter().filter_map(|prefix| prefix.parent()) {
            if Some(folder) != destination.parent() {
                let _ = place::remove_folder(folder);
            }
        }
    }
    Ok(())
}

#[derive(Default)]
struct Merged {
    num_shards: i32,
    entries: BTreeMap<Vec<u8>, wire::BundleEntryProto>,
    /// Old data files and their new numbers, in order of appearance.
    shards: HashMap<PathBuf, i32>,
}

impl Merged {
    fn add(&mut self, prefix: &Path) -> Result<()> {
        let reader = BundleReader::open(prefix).map_err(|status| match status.code() {
            Code::NotFound => err!(InvalidArgument, "{} did not exist, so it cannot be merged", prefix.display()),
            _ => status,
        })?;
        let num_shards = reader.num_shards();
        let total = self.num_shards.checked_add(num_shards);
        self.num_shards = total.ok_or_else(|| err!(DataLoss, "{} claims {num_shards} shards", prefix.display()))?;
        for item in reader.raw_entries() {
            let (key, mut entry) = item?;
            if entry.slices.is_empty() {
                let old = entry.shard_id;
                ensure!(
                    old >= 0 && old < num_shards,
                    DataLoss,
                    "{} refers to shard {old} of {num_shards}",
                    prefix.display()
                );
                let next = self.shards.len() as i32;
                let file = data_path(prefix, old, num_shards);
                entry.shard_id = *self.shards.entry(file).or_insert(next);
            }
            match self.entries.entry(key) {
                Entry::Vacant(free) => {
                    free.insert(entry);
                }
                Entry::Occupied(mut known) => {
                    let name = known.key().escape_ascii().to_string();
                    let known = known.get_mut();
                    if known.slices.is_empty() || entry.slices.is_empty() {
                        bail!(
                            InvalidArgument,
                            "Duplicate tensor keyed by {name} encountered, when merging prefix: {}",
                            prefix.display()
                        );
                    }
                    ensure!(
                        known.dtype == entry.dtype && known.shape == entry.shape,
                        InvalidArgument,
                        "slices of {name} do not belong together, when merging prefix: {}",
                        prefix.display()
                    );
                    known.slices.append(&mut entry.slices);
                }
            }
        }
        Ok(())
    }
}
