//! `Barrier` and its ops: elements whose components come one by one, under a key, and leave together once all are there.
//!
//! Complete elements go to a queue that is ordered by the insertion in which their keys first came; takes wait there.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use graph::op::{AsyncContext, Cancellation, Done, Kernel, OpContext, Outputs, Registry, Resource, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use smallvec::SmallVec;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::fifo_queue::handle_shape;
use super::queue::{Kind, Queue, QueueConfig, Tuple, Want, type_list};
use super::queue_enqueue::check_timeout;
use crate::handle::{MakeResource, find};

pub(crate) fn register(r: &mut Registry) {
    r.op("Barrier", "-> handle: Ref(string)")
        .attr("component_types: list(type) >= 1")
        .attr("shapes: list(shape) >= 0 = []")
        .attr("capacity: int = -1")
        .attr("container: string = ''")
        .attr("shared_name: string = ''")
        .stateful()
        .shape(handle_shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("BarrierInsertMany", "handle: Ref(string), keys: string, values: T ->")
        .attr("T: type")
        .attr("component_index: int")
        .shape(insert_shape)
        .any_kernel(insert_kernel)
        .not_differentiable();
    r.op(
        "BarrierTakeMany",
        "handle: Ref(string), num_elements: int32 -> indices: int64, keys: string, values: component_types",
    )
    .attr("component_types: list(type) >= 1")
    .attr("allow_small_batch: bool = false")
    .attr("wait_for_incomplete: bool = false")
    .attr("timeout_ms: int = -1")
    .shape(ShapeContext::unknown)
    .any_kernel(take_kernel)
    .not_differentiable();
    r.op("BarrierClose", "handle: Ref(string) ->")
        .attr("cancel_pending_enqueues: bool = false")
        .shape(ShapeContext::unknown)
        .any_kernel(close_kernel)
        .not_differentiable();
    for name in ["BarrierReadySize", "BarrierIncompleteSize"] {
        r.op(name, "handle: Ref(string) -> size: int32")
            .shape(ShapeContext::scalar)
            .any_kernel(size_kernel)
            .not_differentiable();
    }
}

fn insert_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let (keys, values) = (cx.input(1), cx.input(2));
    if let (Some(keys), Some(values)) = (keys.dim(0), values.dim(0)) {
        ensure!(
            keys == values,
            InvalidArgument,
            "Dimension 0 in both shapes must be equal, but are {keys} and {values}."
        );
    }
    Ok(())
}

/// Elements under way, and the queue of those that are complete.
pub(crate) struct Barrier {
    name: String,
    types: Vec<DType>,
    shapes: Vec<PartialShape>,
    ready: Arc<Queue>,
    state: Mutex<State>,
}

struct State {
    incomplete: HashMap<Bytes, Partial>,
    /// The number of the next insertion.
    next: i64,
    closed: bool,
    cancelled: bool,
}

struct Partial {
    index: i64,
    values: Vec<Option<Tensor>>,
}

impl Resource for Barrier {
    fn kind(&self) -> &'static str {
        "Barrier"
    }

    fn abandon(&self) {
        self.ready.abandon();
    }
}

impl Barrier {
    fn new(name: &str, types: &[DType], shapes: &[PartialShape]) -> Result<Barrier> {
        let config = QueueConfig {
            kind: Kind::Priority,
            types: [&[DType::Int64, DType::String], types].concat(),
            shapes: [&[PartialShape::scalar(), PartialShape::scalar()], shapes].concat(),
            capacity: -1,
        };
        let state = State { incomplete: HashMap::new(), next: i64::MIN, closed: false, cancelled: false };
        Ok(Barrier {
            name: name.to_owned(),
            types: types.to_vec(),
            shapes: shapes.to_vec(),
            ready: Arc::new(Queue::new(&format!("{name}_queue"), config)?),
            state: Mutex::new(state),
        })
    }

    fn check_same(&self, types: &[DType], shapes: &[PartialShape]) -> Result<()> {
        ensure!(
            self.types == types && self.shapes == shapes,
            InvalidArgument,
            "Shared barrier '{}' has component types {} but requested component types were {}",
            self.name,
            type_list(&self.types),
            type_list(types)
        );
        Ok(())
    }

    /// Gives each key a row of `values` as its component. A key that is refused ends the insertion, those before it stay.
    fn insert(&self, keys: &[Bytes], component: usize, values: &Tensor) -> Result<()> {
        let row = Shape::new(values.dims().get(1..).unwrap_or(&[]))?;
        ensure!(
            self.shapes[component].is_compatible_with(&row),
            InvalidArgument,
            "Shape mismatch in tuple component {}. Expected {}, got {row}",
            component + 2,
            self.shapes[component]
        );
        let mut complete = Vec::new();
        let inserted = self.insert_rows(keys, component, values, &row, &mut complete);
        // Without a limit, nothing waits for room.
        let failed = Arc::new(Mutex::new(None));
        for tuple in complete {
            let failed = failed.clone();
            let done = Box::new(move |result: Result<()>| {
                if let Err(status) = result {
                    *failed.lock() = Some(status);
                }
            });
            self.ready.enqueue(tuple, false, &Cancellation::new(), done);
        }
        let over = {
            let state = self.state.lock();
            state.closed && state.incomplete.is_empty()
        };
        if over && !self.ready.is_closed() {
            self.ready.close(false, &Cancellation::new(), Box::new(|_| {}));
        }
        let failed = failed.lock().take();
        inserted.and(failed.map_or(Ok(()), Err))
    }

    fn insert_rows(
        &self,
        keys: &[Bytes],
        component: usize,
        values: &Tensor,
        row: &Shape,
        complete: &mut Vec<Vec<Tensor>>,
    ) -> Result<()> {
        let mut state = self.state.lock();
        let name = &self.name;
        let new = keys.iter().filter(|key| !state.incomplete.contains_key(*key)).count();
        ensure!(
            !state.closed || !(state.cancelled || state.incomplete.is_empty()) || keys.is_empty(),
            Cancelled,
            "Barrier {name} is closed.  Pending enqueues cancelled: {}.  Number of new insertions: {new}.  Number of \
             incomplete keys: {}.",
            u8::from(state.cancelled),
            state.incomplete.len()
        );
        let index = state.next;
        for (number, key) in keys.iter().enumerate() {
            let value = values.window(number * row.num_elements(), row.clone())?;
            if !state.incomplete.contains_key(key) {
                ensure!(
                    !state.closed,
                    Cancelled,
                    "Barrier {name} is closed, but attempted to insert a brand new key: {}.  Pending enqueues cancelled: \
                     {}.  Insertion index: {number}.  Number of incomplete keys: {}.",
                    key.escape_ascii(),
                    u8::from(state.cancelled),
                    state.incomplete.len()
                );
                let partial = Partial { index, values: vec![None; self.types.len()] };
                state.incomplete.insert(key.clone(), partial);
                // All keys that an insertion brings share its number.
                state.next = index.wrapping_add(1);
            }
            let Some(partial) = state.incomplete.get_mut(key) else { continue };
            ensure!(
                partial.values[component].is_none(),
                InvalidArgument,
                "Key {} already has a value for component {component} in barrier {name}",
                key.escape_ascii()
            );
            partial.values[component] = Some(value);
            if partial.values.iter().all(Option::is_some)
                && let Some(partial) = state.incomplete.remove(key)
            {
                let begin = [Tensor::from(partial.index), Tensor::from(key.clone())];
                complete.push(begin.into_iter().chain(partial.values.into_iter().flatten()).collect());
            }
        }
        Ok(())
    }

    fn take(self: &Arc<Barrier>, count: usize, small: bool, cx: &AsyncContext, done: Done) {
        let mut count = count;
        {
            let state = self.state.lock();
            if state.closed {
                let mut available = self.ready.len();
                if small {
                    count = count.min(available);
                } else {
                    available += state.incomplete.len();
                }
                if available < count.max(if small { 1 } else { 0 }) {
                    let status = err!(
                        OutOfRange,
                        "Barrier '{}' is closed and has insufficient elements (requested {count}, total size {available})",
                        self.name
                    );
                    drop(state);
                    return done(Err(status));
                }
            }
        }
        let barrier = self.clone();
        let taken = Box::new(move |taken: Result<Vec<Tuple>>| done(taken.and_then(|taken| barrier.batch(&taken))));
        let want = if small { Want::UpTo(count) } else { Want::Many(count) };
        self.ready.dequeue(want, &cx.step.cancellation, taken);
    }

    fn batch(&self, taken: &[Tuple]) -> Result<Outputs> {
        super::queue_dequeue::batch(self.ready.config(), taken)
    }

    /// # Errors
    /// `Cancelled` if it is closed already.
    fn close(&self, cancel: bool) -> Result<()> {
        let over = {
            let mut state = self.state.lock();
            ensure!(
                !state.closed || (cancel && !state.cancelled),
                Cancelled,
                "Barrier '{}' is already closed.",
                self.name
            );
            (state.closed, state.cancelled) = (true, cancel);
            if cancel {
                state.incomplete.clear();
            }
            state.incomplete.is_empty()
        };
        if over && !self.ready.is_closed() {
            self.ready.close(cancel, &Cancellation::new(), Box::new(|_| {}));
        }
        Ok(())
    }
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    let (types, shapes) = (node.attr_types("component_types")?.to_vec(), node.attr_shapes("shapes")?.to_vec());
    let capacity = node.attr_int("capacity")?;
    ensure!(
        capacity == -1,
        InvalidArgument,
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited capacity."
    );
    ensure!(types.len() == shapes.len(), InvalidArgument, "All of the component shapes must be specified");
    for shape in &shapes {
        ensure!(shape.is_fully_known(), InvalidArgument, "Shape {shape} is not fully defined");
    }
    let (wanted_types, wanted_shapes) = (types.clone(), shapes.clone());
    let make = MakeResource::new(
        node,
        "Barrier",
        move |name| Barrier::new(name, &types, &shapes),
        move |found: &Barrier| found.check_same(&wanted_types, &wanted_shapes),
    )?;
    Ok(Kernel::cheap(make))
}

fn insert_kernel(node: &Node) -> Result<Kernel> {
    let component = node.attr_int("component_index")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let barrier = find::<Barrier>(cx.step, Some(&handle))?;
        let (keys, values) = (cx.input(1)?, cx.input(2)?);
        let count = barrier.types.len();
        let Some(dtype) = usize::try_from(component).ok().and_then(|component| barrier.types.get(component)) else {
            bail!(InvalidArgument, "The component ID is out of range {component} > num_components (= {count})")
        };
        ensure!(
            values.dtype() == *dtype,
            InvalidArgument,
            "Signature mismatch, have: string_ref, string, {}-> expected: string_ref, string, {dtype}->",
            values.dtype()
        );
        ensure!(keys.shape().rank() == 1, InvalidArgument, "keys must be a vector, but had shape {}", keys.shape());
        ensure!(
            values.dims().first() == keys.dims().first(),
            InvalidArgument,
            "keys and values must be as many: shapes {} and {}",
            keys.shape(),
            values.shape()
        );
        barrier.insert(keys.strings()?, component as usize, values)
    }))
}

fn take_kernel(node: &Node) -> Result<Kernel> {
    check_timeout(node)?;
    let (types, small) = (node.attr_types("component_types")?.to_vec(), node.attr_bool("allow_small_batch")?);
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared = find::<Barrier>(&cx.step, cx.inputs.first()).and_then(|barrier| {
            ensure!(
                types == barrier.types,
                InvalidArgument,
                "Signature mismatch, have: string_ref, int32->int64, string, {} expected: string_ref, int32->int64, string, {}",
                type_list(&types),
                type_list(&barrier.types)
            );
            let count = cx.input(1)?;
            ensure!(count.shape().is_scalar(), InvalidArgument, "num_elements must be a scalar.");
            let count = count.to_scalar::<i32>()?;
            ensure!(count >= 0, InvalidArgument, "num_elements {count} must not be negative");
            Ok((barrier, count as usize))
        });
        match prepared {
            Ok((barrier, count)) => barrier.take(count, small, &cx, done),
            Err(status) => done(Err(status)),
        }
    }))
}

fn close_kernel(node: &Node) -> Result<Kernel> {
    let cancel = node.attr_bool("cancel_pending_enqueues")?;
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let closed = find::<Barrier>(&cx.step, cx.inputs.first()).and_then(|barrier| barrier.close(cancel));
        done(closed.map(|()| SmallVec::new()));
    }))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let ready = node.op == "BarrierReadySize";
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let barrier = find::<Barrier>(cx.step, Some(&handle))?;
        let size = if ready { barrier.ready.len() } else { barrier.state.lock().incomplete.len() };
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use graph::op::Value;

    use super::*;
    use crate::testing::{Bench, Part, Started, tensor, val};

    struct Fixture {
        bench: Bench,
        make: Part,
    }

    impl Fixture {
        fn new() -> Fixture {
            let bench = Bench::new();
            let types = ("component_types", vec![DType::Int32, DType::String].into());
            let shapes = ("shapes", vec![PartialShape::scalar(), PartialShape::scalar()].into());
            Fixture { make: bench.node("Barrier", &[types, shapes]), bench }
        }

        fn start(&self, op: &str, attrs: &[(&str, graph::AttrValue)], inputs: Vec<Value>) -> Started {
            let handle = self.make.run(&self.bench, vec![]).unwrap();
            self.bench.node(op, attrs).start(&self.bench, [handle, inputs].concat())
        }

        fn numbers(&self, keys: &[&str], values: &[i32]) -> Started {
            let attrs = [("T", DType::Int32.into()), ("component_index", 0i64.into())];
            let keys = Tensor::string_vector(keys.iter().map(|key| (*key).to_owned()));
            self.start("BarrierInsertMany", &attrs, vec![val(keys), val(Tensor::vector(values))])
        }

        fn words(&self, keys: &[&str], values: &[&str]) -> Started {
            let attrs = [("T", DType::String.into()), ("component_index", 1i64.into())];
            let tensor = |words: &[&str]| val(Tensor::string_vector(words.iter().map(|word| (*word).to_owned())));
            self.start("BarrierInsertMany", &attrs, vec![tensor(keys), tensor(values)])
        }

        fn take(&self, count: i32) -> Started {
            let attrs = [("component_types", vec![DType::Int32, DType::String].into())];
            self.start("BarrierTakeMany", &attrs, vec![val(count)])
        }
    }

    #[test]
    fn a_take_waits_until_elements_are_complete() {
        let b = Fixture::new();
        let taken = b.take(2);
        b.numbers(&["a", "b"], &[1, 2]).take().unwrap().unwrap();
        b.words(&["a"], &["x"]).take().unwrap().unwrap();
        assert!(!taken.is_done());
        b.words(&["b"], &["y"]).take().unwrap().unwrap();
        let values = taken.take().unwrap().unwrap();
        assert_eq!(tensor(&values[0]), Tensor::from([i64::MIN, i64::MIN]));
        assert_eq!(tensor(&values[1]), Tensor::string_vector(["a", "b"]));
        assert_eq!(tensor(&values[2]), Tensor::from([1i32, 2]));
        assert_eq!(tensor(&values[3]), Tensor::string_vector(["x", "y"]));
    }

    #[test]
    fn what_waits_ends_with_the_step_or_when_nothing_more_can_come() {
        let b = Fixture::new();
        b.numbers(&["a"], &[1]).take().unwrap().unwrap();
        let waiting = b.take(2);
        b.start("BarrierClose", &[], vec![]).take().unwrap().unwrap();
        // The key that is under way may still be completed.
        b.words(&["a"], &["x"]).take().unwrap().unwrap();
        assert_eq!(waiting.error().code(), Code::OutOfRange);
        assert_eq!(b.numbers(&["b"], &[1]).error().code(), Code::Cancelled);
        let other = Fixture::new();
        let waiting = other.take(1);
        other.bench.step.cancellation.cancel(err!(Cancelled, "the session was closed"));
        assert_eq!(waiting.error().code(), Code::Cancelled);
    }
}
