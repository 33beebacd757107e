//! Ending an asynchronous kernel once, by whoever comes first: what it waits for, or the step's cancellation.

use std::sync::Arc;

use graph::op::{Done, Outputs, Registration};
use parking_lot::Mutex;
use tensor::Result;

/// A kernel that waits. Clones are the same one.
#[derive(Clone)]
pub(crate) struct Pending(Arc<Mutex<State>>);

struct State {
    done: Option<Done>,
    registration: Option<Registration>,
}

impl Pending {
    pub(crate) fn new(done: Done) -> Pending {
        Pending(Arc::new(Mutex::new(State { done: Some(done), registration: None })))
    }

    pub(crate) fn is_over(&self) -> bool {
        self.0.lock().done.is_none()
    }

    /// Ends the kernel; only the first call has an effect.
    pub(crate) fn finish(&self, result: Result<Outputs>) {
        let (done, registration) = {
            let mut state = self.0.lock();
            (state.done.take(), state.registration.take())
        };
        drop(registration);
        if let Some(done) = done {
            done(result);
        }
    }

    /// Keeps a registration for as long as the kernel waits.
    pub(crate) fn keep(&self, registration: Registration) {
        let mut state = self.0.lock();
        if state.done.is_some() {
            state.registration = Some(registration);
        } else {
            drop(state);
            drop(registration);
        }
    }
}
