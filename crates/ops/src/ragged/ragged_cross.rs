//! `RaggedCross`: the combinations of features of ragged, sparse and dense columns, as a ragged tensor.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, bail, ensure};

use super::splits::row_splits;
use crate::arguments::int_tensor;
use crate::sparse::{CrossColumn, Crosser, Hash, crosses};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "RaggedCross",
        "ragged_values: ragged_values_types, ragged_row_splits: ragged_splits_types, sparse_indices: Nsparse * int64, \
         sparse_values: sparse_values_types, sparse_shape: Nsparse * int64, dense_inputs: dense_types -> output_values: \
         out_values_type, output_row_splits: out_row_splits_type",
    )
    .attr("Nsparse: int >= 0")
    .attr("input_order: string")
    .attr("hashed_output: bool")
    .attr("num_buckets: int >= 0")
    .attr("hash_key: int")
    .attr("ragged_values_types: list({int64, string}) >= 0")
    .attr("ragged_splits_types: list({int32, int64}) >= 0")
    .attr("sparse_values_types: list({int64, string}) >= 0")
    .attr("dense_types: list({int64, string}) >= 0")
    .attr("out_values_type: {int64, string}")
    .attr("out_row_splits_type: {int32, int64}")
    .shape(shape)
    .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (ragged, sparse) = (cx.attr_types("ragged_values_types")?.len(), cx.attr_types("sparse_values_types")?.len());
    let dense = cx.attr_types("dense_types")?.len();
    let ends = (ragged..2 * ragged).find_map(|splits| cx.input(splits).dim(0));
    let first_dense = 2 * ragged + 3 * sparse;
    let rows = (first_dense..first_dense + dense).find_map(|matrix| cx.input(matrix).dim(0));
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(ends.or(rows.map(|rows| rows + 1))));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let count = |name: &str| node.attr_types(name).map(<[DType]>::len);
    let (ragged, sparse, dense) = (count("ragged_values_types")?, count("sparse_values_types")?, count("dense_types")?);
    let (splits, numbered) = (count("ragged_splits_types")?, node.attr_int("Nsparse")?);
    ensure!(
        splits == ragged && numbered == sparse as i64,
        InvalidArgument,
        "ragged values and row splits, or sparse indices and values, are not equally many"
    );
    let order = node.attr_bytes("input_order")?.to_vec();
    let of = |kind: u8| order.iter().filter(|own| **own == kind).count();
    ensure!(
        of(b'R') == ragged && of(b'S') == sparse && of(b'D') == dense && order.len() == ragged + sparse + dense,
        InvalidArgument,
        "Invalid input_order \"{}\" for {ragged} ragged, {sparse} sparse and {dense} dense inputs",
        order.escape_ascii()
    );
    let crosser = match node.attr_bool("hashed_output")? {
        false => Crosser::Join(Bytes::from_static(b"_X_")),
        true => Crosser::Hash {
            buckets: node.attr_int("num_buckets")?.max(0) as u64,
            first: Some(node.attr_int("hash_key")? as u64),
            hash: Hash::Plain,
        },
    };
    let splits_type = node.attr_type("out_row_splits_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (mut next_ragged, mut next_sparse, mut next_dense) = (0, 2 * ragged, 2 * ragged + 3 * sparse);
        let mut columns = Vec::with_capacity(order.len());
        for kind in &order {
            columns.push(match kind {
                b'R' => {
                    let (values, splits) = (cx.input(next_ragged)?, cx.input(ragged + next_ragged)?);
                    ensure!(
                        values.shape().rank() == 1,
                        InvalidArgument,
                        "tf.ragged.cross only supports inputs with rank=2, but received values of shape {}",
                        values.shape()
                    );
                    next_ragged += 1;
                    let splits = row_splits(splits, Some(values.num_elements()))?;
                    CrossColumn::new(values, splits.into_iter().map(|split| split as usize).collect())?
                }
                b'S' => {
                    let at = next_sparse;
                    next_sparse += 1;
                    CrossColumn::sparse(cx.input(at)?, cx.input(at + sparse)?, cx.input(at + 2 * sparse)?)?
                }
                b'D' => {
                    next_dense += 1;
                    CrossColumn::dense(cx.input(next_dense - 1)?)?
                }
                other => bail!(InvalidArgument, "no kind of input is called '{}'", other.escape_ascii()),
            });
        }
        let made = crosses(&columns, &crosser)?;
        let mut ends = vec![0i64];
        for count in &made.counts {
            ends.push(ends[ends.len() - 1] + count);
        }
        cx.set_output(0, made.values);
        cx.set_output(1, int_tensor(&ends, splits_type)?);
        Ok(())
    }))
}
