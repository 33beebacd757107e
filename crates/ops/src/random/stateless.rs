//! Random numbers that follow from a seed given as an input: `StatelessRandomUniform`, `StatelessRandomNormal`,
//! `StatelessTruncatedNormal`, `StatelessRandomUniformInt`, `StatelessRandomUniformFullInt`; from a key and a counter:
//! `StatelessRandomUniformV2`, `StatelessRandomNormalV2`, `StatelessTruncatedNormalV2`, `StatelessRandomUniformIntV2`,
//! `StatelessRandomUniformFullIntV2`, `StatelessShuffle`; and what makes those of a seed: `StatelessRandomGetKeyCounter`,
//! `StatelessRandomGetKeyCounterAlg`, `StatelessRandomGetAlg`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use math::random::Philox;
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::distributions::{Floats, draw_from, draw_ints_from, wanted_shape};
use super::random_shuffle::shuffled;

const KEYED: &str = "key: uint64, counter: uint64, alg: int32";

pub(crate) fn register(r: &mut Registry) {
    for name in ["StatelessRandomUniform", "StatelessRandomNormal", "StatelessTruncatedNormal"] {
        r.op(name, "shape: T, seed: Tseed -> output: dtype")
            .attr("dtype: {half, bfloat16, float, double} = float")
            .attr("T: {int32, int64} = int32")
            .attr("Tseed: {int32, int64} = int64")
            .shape(seed_shape)
            .kernel("dtype", types::FLOATS, float_kernel)
            .not_differentiable();
        r.op(&format!("{name}V2"), &format!("shape: Tshape, {KEYED} -> output: dtype"))
            .attr("dtype: {half, bfloat16, float, double} = float")
            .attr("Tshape: {int32, int64} = int32")
            .shape(key_shape)
            .kernel("dtype", types::FLOATS, float_kernel)
            .not_differentiable();
    }
    r.op("StatelessRandomUniformInt", "shape: T, seed: Tseed, minval: dtype, maxval: dtype -> output: dtype")
        .attr("dtype: {int32, int64}")
        .attr("T: {int32, int64}")
        .attr("Tseed: {int32, int64} = int64")
        .shape(seed_shape)
        .kernel("dtype", types::INDICES, int_kernel)
        .not_differentiable();
    r.op(
        "StatelessRandomUniformIntV2",
        &format!("shape: Tshape, {KEYED}, minval: dtype, maxval: dtype -> output: dtype"),
    )
    .attr("dtype: {int32, int64, uint32, uint64}")
    .attr("Tshape: {int32, int64} = int32")
    .shape(key_shape)
    .kernel("dtype", types::INDICES, int_kernel)
    .not_differentiable();
    r.op("StatelessRandomUniformFullInt", "shape: T, seed: Tseed -> output: dtype")
        .attr("dtype: {int32, int64, uint32, uint64} = uint64")
        .attr("T: {int32, int64} = int32")
        .attr("Tseed: {int32, int64, uint32, uint64} = int64")
        .shape(seed_shape)
        .kernel("dtype", &[Int32, Int64, UInt32, UInt64], full_int_kernel)
        .not_differentiable();
    r.op("StatelessRandomUniformFullIntV2", &format!("shape: Tshape, {KEYED} -> output: dtype"))
        .attr("dtype: {int32, int64, uint32, uint64} = uint64")
        .attr("Tshape: {int32, int64} = int32")
        .shape(key_shape)
        .kernel("dtype", &[Int32, Int64, UInt32, UInt64], full_int_kernel)
        .not_differentiable();
    r.op("StatelessShuffle", &format!("value: T, {KEYED} -> output: T"))
        .attr("T: type")
        .shape(ShapeContext::unchanged)
        .any_kernel(shuffle_kernel);
    r.op("StatelessRandomGetKeyCounter", "seed: Tseed -> key: uint64, counter: uint64")
        .attr("Tseed: {int32, int64} = int64")
        .shape(get_shape)
        .any_kernel(get_kernel);
    r.op("StatelessRandomGetKeyCounterAlg", "seed: Tseed -> key: uint64, counter: uint64, alg: int32")
        .attr("Tseed: {int32, int64} = int64")
        .shape(get_shape)
        .any_kernel(get_kernel);
    r.op("StatelessRandomGetAlg", "-> alg: int32").stateful().shape(ShapeContext::scalar).any_kernel(alg_kernel);
}

/// The generator that kernels choose by themselves.
const PHILOX: i32 = 1;

fn seed_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    for index in 2..cx.num_inputs() {
        cx.with_rank(index, 0)?;
    }
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn key_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    for index in 3..cx.num_inputs() {
        cx.with_rank(index, 0)?;
    }
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn get_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.set(0, PartialShape::from([1]));
    cx.set(1, PartialShape::from([2]));
    cx.set(2, PartialShape::scalar());
    Ok(())
}

/// The place in a sequence that a seed of two numbers stands for. They are scrambled first, so that similar seeds lead
/// to sequences that are not.
pub(crate) fn seeded(seed: &Tensor) -> Result<Philox> {
    ensure!(seed.dims() == [2], InvalidArgument, "seed must have shape [2], not {}", seed.shape());
    ensure!(matches!(seed.dtype(), Int32 | Int64), InvalidArgument, "Invalid seed type: {}", seed.dtype());
    let numbers: Vec<u64> = seed.to_i64_vec()?.iter().map(|x| *x as u64).collect();
    let words = |x: u64| [x as u32, (x >> 32) as u32];
    let ([a, b], [c, d]) = (words(numbers[0]), words(numbers[1]));
    let mixed = Philox::from_state([a, b, c, d], [0x3ec8_f720, 0x0246_1e29]).next_output();
    Ok(Philox::from_state([0, 0, mixed[2], mixed[3]], [mixed[0], mixed[1]]))
}

/// The place in a sequence that a key and a counter stand for.
pub(super) fn keyed(key: &Tensor, counter: &Tensor, alg: &Tensor) -> Result<Philox> {
    ensure!(alg.shape().is_scalar(), InvalidArgument, "input 3 (0-based) must have shape [], not {}", alg.shape());
    let alg = alg.to_scalar::<i32>()?;
    ensure!(
        key.dims() == [1],
        InvalidArgument,
        "key must have shape [1], not {}. (Note that batched keys are not supported yet.)",
        key.shape()
    );
    // Philox has a counter of two words; of others TensorFlow only looks at the length.
    let needed = match alg {
        1 | 3 => 2,
        2 => 1,
        other => i64::from(other),
    };
    ensure!(
        counter.shape().rank() == 1 && counter.dims()[0] >= needed,
        InvalidArgument,
        "counter must be a vector with length at least {needed}; got shape: {}. (Note that batched counters are not \
         supported yet.)",
        counter.shape()
    );
    ensure!(matches!(alg, 1 | 3), InvalidArgument, "Unsupported algorithm id: {alg}");
    Ok(at_state(counter.as_slice::<u64>()?[0], counter.as_slice::<u64>()?[1], key.as_slice::<u64>()?[0]))
}

/// The place in a sequence from its counter, low half first, and its key.
pub(super) fn at_state(low: u64, high: u64, key: u64) -> Philox {
    let words = |x: u64| [x as u32, (x >> 32) as u32];
    let ([a, b], [c, d]) = (words(low), words(high));
    Philox::from_state([a, b, c, d], words(key))
}

/// Where an op of this file begins, and which of its inputs come after that.
fn place(cx: &OpContext<'_>) -> Result<(Philox, usize)> {
    match cx.node.input_types.get(1).is_some_and(|input| input.dtype == UInt64) && cx.num_inputs() > 2 {
        true => Ok((keyed(cx.input(1)?, cx.input(2)?, cx.input(3)?)?, 4)),
        false => Ok((seeded(cx.input(1)?)?, 2)),
    }
}

fn float_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    let floats = match node.op.trim_end_matches("V2") {
        "StatelessRandomUniform" => Floats::Uniform,
        "StatelessRandomNormal" => Floats::Normal,
        _ => Floats::Truncated,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let numbers = draw_from(place(cx)?.0, floats, dtype, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn int_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (philox, next) = place(cx)?;
        let numbers = draw_ints_from(cx.input(0)?, cx.input(next)?, cx.input(next + 1)?, |_| philox)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

fn full_int_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = wanted_shape(cx.input(0)?)?;
        let numbers = full_ints(place(cx)?.0, dtype, shape)?;
        cx.set_output(0, numbers);
        Ok(())
    }))
}

/// Integers of all values.
pub(super) fn full_ints(mut philox: Philox, dtype: DType, shape: Shape) -> Result<Tensor> {
    let numbers = match dtype {
        Int32 | UInt32 => Tensor::build(shape, |out: &mut [u32]| {
            for group in out.chunks_mut(4) {
                group.copy_from_slice(&philox.next_output()[..group.len()]);
            }
            Ok(())
        })?,
        Int64 | UInt64 => Tensor::build(shape, |out: &mut [u64]| {
            for group in out.chunks_mut(2) {
                let [a, b, c, d] = philox.next_output().map(u64::from);
                group.copy_from_slice(&[a | b << 32, c | d << 32][..group.len()]);
            }
            Ok(())
        })?,
        other => bail!(Internal, "no code for elements of type {other}"),
    };
    numbers.bitcast(dtype)
}

fn shuffle_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let philox = keyed(cx.input(1)?, cx.input(2)?, cx.input(3)?)?;
        let value = cx.take_input(0)?;
        cx.set_output(0, shuffled(value, |_| philox)?);
        Ok(())
    }))
}

fn get_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let (counter, key) = seeded(cx.input(0)?)?.state();
        let join = |low: u32, high: u32| u64::from(low) | u64::from(high) << 32;
        cx.set_output(0, [join(key[0], key[1])]);
        cx.set_output(1, [join(counter[0], counter[1]), join(counter[2], counter[3])]);
        cx.set_output(2, PHILOX);
        Ok(())
    }))
}

fn alg_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        cx.set_output(0, PHILOX);
        Ok(())
    }))
}
