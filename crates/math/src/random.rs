//! Random numbers, the same as TensorFlow's for the same seeds.
//!
//! The generator is Philox 4x32 with 10 rounds. Each group of outputs has its own place in the
//! sequence, so large fills run on several threads and give the same numbers.

mod distributions;
mod words;

pub use distributions::{Random, RandomInt, shuffle};
pub use words::Words;

/// The Philox generator: a counter of 128-bit outputs and a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Philox {
    counter: [u32; 4],
    key: [u32; 2],
}

impl Philox {
    /// The generator of an op with the attributes `seed` and `seed2`.
    pub fn new(seed: i64, seed2: i64) -> Self {
        let words = |x: i64| [x as u32, (x as u64 >> 32) as u32];
        let ([a, b], key) = (words(seed2), words(seed));
        Self { counter: [0, 0, a, b], key }
    }

    /// The generator with this counter (least significant word first) and key.
    pub fn from_state(counter: [u32; 4], key: [u32; 2]) -> Self {
        Self { counter, key }
    }

    /// The counter and the key.
    pub fn state(&self) -> ([u32; 4], [u32; 2]) {
        (self.counter, self.key)
    }

    /// Passes over `outputs` outputs of four words each.
    pub fn skip(&mut self, outputs: u64) {
        let [a, b, c, d] = self.counter.map(u128::from);
        let count = (a | b << 32 | c << 64 | d << 96).wrapping_add(outputs.into());
        self.counter = [count as u32, (count >> 32) as u32, (count >> 64) as u32, (count >> 96) as u32];
    }

    /// The generator for one execution of an op with `elements` outputs; this one moves on behind
    /// everything that execution may use.
    pub fn reserve(&mut self, elements: usize) -> Self {
        let now = *self;
        self.skip((elements as u64).wrapping_mul(256));
        now
    }

    /// The generator for one shuffle of `items` items; this one moves on by the words it uses.
    pub fn reserve_shuffle(&mut self, items: usize) -> Self {
        let now = *self;
        self.skip(items.saturating_sub(1).div_ceil(4) as u64);
        now
    }

    /// The next four words.
    pub fn next_output(&mut self) -> [u32; 4] {
        let output = rounds(self.counter, self.key);
        self.skip(1);
        output
    }

    /// The output `outputs` places ahead.
    #[inline(always)]
    fn at(&self, outputs: u64) -> [u32; 4] {
        let mut there = *self;
        there.skip(outputs);
        rounds(there.counter, there.key)
    }
}

#[inline(always)]
fn rounds(mut c: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let left = u64::from(c[0]) * 0xd251_1f53;
        let right = u64::from(c[2]) * 0xcd9e_8d57;
        c = [(right >> 32) as u32 ^ c[1] ^ key[0], right as u32, (left >> 32) as u32 ^ c[3] ^ key[1], left as u32];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    c
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The known answers published with the generator.
    #[test]
    fn known_answers() {
        assert_eq!(rounds([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(rounds([!0; 4], [!0; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
    }

    #[test]
    fn skipping_carries() {
        let mut a = Philox::from_state([!0, !0, 5, 0], [1, 2]);
        let b = a.at(3);
        for _ in 0..3 {
            a.next_output();
        }
        assert_eq!(a.state().0, [2, 0, 6, 0]);
        assert_eq!(a.next_output(), b);
        let mut stream = Philox::new(1, 2);
        assert_eq!(stream.reserve(3), Philox::new(1, 2));
        assert_eq!(stream.state(), ([768, 0, 2, 0], [1, 0]));
    }
}
