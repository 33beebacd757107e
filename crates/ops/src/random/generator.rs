//! The state of a random op: where in the sequence of its seeds it is.

use std::hash::{BuildHasher, RandomState};

use graph::{Node, ReadAttrs};
use math::random::Philox;
use parking_lot::Mutex;
use tensor::Result;

/// A generator that the executions of one kernel draw from, each after the other.
pub(crate) struct Generator(Mutex<Philox>);

impl Generator {
    /// The generator of a node with the attributes `seed` and `seed2`; two zeros ask for numbers that nobody can
    /// foretell.
    pub(crate) fn new(node: &Node) -> Result<Generator> {
        Ok(match (node.attr_int("seed")?, node.attr_int("seed2")?) {
            (0, 0) => {
                let chance = || RandomState::new().hash_one(0u8) as i64;
                Generator::seeded(chance(), chance())
            }
            (seed, seed2) => Generator::seeded(seed, seed2),
        })
    }

    pub(crate) fn seeded(seed: i64, seed2: i64) -> Generator {
        Generator(Mutex::new(Philox::new(seed, seed2)))
    }

    /// The place in the sequence for an execution that draws so many numbers.
    pub(crate) fn reserve(&self, count: usize) -> Philox {
        self.0.lock().reserve(count)
    }

    /// The place in the sequence for an execution that draws so many words of 32 bits.
    pub(crate) fn reserve_words(&self, count: u64) -> Philox {
        let mut philox = self.0.lock();
        let now = *philox;
        philox.skip(count.div_ceil(4));
        now
    }

    /// The place in the sequence for shuffling so many items.
    pub(crate) fn reserve_shuffle(&self, items: usize) -> Philox {
        self.0.lock().reserve_shuffle(items)
    }
}
