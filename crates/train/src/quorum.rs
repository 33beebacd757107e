//! The quorum of synchronous training: whether enough workers are left to ever finish a step.
//!
//! A worker of ours that ends signs off in a queue beside the global step. The chief looks there, and at whether the other
//! workers' servers can be reached, every second. A worker takes the token of its last step along, so the chief puts another
//! one in its place; with too few workers left for a step, it closes the queue of tokens, and those who wait for one end with
//! `OutOfRange` instead of waiting for ever.

use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::{DeviceName, Operation, Output};
use runtime::{ClusterSpec, RunRequest, Session};
use tensor::{DType, PartialShape, Result, Tensor};

use crate::coordinator::Coordinator;
use crate::queue::Queue;
use crate::variable::Variable;

/// How often the chief looks.
const INTERVAL: Duration = Duration::from_secs(1);
/// How long a worker's server may take to answer: on a busy machine it waits for its turn.
const ANSWER: Duration = Duration::from_secs(3);
/// How long a step of the watch may take.
const LIMIT: Duration = Duration::from_secs(30);

/// Why a worker is gone.
const SIGNED_OFF: &str = "signed off";
const LOST: &str = "lost";

/// Nodes with which workers sign off and the chief keeps the quorum.
#[derive(Clone)]
pub(crate) struct Quorum {
    sign_off: Operation,
    signed_off: Output,
    next: Output,
    close: String,
    one_token: Option<Operation>,
    needed: usize,
    workers: Option<Workers>,
}

/// The servers of the workers, whose loss is noticed.
#[derive(Clone, Debug)]
struct Workers {
    addresses: BTreeMap<i64, String>,
    /// How long a worker may be away: it may come back.
    patience: Duration,
}

impl Quorum {
    /// Adds the nodes, in the scopes that the tokens' queue was made in. `needed` workers make a step.
    pub fn build(tokens: &Queue, local_step: &Variable, close: &str, needed: usize) -> Quorum {
        let graph = tokens.graph();
        let queue = Queue::of(&[DType::Int64]).shapes(&[PartialShape::scalar()]).name("sync_sign_off_q");
        let queue = queue.shared_name("sync_sign_off_q").fifo(graph);
        let task = local_step.device().parse::<DeviceName>().ok().and_then(|device| device.task).unwrap_or(0);
        let sign_off = queue.enqueue(&[graph.constant(Tensor::from(i64::from(task)))]);
        let (signed_off, next) = (queue.size(), queue.dequeue().swap_remove(0));
        Quorum { sign_off, signed_off, next, close: close.to_owned(), one_token: None, needed, workers: None }
    }

    /// With a node that puts one more token into the queue.
    pub fn one_token(mut self, operation: Operation) -> Quorum {
        self.one_token = Some(operation);
        self
    }

    /// Notices workers of this job, but for the chief's own task, that cannot be reached for so long.
    pub fn watch(&mut self, cluster: &ClusterSpec, job: &str, own_task: u32, patience: Duration) {
        let others = cluster.tasks().filter(|(known, task)| *known == job && *task != own_task);
        let address = |(job, task): (&str, u32)| Some((i64::from(task), cluster.address(job, task).ok()?.to_owned()));
        self.workers = Some(Workers { addresses: others.filter_map(address).collect(), patience });
    }

    /// A worker's last word. Nobody may be there to hear it.
    pub fn sign_off(&self, session: &dyn Session) {
        if let Err(status) = session.run(RunRequest::new().target(&self.sign_off).timeout(LIMIT)) {
            tracing::debug!(%status, "could not sign off");
        }
    }

    /// Starts the chief's watch over so many workers. Those who signed off before, in an earlier run, do not count.
    ///
    /// # Errors
    /// What the session failed with; `ResourceExhausted` if the system gives no more threads.
    pub fn start(&self, session: &Arc<dyn Session>, coord: &Coordinator, workers: usize) -> Result<()> {
        self.newly_signed_off(session)?;
        let (quorum, session, coordinator) = (self.clone(), session.clone(), coord.clone());
        coord.spawn("SyncReplicasQuorum", move || {
            let mut away = BTreeMap::new();
            let mut gone = BTreeMap::new();
            while !coordinator.wait_for_stop(INTERVAL) {
                // A session that is lost is noticed by those who train with it.
                let Ok(signed_off) = quorum.newly_signed_off(&session) else { continue };
                let mut leaving: Vec<(i64, &str)> = signed_off.into_iter().map(|task| (task, SIGNED_OFF)).collect();
                if let Some(watched) = &quorum.workers {
                    leaving.extend(watched.lost(&mut away).into_iter().map(|task| (task, LOST)));
                    gone.retain(|task, why| {
                        let back = *why == LOST && !away.contains_key(task);
                        if back {
                            tracing::warn!(task, "a worker of the synchronous training is back");
                        }
                        !back
                    });
                }
                for (task, why) in leaving {
                    if gone.contains_key(&task) {
                        continue;
                    }
                    gone.insert(task, why);
                    let (left, needed) = (workers.saturating_sub(gone.len()), quorum.needed);
                    tracing::warn!(task, why, left, needed, "a worker of the synchronous training is gone");
                    if left < needed {
                        tracing::warn!(?gone, "too few workers are left for a step: closing the queue of tokens");
                        let _ = session.run(RunRequest::new().target(&*quorum.close).timeout(LIMIT));
                        return Ok(());
                    }
                    if let Some(one_token) = &quorum.one_token {
                        let _ = session.run(RunRequest::new().target(one_token).timeout(LIMIT));
                    }
                }
            }
            Ok(())
        })
    }

    fn newly_signed_off(&self, session: &Arc<dyn Session>) -> Result<Vec<i64>> {
        let size = session.fetch(RunRequest::new().fetch(&self.signed_off).timeout(LIMIT))?;
        let count = size.first().map(Tensor::to_scalar::<i32>).transpose()?.unwrap_or(0);
        let mut tasks = Vec::new();
        for _ in 0..count {
            let task = session.fetch(RunRequest::new().fetch(&self.next).timeout(LIMIT))?;
            tasks.extend(task.first().map(Tensor::to_scalar::<i64>).transpose()?);
        }
        Ok(tasks)
    }
}

impl Workers {
    /// Those that have not answered for longer than our patience. `away` remembers since when.
    fn lost(&self, away: &mut BTreeMap<i64, Instant>) -> Vec<i64> {
        let mut lost = Vec::new();
        for (task, address) in &self.addresses {
            if answers(address) {
                away.remove(task);
                continue;
            }
            let patience = self.patience;
            let since = away.entry(*task).or_insert_with(|| {
                tracing::warn!(task, address, ?patience, "a worker of the synchronous training does not answer");
                Instant::now()
            });
            if since.elapsed() > patience {
                lost.push(*task);
            }
        }
        lost
    }
}

/// Whether a server says anything at an address. The system takes connections also for a process that is stopped, so a
/// greeting is sent, that of HTTP/2, and must be answered.
fn answers(address: &str) -> bool {
    const GREETING: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0";
    let greets = |place: SocketAddr| {
        let mut stream = TcpStream::connect_timeout(&place, INTERVAL)?;
        stream.set_read_timeout(Some(ANSWER))?;
        stream.set_write_timeout(Some(ANSWER))?;
        stream.write_all(GREETING)?;
        stream.read_exact(&mut [0])
    };
    let Ok(mut places) = address.to_socket_addrs() else { return false };
    places.any(|place| greets(place).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::net::TcpListener;

    #[test]
    fn a_server_that_takes_connections_and_says_nothing_is_gone() {
        // As the system does for a process that is stopped.
        let silent = TcpListener::bind("localhost:0").unwrap();
        assert!(!answers(&silent.local_addr().unwrap().to_string()));
        let speaking = TcpListener::bind("localhost:0").unwrap();
        let address = speaking.local_addr().unwrap().to_string();
        let serving = std::thread::spawn(move || speaking.accept().unwrap().0.write_all(b"settings").unwrap());
        assert!(answers(&address));
        serving.join().unwrap();
    }
}
