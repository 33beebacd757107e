//! `DynamicStitch` and `ParallelDynamicStitch`: rows of several tensors, each put where an index says.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::kernel_by_size;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    for name in ["DynamicStitch", "ParallelDynamicStitch"] {
        r.op(name, "indices: N * int32, data: N * T -> merged: T")
            .attr("N: int >= 1")
            .attr("T: type")
            .shape(shape)
            .any_kernel(kernel)
            .gradient(gradient);
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.num_inputs() / 2;
    let (mut rows, mut all_known) = (0, true);
    let mut inner = PartialShape::unknown();
    for i in 0..count {
        match cx.ints(i) {
            Some(indices) => rows = indices.into_iter().fold(rows, |rows, index| rows.max(index.saturating_add(1))),
            None => all_known = false,
        }
        let (indices, data) = (cx.input(i), cx.input(count + i));
        let (Some(head), Some(dims)) = (indices.raw_dims(), data.raw_dims()) else { continue };
        let fits = dims.len() >= head.len() && dims.iter().zip(head).all(|(a, b)| *a < 0 || *b < 0 || a == b);
        ensure!(fits, InvalidArgument, "data[{i}].shape = {data} does not start with indices[{i}].shape = {indices}");
        inner = inner.merge(&PartialShape::from_dims(&dims[head.len()..]))?;
    }
    let rows = PartialShape::vector(all_known.then_some(rows));
    cx.set(0, rows.concatenate(&inner));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("N")? as usize;
    Ok(kernel_by_size(node, move |cx: &mut OpContext<'_>| {
        let merged = stitch(&cx.inputs(0..count)?, &cx.inputs(count..2 * count)?)?;
        cx.set_output(0, merged);
        Ok(())
    }))
}

/// Where several rows have the same index, the last one stays; rows without an index are zeros.
fn stitch(indices: &[&Tensor], data: &[&Tensor]) -> Result<Tensor> {
    let (Some(first_indices), Some(first)) = (indices.first(), data.first()) else { bail!(Internal, "no inputs") };
    let inner = |indices: &Tensor, data: &Tensor| data.dims().get(indices.shape().rank()..).map(<[i64]>::to_vec);
    for (i, (indices, data)) in indices.iter().zip(data).enumerate() {
        ensure!(
            data.dims().starts_with(indices.dims()),
            InvalidArgument,
            "data[{i}].shape = {} does not start with indices[{i}].shape = {}",
            data.shape(),
            indices.shape()
        );
        let (rank, first_rank) = (indices.shape().rank(), first_indices.shape().rank());
        ensure!(
            inner(indices, data) == inner(first_indices, first),
            InvalidArgument,
            "Need data[0].shape[{first_rank}:] = data[{i}].shape[{rank}:], got data[0].shape = {}, data[{i}].shape = {}, \
             indices[0].shape = {}, indices[{i}].shape = {}",
            first.shape(),
            data.shape(),
            first_indices.shape(),
            indices.shape()
        );
    }
    let inner = inner(first_indices, first).unwrap_or_default();
    let mut rows = 0;
    for indices in indices {
        let values = indices.as_slice::<i32>()?;
        if let Some(place) = values.iter().position(|index| *index < 0 || *index == i32::MAX) {
            bail!(InvalidArgument, "indices[{place}] is out of range: {}", values[place]);
        }
        rows = values.iter().fold(rows, |rows, index| rows.max(index + 1));
    }
    let shape = Shape::new(&[&[rows as i64], &inner[..]].concat())?;
    Tensor::check_size(first.dtype(), &shape)?;
    // For each row of the result, the last tensor and row that names it.
    let mut sources = vec![None; rows as usize];
    for (i, indices) in indices.iter().enumerate() {
        for (row, index) in indices.as_slice::<i32>()?.iter().enumerate() {
            sources[*index as usize] = Some((i, row));
        }
    }
    let len = inner.iter().product::<i64>() as usize;
    let gap =
        sources.iter().any(Option::is_none).then(|| Tensor::zeros(first.dtype(), &Shape::scalar())).transpose()?;
    let inputs: Vec<&Tensor> = data.iter().copied().chain(&gap).collect();
    moved(shape, &inputs, &Stitch { sources: &sources, len })
}

struct Stitch<'a> {
    sources: &'a [Option<(usize, usize)>],
    len: usize,
}

impl Move for Stitch<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        if self.len == 0 {
            return;
        }
        for (target, source) in out.chunks_exact_mut(self.len).zip(self.sources) {
            match (source, inputs.last()) {
                (Some((i, row)), _) => target.clone_from_slice(&inputs[*i][row * self.len..(row + 1) * self.len]),
                (None, Some([zero])) => target.fill(zero.clone()),
                _ => {}
            }
        }
    }
}

/// Each row takes the gradient from where it went.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (dy, count) = (cx.dy(0)?, cx.num_inputs() / 2);
    let axis = cx.graph.constant(0i32);
    let taken = |i: usize| Some(cx.op("GatherV2").input(&dy).input(cx.x(i)).input(&axis).output().into());
    Ok((0..count).map(|_| None).chain((0..count).map(taken)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_row_stays_and_gaps_are_zero() {
        let indices = [Tensor::from([0i32, 3]), Tensor::from(3i32)];
        let data = [Tensor::from([[1f32, 2.0], [3.0, 4.0]]), Tensor::from([5f32, 6.0])];
        let merged = stitch(&indices.each_ref(), &data.each_ref()).unwrap();
        assert_eq!(merged, Tensor::from([[1f32, 2.0], [0.0, 0.0], [0.0, 0.0], [5.0, 6.0]]));
        let huge = Tensor::from([i32::MAX]);
        assert!(stitch(&[&huge], &[&Tensor::from([1f32])]).is_err());
    }
}
