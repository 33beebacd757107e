//! Running a step: its graphs are registered once, then run on all tasks that it needs.

use std::sync::Arc;

use graph::TensorName;
use graph::op::{Cancellation, RendezvousKey};
use runtime::{Endings, Partition, Signature};
use tensor::{Result, Status, Tensor, bail, ensure, err};

use super::on_pool;
use super::session::MasterSession;
use super::task::Task;
use crate::peers::task_of;
use crate::worker::{PartialCall, StepAnswer, StepCall};

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
    /// Runs a step on all tasks that it needs. Dropping the future gives it up.
    pub async fn run(self: &Arc<Self>, request: StepRequest, cancellation: &Cancellation) -> Result<StepAnswer> {
        let StepRequest { feeds, fetches, targets, options } = request;
        let (names, values): (Vec<String>, Vec<Tensor>) = feeds.into_iter().unzip();
        let sends = self.keys(&names).zip(values).collect();
        let receives = self.keys(&fetches).collect();
        let parts = self.graphs_for(&signature(names, fetches, targets)?).await?;
        let step = RunningStep::begin(self, parts, cancellation)?;
        step.run(sends, receives, options, None, cancellation).await
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
        let mut parts = Vec::with_capacity(plan.partitions.len());
        for Partition { location, graph } in plan.partitions {
            let task = self.tasks.read().get(&location).cloned();
            let task = task.ok_or_else(|| {
                err!(Internal, "the step was placed on {location}, which takes no part in the session")
            })?;
            let handle = task
                .register_graph(&self.handle, graph)
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

    /// Runs all parts, and gathers what they give.
    pub async fn run(
        &self,
        sends: Vec<(RendezvousKey, Tensor)>,
        receives: Vec<RendezvousKey>,
        options: StepOptions,
        partial: Option<PartialCall>,
        cancellation: &Cancellation,
    ) -> Result<StepAnswer> {
        let (mut sends, mut receives) = (Some(sends), Some(receives));
        let mut calls = tokio::task::JoinSet::new();
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
            let (task, graph) = (task.clone(), graph.clone());
            let (session, cancellation) = (self.session.handle.clone(), cancellation.clone());
            calls.spawn(async move { (own, task.run_graph(&session, &graph, call, &cancellation).await) });
        }
        let (mut answer, mut failure) = (StepAnswer::default(), None::<Status>);
        while let Some(joined) = calls.join_next().await {
            match joined {
                Ok((own, Ok(part))) => {
                    if own {
                        answer.tensors = part.tensors;
                    }
                    if let Some(stats) = part.stats {
                        answer.stats.get_or_insert_default().nodes.extend(stats.nodes);
                    }
                    answer.graphs.extend(part.graphs);
                }
                Ok((_, Err(status))) => {
                    // The first cause counts; everything else of the step is called off.
                    cancellation.cancel(status.clone().derived());
                    if failure.as_ref().is_none_or(|first| first.is_derived() && !status.is_derived()) {
                        failure = Some(status);
                    }
                }
                Err(error) => failure = failure.or(Some(err!(Internal, "a part of the step broke off: {error}"))),
            }
        }
        match failure {
            None => Ok(answer),
            Some(status) => Err(match cancellation.reason() {
                Some(reason) if !reason.is_derived() => reason,
                _ => status,
            }),
        }
    }
}

impl Drop for RunningStep {
    fn drop(&mut self) {
        self.session.end(self.id);
        for (task, _) in self.parts.iter() {
            match task {
                Task::Own(worker) => worker.clean_up(self.id),
                Task::Other(_) => {
                    let (task, id) = (task.clone(), self.id);
                    self.session.worker.network.spawn(async move { task.clean_up(id).await });
                }
            }
        }
    }
}
