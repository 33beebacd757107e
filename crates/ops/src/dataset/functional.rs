//! Datasets that apply a function: `MapDataset`, `ParallelMapDatasetV2`, `FilterDataset`, `FlatMapDataset`,
//! `InterleaveDataset`.

use std::sync::Arc;

use graph::Node;
use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use tensor::{Result, Tensor, bail, ensure};

use super::elements::{Element, Elements, Source, dataset_in, dataset_input, dataset_tensor};
use super::function::Function;
use super::sources::scalar_i64;
use super::transforms::Way;

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
struct Applied {
    function: Arc<Function>,
    captured: Vec<Tensor>,
}

impl Applied {
    fn call(&self, step: &Step, element: Element) -> Result<Element> {
        let args = element.into_iter().chain(self.captured.iter().cloned()).collect();
        self.function.call(step, args)
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
fn kernel(
    node: &Node,
    attr: &str,
    extra: usize,
    make: impl Fn(&OpContext<'_>, Arc<dyn Source>, Applied) -> Result<Tensor> + Send + Sync + 'static,
) -> Result<Kernel> {
    let function = Arc::new(Function::of(node, attr)?);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let captured = cx.inputs(1..cx.num_inputs().saturating_sub(extra).max(1))?.into_iter().cloned().collect();
        let made = make(cx, input, Applied { function: function.clone(), captured })?;
        cx.set_output(0, made);
        Ok(())
    }))
}

fn map_kernel(node: &Node) -> Result<Kernel> {
    let extra = if node.op == "MapDataset" { 0 } else { 1 };
    kernel(node, "f", extra, |_, input, applied| {
        let way = |mut input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Way(move |step: &Step| match input.next(step)? {
                Some(element) => applied.call(step, element).map(Some),
                None => Ok(None),
            }))
        };
        dataset_tensor(Over { input, applied, way })
    })
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    kernel(node, "predicate", 0, |_, input, applied| {
        let way = |mut input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Way(move |step: &Step| {
                while let Some(element) = input.next(step)? {
                    step.cancellation.check()?;
                    let results = applied.call(step, element.clone())?;
                    let [keep] = &results[..] else {
                        bail!(InvalidArgument, "a predicate of {} results", results.len())
                    };
                    if keep.to_scalar::<bool>()? {
                        return Ok(Some(element));
                    }
                }
                Ok(None)
            }))
        };
        dataset_tensor(Over { input, applied, way })
    })
}

fn flat_map_kernel(node: &Node) -> Result<Kernel> {
    kernel(node, "f", 0, |_, input, applied| {
        let way = |input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Interleave::new(input, applied, 1, 1))
        };
        dataset_tensor(Over { input, applied, way })
    })
}

fn interleave_kernel(node: &Node) -> Result<Kernel> {
    kernel(node, "f", 2, |cx, input, applied| {
        let last = cx.num_inputs() - 1;
        let cycle = scalar_i64(cx, last - 1, "cycle_length")?;
        let block = scalar_i64(cx, last, "block_length")?;
        ensure!(cycle > 0, InvalidArgument, "cycle_length must be greater than zero.");
        ensure!(block > 0, InvalidArgument, "block_length must be greater than zero.");
        ensure!(cycle <= 1 << 20, ResourceExhausted, "a cycle of {cycle} datasets");
        let way = move |input: Box<dyn Elements>, applied: Applied| -> Box<dyn Elements> {
            Box::new(Interleave::new(input, applied, cycle as usize, block))
        };
        dataset_tensor(Over { input, applied, way })
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
}

impl Interleave {
    fn new(input: Box<dyn Elements>, applied: Applied, cycle: usize, block: i64) -> Interleave {
        let open = (0..cycle).map(|_| None).collect();
        Interleave { input, applied, open, at: 0, block, taken: 0, over: false }
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
                    Some(element) => self.open[self.at] = Some(self.applied.begin(step, element)?),
                    None => self.over = true,
                }
            } else {
                self.turn();
            }
        }
        Ok(None)
    }
}
