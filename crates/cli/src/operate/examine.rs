//! What is found out about a task of a cluster, as this machine sees it.

use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use wire::operator::StatusRequest;

use super::model::reason;
use super::table::Look;
use super::{Answer, Task, words};

/// Clocks that differ by more make times of several tasks hard to compare.
const CLOCK: f64 = 1.0;
/// With less memory free a task may be ended by the system at any time.
const LITTLE_MEMORY: u64 = 256 << 20;
/// A certificate that ends sooner should be renewed now.
const SOON: i64 = 14 * 86_400;
/// So many bytes travel there and back to see how fast.
const PAYLOAD: usize = 4 << 20;

/// What was found out about a task.
pub struct Finding {
    pub task: String,
    pub address: String,
    pub resolved: Option<SocketAddr>,
    /// What answers there.
    pub kind: String,
    pub version: String,
    /// Seconds that its clock is ahead of ours.
    pub clock: Option<f64>,
    pub round_trip: Option<Duration>,
    /// Bytes a second, there and back.
    pub bandwidth: Option<f64>,
    pub memory: Option<u64>,
    /// The second since 1970 until which its certificate holds.
    pub tls_until: Option<i64>,
    pub look: Look,
    /// What is wrong, and what to do about it.
    pub verdict: String,
    /// Whether what is wrong may be over by itself, as for a task that is about to start.
    pub may_pass: bool,
}

/// Examines a task.
pub fn examine(task: &Task, limit: Duration) -> Finding {
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
        may_pass: true,
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
    let answer = task.ask(StatusRequest::default(), limit);
    // Who has answered will say the same again.
    finding.may_pass = matches!(
        &answer,
        Answer::Gone(status) if matches!(status.code(), tensor::Code::DeadlineExceeded | tensor::Code::Unavailable)
    );
    let status = match answer {
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
    // None where the task itself cannot tell.
    finding.memory = status.memory.map(|memory| memory.available).filter(|free| *free > 0);
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
