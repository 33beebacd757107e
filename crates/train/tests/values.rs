//! Optimizers, schedules, clipping and averages agree with TensorFlow 2.21, step by step, for 20 steps.
//! `testdata/values.py` recorded what it computes.

use graph::{Gradient, IndexedSlices};
use tensorfleet::prelude::*;
use tensorfleet::train::{
    Adadelta, ExponentialMovingAverage, Ftrl, RmsProp, VariableKind, clip_by_global_norm, clip_by_norm,
    exponential_decay, inverse_time_decay, natural_exp_decay, piecewise_constant, polynomial_decay,
};

const STEPS: i64 = 20;

/// What TensorFlow computed, for each step.
fn recorded(program: &str, kind: &str) -> Vec<Vec<f64>> {
    let path = format!("{}/testdata/values.tsv", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let begin = format!("{program}\t{kind}\t");
    let line = |line: &str| {
        let (_, values) = line.strip_prefix(&begin)?.split_once('\t')?;
        Some(values.split(' ').map(|value| value.parse().unwrap()).collect())
    };
    let steps: Vec<Vec<f64>> = text.lines().filter_map(line).collect();
    assert_eq!(steps.len(), STEPS as usize, "{program}, {kind}");
    steps
}

fn flat(tensors: &[Tensor]) -> Vec<f64> {
    let values = |tensor: &Tensor| tensor.as_slice::<f32>().unwrap().iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    tensors.iter().flat_map(values).collect()
}

fn assert_close(ours: &[f64], theirs: &[f64], what: &str) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 2e-6 + 2e-6 * b.abs() || (a.is_nan() && b.is_nan());
    assert!(
        ours.len() == theirs.len() && ours.iter().zip(theirs).all(close),
        "{what}\nours   {ours:?}\ntheirs {theirs:?}"
    );
}

/// A dense gradient, and three rows with their indices, some of them the same.
fn inputs(step: i64) -> ([f32; 3], [[f32; 2]; 3], [i32; 3]) {
    let dense = std::array::from_fn(|i| ((7 * step + 3 * i as i64) % 11 - 5) as f32 / 4.0);
    let row = |i: usize| std::array::from_fn(|j| ((5 * step + 2 * i as i64 + j as i64) % 7 - 3) as f32 / 2.0);
    let indices = [step % 5, (2 * step + 1) % 5, (3 * step) % 5].map(|index| index as i32);
    (dense, std::array::from_fn(row), indices)
}

/// Runs a test with either kind of variable.
fn both_kinds(run: impl Fn(&Graph, &str) -> Result<()>) {
    for (name, kind) in [("ref", VariableKind::Ref), ("resource", VariableKind::Resource)] {
        let g = Graph::new();
        Variable::set_kind(&g, kind);
        run(&g, name).unwrap();
    }
}

fn initialized(g: &Graph) -> Result<LocalSession> {
    let init = global_variables_initializer(g);
    let session = LocalSession::new(g)?;
    session.run(RunRequest::new().target(&init))?;
    Ok(session)
}

#[test]
fn optimizers() {
    let all: [(&str, &dyn Fn() -> Box<dyn Optimizer>); 10] = [
        ("gradient_descent", &|| Box::new(GradientDescent::new(0.1))),
        ("momentum", &|| Box::new(Momentum::new(0.1, 0.9))),
        ("nesterov", &|| Box::new(Momentum::new(0.1, 0.9).nesterov())),
        ("adagrad", &|| Box::new(Adagrad::new(0.1))),
        ("adam", &|| Box::new(Adam::new(0.1))),
        ("rms_prop", &|| Box::new(RmsProp::new(0.1).momentum(0.5))),
        ("centered_rms_prop", &|| Box::new(RmsProp::new(0.1).momentum(0.5).centered())),
        ("adadelta", &|| Box::new(Adadelta::new(0.1))),
        ("ftrl", &|| Box::new(Ftrl::new(0.1).l1_regularization_strength(0.01).l2_regularization_strength(0.02))),
        ("ftrl_shrinkage", &|| Box::new(Ftrl::new(0.1).l2_shrinkage_regularization_strength(0.01).beta(0.5))),
    ];
    for (name, make) in all {
        both_kinds(|g, kind| {
            let w = Variable::new("w", g.constant([1f32, -2.0, 3.0]));
            let table = Variable::new("table", g.ones([5, 2], DType::Float));
            let (dense, rows) = (g.placeholder(DType::Float, [3]), g.placeholder(DType::Float, [3, 2]));
            let indices = g.placeholder(DType::Int32, [3]);
            let dense_shape = g.constant([5i32, 2]);
            let slices = IndexedSlices { values: rows.clone(), indices: indices.clone(), dense_shape };
            let pairs =
                [(Some(Gradient::Dense(dense.clone())), w.clone()), (Some(Gradient::Slices(slices)), table.clone())];
            let train = make().apply_gradients(&pairs, None)?;
            let session = initialized(g)?;
            for (step, theirs) in recorded(name, kind).iter().enumerate() {
                let (d, r, i) = inputs(step as i64);
                session.run(RunRequest::new().feed(&dense, d).feed(&rows, r).feed(&indices, i).target(&train))?;
                let ours = session.fetch(RunRequest::new().fetch(w.value()).fetch(table.value()))?;
                assert_close(&flat(&ours), theirs, &format!("{name}, {kind}, step {step}"));
            }
            Ok(())
        });
    }
}

#[test]
fn schedules() {
    type Schedule = fn(&Variable) -> Output;
    let all: [(&str, Schedule); 9] = [
        ("exponential", |s| exponential_decay(0.1, s, 5.0, 0.9, false)),
        ("exponential_staircase", |s| exponential_decay(0.1, s, 5.0, 0.9, true)),
        ("polynomial", |s| polynomial_decay(0.1, s, 12.0, 0.01, 2.0, false)),
        ("polynomial_cycle", |s| polynomial_decay(0.1, s, 6.0, 0.01, 0.5, true)),
        ("piecewise", |s| piecewise_constant(s, &[4, 9], &[1.0, 0.5, 0.1]).unwrap()),
        ("inverse_time", |s| inverse_time_decay(0.1, s, 3.0, 0.5, false)),
        ("inverse_time_staircase", |s| inverse_time_decay(0.1, s, 3.0, 0.5, true)),
        ("natural_exp", |s| natural_exp_decay(0.1, s, 4.0, 0.5, false)),
        ("natural_exp_staircase", |s| natural_exp_decay(0.1, s, 4.0, 0.5, true)),
    ];
    for (name, make) in all {
        both_kinds(|g, kind| {
            let step = get_or_create_global_step(g);
            let (rate, count) = (make(&step), step.assign_add(1));
            let session = initialized(g)?;
            for (number, theirs) in recorded(name, kind).iter().enumerate() {
                let ours = session.fetch(RunRequest::new().fetch(&rate))?;
                assert_close(&flat(&ours), theirs, &format!("{name}, {kind}, step {number}"));
                session.run(RunRequest::new().target(&count))?;
            }
            Ok(())
        });
    }
}

#[test]
fn clipping() -> Result<()> {
    let g = Graph::new();
    let (dense, rows) = (g.placeholder(DType::Float, [3]), g.placeholder(DType::Float, [3, 2]));
    let (indices, dense_shape) = (g.constant([0i32, 1, 0]), g.constant([5i32, 2]));
    let slices = Gradient::Slices(IndexedSlices { values: rows.clone(), indices, dense_shape });
    let (clipped, norm) = clip_by_global_norm(&[Some(Gradient::Dense(dense.clone())), Some(slices)], 1.5, None)?;
    let values = |gradient: &Option<Gradient>| match gradient.clone().unwrap() {
        Gradient::Dense(values) => values,
        Gradient::Slices(rows) => rows.values,
    };
    let results = [
        dense.clip_by_value(-0.5, 0.75),
        clip_by_norm(&dense, 1.25, None),
        clip_by_norm(&rows, 1.25, Some(&[1])),
        values(&clipped[0]),
        values(&clipped[1]),
        norm,
    ];
    let session = LocalSession::new(&g)?;
    for (step, theirs) in recorded("clipping", "ref").iter().enumerate() {
        let (d, r, _) = inputs(step as i64);
        let request = RunRequest::new().feed(&dense, d).feed(&rows, r);
        let ours = session.fetch(results.iter().fold(request, |request, result| request.fetch(result)))?;
        assert_close(&flat(&ours), theirs, &format!("clipping, step {step}"));
    }
    Ok(())
}

#[test]
fn averages() {
    type Make = fn(&Variable) -> ExponentialMovingAverage;
    let all: [(&str, Make); 3] = [
        ("average", |_| ExponentialMovingAverage::new(0.9)),
        ("average_num_updates", |step| ExponentialMovingAverage::new(0.9).num_updates(step)),
        ("average_zero_debias", |_| ExponentialMovingAverage::new(0.9).zero_debias()),
    ];
    for (name, make) in all {
        both_kinds(|g, kind| {
            let w = Variable::new("w", g.constant([1f32, -2.0, 3.0]));
            let step = get_or_create_global_step(g);
            let average = make(&step);
            let dense = g.placeholder(DType::Float, [3]);
            let moved = w.assign_sub(&dense * 0.5);
            let update = g.with_control_dependencies(&[moved], |g| average.apply(g, Some(std::slice::from_ref(&w))));
            let total = dense.reduce_sum_keepdims(..);
            let update_total = average.apply_to_outputs(g, std::slice::from_ref(&total));
            let count = step.assign_add(1);
            let session = initialized(g)?;
            let (of_w, of_total) = (average.average(&w).unwrap(), average.average_of_output(&total).unwrap());
            for (number, theirs) in recorded(name, kind).iter().enumerate() {
                let (d, ..) = inputs(number as i64);
                session.run(RunRequest::new().feed(&dense, d).target(&update).target(&update_total))?;
                let ours = session.fetch(RunRequest::new().fetch(of_w.value()).fetch(of_total.value()))?;
                assert_close(&flat(&ours), theirs, &format!("{name}, {kind}, step {number}"));
                session.run(RunRequest::new().target(&count))?;
            }
            Ok(())
        });
    }
}

/// Averages are saved under names of their own; a model that is evaluated takes them for its variables.
#[test]
fn what_to_restore_for_evaluation() {
    let g = Graph::new();
    let (w, _) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    let names: Vec<(String, String)> = ExponentialMovingAverage::new(0.9)
        .variables_to_restore(&g)
        .into_iter()
        .map(|(name, variable)| (name, variable.name().to_owned()))
        .collect();
    let pair = |name: &str, variable: &str| (name.to_owned(), variable.to_owned());
    assert_eq!(names, [pair("global_step", "global_step"), pair("w/ExponentialMovingAverage", w.name())]);
}
