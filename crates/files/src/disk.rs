//! What changes files and folders, in one place, so that a test can see it in order and let the power fail in between.

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use parking_lot::{Mutex, MutexGuard};

use crate::place::{checked, store_of};

/// Something that was done to a disk.
#[derive(Clone, Debug)]
pub enum Act {
    /// A file came to be. What is in it is not certain before it is synced.
    Created(PathBuf),
    /// All of a file's bytes are on the disk, whatever its name is.
    Synced(PathBuf, Vec<u8>),
    /// A file got another name.
    Renamed(PathBuf, PathBuf),
    /// A file is gone.
    Removed(PathBuf),
    /// The names in a folder are on the disk.
    FolderSynced(PathBuf),
}

static RECORDING: AtomicBool = AtomicBool::new(false);
static ACTS: Mutex<(PathBuf, Vec<Act>)> = Mutex::new((PathBuf::new(), Vec::new()));
/// Held by whoever records.
static ALONE: Mutex<()> = Mutex::new(());

/// Lists what is done below a folder, by all threads, as long as it lives. For tests: nothing is really synced meanwhile.
pub struct Recording(#[allow(dead_code)] MutexGuard<'static, ()>);

impl Recording {
    /// Begins; waits for another recording to end.
    pub fn begin(below: &Path) -> Recording {
        let alone = ALONE.lock();
        *ACTS.lock() = (below.to_owned(), Vec::new());
        RECORDING.store(true, Ordering::SeqCst);
        Recording(alone)
    }

    /// Returns what was done so far.
    pub fn acts(&self) -> Vec<Act> {
        ACTS.lock().1.clone()
    }
}

impl Drop for Recording {
    fn drop(&mut self) {
        RECORDING.store(false, Ordering::SeqCst);
    }
}

/// Notes an act if somebody wants to know; returns whether that is so.
fn note(path: &Path, act: impl FnOnce() -> Act) -> bool {
    if !RECORDING.load(Ordering::Relaxed) {
        return false;
    }
    let mut acts = ACTS.lock();
    let wanted = path.starts_with(&acts.0);
    if wanted {
        acts.1.push(act());
    }
    wanted
}

/// Creates a file that must not be there yet.
pub(crate) fn create_new(path: &Path) -> io::Result<File> {
    let file = File::create_new(path)?;
    note(path, || Act::Created(path.to_owned()));
    Ok(file)
}

/// Makes the bytes of a file durable.
pub(crate) fn sync(path: &Path, file: &File) -> io::Result<()> {
    if note(path, || Act::Synced(path.to_owned(), fs::read(path).unwrap_or_default())) {
        return Ok(());
    }
    file.sync_all()
}

/// Gives a file another name.
pub(crate) fn rename(from: &Path, to: &Path) -> io::Result<()> {
    if let (Some((store, from)), Some(to)) = (store_of(from)?, to.to_str()) {
        return checked(store.rename(from, to));
    }
    fs::rename(from, to)?;
    note(to, || Act::Renamed(from.to_owned(), to.to_owned()));
    Ok(())
}

/// Removes a file.
///
/// # Errors
/// The operating system's, or the store's.
pub fn remove_file(path: &Path) -> io::Result<()> {
    if let Some((store, url)) = store_of(path)? {
        return checked(store.remove(url));
    }
    fs::remove_file(path)?;
    note(path, || Act::Removed(path.to_owned()));
    Ok(())
}

/// Makes the names in a folder durable.
pub(crate) fn sync_folder(folder: &Path) -> io::Result<()> {
    if note(folder, || Act::FolderSynced(folder.to_owned())) {
        return Ok(());
    }
    File::open(folder)?.sync_all()
}
