//! `ScatterNd`: slices added up at the places that index vectors name.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::index_vectors::{BadIndices, Change, change_slices, check_updates};
use crate::arguments::kernel_by_size;

pub(crate) fn register(r: &mut Registry) {
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
pub(super) fn scatter_nd(indices: &Tensor, updates: &Tensor, shape: &Tensor, bad: BadIndices) -> Result<Tensor> {
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

fn scatter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.op("GatherNd").input(cx.dy(0)?).input(cx.x(0)).output();
    Ok(vec![None, Some(dy.into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

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
