//! Gradients of what lays tensors out, joins and cuts them, of TensorFlow's nodes.

use graph::op::{GradContext, GradientRule};
use graph::{AttrValue, Gradient, IndexedSlices, Output, ReadAttrs};
use tensor::{DType, Tensor, err};

use super::nodes::{
    Arg, concat, constant, dims_as, expand_dims, known_dims, node, rank, reshape, reshape_to, shape, shape_as, size_as,
    slice, zeros_like,
};
use super::{Gradients, Table};

pub(super) const TABLE: Table = &[
    ("ConcatV2", join),
    ("DynamicStitch", stitched),
    ("ExpandDims", back_to_input),
    ("Gather", gather),
    ("GatherV2", gather),
    ("Pack", pack),
    ("Pad", pad),
    ("PadV2", pad),
    ("ParallelDynamicStitch", stitched),
    ("Reshape", lay_out),
    ("ResourceGather", resource_gather),
    ("Select", select),
    ("Slice", cut),
    ("SparseSegmentMean", segments),
    ("SparseSegmentMeanWithNumSegments", segments),
    ("SparseSegmentSqrtN", segments),
    ("SparseSegmentSqrtNWithNumSegments", segments),
    ("SparseSegmentSum", segments),
    ("SparseSegmentSumWithNumSegments", segments),
    ("Split", split),
    ("SplitV", split),
    ("Squeeze", back_to_input),
    ("StridedSlice", strided_cut),
    ("Tile", repeat),
    ("Transpose", transpose),
    ("Unpack", unpack),
];

/// A gradient for the first input, and none for the others.
fn first(cx: &GradContext<'_>, gradient: impl Into<Gradient>) -> Gradients {
    let mut gradients = vec![None; cx.num_inputs()];
    gradients[0] = Some(gradient.into());
    Ok(gradients)
}

/// The op's own gradient, for what TensorFlow builds in ways of its own.
fn own(cx: &GradContext<'_>) -> Gradients {
    match cx.graph.registry().find(&cx.node.op)?.gradient {
        GradientRule::Function(function) => function(cx),
        _ => Err(err!(Internal, "{} has no gradient of its own", cx.node.op)),
    }
}

/// What an input is, if that is known while the graph is built.
fn known(cx: &GradContext<'_>, index: usize) -> Option<Tensor> {
    let endpoint = cx.x(index).endpoint()?;
    cx.graph.read(|data| graph::inference::constant_value(data, endpoint))
}

/// An argument that becomes a constant of its own if it is known.
fn known_or<'a>(label: &'static str, value: Option<Tensor>, input: &'a Output) -> Arg<'a> {
    value.map_or(Arg::Of(input), |value| Arg::Constant(label, value))
}

/// The two numbers of a shape `[rank, 1]`, of which the first is a node.
fn rank_and_one(cx: &GradContext<'_>, rank: &Output) -> Output {
    let name = cx.graph.unique_name("stack");
    let one = graph::Operand::to_named_output(&1, cx.graph, Some(DType::Int32), &format!("{name}/1"));
    cx.op("Pack").name_exactly(name).input_list(&[rank.clone(), one]).output()
}

fn back_to_input(cx: &GradContext<'_>) -> Gradients {
    let (dy, dims) = (cx.dy(0)?, shape(cx, &cx.x(0)));
    first(cx, reshape(cx, &dy, &dims))
}

fn lay_out(cx: &GradContext<'_>) -> Gradients {
    if let Some(dims) = cx.x(0).shape().dims()
        && dims.iter().filter(|dim| dim.is_none()).count() == 1
        && !dims.contains(&Some(0))
    {
        let dims: Option<Vec<i32>> = dims.iter().map(|dim| i32::try_from(dim.unwrap_or(-1)).ok()).collect();
        if let Some(dims) = dims {
            let dy = cx.dy(0)?;
            return first(cx, reshape_to(cx, &dy, &dims));
        }
    }
    back_to_input(cx)
}

fn transpose(cx: &GradContext<'_>) -> Gradients {
    let dy = cx.dy(0)?;
    let back = cx.x(1).unary("InvertPermutation");
    first(cx, cx.op("Transpose").name("transpose").input(dy).input(back).output())
}

fn pack(cx: &GradContext<'_>) -> Gradients {
    let node = cx.op("Unpack").name("unstack").input(cx.dy(0)?).attr("num", cx.num_inputs() as i64);
    let parts = node.attr("axis", cx.attr_int("axis")?).outputs();
    Ok(parts.into_iter().map(|part| Some(part.into())).collect())
}

fn all_gradients(cx: &GradContext<'_>) -> tensor::Result<Vec<Output>> {
    (0..cx.node.output_types.len()).map(|index| cx.dy(index)).collect()
}

fn unpack(cx: &GradContext<'_>) -> Gradients {
    let parts = all_gradients(cx)?;
    first(cx, cx.op("Pack").name("stack").input_list(&parts).attr("axis", cx.attr_int("axis")?).output())
}

fn split(cx: &GradContext<'_>) -> Gradients {
    let (value, axis) = if cx.node.op == "Split" { (1, 0) } else { (0, 2) };
    let parts = all_gradients(cx)?;
    if parts.len() < 2 {
        return own(cx);
    }
    let mut gradients = vec![None; cx.num_inputs()];
    let joined = cx.op("ConcatV2").name("concat").input_list(&parts).input(cx.x(axis)).output();
    gradients[value] = Some(joined.into());
    Ok(gradients)
}

/// TensorFlow looks at all shapes at once if it does not know one of them.
fn join(cx: &GradContext<'_>) -> Gradients {
    let count = cx.num_inputs() - 1;
    if !(2..=16).contains(&count) || cx.dtype(count) != DType::Int32 {
        return own(cx);
    }
    let dy = cx.dy(0)?;
    let values: Vec<Output> = (0..count).map(|index| cx.x(index)).collect();
    let rank = rank(cx, &values[0]);
    let axis = cx.x(count).binary("FloorMod", "mod", &rank);
    let mut sizes = Vec::with_capacity(count);
    for value in &values {
        let size = shape(cx, value);
        if known_dims(value).is_none() {
            break;
        }
        sizes.push(size);
    }
    if sizes.len() < count {
        sizes = cx.op("ShapeN").input_list(&values).outputs();
    }
    let offsets = cx.op("ConcatOffset").input(axis).input_list(&sizes).outputs();
    let part = |(offset, size): (&Output, &Output)| {
        Some(Gradient::from(cx.op("Slice").input(&dy).input(offset).input(size).output()))
    };
    let mut gradients: Vec<Option<Gradient>> = offsets.iter().zip(&sizes).map(part).collect();
    gradients.push(None);
    Ok(gradients)
}

/// Zeros are put back around what was cut out.
fn cut(cx: &GradContext<'_>) -> Gradients {
    let (x, begin, index) = (cx.x(0), cx.x(1), cx.dtype(1));
    let dy = cx.dy(0)?;
    let rank = rank(cx, &x);
    let size = shape_as(cx, &cx.y(0), index);
    let dims = rank_and_one(cx, &rank);
    let before = reshape(cx, &begin, &dims);
    let rest = shape_as(cx, &x, index) - size - &begin;
    let after = reshape(cx, &rest, &dims);
    let paddings = concat(cx, &[before, after], 1);
    first(cx, cx.op("Pad").input(dy).input(paddings).output())
}

fn strided_cut(cx: &GradContext<'_>) -> Gradients {
    let index = cx.dtype(1);
    let (x, begin, end, strides, dy) = (cx.x(0), cx.x(1), cx.x(2), cx.x(3), cx.dy(0)?);
    let dims = shape_as(cx, &x, index);
    let args = [
        known_or("shape", known_dims(&x).map(|dims| dims_as(&dims, index)), &dims),
        known_or("begin", known(cx, 1), &begin),
        known_or("end", known(cx, 2), &end),
        known_or("strides", known(cx, 3), &strides),
        Arg::Of(&dy),
    ];
    let mut node = node(cx, "StridedSliceGrad", "StridedSliceGrad", &args);
    for mask in ["begin_mask", "end_mask", "ellipsis_mask", "new_axis_mask", "shrink_axis_mask"] {
        node = node.attr(mask, cx.attr_int(mask)?);
    }
    first(cx, node.output())
}

fn pad(cx: &GradContext<'_>) -> Gradients {
    let (x, paddings, dy, index) = (cx.x(0), cx.x(1), cx.dy(0)?, cx.dtype(1));
    if index != DType::Int32 {
        return own(cx);
    }
    let rank = rank(cx, &x);
    let column = rank_and_one(cx, &rank);
    let from = Tensor::from([0i32, 0]);
    let before = node(cx, "Slice", "Slice", &[Arg::Of(&paddings), Arg::Constant("begin", from), Arg::Of(&column)]);
    let begin = reshape_to(cx, &before.output(), &[-1]);
    let size = shape_as(cx, &x, index);
    first(cx, cx.op("Slice").input(dy).input(begin).input(size).output())
}

/// Sums over what was repeated.
fn repeat(cx: &GradContext<'_>) -> Gradients {
    let (x, times, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let dims = shape_as(cx, &x, cx.dtype(1));
    let pairs = cx.op("Pack").name("stack").input_list(&[times, dims]).output();
    let turned = node(cx, "Transpose", "transpose", &[Arg::Of(&pairs), Arg::Constant("perm", Tensor::from([1i32, 0]))]);
    let split = reshape_to(cx, &turned.output(), &[-1]);
    let count = size_as(cx, &split, DType::Int32);
    let args =
        [Arg::Constant("start", Tensor::from(0i32)), Arg::Of(&count), Arg::Constant("delta", Tensor::from(2i32))];
    let axes = node(cx, "Range", "range", &args).output();
    let apart = reshape(cx, &dy, &split);
    first(cx, cx.op("Sum").input(apart).input(axes).output())
}

fn select(cx: &GradContext<'_>) -> Gradients {
    let (condition, dy) = (cx.x(0), cx.dy(0)?);
    let zeros = zeros_like(cx, &cx.x(1));
    let pick = |a: &Output, b: &Output| cx.op("Select").input(&condition).input(a).input(b).output();
    Ok(vec![None, Some(pick(&dy, &zeros).into()), Some(pick(&zeros, &dy).into())])
}

/// Rows of what was gathered from, if whole rows were.
fn gather(cx: &GradContext<'_>) -> Gradients {
    let from_start = match cx.node.op.as_str() {
        "Gather" => true,
        _ => {
            let axis = known(cx, 2).and_then(|axis| axis.to_i64_vec().ok());
            matches!(axis.as_deref(), Some([0])) && cx.attr_int("batch_dims")? == 0
        }
    };
    if !from_start {
        return own(cx);
    }
    let params = cx.x(0);
    let dense_shape = cx.graph.with_colocation(&params.operation(), |_| shape(cx, &params));
    rows(cx, dense_shape)
}

fn resource_gather(cx: &GradContext<'_>) -> Gradients {
    if cx.attr_int("batch_dims")? != 0 {
        return own(cx);
    }
    let handle = cx.x(0);
    let stated = handle.endpoint().and_then(|endpoint| {
        cx.graph.read(|data| match data.node(endpoint.node).attrs.get("shape") {
            Some(AttrValue::Shape(shape)) => shape.to_shape(),
            _ => None,
        })
    });
    let dims =
        stated.and_then(|shape| shape.dims().iter().map(|dim| i32::try_from(*dim).ok()).collect::<Option<Vec<_>>>());
    let dense_shape = match dims {
        Some(dims) => constant(cx, "Const", Tensor::vector(&dims)),
        None => handle.unary("VariableShape"),
    };
    rows(cx, dense_shape)
}

fn rows(cx: &GradContext<'_>, dense_shape: Output) -> Gradients {
    let indices = cx.x(1);
    let count = size_as(cx, &indices, DType::Int32);
    let count = expand_dims(cx, &count, 0);
    let row = slice(cx, &dense_shape, 1, None);
    let values_shape = concat(cx, &[count.clone(), row], 0);
    let values = reshape(cx, &cx.dy(0)?, &values_shape);
    let indices = reshape(cx, &indices, &count);
    first(cx, Gradient::Slices(IndexedSlices { values, indices, dense_shape }))
}

fn stitched(cx: &GradContext<'_>) -> Gradients {
    let (dy, count) = (cx.dy(0)?, cx.num_inputs() / 2);
    let taken = (0..count).map(|index| {
        let indices = cx.x(index);
        let args = [Arg::Of(&dy), Arg::Of(&indices), Arg::Constant("axis", Tensor::from(0i32))];
        Some(Gradient::from(node(cx, "GatherV2", "GatherV2", &args).output()))
    });
    Ok((0..count).map(|_| None).chain(taken).collect())
}

/// Rows of what segments were made of, or all of it.
fn segments(cx: &GradContext<'_>) -> Gradients {
    let (dy, dims) = (cx.dy(0)?, shape(cx, &cx.x(0)));
    let at = |label: &'static str, index: i32| Arg::Constant(label, Tensor::from([index]));
    let args = [Arg::Of(&dims), at("stack", 0), at("stack_1", 1), at("stack_2", 1)];
    let rows = node(cx, "StridedSlice", "strided_slice", &args).attr("shrink_axis_mask", 1i64).output();
    let kind = cx.node.op.trim_end_matches("WithNumSegments");
    let sparse = cx.attr_bool("sparse_gradient")?;
    let op = format!("{kind}Grad{}", if sparse { "V2" } else { "" });
    let made = cx.op(&op).input(dy).input(cx.x(1)).input(cx.x(2)).input(rows).build();
    if sparse {
        let rows = IndexedSlices { values: made.output(0), indices: made.output(1), dense_shape: dims };
        return first(cx, Gradient::Slices(rows));
    }
    first(cx, made.output(0))
}
