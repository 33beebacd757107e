//! Step statistics as TensorFlow's messages.

use std::collections::HashMap;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use runtime::{NodeStats, OutputStats, StepStats};
use tensor::proto::{dtype_from_proto, partial_shape_from_proto, shape_to_proto};

/// What TensorFlow calls the memory of a CPU.
const ALLOCATOR: &str = "cpu";

/// Writes what ran when, by device, as TensorFlow's tools read it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_cluster::stats_to_proto;
/// let g = Graph::new();
/// let sum = g.constant(1f32) + 1.0;
/// let stats = LocalSession::new(&g)?.run(RunRequest::new().fetch(&sum).trace())?.stats.unwrap_or_default();
/// let message = stats_to_proto(&stats);
/// assert!(message.dev_stats[0].node_stats.iter().any(|node| node.timeline_label == "add = AddV2()"));
/// # Ok::<(), Status>(())
/// ```
pub fn stats_to_proto(stats: &StepStats) -> wire::StepStats {
    let mut message = wire::StepStats::default();
    for node in &stats.nodes {
        let position = message.dev_stats.iter().position(|device| device.device == node.device).unwrap_or_else(|| {
            message.dev_stats.push(wire::DeviceStepStats { device: node.device.clone(), ..Default::default() });
            message.dev_stats.len() - 1
        });
        let start = node.start.duration_since(UNIX_EPOCH).unwrap_or_default();
        let (nanos, micros) = (node.duration.as_nanos() as i64, node.duration.as_micros() as i64);
        message.dev_stats[position].node_stats.push(wire::NodeExecStats {
            node_name: node.node.clone(),
            all_start_micros: start.as_micros() as i64,
            all_start_nanos: start.as_nanos() as i64,
            op_end_rel_micros: micros,
            op_end_rel_nanos: nanos,
            all_end_rel_micros: micros,
            all_end_rel_nanos: nanos,
            timeline_label: format!("{} = {}()", node.node, node.op),
            thread_id: node.thread as u32,
            memory: memory_to_proto(&node.outputs),
            memory_stats: Some(wire::MemoryStats::default()),
            output: node.outputs.iter().map(output_to_proto).collect(),
            ..Default::default()
        });
    }
    message
}

/// What a node took of memory: all that it gave out.
fn memory_to_proto(outputs: &[OutputStats]) -> Vec<wire::AllocatorMemoryUsed> {
    let bytes = outputs.iter().map(|output| output.bytes as i64).sum();
    let used = wire::AllocatorMemoryUsed {
        allocator_name: ALLOCATOR.to_owned(),
        total_bytes: bytes,
        peak_bytes: bytes,
        live_bytes: bytes,
        ..Default::default()
    };
    if outputs.is_empty() { Vec::new() } else { vec![used] }
}

fn output_to_proto(output: &OutputStats) -> wire::NodeOutput {
    let description = wire::AllocationDescription {
        requested_bytes: output.bytes as i64,
        allocated_bytes: output.bytes as i64,
        allocator_name: ALLOCATOR.to_owned(),
        ..Default::default()
    };
    wire::NodeOutput {
        slot: output.slot as i32,
        tensor_description: Some(wire::TensorDescription {
            dtype: output.dtype.number(),
            shape: Some(shape_to_proto(&output.shape)),
            allocation_description: Some(description),
        }),
    }
}

fn output_from_proto(output: &wire::NodeOutput) -> Option<OutputStats> {
    let tensor = output.tensor_description.as_ref()?;
    let bytes = tensor.allocation_description.as_ref().map_or(0, |memory| memory.requested_bytes);
    Some(OutputStats {
        slot: usize::try_from(output.slot).ok()?,
        dtype: dtype_from_proto(tensor.dtype).ok()?,
        shape: partial_shape_from_proto(tensor.shape.as_ref()?).ok()?.to_shape()?,
        bytes: usize::try_from(bytes).ok()?,
    })
}

/// Writes what the nodes of graphs cost in a step, of which the statistics are given.
pub(crate) fn costs_to_proto(graphs: &[wire::GraphDef], stats: &StepStats) -> wire::CostGraphDef {
    let mut ran: HashMap<(&str, &str), &NodeStats> = HashMap::new();
    for node in &stats.nodes {
        // Of the iterations of a loop, the longest counts.
        let known = ran.entry((&node.device, &node.node)).or_insert(node);
        if known.duration < node.duration {
            *known = node;
        }
    }
    let mut costs = wire::CostGraphDef::default();
    for graph in graphs {
        let first = costs.node.len();
        let ids: HashMap<&str, i32> =
            graph.node.iter().enumerate().map(|(index, node)| (node.name.as_str(), (first + index) as i32)).collect();
        for node in &graph.node {
            let mut cost = wire::cost_graph_def::Node {
                name: node.name.clone(),
                device: node.device.clone(),
                id: ids.get(node.name.as_str()).copied().unwrap_or(-1),
                ..Default::default()
            };
            for input in &node.input {
                match input.strip_prefix('^') {
                    Some(control) => cost.control_input.extend(ids.get(control)),
                    None => {
                        let (name, port) = input.rsplit_once(':').unwrap_or((input, "0"));
                        let (Some(id), Ok(port)) = (ids.get(name), port.parse()) else { continue };
                        let info = wire::cost_graph_def::node::InputInfo { preceding_node: *id, preceding_port: port };
                        cost.input_info.push(info);
                    }
                }
            }
            if let Some(node) = ran.get(&(node.device.as_str(), node.name.as_str())) {
                cost.compute_cost = node.duration.as_micros() as i64;
                cost.output_info = node.outputs.iter().map(cost_of_output).collect();
            }
            costs.node.push(cost);
        }
    }
    costs
}

fn cost_of_output(output: &OutputStats) -> wire::cost_graph_def::node::OutputInfo {
    wire::cost_graph_def::node::OutputInfo {
        size: output.bytes as i64,
        alias_input_port: -1,
        shape: Some(shape_to_proto(&output.shape)),
        dtype: output.dtype.number(),
    }
}

/// Reads what ran when.
pub(crate) fn stats_from_proto(message: &wire::StepStats) -> StepStats {
    let mut stats = StepStats::default();
    for device in &message.dev_stats {
        for node in &device.node_stats {
            let label = node.timeline_label.split(" = ").nth(1).unwrap_or_default();
            stats.nodes.push(NodeStats {
                device: device.device.clone(),
                node: node.node_name.clone(),
                op: label.split('(').next().unwrap_or_default().to_owned(),
                start: UNIX_EPOCH
                    .checked_add(Duration::from_micros(node.all_start_micros.max(0) as u64))
                    .unwrap_or(SystemTime::UNIX_EPOCH),
                duration: Duration::from_micros(node.all_end_rel_micros.max(0) as u64),
                thread: node.thread_id as u64,
                outputs: node.output.iter().filter_map(output_from_proto).collect(),
            });
        }
    }
    stats
}

#[cfg(test)]
mod tests {
    use tensor::{DType, Shape};

    use super::*;

    fn ran(node: &str, micros: u64) -> NodeStats {
        let output = OutputStats { slot: 0, dtype: DType::Float, shape: Shape::vector(3), bytes: 12 };
        NodeStats {
            device: "/job:ps/task:0".to_owned(),
            node: node.to_owned(),
            op: "Neg".to_owned(),
            start: UNIX_EPOCH + Duration::from_secs(9),
            duration: Duration::from_micros(micros),
            thread: 2,
            outputs: vec![output],
        }
    }

    fn node(name: &str, inputs: &[&str]) -> wire::NodeDef {
        wire::NodeDef {
            name: name.to_owned(),
            device: "/job:ps/task:0".to_owned(),
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            ..Default::default()
        }
    }

    #[test]
    fn statistics_survive_their_message() {
        let stats = StepStats { nodes: vec![ran("a", 5)] };
        let message = stats_to_proto(&stats);
        let told = &message.dev_stats[0].node_stats[0];
        assert_eq!((told.memory[0].total_bytes, told.output.len()), (12, 1));
        assert_eq!(stats_from_proto(&message).nodes[0].outputs, stats.nodes[0].outputs);
    }

    #[test]
    fn nodes_are_told_with_their_inputs_and_the_longest_of_their_times() {
        let graph = |nodes: Vec<wire::NodeDef>| wire::GraphDef { node: nodes, ..Default::default() };
        let graphs = [
            graph(vec![node("other", &[])]),
            graph(vec![node("a", &[]), node("b", &["a", "a:1", "gone", "^a", "^gone"])]),
        ];
        let costs = costs_to_proto(&graphs, &StepStats { nodes: vec![ran("b", 5), ran("b", 7), ran("b", 6)] });
        let names: Vec<(&str, i32)> = costs.node.iter().map(|node| (node.name.as_str(), node.id)).collect();
        assert_eq!(names, [("other", 0), ("a", 1), ("b", 2)]);
        let b = &costs.node[2];
        let inputs: Vec<(i32, i32)> =
            b.input_info.iter().map(|input| (input.preceding_node, input.preceding_port)).collect();
        assert_eq!((inputs, &b.control_input[..]), (vec![(1, 0), (1, 1)], &[1][..]));
        assert_eq!((b.compute_cost, b.output_info[0].size), (7, 12));
        assert!(costs.node[1].output_info.is_empty());
    }
}
