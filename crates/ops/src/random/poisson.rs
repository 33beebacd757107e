//! `RandomPoissonV2`, `RandomPoisson` and `StatelessRandomPoisson`: numbers of Poisson distributions.

use graph::op::{Kernel, OpContext, Registry};
use graph::{Node, ReadAttrs};
use math::elementwise::{Unary, UnaryOp};
use math::random::Philox;
use tensor::DType::{self, *};
use tensor::{Result, Shape, Tensor, ensure, f16};

use super::distributions::wanted_shape;
use super::gamma::{Doubles, check_end, outer_shape, whole_shape};
use super::generator::Generator;
use super::stateless::seeded;
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    r.op("RandomPoisson", "shape: S, rate: dtype -> output: dtype")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("S: {int32, int64}")
        .attr("dtype: {half, float, double}")
        .stateful()
        .shape(outer_shape)
        .any_kernel(kernel);
    r.op("RandomPoissonV2", "shape: S, rate: R -> output: dtype")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("S: {int32, int64}")
        .attr("R: {half, float, double, int32, int64} = double")
        .attr("dtype: {half, float, double, int32, int64} = int64")
        .stateful()
        .shape(outer_shape)
        .any_kernel(kernel);
    r.op("StatelessRandomPoisson", "shape: T, seed: Tseed, lam: Rtype -> output: dtype")
        .attr("Rtype: {half, float, double, int32, int64}")
        .attr("dtype: {half, float, double, int32, int64}")
        .attr("T: {int32, int64}")
        .attr("Tseed: {int32, int64} = int64")
        .shape(whole_shape)
        .any_kernel(stateless_kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (generator, dtype) = (Generator::new(node)?, node.attr_type("dtype")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (each, rate) = (wanted_shape(cx.input(0)?)?, cx.input(1)?);
        let shape = Shape::new(&[each.dims(), rate.dims()].concat())?;
        Tensor::check_size(Double, &shape)?;
        let philox = generator.reserve(shape.num_elements());
        let numbers = draw(philox, rate, shape, dtype)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn stateless_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let (philox, rate) = (seeded(cx.input(1)?)?, cx.input(2)?);
        check_end(&shape, rate)?;
        Tensor::check_size(Double, &shape)?;
        let numbers = draw(philox, rate, shape, dtype)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn draw(philox: Philox, rate: &Tensor, shape: Shape, dtype: DType) -> Result<Tensor> {
    let rates = cast(rate.clone(), Double, false)?;
    let rates = rates.as_slice::<f64>()?;
    let most = match dtype {
        Half => f16::MAX.to_f64(),
        Float => f64::from(f32::MAX),
        Double => f64::MAX,
        Int32 => f64::from(i32::MAX),
        _ => i64::MAX as f64,
    };
    let mut numbers = vec![0f64; shape.num_elements()];
    let each = numbers.len().checked_div(rates.len()).unwrap_or(0);
    for (which, rate) in rates.iter().enumerate() {
        let endless = *rate == f64::INFINITY;
        // TensorFlow never ends with what is not a number, or with a rate whose numbers do not fit.
        ensure!(endless || *rate < most, InvalidArgument, "a rate of {rate} for numbers of type {dtype}");
        for sample in 0..each {
            if endless {
                // As TensorFlow, whose integers have 0 for infinity.
                numbers[sample * rates.len() + which] = if dtype.is_integer() { 0.0 } else { f64::INFINITY };
                continue;
            }
            let mut place = philox;
            place.skip(256 * (which * each + sample) as u64);
            numbers[sample * rates.len() + which] = poisson(&mut Doubles::new(place), *rate, most);
        }
    }
    cast(Tensor::from_slice(&shape, &numbers)?, dtype, false)
}

/// By Knuth's product of uniform numbers for small rates, by Hörmann's transformed rejection for others.
fn poisson(doubles: &mut Doubles, rate: f64, most: f64) -> f64 {
    if rate < 10.0 {
        let least = (-rate).exp();
        let (mut product, mut count) = (1.0, 0.0);
        loop {
            product *= doubles.uniform();
            if product <= least {
                return count;
            }
            count += 1.0;
        }
    }
    let b = 0.931 + 2.53 * rate.sqrt();
    let a = -0.059 + 0.02483 * b;
    let inverse_alpha = 1.1239 + 1.1328 / (b - 3.4);
    loop {
        let u = doubles.uniform() - 0.5;
        let v = doubles.uniform();
        let shifted = 0.5 - u.abs();
        let k = ((2.0 * a / shifted + b) * u + rate + 0.43).floor();
        if k > most {
            continue;
        }
        if shifted >= 0.07 && v <= 0.9277 - 3.6224 / (b - 2.0) {
            return k;
        }
        if k < 0.0 || (shifted < 0.013 && v > shifted) {
            continue;
        }
        let s = (v * inverse_alpha / (a / (shifted * shifted) + b)).ln();
        if s <= -rate + k * rate.ln() - log_gamma(k + 1.0) {
            return k;
        }
    }
}

fn log_gamma(x: f64) -> f64 {
    let mut out = [0.0];
    f64::unary(UnaryOp::Lgamma, &[x], &mut out);
    out[0]
}
