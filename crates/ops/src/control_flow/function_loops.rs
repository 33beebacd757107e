//! Ops that call a function several times or elsewhere: `For` counts, `MapDefun` calls it for each row of its arguments,
//! `RemoteCall` names the device; and `DeviceIndex`, which of several kinds of devices a node is on.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::dataset::function::Function;
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("For", "start: int32, limit: int32, delta: int32, input: T -> output: T")
        .attr("T: list(type) >= 0")
        .attr("body: func")
        .shape(ShapeContext::unknown)
        .any_kernel(for_kernel);
    r.op("MapDefun", "arguments: Targuments, captured_inputs: Tcaptured -> output: output_types")
        .attr("Targuments: list(type) >= 1")
        .attr("Tcaptured: list(type) >= 0 = []")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .attr("f: func")
        .attr("max_intra_op_parallelism: int = 1")
        .shape(map_shape)
        .any_kernel(map_kernel);
    r.op("RemoteCall", "target: string, args: Tin -> output: Tout")
        .attr("Tin: list(type) >= 1")
        .attr("Tout: list(type) >= 1")
        .attr("f: func")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(remote_kernel);
    r.op("DeviceIndex", "-> index: int32")
        .attr("device_names: list(string)")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(device_kernel)
        .not_differentiable();
}

/// Counts from `start` towards `limit` and gives the body the count and what it returned before.
fn for_kernel(node: &Node) -> Result<Kernel> {
    let (body, values) = (Arc::new(Function::of(node, "body")?), node.attr_types("T")?.len());
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let count = |index: usize, name: &str| -> Result<i64> {
            let input = cx.input(index)?;
            ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, not {}", input.shape());
            Ok(i64::from(input.to_scalar::<i32>()?))
        };
        let (mut at, limit, delta) = (count(0, "start")?, count(1, "limit")?, count(2, "delta")?);
        ensure!(
            (delta > 0 && at <= limit) || (delta < 0 && at >= limit) || (delta == 0 && at == limit),
            InvalidArgument,
            "Invalid start/limit/delta: {at} {limit} {delta}"
        );
        let mut state: Vec<Tensor> = cx.inputs(3..3 + values)?.into_iter().cloned().collect();
        while if delta > 0 { at < limit } else { at > limit } {
            cx.step.cancellation.check()?;
            let args = std::iter::once(Tensor::from(at as i32)).chain(state).collect();
            state = body.call(cx.step, args)?;
            ensure!(
                state.len() == values,
                InvalidArgument,
                "For loop body returned {} arguments. Expected: {values}",
                state.len()
            );
            at += delta;
        }
        for (index, value) in state.into_iter().enumerate() {
            cx.set_output(index, value);
        }
        Ok(())
    }))
}

fn map_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut rows = None;
    for index in 0..cx.attr_types("Targuments")?.len() {
        let shape = cx.with_rank_at_least(index, 1)?;
        let own = shape.dim(0);
        ensure!(
            rows.is_none() || own.is_none() || rows == own,
            InvalidArgument,
            "All inputs must have the same dimension 0: {rows:?} and {own:?}"
        );
        rows = rows.or(own);
    }
    for (index, shape) in cx.attr_shapes("output_shapes")?.to_vec().into_iter().enumerate() {
        let whole = PartialShape::vector(rows).concatenate(&shape);
        cx.set(index, whole);
    }
    Ok(())
}

fn map_kernel(node: &Node) -> Result<Kernel> {
    let (function, arguments) = (Arc::new(Function::of(node, "f")?), node.attr_types("Targuments")?.len());
    let (types, shapes) = (node.attr_types("output_types")?.to_vec(), node.attr_shapes("output_shapes")?.to_vec());
    ensure!(
        types.len() == shapes.len(),
        InvalidArgument,
        "`output_shapes` and `output_types` must be equally many: {} and {}",
        shapes.len(),
        types.len()
    );
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let inputs = cx.inputs(0..arguments)?;
        let captured = cx.inputs(arguments..cx.num_inputs())?;
        for input in &inputs {
            ensure!(
                input.shape().rank() > 0,
                InvalidArgument,
                "All inputs must have rank at least 1, but one is a scalar"
            );
        }
        let rows = inputs.first().map_or(0, |input| input.shape().dim(0));
        ensure!(
            inputs.iter().all(|input| input.shape().dim(0) == rows),
            InvalidArgument,
            "All inputs must have the same dimension 0: {:?}",
            inputs.iter().map(|input| input.shape().dim(0)).collect::<Vec<_>>()
        );
        let bytes = (rows as u64).saturating_mul(128 * types.len() as u64);
        tensor::memory::ensure_free(bytes, format_args!("the results of {rows} calls"))?;
        let mut results: Vec<Vec<Tensor>> = vec![Vec::new(); types.len()];
        for row in 0..rows {
            cx.step.cancellation.check()?;
            let slice = |input: &&Tensor| {
                let shape = Shape::new(&input.dims()[1..])?;
                input.window(row * shape.num_elements(), shape)
            };
            let mut args = inputs.iter().map(slice).collect::<Result<Vec<_>>>()?;
            args.extend(captured.iter().map(|tensor| (*tensor).clone()));
            let values = function.call(cx.step, args)?;
            ensure!(values.len() == types.len(), InvalidArgument, "a function of {} results", values.len());
            for (place, value) in values.into_iter().enumerate() {
                ensure!(
                    value.dtype() == types[place] && shapes[place].is_compatible_with(value.shape()),
                    InvalidArgument,
                    "Expected output {place} of type {} and shape {}, got {} of shape {}",
                    types[place],
                    shapes[place],
                    value.dtype(),
                    value.shape()
                );
                results[place].push(value);
            }
        }
        let mut outputs = Vec::with_capacity(types.len());
        for (place, rows) in results.iter().enumerate() {
            let Some(first) = rows.first() else {
                let known = shapes[place].to_shape();
                ensure!(
                    known.is_some(),
                    InvalidArgument,
                    "no rows, and output {place} has no shape that is known in full"
                );
                let dims = [&[0], known.unwrap_or_default().dims()].concat();
                outputs.push(Tensor::zeros(types[place], &Shape::new(&dims)?)?);
                continue;
            };
            ensure!(
                rows.iter().all(|row| row.shape() == first.shape()),
                InvalidArgument,
                "All function invocation results must have the same shape; output {place} has {} and others",
                first.shape()
            );
            let shape = Shape::new(&[&[rows.len() as i64], first.dims()].concat())?;
            let lengths = vec![first.num_elements(); rows.len()];
            outputs.push(moved(shape, &rows.iter().collect::<Vec<_>>(), &Join(&lengths))?);
        }
        for (index, output) in outputs.into_iter().enumerate() {
            cx.set_output(index, output);
        }
        Ok(())
    }))
}

/// Calls a function on a device of this process.
fn remote_kernel(node: &Node) -> Result<Kernel> {
    let function = Arc::new(Function::of(node, "f")?);
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let target = cx.input(0)?;
        ensure!(target.shape().is_scalar(), InvalidArgument, "target must be a scalar, not {}", target.shape());
        let target = String::from_utf8_lossy(target.to_string_scalar()?).into_owned();
        let own = parts(&cx.step.device);
        for part in parts(&target) {
            ensure!(
                own.contains(&part),
                InvalidArgument,
                "the function is called on {target}, but only devices of the calling task can be called: {}",
                cx.step.device
            );
        }
        let args = cx.inputs(1..cx.num_inputs())?.into_iter().cloned().collect();
        let results = function.call(cx.step, args)?;
        ensure!(
            results.len() == cx.num_outputs(),
            InvalidArgument,
            "a function of {} results instead of {}",
            results.len(),
            cx.num_outputs()
        );
        for (index, value) in results.into_iter().enumerate() {
            cx.set_output(index, value);
        }
        Ok(())
    }))
}

/// The parts of a device's name, spelled alike; all processors of a task are one.
fn parts(device: &str) -> Vec<String> {
    let spell = |part: &str| match part.to_ascii_lowercase() {
        part if part.starts_with("cpu:") || part.starts_with("device:cpu:") => "device:cpu".to_owned(),
        part => part,
    };
    device.split('/').filter(|part| !part.is_empty()).map(spell).collect()
}

fn device_kernel(node: &Node) -> Result<Kernel> {
    let names = node.attr_strings("device_names")?;
    // All devices are processors here; a name that is not among them counts as one behind.
    let index = names.iter().position(|name| name.eq_ignore_ascii_case(b"CPU")).unwrap_or(names.len());
    let index = index as i32;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        cx.set_output(0, index);
        Ok(())
    }))
}
