//! `SparseTensorSliceDataset`: the rows of a sparse tensor, each as a sparse tensor.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use tensor::{Result, Shape, Tensor, ensure};

use super::elements::{Counted, Elements, dataset_tensor, extent_of_inputs};
use super::transforms::{By, Way};
use crate::sparse::Coordinates;

pub(crate) fn register(r: &mut Registry) {
    r.op("SparseTensorSliceDataset", "indices: int64, values: Tvalues, dense_shape: int64 -> handle: variant")
        .attr("Tvalues: type")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(kernel);
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (indices, values, shape) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let coordinates = Coordinates::new(indices, Some(values), shape)?;
        ensure!(coordinates.rank > 0, InvalidArgument, "a sparse tensor without dimensions has no rows");
        let firsts: Vec<i64> = coordinates.rows().map(|row| row[0]).collect();
        let rows = coordinates.shape[0];
        for first in &firsts {
            ensure!((0..rows).contains(first), InvalidArgument, "row {first} is out of bounds: there are {rows}");
        }
        for pair in firsts.windows(2) {
            ensure!(
                pair[0] <= pair[1],
                Unimplemented,
                "The SparseTensor must be ordered in the batch dimension; handling arbitrarily ordered input is not \
                 currently supported: row {} follows row {}",
                pair[1],
                pair[0]
            );
        }
        let (rank, values, inside) = (coordinates.rank - 1, values.clone(), extent_of_inputs(cx));
        let rest: Vec<i64> = coordinates.rows().flat_map(|row| row[1..].to_vec()).collect();
        let rest = Tensor::new([firsts.len() as i64, rank as i64], rest)?;
        let shape = Tensor::vector(&coordinates.shape[1..]);
        let made = dataset_tensor(
            Counted(
                By(move |_: &Step| {
                    let (rest, values, shape, firsts) = (rest.clone(), values.clone(), shape.clone(), firsts.clone());
                    let (mut row, mut start) = (0, 0);
                    Ok(Box::new(Way(move |_: &Step| {
                        if row >= rows {
                            return Ok(None);
                        }
                        let count = firsts[start..].iter().take_while(|first| **first == row).count();
                        let indices = rest.window(start * rank, Shape::new(&[count as i64, rank as i64])?)?;
                        let element = vec![indices, values.window(start, Shape::vector(count))?, shape.clone()];
                        row += 1;
                        start += count;
                        Ok(Some(element))
                    })) as Box<dyn Elements>)
                }),
                rows,
            ),
            inside,
        )?;
        cx.set_output(0, made);
        Ok(())
    }))
}
