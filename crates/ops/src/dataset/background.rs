//! Work that goes on between the steps that ask for elements: producers that run ahead, and workers that compute several
//! elements at once. All of it ends with the way through the dataset that it serves.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::op::{CallFrame, Cancellation, ResourceManager, Step, guarded};
use parking_lot::{Condvar, Mutex};
use tensor::{Result, err};

use super::elements::{Element, Elements};

/// A step of its own, which is cancelled when this is dropped.
pub(super) struct Background(Arc<Step>);

impl Background {
    pub(super) fn of(step: &Step) -> Background {
        let frame = Arc::new(CallFrame::default());
        let own =
            Step { step_resources: Arc::new(ResourceManager::new("step")), ..step.nested(frame, Cancellation::new()) };
        Background(Arc::new(own))
    }

    pub(super) fn step(&self) -> &Arc<Step> {
        &self.0
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        self.0.cancellation.cancel(err!(Cancelled, "the iterator is gone"));
    }
}

/// Goes through a dataset ahead of whoever asks, as far as the buffer allows.
pub(super) struct Ahead {
    size: usize,
    /// Until it is given to the producer.
    way: Option<Box<dyn Elements>>,
    shared: Arc<Buffer>,
    background: Option<Background>,
}

#[derive(Default)]
struct Buffer {
    state: Mutex<Buffered>,
    changed: Condvar,
}

#[derive(Default)]
struct Buffered {
    elements: VecDeque<Result<Option<Element>>>,
    /// Nothing more will be produced, or wanted.
    over: bool,
}

impl Ahead {
    /// The producer starts when the first element is asked for.
    pub(super) fn new(way: Box<dyn Elements>, size: usize) -> Ahead {
        Ahead { size: size.max(1), way: Some(way), shared: Arc::default(), background: None }
    }

    fn start(&mut self, step: &Step) {
        let Some(way) = self.way.take() else { return };
        let background = Background::of(step);
        let (own, shared, size) = (background.0.clone(), self.shared.clone(), self.size);
        // Kept outside of the job, to be had back if there is no thread for it.
        let kept = Arc::new(Mutex::new(Some(way)));
        let given = kept.clone();
        let produce = move || {
            let way = given.lock().take();
            if let Some(way) = way {
                produce_ahead(way, &own, &shared, size);
            }
        };
        if step.host.spawn("dataset ahead", Box::new(produce)) {
            self.background = Some(background);
        } else {
            self.way = kept.lock().take();
        }
    }
}

fn produce_ahead(mut way: Box<dyn Elements>, step: &Step, shared: &Buffer, size: usize) {
    loop {
        {
            let mut state = shared.state.lock();
            while state.elements.len() >= size && !state.over {
                shared.changed.wait(&mut state);
            }
            if state.over {
                return;
            }
        }
        let element = guarded(format_args!("a dataset"), || way.next(step));
        let mut state = shared.state.lock();
        state.over |= matches!(element, Ok(None)) || step.cancellation.is_cancelled();
        state.elements.push_back(element);
        shared.changed.notify_all();
    }
}

impl Elements for Ahead {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        self.start(step);
        if let Some(way) = &mut self.way {
            return way.next(step);
        }
        let shared = self.shared.clone();
        let _wakes = step.cancellation.on_cancel(move |_| {
            let _held = shared.state.lock();
            shared.changed.notify_all();
        });
        let mut state = self.shared.state.lock();
        loop {
            if let Some(element) = state.elements.pop_front() {
                self.shared.changed.notify_all();
                return element;
            }
            if state.over {
                return Ok(None);
            }
            step.cancellation.check()?;
            self.shared.changed.wait(&mut state);
        }
    }
}

impl Drop for Ahead {
    fn drop(&mut self) {
        self.shared.state.lock().over = true;
        self.shared.changed.notify_all();
    }
}

/// What makes an element.
pub(super) type Job = Box<dyn FnOnce(&Step) -> Result<Element> + Send>;

/// Computes elements on several threads, and gives them in the order in which they were asked for.
pub(super) struct Workers {
    threads: usize,
    /// How many elements may be under way or wait to be taken.
    limit: usize,
    pending: VecDeque<Arc<Slot>>,
    shared: Arc<Jobs>,
    background: Option<Background>,
}

#[derive(Default)]
struct Jobs {
    state: Mutex<(VecDeque<Arc<Slot>>, bool)>,
    changed: Condvar,
}

struct Slot {
    state: Mutex<Progress>,
    changed: Condvar,
}

enum Progress {
    Waits(Job),
    Runs,
    Done(Result<Element>),
    Taken,
}

impl Slot {
    /// The job, if nobody has begun with it.
    fn begin(&self) -> Option<Job> {
        let mut state = self.state.lock();
        if !matches!(*state, Progress::Waits(_)) {
            return None;
        }
        match std::mem::replace(&mut *state, Progress::Runs) {
            Progress::Waits(job) => Some(job),
            _ => None,
        }
    }

    fn finish(&self, outcome: Result<Element>) {
        *self.state.lock() = Progress::Done(outcome);
        self.changed.notify_all();
    }
}

impl Workers {
    /// Up to so many threads at once, which do not work further ahead than so many elements.
    pub(super) fn new(threads: usize, limit: usize) -> Workers {
        Workers { threads, limit, pending: VecDeque::new(), shared: Arc::default(), background: None }
    }

    pub(super) fn has_room(&self) -> bool {
        self.pending.len() < self.limit
    }

    pub(super) fn push(&mut self, step: &Step, job: Job) {
        if self.background.is_none() {
            let background = Background::of(step);
            for _ in 0..self.threads {
                let (shared, own) = (self.shared.clone(), background.0.clone());
                if !step.host.spawn("dataset worker", Box::new(move || work(&shared, &own))) {
                    break;
                }
            }
            self.background = Some(background);
        }
        let slot = Arc::new(Slot { state: Mutex::new(Progress::Waits(job)), changed: Condvar::new() });
        self.pending.push_back(slot.clone());
        self.shared.state.lock().0.push_back(slot);
        self.shared.changed.notify_one();
    }

    /// The oldest element that was asked for; `None` if none was.
    ///
    /// # Errors
    /// What it failed with; or the step's end, after which it can be asked for again.
    pub(super) fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        let Some(slot) = self.pending.front().cloned() else { return Ok(None) };
        // What no worker has begun with is done here.
        if let Some(job) = slot.begin() {
            self.pending.pop_front();
            return job(step).map(Some);
        }
        let woken = slot.clone();
        let _wakes = step.cancellation.on_cancel(move |_| {
            let _held = woken.state.lock();
            woken.changed.notify_all();
        });
        let mut state = slot.state.lock();
        loop {
            if matches!(*state, Progress::Done(_)) {
                self.pending.pop_front();
                return match std::mem::replace(&mut *state, Progress::Taken) {
                    Progress::Done(outcome) => outcome.map(Some),
                    _ => Err(err!(Internal, "an element was taken twice")),
                };
            }
            step.cancellation.check()?;
            slot.changed.wait(&mut state);
        }
    }
}

fn work(shared: &Jobs, step: &Step) {
    loop {
        let slot = {
            let mut state = shared.state.lock();
            loop {
                if state.1 {
                    return;
                }
                if let Some(slot) = state.0.pop_front() {
                    break slot;
                }
                shared.changed.wait(&mut state);
            }
        };
        if let Some(job) = slot.begin() {
            slot.finish(guarded(format_args!("a dataset"), || job(step)));
        }
    }
}

impl Drop for Workers {
    fn drop(&mut self) {
        self.shared.state.lock().1 = true;
        self.shared.changed.notify_all();
    }
}

/// How many calls may run at once when a dataset leaves it to us.
pub(super) fn parallelism(asked: i64) -> usize {
    match usize::try_from(asked) {
        Ok(asked) => asked.clamp(1, 64),
        Err(_) => std::thread::available_parallelism().map_or(2, |count| count.get().clamp(2, 16)),
    }
}

#[cfg(test)]
mod tests {
    use tensor::{Code, Tensor};

    use super::super::transforms::Way;
    use super::*;
    use crate::testing::Bench;

    fn number(element: &Element) -> i64 {
        element[0].to_scalar().unwrap()
    }

    #[test]
    fn a_producer_runs_ahead_up_to_its_buffer_and_ends_with_its_way() {
        let bench = Bench::new();
        let (made, told) = std::sync::mpsc::channel();
        let mut next = 0i64;
        let way = Way(move |_: &Step| {
            next += 1;
            made.send(next).unwrap();
            Ok(Some(vec![Tensor::from(next)]))
        });
        let mut ahead = Ahead::new(Box::new(way), 3);
        assert_eq!(number(&ahead.next(&bench.step).unwrap().unwrap()), 1);
        // One was taken, three more find room.
        let first: Vec<i64> = told.iter().take(4).collect();
        assert_eq!(first, [1, 2, 3, 4]);
        assert_eq!(number(&ahead.next(&bench.step).unwrap().unwrap()), 2);
        assert_eq!(told.recv().unwrap(), 5);
        drop(ahead);
        // The producer is gone, so the channel ends.
        while told.recv().is_ok() {}
    }

    #[test]
    fn elements_of_workers_come_in_order_and_waiting_ends_with_the_step() {
        let bench = Bench::new();
        let mut workers = Workers::new(3, 3);
        let (go, wait) = std::sync::mpsc::channel::<()>();
        let wait = Mutex::new(wait);
        workers.push(
            &bench.step,
            Box::new(move |_| {
                wait.lock().recv().unwrap();
                Ok(vec![Tensor::from(0i64)])
            }),
        );
        for value in 1..3i64 {
            workers.push(&bench.step, Box::new(move |_| Ok(vec![Tensor::from(value)])));
        }
        assert!(!workers.has_room());
        go.send(()).unwrap();
        for value in 0..3 {
            assert_eq!(number(&workers.next(&bench.step).unwrap().unwrap()), value);
        }
        assert!(workers.next(&bench.step).unwrap().is_none());
        bench.step.cancellation.cancel(err!(Cancelled, "the session was closed"));
        let mut ahead = Ahead::new(
            Box::new(Way(|step: &Step| {
                // Waits for the end of the iterator.
                while !step.cancellation.is_cancelled() {
                    std::thread::yield_now();
                }
                Ok(None)
            })),
            1,
        );
        assert_eq!(ahead.next(&bench.step).unwrap_err().code(), Code::Cancelled);
    }
}
