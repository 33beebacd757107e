//! Datasets made of others: `RepeatDataset`, `TakeDataset`, `SkipDataset`, `BatchDataset`, `BatchDatasetV2`,
//! `ParallelBatchDataset`, `ShuffleDataset`, `ShuffleDatasetV2`, `ShuffleDatasetV3`, `ShuffleAndRepeatDataset`,
//! `ShuffleAndRepeatDatasetV2`, `PrefetchDataset` and `ZipDataset`.

use std::sync::Arc;

use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use math::random::Words;
use tensor::{Result, Shape, Tensor, ensure};

use super::background::Ahead;
use super::elements::{
    Counted, Element, Elements, INFINITE, Source, UNKNOWN, dataset_input, dataset_tensor, extent_of_inputs,
};
use super::random_numbers::{SeedGenerator, Seeds};
use super::sources::scalar_i64;
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    const METADATA: &str = "metadata: string = ''";
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
    };
    for name in ["RepeatDataset", "TakeDataset", "SkipDataset"] {
        let entry = r.op(name, "input_dataset: variant, count: int64 -> handle: variant");
        rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), count_kernel);
    }
    let signature = "input_dataset: variant, batch_size: int64, drop_remainder: bool -> handle: variant";
    let entry = r.op("BatchDatasetV2", signature).attr("parallel_copy: bool = false");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), batch_kernel);
    let entry = r.op("BatchDataset", "input_dataset: variant, batch_size: int64 -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), batch_kernel);
    let signature = "input_dataset: variant, batch_size: int64, num_parallel_calls: int64, drop_remainder: bool -> \
                     handle: variant";
    let entry = r.op("ParallelBatchDataset", signature).attr("parallel_copy: bool = false").attr(TYPES).attr(SHAPES);
    rest(entry.attr("deterministic: string = 'default'").attr(METADATA), batch_kernel);
    let signature =
        "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64 -> handle: variant";
    let entry = r.op("ShuffleAndRepeatDataset", signature).attr(TYPES).attr(SHAPES);
    rest(entry.attr("reshuffle_each_iteration: bool = true").attr(METADATA), shuffle_kernel);
    let entry = r.op(
        "ShuffleDatasetV2",
        "input_dataset: variant, buffer_size: int64, seed_generator: resource -> handle: variant",
    );
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA).stateful(), shuffle_kernel);
    let signature = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, count: int64, seed_generator: \
                     resource -> handle: variant";
    let entry = r.op("ShuffleAndRepeatDatasetV2", signature).attr("reshuffle_each_iteration: bool = true");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA).stateful(), shuffle_kernel);
    let signature = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64, seed_generator: resource -> \
                     handle: variant";
    let entry = r.op("ShuffleDatasetV3", signature).attr("reshuffle_each_iteration: bool = true");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA).stateful(), shuffle_kernel);
    let signature = "input_dataset: variant, buffer_size: int64, seed: int64, seed2: int64 -> handle: variant";
    let entry = r.op("ShuffleDataset", signature).attr("reshuffle_each_iteration: bool = true");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), shuffle_kernel);
    let entry = r.op("PrefetchDataset", "input_dataset: variant, buffer_size: int64 -> handle: variant");
    let entry = entry.attr(TYPES).attr(SHAPES).attr("slack_period: int = 0").attr("legacy_autotune: bool = true");
    rest(entry.attr("buffer_size_min: int = 0").attr(METADATA), prefetch_kernel);
    let entry = r.op("ZipDataset", "input_datasets: N * variant -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr("N: int >= 1").attr(METADATA), zip_kernel);
}

/// A dataset given by how to begin it.
pub(super) struct By<F>(pub(super) F);

impl<F: Fn(&Step) -> Result<Box<dyn Elements>> + Send + Sync> Source for By<F> {
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>> {
        (self.0)(step)
    }
}

/// A way given by its next element.
pub(super) struct Way<F>(pub(super) F);

impl<F: FnMut(&Step) -> Result<Option<Element>> + Send> Elements for Way<F> {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        (self.0)(step)
    }
}

fn count_kernel(node: &Node) -> Result<Kernel> {
    let op = node.op.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (input, count) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "count")?);
        let inside = extent_of_inputs(cx);
        // Negative means without end.
        let (known, asked) = (input.cardinality(), count);
        let count = u64::try_from(count).unwrap_or(u64::MAX);
        let made = match op.as_str() {
            "RepeatDataset" => dataset_tensor(Repeat { input, count }, inside),
            "TakeDataset" => dataset_tensor(
                Counted(
                    By(move |step: &Step| {
                        let (mut way, mut left) = (input.begin(step)?, count);
                        Ok(Box::new(Way(move |step: &Step| {
                            if left == 0 {
                                return Ok(None);
                            }
                            left -= 1;
                            way.next(step)
                        })) as Box<dyn Elements>)
                    }),
                    match (known, asked) {
                        (UNKNOWN, _) => UNKNOWN,
                        (known, ..0) => known,
                        (INFINITE, asked) => asked,
                        (known, asked) => known.min(asked),
                    },
                ),
                inside,
            ),
            _ => dataset_tensor(
                Counted(
                    By(move |step: &Step| {
                        let (mut way, mut skip) = (input.begin(step)?, count);
                        Ok(Box::new(Way(move |step: &Step| {
                            while skip > 0 {
                                step.cancellation.check()?;
                                skip -= 1;
                                if way.next(step)?.is_none() {
                                    skip = 0;
                                    return Ok(None);
                                }
                            }
                            way.next(step)
                        })) as Box<dyn Elements>)
                    }),
                    match (known, asked) {
                        (_, ..0) => 0,
                        (..0, _) => known,
                        (known, asked) => (known - asked).max(0),
                    },
                ),
                inside,
            ),
        }?;
        cx.set_output(0, made);
        Ok(())
    }))
}

struct Repeat {
    input: Arc<dyn Source>,
    count: u64,
}

impl Source for Repeat {
    fn cardinality(&self) -> i64 {
        match (self.input.cardinality(), self.count) {
            (0, _) | (_, 0) => 0,
            (UNKNOWN, _) => UNKNOWN,
            (INFINITE, _) | (_, u64::MAX) => INFINITE,
            (known, count) => known.saturating_mul(i64::try_from(count).unwrap_or(i64::MAX)),
        }
    }

    fn begin(&self, _: &Step) -> Result<Box<dyn Elements>> {
        let (input, mut left) = (self.input.clone(), self.count);
        let mut way: Option<Box<dyn Elements>> = None;
        Ok(Box::new(Way(move |step: &Step| {
            loop {
                step.cancellation.check()?;
                let fresh = way.is_none();
                if fresh {
                    if left == 0 {
                        return Ok(None);
                    }
                    left = if left == u64::MAX { left } else { left - 1 };
                    way = Some(input.begin(step)?);
                }
                match way.as_mut().map(|way| way.next(step)).transpose()?.flatten() {
                    Some(element) => return Ok(Some(element)),
                    // Going through nothing for ever would never end.
                    None if fresh && left == u64::MAX => {
                        left = 0;
                        return Ok(None);
                    }
                    None => way = None,
                }
            }
        })))
    }
}

fn batch_kernel(node: &Node) -> Result<Kernel> {
    let last = match node.op.as_str() {
        "BatchDataset" => None,
        "BatchDatasetV2" => Some(2),
        _ => Some(3),
    };
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (input, size) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "batch_size")?);
        ensure!(size > 0, InvalidArgument, "Batch size must be greater than zero.");
        let drop_remainder = last.map(|last| cx.input(last)?.to_scalar::<bool>()).transpose()?.unwrap_or(false);
        let known = batch_count(input.cardinality(), size, drop_remainder);
        let batched = By(move |step: &Step| Ok(batches(input.begin(step)?, size, drop_remainder)));
        let made = dataset_tensor(Counted(batched, known), extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

/// How many batches so many elements make.
pub(super) fn batch_count(known: i64, size: i64, drop_remainder: bool) -> i64 {
    match known {
        ..0 => known,
        _ => known / size + i64::from(known % size != 0 && !drop_remainder),
    }
}

/// The elements of a way, so many at a time.
pub(super) fn batches(mut way: Box<dyn Elements>, size: i64, drop_remainder: bool) -> Box<dyn Elements> {
    let mut over = false;
    Box::new(Way(move |step: &Step| {
        let mut elements = Vec::new();
        while !over && (elements.len() as i64) < size {
            step.cancellation.check()?;
            match way.next(step)? {
                Some(element) => elements.push(element),
                None => over = true,
            }
        }
        if elements.is_empty() || (drop_remainder && (elements.len() as i64) < size) {
            return Ok(None);
        }
        batch(&elements).map(Some)
    }))
}

/// Elements one below the other.
pub(super) fn batch(elements: &[Element]) -> Result<Element> {
    let mut batched = Vec::with_capacity(elements[0].len());
    for component in 0..elements[0].len() {
        let mut parts: Vec<&Tensor> = Vec::with_capacity(elements.len());
        for (number, element) in elements.iter().enumerate() {
            let (first, own) = (&elements[0][component], element.get(component));
            let fits = own.is_some_and(|own| own.shape() == first.shape() && own.dtype() == first.dtype());
            ensure!(
                fits,
                InvalidArgument,
                "Cannot batch tensors with different shapes in component {component}. First element had shape {} and \
                 element {number} had shape {}.",
                first.shape(),
                own.map(|own| own.shape().to_string()).unwrap_or_default()
            );
            parts.extend(own);
        }
        let row = parts[0].shape();
        let shape = Shape::new(&[&[parts.len() as i64], row.dims()].concat())?;
        let lengths = vec![row.num_elements(); parts.len()];
        batched.push(moved(shape, &parts, &Join(&lengths))?);
    }
    Ok(batched)
}

struct Shuffle {
    input: Arc<dyn Source>,
    buffer: usize,
    seeds: Arc<Seeds>,
}

impl Source for Shuffle {
    fn cardinality(&self) -> i64 {
        self.input.cardinality()
    }

    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>> {
        let seeds = self.seeds.next();
        let (mut way, size) = (self.input.begin(step)?, self.buffer);
        let (mut words, mut over) = (Words::seeded(seeds), false);
        // A ring: the elements from `start` to `end` are in it.
        let (mut ring, mut start, mut end): (Vec<Option<Element>>, usize, usize) = (Vec::new(), 0, 0);
        Ok(Box::new(Way(move |step: &Step| {
            while !over && end - start < size {
                step.cancellation.check()?;
                match way.next(step)? {
                    Some(element) if ring.len() < size => {
                        ring.push(Some(element));
                        end += 1;
                    }
                    Some(element) => {
                        ring[end % size] = Some(element);
                        end += 1;
                    }
                    None => over = true,
                }
            }
            if end == start {
                return Ok(None);
            }
            let chosen = (start + words.next() as usize % (end - start)) % size;
            let first = start % size;
            ring.swap(chosen, first);
            start += 1;
            Ok(ring[first].take())
        })))
    }
}

fn shuffle_kernel(node: &Node) -> Result<Kernel> {
    let reshuffle = node.op == "ShuffleDatasetV2" || node.attr_bool("reshuffle_each_iteration")?;
    let repeat = node.op.starts_with("ShuffleAndRepeat");
    // Where the generator is that the newer ops are given.
    let generator = match node.op.as_str() {
        "ShuffleDatasetV2" => Some(2),
        "ShuffleDatasetV3" => Some(4),
        "ShuffleAndRepeatDatasetV2" => Some(5),
        _ => None,
    };
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (input, buffer) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "buffer_size")?);
        ensure!(buffer > 0, InvalidArgument, "buffer_size must be greater than zero.");
        let given = generator.map(|index| cx.resource::<SeedGenerator>(index));
        let seeds = match given {
            Some(Ok(given)) => given.0.clone(),
            Some(Err(missing)) if generator == Some(2) => return Err(missing),
            _ => Arc::new(Seeds::new((scalar_i64(cx, 2, "seed")?, scalar_i64(cx, 3, "seed2")?), reshuffle)),
        };
        let shuffled = Shuffle { input, buffer: buffer as usize, seeds };
        let made = match repeat {
            true => {
                let count = u64::try_from(scalar_i64(cx, 4, "count")?).unwrap_or(u64::MAX);
                dataset_tensor(Repeat { input: Arc::new(shuffled), count }, extent_of_inputs(cx))?
            }
            false => dataset_tensor(shuffled, extent_of_inputs(cx))?,
        };
        cx.set_output(0, made);
        Ok(())
    }))
}

/// Elements are made by a thread of their own, before they are asked for.
fn prefetch_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let (input, size) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "buffer_size")?);
        ensure!(size >= -1, InvalidArgument, "buffer_size must be >= 0 or set buffer_size to be -1 for auto-tuning");
        // Without a wish, as far ahead as a few batches.
        let size = if size < 0 { 4 } else { size.min(1 << 20) as usize };
        let known = input.cardinality();
        let ways = By(move |step: &Step| {
            let way = input.begin(step)?;
            Ok(if size == 0 { way } else { Box::new(Ahead::new(way, size)) as Box<dyn Elements> })
        });
        let made = dataset_tensor(Counted(ways, known), extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

fn zip_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let inputs = (0..cx.num_inputs()).map(|index| dataset_input(cx, index)).collect::<Result<Vec<_>>>()?;
        let fewest = |fewest: i64, input: &Arc<dyn Source>| match (fewest, input.cardinality()) {
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (INFINITE, known) | (known, INFINITE) => known,
            (fewest, known) => fewest.min(known),
        };
        let known = inputs.iter().fold(INFINITE, fewest);
        let ways = By(move |step: &Step| {
            let mut ways = inputs.iter().map(|input| input.begin(step)).collect::<Result<Vec<_>>>()?;
            Ok(Box::new(Way(move |step: &Step| {
                let mut all = Vec::new();
                for way in &mut ways {
                    match way.next(step)? {
                        Some(element) => all.extend(element),
                        None => return Ok(None),
                    }
                }
                Ok(Some(all))
            })) as Box<dyn Elements>)
        });
        let made = dataset_tensor(Counted(ways, known), extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}
