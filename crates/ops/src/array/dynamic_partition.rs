//! `DynamicPartition`: the rows of a tensor, dealt out to several by number.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::gather::place_in;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("DynamicPartition", "data: T, partitions: int32 -> outputs: num_partitions * T")
        .attr("num_partitions: int >= 1")
        .attr("T: type")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (data, partitions) = (cx.input(0), cx.input(1));
    let inner = match (data.raw_dims(), partitions.raw_dims()) {
        (Some(dims), Some(head)) => {
            let fits = dims.len() >= head.len() && dims.iter().zip(head).all(|(a, b)| *a < 0 || *b < 0 || a == b);
            ensure!(fits, InvalidArgument, "data.shape {data} must start with partitions.shape {partitions}");
            PartialShape::from_dims(&dims[head.len()..])
        }
        _ => return Ok(()),
    };
    for index in 0..cx.num_outputs() {
        cx.set(index, PartialShape::vector(None).concatenate(&inner));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("num_partitions")? as usize;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        for (index, part) in partition(cx.input(0)?, cx.input(1)?, count)?.into_iter().enumerate() {
            cx.set_output(index, part);
        }
        Ok(())
    }))
}

fn partition(data: &Tensor, partitions: &Tensor, count: usize) -> Result<Vec<Tensor>> {
    ensure!(
        data.dims().starts_with(partitions.dims()),
        InvalidArgument,
        "data.shape must start with partitions.shape, got data.shape = {}, partitions.shape = {}",
        data.shape(),
        partitions.shape()
    );
    let mut rows: Vec<Vec<usize>> = vec![Vec::new(); count];
    for (row, number) in partitions.as_slice::<i32>()?.iter().enumerate() {
        let part = usize::try_from(*number).ok().and_then(|number| rows.get_mut(number));
        ensure!(
            part.is_some(),
            InvalidArgument,
            "partitions{} = {number} is not in [0, {count})",
            place_in(partitions.shape(), row)
        );
        if let Some(part) = part {
            part.push(row);
        }
    }
    let inner = &data.dims()[partitions.shape().rank()..];
    let len = inner.iter().product::<i64>() as usize;
    let part = |rows: Vec<usize>| {
        let shape = Shape::new(&[&[rows.len() as i64], inner].concat())?;
        moved(shape, &[data], &Rows { rows: &rows, len })
    };
    rows.into_iter().map(part).collect()
}

struct Rows<'a> {
    rows: &'a [usize],
    len: usize,
}

impl Move for Rows<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        if self.len > 0 {
            for (target, row) in out.chunks_exact_mut(self.len).zip(self.rows) {
                target.clone_from_slice(&inputs[0][row * self.len..(row + 1) * self.len]);
            }
        }
    }
}

/// The parts' gradients are put back where the rows came from.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (data, partitions) = (cx.x(0), cx.x(1));
    let count = cx.attr_int("num_partitions")?;
    let (zero, one) = (cx.graph.constant(0i32), cx.graph.constant(1i32));
    let shape = partitions.unary("Shape");
    let rows = cx.op("Prod").input(&shape).input(cx.graph.constant([0i32])).output();
    let numbers = cx.op("Range").input(&zero).input(rows).input(one).output();
    let numbers = cx.op("Reshape").input(numbers).input(shape).output();
    let places = cx.op("DynamicPartition").input(numbers).input(&partitions).attr("num_partitions", count).outputs();
    let grads: Vec<Output> = (0..count as usize).map(|index| cx.dy(index)).collect::<Result<_>>()?;
    let joined = cx.op("DynamicStitch").input_list(&places).input_list(&grads).output();
    let dx = cx.op("Reshape").input(joined).input(data.unary("Shape")).output();
    Ok(vec![Some(dx.into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_go_to_their_parts_in_order() {
        let data = Tensor::from([[1i64, 2], [3, 4], [5, 6]]);
        let parts = partition(&data, &Tensor::from([1i32, 0, 1]), 3).unwrap();
        assert_eq!(parts[0], Tensor::from([[3i64, 4]]));
        assert_eq!(parts[1], Tensor::from([[1i64, 2], [5, 6]]));
        assert_eq!(parts[2].dims(), [0, 2]);
        assert!(partition(&data, &Tensor::from([1i32, 0, 3]), 3).is_err());
        assert!(partition(&data, &Tensor::from([1i32, 0, -1]), 3).is_err());
    }
}
