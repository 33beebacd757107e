//! The training library: variables and the optimizers that change them; layers, losses and metrics; queues and the threads
//! that fill them; checkpoints, summaries and the supervision of a whole run.

#![warn(missing_docs)]

mod all_reduce;
mod clipping;
mod collections;
mod coordinator;
mod fence;
mod global_step;
mod gradient_counts;
mod hooks;
mod initializers;
mod input;
pub mod layers;
pub mod losses;
mod meta_graph;
pub mod metrics;
mod monitored_session;
mod moving_average;
mod nodes;
mod optimizers;
mod partition;
mod queue;
mod queue_runner;
mod quorum;
mod replica_device_setter;
mod run;
mod saver;
mod scaffold;
mod schedules;
mod session_manager;
mod shards;
mod slots;
mod stall;
pub mod summary;
mod supervisor;
mod sync_replicas;
#[cfg(test)]
mod testing;
mod variable;
mod variable_lists;
mod variable_scope;

pub use all_reduce::{AllReduce, AllReduceHook, OnLoss};
pub use clipping::{clip_by_global_norm, clip_by_norm, global_norm};
pub use collections::{add_to_collection, clear_collection, collection, collection_names, keys};
pub use coordinator::{Coordinator, GRACE};
pub use files::{Compression, RecordReader, RecordWriter, all_checkpoints, latest_checkpoint};
pub use global_step::{create_global_step, get_global_step, get_or_create_global_step};
pub use gradient_counts::{GradientCounts, WorkerGradients};
pub use hooks::{
    CheckpointSaverHook, Every, LoggingTensorHook, NanTensorHook, RunContext, SessionRunHook, StepCounterHook,
    StepTimer, StopAtStepHook, SummarySaverHook,
};
pub use initializers::Initializer;
pub use input::{
    BatchOptions, Example, Feature, InputOptions, ParsedFeatures, Reader, SparseFeature, batch, batch_join, decode_raw,
    input_producer, limit_epochs, parse_example, parse_single_example, range_input_producer, shuffle_batch,
    shuffle_batch_join, slice_input_producer, string_input_producer,
};
pub use meta_graph::{export_meta_graph, write_meta_graph};
pub use monitored_session::{MonitoredSession, MonitoredTrainingSession, MonitoringOptions};
pub use moving_average::ExponentialMovingAverage;
pub use optimizers::{
    Adadelta, Adagrad, Adam, Ftrl, GradientAndVariable, GradientDescent, Momentum, Optimizer, RmsProp, Scalar, Update,
    UpdateOp, UpdateRule, apply_rule,
};
pub use partition::{
    PartitionedVariable, Partitioner, SaveSliceInfo, fixed_size_partitioner, variable_axis_size_partitioner,
};
pub use queue::{Queue, QueueBuilder};
pub use queue_runner::{QueueRunner, QueueRunnerNames, add_queue_runner, queue_runners, start_queue_runners};
pub use replica_device_setter::{PsStrategy, ReplicaDeviceSetter, STANDARD_PS_OPS};
pub use run::RunBuilder;
pub use saver::{Saver, SaverOptions, import_meta_graph, import_meta_graph_def};
pub use scaffold::{InitFn, Scaffold};
pub use schedules::{exponential_decay, inverse_time_decay, natural_exp_decay, piecewise_constant, polynomial_decay};
pub use session_manager::{Initialization, MAX_WAIT, Prepared, RestoredCheckpoint, SessionManager, restore_newest};
pub use shards::{Handed, Records, ShardWorker, Shards, ShardsBuilder};
pub use slots::{Slot, Slots, create_slot};
pub use summary::FileWriter;
pub use supervisor::{Supervisor, SupervisorBuilder, SupervisorOptions};
pub use sync_replicas::{SyncReplicas, SyncReplicasHook};
pub use variable::{Variable, VariableKind, VariableNodes};
pub use variable_lists::{
    global_variables, global_variables_initializer, local_variables, local_variables_initializer,
    report_uninitialized_variables, trainable_variables, variables_in, variables_initializer,
};
pub use variable_scope::{Reuse, VariableRequest, VariableScope, VariableScopeOps};
