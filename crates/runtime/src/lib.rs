//! Runs a graph in one process: devices and their resources, placement, partition, executor, sessions.
//!
//! A session's graph is placed when the session takes it. A step then goes one road, whoever asks for it:
//! [`Planner::plan`] rewrites feeds and fetches, prunes the graph and splits it; an [`Executor`] runs each part; parts
//! exchange tensors through a rendezvous.

#![warn(missing_docs)]

mod cluster_spec;
mod control_loops;
mod device;
mod evaluate;
mod executor;
mod frames;
mod gathering;
mod kernels;
mod late_reads;
mod partition;
mod placer;
mod planner;
mod pool;
mod rendezvous;
mod request;
mod rewrite;
mod running;
mod session;
mod stats;
mod step;
mod timer;

pub use cluster_spec::ClusterSpec;
pub use device::{Device, DeviceSet};
pub use evaluate::{Evaluate, Fetch, Fetched, RunStep, Step};
pub use executor::{Executor, StepDone};
pub use gathering::Gathering;
pub use graph::op::ResourceManager;
pub use kernels::KernelCache;
pub use partition::Partition;
pub use placer::{PlacementOptions, place};
pub use planner::{Endings, Plan, Planner, Signature, split_by_device};
pub use pool::Pool;
pub use rendezvous::LocalRendezvous;
pub use request::{AsOperation, AsTensor, RunOptions, RunRequest, RunResult};
pub use running::RunningSteps;
pub use session::{LocalSession, LocalSessions, Session, SessionFactory, SessionOptions};
pub use stats::{NodeStats, StepStats};
pub use step::{Parts, StepSetup, run_parts};
pub use timer::{Alarm, Timer};
