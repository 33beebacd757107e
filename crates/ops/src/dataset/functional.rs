//! Datasets that apply a function: `MapDataset`, `FilterDataset`, `FlatMapDataset`, `InterleaveDataset` and their
//! parallel kin, which keep the order of elements: `ParallelMapDataset`, `ParallelMapDatasetV2`,
//! `ParallelFilterDataset`, `ParallelInterleaveDatasetV2`, `ParallelInterleaveDatasetV3` and
//! `ParallelInterleaveDatasetV4`, and the older `ParallelInterleaveDataset` and `LegacyParallelInterleaveDatasetV2`;
//! `ScanDataset`, `TakeWhileDataset`, `GroupByWindowDataset` and `MapAndBatchDataset`.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{Extent, Result, Tensor, bail, ensure};

use super::background::{Ahead, Job, Workers, parallelism};
use super::elements::{
    Counted, Element, Elements, Source, UNKNOWN, dataset_in, dataset_input, dataset_tensor, extent_of_inputs,
};
use super::function::Function;
use super::sources::scalar_i64;
use super::transforms::{Way, batch_count, batches};

pub(crate) fn register(r: &mut Registry) {
    const ARGUMENTS: &str = "Targuments: list(type) >= 0";
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    const METADATA: &str = "metadata: string = ''";
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.attr(METADATA).shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
    };
    let signature = "input_dataset: variant, other_arguments: Targuments -> handle: variant";
    let entry = r.op("MapDataset", signature).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    let entry = entry.attr("use_inter_op_parallelism: bool = true").attr("preserve_cardinality: bool = false");
    rest(entry.attr("force_synchronous: bool = false"), map_kernel);
    let parallel = "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int64 -> handle: variant";
    let entry = r.op("ParallelMapDatasetV2", parallel).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    let entry = entry.attr("use_inter_op_parallelism: bool = true").attr("deterministic: string = 'default'");
    let entry = entry.attr("preserve_cardinality: bool = false").attr("use_unbounded_threadpool: bool = false");
    rest(entry, map_kernel);
    let older = "input_dataset: variant, other_arguments: Targuments, num_parallel_calls: int32 -> handle: variant";
    let entry = r.op("ParallelMapDataset", older).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    let entry = entry.attr("use_inter_op_parallelism: bool = true").attr("sloppy: bool = false");
    rest(entry.attr("preserve_cardinality: bool = false"), map_kernel);
    let entry =
        r.op("ParallelFilterDataset", parallel).attr("predicate: func").attr("deterministic: string = 'default'");
    rest(entry.attr(ARGUMENTS).attr(TYPES).attr(SHAPES), filter_kernel);
    let entry = r.op("TakeWhileDataset", signature).attr("predicate: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    rest(entry, take_while_kernel);
    let scan = "input_dataset: variant, initial_state: Tstate, other_arguments: Targuments -> handle: variant";
    let entry = r.op("ScanDataset", scan).attr("f: func").attr("Tstate: list(type) >= 1").attr(ARGUMENTS);
    let entry = entry.attr(TYPES).attr(SHAPES).attr("preserve_cardinality: bool = false");
    rest(entry.attr("use_default_device: bool = true"), scan_kernel);
    let both = "input_dataset: variant, other_arguments: Targuments, batch_size: int64, num_parallel_calls: int64, \
                drop_remainder: bool -> handle: variant";
    let entry = r.op("MapAndBatchDataset", both).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    rest(entry.attr("preserve_cardinality: bool = false"), map_and_batch_kernel);
    let groups = "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, reduce_func_other_arguments: \
                  Treduce_func_other_arguments, window_size_func_other_arguments: Twindow_size_func_other_arguments -> \
                  handle: variant";
    let entry = r.op("GroupByWindowDataset", groups).attr("key_func: func").attr("reduce_func: func");
    let entry = entry.attr("window_size_func: func").attr("Tkey_func_other_arguments: list(type) >= 0");
    let entry = entry.attr("Treduce_func_other_arguments: list(type) >= 0");
    let entry = entry.attr("Twindow_size_func_other_arguments: list(type) >= 0");
    rest(entry.attr(TYPES).attr(SHAPES), group_kernel);
    for (version, inputs) in
        [("V2", ""), ("V3", ""), ("V4", "buffer_output_elements: int64, prefetch_input_elements: int64, ")]
    {
        let signature = format!(
            "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, {inputs}\
             num_parallel_calls: int64 -> handle: variant"
        );
        let entry = r.op(&format!("ParallelInterleaveDataset{version}"), &signature).attr("f: func");
        let entry = if version == "V2" { entry } else { entry.attr("deterministic: string = 'default'") };
        let entry = entry.attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
        let entry = if version == "V2" { entry.attr("sloppy: bool = false") } else { entry };
        rest(entry, interleave_kernel);
    }
    for (name, sloppy) in [("ParallelInterleaveDataset", "sloppy: bool, "), ("LegacyParallelInterleaveDatasetV2", "")] {
        let signature = format!(
            "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64, {sloppy}\
             buffer_output_elements: int64, prefetch_input_elements: int64 -> handle: variant"
        );
        let entry = r.op(name, &signature).attr("f: func");
        let entry = if sloppy.is_empty() { entry.attr("deterministic: string = 'default'") } else { entry };
        rest(entry.attr(ARGUMENTS).attr(TYPES).attr(SHAPES), interleave_kernel);
    }
    let entry = r.op("FilterDataset", signature).attr("predicate: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    rest(entry, filter_kernel);
    let entry = r.op("FlatMapDataset", signature).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    rest(entry, flat_map_kernel);
    let signature = "input_dataset: variant, other_arguments: Targuments, cycle_length: int64, block_length: int64 -> \
                     handle: variant";
    let entry = r.op("InterleaveDataset", signature).attr("f: func").attr(ARGUMENTS).attr(TYPES).attr(SHAPES);
    rest(entry, interleave_kernel);
}

/// A function of elements, with the values it has from outside.
#[derive(Clone)]
pub(super) struct Applied {
    pub(super) function: Arc<Function>,
    pub(super) captured: Vec<Tensor>,
}

impl Applied {
    pub(super) fn call(&self, step: &Step, element: Element) -> Result<Element> {
        let args = element.into_iter().chain(self.captured.iter().cloned()).collect();
        self.function.call(step, args)
    }

    /// What a predicate says of an element.
    fn verdict(&self, step: &Step, element: &Element) -> Result<bool> {
        let results = self.call(step, element.clone())?;
        let [keep] = &results[..] else { bail!(InvalidArgument, "a predicate of {} results", results.len()) };
        keep.to_scalar::<bool>()
    }

    /// Begins the dataset that the function makes of an element.
    fn begin(&self, step: &Step, element: Element) -> Result<Box<dyn Elements>> {
        let results = self.call(step, element)?;
        let [made] = &results[..] else { bail!(InvalidArgument, "a function that makes {} datasets", results.len()) };
        dataset_in(made)?.begin(step)
    }
}

/// Something that is begun anew for each way through the input.
struct Over<F> {
    input: Arc<dyn Source>,
    applied: Applied,
    way: F,
}

impl<F> Source for Over<F>
where
    F: Fn(Box<dyn Elements>, Applied) -> Box<dyn Elements> + Send + Sync,
{
    fn begin(&self, step: &Step) -> Result<Box<dyn Elements>> {
        Ok((self.way)(self.input.begin(step)?, self.applied.clone()))
    }
}

/// A kernel that makes a dataset of its first input, the function, and the inputs after it but for the last `extra`.
fn kernel<S: Source + 'static>(
    node: &Node,
    attr: &str,
    extra: usize,
    make: impl Fn(&OpContext<'_>, Arc<dyn Source>, Applied) -> Result<S> + Send + Sync + 'static,
) -> Result<Kernel> {
    let function = Arc::new(Function::of(node, attr)?);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let captured = cx.inputs(1..cx.num_inputs().saturating_sub(extra).max(1))?.into_iter().cloned().collect();
        let made = make(cx, input, Applied { function: function.clone(), captured })?;
        let made = dataset_tensor(made, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

/// The cardinality of a dataset whose elements become one each, if its maker says so.
fn preserved(node: &Node) -> Result<impl Fn(&Arc<dyn Source>) -> i64 + Send + Sync + 'static> {
    let preserves = node.attr_bool("preserve_cardinality")?;
    Ok(move |input: &Arc<dyn Source>| if preserves { input.cardinality() } else { UNKNOWN })
}

fn map_kernel(node: &Node) -> Result<Kernel> {
    let known = preserved(node)?;
    if node.op != "MapDataset" {
        return kernel(node, "f", 1, move |cx, input, applied| {
            let calls = parallel_calls(cx, cx.num_inputs() - 1)?;
            let way = move |input: Box<dyn Elements>, applied: Applied| parallel_map(input, applied, calls);
            let known = known(&input);
            Ok(Counted(Over { input, applied, way }, known))
        });
    }
    kernel(node, "f", 0, move |_, input, applied| {
        let known = known(&input);
        Ok(Counted(Over { input, applied, way: plain_map }, known))
    })
}

fn plain_map(mut input: Box<dyn Elements>, applied: Applied) -> Box<dyn Elements> {
    Box::new(Way(move |step: &Step| match input.next(step)? {
        Some(element) => applied.call(step, element).map(Some),
        None => Ok(None),
    }))
}

/// How many calls the last input allows at once.
fn parallel_calls(cx: &OpContext<'_>, index: usize) -> Result<usize> {
    let calls = match cx.input(index)?.dtype() {
        tensor::DType::Int32 => i64::from(cx.input(index)?.to_scalar::<i32>()?),
        _ => scalar_i64(cx, index, "num_parallel_calls")?,
    };
    ensure!(calls > 0 || calls == -1, InvalidArgument, "num_parallel_calls must be greater than zero.");
    Ok(parallelism(calls))
}

/// How many elements may wait for each call that runs, so that a thread need not be woken for each of them.
const ELEMENTS_A_CALL: usize = 4;

/// Calls the function for several elements at once; the results come in the order of the elements.
fn parallel_map(mut input: Box<dyn Elements>, applied: Applied, calls: usize) -> Box<dyn Elements> {
    let (mut workers, mut over) = (Workers::new(calls, calls.saturating_mul(ELEMENTS_A_CALL)), false);
    Box::new(Way(move |step: &Step| {
        while !over && workers.has_room() {
            let job: Job = match input.next(step) {
                Ok(Some(element)) => {
                    let applied = applied.clone();
                    Box::new(move |step: &Step| applied.call(step, element))
                }
                Ok(None) => {
                    over = true;
                    break;
                }
                // It has its place among the elements.
                Err(status) => Box::new(move |_: &Step| Err(status)),
            };
            workers.push(step, job);
            step.cancellation.check()?;
        }
        workers.next(step)
    }))
}

fn map_and_batch_kernel(node: &Node) -> Result<Kernel> {
    let known = preserved(node)?;
    kernel(node, "f", 3, move |cx, input, applied| {
        let last = cx.num_inputs() - 1;
        let size = scalar_i64(cx, last - 2, "batch_size")?;
        ensure!(size > 0, InvalidArgument, "batch_size must be greater than zero.");
        let (calls, drop_remainder) = (parallel_calls(cx, last - 1)?, cx.input(last)?.to_scalar::<bool>()?);
        let way = move |input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            batches(parallel_map(input, applied, calls), size, drop_remainder)
        };
        let known = batch_count(known(&input), size, drop_remainder);
        Ok(Counted(Over { input, applied, way }, known))
    })
}

fn take_while_kernel(node: &Node) -> Result<Kernel> {
    kernel(node, "predicate", 0, |_, input, applied| {
        let way = |mut input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            let mut over = false;
            Box::new(Way(move |step: &Step| {
                if over {
                    return Ok(None);
                }
                let Some(element) = input.next(step)? else { return Ok(None) };
                if applied.verdict(step, &element)? {
                    return Ok(Some(element));
                }
                over = true;
                Ok(None)
            }))
        };
        Ok(Over { input, applied, way })
    })
}

fn scan_kernel(node: &Node) -> Result<Kernel> {
    let function = Arc::new(Function::of(node, "f")?);
    let states = node.attr_types("Tstate")?.len();
    let known = preserved(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let initial: Element = cx.inputs(1..1 + states)?.into_iter().cloned().collect();
        let captured = cx.inputs(1 + states..cx.num_inputs())?.into_iter().cloned().collect();
        let applied = Applied { function: function.clone(), captured };
        let way = move |mut input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            let mut state = initial.clone();
            Box::new(Way(move |step: &Step| {
                let Some(element) = input.next(step)? else { return Ok(None) };
                let mut results = applied.call(step, state.iter().cloned().chain(element).collect())?;
                ensure!(
                    results.len() > states,
                    InvalidArgument,
                    "a scan of {states} states that gives {}",
                    results.len()
                );
                let outputs = results.split_off(states);
                state = results;
                Ok(Some(outputs))
            }))
        };
        let known = known(&input);
        let made = dataset_tensor(Counted(Over { input, applied, way }, known), extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

fn group_kernel(node: &Node) -> Result<Kernel> {
    let function = |attr: &str| Function::of(node, attr).map(Arc::new);
    let functions = [function("key_func")?, function("reduce_func")?, function("window_size_func")?];
    let count = |attr: &str| node.attr_types(attr).map(<[_]>::len);
    let counts = [
        count("Tkey_func_other_arguments")?,
        count("Treduce_func_other_arguments")?,
        count("Twindow_size_func_other_arguments")?,
    ];
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let mut first = 1;
        let mut applied = Vec::with_capacity(3);
        for (function, count) in functions.iter().zip(counts) {
            let captured = cx.inputs(first..first + count)?.into_iter().cloned().collect();
            applied.push(Applied { function: function.clone(), captured });
            first += count;
        }
        let grouped = super::transforms::By(move |step: &Step| {
            let [key, reduce, size] = &applied[..] else { bail!(Internal, "grouping without its functions") };
            Ok(Box::new(Grouping {
                input: Some(input.begin(step)?),
                key: key.clone(),
                reduce: reduce.clone(),
                size: size.clone(),
                groups: BTreeMap::new(),
                open: None,
            }) as Box<dyn Elements>)
        });
        let made = dataset_tensor(grouped, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

/// Collects elements by key, and makes a dataset of each group that is full.
struct Grouping {
    input: Option<Box<dyn Elements>>,
    key: Applied,
    reduce: Applied,
    size: Applied,
    groups: BTreeMap<i64, (i64, Vec<Element>)>,
    open: Option<Box<dyn Elements>>,
}

impl Grouping {
    fn number(applied: &Applied, step: &Step, args: Element) -> Result<i64> {
        let results = applied.call(step, args)?;
        match &results[..] {
            [number] => number.to_scalar::<i64>(),
            _ => bail!(InvalidArgument, "a key or size of {} values", results.len()),
        }
    }

    fn close(&mut self, step: &Step, key: i64) -> Result<()> {
        let Some((_, elements)) = self.groups.remove(&key) else { return Ok(()) };
        let inside = Extent::of(elements.iter().flatten());
        let group = super::transforms::By(move |_: &Step| {
            let mut elements = elements.clone().into_iter();
            Ok(Box::new(Way(move |_: &Step| Ok(elements.next()))) as Box<dyn Elements>)
        });
        let group = dataset_tensor(group, inside)?;
        self.open = Some(self.reduce.begin(step, vec![Tensor::from(key), group])?);
        Ok(())
    }
}

impl Elements for Grouping {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        loop {
            step.cancellation.check()?;
            if let Some(open) = &mut self.open {
                match open.next(step)? {
                    Some(element) => return Ok(Some(element)),
                    None => self.open = None,
                }
            } else if let Some(input) = &mut self.input {
                match input.next(step)? {
                    Some(element) => {
                        let key = Self::number(&self.key, step, element.clone())?;
                        if !self.groups.contains_key(&key) {
                            let size = Self::number(&self.size, step, vec![Tensor::from(key)])?;
                            ensure!(
                                size > 0,
                                InvalidArgument,
                                "Window size must be greater than zero, but got {size}."
                            );
                            self.groups.insert(key, (size, Vec::new()));
                        }
                        let full = self.groups.get_mut(&key).is_some_and(|(size, elements)| {
                            elements.push(element);
                            elements.len() as i64 == *size
                        });
                        if full {
                            self.close(step, key)?;
                        }
                    }
                    None => self.input = None,
                }
            } else {
                let Some(key) = self.groups.first_key_value().map(|(key, _)| *key) else { return Ok(None) };
                self.close(step, key)?;
            }
        }
    }
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    let extra = usize::from(node.op == "ParallelFilterDataset");
    kernel(node, "predicate", extra, |_, input, applied| {
        let way = |mut input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Way(move |step: &Step| {
                while let Some(element) = input.next(step)? {
                    step.cancellation.check()?;
                    if applied.verdict(step, &element)? {
                        return Ok(Some(element));
                    }
                }
                Ok(None)
            }))
        };
        Ok(Over { input, applied, way })
    })
}

fn flat_map_kernel(node: &Node) -> Result<Kernel> {
    kernel(node, "f", 0, |_, input, applied| {
        let way = |input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Interleave::new(input, applied, 1, 1, false))
        };
        Ok(Over { input, applied, way })
    })
}

fn interleave_kernel(node: &Node) -> Result<Kernel> {
    let extra = match node.op.as_str() {
        "InterleaveDataset" => 2,
        "ParallelInterleaveDatasetV4" | "ParallelInterleaveDataset" => 5,
        "LegacyParallelInterleaveDatasetV2" => 4,
        _ => 3,
    };
    let (parallel, legacy) =
        (extra > 2, matches!(node.op.as_str(), "ParallelInterleaveDataset" | "LegacyParallelInterleaveDatasetV2"));
    kernel(node, "f", extra, move |cx, input, applied| {
        let first = cx.num_inputs() - extra;
        let mut cycle = scalar_i64(cx, first, "cycle_length")?;
        let block = scalar_i64(cx, first + 1, "block_length")?;
        if legacy {
            for (back, name, least) in [(2, "buffer_output_elements", 1), (1, "prefetch_input_elements", 0)] {
                let value = scalar_i64(cx, cx.num_inputs() - back, name)?;
                ensure!(
                    value == -1 || value >= least,
                    InvalidArgument,
                    "`{name}` must be -1, or at least {least}, not {value}"
                );
            }
            ensure!(cycle > 0, InvalidArgument, "`cycle_length` must be > 0");
            ensure!(block > 0, InvalidArgument, "`block_length` must be > 0");
        } else if parallel {
            parallel_calls(cx, cx.num_inputs() - 1)?;
            cycle = if cycle == -1 { parallelism(-1) as i64 } else { cycle };
        }
        ensure!(cycle > 0, InvalidArgument, "cycle_length must be greater than zero.");
        ensure!(block > 0, InvalidArgument, "block_length must be greater than zero.");
        ensure!(cycle <= 1 << 20, ResourceExhausted, "a cycle of {cycle} datasets");
        let way = move |input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Interleave::new(input, applied, cycle as usize, block, parallel))
        };
        Ok(Over { input, applied, way })
    })
}

/// Goes through several datasets in turns, some elements of each at a time.
struct Interleave {
    input: Box<dyn Elements>,
    applied: Applied,
    open: Vec<Option<Box<dyn Elements>>>,
    at: usize,
    block: i64,
    taken: i64,
    over: bool,
    /// Whether the datasets are gone through ahead of their turns.
    ahead: bool,
}

/// How far each dataset of a parallel interleave is gone ahead.
const AHEAD: i64 = 8;

impl Interleave {
    fn new(input: Box<dyn Elements>, applied: Applied, cycle: usize, block: i64, ahead: bool) -> Interleave {
        let open = (0..cycle).map(|_| None).collect();
        Interleave { input, applied, open, at: 0, block, taken: 0, over: false, ahead }
    }

    fn begin(&self, step: &Step, element: Element) -> Result<Box<dyn Elements>> {
        let way = self.applied.begin(step, element)?;
        Ok(if self.ahead { Box::new(Ahead::new(way, self.block.min(AHEAD) as usize)) } else { way })
    }

    fn turn(&mut self) {
        self.taken = 0;
        self.at = (self.at + 1) % self.open.len();
    }
}

impl Elements for Interleave {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        while !self.over || self.open.iter().any(Option::is_some) {
            step.cancellation.check()?;
            if let Some(way) = &mut self.open[self.at] {
                match way.next(step)? {
                    Some(element) => {
                        self.taken += 1;
                        if self.taken == self.block {
                            self.turn();
                        }
                        return Ok(Some(element));
                    }
                    None => {
                        self.open[self.at] = None;
                        self.turn();
                    }
                }
            } else if !self.over {
                match self.input.next(step)? {
                    Some(element) => self.open[self.at] = Some(self.begin(step, element)?),
                    None => self.over = true,
                }
            } else {
                self.turn();
            }
        }
        Ok(None)
    }
}
