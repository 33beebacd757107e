//! Preparing a graph: nodes numbered within their frame, edges as flat lists, counts to start from.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;

use graph::op::Kernel;
use graph::{GraphData, Node, NodeId, ReadAttrs};
use parking_lot::Mutex;
use tensor::{Result, ensure, err};

use super::state::State;
use crate::KernelCache;

pub(super) struct Prepared {
    pub nodes: Vec<ExecNode>,
    pub frames: Vec<FramePlan>,
    /// Nodes that wait for nothing.
    pub roots: Vec<u32>,
    /// States of steps that have ended, for the next ones.
    spare: Mutex<Vec<State>>,
}

/// More steps than this at once are rare enough to make their states anew.
const SPARE_STATES: usize = 8;

impl Prepared {
    pub fn take_state(&self) -> State {
        match self.spare.lock().pop() {
            Some(state) => state,
            None => State::new(self),
        }
    }

    /// Keeps the state of a step that ended well.
    pub fn give_state(&self, mut state: State) {
        state.reset(self);
        let mut spare = self.spare.lock();
        if spare.len() < SPARE_STATES {
            spare.push(state);
        }
    }
}

pub(super) struct ExecNode {
    pub node: Arc<Node>,
    pub kernel: Kernel,
    pub kind: Kind,
    /// Its number in its frame.
    pub local: u32,
    /// Where its inputs lie among the slots of the frame.
    pub first_slot: u32,
    pub num_inputs: u32,
    pub num_outputs: u32,
    pub edges: Vec<Edge>,
    /// Which inputs are values that may arrive as references and must be read first.
    pub reads: bool,
    /// Whether references to variables without a value are fine.
    pub allows_uninitialized: bool,
    /// How long the kernel took lately, in nanoseconds.
    pub cost: AtomicU64,
}

/// How the executor treats a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Plain,
    /// Only passes control on: `NoOp`.
    Nothing,
    Switch,
    Merge,
    /// Into this frame.
    Enter {
        frame: u32,
        constant: bool,
    },
    Exit,
    NextIteration,
    /// Runs even when its inputs are dead: the other side must hear of it.
    Transfer,
    /// Fires even when what it waits for is dead.
    ControlTrigger,
}

pub(super) struct Edge {
    /// The output, or [`CONTROL`].
    pub output: u32,
    pub to: u32,
    /// The input's place among the slots of the target's frame.
    pub slot: u32,
}

pub(super) const CONTROL: u32 = u32::MAX;

/// A frame as the graph states it.
#[derive(Default)]
pub(super) struct FramePlan {
    pub name: String,
    pub num_slots: u32,
    /// What each node waits for at the beginning, by its number in the frame.
    pub pending: Vec<u32>,
    /// How many `Enter` nodes lead into the frame.
    pub num_enters: u32,
    pub parallel_iterations: u32,
}

impl Prepared {
    pub fn new(graph: &GraphData, cache: &KernelCache) -> Result<Prepared> {
        let order = graph.topological_order()?;
        let mut frames = FrameFinder::new(graph);
        frames.run(&order)?;
        let mut prepared = Prepared {
            nodes: Vec::with_capacity(graph.len()),
            frames: frames.plans,
            roots: Vec::new(),
            spare: Mutex::default(),
        };
        for id in graph.ids() {
            let node = graph.node(id);
            let kind = kind(node, frames.child[id.index()]);
            let frame = frames.frame[id.index()];
            let plan = &mut prepared.frames[frame as usize];
            let first_slot = plan.num_slots;
            plan.num_slots += node.inputs.len() as u32;
            let local = plan.pending.len() as u32;
            let pending = match kind {
                // The lowest bit says that no live input has come yet; control inputs count double.
                Kind::Merge => 1 + 2 * node.control_inputs.len() as u32,
                _ => (node.inputs.len() + node.control_inputs.len()) as u32,
            };
            plan.pending.push(pending);
            if pending == 0 {
                prepared.roots.push(id.0);
            }
            let reads =
                node.inputs.iter().zip(&node.input_types).any(|(input, wanted)| {
                    !wanted.is_ref && graph.value_type(*input).is_some_and(|given| given.is_ref)
                });
            prepared.nodes.push(ExecNode {
                kernel: cache.kernel(node)?,
                kind,
                local,
                first_slot,
                num_inputs: node.inputs.len() as u32,
                num_outputs: node.output_types.len() as u32,
                edges: Vec::new(),
                reads,
                allows_uninitialized: node.spec.as_ref().is_some_and(|spec| spec.def.allows_uninitialized_input),
                cost: AtomicU64::new(0),
                node: Arc::new(node.clone()),
            });
        }
        for id in graph.ids() {
            let node = graph.node(id);
            for (position, input) in node.inputs.iter().enumerate() {
                let slot = prepared.nodes[id.index()].first_slot + position as u32;
                prepared.nodes[input.node.index()].edges.push(Edge { output: input.index, to: id.0, slot });
            }
            for control in &node.control_inputs {
                prepared.nodes[control.index()].edges.push(Edge { output: CONTROL, to: id.0, slot: 0 });
            }
        }
        Ok(prepared)
    }
}

fn kind(node: &Node, child: Option<u32>) -> Kind {
    match node.op.as_str() {
        "Switch" | "RefSwitch" => Kind::Switch,
        "Merge" | "RefMerge" => Kind::Merge,
        "Enter" | "RefEnter" => {
            Kind::Enter { frame: child.unwrap_or(0), constant: node.attr_bool("is_constant").unwrap_or(false) }
        }
        "Exit" | "RefExit" => Kind::Exit,
        "NextIteration" | "RefNextIteration" => Kind::NextIteration,
        "_Send" | "_Recv" | "_HostSend" | "_HostRecv" => Kind::Transfer,
        "ControlTrigger" => Kind::ControlTrigger,
        "NoOp" => Kind::Nothing,
        _ => Kind::Plain,
    }
}

/// Finds out which frame each node is in: that of its inputs, one deeper behind `Enter`, one up behind `Exit`.
struct FrameFinder<'a> {
    graph: &'a GraphData,
    plans: Vec<FramePlan>,
    parents: Vec<u32>,
    frame: Vec<u32>,
    /// For `Enter` nodes, the frame they lead into.
    child: Vec<Option<u32>>,
    by_name: HashMap<(u32, String), u32>,
}

impl<'a> FrameFinder<'a> {
    fn new(graph: &'a GraphData) -> Self {
        let root = FramePlan { parallel_iterations: 1, ..Default::default() };
        FrameFinder {
            graph,
            plans: vec![root],
            parents: vec![0],
            frame: vec![0; graph.len()],
            child: vec![None; graph.len()],
            by_name: HashMap::new(),
        }
    }

    fn run(&mut self, order: &[NodeId]) -> Result<()> {
        for id in order {
            let node = self.graph.node(*id);
            let mut found: Option<u32> = None;
            let producers = node.inputs.iter().map(|input| input.node).chain(node.control_inputs.iter().copied());
            for producer in producers {
                if matches!(self.graph.node(producer).op.as_str(), "NextIteration" | "RefNextIteration") {
                    continue;
                }
                let frame = self.behind(producer).map_err(|status| status.at_node(&node.name))?;
                let agrees = found.is_none_or(|found| found == frame);
                ensure!(
                    agrees,
                    InvalidArgument,
                    "{{{{node {}}}}} has inputs from different frames: '{}' and '{}'",
                    node.name,
                    self.plans[found.unwrap_or(0) as usize].name,
                    self.plans[frame as usize].name
                );
                found = Some(frame);
            }
            self.frame[id.index()] = found.unwrap_or(0);
            if matches!(node.op.as_str(), "Enter" | "RefEnter") {
                self.enter(*id, node)?;
            }
        }
        self.check_back_edges()
    }

    /// What goes around a loop must stay in its frame.
    fn check_back_edges(&self) -> Result<()> {
        for id in self.graph.ids() {
            let node = self.graph.node(id);
            for producer in node.inputs.iter().map(|input| input.node).chain(node.control_inputs.iter().copied()) {
                let from = self.graph.node(producer);
                let closes = matches!(from.op.as_str(), "NextIteration" | "RefNextIteration");
                ensure!(
                    !closes || self.frame[producer.index()] == self.frame[id.index()],
                    InvalidArgument,
                    "{{{{node {}}}}} is in another frame than {}, whose next iteration it takes",
                    node.name,
                    from.name
                );
            }
        }
        Ok(())
    }

    /// The frame of what consumes a node's outputs.
    fn behind(&self, id: NodeId) -> Result<u32> {
        let frame = self.frame[id.index()];
        match self.graph.node(id).op.as_str() {
            "Enter" | "RefEnter" => Ok(self.child[id.index()].unwrap_or(0)),
            "Exit" | "RefExit" => {
                ensure!(
                    frame != 0,
                    InvalidArgument,
                    "node '{}' leaves a frame, but is in none",
                    self.graph.node(id).name
                );
                Ok(self.parents[frame as usize])
            }
            _ => Ok(frame),
        }
    }

    fn enter(&mut self, id: NodeId, node: &Node) -> Result<()> {
        let name = node.attr_str("frame_name").map_err(|status| status.at_node(&node.name))?.to_owned();
        let parallel = node.attr_int("parallel_iterations").unwrap_or(10);
        let parallel_iterations = u32::try_from(parallel).ok().filter(|count| *count > 0);
        let parallel_iterations = parallel_iterations.ok_or_else(|| {
            err!(InvalidArgument, "parallel_iterations is {parallel}, which is not positive").at_node(&node.name)
        })?;
        let parent = self.frame[id.index()];
        let next = self.plans.len() as u32;
        let frame = *self.by_name.entry((parent, name.clone())).or_insert(next);
        if frame == next {
            self.plans.push(FramePlan { name, parallel_iterations, ..Default::default() });
            self.parents.push(parent);
        }
        self.plans[frame as usize].num_enters += 1;
        self.child[id.index()] = Some(frame);
        Ok(())
    }
}
