//! Changing slices of a variable that index vectors name: `ScatterNdUpdate`, `ScatterNdAdd`, `ScatterNdSub`,
//! `ScatterNdMin`, `ScatterNdMax`, and by resource handle `ResourceScatterNdUpdate`, `ResourceScatterNdAdd`,
//! `ResourceScatterNdSub`, `ResourceScatterNdMin` and `ResourceScatterNdMax`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, ensure};

use super::access::{ARITHMETIC, Access, variable_of};
use crate::array::index_vectors::{BadIndices, Change, change_slices, check_updates};
use crate::array::tensor_scatter::check_shapes;

/// One way of changing slices: the two ops' kernels, and the types that they have code for.
type Row = (&'static str, fn(&Node) -> Result<Kernel>, fn(&Node) -> Result<Kernel>, &'static [DType]);

pub(crate) fn register(r: &mut Registry) {
    const BAD: &str = "bad_indices_policy: string = ''";
    const NUMBERS: &str = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, \
                           bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64}";
    let rows: [Row; 5] = [
        ("ScatterNdUpdate", |n| by_ref(n, Change::Replace), |n| by_resource(n, Change::Replace), types::ALL),
        ("ScatterNdAdd", |n| by_ref(n, Change::Add), |n| by_resource(n, Change::Add), ARITHMETIC),
        ("ScatterNdSub", |n| by_ref(n, Change::Sub), |n| by_resource(n, Change::Sub), ARITHMETIC),
        ("ScatterNdMin", |n| by_ref(n, Change::Min), |n| by_resource(n, Change::Min), types::REALS),
        ("ScatterNdMax", |n| by_ref(n, Change::Max), |n| by_resource(n, Change::Max), types::REALS),
    ];
    for (op, by_ref, by_resource, types) in rows {
        let update = op == "ScatterNdUpdate";
        r.op(op, "ref: Ref(T), indices: Tindices, updates: T -> output_ref: Ref(T)")
            .attr(if update { "T: type" } else { NUMBERS })
            .attr("Tindices: {int32, int64}")
            .attr(if update { "use_locking: bool = true" } else { "use_locking: bool = false" })
            .attr(BAD)
            .shape(ref_shape)
            .kernel("T", types, by_ref)
            .not_differentiable();
        r.op(&format!("Resource{op}"), "ref: resource, indices: Tindices, updates: T -> ")
            .attr("T: type")
            .attr("Tindices: {int32, int64}")
            .attr("use_locking: bool = true")
            .attr(BAD)
            .stateful()
            .shape(resource_shape)
            .kernel("T", types, by_resource)
            .not_differentiable();
    }
}

fn ref_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let table = cx.input(0);
    check_shapes(&table, &cx.with_rank_at_least(1, 1)?, &cx.input(2))?;
    cx.set(0, table);
    Ok(())
}

fn resource_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (dtype, table) = cx.handle(0).unwrap_or((cx.attr_type("T")?, PartialShape::unknown()));
    let updates = cx.attr_type("T")?;
    ensure!(dtype == updates, InvalidArgument, "the variable holds {dtype}, but the updates are of type {updates}");
    check_shapes(&table, &cx.with_rank_at_least(1, 1)?, &cx.input(2))
}

fn by_ref(node: &Node, change: Change) -> Result<Kernel> {
    kernel(node, Access::Ref, change)
}

fn by_resource(node: &Node, change: Change) -> Result<Kernel> {
    kernel(node, Access::Resource, change)
}

fn kernel(node: &Node, access: Access, change: Change) -> Result<Kernel> {
    let bad = BadIndices::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let variable = variable_of(cx, 0, access)?;
        let (indices, updates) = (cx.input(1)?, cx.input(2)?);
        variable.update(|table| {
            ensure!(
                table.dtype() == updates.dtype(),
                InvalidArgument,
                "updates of type {} for a variable of type {}",
                updates.dtype(),
                table.dtype()
            );
            ensure!(
                table.shape().rank() >= 1,
                InvalidArgument,
                "Output must be at least 1-D, got shape: {}",
                table.shape()
            );
            check_updates(indices, updates, table.shape())?;
            change_slices(table, indices, updates, bad, change)
        })?;
        if access == Access::Ref {
            cx.set_ref(0, variable);
        }
        Ok(())
    }))
}
