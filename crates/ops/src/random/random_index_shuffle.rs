//! `RandomIndexShuffle`: where an index goes in a random order of all up to a largest one, without making that order.
//!
//! The order is that of a block cipher (Simon) of few rounds, whose blocks are as wide as the largest index needs: an index is
//! encrypted again until it is one of those that there are.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("RandomIndexShuffle", "index: dtype, seed: Tseed, max_index: dtype -> output: dtype")
        .attr("rounds: int = 4")
        .attr("dtype: {int32, uint32, int64, uint64}")
        .attr("Tseed: {int32, uint32, int64, uint64}")
        .shape(shape)
        .kernel("dtype", &[DType::Int32, DType::UInt32, DType::Int64, DType::UInt64], kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let ranks = [cx.input(0).rank(), cx.input(1).rank(), cx.input(2).rank()];
    for (place, (rank, most)) in ranks.iter().zip([1, 2, 1]).enumerate() {
        ensure!(
            rank.is_none_or(|rank| rank <= most),
            InvalidArgument,
            "Shape must be at most rank {most} but is rank {} (input {place})",
            rank.unwrap_or(0)
        );
    }
    ensure!(ranks[1] != Some(0), InvalidArgument, "Shape must be at least rank 1 but is rank 0");
    if let Some(rank) = ranks[1] {
        let width = cx.input(1).dim(rank - 1);
        ensure!(
            width.is_none_or(|width| width == 3),
            InvalidArgument,
            "Seed must have shape [3] or [n, 3] but got {}",
            cx.input(1)
        );
    }
    if ranks == [Some(0), Some(1), Some(0)] {
        cx.set(0, PartialShape::scalar());
    } else if ranks[0] == Some(1) || ranks[1] == Some(2) || ranks[2] == Some(1) {
        let counts = [(0, 1), (1, 2), (2, 1)]
            .map(|(input, rank)| if ranks[input] == Some(rank) { cx.input(input).dim(0) } else { None });
        let many = counts.iter().flatten().filter(|count| **count > 1).collect::<Vec<_>>();
        ensure!(
            many.windows(2).all(|pair| pair[0] == pair[1]),
            InvalidArgument,
            "index, seed and max_index must be as many, but are {many:?}"
        );
        cx.set(0, PartialShape::vector(counts.into_iter().flatten().next()));
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let rounds = node.attr_int("rounds")?;
    ensure!(
        (4..=64).contains(&rounds) && rounds % 2 == 0,
        InvalidArgument,
        "rounds must be even and from 4 to 64, but is {rounds}"
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (index, seed, most) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let count = index.num_elements().max(most.num_elements()).max(seed.num_elements() / 3);
        let fits = |tensor: &Tensor| tensor.dims().is_empty() || tensor.dims() == [count as i64];
        ensure!(fits(index), InvalidArgument, "Index must be a scalar or vector, but got {}", index.shape());
        ensure!(
            seed.dims() == [3] || seed.dims() == [count as i64, 3],
            InvalidArgument,
            "Seed must be a vector of size [3] or a matrix of size [{count}, 3] but got {}.",
            seed.shape()
        );
        ensure!(
            fits(most),
            InvalidArgument,
            "Maxval must be a scalar or a vector of the same size as index but got {}",
            most.shape()
        );
        let single = index.dims().is_empty() && seed.dims().len() == 1 && most.dims().is_empty();
        let shape = if single { Shape::scalar() } else { Shape::new(&[count as i64])? };
        let (indices, limits) = (numbers(index)?, numbers(most)?);
        let seeds = numbers(seed)?;
        let of = |list: &[i128], place: usize| list[if list.len() == 1 { 0 } else { place }];
        let output = dispatch!(index.dtype(), T in [i32, u32, i64, u64] => {
            Tensor::build(shape, |out: &mut [T]| {
                for (place, out) in out.iter_mut().enumerate() {
                    let (index, most) = (of(&indices, place), of(&limits, place));
                    ensure!(index >= 0, InvalidArgument, "index must be >= 0 but was {index}");
                    ensure!(most >= 0, InvalidArgument, "max_index must be >= 0 but was {most}");
                    ensure!(most >= index, InvalidArgument, "max_index must be >= index, but {most} < {index}");
                    let key = if seeds.len() == 3 { &seeds[..] } else { &seeds[3 * place..][..3] };
                    let key = [key[0] as u32, key[1] as u32, key[2] as u32];
                    *out = shuffled(index as u64, key, most as u64, rounds as usize) as T;
                }
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Integers of any of the types.
fn numbers(tensor: &Tensor) -> Result<Vec<i128>> {
    dispatch!(tensor.dtype(), T in [i32, u32, i64, u64] => {
        Ok(tensor.as_slice::<T>()?.iter().map(|value| *value as i128).collect())
    })
}

/// The smallest blocks, in bits: smaller ones show patterns.
const LEAST_BITS: u32 = 16;

fn shuffled(index: u64, key: [u32; 3], most: u64, rounds: usize) -> u64 {
    if most == 0 {
        return 0;
    }
    let bits = (most as f64).log2().ceil() as u32;
    let cipher = Simon::new((bits + bits % 2).clamp(LEAST_BITS, 64) / 2, key, rounds);
    let mut index = index;
    loop {
        index = cipher.encrypted(index);
        if index <= most {
            return index;
        }
    }
}

/// The cipher for words of some bits, two of which are a block.
struct Simon {
    bits: u32,
    mask: u64,
    keys: Vec<u64>,
}

impl Simon {
    fn new(bits: u32, key: [u32; 3], rounds: usize) -> Simon {
        let mask = u64::MAX >> (64 - bits);
        let mut simon = Simon { bits, mask, keys: key.iter().map(|part| *part as u64 & mask).collect() };
        let mut sequence = 0x7369_f885_192c_0ef5 & mask;
        while simon.keys.len() < rounds {
            let at = simon.keys.len();
            let last = simon.keys[at - 1];
            let mixed = simon.left(last, bits - 3) ^ simon.left(last, bits - 4);
            simon.keys.push((0xffff_fffc & mask) ^ (sequence & 1) ^ simon.keys[at - 3] ^ mixed);
            sequence >>= 1;
        }
        simon
    }

    /// A word turned to the left.
    fn left(&self, word: u64, by: u32) -> u64 {
        ((word << by) | (word >> (self.bits - by))) & self.mask
    }

    fn mixed(&self, word: u64) -> u64 {
        (self.left(word, 1) & self.left(word, 8 % self.bits)) ^ self.left(word, 2)
    }

    fn encrypted(&self, block: u64) -> u64 {
        let (mut high, mut low) = ((block >> self.bits) & self.mask, block & self.mask);
        for keys in self.keys.chunks_exact(2) {
            high ^= self.mixed(low) ^ keys[0];
            low ^= self.mixed(high) ^ keys[1];
        }
        (high << self.bits) | low
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_index_goes_somewhere_else() {
        for most in [1u64, 9, 255, 256, 65_534] {
            let mut places: Vec<u64> = (0..=most).map(|index| shuffled(index, [1, 2, 3], most, 4)).collect();
            assert!(most < 9 || places.windows(2).any(|pair| pair[0] > pair[1]), "{most} is in order");
            places.sort_unstable();
            assert_eq!(places, (0..=most).collect::<Vec<_>>());
        }
    }
}
