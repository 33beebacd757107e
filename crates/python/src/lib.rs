//! The Python module `tensorfleet._core`: handles of nodes, sessions and servers, on which the package's own Python code builds
//! TensorFlow's names. Nothing here knows a public function of the package.
//!
//! No lock of ours is held while Python code runs, and whatever can take long lets other Python threads run.

mod attrs;
mod averages;
mod callbacks;
mod consumers;
mod errors;
mod functions;
mod graph;
mod interrupt;
mod logging;
mod optimizers;
mod places;
mod process;
mod queues;
mod records;
mod registry;
mod savers;
mod server;
mod session;
mod steps;
mod values;
mod variables;

use pyo3::prelude::*;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What the Python code of the package is built on; not for programs.
#[pymodule(gil_used = false)]
mod _core {
    #[pymodule_export]
    use crate::averages::MovingAverage;
    #[pymodule_export]
    use crate::errors::set_error_factory;
    #[pymodule_export]
    use crate::functions::{forget_function, register_function};
    #[pymodule_export]
    use crate::graph::{Graph, Scope};
    #[pymodule_export]
    use crate::interrupt::{interrupt, signal_fd};
    #[pymodule_export]
    use crate::logging::start_logging;
    #[pymodule_export]
    use crate::optimizers::{Optimizer, SyncReplicas, SyncReplicasHook};
    #[pymodule_export]
    use crate::places::{place_list, place_read, place_remove, place_rename, place_stat, place_write};
    #[pymodule_export]
    use crate::queues::{Coordinator, QueueRunner, QueueThread};
    #[pymodule_export]
    use crate::records::{EventFile, RecordReader, RecordWriter};
    #[pymodule_export]
    use crate::registry::op_definitions;
    #[pymodule_export]
    use crate::savers::{CheckpointReader, checkpoint_exists, restore_newest};
    #[pymodule_export]
    use crate::server::Server;
    #[pymodule_export]
    use crate::session::{Session, list_devices, reset};
    #[pymodule_export]
    use crate::steps::Step;
    #[pymodule_export]
    use crate::values::{Handle, set_array_factory};

    /// Paths lead into stores too.
    #[pymodule_init]
    fn init(_module: &pyo3::Bound<'_, pyo3::types::PyModule>) -> pyo3::PyResult<()> {
        stores::install();
        Ok(())
    }
}
