//! Iterators without a name, and what can be done with an iterator beside asking for elements: `AnonymousIterator`,
//! `AnonymousIteratorV2`, `AnonymousIteratorV3`, `DeleteIterator`, `IteratorGetDevice`, `SerializeIterator` and
//! `DeserializeIterator`.

use std::any::Any;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Owner, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure};

use super::iterator::{ITERATOR_TYPE, IteratorResource};
use crate::handle::{anonymous, owned_handle, owner_of};

pub(crate) fn register(r: &mut Registry) {
    for (name, outputs) in [
        ("AnonymousIterator", "handle: resource"),
        ("AnonymousIteratorV2", "handle: resource, deleter: variant"),
        ("AnonymousIteratorV3", "handle: resource"),
    ] {
        r.op(name, &format!("-> {outputs}"))
            .attr("output_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(make_kernel)
            .not_differentiable();
    }
    let entry = r.op("DeleteIterator", "handle: resource, deleter: variant ->").stateful();
    entry.any_kernel(delete_kernel).not_differentiable();
    r.op("IteratorGetDevice", "resource: resource -> device: string")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(device_kernel)
        .not_differentiable();
    r.op("SerializeIterator", "resource_handle: resource -> serialized: variant")
        .attr("external_state_policy: int = 0")
        .stateful()
        .shape(serialize_shape)
        .any_kernel(serialize_kernel)
        .not_differentiable();
    r.op("DeserializeIterator", "resource_handle: resource, serialized: variant ->")
        .stateful()
        .any_kernel(deserialize_kernel)
        .not_differentiable();
}

/// Lets go of a resource with its last copy.
#[derive(Clone, Debug)]
struct Deleter {
    _owner: Owner,
}

impl VariantValue for Deleter {
    fn type_name(&self) -> &str {
        "ResourceDeleter"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

/// What removes a resource with its last copy, as a value on an edge.
///
/// # Errors
/// None: a scalar has one element.
pub(super) fn deleter(owner: Owner) -> Result<Tensor> {
    Tensor::from_variants(Shape::scalar(), vec![Variant::new(Deleter { _owner: owner })?])
}

/// Holding the deleter was all there was to do.
pub(super) fn delete_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let variants = cx.take_input(1)?;
        let is_deleter = |variant: &Variant| variant.value().as_any().is::<Deleter>();
        ensure!(
            variants.variants()?.first().is_some_and(is_deleter),
            InvalidArgument,
            "the variant given to delete a resource is no deleter"
        );
        Ok(())
    }))
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    let version = node.op.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let iterator = IteratorResource::new(types.clone());
        if version == "AnonymousIteratorV3" {
            let handle = owned_handle(cx.step, ITERATOR_TYPE, iterator)?;
            cx.set_output(0, handle);
            return Ok(());
        }
        // Without a deleter it stays until its device's resources are cleared.
        let mut handle = anonymous(cx.step, ITERATOR_TYPE, iterator)?;
        if version == "AnonymousIteratorV2" {
            // Where nothing takes the deleter, the handle is enough to keep it.
            let owner = owner_of::<IteratorResource>(cx.step, &handle);
            handle.owner = Some(owner.clone());
            cx.set_output(1, deleter(owner)?);
        }
        cx.set_output(0, Tensor::from_handle(handle));
        Ok(())
    }))
}

fn device_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let [handle] = cx.input(0)?.handles()? else { bail!(InvalidArgument, "expected one resource handle") };
        let device = handle.device.clone();
        cx.set_output(0, bytes::Bytes::from(device));
        Ok(())
    }))
}

fn serialize_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, tensor::PartialShape::vector(None));
    Ok(())
}

const STATE_TYPE: &str = "tensorflow::Iterator";

/// The state is how many elements were taken: an iterator over the same dataset goes on behind them.
fn serialize_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let taken = cx.resource::<IteratorResource>(0)?.taken()?;
        let state = VariantData {
            type_name: STATE_TYPE.to_owned(),
            metadata: Vec::new(),
            tensors: vec![Tensor::from(taken as i64)],
        };
        cx.set_output(0, Tensor::from_variants(Shape::vector(1), vec![Variant::new(state)?])?);
        Ok(())
    }))
}

fn deserialize_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let state = cx.input(1)?.variants()?.first().and_then(|variant| {
            let data = variant.get::<VariantData>(STATE_TYPE, |data| Some(data.clone()))?;
            data.tensors.first()?.to_scalar::<i64>().ok().and_then(|taken| u64::try_from(taken).ok())
        });
        let Some(taken) = state else { bail!(InvalidArgument, "the given variant does not hold an iterator's state") };
        cx.resource::<IteratorResource>(0)?.go_to(cx.step, taken)
    }))
}
