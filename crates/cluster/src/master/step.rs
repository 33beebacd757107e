//! Running a step: its graphs are registered once, then run on all tasks that it needs.

use std::sync::Arc;
use std::time::Duration;

use graph::TensorName;
use graph::op::{Cancellation, RendezvousKey};
use parking_lot::Mutex;
use runtime::{Endings, Partition, Signature, Timer};
use tensor::{Result, Status, Tensor, bail, ensure, err};

use super::on_pool;
use super::session::MasterSession;
use super::task::Task;
use crate::peers::task_of;
use crate::worker::{Answer, PartialCall, StepAnswer, StepCall};

/// What a client asks for in one step.
#[derive(Default)]
pub(crate) struct StepRequest {
    pub feeds: Vec<(String, Tensor)>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
    pub options: StepOptions,
}

#[derive(Clone, Copy, Default)]
pub(crate) struct StepOptions {
    /// Tell what ran when.
    pub trace: bool,
    /// Tell the graphs that ran.
    pub graphs: bool,
}

/// Task and graph handle of each part of a step.
pub(super) type RegisteredParts = Arc<Vec<(Task, String)>>;

impl MasterSession {
    /// Runs a step on all tasks that it needs; `done` is called once, when it has ended everywhere.
    pub fn run(self: &Arc<Self>, request: StepRequest, cancellation: &Cancellation, done: Answer) {
        let StepRequest { feeds, fetches, targets, options } = request;
        let (names, values): (Vec<String>, Vec<Tensor>) = feeds.into_iter().unzip();
        let sends = self.keys(&names).zip(values).collect();
        let receives = self.keys(&fetches).collect();
        let signature = match signature(names, fetches, targets) {
            Ok(signature) => signature,
            Err(status) => return done(Err(status)),
        };
        let known = self.registered.lock().get(&signature).and_then(|cell| cell.get().cloned());
        if let Some(parts) = known {
            return self.start(parts, sends, receives, options, cancellation, done);
        }
        let (session, cancellation) = (self.clone(), cancellation.clone());
        self.worker.network.spawn(async move {
            match session.graphs_for(&signature).await {
                Ok(parts) => session.start(parts, sends, receives, options, &cancellation, done),
                Err(status) => done(Err(status)),
            }
        });
    }

    /// As [`run`](Self::run), but `done` is called with `DeadlineExceeded` when the time limit of the step, or else of the
    /// session, has passed.
    pub fn run_within(
        self: &Arc<Self>,
        request: StepRequest,
        limit: Option<Duration>,
        cancellation: &Cancellation,
        done: Answer,
    ) {
        let Some(limit) = limit.or(self.operation_timeout) else { return self.run(request, cancellation, done) };
        let done = Arc::new(Mutex::new(Some(done)));
        let (late, token) = (done.clone(), cancellation.clone());
        let alarm = Timer::global().after(limit, move || {
            let status = err!(DeadlineExceeded, "the step did not end within {} ms", limit.as_millis());
            token.cancel(status.clone());
            let done = late.lock().take();
            if let Some(done) = done {
                done(Err(status));
            }
        });
        let end = Box::new(move |outcome| {
            drop(alarm);
            let done = done.lock().take();
            if let Some(done) = done {
                done(outcome);
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
        done: Answer,
    ) {
        match RunningStep::begin(self, parts, cancellation) {
            Err(status) => done(Err(status)),
            Ok(step) => {
                let step = Arc::new(step);
                let held = step.clone();
                let end = Box::new(move |outcome| {
                    // First all tasks are told, then the client.
                    drop(held);
                    done(outcome);
                });
                step.run(sends, receives, options, None, cancellation, end);
            }
        }
    }

    /// The keys under which a client's values travel.
    pub(super) fn keys<'a>(&'a self, names: &'a [String]) -> impl Iterator<Item = RendezvousKey> + 'a {
        let (device, incarnation) = (&self.client_device, self.client_incarnation);
        names.iter().map(move |name| RendezvousKey::new(device, incarnation, device, name, 0, 0))
    }

    /// The graphs of a signature, registered when it is first asked for. Steps of other signatures do not wait for that.
    pub(super) async fn graphs_for(&self, signature: &Signature) -> Result<RegisteredParts> {
        let cell = self.registered.lock().entry(signature.clone()).or_default().clone();
        cell.get_or_try_init(|| self.register(signature)).await.cloned()
    }

    async fn register(&self, signature: &Signature) -> Result<RegisteredParts> {
        let endings = Endings::Rendezvous { device: self.client_device.clone(), incarnation: self.client_incarnation };
        let (planner, wanted) = (self.planner.clone(), signature.clone());
        let plan =
            on_pool(&self.worker, move || planner.read().plan(&wanted, &endings, |device| task_of(device).to_owned()))
                .await?;
        let mut tasks = Vec::with_capacity(plan.partitions.len());
        for Partition { location, graph } in plan.partitions {
            let task = self.tasks.read().get(&location).cloned();
            let task = task.ok_or_else(|| {
                err!(Internal, "the step was placed on {location}, which takes no part in the session")
            })?;
            tasks.push((task, location, graph));
        }
        let linked: Vec<String> = tasks
            .iter()
            .filter(|(task, ..)| match task {
                Task::Own(_) => self.peers.may_link(),
                Task::Other(peer) => self.peers.is_linked(peer),
            })
            .map(|(_, location, _)| location.clone())
            .collect();
        let mut parts = Vec::with_capacity(tasks.len());
        for (task, _, graph) in tasks {
            let handle = task
                .register_graph(self, graph, &linked)
                .await
                .map_err(|status| status.context(format_args!("registering a graph on {}", task.name())))?;
            parts.push((task, handle));
        }
        Ok(Arc::new(parts))
    }
}

/// A signature in its one order.
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
    id: i64,
    session: Arc<MasterSession>,
    parts: RegisteredParts,
}

impl RunningStep {
    /// # Errors
    /// `FailedPrecondition` if the session is closed.
    pub fn begin(
        session: &Arc<MasterSession>,
        parts: RegisteredParts,
        cancellation: &Cancellation,
    ) -> Result<RunningStep> {
        Ok(RunningStep { id: session.begin(cancellation)?, session: session.clone(), parts })
    }

    /// Runs all parts; `done` is called once, with what they gave.
    pub fn run(
        &self,
        sends: Vec<(RendezvousKey, Tensor)>,
        receives: Vec<RendezvousKey>,
        options: StepOptions,
        partial: Option<PartialCall>,
        cancellation: &Cancellation,
        done: Answer,
    ) {
        let state = Gathered { missing: self.parts.len(), done: Some(done), ..Default::default() };
        let gathering = Arc::new(Gathering { cancellation: cancellation.clone(), state: Mutex::new(state) });
        let (mut sends, mut receives) = (Some(sends), Some(receives));
        for (task, graph) in self.parts.iter() {
            // The client's values enter and leave on this task.
            let own = matches!(task, Task::Own(_));
            let call = StepCall {
                id: self.id,
                sends: if own { sends.take().unwrap_or_default() } else { Vec::new() },
                receives: if own { receives.take().unwrap_or_default() } else { Vec::new() },
                trace: options.trace,
                graphs: options.graphs,
                partial,
            };
            let gathering = gathering.clone();
            let arrive = Box::new(move |outcome| gathering.arrive(own, outcome));
            task.run_graph(&self.session, graph, call, cancellation, arrive);
        }
        if self.parts.is_empty() {
            gathering.finish(gathering.state.lock());
        }
    }
}

/// Where the parts of a step come together.
struct Gathering {
    cancellation: Cancellation,
    state: Mutex<Gathered>,
}

#[derive(Default)]
struct Gathered {
    missing: usize,
    answer: StepAnswer,
    failure: Option<Status>,
    done: Option<Answer>,
}

impl Gathering {
    fn arrive(&self, own: bool, outcome: Result<StepAnswer>) {
        if let Err(status) = &outcome {
            // Everything else of the step is called off.
            self.cancellation.cancel(status.clone().derived());
        }
        let mut state = self.state.lock();
        state.missing = state.missing.saturating_sub(1);
        match outcome {
            Ok(part) => {
                if own {
                    state.answer.tensors = part.tensors;
                }
                if let Some(stats) = part.stats {
                    state.answer.stats.get_or_insert_default().nodes.extend(stats.nodes);
                }
                state.answer.graphs.extend(part.graphs);
            }
            // The first cause counts.
            Err(status) if state.failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) => {
                state.failure = Some(status);
            }
            Err(_) => {}
        }
        if state.missing == 0 {
            self.finish(state);
        }
    }

    fn finish(&self, mut state: parking_lot::MutexGuard<'_, Gathered>) {
        let (answer, failure, done) = (std::mem::take(&mut state.answer), state.failure.take(), state.done.take());
        drop(state);
        let Some(done) = done else { return };
        done(match failure {
            None => Ok(answer),
            Some(status) => Err(match self.cancellation.reason() {
                Some(reason) if !reason.is_derived() => reason,
                _ => status,
            }),
        });
    }
}

impl Drop for RunningStep {
    fn drop(&mut self) {
        self.session.end(self.id);
        for (task, _) in self.parts.iter() {
            task.clean_up(&self.session, self.id);
        }
    }
}
