//! The full paths of gRPC methods: TensorFlow's, as its runtime really uses them, and our own for operators.
//!
//! Every method is unary and takes `<Method>Request` to `<Method>Response`. The service names carry the package
//! `tensorflow`, although TensorFlow's published service definitions say `tensorflow.grpc`.

/// What a client calls on the task that runs its session.
pub mod master {
    /// The service's name, the first part of each path.
    pub const SERVICE: &str = "tensorflow.MasterService";

    /// Opens a session with a graph.
    pub const CREATE_SESSION: &str = "/tensorflow.MasterService/CreateSession";
    /// Adds nodes to the graph of a session.
    pub const EXTEND_SESSION: &str = "/tensorflow.MasterService/ExtendSession";
    /// Begins a step that is run in several calls.
    pub const PARTIAL_RUN_SETUP: &str = "/tensorflow.MasterService/PartialRunSetup";
    /// Runs a step: feeds, fetches, targets.
    pub const RUN_STEP: &str = "/tensorflow.MasterService/RunStep";
    /// Closes a session.
    pub const CLOSE_SESSION: &str = "/tensorflow.MasterService/CloseSession";
    /// Lists the devices that a session may use.
    pub const LIST_DEVICES: &str = "/tensorflow.MasterService/ListDevices";
    /// Closes all sessions and clears containers.
    pub const RESET: &str = "/tensorflow.MasterService/Reset";
    /// Prepares a step that is run often.
    pub const MAKE_CALLABLE: &str = "/tensorflow.MasterService/MakeCallable";
    /// Runs a prepared step.
    pub const RUN_CALLABLE: &str = "/tensorflow.MasterService/RunCallable";
    /// Forgets a prepared step.
    pub const RELEASE_CALLABLE: &str = "/tensorflow.MasterService/ReleaseCallable";

    /// Every method of the service.
    pub const ALL: &[&str] = &[
        CREATE_SESSION,
        EXTEND_SESSION,
        PARTIAL_RUN_SETUP,
        RUN_STEP,
        CLOSE_SESSION,
        LIST_DEVICES,
        RESET,
        MAKE_CALLABLE,
        RUN_CALLABLE,
        RELEASE_CALLABLE,
    ];
}

/// What a master, or a worker in need of a tensor, calls on a task.
pub mod worker {
    /// The service's name, the first part of each path.
    pub const SERVICE: &str = "tensorflow.WorkerService";

    /// Asks a task for its devices and incarnation.
    pub const GET_STATUS: &str = "/tensorflow.WorkerService/GetStatus";
    /// Opens a session of a master at a task.
    pub const CREATE_WORKER_SESSION: &str = "/tensorflow.WorkerService/CreateWorkerSession";
    /// Closes a session of a master at a task.
    pub const DELETE_WORKER_SESSION: &str = "/tensorflow.WorkerService/DeleteWorkerSession";
    /// Registers a task's part of a step's graph.
    pub const REGISTER_GRAPH: &str = "/tensorflow.WorkerService/RegisterGraph";
    /// Forgets a registered graph.
    pub const DEREGISTER_GRAPH: &str = "/tensorflow.WorkerService/DeregisterGraph";
    /// Runs a registered graph in a step.
    pub const RUN_GRAPH: &str = "/tensorflow.WorkerService/RunGraph";
    /// Forgets the tensors of a step.
    pub const CLEANUP_GRAPH: &str = "/tensorflow.WorkerService/CleanupGraph";
    /// Clears containers.
    pub const CLEANUP_ALL: &str = "/tensorflow.WorkerService/CleanupAll";
    /// Asks for a tensor that a step sends.
    pub const RECV_TENSOR: &str = "/tensorflow.WorkerService/RecvTensor";
    /// Tells that a received tensor has arrived.
    pub const MARK_RECV_FINISHED: &str = "/tensorflow.WorkerService/MarkRecvFinished";
    /// Switches the logging of transfers.
    pub const LOGGING: &str = "/tensorflow.WorkerService/Logging";
    /// Asks for a trace.
    pub const TRACING: &str = "/tensorflow.WorkerService/Tracing";
    /// Asks for a part of a buffer, for collective ops.
    pub const RECV_BUF: &str = "/tensorflow.WorkerService/RecvBuf";
    /// Joins a group of collective ops.
    pub const COMPLETE_GROUP: &str = "/tensorflow.WorkerService/CompleteGroup";
    /// Joins an instance of a collective op.
    pub const COMPLETE_INSTANCE: &str = "/tensorflow.WorkerService/CompleteInstance";
    /// Asks for the next step of collective ops.
    pub const GET_STEP_SEQUENCE: &str = "/tensorflow.WorkerService/GetStepSequence";

    /// Every method of the service.
    pub const ALL: &[&str] = &[
        GET_STATUS,
        CREATE_WORKER_SESSION,
        DELETE_WORKER_SESSION,
        REGISTER_GRAPH,
        DEREGISTER_GRAPH,
        RUN_GRAPH,
        CLEANUP_GRAPH,
        CLEANUP_ALL,
        RECV_TENSOR,
        MARK_RECV_FINISHED,
        LOGGING,
        TRACING,
        RECV_BUF,
        COMPLETE_GROUP,
        COMPLETE_INSTANCE,
        GET_STEP_SEQUENCE,
    ];
}

/// What an operator asks a task of tensorfleet; TensorFlow's servers do not know it.
pub mod operator {
    /// The service's name, the first part of each path.
    pub const SERVICE: &str = "tensorfleet.Operator";

    /// Asks how the task is.
    pub const STATUS: &str = "/tensorfleet.Operator/Status";
    /// Sends bytes there and back.
    pub const ECHO: &str = "/tensorfleet.Operator/Echo";
    /// Records what the next steps do.
    pub const TRACE: &str = "/tensorfleet.Operator/Trace";
    /// Lets no more steps begin, waits for those under way, and stops the task.
    pub const DRAIN: &str = "/tensorfleet.Operator/Drain";
    /// Asks where the nodes of a session are, and why.
    pub const PLACEMENT: &str = "/tensorfleet.Operator/Placement";
}
