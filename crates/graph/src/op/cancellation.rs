//! Cancelling: one token per step, which everything that waits listens to.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use std::time::Duration;

use parking_lot::Mutex;
use tensor::{Result, Status, err};

use super::{Host, shielded};

/// No step is kept from being cancelled for longer than this.
pub const SHIELD: Duration = Duration::from_secs(15);

/// Tells everything that belongs to a step to stop. Clones are the same token.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::Cancellation;
/// let cancellation = Cancellation::new();
/// let same = cancellation.clone();
/// same.cancel(Status::new(Code::Cancelled, "enough"));
/// assert!(cancellation.is_cancelled());
/// assert_eq!(cancellation.check().unwrap_err().message(), "enough");
/// ```
#[derive(Clone, Default)]
pub struct Cancellation(Arc<Token>);

#[derive(Default)]
struct Token {
    cancelled: AtomicBool,
    state: Mutex<Callbacks>,
    /// Whether a shield holds.
    shielded: AtomicBool,
}

#[derive(Default)]
struct Callbacks {
    reason: Option<Status>,
    callbacks: HashMap<u64, Callback>,
    next: u64,
    shield: Option<Shield>,
}

/// Keeps a step from being cancelled while it does what must be done as a whole.
struct Shield {
    /// What ends it in time.
    _alarm: Box<dyn Send>,
    /// Why the step is to be cancelled when the shield falls.
    reason: Option<Status>,
    /// What happens then.
    jobs: Vec<Box<dyn FnOnce() + Send>>,
}

type Callback = Box<dyn FnOnce(&Status) + Send>;

impl Cancellation {
    /// Returns a cancellation that nobody has asked for yet.
    pub fn new() -> Cancellation {
        Cancellation::default()
    }

    /// Returns whether it was cancelled.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// let cancellation = Cancellation::new();
    /// assert!(!cancellation.is_cancelled());
    /// cancellation.cancel(Status::new(Code::Cancelled, "enough"));
    /// assert!(cancellation.is_cancelled());
    /// ```
    pub fn is_cancelled(&self) -> bool {
        self.0.cancelled.load(Ordering::Acquire)
    }

    /// Why, if cancelled.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// let cancellation = Cancellation::new();
    /// assert!(cancellation.reason().is_none());
    /// cancellation.cancel(Status::new(Code::DeadlineExceeded, "too late"));
    /// assert_eq!(cancellation.reason().unwrap().message(), "too late");
    /// ```
    pub fn reason(&self) -> Option<Status> {
        self.0.state.lock().reason.clone()
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// let cancellation = Cancellation::new();
    /// assert!(cancellation.check().is_ok());
    /// cancellation.cancel(Status::new(Code::Aborted, "the task is gone"));
    /// assert_eq!(cancellation.check().unwrap_err().code(), Code::Aborted);
    /// ```
    ///
    /// # Errors
    /// The reason, if cancelled.
    pub fn check(&self) -> Result<()> {
        match self.is_cancelled() {
            false => Ok(()),
            true => Err(self.reason().unwrap_or_else(|| err!(Cancelled, "the step was cancelled"))),
        }
    }

    /// Cancels, with a reason; all callbacks run now, on this thread. The first reason stays.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// let cancellation = Cancellation::new();
    /// cancellation.cancel(Status::new(Code::Cancelled, "first"));
    /// cancellation.cancel(Status::new(Code::Cancelled, "second"));
    /// assert_eq!(cancellation.reason().unwrap().message(), "first");
    /// ```
    pub fn cancel(&self, reason: Status) {
        let callbacks = {
            let mut state = self.0.state.lock();
            if state.reason.is_some() {
                return;
            }
            if let Some(shield) = &mut state.shield {
                shield.reason.get_or_insert(reason);
                return;
            }
            state.reason = Some(reason.clone());
            self.0.cancelled.store(true, Ordering::Release);
            std::mem::take(&mut state.callbacks)
        };
        for callback in callbacks.into_values() {
            // Everybody is told, whatever the others make of it.
            shielded(|| callback(&reason));
        }
    }

    /// Keeps the token from being cancelled until its step ends, for [`SHIELD`] at most: who cancels it meanwhile does so when
    /// the shield falls. One that holds is not renewed, so that nobody keeps a step from being cancelled for longer.
    ///
    /// # Errors
    /// The reason, if cancelled.
    pub fn shield(&self, host: &dyn Host) -> Result<()> {
        self.check()?;
        if self.0.shielded.load(Ordering::Acquire) {
            return Ok(());
        }
        let token = Arc::downgrade(&self.0);
        let fall = Box::new(move || _ = token.upgrade().map(|token| Cancellation(token).unshield()));
        let alarm = host.after(SHIELD, fall);
        let mut state = self.0.state.lock();
        if let Some(reason) = &state.reason {
            return Err(reason.clone());
        }
        state.shield.get_or_insert_with(|| Shield { _alarm: alarm, reason: None, jobs: Vec::new() });
        self.0.shielded.store(true, Ordering::Release);
        Ok(())
    }

    /// Lets the shield fall, if there is one.
    pub fn unshield(&self) {
        if !self.0.shielded.load(Ordering::Acquire) {
            return;
        }
        let shield = {
            let mut state = self.0.state.lock();
            self.0.shielded.store(false, Ordering::Release);
            state.shield.take()
        };
        let Some(shield) = shield else { return };
        if let Some(reason) = shield.reason {
            self.cancel(reason);
        }
        for job in shield.jobs {
            shielded(job);
        }
    }

    /// Keeps a job for the fall of the shield; returns it if there is none.
    pub fn after_shield<J: FnOnce() + Send + 'static>(&self, job: J) -> Option<J> {
        match &mut self.0.state.lock().shield {
            Some(shield) => {
                shield.jobs.push(Box::new(job));
                None
            }
            None => Some(job),
        }
    }

    /// Calls back when cancelled; at once, if that already happened. Dropping the registration takes it back.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::session::Cancellation;
    /// let cancellation = Cancellation::new();
    /// let (tell, told) = std::sync::mpsc::channel();
    /// let registration = cancellation.on_cancel(move |reason| {
    ///     let _ = tell.send(reason.message().to_owned());
    /// });
    /// cancellation.cancel(Status::new(Code::Cancelled, "enough"));
    /// assert_eq!(told.try_recv().unwrap(), "enough");
    /// # drop(registration);
    /// ```
    #[must_use]
    pub fn on_cancel(&self, callback: impl FnOnce(&Status) + Send + 'static) -> Registration {
        let mut state = self.0.state.lock();
        if let Some(reason) = state.reason.clone() {
            drop(state);
            shielded(|| callback(&reason));
            return Registration { token: None };
        }
        let id = state.next;
        state.next += 1;
        state.callbacks.insert(id, Box::new(callback));
        Registration { token: Some((Arc::downgrade(&self.0), id)) }
    }
}

impl std::fmt::Debug for Cancellation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Cancellation({})", if self.is_cancelled() { "cancelled" } else { "open" })
    }
}

/// A callback that is waiting for cancellation.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::session::Cancellation;
/// let cancellation = Cancellation::new();
/// let registration = cancellation.on_cancel(|_| panic!("nobody listens any more"));
/// drop(registration);
/// cancellation.cancel(Status::new(Code::Cancelled, "enough"));
/// ```
pub struct Registration {
    token: Option<(std::sync::Weak<Token>, u64)>,
}

impl Drop for Registration {
    fn drop(&mut self) {
        if let Some((inner, id)) = self.token.take()
            && let Some(inner) = inner.upgrade()
        {
            let callback = inner.state.lock().callbacks.remove(&id);
            drop(callback);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn a_callback_that_panics_keeps_no_other_from_being_told() {
        let (token, calls) = (Cancellation::new(), Arc::new(AtomicUsize::new(0)));
        let registrations: Vec<Registration> = (0..8)
            .map(|number| {
                let calls = calls.clone();
                token.on_cancel(move |_| {
                    calls.fetch_add(1, Ordering::Relaxed);
                    assert!(number % 2 == 0, "on purpose");
                })
            })
            .collect();
        token.cancel(err!(Cancelled, "enough"));
        assert_eq!((calls.load(Ordering::Relaxed), registrations.len()), (8, 8));
    }

    /// Time does not pass here.
    struct Timeless;

    impl Host for Timeless {
        fn prepare(&self, _: &crate::GraphData) -> Result<Arc<dyn super::super::Function>> {
            Err(err!(Unimplemented, "no functions"))
        }

        fn spawn(&self, _: &str, _: Box<dyn FnOnce() + Send>) -> bool {
            false
        }

        fn after(&self, _: Duration, _: Box<dyn FnOnce() + Send>) -> Box<dyn Send> {
            Box::new(())
        }
    }

    #[test]
    fn what_is_shielded_is_cancelled_afterwards() {
        let (token, calls) = (Cancellation::new(), Arc::new(AtomicUsize::new(0)));
        token.unshield();
        assert!(token.after_shield(|| ()).is_some());
        token.shield(&Timeless).unwrap();
        let counted = calls.clone();
        assert!(token.after_shield(move || _ = counted.fetch_add(1, Ordering::Relaxed)).is_none());
        token.cancel(err!(Cancelled, "first"));
        token.cancel(err!(Aborted, "second"));
        token.shield(&Timeless).unwrap();
        assert!(!token.is_cancelled() && token.check().is_ok());
        token.unshield();
        assert_eq!((token.check().unwrap_err().message(), calls.load(Ordering::Relaxed)), ("first", 1));
        assert_eq!(token.shield(&Timeless).unwrap_err().message(), "first");
    }

    #[test]
    fn callbacks_run_once_unless_taken_back() {
        let (token, calls) = (Cancellation::new(), Arc::new(AtomicUsize::new(0)));
        let count = |calls: &Arc<AtomicUsize>| {
            let calls = calls.clone();
            move |_: &Status| {
                calls.fetch_add(1, Ordering::Relaxed);
            }
        };
        let _kept = token.on_cancel(count(&calls));
        drop(token.on_cancel(count(&calls)));
        token.cancel(err!(Cancelled, "first"));
        token.cancel(err!(Aborted, "second"));
        let _late = token.on_cancel(count(&calls));
        assert_eq!(calls.load(Ordering::Relaxed), 2);
        assert_eq!(token.check().unwrap_err().message(), "first");
    }
}
