//! Checks used by tests: comparison of tensors, and scenarios whose expected values come from TensorFlow.
//!
//! `crates/ops/testdata/generate.py` records the scenarios; its `reference/scenario.py` describes their form.

mod cases;
mod compare;
mod definitions;
mod scenario;
mod summaries;

pub use cases::{Report, check_file, run};
pub use compare::{Tolerance, compare};
pub use definitions::{differences, read_definitions};
pub use scenario::{Outcome, Scenario, Step, read_scenarios};
