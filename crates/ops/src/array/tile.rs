//! `Tile`: a tensor repeated along its axes; and `TileGrad`, the old form of its gradient: the repetitions added up.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, Output};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, Element, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

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
    r.op("TileGrad", "input: T, multiples: int32 -> output: T").attr("T: type").shape(grad_shape).kernel(
        "T",
        types::NUMBERS,
        grad_kernel,
    );
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    let (input, multiples) = (cx.input(0), cx.ints(1));
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let part = |axis: usize, dim: i64| match multiples.as_ref().and_then(|multiples| multiples.get(axis)) {
        Some(times) if dim >= 0 && *times > 0 => dim / times,
        _ => -1,
    };
    let dims: Vec<i64> = dims.iter().enumerate().map(|(axis, dim)| part(axis, *dim)).collect();
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (input, multiples) = (cx.input(0)?, cx.input(1)?);
        let multiples = int_vector(multiples, "Expected multiples to be 1-D, but got shape ")?;
        let rank = input.shape().rank();
        ensure!(
            multiples.len() == rank,
            InvalidArgument,
            "Expected multiples argument to be a vector of length {rank} but got length {}",
            multiples.len()
        );
        let mut dims = Vec::with_capacity(rank);
        for (axis, (dim, times)) in input.dims().iter().zip(&multiples).enumerate() {
            ensure!(
                *times > 0 && dim % times == 0,
                InvalidArgument,
                "Expected input_dim[{axis}] to be divisible by multiples[{axis}], but {dim} % {times} != 0"
            );
            dims.push(dim / times);
        }
        let output = dispatch!(input.dtype(), T in [
            f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128,
        ] => summed::<T>(input, &dims))?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The sum of all parts of these dimensions that the input consists of.
fn summed<T: Element + Number>(input: &Tensor, dims: &[i64]) -> Result<Tensor> {
    let shape = Shape::new(dims)?;
    let (mut sums, sizes) = (vec![T::ZERO.widen(); shape.num_elements()], sizes(input.shape()));
    let steps = row_major_steps(&dims.iter().map(|dim| *dim as usize).collect::<Vec<_>>());
    let mut place = vec![0usize; sizes.len()];
    for value in input.as_slice::<T>()? {
        let part = place.iter().zip(dims).zip(&steps).map(|((at, dim), step)| at % *dim as usize * *step as usize);
        let sum = &mut sums[part.sum::<usize>()];
        *sum = sum.plus(value.widen());
        for axis in (0..place.len()).rev() {
            place[axis] += 1;
            if place[axis] < sizes[axis] {
                break;
            }
            place[axis] = 0;
        }
    }
    Tensor::new(dims, sums.into_iter().map(T::narrow).collect())
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

    /// TensorFlow 2.21 has no kernel that its definition of the op fits; the gradient of a repetition is the sum.
    #[test]
    fn repetitions_are_summed() {
        let x = Tensor::from([[1i32, 2, 10, 20], [3, 4, 30, 40]]);
        assert_eq!(summed::<i32>(&x, &[1, 2]).unwrap(), Tensor::from([[44i32, 66]]));
        assert_eq!(summed::<i32>(&x, &[2, 4]).unwrap(), x);
    }
}
