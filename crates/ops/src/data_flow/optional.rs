//! Values that may be there or not: `OptionalFromValue`, `OptionalNone`, `OptionalHasValue`, `OptionalGetValue`. A branch
//! keeps its intermediate results so for its gradient.

use std::any::Any;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Extent, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err};

use super::Add;

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

#[derive(Clone, Debug)]
struct Optional(Option<Vec<Tensor>>);

const TYPE_NAME: &str = "tensorflow::data::Optional";

impl VariantValue for Optional {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of(self.0.iter().flatten())
    }

    /// One byte, whether there is a value; and the value.
    fn to_data(&self) -> Option<VariantData> {
        let tensors = self.0.clone().unwrap_or_default();
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata: vec![u8::from(self.0.is_some())], tensors })
    }
}

fn optional_in(tensor: &Tensor) -> Result<Option<Optional>> {
    let decode = |data: &VariantData| match data.metadata[..] {
        [0] => Some(Optional(None)),
        [1] => Some(Optional(Some(data.tensors.clone()))),
        _ => None,
    };
    Ok(tensor.variants()?.first().and_then(|variant| variant.get(TYPE_NAME, decode)))
}

/// What an optional holds, as zeros; `None` if it is no optional.
///
/// # Errors
/// `InvalidArgument` if it holds something that has no zeros.
pub(crate) fn zeros_like_optional(tensor: &Tensor) -> Result<Option<Tensor>> {
    let Some(optional) = optional_in(tensor)? else { return Ok(None) };
    let zeros = |value: &Tensor| match value.dtype() {
        DType::Variant => crate::data_flow::zeros_like_variant(value),
        DType::String | DType::Resource => {
            bail!(InvalidArgument, "Trying to compute zeros_like for unsupported dtype {}", value.dtype())
        }
        dtype => Tensor::zeros(dtype, value.shape()),
    };
    let zeros = optional.0.map(|values| values.iter().map(zeros).collect::<Result<Vec<_>>>()).transpose()?;
    variant(Optional(zeros)).map(Some)
}

/// The sum of optionals; `None` if the first is none.
///
/// # Errors
/// `InvalidArgument` if they hold different numbers of values; what `add` returns.
pub(crate) fn sum_of_optionals(tensors: &[&Tensor], add: Add<'_>) -> Result<Option<Tensor>> {
    let Some(first) = tensors.first() else { return Ok(None) };
    if optional_in(first)?.is_none() {
        return Ok(None);
    }
    let mut held = Vec::with_capacity(tensors.len());
    for tensor in tensors {
        let optional = optional_in(tensor)?;
        held.push(optional.ok_or_else(|| err!(InvalidArgument, "an optional and another variant cannot be added"))?.0);
    }
    let counts: Vec<Option<usize>> = held.iter().map(|values| values.as_ref().map(Vec::len)).collect();
    ensure!(
        counts.iter().all(|count| *count == counts[0]),
        InvalidArgument,
        "Cannot add optionals because one has a value and the other doesn't, or another number of them: {counts:?}"
    );
    let Some(count) = counts[0] else { return variant(Optional(None)).map(Some) };
    let mut sums = Vec::with_capacity(count);
    for place in 0..count {
        let parts: Vec<&Tensor> = held.iter().flatten().map(|values| &values[place]).collect();
        sums.push(match parts[0].dtype() {
            DType::Variant => super::sum_of_variants(&parts, add)?,
            _ => add(&parts)?,
        });
    }
    variant(Optional(Some(sums))).map(Some)
}

fn variant(optional: Optional) -> Result<Tensor> {
    Tensor::from_variants(Shape::scalar(), vec![Variant::new(optional)?])
}

fn read(cx: &OpContext<'_>) -> Result<Option<Vec<Tensor>>> {
    let found = optional_in(cx.input(0)?)?;
    Ok(found.ok_or_else(|| err!(InvalidArgument, "The given variant does not hold an optional"))?.0)
}

/// An optional as a value on an edge.
///
/// # Errors
/// None: a scalar has one element.
pub(crate) fn optional_tensor(values: Option<Vec<Tensor>>) -> Result<Tensor> {
    variant(Optional(values))
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
        let has = read(cx)?.is_some();
        cx.set_output(0, has);
        Ok(())
    }))
}

fn get_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let values = read(cx)?;
        let values = values.ok_or_else(|| err!(InvalidArgument, "The given optional does not have a value."))?;
        let own: Vec<DType> = values.iter().map(Tensor::dtype).collect();
        ensure!(own == types, InvalidArgument, "an optional of {own:?} was asked for {types:?}");
        for (index, value) in values.into_iter().enumerate() {
            cx.set_output(index, value);
        }
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn optionals_are_added_if_all_hold_as_much() {
        let some = |value: f32| optional_tensor(Some(vec![Tensor::from(value)])).unwrap();
        let none = optional_tensor(None).unwrap();
        let add: Add<'_> = &|parts: &[&Tensor]| {
            let values = parts.iter().map(|part| part.to_scalar::<f32>()).collect::<Result<Vec<_>>>()?;
            Ok(Tensor::from(values.iter().sum::<f32>()))
        };
        let sum = sum_of_optionals(&[&some(1.0), &some(2.0)], add).unwrap().unwrap();
        assert_eq!(optional_in(&sum).unwrap().unwrap().0, Some(vec![Tensor::from(3f32)]));
        let sum = sum_of_optionals(&[&none, &none], add).unwrap().unwrap();
        assert_eq!(optional_in(&sum).unwrap().unwrap().0, None);
        let status = sum_of_optionals(&[&none, &some(1.0)], add).unwrap_err();
        assert_eq!(status.code(), tensor::Code::InvalidArgument);
    }
}
