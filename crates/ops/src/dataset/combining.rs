//! Datasets that cut, join, pad, keep or pass on the elements of others: `ConcatenateDataset`, `ShardDataset`,
//! `WindowDataset`, `UnbatchDataset`, `PaddedBatchDataset`, `PaddedBatchDatasetV2`, `CacheDataset`, `CacheDatasetV2`,
//! `UniqueDataset`, `IgnoreErrorsDataset` and `DirectedInterleaveDataset`; those that only advise how to run:
//! `ModelDataset`, `OptimizeDataset`, `OptimizeDatasetV2`, `OptionsDataset`, `FinalizeDataset`, `RewriteDataset`,
//! `MaxIntraOpParallelismDataset` and `PrivateThreadPoolDataset`; and the handles that they take, `DummyMemoryCache`
//! and `DummySeedGenerator`.

use std::collections::{HashSet, VecDeque};
use std::sync::Arc;

use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, Extent, ResourceHandle, Result, Shape, Tensor, bail, ensure};

use super::elements::{
    Counted, Element, Elements, INFINITE, Source, UNKNOWN, dataset_input, dataset_tensor, extent_of_inputs,
};
use super::sources::scalar_i64;
use super::transforms::{By, Way, batch_count};

const TYPES: &str = "output_types: list(type) >= 1";
const SHAPES: &str = "output_shapes: list(shape) >= 1";
const METADATA: &str = "metadata: string = ''";

pub(crate) fn register(r: &mut Registry) {
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
    };
    let entry = r.op("ConcatenateDataset", "input_dataset: variant, another_dataset: variant -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), concatenate_kernel);
    let entry = r.op("ShardDataset", "input_dataset: variant, num_shards: int64, index: int64 -> handle: variant");
    rest(entry.attr("require_non_empty: bool = false").attr(TYPES).attr(SHAPES).attr(METADATA), shard_kernel);
    let signature =
        "input_dataset: variant, size: int64, shift: int64, stride: int64, drop_remainder: bool -> handle: variant";
    rest(r.op("WindowDataset", signature).attr(TYPES).attr(SHAPES).attr(METADATA), window_kernel);
    for (name, build) in
        [("UnbatchDataset", unbatch_kernel as fn(&Node) -> Result<Kernel>), ("UniqueDataset", unique_kernel)]
    {
        let entry = r.op(name, "input_dataset: variant -> handle: variant");
        rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), build);
    }
    let inputs = "input_dataset: variant, batch_size: int64, padded_shapes: N * int64, padding_values: Toutput_types";
    let padded = |entry: OpEntry<'_>| {
        let entry = entry.attr("Toutput_types: list(type) >= 1").attr(SHAPES).attr("N: int >= 1").attr(METADATA);
        rest(entry, padded_kernel);
    };
    padded(r.op("PaddedBatchDataset", &format!("{inputs} -> handle: variant")));
    let entry = r.op("PaddedBatchDatasetV2", &format!("{inputs}, drop_remainder: bool -> handle: variant"));
    padded(entry.attr("parallel_copy: bool = false"));
    let entry = r.op("CacheDataset", "input_dataset: variant, filename: string -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA), cache_kernel);
    let entry = r.op("CacheDatasetV2", "input_dataset: variant, filename: string, cache: resource -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr(METADATA).stateful(), cache_kernel);
    let entry = r.op("IgnoreErrorsDataset", "input_dataset: variant -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr("log_warning: bool = false"), ignore_errors_kernel);
    let signature = "selector_input_dataset: variant, data_input_datasets: N * variant -> handle: variant";
    let entry = r.op("DirectedInterleaveDataset", signature).attr(TYPES).attr(SHAPES).attr("N: int >= 1");
    rest(entry.attr("stop_on_empty_dataset: bool = false"), directed_kernel);
    register_advice(r);
}

/// Datasets that say how the one below them is best run, and handles that stand for nothing.
fn register_advice(r: &mut Registry) {
    let rest = |entry: OpEntry<'_>| {
        entry.shape(ShapeContext::scalar).any_kernel(pass_kernel).not_differentiable();
    };
    let one = "input_dataset: variant -> handle: variant";
    rest(r.op("OptionsDataset", one).attr("serialized_options: string").attr(TYPES).attr(SHAPES).attr(METADATA));
    let entry =
        r.op("ModelDataset", one).attr("algorithm: int = 0").attr("cpu_budget: int = 0").attr("ram_budget: int = 0");
    rest(entry.attr(TYPES).attr(SHAPES));
    rest(r.op("FinalizeDataset", one).attr("has_captured_ref: bool = false").attr(TYPES).attr(SHAPES));
    let entry = r.op("OptimizeDataset", "input_dataset: variant, optimizations: string -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr("optimization_configs: list(string) = []"));
    let signature = "input_dataset: variant, optimizations_enabled: string, optimizations_disabled: string, \
                     optimizations_default: string -> handle: variant";
    rest(r.op("OptimizeDatasetV2", signature).attr(TYPES).attr(SHAPES).attr("optimization_configs: list(string) = []"));
    rest(
        r.op("RewriteDataset", "input_dataset: variant, rewrite_name: string -> handle: variant")
            .attr(TYPES)
            .attr(SHAPES),
    );
    for (name, input) in
        [("MaxIntraOpParallelismDataset", "max_intra_op_parallelism"), ("PrivateThreadPoolDataset", "num_threads")]
    {
        let signature = format!("input_dataset: variant, {input}: int64 -> handle: variant");
        rest(r.op(name, &signature).attr(TYPES).attr(SHAPES));
    }
    for (name, output) in [("DummyMemoryCache", "handle"), ("DummySeedGenerator", "handle")] {
        r.op(name, &format!("-> {output}: resource"))
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(dummy_kernel)
            .not_differentiable();
    }
}

fn pass_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        dataset_input(cx, 0)?;
        let input = cx.take_input(0)?;
        cx.set_output(0, input);
        Ok(())
    }))
}

fn dummy_kernel(node: &Node) -> Result<Kernel> {
    let name = node.op.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = Tensor::from_handle(ResourceHandle {
            device: cx.step.device.clone(),
            container: String::new(),
            name: name.clone(),
            hash_code: 0,
            type_name: name.clone(),
            dtypes_and_shapes: Vec::new(),
            owner: None,
        });
        cx.set_output(0, handle);
        Ok(())
    }))
}

/// A kernel that makes a dataset of its inputs.
pub(super) fn making<S: Source + 'static>(
    make: impl Fn(&OpContext<'_>) -> Result<S> + Send + Sync + 'static,
) -> Result<Kernel> {
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let made = dataset_tensor(make(cx)?, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

fn concatenate_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let (first, second) = (dataset_input(cx, 0)?, dataset_input(cx, 1)?);
        let known = match (first.cardinality(), second.cardinality()) {
            (INFINITE, _) | (_, INFINITE) => INFINITE,
            (UNKNOWN, _) | (_, UNKNOWN) => UNKNOWN,
            (first, second) => first.saturating_add(second),
        };
        Ok(Counted(
            By(move |step: &Step| {
                let (mut way, mut rest) = (first.begin(step)?, Some(second.clone()));
                Ok(Box::new(Way(move |step: &Step| {
                    loop {
                        if let Some(element) = way.next(step)? {
                            return Ok(Some(element));
                        }
                        match rest.take() {
                            Some(next) => way = next.begin(step)?,
                            None => return Ok(None),
                        }
                    }
                })) as Box<dyn Elements>)
            }),
            known,
        ))
    })
}

fn shard_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        let (shards, index) = (scalar_i64(cx, 1, "num_shards")?, scalar_i64(cx, 2, "index")?);
        ensure!(
            shards > 0,
            InvalidArgument,
            "Number of shards must be greater than zero (currently num_shards = {shards})."
        );
        ensure!(
            index >= 0 && index < shards,
            InvalidArgument,
            "Index must be between 0 and {} (currently index = {index}).",
            shards - 1
        );
        let known = match input.cardinality() {
            known @ ..0 => known,
            known => known / shards + i64::from(index < known % shards),
        };
        Ok(Counted(
            By(move |step: &Step| {
                let (mut way, mut at) = (input.begin(step)?, 0i64);
                Ok(Box::new(Way(move |step: &Step| {
                    while let Some(element) = way.next(step)? {
                        step.cancellation.check()?;
                        let own = at == index;
                        at = if at + 1 == shards { 0 } else { at + 1 };
                        if own {
                            return Ok(Some(element));
                        }
                    }
                    Ok(None)
                })) as Box<dyn Elements>)
            }),
            known,
        ))
    })
}

/// Elements that are there already, of one component.
struct Kept(Vec<Tensor>);

impl Source for Kept {
    fn begin(&self, _: &Step) -> Result<Box<dyn Elements>> {
        let mut elements = self.0.clone().into_iter();
        Ok(Box::new(Way(move |_: &Step| Ok(elements.next().map(|tensor| vec![tensor])))))
    }

    fn cardinality(&self) -> i64 {
        self.0.len() as i64
    }
}

fn window_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        let read = |index: usize, name: &str, text: &str| -> Result<usize> {
            let value = scalar_i64(cx, index, name)?;
            ensure!(value > 0, InvalidArgument, "Window {text} must be greater than zero.");
            Ok(value as usize)
        };
        let (size, shift, stride) =
            (read(1, "size", "size")?, read(2, "shift", "shift")?, read(3, "stride", "stride")?);
        let drop_remainder = cx.input(4)?.to_scalar::<bool>()?;
        let span = (size - 1).saturating_mul(stride).saturating_add(1);
        let known = window_count(input.cardinality(), span as i64, shift as i64, drop_remainder);
        let windows = By(move |step: &Step| {
            let make = |chosen: &[&Element]| {
                let components = chosen.first().map_or(0, |element| element.len());
                let window = (0..components).map(|component| {
                    let kept = Kept(chosen.iter().filter_map(|element| element.get(component).cloned()).collect());
                    let inside = Extent::of(&kept.0);
                    dataset_tensor(kept, inside)
                });
                window.collect::<Result<Element>>()
            };
            Ok(windows(input.begin(step)?, (size, shift, stride), drop_remainder, make))
        });
        Ok(Counted(windows, known))
    })
}

/// What is made of windows of so many elements, each so far behind the one before, of elements so far apart.
pub(super) fn windows(
    mut way: Box<dyn Elements>,
    (size, shift, stride): (usize, usize, usize),
    drop_remainder: bool,
    make: impl Fn(&[&Element]) -> Result<Element> + Send + 'static,
) -> Box<dyn Elements> {
    let span = (size - 1).saturating_mul(stride).saturating_add(1);
    let (mut over, mut skip) = (false, 0usize);
    let mut buffer: VecDeque<Element> = VecDeque::new();
    Box::new(Way(move |step: &Step| {
        while !over && (skip > 0 || buffer.len() < span) {
            step.cancellation.check()?;
            match way.next(step)? {
                Some(_) if skip > 0 => skip -= 1,
                Some(element) => buffer.push_back(element),
                None => over = true,
            }
        }
        if buffer.is_empty() || (drop_remainder && buffer.len() < span) {
            return Ok(None);
        }
        let chosen: Vec<&Element> = buffer.iter().step_by(stride).take(size).collect();
        let window = make(&chosen)?;
        let dropped = shift.min(buffer.len());
        buffer.drain(..dropped);
        skip = shift - dropped;
        Ok(Some(window))
    }))
}

/// How many windows of a span there are, each so far behind the one before.
pub(super) fn window_count(known: i64, span: i64, shift: i64, drop_remainder: bool) -> i64 {
    match known {
        ..0 => known,
        _ if !drop_remainder => known / shift + i64::from(known % shift != 0),
        _ if known < span => 0,
        _ => (known - span) / shift + 1,
    }
}

fn unbatch_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        Ok(By(move |step: &Step| {
            let mut way = input.begin(step)?;
            let (mut batch, mut row, mut rows): (Element, usize, usize) = (Vec::new(), 0, 0);
            Ok(Box::new(Way(move |step: &Step| {
                while row == rows {
                    step.cancellation.check()?;
                    let Some(next) = way.next(step)? else { return Ok(None) };
                    let first = next.first().and_then(|tensor| tensor.dims().first().copied());
                    let Some(first) = first else { bail!(InvalidArgument, "Cannot unbatch a scalar") };
                    let same = next.iter().all(|tensor| tensor.dims().first() == Some(&first));
                    ensure!(same, InvalidArgument, "Input element must have the same batch size in each component.");
                    (batch, row, rows) = (next, 0, first as usize);
                }
                let slice = |tensor: &Tensor| {
                    let shape = Shape::new(tensor.dims().get(1..).unwrap_or(&[]))?;
                    tensor.window(row * shape.num_elements(), shape)
                };
                let element = batch.iter().map(slice).collect::<Result<Element>>()?;
                row += 1;
                Ok(Some(element))
            })) as Box<dyn Elements>)
        }))
    })
}

fn unique_kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("output_types")?.to_vec();
    ensure!(
        matches!(types[..], [DType::Int32 | DType::Int64 | DType::String]),
        InvalidArgument,
        "Unique dataset only supports a single component of type tf.int32, tf.int64 or tf.string"
    );
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        Ok(By(move |step: &Step| {
            let mut way = input.begin(step)?;
            let mut seen: HashSet<(Vec<i64>, Vec<u8>)> = HashSet::new();
            Ok(Box::new(Way(move |step: &Step| {
                while let Some(element) = way.next(step)? {
                    step.cancellation.check()?;
                    let Some(tensor) = element.first() else { return Ok(Some(element)) };
                    let bytes = match tensor.strings() {
                        Ok(strings) => {
                            strings.iter().flat_map(|s| [&(s.len() as u64).to_le_bytes()[..], s].concat()).collect()
                        }
                        Err(_) => tensor.buffer().map_or(Ok(&[][..]), |buffer| buffer.try_bytes())?.to_vec(),
                    };
                    if seen.insert((tensor.dims().to_vec(), bytes)) {
                        return Ok(Some(element));
                    }
                }
                Ok(None)
            })) as Box<dyn Elements>)
        }))
    })
}

fn cache_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        let file = cx.input(1)?;
        ensure!(file.shape().is_scalar(), InvalidArgument, "filename must be a scalar");
        ensure!(
            file.to_string_scalar()?.is_empty(),
            Unimplemented,
            "a cache in files; one in memory works (filename '')"
        );
        // Filled by the first way that comes to the end.
        let cache: Arc<Mutex<Option<Arc<Vec<Element>>>>> = Arc::default();
        let known = input.cardinality();
        Ok(Counted(
            By(move |step: &Step| {
                if let Some(whole) = cache.lock().clone() {
                    let mut next = 0;
                    return Ok(Box::new(Way(move |_: &Step| {
                        next += 1;
                        Ok(whole.get(next - 1).cloned())
                    })) as Box<dyn Elements>);
                }
                let (mut way, cache) = (input.begin(step)?, cache.clone());
                let mut seen = Some(Vec::new());
                Ok(Box::new(Way(move |step: &Step| {
                    let element = way.next(step)?;
                    match (&element, &mut seen) {
                        (Some(element), Some(seen)) => seen.push(element.clone()),
                        (None, filled) => {
                            if let Some(whole) = filled.take() {
                                *cache.lock() = Some(Arc::new(whole));
                            }
                        }
                        _ => {}
                    }
                    Ok(element)
                })) as Box<dyn Elements>)
            }),
            known,
        ))
    })
}

fn ignore_errors_kernel(_: &Node) -> Result<Kernel> {
    making(|cx| {
        let input = dataset_input(cx, 0)?;
        Ok(By(move |step: &Step| {
            let mut way = input.begin(step)?;
            Ok(Box::new(Way(move |step: &Step| {
                loop {
                    step.cancellation.check()?;
                    if let Ok(element) = way.next(step) {
                        return Ok(element);
                    }
                }
            })) as Box<dyn Elements>)
        }))
    })
}

fn directed_kernel(node: &Node) -> Result<Kernel> {
    let stop = node.attr_bool("stop_on_empty_dataset")?;
    making(move |cx| {
        let selector = dataset_input(cx, 0)?;
        let inputs = (1..cx.num_inputs()).map(|index| dataset_input(cx, index)).collect::<Result<Vec<_>>>()?;
        let counts: Vec<i64> = inputs.iter().map(|input| input.cardinality()).collect();
        let known = match selector.cardinality() {
            0 => 0,
            _ if !stop && counts.contains(&INFINITE) => INFINITE,
            _ => UNKNOWN,
        };
        Ok(Counted(
            By(move |step: &Step| {
                let mut selector = selector.begin(step)?;
                let begin = |input: &Arc<dyn Source>| input.begin(step).map(Some);
                let mut ways = inputs.iter().map(begin).collect::<Result<Vec<Option<Box<dyn Elements>>>>>()?;
                Ok(Box::new(Way(move |step: &Step| {
                    while ways.iter().any(Option::is_some) {
                        step.cancellation.check()?;
                        let Some(choice) = selector.next(step)? else { return Ok(None) };
                        let [choice] = &choice[..] else { bail!(InvalidArgument, "a selector of several components") };
                        let choice = choice.to_scalar::<i64>()?;
                        let count = ways.len();
                        let Some(way) = usize::try_from(choice).ok().and_then(|choice| ways.get_mut(choice)) else {
                            bail!(InvalidArgument, "Selector index out of range: {choice} >= {count}")
                        };
                        let Some(open) = way else { continue };
                        match open.next(step)? {
                            Some(element) => return Ok(Some(element)),
                            None if stop => {
                                ways.clear();
                                return Ok(None);
                            }
                            None => *way = None,
                        }
                    }
                    Ok(None)
                })) as Box<dyn Elements>)
            }),
            known,
        ))
    })
}

fn padded_kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("N")? as usize;
    making(move |cx| {
        let (input, size) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "batch_size")?);
        ensure!(size > 0, InvalidArgument, "Batch size must be greater than zero.");
        let shapes = (0..count).map(|index| cx.input(2 + index)?.to_i64_vec()).collect::<Result<Vec<_>>>()?;
        let mut values = Vec::new();
        for index in 0..count {
            let value = cx.input(2 + count + index)?;
            ensure!(value.shape().is_scalar(), InvalidArgument, "All padding values must be scalars");
            values.push(value.clone());
        }
        let drop_remainder = match cx.num_inputs() > 2 + 2 * count {
            true => cx.input(2 + 2 * count)?.to_scalar::<bool>()?,
            false => false,
        };
        let how: Arc<Vec<(Vec<i64>, Tensor)>> = Arc::new(shapes.into_iter().zip(values).collect());
        let known = batch_count(input.cardinality(), size, drop_remainder);
        Ok(Counted(
            By(move |step: &Step| {
                let (mut way, mut over, how) = (input.begin(step)?, false, how.clone());
                Ok(Box::new(Way(move |step: &Step| {
                    let mut elements: Vec<Element> = Vec::new();
                    while !over && (elements.len() as i64) < size {
                        match way.next(step)? {
                            Some(element) => elements.push(element),
                            None => over = true,
                        }
                    }
                    if elements.is_empty() || (drop_remainder && (elements.len() as i64) < size) {
                        return Ok(None);
                    }
                    let component = |(number, (shape, value)): (usize, &(Vec<i64>, Tensor))| {
                        let parts: Vec<&Tensor> = elements.iter().filter_map(|element| element.get(number)).collect();
                        padded(number, &parts, shape, value)
                    };
                    how.iter().enumerate().map(component).collect::<Result<Element>>().map(Some)
                })) as Box<dyn Elements>)
            }),
            known,
        ))
    })
}

/// Tensors filled up with a value to a common shape, and put one below the other.
fn padded(number: usize, parts: &[&Tensor], wanted: &[i64], value: &Tensor) -> Result<Tensor> {
    let mut dims = wanted.to_vec();
    for part in parts {
        ensure!(
            part.dims().len() == wanted.len(),
            InvalidArgument,
            "All elements in a batch must have the same rank as the padded shape for component{number}: expected rank {} got \
             element with rank {}",
            wanted.len(),
            part.dims().len()
        );
        ensure!(
            part.dtype() == value.dtype(),
            InvalidArgument,
            "padding of type {} for {}",
            value.dtype(),
            part.dtype()
        );
        for ((dim, wanted), own) in dims.iter_mut().zip(wanted).zip(part.dims()) {
            ensure!(
                *wanted < 0 || own <= wanted,
                DataLoss,
                "Attempted to pad to a smaller size than the input element."
            );
            *dim = (*dim).max(*own);
        }
    }
    let row = Shape::new(&dims)?;
    let whole = Shape::new(&[&[parts.len() as i64], &dims[..]].concat())?;
    // Checks that there is memory for it.
    Tensor::zeros(value.dtype(), &whole)?;
    let size = row.num_elements();
    if value.dtype() == DType::String {
        let mut strings = vec![value.to_string_scalar()?.clone(); whole.num_elements()];
        for (number, part) in parts.iter().enumerate() {
            let from = part.strings()?;
            runs(part.dims(), &dims, |source, target, length| {
                strings[number * size + target..][..length].clone_from_slice(&from[source..][..length]);
            });
        }
        return Tensor::from_strings(whole, strings);
    }
    let Some(pattern) = value.buffer().map(|buffer| buffer.as_bytes()) else {
        bail!(Unimplemented, "padding of {}", value.dtype())
    };
    let width = pattern.len();
    let mut bytes = pattern.repeat(whole.num_elements());
    for (number, part) in parts.iter().enumerate() {
        let from = part.buffer().map_or(Ok(&[][..]), |buffer| buffer.try_bytes())?;
        runs(part.dims(), &dims, |source, target, length| {
            bytes[(number * size + target) * width..][..length * width]
                .copy_from_slice(&from[source * width..][..length * width]);
        });
    }
    Tensor::from_bytes(value.dtype(), whole, bytes.into())
}

/// The runs along the last axis of a block within a larger one: where each begins in both, and its length.
fn runs(inner: &[i64], outer: &[i64], mut copy: impl FnMut(usize, usize, usize)) {
    let Some((last, leading)) = inner.split_last() else { return copy(0, 0, 1) };
    let count: i64 = leading.iter().product();
    let length = *last as usize;
    if length == 0 {
        return;
    }
    for run in 0..count {
        let (mut rest, mut target, mut stride) = (run, 0, outer.last().copied().unwrap_or(1));
        for axis in (0..leading.len()).rev() {
            target += rest % leading[axis] * stride;
            rest /= leading[axis];
            stride *= outer[axis];
        }
        copy(run as usize * length, target as usize, length);
    }
}
