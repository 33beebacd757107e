//! `GatherNd`: slices that index vectors name.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, Output};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::index_vectors::{BadIndices, listed, positions};
use crate::arguments::{kernel_by_size, shape_node};
use crate::array::place_in;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("GatherNd", "params: Tparams, indices: Tindices -> output: Tparams")
        .attr("Tparams: type")
        .attr("Tindices: {int16, int32, int64}")
        .attr("bad_indices_policy: string = ''")
        .shape(gather_shape)
        .any_kernel(gather_kernel)
        .gradient(gather_gradient);
}

fn gather_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (params, indices) = (cx.input(0), cx.with_rank_at_least(1, 1)?);
    let Some((length, places)) = indices.raw_dims().and_then(|dims| dims.split_last()) else { return Ok(()) };
    let (true, Some(rank)) = (*length >= 0, params.rank()) else { return Ok(()) };
    ensure!(
        *length <= rank as i64,
        InvalidArgument,
        "indices.shape[-1] must be <= params.rank, but saw indices shape: {indices} and params shape: {params}"
    );
    let inner = params.raw_dims().and_then(|dims| dims.get(*length as usize..)).unwrap_or(&[]);
    cx.set(0, PartialShape::from_dims(&[places, inner].concat()));
    Ok(())
}

fn gather_kernel(node: &Node) -> Result<Kernel> {
    let bad = BadIndices::of(node)?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let gathered = gather_nd(cx.input(0)?, cx.input(1)?, bad, &cx.node.name)?;
        cx.set_output(0, gathered);
        Ok(())
    }))
}

struct Slices<'a> {
    positions: &'a [Option<usize>],
    len: usize,
}

impl Move for Slices<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let len = self.len;
        if len == 0 {
            return;
        }
        math::threads::parallel_units(out, len, (32 * 1024 / len).max(1), |first, run| {
            for (target, position) in run.chunks_exact_mut(len).zip(&self.positions[first..]) {
                match (position, inputs[1]) {
                    (Some(at), _) => target.clone_from_slice(&inputs[0][at * len..(at + 1) * len]),
                    (None, [filling]) => target.fill(filling.clone()),
                    _ => {}
                }
            }
        });
    }
}

pub(crate) fn gather_nd(params: &Tensor, indices: &Tensor, bad: BadIndices, name: &str) -> Result<Tensor> {
    ensure!(params.shape().rank() > 0, InvalidArgument, "params must be at least a vector");
    let Some((length, places)) = indices.dims().split_last() else {
        bail!(InvalidArgument, "indices must be at least a vector")
    };
    let rank = params.shape().rank();
    ensure!(
        *length <= rank as i64,
        InvalidArgument,
        "index innermost dimension length must be <= params rank; saw: {length} vs. {rank}"
    );
    ensure!(
        params.num_elements() > 0 || places.iter().product::<i64>() == 0,
        InvalidArgument,
        "Requested more than 0 entries, but params is empty.  Params shape: {}",
        params.shape()
    );
    let (indexed, inner) = params.dims().split_at(*length as usize);
    let shape = Shape::new(&[places, inner].concat())?;
    ensure!(
        params.num_elements() > 0 || shape.num_elements() == 0,
        InvalidArgument,
        "Requested more than 0 entries, but params is empty.  Params shape: {}",
        params.shape()
    );
    if shape.num_elements() == 0 {
        return Tensor::zeros(params.dtype(), &shape);
    }
    Tensor::check_size(params.dtype(), &shape)?;
    let wrong = |place: usize, index: &[i64]| {
        let places = Shape::new(places).unwrap_or_default();
        err!(
            InvalidArgument,
            "indices{} = [{}] does not index into param shape {}, node name: {name}",
            place_in(&places, place),
            listed(index),
            params.shape()
        )
    };
    let positions = positions(indices, indexed, bad, wrong)?;
    let zero = Tensor::zeros(params.dtype(), &Shape::scalar())?;
    let len = inner.iter().product::<i64>() as usize;
    moved(shape, &[params, &zero], &Slices { positions: &positions, len })
}

fn gather_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (params, indices, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let shape = shape_node(cx, &params, cx.dtype(1));
    let index_shape = indices.shape();
    if index_shape.rank() == Some(2) && index_shape.dim(1) == Some(1) {
        let rows = cx.op("Squeeze").input(indices).attr("squeeze_dims", vec![-1i64]).output();
        let slices = IndexedSlices { values: dy, indices: rows, dense_shape: shape };
        return Ok(vec![Some(Gradient::Slices(slices)), None]);
    }
    Ok(vec![Some(cx.op("ScatterNd").input(indices).input(dy).input(shape).output().into()), None])
}

/// Picks elements or slices by their coordinates (`GatherNd`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0], [3.0, 4.0]]);
/// let corners = x.gather_nd(&g.constant([[0i32, 1], [1, 0]]));
/// assert_eq!(eval(&corners)?, Tensor::from([2f32, 3.0]));
/// # Ok(())
/// # }
/// ```
pub trait GatherNdOps {
    /// Returns the slices that the vectors along the last axis of `indices` name.
    fn gather_nd(&self, indices: &Output) -> Output;
}

impl GatherNdOps for Output {
    #[track_caller]
    fn gather_nd(&self, indices: &Output) -> Output {
        self.graph().op("GatherNd").input(self).input(indices).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_rows_and_messages() {
        let x = Tensor::from([[1i32, 2], [3, 4]]);
        let gather = |indices: Tensor| gather_nd(&x, &indices, BadIndices::Refuse, "GatherNd");
        assert_eq!(gather(Tensor::from([[0i32, 1], [1, 0]])).unwrap(), Tensor::from([2i32, 3]));
        assert_eq!(gather(Tensor::from([[1i64]])).unwrap(), Tensor::from([[3i32, 4]]));
        assert_eq!(gather(Tensor::new::<i32>(&[2, 0], vec![]).unwrap()).unwrap().dims(), [2, 2, 2]);
        // TensorFlow 2.21 says the same.
        assert_eq!(
            gather(Tensor::from([[0i32, 1], [1, 2]])).unwrap_err().message(),
            "indices[1] = [1, 2] does not index into param shape [2,2], node name: GatherNd"
        );
    }
}
