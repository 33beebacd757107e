//! Datasets that draw random numbers: `RandomDataset`, `RandomDatasetV2` and `SamplingDataset`; and generators of seeds, of
//! which each way through a dataset gets its own: `AnonymousSeedGenerator`, `AnonymousRandomSeedGenerator`,
//! `DeleteSeedGenerator` and `DeleteRandomSeedGenerator`.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, OpEntry, Registry, Resource, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use math::random::Words;
use parking_lot::Mutex;
use tensor::{Result, Tensor, ensure};

use super::anonymous_iterator::{delete_kernel, deleter};
use super::combining::making;
use super::elements::{Counted, Elements, INFINITE, dataset_input};
use super::sources::scalar_i64;
use super::transforms::{By, Way};
use crate::handle::{anonymous, owner_of};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
    };
    let entry = r.op("RandomDataset", "seed: int64, seed2: int64 -> handle: variant").attr(TYPES).attr(SHAPES);
    rest(entry.attr("metadata: string = ''").stateful(), random_kernel);
    let entry = r.op("RandomDatasetV2", "seed: int64, seed2: int64, seed_generator: resource -> handle: variant");
    let entry = entry.attr("rerandomize_each_iteration: bool = false").attr(TYPES).attr(SHAPES);
    rest(entry.attr("metadata: string = ''").stateful(), random_kernel);
    let signature = "input_dataset: variant, rate: float, seed: int64, seed2: int64 -> handle: variant";
    rest(r.op("SamplingDataset", signature).attr(TYPES).attr(SHAPES), sampling_kernel);
    for (name, more) in [("SeedGenerator", ", reshuffle: bool"), ("RandomSeedGenerator", "")] {
        let signature = format!("seed: int64, seed2: int64{more} -> handle: resource, deleter: variant");
        rest(r.op(&format!("Anonymous{name}"), &signature).stateful(), generator_kernel);
        let entry = r.op(&format!("Delete{name}"), "handle: resource, deleter: variant ->").stateful();
        entry.any_kernel(delete_kernel).not_differentiable();
    }
}

/// Seeds for one way after the other through a dataset.
pub(super) struct Seeds {
    first: (i64, i64),
    /// Where each way's own come from; without, all have the same.
    words: Option<Mutex<Words>>,
}

impl Seeds {
    /// Two zeros stand for seeds that nobody knows.
    pub(super) fn new(mut first: (i64, i64), anew: bool) -> Seeds {
        if first == (0, 0) {
            use std::hash::{BuildHasher, RandomState};
            first = (RandomState::new().hash_one(0u8) as i64, RandomState::new().hash_one(1u8) as i64);
        }
        Seeds { first, words: anew.then(|| Mutex::new(Words::seeded(first))) }
    }

    pub(super) fn next(&self) -> (i64, i64) {
        match &self.words {
            Some(words) => {
                let mut words = words.lock();
                let first = words.next() as i64;
                (first, words.next() as i64)
            }
            None => self.first,
        }
    }
}

/// A generator of seeds that several datasets may share.
pub(super) struct SeedGenerator(pub(super) Arc<Seeds>);

impl Resource for SeedGenerator {
    fn kind(&self) -> &'static str {
        "SeedGenerator"
    }
}

const GENERATOR_TYPE: &str = "N10tensorflow4data20SeedGeneratorManagerE";

fn generator_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let seeds = (scalar_i64(cx, 0, "seed")?, scalar_i64(cx, 1, "seed2")?);
        let anew = if cx.num_inputs() > 2 { cx.input(2)?.to_scalar::<bool>()? } else { true };
        let mut handle = anonymous(cx.step, GENERATOR_TYPE, SeedGenerator(Arc::new(Seeds::new(seeds, anew))))?;
        // Where nothing takes the deleter, the handle is enough to keep it.
        let owner = owner_of::<SeedGenerator>(cx.step, &handle);
        handle.owner = Some(owner.clone());
        cx.set_output(1, deleter(owner)?);
        cx.set_output(0, Tensor::from_handle(handle));
        Ok(())
    }))
}

fn random_kernel(node: &Node) -> Result<Kernel> {
    let anew = node.op == "RandomDatasetV2" && node.attr_bool("rerandomize_each_iteration")?;
    making(move |cx| {
        let seeds = (scalar_i64(cx, 0, "seed")?, scalar_i64(cx, 1, "seed2")?);
        let given = if anew { cx.resource::<SeedGenerator>(2).ok().map(|given| given.0.clone()) } else { None };
        let seeds = given.unwrap_or_else(|| Arc::new(Seeds::new(seeds, anew)));
        let numbers = By(move |_: &Step| {
            let mut words = Words::seeded(seeds.next());
            Ok(Box::new(Way(move |_: &Step| Ok(Some(vec![Tensor::from(i64::from(words.next()))]))))
                as Box<dyn Elements>)
        });
        Ok(Counted(numbers, INFINITE))
    })
}

/// Each element stays with the given probability.
fn sampling_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let (input, rate) = (dataset_input(cx, 0)?, cx.input(1)?);
        ensure!(rate.shape().is_scalar(), InvalidArgument, "rate must be a scalar");
        let rate = rate.to_scalar::<f32>()?;
        let seeds = Seeds::new((scalar_i64(cx, 2, "seed")?, scalar_i64(cx, 3, "seed2")?), false);
        Ok(By(move |step: &Step| {
            let (mut way, mut words) = (input.begin(step)?, Words::seeded(seeds.next()));
            Ok(Box::new(Way(move |step: &Step| {
                while let Some(element) = way.next(step)? {
                    step.cancellation.check()?;
                    // The lowest bits of a word become the fraction of a number between one and two.
                    let drawn = f32::from_bits(0x3f80_0000 | words.next() & 0x7f_ffff) - 1.0;
                    if drawn < rate {
                        return Ok(Some(element));
                    }
                }
                Ok(None)
            })) as Box<dyn Elements>)
        }))
    })
}
