//! The training library: variables and the optimizers that change them; queues and the threads that fill them;
//! checkpoints, summaries and the supervision of a whole run.

mod coordinator;
mod meta_graph;
mod optimizers;
mod queue;
mod queue_runner;
mod saver;
#[cfg(test)]
mod testing;
mod variable;

pub use coordinator::{Coordinator, GRACE};
pub use meta_graph::{export_meta_graph, write_meta_graph};
pub use optimizers::{Adam, GradientDescent, Optimizer};
pub use queue::{Queue, QueueBuilder};
pub use queue_runner::{QueueRunner, QueueRunnerNames, add_queue_runner, queue_runners, start_queue_runners};
pub use saver::{Saver, SaverOptions, all_checkpoints, latest_checkpoint};
pub use variable::{Variable, VariableKind, global_variables, global_variables_initializer, trainable_variables};
