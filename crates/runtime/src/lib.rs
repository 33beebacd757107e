//! Runs a graph in one process: devices and their resources, placement, partition, executor, sessions.
//!
//! A session's graph is placed when the session takes it. A step then goes one road, whoever asks for it:
//! `Planner::plan` rewrites feeds and fetches, prunes the graph and splits it; an `Executor` runs each part; parts
//! exchange tensors through a rendezvous.

#![warn(missing_docs)]

mod cluster_spec;
mod collective;
mod control_loops;
mod device;
mod evaluate;
mod executor;
mod file_roots;
mod frames;
mod gathering;
mod improve;
mod kernels;
mod late_reads;
mod moments;
mod partition;
mod placer;
mod planner;
mod pool;
mod rendezvous;
mod request;
mod rewrite;
mod rules;
mod running;
mod session;
mod stats;
mod step;
mod timer;

pub use cluster_spec::ClusterSpec;
pub use device::{Device, DeviceSet};
pub use evaluate::{Evaluate, Fetch, Fetched, RunStep, Step};
pub use file_roots::FileRoots;
pub use improve::Improvements;
pub use placer::PlacementOptions;
pub use request::{AsOperation, AsTensor, RunOptions, RunRequest, RunResult};
pub use session::{LocalSession, LocalSessions, Session, SessionFactory, SessionOptions};
pub use stats::{NodeStats, OutputStats, StepStats};

// The parts of a step are for the crates that run steps otherwise than a local session does (`cluster`). Programs have no use
// for them, so the documentation leaves them out.
#[doc(hidden)]
pub use collective::{
    CollectiveHub, CollectiveLetter, CollectiveMessage, CollectivePost, MixedExchange, aborted as collective_aborted,
};
#[doc(hidden)]
pub use executor::{Executor, StepDone, UnderWay, WaitingNode, is_lent, lend_thread};
#[doc(hidden)]
pub use gathering::Gathering;
#[doc(hidden)]
pub use graph::op::ResourceManager;
#[doc(hidden)]
pub use kernels::KernelCache;
#[doc(hidden)]
pub use partition::Partition;
#[doc(hidden)]
pub use placer::place;
#[doc(hidden)]
pub use planner::{Endings, Plan, Planner, Signature, split_by_device};
#[doc(hidden)]
pub use pool::Pool;
#[doc(hidden)]
pub use rendezvous::LocalRendezvous;
#[doc(hidden)]
pub use running::RunningSteps;
#[doc(hidden)]
pub use step::{Parts, StepSetup, run_parts};
#[doc(hidden)]
pub use timer::{Alarm, Timer};
