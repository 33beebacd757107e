//! `AddSparseToTensorsMap`, `AddManySparseToTensorsMap` and `TakeManySparseFromTensorsMap`: sparse tensors kept under numbers, so
//! that a queue can carry them.

use std::collections::HashMap;

use graph::op::{Container, Kernel, OpContext, OpEntry, Registry, Resource, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::Coordinates;
use crate::moving::{Join, Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    let rest = |entry: OpEntry<'_>, shape, build: fn(&Node) -> Result<Kernel>| {
        let entry = entry.attr("container: string = ''").attr("shared_name: string = ''").stateful();
        entry.shape(shape).any_kernel(build).not_differentiable();
    };
    let inputs = "sparse_indices: int64, sparse_values: T, sparse_shape: int64";
    let entry = r.op("AddSparseToTensorsMap", &format!("{inputs} -> sparse_handle: int64")).attr("T: type");
    rest(entry, ShapeContext::scalar, add_kernel);
    let entry = r.op("AddManySparseToTensorsMap", &format!("{inputs} -> sparse_handles: int64")).attr("T: type");
    rest(entry, many_shape, add_kernel);
    let outputs = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64";
    let entry =
        r.op("TakeManySparseFromTensorsMap", &format!("sparse_handles: int64 -> {outputs}")).attr("dtype: type");
    rest(entry, take_shape, take_kernel);
}

fn many_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

fn take_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.set(0, PartialShape::of_rank(2));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(None));
    Ok(())
}

/// Sparse tensors by number.
#[derive(Default)]
struct TensorsMap(Mutex<(i64, HashMap<i64, Sparse>)>);

struct Sparse {
    indices: Tensor,
    values: Tensor,
    shape: Vec<i64>,
}

impl Resource for TensorsMap {
    fn kind(&self) -> &'static str {
        "SparseTensorsMap"
    }
}

impl TensorsMap {
    fn add(&self, sparse: Sparse) -> i64 {
        let mut state = self.0.lock();
        let number = state.0;
        state.0 += 1;
        state.1.insert(number, sparse);
        number
    }
}

fn add_kernel(node: &Node) -> Result<Kernel> {
    let (place, many) = (Container::of_variable(node)?, node.op == "AddManySparseToTensorsMap");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (indices, values) = (cx.input(0)?, cx.input(1)?);
        let coordinates = Coordinates::new(indices, Some(values), cx.input(2)?)?;
        coordinates.check_bounds()?;
        let map = cx.step.resources.lookup_or_create(&place.container, &place.name, || Ok(TensorsMap::default()))?;
        if !many {
            let shape = coordinates.shape;
            let number = map.add(Sparse { indices: indices.clone(), values: values.clone(), shape });
            cx.set_output(0, number);
            return Ok(());
        }
        let rank = coordinates.rank;
        ensure!(rank > 1, InvalidArgument, "Rank of input SparseTensor should be > 1, but saw rank: {rank}");
        let count = coordinates.shape[0];
        ensure!(count <= 1 << 26, ResourceExhausted, "{count} rows of a sparse tensor");
        tensor::memory::ensure_free(count as u64 * 256, format_args!("{count} sparse tensors"))?;
        let mut rows: Vec<(Vec<i64>, Vec<usize>)> = vec![Default::default(); count as usize];
        for (place, row) in coordinates.rows().enumerate() {
            let (own, places) = &mut rows[row[0] as usize];
            own.extend_from_slice(&row[1..]);
            places.push(place);
        }
        let mut numbers = vec![0; rows.len()];
        // Rows that have values come first, as in TensorFlow.
        let (full, empty): (Vec<_>, Vec<_>) =
            rows.into_iter().enumerate().partition(|(_, (_, places))| !places.is_empty());
        for (row, (own, places)) in full.into_iter().chain(empty) {
            let indices = Tensor::new([places.len() as i64, rank as i64 - 1], own)?;
            let values = moved(Shape::vector(places.len()), &[values], &Pick(&places))?;
            numbers[row] = map.add(Sparse { indices, values, shape: coordinates.shape[1..].to_vec() });
        }
        cx.set_output(0, Tensor::vector(&numbers));
        Ok(())
    }))
}

fn take_kernel(node: &Node) -> Result<Kernel> {
    let (place, dtype) = (Container::of_variable(node)?, node.attr_type("dtype")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let handles = cx.input(0)?;
        ensure!(
            handles.shape().rank() == 1,
            InvalidArgument,
            "sparse_handles should be a vector but received shape {}",
            handles.shape()
        );
        ensure!(
            handles.num_elements() > 0,
            InvalidArgument,
            "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"
        );
        let map = cx.step.resources.lookup_or_create(&place.container, &place.name, || Ok(TensorsMap::default()))?;
        let mut taken = Vec::new();
        for handle in handles.to_i64_vec()? {
            let Some(sparse) = map.0.lock().1.remove(&handle) else {
                bail!(InvalidArgument, "Unable to find SparseTensor: {handle} in map: {}", place.name)
            };
            ensure!(
                sparse.values.dtype() == dtype,
                InvalidArgument,
                "Requested SparseTensor of type {dtype} but SparseTensor[{}].values.dtype() == {}",
                taken.len(),
                sparse.values.dtype()
            );
            taken.push(sparse);
        }
        let (indices, values, shape) = joined(&taken)?;
        cx.set_output(0, indices);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}

/// Sparse tensors of one rank below each other, in the largest of their shapes.
fn joined(parts: &[Sparse]) -> Result<(Tensor, Tensor, Vec<i64>)> {
    let rank = parts[0].shape.len();
    let (mut shape, mut flat) = (vec![0i64; rank], Vec::new());
    for (number, part) in parts.iter().enumerate() {
        ensure!(
            part.shape.len() == rank,
            InvalidArgument,
            "Inconsistent rank across SparseTensors: rank prior to SparseTensor[{number}] was: {} but rank of \
             SparseTensor[{number}] is: {}",
            rank + 1,
            part.shape.len() + 1
        );
        for (largest, dim) in shape.iter_mut().zip(&part.shape) {
            *largest = (*largest).max(*dim);
        }
        let own = part.indices.to_i64_vec()?;
        for row in 0..part.values.num_elements() {
            flat.push(number as i64);
            flat.extend_from_slice(&own[row * rank..(row + 1) * rank]);
        }
    }
    let values: Vec<&Tensor> = parts.iter().map(|part| &part.values).collect();
    let lengths: Vec<usize> = values.iter().map(|values| values.num_elements()).collect();
    let count = lengths.iter().sum::<usize>();
    let values = moved(Shape::vector(count), &values, &Join(&lengths))?;
    shape.insert(0, parts.len() as i64);
    Ok((Tensor::new([count as i64, rank as i64 + 1], flat)?, values, shape))
}
