//! How often each number occurs, of sparse and ragged tensors: `SparseBincount` and `RaggedBincount` say it of all numbers below
//! a size, `SparseCountSparseOutput`, `RaggedCountSparseOutput` and `DenseCountSparseOutput` of those that occur.

use std::collections::BTreeMap;

use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::number::Number;
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    const WEIGHTS: &[DType] = &[DType::Int32, DType::Int64, DType::Float, DType::Double];
    for (name, inputs) in [
        ("SparseBincount", "indices: int64, values: Tidx, dense_shape: int64"),
        ("RaggedBincount", "splits: int64, values: Tidx"),
    ] {
        r.op(name, &format!("{inputs}, size: Tidx, weights: T -> output: T"))
            .attr("Tidx: {int32, int64}")
            .attr("T: {int32, int64, float, double}")
            .attr("binary_output: bool = false")
            .shape(bins_shape)
            .kernel("T", WEIGHTS, bins_kernel);
    }
    let rest = |entry: OpEntry<'_>| {
        entry
            .attr("T: {int32, int64}")
            .attr("minlength: int >= -1 = -1")
            .attr("maxlength: int >= -1 = -1")
            .attr("binary_output: bool")
            .attr("output_type: {int32, int64, float, double}")
            .shape(counts_shape)
            .kernel("output_type", WEIGHTS, counts_kernel);
    };
    let outputs =
        "weights: output_type -> output_indices: int64, output_values: output_type, output_dense_shape: int64";
    rest(r.op("SparseCountSparseOutput", &format!("indices: int64, values: T, dense_shape: int64, {outputs}")));
    rest(r.op("RaggedCountSparseOutput", &format!("splits: int64, values: T, {outputs}")));
    rest(r.op("DenseCountSparseOutput", &format!("values: T, {outputs}")));
}

fn bins_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let sparse = cx.node.op == "SparseBincount";
    let place = if sparse { 3 } else { 2 };
    let size = cx.int(place).filter(|size| *size >= 0);
    if !sparse {
        // As TensorFlow, which says nothing of the counts in rows of ragged tensors.
        return Ok(());
    }
    match cx.input(2).dim(0) {
        Some(1) => cx.set(0, PartialShape::vector(size)),
        Some(2) => cx.set(0, PartialShape::new(&[cx.input_as_shape(2).dim(0), size])),
        _ => {}
    }
    Ok(())
}

fn counts_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = match cx.node.op.as_str() {
        "RaggedCountSparseOutput" => Some(2),
        "DenseCountSparseOutput" => cx.input(0).rank().map(|rank| rank as i64),
        _ => cx.input(0).dim(1),
    };
    cx.set(0, PartialShape::new(&[None, rank]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(rank));
    Ok(())
}

/// Numbers, and in which of how many rows each of them lies.
struct Numbers {
    values: Vec<i64>,
    rows: Vec<usize>,
    count: usize,
    /// Whether there are no rows, only numbers.
    flat: bool,
}

/// The most rows that are taken for meant.
const MAX_ROWS: i64 = 1 << 31;

impl Numbers {
    fn dense(values: &Tensor) -> Result<Numbers> {
        let rank = values.shape().rank();
        ensure!(
            rank == 1 || rank == 2,
            InvalidArgument,
            "Input must be a 1 or 2-dimensional tensor. Got: {}",
            values.shape()
        );
        let flat = rank == 1;
        let (count, width) =
            if flat { (1, values.shape().dim(0)) } else { (values.shape().dim(0), values.shape().dim(1)) };
        let rows = (0..values.num_elements()).map(|place| place / width.max(1)).collect();
        Ok(Numbers { values: values.to_i64_vec()?, rows, count, flat })
    }

    fn ragged(splits: &Tensor, values: &Tensor) -> Result<Numbers> {
        ensure!(values.shape().rank() == 1, InvalidArgument, "Values must be a vector, not {}", values.shape());
        let (splits, total) = (splits.to_i64_vec()?, values.num_elements() as i64);
        let (Some(first), Some(last)) = (splits.first(), splits.last()) else {
            tensor::bail!(InvalidArgument, "Splits must be non-empty")
        };
        ensure!(*first == 0, InvalidArgument, "Splits must start with 0, not with {first}");
        ensure!(
            *last == total,
            InvalidArgument,
            "Splits must end with the number of values, got {last} instead of {total}"
        );
        // The row of a value is the one before the first split, from the last row on, that lies behind it.
        let (mut next, mut rows) = (0, Vec::with_capacity(values.num_elements()));
        for place in 0..total {
            while splits.get(next).is_some_and(|split| *split <= place) {
                next += 1;
            }
            rows.push(next - 1);
        }
        Ok(Numbers { values: values.to_i64_vec()?, rows, count: splits.len() - 1, flat: false })
    }

    fn sparse(indices: &Tensor, values: &Tensor, dense: &Tensor) -> Result<Numbers> {
        ensure!(
            indices.shape().rank() == 2,
            InvalidArgument,
            "Input indices must be a 2-dimensional tensor. Got: {}",
            indices.shape()
        );
        ensure!(
            values.shape().rank() == 1,
            InvalidArgument,
            "Input values must be a 1-dimensional tensor. Got: {}",
            values.shape()
        );
        ensure!(dense.shape().rank() == 1, InvalidArgument, "Input shape must be a vector. Got: {}", dense.shape());
        ensure!(
            values.num_elements() == indices.shape().dim(0),
            InvalidArgument,
            "Number of values must match first dimension of indices. Got {} values, indices shape: {}",
            values.num_elements(),
            indices.shape()
        );
        ensure!(
            dense.num_elements() == indices.shape().dim(1),
            InvalidArgument,
            "Number of dimensions must match second dimension of indices. Got {} dimensions, indices shape: {}",
            dense.num_elements(),
            indices.shape()
        );
        let dense = dense.to_i64_vec()?;
        ensure!(!dense.is_empty(), InvalidArgument, "The shape argument requires at least one element.");
        ensure!(dense.iter().all(|dim| *dim >= 0), InvalidArgument, "Dimensions must be >= 0: {dense:?}");
        let flat = dense.len() == 1;
        let count = if flat { 1 } else { dense[0] };
        ensure!(count <= MAX_ROWS, ResourceExhausted, "{count} rows to count in");
        let mut rows = Vec::with_capacity(values.num_elements());
        for row in indices.to_i64_vec()?.chunks_exact(dense.len()) {
            let inside = row.iter().zip(&dense).all(|(at, dim)| (0..*dim).contains(at));
            ensure!(inside, InvalidArgument, "Sparse index tuple {row:?} is out of bounds of the shape {dense:?}");
            rows.push(if flat { 0 } else { row[0] as usize });
        }
        Ok(Numbers { values: values.to_i64_vec()?, rows, count: count as usize, flat })
    }
}

fn check_weights(weights: &Tensor, values: &Tensor) -> Result<()> {
    ensure!(
        weights.num_elements() == 0 || weights.shape() == values.shape(),
        InvalidArgument,
        "Weights and values must have the same shape. Weight shape: {}; values shape: {}",
        weights.shape(),
        values.shape()
    );
    Ok(())
}

fn bins_kernel(node: &Node) -> Result<Kernel> {
    let (sparse, binary) = (node.op == "SparseBincount", node.attr_bool("binary_output")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let place = if sparse { 3 } else { 2 };
        let (values, size, weights) = (cx.input(1)?, cx.input(place)?, cx.input(place + 1)?);
        ensure!(size.shape().is_scalar(), InvalidArgument, "Shape must be rank 0 but is rank {}", size.shape().rank());
        let size = size.to_i64_vec()?[0];
        ensure!(size >= 0, InvalidArgument, "size ({size}) must be non-negative");
        let numbers = match sparse {
            true => Numbers::sparse(cx.input(0)?, values, cx.input(2)?)?,
            false => Numbers::ragged(cx.input(0)?, values)?,
        };
        let (given, wanted) = (weights.num_elements(), values.num_elements());
        ensure!(
            given == 0 || given == wanted,
            InvalidArgument,
            "Input indices and weights must have the same size. There are {wanted} values and {given} weights"
        );
        // As TensorFlow, which leaves negative numbers out where it counts in rows of sparse tensors.
        let negative = (numbers.flat || !sparse) && numbers.values.iter().any(|value| *value < 0);
        ensure!(!negative, InvalidArgument, "Input must be non-negative");
        let shape = if numbers.flat { Shape::new(&[size])? } else { Shape::new(&[numbers.count as i64, size])? };
        let output = dispatch!(weights.dtype(), T in [i32, i64, f32, f64] => {
            let weights = weights.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                out.fill(<T as Number>::ZERO);
                for (place, (value, row)) in numbers.values.iter().zip(&numbers.rows).enumerate() {
                    if (0..size).contains(value) {
                        let slot = &mut out[row * size as usize + *value as usize];
                        let weight = weights.get(place).copied().unwrap_or(<T as Number>::ONE);
                        *slot = if binary { <T as Number>::ONE } else { slot.plus(weight) };
                    }
                }
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn counts_kernel(node: &Node) -> Result<Kernel> {
    let (least, most) = (node.attr_int("minlength")?, node.attr_int("maxlength")?);
    let (op, binary) = (node.op.clone(), node.attr_bool("binary_output")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (numbers, values, weights) = match op.as_str() {
            "SparseCountSparseOutput" => {
                (Numbers::sparse(cx.input(0)?, cx.input(1)?, cx.input(2)?)?, cx.input(1)?, cx.input(3)?)
            }
            "RaggedCountSparseOutput" => {
                ensure!(
                    cx.input(0)?.num_elements() >= 2,
                    InvalidArgument,
                    "Must provide at least 2 elements for the splits argument"
                );
                (Numbers::ragged(cx.input(0)?, cx.input(1)?)?, cx.input(1)?, cx.input(2)?)
            }
            _ => (Numbers::dense(cx.input(0)?)?, cx.input(0)?, cx.input(1)?),
        };
        check_weights(weights, values)?;
        let negative = numbers.values.iter().any(|value| *value < 0);
        ensure!(!negative, InvalidArgument, "Input values must all be non-negative");
        let mut largest = 0;
        let counted: Vec<usize> = (0..numbers.values.len())
            .filter(|place| {
                let value = numbers.values[*place];
                let counts = most < 0 || value < most;
                largest = if counts { largest.max(value) } else { largest };
                counts
            })
            .collect();
        let columns = if most >= 0 { most } else { (largest + 1).max(least) };
        let (indices, sums) = dispatch!(weights.dtype(), T in [i32, i64, f32, f64] => {
            let weights = weights.as_slice::<T>()?;
            let mut sums: BTreeMap<(usize, i64), T> = BTreeMap::new();
            for place in counted {
                let slot = sums.entry((numbers.rows[place], numbers.values[place])).or_insert(<T as Number>::ZERO);
                let weight = weights.get(place).copied().unwrap_or(<T as Number>::ONE);
                *slot = if binary { <T as Number>::ONE } else { slot.plus(weight) };
            }
            let mut indices = Vec::with_capacity(2 * sums.len());
            for (row, value) in sums.keys() {
                if !numbers.flat {
                    indices.push(*row as i64);
                }
                indices.push(*value);
            }
            Ok((indices, Tensor::vector(&sums.into_values().collect::<Vec<T>>())))
        })?;
        let rank = if numbers.flat { 1 } else { 2 };
        let shape =
            if numbers.flat { Tensor::vector(&[columns]) } else { Tensor::vector(&[numbers.count as i64, columns]) };
        cx.set_output(0, Tensor::new([sums.num_elements() as i64, rank], indices)?);
        cx.set_output(1, sums);
        cx.set_output(2, shape);
        Ok(())
    }))
}
