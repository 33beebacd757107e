//! The queue behind all queue ops: tuples of tensors in a bounded buffer, and whoever waits for room or for elements.
//!
//! Waiting enqueues and dequeues are served in the order they came, and hold no thread. A dequeue of many takes elements
//! as they come and gives them back if it ends without all of them. Nobody is called back while the lock is held.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::op::{Cancellation, Registration, Resource, ResourceState};
use math::random::Words;
use parking_lot::Mutex;
use smallvec::SmallVec;
use tensor::{Result, Shape, Status, Tensor, err};

use super::queue_config::{Kind, QueueConfig};
use super::queue_order::{dice, heap_pop, heap_rise};

/// An element: one tensor for each component.
pub(crate) type Tuple = SmallVec<[Tensor; 2]>;

/// How much a dequeue wants.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Want {
    One,
    Many(usize),
    /// So many, or what is left when the queue is closed.
    UpTo(usize),
}

pub(crate) struct Queue {
    name: String,
    config: QueueConfig,
    capacity: usize,
    state: Mutex<State>,
}

struct State {
    elements: VecDeque<Tuple>,
    closed: bool,
    /// Waiting enqueues, and closes that wait for them.
    entering: VecDeque<Entering>,
    leaving: VecDeque<Leaving>,
    next_id: u64,
    dice: Words,
}

struct Entering {
    id: u64,
    work: Work,
    done: Box<dyn FnOnce(Result<()>) + Send>,
    registration: Option<Registration>,
}

enum Work {
    /// The next row of each component, or the components themselves if they are one element.
    Put {
        components: Vec<Tensor>,
        next: usize,
        rows: Option<usize>,
    },
    Close,
}

struct Leaving {
    id: u64,
    want: Want,
    /// How many are still missing.
    missing: usize,
    taken: Vec<Tuple>,
    done: Box<dyn FnOnce(Result<Vec<Tuple>>) + Send>,
    registration: Option<Registration>,
}

/// Callbacks to run once the lock is released.
#[derive(Default)]
struct Calls(Vec<Box<dyn FnOnce() + Send>>);

impl Calls {
    fn entered(&mut self, entering: Entering, result: Result<()>) {
        let Entering { done, registration, .. } = entering;
        self.0.push(Box::new(move || {
            drop(registration);
            done(result);
        }));
    }

    fn left(&mut self, leaving: Leaving, result: Result<Vec<Tuple>>) {
        let Leaving { done, registration, .. } = leaving;
        self.0.push(Box::new(move || {
            drop(registration);
            done(result);
        }));
    }

    fn run(self) {
        for call in self.0 {
            call();
        }
    }
}

impl Queue {
    /// # Errors
    /// `InvalidArgument` if the parts do not fit together.
    pub(crate) fn new(name: &str, config: QueueConfig) -> Result<Queue> {
        config.check()?;
        let capacity = config.limit();
        let dice = dice(if let Kind::Shuffle { seeds, .. } = config.kind { seeds } else { (0, 0) });
        let state = State {
            elements: VecDeque::new(),
            closed: false,
            entering: VecDeque::new(),
            leaving: VecDeque::new(),
            next_id: 0,
            dice,
        };
        Ok(Queue { name: name.to_owned(), config, capacity, state: Mutex::new(state) })
    }

    /// # Errors
    /// `InvalidArgument` if this queue was made otherwise than `wanted`, saying how.
    pub(crate) fn check_same(&self, wanted: &QueueConfig) -> Result<()> {
        self.config.check_same(wanted, &self.name)
    }

    pub(crate) fn config(&self) -> &QueueConfig {
        &self.config
    }

    pub(crate) fn len(&self) -> usize {
        self.state.lock().elements.len()
    }

    pub(crate) fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Puts an element (`many` false) or a batch of them; `done` is called when all have found room.
    pub(crate) fn enqueue(
        self: &Arc<Queue>,
        components: Vec<Tensor>,
        many: bool,
        cancellation: &Cancellation,
        done: Box<dyn FnOnce(Result<()>) + Send>,
    ) {
        let rows = match self.config.check_components(&components, many) {
            Ok(rows) => rows,
            Err(status) => return done(Err(status)),
        };
        // Elements take room beside their tensors, which have been counted.
        let room = rows.unwrap_or(1) as u64 * size_of::<Tuple>() as u64;
        if let Err(status) = tensor::memory::ensure_free(room, format_args!("what is put into a queue")) {
            return done(Err(status));
        }
        self.enter(Work::Put { components, next: 0, rows }, cancellation, done);
    }

    /// Closes the queue: at once if waiting enqueues are to be cancelled, else when they are through.
    pub(crate) fn close(
        self: &Arc<Queue>,
        cancel_pending_enqueues: bool,
        cancellation: &Cancellation,
        done: Box<dyn FnOnce(Result<()>) + Send>,
    ) {
        if !cancel_pending_enqueues {
            return self.enter(Work::Close, cancellation, done);
        }
        let mut calls = Calls::default();
        {
            let mut state = self.state.lock();
            state.closed = true;
            for entering in std::mem::take(&mut state.entering) {
                calls.entered(entering, Err(enqueue_cancelled()));
            }
            self.advance(&mut state, &mut calls);
        }
        calls.run();
        done(Ok(()));
    }

    /// Takes elements; `done` is called when there are as many as wanted.
    pub(crate) fn dequeue(
        self: &Arc<Queue>,
        want: Want,
        cancellation: &Cancellation,
        done: Box<dyn FnOnce(Result<Vec<Tuple>>) + Send>,
    ) {
        let missing = match want {
            Want::One => 1,
            Want::Many(0) | Want::UpTo(0) => return done(Ok(Vec::new())),
            Want::Many(count) | Want::UpTo(count) => count,
        };
        let mut calls = Calls::default();
        let (id, waits) = {
            let mut state = self.state.lock();
            let id = state.next_id();
            state.leaving.push_back(Leaving { id, want, missing, taken: Vec::new(), done, registration: None });
            self.advance(&mut state, &mut calls);
            (id, state.leaving.iter().any(|leaving| leaving.id == id))
        };
        calls.run();
        if waits {
            let queue = self.clone();
            let registration = cancellation.on_cancel(move |_| queue.cancel_dequeue(id));
            let mut state = self.state.lock();
            if let Some(leaving) = state.leaving.iter_mut().find(|leaving| leaving.id == id) {
                leaving.registration = Some(registration);
            }
        }
    }

    fn enter(self: &Arc<Queue>, work: Work, cancellation: &Cancellation, done: Box<dyn FnOnce(Result<()>) + Send>) {
        let mut calls = Calls::default();
        let (id, waits) = {
            let mut state = self.state.lock();
            let id = state.next_id();
            state.entering.push_back(Entering { id, work, done, registration: None });
            self.advance(&mut state, &mut calls);
            (id, state.entering.iter().any(|entering| entering.id == id))
        };
        calls.run();
        if waits {
            let queue = self.clone();
            let registration = cancellation.on_cancel(move |_| queue.cancel_enqueue(id));
            let mut state = self.state.lock();
            if let Some(entering) = state.entering.iter_mut().find(|entering| entering.id == id) {
                entering.registration = Some(registration);
            }
        }
    }

    fn cancel_enqueue(&self, id: u64) {
        let mut calls = Calls::default();
        {
            let mut state = self.state.lock();
            let Some(place) = state.entering.iter().position(|entering| entering.id == id) else { return };
            if let Some(entering) = state.entering.remove(place) {
                calls.entered(entering, Err(enqueue_cancelled()));
            }
            self.advance(&mut state, &mut calls);
        }
        calls.run();
    }

    fn cancel_dequeue(&self, id: u64) {
        let mut calls = Calls::default();
        {
            let mut state = self.state.lock();
            let Some(place) = state.leaving.iter().position(|leaving| leaving.id == id) else { return };
            if let Some(mut leaving) = state.leaving.remove(place) {
                self.give_back(&mut state, &mut leaving.taken);
                calls.left(leaving, Err(dequeue_cancelled()));
            }
            self.advance(&mut state, &mut calls);
        }
        calls.run();
    }

    /// Lets enqueues and dequeues through until nothing moves.
    fn advance(&self, state: &mut State, calls: &mut Calls) {
        while self.let_in(state, calls) | self.let_out(state, calls) {}
    }

    fn let_in(&self, state: &mut State, calls: &mut Calls) -> bool {
        let mut moved = false;
        while let Some(mut first) = state.entering.pop_front() {
            let result = match &mut first.work {
                Work::Close if state.closed => Err(err!(Cancelled, "Queue '{}' is already closed.", self.name)),
                Work::Close => {
                    state.closed = true;
                    Ok(())
                }
                Work::Put { .. } if state.closed => {
                    Err(err!(Cancelled, "{} '{}' is closed.", self.config.kind.name(), self.name))
                }
                Work::Put { components, next, rows } => {
                    let count = rows.unwrap_or(1);
                    let mut put = Ok(());
                    while *next < count && state.elements.len() < self.capacity && put.is_ok() {
                        match element(components, *next, rows.is_some()) {
                            Ok(tuple) => self.put(state, tuple),
                            Err(status) => put = Err(status),
                        }
                        *next += 1;
                        moved = true;
                    }
                    if *next < count && put.is_ok() {
                        state.entering.push_front(first);
                        return moved;
                    }
                    put
                }
            };
            calls.entered(first, result);
            moved = true;
        }
        moved
    }

    fn let_out(&self, state: &mut State, calls: &mut Calls) -> bool {
        let mut moved = false;
        while let Some(mut first) = state.leaving.pop_front() {
            let size = state.elements.len();
            if state.closed && size < first.missing {
                let requested = first.missing;
                self.give_back(state, &mut first.taken);
                let left = state.elements.len();
                if matches!(first.want, Want::UpTo(_)) && left > 0 {
                    first.missing = left;
                } else {
                    let status = err!(
                        OutOfRange,
                        "{} '{}' is closed and has insufficient elements (requested {requested}, current size {size})",
                        self.config.kind.name(),
                        self.name
                    );
                    calls.left(first, Err(status));
                    moved = true;
                    continue;
                }
            }
            let held_back = match self.config.kind {
                Kind::Shuffle { min_after_dequeue, .. } if !state.closed => min_after_dequeue,
                _ => 0,
            };
            let available = state.elements.len().saturating_sub(held_back).min(first.missing);
            for _ in 0..available {
                first.taken.extend(self.pick(state));
            }
            first.missing -= available;
            moved |= available > 0;
            if first.missing > 0 {
                state.leaving.push_front(first);
                return moved;
            }
            let taken = std::mem::take(&mut first.taken);
            calls.left(first, Ok(taken));
            moved = true;
        }
        moved
    }

    fn pick(&self, state: &mut State) -> Option<Tuple> {
        match self.config.kind {
            Kind::Shuffle { .. } => {
                let place = state.dice.next() as usize % state.elements.len().max(1);
                state.elements.swap_remove_back(place)
            }
            Kind::Priority => heap_pop(&mut state.elements),
            _ => state.elements.pop_front(),
        }
    }

    fn put(&self, state: &mut State, tuple: Tuple) {
        state.elements.push_back(tuple);
        if self.config.kind == Kind::Priority {
            let last = state.elements.len() - 1;
            heap_rise(&mut state.elements, last);
        }
    }

    fn give_back(&self, state: &mut State, taken: &mut Vec<Tuple>) {
        for tuple in taken.drain(..).rev() {
            match self.config.kind {
                Kind::Priority => self.put(state, tuple),
                _ => state.elements.push_front(tuple),
            }
        }
    }
}

impl State {
    fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }
}

impl Resource for Queue {
    fn kind(&self) -> &'static str {
        self.config.kind.name()
    }

    fn abandon(&self) {
        let mut calls = Calls::default();
        {
            let mut state = self.state.lock();
            state.closed = true;
            for entering in std::mem::take(&mut state.entering) {
                calls.entered(entering, Err(enqueue_cancelled()));
            }
            for leaving in std::mem::take(&mut state.leaving) {
                calls.left(leaving, Err(dequeue_cancelled()));
            }
        }
        calls.run();
    }

    fn state(&self) -> ResourceState {
        let state = self.state.lock();
        ResourceState::Queue {
            length: state.elements.len() as u64,
            capacity: self.capacity as u64,
            entering: state.entering.len() as u64,
            leaving: state.leaving.len() as u64,
            missing: state.leaving.front().map_or(0, |first| first.missing as u64),
            closed: state.closed,
        }
    }
}

/// Element `row` of a batch, or the components as they are.
fn element(components: &[Tensor], row: usize, many: bool) -> Result<Tuple> {
    if !many {
        return Ok(components.iter().cloned().collect());
    }
    components
        .iter()
        .map(|component| {
            let shape = Shape::new(component.dims().get(1..).unwrap_or(&[]))?;
            component.window(row * shape.num_elements(), shape)
        })
        .collect()
}

fn enqueue_cancelled() -> Status {
    err!(Cancelled, "Enqueue operation was cancelled")
}

fn dequeue_cancelled() -> Status {
    err!(Cancelled, "Dequeue operation was cancelled")
}
