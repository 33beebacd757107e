//! A folder of runs: every folder in it that has event files is one.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use files::place;
use serde_json::{Value, json};
use tensor::{Result, ensure, err};

use super::run_events::RunEvents;

/// Folders are looked through so deep, and no more of them than so many.
const DEEPEST: usize = 8;
const MOST_FOLDERS: usize = 5000;
const MOST_RUNS: usize = 200;
/// Between two readings of files so much time passes.
const OFTEN: Duration = Duration::from_millis(900);
/// A reading goes on with the next one after so many bytes.
const AT_ONCE: u64 = 64 << 20;
/// So many tags are drawn in one answer.
const MOST_TAGS_AT_ONCE: usize = 60;
/// A histogram is drawn with so many buckets.
const BUCKETS: usize = 48;

pub struct EventFolder {
    root: Option<PathBuf>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    runs: BTreeMap<String, RunEvents>,
    read: Option<Instant>,
    /// Whether the last reading stopped before the end.
    more: bool,
}

impl EventFolder {
    pub fn new(root: Option<PathBuf>) -> EventFolder {
        EventFolder { root, state: Mutex::default() }
    }

    pub fn root(&self) -> Option<&Path> {
        self.root.as_deref()
    }

    /// The folder.
    ///
    /// # Errors
    /// `FailedPrecondition` if none is watched.
    pub fn folder(&self) -> Result<&Path> {
        self.root().ok_or_else(|| {
            err!(
                FailedPrecondition,
                "no folder is watched: start with `tensorfleet dashboard LOGDIR`, or serve with --logdir"
            )
        })
    }

    /// What the files say, read on if that is due.
    fn read(&self) -> Result<MutexGuard<'_, State>> {
        let root = self.folder()?;
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.more || state.read.is_none_or(|read| read.elapsed() >= OFTEN) {
            state.read_on(root);
            state.read = Some(Instant::now());
        }
        Ok(state)
    }

    /// The runs with their tags.
    ///
    /// # Errors
    /// As [`folder`](EventFolder::folder).
    pub fn runs(&self) -> Result<Value> {
        let root = self.folder()?.display().to_string();
        let state = self.read()?;
        let runs = state.runs.iter().map(|(name, run)| {
            let damaged = run.damaged().into_iter().map(|(file, why)| json!({"file": file, "why": why}));
            json!({
                "run": name, "events": run.events, "last_wall": run.last_wall,
                "scalars": run.scalars.keys().collect::<Vec<_>>(), "histograms": run.histograms.keys().collect::<Vec<_>>(),
                "graph": run.graph.is_some(), "damaged": damaged.collect::<Vec<_>>(),
            })
        });
        let runs: Vec<Value> = runs.collect();
        Ok(json!({"folder": root, "exists": place::exists(self.folder()?), "runs": runs, "loading": state.more}))
    }

    /// The curves of some tags, of all runs.
    ///
    /// # Errors
    /// As [`folder`](EventFolder::folder); `InvalidArgument` if there are too many.
    pub fn scalars(&self, tags: &[String]) -> Result<Value> {
        ensure!(
            tags.len() <= MOST_TAGS_AT_ONCE,
            InvalidArgument,
            "{} tags are asked for at once; {MOST_TAGS_AT_ONCE} are told",
            tags.len()
        );
        let state = self.read()?;
        let of_tag = |tag: &String| {
            let runs = state.runs.iter().filter_map(|(name, run)| {
                let mut curve = run.scalars.get(tag)?.to_json();
                curve["run"] = json!(name);
                Some(curve)
            });
            json!({"tag": tag, "runs": runs.collect::<Vec<_>>()})
        };
        Ok(json!({"tags": tags.iter().map(of_tag).collect::<Vec<_>>(), "loading": state.more}))
    }

    /// The histograms of a tag in a run, all over the same range.
    ///
    /// # Errors
    /// As [`folder`](EventFolder::folder); `NotFound` if there is no such run or tag.
    pub fn histograms(&self, run: &str, tag: &str) -> Result<Value> {
        let state = self.read()?;
        let all = state.runs.get(run).and_then(|run| run.histograms.get(tag));
        let all = all.ok_or_else(|| err!(NotFound, "run '{run}' has no histograms '{tag}'"))?;
        let least = all.iter().map(|counts| counts.least).fold(f64::INFINITY, f64::min);
        let most = all.iter().map(|counts| counts.most()).fold(f64::NEG_INFINITY, f64::max);
        let steps = all.iter().map(|counts| {
            json!({"step": counts.step, "wall": counts.wall, "counts": counts.in_buckets(least, most, BUCKETS),
                "least": counts.least, "most": counts.most()})
        });
        Ok(json!({"run": run, "tag": tag, "least": least, "most": most, "steps": steps.collect::<Vec<_>>()}))
    }

    /// The names of runs that have a graph.
    ///
    /// # Errors
    /// As [`folder`](EventFolder::folder).
    pub fn graphs(&self) -> Result<Vec<String>> {
        let state = self.read()?;
        Ok(state.runs.iter().filter(|(_, run)| run.graph.is_some()).map(|(name, _)| name.clone()).collect())
    }

    /// The graph of a run, serialized, and whether it is in a meta graph.
    ///
    /// # Errors
    /// As [`folder`](EventFolder::folder); `NotFound` if there is none.
    pub fn graph(&self, run: &str) -> Result<(Bytes, bool)> {
        let state = self.read()?;
        let graph = state.runs.get(run).and_then(|run| run.graph.clone());
        graph.ok_or_else(|| err!(NotFound, "run '{run}' has no graph in its event files"))
    }
}

impl State {
    fn read_on(&mut self, root: &Path) {
        let mut left = AT_ONCE;
        for file in event_files(root) {
            let folder = file.parent().unwrap_or(root);
            let name = folder.strip_prefix(root).unwrap_or(folder).to_string_lossy().into_owned();
            let name = if name.is_empty() { ".".to_owned() } else { name };
            if !self.runs.contains_key(&name) && self.runs.len() >= MOST_RUNS {
                continue;
            }
            let read = self.runs.entry(name).or_default().read_on(&file, left);
            left = left.saturating_sub(read);
            if left == 0 {
                break;
            }
        }
        self.more = left == 0;
    }
}

/// All event files below a folder, by path: those of one run in the order in which they were begun.
fn event_files(root: &Path) -> Vec<PathBuf> {
    let (mut found, mut folders, mut seen) = (Vec::new(), vec![(root.to_owned(), 0)], 0);
    while let Some((folder, depth)) = folders.pop() {
        seen += 1;
        let Ok(entries) = place::read_folder(&folder) else { continue };
        for place::Entry { path, name, is_folder, .. } in entries {
            if is_folder {
                // A link may lead back to where it is.
                if path.is_symlink() {
                    continue;
                }
                if depth < DEEPEST && seen + folders.len() < MOST_FOLDERS {
                    folders.push((path, depth + 1));
                }
            } else if name.to_string_lossy().contains(".tfevents.") && (place::is_url(&path) || path.is_file()) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
