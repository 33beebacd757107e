//! The state of a running step: which values have arrived where, in which frame and iteration.

use std::collections::{BTreeSet, HashMap, VecDeque};

use graph::op::Value;
use smallvec::SmallVec;

use super::prepare::{CONTROL, ExecNode, FramePlan, NodeKind, Prepared};
use super::straight::Registers;

/// A node that can run, in a frame's iteration, or a loop that runs in a row.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ready {
    pub node: u32,
    pub frame: u32,
    pub iteration: u64,
    pub dead: bool,
}

/// Stands for a node where a whole frame is ready.
const LOOP: u32 = u32::MAX;

impl Ready {
    /// A frame that runs in a row, with its number in the plan.
    fn a_loop(frame: u32, plan: u32) -> Ready {
        Ready { node: LOOP, frame, iteration: plan as u64, dead: false }
    }

    /// The number in the plan of a frame that runs in a row.
    pub fn loop_plan(&self) -> Option<u32> {
        (self.node == LOOP).then_some(self.iteration as u32)
    }
}

/// A loop that runs in a row, taken out of the state while it does.
pub(super) struct Looping {
    pub frame: u32,
    /// The frame's number in the plan.
    pub plan: u32,
    /// TensorFlow's number for the frame.
    pub id: u64,
    pub registers: Box<Registers>,
}

/// Frames and iterations of one step. The root frame is number 0 and has one iteration.
#[derive(Default)]
pub(super) struct StepState {
    frames: Vec<Option<Frame>>,
    /// Numbers of frames that have ended.
    free: Vec<u32>,
    /// No loop runs in a row, so that each node can be seen.
    node_by_node: bool,
    children: HashMap<(u32, u64, u32), u32>,
}

struct Frame {
    plan: u32,
    /// TensorFlow's number for the frame, which travels in rendezvous keys.
    id: u64,
    parent: u32,
    parent_iteration: u64,
    /// `Enter` nodes that have not delivered yet.
    pending_enters: u32,
    /// The first iteration that is kept.
    first: u64,
    iterations: VecDeque<Option<Iteration>>,
    /// One that has ended, whose memory serves the next one.
    spare: Option<Iteration>,
    outstanding_iterations: u32,
    /// Values for the next iteration, which must wait because enough run already.
    deferred: Vec<(u32, Value)>,
    /// Loop invariants, given to every new iteration.
    invariants: Vec<(u32, Value)>,
    /// `Exit` nodes that were dead in some iteration. A live one, which comes once at most, is noted beside them.
    dead_exits: BTreeSet<u32>,
    live_exits: BTreeSet<u32>,
    /// The values of a loop that runs in a row and has not begun, or makes a pause.
    registers: Option<Box<Registers>>,
}

struct Iteration {
    pending: Vec<u32>,
    dead: Vec<u32>,
    slots: Vec<Value>,
    outstanding: u32,
    child_frames: u32,
}

impl StepState {
    pub fn new(plan: &Prepared) -> StepState {
        let mut state = StepState::default();
        let mut root = Frame::new(0, 0, 0, 0, 0);
        root.start_iteration(plan);
        state.frames.push(Some(root));
        state
    }

    /// Makes the state ready for another step, keeping its memory.
    pub fn reset(&mut self, plan: &Prepared) {
        self.children.clear();
        self.free.clear();
        self.frames.truncate(1);
        if let Some(Some(root)) = self.frames.first_mut()
            && let [Some(iteration)] = root.iterations.make_contiguous()
        {
            return iteration.reset(&plan.frames[0]);
        }
        *self = StepState::new(plan);
    }

    /// Counts the nodes that a step begins with. Loops run in a row unless each node is to be seen.
    pub fn begin(&mut self, roots: usize, node_by_node: bool) {
        self.node_by_node = node_by_node;
        if let Some(iteration) = self.iteration(0, 0) {
            iteration.outstanding = roots as u32;
        }
    }

    /// TensorFlow's frame number and the iteration, for rendezvous keys.
    pub fn frame_key(&self, ready: Ready) -> (u64, i64) {
        if ready.frame == 0 {
            return (0, 0);
        }
        let id = self.frames[ready.frame as usize].as_ref().map_or(0, |frame| frame.id);
        (id, ready.iteration as i64)
    }

    /// The slots of a node's inputs.
    pub fn inputs(&mut self, node: &ExecNode, ready: Ready) -> &mut [Value] {
        let range = node.first_slot as usize..(node.first_slot + node.num_inputs) as usize;
        match self.iteration(ready.frame, ready.iteration) {
            Some(iteration) => &mut iteration.slots[range],
            None => &mut [],
        }
    }

    /// Hands a node's outputs on to those that wait for them; who can run now is added to `ready`.
    pub fn complete(&mut self, plan: &Prepared, done: Ready, outputs: &mut [Value], ready: &mut Vec<Ready>) {
        let node = &plan.nodes[done.node as usize];
        match node.kind {
            NodeKind::Enter { frame, constant } => {
                let child = self.child(plan, done, frame);
                let mut value = outputs.first_mut().map(std::mem::take).unwrap_or_default();
                if self.enter_loop(plan, child, node.entrance, &mut value, ready) {
                    return self.release(plan, done.frame, done.iteration, ready);
                }
                if constant {
                    self.add_invariant(plan, child, done.node, value, ready);
                } else {
                    self.deliver(plan, done.node, child, 0, done.dead, &mut [value], ready);
                }
                if let Some(frame) = &mut self.frames[child as usize] {
                    frame.pending_enters -= 1;
                }
                self.release(plan, done.frame, done.iteration, ready);
                self.clean_up(plan, child, 0, ready);
                return;
            }
            NodeKind::Exit if done.dead => {
                if let Some(frame) = &mut self.frames[done.frame as usize] {
                    frame.dead_exits.insert(done.node);
                }
            }
            NodeKind::Exit => {
                let parent = self.frames[done.frame as usize].as_mut().map(|frame| {
                    frame.live_exits.insert(done.node);
                    (frame.parent, frame.parent_iteration)
                });
                if let Some((parent, iteration)) = parent {
                    self.deliver(plan, done.node, parent, iteration, false, outputs, ready);
                }
            }
            NodeKind::NextIteration if done.dead => {}
            NodeKind::NextIteration => self.next_iteration(plan, done, outputs, ready),
            _ => self.deliver(plan, done.node, done.frame, done.iteration, done.dead, outputs, ready),
        }
        self.release(plan, done.frame, done.iteration, ready);
    }

    fn next_iteration(&mut self, plan: &Prepared, done: Ready, outputs: &mut [Value], ready: &mut Vec<Ready>) {
        let Some(frame) = &mut self.frames[done.frame as usize] else { return };
        let latest = frame.first + frame.iterations.len() as u64 - 1;
        if done.iteration == latest {
            let limit = plan.frames[frame.plan as usize].parallel_iterations;
            if frame.outstanding_iterations >= limit {
                frame.deferred.push((done.node, outputs.first_mut().map(std::mem::take).unwrap_or_default()));
                return;
            }
            self.open_iteration(plan, done.frame, ready);
        }
        self.deliver(plan, done.node, done.frame, done.iteration + 1, false, outputs, ready);
    }

    /// Starts the next iteration of a frame: invariants arrive there first.
    fn open_iteration(&mut self, plan: &Prepared, frame_number: u32, ready: &mut Vec<Ready>) -> u64 {
        let Some(frame) = &mut self.frames[frame_number as usize] else { return 0 };
        let iteration = frame.first + frame.iterations.len() as u64;
        frame.start_iteration(plan);
        let invariants = std::mem::take(&mut frame.invariants);
        for (node, value) in &invariants {
            let dead = matches!(value, Value::Empty);
            self.deliver(plan, *node, frame_number, iteration, dead, &mut [value.clone()], ready);
        }
        if let Some(frame) = &mut self.frames[frame_number as usize] {
            frame.invariants = invariants;
        }
        iteration
    }

    fn add_invariant(&mut self, plan: &Prepared, frame_number: u32, node: u32, value: Value, ready: &mut Vec<Ready>) {
        let Some(frame) = &mut self.frames[frame_number as usize] else { return };
        frame.invariants.push((node, value.clone()));
        let iterations = frame.first..frame.first + frame.iterations.len() as u64;
        let dead = matches!(value, Value::Empty);
        for iteration in iterations {
            self.deliver(plan, node, frame_number, iteration, dead, &mut [value.clone()], ready);
        }
    }

    /// Puts outputs into the slots of their consumers in one iteration, and counts.
    fn deliver(
        &mut self,
        plan: &Prepared,
        from: u32,
        frame: u32,
        iteration_number: u64,
        dead: bool,
        outputs: &mut [Value],
        ready: &mut Vec<Ready>,
    ) {
        let node = &plan.nodes[from as usize];
        let Some(iteration) = self.iteration(frame, iteration_number) else { return };
        let from_enter = matches!(node.kind, NodeKind::Enter { .. });
        let mut uses: SmallVec<[u32; 4]> = SmallVec::from_slice(&node.uses);
        for edge in &node.edges {
            graph::work::count();
            let target = &plan.nodes[edge.to as usize];
            let local = target.local as usize;
            let live = edge.output == CONTROL
                || outputs.get(edge.output as usize).is_some_and(|value| !matches!(value, Value::Empty));
            let live = live && !dead;
            let (is_ready, is_dead, wants_value);
            if target.kind == NodeKind::Merge {
                if edge.output == CONTROL {
                    iteration.pending[local] -= 2;
                    is_dead = iteration.dead[local] == target.num_inputs;
                    is_ready = iteration.pending[local] == 0 || (iteration.pending[local] == 1 && is_dead);
                    wants_value = false;
                } else if live {
                    let before = iteration.pending[local];
                    iteration.pending[local] &= !1;
                    (is_ready, is_dead, wants_value) = (before == 1, false, before & 1 == 1);
                } else {
                    iteration.dead[local] += 1;
                    // A dead Enter means that the whole loop is on a branch not taken.
                    is_dead = iteration.dead[local] == target.num_inputs || from_enter;
                    is_ready = iteration.pending[local] == 1 && is_dead;
                    wants_value = false;
                }
            } else {
                iteration.dead[local] += !live as u32;
                iteration.pending[local] -= 1;
                is_dead = iteration.dead[local] > 0 && target.kind != NodeKind::ControlTrigger;
                is_ready = iteration.pending[local] == 0;
                wants_value = edge.output != CONTROL;
            }
            if edge.output != CONTROL {
                let count = &mut uses[edge.output as usize];
                *count -= 1;
                if wants_value && live {
                    // The last consumer gets the value itself, so that it may write to its memory.
                    let value = &mut outputs[edge.output as usize];
                    iteration.slots[edge.slot as usize] =
                        if *count == 0 { std::mem::take(value) } else { value.clone() };
                }
            }
            if is_ready {
                iteration.outstanding += 1;
                ready.push(Ready { node: edge.to, frame, iteration: iteration_number, dead: is_dead });
            }
        }
    }

    fn child(&mut self, plan: &Prepared, from: Ready, frame_plan: u32) -> u32 {
        let key = (from.frame, from.iteration, frame_plan);
        if let Some(child) = self.children.get(&key) {
            return *child;
        }
        let parent_id = self.frames[from.frame as usize].as_ref().map_or(0, |frame| frame.id);
        let id = frame_id(parent_id, from.iteration, &plan.frames[frame_plan as usize].name);
        let mut frame =
            Frame::new(frame_plan, id, from.frame, from.iteration, plan.frames[frame_plan as usize].num_enters);
        match plan.frames[frame_plan as usize].in_a_row().filter(|_| !self.node_by_node) {
            Some(straight) => frame.registers = Some(straight.registers()),
            None => frame.start_iteration(plan),
        }
        let number = self.free.pop().unwrap_or_else(|| {
            self.frames.push(None);
            self.frames.len() as u32 - 1
        });
        self.frames[number as usize] = Some(frame);
        self.children.insert(key, number);
        if let Some(iteration) = self.iteration(from.frame, from.iteration) {
            iteration.child_frames += 1;
        }
        number
    }

    /// Gives a value to a loop that runs in a row; whether it is one. It is ready when all have come.
    fn enter_loop(
        &mut self,
        plan: &Prepared,
        number: u32,
        entrance: u32,
        value: &mut Value,
        ready: &mut Vec<Ready>,
    ) -> bool {
        let Some(frame) = &mut self.frames[number as usize] else { return false };
        let straight = plan.frames[frame.plan as usize].straight.as_ref();
        let (Some(registers), Some(straight)) = (&mut frame.registers, straight) else { return false };
        straight.enter(registers, entrance, std::mem::take(value));
        frame.pending_enters -= 1;
        if frame.pending_enters == 0 {
            ready.push(Ready::a_loop(number, frame.plan));
        }
        true
    }

    /// Takes a loop out to run it.
    pub fn take_loop(&mut self, number: u32) -> Option<Looping> {
        let frame = self.frames[number as usize].as_mut()?;
        let registers = frame.registers.take()?;
        Some(Looping { frame: number, plan: frame.plan, id: frame.id, registers })
    }

    /// Puts a loop back that makes a pause.
    pub fn put_back(&mut self, looping: Looping, ready: &mut Vec<Ready>) {
        if let Some(frame) = &mut self.frames[looping.frame as usize] {
            frame.registers = Some(looping.registers);
            // Whatever else is ready has its turn first.
            ready.insert(0, Ready::a_loop(looping.frame, looping.plan));
        }
    }

    /// A loop that ran in a row has ended: what it passed out goes on in the parent.
    pub fn end_loop(&mut self, plan: &Prepared, mut looping: Looping, ready: &mut Vec<Ready>) {
        let Some(straight) = &plan.frames[looping.plan as usize].straight else { return };
        let Some(frame) = self.remove(looping.frame) else { return };
        for (exit, value) in straight.exits(&mut looping.registers) {
            let dead = matches!(value, Value::Empty);
            self.deliver(plan, exit, frame.parent, frame.parent_iteration, dead, &mut [value], ready);
        }
        straight.give_back(looping.registers);
        self.leave(plan, &frame, ready);
    }

    /// A loop that ran in a row goes on node by node, from its next iteration.
    pub fn go_on(&mut self, plan: &Prepared, mut looping: Looping, ready: &mut Vec<Ready>) {
        let Some(straight) = &plan.frames[looping.plan as usize].straight else { return };
        let Some(frame) = &mut self.frames[looping.frame as usize] else { return };
        let iteration = looping.registers.iteration;
        frame.first = iteration;
        frame.start_iteration(plan);
        let (parent, parent_iteration) = (frame.parent, frame.parent_iteration);
        let mut left = Vec::new();
        for (exit, value) in straight.exits(&mut looping.registers) {
            match value {
                Value::Empty => {
                    frame.dead_exits.insert(exit);
                }
                value => {
                    frame.live_exits.insert(exit);
                    left.push((exit, value));
                }
            }
        }
        for (exit, value) in left {
            self.deliver(plan, exit, parent, parent_iteration, false, &mut [value], ready);
        }
        let handed_on = straight.handed_on(&plan.nodes, &mut looping.registers);
        let invariants: Vec<(u32, Value)> = straight.invariants(&mut looping.registers).collect();
        for (enter, value) in invariants {
            self.add_invariant(plan, looping.frame, enter, value, ready);
        }
        for (node, value) in handed_on {
            self.deliver(plan, node, looping.frame, iteration, false, &mut [value], ready);
        }
        straight.give_back(looping.registers);
        self.clean_up(plan, looping.frame, iteration, ready);
    }

    /// Takes a frame out of the table.
    fn remove(&mut self, number: u32) -> Option<Frame> {
        let frame = self.frames[number as usize].take()?;
        self.free.push(number);
        self.children.remove(&(frame.parent, frame.parent_iteration, frame.plan));
        Some(frame)
    }

    /// A frame is no more; its parent may run out too.
    fn leave(&mut self, plan: &Prepared, frame: &Frame, ready: &mut Vec<Ready>) {
        if let Some(iteration) = self.iteration(frame.parent, frame.parent_iteration) {
            iteration.child_frames -= 1;
        }
        self.clean_up(plan, frame.parent, frame.parent_iteration, ready);
    }

    /// One node less is under way in an iteration.
    fn release(&mut self, plan: &Prepared, frame: u32, iteration_number: u64, ready: &mut Vec<Ready>) {
        if let Some(iteration) = self.iteration(frame, iteration_number) {
            iteration.outstanding -= 1;
        }
        self.clean_up(plan, frame, iteration_number, ready);
    }

    /// Drops iterations in which nothing can happen any more, starts deferred ones, and ends frames.
    fn clean_up(&mut self, plan: &Prepared, frame_number: u32, from: u64, ready: &mut Vec<Ready>) {
        if frame_number == 0 {
            return;
        }
        let mut number = from;
        loop {
            let Some(frame) = &mut self.frames[frame_number as usize] else { return };
            let Some(position) = number.checked_sub(frame.first).map(|position| position as usize) else { return };
            let Some(Some(iteration)) = frame.iterations.get(position) else { break };
            let before_is_done = position == 0 && (frame.first > 0 || frame.pending_enters == 0);
            if iteration.outstanding > 0 || iteration.child_frames > 0 || !before_is_done {
                break;
            }
            frame.outstanding_iterations -= 1;
            if frame.iterations.len() == 1 && frame.deferred.is_empty() {
                // Keep the number of the latest iteration while the frame lives.
                frame.iterations[0] = None;
                break;
            }
            let deferred = std::mem::take(&mut frame.deferred);
            if !deferred.is_empty() {
                let opened = self.open_iteration(plan, frame_number, ready);
                for (node, value) in deferred {
                    self.deliver(plan, node, frame_number, opened, false, &mut [value], ready);
                }
            }
            if let Some(frame) = &mut self.frames[frame_number as usize] {
                frame.spare = frame.iterations.pop_front().flatten();
                frame.first += 1;
            }
            number += 1;
        }
        let finished = self.frames[frame_number as usize]
            .as_ref()
            .is_some_and(|frame| frame.pending_enters == 0 && frame.outstanding_iterations == 0);
        if finished {
            self.end_frame(plan, frame_number, ready);
        }
    }

    /// A frame has run out: exits that never were live are dead in the parent, which then may run out too.
    fn end_frame(&mut self, plan: &Prepared, frame_number: u32, ready: &mut Vec<Ready>) {
        let Some(frame) = self.remove(frame_number) else { return };
        for exit in frame.dead_exits.difference(&frame.live_exits) {
            self.deliver(plan, *exit, frame.parent, frame.parent_iteration, true, &mut [Value::Empty], ready);
        }
        self.leave(plan, &frame, ready);
    }

    fn iteration(&mut self, frame: u32, number: u64) -> Option<&mut Iteration> {
        let frame = self.frames.get_mut(frame as usize)?.as_mut()?;
        let position = number.checked_sub(frame.first)? as usize;
        frame.iterations.get_mut(position)?.as_mut()
    }
}

impl Frame {
    fn new(plan: u32, id: u64, parent: u32, parent_iteration: u64, pending_enters: u32) -> Frame {
        Frame {
            plan,
            id,
            parent,
            parent_iteration,
            pending_enters,
            first: 0,
            iterations: VecDeque::new(),
            spare: None,
            outstanding_iterations: 0,
            deferred: Vec::new(),
            invariants: Vec::new(),
            dead_exits: BTreeSet::new(),
            live_exits: BTreeSet::new(),
            registers: None,
        }
    }

    fn start_iteration(&mut self, plan: &Prepared) {
        let frame = &plan.frames[self.plan as usize];
        let iteration = match self.spare.take() {
            Some(mut iteration) => {
                iteration.reset(frame);
                iteration
            }
            None => Iteration {
                pending: frame.pending.clone(),
                dead: vec![0; frame.pending.len()],
                slots: vec![Value::Empty; frame.num_slots as usize],
                outstanding: 0,
                child_frames: 0,
            },
        };
        self.iterations.push_back(Some(iteration));
        self.outstanding_iterations += 1;
    }
}

impl Iteration {
    fn reset(&mut self, frame: &FramePlan) {
        self.pending.copy_from_slice(&frame.pending);
        self.dead.fill(0);
        // Nearly all have been taken; writing to them again would take longer than looking.
        for slot in self.slots.iter_mut().filter(|slot| !matches!(slot, Value::Empty)) {
            *slot = Value::Empty;
        }
        (self.outstanding, self.child_frames) = (0, 0);
    }
}

/// TensorFlow's number for a child frame, which all tasks of a loop must agree on.
fn frame_id(parent: u64, iteration: u64, name: &str) -> u64 {
    combine(parent, combine(iteration, hash(name.as_bytes())))
}

fn combine(a: u64, b: u64) -> u64 {
    a ^ b.wrapping_add(0x9e37_79b9_7f4a_7800).wrapping_add(a << 10).wrapping_add(a >> 4)
}

/// The 64-bit Murmur-like hash that TensorFlow names frames by.
fn hash(bytes: &[u8]) -> u64 {
    const M: u64 = 0xc6a4_a793_5bd1_e995;
    let mut h = 0x00DE_CAFC_AFFE ^ (bytes.len() as u64).wrapping_mul(M);
    let mut chunks = bytes.chunks_exact(8);
    for chunk in &mut chunks {
        let mut k = chunk.iter().rev().fold(0u64, |k, byte| k << 8 | *byte as u64);
        k = k.wrapping_mul(M);
        k ^= k >> 47;
        h = (h ^ k.wrapping_mul(M)).wrapping_mul(M);
    }
    let rest = chunks.remainder();
    if !rest.is_empty() {
        h = (h ^ rest.iter().rev().fold(0u64, |k, byte| k << 8 | *byte as u64)).wrapping_mul(M);
    }
    h ^= h >> 47;
    h = h.wrapping_mul(M);
    h ^ h >> 47
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_numbered_as_tensorflow_does() {
        // Seen on the wire between TensorFlow 2.21 tasks.
        assert_eq!(frame_id(0, 0, "myloop/while_context"), 344142057629962259);
    }
}
