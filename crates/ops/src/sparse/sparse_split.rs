//! `SparseSplit`: a sparse tensor cut into pieces along a dimension.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseSplit",
        "split_dim: int64, indices: int64, values: T, shape: int64 -> output_indices: num_split * int64, \
         output_values: num_split * T, output_shape: num_split * int64",
    )
    .attr("num_split: int >= 1")
    .attr("T: type")
    .shape(split_shape)
    .any_kernel(split_kernel)
    .not_differentiable();
}

fn split_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.attr_int("num_split")?.max(0) as usize;
    let shape = cx.with_rank(3, 1)?;
    for index in 0..count {
        cx.set(index, PartialShape::new(&[None, shape.dim(0)]));
        cx.set(count + index, PartialShape::vector(None));
        cx.set(2 * count + index, shape.clone());
    }
    Ok(())
}

fn split_kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("num_split")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (axis, values) = (cx.input(0)?, cx.input(2)?);
        let whole = Coordinates::new(cx.input(1)?, Some(values), cx.input(3)?)?;
        let &[axis] = axis.as_slice::<i64>()? else {
            bail!(InvalidArgument, "axis should be a scalar, got shape {}", cx.input(0)?.shape())
        };
        let rank = whole.rank as i64;
        ensure!(
            (-rank..rank).contains(&axis),
            InvalidArgument,
            "Input axis should be in range [{}, {rank}), got {axis}",
            -rank
        );
        let axis = axis.rem_euclid(rank.max(1)) as usize;
        let size = whole.shape[axis];
        ensure!(
            (1..=size).contains(&count),
            InvalidArgument,
            "Input num_split should be between 1 and the splitting dimension size ({size}), got {count}"
        );
        whole.check_bounds()?;
        // The first parts are larger by one where the size does not divide.
        let (least, more) = (size / count, size % count);
        let part_of = |at: i64| if at < (least + 1) * more { at / (least + 1) } else { (at - more) / least };
        let mut parts = vec![(Vec::new(), Vec::new()); count as usize];
        for (number, row) in whole.rows().enumerate() {
            let part = part_of(row[axis]);
            let (flat, picked) = &mut parts[part as usize];
            let first = flat.len();
            flat.extend_from_slice(row);
            flat[first + axis] -= part * least + part.min(more);
            picked.push(number);
        }
        let mut outputs = Vec::new();
        for (number, (flat, picked)) in parts.into_iter().enumerate() {
            let mut shape = whole.shape.clone();
            shape[axis] = least + ((number as i64) < more) as i64;
            let values = moved(Shape::vector(picked.len()), &[values], &Pick(&picked))?;
            outputs.push((Tensor::new([picked.len() as i64, rank], flat)?, values, Tensor::vector(&shape)));
        }
        for (number, (indices, values, shape)) in outputs.into_iter().enumerate() {
            cx.set_output(number, indices);
            cx.set_output(count as usize + number, values);
            cx.set_output(2 * count as usize + number, shape);
        }
        Ok(())
    }))
}
