//! Gradients of reductions, of TensorFlow's nodes.

use std::collections::HashSet;

use graph::op::GradContext;
use graph::{Output, ReadAttrs};
use tensor::{DType, Result, Tensor};

use super::nodes::{Arg, constant, known_dims, node, reshape, reshape_to, shape, size_as};
use super::{Gradients, Table};

pub(super) const TABLE: Table = &[("Max", extreme), ("Mean", mean), ("Min", extreme), ("Sum", sum)];

fn sum(cx: &GradContext<'_>) -> Gradients {
    Ok(vec![Some(spread(cx)?.into()), None])
}

fn mean(cx: &GradContext<'_>) -> Gradients {
    let spread = spread(cx)?;
    let (x, y) = (cx.x(0), cx.y(0));
    let factor = match (x.shape().num_elements(), y.shape().num_elements()) {
        (Some(all), Some(results)) => {
            let count = (all / results.max(1)) as f64;
            graph::Operand::to_output(&count, cx.graph, spread.dtype())
        }
        _ => {
            let dims = shape(cx, &x);
            let rank = size_as(cx, &dims, DType::Int32);
            let mut axes = cx.x(1);
            if axes.dtype() != Some(DType::Int32) {
                axes = cx.op("Cast").input(axes).attr("DstT", DType::Int32).output();
            }
            let axes = (axes + &rank).binary("FloorMod", "mod", &rank);
            let chosen = [Arg::Of(&dims), Arg::Of(&axes), Arg::Constant("axis", Tensor::from(0i32))];
            let sizes = node(cx, "GatherV2", "GatherV2", &chosen).output();
            let all = all_axes(cx, &sizes);
            let count = cx.op("Prod").input(&sizes).input(all).output();
            match spread.dtype() {
                Some(DType::Int32) | None => count,
                Some(dtype) => cx.op("Cast").input(count).attr("DstT", dtype).output(),
            }
        }
    };
    Ok(vec![Some((spread / factor).into()), None])
}

/// All axes of a tensor: a constant if there is a known number of them.
fn all_axes(cx: &GradContext<'_>, of: &Output) -> Output {
    match of.shape().rank() {
        Some(rank) => constant(cx, "Const", Tensor::vector(&(0..rank as i32).collect::<Vec<_>>())),
        None => {
            let rank = of.unary("Rank");
            let args = [
                Arg::Constant("start", Tensor::from(0i32)),
                Arg::Of(&rank),
                Arg::Constant("delta", Tensor::from(1i32)),
            ];
            node(cx, "Range", "range", &args).output()
        }
    }
}

/// The gradient of a sum, repeated along the axes that were summed up.
fn spread(cx: &GradContext<'_>) -> Result<Output> {
    let (x, dy) = (cx.x(0), cx.dy(0)?);
    if let (Some(rank), Some(axes)) = (x.shape().rank(), constant_axes(cx)) {
        if axes.is_list && axes.numbers.iter().copied().eq(0..rank as i64) {
            let ones = reshape_to(cx, &dy, &vec![1; rank]);
            let dims = match known_dims(&x) {
                Some(dims) => constant(cx, "Const", Tensor::vector(&dims)),
                None => x.unary("Shape"),
            };
            return Ok(cx.op("Tile").input(ones).input(dims).output());
        }
        if let Some(dims) = known_dims(&x) {
            let kept = kept_dims(&dims, &axes.numbers);
            let times: Vec<i32> = dims.iter().zip(&kept).map(|(dim, kept)| dim / (*kept).max(1)).collect();
            note_division(cx, &dims, &kept, axes.numbers);
            let ones = reshape_to(cx, &dy, &kept);
            return Ok(node(cx, "Tile", "Tile", &[Arg::Of(&ones), Arg::Constant("multiples", Tensor::vector(&times))])
                .output());
        }
    }
    let dims = shape(cx, &x);
    let small = if cx.attr_bool("keep_dims")? {
        dy
    } else {
        let kept = cx.graph.with_colocation(&dims.operation(), |_| reduced_shape(cx, &dims));
        kept.reshape(cx, &dy)
    };
    Ok(cx.op("BroadcastTo").input(small).input(dims).output())
}

/// The gradient goes to the elements that are the greatest (or least) ones, in equal parts.
fn extreme(cx: &GradContext<'_>) -> Gradients {
    let (x, axes, y, dy) = (cx.x(0), cx.x(1), cx.y(0), cx.dy(0)?);
    let dims = shape(cx, &x);
    let (kept, y, dy) = if cx.attr_bool("keep_dims")? {
        (Kept::Found(shape(cx, &y)), y, dy)
    } else {
        let kept = reduced_shape(cx, &dims);
        let y = kept.reshape(cx, &y);
        let dy = kept.reshape(cx, &dy);
        (kept, y, dy)
    };
    let equal = y.binary("Equal", "Equal", &x);
    let chosen = cx.op("Cast").input(equal).attr("DstT", cx.dtype(0)).output();
    let summed = cx.op("Sum").input(&chosen).input(axes).output();
    let count = kept.reshape(cx, &summed);
    Ok(vec![Some((&chosen / count * dy).into()), None])
}

/// The shape of a result whose axes had stayed, known now or when the graph runs.
enum Kept {
    Known(Vec<i32>),
    Found(Output),
}

impl Kept {
    fn reshape(&self, cx: &GradContext<'_>, x: &Output) -> Output {
        match self {
            Kept::Known(dims) => reshape_to(cx, x, dims),
            Kept::Found(dims) => reshape(cx, x, dims),
        }
    }
}

fn reduced_shape(cx: &GradContext<'_>, dims: &Output) -> Kept {
    if let (Some(known), Some(axes)) = (known_dims(&cx.x(0)), constant_axes(cx)) {
        return Kept::Known(kept_dims(&known, &axes.numbers));
    }
    let axes = cx.x(1);
    let dtype = axes.dtype().unwrap_or(DType::Int32);
    let rank = size_as(cx, dims, dtype);
    let axes = (axes + &rank).binary("FloorMod", "mod", &rank);
    let count = shape(cx, &axes);
    let numbers = |value: i32| if dtype == DType::Int64 { Tensor::from(i64::from(value)) } else { Tensor::from(value) };
    let range = [Arg::Constant("start", numbers(0)), Arg::Of(&rank), Arg::Constant("delta", numbers(1))];
    let all = node(cx, "Range", "range", &range).output();
    let ones = node(cx, "Fill", "ones", &[Arg::Of(&count), Arg::Constant("Const", Tensor::from(1i32))]).output();
    let stitched = cx.op("DynamicStitch").input_list(&[all, axes]).input_list(&[dims.clone(), ones]).output();
    Kept::Found(stitched)
}

/// Dimensions with 1 at axes that may count from the back.
fn kept_dims(dims: &[i32], axes: &[i64]) -> Vec<i32> {
    let mut kept = dims.to_vec();
    for axis in axes {
        let at = if *axis < 0 { axis + dims.len() as i64 } else { *axis };
        if let Some(dim) = usize::try_from(at).ok().and_then(|at| kept.get_mut(at)) {
            *dim = 1;
        }
    }
    kept
}

/// Axes as the program gave them: one number, or a list.
struct Axes {
    is_list: bool,
    numbers: Vec<i64>,
}

/// The axes, if they are known while the graph is built.
fn constant_axes(cx: &GradContext<'_>) -> Option<Axes> {
    let endpoint = cx.x(1).endpoint()?;
    let axes = cx.graph.read(|data| graph::inference::constant_value(data, endpoint))?;
    Some(Axes { is_list: !axes.shape().is_scalar(), numbers: axes.to_i64_vec().ok()? })
}

/// Shapes and axes that TensorFlow has divided in a graph: it remembers the quotients.
#[derive(Default)]
struct Divided(HashSet<(Vec<i32>, Vec<i64>)>);

/// TensorFlow divides one shape by another with nodes of the graph, whose value it then takes; nothing uses them.
fn note_division(cx: &GradContext<'_>, dims: &[i32], kept: &[i32], axes: Vec<i64>) {
    if cx.graph.with_extension(|divided: &mut Divided| divided.0.insert((dims.to_vec(), axes))) {
        let args = [Arg::Constant("x", Tensor::vector(kept)), Arg::Constant("y", Tensor::from(1i32))];
        let divisor = node(cx, "Maximum", "Maximum", &args).output();
        node(cx, "FloorDiv", "floordiv", &[Arg::Constant("x", Tensor::vector(dims)), Arg::Of(&divisor)]).build();
    }
}
