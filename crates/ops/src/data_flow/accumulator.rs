//! The accumulator behind the conditional accumulator ops: gradients add up until enough have come, late ones are
//! dropped. It is how a synchronous step waits for its workers.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use graph::op::{Cancellation, GradientsOfWorker, Registration, Resource, ResourceState};
use math::number::Number;
use parking_lot::Mutex;
use tensor::{DType, Element, PartialShape, Result, Shape, Tensor, bail, ensure, err, f16};

/// Of so many workers gradients are counted apart: their names come from graphs.
const MAX_WORKERS: usize = 10_000;

/// Sums of gradients, and whoever waits for them.
pub struct Accumulator {
    name: String,
    dtype: DType,
    shape: PartialShape,
    mean: bool,
    /// Whether gradients are rows of a larger tensor.
    sparse: bool,
    state: Mutex<State>,
}

/// Whom a gradient comes from.
pub(crate) struct Source {
    /// The worker, if it says its name.
    pub(crate) worker: String,
    /// A number that is another one in each of its sessions.
    pub(crate) session: u64,
}

/// A gradient, or the sum of some.
pub(crate) enum Sum {
    Dense(Tensor),
    Rows(Rows),
}

/// Rows of a larger tensor: row `indices[i]` is `values[i]`, the sum of `counts[i]` gradients.
pub(crate) struct Rows {
    pub(crate) indices: Vec<i64>,
    pub(crate) values: Tensor,
    counts: Vec<u32>,
}

#[derive(Default)]
struct State {
    sum: Option<Sum>,
    count: usize,
    /// Gradients computed at an earlier step than this are late.
    global_step: i64,
    counts: Counts,
    by_worker: BTreeMap<String, Counts>,
    /// Of each worker that is in the sum: the session that its gradient came from.
    sources: BTreeMap<String, u64>,
    waiting: VecDeque<Waiting>,
    next_id: u64,
}

/// How many gradients were added, and how many came too late.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// How many were added.
    pub accepted: u64,
    /// How many came too late and were left out.
    pub dropped: u64,
    /// By how many steps, those that came too late together.
    pub steps_late: u64,
}

struct Waiting {
    id: u64,
    required: usize,
    done: Take,
    registration: Option<Registration>,
}

pub(crate) type Take = Box<dyn FnOnce(Result<Sum>) + Send>;

impl Accumulator {
    pub(crate) fn new(name: &str, dtype: DType, shape: PartialShape, mean: bool, sparse: bool) -> Accumulator {
        Accumulator { name: name.to_owned(), dtype, shape, mean, sparse, state: Mutex::new(State::default()) }
    }

    /// The declared shape of gradients.
    pub(crate) fn shape(&self) -> &PartialShape {
        &self.shape
    }

    /// Returns the name that the accumulator has among its container's resources.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns how many gradients were added so far, and how many came too late.
    pub fn counts(&self) -> Counts {
        self.state.lock().counts
    }

    /// Returns how many gradients of each worker that said its name were added so far, and how many came too late.
    pub fn counts_by_worker(&self) -> Vec<(String, Counts)> {
        self.state.lock().by_worker.iter().map(|(worker, counts)| (worker.clone(), *counts)).collect()
    }

    /// Returns how many gradients the next result has so far.
    pub fn num_accumulated(&self) -> usize {
        self.state.lock().count
    }

    pub(crate) fn set_global_step(&self, step: i64) {
        self.state.lock().global_step = step;
    }

    /// # Errors
    /// `InvalidArgument` if another node made this one for other gradients.
    pub(crate) fn check_same(&self, dtype: DType, shape: &PartialShape, mean: bool, sparse: bool) -> Result<()> {
        ensure!(
            self.dtype == dtype && self.mean == mean && self.sparse == sparse && self.shape.merge(shape).is_ok(),
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
    pub(crate) fn check_dtype(&self, dtype: DType, sparse: bool) -> Result<()> {
        ensure!(
            self.sparse == sparse,
            InvalidArgument,
            "accumulator '{}' holds {} gradients",
            self.name,
            if self.sparse { "sparse" } else { "dense" }
        );
        ensure!(
            self.dtype == dtype,
            InvalidArgument,
            "accumulator '{}' holds gradients of type {}, not {dtype}",
            self.name,
            self.dtype
        );
        Ok(())
    }

    /// Adds a worker's gradient that was computed at `local_step`, unless it is late.
    ///
    /// # Errors
    /// `InvalidArgument` if type or shape do not fit.
    pub(crate) fn apply(&self, from: &Source, local_step: i64, gradient: Tensor) -> Result<()> {
        self.check_dtype(gradient.dtype(), false)?;
        self.enter(from, local_step, |sum| {
            let expected = match &sum {
                Some(Sum::Dense(sum)) => sum.shape().into(),
                _ => self.shape.clone(),
            };
            ensure!(
                expected.is_compatible_with(gradient.shape()),
                InvalidArgument,
                "Shape mismatch: expected {expected}, got {}",
                gradient.shape()
            );
            match sum {
                Some(Sum::Dense(sum)) => add(sum, &gradient)?,
                empty => *empty = Some(Sum::Dense(gradient)),
            }
            Ok(())
        })
    }

    /// As [`apply`](Accumulator::apply), for rows of a larger tensor.
    ///
    /// # Errors
    /// `InvalidArgument` if type or shape do not fit.
    pub(crate) fn apply_rows(&self, from: &Source, local_step: i64, indices: Vec<i64>, values: Tensor) -> Result<()> {
        self.check_dtype(values.dtype(), true)?;
        self.enter(from, local_step, |sum| {
            match sum {
                Some(Sum::Rows(rows)) => {
                    let (own, new) = (rows.values.dims(), values.dims());
                    ensure!(
                        own.len() == new.len(),
                        InvalidArgument,
                        "Shape mismatch: expected values rank {}, got {}",
                        own.len(),
                        new.len()
                    );
                    for (axis, (own, new)) in own.iter().zip(new).enumerate().skip(1) {
                        ensure!(
                            own == new,
                            InvalidArgument,
                            "Shape mismatch: expected values dim {axis} to be {own}, got {new}"
                        );
                    }
                    *rows = merged(rows, &indices, &values)?;
                }
                empty => {
                    let counts = vec![1; indices.len()];
                    *empty = Some(Sum::Rows(Rows { indices, values, counts }));
                }
            }
            Ok(())
        })
    }

    fn enter(&self, from: &Source, local_step: i64, add: impl FnOnce(&mut Option<Sum>) -> Result<()>) -> Result<()> {
        let worker = from.worker.as_str();
        let mut calls = Vec::new();
        {
            let mut state = self.state.lock();
            // One session of a worker may well bring several. What another one brings for the same step is sent again, by a
            // worker that did not hear what became of its gradient, or was started again.
            let is_again = state.sources.get(worker).is_some_and(|session| *session != from.session);
            if local_step < state.global_step || is_again {
                let late = state.global_step.saturating_sub(local_step).max(0) as u64;
                state.count(worker, |counts| {
                    counts.dropped += 1;
                    counts.steps_late = counts.steps_late.saturating_add(late);
                });
                return Ok(());
            }
            add(&mut state.sum)?;
            state.count += 1;
            state.count(worker, |counts| counts.accepted += 1);
            if !worker.is_empty() && state.sources.len() < MAX_WORKERS {
                state.sources.insert(worker.to_owned(), from.session);
            }
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
    fn serve(&self, state: &mut State, calls: &mut Vec<(Waiting, Result<Sum>)>) {
        while state.waiting.front().is_some_and(|first| state.count >= first.required)
            && let Some(sum) = state.sum.take()
            && let Some(first) = state.waiting.pop_front()
        {
            let count = std::mem::take(&mut state.count);
            state.sources.clear();
            state.global_step = state.global_step.wrapping_add(1);
            let result = if self.mean { divided(sum, count) } else { Ok(sum) };
            calls.push((first, result));
        }
    }
}

impl State {
    fn count(&mut self, worker: &str, one_more: impl Fn(&mut Counts)) {
        one_more(&mut self.counts);
        if let Some(counts) = self.by_worker.get_mut(worker) {
            one_more(counts);
        } else if !worker.is_empty() && self.by_worker.len() < MAX_WORKERS {
            one_more(self.by_worker.entry(worker.to_owned()).or_default());
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

    /// What was added is of a time that is gone, and so is whoever waits for it.
    fn rolled_back(&self) {
        let waiting = {
            let mut state = self.state.lock();
            (state.sum, state.count) = (None, 0);
            state.sources.clear();
            std::mem::take(&mut state.waiting)
        };
        let status = || err!(Aborted, "the model was restored while gradients were waited for");
        run(waiting.into_iter().map(|waiting| (waiting, Err(status()))).collect());
    }

    fn state(&self) -> ResourceState {
        let state = self.state.lock();
        let by_worker = state.by_worker.iter().map(|(worker, counts)| GradientsOfWorker {
            worker: worker.clone(),
            accepted: counts.accepted,
            dropped: counts.dropped,
            steps_late: counts.steps_late,
            present: state.sources.contains_key(worker),
        });
        ResourceState::Accumulator {
            accumulated: state.count as u64,
            required: state.waiting.front().map_or(0, |first| first.required as u64),
            accepted: state.counts.accepted,
            dropped: state.counts.dropped,
            by_worker: by_worker.collect(),
        }
    }
}

/// Calls back, with no lock held.
fn run(calls: Vec<(Waiting, Result<Sum>)>) {
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

fn divided(sum: Sum, count: usize) -> Result<Sum> {
    fn by<T: Element + Number>(sum: &mut Tensor, count: usize) -> Result<()> {
        let count = T::from_count(count);
        math::elementwise::map_in_place(sum.make_mut::<T>()?, math::elementwise::CHEAP, |x| x.over(count));
        Ok(())
    }
    match sum {
        Sum::Dense(mut sum) => {
            if count > 1 {
                dispatch!(sum.dtype(), T in [f32, f64, f16] => by::<T>(&mut sum, count))?;
            }
            Ok(Sum::Dense(sum))
        }
        Sum::Rows(mut rows) => {
            let counts = &rows.counts;
            let values = &mut rows.values;
            dispatch!(values.dtype(), T in [f32, f64, f16] => divide_rows::<T>(values.make_mut::<T>()?, counts))?;
            Ok(Sum::Rows(rows))
        }
    }
}

/// Each row by how many gradients had it.
fn divide_rows<T: Number>(values: &mut [T], counts: &[u32]) -> Result<()> {
    let width = values.len() / counts.len().max(1);
    if width > 0 {
        for (row, count) in values.chunks_exact_mut(width).zip(counts) {
            let count = T::from_count(*count as usize);
            row.iter_mut().for_each(|x| *x = x.over(count));
        }
    }
    Ok(())
}

/// Merges two lists of rows that are in the order of their indices.
fn merged(rows: &Rows, indices: &[i64], values: &Tensor) -> Result<Rows> {
    let (mut out, mut counts) = (Vec::with_capacity(rows.indices.len() + indices.len()), Vec::new());
    // Where each row of the result comes from: a row of the sum, of the gradient, or both.
    let mut sources: Vec<(Option<usize>, Option<usize>)> = Vec::new();
    let (mut a, mut b) = (0, 0);
    loop {
        let (own, new) = (rows.indices.get(a), indices.get(b));
        let (take_own, take_new, index) = match (own, new) {
            (Some(x), Some(y)) => (x <= y, y <= x, *x.min(y)),
            (Some(x), None) => (true, false, *x),
            (None, Some(y)) => (false, true, *y),
            (None, None) => break,
        };
        out.push(index);
        sources.push((take_own.then_some(a), take_new.then_some(b)));
        counts.push(if take_own { rows.counts[a] } else { 0 } + take_new as u32);
        a += take_own as usize;
        b += take_new as usize;
    }
    let inner = values.dims().get(1..).unwrap_or(&[]);
    let shape = Shape::new(&[&[out.len() as i64], inner].concat())?;
    let sums = dispatch!(values.dtype(), T in [f32, f64, f16] => {
        let (old, new) = (rows.values.as_slice::<T>()?, values.as_slice::<T>()?);
        Tensor::build(shape, |sums: &mut [T]| sum_rows(sums, old, new, &sources))
    })?;
    Ok(Rows { indices: out, values: sums, counts })
}

fn sum_rows<T: Number>(sums: &mut [T], old: &[T], new: &[T], sources: &[(Option<usize>, Option<usize>)]) -> Result<()> {
    let width = sums.len() / sources.len().max(1);
    if width == 0 {
        return Ok(());
    }
    let row = |values: &[T], place: usize| -> std::ops::Range<usize> {
        debug_assert!((place + 1) * width <= values.len());
        place * width..(place + 1) * width
    };
    for (sum, source) in sums.chunks_exact_mut(width).zip(sources) {
        match *source {
            (Some(a), Some(b)) => {
                let (x, y) = (&old[row(old, a)], &new[row(new, b)]);
                sum.iter_mut().zip(x.iter().zip(y)).for_each(|(sum, (x, y))| *sum = x.plus(*y));
            }
            (Some(a), None) => sum.copy_from_slice(&old[row(old, a)]),
            (None, Some(b)) => sum.copy_from_slice(&new[row(new, b)]),
            (None, None) => bail!(Internal, "a row of nothing"),
        }
    }
    Ok(())
}
