//! Random numbers that are the same in every run.

pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) ^ (self.0 << 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    pub fn bytes(&mut self, limit: usize) -> Vec<u8> {
        (0..self.below(limit)).map(|_| self.next() as u8).collect()
    }

    /// A message with some of its bytes changed, cut off, doubled or taken out.
    pub fn damaged(&mut self, message: &[u8]) -> Vec<u8> {
        let mut bytes = message.to_vec();
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            match self.below(5) {
                0 => bytes.truncate(at),
                1 if !bytes.is_empty() => bytes[at] = self.next() as u8,
                2 if !bytes.is_empty() => bytes[at] ^= 1 << self.below(8),
                3 => {
                    let end = at + self.below(bytes.len() - at);
                    let part = bytes[at..end].to_vec();
                    bytes.splice(at..at, part);
                }
                _ => {
                    let end = at + self.below((bytes.len() - at).min(16));
                    bytes.drain(at..end);
                }
            }
        }
        bytes
    }
}
