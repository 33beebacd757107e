//! `tensorfleet doctor`: each task of a cluster as this machine sees it, with a verdict and what to do.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use clap::Args;
use serde_json::json;
use tensor::Result;
use wire::operator::StatusRequest;

use super::between::{self, Between};
use super::model::reason;
use super::table::{Look, Table, colours, painted};
use super::{Answer, ClusterFlags, Task, ensure_tasks, with_all, words};
use crate::output;

#[derive(Args)]
pub struct DoctorCommand {
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Also look whether this folder can be written, and how much room there is.
    #[arg(long)]
    logdir: Option<PathBuf>,
    /// Measure the way between so many pairs of tasks at most, spread over all of them; 0 measures none.
    #[arg(long, default_value_t = 16)]
    pairs: usize,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

/// Clocks that differ by more make times of several tasks hard to compare.
const CLOCK: f64 = 1.0;
/// With less memory free a task may be ended by the system at any time.
const LITTLE_MEMORY: u64 = 256 << 20;
/// With less room a checkpoint may not fit.
const LITTLE_ROOM: u64 = 1 << 30;
/// A certificate that ends sooner should be renewed now.
const SOON: i64 = 14 * 86_400;
/// So many bytes travel there and back to see how fast.
const PAYLOAD: usize = 4 << 20;

/// What was found out about a task.
struct Finding {
    task: String,
    address: String,
    resolved: Option<SocketAddr>,
    /// What answers there.
    kind: String,
    version: String,
    /// Seconds that its clock is ahead of ours.
    clock: Option<f64>,
    round_trip: Option<Duration>,
    /// Bytes a second, there and back.
    bandwidth: Option<f64>,
    memory: Option<u64>,
    /// The second since 1970 until which its certificate holds.
    tls_until: Option<i64>,
    look: Look,
    /// What is wrong, and what to do about it.
    verdict: String,
}

impl DoctorCommand {
    /// Returns whether nothing is wrong.
    pub fn run(self) -> Result<bool> {
        let tasks = self.cluster.tasks()?;
        ensure_tasks(&tasks)?;
        let limit = self.cluster.limit();
        let findings = with_all(&tasks, |task| examine(task, limit));
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
}

fn examine(task: &Task, limit: Duration) -> Finding {
    let mut finding = Finding {
        task: task.name.clone(),
        address: task.address.clone(),
        resolved: None,
        kind: "-".to_owned(),
        version: "-".to_owned(),
        clock: None,
        round_trip: None,
        bandwidth: None,
        memory: None,
        tls_until: None,
        look: Look::Bad,
        verdict: String::new(),
    };
    finding.verdict = match judge(task, limit, &mut finding) {
        Ok(()) if finding.verdict.is_empty() => {
            finding.look = Look::Good;
            "well".to_owned()
        }
        Ok(()) => finding.verdict.clone(),
        Err(what) => what,
    };
    finding
}

/// Finds out what can be; the error is what keeps a task from being used, with what to do about it.
fn judge(task: &Task, limit: Duration, finding: &mut Finding) -> std::result::Result<(), String> {
    let resolved: Vec<SocketAddr> = task
        .address
        .to_socket_addrs()
        .map_err(|error| {
            format!("the name does not resolve ({error}): check DNS, /etc/hosts or the cluster's description")
        })?
        .collect();
    finding.resolved = resolved.first().copied();
    let connects = resolved.iter().map(|address| TcpStream::connect_timeout(address, limit));
    let refused = connects.map(|connected| connected.err()).reduce(|one, other| one.and(other)).flatten();
    if let Some(error) = refused {
        return Err(match error.kind() {
            std::io::ErrorKind::ConnectionRefused => {
                "refuses connections: is the task started, with this address?".to_owned()
            }
            std::io::ErrorKind::TimedOut => {
                "does not accept connections in time: is the host up, and the port open in its firewall?".to_owned()
            }
            _ => format!("cannot be connected ({error}): check the network between the hosts"),
        });
    }
    let status = match task.ask(StatusRequest::default(), limit) {
        Answer::Ours(status) => status,
        Answer::Foreign(name) => {
            finding.kind = "TensorFlow's server".to_owned();
            finding.look = Look::Doubtful;
            if name != task.name {
                return Err(wrong_task(&name));
            }
            finding.verdict = "works, but tells nothing of itself: not a task of tensorfleet".to_owned();
            return Ok(());
        }
        Answer::Gone(status) if status.code() == tensor::Code::DeadlineExceeded => {
            return Err("accepts connections but does not answer: is the process stopped, or its machine overloaded?"
                .to_owned());
        }
        Answer::Gone(status)
            if matches!(status.code(), tensor::Code::Unauthenticated | tensor::Code::PermissionDenied) =>
        {
            return Err(format!("does not let this operator in ({}): check token and certificates", reason(&status)));
        }
        Answer::Gone(status) => {
            return Err(format!(
                "is no server of TensorFlow's protocol ({}): another program has the port",
                reason(&status)
            ));
        }
    };
    finding.kind = "tensorfleet".to_owned();
    finding.version = status.version.clone();
    finding.memory = status.memory.map(|memory| memory.available);
    finding.tls_until = (status.tls_until_unix != 0).then_some(status.tls_until_unix);
    if words::task(&status.task) != task.name {
        return Err(wrong_task(&words::task(&status.task)));
    }
    measure(task, limit, finding);
    doubt(&status, finding);
    Ok(())
}

fn wrong_task(name: &str) -> String {
    format!("is {name}: the cluster descriptions differ, start all tasks with the same one")
}

/// Measures the way there: the quickest of some round trips, and what the clock said in the middle of it.
fn measure(task: &Task, limit: Duration, finding: &mut Finding) {
    for _ in 0..5 {
        let (before, sent) = (unix_seconds(), Instant::now());
        let Ok(echo) = task.operator.echo(Vec::new(), 0, limit) else { return };
        let took = sent.elapsed();
        if finding.round_trip.is_none_or(|quickest| took < quickest) {
            finding.round_trip = Some(took);
            finding.clock = Some(echo.unix_nanos as f64 / 1e9 - (before + took.as_secs_f64() / 2.0));
        }
    }
    let sent = Instant::now();
    if task.operator.echo(vec![0; PAYLOAD], PAYLOAD as u64, limit * 4).is_ok() {
        finding.bandwidth = Some(2.0 * PAYLOAD as f64 / sent.elapsed().as_secs_f64().max(1e-9));
    }
}

/// What is not well although the task works.
fn doubt(status: &wire::operator::StatusResponse, finding: &mut Finding) {
    let own = env!("CARGO_PKG_VERSION");
    let doubts = [
        status.draining.then(|| "is being drained: it begins no more steps".to_owned()),
        (status.version != own)
            .then(|| format!("is version {}, this is {own}: run the same everywhere", status.version)),
        finding
            .clock
            .filter(|clock| clock.abs() > CLOCK)
            .map(|clock| format!("its clock is {clock:+.1} s off: synchronize it (NTP)")),
        finding.tls_until.filter(|until| until - (unix_seconds() as i64) < SOON).map(|until| {
            format!("its certificate holds until {} only: make a new one (`tensorfleet certs`)", words::day(until))
        }),
        finding.memory.filter(|free| *free < LITTLE_MEMORY).map(|free| {
            format!("only {} of memory are free: raise its limit, or add parameter servers", words::bytes(free))
        }),
    ];
    finding.verdict = doubts.into_iter().flatten().collect::<Vec<_>>().join("; ");
    if !finding.verdict.is_empty() {
        finding.look = Look::Doubtful;
    }
}

fn unix_seconds() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |since| since.as_secs_f64())
}

/// Whether files can be written in a folder, and how much room there is.
fn examine_folder(folder: &Path) -> (Look, String) {
    let shown = folder.display();
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
