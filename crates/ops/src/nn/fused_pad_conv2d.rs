//! `FusedPadConv2D` and `FusedResizeAndPadConv2D`: images that are resized and mirrored at their borders, then convolved.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{AttrValue, Node, ReadAttrs};
use tensor::DType::{BFloat16, Double, Float, Half};
use tensor::{PartialShape, Result, Tensor, ensure};

use super::conv2d::{conv_windows, forward};
use crate::array::mirror_pad::{mirror_pad, offset};
use crate::image::resize_bilinear::resize_bilinear;
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    const MODE: &str = "mode: {'REFLECT', 'SYMMETRIC'}";
    const PADDING: &str = "padding: {'SAME', 'VALID'}";
    r.op("FusedPadConv2D", "input: T, paddings: int32, filter: T -> output: T")
        .attr("T: {half, bfloat16, float, double}")
        .attr(MODE)
        .attr("strides: list(int)")
        .attr(PADDING)
        .shape(shape)
        .kernel("T", &[Half, BFloat16, Float, Double], kernel);
    r.op("FusedResizeAndPadConv2D", "input: T, size: int32, paddings: int32, filter: T -> output: T")
        .attr("T: {half, float, double}")
        .attr("resize_align_corners: bool = false")
        .attr(MODE)
        .attr("strides: list(int)")
        .attr(PADDING)
        .shape(shape)
        .kernel("T", &[Half, Float, Double], kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let last = cx.num_inputs() - 1;
    let (input, filter) = (cx.with_rank(0, 4)?, cx.with_rank(last, 4)?);
    let windows = conv_windows(&plain(cx.node))?;
    let paddings = cx.ints(last - 1).filter(|paddings| paddings.len() == 8);
    let size = if last == 3 { cx.ints(1).filter(|size| size.len() == 2) } else { None };
    let side = |axis: usize| -> Option<i64> {
        let own = if last == 3 { size.as_ref().map(|size| size[axis - 1]) } else { input.dim(axis) };
        let paddings = paddings.as_ref()?;
        own?.checked_add(paddings[2 * axis])?.checked_add(paddings[2 * axis + 1]).filter(|side| *side >= 0)
    };
    let height = windows.inferred(0, side(1), filter.dim(0))?;
    let width = windows.inferred(1, side(2), filter.dim(1))?;
    cx.set(0, PartialShape::new(&[input.dim(0), height, width, filter.dim(3)]));
    Ok(())
}

/// The node with the attributes of a plain convolution.
fn plain(node: &Node) -> Node {
    let mut plain = node.clone();
    plain.attrs.insert("data_format".to_owned(), AttrValue::from("NHWC"));
    plain.attrs.insert("dilations".to_owned(), AttrValue::from(vec![1i64; 4]));
    plain
}

fn kernel(node: &Node) -> Result<Kernel> {
    let resizes = node.op == "FusedResizeAndPadConv2D";
    let align = resizes && node.attr_bool("resize_align_corners")?;
    let offset = offset(node)?;
    let windows = conv_windows(&plain(node))?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(input.shape().rank() == 4, InvalidArgument, "input must be 4-dimensional{}", input.shape());
        let last = cx.num_inputs() - 1;
        let resized: Tensor = match resizes {
            true => cast(resize_bilinear(input, cx.input(1)?, align, false)?, input.dtype(), false)?,
            false => input.clone(),
        };
        let padded = mirror_pad(&resized, cx.input(last - 1)?, offset)?;
        let output = forward(&windows, &padded, cx.input(last)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}
