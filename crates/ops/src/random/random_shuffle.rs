//! `RandomShuffle`: the rows of a tensor in random order.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output};
use math::random::{Philox, shuffle};
use tensor::{Buffer, Result, Tensor, bail};

use super::generator::Generator;

pub(crate) fn register(r: &mut Registry) {
    r.op("RandomShuffle", "value: T -> output: T")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .attr("T: type")
        .stateful()
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let value = cx.take_input(0)?;
        cx.set_output(0, shuffled(value, |rows| generator.reserve_shuffle(rows))?);
        Ok(())
    }))
}

/// The rows in the order that a generator gives, whose place is asked for with their number.
pub(super) fn shuffled(value: Tensor, place: impl Fn(usize) -> Philox) -> Result<Tensor> {
    let rows = match value.dims().first() {
        Some(rows) if *rows > 1 && value.num_elements() > 0 => *rows as usize,
        _ => return Ok(value),
    };
    let mut order: Vec<usize> = (0..rows).collect();
    shuffle(place(rows), &mut order);
    let shape = value.shape().clone();
    if let Ok(strings) = value.strings() {
        let width = strings.len() / rows;
        let moved = order.iter().flat_map(|row| strings[row * width..(row + 1) * width].iter().cloned()).collect();
        return Tensor::from_strings(shape, moved);
    }
    let Some(buffer) = value.buffer() else { bail!(Unimplemented, "rows of {} in random order", value.dtype()) };
    let bytes = buffer.try_bytes()?;
    let width = bytes.len() / rows;
    let mut moved = Vec::with_capacity(bytes.len());
    for row in order {
        moved.extend_from_slice(&bytes[row * width..(row + 1) * width]);
    }
    Tensor::from_buffer(value.dtype(), shape, Buffer::copy_of(&moved))
}

/// Rows in random order (`RandomShuffle`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let shuffled = eval(&g.range(0i32, 9i32, 1i32).random_shuffle(Some(7)))?;
/// let mut numbers = shuffled.as_slice::<i32>()?.to_vec();
/// numbers.sort();
/// assert_eq!(numbers, [0, 1, 2, 3, 4, 5, 6, 7, 8]);
/// # Ok(())
/// # }
/// ```
pub trait ShuffleOps {
    /// Returns the rows in random order, from a seed of its own or the graph's.
    fn random_shuffle(&self, seed: Option<i64>) -> Output;
}

impl ShuffleOps for Output {
    #[track_caller]
    fn random_shuffle(&self, seed: Option<i64>) -> Output {
        let (seed, seed2) = self.graph().seeds(seed);
        let node = self.graph().op("RandomShuffle").input(self).attr("seed", seed).attr("seed2", seed2);
        node.at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(generator: &Generator) -> impl Fn(usize) -> Philox {
        |rows| generator.reserve_shuffle(rows)
    }

    /// TensorFlow 2.21 gives these for seeds 1 and 2, in a first and a second run.
    #[test]
    fn the_order_of_tensorflow() {
        let generator = Generator::seeded(1, 2);
        let six = Tensor::from([0i32, 1, 2, 3, 4, 5]);
        assert_eq!(shuffled(six.clone(), place(&generator)).unwrap(), Tensor::from([5i32, 1, 4, 0, 3, 2]));
        assert_eq!(shuffled(six, place(&generator)).unwrap(), Tensor::from([5i32, 1, 4, 0, 2, 3]));
        let generator = Generator::seeded(1, 2);
        let words = Tensor::string_vector(["a", "b", "c", "d", "e", "f"]);
        assert_eq!(shuffled(words, place(&generator)).unwrap(), Tensor::string_vector(["f", "b", "e", "a", "d", "c"]));
        assert_eq!(shuffled(Tensor::from(3i32), place(&generator)).unwrap(), Tensor::from(3i32));
    }
}
