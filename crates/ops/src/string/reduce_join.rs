//! `ReduceJoin` and `UnsortedSegmentJoin`: the strings along dimensions, or of a segment, one after the other.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_scalar, sizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string")
        .attr("keep_dims: bool = false")
        .attr("separator: string = ''")
        .shape(reduce_shape)
        .any_kernel(reduce_kernel)
        .not_differentiable();
    r.op("UnsortedSegmentJoin", "inputs: string, segment_ids: Tindices, num_segments: Tnumsegments -> output: string")
        .attr("separator: string = ''")
        .attr("Tindices: {int32, int64}")
        .attr("Tnumsegments: {int32, int64} = int32")
        .shape(segment_shape)
        .any_kernel(segment_kernel);
}

fn reduce_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let keep = cx.attr_bool("keep_dims")?;
    let input = cx.input(0);
    let (Some(dims), Some(axes)) = (input.dims(), cx.ints(1)) else { return Ok(()) };
    let reduced: Vec<Option<usize>> = axes.iter().map(|axis| axis_of(*axis, dims.len())).collect();
    if reduced.contains(&None) {
        return Ok(());
    }
    let is_reduced = |axis: usize| reduced.contains(&Some(axis));
    let kept = dims.iter().enumerate().filter(|(axis, _)| keep || !is_reduced(*axis));
    let kept: Vec<Option<i64>> = kept.map(|(axis, dim)| if is_reduced(axis) { Some(1) } else { *dim }).collect();
    cx.set(0, PartialShape::new(&kept));
    Ok(())
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

fn reduce_kernel(node: &Node) -> Result<Kernel> {
    let (keep, separator) = (node.attr_bool("keep_dims")?, node.attr_bytes("separator")?.clone());
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let joined = reduce_join(cx.input(0)?, &cx.input(1)?.to_i64_vec()?, keep, &separator)?;
        cx.set_output(0, joined);
        Ok(())
    }))
}

/// The first of the axes is the one that changes fastest.
fn reduce_join(input: &Tensor, axes: &[i64], keep: bool, separator: &[u8]) -> Result<Tensor> {
    let dims = sizes(input.shape());
    let mut reduced: Vec<usize> = Vec::new();
    for axis in axes {
        let Some(place) = axis_of(*axis, dims.len()) else {
            bail!(OutOfRange, "Invalid reduction dimension {axis} for input with {} dimension(s)", dims.len())
        };
        ensure!(!reduced.contains(&place), InvalidArgument, "Duplicate reduction dimension {axis}");
        reduced.push(place);
    }
    let kept: Vec<usize> = (0..dims.len()).filter(|axis| !reduced.contains(axis)).collect();
    let mut steps = vec![1; dims.len()];
    for axis in (0..dims.len().saturating_sub(1)).rev() {
        steps[axis] = usize::wrapping_mul(steps[axis + 1], dims[axis + 1]);
    }
    // The place of an element, of its number along some axes, the last of which changes fastest.
    let offset = |axes: &mut dyn Iterator<Item = &usize>, mut number: usize| {
        let mut place = 0;
        for axis in axes {
            place += number % dims[*axis] * steps[*axis];
            number /= dims[*axis];
        }
        place
    };
    let output = (0..dims.len()).filter(|axis| keep || kept.contains(axis));
    let output: Vec<i64> = output.map(|axis| if kept.contains(&axis) { dims[axis] as i64 } else { 1 }).collect();
    let shape = Shape::new(&output)?;
    let along = reduced.iter().fold(1usize, |count, axis| count.wrapping_mul(dims[*axis]));
    let strings = input.strings()?;
    Tensor::check_size(input.dtype(), &shape)?;
    let mut joined = Vec::with_capacity(shape.num_elements());
    for number in 0..shape.num_elements() {
        let base = offset(&mut kept.iter().rev(), number);
        let mut text = Vec::new();
        for part in 0..along {
            if part > 0 {
                text.extend_from_slice(separator);
            }
            if let Some(string) = strings.get(base + offset(&mut reduced.iter(), part)) {
                text.extend_from_slice(string);
            }
        }
        joined.push(Bytes::from(text));
    }
    Tensor::from_strings(shape, joined)
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
        for (number, id) in ids.to_i64_vec()?.into_iter().enumerate() {
            ensure!(
                (0..count).contains(&id),
                InvalidArgument,
                "segment_ids are not allowed to exceed num_segments or to have negative values."
            );
            let target = joined[id as usize * width..].iter_mut();
            for (text, string) in target.zip(&strings[number * width..(number + 1) * width]) {
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

#[cfg(test)]
mod tests {
    use super::*;

    /// As TensorFlow 2.21 gives them.
    #[test]
    fn the_first_axis_changes_fastest() {
        let square = Tensor::string_vector(["a", "b", "c", "d"]).reshape(Shape::new(&[2, 2]).unwrap()).unwrap();
        assert_eq!(reduce_join(&square, &[0, 1], false, b"").unwrap(), Tensor::from("acbd"));
        assert_eq!(reduce_join(&square, &[-1, 0], false, b"").unwrap(), Tensor::from("abcd"));
        assert_eq!(reduce_join(&square, &[0], false, b"-").unwrap(), Tensor::string_vector(["a-c", "b-d"]));
        assert_eq!(reduce_join(&square, &[], false, b"-").unwrap(), square);
        let nothing = Tensor::from_strings(Shape::new(&[0, 2]).unwrap(), vec![]).unwrap();
        assert_eq!(reduce_join(&nothing, &[0], false, b"").unwrap(), Tensor::string_vector(["", ""]));
    }
}
