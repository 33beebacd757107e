//! Normal numbers between bounds, each distribution with its own: `ParameterizedTruncatedNormal` and
//! `StatelessParameterizedTruncatedNormal`. The numbers are those of TensorFlow on one thread: with more of them, its numbers
//! depend on how it shares the work.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, broadcast_shapes};
use graph::{Node, ReadAttrs};
use math::number::Float;
use math::random::{Philox, Random};
use tensor::DType::{self, Double};
use tensor::{Element, PartialShape, Result, Tensor, bail, bf16, ensure, f16};

use super::distributions::wanted_shape;
use super::generator::Generator;
use super::stateless::seeded;
use crate::array::broadcast_to;
use crate::math::cast::cast;

/// Draws that are rejected one after the other before all is given up.
const MOST_REJECTED: usize = 1000;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "ParameterizedTruncatedNormal",
        "shape: T, means: dtype, stdevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    )
    .attr("seed: int = 0")
    .attr("seed2: int = 0")
    .attr("dtype: {half, bfloat16, float, double}")
    .attr("T: {int32, int64}")
    .stateful()
    .shape(shape)
    .kernel("dtype", &[DType::Half, DType::BFloat16, DType::Float, DType::Double], kernel)
    .not_differentiable();
    r.op(
        "StatelessParameterizedTruncatedNormal",
        "shape: S, seed: Tseed, means: dtype, stddevs: dtype, minvals: dtype, maxvals: dtype -> output: dtype",
    )
    .attr("S: {int32, int64}")
    .attr("Tseed: {int32, int64} = int64")
    .attr("dtype: {half, float, double}")
    .shape(shape)
    .kernel("dtype", &[DType::Half, DType::Float, DType::Double], stateless_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (generator, dtype) = (Generator::new(node)?, node.attr_type("dtype")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        ensure!(shape.rank() > 0, InvalidArgument, "Shape tensor must not be empty, got {}", cx.input(0)?.shape());
        Tensor::check_size(Double, &shape)?;
        let mut parameters = Vec::with_capacity(4);
        let names = ["means", "stddevs", "minvals", "maxvals"];
        for (index, name) in names.iter().enumerate() {
            let parameter = cx.input(index + 1)?;
            ensure!(
                parameter.shape().rank() <= 1,
                InvalidArgument,
                "Input {name} should be a scalar or vector, got shape: {}",
                parameter.shape()
            );
            parameters.push(parameter);
        }
        let single = |index: usize| parameters[index].num_elements() == 1;
        let alike = single(0) && single(1) && parameters[2].shape().is_scalar() && parameters[3].shape().is_scalar();
        let (mut batches, mut each) = (shape.dim(0), shape.dims()[1..].iter().map(|dim| *dim as usize).product());
        if alike {
            // Many numbers of one distribution come in hundreds.
            each = 100;
            batches = shape.num_elements().div_ceil(each);
        } else {
            for (name, parameter) in names.iter().zip(&parameters) {
                ensure!(
                    parameter.num_elements() == 1 || parameter.num_elements() == batches,
                    InvalidArgument,
                    "Input {name} should have length 1 or shape[0], got shape: {}",
                    parameter.shape()
                );
            }
        }
        let words = (batches as u64).saturating_mul(2 * MOST_REJECTED as u64).saturating_mul(each as u64 + 3);
        let philox = generator.reserve_words(words);
        let wide = parameters.iter().map(|x| cast((*x).clone(), Double, false)).collect::<Result<Vec<_>>>()?;
        let values = wide.iter().map(|x| x.as_slice::<f64>()).collect::<Result<Vec<_>>>()?;
        let of = |index: usize, batch: usize| values[index][if values[index].len() == 1 { 0 } else { batch }];
        let total = shape.num_elements();
        let distributions = (0..batches).map(|batch| {
            let count = each.min(total - (batch * each).min(total));
            ([0, 1, 2, 3].map(|index| of(index, batch)), count)
        });
        let numbers = draw(dtype, philox, distributions, total)?;
        let output = cast(Tensor::new(shape.dims(), numbers)?, dtype, false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn stateless_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let philox = seeded(cx.input(1)?)?;
        let mut both = PartialShape::scalar();
        for index in 2..6 {
            both = broadcast_shapes(&both, &cx.input(index)?.shape().into()).map_err(|_| {
                tensor::err!(InvalidArgument, "means, stddevs, minvals, maxvals must have compatible batch dimensions")
            })?;
        }
        let Some(inner) = both.to_shape() else { bail!(Internal, "known shapes with an unknown result") };
        let shape = wanted_shape(cx.input(0)?)?;
        ensure!(
            shape.dims().ends_with(inner.dims()),
            InvalidArgument,
            "Shape passed in must end with broadcasted shape."
        );
        Tensor::check_size(Double, &shape)?;
        let wide = (2..6)
            .map(|index| cast(broadcast_to(cx.input(index)?.clone(), inner.dims())?, Double, false))
            .collect::<Result<Vec<_>>>()?;
        let values = wide.iter().map(|x| x.as_slice::<f64>()).collect::<Result<Vec<_>>>()?;
        let batches = inner.num_elements();
        let each = shape.num_elements().checked_div(batches).unwrap_or(0);
        let distributions = (0..batches).map(|batch| ([0, 1, 2, 3].map(|index: usize| values[index][batch]), each));
        let numbers = draw(dtype, philox, distributions, shape.num_elements())?;
        // The numbers of a distribution lie apart: first all first ones, then all second ones.
        let order = (0..numbers.len()).map(|at| numbers[at % batches * each + at / batches]).collect();
        let output = cast(Tensor::new(shape.dims(), order)?, dtype, false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The numbers of all distributions, one after the other: mean, deviation, bounds, and how many.
fn draw(
    dtype: DType,
    mut philox: Philox,
    distributions: impl Iterator<Item = ([f64; 4], usize)>,
    total: usize,
) -> Result<Vec<f64>> {
    let mut out = Vec::with_capacity(total);
    for (parameters, count) in distributions {
        match dtype {
            Double => between::<f64, f64, 2>(&mut philox, parameters, count, &mut out, |x| x)?,
            DType::Half => between::<f32, f16, 4>(&mut philox, parameters, count, &mut out, |x| x.to_f32())?,
            DType::BFloat16 => between::<f32, bf16, 4>(&mut philox, parameters, count, &mut out, |x| x.to_f32())?,
            _ => between::<f32, f32, 4>(&mut philox, parameters, count, &mut out, |x| x)?,
        }
    }
    Ok(out)
}

/// Numbers of one distribution, which are computed as `T` and drawn as `D`, `N` at a time.
fn between<T: Float, D: Random + Element + Default, const N: usize>(
    philox: &mut Philox,
    [mean, deviation, low, high]: [f64; 4],
    count: usize,
    out: &mut Vec<f64>,
    widen: impl Fn(D) -> T,
) -> Result<()> {
    ensure!(
        deviation > 0.0 && low < high && (low.is_finite() || high.is_finite()),
        InvalidArgument,
        "Invalid parameters"
    );
    let [mean, mut deviation, mut low, mut high] = [mean, deviation, low, high].map(T::from_f64);
    let of = |x: f64| T::from_f64(x);
    if (low < of(0.0) && low.to_f64().is_infinite()) || high < mean {
        (low, high) = (high, low);
        deviation = of(0.0).minus(deviation);
    }
    let (low, high) = (low.minus(mean).over(deviation), high.minus(mean).over(deviation));
    let root = low.times(low).plus(of(4.0)).sqrt();
    let power = of(0.5).plus(low.times(low.minus(root)).over(of(4.0)));
    let cutoff = of(2.0).times(power.exp()).over(low.plus(root));
    let width = high.minus(low);
    let mut next = |normal: bool| -> [T; N] {
        let mut group = [D::default(); N];
        if normal {
            D::normal(*philox, &mut group)
        } else {
            D::uniform(*philox, &mut group)
        }
        philox.skip(1);
        group.map(&widen)
    };
    let end = out.len() + count;
    let mut rejected = 0;
    let enough = of(1.3);
    let by_normals = (low < of(0.0).minus(enough) && high >= of(0.0)) || (high > enough && low <= of(0.0));
    while out.len() < end {
        // Of each candidate: the number, and whether it is taken.
        let mut candidates = [(of(0.0), false); N];
        let mut used = N;
        if by_normals {
            candidates = next(true).map(|z| (z, z >= low && z <= high));
        } else if width < cutoff {
            let plus = if low < of(0.0) { of(0.0) } else { low.times(low) };
            let (places, chances) = (next(false), next(false));
            for at in 0..N {
                let z = places[at].times(width).plus(low);
                candidates[at] = (z, chances[at] <= plus.minus(z.times(z)).over(of(2.0)).exp());
            }
        } else {
            let alpha = low.plus(low.times(low).plus(of(4.0)).sqrt()).over(of(2.0));
            let numbers = next(false);
            used = N / 2;
            for at in 0..used {
                let z = of(0.0).minus(numbers[2 * at].ln()).over(alpha).plus(low);
                let x = if low < alpha { alpha.minus(z) } else { low.minus(alpha) };
                let chance = of(0.0).minus(x).times(x).over(of(2.0)).exp();
                candidates[at] = (z, numbers[2 * at + 1] <= chance && z < high);
            }
        }
        for (z, taken) in candidates.into_iter().take(used) {
            if !taken {
                rejected += 1;
                ensure!(
                    rejected <= MOST_REJECTED,
                    Internal,
                    "TruncatedNormal rejection sampler failed to accept a sample."
                );
                continue;
            }
            rejected = 0;
            out.push(z.times(deviation).plus(mean).to_f64());
            if out.len() >= end {
                break;
            }
        }
    }
    Ok(())
}
