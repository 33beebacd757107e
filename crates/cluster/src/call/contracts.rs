//! What a master and a worker offer to callers in their own process; over a connection the same calls are messages.

use std::sync::Arc;

use graph::GraphData;
use graph::op::{Cancellation, StepId};
use runtime::ClusterSpec;
use tensor::Result;

use super::{Answer, GraphHandle, SessionHandle, StepCall, StepRequest, TaskName};

/// A session that a client wants to open at a master.
pub(crate) struct NewSession {
    pub graph: wire::GraphDef,
    pub config: wire::ConfigProto,
}

/// A session to be opened at a worker.
pub(crate) struct NewWorkerSession {
    pub handle: SessionHandle,
    /// Share no variables or queues with other sessions.
    pub isolate: bool,
    /// The cluster in which the session's client has placed the worker, and its job and number there, if the client
    /// described a cluster of its own.
    pub cluster: Option<(ClusterSpec, String, u32)>,
}

/// What a graph's task must know of the graph's other tasks.
#[derive(Clone, Default)]
pub(crate) struct GraphTerms {
    /// The tasks between which its tensors are pushed.
    pub linked: Vec<TaskName>,
    /// Whether tasks of TensorFlow run in its steps.
    pub mixed: bool,
    /// The key of its collectives in all tasks together; 0 if it has none.
    pub collectives: i64,
}

/// What masters ask of a worker.
pub(crate) trait WorkerCalls: Send + Sync {
    /// Returns the name of the task, as those who started it call it.
    fn task(&self) -> &TaskName;

    /// Returns the devices as TensorFlow's messages describe them.
    fn devices(&self) -> Vec<wire::DeviceAttributes>;

    /// Makes room for a session; one that is there already stays.
    ///
    /// # Errors
    /// `InvalidArgument` for an empty handle or a malformed cluster.
    fn create_session(&self, new: NewWorkerSession) -> Result<()>;

    /// Forgets a session's graphs; resources that it shared stay.
    fn delete_session(&self, session: &SessionHandle);

    /// Prepares a graph whose nodes are all placed on this task.
    ///
    /// # Errors
    /// `Aborted` for an unknown session; `InvalidArgument` for a node on another task; `NotFound` for ops without kernels.
    fn register_graph(&self, session: &SessionHandle, graph: &GraphData, terms: &GraphTerms) -> Result<GraphHandle>;

    /// Forgets a graph, if it is there.
    fn deregister_graph(&self, session: &SessionHandle, graph: &GraphHandle);

    /// Runs a step of a graph; `answer` is given when everything of it on this task has ended. What was sent to other tasks
    /// waits for them until [`clean_up`](WorkerCalls::clean_up).
    fn run_graph(
        self: Arc<Self>,
        session: &SessionHandle,
        graph: &GraphHandle,
        call: StepCall,
        cancellation: &Cancellation,
        answer: Answer,
    );

    /// Forgets a step; whoever still waits for a tensor of it is told.
    fn clean_up(&self, step: StepId);

    /// Empties containers of all devices.
    fn clear_containers(&self, containers: &[String]);
}

/// What clients ask of a master at every step.
pub(crate) trait MasterCalls: Send + Sync {
    /// Runs a step of a session; `answer` is given once it has ended everywhere, or its time has passed.
    fn run_step(&self, session: &SessionHandle, request: StepRequest, cancellation: &Cancellation, answer: Answer);
}
