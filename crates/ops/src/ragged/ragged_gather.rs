//! `RaggedGather`: rows of a ragged tensor by their numbers.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, IndexedSlices, Node, Output, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::splits::row_splits;
use crate::arguments::int_tensor;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "RaggedGather",
        "params_nested_splits: PARAMS_RAGGED_RANK * Tsplits, params_dense_values: Tvalues, indices: Tindices -> \
         output_nested_splits: OUTPUT_RAGGED_RANK * Tsplits, output_dense_values: Tvalues",
    )
    .attr("Tvalues: type")
    .attr("Tindices: {int32, int64}")
    .attr("Tsplits: {int32, int64} = int64")
    .attr("PARAMS_RAGGED_RANK: int >= 1")
    .attr("OUTPUT_RAGGED_RANK: int >= 0")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let ragged = cx.attr_int("PARAMS_RAGGED_RANK")? as usize;
    let output = cx.attr_int("OUTPUT_RAGGED_RANK")? as usize;
    for index in 0..ragged {
        cx.with_rank(index, 1)?;
    }
    let values = cx.with_rank_at_least(ragged, 1)?;
    let indices = cx.input(ragged + 1);
    if let Some(rank) = indices.rank() {
        ensure!(
            rank + ragged == output + 1,
            InvalidArgument,
            "Expected OUTPUT_RAGGED_RANK to be {} (indices' rank {rank} + PARAMS_RAGGED_RANK {ragged} - 1), not {output}",
            (rank + ragged).saturating_sub(1)
        );
    }
    for index in 0..output {
        cx.set(index, PartialShape::vector(None));
    }
    if let Some(dims) = values.dims() {
        let inner: Vec<Option<i64>> = std::iter::once(None).chain(dims.into_iter().skip(1)).collect();
        cx.set(output, PartialShape::new(&inner));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let ragged = node.attr_int("PARAMS_RAGGED_RANK")? as usize;
    let output = node.attr_int("OUTPUT_RAGGED_RANK")? as usize;
    let splits_type = node.attr_type("Tsplits")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (values, indices) = (cx.input(ragged)?, cx.input(ragged + 1)?);
        let Some((rows, inner)) = values.dims().split_first() else {
            bail!(InvalidArgument, "params.rank must be nonzero")
        };
        let mut nested = Vec::with_capacity(ragged);
        for index in 0..ragged {
            let next = match index + 1 < ragged {
                true => cx.input(index + 1)?.num_elements().saturating_sub(1),
                false => *rows as usize,
            };
            nested.push(row_splits(cx.input(index)?, Some(next))?);
        }
        let outer = indices.dims().to_vec();
        ensure!(
            outer.len() + ragged == output + 1,
            InvalidArgument,
            "indices of rank {} for {output} splits of the output and {ragged} of the input",
            outer.len()
        );
        let count = nested[0].len() as i64 - 1;
        let chosen = indices.to_i64_vec()?;
        for (place, index) in chosen.iter().enumerate() {
            ensure!(
                (0..count).contains(index),
                InvalidArgument,
                "indices{} = {index} is not in [0, {count})",
                place_in(place, &outer)
            );
        }
        let mut splits: Vec<Vec<i64>> = Vec::with_capacity(output);
        // The dimensions of the indices but the last are regular.
        let mut total = 1i64;
        for pair in outer.windows(2) {
            total = total.saturating_mul(pair[0]);
            let bytes = (total as u64).saturating_mul(8);
            tensor::memory::ensure_free(bytes, format_args!("{total} rows of a ragged tensor"))?;
            splits.push((0..=total).map(|row| row * pair[1]).collect());
        }
        // Each chosen row is a range of the next level's rows, and at last of the values.
        let mut ranges: Vec<(i64, i64)> = chosen.iter().map(|index| (*index, *index + 1)).collect();
        for (level, own) in nested.iter().enumerate() {
            let mut joined = vec![0i64];
            for range in &mut ranges {
                let part = &own[range.0 as usize..=range.1 as usize];
                for pair in part.windows(2) {
                    joined.push(joined[joined.len() - 1] + pair[1] - pair[0]);
                }
                *range = (part[0], part[part.len() - 1]);
            }
            // A scalar index has the row itself, without the axis of rows.
            if level > 0 || !outer.is_empty() {
                splits.push(joined);
            }
        }
        let (width, size) =
            (Shape::new(inner)?.num_elements(), ranges.iter().map(|(start, end)| end - start).sum::<i64>());
        let shape = Shape::new(&[&[size], inner].concat())?;
        Tensor::check_size(values.dtype(), &shape)?;
        let places: Vec<usize> =
            ranges.iter().flat_map(|(start, end)| *start as usize * width..*end as usize * width).collect();
        let values = moved(shape, &[values], &Pick(&places))?;
        for (index, splits) in splits.iter().enumerate() {
            cx.set_output(index, int_tensor(splits, splits_type)?);
        }
        cx.set_output(output, values);
        Ok(())
    }))
}

/// Where an element lies, as messages show it.
fn place_in(mut place: usize, dims: &[i64]) -> String {
    let mut at = vec![0; dims.len()];
    for (slot, dim) in at.iter_mut().zip(dims).rev() {
        *slot = place % (*dim).max(1) as usize;
        place /= (*dim).max(1) as usize;
    }
    format!("[{}]", at.iter().map(usize::to_string).collect::<Vec<_>>().join(","))
}

/// Each chosen row's gradient goes to where its values lie.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let ragged = cx.attr_int("PARAMS_RAGGED_RANK")? as usize;
    let output = cx.attr_int("OUTPUT_RAGGED_RANK")? as usize;
    let (values, indices) = (cx.x(ragged), cx.x(ragged + 1));
    let gather = |params: &Output, at: &Output| {
        cx.op("GatherV2").input(params).input(at).input(cx.graph.constant(0i32)).output()
    };
    let ends = (1..ragged).fold(cx.x(0), |ends, level| gather(&cx.x(level), &ends));
    let flat = cx.op("Reshape").input(&indices).input(cx.graph.constant([-1i32])).output();
    let (one, indices_type) = (cx.op("OnesLike").input(&flat).output(), cx.attr_type("Tindices")?);
    let next = cx.op("AddV2").input(&flat).input(one).attr("T", indices_type).output();
    let (starts, limits) = (gather(&ends, &flat), gather(&ends, &next));
    let deltas = cx.op("OnesLike").input(&starts).output();
    let ranges = cx.op("RaggedRange").input(starts).input(limits).input(deltas).build();
    let slices = IndexedSlices {
        values: cx.dy(output)?,
        indices: ranges.output(1),
        dense_shape: crate::arguments::shape_node(cx, &values, DType::Int32),
    };
    let mut gradients: Vec<Option<Gradient>> = (0..ragged).map(|_| None).collect();
    gradients.extend([Some(Gradient::Slices(slices)), None]);
    Ok(gradients)
}
