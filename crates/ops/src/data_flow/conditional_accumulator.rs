//! Conditional accumulators: `ResourceConditionalAccumulator`, `ConditionalAccumulator` and
//! `SparseConditionalAccumulator` make one; `ResourceAccumulatorApplyGradient`, `AccumulatorApplyGradient` and
//! `SparseAccumulatorApplyGradient` add a gradient; `ResourceAccumulatorTakeGradient`, `AccumulatorTakeGradient` and
//! `SparseAccumulatorTakeGradient` wait for the mean; `ResourceAccumulatorSetGlobalStep` and
//! `AccumulatorSetGlobalStep` say what is late; `ResourceAccumulatorNumAccumulated`, `AccumulatorNumAccumulated`,
//! `ResourceAccumulatorCounts` and `AccumulatorCounts` count. Handles of those without `Resource` are references to
//! two strings.

use std::sync::atomic::{AtomicU64, Ordering};

use graph::op::{AsyncContext, Done, Kernel, OpContext, Outputs, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use smallvec::smallvec;
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure};

use super::accumulator::{Accumulator, Counts, Source, Sum};
use super::handles::handle_shape;
use crate::handle::{MakeResource, find};

const DTYPE: &str = "dtype: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                     qint16, quint16, uint16, complex128, half, uint32, uint64}";
const TYPES: &[DType] = &[DType::Half, DType::Float, DType::Double];
/// The type name in handles of accumulators.
pub(crate) const ACCUMULATOR_TYPE: &str = "N10tensorflow26ConditionalAccumulatorBaseE";

/// The attribute in which clients of ours say which worker a gradient comes from.
const WORKER: &str = "_worker";

pub(crate) fn register(r: &mut Registry) {
    register_sparse(r);
    register_counts(r);
    for (prefix, handle) in [("Resource", "resource"), ("", "Ref(string)")] {
        r.op(&format!("{prefix}ConditionalAccumulator"), &format!("-> handle: {handle}"))
            .attr(DTYPE)
            .attr("shape: shape")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
            .stateful()
            .shape(handle_shape)
            .kernel("dtype", TYPES, make)
            .not_differentiable();
        let op = |name: &str| format!("{prefix}Accumulator{name}");
        let stateful =
            |entry: graph::op::OpEntry<'_>| if prefix.is_empty() { drop(entry) } else { drop(entry.stateful()) };
        stateful(
            r.op(&op("ApplyGradient"), &format!("handle: {handle}, local_step: int64, gradient: dtype ->"))
                .attr(DTYPE)
                .shape(apply_shape)
                .kernel("dtype", TYPES, apply_kernel)
                .not_differentiable(),
        );
        stateful(
            r.op(&op("TakeGradient"), &format!("handle: {handle}, num_required: int32 -> average: dtype"))
                .attr(DTYPE)
                .shape(ShapeContext::unknown)
                .kernel("dtype", TYPES, take_kernel)
                .not_differentiable(),
        );
        stateful(
            r.op(&op("SetGlobalStep"), &format!("handle: {handle}, new_global_step: int64 ->"))
                .shape(set_step_shape)
                .any_kernel(set_step_kernel)
                .not_differentiable(),
        );
        stateful(
            r.op(&op("NumAccumulated"), &format!("handle: {handle} -> num_accumulated: int32"))
                .shape(ShapeContext::scalar)
                .any_kernel(count_kernel)
                .not_differentiable(),
        );
    }
}

/// How many gradients an accumulator has added and dropped so far, in all and of each worker: an op of our own.
fn register_counts(r: &mut Registry) {
    for (prefix, handle) in [("Resource", "resource"), ("", "Ref(string)")] {
        let signature = format!("handle: {handle} -> accepted_and_dropped: int64, workers: string, by_worker: int64");
        let entry = r.op(&format!("{prefix}AccumulatorCounts"), &signature);
        let entry = if prefix.is_empty() { entry } else { entry.stateful() };
        entry.shape(counts_shape).any_kernel(counts_kernel).not_differentiable();
    }
}

fn counts_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::from([2]));
    cx.set(1, PartialShape::from([None]));
    cx.set(2, PartialShape::from([None, Some(2)]));
    Ok(())
}

fn counts_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let accumulator = find::<Accumulator>(cx.step, Some(&handle))?;
        let numbers = |counts: Counts| [counts.accepted as i64, counts.dropped as i64];
        let (workers, counts): (Vec<String>, Vec<[i64; 2]>) =
            accumulator.counts_by_worker().into_iter().map(|(worker, counts)| (worker, numbers(counts))).unzip();
        cx.set_output(0, Tensor::from(numbers(accumulator.counts())));
        cx.set_output(1, Tensor::string_vector(workers));
        cx.set_output(2, Tensor::new([counts.len() as i64, 2], counts.concat())?);
        Ok(())
    }))
}

/// Whose gradient a node hands in: clients of ours say so. A session makes the kernels of its nodes once.
fn source_of(node: &Node) -> Source {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    let worker = node.attr_str(WORKER).unwrap_or_default().to_owned();
    Source { worker, session: NEXT.fetch_add(1, Ordering::Relaxed) }
}

/// Accumulators of gradients that are rows of a larger tensor.
fn register_sparse(r: &mut Registry) {
    r.op("SparseConditionalAccumulator", "-> handle: Ref(string)")
        .attr(DTYPE)
        .attr("shape: shape")
        .attr("container: string = ''")
        .attr("shared_name: string = ''")
        .attr("reduction_type: {'MEAN', 'SUM'} = 'MEAN'")
        .stateful()
        .shape(handle_shape)
        .kernel("dtype", TYPES, make)
        .not_differentiable();
    r.op(
        "SparseAccumulatorApplyGradient",
        "handle: Ref(string), local_step: int64, gradient_indices: int64, gradient_values: dtype, gradient_shape: int64 ->",
    )
    .attr(DTYPE)
    .attr("has_known_shape: bool")
    .shape(apply_shape)
    .kernel("dtype", TYPES, apply_rows_kernel)
    .not_differentiable();
    r.op(
        "SparseAccumulatorTakeGradient",
        "handle: Ref(string), num_required: int32 -> indices: int64, values: dtype, shape: int64",
    )
    .attr(DTYPE)
    .shape(ShapeContext::unknown)
    .kernel("dtype", TYPES, take_kernel)
    .not_differentiable();
}

fn apply_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    Ok(())
}

fn set_step_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    Ok(())
}

fn maker(node: &Node) -> Result<MakeResource<Accumulator>> {
    let (dtype, shape) = (node.attr_type("dtype")?, node.attr_shape("shape")?.clone());
    let mean = node.attr_str("reduction_type")? == "MEAN";
    let sparse = node.op.starts_with("Sparse");
    let wanted = shape.clone();
    MakeResource::new(
        node,
        ACCUMULATOR_TYPE,
        move |name| Ok(Accumulator::new(name, dtype, shape.clone(), mean, sparse)),
        move |found: &Accumulator| found.check_same(dtype, &wanted, mean, sparse),
    )
}

fn make(node: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(maker(node)?))
}

fn scalar_i64(tensor: &Tensor, name: &str) -> Result<i64> {
    ensure!(
        tensor.shape().is_scalar(),
        InvalidArgument,
        "Argument {name} must be scalar, but had bad shape {}",
        tensor.shape()
    );
    tensor.to_scalar::<i64>()
}

fn apply_kernel(node: &Node) -> Result<Kernel> {
    let source = source_of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        cx.step.resources.updates().check(cx.step.id, cx.step.epoch)?;
        let handle = cx.take_value(0);
        let accumulator = find::<Accumulator>(cx.step, Some(&handle))?;
        let local_step = scalar_i64(cx.input(1)?, "local_step")?;
        let gradient = cx.take_input(2)?;
        accumulator.apply(&source, local_step, gradient)
    }))
}

fn apply_rows_kernel(node: &Node) -> Result<Kernel> {
    let known = node.attr_bool("has_known_shape")?;
    let source = source_of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        cx.step.resources.updates().check(cx.step.id, cx.step.epoch)?;
        let handle = cx.take_value(0);
        let accumulator = find::<Accumulator>(cx.step, Some(&handle))?;
        let local_step = scalar_i64(cx.input(1)?, "local_step")?;
        let (indices, shape) = (cx.input(2)?.clone(), cx.input(4)?.clone());
        let values = cx.take_input(3)?;
        ensure!(
            indices.shape().rank() == 1,
            InvalidArgument,
            "Input indices should be vector but received shape: {}",
            indices.shape()
        );
        let Some(count) = values.dims().first() else { bail!(InvalidArgument, "Values cannot be 0-dimensional.") };
        ensure!(
            *count as usize == indices.num_elements(),
            InvalidArgument,
            "Expected {} non-empty input values, got {count}",
            indices.num_elements()
        );
        let indices = indices.to_i64_vec()?;
        let said = if known { Some(shape.to_i64_vec()?) } else { None };
        check_rows(accumulator.shape(), said.as_deref(), &indices, values.dims())?;
        accumulator.apply_rows(&source, local_step, indices, values)
    }))
}

/// Whether rows fit the declared shape, which may say less than there is. Clients that give no shape give that of a scalar.
fn check_rows(declared: &PartialShape, said: Option<&[i64]>, indices: &[i64], values: &[i64]) -> Result<()> {
    let declared = declared.raw_dims().unwrap_or(&[]);
    for (name, from, dims) in [("shape", 0, said), ("values", 1, Some(values))] {
        let Some(dims) = dims else { continue };
        ensure!(
            declared.len() <= dims.len(),
            InvalidArgument,
            "Shape mismatch: expected {name} rank at least {}, got {}",
            declared.len(),
            dims.len()
        );
        for (axis, (wanted, dim)) in declared.iter().zip(dims).enumerate().skip(from) {
            ensure!(
                *wanted < 0 || wanted == dim,
                InvalidArgument,
                "Shape mismatch: expected {name} dim {axis} to be {wanted}, got {dim}"
            );
        }
    }
    let Some(limit) = declared.first().filter(|limit| **limit >= 0) else { return Ok(()) };
    for (slice, index) in indices.iter().enumerate() {
        ensure!(
            (0..*limit).contains(index),
            InvalidArgument,
            "Shape mismatch: index of slice {slice} exceeded limits of shape; index is {index} exceeded {limit}"
        );
    }
    Ok(())
}

/// What a take gives out: one tensor, or indices, values and shape.
fn outputs_of(sum: Sum, first_dim: Option<i64>) -> Outputs {
    match sum {
        Sum::Dense(value) => smallvec![Value::Tensor(value)],
        Sum::Rows(rows) => {
            let mut shape = rows.values.dims().to_vec();
            if let Some(first) = shape.first_mut() {
                *first = first_dim.unwrap_or(-1);
            }
            let indices = Tensor::vector(&rows.indices);
            smallvec![Value::Tensor(indices), Value::Tensor(rows.values), Value::Tensor(Tensor::vector(&shape))]
        }
    }
}

fn take_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let sparse = node.op.starts_with("Sparse");
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared = find::<Accumulator>(&cx.step, cx.inputs.first()).and_then(|accumulator| {
            accumulator.check_dtype(dtype, sparse)?;
            let required = cx.input(1)?;
            ensure!(
                required.shape().is_scalar(),
                InvalidArgument,
                "Argument num_required must be scalar, but had bad shape {}",
                required.shape()
            );
            let required = required.to_scalar::<i32>()?;
            ensure!(required > 0, InvalidArgument, "Argument num_required must be positive, but was {required}");
            Ok((accumulator, required as usize))
        });
        match prepared {
            Ok((accumulator, required)) => {
                let first_dim = accumulator.shape().dim(0);
                let taken = Box::new(move |result: Result<Sum>| done(result.map(|sum| outputs_of(sum, first_dim))));
                accumulator.take(required, &cx.step.cancellation, taken);
            }
            Err(status) => done(Err(status)),
        }
    }))
}

fn set_step_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let step = scalar_i64(cx.input(1)?, "new_global_step")?;
        find::<Accumulator>(cx.step, Some(&handle))?.set_global_step(step);
        Ok(())
    }))
}

fn count_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let count = find::<Accumulator>(cx.step, Some(&handle))?.num_accumulated();
        cx.set_output(0, i32::try_from(count).unwrap_or(i32::MAX));
        Ok(())
    }))
}

#[cfg(test)]
mod tests;
