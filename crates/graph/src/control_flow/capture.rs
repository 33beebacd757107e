//! Values from outside of a context: how nodes inside come by them.

use tensor::{Result, Status, err};

use super::{ContextId, ContextKind, Contexts, history};
use crate::attr::{AttrValue, Attrs};
use crate::builder::{Graph, Output};
use crate::data::{Endpoint, GraphData, NodeId};
use crate::op::Role;

/// Replaces the inputs of a node, to be built in the current context with this full name, by what stands for them there.
///
/// # Errors
/// `InvalidArgument` if one is inside of a loop or branch that the node is not in.
pub(crate) fn local_inputs(graph: &Graph, name: &str, args: &mut [Vec<Output>]) -> Result<()> {
    let context = graph.state().contexts.current;
    for output in args.iter_mut().flatten() {
        if let Some(endpoint) = &mut output.endpoint {
            *endpoint = local(graph, context, *endpoint, name)?;
        }
    }
    Ok(())
}

/// Does the same to the nodes that a node waits for. One that would otherwise wait for nothing in its context is made to wait
/// for the context itself, so that it runs only if, and as often as, that does.
///
/// # Errors
/// As [`local_inputs`].
pub(crate) fn local_waits(
    graph: &Graph,
    name: &str,
    attrs: &Attrs,
    inputs: &[NodeId],
    waits: &mut Vec<NodeId>,
) -> Result<()> {
    let context = graph.state().contexts.current;
    for node in waits.iter_mut() {
        *node = local_wait(graph, context, *node, name)?;
    }
    let Some(context) = context else { return Ok(()) };
    let state = graph.state();
    let is_constant = |id: NodeId| is_constant_enter(&state.data, id);
    let bound = match &state.contexts.context(context).kind {
        ContextKind::Loop(_) => {
            inputs.iter().chain(waits.iter()).any(|id| !is_constant(*id))
                || attrs.get("is_constant") == Some(&AttrValue::Bool(true))
        }
        ContextKind::Branch(_) => {
            !inputs.is_empty()
                || waits.iter().any(|id| state.contexts.is_within(state.contexts.home(*id), Some(context)))
        }
    };
    if !bound {
        waits.extend(match &state.contexts.context(context).kind {
            ContextKind::Loop(looped) => looped.pivot,
            ContextKind::Branch(branch) => Some(branch.pivot),
        });
    }
    Ok(())
}

impl Graph {
    /// What stands for an output in the current context, brought in by nodes under the name `name`.
    pub(super) fn localized(&self, output: &Output, name: &str) -> Result<Output> {
        let context = self.state().contexts.current;
        match output.endpoint {
            Some(endpoint) => Ok(self.endpoint(local(self, context, endpoint, name)?)),
            None => Ok(output.clone()),
        }
    }
}

/// How a value gets into a context.
enum Way {
    /// It can be used as it is.
    Here(Endpoint),
    /// From the context outside of this one.
    From(ContextId, Option<ContextId>),
    /// It was computed in an iteration of a loop that this context goes back over.
    Kept(ContextId),
    Nowhere,
}

/// What stands for a value in a context.
pub(super) fn local(graph: &Graph, context: Option<ContextId>, value: Endpoint, name: &str) -> Result<Endpoint> {
    let way = {
        let state = graph.state();
        way(&state.contexts, &state.data, context, value)
    };
    match way {
        Way::Here(value) => Ok(value),
        Way::From(context, outer) => {
            let outside = local(graph, outer, value, name)?;
            let inside = bring_in(graph, context, outside, name)?;
            graph.state().contexts.context_mut(context).captured.insert(value, inside);
            Ok(inside)
        }
        Way::Kept(context) => {
            let inside = history::kept(graph, context, value, name)?;
            graph.state().contexts.context_mut(context).captured.insert(value, inside);
            Ok(inside)
        }
        Way::Nowhere => Err(outside(graph, value.node)),
    }
}

fn way(contexts: &Contexts, graph: &GraphData, context: Option<ContextId>, value: Endpoint) -> Way {
    let home = contexts.of_outputs(graph, value.node);
    if home == context {
        return Way::Here(value);
    }
    let Some(id) = context else { return Way::Nowhere };
    let here = contexts.context(id);
    if let Some(inside) = here.captured.get(&value) {
        return Way::Here(*inside);
    }
    if let Some(home) = home {
        match &here.kind {
            ContextKind::Loop(looped) if looped.reverses == Some(home) => return Way::Kept(id),
            ContextKind::Branch(branch) => {
                let together = contexts
                    .branch(home)
                    .is_some_and(|other| other.family == branch.family && other.taken_if == branch.taken_if);
                if together && contexts.loop_of(context) == contexts.loop_of(Some(home)) {
                    return Way::Here(value);
                }
                if together {
                    return Way::Kept(id);
                }
            }
            ContextKind::Loop(_) => {}
        }
    }
    Way::From(id, here.outer)
}

/// Brings a value of the surrounding context into one.
pub(super) fn bring_in(graph: &Graph, context: ContextId, outside: Endpoint, name: &str) -> Result<Endpoint> {
    let outside = graph.endpoint(outside);
    let (outer, way_in) = {
        let state = graph.state();
        let here = state.contexts.context(context);
        let way_in = match &here.kind {
            ContextKind::Loop(looped) => Err((looped.frame.clone(), looped.parallel_iterations)),
            ContextKind::Branch(branch) => Ok((branch.pred, branch.taken_if)),
        };
        (here.outer, way_in)
    };
    let is_ref = outside.is_ref();
    let unique = |op: &str| graph.state().scopes.unique(&format!("{name}/{op}"));
    graph.only_in_context(outer, |graph| match way_in {
        Err((frame, parallel_iterations)) => {
            let enter = graph
                .op(if is_ref { "RefEnter" } else { "Enter" })
                .name_exactly(unique("Enter"))
                .input(&outside)
                .attr("frame_name", frame)
                .attr("is_constant", true)
                .attr("parallel_iterations", parallel_iterations);
            first(enter.inside(context).unlocalized().try_build()?.output(0))
        }
        // A switch shares the device of its value, whatever the scopes say that the node is built in.
        Ok((pred, taken_if)) => graph.without_colocation(|graph| {
            let switch = graph
                .op(if is_ref { "RefSwitch" } else { "Switch" })
                .name_exactly(unique("Switch"))
                .input(&outside)
                .input(graph.endpoint(pred))
                .colocate_with(&outside.operation());
            first(switch.inside(context).unlocalized().try_build()?.output(taken_if as usize))
        }),
    })
}

pub(super) fn first(output: Output) -> Result<Endpoint> {
    output.endpoint.ok_or_else(|| err!(Internal, "a node that was built has no outputs"))
}

/// What to wait for in a context so that a node has run.
fn local_wait(graph: &Graph, context: Option<ContextId>, node: NodeId, name: &str) -> Result<NodeId> {
    let outer = {
        let state = graph.state();
        let home = state.contexts.of_outputs(&state.data, node);
        let contexts = &state.contexts;
        if contexts.loop_of(home) == contexts.loop_of(context) {
            return Ok(node);
        }
        let Some(id) = context else {
            drop(state);
            return Err(outside(graph, node));
        };
        if let Some(gate) = contexts.context(id).gates.get(&node) {
            return Ok(*gate);
        }
        if !contexts.is_within(context, home) {
            drop(state);
            return Err(outside(graph, node));
        }
        home
    };
    // A constant that comes after the node is brought in.
    let done = graph.only_in_context(outer, |graph| {
        let value = tensor::Tensor::from(true);
        let name = graph.state().scopes.unique(&format!("{name}/after"));
        graph
            .op("Const")
            .name_exactly(name)
            .attr("dtype", value.dtype())
            .attr("value", value)
            .control_inputs(&[graph.node(node)])
            .try_build()
    })?;
    let gate = local(graph, context, first(done.output(0))?, name)?.node;
    if let Some(id) = context {
        graph.state().contexts.context_mut(id).gates.insert(node, gate);
    }
    Ok(gate)
}

pub(super) fn is_constant_enter(graph: &GraphData, id: NodeId) -> bool {
    let node = graph.node(id);
    node.role() == Role::Enter && node.attrs.get("is_constant") == Some(&AttrValue::Bool(true))
}

/// Something of a loop or branch is used where that is not.
fn outside(graph: &Graph, node: NodeId) -> Status {
    let state = graph.state();
    let name = &state.data.node(node).name;
    let place = state.contexts.of_outputs(&state.data, node).map(|home| match &state.contexts.context(home).kind {
        ContextKind::Loop(looped) => format!("the loop '{}'", looped.frame),
        ContextKind::Branch(branch) => {
            let pred = state.data.tensor_name(branch.pred);
            format!("the branch for {pred} being {}", branch.taken_if)
        }
    });
    let place = place.unwrap_or_else(|| "a loop".to_owned());
    err!(InvalidArgument, "'{name}' is inside of {place} and cannot be used outside of it; let that return it")
}
