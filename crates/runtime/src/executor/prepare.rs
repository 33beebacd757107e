//! Preparing a graph: nodes numbered within their frame, edges as flat lists, counts to start from.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use graph::op::{Kernel, Role, place};
use graph::{GraphData, Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{Result, Tensor};

use super::loops::straighten;
use super::state::StepState;
use super::straight::Straight;
use super::waiting::WaitingRuns;
use crate::KernelCache;
use crate::frames::{Frame, Frames};
use crate::moments::SPANS;

pub(super) struct Prepared {
    pub nodes: Vec<ExecNode>,
    pub frames: Vec<FramePlan>,
    /// Nodes that wait for nothing.
    pub roots: Vec<u32>,
    /// Whether it changes variables, or holds the changes of others.
    pub updates: bool,
    /// The places of all devices on which its step changes variables.
    pub spans: Arc<[i64]>,
    /// States of steps that have ended, for the next ones.
    spare: Mutex<Vec<StepState>>,
    /// Steps in which a node has waited, for operators.
    pub waiting: WaitingRuns,
}

/// The op that holds the changes of other steps.
const HOLD_UPDATES: &str = "_HoldUpdates";

/// More steps than this at once are rare enough to make their states anew.
const SPARE_STATES: usize = 8;

impl Prepared {
    pub fn take_state(&self) -> StepState {
        match self.spare.lock().pop() {
            Some(state) => state,
            None => StepState::new(self),
        }
    }

    /// Keeps the state of a step that ended well.
    pub fn give_state(&self, mut state: StepState) {
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
    pub kind: NodeKind,
    /// Its number in its frame.
    pub local: u32,
    /// Where its inputs lie among the slots of the frame.
    pub first_slot: u32,
    pub num_inputs: u32,
    pub num_outputs: u32,
    pub edges: Vec<Edge>,
    /// How many of the edges carry each output.
    pub uses: Vec<u32>,
    /// The value of a constant.
    pub constant: Option<Tensor>,
    /// For an `Enter`, its number among those of the frame that it leads into.
    pub entrance: u32,
    /// Which inputs are values that may arrive as references and must be read first.
    pub reads: bool,
    /// Whether the first input may be a variable, of which the kernel reads what it needs.
    pub views: bool,
    /// Whether references to variables without a value are fine.
    pub allows_uninitialized: bool,
    /// Whether it gives variables other values, for which there is a time.
    pub changes: bool,
    /// How long the kernel took lately, in nanoseconds.
    pub cost: AtomicU64,
    /// How much of that it did not share with all threads.
    pub alone: AtomicU64,
    /// The size of its inputs then.
    pub bytes: AtomicU64,
}

impl ExecNode {
    /// Whether the kernel leaves a good part of its work to the thread that runs it, so that another one may run beside it.
    pub fn is_alone(&self) -> bool {
        self.alone.load(Ordering::Relaxed).saturating_mul(4) > self.cost.load(Ordering::Relaxed)
    }
}

/// How the executor treats a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum NodeKind {
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
    /// Gives the value that it was built with: `Const`.
    Constant,
    /// Only passes its value on: `Identity`, `LoopCond`.
    Identity,
    /// An argument of the function, by number.
    Argument(u32),
    /// A result of the function, by number.
    Returned(u32),
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
    /// Its nodes in a row, if it is a loop in which nothing waits.
    pub straight: Option<Straight>,
    /// Some kernel of it is worth a thread, so that its nodes are better not run in a row.
    pub is_costly: AtomicBool,
    /// How long it went around in a row lately, in nanoseconds, but for what it shared with all threads.
    pub cost: AtomicU64,
}

impl FramePlan {
    /// The loop's nodes in a row, if they are to be run so.
    pub fn in_a_row(&self) -> Option<&Straight> {
        self.straight.as_ref().filter(|_| !self.is_costly.load(Ordering::Relaxed))
    }
}

impl Prepared {
    pub fn new(graph: &GraphData, cache: &KernelCache) -> Result<Prepared> {
        let frames = Frames::of(graph)?;
        let plan = |frame: &Frame| FramePlan {
            name: frame.name.clone(),
            num_enters: frame.num_enters,
            parallel_iterations: frame.parallel_iterations,
            ..Default::default()
        };
        let mut prepared = Prepared {
            nodes: Vec::with_capacity(graph.len()),
            frames: frames.all.iter().map(plan).collect(),
            roots: Vec::new(),
            updates: false,
            spans: spans(graph),
            spare: Mutex::default(),
            waiting: WaitingRuns::default(),
        };
        for id in graph.ids() {
            let node = graph.node(id);
            let kind = kind(node, frames.child(id));
            let frame = frames.frame(id);
            let plan = &mut prepared.frames[frame as usize];
            let first_slot = plan.num_slots;
            plan.num_slots += node.inputs.len() as u32;
            let local = plan.pending.len() as u32;
            let pending = match kind {
                // The lowest bit says that no live input has come yet; control inputs count double.
                NodeKind::Merge => 1 + 2 * node.control_inputs.len() as u32,
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
            let changes = node.spec.as_ref().is_some_and(|spec| spec.def.changes_variables());
            prepared.updates |= changes || node.op == HOLD_UPDATES;
            prepared.nodes.push(ExecNode {
                kernel: cache.kernel(node)?,
                kind,
                local,
                first_slot,
                num_inputs: node.inputs.len() as u32,
                num_outputs: node.output_types.len() as u32,
                edges: Vec::new(),
                uses: vec![0; node.output_types.len()],
                entrance: 0,
                constant: (kind == NodeKind::Constant).then(|| node.attr_tensor("value").cloned()).transpose()?,
                reads,
                views: node.spec.as_ref().is_some_and(|spec| spec.def.views_variable),
                allows_uninitialized: node.spec.as_ref().is_some_and(|spec| spec.def.allows_uninitialized_input),
                changes,
                cost: AtomicU64::new(0),
                alone: AtomicU64::new(0),
                bytes: AtomicU64::new(0),
                node: Arc::new(node.clone()),
            });
        }
        for id in graph.ids() {
            let node = graph.node(id);
            for (position, input) in node.inputs.iter().enumerate() {
                let slot = prepared.nodes[id.index()].first_slot + position as u32;
                let producer = &mut prepared.nodes[input.node.index()];
                producer.edges.push(Edge { output: input.index, to: id.0, slot });
                if let Some(uses) = producer.uses.get_mut(input.index as usize) {
                    *uses += 1;
                }
            }
            for control in &node.control_inputs {
                prepared.nodes[control.index()].edges.push(Edge { output: CONTROL, to: id.0, slot: 0 });
            }
        }
        straighten(&mut prepared, graph, &frames);
        Ok(prepared)
    }
}

/// Where a step changes variables, as its planner has noted; else on its own device.
fn spans(graph: &GraphData) -> Arc<[i64]> {
    let noted = graph.nodes().iter().find_map(|node| node.attr_str(SPANS).ok());
    let own = || graph.nodes().first().map_or("", |node| node.device.as_str());
    noted.unwrap_or_else(own).split(',').map(place).collect()
}

fn kind(node: &Node, child: Option<u32>) -> NodeKind {
    match node.role() {
        Role::Switch => NodeKind::Switch,
        Role::Merge => NodeKind::Merge,
        Role::Enter => {
            NodeKind::Enter { frame: child.unwrap_or(0), constant: node.attr_bool("is_constant").unwrap_or(false) }
        }
        Role::Exit => NodeKind::Exit,
        Role::NextIteration => NodeKind::NextIteration,
        Role::Send | Role::Receive => NodeKind::Transfer,
        Role::ControlTrigger => NodeKind::ControlTrigger,
        Role::Identity | Role::LoopCond => NodeKind::Identity,
        Role::Constant => NodeKind::Constant,
        Role::Nothing => NodeKind::Nothing,
        Role::Argument => number(node).map_or(NodeKind::Plain, NodeKind::Argument),
        Role::Returned => number(node).map_or(NodeKind::Plain, NodeKind::Returned),
        _ => NodeKind::Plain,
    }
}

fn number(node: &Node) -> Option<u32> {
    u32::try_from(node.attr_int("index").ok()?).ok()
}
