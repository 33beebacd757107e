//! Values that may be there or not: `OptionalFromValue`, `OptionalNone`, `OptionalHasValue`, `OptionalGetValue`. A branch
//! keeps its intermediate results so for its gradient.

use std::any::Any;
use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Shape, Tensor, Variant, VariantValue, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("OptionalFromValue", "components: Toutput_types -> optional: variant")
        .attr("Toutput_types: list(type) >= 1")
        .shape(ShapeContext::scalar)
        .any_kernel(some_kernel);
    r.op("OptionalNone", "-> optional: variant")
        .shape(ShapeContext::scalar)
        .any_kernel(none_kernel)
        .not_differentiable();
    r.op("OptionalHasValue", "optional: variant -> has_value: bool")
        .shape(ShapeContext::scalar)
        .any_kernel(has_kernel)
        .not_differentiable();
    r.op("OptionalGetValue", "optional: variant -> components: output_types")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .shape(get_shape)
        .any_kernel(get_kernel);
}

fn get_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for (index, shape) in cx.attr_shapes("output_shapes")?.to_vec().into_iter().enumerate() {
        cx.set(index, shape);
    }
    Ok(())
}

#[derive(Debug)]
struct Optional(Option<Vec<Tensor>>);

impl VariantValue for Optional {
    fn type_name(&self) -> &str {
        "tensorflow::data::Optional"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn variant(optional: Optional) -> Result<Tensor> {
    Tensor::from_variants(Shape::scalar(), vec![Variant(Arc::new(optional))])
}

fn read<R>(cx: &OpContext<'_>, look: impl FnOnce(&Optional) -> Result<R>) -> Result<R> {
    let input = cx.input(0)?;
    let found = input.variants()?.first().and_then(|variant| variant.0.as_any().downcast_ref::<Optional>());
    look(found.ok_or_else(|| err!(InvalidArgument, "The given variant does not hold an optional"))?)
}

fn some_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let values = (0..cx.num_inputs()).map(|index| cx.take_input(index)).collect::<Result<Vec<_>>>()?;
        cx.set_output(0, variant(Optional(Some(values)))?);
        Ok(())
    }))
}

fn none_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        cx.set_output(0, variant(Optional(None))?);
        Ok(())
    }))
}

fn has_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let has = read(cx, |optional| Ok(optional.0.is_some()))?;
        cx.set_output(0, has);
        Ok(())
    }))
}

fn get_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let values = read(cx, |optional| {
            let values = optional.0.as_ref();
            values.cloned().ok_or_else(|| err!(InvalidArgument, "The given optional does not have a value."))
        })?;
        let own: Vec<DType> = values.iter().map(Tensor::dtype).collect();
        ensure!(own == types, InvalidArgument, "an optional of {own:?} was asked for {types:?}");
        for (index, value) in values.into_iter().enumerate() {
            cx.set_output(index, value);
        }
        Ok(())
    }))
}
