//! Calls over a link: each has a number, by which its answer is known, and a callback that takes the answer.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use graph::op::{Cancellation, Registration, StepId};
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor};

use super::connect::{Done, Link};
use super::frame::{CallId, FrameKind, Head, Outbound};
use super::messages::{read_graph_reply, read_step_reply, register_graph_call, run_graph_call, run_step_call};
use crate::call::messages::told_by;
use crate::call::{Answer, GraphHandle, GraphTerms, SessionHandle, StepAnswer, StepCall};

impl Link {
    /// Asks a master for a step; returns the number of the call. `done` is called once.
    pub fn run_step(
        self: &Arc<Self>,
        message: &wire::RunStepRequest,
        feeds: &[(String, Tensor)],
        done: impl FnOnce(Result<StepAnswer>) + Send + 'static,
    ) -> CallId {
        let id = self.next_id();
        let done: Done = Box::new(move |answer| done(answer.and_then(read_step_reply)));
        self.start(id, run_step_call(id, message, feeds), done);
        id
    }

    /// Asks a worker for a step of a registered graph; errors name the worker.
    pub fn run_graph(
        self: &Arc<Self>,
        session: &SessionHandle,
        graph: &GraphHandle,
        call: &StepCall,
        cancellation: &Cancellation,
        answer: Answer,
    ) {
        // Cancelling is listened to until there is an answer.
        let listening: Arc<Mutex<Option<Registration>>> = Arc::default();
        let (slot, link) = (listening.clone(), self.clone());
        let done: Done = Box::new(move |reply| {
            let registration = slot.lock().take();
            drop(registration);
            answer.give(reply.and_then(read_step_reply).map_err(|status| told_by(link.peer(), status)));
        });
        let id = self.next_id();
        self.start(id, run_graph_call(id, session, graph, call), done);
        let link = self.clone();
        let registration = cancellation.on_cancel(move |status| link.cancel(id, status.clone()));
        *listening.lock() = Some(registration);
    }

    /// Registers a graph at a worker; `done` is called once, with its handle.
    pub fn register_graph(
        self: &Arc<Self>,
        session: &SessionHandle,
        terms: &GraphTerms,
        graph: &wire::GraphDef,
        done: impl FnOnce(Result<GraphHandle>) + Send + 'static,
    ) {
        let id = self.next_id();
        let done: Done = Box::new(move |answer| done(answer.map(read_graph_reply)));
        self.start(id, Ok(register_graph_call(id, session, terms, graph)), done);
    }

    /// Gives a call up; its callback gets this status, unless it was called already.
    pub fn cancel(&self, id: CallId, status: Status) {
        let current = self.current.lock().clone();
        if let Some(connection) = current
            && connection.answer(id, Err(status))
        {
            let _ = connection.out.post(Outbound::new(Head::of_call(FrameKind::Cancel, id)));
        }
    }

    /// Tells the other end that a step is over, some time soon.
    pub fn clean_up(&self, step: StepId) {
        if let Some(connection) = &*self.current.lock() {
            let _ = connection.out.post_later(Head::of_step(FrameKind::CleanUp, step));
        }
    }

    fn next_id(&self) -> CallId {
        CallId(self.next_call.fetch_add(1, Ordering::Relaxed))
    }

    fn start(self: &Arc<Self>, id: CallId, message: Result<Outbound>, done: Done) {
        let message = match message {
            Ok(message) => message,
            Err(status) => return done(Err(status)),
        };
        let connection = self.connection();
        connection.calls.lock().insert(id, done);
        if let Err(status) = connection.out.post(message) {
            connection.answer(id, Err(self.explain(&status)));
        }
    }
}
