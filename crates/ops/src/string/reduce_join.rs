//! `ReduceJoin`: the strings along dimensions, one after the other.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::memory::Tally;
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, sizes};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReduceJoin", "inputs: string, reduction_indices: int32 -> output: string")
        .attr("keep_dims: bool = false")
        .attr("separator: string = ''")
        .shape(reduce_shape)
        .any_kernel(reduce_kernel)
        .not_differentiable();
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
    let mut tally = Tally::new("strings");
    for number in 0..shape.num_elements() {
        let base = offset(&mut kept.iter().rev(), number);
        let mut text = Vec::new();
        for part in 0..along {
            if part > 0 {
                text.extend_from_slice(separator);
            }
            if let Some(string) = strings.get(base + offset(&mut reduced.iter(), part)) {
                tally.add((string.len() + separator.len()) as u64)?;
                text.extend_from_slice(string);
            }
        }
        joined.push(Bytes::from(text));
    }
    Tensor::from_strings(shape, joined)
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
