//! Gradients of products, convolutions and losses, of TensorFlow's nodes.

use graph::op::GradContext;
use graph::{AttrValue, Gradient, OpBuilder, Output, ReadAttrs};
use tensor::Tensor;

use super::nodes::{Arg, expand_dims, node, reshape, shape, sum_along};
use super::{Gradients, Table};
use crate::math::binary_grad::conjugate;

pub(super) const TABLE: Table = &[
    ("AvgPool", avg_pool),
    ("BatchMatMulV2", batch_mat_mul),
    ("Conv2D", conv2d),
    ("DepthwiseConv2dNative", depthwise),
    ("LogSoftmax", log_softmax),
    ("MatMul", mat_mul),
    ("Softmax", softmax),
    ("SoftmaxCrossEntropyWithLogits", cross_entropy),
    ("SparseSoftmaxCrossEntropyWithLogits", sparse_cross_entropy),
];

fn both(x: Output, y: Output) -> Gradients {
    Ok(vec![Some(x.into()), Some(y.into())])
}

/// Of a product, whatever is transposed: which factors the two products have, and which of these are transposed.
fn mat_mul(cx: &GradContext<'_>) -> Gradients {
    let (ta, tb) = (cx.attr_bool("transpose_a")?, cx.attr_bool("transpose_b")?);
    let (a, b, dy) = (conjugate(cx.x(0)), conjugate(cx.x(1)), cx.dy(0)?);
    let product = |mark: &str, x: &Output, tx: bool, y: &Output, ty: bool| {
        let node = cx.op("MatMul").input(x).input(y).attr("transpose_a", tx).attr("transpose_b", ty);
        node.attr(mark, true).output()
    };
    let for_a = |x: &Output, tx: bool, y: &Output, ty: bool| product("grad_a", x, tx, y, ty);
    let for_b = |x: &Output, tx: bool, y: &Output, ty: bool| product("grad_b", x, tx, y, ty);
    match (ta, tb) {
        (false, false) => both(for_a(&dy, false, &b, true), for_b(&a, true, &dy, false)),
        (false, true) => both(for_a(&dy, false, &b, false), for_b(&dy, true, &a, false)),
        (true, false) => both(for_a(&b, false, &dy, true), for_b(&a, false, &dy, false)),
        (true, true) => both(for_a(&b, true, &dy, true), for_b(&dy, true, &a, true)),
    }
}

fn batch_mat_mul(cx: &GradContext<'_>) -> Gradients {
    let (x, y, dz) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let (adj_x, adj_y) = (cx.attr_bool("adj_x")?, cx.attr_bool("adj_y")?);
    let flat = |output: &Output| output.shape().rank() == Some(2);
    let product = |mark: &str, a: &Output, adj_a: bool, b: &Output, adj_b: bool| {
        if flat(a) && flat(b) && !cx.dtype(0).is_complex() {
            let mark = if mark == "grad_x" { "grad_a" } else { "grad_b" };
            let node = cx.op("MatMul").input(a).input(b).attr("transpose_a", adj_a).attr("transpose_b", adj_b);
            return node.attr(mark, true).output();
        }
        let node = cx.op("BatchMatMulV2").name("MatMul").input(a).input(b).attr("adj_x", adj_a).attr("adj_y", adj_b);
        node.attr(mark, true).output()
    };
    let (for_x, for_y) = match (adj_x, adj_y) {
        (false, false) => (product("grad_x", &dz, false, &y, true), product("grad_y", &x, true, &dz, false)),
        (false, true) => (product("grad_x", &dz, false, &y, false), product("grad_y", &dz, true, &x, false)),
        (true, false) => (product("grad_x", &y, false, &dz, true), product("grad_y", &x, false, &dz, false)),
        (true, true) => (product("grad_x", &y, true, &dz, true), product("grad_y", &dz, true, &x, true)),
    };
    let batch = |output: &Output| {
        let dims = output.shape().dims()?;
        dims.get(..dims.len().checked_sub(2)?)?.iter().copied().collect::<Option<Vec<i64>>>()
    };
    let may_repeat = |output: &Output| output.shape().rank().is_none_or(|rank| rank > 2);
    let same = matches!((batch(&x), batch(&y)), (Some(a), Some(b)) if a == b);
    if same || !(may_repeat(&x) || may_repeat(&y)) {
        return both(for_x, for_y);
    }
    let (x_shape, y_shape) = (shape(cx, &x), shape(cx, &y));
    let outer = |dims: &Output| {
        let args = [
            Arg::Of(dims),
            Arg::Constant("stack", Tensor::from([0i32])),
            Arg::Constant("stack_1", Tensor::from([-2i32])),
            Arg::Constant("stack_2", Tensor::from([1i32])),
        ];
        node(cx, "StridedSlice", "strided_slice", &args).attr("begin_mask", 1i64).output()
    };
    let (a, b) = (outer(&x_shape), outer(&y_shape));
    let axes = cx.op("BroadcastGradientArgs").input(a).input(b).build();
    let summed = |gradient: Output, axes: Output| cx.op("Sum").input(gradient).input(axes).output();
    let for_x = reshape(cx, &summed(for_x, axes.output(0)), &x_shape);
    let for_y = reshape(cx, &summed(for_y, axes.output(1)), &y_shape);
    both(for_x, for_y)
}

/// Gives a node the attributes of the one that is differentiated, as far as it has them.
fn with_attrs(cx: &GradContext<'_>, node: OpBuilder, names: &[&str]) -> Output {
    let present = names.iter().filter_map(|name| Some((*name, cx.attr_map().get(*name)?.clone())));
    present.fold(node, |node, (name, value): (&str, AttrValue)| node.attr(name, value)).output()
}

const WINDOWS: &[&str] = &["strides", "use_cudnn_on_gpu", "padding", "explicit_paddings", "data_format", "dilations"];

fn conv2d(cx: &GradContext<'_>) -> Gradients {
    let (x, filter, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let shapes = cx.op("ShapeN").input_list(&[x.clone(), filter.clone()]).build();
    // Sizes that are known say what the nodes' shapes are.
    let for_x = with_attrs(cx, cx.op("Conv2DBackpropInput").input(shapes.output(0)).input(&filter).input(&dy), WINDOWS);
    let for_filter =
        with_attrs(cx, cx.op("Conv2DBackpropFilter").input(&x).input(shapes.output(1)).input(&dy), WINDOWS);
    both(for_x, for_filter)
}

fn depthwise(cx: &GradContext<'_>) -> Gradients {
    let (x, filter, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let node = cx.op("DepthwiseConv2dNativeBackpropInput").input(shape(cx, &x)).input(&filter).input(&dy);
    let for_x = with_attrs(cx, node, WINDOWS);
    let node = cx.op("DepthwiseConv2dNativeBackpropFilter").input(&x).input(shape(cx, &filter)).input(&dy);
    both(for_x, with_attrs(cx, node, WINDOWS))
}

fn avg_pool(cx: &GradContext<'_>) -> Gradients {
    let node = cx.op("AvgPoolGrad").input(shape(cx, &cx.x(0))).input(cx.dy(0)?);
    Ok(vec![Some(with_attrs(cx, node, &["ksize", "strides", "padding", "data_format"]).into())])
}

/// dx = (dy - sum(dy y)) y.
fn softmax(cx: &GradContext<'_>) -> Gradients {
    let (y, dy) = (cx.y(0), cx.dy(0)?);
    let sum = sum_along(cx, &(&dy * &y), Tensor::from(-1i32));
    Ok(vec![Some(((dy - sum) * y).into())])
}

/// With y = log(softmax(x)): dx = dy - sum(dy) e^y.
fn log_softmax(cx: &GradContext<'_>) -> Gradients {
    let (y, dy) = (cx.y(0), cx.dy(0)?);
    let softmax = y.unary("Exp");
    let sum = sum_along(cx, &dy, Tensor::from(-1i32));
    Ok(vec![Some((dy - sum * softmax).into())])
}

/// Each row times a number of its own.
fn by_rows(cx: &GradContext<'_>, numbers: &Output, rows: &Output) -> Output {
    expand_dims(cx, numbers, -1) * rows
}

/// The loss's part, and for second derivatives that of the other output.
fn for_logits(cx: &GradContext<'_>) -> tensor::Result<Output> {
    let first = by_rows(cx, &cx.dy(0)?, &cx.y(1));
    let Some(second) = cx.grad(1).map(Gradient::to_dense) else { return Ok(first) };
    let softmax = cx.x(0).unary("Softmax");
    let (row, column) = (expand_dims(cx, &second, 1), expand_dims(cx, &softmax, 2));
    let product = cx.op("BatchMatMulV2").name("MatMul").input(row).input(column).output();
    let sum = cx.op("Squeeze").input(product).attr("squeeze_dims", vec![1i64]).output();
    let rest = (second - sum) * softmax;
    Ok(first + rest)
}

fn cross_entropy(cx: &GradContext<'_>) -> Gradients {
    let for_logits = for_logits(cx)?;
    let logs = -cx.x(0).unary("LogSoftmax");
    both(for_logits, by_rows(cx, &cx.dy(0)?, &logs))
}

fn sparse_cross_entropy(cx: &GradContext<'_>) -> Gradients {
    Ok(vec![Some(for_logits(cx)?.into()), None])
}
