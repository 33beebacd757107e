//! `Sum`, `Mean`, `Prod`, `Max`, `Min`, `EuclideanNorm`, `Any`, `All`: reductions over axes.

use graph::op::{GradFn, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output, ReadAttrs};
use math::reduce::{Reduce, ReduceOp, ReducePlan, reduce_bool};
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, PartialShape, Result, Shape, Tensor, bf16, ensure, err, f16};

use super::cast::cast;
use super::reduce_grad;

const REALS: &[DType] = &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
const NUMBERS: &[DType] =
    &[Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128];
const ALLOWED_NUMBERS: &str = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, \
     qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}";
const ALLOWED_REALS: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, \
     uint64, qint8, quint8, qint32, qint16, quint16}";

pub(crate) fn register(r: &mut Registry) {
    let mut op = |name: &str, allowed: &str, types: &[DType], gradient: GradFn| {
        r.op(name, "input: T, reduction_indices: Tidx -> output: T")
            .attr("keep_dims: bool = false")
            .attr(allowed)
            .attr("Tidx: {int32, int64} = int32")
            .shape(shape)
            .kernel("T", types, kernel)
            .gradient(gradient);
    };
    op("Sum", ALLOWED_NUMBERS, NUMBERS, reduce_grad::sum);
    op("Mean", ALLOWED_NUMBERS, NUMBERS, reduce_grad::mean);
    op("Prod", ALLOWED_NUMBERS, NUMBERS, reduce_grad::prod);
    op("Max", ALLOWED_REALS, REALS, reduce_grad::extreme);
    op("Min", ALLOWED_REALS, REALS, reduce_grad::extreme);
    op("EuclideanNorm", ALLOWED_NUMBERS, NUMBERS, reduce_grad::euclidean_norm);
    for name in ["Any", "All"] {
        r.op(name, "input: bool, reduction_indices: Tidx -> output: bool")
            .attr("keep_dims: bool = false")
            .attr("Tidx: {int32, int64} = int32")
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let keep = cx.attr_bool("keep_dims")?;
    if let Some(rank) = cx.input(1).rank() {
        ensure!(
            rank <= 1,
            InvalidArgument,
            "Shape must be at most rank 1 but is rank {rank} for '{}' (op: '{}') with input shapes: {}",
            cx.node.name,
            cx.node.op,
            cx.shown()
        );
    }
    let input = cx.input(0);
    let Some(dims) = input.dims() else { return Ok(()) };
    let Some(axes) = cx.ints(1) else {
        if keep {
            cx.set(0, PartialShape::of_rank(dims.len()));
        }
        return Ok(());
    };
    let mut reduced = vec![false; dims.len()];
    for axis in axes {
        let at = if axis < 0 { axis.saturating_add(dims.len() as i64) } else { axis };
        let slot = usize::try_from(at).ok().and_then(|at| reduced.get_mut(at)).ok_or_else(|| {
            err!(
                InvalidArgument,
                "Invalid reduction dimension {axis} for input with {} dimensions. for '{}' (op: '{}')",
                dims.len(),
                cx.node.name,
                cx.node.op
            )
        })?;
        *slot = true;
    }
    let kept = dims.iter().zip(&reduced).filter(|(_, reduced)| keep || !**reduced);
    let kept: Vec<Option<i64>> = kept.map(|(dim, reduced)| if *reduced { Some(1) } else { *dim }).collect();
    cx.set(0, PartialShape::new(&kept));
    Ok(())
}

#[derive(Clone, Copy)]
enum Reduction {
    Number(ReduceOp),
    Norm,
    Logic { all: bool },
}

fn kernel(node: &Node) -> Result<Kernel> {
    let reduction = match node.op.as_str() {
        "Sum" => Reduction::Number(ReduceOp::Sum),
        "Mean" => Reduction::Number(ReduceOp::Mean),
        "Prod" => Reduction::Number(ReduceOp::Prod),
        "Max" => Reduction::Number(ReduceOp::Max),
        "Min" => Reduction::Number(ReduceOp::Min),
        "EuclideanNorm" => Reduction::Norm,
        other => Reduction::Logic { all: other == "All" },
    };
    let keep = node.attr_bool("keep_dims")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.take_input(0)?;
        let axes = cx.input(1)?.to_i64_vec()?;
        cx.set_output(0, reduce(reduction, input, &axes, keep)?);
        Ok(())
    }))
}

/// The sum over these axes, which are then gone.
pub(crate) fn sum(input: Tensor, axes: &[i64]) -> Result<Tensor> {
    reduce(Reduction::Number(ReduceOp::Sum), input, axes, false)
}

fn reduce(reduction: Reduction, input: Tensor, axes: &[i64], keep: bool) -> Result<Tensor> {
    let axes = reduction_axes(input.shape(), axes)?;
    let plan = reduce_plan(input.shape(), &axes)?;
    let shape = Shape::new(&plan.out_shape(keep))?;
    if plan.count() == 1 && !matches!(reduction, Reduction::Norm) {
        // Every element is alone, and so is its own sum, mean, product, ...
        return input.into_shape(shape);
    }
    match reduction {
        Reduction::Norm => norm(input, &plan, shape),
        Reduction::Logic { all } => {
            let values = input.as_slice::<bool>()?;
            Tensor::build(shape, |out: &mut [bool]| {
                reduce_bool(all, &plan, values, out);
                Ok(())
            })
        }
        Reduction::Number(op) => dispatch!(
            input.dtype(),
            T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
                let values = input.as_slice::<T>()?;
                Tensor::build(shape, |out: &mut [T]| {
                    T::reduce(op, &plan, values, out);
                    Ok(())
                })
            }
        ),
    }
}

/// The root of the sum of squares; of integers rounded towards zero, of complex numbers that of their sizes.
fn norm(input: Tensor, plan: &ReducePlan, shape: Shape) -> Result<Tensor> {
    let dtype = input.dtype();
    let sums = |values: &[f64]| -> Result<Vec<f64>> {
        let mut sums = vec![0f64; shape.num_elements()];
        f64::reduce(ReduceOp::Sum, plan, values, &mut sums);
        Ok(sums.iter().map(|sum| sum.sqrt()).collect())
    };
    let squares: Vec<f64> = match dtype {
        DType::Complex64 => input.as_slice::<Complex64>()?.iter().map(|z| f64::from(z.norm_sqr())).collect(),
        DType::Complex128 => input.as_slice::<Complex128>()?.iter().map(|z| z.norm_sqr()).collect(),
        _ => cast(input, Double, false)?.as_slice::<f64>()?.iter().map(|x| x * x).collect(),
    };
    cast(Tensor::from_slice(&shape, &sums(&squares)?)?, dtype, false)
}

/// The axes counted from the front, each once.
pub(crate) fn reduction_axes(shape: &Shape, axes: &[i64]) -> Result<Vec<usize>> {
    let rank = shape.rank();
    let mut counted: Vec<usize> = Vec::with_capacity(axes.len());
    for &axis in axes {
        let at = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
        let at = usize::try_from(at).ok().filter(|at| *at < rank).ok_or_else(|| {
            err!(InvalidArgument, "Invalid reduction dimension ({axis} for input with {rank} dimension(s)")
        })?;
        ensure!(
            !counted.contains(&at),
            InvalidArgument,
            "Invalid reduction arguments: Axes contains duplicate dimension: {at}"
        );
        counted.push(at);
    }
    Ok(counted)
}

/// How to reduce a shape; refuses shapes without elements whose other dimensions multiply beyond what can be counted.
pub(crate) fn reduce_plan(shape: &Shape, axes: &[usize]) -> Result<ReducePlan> {
    let product = shape.dims().iter().try_fold(1i64, |count, dim| count.checked_mul((*dim).max(1)));
    ensure!(product.is_some(), InvalidArgument, "shape {shape} is too large to be reduced");
    Ok(ReducePlan::new(shape.dims(), axes))
}

/// Which axes to reduce over: one (`1`), several (`[0, 2]`), or all (`..`). Negative ones count from the back.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
/// let (rows, all, both) = (x.reduce_sum(1), x.reduce_sum(..), x.reduce_sum([0, 1]));
/// let (rows, all, both): (Vec<f32>, f32, f32) = LocalSession::new(&g)?.eval((&rows, &all, &both))?;
/// assert_eq!((rows, all, both), (vec![3.0, 7.0], 10.0, 10.0));
/// # Ok::<(), Status>(())
/// ```
pub trait Axes {
    /// Returns the axes, `None` for all.
    fn axes(&self) -> Option<Vec<i32>>;
}

impl Axes for i32 {
    fn axes(&self) -> Option<Vec<i32>> {
        Some(vec![*self])
    }
}

impl<const N: usize> Axes for [i32; N] {
    fn axes(&self) -> Option<Vec<i32>> {
        Some(self.to_vec())
    }
}

impl Axes for &[i32] {
    fn axes(&self) -> Option<Vec<i32>> {
        Some(self.to_vec())
    }
}

impl Axes for std::ops::RangeFull {
    fn axes(&self) -> Option<Vec<i32>> {
        None
    }
}

macro_rules! reductions {
    ($($(#[$doc:meta])* $method:ident $kept:ident $op:literal;)*) => {
        /// Sums, means, extremes and the like over one axis, several, or all of them.
        ///
        /// ```
        /// use tensorfleet::prelude::*;
        /// use testkit::eval;
        /// # fn main() -> tensorfleet::Result<()> {
        /// let g = Graph::new();
        /// let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
        /// let big = x.greater(1.0);
        /// for (result, value) in [
        ///     (x.reduce_sum(..), Tensor::from(10f32)),
        ///     (x.reduce_sum_keepdims(1), Tensor::from([[3f32], [7.0]])),
        ///     (x.reduce_mean(0), Tensor::from([2f32, 3.0])),
        ///     (x.reduce_mean_keepdims(0), Tensor::from([[2f32, 3.0]])),
        ///     (x.reduce_prod(-1), Tensor::from([2f32, 12.0])),
        ///     (x.reduce_prod_keepdims(..), Tensor::from([[24f32]])),
        ///     (x.reduce_max([0, 1]), Tensor::from(4f32)),
        ///     (x.reduce_max_keepdims(1), Tensor::from([[2f32], [4.0]])),
        ///     (x.reduce_min(1), Tensor::from([1f32, 3.0])),
        ///     (x.reduce_min_keepdims(0), Tensor::from([[1f32, 2.0]])),
        ///     (big.reduce_any(0), Tensor::from([true, true])),
        ///     (big.reduce_any_keepdims(..), Tensor::from([[true]])),
        ///     (big.reduce_all(0), Tensor::from([false, true])),
        ///     (big.reduce_all_keepdims(1), Tensor::from([[false], [true]])),
        /// ] {
        ///     assert_eq!(eval(&result)?, value);
        /// }
        /// # Ok(())
        /// # }
        /// ```
        pub trait ReduceOps {
            $($(#[$doc])*
            fn $method(&self, axes: impl Axes) -> Output;
            $(#[$doc])*
            /// The reduced axes stay, with size 1.
            fn $kept(&self, axes: impl Axes) -> Output;)*
        }

        impl ReduceOps for Output {
            $(#[track_caller]
            fn $method(&self, axes: impl Axes) -> Output {
                reduced(self, $op, axes.axes(), false)
            }
            #[track_caller]
            fn $kept(&self, axes: impl Axes) -> Output {
                reduced(self, $op, axes.axes(), true)
            })*
        }
    };
}

reductions! {
    /// The sum.
    reduce_sum reduce_sum_keepdims "Sum";
    /// The mean.
    reduce_mean reduce_mean_keepdims "Mean";
    /// The product.
    reduce_prod reduce_prod_keepdims "Prod";
    /// The greatest value.
    reduce_max reduce_max_keepdims "Max";
    /// The least value.
    reduce_min reduce_min_keepdims "Min";
    /// Whether any is true.
    reduce_any reduce_any_keepdims "Any";
    /// Whether all are true.
    reduce_all reduce_all_keepdims "All";
}

#[track_caller]
fn reduced(input: &Output, op: &str, axes: Option<Vec<i32>>, keep: bool) -> Output {
    let at = std::panic::Location::caller();
    let graph = input.graph();
    let axes = axes.or_else(|| input.shape().rank().map(|rank| (0..rank as i32).collect()));
    let axes = match axes {
        Some(axes) => graph.constant(Tensor::vector(&axes)),
        None => {
            let (zero, one) = (graph.constant(0i32), graph.constant(1i32));
            graph.op("Range").name("range").input(zero).input(input.unary("Rank")).input(one).at(at).output()
        }
    };
    graph.op(op).input(input).input(axes).attr("keep_dims", keep).at(at).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(input: Tensor, axes: &[i64], keep: bool) -> Result<Tensor> {
        reduce(Reduction::Number(ReduceOp::Sum), input, axes, keep)
    }

    #[test]
    fn axes_and_shapes() {
        let matrix = Tensor::from([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
        assert_eq!(sum(matrix.clone(), &[0], false).unwrap(), Tensor::from([5f32, 7.0, 9.0]));
        assert_eq!(sum(matrix.clone(), &[-1], true).unwrap(), Tensor::from([[6f32], [15.0]]));
        assert_eq!(sum(matrix.clone(), &[1, 0], false).unwrap(), Tensor::from(21f32));
        assert_eq!(sum(matrix.clone(), &[], false).unwrap(), matrix);
        let any = reduce(Reduction::Logic { all: false }, Tensor::from([[false, true]; 2]), &[0], false).unwrap();
        assert_eq!(any, Tensor::from([false, true]));
    }

    /// TensorFlow 2.21 says this.
    #[test]
    fn axes_that_cannot_be() {
        let message = |axes: &[i64]| sum(Tensor::from([[1f32; 3]; 2]), axes, false).unwrap_err().message().to_owned();
        assert_eq!(message(&[2]), "Invalid reduction dimension (2 for input with 2 dimension(s)");
        assert_eq!(message(&[-3]), "Invalid reduction dimension (-3 for input with 2 dimension(s)");
        assert_eq!(message(&[0, -2]), "Invalid reduction arguments: Axes contains duplicate dimension: 0");
        let huge = Tensor::zeros(DType::Float, &Shape::new(&[0, i64::MAX, 2]).unwrap()).unwrap();
        assert!(sum(huge, &[1, 2], false).is_err());
    }
}
