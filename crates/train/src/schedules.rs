//! Learning-rate schedules: rates that fall with the global step, as outputs for an optimizer.

use graph::{Graph, Output};
use ops::prelude::*;
use tensor::{DType, Result, Tensor, ensure};

use crate::optimizers::Scalar;
use crate::variable::Variable;

/// `rate * decay_rate ^ (step / decay_steps)`; with `staircase`, in whole steps of the exponent.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::exponential_decay;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let rate = exponential_decay(0.1, &step, 100.0, 0.5, false);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&rate))?[0], Tensor::from(0.1f32));
/// let optimizer = Adam::new(rate);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn exponential_decay(
    rate: impl Into<Scalar>,
    step: &Variable,
    decay_steps: f64,
    decay_rate: f64,
    staircase: bool,
) -> Output {
    scheduled(step, "ExponentialDecay", rate, |graph, rate| {
        let times = progress(step, decay_steps, staircase);
        let base = Scalar::Number(decay_rate).node(graph, "decay_rate");
        rate * base.pow(&times)
    })
}

/// `rate * exp(-decay_rate * step / decay_steps)`; with `staircase`, in whole steps.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::natural_exp_decay;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let rate = natural_exp_decay(0.5, &step, 100.0, 1.0, false);
/// let later = step.assign(100);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&later))?;
/// let rate = session.fetch(RunRequest::new().fetch(&rate))?[0].to_scalar::<f32>()?;
/// assert!((rate - 0.5 / std::f32::consts::E).abs() < 1e-6);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn natural_exp_decay(
    rate: impl Into<Scalar>,
    step: &Variable,
    decay_steps: f64,
    decay_rate: f64,
    staircase: bool,
) -> Output {
    scheduled(step, "NaturalExpDecay", rate, |_, rate| {
        rate * (progress(step, decay_steps, staircase) * -decay_rate).exp()
    })
}

/// `rate / (1 + decay_rate * step / decay_steps)`; with `staircase`, in whole steps.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::inverse_time_decay;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let rate = inverse_time_decay(0.5, &step, 100.0, 1.0, false);
/// let later = step.assign(100);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&later))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&rate))?, [Tensor::from(0.25f32)]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn inverse_time_decay(
    rate: impl Into<Scalar>,
    step: &Variable,
    decay_steps: f64,
    decay_rate: f64,
    staircase: bool,
) -> Output {
    scheduled(step, "InverseTimeDecay", rate, |_, rate| {
        rate / (progress(step, decay_steps, staircase) * decay_rate + 1f32)
    })
}

/// From `rate` to `end_rate` in `decay_steps` steps, along `(1 - step / decay_steps) ^ power`; with `cycle`, again from the
/// beginning, each time up to the next multiple of `decay_steps`.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::polynomial_decay;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let rate = polynomial_decay(0.5, &step, 100.0, 0.25, 1.0, false);
/// let later = step.assign(100);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&later))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&rate))?, [Tensor::from(0.25f32)]);
/// # Ok(())
/// # }
/// ```
#[track_caller]
pub fn polynomial_decay(
    rate: impl Into<Scalar>,
    step: &Variable,
    decay_steps: f64,
    end_rate: f64,
    power: f64,
    cycle: bool,
) -> Output {
    scheduled(step, "PolynomialDecay", rate, |graph, rate| {
        let done = step.current().cast(DType::Float);
        let one = graph.constant(1f32);
        let part = if cycle {
            let rounds = (&done / decay_steps).ceil();
            let rounds = done.equal(0f32).select(&one, &rounds);
            done / (rounds * decay_steps)
        } else {
            done.minimum(decay_steps) / decay_steps
        };
        (rate - end_rate) * (one - part).pow(power) + end_rate
    })
}

/// `values[0]` up to and including the step `boundaries[0]`, then `values[1]`, and so on.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::piecewise_constant;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let step = get_or_create_global_step(&g);
/// let rate = piecewise_constant(&step, &[10, 20], &[0.5, 0.25, 0.125])?;
/// let later = step.assign(15);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&later))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&rate))?, [Tensor::from(0.25f32)]);
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` if there is not one value more than boundaries, or these do not rise.
#[track_caller]
pub fn piecewise_constant(step: &Variable, boundaries: &[i64], values: &[f32]) -> Result<Output> {
    ensure!(
        values.len() == boundaries.len() + 1,
        InvalidArgument,
        "The length of boundaries should be 1 less than the length of values: they are {} and {}",
        boundaries.len(),
        values.len()
    );
    ensure!(
        boundaries.windows(2).all(|pair| pair[0] < pair[1]),
        InvalidArgument,
        "boundaries must rise: {boundaries:?}"
    );
    let graph = step.handle().graph().clone();
    Ok(graph.with_name_scope("PiecewiseConstant", |graph| {
        let now = step.current().cast(DType::Int64);
        let last = graph.constant(Tensor::from(values[values.len() - 1]));
        let before = boundaries.iter().zip(values).rev();
        before.fold(last, |later, (boundary, value)| {
            let boundary = graph.constant(Tensor::from(*boundary));
            now.less_equal(&boundary).select(&graph.constant(Tensor::from(*value)), &later)
        })
    }))
}

#[track_caller]
fn scheduled(
    step: &Variable,
    name: &str,
    rate: impl Into<Scalar>,
    build: impl FnOnce(&Graph, Output) -> Output,
) -> Output {
    let graph = step.handle().graph().clone();
    let rate = rate.into();
    graph.with_name_scope(name, |graph| {
        let rate = rate.node(graph, "learning_rate");
        build(graph, rate)
    })
}

/// How many times `decay_steps` have gone by.
fn progress(step: &Variable, decay_steps: f64, staircase: bool) -> Output {
    let times = step.current().cast(DType::Float) / decay_steps;
    if staircase { times.floor() } else { times }
}
