//! `Slice`: a block of a tensor, from `begin` on, of `size`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::arguments::{int_constant, kernel_by_size, shape_node, sizes};
use crate::moving::taken;
use crate::strided::{Walk, row_major_steps};

pub(crate) fn register(r: &mut Registry) {
    r.op("Slice", "input: T, begin: Index, size: Index -> output: T")
        .attr("T: type")
        .attr("Index: {int32, int64}")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let lengths = cx.with_rank(1, 1)?.merge(&cx.with_rank(2, 1)?)?;
    let input = match lengths.dim(0) {
        Some(rank) => cx.with_rank(0, rank as usize)?,
        None => cx.input(0),
    };
    let size = cx.ints(2);
    let Some(size) = size else {
        // A size that is only partly known still says what it says.
        let part = cx.input_as_shape(2);
        let rank = input.rank().map_or(PartialShape::unknown(), PartialShape::of_rank);
        cx.set(0, part.merge(&rank)?);
        return Ok(());
    };
    let begin = cx.input_as_shape(1);
    let mut dims = Vec::with_capacity(size.len());
    for (axis, size) in size.iter().enumerate() {
        dims.push(match (*size, input.dim(axis), begin.dim(axis)) {
            (-1, Some(dim), Some(begin)) => {
                ensure!(
                    dim >= begin,
                    InvalidArgument,
                    "Negative dimension size caused by subtracting {begin} from {dim}"
                );
                dim - begin
            }
            (-1, ..) => -1,
            (size, ..) => {
                ensure!(size >= 0, InvalidArgument, "Invalid value in tensor used for shape: {size}");
                size
            }
        });
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let part = slice(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, part);
        Ok(())
    }))
}

/// The block of `size` (-1: all the rest) from `begin` on; shared with the input where it is one run of it.
pub(crate) fn slice(input: &Tensor, begin: &Tensor, size: &Tensor) -> Result<Tensor> {
    let rank = input.shape().rank();
    let fits = |list: &Tensor| list.shape().rank() == 1 && list.num_elements() == rank;
    ensure!(
        fits(begin) && fits(size),
        InvalidArgument,
        "Expected begin and size arguments to be 1-D tensors of size {rank}, but got shapes {} and {} instead.",
        begin.shape(),
        size.shape()
    );
    let (begin, size) = (begin.to_i64_vec()?, size.to_i64_vec()?);
    let mut taken_sizes = Vec::with_capacity(rank);
    for (axis, dim) in input.dims().iter().enumerate() {
        let (begin, size) = (begin[axis], size[axis]);
        ensure!((0..=*dim).contains(&begin), InvalidArgument, "Expected begin[{axis}] in [0, {dim}], but got {begin}");
        let left = dim - begin;
        let size = if size == -1 { left } else { size };
        ensure!((0..=left).contains(&size), InvalidArgument, "Expected size[{axis}] in [0, {left}], but got {size}");
        taken_sizes.push(size);
    }
    let shape = Shape::new(&taken_sizes)?;
    if shape.num_elements() == 0 {
        return input.window(0, shape);
    }
    let steps = row_major_steps(&sizes(input.shape()));
    let start: usize = begin.iter().zip(&steps).map(|(begin, step)| *begin as usize * *step as usize).sum();
    let walk = Walk::new(start, taken_sizes.iter().zip(&steps).map(|(size, step)| (*size as usize, *step)));
    taken(input, &walk, shape)
}

/// dy, with zeros around it where nothing was taken.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, begin, dy, index) = (cx.x(0), cx.x(1), cx.dy(0)?, cx.dtype(1));
    let column = |vector: &Output| cx.op("ExpandDims").input(vector).input(cx.graph.constant(-1i32)).output();
    let whole = shape_node(cx, &x, index);
    let part = shape_node(cx, &cx.y(0), index);
    let rest = cx.op("Sub").input(whole).input(part).output();
    let after = cx.op("Sub").input(rest).input(&begin).output();
    let axis = cx.graph.constant(1i32);
    let paddings = cx.op("ConcatV2").name("concat").input_list(&[column(&begin), column(&after)]).input(axis).output();
    Ok(vec![Some(cx.op("Pad").input(dy).input(paddings).output().into()), None, None])
}

/// Cuts a block out of a tensor (`Slice`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(eval(&x.slice(&[0, 1], &[-1, 2]))?, Tensor::from([[2f32, 3.0], [5.0, 6.0]]));
/// # Ok(())
/// # }
/// ```
pub trait SliceOps {
    /// Returns the block of `size` from `begin` on; -1 takes all the rest of an axis.
    fn slice(&self, begin: &[i64], size: &[i64]) -> Output;
}

impl SliceOps for Output {
    #[track_caller]
    fn slice(&self, begin: &[i64], size: &[i64]) -> Output {
        let graph = self.graph();
        // Both must be of one type.
        let wide = begin.iter().chain(size).any(|value| i32::try_from(*value).is_err());
        let (begin, size) = match wide {
            true => (graph.constant(Tensor::vector(begin)), graph.constant(Tensor::vector(size))),
            false => (int_constant(graph, begin), int_constant(graph, size)),
        };
        graph.op("Slice").input(self).input(begin).input(size).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_and_messages() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6]]);
        let cut = |begin: [i32; 2], size: [i32; 2]| slice(&x, &Tensor::from(begin), &Tensor::from(size));
        assert_eq!(cut([0, 1], [-1, 2]).unwrap(), Tensor::from([[2i32, 3], [5, 6]]));
        assert_eq!(cut([2, 0], [-1, 1]).unwrap().dims(), [0, 1]);
        let message = |begin, size| cut(begin, size).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message([0, 4], [1, 1]), "Expected begin[1] in [0, 3], but got 4");
        assert_eq!(message([0, 2], [1, 2]), "Expected size[1] in [0, 1], but got 2");
        assert_eq!(message([1, 0], [-2, 1]), "Expected size[0] in [0, 1], but got -2");
        let short = slice(&x, &Tensor::from([1i32]), &Tensor::from([1i32])).unwrap_err();
        assert_eq!(
            short.message(),
            "Expected begin and size arguments to be 1-D tensors of size 2, but got shapes [1] and [1] instead."
        );
    }
}
