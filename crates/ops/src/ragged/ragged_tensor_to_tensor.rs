//! `RaggedTensorToTensor`: the rows of a ragged tensor cut or filled to one length.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::splits::row_splits;
use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "RaggedTensorToTensor",
        "shape: Tshape, values: T, default_value: T, row_partition_tensors: num_row_partition_tensors * Tindex -> result: T",
    )
    .attr("T: type")
    .attr("Tindex: {int64, int32}")
    .attr("Tshape: {int64, int32}")
    .attr("num_row_partition_tensors: int >= 1")
    .attr("row_partition_types: list(string)")
    .shape(shape)
    .any_kernel(kernel);
}

/// How many axes are ragged: with the first axis given by its size alone there is one partition more.
fn ragged_axes(kinds: &[String]) -> usize {
    match kinds.first().map(String::as_str) {
        Some("FIRST_DIM_SIZE") => kinds.len() - 1,
        _ => kinds.len(),
    }
}

fn kinds(attrs: &impl ReadAttrs) -> Result<Vec<String>> {
    let kinds = attrs.attr_strings("row_partition_types")?;
    Ok(kinds.iter().map(|kind| String::from_utf8_lossy(kind).into_owned()).collect())
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let axes = ragged_axes(&kinds(cx)?);
    let values = cx.input(1);
    let wanted = match cx.value(0) {
        Some(wanted) if wanted.shape().rank() == 1 => PartialShape::from_dims(&wanted.to_i64_vec()?),
        _ => PartialShape::unknown(),
    };
    let own = match values.raw_dims() {
        Some([_, inner @ ..]) => PartialShape::of_rank(axes + 1).concatenate(&PartialShape::from_dims(inner)),
        _ => PartialShape::unknown(),
    };
    let output = wanted.merge(&own)?;
    cx.set(0, output);
    Ok(())
}

/// Copies elements by their rows; rows that are nowhere are the default.
struct Place<'a> {
    rows: &'a [usize],
    width: usize,
    /// Which element of the default each element of a row is.
    fill: &'a [usize],
}

impl Move for Place<'_> {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        for (row, out) in self.rows.iter().zip(out.chunks_exact_mut(self.width.max(1))) {
            match inputs[0].get(row.saturating_mul(self.width)..).filter(|_| *row != usize::MAX) {
                Some(values) => out.clone_from_slice(&values[..self.width]),
                None => out.iter_mut().zip(self.fill).for_each(|(out, from)| *out = inputs[1][*from].clone()),
            }
        }
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let kinds = kinds(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (wanted, values, default) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let partitions = cx.inputs(3..cx.num_inputs())?;
        ensure!(
            partitions.len() == kinds.len() && !kinds.is_empty(),
            InvalidArgument,
            "Expected {} partition tensors, as there are types, got {}",
            kinds.len(),
            partitions.len()
        );
        let Some((count, inner)) = values.dims().split_first() else {
            bail!(InvalidArgument, "values must be at least a vector, got a scalar")
        };
        let rows = Rows::new(&partitions, &kinds, *count)?;
        let axes = rows.ends.len();
        let mut dims: Vec<i64> = [rows.first].into_iter().chain(rows.ends.iter().map(|axis| longest(axis))).collect();
        dims.extend(inner);
        ensure!(wanted.shape().rank() <= 1, InvalidArgument, "shape must be a scalar or vector: {}", wanted.shape());
        let stated = wanted.to_i64_vec()?;
        if wanted.shape().rank() == 1 {
            ensure!(
                stated.len() == dims.len(),
                InvalidArgument,
                "rt_input.shape and shape={stated:?} are incompatible: rt_input.rank = {} but shape.rank = {}",
                dims.len(),
                stated.len()
            );
            for (axis, (dim, stated)) in dims.iter_mut().zip(&stated).enumerate() {
                ensure!(*stated >= -1, InvalidArgument, "shape must not have dimensions below -1: {stated}");
                ensure!(
                    axis <= axes || *stated < 0 || stated == dim,
                    InvalidArgument,
                    "rt_input.shape and shape are incompatible: rt_input.shape[{axis}] = {dim} but shape[{axis}] = {stated}"
                );
                if *stated >= 0 {
                    *dim = *stated;
                }
            }
        } else {
            ensure!(stated == [-1], InvalidArgument, "If shape is a scalar, it must be -1 (an unknown shape)");
        }
        let shape = Shape::new(&dims)?;
        Tensor::check_size(values.dtype(), &shape)?;
        let outer = Shape::new(&dims[..=axes])?;
        Tensor::check_size(DType::Int64, &outer)?;
        let fill = broadcast(default, inner)?;
        let places = rows.places(&dims[..=axes], *count as usize, outer.num_elements());
        let place = Place { rows: &places, width: fill.len(), fill: &fill };
        let result = match shape.num_elements() {
            0 => Tensor::zeros(values.dtype(), &shape)?,
            _ => moved(shape, &[values, default], &place)?,
        };
        cx.set_output(0, result);
        Ok(())
    }))
}

fn longest(ends: &[i64]) -> i64 {
    ends.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(0)
}

/// Which element of the default value each element of an inner shape is.
fn broadcast(default: &Tensor, inner: &[i64]) -> Result<Vec<usize>> {
    let own = default.dims();
    let skipped = inner.len().checked_sub(own.len());
    let fits =
        skipped.is_some_and(|skipped| own.iter().zip(&inner[skipped..]).all(|(own, dim)| *own == 1 || own == dim));
    ensure!(
        fits,
        InvalidArgument,
        "default_value.shape={} and rt_input.flat_values.shape={inner:?} are incompatible: they cannot be broadcast",
        default.shape()
    );
    let skipped = skipped.unwrap_or(0);
    let count = Shape::new(inner)?.num_elements();
    let place = |number: usize| {
        let (mut left, mut place, mut stride) = (number, 0, 1);
        for (axis, dim) in inner.iter().enumerate().rev() {
            let at = left % *dim as usize;
            left /= *dim as usize;
            if axis >= skipped {
                let own = own[axis - skipped] as usize;
                place += if own == 1 { 0 } else { at * stride };
                stride *= own;
            }
        }
        place
    };
    Ok((0..count).map(place).collect())
}

/// The rows of every ragged axis.
struct Rows {
    first: i64,
    ends: Vec<Vec<i64>>,
}

impl Rows {
    fn new(partitions: &[&Tensor], kinds: &[String], count: i64) -> Result<Rows> {
        let (mut first, mut ends): (Option<i64>, Vec<Vec<i64>>) = (None, Vec::new());
        for (number, (tensor, kind)) in partitions.iter().zip(kinds).enumerate() {
            let rows = ends.last().map(|ends| ends[ends.len() - 1]).or(first);
            match kind.as_str() {
                "FIRST_DIM_SIZE" if number == 0 => {
                    ensure!(tensor.shape().is_scalar(), InvalidArgument, "first_dim_size must be a scalar");
                    let size = tensor.to_i64_vec()?[0];
                    ensure!(size >= 0, InvalidArgument, "first_dim_size must not be negative: {size}");
                    first = Some(size);
                }
                "ROW_SPLITS" => {
                    let splits = row_splits(tensor, None)?;
                    let found = splits.len() as i64 - 1;
                    ensure!(
                        rows.is_none_or(|rows| rows == found),
                        InvalidArgument,
                        "row_splits of {found} rows follow an axis with {} values",
                        rows.unwrap_or(0)
                    );
                    first.get_or_insert(found);
                    ends.push(splits);
                }
                "VALUE_ROWIDS" => {
                    let Some(rows) = rows else {
                        bail!(InvalidArgument, "Cannot handle VALUE_ROWIDS in first dimension")
                    };
                    tensor::memory::ensure_free(rows as u64 * 8, format_args!("{rows} rows"))?;
                    let mut splits = vec![0i64; rows as usize + 1];
                    let mut before = 0;
                    for row in tensor.to_i64_vec()? {
                        ensure!(
                            row >= before && row < rows,
                            InvalidArgument,
                            "value_rowids must not fall and be less than {rows}: {row} after {before}"
                        );
                        splits[row as usize + 1] += 1;
                        before = row;
                    }
                    (1..splits.len()).for_each(|row| splits[row] += splits[row - 1]);
                    ends.push(splits);
                }
                other => bail!(InvalidArgument, "Unsupported row partition type: {other}"),
            }
        }
        let last = ends.last().map(|ends| ends[ends.len() - 1]).or(first).unwrap_or(0);
        ensure!(last == count, InvalidArgument, "the row partitions are of {last} values, and there are {count}");
        Ok(Rows { first: first.unwrap_or(0), ends })
    }

    /// For each row of the result, the row of the values that goes there.
    fn places(&self, dims: &[i64], count: usize, size: usize) -> Vec<usize> {
        // Where each row of an axis goes among the rows of the result; `None` for those that are cut off.
        let mut targets: Vec<Option<usize>> =
            (0..self.first).map(|row| (row < dims[0]).then_some(row as usize)).collect();
        for (ends, dim) in self.ends.iter().zip(&dims[1..]) {
            let mut next = Vec::with_capacity(ends[ends.len() - 1] as usize);
            for (pair, target) in ends.windows(2).zip(&targets) {
                next.extend(
                    (0..pair[1] - pair[0])
                        .map(|at| target.filter(|_| at < *dim).map(|target| target * *dim as usize + at as usize)),
                );
            }
            targets = next;
        }
        let mut places = vec![usize::MAX; size];
        for (row, target) in targets.into_iter().take(count).enumerate() {
            if let Some(place) = target.and_then(|target| places.get_mut(target)) {
                *place = row;
            }
        }
        places
    }
}
