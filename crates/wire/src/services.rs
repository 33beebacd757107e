//! The full paths of TensorFlow's gRPC methods, as its runtime really uses them.
//!
//! Every method is unary and takes `<Method>Request` to `<Method>Response`. The service names carry the package
//! `tensorflow`, although TensorFlow's published service definitions say `tensorflow.grpc`.

/// What a client calls on the task that runs its session.
pub mod master {
    /// The service's name, the first part of each path.
    pub const SERVICE: &str = "tensorflow.MasterService";

    pub const CREATE_SESSION: &str = "/tensorflow.MasterService/CreateSession";
    pub const EXTEND_SESSION: &str = "/tensorflow.MasterService/ExtendSession";
    pub const PARTIAL_RUN_SETUP: &str = "/tensorflow.MasterService/PartialRunSetup";
    pub const RUN_STEP: &str = "/tensorflow.MasterService/RunStep";
    pub const CLOSE_SESSION: &str = "/tensorflow.MasterService/CloseSession";
    pub const LIST_DEVICES: &str = "/tensorflow.MasterService/ListDevices";
    pub const RESET: &str = "/tensorflow.MasterService/Reset";
    pub const MAKE_CALLABLE: &str = "/tensorflow.MasterService/MakeCallable";
    pub const RUN_CALLABLE: &str = "/tensorflow.MasterService/RunCallable";
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

    pub const GET_STATUS: &str = "/tensorflow.WorkerService/GetStatus";
    pub const CREATE_WORKER_SESSION: &str = "/tensorflow.WorkerService/CreateWorkerSession";
    pub const DELETE_WORKER_SESSION: &str = "/tensorflow.WorkerService/DeleteWorkerSession";
    pub const REGISTER_GRAPH: &str = "/tensorflow.WorkerService/RegisterGraph";
    pub const DEREGISTER_GRAPH: &str = "/tensorflow.WorkerService/DeregisterGraph";
    pub const RUN_GRAPH: &str = "/tensorflow.WorkerService/RunGraph";
    pub const CLEANUP_GRAPH: &str = "/tensorflow.WorkerService/CleanupGraph";
    pub const CLEANUP_ALL: &str = "/tensorflow.WorkerService/CleanupAll";
    pub const RECV_TENSOR: &str = "/tensorflow.WorkerService/RecvTensor";
    pub const MARK_RECV_FINISHED: &str = "/tensorflow.WorkerService/MarkRecvFinished";
    pub const LOGGING: &str = "/tensorflow.WorkerService/Logging";
    pub const TRACING: &str = "/tensorflow.WorkerService/Tracing";
    pub const RECV_BUF: &str = "/tensorflow.WorkerService/RecvBuf";
    pub const COMPLETE_GROUP: &str = "/tensorflow.WorkerService/CompleteGroup";
    pub const COMPLETE_INSTANCE: &str = "/tensorflow.WorkerService/CompleteInstance";
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
