//! `OneHot`: indices as vectors that have one value at the index and another everywhere else.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::kernel_by_size;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("OneHot", "indices: TI, depth: int32, on_value: T, off_value: T -> output: T")
        .attr("axis: int = -1")
        .attr("T: type")
        .attr("TI: {uint8, int8, int32, int64} = int64")
        .shape(shape)
        .kernel("T", types::ALL, kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let axis = cx.attr_int("axis")?;
    ensure!(axis >= -1, InvalidArgument, "axis must be >= -1");
    if let Some(rank) = cx.input(1).rank() {
        ensure!(rank == 0, InvalidArgument, "Input must be scalar but has rank {rank}");
    }
    let depth = cx.int(1);
    if let Some(depth) = depth {
        ensure!(
            depth >= 0,
            InvalidArgument,
            "Dimension size, given by scalar input 1, must be non-negative but is {depth}"
        );
    }
    let indices = cx.input(0);
    let Some(dims) = indices.raw_dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    let at = if axis < 0 { dims.len() } else { dims.len().min(axis as usize) };
    dims.insert(at, depth.unwrap_or(-1));
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let axis = node.attr_int("axis")?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let hot = one_hot(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?, axis)?;
        cx.set_output(0, hot);
        Ok(())
    }))
}

/// Fills rows of `depth * suffix` elements: `on` where the index says so, else `off`.
struct Hot<'a> {
    indices: &'a [i64],
    depth: usize,
    suffix: usize,
}

impl Move for Hot<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let ([on], [off]) = (inputs[0], inputs[1]) else { return };
        let row = self.depth * self.suffix;
        if row == 0 {
            return;
        }
        math::threads::parallel_units(out, row, (32 * 1024 / row).max(1), |first, run| {
            run.fill(off.clone());
            let indices = &self.indices[first * self.suffix..];
            for (target, indices) in run.chunks_exact_mut(row).zip(indices.chunks_exact(self.suffix)) {
                for (place, index) in indices.iter().enumerate() {
                    if (0..self.depth as i64).contains(index) {
                        target[*index as usize * self.suffix + place] = on.clone();
                    }
                }
            }
        });
    }
}

fn one_hot(indices: &Tensor, depth: &Tensor, on: &Tensor, off: &Tensor, axis: i64) -> Result<Tensor> {
    let rank = indices.shape().rank();
    ensure!(
        axis == -1 || (0..=rank as i64).contains(&axis),
        InvalidArgument,
        "Expected axis to be -1 or between [0, {}).  But received: {axis}",
        rank + 1
    );
    for (name, value) in [("depth", depth), ("on_value", on), ("off_value", off)] {
        ensure!(value.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, but got: {}", value.shape());
    }
    let depth = depth.to_scalar::<i32>()? as i64;
    ensure!(depth >= 0, InvalidArgument, "depth must be non-negative, got: {depth}");
    let at = if axis < 0 { rank } else { axis as usize };
    let mut dims = indices.dims().to_vec();
    dims.insert(at, depth);
    let shape = Shape::new(&dims)?;
    let list: Vec<i64> = match indices.dtype() {
        DType::UInt8 => indices.as_slice::<u8>()?.iter().map(|index| *index as i64).collect(),
        DType::Int8 => indices.as_slice::<i8>()?.iter().map(|index| *index as i64).collect(),
        DType::Int32 | DType::Int64 => indices.to_i64_vec()?,
        other => bail!(InvalidArgument, "indices of type {other}"),
    };
    let suffix = if list.is_empty() { 1 } else { indices.dims()[at..].iter().product::<i64>() as usize };
    moved(shape, &[on, off], &Hot { indices: &list, depth: depth as usize, suffix })
}

/// Numbers of classes as vectors with a single 1 (`OneHot`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let labels = g.constant([2i32, 0]).one_hot(3);
/// assert_eq!(eval(&labels)?, Tensor::from([[0f32, 0.0, 1.0], [1.0, 0.0, 0.0]]));
/// # Ok(())
/// # }
/// ```
pub trait OneHotOps {
    /// Returns each index as a vector of `depth` floats: 1 at the index, else 0.
    fn one_hot(&self, depth: i32) -> Output;
    /// Returns what [`one_hot`](OneHotOps::one_hot) does, with values, a type and an axis.
    fn one_hot_with(&self, depth: i32, options: OneHotOptions) -> Output;
}

/// What [`one_hot_with`](OneHotOps::one_hot_with) can be told.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::OneHotOptions;
/// let g = Graph::new();
/// let options = OneHotOptions { on: Tensor::from(9i32), off: Tensor::from(-1i32), ..Default::default() };
/// let rows = g.constant([0i64, 2]).one_hot_with(3, options);
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[i32; 3]>, _>(&rows)?, [[9, -1, -1], [-1, -1, 9]]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct OneHotOptions {
    /// The value at the index; the result is of its type.
    pub on: Tensor,
    /// The value elsewhere, of the same type.
    pub off: Tensor,
    /// The axis of the vectors, -1 for a last one.
    pub axis: i64,
}

impl Default for OneHotOptions {
    fn default() -> OneHotOptions {
        OneHotOptions { on: Tensor::from(1f32), off: Tensor::from(0f32), axis: -1 }
    }
}

impl OneHotOps for Output {
    #[track_caller]
    fn one_hot(&self, depth: i32) -> Output {
        self.one_hot_with(depth, OneHotOptions::default())
    }

    #[track_caller]
    fn one_hot_with(&self, depth: i32, options: OneHotOptions) -> Output {
        let graph = self.graph();
        let (depth, on, off) = (graph.constant(depth), graph.constant(options.on), graph.constant(options.off));
        let node = graph.op("OneHot").name("one_hot").input(self).input(depth).input(on).input(off);
        node.attr("axis", options.axis).at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indices_outside_are_cold() {
        let (on, off) = (Tensor::from(1f32), Tensor::from(0f32));
        let hot = |indices: Tensor, depth: i32, axis| one_hot(&indices, &Tensor::from(depth), &on, &off, axis);
        let rows = hot(Tensor::from([1i64, 5, -1]), 2, -1).unwrap();
        assert_eq!(rows, Tensor::from([[0f32, 1.0], [0.0, 0.0], [0.0, 0.0]]));
        let columns = hot(Tensor::from([1u8, 0, 2]), 2, 0).unwrap();
        assert_eq!(columns, Tensor::from([[0f32, 1.0, 0.0], [1.0, 0.0, 0.0]]));
        let message = |depth, axis| hot(Tensor::from([0i32]), depth, axis).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(-1, -1), "depth must be non-negative, got: -1");
        assert_eq!(message(1, 2), "Expected axis to be -1 or between [0, 2).  But received: 2");
    }
}
