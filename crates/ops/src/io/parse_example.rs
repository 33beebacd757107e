//! `ParseExampleV2`, `ParseExample` and `ParseSingleExample`: serialized examples to tensors.
//!
//! Dense features have a fixed shape, or one whose first dimension varies and is padded; sparse ones come as indices,
//! values and shape; ragged ones as values and where each example's begin.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Tensor, ensure};

use super::example_columns::{Dense, Plan, parse};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "ParseExampleV2",
        "serialized: string, names: string, sparse_keys: string, dense_keys: string, ragged_keys: string, \
         dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, \
         sparse_shapes: num_sparse * int64, dense_values: Tdense, ragged_values: ragged_value_types, \
         ragged_row_splits: ragged_split_types",
    )
    .attr("Tdense: list({float, int64, string}) >= 0")
    .attr("num_sparse: int >= 0")
    .attr("sparse_types: list({float, int64, string}) >= 0")
    .attr("ragged_value_types: list({float, int64, string}) >= 0")
    .attr("ragged_split_types: list({int32, int64}) >= 0")
    .attr("dense_shapes: list(shape) >= 0")
    .shape(shape_v2)
    .any_kernel(kernel_v2)
    .not_differentiable();
    r.op(
        "ParseExample",
        "serialized: string, names: string, sparse_keys: Nsparse * string, dense_keys: Ndense * string, \
         dense_defaults: Tdense -> sparse_indices: Nsparse * int64, sparse_values: sparse_types, \
         sparse_shapes: Nsparse * int64, dense_values: Tdense",
    )
    .attr("Nsparse: int >= 0")
    .attr("Ndense: int >= 0")
    .attr("sparse_types: list({float, int64, string}) >= 0")
    .attr("Tdense: list({float, int64, string}) >= 0")
    .attr("dense_shapes: list(shape) >= 0")
    .shape(shape_v1)
    .any_kernel(kernel_v1)
    .not_differentiable();
    r.op(
        "ParseSingleExample",
        "serialized: string, dense_defaults: Tdense -> sparse_indices: num_sparse * int64, sparse_values: sparse_types, \
         sparse_shapes: num_sparse * int64, dense_values: Tdense",
    )
    .attr("num_sparse: int >= 0")
    .attr("sparse_keys: list(string) >= 0")
    .attr("dense_keys: list(string) >= 0")
    .attr("sparse_types: list({float, int64, string}) >= 0")
    .attr("Tdense: list({float, int64, string}) >= 0")
    .attr("dense_shapes: list(shape) >= 0")
    .shape(shape_single)
    .any_kernel(kernel_single)
    .not_differentiable();
}

fn shape_v2(cx: &mut ShapeContext<'_>) -> Result<()> {
    let batch = cx.input(0);
    if let Some(rank) = batch.rank() {
        ensure!(rank <= 1, InvalidArgument, "Shape must be at most rank 1 but is rank {rank}");
    }
    shapes(cx, &batch)?;
    let (dense, sparse) = (cx.attr_shapes("dense_shapes")?.len(), cx.attr_types("sparse_types")?.len());
    let ragged = cx.attr_types("ragged_value_types")?.len();
    let first = 3 * sparse + dense;
    for place in 0..ragged {
        cx.set(first + place, PartialShape::vector(None));
        let splits = match batch.rank() {
            Some(0) => Some(0),
            _ => batch.dim(0).map(|batch| batch + 1),
        };
        cx.set(first + ragged + place, PartialShape::vector(splits));
    }
    Ok(())
}

fn shape_v1(cx: &mut ShapeContext<'_>) -> Result<()> {
    let batch = cx.with_rank(0, 1)?;
    shapes(cx, &batch)
}

fn shape_single(cx: &mut ShapeContext<'_>) -> Result<()> {
    let batch = cx.with_rank(0, 0)?;
    shapes(cx, &batch)
}

/// Shapes of the sparse and dense outputs for a batch of this shape.
fn shapes(cx: &mut ShapeContext<'_>, batch: &PartialShape) -> Result<()> {
    let sparse = cx.attr_types("sparse_types")?.len();
    let dense = cx.attr_shapes("dense_shapes")?.to_vec();
    let rank = batch.rank().map(|rank| rank as i64 + 1);
    for place in 0..sparse {
        cx.set(place, PartialShape::new(&[None, rank]));
        cx.set(sparse + place, PartialShape::vector(None));
        cx.set(2 * sparse + place, PartialShape::vector(rank));
    }
    for (place, shape) in dense.iter().enumerate() {
        cx.set(3 * sparse + place, batch.concatenate(shape));
    }
    Ok(())
}

fn kernel_v2(node: &Node) -> Result<Kernel> {
    let attrs = Types::of_node(node)?;
    let value_types = node.attr_types("ragged_value_types")?.to_vec();
    let split_types = node.attr_types("ragged_split_types")?.to_vec();
    ensure!(
        value_types.len() == split_types.len(),
        InvalidArgument,
        "len(ragged_value_types) {} and len(ragged_split_types) {} must be equal",
        value_types.len(),
        split_types.len()
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let keys = |index: usize, name: &str, count: usize| -> Result<Vec<Bytes>> {
            let keys = cx.input(index)?.strings()?.to_vec();
            ensure!(keys.len() == count, InvalidArgument, "Expected {count} {name}, got {}", keys.len());
            Ok(keys)
        };
        let sparse = keys(2, "sparse_keys", attrs.sparse.len())?;
        let dense = keys(3, "dense_keys", attrs.dense.len())?;
        let ragged = keys(4, "ragged_keys", value_types.len())?;
        let ragged = ragged.into_iter().zip(value_types.iter().copied()).collect();
        let plan = attrs.plan(cx, sparse, dense, 5, ragged)?;
        let values = parse(cx.input(0)?, Some(cx.input(1)?), &plan)?;
        let mut outputs = values.sparse_and_dense()?;
        outputs.extend(values.ragged(&split_types)?);
        set_all(cx, outputs);
        Ok(())
    }))
}

fn kernel_v1(node: &Node) -> Result<Kernel> {
    let attrs = Types::of_node(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let key = |index: usize| -> Result<Bytes> { cx.input(index)?.to_string_scalar().cloned() };
        let (first_dense, first_default) = (2 + attrs.sparse.len(), 2 + attrs.sparse.len() + attrs.dense.len());
        let sparse = (2..first_dense).map(key).collect::<Result<_>>()?;
        let dense = (first_dense..first_default).map(key).collect::<Result<_>>()?;
        let plan = attrs.plan(cx, sparse, dense, first_default, Vec::new())?;
        let serialized = cx.input(0)?;
        ensure!(
            serialized.shape().rank() == 1,
            InvalidArgument,
            "Expected serialized to be a vector, got shape: {}",
            serialized.shape()
        );
        let values = parse(serialized, Some(cx.input(1)?), &plan)?;
        let outputs = values.sparse_and_dense()?;
        set_all(cx, outputs);
        Ok(())
    }))
}

fn kernel_single(node: &Node) -> Result<Kernel> {
    let attrs = Types::of_node(node)?;
    let (sparse, dense) = (node.attr_strings("sparse_keys")?.to_vec(), node.attr_strings("dense_keys")?.to_vec());
    ensure!(
        sparse.len() == attrs.sparse.len() && dense.len() == attrs.dense.len(),
        InvalidArgument,
        "{} sparse and {} dense keys for {} sparse and {} dense features",
        sparse.len(),
        dense.len(),
        attrs.sparse.len(),
        attrs.dense.len()
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let plan = attrs.plan(cx, sparse.clone(), dense.clone(), 1, Vec::new())?;
        let serialized = cx.input(0)?;
        ensure!(
            serialized.shape().is_scalar(),
            InvalidArgument,
            "Expected serialized to be a scalar, got shape: {}",
            serialized.shape()
        );
        let values = parse(serialized, None, &plan)?;
        let outputs = values.sparse_and_dense()?;
        set_all(cx, outputs);
        Ok(())
    }))
}

fn set_all(cx: &mut OpContext<'_>, outputs: Vec<Tensor>) {
    for (place, output) in outputs.into_iter().enumerate() {
        cx.set_value(place, Value::Tensor(output));
    }
}

/// What a node's attributes say of the features.
struct Types {
    sparse: Vec<DType>,
    dense: Vec<(DType, PartialShape)>,
}

impl Types {
    fn of_node(node: &Node) -> Result<Types> {
        let (types, shapes) = (node.attr_types("Tdense")?, node.attr_shapes("dense_shapes")?);
        ensure!(
            types.len() == shapes.len(),
            InvalidArgument,
            "len(dense_keys) != len(dense_shapes): {} and {}",
            types.len(),
            shapes.len()
        );
        for (place, shape) in shapes.iter().enumerate() {
            let inner_known = shape.raw_dims().is_some_and(|dims| dims.iter().skip(1).all(|dim| *dim >= 0));
            ensure!(
                inner_known,
                InvalidArgument,
                "dense_shapes[{place}] has unknown rank or unknown inner dimensions: {shape}"
            );
        }
        let dense = types.iter().copied().zip(shapes.iter().cloned()).collect();
        Ok(Types { sparse: node.attr_types("sparse_types")?.to_vec(), dense })
    }

    /// All features of one execution, with the defaults that begin at input `first_default`.
    fn plan(
        &self,
        cx: &OpContext<'_>,
        sparse: Vec<Bytes>,
        dense: Vec<Bytes>,
        first_default: usize,
        ragged: Vec<(Bytes, DType)>,
    ) -> Result<Plan> {
        let mut dense_plan = Vec::with_capacity(dense.len());
        for (place, (key, (dtype, shape))) in dense.into_iter().zip(&self.dense).enumerate() {
            let default = cx.input(first_default + place)?.clone();
            ensure!(
                default.dtype() == *dtype,
                InvalidArgument,
                "dense_defaults[{place}].dtype() == {} != dense_types[{place}] == {dtype}",
                default.dtype()
            );
            dense_plan.push(Dense::new(place, key, *dtype, shape.clone(), default)?);
        }
        Ok(Plan { sparse: sparse.into_iter().zip(self.sparse.iter().copied()).collect(), dense: dense_plan, ragged })
    }
}

/// A feature of a batch of examples.
pub(crate) enum Parsed {
    Dense(Tensor),
    /// Indices, values and shape.
    Sparse([Tensor; 3]),
    /// Values and row splits.
    Ragged(Tensor, Tensor),
}

/// Parses batches of examples as the attributes of a node say.
pub(crate) struct ExampleParser {
    types: Types,
    sparse: Vec<Bytes>,
    dense: Vec<Bytes>,
    ragged: Vec<(Bytes, DType)>,
    splits: Vec<DType>,
}

impl ExampleParser {
    /// # Errors
    /// `InvalidArgument` if keys and types are not equally many.
    pub(crate) fn of_node(node: &Node) -> Result<ExampleParser> {
        let types = Types::of_node(node)?;
        let keys = |name: &str, count: usize| -> Result<Vec<Bytes>> {
            let keys = node.attr_strings(name)?.to_vec();
            ensure!(keys.len() == count, InvalidArgument, "Expected {count} {name}, got {}", keys.len());
            Ok(keys)
        };
        let (sparse, dense) = (keys("sparse_keys", types.sparse.len())?, keys("dense_keys", types.dense.len())?);
        let values = node.attr_types("ragged_value_types")?;
        let splits = node.attr_types("ragged_split_types")?.to_vec();
        let ragged = keys("ragged_keys", values.len())?.into_iter().zip(values.iter().copied()).collect();
        ensure!(
            values.len() == splits.len(),
            InvalidArgument,
            "{} types of ragged values, but {} of their splits",
            values.len(),
            splits.len()
        );
        Ok(ExampleParser { types, sparse, dense, ragged, splits })
    }

    /// What to look for, with the defaults that begin at an input.
    ///
    /// # Errors
    /// `InvalidArgument` if a default does not fit.
    pub(crate) fn plan(&self, cx: &OpContext<'_>, first_default: usize) -> Result<ExamplePlan> {
        let plan = self.types.plan(cx, self.sparse.clone(), self.dense.clone(), first_default, self.ragged.clone())?;
        Ok(ExamplePlan(plan))
    }

    /// The features of a batch, by name.
    ///
    /// # Errors
    /// `InvalidArgument` for an example that is none or lacks a feature.
    pub(crate) fn parse(&self, serialized: &Tensor, plan: &ExamplePlan) -> Result<Vec<(Bytes, Parsed)>> {
        let columns = parse(serialized, None, &plan.0)?;
        let both = columns.sparse_and_dense()?;
        let count = self.sparse.len();
        let mut features = Vec::new();
        for (place, key) in self.sparse.iter().enumerate() {
            let part = |group: usize| both[group * count + place].clone();
            features.push((key.clone(), Parsed::Sparse([part(0), part(1), part(2)])));
        }
        for (key, tensor) in self.dense.iter().zip(both.into_iter().skip(3 * count)) {
            features.push((key.clone(), Parsed::Dense(tensor)));
        }
        let ragged = columns.ragged(&self.splits)?;
        for (place, (key, _)) in self.ragged.iter().enumerate() {
            let (values, splits) = (ragged[place].clone(), ragged[self.ragged.len() + place].clone());
            features.push((key.clone(), Parsed::Ragged(values, splits)));
        }
        Ok(features)
    }
}

/// What to look for in examples.
pub(crate) struct ExamplePlan(Plan);
