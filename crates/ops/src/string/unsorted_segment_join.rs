//! `UnsortedSegmentJoin`: the strings of each segment, one after the other.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::int_scalar;

pub(crate) fn register(r: &mut Registry) {
    r.op("UnsortedSegmentJoin", "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string")
        .attr("separator: string = ''")
        .attr("Tindices: {int32, int64}")
        .attr("Tnumsegments: {int32, int64} = int32")
        .shape(segment_shape)
        .any_kernel(segment_kernel);
}

fn segment_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, ids) = (cx.input(0), cx.input(1));
    let rest = match (input.raw_dims(), ids.rank()) {
        (Some(dims), Some(rank)) if rank <= dims.len() => PartialShape::from_dims(&dims[rank..]),
        _ => PartialShape::unknown(),
    };
    let count = PartialShape::from_dims(&[cx.int(2).filter(|count| *count >= 0).unwrap_or(-1)]);
    cx.set(0, count.concatenate(&rest));
    Ok(())
}

fn segment_kernel(node: &Node) -> Result<Kernel> {
    let separator = node.attr_bytes("separator")?.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, ids) = (cx.input(0)?, cx.input(1)?);
        let count = int_scalar(cx.input(2)?, "num_segments")?;
        for (axis, dim) in ids.dims().iter().enumerate() {
            let own = input.dims().get(axis).copied();
            ensure!(
                own == Some(*dim),
                InvalidArgument,
                "Segment dimension is {dim} while input dimension is {} in rank {axis}",
                own.unwrap_or(0)
            );
        }
        ensure!(count >= 0, InvalidArgument, "num_segments should be at least 0, got {count}");
        let row = &input.dims()[ids.dims().len()..];
        let shape = Shape::new(&[&[count], row].concat())?;
        Tensor::check_size(input.dtype(), &shape)?;
        let width = Shape::new(row)?.num_elements();
        let strings = input.strings()?;
        let mut joined: Vec<Option<Vec<u8>>> = vec![None; shape.num_elements()];
        let mut tally = tensor::memory::Tally::new("strings");
        for (number, id) in ids.to_i64_vec()?.into_iter().enumerate() {
            ensure!(
                (0..count).contains(&id),
                InvalidArgument,
                "segment_ids are not allowed to exceed num_segments or to have negative values."
            );
            let target = joined[id as usize * width..].iter_mut();
            for (text, string) in target.zip(&strings[number * width..(number + 1) * width]) {
                tally.add((string.len() + separator.len()) as u64)?;
                match text {
                    Some(text) => text.extend(separator.iter().chain(string)),
                    None => *text = Some(string.to_vec()),
                }
            }
        }
        let joined = joined.into_iter().map(|text| Bytes::from(text.unwrap_or_default())).collect();
        cx.set_output(0, Tensor::from_strings(shape, joined)?);
        Ok(())
    }))
}
