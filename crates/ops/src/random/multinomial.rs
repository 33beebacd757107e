//! `Multinomial` and `StatelessMultinomial`: classes drawn by their unnormalized log probabilities.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use math::random::Philox;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::candidate_sampler::Uniform;
use super::generator::Generator;
use super::stateless::seeded;

pub(crate) fn register(r: &mut Registry) {
    r.op("Multinomial", "logits: T, num_samples: int32 -> output: output_dtype")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .attr("output_dtype: {int32, int64} = int64")
        .stateful()
        .shape(shape)
        .kernel("T", types::FLOATS, kernel)
        .not_differentiable();
    r.op("StatelessMultinomial", "logits: T, num_samples: int32, seed: Tseed -> output: output_dtype")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .attr("Tseed: {int32, int64} = int64")
        .attr("output_dtype: {int32, int64} = int64")
        .shape(shape)
        .kernel("T", types::FLOATS, stateless_kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let logits = cx.with_rank(0, 2)?;
    cx.with_rank(1, 0)?;
    cx.set(0, PartialShape::new(&[logits.dim(0), cx.int(1).filter(|count| *count >= 0)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    let wide = node.attr_type("output_dtype")? == DType::Int64;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let drawn = draw(cx.input(0)?, cx.input(1)?, wide, |count| Ok(generator.reserve(count)))?;
        cx.set_output(0, drawn);
        Ok(())
    }))
}

fn stateless_kernel(node: &Node) -> Result<Kernel> {
    let wide = node.attr_type("output_dtype")? == DType::Int64;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let drawn = draw(cx.input(0)?, cx.input(1)?, wide, |_| seeded(cx.input(2)?))?;
        cx.set_output(0, drawn);
        Ok(())
    }))
}

/// Classes, with numbers from the place that `place` gives.
fn draw(logits: &Tensor, count: &Tensor, wide: bool, place: impl Fn(usize) -> Result<Philox>) -> Result<Tensor> {
    ensure!(logits.shape().rank() == 2, InvalidArgument, "logits should be a matrix, got shape {}", logits.shape());
    ensure!(count.shape().is_scalar(), InvalidArgument, "num_samples should be a scalar, got shape {}", count.shape());
    let count = count.to_scalar::<i32>()?;
    ensure!(count >= 0, InvalidArgument, "num_samples should be non-negative, got {count}");
    let (rows, classes) = (logits.shape().dim(0), logits.shape().dim(1));
    ensure!(classes > 0, InvalidArgument, "num_classes should be positive, got {classes}");
    let shape = Shape::new(&[rows as i64, count as i64])?;
    Tensor::check_size(DType::Int64, &shape)?;
    let chances = as_doubles(logits)?;
    let mut numbers = Uniform::new(place(rows * (count as usize).div_ceil(4) * 8)?);
    let mut drawn = Vec::with_capacity(shape.num_elements());
    for row in chances.chunks_exact(classes) {
        let most = row.iter().copied().filter(|x| x.is_finite()).fold(f64::MIN, f64::max);
        let mut total = 0.0;
        let sums: Vec<f64> = row
            .iter()
            .map(|x| {
                total += if x.is_finite() { (x - most).exp() } else { 0.0 };
                total
            })
            .collect();
        for _ in 0..count {
            let wanted = numbers.next() * total;
            drawn.push(sums.partition_point(|sum| *sum <= wanted) as i64);
        }
    }
    match wide {
        true => Tensor::from_slice(&shape, &drawn),
        false => Tensor::from_slice(&shape, &drawn.iter().map(|class| *class as i32).collect::<Vec<_>>()),
    }
}

fn as_doubles(logits: &Tensor) -> Result<Vec<f64>> {
    Ok(match logits.dtype() {
        DType::Float => logits.as_slice::<f32>()?.iter().map(|x| *x as f64).collect(),
        DType::Double => logits.as_slice::<f64>()?.to_vec(),
        DType::Half => logits.as_slice::<f16>()?.iter().map(|x| x.to_f64()).collect(),
        DType::BFloat16 => logits.as_slice::<bf16>()?.iter().map(|x| x.to_f64()).collect(),
        other => bail!(Internal, "no code for logits of type {other}"),
    })
}
