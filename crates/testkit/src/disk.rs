//! A disk whose power fails: what was not synced may be there afterwards or not, in any mixture.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use files::disk::Act;

/// What is in a file: bytes that are certain, or nothing that is.
type Contents = Option<Vec<u8>>;

/// A disk after the power has failed.
#[derive(Default)]
pub struct Disk {
    files: Vec<Contents>,
    /// Names that are certain.
    names: BTreeMap<PathBuf, usize>,
    /// Names as the process sees them.
    seen: BTreeMap<PathBuf, usize>,
    /// Changes of names that are not certain yet: of what name, to what file or none, and beside it the other name.
    pending: Vec<Vec<(PathBuf, Option<usize>)>>,
}

impl Disk {
    /// Does what was done.
    pub fn act(&mut self, act: &Act) {
        match act {
            Act::Created(path) => {
                self.files.push(None);
                self.change(vec![(path.clone(), Some(self.files.len() - 1))]);
            }
            Act::Synced(path, bytes) => {
                if let Some(file) = self.seen.get(path) {
                    self.files[*file] = Some(bytes.clone());
                }
            }
            Act::Renamed(from, to) => {
                let file = self.seen.get(from).copied();
                self.change(vec![(from.clone(), None), (to.clone(), file)]);
            }
            Act::Removed(path) => self.change(vec![(path.clone(), None)]),
            Act::FolderSynced(folder) => {
                let (certain, pending) =
                    std::mem::take(&mut self.pending).into_iter().partition(|change: &Vec<(PathBuf, _)>| {
                        change.iter().any(|(path, _)| path.parent() == Some(folder))
                    });
                self.pending = pending;
                let certain: Vec<Vec<(PathBuf, Option<usize>)>> = certain;
                certain.into_iter().for_each(|change| apply(&mut self.names, change));
            }
        }
    }

    fn change(&mut self, change: Vec<(PathBuf, Option<usize>)>) {
        apply(&mut self.seen, change.clone());
        self.pending.push(change);
    }

    /// What is found after the power has come back: of each change that was not certain, chance decides.
    pub fn after(mut self, random: &mut dyn FnMut() -> u64) -> BTreeMap<PathBuf, Vec<u8>> {
        for change in std::mem::take(&mut self.pending) {
            if random().is_multiple_of(2) {
                apply(&mut self.names, change);
            }
        }
        let mut garbage = || (0..random() % 200).map(|_| random() as u8).collect();
        let files = self.files;
        let found = self.names.into_iter();
        found.map(|(path, file)| (path, files[file].clone().unwrap_or_else(&mut garbage))).collect()
    }
}

fn apply(names: &mut BTreeMap<PathBuf, usize>, change: Vec<(PathBuf, Option<usize>)>) {
    for (path, file) in change {
        match file {
            Some(file) => drop(names.insert(path, file)),
            None => drop(names.remove(&path)),
        }
    }
}

/// Empties a folder and puts these files into it.
///
/// # Panics
/// If the real disk fails.
pub fn put_files(folder: &Path, found: &BTreeMap<PathBuf, Vec<u8>>) {
    let _ = std::fs::remove_dir_all(folder);
    std::fs::create_dir_all(folder).expect("a folder");
    for (path, bytes) in found {
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(path, bytes).expect("a disk");
    }
}
