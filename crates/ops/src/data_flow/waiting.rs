//! A state that kernels change when it allows them to, and wait for until then, without holding a thread.
//!
//! Whoever waits tries again after every change, the first who came first; nobody is called back while the lock is held.

use std::sync::Arc;

use graph::op::{Cancellation, Done, Outputs};
use parking_lot::Mutex;
use tensor::{Result, Status, err};

use crate::pending::Pending;

pub(crate) struct Shared<S> {
    inner: Mutex<Inner<S>>,
}

struct Inner<S> {
    state: S,
    waiting: Vec<Waiting<S>>,
    next_id: u64,
    gone: bool,
}

/// Gives nothing if it must wait.
type Attempt<S> = Box<dyn FnMut(&mut S) -> Option<Result<Outputs>> + Send>;

struct Waiting<S> {
    id: u64,
    attempt: Attempt<S>,
    pending: Pending,
}

impl<S: Send + 'static> Shared<S> {
    pub(crate) fn new(state: S) -> Shared<S> {
        Shared { inner: Mutex::new(Inner { state, waiting: Vec::new(), next_id: 0, gone: false }) }
    }

    /// Reads or changes the state at once.
    pub(crate) fn now<R>(&self, act: impl FnOnce(&mut S) -> R) -> R {
        let mut ended = Vec::new();
        let result = {
            let mut inner = self.inner.lock();
            let result = act(&mut inner.state);
            inner.retry(&mut ended);
            result
        };
        finish(ended);
        result
    }

    /// Tries until `attempt` has an outcome, which goes to `done`; or ends with the step.
    pub(crate) fn when_possible(
        self: &Arc<Self>,
        cancellation: &Cancellation,
        done: Done,
        attempt: impl FnMut(&mut S) -> Option<Result<Outputs>> + Send + 'static,
    ) {
        let pending = Pending::new(done);
        let mut ended = Vec::new();
        let id = {
            let mut inner = self.inner.lock();
            inner.next_id += 1;
            let id = inner.next_id;
            match inner.gone {
                true => ended.push((pending.clone(), Err(cancelled()))),
                false => inner.waiting.push(Waiting { id, attempt: Box::new(attempt), pending: pending.clone() }),
            }
            inner.retry(&mut ended);
            id
        };
        finish(ended);
        if !pending.is_over() {
            let shared = self.clone();
            pending.keep(cancellation.on_cancel(move |_| shared.cancel(id)));
        }
    }

    fn cancel(&self, id: u64) {
        let found = {
            let mut inner = self.inner.lock();
            let place = inner.waiting.iter().position(|waiting| waiting.id == id);
            place.map(|place| inner.waiting.remove(place))
        };
        if let Some(waiting) = found {
            waiting.pending.finish(Err(cancelled()));
        }
    }

    /// Lets everybody go who waits, now and later.
    pub(crate) fn abandon(&self) {
        let waiting = {
            let mut inner = self.inner.lock();
            inner.gone = true;
            std::mem::take(&mut inner.waiting)
        };
        finish(waiting.into_iter().map(|waiting| (waiting.pending, Err(cancelled()))).collect());
    }
}

impl<S> Inner<S> {
    fn retry(&mut self, ended: &mut Vec<(Pending, Result<Outputs>)>) {
        let mut moved = true;
        while moved {
            moved = false;
            let mut place = 0;
            while place < self.waiting.len() {
                match (self.waiting[place].attempt)(&mut self.state) {
                    Some(outcome) => {
                        ended.push((self.waiting.remove(place).pending, outcome));
                        moved = true;
                    }
                    None => place += 1,
                }
            }
        }
    }
}

fn finish(ended: Vec<(Pending, Result<Outputs>)>) {
    for (pending, outcome) in ended {
        pending.finish(outcome);
    }
}

fn cancelled() -> Status {
    err!(Cancelled, "the wait was cancelled")
}
