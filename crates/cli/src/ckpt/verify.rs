//! `ckpt verify`: whether a checkpoint can be restored.

use std::path::PathBuf;
use std::process::ExitCode;

use clap::Args;
use serde_json::json;
use tensor::{DType, Result};

use super::progress::Progress;
use super::{open, text};
use crate::output;

#[derive(Args)]
pub struct Verify {
    /// The checkpoint, or its folder.
    checkpoint: PathBuf,
    /// Print JSON instead of lines.
    #[arg(long)]
    json: bool,
}

impl Verify {
    pub fn run(self) -> Result<ExitCode> {
        let reader = open(&self.checkpoint)?;
        let entries = reader.entries()?;
        let bytes = entries.iter().map(text::bytes_of).sum();
        let progress = Progress::new("reading", bytes);
        let mut damaged = Vec::new();
        for entry in &entries {
            let read = match entry.dtype {
                DType::String => reader.lookup(&entry.name).map(drop),
                _ => reader.read_in_pieces(&entry.name, |piece| {
                    progress.add(piece.len());
                    Ok(())
                }),
            };
            if let Err(status) = read {
                damaged.push((&entry.name, status));
            }
        }
        drop(progress);
        if self.json {
            let damaged: Vec<_> =
                damaged.iter().map(|(name, status)| json!({"name": name, "error": status.message()})).collect();
            let value = json!({"tensors": entries.len(), "bytes": bytes, "damaged": damaged});
            output::line(serde_json::to_string_pretty(&value).unwrap_or_default());
        } else {
            for (name, status) in &damaged {
                output::line(format_args!("damaged: {name}: {}", status.message()));
            }
            let verdict = match damaged.len() {
                0 => "all checksums match".to_owned(),
                count => format!("{count} damaged"),
            };
            output::line(format_args!("{} tensors, {}: {verdict}", entries.len(), text::size(bytes)));
        }
        Ok(if damaged.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
    }
}
