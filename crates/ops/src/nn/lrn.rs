//! `LRN` and `LRNGrad`: each value divided by the size of its neighbours among the channels.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[DType::Float, DType::Half, DType::BFloat16];
    r.op("LRN", "input: T -> output: T")
        .attr("depth_radius: int = 5")
        .attr("bias: float = 1.0")
        .attr("alpha: float = 1.0")
        .attr("beta: float = 0.5")
        .attr("T: {half, bfloat16, float} = float")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
    r.op("LRNGrad", "input_grads: T, input_image: T, output_image: T -> output: T")
        .attr("depth_radius: int = 5")
        .attr("bias: float = 1.0")
        .attr("alpha: float = 1.0")
        .attr("beta: float = 0.5")
        .attr("T: {half, bfloat16, float} = float")
        .shape(grad_shape)
        .kernel("T", TYPES, grad_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(0, 4)?;
    cx.set(0, shape);
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut shape = PartialShape::of_rank(4);
    for index in 0..3 {
        shape = shape.merge(&cx.input(index))?;
    }
    cx.set(0, shape);
    Ok(())
}

#[derive(Clone, Copy)]
struct Norm {
    radius: usize,
    bias: f32,
    alpha: f32,
    beta: f32,
}

impl Norm {
    fn of(node: &Node) -> Result<Norm> {
        let radius = node.attr_int("depth_radius")?;
        ensure!(
            (0..=i32::MAX as i64).contains(&radius),
            InvalidArgument,
            "depth_radius = {radius} larger than int max"
        );
        Ok(Norm {
            radius: radius as usize,
            bias: node.attr_float("bias")?,
            alpha: node.attr_float("alpha")?,
            beta: node.attr_float("beta")?,
        })
    }

    fn window(self, at: usize, depth: usize) -> std::ops::Range<usize> {
        at.saturating_sub(self.radius)..(at.saturating_add(self.radius).saturating_add(1)).min(depth)
    }

    /// What the values of a row are divided by, before the power.
    fn sizes(self, row: &[f32], sizes: &mut [f32]) {
        for (at, size) in sizes.iter_mut().enumerate() {
            let sum: f32 = row[self.window(at, row.len())].iter().map(|x| x * x).sum();
            *size = self.bias + self.alpha * sum;
        }
    }
}

fn check(tensor: &Tensor, name: &str) -> Result<usize> {
    ensure!(tensor.shape().rank() == 4, InvalidArgument, "{name} must be 4-dimensional");
    Ok(tensor.shape().dim(3))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let norm = Norm::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dtype = cx.input(0)?.dtype();
        let x = widen(cx.input(0)?)?;
        let depth = check(&x, "in")?;
        let values = x.as_slice::<f32>()?;
        let y = Tensor::build(x.shape().clone(), |out: &mut [f32]| {
            if depth > 0 {
                math::threads::parallel_units(out, depth, (8192 / depth).max(1), |first, run| {
                    let mut sizes = vec![0f32; depth];
                    let rows = values[first * depth..].chunks_exact(depth);
                    for (out, row) in run.chunks_exact_mut(depth).zip(rows) {
                        norm.sizes(row, &mut sizes);
                        for ((out, x), size) in out.iter_mut().zip(row).zip(&sizes) {
                            *out = x * size.powf(-norm.beta);
                        }
                    }
                });
            }
            Ok(())
        })?;
        cx.set_output(0, if dtype == DType::Float { y } else { narrow(&y, dtype)? });
        Ok(())
    }))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let norm = Norm::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dtype = cx.input(0)?.dtype();
        let (dy, x, y) = (widen(cx.input(0)?)?, widen(cx.input(1)?)?, widen(cx.input(2)?)?);
        let depth = check(&dy, "inputs")?;
        check(&x, "inputs")?;
        ensure!(
            dy.shape() == x.shape() && x.shape() == y.shape(),
            InvalidArgument,
            "input_grads, input_image, and out_image should have the same shape: {}, {}, {}",
            dy.shape(),
            x.shape(),
            y.shape()
        );
        let (grads, values, results) = (dy.as_slice::<f32>()?, x.as_slice::<f32>()?, y.as_slice::<f32>()?);
        let dx = Tensor::build(x.shape().clone(), |out: &mut [f32]| {
            out.fill(0.0);
            if depth == 0 {
                return Ok(());
            }
            let mut sizes = vec![0f32; depth];
            for start in (0..values.len()).step_by(depth) {
                let row = &values[start..start + depth];
                norm.sizes(row, &mut sizes);
                let out = &mut out[start..start + depth];
                for at in 0..depth {
                    let (grad, result, size) = (grads[start + at], results[start + at], sizes[at]);
                    let slope = -2.0 * norm.alpha * norm.beta * result / size * grad;
                    for near in norm.window(at, depth) {
                        out[near] += slope * row[near];
                    }
                    out[at] += size.powf(-norm.beta) * grad;
                }
            }
            Ok(())
        })?;
        cx.set_output(0, if dtype == DType::Float { dx } else { narrow(&dx, dtype)? });
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let mut op = cx.op("LRNGrad").input(cx.dy(0)?).input(cx.x(0)).input(cx.y(0));
    op = op.attr("depth_radius", cx.attr_int("depth_radius")?);
    for name in ["bias", "alpha", "beta"] {
        op = op.attr(name, cx.attr_float(name)?);
    }
    Ok(vec![Some(op.output().into())])
}
