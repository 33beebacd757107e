//! `ckpt diff`: what two checkpoints do not have in common.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::mpsc::sync_channel;

use clap::Args;
use files::CheckpointReader;
use files::bundle::BundleEntry;
use serde_json::json;
use tensor::{DType, Result, err};

use super::progress::Progress;
use super::{open, text};
use crate::output;

/// How many pieces of one side wait for the other.
const AHEAD: usize = 4;

#[derive(Args)]
pub struct Diff {
    /// A checkpoint, or its folder.
    left: PathBuf,
    /// The other one.
    right: PathBuf,
    /// Numbers that are no further apart count as equal.
    #[arg(long, default_value_t = 0.0)]
    tolerance: f64,
    /// Print JSON instead of lines.
    #[arg(long)]
    json: bool,
}

/// How a tensor differs.
enum Difference {
    OnlyLeft,
    OnlyRight,
    Kind(String, String),
    Values { count: u64, largest: Option<f64> },
}

impl Diff {
    pub fn run(self) -> Result<ExitCode> {
        match self.differences() {
            Ok(differences) => {
                self.print(&differences);
                Ok(if differences.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(1) })
            }
            Err(status) => {
                output::error_line(format_args!("tensorfleet: {status}"));
                Ok(ExitCode::from(2))
            }
        }
    }

    fn differences(&self) -> Result<Vec<(String, Difference)>> {
        let (left, right) = (open(&self.left)?, open(&self.right)?);
        let by_name = |reader: &CheckpointReader| -> Result<BTreeMap<String, BundleEntry>> {
            Ok(reader.entries()?.into_iter().map(|entry| (entry.name.clone(), entry)).collect())
        };
        let (ours, mut theirs) = (by_name(&left)?, by_name(&right)?);
        let progress = Progress::new("comparing", ours.values().map(text::bytes_of).sum());
        let mut differences = Vec::new();
        for (name, entry) in ours {
            let Some(other) = theirs.remove(&name) else {
                differences.push((name, Difference::OnlyLeft));
                continue;
            };
            let kind = |entry: &BundleEntry| format!("{} {}", entry.dtype, entry.shape);
            if kind(&entry) != kind(&other) {
                differences.push((name, Difference::Kind(kind(&entry), kind(&other))));
                continue;
            }
            let (count, largest) = self.compare(&left, &right, &entry, &progress)?;
            if count > 0 {
                differences.push((name, Difference::Values { count, largest }));
            }
        }
        differences.extend(theirs.into_keys().map(|name| (name, Difference::OnlyRight)));
        Ok(differences)
    }

    /// How many elements differ, and by how much at most.
    fn compare(
        &self,
        left: &CheckpointReader,
        right: &CheckpointReader,
        entry: &BundleEntry,
        progress: &Progress,
    ) -> Result<(u64, Option<f64>)> {
        if entry.dtype == DType::String {
            let (left, right) = (left.lookup(&entry.name)?, right.lookup(&entry.name)?);
            let pairs = left.strings()?.iter().zip(right.strings()?);
            return Ok((pairs.filter(|(left, right)| left != right).count() as u64, None));
        }
        let mut found = Found { tolerance: self.tolerance, ..Found::default() };
        std::thread::scope(|scope| {
            let (send, receive) = sync_channel::<Vec<u8>>(AHEAD);
            let other = scope.spawn(move || {
                right.read_in_pieces(&entry.name, |piece| {
                    // Whoever compares has met an error, which is the one to report.
                    send.send(piece.to_vec()).map_err(|_| err!(Cancelled, "the comparison has ended"))
                })
            });
            let mut waiting = Vec::new();
            let compared = left.read_in_pieces(&entry.name, |piece| {
                while waiting.len() < piece.len() {
                    match receive.recv() {
                        Ok(more) => waiting.extend_from_slice(&more),
                        Err(_) => return Err(err!(DataLoss, "{} ends early", entry.name)),
                    }
                }
                found.add(entry.dtype, piece, &waiting[..piece.len()]);
                waiting.drain(..piece.len());
                progress.add(piece.len());
                Ok(())
            });
            drop(receive);
            let read = other.join().map_err(|_| err!(Internal, "reading {} ended in a panic", entry.name))?;
            match (compared, read) {
                (compared, Err(status)) if status.code() != tensor::Code::Cancelled => compared.and(Err(status)),
                (compared, _) => compared,
            }
        })?;
        Ok((found.count, (found.count > 0).then_some(found.largest)))
    }

    fn print(&self, differences: &[(String, Difference)]) {
        if self.json {
            let all: Vec<_> = differences.iter().map(as_json).collect();
            output::line(serde_json::to_string_pretty(&all).unwrap_or_default());
            return;
        }
        for (name, difference) in differences {
            match difference {
                Difference::OnlyLeft => output::line(format_args!("- {name}")),
                Difference::OnlyRight => output::line(format_args!("+ {name}")),
                Difference::Kind(left, right) => output::line(format_args!("! {name}  {left} | {right}")),
                Difference::Values { count, largest: None } => output::line(format_args!("~ {name}  {count} differ")),
                Difference::Values { count, largest: Some(largest) } => {
                    output::line(format_args!("~ {name}  {count} differ, by at most {largest}"));
                }
            }
        }
    }
}

fn as_json((name, difference): &(String, Difference)) -> serde_json::Value {
    match difference {
        Difference::OnlyLeft => json!({"name": name, "only": "left"}),
        Difference::OnlyRight => json!({"name": name, "only": "right"}),
        Difference::Kind(left, right) => json!({"name": name, "left": left, "right": right}),
        Difference::Values { count, largest } => json!({"name": name, "differ": count, "largest": largest}),
    }
}

#[derive(Default)]
struct Found {
    tolerance: f64,
    count: u64,
    largest: f64,
}

impl Found {
    fn add(&mut self, dtype: DType, left: &[u8], right: &[u8]) {
        if left == right {
            return;
        }
        let (Some(left), Some(right)) = (text::numbers(dtype, left), text::numbers(dtype, right)) else {
            self.count += 1;
            return;
        };
        for (left, right) in left.iter().zip(&right) {
            let apart = (left - right).abs();
            // Two that are both no number are alike; one that is and one that is not are infinitely far apart.
            let apart = match (left.is_nan(), right.is_nan()) {
                (true, true) => 0.0,
                (false, false) if left == right => 0.0,
                (false, false) => apart,
                _ => f64::INFINITY,
            };
            if apart > self.tolerance {
                self.count += 1;
                self.largest = self.largest.max(apart);
            }
        }
    }
}
