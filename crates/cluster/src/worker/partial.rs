//! Steps in several calls: the first starts the graph, each brings values and takes some, the last waits for the end.

use std::sync::Arc;

use graph::op::{Cancellation, Parcel, Rendezvous, RendezvousKey};
use runtime::{LocalRendezvous, StepStats};
use tensor::{Result, Tensor, err};
use tokio::sync::{oneshot, watch};

use super::session::RegisteredGraph;
use super::{Worker, step};
use crate::call::{Answer, PartialCall, StepAnswer, StepCall};

/// An execution that outlives the call which started it.
#[derive(Clone)]
pub(super) struct PartialRun {
    pub cancellation: Cancellation,
    outcome: watch::Receiver<Option<Result<Option<StepStats>>>>,
}

/// Makes one more call of a partial run.
pub(super) fn advance(
    worker: &Worker,
    graph: Arc<RegisteredGraph>,
    call: StepCall,
    cancellation: &Cancellation,
    answer: Answer,
) {
    let whole = worker.steps.partial_cancellation(call.id);
    let local = match worker.steps.begin(call.id, call.sends, &graph, &whole) {
        Ok(local) => local,
        Err(status) => return answer.give(Err(status)),
    };
    let run = worker.steps.partial_run(call.id, || {
        let (tell, outcome) = watch::channel(None);
        let setup = step::setup(worker, &graph, call.id, &local, &whole, call.trace);
        let aborted = local.clone();
        let done = Box::new(move |outcome: Result<Option<StepStats>>| {
            if let Err(status) = &outcome {
                aborted.abort(status.clone());
            }
            tell.send_replace(Some(outcome));
        });
        let aborted = local.clone();
        let start = move || runtime::run_parts(&graph.parts, setup, move |status| aborted.abort(status.clone()), done);
        (PartialRun { cancellation: whole.clone(), outcome }, start)
    });
    let (receives, last) = (call.receives, call.partial == Some(PartialCall::Last));
    let registration = cancellation.on_cancel(move |status| whole.cancel(status.clone()));
    worker.network.spawn(async move {
        let outcome = take(&local, &receives, run, last).await;
        drop(registration);
        answer.give(outcome);
    });
}

async fn take(
    local: &LocalRendezvous,
    receives: &[RendezvousKey],
    mut run: PartialRun,
    last: bool,
) -> Result<StepAnswer> {
    let mut tensors: Vec<Tensor> = Vec::with_capacity(receives.len());
    for key in receives {
        let (send, arrival) = oneshot::channel();
        local.recv(key, Box::new(move |outcome| drop(send.send(outcome))));
        let parcel = arrival.await.unwrap_or_else(|_| Err(err!(Aborted, "the step was forgotten")))?;
        let Parcel::Tensor(tensor) = parcel else {
            let name = key.name();
            return Err(err!(Internal, "Failed to fetch outputs: the tensor returned for {name} was not valid."));
        };
        tensors.push(tensor);
    }
    let mut stats = None;
    if last {
        let ended = run.outcome.wait_for(Option::is_some).await;
        let ended = ended.map_err(|_| err!(Internal, "the step ended without an answer"))?;
        stats = ended.clone().unwrap_or(Ok(None))?;
    }
    Ok(StepAnswer { tensors, stats, ..Default::default() })
}
