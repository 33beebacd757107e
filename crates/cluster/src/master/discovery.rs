//! Finding the tasks of a session and their devices, within bounds and with a verdict for each task that does not answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{DeviceName, GraphData};
use tensor::{Code, Result, Status, err};
use wire::services::worker as path;

use super::session::MasterSession;
use super::task::Task;
use crate::peers::{Peers, tasks_of};
use crate::rpc::{Peer, foreign_answer};
use crate::worker::MARKER;

/// How long a task that was reached may take to say who it is.
const ANSWER: Duration = Duration::from_secs(10);
const LOG_EVERY: Duration = Duration::from_secs(10);
/// For so long after giving up on a task, whoever asks for it again gets the same verdict after a single try, because
/// clients repeat calls that fail with `Unavailable` without being asked to.
const VERDICT_HOLDS: Duration = Duration::from_secs(60);

impl MasterSession {
    /// Contacts the tasks that nodes name and that were not contacted before.
    pub(super) async fn contact(&self, graph: &GraphData) -> Result<()> {
        let mut wanted: Vec<String> = Vec::new();
        let mut seen: Vec<&str> = Vec::new();
        for node in graph.nodes() {
            if seen.contains(&node.device.as_str()) {
                continue;
            }
            seen.push(&node.device);
            let constraint = node.device_name()?;
            // A node that may be on this task will be; others go to the first task that fits.
            let all = std::iter::once(self.peers.own()).chain(self.peers.names());
            let fitting = tasks_of(&constraint, all);
            if let Some(first) = fitting.first().filter(|_| !fitting.contains(&self.peers.own())) {
                wanted.push((*first).to_owned());
            }
        }
        wanted.sort();
        wanted.dedup();
        wanted.retain(|name| !self.tasks.read().contains_key(name) && passes(&self.device_filters, name));
        let deadline = Instant::now() + self.operation_timeout.unwrap_or(self.start_up).min(self.start_up);
        for (name, devices) in find(&self.peers, &wanted, deadline).await? {
            let task = Task::Other(self.peers.get(&name)?.clone());
            task.create_session(&self.handle, self.isolate, &self.peers, self.client_incarnation).await?;
            let mut set = self.devices.write();
            for device in devices {
                set.add(device.name.parse()?, device.incarnation);
            }
            self.tasks.write().insert(name, task);
        }
        Ok(())
    }
}

/// Whether a task may take part, by a session's filters; none means all.
pub(super) fn passes(filters: &[DeviceName], task: &str) -> bool {
    let Ok(task) = task.parse::<DeviceName>() else { return false };
    filters.is_empty() || filters.iter().any(|filter| filter.task_name().matches(&task))
}

type Found = Vec<(String, Vec<wire::DeviceAttributes>)>;

/// The devices of these tasks, all asked at once.
///
/// # Errors
/// The verdicts on all tasks that do not answer, with the code of the first.
pub(super) async fn find(peers: &Arc<Peers>, names: &[String], deadline: Instant) -> Result<Found> {
    let mut calls = tokio::task::JoinSet::new();
    for (index, name) in names.iter().enumerate() {
        let (peer, by_client) = (peers.get(name)?.clone(), peers.described_by_client().is_some());
        calls.spawn(async move { (index, devices_of(&peer, by_client, deadline).await) });
    }
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
async fn devices_of(peer: &Arc<Peer>, by_client: bool, deadline: Instant) -> Result<Vec<wire::DeviceAttributes>> {
    tokio::select! {
        biased;
        found = ask_for_devices(peer, by_client, deadline) => found,
        answer = foreign_answer(peer.address()) => Err(not_a_task(peer, &format!("it says \"{answer}\""))),
    }
}

async fn ask_for_devices(peer: &Arc<Peer>, by_client: bool, deadline: Instant) -> Result<Vec<wire::DeviceAttributes>> {
    let (begin, mut logged, mut pause) = (Instant::now(), Instant::now(), Duration::from_millis(20));
    let known = peer.verdict.lock().clone().filter(|(when, _)| when.elapsed() < VERDICT_HOLDS);
    let mut last: Option<Status> = None;
    loop {
        let limit = deadline.saturating_duration_since(Instant::now()).min(ANSWER);
        let asked = tokio::time::timeout(limit, peer.call_once(path::GET_STATUS, wire::GetStatusRequest::default()));
        let verdict: Status = match asked.await {
            Ok(Ok(answer)) => {
                *peer.verdict.lock() = None;
                return check(peer, by_client, answer);
            }
            Ok(Err(status)) if status.code() != Code::Unavailable => return Err(not_a_task(peer, &status.to_string())),
            Ok(Err(status)) => status,
            // A last try that the deadline cut short says less than the one before.
            Err(_) => last.filter(|_| limit < ANSWER / 2).unwrap_or_else(|| {
                let (name, address) = (peer.name(), peer.address());
                err!(Unavailable, "{name} at {address} accepts connections but does not answer")
            }),
        };
        if let Some((_, status)) = known {
            return Err(status);
        }
        if Instant::now() >= deadline {
            let waited = begin.elapsed().as_secs();
            let status = err!(Unavailable, "waited {waited} s for {}: {}", peer.name(), verdict.message());
            *peer.verdict.lock() = Some((Instant::now(), status.clone()));
            return Err(status);
        }
        if logged.elapsed() >= LOG_EVERY {
            logged = Instant::now();
            tracing::warn!(task = peer.name(), verdict = verdict.message(), "still waiting");
        }
        last = Some(verdict);
        tokio::time::sleep(pause.min(deadline.saturating_duration_since(Instant::now()))).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

/// Makes sure that the right task answered. In a client's own cluster tasks have other names than they were started with.
fn check(peer: &Peer, by_client: bool, answer: wire::GetStatusResponse) -> Result<Vec<wire::DeviceAttributes>> {
    if by_client {
        return renamed(answer.device_attributes, peer.name());
    }
    let wanted: DeviceName = peer.name().parse()?;
    for device in &answer.device_attributes {
        let name: DeviceName = device.name.parse()?;
        if !wanted.matches(&name) {
            return Err(err!(
                FailedPrecondition,
                "at the address of {} answers {}: the cluster descriptions of the tasks differ",
                peer.name(),
                name.task_name()
            ));
        }
        if device.physical_device_desc == MARKER {
            peer.set_ours();
        }
    }
    Ok(answer.device_attributes)
}

/// The devices, as devices of this task.
pub(super) fn renamed(mut devices: Vec<wire::DeviceAttributes>, task: &str) -> Result<Vec<wire::DeviceAttributes>> {
    let task: DeviceName = task.parse()?;
    for device in &mut devices {
        let name: DeviceName = device.name.parse()?;
        device.name = DeviceName { kind: name.kind, index: name.index, ..task.clone() }.to_string();
    }
    Ok(devices)
}

fn not_a_task(peer: &Peer, reason: &str) -> Status {
    err!(
        FailedPrecondition,
        "what answers at {}, the address of {}, is not a TensorFlow or tensorfleet server: {reason}",
        peer.address(),
        peer.name()
    )
}
