//! `QueueDequeueV2`, `QueueDequeueManyV2` and `QueueDequeueUpToV2`, and the older `QueueDequeue`, `QueueDequeueMany`
//! and `QueueDequeueUpTo`: take an element, or a batch, from a queue.

use graph::op::{AsyncContext, Done, Kernel, Outputs, Registry, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Shape, Tensor, bail, ensure, err};

use super::handles::{HANDLES, stateful_if_new};
use super::queue::{Queue, Tuple, Want};
use super::queue_config::{Kind, QueueConfig, type_list};
use super::queue_enqueue::check_timeout;
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        for (op, inputs, build) in [
            ("QueueDequeue", "", one as fn(&Node) -> Result<Kernel>),
            ("QueueDequeueMany", ", n: int32", many),
            ("QueueDequeueUpTo", ", n: int32", up_to),
        ] {
            let signature = format!("handle: {handle}{inputs} -> components: component_types");
            stateful_if_new(r.op(&format!("{op}{version}"), &signature), version)
                .attr("component_types: list(type) >= 1")
                .attr("timeout_ms: int = -1")
                .shape(ShapeContext::unknown)
                .any_kernel(build)
                .not_differentiable();
        }
    }
}

fn one(node: &Node) -> Result<Kernel> {
    kernel(node, |_| Ok(Want::One))
}

fn many(node: &Node) -> Result<Kernel> {
    kernel(node, |cx| Ok(Want::Many(count(cx, "DequeueManyOp")?)))
}

fn up_to(node: &Node) -> Result<Kernel> {
    kernel(node, |cx| Ok(Want::UpTo(count(cx, "DequeueUpToOp")?)))
}

fn count(cx: &AsyncContext, op: &str) -> Result<usize> {
    let n = cx.input(1)?;
    // As in TensorFlow, the first element of a vector counts.
    let Some(&n) = n.as_slice::<i32>()?.first() else {
        bail!(InvalidArgument, "{op}: no number of elements was given")
    };
    ensure!(n >= 0, InvalidArgument, "{op} requested {n} < 0 elements");
    Ok(n as usize)
}

fn kernel(node: &Node, want: fn(&AsyncContext) -> Result<Want>) -> Result<Kernel> {
    check_timeout(node)?;
    let types = node.attr_types("component_types")?.to_vec();
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared = find::<Queue>(&cx.step, cx.inputs.first()).and_then(|queue| {
            let want = want(&cx)?;
            check(queue.config(), &types, want)?;
            Ok((queue, want))
        });
        let (queue, want) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        let config = queue.config().clone();
        let taken = Box::new(move |taken: Result<Vec<Tuple>>| {
            done(taken.and_then(|taken| match want {
                Want::One => {
                    let tuple = taken.into_iter().next().ok_or_else(|| err!(Internal, "an empty dequeue"))?;
                    Ok(tuple.into_iter().map(Value::Tensor).collect())
                }
                _ => batch(&config, &taken),
            }));
        });
        queue.dequeue(want, &cx.step.cancellation, taken);
    }))
}

fn check(config: &QueueConfig, types: &[DType], want: Want) -> Result<()> {
    ensure!(
        types == config.types,
        InvalidArgument,
        "Signature mismatch, have: resource->{} expected: resource->{}",
        type_list(types),
        type_list(&config.types)
    );
    ensure!(
        want == Want::One || !config.shapes.is_empty(),
        InvalidArgument,
        "{}'s DequeueMany and DequeueUpTo require the components to have specified shapes.",
        config.kind.name()
    );
    Ok(())
}

/// The elements of each component, one above the other.
pub(super) fn batch(config: &QueueConfig, taken: &[Tuple]) -> Result<Outputs> {
    let mut outputs = Outputs::new();
    for (number, dtype) in config.types.iter().enumerate() {
        let declared = config.shapes.get(number).cloned().unwrap_or_default();
        let parts: Vec<&Tensor> = taken.iter().filter_map(|tuple| tuple.get(number)).collect();
        let together = if parts.is_empty() {
            let row: Vec<i64> = declared.raw_dims().unwrap_or(&[]).iter().map(|dim| (*dim).max(0)).collect();
            Tensor::zeros(*dtype, &Shape::new(&[&[0], &row[..]].concat())?)?
        } else if config.kind == Kind::PaddingFifo && !declared.is_fully_known() {
            padded(&parts)?
        } else {
            crate::array::pack(&parts, 0)?
        };
        outputs.push(Value::Tensor(together));
    }
    Ok(outputs)
}

/// Tensors of one rank, filled up with zeros to a common shape and put one above the other.
fn padded(parts: &[&Tensor]) -> Result<Tensor> {
    let rank = parts.first().map_or(0, |part| part.shape().rank());
    let mut dims = vec![0; rank];
    for part in parts {
        ensure!(part.shape().rank() == rank, InvalidArgument, "elements of ranks {rank} and {}", part.shape().rank());
        dims.iter_mut().zip(part.dims()).for_each(|(dim, own)| *dim = (*dim).max(*own));
    }
    let shape = Shape::new(&dims)?;
    let filled: Vec<Tensor> = parts.iter().map(|part| pad_to(part, &shape)).collect::<Result<_>>()?;
    crate::array::pack(&filled.iter().collect::<Vec<_>>(), 0)
}

fn pad_to(part: &Tensor, shape: &Shape) -> Result<Tensor> {
    if part.shape() == shape {
        return Ok(part.clone());
    }
    let size = part.dtype().size();
    let strings = part.dtype() == DType::String;
    if !strings && size == 0 {
        bail!(InvalidArgument, "elements of type {} cannot be padded", part.dtype());
    }
    let target = Tensor::zeros(part.dtype(), shape)?;
    if part.num_elements() == 0 {
        return Ok(target);
    }
    // Copies runs along the last axis.
    let run = part.dims().last().map_or(1, |dim| *dim as usize);
    let mut places = Vec::with_capacity(part.num_elements() / run);
    let mut index = vec![0i64; shape.rank()];
    loop {
        places.push(index.iter().zip(shape.dims()).fold(0, |at, (i, dim)| at * dim + i) as usize);
        let mut axis = shape.rank().saturating_sub(1);
        loop {
            if axis == 0 {
                let from = part.clone();
                return fill_runs(target, &from, &places, run, size);
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < part.dims()[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

fn fill_runs(target: Tensor, part: &Tensor, places: &[usize], run: usize, size: usize) -> Result<Tensor> {
    if part.dtype() == DType::String {
        let mut strings = target.strings()?.to_vec();
        for (number, place) in places.iter().enumerate() {
            strings[*place..place + run].clone_from_slice(&part.strings()?[number * run..][..run]);
        }
        return Tensor::from_strings(target.shape().clone(), strings);
    }
    let source = part.buffer().map_or(Ok(&[][..]), |buffer| buffer.try_bytes())?;
    let mut bytes = vec![0u8; target.byte_size()];
    for (number, place) in places.iter().enumerate() {
        bytes[place * size..][..run * size].copy_from_slice(&source[number * run * size..][..run * size]);
    }
    Tensor::from_bytes(part.dtype(), target.shape().clone(), bytes.into())
}

#[cfg(test)]
mod tests;
