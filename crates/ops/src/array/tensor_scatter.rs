//! `TensorScatterUpdate`, `TensorScatterAdd`, `TensorScatterSub`, `TensorScatterMin`, `TensorScatterMax` and
//! `ScatterNdNonAliasingAdd`: a tensor with slices changed that index vectors name.

use graph::op::{GradContext, GradFn, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, Output};
use tensor::{DType, PartialShape, Result, ensure};

use super::index_vectors::{BadIndices, Change, change_slices, check_updates};
use crate::arguments::shape_node;

pub(crate) fn register(r: &mut Registry) {
    const ADDED: &[DType] = types::NUMBERS;
    let rows: [(&str, &[DType], fn(&Node) -> Result<Kernel>, GradFn); 5] = [
        ("TensorScatterUpdate", types::ALL, |node| kernel(node, Change::Replace), update_gradient),
        ("TensorScatterAdd", ADDED, |node| kernel(node, Change::Add), add_gradient),
        ("TensorScatterSub", ADDED, |node| kernel(node, Change::Sub), sub_gradient),
        ("TensorScatterMin", types::REALS, |node| kernel(node, Change::Min), extreme_gradient),
        ("TensorScatterMax", types::REALS, |node| kernel(node, Change::Max), extreme_gradient),
    ];
    for (name, types, build, gradient) in rows {
        let indices = match name {
            "TensorScatterUpdate" => "Tindices: {int16, int32, int64, uint16}",
            _ => "Tindices: {int32, int64}",
        };
        r.op(name, "tensor: T, indices: Tindices, updates: T -> output: T")
            .attr("T: type")
            .attr(indices)
            .attr("bad_indices_policy: string = ''")
            .shape(shape)
            .kernel("T", types, build)
            .gradient(gradient);
    }
    r.op("ScatterNdNonAliasingAdd", "input: T, indices: Tindices, updates: T -> output: T")
        .attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool}")
        .attr("Tindices: {int32, int64}")
        .attr("bad_indices_policy: string = ''")
        .shape(shape)
        .kernel("T", ADDED, |node| kernel(node, Change::Add))
        .gradient(add_gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let tensor = cx.input(0);
    check_shapes(&tensor, &cx.with_rank_at_least(1, 1)?, &cx.input(2))?;
    cx.set(0, tensor);
    Ok(())
}

/// # Errors
/// `InvalidArgument` if it is known beforehand that indices and updates do not fit.
pub(crate) fn check_shapes(tensor: &PartialShape, indices: &PartialShape, updates: &PartialShape) -> Result<()> {
    let (Some(tensor_dims), Some(updates_dims)) = (tensor.raw_dims(), updates.raw_dims()) else { return Ok(()) };
    let Some((length, places)) = indices.raw_dims().and_then(|dims| dims.split_last()) else { return Ok(()) };
    let differ = |a: &i64, b: &i64| *a >= 0 && *b >= 0 && a != b;
    let outer = places.len();
    ensure!(
        updates_dims.len() >= outer && !places.iter().zip(updates_dims).any(|(a, b)| differ(a, b)),
        InvalidArgument,
        "Dimensions [0,{outer}) of indices[shape={indices}] must match dimensions [0,{outer}) of updates[shape={updates}]"
    );
    if *length >= 0 {
        let inner = tensor_dims.get(*length as usize..).unwrap_or(&[]);
        let rest = &updates_dims[outer..];
        ensure!(
            *length <= tensor_dims.len() as i64
                && inner.len() == rest.len()
                && !inner.iter().zip(rest).any(|(a, b)| differ(a, b)),
            InvalidArgument,
            "Dimensions [{length},{}) of input[shape={tensor}] must match dimensions [{outer},{}) of updates[shape={updates}]",
            tensor_dims.len(),
            updates_dims.len()
        );
    }
    Ok(())
}

fn kernel(node: &Node, change: Change) -> Result<Kernel> {
    let bad = BadIndices::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut tensor = cx.take_input(0)?;
        let (indices, updates) = (cx.input(1)?, cx.input(2)?);
        ensure!(
            tensor.shape().rank() >= 1,
            InvalidArgument,
            "Output must be at least 1-D, got shape: {}",
            tensor.shape()
        );
        check_updates(indices, updates, tensor.shape())?;
        change_slices(&mut tensor, indices, updates, bad, change)?;
        cx.set_output(0, tensor);
        Ok(())
    }))
}

fn gathered(cx: &GradContext<'_>, from: &Output) -> Output {
    cx.op("GatherNd").input(from).input(cx.x(1)).output()
}

fn update_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let zeros = cx.x(2).unary("ZerosLike");
    let tensor = cx.op("TensorScatterUpdate").input(dy.unary("Identity")).input(cx.x(1)).input(zeros).output();
    Ok(vec![Some(tensor.into()), None, Some(gathered(cx, &dy).into())])
}

fn add_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let updates = gathered(cx, &dy);
    Ok(vec![Some(dy.unary("Identity").into()), None, Some(updates.into())])
}

fn sub_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let updates = -gathered(cx, &dy);
    Ok(vec![Some(dy.unary("Identity").into()), None, Some(updates.into())])
}

/// The gradient goes in equal parts to all that have the extreme value.
fn extreme_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, indices, y, output, dy) = (cx.x(0), cx.x(1), cx.x(2), cx.y(0), cx.dy(0)?);
    let dtype = cx.dtype(0);
    let equal = |a: &Output, b: &Output| {
        let same = cx.op("Equal").input(a).input(b).output();
        cx.op("Cast").input(same).attr("DstT", dtype).output()
    };
    let from_x = equal(&x, &output);
    let from_y = equal(&y, &gathered(cx, &output));
    let shape = shape_node(cx, &x, cx.dtype(1));
    let counted = cx.op("ScatterNd").input(&indices).input(&from_y).input(shape).output();
    let total = &from_x + &counted;
    let dx = &dy * &from_x / &total;
    let updates = gathered(cx, &(dy / total)) * from_y;
    Ok(vec![Some(dx.into()), None, Some(updates.into())])
}
