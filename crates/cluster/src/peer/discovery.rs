//! Finding tasks and their devices, within bounds and with a verdict for each task that does not answer.

use std::time::{Duration, Instant};

use graph::DeviceName;
use tensor::{Code, Result, Status, ensure, err};

use super::grpc::foreign_answer;
use super::{Peers, Remote};
use crate::call::TaskName;

/// How long a task that was reached may take to say who it is.
const ANSWER: Duration = Duration::from_secs(10);
/// How often waiting for a task is logged.
const LOG_EVERY: Duration = Duration::from_secs(10);
/// For so long after giving up on a task, whoever asks for it again gets the same verdict after a single try, because
/// clients repeat calls that fail with `Unavailable` without being asked to.
const VERDICT_HOLDS: Duration = Duration::from_secs(60);

/// The tasks that answered, with their devices.
type Found = Vec<(TaskName, Vec<wire::DeviceAttributes>)>;

impl Peers {
    /// Returns the devices of these tasks, which are all asked at once.
    ///
    /// # Errors
    /// The verdicts on all tasks that do not answer, with the code of the first.
    pub async fn find(&self, names: &[TaskName], deadline: Instant) -> Result<Found> {
        let mut calls = tokio::task::JoinSet::new();
        for (index, name) in names.iter().enumerate() {
            let (name, remote) = (name.clone(), self.get(name)?.clone());
            let by_client = self.described_by_client().is_some();
            calls.spawn(async move { (index, devices_of(&name, &remote, by_client, deadline).await) });
        }
        gather(calls, names).await
    }
}

type Asked = tokio::task::JoinSet<(usize, Result<Vec<wire::DeviceAttributes>>)>;

async fn gather(mut calls: Asked, names: &[TaskName]) -> Result<Found> {
    let (mut found, mut verdicts): (Found, Vec<(usize, Status)>) = (Vec::new(), Vec::new());
    while let Some(joined) = calls.join_next().await {
        match joined {
            Ok((index, Ok(devices))) => found.push((names[index].clone(), devices)),
            Ok((index, Err(status))) => {
                // Another task at an address will not become the right one by waiting for the others.
                let hopeless = status.code() != Code::Unavailable;
                verdicts.push((index, status));
                if hopeless {
                    break;
                }
            }
            Err(error) => return Err(err!(Internal, "looking for a task broke off: {error}")),
        }
    }
    verdicts.sort_by_key(|(index, status)| (status.code() == Code::Unavailable, *index));
    let Some((_, first)) = verdicts.first() else {
        found.sort_by(|(one, _), (other, _)| one.cmp(other));
        return Ok(found);
    };
    let all: Vec<&str> = verdicts.iter().map(|(_, status)| status.message()).collect();
    Err(Status::new(first.code(), all.join("\n")))
}

/// Asks a task for its devices until it answers.
///
/// # Errors
/// `Unavailable`, with the last reason, after the deadline; `FailedPrecondition` at once if another task answers there.
async fn devices_of(
    name: &TaskName,
    remote: &Remote,
    by_client: bool,
    deadline: Instant,
) -> Result<Vec<wire::DeviceAttributes>> {
    tokio::select! {
        biased;
        found = ask_for_devices(name, remote, by_client, deadline) => found,
        answer = foreign_answer(remote.address()) => Err(not_a_task(remote, &answer)),
    }
}

async fn ask_for_devices(
    name: &TaskName,
    remote: &Remote,
    by_client: bool,
    deadline: Instant,
) -> Result<Vec<wire::DeviceAttributes>> {
    let (begin, mut logged, mut pause) = (Instant::now(), Instant::now(), Duration::from_millis(20));
    let known = remote.verdict.lock().clone().filter(|(when, _)| when.elapsed() < VERDICT_HOLDS);
    let mut last: Option<Status> = None;
    loop {
        let limit = deadline.saturating_duration_since(Instant::now()).min(ANSWER);
        let verdict: Status = match tokio::time::timeout(limit, remote.grpc().devices()).await {
            Ok(Ok(devices)) => {
                *remote.verdict.lock() = None;
                return check(name, remote, by_client, devices);
            }
            Ok(Err(status)) if status.code() == Code::Unauthenticated => return Err(not_trusted(remote, &status)),
            Ok(Err(status)) if status.code() != Code::Unavailable => {
                return Err(not_a_task(remote, status.message()));
            }
            Ok(Err(status)) => status,
            // A last try that the deadline cut short says less than the one before.
            Err(_) => last.filter(|_| limit < ANSWER / 2).unwrap_or_else(|| {
                err!(Unavailable, "{name} at {} accepts connections but does not answer", remote.address())
            }),
        };
        if let Some((_, status)) = known {
            return Err(status);
        }
        if Instant::now() >= deadline {
            let waited = begin.elapsed().as_secs();
            let status = err!(Unavailable, "waited {waited} s for {name}: {}", verdict.message());
            *remote.verdict.lock() = Some((Instant::now(), status.clone()));
            return Err(status);
        }
        if logged.elapsed() >= LOG_EVERY {
            logged = Instant::now();
            tracing::warn!(task = %name, verdict = verdict.message(), "still waiting");
        }
        last = Some(verdict);
        tokio::time::sleep(pause.min(deadline.saturating_duration_since(Instant::now()))).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

/// Makes sure that the right task answered. In a client's own cluster tasks have other names than they were started with.
fn check(
    name: &TaskName,
    remote: &Remote,
    by_client: bool,
    devices: Vec<wire::DeviceAttributes>,
) -> Result<Vec<wire::DeviceAttributes>> {
    if by_client {
        return renamed(devices, name);
    }
    let wanted = name.parse()?;
    for device in &devices {
        let answers: DeviceName = device.name.parse()?;
        ensure!(
            wanted.matches(&answers),
            FailedPrecondition,
            "at the address of {name} answers {}: the cluster descriptions of the tasks differ",
            answers.task_name()
        );
    }
    remote.learn(&devices);
    Ok(devices)
}

/// Returns the devices, as devices of this task.
pub(crate) fn renamed(
    mut devices: Vec<wire::DeviceAttributes>,
    task: &TaskName,
) -> Result<Vec<wire::DeviceAttributes>> {
    let task = task.parse()?;
    for device in &mut devices {
        let name: DeviceName = device.name.parse()?;
        device.name = DeviceName { kind: name.kind, index: name.index, ..task.clone() }.to_string();
    }
    Ok(devices)
}

/// Tasks whose tokens or certificates differ.
fn not_trusted(remote: &Remote, status: &Status) -> Status {
    tracing::warn!(address = remote.address(), says = status.message(), "a task does not let this one in");
    err!(
        Unauthenticated,
        "{} at {} and this task do not trust each other: the same token, or certificates of one authority, are needed on all \
         tasks; the log of this task shows the reason",
        remote.name(),
        remote.address()
    )
}

/// What it says is for the log: a client who may choose the address must not read there through this task.
fn not_a_task(remote: &Remote, says: &str) -> Status {
    tracing::warn!(address = remote.address(), says, "not a server of TensorFlow or tensorfleet");
    err!(
        FailedPrecondition,
        "what answers at {}, the address of {}, is not a TensorFlow or tensorfleet server; the log of this task shows what it \
         says",
        remote.address(),
        remote.name()
    )
}
