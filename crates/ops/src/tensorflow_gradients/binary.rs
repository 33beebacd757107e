//! Gradients of functions of two tensors that are broadcast together, of TensorFlow's nodes.

use graph::op::GradContext;
use graph::{Gradient, Output};
use tensor::{DType, Tensor};

use super::nodes::{after, ones_like, reshape, shape, sum_along, zeros_like};
use super::{Gradients, Table};
use crate::math::binary_grad::conjugate;

pub(super) const TABLE: Table = &[
    ("Add", add),
    ("AddV2", add),
    ("Atan2", atan2),
    ("Div", |cx| quotient(cx, "Div", "div")),
    ("DivNoNan", |cx| quotient(cx, "DivNoNan", "div_no_nan")),
    ("FloorMod", floor_mod),
    ("Maximum", |cx| chosen(cx, "GreaterEqual")),
    ("Minimum", |cx| chosen(cx, "LessEqual")),
    ("Mul", mul),
    ("MulNoNan", mul_no_nan),
    ("Pow", pow),
    ("RealDiv", |cx| quotient(cx, "RealDiv", "RealDiv")),
    ("SelectV2", select),
    ("SquaredDifference", squared_difference),
    ("Sub", sub),
];

/// Whether nothing was repeated, beyond doubt.
fn same_shapes(cx: &GradContext<'_>, dz: &Output) -> bool {
    let known = |output: &Output| output.shape().to_shape();
    known(dz).is_some_and(|shape| known(&cx.x(0)).as_ref() == Some(&shape) && known(&cx.x(1)).as_ref() == Some(&shape))
}

fn both(x: Output, y: Output) -> Gradients {
    Ok(vec![Some(x.into()), Some(y.into())])
}

/// Axes along which each of two tensors was repeated.
pub(super) enum Axes {
    /// Known now.
    Known(Vec<i32>, Vec<i32>),
    /// Found when the graph runs.
    Found(Output, Output),
}

/// The axes along which `x` and `y` were repeated, of shapes whose vectors are given.
fn repeated(cx: &GradContext<'_>, x: &Output, y: &Output, x_shape: &Output, y_shape: &Output) -> Axes {
    if let (Some(a), Some(b)) = (x.shape().dims(), y.shape().dims())
        && let Some((a, b)) = axes(&a, &b)
    {
        return Axes::Known(a, b);
    }
    let found = cx.op("BroadcastGradientArgs").input(x_shape).input(y_shape).build();
    Axes::Found(found.output(0), found.output(1))
}

/// `None` if what is known does not tell.
fn axes(x: &[Option<i64>], y: &[Option<i64>]) -> Option<(Vec<i32>, Vec<i32>)> {
    let rank = x.len().max(y.len());
    let at = |dims: &[Option<i64>], axis: usize| match (axis + dims.len()).checked_sub(rank) {
        Some(at) => dims.get(at).copied().flatten(),
        None => Some(1),
    };
    let (mut for_x, mut for_y) = (Vec::new(), Vec::new());
    for axis in 0..rank {
        match (at(x, axis), at(y, axis)) {
            (Some(1), Some(1)) => {}
            (Some(1), _) => for_x.push(axis as i32),
            (_, Some(1)) => for_y.push(axis as i32),
            (None, _) | (_, None) => return None,
            _ => {}
        }
    }
    Some((for_x, for_y))
}

/// Gradients summed over the axes along which the inputs were repeated.
pub(super) fn reduced(
    cx: &GradContext<'_>,
    (x, y): (&Output, &Output),
    (for_x, for_y): (Option<Output>, Option<Output>),
) -> (Option<Output>, Option<Output>) {
    let (x_shape, y_shape) = (shape(cx, x), shape(cx, y));
    let rank = |output: &Output| output.shape().rank();
    let one = |gradient: Output, dims: &Output, known: Option<&[i32]>, found: Option<&Output>, shorter: bool| {
        let summed = match (known, found) {
            (Some([]), _) if !shorter => return gradient,
            (Some(axes), _) => sum_along(cx, &gradient, Tensor::vector(axes)),
            (None, Some(axes)) => cx.op("Sum").input(&gradient).input(axes).attr("keep_dims", true).output(),
            (None, None) => gradient,
        };
        reshape(cx, &summed, dims)
    };
    match repeated(cx, x, y, &x_shape, &y_shape) {
        Axes::Known(a, b) => (
            for_x.map(|gradient| one(gradient, &x_shape, Some(a.as_slice()), None, rank(x) < rank(y))),
            for_y.map(|gradient| one(gradient, &y_shape, Some(b.as_slice()), None, rank(y) < rank(x))),
        ),
        Axes::Found(a, b) => (
            for_x.map(|gradient| one(gradient, &x_shape, None, Some(&a), true)),
            for_y.map(|gradient| one(gradient, &y_shape, None, Some(&b), true)),
        ),
    }
}

fn gradients_of(cx: &GradContext<'_>, for_x: Output, for_y: Output) -> Gradients {
    let (for_x, for_y) = reduced(cx, (&cx.x(0), &cx.x(1)), (Some(for_x), Some(for_y)));
    Ok(vec![for_x.map(Gradient::from), for_y.map(Gradient::from)])
}

fn add(cx: &GradContext<'_>) -> Gradients {
    let dz = cx.dy(0)?;
    if same_shapes(cx, &dz) { both(dz.clone(), dz) } else { gradients_of(cx, dz.clone(), dz) }
}

fn sub(cx: &GradContext<'_>) -> Gradients {
    let dz = cx.dy(0)?;
    let negative = -&dz;
    if same_shapes(cx, &dz) { both(dz, negative) } else { gradients_of(cx, dz, negative) }
}

fn mul(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let times = |a: &Output, b: &Output| a.binary("Mul", "Mul", b);
    if same_shapes(cx, &dz) && matches!(cx.dtype(0), DType::Float | DType::Int32) {
        return both(times(&dz, &y), times(&dz, &x));
    }
    let for_x = times(&dz, &conjugate(y));
    gradients_of(cx, for_x, times(&conjugate(x), &dz))
}

fn mul_no_nan(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let times = |a: &Output, b: &Output| a.binary("MulNoNan", "MulNoNan", b);
    let (for_x, for_y) = (times(&dz, &y), times(&x, &dz));
    if same_shapes(cx, &dz) { both(for_x, for_y) } else { gradients_of(cx, for_x, for_y) }
}

/// z = x / y: dz / y, and dz * (-x / y / y).
fn quotient(cx: &GradContext<'_>, op: &str, name: &str) -> Gradients {
    let (x, y, dz) = (conjugate(cx.x(0)), conjugate(cx.x(1)), cx.dy(0)?);
    // Of integers TensorFlow takes the quotient of real numbers; gradients have none.
    let (op, name) = if op == "Div" { ("RealDiv", "truediv") } else { (op, name) };
    let over = |a: &Output, b: &Output| a.binary(op, name, b);
    let for_x = over(&dz, &y);
    let inner = over(&-&x, &y);
    let for_y = &dz * over(&inner, &y);
    gradients_of(cx, for_x, for_y)
}

/// z = x - floor(x / y) y.
fn floor_mod(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let whole = x.binary("FloorDiv", "FloorDiv", &y);
    let for_y = &dz * -whole;
    gradients_of(cx, dz, for_y)
}

/// The gradient goes to the input that was chosen, to the left one if they are equal.
fn chosen(cx: &GradContext<'_>, comparison: &str) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let zeros = zeros_like(cx, &dz);
    let left = x.binary(comparison, comparison, &y);
    let pick = |a: &Output, b: &Output| cx.op("SelectV2").input(&left).input(a).input(b).output();
    let for_x = pick(&dz, &zeros);
    gradients_of(cx, for_x, pick(&zeros, &dz))
}

/// z = x^y: dz y x^(y-1), and dz z ln x where there is a logarithm.
fn pow(cx: &GradContext<'_>) -> Gradients {
    let (x, y, z, dz) = (cx.x(0), cx.x(1), conjugate(cx.y(0)), cx.dy(0)?);
    let (cx_x, cx_y) = (conjugate(x.clone()), conjugate(y));
    let first = &dz * &cx_y;
    let for_x = first * cx_x.binary("Pow", "Pow", &cx_y - 1.0);
    let comparison = if cx.dtype(0).is_complex() { "NotEqual" } else { "Greater" };
    let positive = cx_x.binary(comparison, comparison, 0.0);
    let ones = ones_like(cx, &x);
    let select = |a: &Output, b: &Output| cx.op("Select").input(&positive).input(a).input(b).output();
    let log = select(&cx_x, &ones).unary("Log");
    let zeros = zeros_like(cx, &x);
    let log = select(&log, &zeros);
    let for_y = &dz * z * log;
    gradients_of(cx, for_x, for_y)
}

fn squared_difference(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let for_x = after(cx, &dz, || {
        let scaled = {
            let name = cx.graph.unique_name("scalar");
            let two = graph::Operand::to_named_output(&2.0, cx.graph, dz.dtype(), &name);
            two.binary("Mul", "Mul", &dz)
        };
        scaled * (&x - &y)
    });
    let for_y = -&for_x;
    if same_shapes(cx, &dz) { both(for_x, for_y) } else { gradients_of(cx, for_x, for_y) }
}

/// z = atan2(y, x): x dz / (x^2 + y^2) for y, -y dz / (x^2 + y^2) for x.
fn atan2(cx: &GradContext<'_>) -> Gradients {
    let (y, x, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    after(cx, &dz, || {
        let (a, b) = (y.unary("Square"), x.unary("Square"));
        let part = &dz / (a + b);
        let for_y = &x * &part;
        gradients_of(cx, for_y, -&y * part)
    })
}

fn select(cx: &GradContext<'_>) -> Gradients {
    let (condition, x, y, z, dz) = (cx.x(0), cx.x(1), cx.x(2), cx.y(0), cx.dy(0)?);
    let zeros = graph::Operand::to_named_output(&0.0, cx.graph, dz.dtype(), &cx.graph.unique_name("zeros"));
    let pick = |a: &Output, b: &Output| cx.op("SelectV2").input(&condition).input(a).input(b).output();
    let (for_x, for_y) = (pick(&dz, &zeros), pick(&zeros, &dz));
    let (for_x, _) = reduced(cx, (&x, &z), (Some(for_x), None));
    let (for_y, _) = reduced(cx, (&y, &z), (Some(for_y), None));
    Ok(vec![None, for_x.map(Gradient::from), for_y.map(Gradient::from)])
}

#[cfg(test)]
mod tests {
    use super::axes;

    #[test]
    fn axes_that_were_repeated() {
        // A batch beside a row: the row was repeated, however large the batch is.
        assert_eq!(axes(&[None, Some(3)], &[Some(3)]), Some((vec![], vec![0])));
        assert_eq!(axes(&[Some(1), Some(3)], &[None, Some(3)]), Some((vec![0], vec![])));
        // Either batch may be 1.
        assert_eq!(axes(&[None, Some(3)], &[None, Some(3)]), None);
        assert_eq!(axes(&[], &[Some(2), Some(1)]), Some((vec![0], vec![])));
    }
}
