//! `Tile`: a tensor repeated along its axes.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{int_constant, int_vector, kernel_by_size, shape_node, sizes};
use crate::moving::{Take, moved};
use crate::strided::{Walk, row_major_steps};

pub(crate) fn register(r: &mut Registry) {
    r.op("Tile", "input: T, multiples: Tmultiples -> output: T")
        .attr("T: type")
        .attr("Tmultiples: {int32, int64} = int32")
        .shape(shape)
        .kernel("T", types::ALL, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let lengths = cx.with_rank(1, 1)?;
    let input = match lengths.dim(0) {
        Some(rank) => cx.with_rank(0, rank as usize)?,
        None => cx.input(0),
    };
    let multiples = cx.input_as_shape(1);
    let Some(rank) = input.rank() else {
        cx.set(0, multiples.rank().map_or(PartialShape::unknown(), PartialShape::of_rank));
        return Ok(());
    };
    let mut dims = Vec::with_capacity(rank);
    for axis in 0..rank {
        dims.push(match (input.dim(axis), multiples.dim(axis)) {
            (Some(dim), Some(times)) => match dim.checked_mul(times) {
                Some(product) => product,
                None => bail!(
                    InvalidArgument,
                    "Negative dimension size caused by overflow when multiplying {dim} and {times}"
                ),
            },
            _ => -1,
        });
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let tiled = tile(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, tiled);
        Ok(())
    }))
}

fn tile(input: &Tensor, multiples: &Tensor) -> Result<Tensor> {
    let multiples = int_vector(multiples, "Expected multiples to be 1-D, but got shape ")?;
    let rank = input.shape().rank();
    ensure!(
        input.dtype() != DType::UInt16,
        Unimplemented,
        "TileOp : The input data type is not supported, DataType : uint16, Dimension : {rank}"
    );
    ensure!(
        multiples.len() == rank,
        InvalidArgument,
        "Expected multiples argument to be a vector of length {rank} but got length {}",
        multiples.len()
    );
    let mut dims = Vec::with_capacity(rank);
    for (axis, (dim, times)) in input.dims().iter().zip(&multiples).enumerate() {
        ensure!(*times >= 0, InvalidArgument, "Expected multiples[{axis}] >= 0, but got {times}");
        match dim.checked_mul(*times) {
            Some(product) => dims.push(product),
            None => bail!(InvalidArgument, "Expected a non-negative size, got {}", dim.wrapping_mul(*times)),
        }
    }
    let shape = Shape::new(&dims)?;
    if multiples.iter().all(|times| *times == 1) {
        return Ok(input.clone());
    }
    // Every axis becomes two: the repetitions, which do not move, and the axis itself.
    let dims = sizes(input.shape());
    let steps = row_major_steps(&dims);
    let axes = multiples.iter().zip(&dims).zip(&steps);
    let walk = Walk::new(0, axes.flat_map(|((times, dim), step)| [(*times as usize, 0), (*dim, *step)]));
    moved(shape, &[input], &Take(&walk))
}

/// All repetitions added up.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, multiples, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let graph = cx.graph;
    let shape = shape_node(cx, &x, cx.dtype(1));
    let pairs = cx.op("Pack").name("stack").input_list(&[multiples, shape]).attr("axis", 1i64).output();
    let split = cx.op("Reshape").input(pairs).input(graph.constant([-1i32])).output();
    let count = cx.op("Size").input(&split).output();
    let axes = cx.op("Range").input(graph.constant(0i32)).input(count).input(graph.constant(2i32)).output();
    let apart = cx.op("Reshape").input(dy).input(split).output();
    Ok(vec![Some(cx.op("Sum").input(apart).input(axes).output().into()), None])
}

/// Repeats a tensor along its axes (`Tile`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// assert_eq!(eval(&x.tile(&[2, 2]))?, Tensor::from([[1f32, 2.0, 1.0, 2.0], [1.0, 2.0, 1.0, 2.0]]));
/// # Ok(())
/// # }
/// ```
pub trait TileOps {
    /// Returns this repeated so many times along each axis.
    fn tile(&self, multiples: &[i64]) -> Output;
}

impl TileOps for Output {
    #[track_caller]
    fn tile(&self, multiples: &[i64]) -> Output {
        let multiples = int_constant(self.graph(), multiples);
        self.graph().op("Tile").input(self).input(multiples).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn along_both_axes() {
        let x = Tensor::from([[1i32, 2], [3, 4]]);
        let tiled = tile(&x, &Tensor::from([2i32, 2])).unwrap();
        assert_eq!(tiled, Tensor::from([[1i32, 2, 1, 2], [3, 4, 3, 4], [1, 2, 1, 2], [3, 4, 3, 4]]));
        assert_eq!(tile(&x, &Tensor::from([1i32, 0])).unwrap().dims(), [2, 0]);
        let message = |multiples: &[i64]| tile(&x, &Tensor::vector(multiples)).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(&[1]), "Expected multiples argument to be a vector of length 2 but got length 1");
        assert_eq!(message(&[1, -1]), "Expected multiples[1] >= 0, but got -1");
        assert_eq!(message(&[1 << 62, 1]), "Expected a non-negative size, got -9223372036854775808");
    }
}
