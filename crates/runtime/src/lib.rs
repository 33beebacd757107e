//! Runs a graph in one process: devices and their resources, placement, partition, executor, sessions.
//!
//! A step goes one road, whoever asks for it: [`plan`](planner::Planner) rewrites feeds and fetches, prunes, places and
//! splits the graph by device; an [`Executor`] runs each part; parts exchange tensors through a rendezvous.

mod cluster_spec;
mod control_loops;
mod device;
mod executor;
mod frames;
mod kernels;
mod late_reads;
mod partition;
mod placer;
mod planner;
mod pool;
mod rendezvous;
mod request;
mod resources;
mod rewrite;
mod session;
mod stats;
mod step;
mod timer;

pub use cluster_spec::ClusterSpec;
pub use device::{Device, DeviceSet};
pub use executor::{Executor, StepDone};
pub use kernels::KernelCache;
pub use partition::{Partition, partition};
pub use placer::{PlacementOptions, place};
pub use planner::{Endings, Plan, Planner, Signature};
pub use pool::Pool;
pub use rendezvous::LocalRendezvous;
pub use request::{AsOperation, AsTensor, RunOptions, RunRequest, RunResult};
pub use resources::ResourceManager;
pub use session::{LocalSession, LocalSessions, Session, SessionFactory, SessionOptions};
pub use stats::{NodeStats, StepStats};
pub use step::{Parts, StepSetup, run_parts};
pub use timer::{Alarm, Timer};
