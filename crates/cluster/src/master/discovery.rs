//! Finding the devices of other tasks, within bounds and with a verdict for each task that does not answer.

use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::DeviceName;
use tensor::{Code, Result, Status, err};
use wire::services::worker as path;

use crate::rpc::Peer;
use crate::worker::MARKER;

/// How long tasks may take to come up, for clusters that are started by hand.
pub(super) const START_UP: Duration = Duration::from_secs(300);
const LOG_EVERY: Duration = Duration::from_secs(10);

/// Asks a task for its devices until it answers.
///
/// # Errors
/// `Unavailable`, with the last reason, after the deadline; `FailedPrecondition` at once if another task answers there.
pub(super) async fn devices_of(peer: &Arc<Peer>, deadline: Instant) -> Result<Vec<wire::DeviceAttributes>> {
    let (begin, mut logged, mut pause) = (Instant::now(), Instant::now(), Duration::from_millis(20));
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let asked = tokio::time::timeout(
            left.min(Duration::from_secs(10)),
            peer.call(path::GET_STATUS, wire::GetStatusRequest::default()),
        );
        let verdict: Status = match asked.await {
            Ok(Ok(answer)) => return check(peer, answer),
            Ok(Err(status)) if status.code() != Code::Unavailable => return Err(not_a_task(peer, &status)),
            Ok(Err(status)) => status,
            Err(_) => err!(Unavailable, "{} accepts connections but does not answer", peer.name()),
        };
        if Instant::now() >= deadline {
            let waited = begin.elapsed().as_secs();
            return Err(err!(Unavailable, "waited {waited} s for {}: {}", peer.name(), verdict.message()));
        }
        if logged.elapsed() >= LOG_EVERY {
            logged = Instant::now();
            tracing::warn!(task = peer.name(), verdict = verdict.message(), "still waiting");
        }
        tokio::time::sleep(pause.min(deadline.saturating_duration_since(Instant::now()))).await;
        pause = (pause * 2).min(Duration::from_secs(1));
    }
}

fn check(peer: &Peer, answer: wire::GetStatusResponse) -> Result<Vec<wire::DeviceAttributes>> {
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

fn not_a_task(peer: &Peer, status: &Status) -> Status {
    err!(
        FailedPrecondition,
        "what answers at the address of {} is not a TensorFlow or tensorfleet server: {status}",
        peer.name()
    )
}
