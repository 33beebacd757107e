//! Classes drawn by given weights, and by how often they were seen: what `FixedUnigramCandidateSampler` and
//! `LearnedUnigramCandidateSampler` draw from.

use graph::op::Files;
use graph::{Node, ReadAttrs};
use math::random::Words;
use parking_lot::Mutex;
use tensor::{Result, bail, ensure, err};

/// More classes than this are taken for a mistake.
const MOST: i64 = 1 << 28;

/// Weights that do not change. Each class keeps a part of its share and leaves the rest to one other class.
pub(super) struct Weights {
    weights: Vec<f32>,
    total: f64,
    table: Vec<(f32, usize)>,
}

impl Weights {
    /// Weights of a node; those of a file need to know which may be read.
    ///
    /// # Errors
    /// `InvalidArgument` if there are not as many weights as classes.
    pub(super) fn of(node: &Node, files: Option<&dyn Files>) -> Result<Weights> {
        let (file, given) = (node.attr_str("vocab_file")?, node.attr_floats("unigrams")?);
        ensure!(
            file.is_empty() != given.is_empty(),
            InvalidArgument,
            "Must provide exactly one of vocab_file or unigrams, not both"
        );
        let listed = match files {
            Some(files) if !file.is_empty() => from_file(files, file)?,
            _ => given.to_vec(),
        };
        let distortion = node.attr_float("distortion")?;
        let (shards, shard) = (node.attr_int("num_shards")?.max(1), node.attr_int("shard")?);
        let range = node.attr_int("range_max")?;
        let reserved = node.attr_int("num_reserved_ids")?;
        ensure!(range <= MOST, InvalidArgument, "{range} classes are too many");
        ensure!(
            (0..=range.saturating_mul(shards)).contains(&reserved),
            InvalidArgument,
            "num_reserved_ids is {reserved}, range is {range}"
        );
        let first = shard.clamp(0, reserved);
        let own = (first..reserved).step_by(shards as usize).take(MOST as usize);
        let mut weights: Vec<f32> = own.map(|_| 0.0).collect();
        for (id, weight) in (weights.len() as i64..).zip(listed) {
            if id % shards == shard {
                weights.push(if distortion == 1.0 { weight } else { weight.powf(distortion) });
            }
        }
        ensure!(
            weights.len() as i64 == range,
            InvalidArgument,
            "range is {range}, must be equal to weights size {}",
            weights.len()
        );
        ensure!(
            weights.iter().all(|weight| *weight >= 0.0 && weight.is_finite()),
            InvalidArgument,
            "weights must be numbers of at least 0"
        );
        ensure!(weights.iter().any(|weight| *weight > 0.0), InvalidArgument, "one of the weights must be positive");
        Ok(Weights::new(weights))
    }

    fn new(weights: Vec<f32>) -> Weights {
        let count = weights.len();
        let total: f64 = weights.iter().map(|weight| *weight as f64).sum();
        let mut shares: Vec<f64> = weights.iter().map(|weight| *weight as f64 * count as f64 / total).collect();
        let mut table = vec![(1f32, 0usize); count];
        let (mut low, mut high): (Vec<usize>, Vec<usize>) = (0..count).partition(|place| shares[*place] < 1.0);
        while let (Some(&less), Some(&more)) = (low.last(), high.last()) {
            low.pop();
            high.pop();
            table[less] = (shares[less] as f32, more);
            shares[more] -= 1.0 - shares[less];
            if shares[more] < 1.0 { low.push(more) } else { high.push(more) }
        }
        Weights { weights, total, table }
    }

    /// How many classes can be drawn at all.
    pub(super) fn possible(&self) -> usize {
        self.weights.iter().filter(|weight| **weight > 0.0).count()
    }

    pub(super) fn draw(&self, numbers: &mut Words) -> i64 {
        let part = numbers.float();
        let place = numbers.below_word(self.table.len() as u32) as usize;
        let (kept, other) = self.table[place];
        if part < kept { place as i64 } else { other as i64 }
    }

    pub(super) fn probability(&self, class: i64) -> f32 {
        let weight = usize::try_from(class).ok().and_then(|class| self.weights.get(class));
        weight.map_or(0.0, |weight| (*weight as f64 / self.total) as f32)
    }
}

/// The last number of each line.
fn from_file(files: &dyn Files, path: &str) -> Result<Vec<f32>> {
    let path = crate::io::path_from(files, path.as_bytes())?;
    let text = String::from_utf8(crate::io::read_file(&path)?)
        .map_err(|_| err!(InvalidArgument, "the vocabulary {} is not UTF-8", path.display()))?;
    let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let last = line.rsplit(',').next().unwrap_or(line).trim();
            last.parse().map_err(|_| err!(InvalidArgument, "Wrong vocabulary format at line: {line}"))
        })
        .collect()
}

/// How often each class was seen, once more than it really was.
pub(super) struct Seen(Mutex<Vec<i64>>);

impl Seen {
    /// # Errors
    /// `InvalidArgument` for more classes than can be counted.
    pub(super) fn new(range: i64) -> Result<Seen> {
        let Some(count) = usize::try_from(range).ok().filter(|count| *count <= MOST as usize) else {
            bail!(InvalidArgument, "{range} classes are too many")
        };
        Ok(Seen(Mutex::new(vec![1; count])))
    }

    /// The counts as they are now, for one execution.
    pub(super) fn now(&self) -> Counts {
        let weights = self.0.lock().clone();
        let mut sum = 0i64;
        let ends = weights.iter().map(|weight| {
            sum += weight;
            sum
        });
        Counts { ends: ends.collect(), weights }
    }

    pub(super) fn add(&self, classes: &[i64]) {
        let mut weights = self.0.lock();
        for class in classes {
            if let Some(weight) = usize::try_from(*class).ok().and_then(|class| weights.get_mut(class)) {
                *weight = (*weight + 1).min(i32::MAX as i64);
            }
        }
    }
}

/// Counts, and where each class's part of their sum ends.
pub(super) struct Counts {
    weights: Vec<i64>,
    ends: Vec<i64>,
}

impl Counts {
    pub(super) fn draw(&self, numbers: &mut Words) -> i64 {
        let total = self.ends.last().copied().unwrap_or(1);
        let at = numbers.below_word(total.clamp(1, u32::MAX as i64) as u32) as i64;
        self.ends.partition_point(|end| *end <= at) as i64
    }

    pub(super) fn probability(&self, class: i64) -> f32 {
        let weight = usize::try_from(class).ok().and_then(|class| self.weights.get(class)).copied().unwrap_or(0);
        weight as f32 / self.ends.last().copied().unwrap_or(1) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_are_passed_on() {
        // Of four parts each, the first class has 1 and takes 3 from the second one.
        let weights = Weights::new(vec![1.0, 3.0]);
        assert_eq!(weights.table, [(0.5, 1), (1.0, 0)]);
        assert_eq!(weights.probability(1), 0.75);
        let seen = Seen::new(3).unwrap();
        seen.add(&[2, 2, 7]);
        assert_eq!(seen.now().ends, [1, 2, 5]);
        assert_eq!(seen.now().probability(2), 0.6);
    }
}
