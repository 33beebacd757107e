//! Which steps change the variables of a device, so that others can have a moment in which none is halfway through.
//!
//! A step that wants such a moment holds the updates: steps that have not changed anything yet wait before their first
//! change, those that have go on to their end. A save then takes its snapshots, a restore gives the model other values, and
//! the updates are let go. Nobody holds them for longer than [`HOLD`], also if whoever wanted the moment is lost.

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use parking_lot::Mutex;
use tensor::{Result, ensure};

use super::StepId;

/// No moment takes longer than this.
pub const HOLD: Duration = Duration::from_secs(5);
/// So long is waited for steps that have begun to change something.
pub const AWAIT: Duration = Duration::from_secs(2);

/// The steps that change the variables of a device.
#[derive(Default)]
pub struct Updates {
    /// How often the model was rolled back.
    epoch: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The steps that run here and change variables.
    steps: HashMap<StepId, Running>,
    /// Those that ended lately, in their order.
    ended: VecDeque<StepId>,
    hold: Option<Hold>,
    /// Those who want to hold next.
    queue: VecDeque<(StepId, Held)>,
    rolled_back_by: Option<StepId>,
}

/// A step that changes variables.
struct Running {
    /// Whether it has begun to.
    begun: bool,
    /// The [places](place) of all devices on which it does so.
    spans: Arc<[i64]>,
}

/// So many steps that have ended are remembered.
const ENDED: usize = 1024;

/// Returns the number by which steps say that they change variables of a device.
pub fn place(device: &str) -> i64 {
    // FNV-1a, the same in every process.
    let hash = device
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    hash as i64
}

/// Updates are held for a step.
struct Hold {
    by: StepId,
    /// These have begun, here or elsewhere, and may end.
    admitted: HashSet<StepId>,
    /// The changes that wait.
    waiting: Vec<Resume>,
    /// Those of the admitted that have not ended, and who waits for that.
    awaited: Option<(HashSet<StepId>, Awaited)>,
    /// What ends it in time.
    alarm: Option<Box<dyn Send>>,
}

type Resume = Box<dyn FnOnce() + Send>;
/// Called with the steps that have begun to change something here, and a place of each: one entry for every place.
type Held = Box<dyn FnOnce(Vec<(StepId, i64)>) + Send>;
/// Called with how many steps have not ended in time.
type Awaited = Box<dyn FnOnce(usize) + Send>;

impl Updates {
    /// Returns how often the model was rolled back. A step remembers it from its beginning.
    pub fn epoch(&self) -> u64 {
        self.epoch.load(Ordering::Acquire)
    }

    /// Notes a step that will change variables, here and in other [places](place).
    pub fn begin(&self, step: StepId, spans: &Arc<[i64]>) {
        self.state.lock().steps.insert(step, Running { begun: false, spans: spans.clone() });
    }

    /// Lets a step change variables, now or, when updates are held, later: then `resume` is called and `false` returned.
    pub fn enter(&self, step: StepId, resume: impl FnOnce() + Send + 'static) -> bool {
        let mut state = self.state.lock();
        if !state.steps.get(&step).is_some_and(|running| running.begun) {
            if let Some(hold) = state.hold.as_mut().filter(|hold| hold.by != step && !hold.admitted.contains(&step)) {
                hold.waiting.push(Box::new(resume));
                return false;
            }
            if let Some(running) = state.steps.get_mut(&step) {
                running.begun = true;
            }
        }
        true
    }

    /// Refuses a step that began before the model was rolled back: what it computed is of another time.
    ///
    /// # Errors
    /// `Aborted`, by which clients know to begin anew.
    pub fn check(&self, step: StepId, epoch: u64) -> Result<()> {
        ensure!(
            self.epoch() == epoch || self.state.lock().rolled_back_by == Some(step),
            Aborted,
            "the model was restored while this step ran, so what the step has computed is dropped"
        );
        Ok(())
    }

    /// Notes that a step has ended, well or not.
    pub fn end(&self, step: StepId) {
        self.release(step);
        let called = {
            let mut state = self.state.lock();
            if state.steps.remove(&step).is_some() {
                if state.ended.len() >= ENDED {
                    state.ended.pop_front();
                }
                state.ended.push_back(step);
            }
            state.queue.retain(|(waiting, _)| *waiting != step);
            state.hold.as_mut().and_then(|hold| {
                let (steps, _) = hold.awaited.as_mut()?;
                (steps.remove(&step) && steps.is_empty()).then(|| hold.awaited.take())?
            })
        };
        if let Some((_, done)) = called {
            done(0);
        }
    }

    /// Holds the updates for a step, once nobody else does, and calls `done` with the steps that have begun to change
    /// something, each with all its places.
    pub fn hold(&self, step: StepId, done: impl FnOnce(Vec<(StepId, i64)>) + Send + 'static) {
        let mut state = self.state.lock();
        state.queue.push_back((step, Box::new(done)));
        let next = state.next_hold();
        drop(state);
        if let Some((done, active)) = next {
            done(active);
        }
    }

    /// Keeps what ends the hold of a step in time for as long as it lasts.
    pub fn keep_alarm(&self, step: StepId, alarm: Box<dyn Send>) {
        if let Some(hold) = self.state.lock().hold.as_mut().filter(|hold| hold.by == step) {
            hold.alarm = Some(alarm);
        }
    }

    /// Lets these steps pass the hold of a step, and calls `done` once those of them have ended that change something `here`.
    /// Some may not have come yet: the other parts of a step may be faster.
    pub fn await_ended(
        &self,
        step: StepId,
        here: i64,
        admitted: &[(StepId, i64)],
        done: impl FnOnce(usize) + Send + 'static,
    ) {
        let mut waiting = Vec::new();
        let mut state = self.state.lock();
        let State { steps, ended, hold, .. } = &mut *state;
        let Some(hold) = hold.as_mut().filter(|hold| hold.by == step) else {
            drop(state);
            return done(0);
        };
        hold.admitted = admitted.iter().map(|(id, _)| *id).collect();
        // Whoever waits looks again: it may be one of those.
        waiting.append(&mut hold.waiting);
        let runs = |id: StepId, place: i64| steps.contains_key(&id) || (place == here && !ended.contains(&id));
        let open = admitted.iter().filter(|(id, place)| *id != step && runs(*id, *place));
        let open: HashSet<StepId> = open.map(|(id, _)| *id).collect();
        if !open.is_empty() {
            hold.awaited = Some((open, Box::new(done)));
            drop(state);
            waiting.into_iter().for_each(|resume| resume());
            return;
        }
        drop(state);
        waiting.into_iter().for_each(|resume| resume());
        done(0);
    }

    /// Goes on without the steps that a step still waits for.
    pub fn stop_awaiting(&self, step: StepId) {
        let awaited = {
            let mut state = self.state.lock();
            state.hold.as_mut().filter(|hold| hold.by == step).and_then(|hold| hold.awaited.take())
        };
        if let Some((steps, done)) = awaited {
            done(steps.len());
        }
    }

    /// Lets updates go that a step holds; whether it held them until now.
    pub fn release(&self, step: StepId) -> bool {
        let mut state = self.state.lock();
        if state.hold.as_ref().is_none_or(|hold| hold.by != step) {
            return false;
        }
        let hold = state.hold.take();
        let next = state.next_hold();
        drop(state);
        if let Some(hold) = hold {
            drop(hold.alarm);
            if let Some((steps, done)) = hold.awaited {
                done(steps.len());
            }
            hold.waiting.into_iter().for_each(|resume| resume());
        }
        if let Some((done, active)) = next {
            done(active);
        }
        true
    }

    /// Notes that a step gives the model older values.
    pub fn roll_back(&self, step: StepId) {
        let mut state = self.state.lock();
        state.rolled_back_by = Some(step);
        self.epoch.fetch_add(1, Ordering::AcqRel);
    }
}

impl State {
    /// Gives the hold to whoever is next, if it is free.
    fn next_hold(&mut self) -> Option<(Held, Vec<(StepId, i64)>)> {
        if self.hold.is_some() {
            return None;
        }
        let (by, done) = self.queue.pop_front()?;
        self.hold = Some(Hold { by, admitted: HashSet::new(), waiting: Vec::new(), awaited: None, alarm: None });
        let begun = self.steps.iter().filter(|(id, running)| running.begun && **id != by);
        let places = begun.flat_map(|(id, running)| running.spans.iter().map(|place| (*id, *place)));
        Some((done, places.collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HERE: i64 = 7;
    const ELSEWHERE: i64 = 8;

    const A: StepId = StepId(1);
    const B: StepId = StepId(2);
    const SAVE: StepId = StepId(3);
    const OTHER: StepId = StepId(4);

    fn note(log: &Arc<Mutex<Vec<String>>>, text: &str) -> impl FnOnce() + Send + 'static {
        let (log, text) = (log.clone(), text.to_owned());
        move || log.lock().push(text)
    }

    #[test]
    fn who_has_begun_ends_and_who_has_not_waits() {
        let (updates, log) = (Updates::default(), Arc::new(Mutex::new(Vec::new())));
        updates.begin(A, &[HERE].into());
        updates.begin(B, &[HERE].into());
        assert!(updates.enter(A, || ()));
        let held = log.clone();
        updates.hold(SAVE, move |active| held.lock().push(format!("held with {active:?}")));
        assert!(!updates.enter(B, note(&log, "b goes on")));
        let ended = log.clone();
        updates.await_ended(SAVE, HERE, &[(A, HERE)], move |left| ended.lock().push(format!("ended but {left}")));
        // It has begun to change something, and goes on with it.
        assert!(updates.enter(A, || ()));
        // It looked again, and waits again.
        assert!(!updates.enter(B, note(&log, "b goes on again")));
        updates.end(A);
        assert!(updates.release(SAVE) && !updates.release(SAVE));
        assert!(updates.enter(B, || ()));
        let said = ["held with [(StepId(1), 7)]", "b goes on", "ended but 0", "b goes on again"];
        assert_eq!(*log.lock(), said);
    }

    #[test]
    fn a_step_that_has_begun_elsewhere_is_waited_for_before_it_comes() {
        let (updates, log) = (Updates::default(), Arc::new(Mutex::new(Vec::new())));
        updates.hold(SAVE, |_| ());
        let ended = log.clone();
        let admitted = [(A, HERE), (A, ELSEWHERE), (B, ELSEWHERE)];
        updates.await_ended(SAVE, HERE, &admitted, move |left| ended.lock().push(left));
        assert!(log.lock().is_empty());
        updates.begin(A, &[HERE, ELSEWHERE].into());
        assert!(updates.enter(A, || ()));
        updates.end(A);
        assert_eq!(*log.lock(), [0]);
        updates.release(SAVE);
        // One that has ended here is not waited for again.
        updates.hold(OTHER, |_| ());
        let ended = log.clone();
        updates.await_ended(OTHER, HERE, &admitted, move |left| ended.lock().push(left));
        assert_eq!(*log.lock(), [0, 0]);
    }

    #[test]
    fn one_holds_after_the_other_and_a_step_that_ends_lets_go() {
        let (updates, log) = (Updates::default(), Arc::new(Mutex::new(Vec::new())));
        let (first, second) = (note(&log, "first"), note(&log, "second"));
        updates.hold(SAVE, move |_| first());
        updates.hold(OTHER, move |_| second());
        assert_eq!(*log.lock(), ["first"]);
        updates.end(SAVE);
        assert_eq!(*log.lock(), ["first", "second"]);
        assert!(updates.release(OTHER) && updates.enter(A, || ()));
    }

    #[test]
    fn what_began_before_a_roll_back_is_refused() {
        let updates = Updates::default();
        let before = updates.epoch();
        assert!(updates.check(A, before).is_ok());
        updates.roll_back(SAVE);
        assert_eq!(updates.check(A, before).unwrap_err().code(), tensor::Code::Aborted);
        assert!(updates.check(SAVE, before).is_ok() && updates.check(A, updates.epoch()).is_ok());
    }
}
