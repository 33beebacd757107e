//! `RandomUniform`, `RandomUniformInt`, `RandomStandardNormal` and `TruncatedNormal`.
//!
//! The numbers follow from the seeds and from how many the kernel has drawn before, bit by bit as in TensorFlow.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Graph, Node, Output, ReadAttrs};
use math::random::{Philox, Random, RandomInt};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bf16, ensure, f16};

use super::generator::Generator;
use crate::arguments::known_dims;

pub(crate) fn register(r: &mut Registry) {
    for name in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"] {
        r.op(name, "shape: T -> output: dtype")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .attr("dtype: {half, bfloat16, float, double}")
            .attr("T: {int32, int64}")
            .stateful()
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    }
    r.op("RandomUniformInt", "shape: T, minval: Tout, maxval: Tout -> output: Tout")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("Tout: {int32, int64}")
        .attr("T: {int32, int64}")
        .stateful()
        .shape(int_shape)
        .any_kernel(int_kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn int_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    cx.with_rank(2, 0)?;
    shape(cx)
}

/// A distribution of floats.
#[derive(Clone, Copy)]
pub(super) enum Floats {
    Uniform,
    Normal,
    Truncated,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let floats = match node.op.as_str() {
        "RandomUniform" => Floats::Uniform,
        "RandomStandardNormal" => Floats::Normal,
        _ => Floats::Truncated,
    };
    let dtype = node.attr_type("dtype")?;
    let generator = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let numbers = draw(floats, dtype, shape, &generator)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn draw(floats: Floats, dtype: DType, shape: Shape, generator: &Generator) -> Result<Tensor> {
    Tensor::check_size(dtype, &shape)?;
    let philox = generator.reserve(shape.num_elements());
    draw_from(philox, floats, dtype, shape)
}

/// Numbers of a distribution from a place in a sequence.
pub(super) fn draw_from(philox: Philox, floats: Floats, dtype: DType, shape: Shape) -> Result<Tensor> {
    dispatch!(dtype, T in [f32, f64, f16, bf16] => {
        Tensor::build(shape, |out: &mut [T]| {
            match floats {
                Floats::Uniform => T::uniform(philox, out),
                Floats::Normal => T::normal(philox, out),
                Floats::Truncated => T::truncated_normal(philox, out),
            }
            Ok(())
        })
    })
}

pub(super) fn wanted_shape(tensor: &Tensor) -> Result<Shape> {
    ensure!(
        tensor.shape().rank() == 1,
        InvalidArgument,
        "shape must be a vector of {{int32,int64}}, got shape {}",
        tensor.shape()
    );
    let dims = tensor.to_i64_vec()?;
    for dim in &dims {
        ensure!(*dim >= 0, InvalidArgument, "Dimension {dim} must be >= 0");
    }
    Shape::new(&dims)
}

fn int_kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let numbers = draw_ints(cx.input(0)?, cx.input(1)?, cx.input(2)?, &generator)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn draw_ints(shape: &Tensor, low: &Tensor, high: &Tensor, generator: &Generator) -> Result<Tensor> {
    draw_ints_from(shape, low, high, |count| generator.reserve(count))
}

/// Integers from `low` up to `high`; `place` is asked for where to draw them once nothing is wrong any more.
pub(super) fn draw_ints_from(
    shape: &Tensor,
    low: &Tensor,
    high: &Tensor,
    place: impl Fn(usize) -> Philox,
) -> Result<Tensor> {
    ensure!(low.shape().is_scalar(), InvalidArgument, "minval must be 0-D, got shape {}", low.shape());
    ensure!(high.shape().is_scalar(), InvalidArgument, "maxval must be 0-D, got shape {}", high.shape());
    let shape = wanted_shape(shape)?;
    dispatch!(low.dtype(), T in [i32, i64] => {
        let (low, high) = (low.to_scalar::<T>()?, high.to_scalar::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            if out.is_empty() {
                return Ok(());
            }
            ensure!(low < high, InvalidArgument, "Need minval < maxval, got {low} >= {high}");
            T::uniform_int(place(out.len()), low, high, out);
            Ok(())
        })
    })
}

/// How random numbers are to be drawn: of which type, and from which seed.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::RandomOptions;
/// let g = Graph::new();
/// let options = RandomOptions { dtype: DType::Double, ..RandomOptions::seed(7) };
/// assert_eq!(g.random_normal_with([2, 3], 0.0, 1.0, options).dtype(), Some(DType::Double));
/// ```
#[derive(Clone, Copy, Debug)]
pub struct RandomOptions {
    /// The type of the numbers.
    pub dtype: DType,
    /// Without one, the graph's seed counts; without that, the numbers differ from run to run.
    pub seed: Option<i64>,
}

impl Default for RandomOptions {
    fn default() -> RandomOptions {
        RandomOptions { dtype: Float, seed: None }
    }
}

impl RandomOptions {
    /// Returns options for floats from this seed.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::ops::RandomOptions;
    /// let draw = || -> Result<Vec<f32>> {
    ///     let g = Graph::new();
    ///     LocalSession::new(&g)?.eval(&g.random_uniform_with([3], 0.0, 1.0, RandomOptions::seed(7)))
    /// };
    /// assert_eq!(draw()?, draw()?);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn seed(seed: i64) -> RandomOptions {
        RandomOptions { seed: Some(seed), ..Default::default() }
    }
}

/// Random numbers: uniform, normal and truncated normal. With a seed, the same ones as TensorFlow gives.
///
/// ```
/// use tensorfleet::ops::RandomOptions;
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// g.set_seed(1);
/// for (numbers, low, high) in [
///     (g.random_uniform([2, 3], -1.0, 1.0), -1.0, 1.0),
///     (g.random_uniform_with([2, 3], 5.0, 6.0, RandomOptions::seed(7)), 5.0, 6.0),
///     (g.random_normal([2, 3], 0.0, 0.1), -1.0, 1.0),
///     (g.random_normal_with([2, 3], 5.0, 0.1, RandomOptions::seed(7)), 4.0, 6.0),
///     (g.truncated_normal([2, 3], 0.1), -0.2, 0.2),
///     (g.truncated_normal_with([2, 3], 0.1, RandomOptions::seed(7)), -0.2, 0.2),
/// ] {
///     let numbers = eval(&numbers)?;
///     assert_eq!(numbers.dims(), [2, 3]);
///     assert!(numbers.as_slice::<f32>()?.iter().all(|number| (low..=high).contains(number)), "{numbers:?}");
/// }
/// # Ok(())
/// # }
/// ```
pub trait RandomOps {
    /// Returns numbers that are uniform from `low` up to, but without, `high`.
    fn random_uniform(&self, shape: impl Into<PartialShape>, low: f64, high: f64) -> Output;
    /// Returns what [`random_uniform`](RandomOps::random_uniform) does, with a type and a seed.
    fn random_uniform_with(
        &self,
        shape: impl Into<PartialShape>,
        low: f64,
        high: f64,
        options: RandomOptions,
    ) -> Output;
    /// Returns normal numbers with this mean and standard deviation.
    fn random_normal(&self, shape: impl Into<PartialShape>, mean: f64, stddev: f64) -> Output;
    /// Returns what [`random_normal`](RandomOps::random_normal) does, with a type and a seed.
    fn random_normal_with(
        &self,
        shape: impl Into<PartialShape>,
        mean: f64,
        stddev: f64,
        options: RandomOptions,
    ) -> Output;
    /// Returns normal numbers around 0, drawn again where they are two standard deviations or more from it.
    fn truncated_normal(&self, shape: impl Into<PartialShape>, stddev: f64) -> Output;
    /// Returns what [`truncated_normal`](RandomOps::truncated_normal) does, with a type and a seed.
    fn truncated_normal_with(&self, shape: impl Into<PartialShape>, stddev: f64, options: RandomOptions) -> Output;
}

impl RandomOps for Graph {
    #[track_caller]
    fn random_uniform(&self, shape: impl Into<PartialShape>, low: f64, high: f64) -> Output {
        self.random_uniform_with(shape, low, high, RandomOptions::default())
    }

    #[track_caller]
    fn random_uniform_with(
        &self,
        shape: impl Into<PartialShape>,
        low: f64,
        high: f64,
        options: RandomOptions,
    ) -> Output {
        scaled(self, "random_uniform", |graph| {
            let shape = wanted(graph, shape);
            let (low, high) = (constant(graph, "min", low, options.dtype), constant(graph, "max", high, options.dtype));
            let numbers = drawn(graph, "RandomUniform", &shape, options);
            (numbers * (&high - &low), low)
        })
    }

    #[track_caller]
    fn random_normal(&self, shape: impl Into<PartialShape>, mean: f64, stddev: f64) -> Output {
        self.random_normal_with(shape, mean, stddev, RandomOptions::default())
    }

    #[track_caller]
    fn random_normal_with(
        &self,
        shape: impl Into<PartialShape>,
        mean: f64,
        stddev: f64,
        options: RandomOptions,
    ) -> Output {
        normal(self, "random_normal", "RandomStandardNormal", shape.into(), (mean, stddev), options)
    }

    #[track_caller]
    fn truncated_normal(&self, shape: impl Into<PartialShape>, stddev: f64) -> Output {
        self.truncated_normal_with(shape, stddev, RandomOptions::default())
    }

    #[track_caller]
    fn truncated_normal_with(&self, shape: impl Into<PartialShape>, stddev: f64, options: RandomOptions) -> Output {
        normal(self, "truncated_normal", "TruncatedNormal", shape.into(), (0.0, stddev), options)
    }
}

#[track_caller]
fn normal(
    graph: &Graph,
    name: &str,
    op: &str,
    shape: PartialShape,
    (mean, stddev): (f64, f64),
    options: RandomOptions,
) -> Output {
    scaled(graph, name, |graph| {
        let shape = wanted(graph, shape);
        let mean = constant(graph, "mean", mean, options.dtype);
        let stddev = constant(graph, "stddev", stddev, options.dtype);
        (drawn(graph, op, &shape, options) * stddev, mean)
    })
}

/// The sum of what `build` gives, named as the scope it is built in: the nodes that TensorFlow makes.
#[track_caller]
fn scaled(graph: &Graph, name: &str, build: impl FnOnce(&Graph) -> (Output, Output)) -> Output {
    let at = std::panic::Location::caller();
    graph.with_name_scope(name, |graph| {
        let (numbers, offset) = build(graph);
        graph.op("AddV2").name_exactly(graph.name_scope()).input(numbers).input(offset).at(at).output()
    })
}

#[track_caller]
fn constant(graph: &Graph, name: &str, value: f64, dtype: DType) -> Output {
    let full = graph.unique_name(name);
    graph::Operand::to_named_output(&value, graph, Some(dtype), &full)
}

#[track_caller]
fn wanted(graph: &Graph, shape: impl Into<PartialShape>) -> Output {
    let dims = known_dims(shape).unwrap_or_else(|mistake| {
        graph.note_mistake(mistake);
        Vec::new()
    });
    let dims: Vec<i32> = dims.iter().map(|dim| *dim as i32).collect();
    graph.op("Const").name("shape").attr("dtype", Int32).attr("value", Tensor::vector(&dims)).output()
}

#[track_caller]
fn drawn(graph: &Graph, op: &str, shape: &Output, options: RandomOptions) -> Output {
    let (seed, seed2) = graph.seeds(options.seed);
    let drawn = graph.op(op).input(shape).attr("seed", seed).attr("seed2", seed2).attr("dtype", options.dtype);
    drawn.at(std::panic::Location::caller()).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn five(floats: Floats, generator: &Generator) -> Vec<f32> {
        draw(floats, Float, Shape::vector(5), generator).unwrap().as_slice::<f32>().unwrap().to_vec()
    }

    /// TensorFlow 2.21 gives these for seeds 1 and 2, in a first and a second run.
    #[test]
    fn the_numbers_of_tensorflow() {
        let generator = Generator::seeded(1, 2);
        assert_eq!(five(Floats::Uniform, &generator), [0.40639675, 0.8575996, 0.05539584, 0.08587229, 0.4121536]);
        assert_eq!(five(Floats::Uniform, &generator), [0.15982985, 0.39126372, 0.9523847, 0.5843681, 0.7269217]);
        let generator = Generator::seeded(1, 2);
        let close = |got: Vec<f32>, want: [f32; 5]| {
            assert!(got.iter().zip(want).all(|(g, w)| (g - w).abs() < 1e-6), "{got:?} is not {want:?}");
        };
        close(five(Floats::Truncated, &generator), [-1.0467793, 0.8397046, 1.2358364, 0.3037427, 0.38869092]);
        close(five(Floats::Truncated, &generator), [1.2089236, -1.4851918, -0.15793842, -0.2694956, 0.45330226]);
        let generator = Generator::seeded(1, 2);
        let ints = || draw_ints(&Tensor::from([5i32]), &Tensor::from(-5i32), &Tensor::from(100i32), &generator);
        assert_eq!(ints().unwrap(), Tensor::from([84i32, 75, 22, 54, 81]));
        assert_eq!(ints().unwrap(), Tensor::from([-1i32, 78, 15, 30, 70]));
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn what_cannot_be_drawn() {
        let message = |result: Result<Tensor>| result.unwrap_err().message().to_owned();
        let generator = Generator::seeded(1, 2);
        let ints = |shape: Tensor, low: Tensor| draw_ints(&shape, &low, &Tensor::from(3i32), &generator);
        assert_eq!(message(ints(Tensor::from([2i32]), Tensor::from(3i32))), "Need minval < maxval, got 3 >= 3");
        assert_eq!(ints(Tensor::from([0i32]), Tensor::from(3i32)).unwrap().dims(), [0]);
        assert_eq!(message(ints(Tensor::from([-1i32]), Tensor::from(0i32))), "Dimension -1 must be >= 0");
        assert_eq!(
            message(ints(Tensor::from(3i32), Tensor::from(0i32))),
            "shape must be a vector of {int32,int64}, got shape []"
        );
    }
}
