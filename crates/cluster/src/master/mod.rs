//! The master: clients' sessions, and the steps they ask for.

mod callable;
mod discovery;
mod partial_run;
mod session;
mod step;
mod task;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::Cancellation;
use parking_lot::Mutex;
use runtime::ClusterSpec;
use tensor::{Result, Status, ensure, err};
use tokio::sync::oneshot;

use crate::peers::Peers;
use crate::recent::RecentIds;
use crate::worker::Worker;
pub(crate) use callable::Callable;
pub(crate) use session::MasterSession;
pub(crate) use step::{StepOptions, StepRequest};
use task::Task;

/// A task's master.
pub(crate) struct Master {
    worker: Arc<Worker>,
    peers: Arc<Peers>,
    start_up: Duration,
    sessions: Mutex<HashMap<String, Arc<MasterSession>>>,
    /// Sessions that were collected, so that a client which comes back is told why.
    collected: Mutex<Vec<String>>,
    /// Requests to run steps.
    pub recent: RecentIds,
}

impl Master {
    /// `start_up` bounds how long tasks may take to come up.
    pub fn new(worker: Arc<Worker>, peers: Arc<Peers>, start_up: Duration) -> Master {
        Master {
            worker,
            peers,
            start_up,
            sessions: Mutex::default(),
            collected: Mutex::default(),
            recent: RecentIds::default(),
        }
    }

    /// Opens a session on a graph; on the client's own description of the cluster, if it gives one, in which `target` is
    /// the address of this task.
    pub async fn create_session(
        self: &Arc<Self>,
        graph: wire::GraphDef,
        config: wire::ConfigProto,
        cluster: Option<ClusterSpec>,
        target: &str,
    ) -> Result<Arc<MasterSession>> {
        let peers = match cluster {
            None => self.peers.clone(),
            Some(cluster) => {
                let (job, task) = own_task(&cluster, target)?;
                Arc::new(Peers::by_client(&cluster, &job, task)?)
            }
        };
        let session = MasterSession::create(self.worker.clone(), peers, self.start_up, graph, &config).await?;
        self.sessions.lock().insert(session.handle().to_owned(), session.clone());
        tracing::info!(session = %session.handle(), "created session");
        Ok(session)
    }

    /// # Errors
    /// `Aborted`, by which clients know that they must open a new session.
    pub fn session(&self, handle: &str) -> Result<Arc<MasterSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| match self.collected.lock().iter().any(|collected| collected == handle) {
            true => err!(Aborted, "Session {handle} is not found. It was collected because its client had gone."),
            false => err!(Aborted, "Session {handle} is not found."),
        })
    }

    pub async fn close_session(&self, handle: &str) -> Result<()> {
        let session = self.session(handle)?;
        self.sessions.lock().remove(handle);
        session.close_for_sure().await;
        tracing::info!(session = %handle, "closed session");
        Ok(())
    }

    /// Ends all steps, because the server stops.
    pub fn stop(&self) {
        for session in self.sessions.lock().values() {
            session.cancel_steps(&err!(Unavailable, "the server {} stops", self.worker.task()));
        }
    }

    /// Closes the sessions whose clients have gone for so long.
    pub async fn collect_sessions(&self, lease: Duration) {
        let over: Vec<Arc<MasterSession>> = {
            let sessions = self.sessions.lock();
            sessions.values().filter(|session| session.lease.is_over(lease, session.is_busy())).cloned().collect()
        };
        for session in over {
            let handle = session.handle().to_owned();
            tracing::info!(session = %handle, "collecting a session: its client has gone");
            {
                let mut collected = self.collected.lock();
                if collected.len() >= 100 {
                    collected.remove(0);
                }
                collected.push(handle.clone());
            }
            self.sessions.lock().remove(&handle);
            session.close_for_sure().await;
        }
    }

    pub async fn list_devices(&self, handle: &str) -> Result<Vec<wire::DeviceAttributes>> {
        let (peers, filters) = match handle {
            "" => (self.peers.clone(), Vec::new()),
            handle => {
                let found = self.sessions.lock().get(handle).cloned();
                let session = found.ok_or_else(|| {
                    err!(InvalidArgument, "Session {handle} is not found. Possibly, this master has restarted.")
                })?;
                (session.peers.clone(), session.device_filters.clone())
            }
        };
        let passing = peers.names().filter(|name| discovery::passes(&filters, name));
        let mut names: Vec<String> = passing.map(str::to_owned).collect();
        names.sort();
        let found = discovery::find(&peers, &names, Instant::now() + self.start_up).await?;
        let own = discovery::renamed(self.worker.device_attributes(), peers.own())?;
        Ok(own.into_iter().chain(found.into_iter().flat_map(|(_, devices)| devices)).collect())
    }

    /// Closes all sessions and empties these containers (the default one, if none is named) on all tasks that match one
    /// of the filters; none given means all tasks.
    pub async fn reset(&self, containers: &[String], filters: &[String]) -> Result<()> {
        let filters: Vec<graph::DeviceName> = filters.iter().map(|filter| filter.parse()).collect::<Result<_>>()?;
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().drain().map(|(_, session)| session).collect();
        for session in sessions {
            session.close_for_sure().await;
        }
        Task::Own(self.worker.clone()).clear_containers(containers).await?;
        for name in self.peers.names().filter(|name| discovery::passes(&filters, name)) {
            Task::Other(self.peers.get(name)?.clone()).clear_containers(containers).await?;
        }
        Ok(())
    }
}

/// Which task of a client's cluster this one is: the one at the address that the client connected to.
fn own_task(cluster: &ClusterSpec, target: &str) -> Result<(String, u32)> {
    let address = target.strip_prefix("grpc://").unwrap_or(target);
    let mut found = cluster.tasks().filter(|(job, task)| cluster.address(job, *task).is_ok_and(|at| at == address));
    let unclear = |what: &str| -> Status {
        err!(InvalidArgument, "cluster_def: {what} the address of the session's target, {address}")
    };
    let (job, task) = found.next().ok_or_else(|| unclear("no task has"))?;
    ensure!(found.next().is_none(), InvalidArgument, "{}", unclear("several tasks have").message());
    Ok((job.to_owned(), task))
}

/// Does work that may take a while off the network threads.
async fn on_pool<R: Send + 'static>(worker: &Worker, work: impl FnOnce() -> Result<R> + Send + 'static) -> Result<R> {
    let (send, outcome) = oneshot::channel();
    worker.kernels.spawn(move || drop(send.send(work())));
    outcome.await.unwrap_or_else(|_| Err(err!(Internal, "a request failed without an answer")))
}

/// Cancels what nobody waits for any more: the client hung up, or its deadline has passed.
pub(crate) struct CancelOnDrop(pub Option<Cancellation>);

impl CancelOnDrop {
    pub fn disarm(mut self) {
        self.0 = None;
    }
}

impl Drop for CancelOnDrop {
    fn drop(&mut self) {
        if let Some(cancellation) = self.0.take() {
            cancellation.cancel(err!(Cancelled, "the client no longer waits for the step"));
        }
    }
}
