//! The accumulator behind the conditional accumulator ops: gradients add up until enough have come, late ones are
//! dropped. It is how a synchronous step waits for its workers.

use std::collections::VecDeque;
use std::sync::Arc;

use graph::op::{Cancellation, Registration, Resource};
use math::number::Number;
use parking_lot::Mutex;
use tensor::{DType, Element, PartialShape, Result, Tensor, ensure, err, f16};

/// Sums of gradients, and whoever waits for them.
pub struct Accumulator {
    name: String,
    dtype: DType,
    shape: PartialShape,
    mean: bool,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    sum: Option<Tensor>,
    count: usize,
    /// Gradients computed at an earlier step than this are late.
    global_step: i64,
    accepted: u64,
    dropped: u64,
    waiting: VecDeque<Waiting>,
    next_id: u64,
}

struct Waiting {
    id: u64,
    required: usize,
    done: Take,
    registration: Option<Registration>,
}

pub(crate) type Take = Box<dyn FnOnce(Result<Tensor>) + Send>;

impl Accumulator {
    pub(crate) fn new(name: &str, dtype: DType, shape: PartialShape, mean: bool) -> Accumulator {
        Accumulator { name: name.to_owned(), dtype, shape, mean, state: Mutex::new(State::default()) }
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    /// How many gradients were added so far, and how many came too late.
    pub fn accepted_and_dropped(&self) -> (u64, u64) {
        let state = self.state.lock();
        (state.accepted, state.dropped)
    }

    /// How many gradients the next result has so far.
    pub fn num_accumulated(&self) -> usize {
        self.state.lock().count
    }

    pub(crate) fn set_global_step(&self, step: i64) {
        self.state.lock().global_step = step;
    }

    /// # Errors
    /// `InvalidArgument` if another node made this one for other gradients.
    pub(crate) fn check_same(&self, dtype: DType, shape: &PartialShape, mean: bool) -> Result<()> {
        ensure!(
            self.dtype == dtype && self.mean == mean && self.shape.merge(shape).is_ok(),
            InvalidArgument,
            "Shared conditional accumulator '{}' has dtype {} and shape {} but requested dtype {dtype} and shape {shape}",
            self.name,
            self.dtype,
            self.shape
        );
        Ok(())
    }

    /// # Errors
    /// `InvalidArgument` if gradients here are of another type.
    pub(crate) fn check_dtype(&self, dtype: DType) -> Result<()> {
        ensure!(
            self.dtype == dtype,
            InvalidArgument,
            "accumulator '{}' holds gradients of type {}, not {dtype}",
            self.name,
            self.dtype
        );
        Ok(())
    }

    /// Adds a gradient that was computed at `local_step`, unless it is late.
    ///
    /// # Errors
    /// `InvalidArgument` if type or shape do not fit.
    pub(crate) fn apply(&self, local_step: i64, gradient: Tensor) -> Result<()> {
        self.check_dtype(gradient.dtype())?;
        let mut calls = Vec::new();
        {
            let mut state = self.state.lock();
            if local_step < state.global_step {
                state.dropped += 1;
                return Ok(());
            }
            let expected = state.sum.as_ref().map_or_else(|| self.shape.clone(), |sum| sum.shape().into());
            ensure!(
                expected.is_compatible_with(gradient.shape()),
                InvalidArgument,
                "Shape mismatch: expected {expected}, got {}",
                gradient.shape()
            );
            match &mut state.sum {
                Some(sum) => add(sum, &gradient)?,
                empty => *empty = Some(gradient),
            }
            state.count += 1;
            state.accepted += 1;
            self.serve(&mut state, &mut calls);
        }
        run(calls);
        Ok(())
    }

    /// Gives the mean (or sum) of the gradients to `done` once there are `required` of them, and starts anew.
    pub(crate) fn take(self: &Arc<Accumulator>, required: usize, cancellation: &Cancellation, done: Take) {
        let mut calls = Vec::new();
        let (id, waits) = {
            let mut state = self.state.lock();
            let id = state.next_id;
            state.next_id += 1;
            state.waiting.push_back(Waiting { id, required, done, registration: None });
            self.serve(&mut state, &mut calls);
            (id, state.waiting.iter().any(|waiting| waiting.id == id))
        };
        run(calls);
        if waits {
            let accumulator = self.clone();
            let registration = cancellation.on_cancel(move |_| accumulator.cancel(|waiting| waiting.id == id));
            let mut state = self.state.lock();
            if let Some(waiting) = state.waiting.iter_mut().find(|waiting| waiting.id == id) {
                waiting.registration = Some(registration);
            }
        }
    }

    fn cancel(&self, which: impl Fn(&Waiting) -> bool) {
        let mut calls = Vec::new();
        {
            let mut state = self.state.lock();
            for waiting in std::mem::take(&mut state.waiting) {
                match which(&waiting) {
                    true => calls.push((waiting, Err(err!(Cancelled, "TakeGrad operation was cancelled")))),
                    false => state.waiting.push_back(waiting),
                }
            }
            self.serve(&mut state, &mut calls);
        }
        run(calls);
    }

    /// Hands out what there is to whoever waits first, as long as it is enough.
    fn serve(&self, state: &mut State, calls: &mut Vec<(Waiting, Result<Tensor>)>) {
        while state.waiting.front().is_some_and(|first| state.count >= first.required)
            && let Some(sum) = state.sum.take()
            && let Some(first) = state.waiting.pop_front()
        {
            let count = std::mem::take(&mut state.count);
            state.global_step = state.global_step.wrapping_add(1);
            let result = if self.mean { divided(sum, count) } else { Ok(sum) };
            calls.push((first, result));
        }
    }
}

impl Resource for Accumulator {
    fn kind(&self) -> &'static str {
        "ConditionalAccumulator"
    }

    fn abandon(&self) {
        self.cancel(|_| true);
    }
}

/// Calls back, with no lock held.
fn run(calls: Vec<(Waiting, Result<Tensor>)>) {
    for (Waiting { done, registration, .. }, result) in calls {
        drop(registration);
        done(result);
    }
}

fn add(sum: &mut Tensor, gradient: &Tensor) -> Result<()> {
    fn by<T: Element + Number>(sum: &mut Tensor, gradient: &Tensor) -> Result<()> {
        crate::state::combine_by(sum, gradient, |x: T, y: T| x.plus(y))
    }
    dispatch!(gradient.dtype(), T in [f32, f64, f16] => by::<T>(sum, gradient))
}

fn divided(mut sum: Tensor, count: usize) -> Result<Tensor> {
    fn by<T: Element + Number>(sum: &mut Tensor, count: usize) -> Result<()> {
        let count = T::from_count(count);
        math::elementwise::map_in_place(sum.make_mut::<T>()?, math::elementwise::CHEAP, |x| x.over(count));
        Ok(())
    }
    if count > 1 {
        dispatch!(sum.dtype(), T in [f32, f64, f16] => by::<T>(&mut sum, count))?;
    }
    Ok(sum)
}
