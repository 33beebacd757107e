//! `ListDiff`: the elements of a list that another one does not have.

use std::collections::HashMap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::unique::keys;
use crate::arguments::int_tensor;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("ListDiff", "x: T, y: T -> out: T, idx: out_idx")
        .attr("T: type")
        .attr("out_idx: {int32, int64} = int32")
        .shape(difference_shape)
        .any_kernel(difference_kernel);
}

fn difference_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 1)?;
    // As many elements as numbers, but how many is not known.
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn difference_kernel(node: &Node) -> Result<Kernel> {
    let out_idx = node.attr_type("out_idx")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (x, y) = (cx.input(0)?, cx.input(1)?);
        ensure!(x.shape().rank() == 1, InvalidArgument, "x should be a 1D vector.");
        ensure!(y.shape().rank() == 1, InvalidArgument, "y should be a 1D vector.");
        let taken: HashMap<Vec<u8>, ()> = keys(y)?.into_iter().map(|key| (key, ())).collect();
        let (all, mut kept) = (keys(x)?, Vec::new());
        kept.extend((0..all.len()).filter(|place| !taken.contains_key(&all[*place])));
        let numbers: Vec<i64> = kept.iter().map(|place| *place as i64).collect();
        let out = picked(x, &kept)?;
        cx.set_output(0, out);
        cx.set_output(1, int_tensor(&numbers, out_idx)?);
        Ok(())
    }))
}

fn picked(x: &Tensor, places: &[usize]) -> Result<Tensor> {
    moved(Shape::vector(places.len()), &[x], &Pick(places))
}
