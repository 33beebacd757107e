//! Checks used by tests: comparison of tensors, a fuzzer, a disk whose power fails, and scenarios whose expected values come from TensorFlow.
//!
//! `crates/ops/testdata/generate.py` records the scenarios; its `reference/scenario.py` describes their form.

mod cases;
mod compare;
mod definitions;
mod disk;
mod fuzz;
mod loopback;
mod scenario;
mod summaries;

pub use cases::{Report, check_file, run};
pub use compare::{Tolerance, compare};
pub use definitions::{differences, read_definitions};
pub use disk::{Disk, put_files};
pub use fuzz::fuzz;
pub use loopback::free_hosts;
pub use scenario::{Outcome, Scenario, Step, read_scenarios};

/// The value of an output, in a session of its own: for examples and small tests.
///
/// # Errors
/// What the graph or the step failed with.
pub fn eval(output: &graph::Output) -> tensor::Result<tensor::Tensor> {
    use runtime::Session;
    let session = runtime::LocalSession::new(output.graph())?;
    let mut tensors = session.fetch(runtime::RunRequest::new().fetch(output))?;
    tensors.pop().ok_or_else(|| tensor::err!(Internal, "nothing was fetched"))
}
