//! Random numbers from a generator whose state is a variable: `StatefulUniform`, `StatefulStandardNormal`,
//! `StatefulStandardNormalV2`, `StatefulTruncatedNormal`, `StatefulUniformInt`, `StatefulUniformFullInt`, `RngSkip`,
//! `RngReadAndSkip`; and `NonDeterministicInts`, which nobody can foretell.

use std::hash::{BuildHasher, RandomState};

use graph::op::{Kernel, OpContext, Registry, ResourceVariable, ShapeContext, types};
use graph::{Node, ReadAttrs};
use math::random::Philox;
use tensor::DType::*;
use tensor::{PartialShape, Result, Tensor, ensure};

use super::distributions::{Floats, draw_from, draw_ints_from, wanted_shape};
use super::stateless::{at_state, full_ints};

pub(crate) fn register(r: &mut Registry) {
    for name in ["StatefulUniform", "StatefulStandardNormalV2", "StatefulTruncatedNormal", "StatefulStandardNormal"] {
        let algorithm = if name == "StatefulStandardNormal" { "" } else { "algorithm: int64, " };
        r.op(name, &format!("resource: resource, {algorithm}shape: shape_dtype -> output: dtype"))
            .attr("dtype: type = float")
            .attr("shape_dtype: type = int64")
            .stateful()
            .shape(shape)
            .kernel("dtype", types::FLOATS, float_kernel);
    }
    r.op("StatefulUniformFullInt", "resource: resource, algorithm: int64, shape: shape_dtype -> output: dtype")
        .attr("dtype: type = uint64")
        .attr("shape_dtype: type = int64")
        .stateful()
        .shape(shape)
        .kernel("dtype", &[Int32, Int64, UInt32, UInt64], full_int_kernel);
    r.op(
        "StatefulUniformInt",
        "resource: resource, algorithm: int64, shape: shape_dtype, minval: dtype, maxval: dtype -> output: dtype",
    )
    .attr("dtype: type = int64")
    .attr("shape_dtype: type = int64")
    .stateful()
    .shape(shape)
    .kernel("dtype", types::INDICES, int_kernel);
    r.op("RngSkip", "resource: resource, algorithm: int64, delta: int64 ->").stateful().any_kernel(skip_kernel);
    r.op("RngReadAndSkip", "resource: resource, alg: int32, delta: uint64 -> value: int64")
        .stateful()
        .shape(read_shape)
        .any_kernel(read_kernel);
    r.op("NonDeterministicInts", "shape: shape_dtype -> output: dtype")
        .attr("dtype: type = int64")
        .attr("shape_dtype: type = int64")
        .stateful()
        .shape(chance_shape)
        .kernel("dtype", &[Int32, Int64, UInt32, UInt64], chance_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let at = if cx.num_inputs() == 2 { 1 } else { 2 };
    let shape = cx.input_as_shape(at);
    cx.set(0, shape);
    Ok(())
}

fn read_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::vector(None));
    Ok(())
}

fn chance_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

/// Moves the variable on behind what so many numbers may use; its state before, and the place that it stood for. Without an
/// algorithm the state begins with it.
///
/// # Errors
/// `InvalidArgument` if the variable does not hold a state of the algorithm.
pub(super) fn advance(cx: &OpContext<'_>, algorithm: Option<i64>, numbers: u64) -> Result<(Tensor, Philox)> {
    let variable = cx.resource::<ResourceVariable>(0)?;
    variable.0.update(|state| {
        ensure!(
            state.dtype() == Int64,
            InvalidArgument,
            "Trying to read variable with wrong dtype. Expected int64 got {}",
            state.dtype()
        );
        ensure!(
            state.shape().rank() == 1,
            InvalidArgument,
            "RNG state must have one and only one dimension, not {}",
            state.shape().rank()
        );
        let (algorithm, start) = match algorithm {
            Some(algorithm) => (algorithm, 0),
            None => (state.as_slice::<i64>()?.first().copied().unwrap_or(0), 1),
        };
        ensure!(algorithm == 1, InvalidArgument, "Unsupported algorithm id: {algorithm}");
        ensure!(
            state.num_elements() >= 3 + start,
            InvalidArgument,
            "For the Philox algorithm, the size of state must be at least {}; got {}",
            3 + start,
            state.num_elements()
        );
        let before = state.deep_copy();
        let words = &mut state.make_mut::<i64>()?[start..];
        let here = at_state(words[0] as u64, words[1] as u64, words[2] as u64);
        let mut there = here;
        there.skip(numbers.wrapping_mul(256));
        let [a, b, c, d] = there.state().0.map(u64::from);
        words[0] = (a | b << 32) as i64;
        words[1] = (c | d << 32) as i64;
        Ok((before, here))
    })
}

/// The algorithm of a node and its shape, which come before what else it has.
fn request(cx: &OpContext<'_>) -> Result<(Option<i64>, tensor::Shape)> {
    // The oldest op keeps the algorithm in the state's first word.
    if cx.node.op == "StatefulStandardNormal" {
        return Ok((None, wanted_shape(cx.input(1)?)?));
    }
    Ok((Some(algorithm_of(cx.input(1)?)?), wanted_shape(cx.input(2)?)?))
}

pub(super) fn algorithm_of(tensor: &Tensor) -> Result<i64> {
    ensure!(tensor.shape().is_scalar(), InvalidArgument, "algorithm must be of shape [], not {}", tensor.shape());
    Ok(tensor.to_i64_vec()?.first().copied().unwrap_or(0))
}

fn float_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let floats = match node.op.as_str() {
        "StatefulUniform" => Floats::Uniform,
        "StatefulTruncatedNormal" => Floats::Truncated,
        _ => Floats::Normal,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (algorithm, shape) = request(cx)?;
        Tensor::check_size(dtype, &shape)?;
        let philox = advance(cx, algorithm, shape.num_elements() as u64)?.1;
        let numbers = draw_from(philox, floats, dtype, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn full_int_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (algorithm, shape) = request(cx)?;
        Tensor::check_size(dtype, &shape)?;
        let philox = advance(cx, algorithm, shape.num_elements() as u64)?.1;
        let numbers = full_ints(philox, dtype, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn int_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (algorithm, shape) = request(cx)?;
        Tensor::check_size(Int64, &shape)?;
        let (low, high) = (cx.input(3)?, cx.input(4)?);
        // What is wrong with the limits is found before the state moves.
        let none = Tensor::from([1i64]);
        draw_ints_from(&none, low, high, |_| Philox::new(0, 0))?;
        let philox = advance(cx, algorithm, shape.num_elements() as u64)?.1;
        let numbers = draw_ints_from(cx.input(2)?, low, high, |_| philox)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn skip_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let delta = cx.input(2)?;
        ensure!(delta.shape().is_scalar(), InvalidArgument, "delta must be of shape [], not {}", delta.shape());
        advance(cx, Some(algorithm_of(cx.input(1)?)?), delta.to_scalar::<i64>()? as u64)?;
        Ok(())
    }))
}

fn read_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let delta = cx.input(2)?;
        ensure!(delta.shape().is_scalar(), InvalidArgument, "delta must be of shape [], not {}", delta.shape());
        let before = advance(cx, Some(algorithm_of(cx.input(1)?)?), delta.to_scalar::<u64>()?)?.0;
        cx.set_output(0, before);
        Ok(())
    }))
}

fn chance_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let chance = || RandomState::new().hash_one(0u8);
        let numbers = full_ints(at_state(chance(), chance(), chance()), dtype, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}
