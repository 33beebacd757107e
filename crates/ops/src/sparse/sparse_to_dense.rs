//! `SparseToDense`: values put at their places in a dense tensor.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, Shape, Tensor, bail, ensure};

use super::coordinates::shown;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "SparseToDense",
        "sparse_indices: Tindices, output_shape: Tindices, sparse_values: T, default_value: T -> dense: T",
    )
    .attr("validate_indices: bool = true")
    .attr("T: type")
    .attr("Tindices: {int32, int64}")
    .shape(shape)
    .any_kernel(kernel)
    .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(1);
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let validate = node.attr_bool("validate_indices")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let dense = to_dense(cx.input(0)?, cx.input(1)?, cx.input(2)?, cx.input(3)?, validate)?;
        cx.set_output(0, dense);
        Ok(())
    }))
}

fn to_dense(indices: &Tensor, shape: &Tensor, values: &Tensor, default: &Tensor, validate: bool) -> Result<Tensor> {
    ensure!(
        indices.shape().rank() <= 2,
        InvalidArgument,
        "sparse_indices should be a scalar, vector, or matrix, got shape {}",
        indices.shape()
    );
    ensure!(shape.shape().rank() == 1, InvalidArgument, "output_shape must be rank 1, got shape {}", shape.shape());
    let count = indices.dims().first().copied().unwrap_or(1);
    let rank = indices.dims().get(1).copied().unwrap_or(1) as usize;
    let dims = shape.to_i64_vec()?;
    ensure!(
        dims.len() == rank,
        InvalidArgument,
        "output_shape has incorrect number of elements: {} should be: {rank}",
        dims.len()
    );
    let one = values.shape().is_scalar();
    ensure!(
        one || (values.shape().rank() == 1 && values.dims()[0] == count),
        InvalidArgument,
        "sparse_values has incorrect shape {}, should be [] or [{count}]",
        values.shape()
    );
    ensure!(default.shape().is_scalar(), InvalidArgument, "default_value should be a scalar.");
    let shape = Shape::new(&dims)?;
    let flat = indices.to_i64_vec()?;
    let mut places = Vec::with_capacity(count as usize);
    let mut before: &[i64] = &[];
    for (number, row) in flat.chunks_exact(rank.max(1)).enumerate() {
        let mut place = 0;
        for (at, dim) in row.iter().zip(&dims) {
            ensure!(
                (0..*dim).contains(at),
                InvalidArgument,
                "indices[{number}] = {} is out of bounds: need 0 <= index < {}",
                shown(row),
                shown(&dims)
            );
            place = place * *dim as usize + *at as usize;
        }
        if validate && number > 0 {
            let order = before.cmp(row);
            ensure!(order.is_ne(), InvalidArgument, "indices[{number}] = {} is repeated", shown(row));
            ensure!(
                order.is_lt(),
                InvalidArgument,
                "indices[{number}] = {} is out of order. Many sparse ops require sorted indices.\n    Use \
                 `tf.sparse.reorder` to create a correctly ordered copy.\n\n",
                shown(row)
            );
        }
        before = row;
        places.push(place);
    }
    if places.len() != count as usize {
        bail!(InvalidArgument, "sparse_indices of shape {} have no places", indices.shape());
    }
    moved(shape, &[values, default], &Place(&places))
}

/// Fills with the second input's element and puts the first one's at their places.
struct Place<'a>(&'a [usize]);

impl Move for Place<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        if let [default] = inputs[1] {
            out.fill(default.clone());
        }
        for (number, place) in self.0.iter().enumerate() {
            let value = inputs[0].get(number).or_else(|| inputs[0].first());
            if let (Some(slot), Some(value)) = (out.get_mut(*place), value) {
                *slot = value.clone();
            }
        }
    }
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let all = |x: &graph::Output| {
        let rank = cx.op("Rank").input(x).output();
        let (zero, one) = (cx.graph.constant(0i32), cx.graph.constant(1i32));
        let axes = cx.op("Range").input(zero).input(rank).input(one).output();
        cx.op("Sum").input(x).input(axes).output()
    };
    let values = cx.op("GatherNd").input(&dy).input(cx.x(0)).output();
    let default = cx.op("Sub").input(all(&dy)).input(all(&values)).output();
    Ok(vec![None, None, Some(values.into()), Some(default.into())])
}
