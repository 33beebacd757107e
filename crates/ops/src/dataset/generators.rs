//! Datasets whose functions carry a state: `GeneratorDataset` asks a function for one element after the other,
//! `GroupByReducerDataset` folds the elements of each key into one.

use std::collections::BTreeMap;
use std::sync::Arc;

use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{Code, Result, Tensor, bail, ensure};

use super::background::Background;
use super::elements::{Element, Elements, Source, dataset_input, dataset_tensor, extent_of_inputs};
use super::function::Function;
use super::functional::Applied;
use super::transforms::By;

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    let signature = "init_func_other_args: Tinit_func_args, next_func_other_args: Tnext_func_args, \
                     finalize_func_other_args: Tfinalize_func_args -> handle: variant";
    r.op("GeneratorDataset", signature)
        .attr("init_func: func")
        .attr("next_func: func")
        .attr("finalize_func: func")
        .attr("Tinit_func_args: list(type) >= 0")
        .attr("Tnext_func_args: list(type) >= 0")
        .attr("Tfinalize_func_args: list(type) >= 0")
        .attr(TYPES)
        .attr(SHAPES)
        .attr("metadata: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(generator_kernel)
        .not_differentiable();
    let signature = "input_dataset: variant, key_func_other_arguments: Tkey_func_other_arguments, \
                     init_func_other_arguments: Tinit_func_other_arguments, reduce_func_other_arguments: \
                     Treduce_func_other_arguments, finalize_func_other_arguments: Tfinalize_func_other_arguments -> \
                     handle: variant";
    r.op("GroupByReducerDataset", signature)
        .attr("key_func: func")
        .attr("init_func: func")
        .attr("reduce_func: func")
        .attr("finalize_func: func")
        .attr("Tkey_func_other_arguments: list(type) >= 0")
        .attr("Tinit_func_other_arguments: list(type) >= 0")
        .attr("Treduce_func_other_arguments: list(type) >= 0")
        .attr("Tfinalize_func_other_arguments: list(type) >= 0")
        .attr(TYPES)
        .attr(SHAPES)
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(reducer_kernel)
        .not_differentiable();
}

/// Functions of a node, each with how many captured values it has.
struct Functions(Vec<(Arc<Function>, usize)>);

impl Functions {
    fn of(node: &Node, attrs: &[(&str, &str)]) -> Result<Functions> {
        let each = |(function, types): &(&str, &str)| {
            Ok((Arc::new(Function::of(node, function)?), node.attr_types(types)?.len()))
        };
        attrs.iter().map(each).collect::<Result<_>>().map(Functions)
    }

    /// The functions with their values, which begin at an input.
    fn applied(&self, cx: &OpContext<'_>, mut first: usize) -> Result<Vec<Applied>> {
        let mut applied = Vec::with_capacity(self.0.len());
        for (function, count) in &self.0 {
            let captured = cx.inputs(first..first + count)?.into_iter().cloned().collect();
            applied.push(Applied { function: function.clone(), captured });
            first += count;
        }
        Ok(applied)
    }
}

fn generator_kernel(node: &Node) -> Result<Kernel> {
    let functions = Functions::of(
        node,
        &[("init_func", "Tinit_func_args"), ("next_func", "Tnext_func_args"), ("finalize_func", "Tfinalize_func_args")],
    )?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let applied = functions.applied(cx, 0)?;
        let generated = By(move |_: &Step| {
            let [init, next, finalize] = &applied[..] else { bail!(Internal, "a generator without its functions") };
            Ok(Box::new(Generated {
                init: init.clone(),
                next: next.clone(),
                finalize: finalize.clone(),
                state: None,
                surroundings: None,
                over: false,
            }) as Box<dyn Elements>)
        });
        let made = dataset_tensor(generated, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

struct Generated {
    init: Applied,
    next: Applied,
    finalize: Applied,
    /// What `init` returned, as long as there is something to finalize.
    state: Option<Element>,
    /// Where the end runs if nobody asks for elements any more.
    surroundings: Option<Background>,
    over: bool,
}

impl Elements for Generated {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        if self.over {
            return Ok(None);
        }
        let state = match &self.state {
            Some(state) => state.clone(),
            None => {
                let state = self.init.call(step, Vec::new())?;
                self.surroundings = Some(Background::of(step));
                self.state.insert(state).clone()
            }
        };
        match self.next.call(step, state) {
            Ok(element) => Ok(Some(element)),
            Err(status) if status.code() == Code::OutOfRange => {
                self.over = true;
                if let Some(state) = self.state.take() {
                    self.finalize.call(step, state)?;
                }
                Ok(None)
            }
            Err(status) => Err(status),
        }
    }
}

impl Drop for Generated {
    /// The generator is told of its end also when it was not gone through to the end.
    fn drop(&mut self) {
        if let (Some(state), Some(surroundings)) = (self.state.take(), self.surroundings.take()) {
            let finalize = self.finalize.clone();
            let step = surroundings.step().clone();
            step.host.spawn("generator's end", Box::new(move || drop(finalize.call(surroundings.step(), state))));
        }
    }
}

fn reducer_kernel(node: &Node) -> Result<Kernel> {
    let functions = Functions::of(
        node,
        &[
            ("key_func", "Tkey_func_other_arguments"),
            ("init_func", "Tinit_func_other_arguments"),
            ("reduce_func", "Treduce_func_other_arguments"),
            ("finalize_func", "Tfinalize_func_other_arguments"),
        ],
    )?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (input, applied) = (dataset_input(cx, 0)?, functions.applied(cx, 1)?);
        let reduced = By(move |_: &Step| {
            Ok(Box::new(Reduced { input: Some(input.clone()), applied: applied.clone(), states: BTreeMap::new() })
                as Box<dyn Elements>)
        });
        let made = dataset_tensor(reduced, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

struct Reduced {
    /// Until it has been gone through.
    input: Option<Arc<dyn Source>>,
    applied: Vec<Applied>,
    states: BTreeMap<i64, Element>,
}

impl Elements for Reduced {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        let [key, init, reduce, finalize] = &self.applied[..] else {
            bail!(Internal, "a reduction without its functions")
        };
        if let Some(input) = self.input.take() {
            let mut way = input.begin(step)?;
            while let Some(element) = way.next(step)? {
                step.cancellation.check()?;
                let found = key.call(step, element.clone())?;
                let [found] = &found[..] else { bail!(InvalidArgument, "a key of {} values", found.len()) };
                ensure!(found.shape().is_scalar(), InvalidArgument, "`key_func` must return a scalar int64.");
                let found = found.to_scalar::<i64>()?;
                let state = match self.states.remove(&found) {
                    Some(state) => state,
                    None => init.call(step, vec![Tensor::from(found)])?,
                };
                let state = reduce.call(step, state.into_iter().chain(element).collect())?;
                self.states.insert(found, state);
            }
        }
        match self.states.pop_first() {
            Some((_, state)) => finalize.call(step, state).map(Some),
            None => Ok(None),
        }
    }
}
