//! What saves that were killed leave behind: files under temporary names, and folders of parts that were never joined.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use crate::place;

/// Removes the litter of saves from a folder of checkpoints, if nothing in it has changed for so long: younger files may
/// belong to a save that is under way. Returns what was removed; what cannot be removed stays, which harms nobody.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet_files::sweep_litter;
///
/// let folder = std::env::temp_dir().join(format!("sweep-litter-{}", std::process::id()));
/// std::fs::create_dir_all(&folder)?;
/// let litter = folder.join("model.ckpt-7.index.tempstate123");
/// std::fs::write(&litter, "half an ind")?;
/// assert!(sweep_litter(&folder, Duration::from_secs(3600)).is_empty()); // a save may be writing it
/// assert_eq!(sweep_litter(&folder, Duration::ZERO), [litter]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub fn sweep_litter(folder: impl AsRef<Path>, age: Duration) -> Vec<PathBuf> {
    let mut removed = Vec::new();
    // A store never shows what is not whole.
    if place::is_url(folder.as_ref()) {
        return removed;
    }
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let Ok(kind) = entry.file_type() else { continue };
        let path = entry.path();
        let gone = if kind.is_file() && is_temporary(name) {
            is_old(&path, age) && fs::remove_file(&path).is_ok()
        } else if kind.is_dir() && is_parts(name) {
            only_old_parts(&path, age) && fs::remove_dir_all(&path).is_ok()
        } else {
            false
        };
        if gone {
            removed.push(path);
        }
    }
    removed.sort();
    removed
}

/// `model.ckpt-7.index.tempstate1234`
fn is_temporary(name: &str) -> bool {
    let number = name.rsplit_once(".tempstate").map(|(_, number)| number);
    number.is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}

/// `model.ckpt-7_temp` and `model.ckpt-7_temp_0123456789abcdef`
fn is_parts(name: &str) -> bool {
    let rest = name.rsplit_once("_temp").map(|(_, rest)| rest);
    rest.is_some_and(|rest| {
        rest.is_empty() || rest.strip_prefix('_').is_some_and(|id| id.bytes().all(|byte| byte.is_ascii_hexdigit()))
    })
}

/// Whether a folder holds files of checkpoints only, none of them young.
fn only_old_parts(folder: &Path, age: Duration) -> bool {
    let Ok(entries) = fs::read_dir(folder) else { return false };
    is_old(folder, age)
        && entries.flatten().all(|entry| {
            let name = entry.file_name();
            let name = name.to_string_lossy();
            let part = name.ends_with(".index") || name.contains(".data-") || is_temporary(&name);
            part && entry.file_type().is_ok_and(|kind| kind.is_file()) && is_old(&entry.path(), age)
        })
}

fn is_old(path: &Path, age: Duration) -> bool {
    let changed = fs::symlink_metadata(path).and_then(|metadata| metadata.modified());
    changed.is_ok_and(|changed| SystemTime::now().duration_since(changed).is_ok_and(|since| since >= age))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::TempDir;

    #[test]
    fn only_litter_is_swept_and_only_when_it_is_old() {
        let dir = TempDir::new();
        let at = |name: &str| dir.path().join(name);
        for folder in ["model.ckpt-7_temp_0123abcd", "model.ckpt-8_temp_0123abcd", "my_temp", "my_temp_files"] {
            fs::create_dir(at(folder)).unwrap();
        }
        let stays =
            ["checkpoint", "model.ckpt-6.index", "model.ckpt-6.data-00000-of-00001", "a.tempstate", "notes.tempstatex"];
        let goes = ["model.ckpt-7.index.tempstate17", "model.ckpt-7_temp_0123abcd/part-00000-of-00002.index"];
        for name in stays.iter().chain(&goes).chain(&["model.ckpt-8_temp_0123abcd/precious", "my_temp/notes.txt"]) {
            fs::write(at(name), "x").unwrap();
        }
        assert!(sweep_litter(dir.path(), Duration::from_secs(600)).is_empty());
        let removed = sweep_litter(dir.path(), Duration::ZERO);
        assert_eq!(removed, [at("model.ckpt-7.index.tempstate17"), at("model.ckpt-7_temp_0123abcd")]);
        for name in stays.iter().chain(&["model.ckpt-8_temp_0123abcd/precious", "my_temp/notes.txt", "my_temp_files"]) {
            assert!(at(name).exists(), "{name}");
        }
    }
}
