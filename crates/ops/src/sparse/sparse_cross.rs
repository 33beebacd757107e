//! `SparseCross`, `SparseCrossHashed` and `SparseCrossV2`: the combinations of features of several columns, as a sparse tensor.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

use super::cross_columns::{CrossColumn, Crosser, Hash, crosses};

pub(crate) fn register(r: &mut Registry) {
    let inputs = "indices: N * int64, values: sparse_types, shapes: N * int64, dense_inputs: dense_types";
    let types = |entry: OpEntry<'_>| {
        entry
            .attr("sparse_types: list({int64, string}) >= 0")
            .attr("dense_types: list({int64, string}) >= 0")
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    };
    let outputs = |values: &str| format!("output_indices: int64, output_values: {values}, output_shape: int64");
    r.op("SparseCross", &format!("{inputs} -> {}", outputs("out_type")))
        .attr("N: int >= 0")
        .attr("hashed_output: bool")
        .attr("num_buckets: int >= 0")
        .attr("hash_key: int")
        .attr("sparse_types: list({int64, string}) >= 0")
        .attr("dense_types: list({int64, string}) >= 0")
        .attr("out_type: {int64, string}")
        .attr("internal_type: {int64, string}")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    let more = "num_buckets: int64, strong_hash: bool, salt: int64";
    types(r.op("SparseCrossHashed", &format!("{inputs}, {more} -> {}", outputs("int64"))).attr("N: int >= 0"));
    types(r.op("SparseCrossV2", &format!("{inputs}, sep: string -> {}", outputs("string"))).attr("N: int >= 0"));
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::new(&[None, Some(2)]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(Some(2)));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (sparse, dense) = (node.attr_types("sparse_types")?.len(), node.attr_types("dense_types")?.len());
    let count = node.attr_int("N")?;
    ensure!(sparse as i64 == count, InvalidArgument, "{count} sparse tensors with values of {sparse} types");
    let internal = if node.op == "SparseCross" { Some(node.attr_type("internal_type")?) } else { None };
    let old = match node.op.as_str() {
        "SparseCross" => Some(match node.attr_type("out_type")? {
            DType::String => Crosser::Join(Bytes::from_static(b"_X_")),
            _ => Crosser::Hash {
                buckets: node.attr_int("num_buckets")?.max(0) as u64,
                first: Some(node.attr_int("hash_key")? as u64),
                hash: Hash::Plain,
            },
        }),
        _ => None,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let first_dense = 3 * sparse;
        let crosser = match &old {
            Some(crosser) => crosser.clone(),
            None => crosser(cx, first_dense + dense)?,
        };
        let mut columns = Vec::with_capacity(sparse + dense);
        for place in (sparse..2 * sparse).chain(first_dense..first_dense + dense) {
            let dtype = cx.input(place)?.dtype();
            ensure!(
                internal.is_none_or(|internal| internal == dtype),
                InvalidArgument,
                "Input values should be of internal type {} but received {}",
                internal.map_or(0, DType::number),
                dtype.number()
            );
        }
        for place in 0..sparse {
            columns.push(CrossColumn::sparse(
                cx.input(place)?,
                cx.input(sparse + place)?,
                cx.input(2 * sparse + place)?,
            )?);
        }
        for place in first_dense..first_dense + dense {
            columns.push(CrossColumn::dense(cx.input(place)?)?);
        }
        let made = crosses(&columns, &crosser)?;
        let mut indices = Vec::with_capacity(2 * made.values.num_elements());
        for (row, count) in made.counts.iter().enumerate() {
            indices.extend((0..*count).flat_map(|place| [row as i64, place]));
        }
        let longest = made.counts.iter().copied().max().unwrap_or(0);
        cx.set_output(0, Tensor::new([made.values.num_elements() as i64, 2], indices)?);
        cx.set_output(1, made.values);
        cx.set_output(2, Tensor::vector(&[made.counts.len() as i64, longest]));
        Ok(())
    }))
}

/// How the newer ops are told to cross.
fn crosser(cx: &OpContext<'_>, first: usize) -> Result<Crosser> {
    let scalar = |index: usize, name: &str| -> Result<&Tensor> {
        let input = cx.input(index)?;
        ensure!(
            input.shape().is_scalar(),
            InvalidArgument,
            "Input {name} should be a scalar. Received: {}",
            input.shape()
        );
        Ok(input)
    };
    if cx.num_inputs() == first + 1 {
        return Ok(Crosser::Join(scalar(first, "separator")?.to_string_scalar()?.clone()));
    }
    let buckets = scalar(first, "num_buckets")?.to_scalar::<i64>()?;
    let strong = scalar(first + 1, "strong_hash")?.to_scalar::<bool>()?;
    let salt = cx.input(first + 2)?.to_i64_vec()?;
    let &[one, two] = &salt[..] else {
        tensor::bail!(InvalidArgument, "Input \"salt\" must have length 2 but has length {}", salt.len())
    };
    let hash = if strong { Hash::Strong(one as u64, two as u64) } else { Hash::Weak };
    Ok(Crosser::Hash { buckets: buckets.max(0) as u64, first: None, hash })
}
