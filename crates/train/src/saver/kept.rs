//! Which checkpoints stay on disk, and the `checkpoint` file that says so.

use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use files::checkpoint_state::{self, CheckpointState};
use files::place;
use tensor::Result;

use super::{meta_path, text_of};

/// Checkpoints in the order they were written, with their times in seconds.
pub(super) struct Kept {
    max: usize,
    every: f64,
    newest: Vec<(PathBuf, f64)>,
    /// Out of the list, but not removed yet.
    leaving: Vec<(PathBuf, f64)>,
    /// The next checkpoint that leaves after this time stays for good.
    next_preserved: f64,
}

impl Kept {
    /// Keeps so many of the newest, and one in so much time for good.
    pub fn new(max: usize, every: Duration) -> Kept {
        let every = every.as_secs_f64();
        Kept { max, every, newest: Vec::new(), leaving: Vec::new(), next_preserved: now() + every }
    }

    /// Takes a new checkpoint into the list, writes the `checkpoint` file and removes what is out of the list.
    pub fn record(&mut self, folder: &Path, prefix: &Path) -> Result<()> {
        let before = (self.newest.clone(), self.leaving.clone());
        if self.max > 0 {
            self.newest.retain(|(path, _)| path != prefix);
            self.newest.push((prefix.to_owned(), now()));
            while self.newest.len() > self.max {
                let oldest = self.newest.remove(0);
                self.leaving.push(oldest);
            }
        }
        if let Err(status) = self.write(folder, prefix) {
            (self.newest, self.leaving) = before;
            return Err(status);
        }
        // By now the new one is on the disk, with its name.
        self.remove_old();
        sweep(folder);
        Ok(())
    }

    fn write(&self, folder: &Path, newest: &Path) -> Result<()> {
        let paths = self.newest.iter().map(|(path, _)| text_of(path)).collect::<Result<Vec<_>>>()?;
        let mut times: Vec<f64> = self.newest.iter().map(|(_, time)| *time).collect();
        if paths.is_empty() {
            times.push(now());
        }
        let state = CheckpointState {
            model_checkpoint_path: text_of(newest)?,
            all_model_checkpoint_paths: paths,
            all_model_checkpoint_timestamps: times,
            ..Default::default()
        };
        checkpoint_state::write(folder, checkpoint_state::FILE_NAME, &state, false)
    }

    fn remove_old(&mut self) {
        for (prefix, time) in std::mem::take(&mut self.leaving) {
            if time > self.next_preserved {
                self.next_preserved += self.every;
                continue;
            }
            remove_checkpoint(&prefix);
        }
    }

    /// The checkpoints in the list, oldest first.
    pub fn paths(&self) -> Vec<PathBuf> {
        self.newest.iter().map(|(path, _)| path.clone()).collect()
    }

    /// Begins with these checkpoints, as far as they exist.
    pub fn recover(&mut self, prefixes: &[PathBuf]) {
        self.newest = prefixes.iter().filter_map(|prefix| Some((prefix.clone(), modified(prefix)?))).collect();
    }
}

/// Litter is left alone for so long: somebody may be saving there.
const LITTER_AGE: Duration = Duration::from_secs(3600);

/// Removes what killed saves have left in a folder.
pub(crate) fn sweep(folder: &Path) {
    for path in files::sweep_litter(folder, LITTER_AGE) {
        tracing::info!(path = %path.display(), "removed what a save that was killed has left");
    }
}

/// Removes the files of a checkpoint. Its index goes first: without it the rest is no checkpoint. What cannot be removed
/// stays, which harms nobody.
fn remove_checkpoint(prefix: &Path) {
    if let Ok(reader @ files::CheckpointReader::V1(_)) = files::CheckpointReader::open(prefix) {
        reader.files().iter().for_each(|file| drop(files::disk::remove_file(file)));
    }
    let _ = files::disk::remove_file(&files::bundle::index_path(prefix));
    let _ = files::disk::remove_file(&meta_path(prefix));
    let Some(name) = prefix.file_name().and_then(|name| name.to_str()) else { return };
    let data = format!("{name}.data-");
    for entry in place::read_folder(&super::folder_of(prefix)).into_iter().flatten() {
        if entry.name.to_str().is_some_and(|name| name.starts_with(&data)) {
            let _ = files::disk::remove_file(&entry.path);
        }
    }
}

/// When a checkpoint was written, if it exists.
fn modified(prefix: &Path) -> Option<f64> {
    let file = place::metadata(&files::bundle::index_path(prefix)).or_else(|_| place::metadata(prefix)).ok()?;
    let time = file.modified?;
    Some(time.duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64()))
}

fn now() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |elapsed| elapsed.as_secs_f64())
}
