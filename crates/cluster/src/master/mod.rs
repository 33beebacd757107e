//! The master: clients' sessions, and the steps they ask for.

mod session;

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::Cancellation;
use parking_lot::Mutex;
use tensor::{Result, Tensor, ensure, err};
use tokio::sync::oneshot;

use crate::worker::Worker;
use session::MasterSession;
pub(crate) use session::StepRequest;

/// A task's master.
pub(crate) struct Master {
    worker: Arc<Worker>,
    sessions: Mutex<HashMap<String, Arc<MasterSession>>>,
}

impl Master {
    pub fn new(worker: Arc<Worker>) -> Master {
        Master { worker, sessions: Mutex::default() }
    }

    pub async fn create_session(self: &Arc<Self>, graph: wire::GraphDef, config: wire::ConfigProto) -> Result<String> {
        let master = self.clone();
        self.on_pool(move || {
            let session = Arc::new(MasterSession::new(master.worker.clone(), graph, &config)?);
            let handle = session.handle().to_owned();
            master.sessions.lock().insert(handle.clone(), session);
            tracing::info!(session = %handle, "created session");
            Ok(handle)
        })
        .await
    }

    pub async fn extend_session(self: &Arc<Self>, handle: &str, graph: wire::GraphDef, version: i64) -> Result<i64> {
        let session = self.session(handle)?;
        self.on_pool(move || session.extend(graph, version)).await
    }

    /// Runs a step. Dropping the future (because the client hung up or its deadline has passed) cancels it.
    pub async fn run_step(self: &Arc<Self>, handle: &str, request: StepRequest) -> Result<Vec<Tensor>> {
        let session = self.session(handle)?;
        let cancellation = Cancellation::new();
        let guard = CancelOnDrop(Some(cancellation.clone()));
        let (send, outcome) = oneshot::channel();
        self.worker.kernels.spawn(move || {
            session.run(request, &cancellation, Box::new(move |outcome| drop(send.send(outcome))));
        });
        let outcome = outcome.await.unwrap_or_else(|_| Err(err!(Internal, "the step ended without an answer")));
        guard.disarm();
        outcome
    }

    pub async fn close_session(self: &Arc<Self>, handle: &str) -> Result<()> {
        let session = self.session(handle)?;
        self.sessions.lock().remove(handle);
        session.close().await;
        tracing::info!(session = %handle, "closed session");
        Ok(())
    }

    pub fn list_devices(&self, handle: &str) -> Result<Vec<wire::DeviceAttributes>> {
        let known = handle.is_empty() || self.sessions.lock().contains_key(handle);
        ensure!(known, InvalidArgument, "Session {handle} is not found. Possibly, this master has restarted.");
        Ok(self.worker.device_attributes())
    }

    /// Closes all sessions and empties these containers (the default one, if none is named).
    pub async fn reset(self: &Arc<Self>, containers: &[String]) -> Result<()> {
        let sessions: Vec<Arc<MasterSession>> = self.sessions.lock().drain().map(|(_, session)| session).collect();
        for session in sessions {
            session.close().await;
        }
        self.worker.clear_containers(containers);
        Ok(())
    }

    fn session(&self, handle: &str) -> Result<Arc<MasterSession>> {
        let found = self.sessions.lock().get(handle).cloned();
        found.ok_or_else(|| err!(Aborted, "Session {handle} is not found."))
    }

    /// Does work that may take a while off the network threads.
    async fn on_pool<R: Send + 'static>(&self, work: impl FnOnce() -> Result<R> + Send + 'static) -> Result<R> {
        let (send, outcome) = oneshot::channel();
        self.worker.kernels.spawn(move || drop(send.send(work())));
        outcome.await.unwrap_or_else(|_| Err(err!(Internal, "a request failed without an answer")))
    }
}

struct CancelOnDrop(Option<Cancellation>);

impl CancelOnDrop {
    fn disarm(mut self) {
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
