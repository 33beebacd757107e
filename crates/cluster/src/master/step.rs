//! Running a step: its graphs are registered once, then run on all tasks that it needs.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use graph::TensorName;
use graph::op::{Cancellation, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::{Endings, Gathering, Partition, Signature, Timer};
use tensor::{Result, Tensor, bail, ensure, err};

use super::costs::with_costs;
use super::session::MasterSession;
use crate::call::{
    Answer, GraphHandle, GraphTerms, PartialCall, StepAnswer, StepCall, StepOptions, StepRequest, TaskName, on_pool,
    task_of,
};
use crate::peer::{WorkerPeer, graph_key};

/// A step, ready to run.
#[derive(Default)]
pub(super) struct Registered {
    /// Worker and graph handle of each part.
    pub parts: Vec<(WorkerPeer, GraphHandle)>,
    /// How often it was started.
    runs: AtomicU64,
}

pub(super) type RegisteredParts = Arc<Registered>;

impl MasterSession {
    /// Runs a step on all tasks that it needs; `answer` is given when it has ended everywhere.
    fn run(self: &Arc<Self>, request: StepRequest, cancellation: &Cancellation, answer: Answer) {
        let StepRequest { feeds, fetches, targets, mut options } = request;
        let (names, values): (Vec<String>, Vec<Tensor>) = feeds.into_iter().unzip();
        let sends = self.keys(&names).zip(values).collect();
        let receives = self.keys(&fetches).collect();
        let signature = match signature(names, fetches, targets) {
            Ok(signature) => signature,
            Err(status) => return answer.give(Err(status)),
        };
        let known = self.registered.lock().ready(&signature);
        if let Some(parts) = known {
            return self.start(parts, sends, receives, options, cancellation, answer);
        }
        options.on_this_thread = false;
        let (session, cancellation) = (self.clone(), cancellation.clone());
        self.setup.network.spawn(async move {
            match session.graphs_for(&signature).await {
                Ok(parts) => session.start(parts, sends, receives, options, &cancellation, answer),
                Err(status) => answer.give(Err(status)),
            }
        });
    }

    /// Runs a step within its time limit, or else the session's: then `answer` is given `DeadlineExceeded`.
    pub fn run_within(self: &Arc<Self>, request: StepRequest, cancellation: &Cancellation, answer: Answer) {
        let Some(limit) = request.options.timeout.or(self.operation_timeout) else {
            return self.run(request, cancellation, answer);
        };
        let answer = Arc::new(Mutex::new(Some(answer)));
        let (late, token) = (answer.clone(), cancellation.clone());
        let alarm = Timer::global().after(limit, move || {
            let status = err!(DeadlineExceeded, "the step did not end within {} ms", limit.as_millis());
            token.cancel(status.clone());
            let answer = late.lock().take();
            if let Some(answer) = answer {
                answer.give(Err(status));
            }
        });
        let end = Answer::new(move |outcome| {
            drop(alarm);
            let answer = answer.lock().take();
            if let Some(answer) = answer {
                answer.give(outcome);
            }
        });
        self.run(request, cancellation, end);
    }

    fn start(
        self: &Arc<Self>,
        parts: RegisteredParts,
        sends: Vec<(RendezvousKey, Tensor)>,
        receives: Vec<RendezvousKey>,
        options: StepOptions,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        let before = parts.runs.fetch_add(1, Ordering::Relaxed);
        let due = self.cost_model.is_due(before);
        let (options, answer) = if due { with_costs(options, answer) } else { (options, answer) };
        match RunningStep::begin(self, parts, cancellation) {
            Err(status) => answer.give(Err(status)),
            Ok(step) => {
                let step = Arc::new(step);
                let held = step.clone();
                let (desk, begun) = (self.setup.desk.clone(), self.setup.desk.steps.begin());
                let end = Answer::new(move |outcome| {
                    desk.steps.end(begun, outcome.as_ref().err());
                    // First all tasks are told, then the client.
                    drop(held);
                    answer.give(outcome);
                });
                step.run(sends, receives, options, None, cancellation, end);
            }
        }
    }

    /// Returns the keys under which a client's values travel.
    pub(super) fn keys<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = RendezvousKey> + 'a {
        let (device, incarnation) = (&self.client_device, self.client_incarnation);
        names.iter().map(move |name| RendezvousKey::new(device, incarnation, device, name, 0, 0))
    }

    /// Returns the graphs of a signature, registered when it is first asked for. Steps of other signatures do not wait for that.
    pub(super) async fn graphs_for(&self, signature: &Signature) -> Result<RegisteredParts> {
        let (cell, given_up) = self.registered.lock().place(signature);
        for (worker, graph) in given_up.iter().flat_map(|registered| &registered.parts) {
            worker.deregister_graph(&self.handle, graph);
        }
        cell.get_or_try_init(|| self.register(signature)).await.cloned()
    }

    async fn register(&self, signature: &Signature) -> Result<RegisteredParts> {
        let endings = Endings::Rendezvous { device: self.client_device.clone(), incarnation: self.client_incarnation };
        let (planner, wanted) = (self.planner.clone(), signature.clone());
        let ours: BTreeSet<TaskName> =
            self.workers.read().iter().filter(|(_, worker)| worker.is_ours()).map(|(name, _)| name.clone()).collect();
        let plan = on_pool(&self.setup.pool, "planning a step", move || {
            let knows = |device: &str| ours.contains(&TaskName::from(task_of(device).to_owned()));
            planner.read().plan_among(&wanted, &endings, |device| task_of(device).to_owned(), knows)
        })
        .await?;
        let mut workers = Vec::with_capacity(plan.partitions.len());
        for Partition { location, graph } in plan.partitions {
            let location = TaskName::from(location);
            let worker = self.workers.read().get(&location).cloned();
            let worker = worker.ok_or_else(|| {
                err!(Internal, "the step was placed on {location}, which takes no part in the session")
            })?;
            workers.push((worker, location, graph));
        }
        // Others are told before this task begins with its own part.
        workers.sort_by_key(|(worker, ..)| worker.is_own());
        let linked = workers.iter().filter(|(worker, ..)| self.peers.is_linked(worker));
        let linked: Vec<TaskName> = linked.map(|(_, location, _)| location.clone()).collect();
        let mixed = workers.iter().any(|(worker, ..)| !worker.is_own() && !self.peers.is_linked(worker));
        let terms = GraphTerms { linked, mixed, collectives: graph_key(workers.iter().map(|(.., graph)| graph)) };
        let mut parts = Vec::with_capacity(workers.len());
        for (worker, _, graph) in workers {
            let handle = worker
                .register_graph(&self.setup.pool, &self.handle, graph, &terms)
                .await
                .map_err(|status| status.context(format_args!("registering a graph on {}", worker.name())))?;
            parts.push((worker, handle));
        }
        Ok(Arc::new(Registered { parts, runs: AtomicU64::new(0) }))
    }
}

/// Returns a signature in its one order.
///
/// # Errors
/// `InvalidArgument` for a tensor that is named twice, or both fed and fetched, or malformed.
pub(super) fn signature(feeds: Vec<String>, fetches: Vec<String>, targets: Vec<String>) -> Result<Signature> {
    let mut signature = Signature { feeds, fetches, targets };
    signature.feeds.sort();
    signature.fetches.sort();
    signature.targets.sort();
    for pair in signature.feeds.windows(2).chain(signature.fetches.windows(2)) {
        ensure!(pair[0] != pair[1], InvalidArgument, "tensor {} is named twice in one step", pair[0]);
    }
    for name in &signature.fetches {
        name.parse::<TensorName>()?;
        if signature.feeds.binary_search(name).is_ok() {
            bail!(InvalidArgument, "tensor {name} is both fed and fetched");
        }
    }
    Ok(signature)
}

/// A step that runs. When it ends, also because nobody waits for it any more, all tasks forget it.
pub(super) struct RunningStep {
    id: StepId,
    session: Arc<MasterSession>,
    parts: RegisteredParts,
}

impl RunningStep {
    /// Notes that the step runs.
    ///
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub fn begin(
        session: &Arc<MasterSession>,
        parts: RegisteredParts,
        cancellation: &Cancellation,
    ) -> Result<RunningStep> {
        Ok(RunningStep { id: session.begin(cancellation)?, session: session.clone(), parts })
    }

    /// Runs all parts; `answer` is given what they returned.
    pub fn run(
        &self,
        sends: Vec<(RendezvousKey, Tensor)>,
        receives: Vec<RendezvousKey>,
        options: StepOptions,
        partial: Option<PartialCall>,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        let done = move |outcome| answer.give(outcome);
        let gathering = Arc::new(Gathering::new(self.parts.parts.len(), cancellation.clone(), done));
        let (mut sends, mut receives) = (Some(sends), Some(receives));
        for (worker, graph) in &self.parts.parts {
            // The client's values enter and leave on this task.
            let own = worker.is_own();
            let call = StepCall {
                id: self.id,
                sends: if own { sends.take().unwrap_or_default() } else { Vec::new() },
                receives: if own { receives.take().unwrap_or_default() } else { Vec::new() },
                trace: options.trace,
                graphs: options.graphs,
                partial,
                on_this_thread: options.on_this_thread,
            };
            let gathering = gathering.clone();
            let part = Answer::new(move |outcome| gathering.arrive(outcome, |sum, part| add_part(sum, part, own)));
            worker.run_graph(&self.session.handle, graph, call, cancellation, part);
        }
    }
}

/// Adds what a part returned to the answer of the step; the tensors are those of the `own` task.
fn add_part(sum: &mut StepAnswer, part: StepAnswer, own: bool) {
    if own {
        sum.tensors = part.tensors;
    }
    if let Some(stats) = part.stats {
        sum.stats.get_or_insert_default().nodes.extend(stats.nodes);
    }
    sum.graphs.extend(part.graphs);
}

impl Drop for RunningStep {
    fn drop(&mut self) {
        self.session.end(self.id);
        for (worker, _) in &self.parts.parts {
            worker.clean_up(self.id);
        }
    }
}
