//! Numbers of binomial distributions: `StatelessRandomBinomial` and, from a generator whose state is a variable,
//! `StatefulRandomBinomial`.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, broadcast_shapes};
use math::random::Philox;
use tensor::DType::{self, Double};
use tensor::{Result, Shape, Tensor, bail, ensure};

use super::distributions::wanted_shape;
use super::gamma::Doubles;
use super::stateful::{advance, algorithm_of};
use super::stateless::seeded;
use crate::array::broadcast_to;
use crate::math::cast::cast;

/// Draws for one number before it is given up: more than any distribution needs.
const MOST_DRAWS: usize = 1 << 20;

pub(crate) fn register(r: &mut Registry) {
    const COUNTS: &str = "T: {half, float, double, int32, int64} = double";
    const RESULT: &str = "dtype: {half, float, double, int32, int64} = int64";
    const TYPES: &[DType] = &[DType::Half, DType::Float, DType::Double, DType::Int32, DType::Int64];
    r.op("StatelessRandomBinomial", "shape: S, seed: Tseed, counts: T, probs: T -> output: dtype")
        .attr("S: {int32, int64}")
        .attr("Tseed: {int32, int64} = int64")
        .attr(COUNTS)
        .attr(RESULT)
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .not_differentiable();
    r.op(
        "StatefulRandomBinomial",
        "resource: resource, algorithm: int64, shape: S, counts: T, probs: T -> output: dtype",
    )
    .attr("S: {int32, int64}")
    .attr(COUNTS)
    .attr(RESULT)
    .stateful()
    .shape(shape)
    .kernel("T", TYPES, kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(if cx.node.op == "StatefulRandomBinomial" { 2 } else { 0 });
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let stateful = node.op == "StatefulRandomBinomial";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let first = if stateful { 3 } else { 2 };
        let (counts, probs) = (cx.input(first)?, cx.input(first + 1)?);
        let shape = wanted_shape(cx.input(if stateful { 2 } else { 0 })?)?;
        let both = broadcast_shapes(&counts.shape().into(), &probs.shape().into()).map_err(|_| {
            tensor::err!(
                InvalidArgument,
                "counts and probs must have compatible batch dimensions: {} vs. {}",
                counts.shape(),
                probs.shape()
            )
        })?;
        let Some(inner) = both.to_shape() else { bail!(Internal, "known shapes with an unknown result") };
        ensure!(
            shape.dims().ends_with(inner.dims()),
            InvalidArgument,
            "Shape passed in must end with broadcasted shape."
        );
        Tensor::check_size(Double, &shape)?;
        let wide =
            |tensor: &Tensor| -> Result<Tensor> { cast(broadcast_to(tensor.clone(), inner.dims())?, Double, false) };
        let (counts, probs) = (wide(counts)?, wide(probs)?);
        let philox = match stateful {
            true => advance(cx, Some(algorithm_of(cx.input(1)?)?), shape.num_elements() as u64)?.1,
            false => seeded(cx.input(1)?)?,
        };
        let numbers = draw(philox, counts.as_slice::<f64>()?, probs.as_slice::<f64>()?, &shape)?;
        let output = cast(numbers, cx.node.output_types[0].dtype, false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The numbers of one distribution after the other, each at its own place in the sequence.
fn draw(philox: Philox, counts: &[f64], probs: &[f64], shape: &Shape) -> Result<Tensor> {
    let distributions = counts.len();
    Tensor::build(shape.clone(), |out: &mut [f64]| {
        let per_distribution = out.len().checked_div(distributions).unwrap_or(0);
        for (number, (count, prob)) in counts.iter().zip(probs).enumerate() {
            for sample in 0..per_distribution {
                let place = (number * per_distribution + sample) as u64;
                out[sample * distributions + number] = one(philox, place, *count, *prob)?;
            }
        }
        Ok(())
    })
}

fn one(philox: Philox, place: u64, count: f64, prob: f64) -> Result<f64> {
    if count <= 0.0 || prob <= 0.0 {
        return Ok(0.0);
    }
    if prob >= 1.0 {
        return Ok(count);
    }
    if prob.is_nan() || !count.is_finite() {
        return Ok(f64::NAN);
    }
    let (rare, turned) = if prob <= 0.5 { (prob, false) } else { (1.0 - prob, true) };
    let mut here = philox;
    let found = if count * rare >= 10.0 {
        here.skip(place.wrapping_mul(256));
        rejected(&mut Doubles::new(here), count, rare)
    } else {
        here.skip(place.wrapping_mul(42));
        inverted(&mut Doubles::new(here), count, rare)
    };
    match found {
        Some(found) => Ok(if turned { count - found } else { found }),
        None => bail!(Internal, "no number of the binomial distribution of {count} and {prob} was accepted"),
    }
}

/// How many geometric numbers it takes to exceed the count.
fn inverted(doubles: &mut Doubles, count: f64, prob: f64) -> Option<f64> {
    let mut sum = 0.0;
    for number in 0..MOST_DRAWS {
        sum += (doubles.uniform().ln() / (-prob).ln_1p()).ceil();
        if sum > count {
            return Some(number as f64);
        }
    }
    None
}

/// What Stirling's formula leaves out.
fn tail(k: f64) -> f64 {
    const SMALL: [f64; 10] = [
        0.081_061_466_795_327_2,
        0.041_340_695_955_409_2,
        0.027_677_925_684_998_3,
        0.020_790_672_103_765_09,
        0.016_644_691_189_821_1,
        0.013_876_128_823_070_7,
        0.011_896_709_945_891_7,
        0.010_411_265_261_972,
        0.009_255_462_182_712_73,
        0.008_330_563_433_362_87,
    ];
    if let Some(value) = SMALL.get(k as usize).filter(|_| k <= 9.0) {
        return *value;
    }
    let square = (k + 1.0) * (k + 1.0);
    (1.0 / 12.0 - (1.0 / 360.0 - 1.0 / 1260.0 / square) / square) / (k + 1.0)
}

/// Hörmann's transformed rejection.
fn rejected(doubles: &mut Doubles, count: f64, prob: f64) -> Option<f64> {
    let deviation = (count * prob * (1.0 - prob)).sqrt();
    let b = 1.15 + 2.53 * deviation;
    let a = -0.0873 + 0.0248 * b + 0.01 * prob;
    let c = count * prob + 0.5;
    let tight = 0.92 - 4.2 / b;
    let odds = prob / (1.0 - prob);
    let alpha = (2.83 + 5.1 / b) * deviation;
    let middle = ((count + 1.0) * prob).floor();
    for _ in 0..MOST_DRAWS {
        let (u, v) = (doubles.uniform(), doubles.uniform());
        let u = u - 0.5;
        let near = 0.5 - u.abs();
        let k = ((2.0 * a / near + b) * u + c).floor();
        if near >= 0.07 && v <= tight {
            return Some(k);
        }
        if k < 0.0 || k > count {
            continue;
        }
        let v = (v * alpha / (a / (near * near) + b)).ln();
        let bound = (middle + 0.5) * ((middle + 1.0) / (odds * (count - middle + 1.0))).ln()
            + (count + 1.0) * ((count - middle + 1.0) / (count - k + 1.0)).ln()
            + (k + 0.5) * (odds * (count - k + 1.0) / (k + 1.0)).ln()
            + tail(middle)
            + tail(count - middle)
            - tail(k)
            - tail(count - k);
        if v <= bound {
            return Some(k);
        }
    }
    None
}
