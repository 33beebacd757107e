//! `ckpt ls`: the checkpoints of a folder.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::Args;
use files::{CheckpointReader, all_checkpoints, latest_checkpoint, place};
use serde_json::json;
use tensor::{Result, Status, ensure};

use super::text;
use crate::output;

#[derive(Args)]
pub struct List {
    /// The folder.
    #[arg(default_value = ".")]
    folder: PathBuf,
    /// Print JSON instead of a table.
    #[arg(long)]
    json: bool,
}

/// What there is to say of a checkpoint.
struct Found {
    prefix: PathBuf,
    step: Option<u64>,
    newest: bool,
    kept: bool,
    saved: Option<SystemTime>,
    state: Result<State>,
}

struct State {
    format: &'static str,
    tensors: usize,
    bytes: u64,
}

impl List {
    pub fn run(self) -> Result<()> {
        let mut found = find(&self.folder)?;
        found.sort_by_key(|one| (one.saved, one.step));
        if self.json {
            let all: Vec<_> = found.iter().map(as_json).collect();
            output::line(serde_json::to_string_pretty(&all).unwrap_or_default());
            return Ok(());
        }
        let head = ["checkpoint", "step", "format", "tensors", "size", "age", ""].map(str::to_owned).to_vec();
        let rows: Vec<Vec<String>> = std::iter::once(head).chain(found.iter().map(row)).collect();
        output::text(text::table(&rows));
        Ok(())
    }
}

/// The checkpoints of a folder, as `--json` tells them, oldest first.
pub fn listed(folder: &Path) -> Result<Vec<serde_json::Value>> {
    let mut found = find(folder)?;
    found.sort_by_key(|one| (one.saved, one.step));
    Ok(found.iter().map(as_json).collect())
}

fn find(folder: &Path) -> Result<Vec<Found>> {
    let at = |error: std::io::Error| Status::from(error).context(folder.display());
    ensure!(place::is_url(folder) || folder.is_dir(), NotFound, "there is no folder {}", folder.display());
    // A state that cannot be read hides no checkpoint.
    let newest = latest_checkpoint(folder).unwrap_or_default();
    let kept = all_checkpoints(folder).unwrap_or_default();
    let mut prefixes: BTreeSet<PathBuf> = kept.iter().cloned().collect();
    for entry in place::read_folder(folder).map_err(at)? {
        if let Some(stem) = entry.name.to_str().and_then(|name| name.strip_suffix(".index")) {
            prefixes.insert(folder.join(stem));
        }
    }
    Ok(prefixes.into_iter().map(|prefix| describe(prefix, newest.as_deref(), &kept)).collect())
}

fn describe(prefix: PathBuf, newest: Option<&Path>, kept: &[PathBuf]) -> Found {
    let step = prefix.to_string_lossy().rsplit_once('-').and_then(|(_, step)| step.parse().ok());
    let mut saved = None;
    let state = CheckpointReader::open(&prefix).and_then(|reader| {
        let mut bytes = 0;
        for file in reader.files() {
            let metadata = place::metadata(&file).map_err(|error| Status::from(error).context(file.display()))?;
            bytes += metadata.size;
            saved = saved.max(metadata.modified);
        }
        let format = if matches!(reader, CheckpointReader::V1(_)) { "V1" } else { "V2" };
        Ok(State { format, tensors: reader.entries()?.len(), bytes })
    });
    Found { newest: newest == Some(&prefix), kept: kept.contains(&prefix), prefix, step, saved, state }
}

fn row(one: &Found) -> Vec<String> {
    let name = one.prefix.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let step = one.step.map_or_else(|| "-".to_owned(), |step| step.to_string());
    let age = one.saved.and_then(|saved| saved.elapsed().ok()).map_or_else(|| "-".to_owned(), age);
    let note = if one.newest {
        "newest"
    } else if one.kept {
        ""
    } else {
        "not named by the file `checkpoint`"
    };
    match &one.state {
        Ok(state) => {
            let (tensors, size) = (state.tensors.to_string(), text::size(state.bytes));
            vec![name, step, state.format.to_owned(), tensors, size, age, note.to_owned()]
        }
        Err(status) => {
            let dash = || "-".to_owned();
            vec![name, step, dash(), dash(), dash(), age, format!("damaged: {}", status.message())]
        }
    }
}

fn as_json(one: &Found) -> serde_json::Value {
    let saved = one.saved.and_then(|saved| saved.duration_since(SystemTime::UNIX_EPOCH).ok());
    let mut value = json!({
        "checkpoint": one.prefix,
        "step": one.step,
        "newest": one.newest,
        "kept": one.kept,
        "saved": saved.map(|saved| saved.as_secs()),
    });
    match &one.state {
        Ok(state) => {
            value["format"] = json!(state.format);
            value["tensors"] = json!(state.tensors);
            value["bytes"] = json!(state.bytes);
        }
        Err(status) => value["damaged"] = json!(status.message()),
    }
    value
}

fn age(age: Duration) -> String {
    match age.as_secs() {
        seconds @ 0..120 => format!("{seconds} s"),
        seconds @ 120..7200 => format!("{} min", seconds / 60),
        seconds @ 7200..172_800 => format!("{} h", seconds / 3600),
        seconds => format!("{} d", seconds / 86_400),
    }
}
