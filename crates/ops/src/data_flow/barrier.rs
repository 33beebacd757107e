//! `Barrier`, `BarrierInsertMany`, `BarrierTakeMany`, `BarrierClose`, `BarrierReadySize` and `BarrierIncompleteSize`: elements
//! whose components come one by one, under a key, and leave together once all are there.

use graph::op::{AsyncContext, Done, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use smallvec::SmallVec;
use tensor::{PartialShape, Result, bail, ensure};

use super::barrier_store::Barrier;
use super::handles::handle_shape;
use super::queue_config::type_list;
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

fn make_kernel(node: &Node) -> Result<Kernel> {
    let (types, shapes) = (node.attr_types("component_types")?.to_vec(), node.attr_shapes("shapes")?.to_vec());
    let capacity = node.attr_int("capacity")?;
    ensure!(
        capacity == -1,
        InvalidArgument,
        "Barrier only accepts capacity=-1.  Feed the inputs to your Barrier through a queue to enforce a limited capacity."
    );
    ensure!(types.len() == shapes.len(), InvalidArgument, "All of the component shapes must be specified");
    // As TensorFlow, which takes a shape of which nothing is known for that of a scalar.
    let known = |shape: PartialShape| if shape.rank().is_none() { PartialShape::scalar() } else { shape };
    let shapes: Vec<PartialShape> = shapes.into_iter().map(known).collect();
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
        let size = if ready { barrier.ready_len() } else { barrier.incomplete_len() };
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use graph::op::Value;
    use tensor::{Code, DType, PartialShape, Tensor, err};

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
    fn elements_without_numbers_are_refused_and_nothing_enters_when_all_is_cancelled() {
        let bench = Bench::new();
        let types = ("component_types", vec![DType::Int32, DType::String].into());
        let shapes = ("shapes", vec![PartialShape::from([0]), PartialShape::scalar()].into());
        let b = Fixture { make: bench.node("Barrier", &[types, shapes]), bench };
        let attrs = [("T", DType::Int32.into()), ("component_index", 0i64.into())];
        let nothing = Tensor::new([1, 0], Vec::<i32>::new()).unwrap();
        let insert = |keys: &[&'static str], values: Tensor| {
            let keys = Tensor::string_vector(keys.iter().map(|key| (*key).to_owned()));
            b.start("BarrierInsertMany", &attrs, vec![val(keys), val(values)])
        };
        let status = insert(&["a"], nothing).error();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().starts_with("Tensors with no elements are not supported"));
        b.start("BarrierClose", &[], vec![]).take().unwrap().unwrap();
        let none = || Tensor::new([0, 0], Vec::<i32>::new()).unwrap();
        insert(&[], none()).take().unwrap().unwrap();
        let all = [("cancel_pending_enqueues", true.into())];
        b.start("BarrierClose", &all, vec![]).take().unwrap().unwrap();
        assert_eq!(insert(&[], none()).error().code(), Code::Cancelled);
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
