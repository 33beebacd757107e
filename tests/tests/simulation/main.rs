//! Simulations, replayed by a seed: of a disk that loses what was not synced, and of synchronous training of which one thing
//! happens after the other, in an order and with faults that the seed says.
//!
//! Few seeds are run with the other tests. `SIMULATED_SEEDS=10000 cargo test -p tensorfleet-tests --test simulation` runs more,
//! `SIMULATED_SEED=77` one alone. The code is the real one (savers, session managers, servers, accumulators, queues, hooks); what
//! is simulated is the disk below it, and who does what when. The clock and the threads of servers are real: between two
//! events everything comes to rest, so that their order decides.

mod disk;
mod synchronous;

/// Random numbers of a seed.
struct Random(u64);

impl Random {
    fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11
    }

    fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }
}

/// The seeds to run, few unless the environment says otherwise.
fn seeds(few: u64) -> std::ops::Range<u64> {
    let number = |name: &str| std::env::var(name).ok().and_then(|text| text.parse::<u64>().ok());
    match (number("SIMULATED_SEED"), number("SIMULATED_SEEDS")) {
        (Some(one), _) => one..one + 1,
        (None, count) => 0..count.unwrap_or(few),
    }
}

/// Runs all seeds; the first that fails is named.
fn simulate(few: u64, mut run: impl FnMut(Random) -> tensorfleet::Result<()>) {
    for seed in seeds(few) {
        let outcome = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| run(Random::new(seed))));
        match outcome {
            Ok(Ok(())) => {}
            Ok(Err(status)) => panic!("seed {seed}: {status}"),
            Err(_) => panic!("seed {seed} fails as said above; SIMULATED_SEED={seed} runs it alone"),
        }
    }
}
