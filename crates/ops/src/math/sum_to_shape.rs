//! `_SumToShape`: what was broadcast is summed up again, as gradients of functions of two tensors do.
//!
//! No client writes it. It does what `BroadcastGradientArgs`, `Sum` and `Reshape` do in a row, by the rewrite that is registered
//! here; mostly nothing was broadcast, and then it passes its input on.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Node, ReadAttrs};
use math::broadcast::gradient_axes;
use tensor::{Result, Status, Tensor};

use super::reduce::sum;
use crate::array::broadcast::{incompatible, shape_vector};
use crate::array::reshape::reshape;

pub(crate) fn register(r: &mut Registry) {
    r.op("_SumToShape", "x: T, shape: Tshape, other: Tshape -> y: T")
        .attr("T: type")
        .attr("Tshape: {int32, int64}")
        .attr("second: bool = false")
        .attr("names: list(string)")
        .shape(ShapeContext::unknown)
        .any_kernel(kernel);
}

/// Makes the three ops one.
pub(crate) const REWRITE: Rewrite = Rewrite { name: "broadcast gradients", begins_at: |op| op == "Reshape", find };

fn find(site: &Site<'_>) -> Option<Replacement> {
    let last = site.node();
    let [summed, shape] = last.inputs[..] else { return None };
    let sum = site.sole_producer(summed).filter(|node| node.op == "Sum")?;
    let [x, axes] = sum.inputs[..] else { return None };
    let shapes = site.graph.node(axes.node);
    let waits = !shapes.control_inputs.is_empty() || shapes.device != last.device;
    if shapes.op != "BroadcastGradientArgs" || waits || shapes.inputs.get(axes.index as usize) != Some(&shape) {
        return None;
    }
    let other = *shapes.inputs.get(1 - axes.index as usize)?;
    let attrs = vec![
        ("T", AttrValue::Type(last.output_types.first()?.dtype)),
        ("Tshape", AttrValue::Type(last.input_types.get(1)?.dtype)),
        ("second", AttrValue::Bool(axes.index == 1)),
        ("names", AttrValue::Strings([&shapes.name, &sum.name].map(|name| Bytes::from(name.clone())).to_vec())),
    ];
    Some(Replacement { op: "_SumToShape", inputs: vec![x, shape, other], attrs })
}

fn kernel(node: &Node) -> Result<Kernel> {
    let second = node.attr_bool("second")?;
    let names: Vec<String> =
        node.attr_strings("names")?.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let at = |status: Status, part: usize| match names.get(part) {
            Some(name) => status.at_node(name),
            None => status,
        };
        let x = cx.take_input(0)?;
        let sizes = cx.input(1)?;
        let axes = axes(sizes, cx.input(2)?, second).map_err(|status| at(status, 0))?;
        let summed = sum(x, &axes).map_err(|status| at(status, 1))?;
        let y = reshape(summed, sizes)?;
        cx.set_output(0, y);
        Ok(())
    }))
}

/// The axes along which the first of two shapes, or the second of them, is broadcast.
fn axes(shape: &Tensor, other: &Tensor, second: bool) -> Result<Vec<i64>> {
    let (mine, theirs) = (second as usize, 1 - second as usize);
    let (shape, other) = (shape_vector(shape, mine)?, shape_vector(other, theirs)?);
    let (a, b) = if second { (&other, &shape) } else { (&shape, &other) };
    let (left, right) = gradient_axes(a, b).ok_or_else(|| incompatible(a, b))?;
    Ok(if second { right } else { left })
}
