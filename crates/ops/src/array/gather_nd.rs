//! `GatherNd` and `ScatterNd`: slices that whole index vectors name, read and written.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, Output, ReadAttrs};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, err, f16};

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
    r.op("ScatterNd", "indices: Tindices, updates: T, shape: Tindices -> output: T")
        .attr("T: type")
        .attr("Tindices: {int16, int32, int64}")
        .attr("bad_indices_policy: string = ''")
        .shape(scatter_shape)
        .kernel("T", SCATTERED, scatter_kernel)
        .gradient(scatter_gradient);
}

const SCATTERED: &[DType] = &[
    DType::Float,
    DType::Double,
    DType::Half,
    DType::BFloat16,
    DType::Int8,
    DType::Int16,
    DType::Int32,
    DType::Int64,
    DType::UInt8,
    DType::UInt16,
    DType::UInt32,
    DType::UInt64,
    DType::Complex64,
    DType::Complex128,
    DType::Bool,
];

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

/// What to do with an index that points nowhere.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BadIndices {
    Refuse,
    Ignore,
}

impl BadIndices {
    pub(crate) fn of(node: &Node) -> Result<BadIndices> {
        match node.attr_str("bad_indices_policy")? {
            "" | "DEFAULT" | "ERROR" => Ok(BadIndices::Refuse),
            "IGNORE" => Ok(BadIndices::Ignore),
            other => Err(err!(InvalidArgument, "Unknown bad_indices_policy: {other}")),
        }
    }
}

/// The slice each index vector names, as a number; `None` for one that points nowhere and is to be ignored.
fn positions(
    indices: &Tensor,
    dims: &[i64],
    bad: BadIndices,
    wrong: impl Fn(usize, &[i64]) -> tensor::Status,
) -> Result<Vec<Option<usize>>> {
    let length = dims.len();
    let values = indices.to_i64_vec()?;
    // With empty index vectors each of them names the whole.
    let whole = || indices.dims().split_last().map_or(1, |(_, places)| places.iter().product::<i64>() as usize);
    let count = values.len().checked_div(length).unwrap_or_else(whole);
    let mut found = Vec::with_capacity(count);
    for place in 0..count {
        let index = &values[place * length..(place + 1) * length];
        let inside = index.iter().zip(dims).all(|(i, dim)| (0..*dim).contains(i));
        if inside {
            found.push(Some(index.iter().zip(dims).fold(0usize, |at, (i, dim)| at * *dim as usize + *i as usize)));
        } else if bad == BadIndices::Ignore {
            found.push(None);
        } else {
            return Err(wrong(place, index));
        }
    }
    Ok(found)
}

fn listed(index: &[i64]) -> String {
    index.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
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

fn gather_nd(params: &Tensor, indices: &Tensor, bad: BadIndices, name: &str) -> Result<Tensor> {
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

fn scatter_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let indices = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(2, 1)?;
    let (updates, shape) = (cx.input(1), cx.input_as_shape(2));
    let empty = |shape: &PartialShape| shape.num_elements() == Some(0);
    if empty(&shape) {
        let something = indices.num_elements().is_some_and(|n| n > 0) || updates.num_elements().is_some_and(|n| n > 0);
        ensure!(!something, InvalidArgument, "Indices and updates specified for empty input");
    }
    if let (Some((length, places)), Some(updates)) =
        (indices.raw_dims().and_then(|dims| dims.split_last()), updates.raw_dims())
    {
        let differ = |a: i64, b: i64| a >= 0 && b >= 0 && a != b;
        let outer = places.len();
        let mismatch = updates.len() < outer || places.iter().zip(updates).any(|(a, b)| differ(*a, *b));
        ensure!(
            !mismatch,
            InvalidArgument,
            "Dimensions [0,{outer}) of indices[shape={indices}] must match dimensions [0,{outer}) of updates[shape={}]",
            cx.input(1)
        );
        if let (true, Some(dims)) = (*length >= 0, shape.raw_dims()) {
            let inner = dims.get(*length as usize..).unwrap_or(&[]);
            let mismatch = inner.len() != updates.len() - outer
                || inner.iter().zip(&updates[outer..]).any(|(a, b)| differ(*a, *b));
            ensure!(
                !mismatch,
                InvalidArgument,
                "Dimensions [{length},{}) of input[shape={shape}] must match dimensions [{outer},{}) of updates[shape={}]",
                dims.len(),
                updates.len(),
                cx.input(1)
            );
        }
    }
    cx.set(0, shape);
    Ok(())
}

fn scatter_kernel(node: &Node) -> Result<Kernel> {
    let bad = BadIndices::of(node)?;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let scattered = scatter_nd(cx.input(0)?, cx.input(1)?, cx.input(2)?, bad)?;
        cx.set_output(0, scattered);
        Ok(())
    }))
}

/// Zeros in `shape`, with each update added to the slice its index names.
fn scatter_nd(indices: &Tensor, updates: &Tensor, shape: &Tensor, bad: BadIndices) -> Result<Tensor> {
    ensure!(
        indices.shape().rank() >= 1,
        InvalidArgument,
        "Indices shape must have rank at least one. Found:{}",
        indices.shape()
    );
    ensure!(shape.shape().rank() == 1, InvalidArgument, "Shape must be a vector");
    let dims = shape.to_i64_vec()?;
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        bail!(InvalidArgument, "Dimension {dim} must be >= 0");
    }
    let shape = Shape::new(&dims)?;
    check_updates(indices, updates, &shape)?;
    let mut out = Tensor::zeros(updates.dtype(), &shape)?;
    change_slices(&mut out, indices, updates, bad, Change::Add)?;
    Ok(out)
}

/// How an update changes the slice that its index names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Add,
    Sub,
    Min,
    Max,
    Replace,
}

/// # Errors
/// `InvalidArgument` if indices and updates do not fit together, or not into a tensor of this shape.
pub(crate) fn check_updates(indices: &Tensor, updates: &Tensor, shape: &Shape) -> Result<()> {
    let Some((length, places)) = indices.dims().split_last() else {
        bail!(InvalidArgument, "Indices shape must have rank at least one. Found:{}", indices.shape())
    };
    let dims = shape.dims();
    let (outer, rank) = (places.len(), updates.shape().rank());
    ensure!(
        shape.num_elements() > 0 || (indices.num_elements() == 0 && updates.num_elements() == 0),
        InvalidArgument,
        "Indices and updates specified for empty output.  indices shape: {}",
        indices.shape()
    );
    ensure!(
        rank >= outer && &updates.dims()[..outer] == places,
        InvalidArgument,
        "Dimensions [0,{outer}) of indices[shape={}] must match dimensions [0,{outer}) of updates[shape={}]",
        indices.shape(),
        updates.shape()
    );
    let depth = *length as usize;
    ensure!(
        depth <= dims.len() && updates.dims()[outer..] == dims[depth..],
        InvalidArgument,
        "Dimensions [{depth},{}) of input[shape={shape}] must match dimensions [{outer},{rank}) of updates[shape={}]",
        dims.len(),
        updates.shape()
    );
    Ok(())
}

/// Changes the slices of `out` that the indices name, in order; what fits together was checked before.
///
/// # Errors
/// `InvalidArgument` for an index that points nowhere, before anything has changed.
pub(crate) fn change_slices(
    out: &mut Tensor,
    indices: &Tensor,
    updates: &Tensor,
    bad: BadIndices,
    change: Change,
) -> Result<()> {
    let Some((length, places)) = indices.dims().split_last() else { return Ok(()) };
    if out.num_elements() == 0 {
        return Ok(());
    }
    let (shape, depth) = (out.shape().clone(), *length as usize);
    let wrong = |place: usize, index: &[i64]| {
        let places = Shape::new(places).unwrap_or_default();
        err!(
            InvalidArgument,
            "indices{} = [{}] does not index into shape {shape}",
            place_in(&places, place),
            listed(index)
        )
    };
    let positions = positions(indices, &shape.dims()[..depth], bad, wrong)?;
    let len = shape.dims()[depth..].iter().product::<i64>() as usize;
    if change == Change::Replace {
        *out = replaced(out, updates, &positions, len)?;
        return Ok(());
    }
    if updates.dtype() == DType::Bool {
        ensure!(change == Change::Add, Unimplemented, "truth values only add up");
        apply(out.make_mut::<bool>()?, updates.as_slice::<bool>()?, &positions, len, |a, b| a | b);
        return Ok(());
    }
    if matches!(change, Change::Min | Change::Max) {
        return dispatch!(updates.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let pick = if change == Change::Min { <T as Real>::lesser } else { <T as Real>::greater };
            apply(out.make_mut::<T>()?, updates.as_slice::<T>()?, &positions, len, pick);
            Ok(())
        });
    }
    dispatch!(updates.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
        let pick = if change == Change::Add { <T as Number>::plus } else { <T as Number>::minus };
        apply(out.make_mut::<T>()?, updates.as_slice::<T>()?, &positions, len, pick);
        Ok(())
    })
}

fn apply<T: Copy>(out: &mut [T], updates: &[T], positions: &[Option<usize>], len: usize, change: impl Fn(T, T) -> T) {
    for (update, position) in updates.chunks_exact(len.max(1)).zip(positions) {
        if let Some(at) = position {
            for (slot, value) in out[at * len..(at + 1) * len].iter_mut().zip(update) {
                *slot = change(*slot, *value);
            }
        }
    }
}

/// The tensor with slices of it replaced, elements of any type.
fn replaced(tensor: &Tensor, updates: &Tensor, positions: &[Option<usize>], len: usize) -> Result<Tensor> {
    struct Replace<'a>(&'a [Option<usize>], usize);
    impl Move for Replace<'_> {
        fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
            out.clone_from_slice(inputs[0]);
            for (update, position) in inputs[1].chunks_exact(self.1.max(1)).zip(self.0) {
                if let Some(at) = position {
                    out[at * self.1..(at + 1) * self.1].clone_from_slice(update);
                }
            }
        }
    }
    moved(tensor.shape().clone(), &[tensor, updates], &Replace(positions, len))
}

fn scatter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.op("GatherNd").input(cx.dy(0)?).input(cx.x(0)).output();
    Ok(vec![None, Some(dy.into()), None])
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
    /// The slices that the vectors along the last axis of `indices` name.
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

    #[test]
    fn updates_add_up() {
        let scatter = |indices: Tensor, updates: Tensor, shape: Tensor| {
            scatter_nd(&indices, &updates, &shape, BadIndices::Refuse).map_err(|status| status.message().to_owned())
        };
        let twice = scatter(Tensor::from([[0i32], [0]]), Tensor::from([1f32, 2.0]), Tensor::from([3i32]));
        assert_eq!(twice.unwrap(), Tensor::from([3f32, 0.0, 0.0]));
        let outside = scatter(Tensor::from([[0i32], [5]]), Tensor::from([1f32, 2.0]), Tensor::from([3i32]));
        assert_eq!(outside.unwrap_err(), "indices[1] = [5] does not index into shape [3]");
        let short = scatter(Tensor::from([[0i32], [1]]), Tensor::from([1f32, 2.0, 3.0]), Tensor::from([3i32]));
        assert_eq!(
            short.unwrap_err(),
            "Dimensions [0,1) of indices[shape=[2,1]] must match dimensions [0,1) of updates[shape=[3]]"
        );
    }
}
