//! `Cumsum`, `Cumprod` and `CumulativeLogsumexp`: running sums, products and sums of exponentials along an axis.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::number::Number;
use tensor::DType::{self, *};
use tensor::{Complex64, Complex128, Element, Result, Shape, Tensor, bf16, ensure, f16};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[
        Float, Double, Half, BFloat16, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128,
    ];
    for name in ["Cumsum", "Cumprod"] {
        r.op(name, "x: T, axis: Tidx -> out: T")
            .attr("exclusive: bool = false")
            .attr("reverse: bool = false")
            .attr(
                "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                 qint16, quint16, uint16, complex128, half, uint32, uint64}",
            )
            .attr("Tidx: {int32, int64} = int32")
            .shape(ShapeContext::unchanged)
            .kernel("T", TYPES, kernel)
            .gradient(if name == "Cumsum" { sum_gradient } else { product_gradient });
    }
    r.op("CumulativeLogsumexp", "x: T, axis: Tidx -> out: T")
        .attr("exclusive: bool = false")
        .attr("reverse: bool = false")
        .attr("T: {bfloat16, half, float, double}")
        .attr("Tidx: {int32, int64} = int32")
        .shape(ShapeContext::unchanged)
        .kernel("T", types::FLOATS, kernel)
        .gradient(log_gradient);
}

#[derive(Clone, Copy, PartialEq)]
enum Kind {
    Sum,
    Product,
    LogSumExp,
}

#[derive(Clone, Copy)]
struct Scan {
    kind: Kind,
    /// Each result leaves out the element at its own place.
    exclusive: bool,
    /// From the end to the start.
    reverse: bool,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let scan = Scan {
        kind: match node.op.as_str() {
            "Cumsum" => Kind::Sum,
            "Cumprod" => Kind::Product,
            _ => Kind::LogSumExp,
        },
        exclusive: node.attr_bool("exclusive")?,
        reverse: node.attr_bool("reverse")?,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.take_input(0)?;
        let result = scanned(scan, x, cx.input(1)?)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn scanned(scan: Scan, mut x: Tensor, axis_tensor: &Tensor) -> Result<Tensor> {
    let axis = axis_tensor;
    ensure!(axis.shape().is_scalar(), InvalidArgument, "ScanOp: axis must be a scalar, not {}", axis.shape());
    let axis = axis.to_i64_vec()?.first().copied().unwrap_or(0);
    let rank = x.shape().rank() as i64;
    ensure!(
        (-rank..rank).contains(&axis),
        InvalidArgument,
        "ScanOp: Expected scan axis in the range [{}, {rank}), but got {axis}",
        -rank
    );
    let axis = axis.rem_euclid(rank) as usize;
    if x.num_elements() == 0 {
        return Ok(x);
    }
    let (len, inner) = (x.shape().dim(axis), Shape::new(&x.dims()[axis + 1..])?.num_elements());
    if scan.kind == Kind::LogSumExp {
        if matches!(x.dtype(), Half | BFloat16) {
            let dtype = x.dtype();
            return narrow(&scanned(scan, widen(&x)?, axis_tensor)?, dtype);
        }
        return dispatch!(x.dtype(), T in [f32, f64] => {
            let add = |total: T, x: T| {
                let (more, less) = if total > x { (total, x) } else { (x, total) };
                if more == T::NEG_INFINITY { more } else { more + (less - more).exp().ln_1p() }
            };
            each(scan, len, inner, x.make_mut::<T>()?, T::NEG_INFINITY, add, |x| x, |total| total);
            Ok(x)
        });
    }
    dispatch!(
        x.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            in_place::<T>(scan, len, inner, x.make_mut::<T>()?);
            Ok(x)
        }
    )
}

/// Sums or products, with narrow floats accumulated in float.
fn in_place<T: Element + Number>(scan: Scan, len: usize, inner: usize, values: &mut [T]) {
    let product = scan.kind == Kind::Product;
    let start = if product { T::Wide::ONE } else { T::Wide::ZERO };
    let add = |total: T::Wide, x: T::Wide| if product { total.times(x) } else { total.plus(x) };
    each(scan, len, inner, values, start, add, T::widen, T::narrow);
}

/// Scans along the middle of `[outer, len, inner]`.
fn each<T: Copy, W: Copy>(
    scan: Scan,
    len: usize,
    inner: usize,
    values: &mut [T],
    start: W,
    add: impl Fn(W, W) -> W,
    widen: impl Fn(T) -> W,
    narrow: impl Fn(W) -> T,
) {
    let mut totals = vec![start; inner];
    for block in values.chunks_exact_mut(len * inner) {
        totals.fill(start);
        for i in 0..len {
            let row = if scan.reverse { len - 1 - i } else { i };
            for (x, total) in block[row * inner..(row + 1) * inner].iter_mut().zip(&mut totals) {
                let before = *total;
                *total = add(before, widen(*x));
                *x = narrow(if scan.exclusive { before } else { *total });
            }
        }
    }
}

/// The positive and the negative part of the gradient, each through logarithms: e^x times the sum of dy / e^y behind.
fn log_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, axis, y, dy) = (cx.x(0), cx.x(1), cx.y(0), cx.dy(0)?);
    let (exclusive, reverse) = (cx.attr_bool("exclusive")?, cx.attr_bool("reverse")?);
    let least = match cx.dtype(0) {
        Double => f64::MIN,
        Half => f16::MIN.to_f64(),
        BFloat16 => bf16::MIN.to_f64(),
        _ => f64::from(f32::MIN),
    };
    let part = |comparison: &str, size: Output| {
        let chosen = dy.binary(comparison, comparison, 0.0);
        let none = dy.unary("ZerosLike") + least;
        let log = cx.op("SelectV2").input(chosen).input(size.unary("Log")).input(none).output();
        let sums = cx.op("CumulativeLogsumexp").input(log - &y).input(&axis);
        (sums.attr("exclusive", exclusive).attr("reverse", !reverse).output() + &x).unary("Exp")
    };
    Ok(vec![Some((part("Greater", dy.clone()) - part("Less", -&dy)).into()), None])
}

/// Running sums of the gradient, in the other direction.
fn sum_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![Some(backwards(cx, cx.dy(0)?)?.into()), None])
}

/// d(product)/dx at a place is product / x, wherever x went in.
fn product_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let parts = backwards(cx, cx.y(0) * cx.dy(0)?)?;
    Ok(vec![Some(parts.binary("DivNoNan", "div_no_nan", cx.x(0)).into()), None])
}

fn backwards(cx: &GradContext<'_>, values: Output) -> Result<Output> {
    let (exclusive, reverse) = (cx.attr_bool("exclusive")?, cx.attr_bool("reverse")?);
    let sums = cx.op("Cumsum").input(values).input(cx.x(1)).attr("exclusive", exclusive).attr("reverse", !reverse);
    Ok(sums.output())
}

/// Running sums and products along an axis (`Cumsum`, `Cumprod`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([2f32, 3.0, 4.0]);
/// assert_eq!(eval(&x.cumsum(0))?, Tensor::from([2f32, 5.0, 9.0]));
/// assert_eq!(eval(&x.cumprod(0))?, Tensor::from([2f32, 6.0, 24.0]));
/// # Ok(())
/// # }
/// ```
pub trait CumulativeOps {
    /// Returns the sum of this and all elements before it along an axis.
    fn cumsum(&self, axis: i32) -> Output;
    /// Returns what [`cumsum`](CumulativeOps::cumsum) does, with options.
    fn cumsum_with(&self, axis: i32, options: CumulativeOptions) -> Output;
    /// Returns the product of this and all elements before it along an axis.
    fn cumprod(&self, axis: i32) -> Output;
    /// Returns what [`cumprod`](CumulativeOps::cumprod) does, with options.
    fn cumprod_with(&self, axis: i32, options: CumulativeOptions) -> Output;
}

/// What [`cumsum_with`](CumulativeOps::cumsum_with) and [`cumprod_with`](CumulativeOps::cumprod_with) can be told.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::CumulativeOptions;
/// let g = Graph::new();
/// let options = CumulativeOptions { exclusive: true, reverse: true };
/// let sums = g.constant([1f32, 2.0, 3.0]).cumsum_with(0, options);
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&sums)?, [5.0, 3.0, 0.0]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CumulativeOptions {
    /// Leave each element itself out, so that the first result is 0 or 1.
    pub exclusive: bool,
    /// Go from the last element to the first.
    pub reverse: bool,
}

impl CumulativeOps for Output {
    #[track_caller]
    fn cumsum(&self, axis: i32) -> Output {
        self.cumsum_with(axis, CumulativeOptions::default())
    }

    #[track_caller]
    fn cumsum_with(&self, axis: i32, options: CumulativeOptions) -> Output {
        cumulated(self, "Cumsum", axis, options)
    }

    #[track_caller]
    fn cumprod(&self, axis: i32) -> Output {
        self.cumprod_with(axis, CumulativeOptions::default())
    }

    #[track_caller]
    fn cumprod_with(&self, axis: i32, options: CumulativeOptions) -> Output {
        cumulated(self, "Cumprod", axis, options)
    }
}

#[track_caller]
fn cumulated(input: &Output, op: &str, axis: i32, options: CumulativeOptions) -> Output {
    let CumulativeOptions { exclusive, reverse } = options;
    let axis = input.graph().constant(axis);
    let node = input.graph().op(op).input(input).input(axis).attr("exclusive", exclusive).attr("reverse", reverse);
    node.at(std::panic::Location::caller()).output()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn directions_and_ends() {
        let run = |product, exclusive, reverse| {
            let kind = if product { Kind::Product } else { Kind::Sum };
            let scan = Scan { kind, exclusive, reverse };
            scanned(scan, Tensor::from([1i32, 2, 3, 4]), &Tensor::from(0i32)).unwrap()
        };
        assert_eq!(run(false, false, false), Tensor::from([1i32, 3, 6, 10]));
        assert_eq!(run(false, true, false), Tensor::from([0i32, 1, 3, 6]));
        assert_eq!(run(false, false, true), Tensor::from([10i32, 9, 7, 4]));
        assert_eq!(run(true, true, true), Tensor::from([24i32, 12, 4, 1]));
        let scan = Scan { kind: Kind::Sum, exclusive: false, reverse: false };
        let matrix = scanned(scan, Tensor::from([[1i32, 2], [3, 4]]), &Tensor::from(-2i32)).unwrap();
        assert_eq!(matrix, Tensor::from([[1i32, 2], [4, 6]]));
        let status = scanned(scan, Tensor::from([1i32]), &Tensor::from(1i32)).unwrap_err();
        assert_eq!(status.message(), "ScanOp: Expected scan axis in the range [-1, 1), but got 1");
    }
}
