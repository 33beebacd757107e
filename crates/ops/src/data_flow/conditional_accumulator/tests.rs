//! Accumulators as their ops see them: means, late gradients, counts, waiting and cancelling.

use graph::AttrValue;
use tensor::{Code, err};

use super::*;
use crate::testing::{Bench, Part, Started, val};

struct Fixture {
    bench: Bench,
    make: Part,
    prefix: &'static str,
}

impl Fixture {
    fn new(prefix: &'static str, extra: &[(&str, AttrValue)]) -> Fixture {
        let bench = Bench::new();
        let mut attrs = vec![("dtype", DType::Float.into()), ("shape", PartialShape::from([2]).into())];
        attrs.extend(extra.iter().cloned());
        Fixture { make: bench.node(&format!("{prefix}ConditionalAccumulator"), &attrs), bench, prefix }
    }

    fn run(&self, op: &str, typed: bool, inputs: Vec<Value>) -> Started {
        let float: [(&str, AttrValue); 1] = [("dtype", DType::Float.into())];
        let attrs = if typed { &float[..] } else { &[] };
        let handle = self.make.run(&self.bench, vec![]).unwrap();
        let part = self.bench.node(&format!("{}Accumulator{op}", self.prefix), attrs);
        part.start(&self.bench, [handle, inputs].concat())
    }

    fn apply(&self, step: i64, gradient: impl Into<Tensor>) -> Started {
        self.run("ApplyGradient", true, vec![val(step), val(gradient)])
    }

    fn take(&self, required: i32) -> Started {
        self.run("TakeGradient", true, vec![val(required)])
    }

    fn count(&self) -> Tensor {
        self.run("NumAccumulated", false, vec![]).value()
    }
}

/// Values as in TensorFlow 2.21.
#[test]
fn means_and_late_gradients() {
    for prefix in ["Resource", ""] {
        let a = Fixture::new(prefix, &[]);
        a.apply(0, [1f32, 2.0]);
        a.apply(0, [3f32, 4.0]);
        assert_eq!(a.count(), Tensor::from(2i32));
        assert_eq!(a.take(1).value(), Tensor::from([2f32, 3.0]));
        assert_eq!(a.count(), Tensor::from(0i32));
        // The take moved on to step 1, so this one is late.
        a.apply(0, [3f32, 4.0]);
        assert_eq!(a.count(), Tensor::from(0i32));
        a.apply(1, [3f32, 4.0]);
        assert_eq!(a.take(1).value(), Tensor::from([3f32, 4.0]));
        a.run("SetGlobalStep", false, vec![val(5i64)]).take().unwrap().unwrap();
        a.apply(4, [1f32, 2.0]);
        assert_eq!(a.count(), Tensor::from(0i32));
    }
}

#[test]
fn gradients_are_counted_by_worker() {
    let a = Fixture::new("Resource", &[]);
    let apply = |worker: &'static str, step: i64| {
        let attrs: [(&str, AttrValue); 2] = [("dtype", DType::Float.into()), (WORKER, worker.into())];
        let handle = a.make.run(&a.bench, vec![]).unwrap();
        let part = a.bench.node("ResourceAccumulatorApplyGradient", &attrs);
        part.start(&a.bench, [handle, vec![val(step), val([1f32, 2.0])]].concat()).take().unwrap().unwrap();
    };
    apply("/job:worker/task:1", 0);
    apply("/job:worker/task:0", 0);
    a.take(2).value();
    apply("/job:worker/task:1", 0);
    // Clients of others do not say who they are, and count in the sum.
    a.apply(0, [1f32, 2.0]);
    let handle = a.make.run(&a.bench, vec![]).unwrap();
    let counts = a.bench.node("ResourceAccumulatorCounts", &[]).run(&a.bench, handle).unwrap();
    let tensor = |value: &Value| match value {
        Value::Tensor(tensor) => tensor.clone(),
        _ => panic!("not a tensor"),
    };
    let counts: Vec<Tensor> = counts.iter().map(tensor).collect();
    assert_eq!(counts[0], Tensor::from([2i64, 2]));
    assert_eq!(counts[1], Tensor::string_vector(["/job:worker/task:0", "/job:worker/task:1"]));
    assert_eq!(counts[2], Tensor::from([[1i64, 0], [1, 1]]));
}

#[test]
fn what_a_worker_sends_again_counts_once_and_a_restore_drops_all() {
    let a = Fixture::new("Resource", &[]);
    // A session makes its kernel once.
    let session = || {
        let attrs: [(&str, AttrValue); 2] = [("dtype", DType::Float.into()), (WORKER, "/job:worker/task:1".into())];
        a.bench.node("ResourceAccumulatorApplyGradient", &attrs)
    };
    let apply = |session: &Part, step: i64| {
        let handle = a.make.run(&a.bench, vec![]).unwrap();
        session.start(&a.bench, [handle, vec![val(step), val([1f32, 2.0])]].concat()).take().unwrap()
    };
    let (first, second) = (session(), session());
    apply(&first, 0).unwrap();
    apply(&second, 0).unwrap();
    assert_eq!(a.count(), Tensor::from(1i32));
    // With tokens enough, one session brings several.
    apply(&first, 0).unwrap();
    assert_eq!(a.count(), Tensor::from(2i32));
    a.take(2).value();
    apply(&second, 1).unwrap();
    assert_eq!(a.count(), Tensor::from(1i32));
    let waiting = a.take(2);
    a.bench.step.resources.roll_back(graph::op::StepId(77));
    assert_eq!(waiting.error().code(), Code::Aborted);
    assert_eq!(a.count(), Tensor::from(0i32));
    // The step began before.
    assert_eq!(apply(&second, 1).err().unwrap().code(), Code::Aborted);
}

#[test]
fn a_take_waits_for_enough_and_sums_when_asked() {
    let a = Fixture::new("Resource", &[("reduction_type", "SUM".into())]);
    let (first, second) = (a.take(2), a.take(1));
    a.apply(0, [1f32, 2.0]);
    assert!(!first.is_done());
    a.apply(0, [2f32, 5.0]);
    assert_eq!(first.value(), Tensor::from([3f32, 7.0]));
    assert!(!second.is_done());
    a.apply(1, [1f32, 1.0]);
    assert_eq!(second.value(), Tensor::from([1f32, 1.0]));
}

/// Texts as in TensorFlow 2.21.
#[test]
fn what_does_not_fit_and_what_is_cancelled() {
    let a = Fixture::new("Resource", &[("shared_name", "acc".into())]);
    assert_eq!(a.apply(0, [1f32, 2.0, 3.0]).error().message(), "Shape mismatch: expected [2], got [3]");
    assert_eq!(a.take(0).error().message(), "Argument num_required must be positive, but was 0");
    let waiting = a.take(1);
    a.bench.step.cancellation.cancel(err!(Cancelled, "the session was closed"));
    let status = waiting.error();
    assert_eq!((status.code(), status.message()), (Code::Cancelled, "TakeGrad operation was cancelled"));
    let other = Bench { step: a.bench.next_step().step };
    let counted = other.step.resources.lookup::<Accumulator>("", "acc").unwrap();
    a.apply(-1, [1f32, 2.0]);
    a.apply(0, [1f32, 2.0]);
    assert_eq!(counted.counts(), Counts { accepted: 1, dropped: 1, steps_late: 1 });
}
