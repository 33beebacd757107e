//! One thread that serves all deadlines.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};
use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use graph::op::THREAD_STACK;
use parking_lot::{Condvar, Mutex};

/// Calls back when a time has come.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet_runtime::Timer;
///
/// let (send, receive) = std::sync::mpsc::channel();
/// let alarm = Timer::global().after(Duration::from_millis(1), move || send.send("now").unwrap());
/// assert_eq!(receive.recv(), Ok("now"));
/// # drop(alarm);
/// ```
pub struct Timer {
    shared: Arc<TimerThread>,
}

#[derive(Default)]
struct TimerThread {
    state: Mutex<Alarms>,
    changed: Condvar,
}

#[derive(Default)]
struct Alarms {
    due: BinaryHeap<Reverse<(Instant, u64)>>,
    callbacks: HashMap<u64, Box<dyn FnOnce() + Send>>,
    next: u64,
}

impl Timer {
    /// The timer of this process.
    pub fn global() -> &'static Timer {
        static TIMER: LazyLock<Timer> = LazyLock::new(|| {
            let shared: Arc<TimerThread> = Arc::default();
            let worker = shared.clone();
            // Without the thread, deadlines do not fire; nothing else depends on it.
            let _ =
                std::thread::Builder::new().name("timer".into()).stack_size(THREAD_STACK).spawn(move || worker.serve());
            Timer { shared }
        });
        &TIMER
    }

    /// Calls back after a while, on the timer's thread, so the callback must be short. Dropping the alarm stops it.
    #[must_use]
    pub fn after(&self, delay: Duration, callback: impl FnOnce() + Send + 'static) -> Alarm {
        let mut state = self.shared.state.lock();
        let id = state.next;
        state.next += 1;
        // A delay beyond what an Instant can hold never ends.
        if let Some(due) = Instant::now().checked_add(delay) {
            state.due.push(Reverse((due, id)));
            state.callbacks.insert(id, Box::new(callback));
            self.shared.changed.notify_one();
        }
        Alarm { shared: self.shared.clone(), id }
    }
}

impl TimerThread {
    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            let now = Instant::now();
            match state.due.peek() {
                Some(Reverse((due, _))) if *due <= now => {
                    if let Some(Reverse((_, id))) = state.due.pop()
                        && let Some(callback) = state.callbacks.remove(&id)
                    {
                        drop(state);
                        let _ = std::panic::catch_unwind(std::panic::AssertUnwindSafe(callback));
                        state = self.state.lock();
                    }
                }
                Some(Reverse((due, _))) => {
                    let due = *due;
                    self.changed.wait_until(&mut state, due);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }
}

/// A callback that has not come yet.
pub struct Alarm {
    shared: Arc<TimerThread>,
    id: u64,
}

impl Drop for Alarm {
    fn drop(&mut self) {
        let callback = self.shared.state.lock().callbacks.remove(&self.id);
        drop(callback);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn alarms_come_in_order_unless_stopped() {
        let (send, calls) = mpsc::channel();
        let alarm = |millis: u64, name: &'static str| {
            let send = send.clone();
            Timer::global().after(Duration::from_millis(millis), move || send.send(name).unwrap())
        };
        let (_late, _early) = (alarm(40, "late"), alarm(10, "early"));
        drop(alarm(20, "stopped"));
        assert_eq!((calls.recv().unwrap(), calls.recv().unwrap()), ("early", "late"));
    }
}
