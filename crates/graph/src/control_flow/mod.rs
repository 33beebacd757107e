//! Control flow while building: the branches of conditionals and the bodies of loops, as contexts that nodes are built in.
//!
//! A node that is built in a context and uses a value from outside gets it through a `Switch` of the predicate (in a branch)
//! or a constant `Enter` (in a loop); what it waits for outside comes in the same way. The nodes are those of TensorFlow's
//! control flow v1. Graphs that were imported have no contexts; their loops are found again when gradients are asked for
//! (`recover.rs`).

mod capture;
mod cond;
mod gradient;
mod history;
mod recover;
mod while_loop;

use std::collections::HashMap;

pub use cond::{cond, cond_as};
pub use while_loop::{WhileLoop, while_loop};

pub(crate) use capture::{local_inputs, local_waits};

use crate::builder::{Graph, Output};
use crate::data::{Endpoint, GraphData, NodeId};
use crate::op::Role;

/// A context's number in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct ContextId(u32);

/// All contexts of a graph, and which nodes are in them.
#[derive(Clone, Default)]
pub(crate) struct Contexts {
    all: Vec<Context>,
    conds: Vec<Cond>,
    /// The context that nodes are built in now.
    pub current: Option<ContextId>,
    home: HashMap<NodeId, ContextId>,
    /// Nodes that bring the branches of a conditional together.
    merges: HashMap<NodeId, CondId>,
    /// Values that loops keep for their gradients.
    kept: Vec<Kept>,
}

/// A value of a loop's iterations, and what takes it off its stack again in the iterations of the loop that goes back over them.
#[derive(Clone, Copy)]
pub(crate) struct Kept {
    pub value: Endpoint,
    pub pop: NodeId,
    /// Whether both are in the loops themselves, of which neither is in another or in a branch.
    pub plain: bool,
}

#[derive(Clone)]
struct Context {
    outer: Option<ContextId>,
    kind: ContextKind,
    /// What has been brought in, by what it is outside.
    captured: HashMap<Endpoint, Endpoint>,
    /// Nodes inside that come after a node outside.
    gates: HashMap<NodeId, NodeId>,
}

#[derive(Clone)]
enum ContextKind {
    Branch(Branch),
    Loop(Loop),
}

/// A conditional's number in its graph.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct CondId(u32);

#[derive(Clone)]
struct Cond {
    /// What runs if the predicate is false, and if it is true.
    branches: [ContextId; 2],
    merges: Vec<NodeId>,
}

#[derive(Clone)]
struct Branch {
    cond: CondId,
    /// The conditional of the program that this one belongs to: itself, or the one whose gradient it is. Branches of one
    /// family run together, so the one may use the values of the other.
    family: CondId,
    pred: Endpoint,
    taken_if: bool,
    /// Runs only if the branch does.
    pivot: NodeId,
}

#[derive(Clone)]
struct Loop {
    frame: String,
    parallel_iterations: i64,
    /// Runs in each iteration: first a `Merge`, then something of the body.
    pivot: Option<NodeId>,
    vars: Vec<LoopVar>,
    counter: Option<history::Counter>,
    /// The loop whose iterations this one goes back over.
    reverses: Option<ContextId>,
    /// Runs after everything that an iteration keeps for the gradient, or takes of it.
    sync: Option<NodeId>,
}

/// The nodes that a loop variable goes through.
#[derive(Clone, Copy)]
struct LoopVar {
    enter: NodeId,
    merge: NodeId,
    switch: NodeId,
    next: NodeId,
    exit: NodeId,
}

/// What a walk over the nodes of one context sees: its nodes, and whole conditionals and loops.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Unit {
    Node(NodeId),
    Cond(CondId),
    Loop(ContextId),
}

impl Contexts {
    pub fn is_empty(&self) -> bool {
        self.all.is_empty()
    }

    pub fn put(&mut self, node: NodeId, context: ContextId) {
        self.home.insert(node, context);
    }

    pub fn home(&self, node: NodeId) -> Option<ContextId> {
        self.home.get(&node).copied()
    }

    /// The context that a node's outputs are in.
    pub fn of_outputs(&self, graph: &GraphData, node: NodeId) -> Option<ContextId> {
        let home = self.home(node)?;
        if graph.node(node).role() == Role::Exit { self.outer(home) } else { Some(home) }
    }

    /// Whether `context` is `outside` or lies in it.
    pub fn is_within(&self, mut context: Option<ContextId>, outside: Option<ContextId>) -> bool {
        loop {
            match context {
                _ if context == outside => return true,
                None => return false,
                Some(id) => context = self.outer(id),
            }
        }
    }

    /// The unit that a node belongs to for a walk over `level`; if `or_above`, also over what that lies in.
    pub fn unit(&self, node: NodeId, level: Option<ContextId>, or_above: bool) -> Option<Unit> {
        let (mut unit, mut here) = match self.merges.get(&node) {
            Some(cond) => (Unit::Cond(*cond), self.outer(self.conds[cond.0 as usize].branches[0])),
            None => (Unit::Node(node), self.home(node)),
        };
        loop {
            if here == level || (or_above && self.is_within(level, here)) {
                return Some(unit);
            }
            let id = here?;
            unit = match &self.context(id).kind {
                ContextKind::Branch(branch) => Unit::Cond(branch.cond),
                ContextKind::Loop(_) => Unit::Loop(id),
            };
            here = self.outer(id);
        }
    }

    /// Whether a node does no more than to bring something into its context.
    pub fn captures(&self, node: NodeId) -> bool {
        let Some(home) = self.home(node) else { return false };
        self.context(home).captured.values().any(|inside| inside.node == node)
    }

    /// Whether the gradient of a loop makes this node's: it is on a variable's way around.
    pub fn goes_around(&self, node: NodeId, level: Option<ContextId>) -> bool {
        let Some(looped) = level.and_then(|id| self.looped(id)) else { return false };
        looped.vars.iter().any(|var| [var.enter, var.merge, var.switch, var.next, var.exit].contains(&node))
    }

    /// The values that loops keep for their gradients.
    pub fn kept(&self) -> &[Kept] {
        &self.kept
    }

    /// The name of the frame of the loop that a node is in.
    pub fn frame_of(&self, node: NodeId) -> &str {
        let looped = self.loop_of(self.home(node)).and_then(|id| self.looped(id));
        looped.map_or("", |looped| &looped.frame)
    }

    fn context(&self, id: ContextId) -> &Context {
        &self.all[id.0 as usize]
    }

    fn context_mut(&mut self, id: ContextId) -> &mut Context {
        &mut self.all[id.0 as usize]
    }

    fn outer(&self, id: ContextId) -> Option<ContextId> {
        self.context(id).outer
    }

    fn looped(&self, id: ContextId) -> Option<&Loop> {
        match &self.context(id).kind {
            ContextKind::Loop(looped) => Some(looped),
            ContextKind::Branch(_) => None,
        }
    }

    fn looped_mut(&mut self, id: ContextId) -> Option<&mut Loop> {
        match &mut self.context_mut(id).kind {
            ContextKind::Loop(looped) => Some(looped),
            ContextKind::Branch(_) => None,
        }
    }

    fn branch(&self, id: ContextId) -> Option<&Branch> {
        match &self.context(id).kind {
            ContextKind::Branch(branch) => Some(branch),
            ContextKind::Loop(_) => None,
        }
    }

    /// The innermost loop that a context is in.
    fn loop_of(&self, mut context: Option<ContextId>) -> Option<ContextId> {
        while let Some(id) = context {
            if self.looped(id).is_some() {
                break;
            }
            context = self.outer(id);
        }
        context
    }

    /// What lies around the outermost of the loops that are gone back over together with `forward`.
    fn around_reversed(&self, mut backward: ContextId, mut forward: ContextId) -> Option<ContextId> {
        loop {
            let outer = self.loop_of(self.outer(backward)).and_then(|id| Some((id, self.looped(id)?.reverses?)));
            match outer {
                Some(outer) => (backward, forward) = outer,
                None => return self.outer(forward),
            }
        }
    }

    fn add(&mut self, outer: Option<ContextId>, kind: ContextKind) -> ContextId {
        let id = ContextId(self.all.len() as u32);
        self.all.push(Context { outer, kind, captured: HashMap::new(), gates: HashMap::new() });
        id
    }
}

impl Graph {
    /// Builds in a context, with the scopes of control dependencies that there are.
    fn with_context<R>(&self, context: Option<ContextId>, build: impl FnOnce(&Graph) -> R) -> R {
        let before = std::mem::replace(&mut self.state().contexts.current, context);
        let result = build(self);
        self.state().contexts.current = before;
        result
    }

    /// Builds in a context, whatever scopes of control dependencies there are.
    fn only_in_context<R>(&self, context: Option<ContextId>, build: impl FnOnce(&Graph) -> R) -> R {
        self.without_control_dependencies(|graph| graph.with_context(context, build))
    }

    /// Makes a node that was built before wait for another one.
    fn add_wait(&self, node: NodeId, waits_for: NodeId) {
        let mut state = self.state();
        let waits = &mut state.data.node_mut(node).control_inputs;
        if !waits.contains(&waits_for) {
            waits.push(waits_for);
        }
    }

    /// Closes a loop: `merge` takes what comes around as its second input.
    fn close_loop(&self, merge: NodeId, next: &Output) {
        if let Some(next) = next.endpoint
            && let Some(second) = self.state().data.node_mut(merge).inputs.get_mut(1)
        {
            *second = next;
        }
    }
}
