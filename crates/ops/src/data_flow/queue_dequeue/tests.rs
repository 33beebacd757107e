//! Queues as their ops see them: order, waiting, closing, cancelling, padding and shuffling.

use graph::AttrValue;
use tensor::{Code, PartialShape};

use super::*;
use crate::testing::{Bench, Part, Started, tensor, val};

struct Fixture {
    bench: Bench,
    queue: Part,
    types: Vec<DType>,
}

impl Fixture {
    fn new(op: &str, extra: &[(&str, AttrValue)]) -> Fixture {
        let bench = Bench::new();
        let mut attrs = vec![
            ("component_types", vec![DType::Int32].into()),
            ("shapes", vec![PartialShape::scalar()].into()),
            ("capacity", 3i64.into()),
            ("shared_name", "q".into()),
        ];
        for (name, value) in extra {
            attrs.retain(|(known, _)| known != name);
            attrs.push((name, value.clone()));
        }
        let types = match &attrs.iter().find(|(name, _)| *name == "component_types").unwrap().1 {
            AttrValue::Types(types) => types.clone(),
            _ => unreachable!(),
        };
        Fixture { queue: bench.node(op, &attrs), bench, types }
    }

    fn handle(&self) -> Value {
        self.queue.run(&self.bench, vec![]).unwrap().remove(0)
    }

    fn start(&self, op: &str, attr: &str, inputs: Vec<Value>) -> Started {
        let attrs: Vec<(&str, AttrValue)> =
            if attr.is_empty() { vec![] } else { vec![(attr, self.types.clone().into())] };
        let inputs = [vec![self.handle()], inputs].concat();
        self.bench.node(op, &attrs).start(&self.bench, inputs)
    }

    fn put(&self, value: i32) -> Started {
        self.start("QueueEnqueueV2", "Tcomponents", vec![val(value)])
    }

    fn put_many(&self, values: &[i32]) -> Started {
        self.start("QueueEnqueueManyV2", "Tcomponents", vec![val(Tensor::vector(values))])
    }

    fn get(&self) -> Started {
        self.start("QueueDequeueV2", "component_types", vec![])
    }

    fn get_many(&self, count: i32) -> Started {
        self.start("QueueDequeueManyV2", "component_types", vec![val(count)])
    }

    fn get_up_to(&self, count: i32) -> Started {
        self.start("QueueDequeueUpToV2", "component_types", vec![val(count)])
    }

    fn size(&self) -> i32 {
        self.start("QueueSizeV2", "", vec![]).value().to_scalar().unwrap()
    }

    fn close(&self, cancel: bool) -> Started {
        let attrs = [("cancel_pending_enqueues", cancel.into())];
        self.bench.node("QueueCloseV2", &attrs).start(&self.bench, vec![self.handle()])
    }
}

fn message(started: &Started, code: Code) -> String {
    let status = started.error();
    assert_eq!(status.code(), code);
    status.message().to_owned()
}

#[test]
fn elements_leave_in_the_order_they_came() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    assert!(q.put_many(&[1, 2]).is_done());
    assert_eq!((q.size(), q.get().value()), (2, Tensor::from(1i32)));
    // A full queue makes the rest of a batch wait.
    let waiting = q.put_many(&[3, 4, 5, 6]);
    assert!(!waiting.is_done());
    assert_eq!(q.get_many(2).value(), Tensor::from([2i32, 3]));
    assert!(waiting.is_done());
    assert_eq!(q.get_many(3).value(), Tensor::from([4i32, 5, 6]));
    assert_eq!(q.get_many(0).value().dims(), [0]);
}

/// Who asks first is served first, even if a later one could be served at once. As TensorFlow 2.21 does.
#[test]
fn waiting_dequeues_stand_in_line() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    let (many, one) = (q.get_many(3), q.get());
    for value in 0..3 {
        assert!(!many.is_done() && !one.is_done());
        q.put(value).take().unwrap().unwrap();
        assert_eq!(q.size(), 0);
    }
    assert_eq!(many.value(), Tensor::from([0i32, 1, 2]));
    q.put(3).take().unwrap().unwrap();
    assert_eq!(one.value(), Tensor::from(3i32));
}

/// Texts and rules as in TensorFlow 2.21.
#[test]
fn a_closed_queue_gives_what_it_has() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    q.put_many(&[1, 2]).take().unwrap().unwrap();
    assert!(q.close(false).take().unwrap().is_ok());
    assert_eq!(message(&q.close(false), Code::Cancelled), "Queue 'q' is already closed.");
    assert_eq!(message(&q.put(1), Code::Cancelled), "FIFOQueue 'q' is closed.");
    assert_eq!(
        message(&q.get_many(3), Code::OutOfRange),
        "FIFOQueue 'q' is closed and has insufficient elements (requested 3, current size 2)"
    );
    assert_eq!(q.get_up_to(3).value(), Tensor::from([1i32, 2]));
    assert_eq!(
        message(&q.get(), Code::OutOfRange),
        "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)"
    );
}

#[test]
fn closing_gives_back_what_a_waiting_dequeue_had_taken() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    let many = q.get_many(3);
    q.put_many(&[0, 1]).take().unwrap().unwrap();
    assert_eq!(q.size(), 0);
    q.close(false).take().unwrap().unwrap();
    assert_eq!(
        message(&many, Code::OutOfRange),
        "FIFOQueue 'q' is closed and has insufficient elements (requested 1, current size 0)"
    );
    assert_eq!((q.get().value(), q.get().value()), (Tensor::from(0i32), Tensor::from(1i32)));
}

#[test]
fn a_close_waits_for_earlier_enqueues_unless_it_cancels_them() {
    let q = Fixture::new("FIFOQueueV2", &[("capacity", 1i64.into())]);
    q.put(1).take().unwrap().unwrap();
    let (second, third) = (q.put(2), q.put(3));
    let close = q.close(false);
    let late = q.put(4);
    assert!(!close.is_done());
    assert_eq!(q.get().value(), Tensor::from(1i32));
    assert!(second.is_done() && !close.is_done());
    q.close(true).take().unwrap().unwrap();
    for cancelled in [third, close, late] {
        assert_eq!(message(&cancelled, Code::Cancelled), "Enqueue operation was cancelled");
    }
    assert_eq!(q.get().value(), Tensor::from(2i32));
}

#[test]
fn cancelling_a_step_ends_its_waiting_and_loses_nothing() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    let waiting = q.get_many(3);
    q.put(5).take().unwrap().unwrap();
    q.bench.step.cancellation.cancel(err!(Cancelled, "the session was closed"));
    assert_eq!(message(&waiting, Code::Cancelled), "Dequeue operation was cancelled");
    assert_eq!(q.size(), 1);
}

#[test]
fn a_removed_queue_lets_its_waiters_go() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    let waiting = q.get();
    assert!(q.bench.step.resources.delete::<Queue>("", "q"));
    assert_eq!(message(&waiting, Code::Cancelled), "Dequeue operation was cancelled");
}

#[test]
fn a_private_queue_ends_with_its_kernel() {
    let q = Fixture::new("FIFOQueueV2", &[("shared_name", "".into())]);
    let handle = q.handle();
    let (bench, queue) = (q.bench, q.queue);
    let size = |bench: &Bench| bench.value("QueueSizeV2", &[], vec![handle.clone()]);
    assert!(size(&bench).is_ok());
    drop(queue);
    assert_eq!(size(&bench).unwrap_err().code(), Code::NotFound);
}

/// Texts as in TensorFlow 2.21.
#[test]
fn what_does_not_fit_is_refused() {
    let q = Fixture::new("FIFOQueueV2", &[]);
    let put = |op: &str, value: Tensor| message(&q.start(op, "Tcomponents", vec![val(value)]), Code::InvalidArgument);
    assert_eq!(
        put("QueueEnqueueV2", Tensor::from([1i32, 2])),
        "Shape mismatch in tuple component 0. Expected [], got [2]"
    );
    assert_eq!(
        put("QueueEnqueueManyV2", Tensor::from([[1i32, 2]])),
        "Shape mismatch in tuple component 0. Expected [1], got [1,2]"
    );
    assert_eq!(message(&q.get_many(-1), Code::InvalidArgument), "DequeueManyOp requested -1 < 0 elements");
    let free = Fixture::new("FIFOQueueV2", &[("shapes", AttrValue::EmptyList)]);
    assert_eq!(
        message(&free.get_many(1), Code::InvalidArgument),
        "FIFOQueue's DequeueMany and DequeueUpTo require the components to have specified shapes."
    );
    let other = q.bench.try_node(
        "FIFOQueueV2",
        &[
            ("component_types", vec![DType::Int32].into()),
            ("shapes", vec![PartialShape::scalar()].into()),
            ("capacity", 5i64.into()),
            ("shared_name", "q".into()),
        ],
    );
    let status = other.unwrap().run(&q.bench, vec![]).err().unwrap();
    assert_eq!(status.message(), "Shared queue 'q' has capacity 3 but requested capacity was 5");
}

/// The order is TensorFlow 2.21's for these seeds.
#[test]
fn shuffling_as_tensorflow_does() {
    let seeds = [("capacity", 20i64.into()), ("seed", 7i64.into()), ("seed2", 11i64.into())];
    let q = Fixture::new("RandomShuffleQueueV2", &seeds);
    q.put_many(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).take().unwrap().unwrap();
    let first: Vec<Tensor> = (0..5).map(|_| q.get().value()).collect();
    assert_eq!(first, [3i32, 8, 9, 7, 5].map(Tensor::from));
    assert_eq!(q.get_many(5).value(), Tensor::from([2i32, 0, 4, 6, 1]));
}

#[test]
fn shuffling_keeps_some_elements_to_mix_until_closed() {
    let attrs = [
        ("capacity", 20i64.into()),
        ("min_after_dequeue", 8i64.into()),
        ("seed", 7i64.into()),
        ("seed2", 11i64.into()),
    ];
    let q = Fixture::new("RandomShuffleQueueV2", &attrs);
    q.put_many(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]).take().unwrap().unwrap();
    let many = q.get_many(5);
    assert_eq!((many.is_done(), q.size()), (false, 8));
    q.close(false).take().unwrap().unwrap();
    assert_eq!(many.value(), Tensor::from([3i32, 8, 9, 7, 5]));
    assert_eq!(q.get_up_to(50).value(), Tensor::from([2i32, 0, 4, 6, 1]));
    assert_eq!(
        message(&q.get_many(5), Code::OutOfRange),
        "RandomShuffleQueue 'q' is closed and has insufficient elements (requested 5, current size 0)"
    );
}

#[test]
fn padding_to_a_common_shape() {
    let q = Fixture::new("PaddingFIFOQueueV2", &[("shapes", vec![PartialShape::from([-1, -1])].into())]);
    for value in [Tensor::from([[1i32, 2], [3, 4]]), Tensor::from([[5i32, 6, 7]])] {
        q.start("QueueEnqueueV2", "Tcomponents", vec![val(value)]).take().unwrap().unwrap();
    }
    let both = tensor(&q.get_many(2).take().unwrap().unwrap()[0]);
    assert_eq!(both.dims(), [2, 2, 3]);
    assert_eq!(both.as_slice::<i32>().unwrap(), [1, 2, 0, 3, 4, 0, 5, 6, 7, 0, 0, 0]);
}
