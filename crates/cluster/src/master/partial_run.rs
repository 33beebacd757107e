//! Partial runs: one step in several calls, each with some of the feeds and fetches agreed at the beginning.

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use graph::op::Cancellation;
use graph::{GraphData, NodeId, TensorName};
use parking_lot::Mutex;
use tensor::{Result, Tensor, bail, ensure, err};
use tokio::sync::oneshot;

use super::CancelOnDrop;
use super::session::MasterSession;
use super::step::{RunningStep, signature};
use crate::call::{Answer, PartialCall, PartialRunHandle, StepAnswer, StepRequest};

/// A step that waits for its next call.
pub(super) struct PartialRun {
    step: RunningStep,
    cancellation: Cancellation,
    feeds: HashSet<String>,
    left: Mutex<Left>,
}

/// What no call has brought or taken yet.
struct Left {
    feeds: HashSet<String>,
    fetches: HashSet<String>,
}

impl MasterSession {
    /// Prepares a partial run; returns its handle.
    ///
    /// # Errors
    /// As planning a step does; `FailedPrecondition` if the session is closed.
    pub async fn set_up_partial_run(
        self: &Arc<Self>,
        feeds: Vec<String>,
        fetches: Vec<String>,
        targets: Vec<String>,
    ) -> Result<PartialRunHandle> {
        let left = Left { feeds: feeds.iter().cloned().collect(), fetches: fetches.iter().cloned().collect() };
        let parts = self.graphs_for(&signature(feeds, fetches, targets)?).await?;
        let cancellation = Cancellation::new();
        let step = RunningStep::begin(self, parts, &cancellation)?;
        let handle = self.next_partial_run.fetch_add(1, Ordering::Relaxed);
        let handle = PartialRunHandle::from(handle.to_string());
        let run = PartialRun { step, cancellation, feeds: left.feeds.clone(), left: Mutex::new(left) };
        self.partial_runs.lock().insert(handle.clone(), Arc::new(run));
        Ok(handle)
    }

    /// The next call of a partial run. A call that fails ends it.
    ///
    /// # Errors
    /// `InvalidArgument` for an unknown handle, for feeds and fetches that were not agreed on or came before, and for
    /// fetches that need a feed which is still missing; as steps do.
    pub async fn run_partially(
        &self,
        handle: &PartialRunHandle,
        request: StepRequest,
        call: &Cancellation,
    ) -> Result<StepAnswer> {
        let found = self.partial_runs.lock().get(handle).cloned();
        let run = found.ok_or_else(|| {
            err!(InvalidArgument, "Must run PartialRunSetup before performing partial runs: there is no run {handle}")
        })?;
        ensure!(request.targets.is_empty(), InvalidArgument, "a partial run names its targets when it is set up");
        let last = run.take(&request, self.planner.read().graph())?;
        let (names, values): (Vec<String>, Vec<Tensor>) = request.feeds.into_iter().unzip();
        let sends = self.keys(&names).zip(values).collect();
        let receives = self.keys(&request.fetches).collect();
        let whole = run.cancellation.clone();
        let registration = call.on_cancel(move |status| whole.cancel(status.clone()));
        let guard = CancelOnDrop(Some(run.cancellation.clone()));
        let partial = Some(if last { PartialCall::Last } else { PartialCall::NotLast });
        let (send, outcome) = oneshot::channel();
        let answer = Answer::new(move |outcome| drop(send.send(outcome)));
        run.step.run(sends, receives, request.options, partial, &run.cancellation, answer);
        let outcome = outcome.await.unwrap_or_else(|_| Err(err!(Internal, "the step ended without an answer")));
        drop(registration);
        guard.disarm();
        if last || outcome.is_err() {
            self.partial_runs.lock().remove(handle);
        }
        outcome
    }
}

impl PartialRun {
    /// Takes a call's feeds and fetches off what is left; returns whether nothing remains.
    fn take(&self, request: &StepRequest, graph: &GraphData) -> Result<bool> {
        let mut left = self.left.lock();
        for (name, _) in &request.feeds {
            ensure!(
                left.feeds.contains(name),
                InvalidArgument,
                "The feed {name} was not specified in partial_run_setup, or has already been fed."
            );
        }
        for name in &request.fetches {
            ensure!(
                left.fetches.contains(name),
                InvalidArgument,
                "The fetch {name} was not specified in partial_run_setup, or has already been fetched."
            );
        }
        let missing: HashSet<&str> = left
            .feeds
            .iter()
            .map(String::as_str)
            .filter(|name| !request.feeds.iter().any(|(given, _)| given == name))
            .collect();
        for name in &request.fetches {
            check_computable(graph, name, &self.feeds, &missing)?;
        }
        for (name, _) in &request.feeds {
            left.feeds.remove(name);
        }
        for name in &request.fetches {
            left.fetches.remove(name);
        }
        Ok(left.feeds.is_empty() && left.fetches.is_empty())
    }
}

/// Makes sure that a fetch can be had without the feeds that are missing.
///
/// # Errors
/// `InvalidArgument` if it needs one of them; `NotFound` if there is no such node.
fn check_computable(graph: &GraphData, fetch: &str, feeds: &HashSet<String>, missing: &HashSet<&str>) -> Result<()> {
    let name: TensorName = fetch.parse()?;
    let start = graph.find(&name.node).ok_or_else(|| err!(NotFound, "there is no node {}", name.node))?;
    let (mut seen, mut todo): (HashSet<NodeId>, Vec<NodeId>) = ([start].into(), vec![start]);
    while let Some(id) = todo.pop() {
        let node = graph.node(id);
        for input in &node.inputs {
            let source = format!("{}:{}", graph.node(input.node).name, input.index);
            if missing.contains(source.as_str()) {
                bail!(InvalidArgument, "Tensor {source} must be fed before {fetch} can be fetched.");
            }
            if !feeds.contains(&source) && seen.insert(input.node) {
                todo.push(input.node);
            }
        }
        todo.extend(node.control_inputs.iter().copied().filter(|id| seen.insert(*id)));
    }
    Ok(())
}
