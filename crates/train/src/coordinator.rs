//! Coordinator: several threads that work together and stop together.
//!
//! The first error is kept and returned by [`join`](Coordinator::join); what fails afterwards follows from the stop. The
//! end of input (`OutOfRange`) and a cancelled step (`Cancelled`) are clean ends and no errors.

use std::sync::Arc;
use std::time::{Duration, Instant};

use parking_lot::{Condvar, Mutex};
use tensor::{Code, Result, Status, err};

/// How long [`Coordinator::join`] usually waits for threads after a stop was requested, as in TensorFlow.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::GRACE;
/// let coord = Coordinator::new();
/// coord.request_stop();
/// coord.join(GRACE)?;
/// # Ok::<(), Status>(())
/// ```
pub const GRACE: Duration = Duration::from_secs(120);

/// Lets threads stop each other. Clones are the same coordinator.
///
/// ```
/// use tensorfleet::prelude::*;
/// use std::time::Duration;
/// # fn main() -> tensorfleet::Result<()> {
/// let coord = Coordinator::new();
/// let mine = coord.clone();
/// coord.spawn("worker", move || {
///     while !mine.should_stop() {
///         mine.request_stop(); // usually after some work
///     }
///     Ok(())
/// })?;
/// coord.join(Duration::from_secs(10))?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Coordinator {
    shared: Arc<CoordinatedThreads>,
}

/// What all clones of a coordinator share.
struct CoordinatedThreads {
    state: Mutex<StopAndThreads>,
    changed: Condvar,
    clean: Vec<Code>,
}

#[derive(Default)]
struct StopAndThreads {
    stop: bool,
    error: Option<Status>,
    joined: bool,
    /// Names of the threads that still run.
    threads: Vec<(u64, String)>,
    next_thread: u64,
}

impl Default for Coordinator {
    fn default() -> Coordinator {
        Coordinator::new()
    }
}

impl Coordinator {
    /// Returns a coordinator of no threads yet.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// coord.request_stop_because(Status::new(Code::OutOfRange, "the end of the input")); // a good end
    /// assert!(coord.should_stop() && coord.check().is_ok());
    /// ```
    pub fn new() -> Coordinator {
        Coordinator::with_clean_codes(&[Code::OutOfRange, Code::Cancelled])
    }

    /// Errors of these codes stop the threads, but are not reported.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::with_clean_codes(&[Code::NotFound]);
    /// coord.request_stop_because(Status::new(Code::NotFound, "no more files"));
    /// assert!(coord.should_stop() && coord.check().is_ok());
    /// ```
    pub fn with_clean_codes(codes: &[Code]) -> Coordinator {
        let shared = CoordinatedThreads { state: Mutex::default(), changed: Condvar::new(), clean: codes.to_vec() };
        Coordinator { shared: Arc::new(shared) }
    }

    /// Asks all threads to stop.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// assert!(!coord.should_stop());
    /// coord.clone().request_stop(); // clones are the same coordinator
    /// assert!(coord.should_stop());
    /// ```
    pub fn request_stop(&self) {
        self.stop(None);
    }

    /// Asks all threads to stop because of an error, which is kept if it is the first.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// coord.request_stop_because(Status::new(Code::DataLoss, "first"));
    /// coord.request_stop_because(Status::new(Code::Aborted, "second"));
    /// assert_eq!(coord.check().unwrap_err().message(), "first");
    /// ```
    pub fn request_stop_because(&self, error: Status) {
        let clean = self.shared.clean.contains(&error.code());
        self.stop((!clean).then_some(error));
    }

    fn stop(&self, error: Option<Status>) {
        let mut state = self.shared.state.lock();
        if !state.stop {
            state.error = state.error.take().or(error);
            state.stop = true;
        }
        drop(state);
        self.shared.changed.notify_all();
    }

    /// Returns whether a stop was requested.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// assert!(!coord.should_stop());
    /// coord.request_stop();
    /// assert!(coord.should_stop());
    /// ```
    pub fn should_stop(&self) -> bool {
        self.shared.state.lock().stop
    }

    /// Waits until a stop is requested, or so long. True if it was requested.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// assert!(!coord.wait_for_stop(Duration::ZERO));
    /// coord.request_stop();
    /// assert!(coord.wait_for_stop(Duration::from_secs(60))); // at once
    /// ```
    pub fn wait_for_stop(&self, timeout: Duration) -> bool {
        let deadline = Instant::now() + timeout;
        let mut state = self.shared.state.lock();
        while !state.stop {
            if self.shared.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state.stop
    }

    /// Waits until a stop is requested, or until `done` holds, which is looked at whenever a thread ends (and now and then).
    /// True if the stop was requested.
    pub(crate) fn wait_for_stop_or(&self, done: impl Fn() -> bool) -> bool {
        const NOW_AND_THEN: Duration = Duration::from_secs(1);
        let mut state = self.shared.state.lock();
        while !state.stop && !done() {
            self.shared.changed.wait_for(&mut state, NOW_AND_THEN);
        }
        state.stop
    }

    /// Forgets that a stop was requested, to begin again with new threads.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// coord.request_stop_because(Status::new(Code::Aborted, "the worker was lost"));
    /// coord.clear_stop();
    /// assert!(!coord.should_stop() && coord.check().is_ok());
    /// ```
    pub fn clear_stop(&self) {
        let mut state = self.shared.state.lock();
        (state.stop, state.joined, state.error) = (false, false, None);
    }

    /// Whether [`join`](Coordinator::join) has returned.
    pub fn joined(&self) -> bool {
        self.shared.state.lock().joined
    }

    /// How many threads still run.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// let waiting = coord.clone();
    /// coord.spawn("waits", move || {
    ///     waiting.wait_for_stop(Duration::from_secs(60));
    ///     Ok(())
    /// })?;
    /// assert_eq!((coord.num_threads(), coord.joined()), (1, false));
    /// coord.request_stop();
    /// coord.join(Duration::from_secs(60))?;
    /// assert_eq!((coord.num_threads(), coord.joined()), (0, true));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn num_threads(&self) -> usize {
        self.shared.state.lock().threads.len()
    }

    /// The error that made the threads stop, if there was one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let coord = Coordinator::new();
    /// assert!(coord.check().is_ok());
    /// coord.request_stop_because(Status::new(Code::Internal, "the disk is full"));
    /// assert_eq!(coord.check().unwrap_err().message(), "the disk is full");
    /// ```
    ///
    /// # Errors
    /// That error.
    pub fn check(&self) -> Result<()> {
        self.shared.state.lock().error.clone().map_or(Ok(()), Err)
    }

    /// Starts a thread that belongs to this coordinator. If it fails, or panics, all are asked to stop.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::GRACE;
    /// let coord = Coordinator::new();
    /// coord.spawn("reader", || Err(Status::new(Code::DataLoss, "the file is cut off")))?;
    /// let error = coord.join(GRACE).unwrap_err();
    /// assert_eq!(error.message(), "the file is cut off");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if the system gives no more threads.
    pub fn spawn(&self, name: &str, work: impl FnOnce() -> Result<()> + Send + 'static) -> Result<()> {
        let id = {
            let mut state = self.shared.state.lock();
            state.next_thread += 1;
            let id = state.next_thread;
            state.threads.push((id, name.to_owned()));
            id
        };
        let running = Running { coordinator: self.clone(), id };
        let short: String = name.chars().take(15).filter(|letter| *letter != '\0').collect();
        let started = std::thread::Builder::new().name(short).spawn(move || {
            // A panic unwinds through `running`, which reports it.
            if let Err(error) = work() {
                running.coordinator.request_stop_because(error);
            }
        });
        started.map(drop).map_err(|error| err!(ResourceExhausted, "cannot start thread '{name}': {error}"))
    }

    /// Starts a thread that works at once and then every `interval` until a stop is requested.
    ///
    /// ```
    /// use std::time::Duration;
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::GRACE;
    /// let coord = Coordinator::new();
    /// let (mine, mut count) = (coord.clone(), 0);
    /// coord.spawn_loop("counts", Duration::from_millis(1), move || {
    ///     count += 1;
    ///     if count == 3 {
    ///         mine.request_stop();
    ///     }
    ///     Ok(())
    /// })?;
    /// coord.join(GRACE)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`spawn`](Coordinator::spawn).
    pub fn spawn_loop(
        &self,
        name: &str,
        interval: Duration,
        mut work: impl FnMut() -> Result<()> + Send + 'static,
    ) -> Result<()> {
        let coordinator = self.clone();
        self.spawn(name, move || {
            let mut next = Instant::now();
            while !coordinator.wait_for_stop(next.saturating_duration_since(Instant::now())) {
                work()?;
                // Work that took longer than the interval is not made up for.
                next = (next + interval).max(Instant::now());
            }
            Ok(())
        })
    }

    /// Waits for all threads to end. Once a stop is requested they have so long to obey.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::GRACE;
    /// let coord = Coordinator::new();
    /// coord.spawn("first", || Ok(()))?;
    /// coord.spawn("second", || Ok(()))?;
    /// coord.join(GRACE)?; // both have ended
    /// assert!(coord.joined());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The first error of a thread; `DeadlineExceeded`, naming the threads that did not end in time.
    pub fn join(&self, grace: Duration) -> Result<()> {
        let mut state = self.shared.state.lock();
        while !state.stop && !state.threads.is_empty() {
            self.shared.changed.wait(&mut state);
        }
        let deadline = Instant::now() + grace;
        while !state.threads.is_empty() {
            if self.shared.changed.wait_until(&mut state, deadline).timed_out() {
                break;
            }
        }
        state.joined = true;
        if let Some(error) = &state.error {
            return Err(error.clone());
        }
        if state.threads.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = state.threads.iter().map(|(_, name)| name.as_str()).collect();
        Err(err!(DeadlineExceeded, "Coordinator stopped with threads still running: {}", names.join(", ")))
    }
}

/// A thread's entry, taken out when it ends in whatever way.
struct Running {
    coordinator: Coordinator,
    id: u64,
}

impl Drop for Running {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.coordinator.request_stop_because(err!(Internal, "a thread of the coordinator panicked"));
        }
        self.coordinator.shared.state.lock().threads.retain(|(id, _)| *id != self.id);
        self.coordinator.shared.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LONG: Duration = Duration::from_secs(60);

    #[test]
    fn the_first_error_is_kept() {
        let coord = Coordinator::new();
        coord.request_stop_because(err!(NotFound, "first"));
        coord.request_stop_because(err!(Aborted, "second"));
        assert!(coord.should_stop());
        assert_eq!(coord.join(LONG).unwrap_err().message(), "first");
        coord.clear_stop();
        assert!(!coord.should_stop());
        assert!(coord.check().is_ok());
    }

    #[test]
    fn the_end_of_input_is_no_error() {
        for code in [Code::OutOfRange, Code::Cancelled] {
            let coord = Coordinator::new();
            coord.request_stop_because(Status::new(code, "the end"));
            assert!(coord.should_stop());
            coord.join(LONG).unwrap();
            assert!(coord.joined());
        }
    }

    #[test]
    fn a_failing_thread_stops_the_others() {
        let coord = Coordinator::new();
        let other = coord.clone();
        coord
            .spawn("patient", move || {
                assert!(other.wait_for_stop(LONG));
                Ok(())
            })
            .unwrap();
        coord.spawn("failing", || Err(err!(DataLoss, "no more"))).unwrap();
        assert_eq!(coord.join(LONG).unwrap_err().code(), Code::DataLoss);
        assert_eq!(coord.num_threads(), 0);
    }

    #[test]
    fn a_panic_counts_as_an_error() {
        let coord = Coordinator::new();
        coord.spawn("panics", || panic!("on purpose")).unwrap();
        assert_eq!(coord.join(LONG).unwrap_err().code(), Code::Internal);
    }

    #[test]
    fn threads_that_do_not_obey_are_named() {
        let coord = Coordinator::new();
        let (release, wait) = std::sync::mpsc::channel::<()>();
        coord.spawn("stubborn", move || wait.recv().map_err(|error| err!(Internal, "{error}"))).unwrap();
        coord.request_stop();
        let status = coord.join(Duration::ZERO).unwrap_err();
        assert_eq!(status.message(), "Coordinator stopped with threads still running: stubborn");
        release.send(()).unwrap();
        coord.join(LONG).unwrap();
    }

    #[test]
    fn loops_end_with_the_stop() {
        let coord = Coordinator::new();
        let (mine, mut count) = (coord.clone(), 0);
        coord
            .spawn_loop("ticks", Duration::ZERO, move || {
                count += 1;
                if count == 3 {
                    mine.request_stop();
                }
                assert!(count <= 3);
                Ok(())
            })
            .unwrap();
        coord.join(LONG).unwrap();
    }
}
