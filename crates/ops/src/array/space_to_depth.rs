//! `SpaceToDepth` and `DepthToSpace`: blocks of pixels as channels, and back.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::moving::taken;
use crate::strided::Walk;

pub(crate) fn register(r: &mut Registry) {
    for name in ["SpaceToDepth", "DepthToSpace"] {
        r.op(name, "input: T -> output: T")
            .attr("T: type")
            .attr("block_size: int >= 2")
            .attr("data_format: {'NHWC', 'NCHW', 'NCHW_VECT_C'} = 'NHWC'")
            .shape(shape)
            .any_kernel(kernel)
            .gradient(gradient);
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let block = cx.attr_int("block_size")?;
    let format = cx.attr_str("data_format")?.to_owned();
    if format == "NCHW_VECT_C" {
        cx.set(0, PartialShape::of_rank(5));
        return Ok(());
    }
    let input = cx.with_rank(0, 4)?;
    let axes = if format == "NHWC" { [0, 1, 2, 3] } else { [0, 2, 3, 1] };
    let [batch, height, width, depth] = axes.map(|axis| input.dim(axis));
    let to_depth = cx.node.op == "SpaceToDepth";
    let area = block.saturating_mul(block);
    let divided = |dim: Option<i64>, by: i64, what: &str| -> Result<Option<i64>> {
        let Some(dim) = dim else { return Ok(None) };
        ensure!(
            dim % by == 0,
            InvalidArgument,
            "Dimension size must be evenly divisible by {by} but is {dim}: {what} of {input}"
        );
        Ok(Some(dim / by))
    };
    let times = |dim: Option<i64>, by: i64| dim.map(|dim| dim.saturating_mul(by));
    let (height, width, depth) = if to_depth {
        (divided(height, block, "the height")?, divided(width, block, "the width")?, times(depth, area))
    } else {
        (times(height, block), times(width, block), divided(depth, area, "the depth")?)
    };
    let mut dims = [None; 4];
    for (axis, dim) in axes.into_iter().zip([batch, height, width, depth]) {
        dims[axis] = dim;
    }
    cx.set(0, PartialShape::new(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let block = node.attr_int("block_size")?;
    ensure!(block > 1, InvalidArgument, "Block size should be > 1, but was: {block}");
    let format = node.attr_str("data_format")?;
    let to_depth = node.op == "SpaceToDepth";
    ensure!(
        format == "NHWC" || to_depth,
        InvalidArgument,
        "No OpKernel was registered to support Op 'DepthToSpace' with data_format {format} on CPU, only with NHWC"
    );
    ensure!(format == "NHWC", InvalidArgument, "Only NHWC data_format supported on CPU. Got {format}");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let output = if to_depth { space_to_depth(input, block) } else { depth_to_space(input, block) }?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn dims_of(input: &Tensor) -> Result<[i64; 4]> {
    match <[i64; 4]>::try_from(input.dims()) {
        Ok(dims) => Ok(dims),
        Err(_) => bail!(InvalidArgument, "Input rank should be: 4 instead of: {}", input.shape().rank()),
    }
}

fn space_to_depth(input: &Tensor, block: i64) -> Result<Tensor> {
    let [batch, height, width, depth] = dims_of(input)?;
    ensure!(
        height % block == 0 && width % block == 0,
        InvalidArgument,
        "Image width {width} and height {height} should be divisible by block_size: {block}"
    );
    let shape = Shape::new(&[batch, height / block, width / block, depth.saturating_mul(block.saturating_mul(block))])?;
    turned(input, [batch, height / block, block, width / block, block, depth], shape)
}

fn depth_to_space(input: &Tensor, block: i64) -> Result<Tensor> {
    let [batch, height, width, depth] = dims_of(input)?;
    let area = block.saturating_mul(block);
    ensure!(depth % area == 0, InvalidArgument, "Input depth dimension {depth} should be divisible by: {area}");
    let shape = Shape::new(&[batch, height.saturating_mul(block), width.saturating_mul(block), depth / area])?;
    turned(input, [batch, height, width, block, block, depth / area], shape)
}

/// The tensor, seen with six axes, with the third and fourth ones exchanged.
fn turned(input: &Tensor, dims: [i64; 6], shape: Shape) -> Result<Tensor> {
    taken(input, &Walk::permuted(&dims.map(|dim| dim as usize), &[0, 1, 3, 2, 4, 5]), shape)
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = if cx.node.op == "SpaceToDepth" { "DepthToSpace" } else { "SpaceToDepth" };
    let dx = cx.op(back).input(cx.dy(0)?).attr("block_size", cx.attr_int("block_size")?);
    Ok(vec![Some(dx.attr("data_format", cx.attr_str("data_format")?.to_owned()).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn blocks_become_channels() {
        let x = Tensor::new([1, 2, 4, 1], (1i32..=8).collect()).unwrap();
        let deep = space_to_depth(&x, 2).unwrap();
        assert_eq!(deep, Tensor::new([1, 1, 2, 4], vec![1i32, 2, 5, 6, 3, 4, 7, 8]).unwrap());
        assert_eq!(depth_to_space(&deep, 2).unwrap(), x);
        let message = space_to_depth(&x, 3).unwrap_err().message().to_owned();
        assert_eq!(message, "Image width 4 and height 2 should be divisible by block_size: 3");
    }

    #[test]
    fn channels_come_last() {
        let first = [("T", tensor::DType::Int32.into()), ("block_size", 2i64.into()), ("data_format", "NCHW".into())];
        for (op, phrase) in
            [("DepthToSpace", "No OpKernel was registered to support Op 'DepthToSpace'"), ("SpaceToDepth", "Only NHWC")]
        {
            let status = crate::testing::Bench::new().try_node(op, &first).map(drop).unwrap_err();
            assert_eq!(status.code(), tensor::Code::InvalidArgument);
            assert!(status.message().starts_with(phrase), "{status}");
        }
    }
}
