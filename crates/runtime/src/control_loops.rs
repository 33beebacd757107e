//! Loops that span places: each place gets a small loop of its own, which follows the one that decides.
//!
//! A place that has only a part of a loop would not know how often to run it. So every place of such a loop gets a control
//! loop in the same frame, `Enter -> Merge -> Switch -> NextIteration`, whose `Switch` takes the loop's condition from
//! where it is computed. What is received from other places within the loop is received once for each iteration of it.

use std::collections::BTreeMap;

use graph::op::{Registry, Role};
use graph::{AttrValue, Endpoint, GraphData, NodeId};
use tensor::{DType, Result, Shape, Tensor, err};

use crate::frames::Frames;
use crate::rewrite::internal_node;

/// A graph whose loops can be split, and what paces the receiving ends in them.
pub(crate) struct ControlLoops {
    pub graph: GraphData,
    /// The frame that the consumers of a node are in; nodes that were added are in none of interest.
    behind: Vec<u32>,
    /// By frame and place: the node that completes once in each iteration there.
    merges: BTreeMap<(u32, String), NodeId>,
}

impl ControlLoops {
    /// What a node that receives an output of `source` in `place` must wait for, if it is in a loop.
    pub fn pace(&self, source: NodeId, place: &str) -> Option<NodeId> {
        let frame = *self.behind.get(source.index())?;
        self.merges.get(&(frame, place.to_owned())).copied()
    }
}

/// Adds control loops for all loops that span places. `location` maps a full device name to a place. A graph without
/// loops, or in one place, stays as it is.
///
/// # Errors
/// `InvalidArgument` if the graph's frames make no sense; `Unimplemented` for a loop without a condition that is split.
pub(crate) fn with_control_loops(
    mut graph: GraphData,
    registry: &Registry,
    location: &impl Fn(&str) -> String,
) -> Result<ControlLoops> {
    let has_loops = graph.nodes().iter().any(|node| node.role() == Role::Enter);
    let mut places = graph.nodes().iter().map(|node| location(&node.device));
    let first = places.next();
    if !has_loops || places.all(|place| Some(place) == first) {
        return Ok(ControlLoops { graph, behind: Vec::new(), merges: BTreeMap::new() });
    }
    keep_ends_together(&mut graph);
    let frames = Frames::of(&graph)?;
    let mut places: BTreeMap<u32, BTreeMap<String, String>> = BTreeMap::new();
    let mut behind = Vec::with_capacity(graph.len());
    for id in graph.ids() {
        behind.push(frames.behind(id)?);
    }
    // All places of a frame, each with one of its devices.
    for id in graph.ids() {
        let node = graph.node(id);
        for producer in node.producers() {
            for device in [&graph.node(producer).device, &node.device] {
                places.entry(behind[producer.index()]).or_default().entry(location(device)).or_insert(device.clone());
            }
        }
    }
    places.remove(&0);
    // Inner frames have higher numbers. Where a split one is, its outer ones must be too.
    let numbers: Vec<u32> = places.keys().rev().copied().collect();
    for frame in numbers {
        let (parent, inner) = (frames.all[frame as usize].parent, places[&frame].clone());
        if inner.len() > 1 && parent != 0 {
            let outer = places.entry(parent).or_default();
            for (place, device) in inner {
                outer.entry(place).or_insert(device);
            }
        }
    }
    places.retain(|_, places| places.len() > 1);
    let described: BTreeMap<u32, (String, u32, i64)> = places
        .keys()
        .map(|frame| {
            let of = &frames.all[*frame as usize];
            (*frame, (of.name.clone(), of.parent, i64::from(of.parallel_iterations)))
        })
        .collect();
    let conditions: BTreeMap<u32, NodeId> =
        graph.ids().filter(|id| graph.node(*id).role() == Role::LoopCond).map(|id| (frames.frame(id), id)).collect();
    let mut loops = ControlLoops { graph, behind, merges: BTreeMap::new() };
    for (frame, devices) in places {
        let (name, parent, parallel) = &described[&frame];
        let condition = conditions.get(&frame).copied().ok_or_else(|| {
            err!(Unimplemented, "the loop '{name}' spans several devices, but has no condition that all can follow")
        })?;
        for (place, device) in devices {
            let outer = loops.merges.get(&(*parent, place.clone())).copied();
            let merge = loops.add(registry, name, *parallel, condition, &device, outer)?;
            loops.merges.insert((frame, place), merge);
        }
    }
    Ok(loops)
}

impl ControlLoops {
    /// One control loop on a device; gives its `Merge`.
    fn add(
        &mut self,
        registry: &Registry,
        frame: &str,
        parallel: i64,
        condition: NodeId,
        device: &str,
        outer: Option<NodeId>,
    ) -> Result<NodeId> {
        let graph = &mut self.graph;
        let float = || AttrValue::Type(DType::Float);
        let number = graph.len();
        let named = |part: &str| format!("_cloop/_{number}/{part}");
        let empty = Tensor::zeros(DType::Float, &Shape::vector(0))?;
        let attrs = [("dtype", float()), ("value", AttrValue::Tensor(empty))];
        let mut token = internal_node(registry, "Const", named("token"), device, attrs)?;
        token.control_inputs.extend(outer);
        let token = graph.add(token)?;
        let attrs = [
            ("T", float()),
            ("frame_name", AttrValue::String(frame.to_owned().into())),
            ("parallel_iterations", AttrValue::Int(parallel)),
        ];
        let mut enter = internal_node(registry, "Enter", named("enter"), device, attrs)?;
        enter.inputs.push(Endpoint { node: token, index: 0 });
        let enter = graph.add(enter)?;
        let attrs = [("T", float()), ("N", AttrValue::Int(2))];
        let merge = graph.add(internal_node(registry, "Merge", named("merge"), device, attrs)?)?;
        let mut switch = internal_node(registry, "Switch", named("switch"), device, [("T", float())])?;
        switch.inputs.extend([Endpoint { node: merge, index: 0 }, Endpoint { node: condition, index: 0 }]);
        let switch = graph.add(switch)?;
        let mut next = internal_node(registry, "NextIteration", named("next"), device, [("T", float())])?;
        next.inputs.push(Endpoint { node: switch, index: 1 });
        let next = graph.add(next)?;
        graph.node_mut(merge).inputs.extend([Endpoint { node: enter, index: 0 }, Endpoint { node: next, index: 0 }]);
        Ok(merge)
    }
}

/// What begins and ends an iteration must be where it is merged: over there it would be received in every iteration,
/// although it is sent only in the first, or in all but the first. `Switch` and `Exit` stay with what they pass on.
fn keep_ends_together(graph: &mut GraphData) {
    let ids: Vec<NodeId> = graph.ids().collect();
    for id in &ids {
        if graph.node(*id).role() == Role::Merge {
            let device = graph.node(*id).device.clone();
            for input in graph.node(*id).inputs.clone() {
                if let Role::Enter | Role::NextIteration = graph.node(input.node).role() {
                    graph.node_mut(input.node).device = device.clone();
                }
            }
        }
    }
    for id in ids {
        if let Role::Switch | Role::Exit = graph.node(id).role()
            && let Some(input) = graph.node(id).inputs.first().copied()
        {
            graph.node_mut(id).device = graph.node(input.node).device.clone();
        }
    }
}
