//! `ToBool`: whether a value counts as true; `FakeParam`: a value that is never read; `GuaranteeConst`: a value that never
//! changes.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Shape, Tensor, bail};

pub(crate) fn register(r: &mut Registry) {
    r.op("ToBool", "input: T -> output: bool").attr("T: type").shape(ShapeContext::scalar).any_kernel(bool_kernel);
    r.op("FakeParam", "-> output: dtype")
        .attr("dtype: type")
        .attr("shape: shape")
        .shape(fake_shape)
        .any_kernel(fake_kernel);
    r.op("GuaranteeConst", "input: T -> output: T")
        .attr("T: type")
        .stateful()
        .shape(ShapeContext::unchanged)
        .any_kernel(pass_kernel)
        .gradient(|cx| Ok(vec![cx.grad(0).cloned()]));
}

fn bool_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let truth = truth(cx.input(0)?)?;
        cx.set_output(0, truth);
        Ok(())
    }))
}

/// A number is true if it is not 0, a string if it is not empty, a tensor of more dimensions if it has elements.
pub(crate) fn truth(input: &Tensor) -> Result<bool> {
    if !input.shape().is_scalar() {
        return Ok(input.num_elements() > 0);
    }
    match input.dtype() {
        DType::Bool => input.to_scalar::<bool>(),
        DType::String => Ok(!input.to_string_scalar()?.is_empty()),
        DType::Float => Ok(input.to_scalar::<f32>()? != 0.0),
        DType::Double => Ok(input.to_scalar::<f64>()? != 0.0),
        // TensorFlow knows no truth of the other numbers.
        other @ (DType::Int8 | DType::Int16 | DType::Int32 | DType::Int64 | DType::UInt8) => {
            dispatch!(other, T in [i8, i16, i32, i64, u8] => Ok(input.to_scalar::<T>()? != 0))
        }
        other => bail!(InvalidArgument, "{other} cannot be converted to a boolean"),
    }
}

fn fake_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

fn fake_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let dims: Vec<i64> =
        node.attr_shape("shape")?.raw_dims().unwrap_or_default().iter().map(|dim| (*dim).max(0)).collect();
    let shape = Shape::new(&dims)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let zeros = Tensor::zeros(dtype, &shape)?;
        cx.set_output(0, zeros);
        Ok(())
    }))
}

fn pass_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        cx.set_output(0, input);
        Ok(())
    }))
}
