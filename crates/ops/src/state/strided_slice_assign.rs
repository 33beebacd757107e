//! Writing to `x[1:10:2, ..., 3]`: `StridedSliceAssign` and `ResourceStridedSliceAssign` in a variable,
//! `TensorStridedSliceUpdate` in a copy of a tensor.

use graph::Gradient;
use graph::Node;
use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::access::{Access, variable_of};
use crate::array::broadcast::broadcast_to;
use crate::array::strided_slice::{Masks, resolve, with_masks};
use crate::moving::{Overlay, moved};

pub(crate) fn register(r: &mut Registry) {
    const INDICES: &str = "begin: Index, end: Index, strides: Index, value: T";
    for (name, first, result) in [
        ("StridedSliceAssign", "ref: Ref(T)", "output_ref: Ref(T)"),
        ("ResourceStridedSliceAssign", "ref: resource", ""),
        ("TensorStridedSliceUpdate", "input: T", "output: T"),
    ] {
        let mut entry = r
            .op(name, &format!("{first}, {INDICES} -> {result}"))
            .attr("T: type")
            .attr("Index: {int32, int64}")
            .attr("begin_mask: int = 0")
            .attr("end_mask: int = 0")
            .attr("ellipsis_mask: int = 0")
            .attr("new_axis_mask: int = 0")
            .attr("shrink_axis_mask: int = 0")
            .shape(shape);
        match name {
            "StridedSliceAssign" => drop(entry.kernel("T", types::ALL, by_ref)),
            "ResourceStridedSliceAssign" => {
                entry = entry.stateful();
                drop(entry.kernel("T", types::ALL, by_resource));
            }
            _ => drop(entry.kernel("T", types::ALL, update_kernel).gradient(gradient)),
        }
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in [1, 2, 3] {
        cx.with_rank(index, 1)?;
    }
    if cx.node.op != "ResourceStridedSliceAssign" {
        let shape = cx.input(0);
        cx.set(0, shape);
    }
    Ok(())
}

fn by_ref(node: &Node) -> Result<Kernel> {
    assign(node, Access::Ref)
}

fn by_resource(node: &Node) -> Result<Kernel> {
    assign(node, Access::Resource)
}

fn assign(node: &Node, access: Access) -> Result<Kernel> {
    let masks = Masks::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = variable_of(cx, 0, access)?;
        variable.update(|table| {
            *table = written(cx, table, masks)?;
            Ok(())
        })?;
        if access == Access::Ref {
            cx.set_ref(0, variable);
        }
        Ok(())
    }))
}

fn update_kernel(node: &Node) -> Result<Kernel> {
    let masks = Masks::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = written(cx, cx.input(0)?, masks)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The table with the value written to its slice.
fn written(cx: &OpContext<'_>, table: &Tensor, masks: Masks) -> Result<Tensor> {
    let value = cx.input(4)?;
    ensure!(
        table.dtype() == value.dtype(),
        InvalidArgument,
        "l-value dtype {} does not match r-value dtype {}",
        table.dtype(),
        value.dtype()
    );
    let slice = resolve(table.shape(), cx.input(1)?, cx.input(2)?, cx.input(3)?, masks)?;
    let walk = slice.walk(table.shape());
    if walk.is_empty() {
        return Ok(table.clone());
    }
    let value = stretched(value, &slice.shape)?;
    moved(table.shape().clone(), &[&value, table], &Overlay(&walk))
}

/// The value repeated until it fills the slice; as in NumPy, dimensions of 1 in front of it may be too many.
fn stretched(value: &Tensor, dims: &[i64]) -> Result<Tensor> {
    if value.dims() == dims {
        return Ok(value.clone());
    }
    let (front, rest) = value.dims().split_at(value.dims().len().saturating_sub(dims.len()));
    let fits = rest.iter().rev().zip(dims.iter().rev()).all(|(from, to)| from == to || *from == 1);
    ensure!(
        fits && front.iter().all(|dim| *dim == 1),
        InvalidArgument,
        "Cannot broadcast input shape {} into final shape {}",
        value.shape(),
        PartialShape::from_dims(dims)
    );
    broadcast_to(value.clone().reshape(Shape::new(rest)?)?, dims)
}

/// What is overwritten has no gradient, and the value has that of its slice, summed up where the value was repeated.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let zeros = cx.x(4).unary("ZerosLike");
    let rest = cx.op("TensorStridedSliceUpdate").input(&dy).input(cx.x(1)).input(cx.x(2)).input(cx.x(3)).input(zeros);
    let part = cx.op("StridedSlice").input(&dy).input(cx.x(1)).input(cx.x(2)).input(cx.x(3));
    let (rest, part) = (with_masks(cx, rest)?.output(), with_masks(cx, part)?.output());
    let shape = cx.x(4).unary("Shape");
    let axes = cx.op("BroadcastGradientArgs").input(&shape).input(part.unary("Shape")).outputs();
    let [axes, _] = &axes[..] else { bail!(Internal, "no axes to sum over") };
    let sum = cx.op("Sum").input(part).input(axes).output();
    let part = cx.op("Reshape").input(sum).input(shape).output();
    Ok(vec![Some(rest.into()), None, None, None, Some(part.into())])
}
