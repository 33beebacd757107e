//! The loops of graphs that were imported: found again by their nodes, so that they have gradients.
//!
//! A frame is a loop; what its constant `Enter`s bring in was captured. Nodes are in the innermost loop of the values that they take.
//! Conditionals need no context for their gradients, as long as they and loops do not lie in each other; graphs where they do are left as
//! they are, and their loops have no gradients.

use std::collections::HashMap;

use tensor::{Result, bail};

use super::capture::is_constant_enter;
use super::{ContextId, ContextKind, Contexts, Loop, LoopVar};
use crate::attr::ReadAttrs;
use crate::builder::Graph;
use crate::data::{Endpoint, GraphData, NodeId};
use crate::op::Role;

/// What has been found so far.
struct Finder<'a> {
    data: &'a GraphData,
    contexts: Contexts,
    loops: HashMap<(Option<ContextId>, String), ContextId>,
    /// By node, whether it runs in one branch only of an imported conditional.
    conditional: Vec<bool>,
    /// Whether a loop lies in a branch or has branches.
    is_mixed: bool,
}

impl Graph {
    /// Finds the loops of nodes that were not built in any.
    pub(crate) fn recover_loops(&self) -> Result<()> {
        let data = self.snapshot()?;
        {
            let mut state = self.state();
            let is_unknown = |id: NodeId| data.node(id).role() == Role::Enter && state.contexts.home(id).is_none();
            if !data.ids().any(is_unknown) {
                return Ok(());
            }
            let mut finder = Finder {
                data: &data,
                contexts: state.contexts.clone(),
                loops: HashMap::new(),
                conditional: vec![false; data.len()],
                is_mixed: false,
            };
            for id in data.topological_order()? {
                finder.place(id)?;
            }
            if finder.is_mixed {
                return Ok(());
            }
            state.contexts = finder.contexts;
        }
        let missing = self.find_loop_vars(&data)?;
        for (context, switch) in missing {
            // Nobody took the last value of this variable; its gradient needs a place to begin.
            self.only_in_context(Some(context), |graph| {
                graph.op("Exit").input(graph.endpoint(Endpoint { node: switch, index: 0 })).try_build()
            })?;
        }
        let data = self.snapshot()?;
        let missing = self.find_loop_vars(&data)?;
        match missing.first() {
            None => Ok(()),
            Some((_, switch)) => bail!(Internal, "the loop of '{}' has no end", data.node(*switch).name),
        }
    }

    /// Notes the variables of loops that have none yet; returns the switches of those that nothing leaves by.
    fn find_loop_vars(&self, data: &GraphData) -> Result<Vec<(ContextId, NodeId)>> {
        let mut state = self.state();
        let contexts = &mut state.contexts;
        let consumers = data.consumers();
        let mut missing = Vec::new();
        let mut found: HashMap<ContextId, Vec<LoopVar>> = HashMap::new();
        for merge in data.ids().filter(|id| data.node(*id).role() == Role::Merge) {
            let Some(context) =
                contexts.home(merge).filter(|id| contexts.looped(*id).is_some_and(|l| l.vars.is_empty()))
            else {
                continue;
            };
            let inputs = &data.node(merge).inputs;
            let of_role = |role: Role| inputs.iter().map(|input| input.node).find(|id| data.node(*id).role() == role);
            let (Some(enter), Some(next)) = (of_role(Role::Enter), of_role(Role::NextIteration)) else { continue };
            let switch = consumers[merge.index()].iter().copied().find(|id| leads_on(data, *id, merge));
            let Some(switch) = switch else { continue };
            let leaves = |id: &NodeId| data.node(*id).role() == Role::Exit;
            match consumers[switch.index()].iter().copied().find(leaves) {
                Some(exit) => found.entry(context).or_default().push(LoopVar { enter, merge, switch, next, exit }),
                None => missing.push((context, switch)),
            }
        }
        if !missing.is_empty() {
            return Ok(missing);
        }
        for (context, mut vars) in found {
            vars.sort_by_key(|var| var.merge);
            let pivot = vars.iter().find_map(|var| {
                let inside = |id: &&NodeId| data.node(**id).inputs.contains(&Endpoint { node: var.switch, index: 1 });
                consumers[var.switch.index()].iter().find(inside).copied()
            });
            if let Some(looped) = contexts.looped_mut(context) {
                looped.pivot = pivot.or(vars.first().map(|var| var.merge));
                looped.vars = vars;
            }
        }
        Ok(missing)
    }
}

impl Contexts {
    fn depth(&self, mut context: Option<ContextId>) -> usize {
        let mut depth = 0;
        while let Some(id) = context {
            depth += 1;
            context = self.outer(id);
        }
        depth
    }
}

impl Finder<'_> {
    /// Finds the loop of a node whose inputs have theirs.
    fn place(&mut self, id: NodeId) -> Result<()> {
        if self.contexts.home(id).is_some() {
            return Ok(());
        }
        let node = self.data.node(id);
        let comes_around = |producer: NodeId| self.data.node(producer).role() == Role::NextIteration;
        let producers: Vec<NodeId> = node.inputs.iter().map(|input| input.node).collect();
        let forward = producers.iter().copied().filter(|producer| !comes_around(*producer));
        let (mut here, mut is_conditional) = (None, is_branching(self.data, id));
        for producer in forward.chain(node.control_inputs.iter().copied()) {
            let context = self.contexts.of_outputs(self.data, producer);
            if self.contexts.depth(context) > self.contexts.depth(here) {
                here = context;
            }
            is_conditional |= self.conditional[producer.index()];
        }
        let joins = node.role() == Role::Merge && !producers.iter().any(|producer| comes_around(*producer));
        self.conditional[id.index()] = is_conditional && !joins;
        self.is_mixed |= is_conditional && (here.is_some() || node.role() == Role::Enter);
        if node.role() == Role::Enter {
            let context = self.enter(id, here)?;
            self.contexts.put(id, context);
            if is_constant_enter(self.data, id) {
                let inside = Endpoint { node: id, index: 0 };
                self.contexts.context_mut(context).captured.insert(node.inputs[0], inside);
            }
        } else if let Some(here) = here {
            self.contexts.put(id, here);
        }
        Ok(())
    }

    fn enter(&mut self, id: NodeId, outer: Option<ContextId>) -> Result<ContextId> {
        let node = self.data.node(id);
        let frame = node.attr_str("frame_name")?.to_owned();
        if let Some(known) = self.loops.get(&(outer, frame.clone())) {
            return Ok(*known);
        }
        let looped = Loop {
            frame: frame.clone(),
            parallel_iterations: node.attr_int("parallel_iterations").unwrap_or(10),
            pivot: None,
            vars: Vec::new(),
            counter: None,
            reverses: None,
            sync: None,
        };
        let context = self.contexts.add(outer, ContextKind::Loop(looped));
        self.loops.insert((outer, frame), context);
        Ok(context)
    }
}

/// Whether a node leads into the branches of a conditional.
fn is_branching(data: &GraphData, id: NodeId) -> bool {
    let node = data.node(id);
    let of_loop = |pred: &Endpoint| data.node(pred.node).role() == Role::LoopCond;
    node.role() == Role::Switch && node.inputs.len() == 2 && !of_loop(&node.inputs[1])
}

/// Whether a node is the `Switch` of a loop's variable.
fn leads_on(data: &GraphData, id: NodeId, merge: NodeId) -> bool {
    let node = data.node(id);
    node.role() == Role::Switch
        && node.inputs.first().is_some_and(|value| value.node == merge)
        && node.inputs.get(1).is_some_and(|pred| data.node(pred.node).role() == Role::LoopCond)
}
