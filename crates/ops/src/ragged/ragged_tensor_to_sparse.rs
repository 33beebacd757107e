//! `RaggedTensorToSparse`: the coordinates of the values of a ragged tensor.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail};

use super::splits::row_splits;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "RaggedTensorToSparse",
        "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: T -> sparse_indices: int64, sparse_values: T, \
         sparse_dense_shape: int64",
    )
    .attr("RAGGED_RANK: int >= 1")
    .attr("T: type")
    .attr("Tsplits: {int32, int64} = int64")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let ragged = cx.num_inputs() - 1;
    for index in 0..ragged {
        cx.with_rank(index, 1)?;
    }
    let values = cx.with_rank_at_least(ragged, 1)?;
    let rank = values.rank().map(|rank| (rank + ragged) as i64);
    cx.set(0, PartialShape::new(&[values.num_elements(), rank]));
    cx.set(1, PartialShape::vector(values.num_elements()));
    cx.set(2, PartialShape::vector(rank));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let ragged = node.attr_int("RAGGED_RANK")? as usize;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let values = cx.input(ragged)?;
        let Some((rows, inner)) = values.dims().split_first() else {
            bail!(InvalidArgument, "rt_dense_values must be at least a vector, got a scalar")
        };
        let mut nested = Vec::with_capacity(ragged);
        for index in 0..ragged {
            // What the rows of an axis hold are the rows of the next one, and at last the values.
            let next = match index + 1 < ragged {
                true => cx.input(index + 1)?.num_elements().saturating_sub(1),
                false => *rows as usize,
            };
            nested.push(row_splits(cx.input(index)?, Some(next))?);
        }
        let rank = 1 + ragged + inner.len();
        let count = values.num_elements();
        let indices_shape = Shape::new(&[count as i64, rank as i64])?;
        let width = Shape::new(inner)?.num_elements();
        let indices = Tensor::build(indices_shape, |out: &mut [i64]| {
            // The coordinates of each value's row, from the innermost axis out.
            let mut at: Vec<usize> = vec![0; ragged];
            for (row, out) in out.chunks_exact_mut((width * rank).max(1)).enumerate() {
                let mut place = row as i64;
                let mut prefix = vec![0i64; ragged + 1];
                for axis in (0..ragged).rev() {
                    let splits = &nested[axis];
                    while at[axis] + 2 < splits.len() && splits[at[axis] + 1] <= place {
                        at[axis] += 1;
                    }
                    prefix[axis + 1] = place - splits[at[axis]];
                    place = at[axis] as i64;
                }
                prefix[0] = place;
                for (number, out) in out.chunks_exact_mut(rank).enumerate() {
                    out[..=ragged].copy_from_slice(&prefix);
                    let mut left = number as i64;
                    for (out, dim) in out[ragged + 1..].iter_mut().zip(inner).rev() {
                        *out = left % dim;
                        left /= dim;
                    }
                }
            }
            Ok(())
        })?;
        let longest = |splits: &Vec<i64>| splits.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0);
        let mut dims = vec![nested[0].len() as i64 - 1];
        dims.extend(nested.iter().map(longest));
        dims.extend(inner);
        let flat = values.reshape(Shape::vector(count))?;
        cx.set_output(0, indices);
        cx.set_output(1, flat);
        cx.set_output(2, Tensor::vector(&dims));
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let last = cx.num_inputs() - 1;
    let values = crate::arguments::reshaped_like_input(cx, &cx.dy(1)?, last);
    let mut gradients: Vec<Option<Gradient>> = (0..last).map(|_| None).collect();
    gradients.push(Some(values.into()));
    Ok(gradients)
}
