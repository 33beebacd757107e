//! The numbers of a generator taken one by one, as TensorFlow's distributions take them.

use super::Philox;

/// Words of a generator, one at a time.
pub struct Words {
    generator: Philox,
    words: [u32; 4],
    used: usize,
}

impl Words {
    /// The words from where a generator stands.
    pub fn new(generator: Philox) -> Words {
        Words { generator, words: [0; 4], used: 4 }
    }

    /// The words of an op with the attributes `seed` and `seed2`.
    pub fn seeded(seeds: (i64, i64)) -> Words {
        Words::new(Philox::new(seeds.0, seeds.1))
    }

    /// The next word.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> u32 {
        if self.used == self.words.len() {
            self.words = self.generator.next_output();
            self.used = 0;
        }
        self.used += 1;
        self.words[self.used - 1]
    }

    /// A number in [0, 1), of 52 random bits.
    pub fn double(&mut self) -> f64 {
        let (high, low) = (self.next() as u64 & 0xf_ffff, self.next() as u64);
        f64::from_bits(1023 << 52 | high << 32 | low) - 1.0
    }

    /// A number in [0, 1), of 23 random bits.
    pub fn float(&mut self) -> f32 {
        f32::from_bits(127 << 23 | self.next() & 0x7f_ffff) - 1.0
    }

    /// A number below `n`, every one as likely, of one word.
    pub fn below_word(&mut self, n: u32) -> u32 {
        if n.is_power_of_two() {
            return self.next() & (n - 1);
        }
        let skewed = u32::MAX % n.max(1) + 1;
        loop {
            let number = self.next();
            if number >= skewed {
                return number % n.max(1);
            }
        }
    }

    fn long(&mut self) -> u64 {
        let low = self.next() as u64;
        low | (self.next() as u64) << 32
    }

    /// A number below `n`, every one as likely.
    pub fn below(&mut self, n: u64) -> u64 {
        if n.is_power_of_two() {
            return self.long() & (n - 1);
        }
        let skewed = u64::MAX % n.max(1) + 1;
        loop {
            let number = self.long();
            if number >= skewed {
                return number % n.max(1);
            }
        }
    }
}
