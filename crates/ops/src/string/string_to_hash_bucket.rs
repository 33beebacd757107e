//! `StringToHashBucket`, `StringToHashBucketFast` and `StringToHashBucketStrong`: strings as numbers of buckets.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, bail};

pub(crate) fn register(r: &mut Registry) {
    r.op("StringToHashBucket", "string_tensor: string -> output: int64")
        .attr("num_buckets: int >= 1")
        .shape(ShapeContext::unchanged)
        .any_kernel(old_kernel)
        .not_differentiable();
    r.op("StringToHashBucketFast", "input: string -> output: int64")
        .attr("num_buckets: int >= 1")
        .shape(ShapeContext::unchanged)
        .any_kernel(fast_kernel)
        .not_differentiable();
    r.op("StringToHashBucketStrong", "input: string -> output: int64")
        .attr("num_buckets: int >= 1")
        .attr("key: list(int)")
        .shape(ShapeContext::unchanged)
        .any_kernel(strong_kernel)
        .not_differentiable();
}

fn old_kernel(node: &Node) -> Result<Kernel> {
    let buckets = node.attr_int("num_buckets")?.max(1) as u64;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = hashed(cx.input(0)?, |text| murmur(text) % buckets)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// MurmurHash64A with the seed that TensorFlow has.
fn murmur(text: &[u8]) -> u64 {
    const FACTOR: u64 = 0xc6a4_a793_5bd1_e995;
    let mut hash = 0x00de_cafc_affe ^ (text.len() as u64).wrapping_mul(FACTOR);
    let (words, rest) = text.as_chunks::<8>();
    for word in words {
        let mixed = u64::from_le_bytes(*word).wrapping_mul(FACTOR);
        hash = (hash ^ (mixed ^ (mixed >> 47)).wrapping_mul(FACTOR)).wrapping_mul(FACTOR);
    }
    if !rest.is_empty() {
        let last = rest.iter().rev().fold(0, |word, byte| (word << 8) | u64::from(*byte));
        hash = (hash ^ last).wrapping_mul(FACTOR);
    }
    hash = (hash ^ (hash >> 47)).wrapping_mul(FACTOR);
    hash ^ (hash >> 47)
}

fn fast_kernel(node: &Node) -> Result<Kernel> {
    let buckets = node.attr_int("num_buckets")?.max(1) as u64;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = hashed(cx.input(0)?, |text| farmhash::fingerprint64(text) % buckets)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn strong_kernel(node: &Node) -> Result<Kernel> {
    let buckets = node.attr_int("num_buckets")?.max(1) as u64;
    let &[first, second] = node.attr_ints("key")? else { bail!(InvalidArgument, "Key must have 2 elements") };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = hashed(cx.input(0)?, |text| {
            use std::hash::Hasher;
            let mut hasher = siphasher::sip::SipHasher24::new_with_keys(first as u64, second as u64);
            hasher.write(text);
            hasher.finish() % buckets
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn hashed(input: &Tensor, hash: impl Fn(&[u8]) -> u64) -> Result<Tensor> {
    let numbers: Vec<i64> = input.strings()?.iter().map(|text| hash(text) as i64).collect();
    Tensor::from_slice(input.shape(), &numbers)
}
