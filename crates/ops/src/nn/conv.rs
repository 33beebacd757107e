//! `Conv`: images or volumes times filters, with one definition for both.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{AttrValue, Node, ReadAttrs};
use tensor::{PartialShape, Result, bail, ensure};

use super::volume::Volumes;
use super::window::Windows;
use super::{conv2d, conv3d};
use tensor::DType::{BFloat16, Double, Float, Half, Int32};

pub(crate) fn register(r: &mut Registry) {
    r.op("Conv", "input: T, filter: T -> output: T")
        .attr("T: {half, bfloat16, float, double, int32}")
        .attr("strides: list(int)")
        .attr("padding: {'SAME', 'VALID', 'EXPLICIT'}")
        .attr("explicit_paddings: list(int) = []")
        .attr("data_format: {'CHANNELS_FIRST', 'CHANNELS_LAST'} = 'CHANNELS_LAST'")
        .attr("dilations: list(int) = []")
        .attr("batch_dims: int = 1")
        .attr("groups: int = 1")
        .shape(shape)
        .kernel("T", &[Float, Double, Half, BFloat16, Int32], kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (inner, _) = inner(cx.node)?;
    let rank = cx.attr_ints("strides")?.len();
    let (input, filter) = (cx.with_rank(0, rank)?, cx.with_rank(1, rank)?);
    let shape = if rank == 4 {
        let windows = Windows::new(&inner)?;
        let [batch, height, width, _] = windows.axes().map(|axis| input.dim(axis));
        let sides = [windows.inferred(0, height, filter.dim(0))?, windows.inferred(1, width, filter.dim(1))?];
        PartialShape::new(&windows.arrange([batch, sides[0], sides[1], filter.dim(3)]))
    } else {
        let volumes = Volumes::new(&inner)?;
        let (batch, sizes, _) = volumes.dims(&input);
        let sides = volumes.inferred(sizes, [0, 1, 2].map(|axis| filter.dim(axis)))?;
        volumes.arrange(batch, sides, filter.dim(4))
    };
    cx.set(0, shape);
    Ok(())
}

/// The same node as a convolution of two or three dimensions, and what makes its kernel.
fn inner(node: &Node) -> Result<(Node, fn(&Node) -> Result<Kernel>)> {
    let strides = node.attr_ints("strides")?.len();
    let last = node.attr_str("data_format")? == "CHANNELS_LAST";
    let (op, format, build): (&str, &'static str, fn(&Node) -> Result<Kernel>) = match strides {
        4 => ("Conv2D", if last { "NHWC" } else { "NCHW" }, conv2d::forward_kernel),
        5 => ("Conv3D", if last { "NDHWC" } else { "NCDHW" }, conv3d::forward_kernel),
        other => {
            bail!(InvalidArgument, "The input must have 2 or 3 spatial dimensions but got {}", other.saturating_sub(2))
        }
    };
    let mut inner = node.clone();
    inner.op = op.to_owned();
    inner.attrs.insert("data_format".to_owned(), AttrValue::from(format));
    if node.attr_ints("dilations")?.is_empty() {
        inner.attrs.insert("dilations".to_owned(), AttrValue::from(vec![1i64; strides]));
    }
    Ok((inner, build))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let groups = node.attr_int("groups")?;
    ensure!(
        groups == 1,
        Unimplemented,
        "grouped/depthwise convolutions are not yet supported in Conv: groups = {groups}"
    );
    ensure!(node.attr_int("batch_dims")? == 1, Unimplemented, "Conv with batch_dims other than 1");
    let (inner, build) = inner(node)?;
    let Kernel::Compute(compute) = build(&inner)? else { bail!(Internal, "convolutions compute") };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| compute.compute(cx)))
}
