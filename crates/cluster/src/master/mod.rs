//! The master: clients' sessions, and the steps they ask for.

mod discovery;
mod session;
mod task;

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::Cancellation;
use parking_lot::Mutex;
use runtime::RunOptions;
use tensor::{Result, ensure, err};
use tokio::sync::oneshot;

use crate::peers::Peers;
use crate::worker::{StepAnswer, Worker};
use session::MasterSession;
pub(crate) use session::StepRequest;
use task::Task;

/// A task's master.
pub(crate) struct Master {
    worker: Arc<Worker>,
    peers: Arc<Peers>,
    sessions: Mutex<HashMap<String, Arc<MasterSession>>>,
}

impl Master {
    pub fn new(worker: Arc<Worker>, peers: Arc<Peers>) -> Master {
        Master { worker, peers, sessions: Mutex::default() }
    }

    pub async fn create_session(self: &Arc<Self>, graph: wire::GraphDef, config: wire::ConfigProto) -> Result<String> {
        let session = Arc::new(MasterSession::create(self.worker.clone(), self.peers.clone(), graph, &config).await?);
        let handle = session.handle().to_owned();
        self.sessions.lock().insert(handle.clone(), session);
        tracing::info!(session = %handle, "created session");
        Ok(handle)
    }

    pub async fn extend_session(&self, handle: &str, graph: wire::GraphDef, version: i64) -> Result<i64> {
        self.session(handle)?.extend(graph, version).await
    }

    /// Runs a step. Dropping the future (because the client hung up or its deadline has passed) cancels it.
    pub async fn run_step(&self, handle: &str, request: StepRequest, options: &RunOptions) -> Result<StepAnswer> {
        let session = self.session(handle)?;
        let cancellation = Cancellation::new();
        let guard = CancelOnDrop(Some(cancellation.clone()));
        let outcome = session.run(request, options, &cancellation).await;
        guard.disarm();
        outcome
    }

    pub async fn close_session(&self, handle: &str) -> Result<()> {
        let session = self.session(handle)?;
        self.sessions.lock().remove(handle);
        session.close().await;
        tracing::info!(session = %handle, "closed session");
        Ok(())
    }

    pub async fn list_devices(&self, handle: &str) -> Result<Vec<wire::DeviceAttributes>> {
        let known = handle.is_empty() || self.sessions.lock().contains_key(handle);
        ensure!(known, InvalidArgument, "Session {handle} is not found. Possibly, this master has restarted.");
        let deadline = std::time::Instant::now() + discovery::START_UP;
        let mut devices = self.worker.device_attributes();
        let mut names: Vec<&str> = self.peers.names().collect();
        names.sort();
        for name in names {
            devices.extend(discovery::devices_of(self.peers.get(name)?, deadline).await?);
        }
        Ok(devices)
    }

    /// Closes all sessions and empties these containers (the default one, if none is named) on all tasks.
    pub async fn reset(&self, containers: &[String]) -> Result<()> {
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().drain().map(|(_, session)| session).collect();
        for session in sessions {
            session.close().await;
        }
        Task::Own(self.worker.clone()).clear_containers(containers).await?;
        for name in self.peers.names() {
            Task::Other(self.peers.get(name)?.clone()).clear_containers(containers).await?;
        }
        Ok(())
    }

    fn session(&self, handle: &str) -> Result<Arc<MasterSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| err!(Aborted, "Session {handle} is not found."))
    }
}

/// Does work that may take a while off the network threads.
async fn on_pool<R: Send + 'static>(worker: &Worker, work: impl FnOnce() -> Result<R> + Send + 'static) -> Result<R> {
    let (send, outcome) = oneshot::channel();
    worker.kernels.spawn(move || drop(send.send(work())));
    outcome.await.unwrap_or_else(|_| Err(err!(Internal, "a request failed without an answer")))
}

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
