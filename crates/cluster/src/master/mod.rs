//! The master: clients' sessions, and the steps they ask for.

mod callable;
mod contact;
mod costs;
mod partial_run;
mod plans;
mod report;
mod session;
mod step;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use graph::op::{Cancellation, Registry};
use parking_lot::Mutex;
use runtime::{ClusterSpec, Pool};
use tensor::{Result, Status, ensure, err};

use crate::call::{Answer, Desk, MasterCalls, NewSession, Recent, RequestId, SessionHandle, StepRequest, WorkerCalls};
use crate::peer::{Peers, WorkerPeer, renamed};
pub(crate) use session::MasterSession;

/// A task's master.
pub(crate) struct Master {
    setup: Arc<MasterSetup>,
    peers: Arc<Peers>,
    sessions: Mutex<HashMap<SessionHandle, Arc<MasterSession>>>,
    /// Sessions that were collected, so that a client which comes back is told why.
    collected: Mutex<Vec<SessionHandle>>,
    /// Requests to run steps.
    pub recent: Recent<RequestId>,
}

/// What all sessions of a master share.
pub(crate) struct MasterSetup {
    /// The worker of the same process.
    pub own: Arc<dyn WorkerCalls>,
    pub registry: Arc<Registry>,
    /// Where graphs are read and steps are planned.
    pub pool: Pool,
    /// Where calls to other tasks are made.
    pub network: tokio::runtime::Handle,
    /// How long tasks may take to come up.
    pub start_up: Duration,
    /// What is counted for operators.
    pub desk: Arc<Desk>,
}

impl Master {
    /// A master of a task that knows the others as `peers`.
    pub fn new(setup: MasterSetup, peers: Arc<Peers>) -> Master {
        Master {
            setup: Arc::new(setup),
            peers,
            sessions: Mutex::default(),
            collected: Mutex::default(),
            recent: Recent::default(),
        }
    }

    /// Opens a session on a graph; on the client's own description of the cluster, if it gives one, in which `target` is
    /// the address of this task.
    pub async fn create_session(
        self: &Arc<Self>,
        new: NewSession,
        cluster: Option<ClusterSpec>,
        target: &str,
    ) -> Result<Arc<MasterSession>> {
        self.setup.desk.check_open(self.setup.own.task().as_str())?;
        let peers = match cluster {
            None => self.peers.clone(),
            Some(cluster) => {
                let (job, task) = own_task(&cluster, target)?;
                Arc::new(self.peers.by_client(&cluster, &job, task)?)
            }
        };
        let session = MasterSession::create(self.setup.clone(), peers, new).await?;
        self.sessions.lock().insert(session.handle().clone(), session.clone());
        tracing::info!(session = %session.handle(), "created session");
        Ok(session)
    }

    /// Returns a session.
    ///
    /// # Errors
    /// `Aborted`, by which clients know that they must open a new session.
    pub fn session(&self, handle: &SessionHandle) -> Result<Arc<MasterSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| match self.collected.lock().iter().any(|collected| collected == handle) {
            true => err!(Aborted, "Session {handle} is not found. It was collected because its client had gone."),
            false => err!(Aborted, "Session {handle} is not found."),
        })
    }

    /// Closes a session.
    ///
    /// # Errors
    /// `Aborted` for an unknown session.
    pub async fn close_session(&self, handle: &SessionHandle) -> Result<()> {
        let session = self.session(handle)?;
        self.sessions.lock().remove(handle);
        session.close_for_sure().await;
        tracing::info!(session = %handle, "closed session");
        Ok(())
    }

    /// Ends all steps, because the server stops.
    pub fn stop(&self) {
        for session in self.sessions.lock().values() {
            session.cancel_steps(&err!(Unavailable, "the server {} stops", self.setup.own.task()));
        }
    }

    /// Closes the sessions whose clients have gone for so long.
    pub async fn collect_sessions(&self, lease: Duration) {
        let over: Vec<Arc<MasterSession>> = {
            let sessions = self.sessions.lock();
            sessions.values().filter(|session| session.lease.is_over(lease, session.is_busy())).cloned().collect()
        };
        for session in over {
            let handle = session.handle().clone();
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

    /// Returns the devices of all tasks of a session, or of all tasks there are.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown session; `Unavailable` for a task that does not answer.
    pub async fn list_devices(&self, session: Option<&SessionHandle>) -> Result<Vec<wire::DeviceAttributes>> {
        let (peers, filters) = match session {
            None => (self.peers.clone(), Vec::new()),
            Some(handle) => {
                let found = self.sessions.lock().get(handle).cloned();
                let session = found.ok_or_else(|| {
                    err!(InvalidArgument, "Session {handle} is not found. Possibly, this master has restarted.")
                })?;
                (session.peers.clone(), session.device_filters.clone())
            }
        };
        let mut names: Vec<_> = peers.names().filter(|name| contact::passes(&filters, name)).cloned().collect();
        names.sort();
        let found = peers.find(&names, Instant::now() + self.setup.start_up).await?;
        let own = renamed(self.setup.own.devices(), peers.own())?;
        Ok(own.into_iter().chain(found.into_iter().flat_map(|(_, devices)| devices)).collect())
    }

    /// Closes all sessions and empties these containers (the default one, if none is named) on all tasks that match one
    /// of the filters; none given means all tasks.
    pub async fn reset(&self, containers: &[String], filters: &[String]) -> Result<()> {
        parse_filters(filters)?;
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().drain().map(|(_, session)| session).collect();
        let mut closing = tokio::task::JoinSet::new();
        for session in sessions {
            closing.spawn(session.close_for_sure());
        }
        closing.join_all().await;
        self.clear_containers(containers, filters).await
    }

    /// Empties these containers on all tasks that match one of the filters, and closes no session.
    pub async fn clear_containers(&self, containers: &[String], filters: &[String]) -> Result<()> {
        let filters = parse_filters(filters)?;
        WorkerPeer::Own(self.setup.own.clone()).clear_containers(containers).await?;
        let mut calls = tokio::task::JoinSet::new();
        for (name, remote) in self.peers.all().filter(|(name, _)| contact::passes(&filters, name)) {
            let (name, peer, containers) = (name.clone(), WorkerPeer::Other(remote.clone()), containers.to_vec());
            calls.spawn(async move {
                let cleared = tokio::time::timeout(RESET, peer.clear_containers(&containers)).await;
                cleared.unwrap_or_else(|_| {
                    Err(err!(Unavailable, "{name} did not empty its containers within {} s", RESET.as_secs()))
                })
            });
        }
        calls.join_all().await.into_iter().collect()
    }
}

fn parse_filters(filters: &[String]) -> Result<Vec<graph::DeviceName>> {
    filters.iter().map(|filter| filter.parse()).collect()
}

/// How long a task may take to empty its containers.
const RESET: Duration = Duration::from_secs(10);

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

impl MasterCalls for Master {
    fn run_step(&self, session: &SessionHandle, request: StepRequest, cancellation: &Cancellation, answer: Answer) {
        match self.session(session) {
            Ok(session) => session.run_within(request, cancellation, answer),
            Err(status) => answer.give(Err(status)),
        }
    }
}

/// Cancels what nobody waits for any more: the client hung up, or its deadline has passed.
pub(crate) struct CancelOnDrop(pub Option<Cancellation>);

impl CancelOnDrop {
    /// Somebody has waited to the end.
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
