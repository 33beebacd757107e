//! The lowest layer: what clients ask of masters, and masters of workers, as plain types.
//!
//! A step is asked for by a [`StepRequest`], becomes a [`StepCall`] for each task that takes part, and ends with a
//! [`StepAnswer`]; sessions, graphs, steps and tasks go by ids of their own types. [`MasterCalls`] and [`WorkerCalls`] are
//! the contracts that a master and a worker fulfil in their own process; [`messages`] translates the same types to and
//! from TensorFlow's messages. Nothing here knows how a call travels.

mod contracts;
mod credit;
mod desk;
mod ids;
mod lease;
pub(crate) mod messages;
mod off_network;
mod process;
mod random;
mod recent;
mod step;

pub(crate) use contracts::{GraphTerms, MasterCalls, NewSession, NewWorkerSession, WorkerCalls};
pub(crate) use credit::{CreditGuard, Creditor};
pub(crate) use desk::{Desk, millis, no_session, unix_nanos};
pub(crate) use ids::{
    CallableHandle, GraphHandle, GraphVersion, PartialRunHandle, RequestId, SessionHandle, TaskName, random_step,
    task_of,
};
pub(crate) use lease::{Caller, Lease};
pub(crate) use off_network::on_pool;
pub(crate) use process::Process;
pub(crate) use random::random_handle;
pub(crate) use recent::Recent;
pub(crate) use step::{Answer, Callable, PartialCall, StepAnswer, StepCall, StepOptions, StepRequest};
