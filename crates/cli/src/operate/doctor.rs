//! `tensorfleet doctor`: each task of a cluster as this machine sees it, with a verdict and what to do.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use clap::Args;
use files::atomic::write_file;
use files::place;
use serde_json::json;
use tensor::{Code, Result};

use super::between::{self, Between};
use super::examine::{Finding, examine};
use super::model::reason;
use super::table::{Look, Table, colours, painted};
use super::{ClusterFlags, Task, ensure_tasks, seconds, with_all, words};
use crate::output;

#[derive(Args)]
pub struct DoctorCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Wait so many seconds for tasks that are not there yet.
    #[arg(long, default_value_t = 0.0, value_parser = seconds, value_name = "SECONDS")]
    wait: f64,
    /// Also look whether this folder, here or in a store, can be written, and how much room there is.
    #[arg(long)]
    logdir: Option<PathBuf>,
    /// Measure the way between so many pairs of tasks at most, spread over all of them; 0 measures none.
    #[arg(long, default_value_t = 16)]
    pairs: usize,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// With less room a checkpoint may not fit.
const LITTLE_ROOM: u64 = 1 << 30;
/// Tasks that are waited for are looked at again after this time.
const PAUSE: Duration = Duration::from_millis(250);

impl DoctorCommand {
    /// Returns whether nothing is wrong.
    pub fn run(self) -> Result<bool> {
        let limit = self.cluster.limit();
        let (tasks, findings) = self.examined(limit)?;
        // Those that can be used at all; one after the other, so that they do not share the way.
        let usable = tasks.iter().zip(&findings).filter(|(_, finding)| finding.look != Look::Bad);
        let usable: Vec<&Task> = usable.map(|(task, _)| task).collect();
        let between = between::measure(&usable, self.pairs, &self.cluster.security()?, limit);
        let room = self.logdir.as_deref().map(examine_folder);
        let bad = findings.iter().filter(|finding| finding.look == Look::Bad).count();
        let apart = between.pairs.iter().filter(|pair| pair.rate.is_err()).count();
        let well = bad + apart == 0 && room.as_ref().is_none_or(|(look, _)| *look != Look::Bad);
        if self.json {
            output::line(to_json(&findings, &between, room.as_ref(), well));
            return Ok(well);
        }
        output::text(table(&findings).text(colours()));
        output::text(between.text(colours()));
        if let Some((look, text)) = &room {
            output::line(painted(text, *look, colours()));
        }
        let verdict = match (bad, well) {
            (0, true) => painted(&format!("all {} tasks are well", findings.len()), Look::Good, colours()),
            (0, false) if apart > 0 => {
                painted(&format!("all tasks are well, but {apart} pairs do not reach each other"), Look::Bad, colours())
            }
            (0, false) => painted("all tasks are well, the log folder is not", Look::Bad, colours()),
            _ => painted(&format!("{bad} of {} tasks need attention", findings.len()), Look::Bad, colours()),
        };
        output::line(verdict);
        Ok(well)
    }

    /// The tasks and what is found out about each, once all are there or nobody waits any longer.
    fn examined(&self, limit: Duration) -> Result<(Vec<Task>, Vec<Finding>)> {
        let deadline = Instant::now() + Duration::from_secs_f64(self.wait);
        let tasks = loop {
            match self.cluster.tasks() {
                // The one that tells where the others are may not be there yet either.
                Err(status) if matches!(status.code(), Code::Unavailable | Code::DeadlineExceeded) => {
                    if Instant::now() >= deadline {
                        return Err(status);
                    }
                    std::thread::sleep(PAUSE);
                }
                tasks => break tasks?,
            }
        };
        ensure_tasks(&tasks)?;
        let mut findings = with_all(&tasks, |task| examine(task, limit));
        loop {
            let missing = |finding: &Finding| finding.look == Look::Bad && finding.may_pass;
            let places: Vec<usize> = (0..tasks.len()).filter(|place| missing(&findings[*place])).collect();
            if places.is_empty() || Instant::now() >= deadline {
                return Ok((tasks, findings));
            }
            std::thread::sleep(PAUSE);
            let again: Vec<Task> = places.iter().map(|place| tasks[*place].clone()).collect();
            for (place, finding) in places.into_iter().zip(with_all(&again, |task| examine(task, limit))) {
                findings[place] = finding;
            }
        }
    }
}

/// Whether files can be written in a folder, and how much room there is.
fn examine_folder(folder: &Path) -> (Look, String) {
    let shown = folder.display();
    if place::is_url(folder) {
        let probe = folder.join(format!(".tensorfleet-doctor-{}", std::process::id()));
        let written = write_file(&probe, b"probe").and_then(|()| Ok(place::remove_file(&probe)?));
        return match written {
            Ok(()) => (Look::Good, format!("{shown} can be written")),
            Err(status) => (
                Look::Bad,
                format!(
                    "{shown} cannot be written ({}): check its name, and the store's variables in the environment",
                    reason(&status)
                ),
            ),
        };
    }
    if let Err(error) = std::fs::create_dir_all(folder) {
        return (Look::Bad, format!("{shown} cannot be made ({error}): choose another --logdir"));
    }
    let probe = folder.join(format!(".tensorfleet-doctor-{}", std::process::id()));
    let written = std::fs::write(&probe, b"probe");
    let _ = std::fs::remove_file(&probe);
    if let Err(error) = written {
        return (Look::Bad, format!("{shown} cannot be written ({error}): check its owner and its disk"));
    }
    match rustix::fs::statvfs(folder) {
        Ok(disk) => {
            let free = disk.f_bavail.saturating_mul(disk.f_frsize);
            let little = free < LITTLE_ROOM;
            let hint = if little { ": make room, or checkpoints will fail" } else { "" };
            let look = if little { Look::Bad } else { Look::Good };
            (look, format!("{shown} can be written, {} are free{hint}", words::bytes(free)))
        }
        Err(error) => {
            (Look::Doubtful, format!("{shown} can be written; how much room there is is not known ({error})"))
        }
    }
}

fn table(findings: &[Finding]) -> Table {
    let mut table = Table::new(&[
        "TASK",
        "ADDRESS",
        "RESOLVES TO",
        "IS",
        "VERSION",
        "CLOCK",
        "ROUND TRIP",
        "BANDWIDTH",
        "FREE MEMORY",
        "TLS UNTIL",
        "VERDICT",
    ]);
    for finding in findings {
        let or_dash = |text: Option<String>| (text.unwrap_or_else(|| "-".to_owned()), Look::Plain);
        table.looking([
            (finding.task.clone(), Look::Plain),
            (finding.address.clone(), Look::Plain),
            or_dash(finding.resolved.map(|address| address.ip().to_string())),
            (finding.kind.clone(), Look::Plain),
            (finding.version.clone(), Look::Plain),
            or_dash(finding.clock.map(|clock| format!("{:+.1} ms", clock * 1e3))),
            or_dash(finding.round_trip.map(|took| format!("{:.2} ms", took.as_secs_f64() * 1e3))),
            or_dash(finding.bandwidth.map(|rate| format!("{}/s", words::bytes(rate as u64)))),
            or_dash(finding.memory.map(words::bytes)),
            or_dash(finding.tls_until.map(words::day)),
            (finding.verdict.clone(), finding.look),
        ]);
    }
    table
}

fn to_json(findings: &[Finding], between: &Between, room: Option<&(Look, String)>, well: bool) -> serde_json::Value {
    let tasks = findings.iter().map(|finding| {
        json!({
            "task": finding.task,
            "address": finding.address,
            "resolved": finding.resolved.map(|address| address.to_string()),
            "is": finding.kind,
            "version": finding.version,
            "clock_seconds": finding.clock,
            "round_trip_seconds": finding.round_trip.map(|took| took.as_secs_f64()),
            "bytes_per_second": finding.bandwidth,
            "memory_available": finding.memory,
            "tls_valid_until": finding.tls_until,
            "ok": finding.look != Look::Bad,
            "verdict": finding.verdict,
        })
    });
    json!({
        "ok": well,
        "tasks": tasks.collect::<Vec<_>>(),
        "between": between.to_json(),
        "pairs": between.all,
        "pairs_measured": between.pairs.len(),
        "logdir": room.map(|(_, text)| text),
    })
}
