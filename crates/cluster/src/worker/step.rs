//! The execution of a step on a worker.

use std::sync::Arc;

use graph::graph_to_proto;
use graph::op::{Cancellation, Parcel, RendezvousKey, StepId};
use parking_lot::Mutex;
use runtime::{LocalRendezvous, StepSetup, StepStats, run_parts};
use tensor::{Result, Tensor, err};

use super::Worker;
use super::rendezvous::TaskRendezvous;
use super::session::RegisteredGraph;
use crate::call::{Answer, StepAnswer, StepCall};

/// Returns what the parts of a step share on this task.
pub(super) fn setup(
    worker: &Worker,
    graph: &RegisteredGraph,
    id: StepId,
    local: &Arc<LocalRendezvous>,
    cancellation: &Cancellation,
    trace: bool,
) -> StepSetup {
    let rendezvous = Arc::new(TaskRendezvous {
        step: id,
        local: local.clone(),
        steps: worker.steps.clone(),
        routes: graph.routes.clone(),
        outbox: Mutex::default(),
        cancellation: cancellation.clone(),
    });
    let collectives = graph.collectives.clone();
    StepSetup { id, rendezvous, collectives, cancellation: cancellation.clone(), frame: Arc::default(), trace }
}

/// Starts a step. What it sends to other tasks waits in its rendezvous until the step is forgotten.
pub(super) fn start(
    worker: &Worker,
    graph: Arc<RegisteredGraph>,
    call: StepCall,
    cancellation: &Cancellation,
    answer: Answer,
) {
    let local = match worker.steps.begin(call.id, call.sends, &graph, cancellation) {
        Ok(local) => local,
        Err(status) => return answer.give(Err(status)),
    };
    let (desk, begun) = (worker.desk.clone(), worker.desk.parts.begin());
    let counted = graph.sequence.map(|key| {
        worker.mixed.numbers.begin(call.id, key);
        worker.mixed.clone()
    });
    let traced = desk.traces().then(|| graph.session.clone());
    let setup = setup(worker, &graph, call.id, &local, cancellation, call.trace || traced.is_some());
    let (aborted, receives, steps, id) = (local.clone(), call.receives, worker.steps.clone(), call.id);
    let (told, asked) = (call.graphs.then(|| graph.clone()), call.trace);
    let done = Box::new(move |outcome: Result<Option<StepStats>>| {
        steps.executed(id);
        if let Some(mixed) = counted {
            mixed.numbers.end(id, outcome.is_ok());
        }
        desk.parts.end(begun, outcome.as_ref().err());
        if let (Some(session), Ok(Some(stats))) = (traced, &outcome) {
            desk.traced(id, &session, stats);
        }
        answer.give(match outcome {
            Ok(stats) => gather(&local, &receives, stats.filter(|_| asked), told.as_deref()),
            Err(status) => {
                // Peers that wait for a tensor of this step must not wait for ever.
                local.abort(status.clone());
                Err(status)
            }
        });
    });
    run_parts(&graph.parts, setup, move |status| aborted.abort(status.clone()), done);
}

fn gather(
    local: &LocalRendezvous,
    receives: &[RendezvousKey],
    stats: Option<StepStats>,
    graph: Option<&RegisteredGraph>,
) -> Result<StepAnswer> {
    let take = |key: &RendezvousKey| match local.take(key.as_str()) {
        Some(Parcel::Tensor(tensor)) => Ok(tensor),
        _ => Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {} was not valid.", key.name())),
    };
    let tensors: Vec<Tensor> = receives.iter().map(take).collect::<Result<_>>()?;
    let graphs = graph.map_or(&[][..], |graph| &graph.graphs).iter().map(graph_to_proto).collect::<Result<_>>()?;
    Ok(StepAnswer { tensors, stats, graphs, costs: None })
}
