//! Running scenarios in a local session, and a report of all that went differently.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use bytes::Bytes;
use graph::op::Registry;
use graph::{Graph, GraphData, ImportOptions, graph_from_proto};
use runtime::{LocalSession, RunRequest, Session};
use tensor::{DType, Result, Status, Tensor};

use crate::summaries::same_summaries;
use crate::{Outcome, Scenario, Step, Tolerance, compare, read_scenarios};

/// No step of a scenario takes longer, unless it hangs.
const STEP_LIMIT: Duration = Duration::from_secs(30);

/// What differs, in words.
type Verdict = std::result::Result<(), String>;

/// What became of a file of scenarios.
#[derive(Default)]
pub struct Report {
    pub run: usize,
    /// A line for each thing that differs from TensorFlow.
    pub failures: Vec<String>,
    /// Scenarios that were not run because of ops that do not exist here: how many for each op.
    pub unknown_ops: BTreeMap<String, usize>,
}

/// Runs all scenarios of a file. Those with an op that is not registered are left out and counted.
///
/// # Errors
/// If the file cannot be read.
pub fn check_file(path: &Path, registry: &Arc<Registry>) -> Result<Report> {
    let mut report = Report::default();
    let only = std::env::var("CASE").ok();
    for scenario in read_scenarios(path)? {
        if only.as_ref().is_some_and(|only| !scenario.name.starts_with(only)) {
            continue;
        }
        let unknown: Vec<&str> =
            scenario.graph.node.iter().map(|node| node.op.as_str()).filter(|op| registry.get(op).is_none()).collect();
        if unknown.is_empty() {
            report.run += 1;
            report.failures.extend(run(&scenario, registry));
        }
        for op in unknown {
            *report.unknown_ops.entry(op.to_owned()).or_default() += 1;
        }
    }
    Ok(report)
}

/// Runs a scenario and tells what differs from what is expected, a line for each.
pub fn run(scenario: &Scenario, registry: &Arc<Registry>) -> Vec<String> {
    let folder = Folder::new();
    let mut failures = Vec::new();
    for (name, content) in &scenario.files {
        if let Err(error) = folder.write(name, content) {
            failures.push(format!("{}: cannot write {name}: {error}", scenario.name));
        }
    }
    check_shapes(scenario, registry, &mut failures);
    let prepared = prepare(scenario, registry);
    for (number, step) in scenario.steps.iter().enumerate() {
        let got = match &prepared {
            Ok(prepared) => prepared.run(number, step, &folder),
            Err(status) => Err(status.clone()),
        };
        if let Err(difference) = judge(step, got, &folder) {
            let what = if step.xs.is_empty() { "" } else { " (gradient)" };
            failures.push(format!("{} step {number}{what}: {difference}{}", scenario.name, inputs(step)));
        }
    }
    failures
}

/// A session on the scenario's graph with the gradients it asks for.
struct Prepared {
    session: LocalSession,
    /// For each step that asks for gradients: their names, or why there are none.
    gradients: BTreeMap<usize, Result<Vec<Option<String>>>>,
}

fn prepare(scenario: &Scenario, registry: &Arc<Registry>) -> Result<Prepared> {
    let graph = Graph::from_data(registry.clone(), import(scenario.graph.clone(), registry)?);
    let mut gradients = BTreeMap::new();
    for (number, step) in scenario.steps.iter().enumerate() {
        if !step.ys.is_empty() {
            gradients.insert(number, add_gradients(&graph, step));
        }
    }
    // A gradient that cannot be built leaves a mistake in its graph: the other steps then run on the plain one.
    let broken = gradients.values().any(Result::is_err);
    let data = if broken { import(scenario.graph.clone(), registry)? } else { graph.snapshot()? };
    let session = LocalSession::from_data(data, registry.clone(), Default::default())?;
    Ok(Prepared { session, gradients })
}

fn import(def: wire::GraphDef, registry: &Registry) -> Result<GraphData> {
    let mut data = GraphData::default();
    let options = ImportOptions { infer_shapes: true, allow_internal_ops: true };
    graph_from_proto(&mut data, def, registry, options)?;
    Ok(data)
}

/// Builds the gradients of sum(y * weight) for a step, and names them.
fn add_gradients(graph: &Graph, step: &Step) -> Result<Vec<Option<String>>> {
    let mut weighted = Vec::new();
    for (name, weight) in &step.ys {
        let weight = graph.constant(weight.clone());
        weighted.push(graph.op("Mul").input(graph.output(name)?).input(weight).output());
    }
    let xs = step.xs.iter().map(|name| graph.output(name)).collect::<Result<Vec<_>>>()?;
    let gradients = graph::gradients(&weighted, &xs)?;
    let dense: Vec<_> =
        gradients.iter().map(|gradient| gradient.as_ref().map(|gradient| gradient.to_dense())).collect();
    graph.check()?;
    Ok(dense.iter().map(|output| output.as_ref()?.name().map(|name| name.to_string())).collect())
}

impl Prepared {
    fn run(&self, number: usize, step: &Step, folder: &Folder) -> Result<Vec<Option<Tensor>>> {
        let wanted: Vec<Option<String>> = match self.gradients.get(&number) {
            Some(gradients) => gradients.clone()?,
            None => step.fetches.iter().cloned().map(Some).collect(),
        };
        if wanted.iter().all(Option::is_none) && step.targets.is_empty() {
            return Ok(vec![None; wanted.len()]);
        }
        let mut request = RunRequest::new();
        for (name, value) in &step.feeds {
            request.feeds.push((name.clone(), folder.in_place(value)));
        }
        request.fetches = wanted.iter().flatten().cloned().collect();
        request.targets = step.targets.clone();
        if request.fetches.is_empty() && request.targets.is_empty() {
            // Gradients that all are none: there is nothing to run.
            return Ok(vec![None; wanted.len()]);
        }
        request.options.timeout = Some(step.timeout_ms.map_or(STEP_LIMIT, Duration::from_millis));
        let mut values = self.session.fetch(request)?.into_iter();
        Ok(wanted.iter().map(|name| name.as_ref().and_then(|_| values.next())).collect())
    }
}

/// Compares what a step gave with what it should.
fn judge(step: &Step, got: Result<Vec<Option<Tensor>>>, folder: &Folder) -> Verdict {
    match (&step.expected, got) {
        (Outcome::Values(_), Err(status)) => Err(format!("failed: {status}")),
        (Outcome::Error { code, phrase }, Err(status)) => judge_error(*code, phrase, &status),
        (Outcome::Error { code, phrase }, Ok(values)) => {
            let values: Vec<String> = values.iter().map(show).collect();
            Err(format!("no error, but {}; expected {code} '{phrase}'", values.join(", ")))
        }
        (Outcome::Values(expected), Ok(values)) => {
            if expected.len() != values.len() {
                return Err(format!("{} values instead of {}", values.len(), expected.len()));
            }
            for (number, (value, expected)) in values.iter().zip(expected).enumerate() {
                match (value, expected) {
                    (None, None) => {}
                    (Some(value), Some(expected)) => judge_value(step, value, &folder.in_place(expected))
                        .map_err(|difference| format!("value {number}: {difference}"))?,
                    (None, Some(expected)) => {
                        return Err(format!("value {number}: none instead of {}", show(&Some(expected.clone()))));
                    }
                    (value, None) => return Err(format!("value {number}: {} instead of none", show(value))),
                }
            }
            Ok(())
        }
    }
}

fn judge_value(step: &Step, value: &Tensor, expected: &Tensor) -> Verdict {
    match step.mode.as_str() {
        "shape" => {
            let same = value.dtype() == expected.dtype() && value.dims() == expected.dims();
            if same { Ok(()) } else { Err(format!("{} instead of {}", value.shape(), expected.shape())) }
        }
        "summary" => same_summaries(value, expected),
        _ => compare(value, expected, step.tolerance.unwrap_or(Tolerance::of(expected.dtype()))),
    }
}

fn judge_error(code: tensor::Code, phrase: &str, status: &Status) -> Verdict {
    if status.code() != code {
        return Err(format!("{status} instead of {code} '{phrase}'"));
    }
    // Messages here begin in lower case where TensorFlow's do not.
    // TensorFlow calls a fed tensor `_arg_` and its name.
    let phrase = phrase.split(" _arg_").next().unwrap_or(phrase);
    match status.message().to_lowercase().contains(&phrase.to_lowercase()) {
        true => Ok(()),
        false => Err(format!("words: '{}' does not say '{phrase}'", status.message())),
    }
}

/// The shapes inferred for the node `op` once its inputs are constants, against TensorFlow's.
fn check_shapes(scenario: &Scenario, registry: &Arc<Registry>, failures: &mut Vec<String>) {
    let Some(first) = scenario.steps.first().filter(|_| !scenario.shapes.is_empty()) else { return };
    let mut def = scenario.graph.clone();
    for node in &mut def.node {
        let fed = first.feeds.iter().find(|(name, _)| name.strip_suffix(":0") == Some(node.name.as_str()));
        if let Some((_, value)) = fed
            && let Ok(value) = tensor::proto::to_proto(value)
        {
            let value = wire::AttrValue { value: Some(wire::attr_value::Value::Tensor(value)) };
            node.op = "Const".to_owned();
            node.attr.remove("shape");
            node.attr.insert("value".to_owned(), value);
        }
    }
    let data = match import(def, registry) {
        Ok(data) => data,
        Err(status) => {
            failures.push(format!("{} with constants: {status}", scenario.name));
            return;
        }
    };
    let Some(id) = data.find("op") else { return };
    for (index, expected) in scenario.shapes.iter().enumerate() {
        let got = data.node(id).output_shape(index);
        if got != *expected {
            let text = format!("{}: inferred shape {index} is {got} instead of {expected}", scenario.name);
            failures.push(text + &inputs(first));
        }
    }
}

fn show(value: &Option<Tensor>) -> String {
    match value {
        Some(tensor) => {
            let text = format!("{tensor:?}");
            text.chars().take(120).collect()
        }
        None => "none".to_owned(),
    }
}

fn inputs(step: &Step) -> String {
    let mut text = String::new();
    for (name, value) in &step.feeds {
        let _ = write!(text, "\n      {name} = {}", show(&Some(value.clone())));
    }
    text
}

/// A folder for the files of one scenario, removed at its end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Folder {
        static NUMBER: AtomicU64 = AtomicU64::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        Folder(std::env::temp_dir().join(format!("scenario-{}-{number}", std::process::id())))
    }

    fn write(&self, name: &str, content: &[u8]) -> std::io::Result<()> {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().unwrap_or(&self.0))?;
        std::fs::write(path, content)
    }

    /// The value with `$DIR` replaced by the folder.
    fn in_place(&self, value: &Tensor) -> Tensor {
        if value.dtype() != DType::String {
            return value.clone();
        }
        let Ok(strings) = value.strings() else { return value.clone() };
        let path = self.0.to_string_lossy();
        let replaced = strings.iter().map(|text| match std::str::from_utf8(text) {
            Ok(text) if text.contains("$DIR") => {
                let _ = std::fs::create_dir_all(&self.0);
                Bytes::from(text.replace("$DIR", &path))
            }
            _ => text.clone(),
        });
        Tensor::from_strings(value.shape().clone(), replaced.collect()).unwrap_or_else(|_| value.clone())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
