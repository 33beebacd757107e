//! Letters about collectives, to tasks that are found first if nobody has spoken with them yet.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use runtime::{ClusterSpec, CollectiveHub, CollectiveLetter, CollectivePost, MixedExchange};
use tensor::{Result, Status, err};

use super::{MixedGroups, Peers};
use crate::call::TaskName;

/// Carries letters over links.
pub(crate) struct LetterPost {
    peers: Arc<Peers>,
    network: tokio::runtime::Handle,
    /// How long a task may take to come up.
    start_up: Duration,
    shared: Arc<Shared>,
    mixed: Arc<MixedGroups>,
}

#[derive(Default)]
struct Shared {
    /// Letters to tasks that are being looked for.
    waiting: Mutex<HashMap<TaskName, Vec<CollectiveLetter>>>,
    hub: OnceLock<Weak<CollectiveHub>>,
}

impl LetterPost {
    /// Returns the collectives of a task whose letters this carries.
    pub fn hub(
        peers: &Arc<Peers>,
        network: tokio::runtime::Handle,
        devices: Vec<wire::DeviceAttributes>,
        start_up: Duration,
    ) -> (Arc<CollectiveHub>, Arc<MixedGroups>) {
        let (shared, leader): (Arc<Shared>, _) = (Arc::default(), leader(peers));
        let mixed = Arc::new(MixedGroups::new(peers, network.clone(), leader.clone(), devices, start_up));
        let post = LetterPost { peers: peers.clone(), network, start_up, shared: shared.clone(), mixed: mixed.clone() };
        let hub = CollectiveHub::new(peers.own().as_str(), leader.as_str(), post);
        let _ = shared.hub.set(Arc::downgrade(&hub));
        mixed.set_hub(&hub);
        (hub, mixed)
    }
}

/// Returns the task at which groups gather: the chief if there is one, else the first worker, else the first of the own job.
fn leader(peers: &Peers) -> TaskName {
    let cluster: &ClusterSpec = peers.cluster();
    let own = peers.own().parse().ok().and_then(|own| own.job).unwrap_or_default();
    let job = ["chief", "worker"].into_iter().find(|job| cluster.num_tasks(job) > 0).unwrap_or(&own);
    let first = cluster.tasks().filter(|(of, _)| *of == job).map(|(_, task)| task).min();
    TaskName::new(job, first.unwrap_or(0))
}

impl CollectivePost for LetterPost {
    fn post(&self, task: &str, letter: CollectiveLetter) {
        let task = TaskName::from(task.to_owned());
        let remote = match self.peers.get(&task) {
            Ok(remote) => remote.clone(),
            Err(status) => return self.shared.lost(&self.network, task, status),
        };
        {
            let mut waiting = self.shared.waiting.lock();
            if let Some(letters) = waiting.get_mut(&task) {
                return letters.push(letter);
            }
            if !remote.is_linked() {
                waiting.insert(task.clone(), vec![letter]);
                drop(waiting);
                return self.find(task);
            }
        }
        if let Err(status) = remote.post_letter(letter) {
            self.shared.lost(&self.network, task, status);
        }
    }

    fn exchange(&self, exchange: MixedExchange) {
        self.mixed.start(exchange);
    }
}

impl LetterPost {
    /// Finds a task, and then sends what waits for it.
    fn find(&self, task: TaskName) {
        let (peers, shared, deadline) = (self.peers.clone(), self.shared.clone(), Instant::now() + self.start_up);
        let network = self.network.clone();
        self.network.spawn(async move {
            let found = found(&peers, &task, deadline).await;
            loop {
                let letters = {
                    let mut waiting = shared.waiting.lock();
                    match waiting.get_mut(&task) {
                        Some(letters) if !letters.is_empty() && found.is_ok() => std::mem::take(letters),
                        // From now on letters go straight to the task, or look for it again.
                        _ => {
                            waiting.remove(&task);
                            break;
                        }
                    }
                };
                let linked = peers.get(&task).is_ok_and(|remote| remote.is_linked());
                for letter in letters {
                    if !linked {
                        shared.gather_elsewhere(&letter);
                    } else if let Ok(remote) = peers.get(&task)
                        && let Err(status) = remote.post_letter(letter)
                    {
                        tracing::debug!(%task, %status, "a letter was not sent");
                    }
                }
            }
            if let Err(status) = found {
                shared.lost(&network, task, status);
            }
        });
    }
}

async fn found(peers: &Peers, task: &TaskName, deadline: Instant) -> Result<()> {
    if peers.described_by_client().is_some() {
        return Err(err!(Unimplemented, "collectives between tasks of a cluster that a client describes"));
    }
    peers.find(std::slice::from_ref(task), deadline).await?;
    Ok(())
}

impl Shared {
    /// What cannot be told over a link is told over TensorFlow's calls: groups gather there, and then know each other.
    fn gather_elsewhere(&self, letter: &CollectiveLetter) {
        if let (CollectiveLetter::Join { group, .. }, Some(hub)) = (letter, self.hub.get().and_then(Weak::upgrade)) {
            hub.turn_mixed(*group);
        }
    }

    /// Tells the collectives that a task is out of reach; not on this thread, which may be in the middle of something.
    fn lost(self: &Arc<Self>, network: &tokio::runtime::Handle, task: TaskName, status: Status) {
        let hub = self.hub.get().cloned();
        network.spawn(async move {
            if let Some(hub) = hub.and_then(|hub| hub.upgrade()) {
                hub.lost(task.as_str(), &status);
            }
        });
    }
}
