//! `MirrorPad` and `MirrorPadGrad`: a tensor with a border that mirrors it.

use graph::op::{GradContext, Kernel, OpContext, Registry, types};
use graph::{Gradient, Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::border::padded_shape;
use crate::arguments::sizes;
use crate::moving::{Pick, moved};
use crate::strided::grid;

pub(crate) fn register(r: &mut Registry) {
    const MODE: &str = "mode: {'REFLECT', 'SYMMETRIC'}";
    r.op("MirrorPad", "input: T, paddings: Tpaddings -> output: T")
        .attr("T: type")
        .attr("Tpaddings: {int32, int64} = int32")
        .attr(MODE)
        .shape(|cx| padded_shape(cx, 1))
        .kernel("T", types::ALL, kernel)
        .gradient(|cx| gradient(cx, "MirrorPadGrad"));
    r.op("MirrorPadGrad", "input: T, paddings: Tpaddings -> output: T")
        .attr("T: type")
        .attr("Tpaddings: {int32, int64} = int32")
        .attr(MODE)
        .shape(|cx| padded_shape(cx, -1))
        .kernel("T", types::NUMBERS, grad_kernel)
        .gradient(|cx| gradient(cx, "MirrorPad"));
}

/// How far the mirror is from the edge: 1 leaves the edge itself out.
pub(crate) fn offset(node: &Node) -> Result<i64> {
    Ok(if node.attr_str("mode")? == "REFLECT" { 1 } else { 0 })
}

fn pairs_of(input: &Tensor, paddings: &Tensor) -> Result<Vec<i64>> {
    ensure!(
        paddings.shape().rank() == 2 && paddings.dims()[1] == 2,
        InvalidArgument,
        "paddings must be a matrix with 2 columns: {}",
        paddings.shape()
    );
    ensure!(
        paddings.shape().dim(0) == input.shape().rank(),
        InvalidArgument,
        "The first dimension of paddings must be the rank of inputs{} {}",
        paddings.shape(),
        input.shape()
    );
    let pairs = paddings.to_i64_vec()?;
    for pair in pairs.chunks_exact(2) {
        ensure!(
            pair[0] >= 0 && pair[1] >= 0,
            InvalidArgument,
            "paddings must be non-negative: {} {}",
            pair[0],
            pair[1]
        );
    }
    Ok(pairs)
}

/// Along one axis: the element of the inner part that each place of the padded one shows.
fn mirrored(size: i64, before: i64, after: i64, offset: i64) -> Result<Vec<usize>> {
    if offset == 1 {
        ensure!(
            before < size && after < size,
            InvalidArgument,
            "paddings must be less than the dimension size: {before}, {after} not less than {size}"
        );
    } else {
        ensure!(
            before <= size && after <= size,
            InvalidArgument,
            "paddings must be no greater than the dimension size: {before}, {after} greater than {size}"
        );
    }
    let place = |at: i64| {
        if at < 0 {
            -at - 1 + offset
        } else if at >= size {
            2 * size - 1 - offset - at
        } else {
            at
        }
    };
    Ok((-before..size + after).map(|at| place(at) as usize).collect())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let offset = offset(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = mirror_pad(cx.input(0)?, cx.input(1)?, offset)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

pub(crate) fn mirror_pad(input: &Tensor, paddings: &Tensor, offset: i64) -> Result<Tensor> {
    let pairs = pairs_of(input, paddings)?;
    let mut maps = Vec::with_capacity(input.shape().rank());
    for (dim, pair) in input.dims().iter().zip(pairs.chunks_exact(2)) {
        maps.push(mirrored(*dim, pair[0], pair[1], offset)?);
    }
    let shape = Shape::new(&maps.iter().map(|map| map.len() as i64).collect::<Vec<_>>())?;
    Tensor::check_size(tensor::DType::Int64, &shape)?;
    moved(shape, &[input], &Pick(&grid(&maps, &sizes(input.shape()))))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let offset = offset(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = mirror_pad_grad(cx.input(0)?, cx.input(1)?, offset)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Adds the border to the places that it mirrors.
fn mirror_pad_grad(input: &Tensor, paddings: &Tensor, offset: i64) -> Result<Tensor> {
    let pairs = pairs_of(input, paddings)?;
    let (mut maps, mut dims) = (Vec::new(), Vec::new());
    for (dim, pair) in input.dims().iter().zip(pairs.chunks_exact(2)) {
        let Some(size) = pair[0].checked_add(pair[1]).map(|border| dim - border).filter(|size| *size >= 0) else {
            bail!(
                InvalidArgument,
                "Total paddings must be less than the input dimension size: {} was not less than {dim}",
                pair[0].saturating_add(pair[1])
            )
        };
        maps.push(mirrored(size, pair[0], pair[1], offset)?);
        dims.push(size);
    }
    let shape = Shape::new(&dims)?;
    let places = grid(&maps, &sizes(&shape));
    let mut out = Tensor::zeros(input.dtype(), &shape)?;
    dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
        let (values, sums) = (input.as_slice::<T>()?, out.make_mut::<T>()?);
        for (value, place) in values.iter().zip(&places) {
            sums[*place] = sums[*place].plus(*value);
        }
        Ok(())
    })?;
    Ok(out)
}

fn gradient(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    let dx = cx.op(op).input(cx.dy(0)?).input(cx.x(1)).attr("mode", cx.attr_str("mode")?.to_owned()).output();
    Ok(vec![Some(dx.into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn borders_mirror_with_and_without_the_edge() {
        let x = Tensor::from([1i32, 2, 3]);
        let around = Tensor::from([[2i32, 1]]);
        assert_eq!(mirror_pad(&x, &around, 1).unwrap(), Tensor::from([3i32, 2, 1, 2, 3, 2]));
        assert_eq!(mirror_pad(&x, &around, 0).unwrap(), Tensor::from([2i32, 1, 1, 2, 3, 3]));
        let dy = Tensor::from([1i32, 10, 100, 1000, 10000, 100000]);
        assert_eq!(mirror_pad_grad(&dy, &around, 1).unwrap(), Tensor::from([100i32, 101010, 10001]));
        let message = mirror_pad(&x, &Tensor::from([[3i32, 0]]), 1).unwrap_err().message().to_owned();
        assert_eq!(message, "paddings must be less than the dimension size: 3, 0 not less than 3");
    }
}
