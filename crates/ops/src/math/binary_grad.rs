//! Gradients of functions of two numbers, and how a gradient finds back to the shape of an input that was broadcast.

use graph::op::GradContext;
use graph::{Gradient, Output};
use tensor::{PartialShape, Result};

use super::binary::gradients_of;

type Gradients = Result<Vec<Option<Gradient>>>;

pub(crate) fn none(_: &GradContext<'_>) -> Gradients {
    Ok(vec![None, None])
}

pub(crate) fn add(cx: &GradContext<'_>) -> Gradients {
    let dz = cx.dy(0)?;
    Ok(gradients_of(cx, dz.clone(), dz))
}

pub(crate) fn sub(cx: &GradContext<'_>) -> Gradients {
    let dz = cx.dy(0)?;
    let (x, y) = (cx.x(0), cx.x(1));
    // The sign is turned after the sum, when there is less of it.
    let for_y = -unbroadcast(cx, dz.clone(), &y, &x);
    Ok(vec![Some(unbroadcast(cx, dz, &x, &y).into()), Some(for_y.into())])
}

/// What formulas take of an input or output: its conjugate if it is complex.
pub(crate) fn conjugate(output: Output) -> Output {
    if output.dtype().is_some_and(tensor::DType::is_complex) { output.unary("Conj") } else { output }
}

/// Both inputs, conjugates if they are complex, and the gradient of the result.
fn parts(cx: &GradContext<'_>) -> Result<(Output, Output, Output)> {
    Ok((conjugate(cx.x(0)), conjugate(cx.x(1)), cx.dy(0)?))
}

pub(crate) fn mul(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = parts(cx)?;
    let times = |a: &Output, b: &Output| a.binary("Mul", "Mul", b);
    Ok(gradients_of(cx, times(&dz, &y), times(&x, &dz)))
}

pub(crate) fn mul_no_nan(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let times = |a: &Output, b: &Output| a.binary("MulNoNan", "mul_no_nan", b);
    Ok(gradients_of(cx, times(&dz, &y), times(&x, &dz)))
}

pub(crate) fn div(cx: &GradContext<'_>) -> Gradients {
    quotient(cx, "Div")
}

pub(crate) fn real_div(cx: &GradContext<'_>) -> Gradients {
    quotient(cx, "RealDiv")
}

pub(crate) fn div_no_nan(cx: &GradContext<'_>) -> Gradients {
    quotient(cx, "DivNoNan")
}

/// z = x / y: dz / y, and dz * (-x / y / y).
fn quotient(cx: &GradContext<'_>, op: &str) -> Gradients {
    let (x, y, dz) = parts(cx)?;
    let over = |a: &Output, b: &Output| a.binary(op, op, b);
    Ok(gradients_of(cx, over(&dz, &y), &dz * over(&over(&-&x, &y), &y)))
}

/// z = x - floor(x / y) y.
pub(crate) fn floor_mod(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_y = &dz * -x.binary("FloorDiv", "FloorDiv", &y);
    Ok(gradients_of(cx, dz, for_y))
}

pub(crate) fn maximum(cx: &GradContext<'_>) -> Gradients {
    chosen(cx, "GreaterEqual")
}

pub(crate) fn minimum(cx: &GradContext<'_>) -> Gradients {
    chosen(cx, "LessEqual")
}

/// The gradient goes to the input that was chosen, to the left one if they are equal.
fn chosen(cx: &GradContext<'_>, comparison: &str) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let zeros = dz.unary("ZerosLike");
    let left = x.binary(comparison, comparison, &y);
    let pick = |a: &Output, b: &Output| cx.op("SelectV2").input(&left).input(a).input(b).output();
    Ok(gradients_of(cx, pick(&dz, &zeros), pick(&zeros, &dz)))
}

/// z = x^y: dz y x^(y-1), and dz z ln x where there is a logarithm.
pub(crate) fn pow(cx: &GradContext<'_>) -> Gradients {
    let ((x, y, dz), z) = (parts(cx)?, conjugate(cx.y(0)));
    let for_x = &dz * (&y * x.binary("Pow", "Pow", &y - 1.0));
    let comparison = if cx.dtype(0).is_complex() { "NotEqual" } else { "Greater" };
    let positive = x.binary(comparison, comparison, 0.0);
    let ones = x.unary("OnesLike");
    let select = |a: &Output, b: &Output| cx.op("SelectV2").input(&positive).input(a).input(b).output();
    // The logarithm is taken of 1 where there is none, so that no NaN arises.
    let log = select(&select(&x, &ones).unary("Log"), &x.unary("ZerosLike"));
    let for_y = &dz * (&z * log);
    Ok(gradients_of(cx, for_x, for_y))
}

pub(crate) fn squared_difference(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_x = 2.0 * dz * (&x - &y);
    let for_y = -unbroadcast(cx, for_x.clone(), &y, &x);
    Ok(vec![Some(unbroadcast(cx, for_x, &x, &y).into()), Some(for_y.into())])
}

/// z = atan2(y, x): x dz / (x^2 + y^2) for y, -y dz / (x^2 + y^2) for x.
pub(crate) fn atan2(cx: &GradContext<'_>) -> Gradients {
    let (y, x, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let part = dz / (x.unary("Square") + y.unary("Square"));
    Ok(gradients_of(cx, &x * &part, -&y * part))
}

pub(crate) fn xdivy(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let xdivy = |a: &Output, b: &Output| a.binary("Xdivy", "xdivy", b);
    let for_x = xdivy(&is_not_zero(&x), &y);
    let for_y = xdivy(&-&x, &y.unary("Square"));
    Ok(gradients_of(cx, for_x * &dz, for_y * &dz))
}

pub(crate) fn xlogy(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_x = is_not_zero(&x).binary("Xlogy", "xlogy", &y);
    let for_y = x.binary("Xdivy", "xdivy", &y);
    Ok(gradients_of(cx, for_x * &dz, for_y * &dz))
}

pub(crate) fn xlog1py(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_x = is_not_zero(&x).binary("Xlog1py", "xlog1py", &y);
    let for_y = x.binary("Xdivy", "xdivy", &y + 1.0);
    Ok(gradients_of(cx, for_x * &dz, for_y * &dz))
}

/// 1 where x is not 0, else 0, in x's type.
fn is_not_zero(x: &Output) -> Output {
    let different = x.binary("NotEqual", "NotEqual", 0.0);
    let dtype = x.dtype().unwrap_or(tensor::DType::Float);
    x.graph().op("Cast").input(different).attr("DstT", dtype).output()
}

/// Sums the gradient of a result that `mine` and `other` were broadcast to over the axes in which `mine` was
/// repeated, so that it has the shape of `mine` again. Where the shapes say enough beforehand, no node looks at them
/// when the graph runs; where `mine` was not repeated at all, nothing is added.
pub(crate) fn unbroadcast(cx: &GradContext<'_>, gradient: Output, mine: &Output, other: &Output) -> Output {
    if let Some(summed) = unbroadcast_axes(cx, gradient.clone(), &mine.shape(), &other.shape()) {
        return summed;
    }
    let (mine_shape, other_shape) = (mine.unary("Shape"), other.unary("Shape"));
    let axes = cx.op("BroadcastGradientArgs").input(&mine_shape).input(&other_shape).output();
    let sum = cx.op("Sum").input(gradient).input(axes).output();
    cx.op("Reshape").input(sum).input(&mine_shape).output()
}

/// As [`unbroadcast`] where the shapes say enough; `None` where they do not. The gradient may have axes beyond those
/// of the shapes.
pub(crate) fn unbroadcast_axes(
    cx: &GradContext<'_>,
    gradient: Output,
    mine: &PartialShape,
    other: &PartialShape,
) -> Option<Output> {
    let repeated = repeated_axes(mine, other)?;
    let sum = |gradient: Output, axes: &[i32], keep: bool| {
        if axes.is_empty() {
            return gradient;
        }
        let axes = cx.graph.constant(tensor::Tensor::vector(axes));
        cx.op("Sum").input(gradient).input(axes).attr("keep_dims", keep).output()
    };
    Some(sum(sum(gradient, &repeated.single, true), &repeated.absent, false))
}

/// Axes of the result in which one input was repeated: those it does not have, and those in which it has size 1.
#[derive(Debug, PartialEq)]
struct Repeated {
    absent: Vec<i32>,
    single: Vec<i32>,
}

/// `None` if what is known of the shapes does not tell.
fn repeated_axes(mine: &PartialShape, other: &PartialShape) -> Option<Repeated> {
    let (mine, other) = (mine.dims()?, other.dims()?);
    let rank = mine.len().max(other.len());
    let at =
        |dims: &[Option<i64>], axis: usize| (axis + dims.len()).checked_sub(rank).and_then(|at| dims.get(at).copied());
    let mut repeated = Repeated { absent: Vec::new(), single: Vec::new() };
    for axis in 0..rank {
        match (at(&mine, axis), at(&other, axis)) {
            (None, _) => repeated.absent.push(axis as i32),
            (_, None | Some(Some(1))) => {}
            (Some(Some(1)), _) => repeated.single.push(axis as i32),
            (Some(Some(_)), _) => {}
            (Some(None), _) => return None,
        }
    }
    Some(repeated)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_to_sum_over() {
        let axes = |mine: &[i64], other: &[i64]| {
            repeated_axes(&PartialShape::from_dims(mine), &PartialShape::from_dims(other))
        };
        let of = |absent: &[i32], single: &[i32]| Some(Repeated { absent: absent.to_vec(), single: single.to_vec() });
        // A bias: its gradient is summed over the batch, that of the features needs nothing, whatever the batch is.
        assert_eq!(axes(&[100], &[-1, 100]), of(&[0], &[]));
        assert_eq!(axes(&[-1, 100], &[100]), of(&[], &[]));
        assert_eq!(axes(&[100], &[1, 100]), of(&[0], &[]));
        assert_eq!(axes(&[2, 3], &[2, 3]), of(&[], &[]));
        assert_eq!(axes(&[1, 3], &[5, 2, 3]), of(&[0], &[1]));
        assert_eq!(axes(&[], &[2, 3]), of(&[0, 1], &[]));
        // Either might be 1.
        assert_eq!(axes(&[-1, 3], &[-1, 3]), None);
        assert_eq!(axes(&[-1], &[5]), None);
        assert_eq!(axes(&[5], &[-1]), of(&[], &[]));
    }
}
