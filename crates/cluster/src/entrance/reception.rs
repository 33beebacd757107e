//! What every call passes, over gRPC or over a link.

use std::sync::Arc;

use graph::op::{Cancellation, guarded};
use tensor::{Result, ensure};

use crate::call::messages::placed_graph_from_proto;
use crate::call::{
    Answer, Caller, GraphHandle, GraphTerms, RequestId, SessionHandle, StepCall, StepRequest, WorkerCalls,
};
use crate::master::{Master, MasterSession};
use crate::trust::Role;
use crate::worker::Worker;

/// A caller at the door of a master and a worker. A session lives as long as a caller that has used it, and a while
/// longer.
#[derive(Clone)]
pub(super) struct Reception {
    pub master: Arc<Master>,
    pub worker: Arc<Worker>,
    pub caller: Caller,
    pub role: Role,
}

impl Reception {
    /// Makes sure that the caller may do what tasks do with each other.
    ///
    /// # Errors
    /// `PermissionDenied` if it is a client or an operator.
    pub fn for_tasks(&self) -> Result<()> {
        ensure!(
            self.role.is_task(),
            PermissionDenied,
            "this is for tasks of the cluster, and the certificate or token of the caller is not a task's"
        );
        Ok(())
    }

    /// Returns a session of the master, which the caller uses now.
    ///
    /// # Errors
    /// `Aborted` for an unknown session.
    pub fn master_session(&self, handle: &SessionHandle) -> Result<Arc<MasterSession>> {
        let session = self.master.session(handle)?;
        session.lease.used_by(&self.caller);
        Ok(session)
    }

    /// Notes that the caller uses a session of the worker now.
    ///
    /// # Errors
    /// `Aborted` for an unknown session.
    pub fn use_worker_session(&self, handle: &SessionHandle) -> Result<()> {
        self.worker.session(handle)?.used_by(&self.caller);
        Ok(())
    }

    /// Runs a step of a client's session.
    ///
    /// # Errors
    /// `Aborted` for an unknown session or a request that was here before; then `answer` is not made.
    pub fn run_step(
        &self,
        session: &SessionHandle,
        id: RequestId,
        request: StepRequest,
        cancellation: &Cancellation,
        answer: impl FnOnce() -> Answer,
    ) -> Result<()> {
        let session = self.master_session(session)?;
        self.master.recent.check("RunStep (Master)", id)?;
        session.run_within(request, cancellation, answer());
        Ok(())
    }

    /// Runs a step of a registered graph.
    ///
    /// # Errors
    /// `PermissionDenied` if the caller is not a task, `Aborted` for an unknown session; then `answer` is not made.
    pub fn run_graph(
        &self,
        session: &SessionHandle,
        graph: &GraphHandle,
        call: StepCall,
        cancellation: &Cancellation,
        answer: impl FnOnce() -> Answer,
    ) -> Result<()> {
        self.for_tasks()?;
        self.use_worker_session(session)?;
        self.worker.clone().run_graph(session, graph, call, cancellation, answer());
        Ok(())
    }

    /// Registers a graph, off the network threads; `message` reads its definition there. `done` is called once.
    ///
    /// # Errors
    /// `PermissionDenied` if the caller is not a task, `Aborted` for an unknown session; then `done` is not called.
    pub fn register_graph(
        &self,
        session: SessionHandle,
        terms: GraphTerms,
        message: impl FnOnce() -> Result<wire::GraphDef> + Send + 'static,
        done: impl FnOnce(Result<GraphHandle>) + Send + 'static,
    ) -> Result<()> {
        self.for_tasks()?;
        self.use_worker_session(&session)?;
        let worker = self.worker.clone();
        self.worker.pool().spawn(move || {
            done(guarded(format_args!("registering a graph"), || {
                let graph = placed_graph_from_proto(message()?, worker.registry())?;
                worker.register_graph(&session, &graph, &terms)
            }));
        });
        Ok(())
    }
}
