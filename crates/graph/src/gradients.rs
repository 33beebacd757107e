//! Gradients: a walk back from `ys` to `xs` that adds, for every node on the way, the nodes of its gradient.

use std::collections::{BinaryHeap, HashMap};

use tensor::{DType, Result, bail, ensure, err};

use crate::builder::{Graph, Output};
use crate::control_flow::{ContextId, Unit};
use crate::data::{Endpoint, GraphData, NodeId};
use crate::op::{GradContext, GradientRule};

/// The gradient with respect to some output: dense, or rows of it.
#[derive(Clone, Debug)]
pub enum Gradient {
    Dense(Output),
    Slices(IndexedSlices),
}

/// Rows of a larger tensor: row `indices[i]` is `values[i]`; a row may come several times and then adds up.
#[derive(Clone, Debug)]
pub struct IndexedSlices {
    pub values: Output,
    pub indices: Output,
    /// The shape of the larger tensor, an int32 or int64 vector.
    pub dense_shape: Output,
}

impl From<Output> for Gradient {
    fn from(output: Output) -> Gradient {
        Gradient::Dense(output)
    }
}

impl Gradient {
    /// The gradient as one tensor, rows added up where they are meant.
    pub fn to_dense(&self) -> Output {
        match self {
            Gradient::Dense(output) => output.clone(),
            Gradient::Slices(slices) => slices.to_dense(),
        }
    }

    /// Whether a mistake left this without a node.
    fn is_poisoned(&self) -> bool {
        match self {
            Gradient::Dense(output) => output.endpoint().is_none(),
            Gradient::Slices(slices) => slices.values.endpoint().is_none() || slices.indices.endpoint().is_none(),
        }
    }
}

impl IndexedSlices {
    pub fn to_dense(&self) -> Output {
        let graph = self.values.graph();
        let zero = graph.constant([0i32]);
        let one = graph.constant([1i32]);
        let rows = graph
            .op("StridedSlice")
            .input(&self.dense_shape)
            .input(&zero)
            .input(&one)
            .input(&one)
            .attr("shrink_axis_mask", 1i64)
            .output();
        graph.op("UnsortedSegmentSum").input(&self.values).input(&self.indices).input(&rows).output()
    }
}

/// The gradients of the sum of all `ys` with respect to each of `xs`; `None` where `ys` do not depend on it.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant(3f32);
/// let y = &x * &x + &x * 5.0; // y = x^2 + 5x, so dy/dx = 2x + 5
/// let dy = gradients(&[y], &[x])?[0].clone().unwrap().to_dense();
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&dy))?[0], Tensor::from(11f32));
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// `InvalidArgument` if an op on the way has no gradient (as TensorFlow's `LookupError`), or for outputs of different
/// graphs; `Unimplemented` for gradients of the gradients of a loop.
pub fn gradients(ys: &[Output], xs: &[Output]) -> Result<Vec<Option<Gradient>>> {
    let Some(graph) = ys.first().map(|y| y.graph().clone()) else {
        bail!(InvalidArgument, "gradients of nothing were asked for")
    };
    graph.check()?;
    graph.with_name_scope("gradients", |graph| Walk::new(graph, ys, None, xs)?.run(xs))
}

/// As [`gradients`], of the sum of all `ys` times `dys`.
pub(crate) fn weighted_gradients(ys: &[Output], dys: &[Output], xs: &[Output]) -> Result<Vec<Option<Gradient>>> {
    let Some(graph) = ys.first().map(|y| y.graph().clone()) else {
        bail!(InvalidArgument, "gradients of nothing were asked for")
    };
    graph.with_name_scope("gradients", |graph| Walk::new(graph, ys, Some(dys), xs)?.run(xs))
}

fn ones_like(graph: &Graph, y: &Output, dtype: tensor::DType) -> Output {
    let one = crate::operators::Operand::to_output(&1f32, graph, Some(dtype));
    let shape = graph.op("Shape").input(y).output();
    graph.op("Fill").name("grad_ys").input(shape).input(one).output()
}

pub(crate) struct Walk<'a> {
    pub graph: &'a Graph,
    pub data: GraphData,
    /// Nodes on some way from an x to a y.
    between: Vec<bool>,
    /// Where each node is in an order in which nodes come after those that they depend on.
    position: Vec<usize>,
    /// Gradients that have arrived, by the output they belong to.
    arrived: HashMap<Endpoint, Vec<Gradient>>,
}

impl<'a> Walk<'a> {
    fn new(graph: &'a Graph, ys: &[Output], dys: Option<&[Output]>, xs: &[Output]) -> Result<Walk<'a>> {
        let data = graph.snapshot()?;
        let endpoint = |output: &Output| {
            output.endpoint().ok_or_else(|| err!(InvalidArgument, "gradients of an output that does not exist"))
        };
        for x in xs {
            let node = endpoint(x)?.node;
            let state = graph.state();
            let home = state.contexts.of_outputs(&state.data, node);
            ensure!(
                state.contexts.is_within(state.contexts.current, home),
                InvalidArgument,
                "gradients with respect to '{}', which is inside of a loop or branch, can only be computed there",
                data.node(node).name
            );
        }
        let consumers = data.consumers();
        let mut from_xs = vec![false; data.len()];
        let mut stack: Vec<NodeId> = xs.iter().map(|x| Ok(endpoint(x)?.node)).collect::<Result<_>>()?;
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut from_xs[id.index()], true) {
                stack.extend(&consumers[id.index()]);
            }
        }
        let mut to_ys = vec![false; data.len()];
        let mut arrived: HashMap<Endpoint, Vec<Gradient>> = HashMap::new();
        let mut stack = Vec::new();
        for (index, y) in ys.iter().enumerate() {
            let y_endpoint = endpoint(y)?;
            let dtype = y.dtype().ok_or_else(|| err!(InvalidArgument, "gradients of an output that does not exist"))?;
            ensure!(
                is_differentiable(dtype),
                InvalidArgument,
                "gradients of {} of type {dtype}: only floating point has gradients",
                data.tensor_name(y_endpoint)
            );
            let dy = dys.and_then(|dys| dys.get(index)).cloned().unwrap_or_else(|| ones_like(graph, y, dtype));
            arrived.entry(y_endpoint).or_default().push(Gradient::Dense(dy));
            stack.push(y_endpoint.node);
        }
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut to_ys[id.index()], true) {
                stack.extend(data.node(id).inputs.iter().map(|input| input.node));
            }
        }
        refuse_second_order(graph, &from_xs, &to_ys)?;
        let between = from_xs.iter().zip(&to_ys).map(|(a, b)| *a && *b).collect();
        let mut position = vec![0; data.len()];
        for (place, id) in data.topological_order()?.iter().enumerate() {
            position[id.index()] = place;
        }
        Ok(Walk { graph, data, between, position, arrived })
    }

    fn run(mut self, xs: &[Output]) -> Result<Vec<Option<Gradient>>> {
        let here = self.graph.state().contexts.current;
        self.level(here, true)?;
        let mut results = Vec::with_capacity(xs.len());
        for x in xs {
            let gradient = match x.endpoint() {
                Some(endpoint) => self.total(endpoint)?,
                None => None,
            };
            results.push(gradient);
        }
        self.graph.check()?;
        Ok(results)
    }

    /// Walks back over the nodes, conditionals and loops of a context, and if `or_above` of those that it lies in.
    pub fn level(&mut self, level: Option<ContextId>, or_above: bool) -> Result<()> {
        let mut unit_of: HashMap<NodeId, Unit> = HashMap::new();
        {
            let state = self.graph.state();
            let contexts = &state.contexts;
            for id in self.data.ids().filter(|id| self.between[id.index()]) {
                let unit = contexts.unit(id, level, or_above).filter(|unit| match unit {
                    Unit::Node(id) if !or_above => !contexts.captures(*id) && !contexts.goes_around(*id, level),
                    _ => true,
                });
                unit_of.extend(unit.map(|unit| (id, unit)));
            }
        }
        let mut waiting: HashMap<Unit, WaitingUnit> = HashMap::new();
        for (id, unit) in &unit_of {
            let entry = waiting.entry(*unit).or_default();
            entry.position = entry.position.max(self.position[id.index()]);
            let producers = self.data.node(*id).inputs.iter().filter_map(|input| unit_of.get(&input.node));
            let producers: Vec<Unit> = producers.copied().filter(|producer| producer != unit).collect();
            entry.producers.extend(&producers);
            for producer in producers {
                waiting.entry(producer).or_default().consumers += 1;
            }
        }
        let is_ready = |(_, entry): &(&Unit, &WaitingUnit)| entry.consumers == 0;
        let mut ready: BinaryHeap<(usize, Unit)> =
            waiting.iter().filter(is_ready).map(|(unit, entry)| (entry.position, *unit)).collect();
        while let Some((_, unit)) = ready.pop() {
            match unit {
                Unit::Node(id) => self.pass(id)?,
                Unit::Cond(id) => self.pass_cond(id)?,
                Unit::Loop(id) => self.pass_loop(id)?,
            }
            for producer in waiting.remove(&unit).unwrap_or_default().producers {
                if let Some(entry) = waiting.get_mut(&producer) {
                    entry.consumers -= 1;
                    if entry.consumers == 0 {
                        ready.push((entry.position, producer));
                    }
                }
            }
        }
        Ok(())
    }

    pub fn is_between(&self, node: NodeId) -> bool {
        self.between.get(node.index()).copied().unwrap_or(false)
    }

    /// Hands a gradient to an output, if that is on the way.
    pub fn arrive(&mut self, endpoint: Endpoint, gradient: impl Into<Gradient>) {
        if self.is_between(endpoint.node) {
            self.arrived.entry(endpoint).or_default().push(gradient.into());
        }
    }

    /// Hands the gradients of a node's outputs on to its inputs.
    fn pass(&mut self, id: NodeId) -> Result<()> {
        let node = self.data.node(id).clone();
        let mut grads = Vec::with_capacity(node.output_types.len());
        for index in 0..node.output_types.len() {
            grads.push(self.total(Endpoint { node: id, index: index as u32 })?);
        }
        let wanted = node.inputs.iter().any(|input| self.between[input.node.index()]);
        if grads.iter().all(Option::is_none) || !wanted {
            return Ok(());
        }
        if self.graph.state().contexts.captures(id) {
            // The node brings a value in from outside of the loop or branch that gradients are computed in.
            if let (Some(gradient), Some(input)) = (grads.into_iter().flatten().next(), node.inputs.first()) {
                self.arrive(*input, gradient);
            }
            return Ok(());
        }
        let function = match node.spec.as_ref().map(|spec| spec.gradient) {
            Some(GradientRule::Function(function)) => function,
            Some(GradientRule::Zero) => return Ok(()),
            _ => bail!(InvalidArgument, "no gradient defined for operation '{}' (op type: {})", node.name, node.op),
        };
        let inputs = node.inputs.iter().map(|input| self.graph.endpoint(*input)).collect();
        let outputs = (0..node.output_types.len())
            .map(|index| self.graph.endpoint(Endpoint { node: id, index: index as u32 }))
            .collect();
        let scope = format!("{}_grad", node.name);
        let passed = self.graph.with_name_scope(&scope, |graph| {
            let cx = GradContext { graph, node: &node, inputs, outputs, grads };
            function(&cx)
        });
        let passed =
            passed.map_err(|status| status.context(format_args!("gradient of '{}' (op {})", node.name, node.op)))?;
        self.graph.check()?;
        ensure!(
            passed.len() == node.inputs.len(),
            Internal,
            "the gradient of op {} has {} entries for {} inputs",
            node.op,
            passed.len(),
            node.inputs.len()
        );
        for (input, gradient) in node.inputs.iter().zip(passed) {
            if let Some(gradient) = gradient {
                self.arrive(*input, gradient);
            }
        }
        Ok(())
    }

    /// The sum of all gradients that arrived at an output. It is computed once and then kept.
    pub fn total(&mut self, endpoint: Endpoint) -> Result<Option<Gradient>> {
        let Some(list) = self.arrived.get_mut(&endpoint) else { return Ok(None) };
        if list.len() > 1 {
            let total = add_up(self.graph, list);
            ensure!(
                !total.is_poisoned(),
                InvalidArgument,
                "gradients of {} cannot be added up",
                self.data.tensor_name(endpoint)
            );
            *list = vec![total];
        }
        Ok(list.first().cloned())
    }
}

/// A unit whose gradients are not complete before all that consume it have been walked over.
#[derive(Default)]
struct WaitingUnit {
    /// How many consumers have not been walked over.
    consumers: usize,
    /// What it consumes itself, once for each edge.
    producers: Vec<Unit>,
    /// Its last place in the order of the nodes: of those that are ready, the last comes first.
    position: usize,
}

/// What a loop keeps for its gradient is found again by a handle, so no edge would lead back to it.
fn refuse_second_order(graph: &Graph, from_xs: &[bool], to_ys: &[bool]) -> Result<()> {
    let state = graph.state();
    let some = |marked: &[bool], id| {
        state
            .data
            .ids()
            .zip(marked)
            .any(|(node, marked)| *marked && state.contexts.is_within(state.contexts.home(node), Some(id)))
    };
    for (backward, forward) in state.contexts.reversals() {
        ensure!(
            !some(to_ys, backward) || !some(from_xs, forward),
            Unimplemented,
            "second-order gradients of loops are not supported: the loop '{}' is the gradient of the loop '{}'",
            state.contexts.frame(backward),
            state.contexts.frame(forward)
        );
    }
    Ok(())
}

pub(crate) fn is_differentiable(dtype: DType) -> bool {
    dtype.is_floating() || dtype.is_complex()
}

/// Rows stay rows if all are; else everything becomes dense.
fn add_up(graph: &Graph, gradients: &[Gradient]) -> Gradient {
    let slices: Option<Vec<&IndexedSlices>> = gradients
        .iter()
        .map(|gradient| match gradient {
            Gradient::Slices(slices) => Some(slices),
            Gradient::Dense(_) => None,
        })
        .collect();
    match slices {
        Some(slices) => {
            let concat = |parts: Vec<Output>| {
                let axis = graph.constant(0i32);
                graph.op("ConcatV2").name("concat").input_list(&parts).input(axis).output()
            };
            Gradient::Slices(IndexedSlices {
                values: concat(slices.iter().map(|slices| slices.values.clone()).collect()),
                indices: concat(slices.iter().map(|slices| slices.indices.clone()).collect()),
                dense_shape: slices[0].dense_shape.clone(),
            })
        }
        None => {
            let parts: Vec<Output> = gradients.iter().map(Gradient::to_dense).collect();
            Gradient::Dense(graph.op("AddN").input_list(&parts).output())
        }
    }
}
