//! The walk back from `ys` to `xs`: for every node on the way, the nodes of its gradient are added.

use std::collections::{BinaryHeap, HashMap, HashSet, VecDeque};

use tensor::{DType, Result, bail, ensure};

use crate::builder::{Graph, Output};
use crate::control_flow::{ContextId, Kept, Unit};
use crate::data::{Endpoint, GraphData, NodeId};
use crate::gradient_style::{GradientStyle, add_up_there, gated};
use crate::gradients::{Gradient, IndexedSlices, is_differentiable, missing};
use crate::op::{GradContext, GradientRule};

pub(crate) struct Walk<'a> {
    pub graph: &'a Graph,
    pub data: GraphData,
    /// Nodes on some way from an x to a y.
    between: Vec<bool>,
    /// Where each node is in an order in which nodes come after those that they depend on.
    position: Vec<usize>,
    /// Gradients that have arrived, by the output they belong to.
    arrived: HashMap<Endpoint, Vec<Gradient>>,
    /// Nodes that no gradient goes through.
    stops: HashSet<NodeId>,
    /// The nodes whose gradients are asked for, in the order in which they were named.
    starts: Vec<NodeId>,
    /// Whose nodes are built.
    style: GradientStyle,
    /// The values that loops kept, by what takes them off their stacks, as far as gradients go that way.
    kept: HashMap<NodeId, Endpoint>,
    /// Gradients of such values, which loops that go back over those that go back have left on stacks.
    pub returned: Vec<Returned>,
}

/// The units whose turn may come: the last of the graph first, or, as in TensorFlow, the one that has been ready for longest.
enum Ready {
    Last(BinaryHeap<(usize, Unit)>),
    Longest(VecDeque<Unit>),
}

impl Ready {
    fn push(&mut self, position: usize, unit: Unit) {
        match self {
            Ready::Last(heap) => heap.push((position, unit)),
            Ready::Longest(queue) => queue.push_back(unit),
        }
    }

    fn pop(&mut self) -> Option<Unit> {
        match self {
            Ready::Last(heap) => heap.pop().map(|(_, unit)| unit),
            Ready::Longest(queue) => queue.pop_front(),
        }
    }
}

/// The gradients of a value in each iteration of its loop, on a stack.
pub(crate) struct Returned {
    pub value: Endpoint,
    /// What is put there.
    pub gradient: Endpoint,
    pub stack: Output,
    /// Runs when all are there.
    pub after: NodeId,
}

/// What a unit of the walk waits for, and what waits for it.
#[derive(Default)]
struct Waiting {
    /// How many edges lead to units that have not had their turn yet.
    consumers: usize,
    /// The units that this one takes values from, once for each edge.
    producers: Vec<Unit>,
    /// The last place of its nodes in the order of the graph.
    position: usize,
}

impl<'a> Walk<'a> {
    pub fn new(
        graph: &'a Graph,
        ys: &[Output],
        dys: &[Output],
        xs: &[Output],
        stops: &[Output],
        style: GradientStyle,
    ) -> Result<Walk<'a>> {
        graph.recover_loops()?;
        let data = graph.snapshot()?;
        let endpoint = |output: &Output| output.endpoint().ok_or_else(missing);
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
        let kept: HashMap<NodeId, Endpoint> = {
            let state = graph.state();
            let differentiable = |kept: &&Kept| is_differentiable(data.node(kept.pop).output_types[0].dtype);
            state.contexts.kept().iter().filter(differentiable).map(|kept| (kept.pop, kept.value)).collect()
        };
        let mut taken: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
        for (pop, value) in &kept {
            taken.entry(value.node).or_default().push(*pop);
        }
        let consumers = data.consumers();
        let mut from_xs = vec![false; data.len()];
        let mut stack: Vec<NodeId> = xs.iter().map(|x| Ok(endpoint(x)?.node)).collect::<Result<_>>()?;
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut from_xs[id.index()], true) {
                let reached = consumers[id.index()].iter().filter(|consumer| {
                    // What follows from a shape does not follow from the numbers, and TensorFlow stops there.
                    !style.is_tensorflow()
                        || data.node(**consumer).inputs.iter().any(|input| carries(&data, *input, id))
                });
                stack.extend(reached);
                stack.extend(taken.get(&id).into_iter().flatten());
            }
        }
        let mut to_ys = vec![false; data.len()];
        let mut arrived: HashMap<Endpoint, Vec<Gradient>> = HashMap::new();
        let mut stack = Vec::new();
        for (y, dy) in ys.iter().zip(dys) {
            let y_endpoint = endpoint(y)?;
            arrived.entry(y_endpoint).or_default().push(Gradient::Dense(dy.clone()));
            stack.push(y_endpoint.node);
        }
        let starts = stack.clone();
        let stops = stops.iter().map(|stop| Ok(endpoint(stop)?.node)).collect::<Result<_>>()?;
        while let Some(id) = stack.pop() {
            if !std::mem::replace(&mut to_ys[id.index()], true) {
                stack.extend(data.node(id).inputs.iter().map(|input| input.node));
                stack.extend(kept.get(&id).map(|value| value.node));
            }
        }
        refuse_nested(graph, &from_xs, &to_ys)?;
        let between = from_xs.iter().zip(&to_ys).map(|(a, b)| *a && *b).collect();
        let mut position = vec![0; data.len()];
        for (place, id) in data.topological_order()?.iter().enumerate() {
            position[id.index()] = place;
        }
        Ok(Walk { graph, data, between, position, arrived, stops, starts, style, kept, returned: Vec::new() })
    }

    pub fn run(mut self, xs: &[Output]) -> Result<Vec<Option<Gradient>>> {
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
        let mut waiting: HashMap<Unit, Waiting> = HashMap::new();
        for id in self.data.ids() {
            let Some(unit) = unit_of.get(&id) else { continue };
            let entry = waiting.entry(*unit).or_default();
            entry.position = entry.position.max(self.position[id.index()]);
            let inputs = self.data.node(id).inputs.iter().chain(self.kept.get(&id));
            let producers = inputs.filter_map(|input| unit_of.get(&input.node));
            let producers: Vec<Unit> = producers.copied().filter(|producer| producer != unit).collect();
            entry.producers.extend(&producers);
            for producer in producers {
                waiting.entry(producer).or_default().consumers += 1;
            }
        }
        let mut ready = self.first_ready(&waiting, &unit_of);
        while let Some(unit) = ready.pop() {
            match unit {
                Unit::Node(id) => self.pass(id)?,
                Unit::Cond(id) => self.pass_cond(id)?,
                Unit::Loop(id) => self.pass_loop(id)?,
            }
            let producers = waiting.get_mut(&unit).map(|entry| std::mem::take(&mut entry.producers));
            for producer in producers.unwrap_or_default() {
                if let Some(entry) = waiting.get_mut(&producer) {
                    entry.consumers -= 1;
                    if entry.consumers == 0 {
                        ready.push(entry.position, producer);
                    }
                }
            }
        }
        Ok(())
    }

    /// The units that wait for no other.
    fn first_ready(&self, waiting: &HashMap<Unit, Waiting>, unit_of: &HashMap<NodeId, Unit>) -> Ready {
        let free = |unit: &Unit| waiting.get(unit).is_some_and(|entry| entry.consumers == 0);
        let mut first: Vec<(usize, Unit)> = waiting.iter().map(|(unit, entry)| (entry.position, *unit)).collect();
        first.retain(|(_, unit)| free(unit));
        if !self.style.is_tensorflow() {
            return Ready::Last(first.into());
        }
        // Those that the program named come in its order; inside of a loop or branch there are others.
        first.sort_by(|a, b| b.cmp(a));
        let mut order: Vec<Unit> = self.starts.iter().filter_map(|id| unit_of.get(id).copied()).filter(free).collect();
        order.extend(first.into_iter().map(|(_, unit)| unit));
        let mut seen = HashSet::new();
        order.retain(|unit| seen.insert(*unit));
        Ready::Longest(order.into())
    }

    /// Takes the gradients that were left for values of these contexts.
    pub fn take_returned(&mut self, wanted: impl Fn(Option<ContextId>) -> bool) -> Vec<Returned> {
        let state = self.graph.state();
        let (taken, left) = std::mem::take(&mut self.returned)
            .into_iter()
            .partition(|returned| wanted(state.contexts.of_outputs(&state.data, returned.value.node)));
        drop(state);
        self.returned = left;
        taken
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
        if !self.style.colocates() {
            return self.pass_here(id);
        }
        let graph = self.graph;
        graph.with_colocation(&graph.node(id), |_| self.pass_here(id))
    }

    fn pass_here(&mut self, id: NodeId) -> Result<()> {
        let node = self.data.node(id).clone();
        let mut grads = Vec::with_capacity(node.output_types.len());
        for index in 0..node.output_types.len() {
            grads.push(self.total(Endpoint { node: id, index: index as u32 })?);
        }
        let wanted = node.inputs.iter().any(|input| self.between[input.node.index()]);
        if grads.iter().all(Option::is_none) || !wanted || self.stops.contains(&id) {
            return Ok(());
        }
        if self.graph.state().contexts.captures(id) {
            // The node brings a value in from outside of the loop or branch that gradients are computed in.
            if let (Some(gradient), Some(input)) = (grads.into_iter().flatten().next(), node.inputs.first()) {
                self.arrive(*input, gradient);
            }
            return Ok(());
        }
        let own = match node.spec.as_ref().map(|spec| spec.gradient) {
            Some(GradientRule::Function(function)) => function,
            Some(GradientRule::Zero) => return Ok(()),
            _ => bail!(InvalidArgument, "no gradient defined for operation '{}' (op type: {})", node.name, node.op),
        };
        let theirs = self.graph.registry().tensorflow_gradient(&node.op).filter(|_| self.style.is_tensorflow());
        let function = theirs.unwrap_or(own);
        let inputs = node.inputs.iter().map(|input| self.graph.endpoint(*input)).collect();
        let outputs: Vec<Output> = (0..node.output_types.len())
            .map(|index| self.graph.endpoint(Endpoint { node: id, index: index as u32 }))
            .collect();
        let zeros = self.zeros(&node.op, &outputs, &grads);
        let scope = format!("{}_grad", node.name);
        let passed = self.graph.with_name_scope(&scope, |graph| -> Result<Vec<Option<Gradient>>> {
            let cx = GradContext { graph, node: &node, inputs, outputs, grads, zeros };
            let passed = function(&cx)?;
            Ok(if self.style.gates() { gated(graph, passed) } else { passed })
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
        for ((input, gradient), ty) in node.inputs.iter().zip(passed).zip(&node.input_types) {
            let Some(gradient) = gradient else { continue };
            if let (Gradient::Dense(output), true) =
                (&gradient, self.style.is_tensorflow() && is_differentiable(ty.dtype))
            {
                output.set_shape(self.graph.endpoint(*input).shape());
                self.graph.check()?;
            }
            self.arrive(*input, gradient);
        }
        Ok(())
    }

    /// What TensorFlow gives to a gradient's function for outputs that no gradient arrived at.
    fn zeros(&self, op: &str, outputs: &[Output], grads: &[Option<Gradient>]) -> Vec<Option<Output>> {
        let wanted = |output: &Output| output.dtype().is_some_and(is_differentiable);
        let made = outputs.iter().zip(grads).map(|(output, gradient)| {
            let missing = self.style.is_tensorflow() && gradient.is_none() && op != "IdentityN" && wanted(output);
            missing.then(|| self.graph.op("ZerosLike").name("zeros_like").input(output).output())
        });
        made.collect()
    }

    /// The sum of all gradients that arrived at an output. It is computed once and then kept.
    pub fn total(&mut self, endpoint: Endpoint) -> Result<Option<Gradient>> {
        let Some(list) = self.arrived.get_mut(&endpoint) else { return Ok(None) };
        if list.len() > 1 {
            let total =
                if self.style.is_tensorflow() { add_up_there(self.graph, list) } else { add_up(self.graph, list) };
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

/// Whether this is an output of the node that a gradient can go through.
fn carries(data: &GraphData, output: Endpoint, node: NodeId) -> bool {
    let dtype = data.value_type(output).map(|value| value.dtype);
    let passes = |dtype| is_differentiable(dtype) || matches!(dtype, DType::Resource | DType::Variant);
    output.node == node && dtype.is_some_and(passes)
}

/// Gradients of the gradient of a loop go through what that keeps; within loops and branches there is no way for them, nor for the
/// gradients of those.
fn refuse_nested(graph: &Graph, from_xs: &[bool], to_ys: &[bool]) -> Result<()> {
    let state = graph.state();
    for kept in state.contexts.kept() {
        let known = |marked: &[bool], id: NodeId| marked.get(id.index()).copied().unwrap_or(false);
        ensure!(
            kept.plain || !known(from_xs, kept.value.node) || !known(to_ys, kept.pop),
            Unimplemented,
            "second-order gradients of loops within loops or with branches, and third-order ones of any loops, are not supported: \
             the loop '{}' is the gradient of the loop '{}'",
            state.contexts.frame_of(kept.pop),
            state.contexts.frame_of(kept.value.node)
        );
    }
    Ok(())
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
