//! The newest checkpoint that is whole: a damaged one does not end training, for there is one before it as a rule.

use std::path::{Path, PathBuf};

use files::{all_checkpoints, latest_checkpoint};
use tensor::{Code, Result, ensure, err};

/// What [`restore_newest`] found in a folder.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{RestoredCheckpoint, restore_newest};
/// # let folder = std::env::temp_dir().join(format!("restored-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let (saver, session) = (Saver::new(&g), LocalSession::new(&g)?);
/// session.eval(w.initializer())?;
/// let older = saver.save(&session, folder.join("model.ckpt"), Some(1))?;
/// let newer = saver.save(&session, folder.join("model.ckpt"), Some(2))?;
/// std::fs::write(format!("{}.index", newer.display()), "damaged")?;
/// let found = restore_newest(&folder, |prefix| saver.restore(&session, prefix))?;
/// assert_eq!(found, Some(RestoredCheckpoint { prefix: older.clone(), kept: vec![newer, older] }));
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RestoredCheckpoint {
    /// The checkpoint that was restored.
    pub prefix: PathBuf,
    /// All that are there, in the order in which they shall leave: the damaged ones, then the oldest.
    pub kept: Vec<PathBuf>,
}

/// Restores the newest checkpoint of a folder that is whole, by a function that restores one by its prefix; returns `None` if
/// the folder has had none. A checkpoint whose restoring fails with `DataLoss` is damaged, and the one before it is tried.
///
/// # Errors
/// `DataLoss` if all are damaged, naming them; `NotFound` if the folder names checkpoints of which none exists; what restoring
/// failed with otherwise.
pub fn restore_newest(folder: &Path, restore: impl FnMut(&Path) -> Result<()>) -> Result<Option<RestoredCheckpoint>> {
    let all = all_checkpoints(folder)?;
    let newest = match latest_checkpoint(folder)? {
        Some(newest) => newest,
        None => match all.last() {
            Some(older) => older.clone(),
            None => {
                ensure!(
                    !files::place::is_file(&folder.join(files::checkpoint_state::FILE_NAME)),
                    NotFound,
                    "{} names checkpoints, but none of them exists; remove it to begin anew",
                    folder.join(files::checkpoint_state::FILE_NAME).display()
                );
                return Ok(None);
            }
        },
    };
    crate::saver::sweep(folder);
    let (prefix, damaged) = restore_newest_whole(restore, newest, &all)?;
    let whole = all.into_iter().filter(|prefix| !damaged.contains(prefix));
    Ok(Some(RestoredCheckpoint { prefix, kept: damaged.iter().cloned().chain(whole).collect() }))
}

/// Restores the newest checkpoint that is whole; returns it, and those that turned out to be damaged.
fn restore_newest_whole(
    mut restore: impl FnMut(&Path) -> Result<()>,
    newest: PathBuf,
    all: &[PathBuf],
) -> Result<(PathBuf, Vec<PathBuf>)> {
    let older = all.iter().rev().filter(|prefix| **prefix != newest).cloned().collect::<Vec<_>>();
    let (mut damaged, mut first) = (Vec::new(), None);
    for prefix in std::iter::once(newest).chain(older) {
        tracing::info!(prefix = %prefix.display(), "restoring the newest checkpoint");
        match restore(&prefix) {
            Ok(()) => return Ok((prefix, damaged)),
            Err(status) if status.code() == Code::DataLoss => {
                tracing::error!(prefix = %prefix.display(), %status, "a checkpoint is damaged; trying the one before it");
                first.get_or_insert(status);
                damaged.push(prefix);
            }
            Err(status) => return Err(status),
        }
    }
    let names: Vec<String> = damaged.iter().map(|prefix| prefix.display().to_string()).collect();
    let first = first.as_ref().map_or("", |status| status.message());
    Err(err!(DataLoss, "all checkpoints are damaged ({}): {first}", names.join(", ")))
}
