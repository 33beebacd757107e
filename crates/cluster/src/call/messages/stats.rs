//! Step statistics as TensorFlow's messages.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use runtime::{NodeStats, StepStats};

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
            ..Default::default()
        });
    }
    message
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
            });
        }
    }
    stats
}
