//! Candidate samplers, which choose the classes that a sampled softmax looks at: `LogUniformCandidateSampler`,
//! `UniformCandidateSampler`, `AllCandidateSampler`, `FixedUnigramCandidateSampler`, `LearnedUnigramCandidateSampler`
//! and its form without locks, `ThreadUnsafeUnigramCandidateSampler`.

use std::collections::HashSet;
use std::sync::OnceLock;

use graph::op::{Files, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::random::{Philox, Words};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::generator::Generator;
use super::unigram::{Counts, Seen, Weights};

pub(crate) fn register(r: &mut Registry) {
    let signature = "true_classes: int64 -> sampled_candidates: int64, true_expected_count: float, \
                     sampled_expected_count: float";
    let by_range = [
        "LogUniformCandidateSampler",
        "UniformCandidateSampler",
        "LearnedUnigramCandidateSampler",
        "ThreadUnsafeUnigramCandidateSampler",
    ];
    r.op("FixedUnigramCandidateSampler", signature)
        .attr("num_true: int >= 1")
        .attr("num_sampled: int >= 1")
        .attr("unique: bool")
        .attr("range_max: int >= 1")
        .attr("vocab_file: string = ''")
        .attr("distortion: float = 1.0")
        .attr("num_reserved_ids: int = 0")
        .attr("num_shards: int >= 1 = 1")
        .attr("shard: int >= 0 = 0")
        .attr("unigrams: list(float) = []")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    for name in by_range {
        r.op(name, signature)
            .attr("num_true: int >= 1")
            .attr("num_sampled: int >= 1")
            .attr("unique: bool")
            .attr("range_max: int >= 1")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .stateful()
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    }
    r.op("AllCandidateSampler", signature)
        .attr("num_true: int >= 1")
        .attr("num_sampled: int >= 1")
        .attr("unique: bool")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (sampled, num_true) = (cx.attr_int("num_sampled")?, cx.attr_int("num_true")?);
    let classes = cx.with_rank(0, 2)?;
    cx.set(0, PartialShape::vector(Some(sampled)));
    cx.set(1, PartialShape::new(&[classes.dim(0), Some(num_true)]));
    cx.set(2, PartialShape::vector(Some(sampled)));
    Ok(())
}

/// How likely each class is.
enum Distribution {
    LogUniform { log_range: f64 },
    Uniform,
    All,
    Fixed(Weights),
    Learned(Seen),
}

struct Sampler {
    distribution: Distribution,
    range: i64,
    num_true: i64,
    num_sampled: usize,
    unique: bool,
}

impl Sampler {
    fn of(node: &Node, files: Option<&dyn Files>) -> Result<Sampler> {
        let num_sampled = node.attr_int("num_sampled")?;
        let (distribution, range) = match node.op.as_str() {
            "AllCandidateSampler" => (Distribution::All, num_sampled),
            "UniformCandidateSampler" => (Distribution::Uniform, node.attr_int("range_max")?),
            "FixedUnigramCandidateSampler" => {
                let weights = Weights::of(node, files)?;
                let possible = weights.possible() as i64;
                (Distribution::Fixed(weights), possible)
            }
            "LearnedUnigramCandidateSampler" | "ThreadUnsafeUnigramCandidateSampler" => {
                let range = node.attr_int("range_max")?;
                (Distribution::Learned(Seen::new(range)?), range)
            }
            _ => {
                let range = node.attr_int("range_max")?;
                (Distribution::LogUniform { log_range: (range as f64).ln_1p() }, range)
            }
        };
        let unique = node.attr_bool("unique")?;
        ensure!(
            !unique || num_sampled <= range,
            InvalidArgument,
            "Sampler's range is too small: {num_sampled} different ones of {range}"
        );
        // Numbers are set aside for every candidate, which must be sensible in number.
        Tensor::check_size(tensor::DType::Int64, &Shape::new(&[num_sampled])?)?;
        Ok(Sampler {
            distribution,
            range,
            num_true: node.attr_int("num_true")?,
            num_sampled: num_sampled as usize,
            unique,
        })
    }

    fn draw(&self, numbers: &mut Words, counts: Option<&Counts>) -> i64 {
        match &self.distribution {
            Distribution::LogUniform { log_range } => {
                let value = (numbers.double() * *log_range).exp() as i64 - 1;
                value.rem_euclid(self.range)
            }
            Distribution::Uniform => numbers.below(self.range as u64) as i64,
            Distribution::All => 0,
            Distribution::Fixed(weights) => weights.draw(numbers),
            Distribution::Learned(_) => counts.map_or(0, |counts| counts.draw(numbers)),
        }
    }

    fn probability(&self, class: i64, counts: Option<&Counts>) -> f32 {
        match &self.distribution {
            Distribution::LogUniform { log_range } => {
                (((class as f64 + 2.0) / (class as f64 + 1.0)).ln() / *log_range) as f32
            }
            Distribution::Uniform => 1.0 / self.range as f32,
            Distribution::All => 1.0,
            Distribution::Fixed(weights) => weights.probability(class),
            Distribution::Learned(_) => counts.map_or(0.0, |counts| counts.probability(class)),
        }
    }

    /// How often a class is expected among the candidates, after so many tries.
    fn expected(&self, class: i64, tries: usize, counts: Option<&Counts>) -> f32 {
        let p = self.probability(class, counts);
        match &self.distribution {
            Distribution::All => 1.0,
            _ if tries == self.num_sampled => p * self.num_sampled as f32,
            _ => -((tries as f32 * (-p).ln_1p()).exp_m1()),
        }
    }

    /// The candidates, and how many tries they took.
    fn candidates(&self, numbers: &mut Words, counts: Option<&Counts>) -> (Vec<i64>, usize) {
        if let Distribution::All = self.distribution {
            return ((0..self.num_sampled as i64).collect(), self.num_sampled);
        }
        let (mut chosen, mut seen, mut tries) = (Vec::with_capacity(self.num_sampled), HashSet::new(), 0);
        while chosen.len() < self.num_sampled {
            tries += 1;
            let class = self.draw(numbers, counts);
            if !self.unique || seen.insert(class) {
                chosen.push(class);
            }
        }
        (chosen, tries)
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    let made: OnceLock<Sampler> = OnceLock::new();
    // Which files may be read is known in a step only.
    let of_file = node.op == "FixedUnigramCandidateSampler" && !node.attr_str("vocab_file")?.is_empty();
    if !of_file {
        let _ = made.set(Sampler::of(node, None)?);
    }
    let kind = if of_file { Kernel::files } else { Kernel::compute };
    Ok(kind(move |cx: &mut OpContext<'_>| {
        let sampler = match made.get() {
            Some(sampler) => sampler,
            None => {
                let sampler = Sampler::of(cx.node, Some(&*cx.step.files))?;
                made.get_or_init(|| sampler)
            }
        };
        let classes = cx.input(0)?;
        ensure!(classes.shape().rank() == 2, InvalidArgument, "true_classes must be a matrix");
        ensure!(
            classes.dims()[1] == sampler.num_true,
            InvalidArgument,
            "true_classes must have num_true columns, expected: {} was: {}",
            classes.dims()[1],
            sampler.num_true
        );
        for class in classes.as_slice::<i64>()? {
            ensure!(
                (0..sampler.range).contains(class),
                InvalidArgument,
                "`true_candidate` out of range [0, {}), received {class}",
                sampler.range
            );
        }
        let mut numbers = Words::new(generator.reserve_words(2048 * sampler.num_sampled as u64));
        let counts = match &sampler.distribution {
            Distribution::Learned(seen) => Some(seen.now()),
            _ => None,
        };
        let (chosen, tries) = sampler.candidates(&mut numbers, counts.as_ref());
        let expected = |classes: &[i64]| -> Vec<f32> {
            classes.iter().map(|class| sampler.expected(*class, tries, counts.as_ref())).collect()
        };
        let truths = expected(classes.as_slice::<i64>()?);
        if let Distribution::Learned(seen) = &sampler.distribution {
            seen.add(classes.as_slice::<i64>()?);
        }
        let truths = Tensor::from_slice(classes.shape(), &truths)?;
        cx.set_output(1, truths);
        cx.set_output(2, Tensor::vector(&expected(&chosen)));
        cx.set_output(0, Tensor::vector(&chosen));
        Ok(())
    }))
}

/// Draws of the words above for other ops of this folder.
pub(super) struct Uniform(Words);

impl Uniform {
    pub(super) fn new(generator: Philox) -> Uniform {
        Uniform(Words::new(generator))
    }

    /// A number in [0, 1).
    pub(super) fn next(&mut self) -> f64 {
        self.0.double()
    }
}
