//! A worker as a master sees it, wherever it is.

use std::sync::Arc;

use graph::op::{Cancellation, StepId};
use graph::{GraphData, graph_to_proto};
use runtime::Pool;
use tensor::{Result, err};
use tokio::sync::oneshot;

use super::grpc::unless_cancelled;
use super::remote::{Remote, Route};
use crate::call::{
    Answer, GraphHandle, GraphTerms, NewWorkerSession, SessionHandle, StepCall, TaskName, WorkerCalls, on_pool,
};

/// A worker that takes part in a session.
#[derive(Clone)]
pub(crate) enum WorkerPeer {
    /// The worker of this process, by plain calls.
    Own(Arc<dyn WorkerCalls>),
    Other(Arc<Remote>),
}

impl WorkerPeer {
    /// Returns the name of the worker's task, for errors.
    pub fn name(&self) -> &str {
        match self {
            WorkerPeer::Own(worker) => worker.task().as_str(),
            WorkerPeer::Other(remote) => remote.name(),
        }
    }

    /// Returns whether this is the worker of this process.
    pub fn is_own(&self) -> bool {
        matches!(self, WorkerPeer::Own(_))
    }

    /// Returns whether the worker is known to be one of ours, with the ops that only we know.
    pub fn is_ours(&self) -> bool {
        match self {
            WorkerPeer::Own(_) => true,
            WorkerPeer::Other(remote) => remote.is_ours(),
        }
    }

    /// Opens a session of the master of a task.
    ///
    /// # Errors
    /// What the worker answers; `Unavailable` if it is out of reach.
    pub async fn create_session(&self, new: NewWorkerSession, master: &TaskName, incarnation: u64) -> Result<()> {
        match self {
            WorkerPeer::Own(worker) => worker.create_session(new),
            WorkerPeer::Other(remote) => remote.grpc().create_worker_session(&new, master, incarnation).await,
        }
    }

    /// Forgets a session.
    ///
    /// # Errors
    /// `Unavailable` if the worker is out of reach.
    pub async fn delete_session(&self, session: &SessionHandle) -> Result<()> {
        match self {
            WorkerPeer::Own(worker) => {
                worker.delete_session(session);
                Ok(())
            }
            WorkerPeer::Other(remote) => remote.grpc().delete_worker_session(session).await,
        }
    }

    /// Registers a graph; what that takes here is done on the pool.
    ///
    /// # Errors
    /// What the worker answers; `Unavailable` if it is out of reach.
    pub async fn register_graph(
        &self,
        pool: &Pool,
        session: &SessionHandle,
        graph: GraphData,
        terms: &GraphTerms,
    ) -> Result<GraphHandle> {
        let remote = match self {
            WorkerPeer::Own(worker) => {
                let (worker, session, terms) = (worker.clone(), session.clone(), terms.clone());
                let register = move || worker.register_graph(&session, &graph, &terms);
                return on_pool(pool, "registering a graph", register).await;
            }
            WorkerPeer::Other(remote) => remote,
        };
        match remote.route() {
            Route::Link(link) => {
                let (send, outcome) = oneshot::channel();
                let graph = on_pool(pool, "writing a graph", move || graph_to_proto(&graph)).await?;
                link.register_graph(session, terms, &graph, |outcome| drop(send.send(outcome)));
                outcome.await.unwrap_or_else(|_| Err(err!(Internal, "registering ended without an answer")))
            }
            Route::Grpc(channel) => channel.register_graph(session, &graph, terms.collectives).await,
        }
    }

    /// Forgets a graph. Nobody waits for it; a worker that is out of reach forgets it with the session.
    pub fn deregister_graph(&self, session: &SessionHandle, graph: &GraphHandle) {
        match self {
            WorkerPeer::Own(worker) => worker.deregister_graph(session, graph),
            WorkerPeer::Other(remote) => {
                let (remote, session, graph) = (remote.clone(), session.clone(), graph.clone());
                remote.network().clone().spawn(async move {
                    if let Err(status) = remote.grpc().deregister_graph(&session, &graph).await {
                        tracing::debug!(task = remote.name(), %status, "a graph was not forgotten");
                    }
                });
            }
        }
    }

    /// Runs a step of a graph; `answer` is given soon after cancelling at the latest.
    pub fn run_graph(
        &self,
        session: &SessionHandle,
        graph: &GraphHandle,
        call: StepCall,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        let remote = match self {
            WorkerPeer::Own(worker) => return worker.clone().run_graph(session, graph, call, cancellation, answer),
            WorkerPeer::Other(remote) => remote,
        };
        match remote.route() {
            Route::Link(link) => link.run_graph(session, graph, &call, cancellation, answer),
            Route::Grpc(channel) => {
                let (channel, session, graph) = (channel.clone(), session.clone(), graph.clone());
                let cancellation = cancellation.clone();
                remote.network().spawn(async move {
                    answer.give(unless_cancelled(&cancellation, channel.run_graph(&session, &graph, call)).await);
                });
            }
        }
    }

    /// Forgets a step. Nobody waits for it, so a failure is no one's concern: the worker forgets by itself in time.
    pub fn clean_up(&self, step: StepId) {
        let remote = match self {
            WorkerPeer::Own(worker) => return worker.clean_up(step),
            WorkerPeer::Other(remote) => remote,
        };
        match remote.route() {
            Route::Link(link) => link.clean_up(step),
            Route::Grpc(channel) => {
                let channel = channel.clone();
                remote.network().spawn(async move { channel.clean_up(step).await });
            }
        }
    }

    /// Empties containers of all devices.
    ///
    /// # Errors
    /// `Unavailable` if the worker is out of reach.
    pub async fn clear_containers(&self, containers: &[String]) -> Result<()> {
        match self {
            WorkerPeer::Own(worker) => {
                worker.clear_containers(containers);
                Ok(())
            }
            WorkerPeer::Other(remote) => remote.grpc().clear_containers(containers).await,
        }
    }
}
