//! Gradients of reductions: a gradient goes back to every element that it came from.

use graph::op::GradContext;
use graph::{Gradient, Output, ReadAttrs};
use tensor::{Result, Tensor};

type Gradients = Result<Vec<Option<Gradient>>>;

pub(crate) fn sum(cx: &GradContext<'_>) -> Gradients {
    let spread = spread(cx, cx.dy(0)?)?;
    Ok(vec![Some(spread.into()), None])
}

pub(crate) fn mean(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dy) = (cx.x(0), cx.y(0), cx.dy(0)?);
    // The share is taken before it is spread, when there is less of it.
    let share = match (x.shape().num_elements(), y.shape().num_elements()) {
        (Some(all), Some(results)) => dy / (all / results.max(1)) as f64,
        _ => {
            let results = y.unary("Size").binary("Maximum", "Maximum", 1);
            let count = x.unary("Size").binary("FloorDiv", "floordiv", results);
            dy / cx.op("Cast").input(count).attr("DstT", cx.dtype(0)).output()
        }
    };
    Ok(vec![Some(spread(cx, share)?.into()), None])
}

/// x / (norm / dy).
pub(crate) fn euclidean_norm(cx: &GradContext<'_>) -> Gradients {
    let (y, dy) = (kept(cx, cx.y(0))?, kept(cx, cx.dy(0)?)?);
    Ok(vec![Some((cx.x(0) / (y / dy)).into()), None])
}

/// The gradient goes to the elements that are the greatest (or least) ones, in equal parts.
pub(crate) fn extreme(cx: &GradContext<'_>) -> Gradients {
    let (x, axes) = (cx.x(0), cx.x(1));
    let (y, dy) = (kept(cx, cx.y(0))?, kept(cx, cx.dy(0)?)?);
    let chosen = y.binary("Equal", "Equal", &x);
    let chosen = cx.op("Cast").input(chosen).attr("DstT", cx.dtype(0)).output();
    let count = cx.op("Sum").input(&chosen).input(axes).attr("keep_dims", true).output();
    Ok(vec![Some((chosen / count * dy).into()), None])
}

/// The gradient with respect to an element is the product of all others; products from both sides keep zeros out of
/// denominators. For several axes they are brought to the front and laid out as one.
pub(crate) fn prod(cx: &GradContext<'_>) -> Gradients {
    let x = cx.x(0);
    let product = match (constant_axes(cx).as_deref(), x.shape().rank()) {
        (Some([axis]), Some(_)) => products_of_others(cx, &x, *axis),
        (Some(axes), Some(rank)) if axes.len() == rank => {
            let line = cx.op("Reshape").input(&x).input(cx.graph.constant([-1i32])).output();
            let product = products_of_others(cx, &line, 0);
            cx.op("Reshape").input(product).input(x.unary("Shape")).output()
        }
        _ => products_along_axes(cx, &x),
    };
    Ok(vec![Some((spread(cx, cx.dy(0)?)? * product).into()), None])
}

/// For each element the product of all others along an axis.
fn products_of_others(cx: &GradContext<'_>, x: &Output, axis: i32) -> Output {
    let axis = cx.graph.constant(axis);
    let others = |reverse: bool| {
        cx.op("Cumprod").input(x).input(&axis).attr("exclusive", true).attr("reverse", reverse).output()
    };
    others(false) * others(true)
}

/// For each element the product of all others along the node's axes, which may be known only when it runs.
fn products_along_axes(cx: &GradContext<'_>, x: &Output) -> Output {
    let (zero, one) = (cx.graph.constant(0i32), cx.graph.constant(1i32));
    let shape = x.unary("Shape");
    let rank = x.unary("Rank");
    let reduced = axes_from_front(cx, &rank);
    let all = cx.op("Range").input(&zero).input(&rank).input(one).output();
    let kept = cx.op("ListDiff").input(&all).input(&reduced).outputs();
    let Some(kept) = kept.first() else { return x.clone() };
    let order = cx.op("ConcatV2").name("concat").input_list(&[reduced.clone(), kept.clone()]).input(&zero).output();
    let product = |axes: &Output| {
        let dims = cx.op("GatherV2").input(&shape).input(axes).input(&zero).output();
        cx.op("Prod").input(dims).input(cx.graph.constant([0i32])).output()
    };
    let table = cx.op("Pack").name("stack").input_list(&[product(&reduced), product(kept)]).output();
    let turned = cx.op("Transpose").input(x).input(&order).output();
    let lines = cx.op("Reshape").input(&turned).input(table).output();
    let products = products_of_others(cx, &lines, 0);
    let products = cx.op("Reshape").input(products).input(turned.unary("Shape")).output();
    cx.op("Transpose").input(products).input(order.unary("InvertPermutation")).output()
}

/// A tensor of the result's shape, repeated along the reduced axes.
fn spread(cx: &GradContext<'_>, small: Output) -> Result<Output> {
    let x = cx.x(0);
    let keeps = cx.attr_bool("keep_dims")?;
    let leading = constant_axes(cx).is_some_and(|mut axes| {
        axes.sort_unstable();
        axes.iter().enumerate().all(|(i, axis)| i as i32 == *axis)
    });
    // What is left when leading axes are reduced broadcasts back by itself.
    let small = if leading && !keeps { small } else { kept(cx, small)? };
    let shape = match x.shape().to_shape() {
        Some(shape) => {
            cx.graph.constant(Tensor::vector(&shape.dims().iter().map(|dim| *dim as i32).collect::<Vec<_>>()))
        }
        None => x.unary("Shape"),
    };
    Ok(cx.op("BroadcastTo").input(small).input(shape).output())
}

/// A tensor of the result's shape with the reduced axes put back, with size 1.
fn kept(cx: &GradContext<'_>, small: Output) -> Result<Output> {
    if cx.attr_bool("keep_dims")? {
        return Ok(small);
    }
    if let (Some(mut axes), Some(_)) = (constant_axes(cx), cx.x(0).shape().rank()) {
        axes.sort_unstable();
        let expand =
            |small: Output, axis: i32| cx.op("ExpandDims").input(small).input(cx.graph.constant(axis)).output();
        return Ok(axes.into_iter().fold(small, expand));
    }
    // The input's shape, with ones stitched in at the axes, which may count from the back.
    let shape = cx.x(0).unary("Shape");
    let rank = shape.unary("Size");
    let axes = axes_from_front(cx, &rank);
    let ones = cx.op("Fill").input(axes.unary("Shape")).input(cx.graph.constant(1i32)).output();
    let all = cx.op("Range").input(cx.graph.constant(0i32)).input(&rank).input(cx.graph.constant(1i32)).output();
    let stitched = cx.op("DynamicStitch").input_list(&[all, axes]).input_list(&[shape, ones]).output();
    Ok(cx.op("Reshape").input(small).input(stitched).output())
}

/// The reduced axes as an int32 vector, counted from the front.
fn axes_from_front(cx: &GradContext<'_>, rank: &Output) -> Output {
    let mut axes = cx.x(1);
    if axes.dtype() == Some(tensor::DType::Int64) {
        axes = cx.op("Cast").input(axes).attr("DstT", tensor::DType::Int32).output();
    }
    let axes = (axes + rank).binary("FloorMod", "mod", rank);
    cx.op("Reshape").input(axes).input(cx.graph.constant([-1i32])).output()
}

/// The reduced axes, counted from the front, if they are known while the graph is built.
fn constant_axes(cx: &GradContext<'_>) -> Option<Vec<i32>> {
    let endpoint = cx.x(1).endpoint()?;
    let rank = cx.x(0).shape().rank()? as i64;
    let axes = cx.graph.read(|data| graph::inference::constant_value(data, endpoint))?.to_i64_vec().ok()?;
    Some(axes.into_iter().map(|axis| if axis < 0 { axis.saturating_add(rank) } else { axis } as i32).collect())
}
