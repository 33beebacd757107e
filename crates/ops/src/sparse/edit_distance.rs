//! `EditDistance`: by how many changes the rows of one sparse tensor become those of another.

use std::cmp::Ordering;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::Coordinates;
use crate::array::unique::keys;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "EditDistance",
        "hypothesis_indices: int64, hypothesis_values: T, hypothesis_shape: int64, truth_indices: int64, truth_values: T, \
         truth_shape: int64 -> output: float",
    )
    .attr("normalize: bool = true")
    .attr("T: type")
    .shape(shape)
    .any_kernel(kernel)
    .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in [0, 3] {
        cx.with_rank(index, 2)?;
        cx.with_rank(index + 1, 1)?;
        cx.with_rank(index + 2, 1)?;
    }
    if let (Some(hypothesis), Some(truth)) = (cx.ints(2), cx.ints(5)) {
        ensure!(
            hypothesis.len() == truth.len(),
            InvalidArgument,
            "Num elements of hypothesis_shape does not match truth_shape: {} vs. {}",
            hypothesis.len(),
            truth.len()
        );
        let dims: Vec<i64> = hypothesis.iter().zip(&truth).map(|(a, b)| *a.max(b)).collect();
        if let [rows @ .., _] = &dims[..] {
            cx.set(0, PartialShape::from_dims(rows));
        }
    }
    Ok(())
}

/// The values of one row, and where the row is.
type Row<'a> = (&'a [i64], &'a [Vec<u8>]);

fn kernel(node: &Node) -> Result<Kernel> {
    let normalize = node.attr_bool("normalize")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let hypothesis = Coordinates::new(cx.input(0)?, Some(cx.input(1)?), cx.input(2)?)?;
        let truth = Coordinates::new(cx.input(3)?, Some(cx.input(4)?), cx.input(5)?)?;
        ensure!(
            hypothesis.rank == truth.rank,
            InvalidArgument,
            "Expected truth and hypothesis to have matching ranks, but saw ranks {} and {}",
            truth.rank,
            hypothesis.rank
        );
        ensure!(
            truth.rank >= 2,
            InvalidArgument,
            "Input SparseTensors must have rank at least 2, but truth_shape rank is: {}",
            truth.rank
        );
        let rank = truth.rank - 1;
        let dims: Vec<i64> = hypothesis.shape.iter().zip(&truth.shape).take(rank).map(|(a, b)| *a.max(b)).collect();
        let shape = Shape::new(&dims)?;
        let count = shape.num_elements();
        ensure!(count > 0, InvalidArgument, "Got output shape {shape} which has 0 elements");
        for row in hypothesis.rows().chain(truth.rows()) {
            let at = row
                .iter()
                .zip(&dims)
                .fold(0i128, |place, (at, dim)| place.saturating_mul(i128::from(*dim)).saturating_add(i128::from(*at)));
            ensure!(
                (0..count as i128).contains(&at),
                Internal,
                "Got an inner product {at} which would require writing to outside of the buffer for the output tensor (max \
                 elements {count})"
            );
        }
        hypothesis.check_bounds()?;
        truth.check_bounds()?;
        let mut output = Tensor::zeros(tensor::DType::Float, &shape)?;
        let distances = output.make_mut::<f32>()?;
        let place = |row: &[i64]| row.iter().zip(&dims).fold(0, |place, (at, dim)| place * dim + at) as usize;
        let (hypothesis_keys, truth_keys) = (keys(cx.input(1)?)?, keys(cx.input(4)?)?);
        let (mut left, mut right) = (rows(&hypothesis, &hypothesis_keys), rows(&truth, &truth_keys));
        let (mut said, mut meant) = (left.next(), right.next());
        loop {
            let order = match (&said, &meant) {
                (None, None) => break,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some((a, _)), Some((b, _))) => a.cmp(b),
            };
            let (at, distance): (&[i64], f32) = match (order, said, meant) {
                (Ordering::Equal, Some((at, a)), Some((_, b))) => {
                    (at, levenshtein(a, b) as f32 / if normalize { b.len() as f32 } else { 1.0 })
                }
                (Ordering::Less, Some((at, a)), _) => (at, if normalize { f32::INFINITY } else { a.len() as f32 }),
                (_, _, Some((at, b))) => (at, if normalize { 1.0 } else { b.len() as f32 }),
                _ => break,
            };
            distances[place(at)] = distance;
            if order.is_le() {
                said = left.next();
            }
            if order.is_ge() {
                meant = right.next();
            }
        }
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The rows that have values.
fn rows<'a>(coordinates: &'a Coordinates, values: &'a [Vec<u8>]) -> impl Iterator<Item = Row<'a>> {
    let rank = coordinates.rank;
    let indices: Vec<&[i64]> = coordinates.rows().map(|row| &row[..rank - 1]).collect();
    let mut start = 0;
    std::iter::from_fn(move || {
        let row = *indices.get(start)?;
        let count = indices[start..].iter().take_while(|other| **other == row).count();
        start += count;
        Some((row, &values[start - count..start]))
    })
}

/// The least number of elements to insert, remove or change.
fn levenshtein(a: &[Vec<u8>], b: &[Vec<u8>]) -> usize {
    let (short, long) = if a.len() < b.len() { (a, b) } else { (b, a) };
    let mut costs: Vec<usize> = (0..=short.len()).collect();
    for (row, element) in long.iter().enumerate() {
        let mut diagonal = std::mem::replace(&mut costs[0], row + 1);
        for (column, other) in short.iter().enumerate() {
            let changed = diagonal + usize::from(element != other);
            diagonal = costs[column + 1];
            costs[column + 1] = changed.min(diagonal + 1).min(costs[column] + 1);
        }
    }
    costs[short.len()]
}
