//! The file named `checkpoint` in a folder of checkpoints: which is the newest, and which are still kept.
//!
//! It is a `CheckpointState` in protobuf's text format. Paths in it are absolute, or relative to the folder.

mod text;

use std::io::Read;
use std::path::{Path, PathBuf};

use tensor::{Result, ensure};
pub use wire::CheckpointState;

use crate::atomic;
use crate::checkpoint::checkpoint_exists;
use crate::place;
use text::{format, parse};

/// The name TensorFlow gives the file.
pub const FILE_NAME: &str = "checkpoint";
/// Far above what ten thousand kept checkpoints need.
const MAX_SIZE: u64 = 16 << 20;

/// Returns the prefix of the newest checkpoint of a folder, if it exists.
///
/// ```
/// use tensorfleet_files::checkpoint_state::{CheckpointState, FILE_NAME, latest_checkpoint, write};
/// use tensorfleet_files::BundleWriter;
///
/// let folder = std::env::temp_dir().join(format!("latest-checkpoint-{}", std::process::id()));
/// let prefix = folder.join("model.ckpt-7");
/// assert_eq!(latest_checkpoint(&folder)?, None);
/// BundleWriter::new(&prefix)?.finish()?;
/// let state = CheckpointState { model_checkpoint_path: prefix.display().to_string(), ..Default::default() };
/// write(&folder, FILE_NAME, &state, true)?;
/// assert_eq!(latest_checkpoint(&folder)?, Some(prefix));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `DataLoss` if the `checkpoint` file cannot be understood; the code of the operating system's error.
pub fn latest_checkpoint(folder: impl AsRef<Path>) -> Result<Option<PathBuf>> {
    let state = read(folder.as_ref(), FILE_NAME)?;
    let latest = state.map(|state| PathBuf::from(state.model_checkpoint_path));
    Ok(latest.filter(|prefix| checkpoint_exists(prefix)))
}

/// Returns the prefixes of all checkpoints that the `checkpoint` file of a folder names and that exist, oldest first.
///
/// ```
/// use tensorfleet_files::BundleWriter;
/// use tensorfleet_files::checkpoint_state::{CheckpointState, FILE_NAME, all_checkpoints, write};
///
/// let folder = std::env::temp_dir().join(format!("all-checkpoints-{}", std::process::id()));
/// let prefixes = [folder.join("model.ckpt-7"), folder.join("model.ckpt-8")];
/// let names = prefixes.each_ref().map(|prefix| prefix.display().to_string());
/// BundleWriter::new(&prefixes[1])?.finish()?;
/// let state = CheckpointState {
///     model_checkpoint_path: names[1].clone(),
///     all_model_checkpoint_paths: names.to_vec(),
///     ..Default::default()
/// };
/// write(&folder, FILE_NAME, &state, true)?;
/// assert_eq!(all_checkpoints(&folder)?, [folder.join("model.ckpt-8")]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `DataLoss` if the `checkpoint` file cannot be understood; the code of the operating system's error.
pub fn all_checkpoints(folder: impl AsRef<Path>) -> Result<Vec<PathBuf>> {
    let Some(state) = read(folder.as_ref(), FILE_NAME)? else { return Ok(Vec::new()) };
    let paths = state.all_model_checkpoint_paths.into_iter().map(PathBuf::from);
    Ok(paths.filter(|prefix| checkpoint_exists(prefix)).collect())
}

/// Returns the state of a folder, with all paths made to include the folder; `None` if it has no file of that name.
///
/// ```
/// use tensorfleet_files::checkpoint_state::{FILE_NAME, read};
///
/// let folder = std::env::temp_dir().join(format!("read-state-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// assert_eq!(read(&folder, FILE_NAME)?, None);
/// std::fs::write(folder.join(FILE_NAME), "model_checkpoint_path: \"model-3\"")?;
/// let newest = read(&folder, FILE_NAME)?.unwrap().model_checkpoint_path;
/// assert_eq!(newest, folder.join("model-3").display().to_string());
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// As [`latest_checkpoint`].
pub fn read(folder: &Path, file_name: &str) -> Result<Option<CheckpointState>> {
    let path = folder.join(file_name);
    let file = match place::Reader::open(&path) {
        Ok(file) => file,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(atomic::at(&path, error)),
    };
    let fail = |error| atomic::at(&path, error);
    let size = file.size().map_err(fail)?;
    ensure!(size <= MAX_SIZE, DataLoss, "{} has {size} bytes, which is too large", path.display());
    let mut text = Vec::new();
    file.take(MAX_SIZE).read_to_end(&mut text).map_err(fail)?;
    let mut state = parse(&text).map_err(|status| status.context(path.display()))?;
    ensure!(!state.model_checkpoint_path.is_empty(), DataLoss, "{}: no model_checkpoint_path", path.display());
    let absolute = |path: &mut String| *path = folder.join(&*path).display().to_string();
    absolute(&mut state.model_checkpoint_path);
    state.all_model_checkpoint_paths.iter_mut().for_each(absolute);
    Ok(Some(state))
}

/// Replaces the state of a folder. The newest path is added to the kept ones if it is not the last of them. Paths within
/// the folder are written relative to it if `relative` is set or the folder's path itself is relative.
///
/// ```
/// use tensorfleet_files::checkpoint_state::{CheckpointState, FILE_NAME, read, write};
///
/// let folder = std::env::temp_dir().join(format!("checkpoint-state-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let state = CheckpointState { model_checkpoint_path: "model.ckpt-7".to_owned(), ..Default::default() };
/// write(&folder, FILE_NAME, &state, true)?;
/// let state = read(&folder, FILE_NAME)?.unwrap();
/// assert_eq!(state.all_model_checkpoint_paths, [folder.join("model.ckpt-7").display().to_string()]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if there are timestamps, but not one for each path; the code of the operating system's error.
pub fn write(folder: &Path, file_name: &str, state: &CheckpointState, relative: bool) -> Result<()> {
    let mut state = state.clone();
    if state.all_model_checkpoint_paths.last() != Some(&state.model_checkpoint_path) {
        state.all_model_checkpoint_paths.push(state.model_checkpoint_path.clone());
    }
    let (paths, times) = (state.all_model_checkpoint_paths.len(), state.all_model_checkpoint_timestamps.len());
    ensure!(times == 0 || times == paths, InvalidArgument, "{times} timestamps were given for {paths} checkpoints");
    if relative || folder.is_relative() {
        let shorten = |path: &mut String| {
            if let Ok(rest) = Path::new(&*path).strip_prefix(folder) {
                *path = rest.display().to_string();
            }
        };
        shorten(&mut state.model_checkpoint_path);
        state.all_model_checkpoint_paths.iter_mut().for_each(shorten);
    }
    atomic::write_file(&folder.join(file_name), format(&state).as_bytes())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::bundle::index_path;
    use crate::testing::TempDir;

    #[test]
    fn latest_is_what_still_exists() {
        let dir = TempDir::new();
        assert_eq!(latest_checkpoint(dir.path()).unwrap(), None);
        let prefix = dir.path().join("model.ckpt-7");
        let state = CheckpointState { model_checkpoint_path: prefix.display().to_string(), ..Default::default() };
        write(dir.path(), FILE_NAME, &state, true).unwrap();
        let text = fs::read_to_string(dir.path().join(FILE_NAME)).unwrap();
        assert_eq!(text, "model_checkpoint_path: \"model.ckpt-7\"\nall_model_checkpoint_paths: \"model.ckpt-7\"\n");
        assert_eq!(latest_checkpoint(dir.path()).unwrap(), None, "its index does not exist");
        fs::write(index_path(&prefix), "").unwrap();
        assert_eq!(latest_checkpoint(dir.path()).unwrap(), Some(prefix));
    }
}
