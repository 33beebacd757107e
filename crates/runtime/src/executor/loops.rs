//! Which loops of a graph can run in a row, as straight programs: those in which nothing waits.

use graph::op::{Kernel, Role};
use graph::{GraphData, NodeId};

use super::prepare::{NodeKind, Prepared};
use super::straight::Straight;
use crate::frames::Frames;

/// Makes straight programs of the innermost loops whose kernels do not wait.
pub(super) fn straighten(prepared: &mut Prepared, graph: &GraphData, frames: &Frames<'_>) {
    if frames.all.len() == 1 {
        return;
    }
    let loops = Loops { prepared, graph, frames };
    let mut fits = loops.fitting();
    if !loops.can_wait_for_all_inputs(&fits) {
        fits.fill(false);
    }
    let mut enters: Vec<Vec<NodeId>> = vec![Vec::new(); frames.all.len()];
    let mut inside: Vec<Vec<NodeId>> = vec![Vec::new(); frames.all.len()];
    for id in &frames.order {
        if let Some(child) = frames.child(*id) {
            enters[child as usize].push(*id);
        }
        inside[frames.frame(*id) as usize].push(*id);
    }
    for frame in (1..frames.all.len()).filter(|frame| fits[*frame]) {
        for (number, enter) in enters[frame].iter().enumerate() {
            prepared.nodes[enter.index()].entrance = number as u32;
        }
        prepared.frames[frame].straight = Straight::new(graph, &prepared.nodes, &inside[frame], &enters[frame]);
    }
}

struct Loops<'a> {
    prepared: &'a Prepared,
    graph: &'a GraphData,
    frames: &'a Frames<'a>,
}

impl Loops<'_> {
    /// The frames that contain no other frames and nothing that waits, and go around through `Merge` alone.
    fn fitting(&self) -> Vec<bool> {
        let mut fits = vec![true; self.frames.all.len()];
        fits[0] = false;
        for id in self.graph.ids() {
            let (node, exec) = (self.graph.node(id), &self.prepared.nodes[id.index()]);
            let closes = |from: NodeId| self.graph.node(from).role() == Role::NextIteration;
            let plain = matches!(exec.kernel, Kernel::Cheap(_) | Kernel::Compute(_))
                && !exec.changes
                && !matches!(exec.kind, NodeKind::Transfer | NodeKind::Enter { .. });
            let goes_around = exec.kind == NodeKind::Merge || !node.inputs.iter().any(|input| closes(input.node));
            if !plain || !goes_around || node.control_inputs.iter().any(|from| closes(*from)) {
                fits[self.frames.frame(id) as usize] = false;
            }
        }
        fits
    }

    /// Whether each of these frames may wait until all that leads into it has come: not so if some of that depends on
    /// what comes out of it.
    fn can_wait_for_all_inputs(&self, fits: &[bool]) -> bool {
        // Each frame is one node, and the graph must have no cycle.
        let num_nodes = self.graph.len();
        let whole = |id: usize| {
            let frame = self.frames.frame(NodeId(id as u32)) as usize;
            if fits[frame] { num_nodes + frame } else { id }
        };
        let mut waiting = vec![0usize; num_nodes + fits.len()];
        let mut targets: Vec<Vec<usize>> = vec![Vec::new(); num_nodes + fits.len()];
        for (id, node) in self.prepared.nodes.iter().enumerate() {
            if node.kind == NodeKind::NextIteration {
                continue;
            }
            let from = whole(id);
            for to in node.edges.iter().map(|edge| whole(edge.to as usize)).filter(|to| *to != from) {
                waiting[to] += 1;
                targets[from].push(to);
            }
        }
        let mut ready: Vec<usize> = (0..waiting.len()).filter(|id| waiting[*id] == 0).collect();
        let mut reached = 0;
        while let Some(id) = ready.pop() {
            reached += 1;
            for to in &targets[id] {
                waiting[*to] -= 1;
                if waiting[*to] == 0 {
                    ready.push(*to);
                }
            }
        }
        reached == waiting.len()
    }
}
