//! `DenseToDenseSetOperation`, `DenseToSparseSetOperation`, `SparseToSparseSetOperation` and `SetSize`: the last dimension
//! of a tensor as sets, one for each index of the others.

use std::collections::{BTreeMap, BTreeSet};

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;
use super::coordinates::shown;
use crate::moving::{Join, Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "T: {int8, int16, int32, int64, uint8, uint16, string}";
    let dense = |number: u8| format!("set{number}: T");
    let sparse = |number: u8| format!("set{number}_indices: int64, set{number}_values: T, set{number}_shape: int64");
    for (name, first, second) in [
        ("DenseToDenseSetOperation", dense(1), dense(2)),
        ("DenseToSparseSetOperation", dense(1), sparse(2)),
        ("SparseToSparseSetOperation", sparse(1), sparse(2)),
    ] {
        let results = "result_indices: int64, result_values: T, result_shape: int64";
        r.op(name, &format!("{first}, {second} -> {results}"))
            .attr("set_operation: string")
            .attr("validate_indices: bool = true")
            .attr(TYPES)
            .shape(operation_shape)
            .any_kernel(operation_kernel)
            .not_differentiable();
    }
    r.op("SetSize", "set_indices: int64, set_values: T, set_shape: int64 -> size: int32")
        .attr("validate_indices: bool = true")
        .attr(TYPES)
        .any_kernel(size_kernel)
        .not_differentiable();
}

fn operation_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let second = cx.num_inputs() - 1;
    let of_dense = |shape: PartialShape| shape.rank().map(|rank| rank as i64);
    let first = match cx.node.op.starts_with("Dense") {
        true => of_dense(cx.input(0)),
        false => cx.input(2).dim(0),
    };
    let second = match cx.node.op.starts_with("DenseToDense") {
        true => of_dense(cx.input(second)),
        false => cx.input(second).dim(0),
    };
    let rank = first.or(second);
    cx.set(0, PartialShape::new(&[None, rank]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(rank));
    Ok(())
}

/// An element, such that it can be compared.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Item {
    Number(i64),
    Text(Bytes),
}

fn items(values: &Tensor) -> Result<Vec<Item>> {
    Ok(match values.dtype() {
        DType::String => values.strings()?.iter().cloned().map(Item::Text).collect(),
        DType::Int8 => values.as_slice::<i8>()?.iter().map(|v| Item::Number(*v as i64)).collect(),
        DType::UInt8 => values.as_slice::<u8>()?.iter().map(|v| Item::Number(*v as i64)).collect(),
        DType::UInt16 => values.as_slice::<u16>()?.iter().map(|v| Item::Number(*v as i64)).collect(),
        _ => values.to_i64_vec()?.into_iter().map(Item::Number).collect(),
    })
}

/// Sets by the index of their group; each item with its place among the values.
type Sets = BTreeMap<Vec<i64>, BTreeMap<Item, usize>>;

struct Groups {
    /// The shape without the last dimension.
    shape: Vec<i64>,
    sets: Sets,
}

/// Places are counted from `first`.
fn dense_groups(set: &Tensor, first: usize) -> Result<Groups> {
    ensure!(set.shape().rank() >= 2, InvalidArgument, "Shape {} has rank {} < 2", set.shape(), set.shape().rank());
    let (width, shape) = set.dims().split_last().map_or((0, Vec::new()), |(width, rest)| (*width, rest.to_vec()));
    let mut sets = Sets::new();
    let mut group = vec![0; shape.len()];
    for (place, item) in items(set)?.into_iter().enumerate() {
        let mut number = place as i64 / width.max(1);
        for (at, dim) in group.iter_mut().zip(&shape).rev() {
            (*at, number) = (number % dim, number / dim);
        }
        sets.entry(group.clone()).or_default().entry(item).or_insert(first + place);
    }
    Ok(Groups { shape, sets })
}

fn sparse_groups(cx: &OpContext<'_>, input: usize, first: usize, validate: bool) -> Result<Groups> {
    let values = cx.input(input + 1)?;
    let coordinates = Coordinates::new(cx.input(input)?, Some(values), cx.input(input + 2)?)?;
    ensure!(coordinates.rank >= 2, InvalidArgument, "Invalid rank {}.", coordinates.rank);
    coordinates.check_bounds()?;
    let mut sets = Sets::new();
    let mut before: Option<&[i64]> = None;
    for (place, (row, item)) in coordinates.rows().zip(items(values)?).enumerate() {
        ensure!(
            !validate || before.is_none_or(|before| before < row),
            InvalidArgument,
            "indices[{place}] = {} is {}. Many sparse ops require sorted indices.\n    Use `tf.sparse.reorder` to create \
             a correctly ordered copy.",
            shown(row),
            if before == Some(row) { "repeated" } else { "out of order" }
        );
        before = Some(row);
        sets.entry(row[..row.len() - 1].to_vec()).or_default().entry(item).or_insert(first + place);
    }
    let shape = coordinates.shape[..coordinates.rank - 1].to_vec();
    Ok(Groups { shape, sets })
}

#[derive(Clone, Copy)]
enum Operation {
    Without,
    Missing,
    Intersection,
    Union,
}

impl Operation {
    /// The items of the result in order, with their places.
    fn apply(self, a: &BTreeMap<Item, usize>, b: &BTreeMap<Item, usize>) -> Vec<usize> {
        match self {
            Operation::Without => a.iter().filter(|(item, _)| !b.contains_key(item)).map(|(_, place)| *place).collect(),
            Operation::Missing => Operation::Without.apply(b, a),
            Operation::Intersection => {
                a.iter().filter(|(item, _)| b.contains_key(item)).map(|(_, place)| *place).collect()
            }
            Operation::Union => {
                let mut all = b.clone();
                all.extend(a.iter().map(|(item, place)| (item.clone(), *place)));
                all.into_values().collect()
            }
        }
    }
}

fn operation_kernel(node: &Node) -> Result<Kernel> {
    let operation = match node.attr_str("set_operation")? {
        "a-b" => Operation::Without,
        "b-a" => Operation::Missing,
        "intersection" => Operation::Intersection,
        "union" => Operation::Union,
        other => bail!(InvalidArgument, "Invalid set_operation {other}."),
    };
    let validate = node.attr_bool("validate_indices")?;
    let (first_dense, second_dense) = (node.op.starts_with("Dense"), node.op.starts_with("DenseToDense"));
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (first, second) = (if first_dense { 0 } else { 1 }, if first_dense { 1 } else { 3 });
        let one = cx.input(first)?;
        let other = cx.input(if second_dense { second } else { second + 1 })?;
        let lengths = [one.num_elements(), other.num_elements()];
        let a = if first_dense { dense_groups(one, 0)? } else { sparse_groups(cx, 0, 0, validate)? };
        let b = if second_dense {
            dense_groups(other, lengths[0])?
        } else {
            sparse_groups(cx, second, lengths[0], validate)?
        };
        ensure!(a.shape == b.shape, InvalidArgument, "Mismatched shapes {} vs {}", shown(&a.shape), shown(&b.shape));
        let (mut indices, mut places, mut width) = (Vec::new(), Vec::new(), 0);
        let empty = BTreeMap::new();
        let groups: BTreeSet<&Vec<i64>> = a.sets.keys().chain(b.sets.keys()).collect();
        for group in groups {
            let result = operation.apply(a.sets.get(group).unwrap_or(&empty), b.sets.get(group).unwrap_or(&empty));
            width = width.max(result.len());
            for number in 0..result.len() {
                indices.extend_from_slice(group);
                indices.push(number as i64);
            }
            places.extend(result);
        }
        let rank = a.shape.len() + 1;
        let all = moved(Shape::vector(lengths.iter().sum()), &[one, other], &Join(&lengths))?;
        let values = moved(Shape::vector(places.len()), &[&all], &Pick(&places))?;
        let shape: Vec<i64> = a.shape.iter().copied().chain([width as i64]).collect();
        cx.set_output(0, Tensor::from_slice(&Shape::new(&[places.len() as i64, rank as i64])?, &indices)?);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let validate = node.attr_bool("validate_indices")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let groups = sparse_groups(cx, 0, 0, validate)?;
        let shape = Shape::new(&groups.shape)?;
        let sizes = Tensor::build(shape, |sizes: &mut [i32]| {
            sizes.fill(0);
            for (group, set) in &groups.sets {
                // Groups were found to be inside of the shape.
                let place = group.iter().zip(&groups.shape).fold(0, |place, (at, dim)| place * dim + at);
                if let Some(size) = sizes.get_mut(place as usize) {
                    *size = set.len() as i32;
                }
            }
            Ok(())
        })?;
        cx.set_output(0, sizes);
        Ok(())
    }))
}
