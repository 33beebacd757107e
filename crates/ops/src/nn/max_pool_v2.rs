//! `MaxPoolV2`, `MaxPoolGradV2` and `MaxPoolGradGradV2`: maxima of windows whose sizes and strides are inputs.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{AttrValue, Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure};

use super::max_pool::{TYPES, max_grad_grad_shape, max_pool, max_pool_grad, max_pool_grad_grad};
use super::pool::{Windowing, only_nhwc, shape_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("MaxPoolV2", "input: T, ksize: int32, strides: int32 -> output: T")
        .attr("T: {half, bfloat16, float, double, int32, int64, uint8, int16, int8, uint16, qint8} = float")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("MaxPoolGradV2", "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64} = float")
        .shape(ShapeContext::unchanged)
        .kernel("T", TYPES, grad_kernel)
        .gradient(second_gradient);
    r.op("MaxPoolGradGradV2", "orig_input: T, orig_output: T, grad: T, ksize: int32, strides: int32 -> output: T")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("data_format: {'NHWC', 'NCHW'} = 'NHWC'")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .shape(max_grad_grad_shape)
        .kernel("T", TYPES, grad_grad_kernel)
        .gradient(third_gradient);
}

/// The node as it would be if sizes and strides were attributes.
fn settled(node: &Node, ksize: Vec<i64>, strides: Vec<i64>) -> Node {
    let mut node = node.clone();
    node.attrs.insert("ksize".into(), AttrValue::Ints(ksize));
    node.attrs.insert("strides".into(), AttrValue::Ints(strides));
    node
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    let (ksize, strides) = (cx.with_rank(1, 1)?, cx.with_rank(2, 1)?);
    PartialShape::vector(Some(4)).merge(&ksize)?;
    PartialShape::vector(Some(4)).merge(&strides)?;
    let output = match (cx.ints(1), cx.ints(2)) {
        (Some(ksize), Some(strides)) => shape_of(cx, &settled(cx.node, ksize, strides), &input)?,
        _ => None,
    };
    cx.set(0, output.unwrap_or_else(|| PartialShape::new(&[input.dim(0), None, None, None])));
    Ok(())
}

/// The windows that the inputs `ksize` and `strides` state.
fn windows(cx: &OpContext<'_>, ksize: usize) -> Result<Windowing> {
    let read = |index: usize, name: &str| -> Result<Vec<i64>> {
        let values = cx.input(index)?;
        ensure!(
            values.shape().rank() == 1 && values.num_elements() == 4,
            InvalidArgument,
            "Sliding window {name} field must specify 4 dimensions"
        );
        values.to_i64_vec()
    };
    let pool = Windowing::new(&settled(cx.node, read(ksize, "ksize")?, read(ksize + 1, "stride")?))?;
    only_nhwc(&pool, "MaxPoolingOp")?;
    Ok(pool)
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let output = max_pool(&windows(cx, 1)?, cx.input(0)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let output: Tensor = max_pool_grad(&windows(cx, 3)?, cx.input(0)?, cx.input(1)?.shape(), cx.input(2)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn grad_grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let output = max_pool_grad_grad(&windows(cx, 3)?, cx.input(0)?, cx.input(1)?.shape(), cx.input(2)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("MaxPoolGradV2").input(cx.x(0)).input(cx.y(0)).input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2));
    let node = node.attr("padding", cx.attr_str("padding")?.to_owned());
    let node = node.attr("data_format", cx.attr_str("data_format")?.to_owned());
    Ok(vec![Some(node.output().into()), None, None])
}

fn second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    inner_gradient(cx, "MaxPoolGradGradV2")
}

fn third_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    inner_gradient(cx, "MaxPoolGradV2")
}

/// Which element is the greatest does not change a little way around; only the gradient passes.
fn inner_gradient(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    let (input, output) = (cx.x(0), cx.x(1));
    let node = cx.op(op).input(&input).input(&output).input(cx.dy(0)?).input(cx.x(3)).input(cx.x(4));
    let node = node.attr("padding", cx.attr_str("padding")?.to_owned());
    let node = node.attr("data_format", cx.attr_str("data_format")?.to_owned());
    let passed = node.output();
    let zeros = |x: &graph::Output| Some(x.unary("ZerosLike").into());
    Ok(vec![zeros(&input), zeros(&output), Some(passed.into()), None, None])
}
