//! `SpaceToBatchND`, `BatchToSpaceND` and their forms for images, `SpaceToBatch` and `BatchToSpace`: blocks of space
//! as more examples, and back.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure, err};

use super::pad::pad;
use crate::moving::taken;
use crate::strided::{Walk, row_major_steps};

pub(crate) fn register(r: &mut Registry) {
    r.op("SpaceToBatchND", "input: T, block_shape: Tblock_shape, paddings: Tpaddings -> output: T")
        .attr("T: type")
        .attr("Tblock_shape: {int32, int64} = int32")
        .attr("Tpaddings: {int32, int64} = int32")
        .shape(shape_nd)
        .any_kernel(kernel_nd)
        .gradient(gradient_nd);
    r.op("BatchToSpaceND", "input: T, block_shape: Tblock_shape, crops: Tcrops -> output: T")
        .attr("T: type")
        .attr("Tblock_shape: {int32, int64} = int32")
        .attr("Tcrops: {int32, int64} = int32")
        .shape(shape_nd)
        .any_kernel(kernel_nd)
        .gradient(gradient_nd);
    r.op("SpaceToBatch", "input: T, paddings: Tpaddings -> output: T")
        .attr("T: type")
        .attr("Tpaddings: {int32, int64} = int32")
        .attr("block_size: int >= 2")
        .shape(shape_images)
        .any_kernel(kernel_images)
        .gradient(gradient_images);
    r.op("BatchToSpace", "input: T, crops: Tidx -> output: T")
        .attr("T: type")
        .attr("block_size: int >= 2")
        .attr("Tidx: {int32, int64} = int32")
        .shape(shape_images)
        .any_kernel(kernel_images)
        .gradient(gradient_images);
}

fn to_batch(op: &str) -> bool {
    op.starts_with("Space")
}

fn shape_nd(cx: &mut ShapeContext<'_>) -> Result<()> {
    let blocks = cx.with_rank(1, 1)?;
    let (values, border) = (cx.ints(1), cx.ints(2));
    let count = blocks.dim(0);
    let input = match count {
        Some(count) => cx.with_rank_at_least(0, count as usize + 1)?,
        None => cx.input(0),
    };
    inferred(cx, &input, count.map(|count| count as usize), values, border)
}

fn shape_images(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    let block = cx.attr_int("block_size")?;
    let border = cx.ints(1);
    inferred(cx, &input, Some(2), Some(vec![block; 2]), border)
}

fn inferred(
    cx: &mut ShapeContext<'_>,
    input: &PartialShape,
    count: Option<usize>,
    blocks: Option<Vec<i64>>,
    border: Option<Vec<i64>>,
) -> Result<()> {
    let (Some(dims), Some(count)) = (input.raw_dims(), count) else { return Ok(()) };
    let mut out = vec![-1; dims.len()];
    out[1 + count..].copy_from_slice(&dims[1 + count..]);
    let into_batch = to_batch(&cx.node.op);
    if let Some(blocks) = blocks.as_deref().filter(|blocks| blocks.len() == count) {
        for block in blocks {
            ensure!(*block > 0, InvalidArgument, "block_shape must be positive");
        }
        let product = blocks.iter().fold(1i64, |product, block| product.saturating_mul(*block));
        if dims[0] >= 0 {
            ensure!(
                into_batch || dims[0] % product == 0,
                InvalidArgument,
                "Dimension size must be evenly divisible by {product} but is {}",
                dims[0]
            );
            out[0] = if into_batch { dims[0].saturating_mul(product) } else { dims[0] / product };
        }
        if let Some(border) = border.as_deref().filter(|border| border.len() == 2 * count) {
            let what = if into_batch { "paddings" } else { "crops" };
            ensure!(border.iter().all(|size| *size >= 0), InvalidArgument, "{what} cannot be negative");
            for axis in 0..count {
                let (dim, block) = (dims[axis + 1], blocks[axis]);
                let size = border[2 * axis].saturating_add(border[2 * axis + 1]);
                if dim < 0 {
                    continue;
                }
                out[axis + 1] = if into_batch {
                    let padded = dim.saturating_add(size);
                    ensure!(
                        padded % block == 0,
                        InvalidArgument,
                        "Dimension size must be evenly divisible by {block} but is {padded}"
                    );
                    padded / block
                } else {
                    let cropped = dim.saturating_mul(block).saturating_sub(size);
                    ensure!(
                        cropped >= 0,
                        InvalidArgument,
                        "Negative dimension size caused by crops of {size} from {dim}"
                    );
                    cropped
                };
            }
        }
    }
    cx.set(0, PartialShape::from_dims(&out));
    Ok(())
}

fn kernel_nd(node: &Node) -> Result<Kernel> {
    let into_batch = to_batch(&node.op);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, blocks, border) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(
            blocks.shape().rank() == 1,
            InvalidArgument,
            "block_shape should be one-dimensional instead of {}",
            blocks.shape().rank()
        );
        let output = rearranged(input, &blocks.to_i64_vec()?, border, into_batch)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn kernel_images(node: &Node) -> Result<Kernel> {
    let into_batch = to_batch(&node.op);
    let block = node.attr_int("block_size")?;
    ensure!(block > 1, InvalidArgument, "Block size should be > 1: {block}");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, border) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            input.shape().rank() == 4,
            InvalidArgument,
            "Input rank should be 4 instead of {}",
            input.shape().rank()
        );
        let output = rearranged(input, &[block, block], border, into_batch)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn rearranged(input: &Tensor, blocks: &[i64], border: &Tensor, into_batch: bool) -> Result<Tensor> {
    let (rank, count) = (input.shape().rank(), blocks.len());
    ensure!(rank > count, InvalidArgument, "input rank should be >= {} instead of {rank}", 1 + count);
    let what = if into_batch { "paddings" } else { "crops" };
    ensure!(
        border.dims() == [count as i64, 2],
        InvalidArgument,
        "{what} should have shape [{count}, 2] instead of {}",
        border.shape()
    );
    for block in blocks {
        ensure!(*block > 0, InvalidArgument, "All values in block_shape must be positive, got value, {block}");
    }
    let border = border.to_i64_vec()?;
    for size in &border {
        let name = if into_batch { "Paddings" } else { "Crops" };
        ensure!(*size >= 0, InvalidArgument, "{name} must be non-negative: {size}");
    }
    let product = blocks.iter().try_fold(1i64, |product, block| product.checked_mul(*block));
    let product = product.ok_or_else(|| err!(InvalidArgument, "the product of block_shape overflows: {blocks:?}"))?;
    if into_batch {
        space_to_batch(input, blocks, &border, product)
    } else {
        batch_to_space(input, blocks, &border, product)
    }
}

fn space_to_batch(input: &Tensor, blocks: &[i64], border: &[i64], product: i64) -> Result<Tensor> {
    let count = blocks.len();
    let mut pairs = vec![0i64; 2 * input.shape().rank()];
    pairs[2..2 + border.len()].copy_from_slice(border);
    let pairs = Tensor::new([input.shape().rank() as i64, 2], pairs)?;
    let padded = pad(input, &pairs, &Tensor::zeros(input.dtype(), &Shape::scalar())?)?;
    let dims = padded.dims();
    let (mut view, mut shape) = (vec![dims[0] as usize], vec![dims[0].saturating_mul(product)]);
    for (axis, block) in blocks.iter().enumerate() {
        let dim = dims[axis + 1];
        ensure!(
            dim % block == 0,
            InvalidArgument,
            "padded_shape[{axis}]={dim} is not divisible by block_shape[{axis}]={block}"
        );
        view.extend([(dim / block) as usize, *block as usize]);
        shape.push(dim / block);
    }
    view.extend(dims[count + 1..].iter().map(|dim| *dim as usize));
    shape.extend_from_slice(&dims[count + 1..]);
    let inside = (0..count).map(|axis| 2 * axis + 2);
    let outside = (0..count).map(|axis| 2 * axis + 1);
    let axes: Vec<usize> = inside.chain([0]).chain(outside).chain(2 * count + 1..view.len()).collect();
    taken(&padded, &Walk::permuted(&view, &axes), Shape::new(&shape)?)
}

fn batch_to_space(input: &Tensor, blocks: &[i64], border: &[i64], product: i64) -> Result<Tensor> {
    let (dims, count) = (input.dims(), blocks.len());
    ensure!(
        dims[0] % product == 0,
        InvalidArgument,
        "Input batch dimension ({}) is not divisible by product of block sizes ({product})",
        dims[0]
    );
    let mut view: Vec<usize> = blocks.iter().map(|block| *block as usize).collect();
    view.push((dims[0] / product) as usize);
    view.extend(dims[1..].iter().map(|dim| *dim as usize));
    let (mut axes, mut shape, mut cropped) = (vec![count], vec![dims[0] / product], vec![dims[0] / product]);
    for (axis, block) in blocks.iter().enumerate() {
        axes.extend([count + 1 + axis, axis]);
        let (dim, size) =
            (dims[axis + 1].saturating_mul(*block), border[2 * axis].saturating_add(border[2 * axis + 1]));
        ensure!(
            dim >= size,
            InvalidArgument,
            "cropped_shape[{axis}]={} must be non-negative",
            dim.saturating_sub(size)
        );
        shape.push(dim);
        cropped.push(dim - size);
    }
    axes.extend(2 * count + 1..view.len());
    shape.extend_from_slice(&dims[count + 1..]);
    cropped.extend_from_slice(&dims[count + 1..]);
    let whole = taken(input, &Walk::permuted(&view, &axes), Shape::new(&shape)?)?;
    let cropped = Shape::new(&cropped)?;
    if cropped.num_elements() == 0 {
        return Tensor::zeros(input.dtype(), &cropped);
    }
    let steps = row_major_steps(&shape.iter().map(|dim| *dim as usize).collect::<Vec<_>>());
    let start = (0..count).map(|axis| border[2 * axis] as usize * steps[axis + 1] as usize).sum();
    let walk = Walk::new(start, cropped.dims().iter().map(|dim| *dim as usize).zip(steps));
    taken(&whole, &walk, cropped.clone())
}

fn gradient_nd(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = if to_batch(&cx.node.op) { "BatchToSpaceND" } else { "SpaceToBatchND" };
    let dx = cx.op(back).input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2)).output();
    Ok(vec![Some(dx.into()), None, None])
}

fn gradient_images(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = if to_batch(&cx.node.op) { "BatchToSpace" } else { "SpaceToBatch" };
    let dx = cx.op(back).input(cx.dy(0)?).input(cx.x(1)).attr("block_size", cx.attr_int("block_size")?).output();
    Ok(vec![Some(dx.into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn there_and_back() {
        let x = Tensor::new([1, 2, 3, 1], (1i32..=6).collect()).unwrap();
        let border = Tensor::from([[0i32, 0], [0, 1]]);
        let batch = rearranged(&x, &[2, 2], &border, true).unwrap();
        assert_eq!(batch, Tensor::new([4, 1, 2, 1], vec![1i32, 3, 2, 0, 4, 6, 5, 0]).unwrap());
        assert_eq!(rearranged(&batch, &[2, 2], &border, false).unwrap(), x);
        let message =
            rearranged(&x, &[2, 2], &Tensor::from([[0i32, 0], [0, 0]]), true).unwrap_err().message().to_owned();
        assert_eq!(message, "padded_shape[1]=3 is not divisible by block_shape[1]=2");
    }
}
