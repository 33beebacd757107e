//! `Substr`: a part of each string.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use super::string_strip::begins;
use crate::array::broadcast_to;

pub(crate) fn register(r: &mut Registry) {
    r.op("Substr", "input: string, pos: T, len: T -> output: string")
        .attr("T: {int32, int64}")
        .attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
        .shape(substr_shape)
        .any_kernel(substr_kernel)
        .not_differentiable();
}

fn substr_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, pos, len) = (cx.input(0), cx.input(1), cx.input(2));
    if let (Some(a), Some(b)) = (pos.rank(), len.rank()) {
        ensure!(a == b, InvalidArgument, "pos and len must have same rank, got {a} and {b}");
    }
    let shape = graph::op::broadcast_shapes(&input, &pos.merge(&len)?)?;
    cx.set(0, shape);
    Ok(())
}

fn substr_kernel(node: &Node) -> Result<Kernel> {
    let letters = node.attr_str("unit")? == "UTF8_CHAR";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, pos, len) = (cx.take_input(0)?, cx.take_input(1)?, cx.take_input(2)?);
        ensure!(
            pos.shape() == len.shape(),
            InvalidArgument,
            "pos and len should have the same shape, got: {} vs. {}",
            pos.shape(),
            len.shape()
        );
        let both = graph::op::broadcast_shapes(&PartialShape::from(input.shape()), &PartialShape::from(pos.shape()))?;
        let Some(shape) = both.to_shape() else { bail!(Internal, "known shapes with an unknown result") };
        // As in TensorFlow, whose kernel spreads strings and places over matrices at most.
        ensure!(
            pos.shape().rank() == 0 || pos.shape() == input.shape() || shape.rank() <= 2,
            Unimplemented,
            "Substr broadcast not implemented for {} dimensions: input has shape {}, pos has shape {}",
            shape.rank(),
            input.shape(),
            pos.shape()
        );
        let input = broadcast_to(input, shape.dims())?;
        let (pos, len) =
            (broadcast_to(pos, shape.dims())?.to_i64_vec()?, broadcast_to(len, shape.dims())?.to_i64_vec()?);
        let mut parts = Vec::with_capacity(pos.len());
        for (place, text) in input.strings()?.iter().enumerate() {
            let Some(part) = substr(text, pos[place], len[place], letters) else {
                bail!(
                    InvalidArgument,
                    "pos {} out of range for string b'{}' at index {place}",
                    pos[place],
                    text.escape_ascii()
                )
            };
            parts.push(part);
        }
        cx.set_output(0, Tensor::from_strings(shape, parts)?);
        Ok(())
    }))
}

fn substr(text: &Bytes, pos: i64, len: i64, letters: bool) -> Option<Bytes> {
    // Where each unit begins, and the end.
    let bounds: Vec<usize> = match letters {
        true => (0..text.len()).filter(|at| begins(text[*at])).chain([text.len()]).collect(),
        false => Vec::new(),
    };
    let count = if letters { bounds.len() - 1 } else { text.len() } as i64;
    let start = if pos < 0 { pos.checked_add(count)? } else { pos };
    if !(0..=count).contains(&start) {
        return None;
    }
    let end = start.saturating_add(len.max(0)).min(count);
    let byte = |unit: i64| if letters { bounds[unit as usize] } else { unit as usize };
    Some(text.slice(byte(start)..byte(end)))
}
