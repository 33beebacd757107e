//! Straight programs: nodes in an order in which each comes after what it waits for, so that one thread runs them in a
//! row without counting what has arrived.
//!
//! The body of a loop whose kernels are cheap is one, and so is a function without loops. A value has a register; the
//! last node that wants it takes it out, so that its memory may be written to. A register without a value is dead, and so
//! is a node with a dead input.

use std::collections::HashMap;

use graph::op::Value;
use graph::{GraphData, NodeId};
use parking_lot::Mutex;
use smallvec::SmallVec;
use tensor::{Result, Status, Tensor, bail, ensure};

use super::prepare::{ExecNode, NodeKind};

/// The nodes of one frame, ready to run in a row.
pub(super) struct Straight {
    code: Vec<Instruction>,
    operands: Vec<Operand>,
    /// The marks of nodes that others wait for without taking a value.
    controls: Vec<u32>,
    /// For each register, whether somebody takes its value.
    wanted: Vec<bool>,
    num_marks: usize,
    /// The nodes that lead into the frame; their registers and marks come first, in this order.
    enters: Vec<Entrance>,
    /// The nodes that lead out of it.
    exits: Vec<u32>,
    /// Registers of runs that have ended, for the next ones.
    #[expect(clippy::vec_box, reason = "they are handed out and taken back as they are, without being copied")]
    spare: Mutex<Vec<Box<Registers>>>,
}

struct Instruction {
    node: u32,
    /// Where its operands and controls end; they begin where those of the one before end.
    operands: u32,
    controls: u32,
    /// Its first output's register; for an `Exit`, its number among those.
    place: u32,
    /// For an argument: nobody asks for it again.
    takes: bool,
    /// Some output is not wanted by anybody.
    drops: bool,
}

struct Operand {
    register: u32,
    /// Nobody after this one wants the value.
    takes: bool,
}

struct Entrance {
    node: u32,
    /// Its value is there in every iteration, not only in the first.
    constant: bool,
}

/// The values of one run.
#[derive(Default)]
pub(super) struct Registers {
    values: Vec<Value>,
    /// Which nodes were dead, by mark.
    dead: Vec<bool>,
    /// What the nodes that lead out have passed on.
    exits: Vec<Value>,
    /// The iteration that runs next.
    pub iteration: u64,
    /// What a function was called with.
    pub args: Vec<Value>,
    /// What a function gives back.
    pub results: Vec<Option<Tensor>>,
}

/// Inputs of a kernel.
pub(super) type Inputs = SmallVec<[Value; 4]>;

/// A node that failed, and why.
pub(super) type Failed = (u32, Status);

/// More runs than this at once are rare enough to make their registers anew.
const SPARE: usize = 8;

impl Straight {
    /// The program of these nodes, each after those that it depends on, with the nodes that lead into their frame. `None`
    /// if one takes a value that is not there.
    pub fn new(graph: &GraphData, nodes: &[ExecNode], order: &[NodeId], enters: &[NodeId]) -> Option<Straight> {
        // What an iteration hands to the next one is written last, when everybody has read what was there before.
        let closes = |id: &NodeId| nodes[id.index()].kind == NodeKind::NextIteration;
        let (last, mut order): (Vec<NodeId>, Vec<NodeId>) = order.iter().partition(|id| closes(id));
        order.extend(last);
        let outputs = |id: NodeId| match nodes[id.index()].kind {
            NodeKind::Exit => 0,
            _ => nodes[id.index()].num_outputs,
        };
        // The first register and the mark of each node.
        let mut places: HashMap<NodeId, (u32, u32)> = HashMap::with_capacity(enters.len() + order.len());
        let mut num_registers = 0;
        for id in enters.iter().chain(&order) {
            places.insert(*id, (num_registers, places.len() as u32));
            num_registers += outputs(*id);
        }
        let entrance = |id: &NodeId| Entrance {
            node: id.0,
            constant: matches!(nodes[id.index()].kind, NodeKind::Enter { constant: true, .. }),
        };
        let mut straight = Straight {
            code: Vec::with_capacity(order.len()),
            operands: Vec::new(),
            controls: Vec::new(),
            wanted: Vec::new(),
            num_marks: places.len(),
            enters: enters.iter().map(entrance).collect(),
            exits: Vec::new(),
            spare: Mutex::default(),
        };
        let mut last_use: Vec<Option<usize>> = vec![None; num_registers as usize];
        let mut last_asked = HashMap::new();
        for id in &order {
            let node = graph.node(*id);
            for input in &node.inputs {
                if input.index >= outputs(input.node) {
                    return None;
                }
                let register = places.get(&input.node)?.0 + input.index;
                last_use[register as usize] = Some(straight.operands.len());
                straight.operands.push(Operand { register, takes: false });
            }
            for control in &node.control_inputs {
                straight.controls.push(places.get(control)?.1);
            }
            let mut place = places[id].0;
            match nodes[id.index()].kind {
                NodeKind::Exit => {
                    place = straight.exits.len() as u32;
                    straight.exits.push(id.0);
                }
                NodeKind::Argument(index) => {
                    last_asked.insert(index, straight.code.len());
                }
                _ => {}
            }
            straight.code.push(Instruction {
                node: id.0,
                operands: straight.operands.len() as u32,
                controls: straight.controls.len() as u32,
                place,
                takes: false,
                drops: false,
            });
        }
        for (register, operand) in last_use.iter().enumerate() {
            let stays = straight.enters.get(register).is_some_and(|entrance| entrance.constant);
            if let Some(operand) = operand {
                straight.operands[*operand].takes = !stays;
            }
        }
        for (instruction, id) in straight.code.iter_mut().zip(&order) {
            let mut registers = instruction.place..instruction.place + outputs(*id);
            instruction.drops = registers.any(|register| last_use[register as usize].is_none());
        }
        for instruction in last_asked.into_values() {
            straight.code[instruction].takes = true;
        }
        straight.wanted = last_use.iter().map(Option::is_some).collect();
        Some(straight)
    }

    /// How many nodes run in one pass.
    pub fn len(&self) -> usize {
        self.code.len()
    }

    /// Registers without values.
    pub fn registers(&self) -> Box<Registers> {
        if let Some(registers) = self.spare.lock().pop() {
            return registers;
        }
        Box::new(Registers {
            values: vec![Value::Empty; self.wanted.len()],
            dead: vec![false; self.num_marks],
            exits: vec![Value::Empty; self.exits.len()],
            ..Default::default()
        })
    }

    /// Keeps the registers of a run that ended well.
    pub fn give_back(&self, mut registers: Box<Registers>) {
        // What is left are the values that stay from one iteration to the next, and what was fed to dead nodes.
        for value in registers.values.iter_mut().filter(|value| !matches!(value, Value::Empty)) {
            *value = Value::Empty;
        }
        registers.exits.fill(Value::Empty);
        registers.args.clear();
        registers.iteration = 0;
        let mut spare = self.spare.lock();
        if spare.len() < SPARE {
            spare.push(registers);
        }
    }

    /// Takes what comes into a loop, by the number of the node that leads into it; nothing if that is dead.
    pub fn enter(&self, registers: &mut Registers, entrance: u32, value: Value) {
        registers.dead[entrance as usize] = matches!(value, Value::Empty);
        registers.values[entrance as usize] = value;
    }

    /// What a loop has passed out, with the nodes that did so; nothing where it never did.
    pub fn exits<'a>(&'a self, registers: &'a mut Registers) -> impl Iterator<Item = (u32, Value)> + 'a {
        self.exits.iter().copied().zip(registers.exits.iter_mut().map(std::mem::take))
    }

    /// The values that stay in a loop, with the nodes that led into it; nothing for what is dead.
    pub fn invariants<'a>(&'a self, registers: &'a mut Registers) -> impl Iterator<Item = (u32, Value)> + 'a {
        let entered = self.enters.iter().zip(&mut registers.values);
        entered
            .filter(|(entrance, _)| entrance.constant)
            .map(|(entrance, value)| (entrance.node, std::mem::take(value)))
    }

    /// What a loop hands to its next iteration, with the nodes that did so.
    pub fn handed_on(&self, nodes: &[ExecNode], registers: &mut Registers) -> Vec<(u32, Value)> {
        let closing =
            self.code.iter().rev().take_while(|last| nodes[last.node as usize].kind == NodeKind::NextIteration);
        let mut values: Vec<(u32, Value)> = Vec::new();
        for instruction in closing {
            match std::mem::take(&mut registers.values[instruction.place as usize]) {
                Value::Empty => {}
                value => values.push((instruction.node, value)),
            }
        }
        values.reverse();
        values
    }

    /// Runs all nodes once; whether there is something for another iteration. What cannot be told from its kind alone is
    /// run by `kernel`.
    ///
    /// # Errors
    /// What a node failed with. The registers are of no more use then.
    pub fn pass(
        &self,
        nodes: &[ExecNode],
        registers: &mut Registers,
        mut kernel: impl FnMut(&ExecNode, &mut Inputs, &mut [Value]) -> Result<()>,
    ) -> Result<bool, Failed> {
        let Registers { values, dead, exits, iteration, args, results } = registers;
        let mut inputs = Inputs::new();
        let (mut operand, mut control, mut again) = (0, 0, false);
        for (instruction, mark) in self.code.iter().zip(self.enters.len()..) {
            let node = &nodes[instruction.node as usize];
            let operands = &self.operands[operand..instruction.operands as usize];
            let controls = &self.controls[control..instruction.controls as usize];
            (operand, control) = (instruction.operands as usize, instruction.controls as usize);
            let missing = |operand: &Operand| matches!(values[operand.register as usize], Value::Empty);
            dead[mark] = match node.kind {
                NodeKind::Merge => operands.iter().all(missing),
                NodeKind::ControlTrigger => false,
                _ => operands.iter().any(missing) || controls.iter().any(|mark| dead[*mark as usize]),
            };
            if dead[mark] {
                for operand in operands.iter().filter(|operand| operand.takes) {
                    values[operand.register as usize] = Value::Empty;
                }
                continue;
            }
            let place = instruction.place as usize;
            inputs.clear();
            for operand in operands {
                let value = &mut values[operand.register as usize];
                inputs.push(if operand.takes { std::mem::take(value) } else { value.clone() });
            }
            let outputs = match node.kind {
                NodeKind::Exit => &mut exits[place..place + 1],
                _ => &mut values[place..place + node.num_outputs as usize],
            };
            let outcome = match node.kind {
                NodeKind::Argument(index) => {
                    argument(args, index, instruction.takes, node).map(|value| outputs.fill(value))
                }
                NodeKind::Returned(index) => returned(results, index, &mut inputs, node),
                _ if passed_on(node, &mut inputs, outputs) => Ok(()),
                _ => kernel(node, &mut inputs, outputs),
            };
            outcome.map_err(|status| (instruction.node, status))?;
            again |= node.kind == NodeKind::NextIteration;
            if instruction.drops {
                let outputs = place..place + node.num_outputs as usize;
                for output in outputs.filter(|output| !self.wanted[*output]) {
                    values[output] = Value::Empty;
                }
            }
        }
        if *iteration == 0 {
            for (at, _) in self.enters.iter().enumerate().filter(|(_, entrance)| !entrance.constant) {
                (values[at], dead[at]) = (Value::Empty, true);
            }
        }
        *iteration += 1;
        Ok(again)
    }
}

/// Passes a value on if that is all that the node does. Whatever is not plain, a reference or a condition that is no
/// scalar, is left to the kernel, which knows the errors.
fn passed_on(node: &ExecNode, inputs: &mut [Value], outputs: &mut [Value]) -> bool {
    let (from, to) = match node.kind {
        NodeKind::Nothing => return true,
        NodeKind::Constant => {
            let [output] = outputs else { return false };
            *output = node.constant.clone().map(Value::Tensor).unwrap_or_default();
            return true;
        }
        NodeKind::Exit | NodeKind::NextIteration | NodeKind::Identity => (0, 0),
        NodeKind::Merge if node.uses.get(1).is_none_or(|uses| *uses == 0) => {
            (inputs.iter().position(|input| !matches!(input, Value::Empty)).unwrap_or(0), 0)
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
    match (inputs.get_mut(from), outputs.get_mut(to)) {
        (Some(value @ Value::Tensor(_)), Some(output)) => {
            *output = std::mem::take(value);
            true
        }
        _ => false,
    }
}

fn argument(args: &mut [Value], index: u32, takes: bool, node: &ExecNode) -> Result<Value> {
    let count = args.len();
    let Some(argument) = args.get_mut(index as usize) else {
        bail!(InvalidArgument, "argument {index} of {count} was asked for");
    };
    let value = if takes { std::mem::take(argument) } else { argument.clone() };
    check_type(&value, node.node.output_types.first(), format_args!("argument {index}"))?;
    Ok(value)
}

fn returned(results: &mut [Option<Tensor>], index: u32, inputs: &mut Inputs, node: &ExecNode) -> Result<()> {
    let count = results.len();
    let Some(result) = results.get_mut(index as usize) else {
        bail!(InvalidArgument, "result {index} of {count} was set");
    };
    let value = inputs.pop().unwrap_or_default();
    check_type(&value, node.node.input_types.first(), format_args!("result {index}"))?;
    if let Value::Tensor(tensor) = value {
        *result = Some(tensor);
    }
    Ok(())
}

fn check_type(value: &Value, wanted: Option<&graph::ValueType>, what: std::fmt::Arguments<'_>) -> Result<()> {
    if let (Value::Tensor(tensor), Some(wanted)) = (value, wanted) {
        ensure!(
            tensor.dtype() == wanted.dtype,
            InvalidArgument,
            "Type mismatch: actual {} vs. expect {} in {what}",
            tensor.dtype(),
            wanted.dtype
        );
    }
    Ok(())
}
