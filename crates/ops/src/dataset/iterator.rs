//! Iterators over datasets: `IteratorV2`, `Iterator`, `MakeIterator`, `OneShotIterator`, `IteratorGetNext`, `IteratorGetNextSync`
//! and `IteratorGetNextAsOptional`, and their handles as strings: `IteratorToStringHandle` and
//! `IteratorFromStringHandleV2` and `IteratorFromStringHandle`.

use std::sync::Arc;

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, Resource, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use prost::Message;
use tensor::{DType, Result, Tensor, bail, ensure};

use super::elements::{Element, Elements, Source, dataset_in, dataset_input};
use super::function::Function;
use crate::data_flow::optional_tensor;
use crate::handle::MakeResource;

/// The type name in handles of iterators.
pub(crate) const ITERATOR_TYPE: &str = "N10tensorflow4data16IteratorResourceE";

pub(crate) fn register(r: &mut Registry) {
    for name in ["IteratorV2", "Iterator"] {
        r.op(name, "-> handle: resource")
            .attr("shared_name: string")
            .attr("container: string")
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(make_kernel)
            .not_differentiable();
    }
    r.op("OneShotIterator", "-> handle: resource")
        .attr("dataset_factory: func")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .attr("container: string = ''")
        .attr("shared_name: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(one_shot_kernel)
        .not_differentiable();
    r.op("MakeIterator", "dataset: variant, iterator: resource ->")
        .stateful()
        .any_kernel(begin_kernel)
        .not_differentiable();
    for name in ["IteratorGetNext", "IteratorGetNextSync"] {
        r.op(name, "iterator: resource -> components: output_types")
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .stateful()
            .shape(next_shape)
            .any_kernel(next_kernel)
            .not_differentiable();
    }
    r.op("IteratorGetNextAsOptional", "iterator: resource -> optional: variant")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(next_kernel)
        .not_differentiable();
    r.op("IteratorToStringHandle", "resource_handle: resource -> string_handle: string")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(to_string_kernel)
        .not_differentiable();
    for name in ["IteratorFromStringHandleV2", "IteratorFromStringHandle"] {
        r.op(name, "string_handle: string -> resource_handle: resource")
            .attr("output_types: list(type) >= 0 = []")
            .attr("output_shapes: list(shape) >= 0 = []")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(from_string_kernel)
            .not_differentiable();
    }
}

fn next_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for (index, shape) in cx.attr_shapes("output_shapes")?.to_vec().into_iter().enumerate() {
        cx.set(index, shape);
    }
    Ok(())
}

/// Where an iterator is; nowhere before it is begun.
pub(crate) struct IteratorResource {
    types: Vec<DType>,
    way: Mutex<Option<Under>>,
}

/// A way that has been begun.
struct Under {
    dataset: Arc<dyn Source>,
    way: Box<dyn Elements>,
    /// How many elements were taken.
    taken: u64,
}

impl Under {
    fn begin(dataset: Arc<dyn Source>, step: &Step) -> Result<Under> {
        let way = dataset.begin(step)?;
        Ok(Under { dataset, way, taken: 0 })
    }

    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        let element = self.way.next(step)?;
        self.taken += u64::from(element.is_some());
        Ok(element)
    }
}

impl IteratorResource {
    pub(super) fn new(types: Vec<DType>) -> IteratorResource {
        IteratorResource { types, way: Mutex::new(None) }
    }

    /// How many elements were taken.
    ///
    /// # Errors
    /// `FailedPrecondition` before it is begun.
    pub(super) fn taken(&self) -> Result<u64> {
        self.way.lock().as_ref().map(|under| under.taken).ok_or_else(|| not_begun("Save"))
    }

    /// Begins anew, behind so many elements.
    ///
    /// # Errors
    /// `FailedPrecondition` before it is begun; what the elements fail with; the step's end.
    pub(super) fn go_to(&self, step: &Step, taken: u64) -> Result<()> {
        let mut way = self.way.lock();
        let Some(under) = way.as_mut() else { return Err(not_begun("Restore")) };
        let mut fresh = Under::begin(under.dataset.clone(), step)?;
        while fresh.taken < taken && fresh.next(step)?.is_some() {
            step.cancellation.check()?;
        }
        *under = fresh;
        Ok(())
    }
}

fn not_begun(what: &str) -> tensor::Status {
    tensor::err!(
        FailedPrecondition,
        "{what}() failed because the iterator has not been initialized. Ensure that you have run the initializer operation \
         for this iterator before getting the next element."
    )
}

impl Resource for IteratorResource {
    fn kind(&self) -> &'static str {
        "Iterator"
    }

    /// What runs ahead for it ends. A step that is just asking for an element ends by itself.
    fn abandon(&self) {
        if let Some(mut way) = self.way.try_lock() {
            *way = None;
        }
    }
}

fn maker(node: &Node) -> Result<MakeResource<IteratorResource>> {
    let types = node.attr_types("output_types")?.to_vec();
    let wanted = types.clone();
    MakeResource::new(
        node,
        ITERATOR_TYPE,
        move |_| Ok(IteratorResource::new(types.clone())),
        move |found: &IteratorResource| {
            ensure!(
                found.types == wanted,
                InvalidArgument,
                "a shared iterator of {:?} was asked for {wanted:?}",
                found.types
            );
            Ok(())
        },
    )
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(maker(node)?))
}

fn one_shot_kernel(node: &Node) -> Result<Kernel> {
    let (maker, factory) = (maker(node)?, Arc::new(Function::of(node, "dataset_factory")?));
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let handle = maker.handle(cx)?;
        let [named] = handle.handles()? else { bail!(Internal, "a handle of several iterators") };
        let iterator: Arc<IteratorResource> = cx.step.resources.open(named)?;
        let mut way = iterator.way.lock();
        if way.is_none() {
            let made = factory.call(cx.step, Vec::new())?;
            let [dataset] = &made[..] else { bail!(InvalidArgument, "a factory of {} datasets", made.len()) };
            *way = Some(Under::begin(dataset_in(dataset)?, cx.step)?);
        }
        drop(way);
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn begin_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::files(|cx: &mut OpContext<'_>| {
        let dataset = dataset_input(cx, 0)?;
        let iterator = cx.resource::<IteratorResource>(1)?;
        let way = Under::begin(dataset, cx.step)?;
        *iterator.way.lock() = Some(way);
        Ok(())
    }))
}

fn next_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    let shapes = node.attr_shapes("output_shapes")?.to_vec();
    let optional = node.op == "IteratorGetNextAsOptional";
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let iterator = cx.resource::<IteratorResource>(0)?;
        let mut way = iterator.way.lock();
        let Some(open) = way.as_mut() else { return Err(not_begun("GetNext")) };
        let element = match open.next(cx.step)? {
            None if !optional => bail!(OutOfRange, "End of sequence"),
            element => element,
        };
        drop(way);
        let Some(element) = element else {
            cx.set_output(0, optional_tensor(None)?);
            return Ok(());
        };
        ensure!(
            element.len() == types.len(),
            InvalidArgument,
            "an element of {} components instead of {}",
            element.len(),
            types.len()
        );
        for (index, value) in element.iter().enumerate() {
            ensure!(
                value.dtype() == types[index],
                InvalidArgument,
                "component {index} is of type {} instead of {}",
                value.dtype(),
                types[index]
            );
            if let Some(shape) = shapes.get(index) {
                ensure!(
                    shape.is_compatible_with(value.shape()),
                    InvalidArgument,
                    "component {index} has shape {} instead of {shape}",
                    value.shape()
                );
            }
        }
        if optional {
            cx.set_output(0, optional_tensor(Some(element))?);
            return Ok(());
        }
        for (index, value) in element.into_iter().enumerate() {
            cx.set_output(index, value);
        }
        Ok(())
    }))
}

fn to_string_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        cx.resource::<IteratorResource>(0)?;
        let [handle] = cx.input(0)?.handles()? else { bail!(InvalidArgument, "expected one resource handle") };
        let bytes = tensor::proto::handle_to_proto(handle).encode_to_vec();
        cx.set_output(0, Bytes::from(bytes));
        Ok(())
    }))
}

fn from_string_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(input.shape().is_scalar(), InvalidArgument, "string_handle must be a scalar");
        let Ok(proto) = wire::ResourceHandleProto::decode(input.to_string_scalar()?.clone()) else {
            bail!(InvalidArgument, "Could not parse string_handle as a valid ResourceHandle")
        };
        let handle = tensor::proto::handle_from_proto(&proto)?;
        cx.set_output(0, Tensor::from_handle(handle));
        Ok(())
    }))
}
