//! A step on its way: what a client asks for, what each task is called with, and the answer.

use std::time::Duration;

use graph::op::{RendezvousKey, StepId};
use runtime::StepStats;
use tensor::{Result, Tensor, ensure, err};

/// What a client asks for in one step.
#[derive(Default)]
pub(crate) struct StepRequest {
    pub feeds: Vec<(String, Tensor)>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
    pub options: StepOptions,
}

/// How a step shall run.
#[derive(Clone, Copy, Default)]
pub(crate) struct StepOptions {
    /// Tell what ran when.
    pub trace: bool,
    /// Tell the graphs that ran.
    pub graphs: bool,
    /// Give up after this time.
    pub timeout: Option<Duration>,
    /// The thread that asks waits for the step, so it may do what it can of it.
    pub on_this_thread: bool,
}

/// A step whose feeds, fetches and targets are agreed once; its values go by position.
pub(crate) struct Callable {
    pub feeds: Vec<String>,
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
    pub options: StepOptions,
}

impl Callable {
    /// Returns the step that these values make of it.
    ///
    /// # Errors
    /// `InvalidArgument` if the number of values is wrong.
    pub fn step(&self, feeds: Vec<Tensor>) -> Result<StepRequest> {
        let (expected, given) = (self.feeds.len(), feeds.len());
        ensure!(given == expected, InvalidArgument, "Expected {expected} feed tensors, but got {given}");
        Ok(StepRequest {
            feeds: self.feeds.iter().cloned().zip(feeds).collect(),
            fetches: self.fetches.clone(),
            targets: self.targets.clone(),
            options: self.options,
        })
    }
}

/// One step of a registered graph, as a master asks a task for it.
pub(crate) struct StepCall {
    pub id: StepId,
    /// Values by rendezvous key, put there before the step begins.
    pub sends: Vec<(RendezvousKey, Tensor)>,
    /// Keys of the values to return.
    pub receives: Vec<RendezvousKey>,
    pub trace: bool,
    /// Whether to tell the graphs that ran.
    pub graphs: bool,
    /// For a step in several calls: which of them this is.
    pub partial: Option<PartialCall>,
    /// Whether the calling thread has nothing else to do.
    pub on_this_thread: bool,
}

/// A call of a step that runs in several.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum PartialCall {
    NotLast,
    Last,
}

impl PartialCall {
    /// Reads the two flags of a message.
    pub fn from_flags(partial: bool, last: bool) -> Option<PartialCall> {
        partial.then_some(if last { PartialCall::Last } else { PartialCall::NotLast })
    }
}

/// What a step returned: tensors in the order in which they were asked for.
#[derive(Default)]
pub(crate) struct StepAnswer {
    pub tensors: Vec<Tensor>,
    pub stats: Option<StepStats>,
    pub graphs: Vec<wire::GraphDef>,
    /// What the nodes cost.
    pub costs: Option<wire::CostGraphDef>,
}

/// Takes the outcome of a step, once. Whoever drops it without an outcome, because of a panic, has answered `Internal`: no
/// caller waits for ever.
pub(crate) struct Answer(Option<Box<dyn FnOnce(Result<StepAnswer>) + Send>>);

impl Answer {
    /// Calls `take` with the outcome.
    pub fn new(take: impl FnOnce(Result<StepAnswer>) + Send + 'static) -> Answer {
        Answer(Some(Box::new(take)))
    }

    /// Tells the outcome.
    pub fn give(mut self, outcome: Result<StepAnswer>) {
        if let Some(take) = self.0.take() {
            take(outcome);
        }
    }
}

impl Drop for Answer {
    fn drop(&mut self) {
        if let Some(take) = self.0.take() {
            take(Err(err!(Internal, "the step broke off without an answer: the log of its server says more")));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tensor::Code;

    #[test]
    fn an_answer_that_is_dropped_has_been_given() {
        let (send, outcomes) = mpsc::channel();
        let answer = |send: mpsc::Sender<Result<usize>>| {
            Answer::new(move |outcome| send.send(outcome.map(|answer| answer.tensors.len())).unwrap())
        };
        answer(send.clone()).give(Ok(StepAnswer::default()));
        drop(answer(send));
        assert_eq!(outcomes.recv().unwrap().unwrap(), 0);
        assert_eq!(outcomes.recv().unwrap().unwrap_err().code(), Code::Internal);
        // Each answered once.
        assert!(outcomes.recv().is_err());
    }

    #[test]
    fn a_callable_takes_as_many_values_as_were_agreed_on() {
        let callable = Callable {
            feeds: vec!["x:0".to_owned()],
            fetches: Vec::new(),
            targets: Vec::new(),
            options: StepOptions::default(),
        };
        assert_eq!(callable.step(vec![Tensor::from(1f32)]).unwrap().feeds, [("x:0".to_owned(), Tensor::from(1f32))]);
        assert_eq!(callable.step(Vec::new()).err().unwrap().code(), Code::InvalidArgument);
    }
}
