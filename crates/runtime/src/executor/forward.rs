//! Nodes that only pass values on: they are booked without running a kernel.
//!
//! A loop consists of them for the most part, so they decide how fast it goes around.

use graph::op::{Outputs, Value};

use super::prepare::{ExecNode, NodeKind};

/// Whether the node was dealt with: then its inputs, still in their slots, are used up and `outputs` are what it gave.
/// Whatever is not plain, a reference or a condition that is no scalar, is left to the kernel, which knows the errors.
pub(super) fn forward(node: &ExecNode, dead: bool, inputs: &mut [Value], outputs: &mut Outputs) -> bool {
    let (from, to) = match node.kind {
        NodeKind::Transfer => return false,
        _ if dead => {
            inputs.fill(Value::Empty);
            empty(outputs, node.num_outputs);
            return true;
        }
        NodeKind::Nothing => {
            outputs.clear();
            return true;
        }
        NodeKind::Constant => {
            outputs.clear();
            outputs.extend(node.constant.clone().map(Value::Tensor));
            return true;
        }
        NodeKind::Enter { .. } | NodeKind::Exit | NodeKind::NextIteration | NodeKind::Identity => (0, 0),
        NodeKind::Merge if node.uses.get(1).is_none_or(|uses| *uses == 0) => {
            match inputs.iter().position(|input| !matches!(input, Value::Empty)) {
                Some(from) => (from, 0),
                None => return false,
            }
        }
        NodeKind::Switch => match inputs.get(1) {
            Some(Value::Tensor(pred)) if pred.shape().is_scalar() => match pred.to_scalar::<bool>() {
                Ok(taken) => (0, taken as usize),
                Err(_) => return false,
            },
            _ => return false,
        },
        _ => return false,
    };
    if !matches!(inputs.get(from), Some(Value::Tensor(_))) {
        return false;
    }
    outputs.clear();
    for output in 0..node.num_outputs as usize {
        outputs.push(if output == to { std::mem::take(&mut inputs[from]) } else { Value::Empty });
    }
    if let Some(condition) = inputs.get_mut(1) {
        *condition = Value::Empty;
    }
    true
}

pub(super) fn empty(outputs: &mut Outputs, count: u32) {
    outputs.clear();
    for _ in 0..count {
        outputs.push(Value::Empty);
    }
}
