//! The server of a task, in the Python process.

use std::collections::BTreeMap;
use std::time::Duration;

use cluster::ServerOptions;
use pyo3::prelude::*;
use runtime::ClusterSpec;

use crate::errors::OrRaise;
use crate::process::check_process;

/// Jobs, with the addresses of their tasks by number.
pub type Jobs = BTreeMap<String, BTreeMap<u32, String>>;

/// The cluster of some jobs.
pub fn cluster_spec(jobs: &Jobs) -> tensor::Result<ClusterSpec> {
    let mut spec = ClusterSpec::default();
    for (job, tasks) in jobs {
        for (task, address) in tasks {
            spec.add(job, *task, address)?;
        }
    }
    Ok(spec)
}

/// A server of a task. It serves until it is stopped or the process ends.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Server {
    server: cluster::Server,
}

#[pymethods]
impl Server {
    /// Starts the server of a task of a cluster, given as jobs of numbered addresses.
    #[new]
    #[pyo3(signature = (cluster, job, task, cpu_devices=1))]
    fn new(py: Python<'_>, cluster: Jobs, job: &str, task: u32, cpu_devices: u32) -> PyResult<Server> {
        check_process()?;
        let start = || {
            let options = ServerOptions { cpu_devices, ..Default::default() };
            cluster::Server::start(&cluster_spec(&cluster)?, job, task, ops::registry(), options)
        };
        Ok(Server { server: py.detach(start).or_raise(py)? })
    }

    /// The address for sessions: `grpc://host:port`.
    #[getter]
    fn target(&self) -> &str {
        self.server.target()
    }

    /// Serves until the server is stopped, or a signal's handler raises.
    fn join(&self, py: Python<'_>) -> PyResult<()> {
        check_process()?;
        while !py.detach(|| self.server.wait(Duration::from_millis(100))) {
            py.check_signals()?;
        }
        Ok(())
    }

    /// Stops serving.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        check_process()?;
        py.detach(|| self.server.stop());
        Ok(())
    }
}
