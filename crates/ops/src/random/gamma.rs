//! `RandomGamma`, `StatelessRandomGammaV2` and `StatelessRandomGammaV3`: numbers of gamma distributions.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use math::random::{Philox, Random};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

use super::distributions::wanted_shape;
use super::generator::Generator;
use super::stateless::{keyed, seeded};
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    r.op("RandomGamma", "shape: S, alpha: T -> output: T")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("S: {int32, int64}")
        .attr("T: {half, float, double}")
        .stateful()
        .shape(outer_shape)
        .kernel("T", types::FLOATS, kernel)
        .gradient(|cx| gradient(cx, 1));
    r.op("StatelessRandomGammaV2", "shape: T, seed: Tseed, alpha: dtype -> output: dtype")
        .attr("dtype: {half, float, double}")
        .attr("T: {int32, int64}")
        .attr("Tseed: {int32, int64} = int64")
        .shape(whole_shape)
        .kernel("dtype", types::FLOATS, stateless_kernel)
        .gradient(|cx| gradient(cx, 2));
    r.op(
        "StatelessRandomGammaV3",
        "shape: shape_dtype, key: uint64, counter: uint64, alg: int32, alpha: dtype -> output: dtype",
    )
    .attr("dtype: {half, float, double}")
    .attr("shape_dtype: {int32, int64} = int32")
    .shape(whole_shape)
    .kernel("dtype", types::FLOATS, stateless_kernel)
    .gradient(|cx| gradient(cx, 4));
}

/// What is asked for each parameter, with the parameters' own shape behind it.
pub(super) fn outer_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0).concatenate(&cx.input(1));
    cx.set(0, shape);
    Ok(())
}

/// What is asked for in all, which ends with the parameters' shape.
pub(super) fn whole_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape: PartialShape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (each, alpha) = (wanted_shape(cx.input(0)?)?, cx.input(1)?);
        let shape = Shape::new(&[each.dims(), alpha.dims()].concat())?;
        Tensor::check_size(DType::Double, &shape)?;
        let philox = generator.reserve(shape.num_elements());
        let numbers = draw(philox, alpha, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn stateless_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let (philox, alpha) = match cx.num_inputs() {
            3 => (seeded(cx.input(1)?)?, cx.input(2)?),
            _ => (keyed(cx.input(1)?, cx.input(2)?, cx.input(3)?)?, cx.input(4)?),
        };
        check_end(&shape, alpha)?;
        Tensor::check_size(DType::Double, &shape)?;
        let numbers = draw(philox, alpha, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

pub(super) fn check_end(shape: &Shape, parameters: &Tensor) -> Result<()> {
    ensure!(
        shape.dims().ends_with(parameters.dims()),
        InvalidArgument,
        "Shape passed in must end with broadcasted shape."
    );
    Ok(())
}

/// A number for each element; element `k` of those for one parameter begins at its own place in the sequence.
fn draw(philox: Philox, alpha: &Tensor, shape: Shape) -> Result<Tensor> {
    let dtype = alpha.dtype();
    let alphas = cast(alpha.clone(), DType::Double, false)?;
    let alphas = alphas.as_slice::<f64>()?;
    let mut numbers = vec![0f64; shape.num_elements()];
    let each = numbers.len().checked_div(alphas.len()).unwrap_or(0);
    for (which, alpha) in alphas.iter().enumerate() {
        for sample in 0..each {
            let mut place = philox;
            place.skip(256 * (which * each + sample) as u64);
            numbers[sample * alphas.len() + which] = gamma(&mut Doubles::new(place), *alpha);
        }
    }
    cast(Tensor::from_slice(&shape, &numbers)?, dtype, false)
}

/// Doubles of two distributions that share the outputs of one generator, two from each output, the second one first.
pub(super) struct Doubles {
    philox: Philox,
    uniforms: Vec<f64>,
    normals: Vec<f64>,
}

impl Doubles {
    pub(super) fn new(philox: Philox) -> Doubles {
        Doubles { philox, uniforms: Vec::new(), normals: Vec::new() }
    }

    pub(super) fn uniform(&mut self) -> f64 {
        if self.uniforms.is_empty() {
            self.uniforms.resize(2, 0.0);
            f64::uniform(self.philox, &mut self.uniforms);
            self.philox.skip(1);
        }
        self.uniforms.pop().unwrap_or_default()
    }

    fn normal(&mut self) -> f64 {
        if self.normals.is_empty() {
            self.normals.resize(2, 0.0);
            f64::normal(self.philox, &mut self.normals);
            self.philox.skip(1);
        }
        self.normals.pop().unwrap_or_default()
    }
}

/// Marsaglia's and Tsang's rejection from pairs of normal and uniform numbers.
fn gamma(doubles: &mut Doubles, alpha: f64) -> f64 {
    if alpha.is_nan() || alpha < 0.0 {
        return f64::NAN;
    }
    if alpha == 1.0 {
        return -(-doubles.uniform()).ln_1p();
    }
    let small = alpha < 1.0;
    let d = alpha + if small { 2.0 / 3.0 } else { -1.0 / 3.0 };
    let c = 1.0 / 3.0 / d.sqrt();
    loop {
        let x = doubles.normal();
        let v = 1.0 + c * x;
        if v <= 0.0 {
            continue;
        }
        let v = v * v * v;
        let u = doubles.uniform();
        if u < 1.0 - 0.0331 * (x * x) * (x * x) || u.ln() < 0.5 * x * x + d * (1.0 - v + v.ln()) {
            let value = d * v;
            return if small { value * doubles.uniform().powf(1.0 / alpha) } else { value };
        }
    }
}

/// The numbers' derivative in alpha, added up over those of one alpha.
fn gradient(cx: &GradContext<'_>, at: usize) -> Result<Vec<Option<Gradient>>> {
    let (alpha, y, dy) = (cx.x(at), cx.y(0), cx.dy(0)?);
    let ones = |count: graph::Output| cx.op("Fill").input(count).input(cx.graph.constant(1i32)).output();
    let zero = || cx.graph.constant(0i32);
    // The dimensions in front of alpha's are repetitions.
    let extra = y.unary("Rank") - alpha.unary("Rank");
    let wide = |shape: graph::Output| {
        let count = cx.op("ExpandDims").input(&extra).input(zero()).output();
        let full = cx.op("ConcatV2").input_list(&[ones(count), shape]).input(zero()).output();
        cx.op("Reshape").input(&alpha).input(full).output()
    };
    let slope = wide(alpha.unary("Shape")).binary("RandomGammaGrad", "RandomGammaGrad", &y);
    let axes = cx.op("Range").input(zero()).input(&extra).input(cx.graph.constant(1i32)).output();
    let sum = cx.op("Sum").input(dy * slope).input(axes).output();
    let mut all: Vec<Option<Gradient>> = vec![None; cx.num_inputs()];
    all[at] = Some(sum.into());
    Ok(all)
}
