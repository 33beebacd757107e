//! `_FusedElementwise`: functions of numbers, element by element, in one pass over memory.
//!
//! No client writes it. Where nobody else needs what is in between, such functions in a row become one node, by the rewrite
//! that is registered here. What the node computes, and what its errors say, is what its parts did.

use std::collections::HashMap;

use graph::op::{Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Endpoint, Node, NodeId, ReadAttrs};
use math::elementwise::{Binary, ChainOp, ChainStep, Operand, Unary, chain};
use tensor::{Element, Result, Shape, Tensor, ensure, err};

use super::binary::{binary, binary_formula, broadcast_plan};
use super::unary::{formula, unary};
use crate::nn::activation::activation_formula;

/// More steps than this are not gathered in one node.
const MAX_STEPS: usize = 16;
/// Rows longer than this are added by a pass of their own.
const MAX_ROW: usize = 4096;

pub(crate) fn register(r: &mut Registry) {
    r.op("_FusedElementwise", "args: N * T -> y: T")
        .attr("N: int >= 1")
        .attr("T: {float, double}")
        .attr("fused_ops: list(string)")
        .attr("operands: list(int)")
        .attr("names: list(string)")
        .shape(ShapeContext::unknown)
        .any_kernel(kernel);
}

/// Gathers functions of elements in one node.
pub(crate) const REWRITE: Rewrite = Rewrite { name: "elementwise", begins_at: |op| function(op).is_some(), find };

/// The function that an op applies to each element, if that is all it does.
fn function(op: &str) -> Option<ChainOp> {
    let unary = || formula(op).or_else(|| activation_formula(op));
    binary_formula(op).map(ChainOp::Binary).or_else(|| unary().map(ChainOp::Unary))
}

/// Gathers the functions before a node that nobody else needs.
fn find(site: &Site<'_>) -> Option<Replacement> {
    let dtype = site.dtype()?;
    if !matches!(dtype, tensor::DType::Float | tensor::DType::Double) {
        return None;
    }
    let fits = |node: &Node| function(&node.op).is_some() && node.input_types.iter().all(|value| value.dtype == dtype);
    if !fits(site.node()) {
        return None;
    }
    // A node joins when all who use it have, so each comes before those that it takes from.
    let mut members = vec![site.id];
    let mut used: HashMap<NodeId, u32> = HashMap::new();
    let mut next = 0;
    while next < members.len() {
        for input in &site.graph.node(members[next]).inputs {
            let count = used.entry(input.node).or_default();
            *count += 1;
            let all = *count == site.uses(input.node);
            if all && members.len() < MAX_STEPS && site.producer(*input).is_some_and(fits) {
                members.push(input.node);
            }
        }
        next += 1;
    }
    if members.len() < 2 {
        return None;
    }
    Some(replacement(site, dtype, &members))
}

fn replacement(site: &Site<'_>, dtype: tensor::DType, members: &[NodeId]) -> Replacement {
    let mut inputs: Vec<Endpoint> = Vec::new();
    let mut number: HashMap<NodeId, i64> = HashMap::new();
    let (mut ops, mut operands, mut names) = (Vec::new(), Vec::new(), Vec::new());
    for (step, id) in members.iter().rev().enumerate() {
        let node = site.graph.node(*id);
        for position in 0..2 {
            // A function of one element states it twice.
            let input = node.inputs.get(position).or(node.inputs.first()).copied();
            operands.extend(input.map(|input| match number.get(&input.node) {
                Some(earlier) => -1 - earlier,
                None => match inputs.iter().position(|known| *known == input) {
                    Some(known) => known as i64,
                    None => {
                        inputs.push(input);
                        inputs.len() as i64 - 1
                    }
                },
            }));
        }
        ops.push(bytes(&node.op));
        names.push(bytes(&node.name));
        number.insert(*id, step as i64);
    }
    let attrs = vec![
        ("N", AttrValue::Int(inputs.len() as i64)),
        ("T", AttrValue::Type(dtype)),
        ("fused_ops", AttrValue::Strings(ops)),
        ("operands", AttrValue::Ints(operands)),
        ("names", AttrValue::Strings(names)),
    ];
    Replacement { op: "_FusedElementwise", inputs, attrs }
}

fn bytes(text: &str) -> bytes::Bytes {
    text.to_owned().into()
}

/// A step as the attributes state it. Operands are numbers of inputs or, below zero, of earlier steps.
struct Step {
    op: ChainOp,
    operands: [i64; 2],
    name: String,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let steps = steps(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs: Vec<Tensor> = (0..cx.num_inputs()).map(|index| cx.take_input(index)).collect::<Result<_>>()?;
        cx.set_output(0, run(&steps, inputs)?);
        Ok(())
    }))
}

fn steps(node: &Node) -> Result<Vec<Step>> {
    let (ops, names) = (node.attr_strings("fused_ops")?, node.attr_strings("names")?);
    let (operands, inputs) = (node.attr_ints("operands")?, node.attr_int("N")?);
    ensure!(
        !ops.is_empty() && names.len() == ops.len() && operands.len() == 2 * ops.len(),
        InvalidArgument,
        "{} functions with {} operands and {} names",
        ops.len(),
        operands.len(),
        names.len()
    );
    let mut steps = Vec::with_capacity(ops.len());
    for (number, ((op, name), pair)) in ops.iter().zip(names).zip(operands.chunks_exact(2)).enumerate() {
        let op = std::str::from_utf8(op).ok().and_then(function);
        let op = op.ok_or_else(|| err!(InvalidArgument, "step {number} is no function of elements"))?;
        let there = |operand: &i64| (-(number as i64)..inputs).contains(operand);
        ensure!(pair.iter().all(there), InvalidArgument, "step {number} takes {pair:?} of {inputs} inputs");
        let name = String::from_utf8_lossy(name).into_owned();
        steps.push(Step { op, operands: [pair[0], pair[1]], name });
    }
    Ok(steps)
}

fn run(steps: &[Step], inputs: Vec<Tensor>) -> Result<Tensor> {
    let shapes = shapes(steps, &inputs)?;
    let Some(shape) = shapes.last() else { return Err(err!(Internal, "no functions")) };
    // Steps that are smaller than the result are computed by themselves.
    let mut made: Vec<Option<Tensor>> = vec![None; steps.len()];
    for (number, step) in steps.iter().enumerate() {
        let alone =
            shapes[number] != *shape || !step.operands.iter().all(|operand| fits(*operand, shape, &inputs, &made));
        if alone {
            let operand = |operand: i64| value(operand, &inputs, &made).cloned();
            let [a, b] = step.operands.map(operand);
            match (a, b) {
                (Some(a), Some(b)) => made[number] = Some(apply(step, a, b)?),
                // What it takes is in the pass over memory, so that must be taken apart.
                _ => return one_by_one(steps, &inputs),
            }
        }
    }
    if let Some(last) = made.pop().flatten() {
        return Ok(last);
    }
    made.push(None);
    match inputs.first().map(Tensor::dtype) {
        Some(tensor::DType::Float) => pass::<f32>(steps, shape, &inputs, &made),
        _ => pass::<f64>(steps, shape, &inputs, &made),
    }
}

/// The shape of each step's result.
fn shapes(steps: &[Step], inputs: &[Tensor]) -> Result<Vec<Shape>> {
    let mut shapes: Vec<Shape> = Vec::with_capacity(steps.len());
    for step in steps {
        let [a, b] = step.operands.map(|operand| match usize::try_from(operand) {
            Ok(index) => inputs[index].shape(),
            Err(_) => &shapes[(-1 - operand) as usize],
        });
        let shape = match step.op {
            _ if a == b => a.clone(),
            ChainOp::Unary(_) => a.clone(),
            ChainOp::Binary(_) => broadcast_plan(a, b).map_err(|status| status.at_node(&step.name))?.1,
        };
        shapes.push(shape);
    }
    Ok(shapes)
}

/// An operand that exists as a tensor.
fn value<'a>(operand: i64, inputs: &'a [Tensor], made: &'a [Option<Tensor>]) -> Option<&'a Tensor> {
    match usize::try_from(operand) {
        Ok(index) => inputs.get(index),
        Err(_) => made[(-1 - operand) as usize].as_ref(),
    }
}

/// Whether an operand can be taken in a pass over elements of this shape.
fn fits(operand: i64, shape: &Shape, inputs: &[Tensor], made: &[Option<Tensor>]) -> bool {
    value(operand, inputs, made)
        .is_none_or(|tensor| tensor.shape() == shape || tensor.num_elements() == 1 || is_row(tensor, shape))
}

/// Whether a tensor is like the last axis of a shape.
fn is_row(tensor: &Tensor, shape: &Shape) -> bool {
    let (dims, last) = (tensor.dims(), shape.dims().last());
    dims.last() == last && dims.iter().rev().skip(1).all(|dim| *dim == 1) && tensor.num_elements() <= MAX_ROW
}

fn one_by_one(steps: &[Step], inputs: &[Tensor]) -> Result<Tensor> {
    let mut made: Vec<Option<Tensor>> = Vec::with_capacity(steps.len());
    for step in steps {
        let [a, b] = step.operands.map(|operand| value(operand, inputs, &made).cloned());
        let (Some(a), Some(b)) = (a, b) else { return Err(err!(Internal, "a function takes what is not there")) };
        made.push(Some(apply(step, a, b)?));
    }
    made.pop().flatten().ok_or_else(|| err!(Internal, "no functions"))
}

fn apply(step: &Step, a: Tensor, b: Tensor) -> Result<Tensor> {
    let made = match step.op {
        ChainOp::Unary(op) => unary(op, a),
        ChainOp::Binary(op) => binary(op, a, b),
    };
    made.map_err(|status| status.at_node(&step.name))
}

/// All steps that are left, in one pass over memory.
fn pass<T: Element + Unary + Binary + Default>(
    steps: &[Step],
    shape: &Shape,
    inputs: &[Tensor],
    made: &[Option<Tensor>],
) -> Result<Tensor> {
    let mut number = vec![0; steps.len()];
    let mut passed: Vec<ChainStep<'_, T>> = Vec::with_capacity(steps.len());
    for (index, step) in steps.iter().enumerate().filter(|(index, _)| made[*index].is_none()) {
        let mut operands = [Operand::Step(0); 2];
        for (operand, to) in step.operands.into_iter().zip(&mut operands) {
            *to = match value(operand, inputs, made) {
                None => Operand::Step(number[(-1 - operand) as usize]),
                Some(tensor) => match tensor.as_slice::<T>()? {
                    values if tensor.shape() == shape => Operand::All(values),
                    [value] => Operand::One(*value),
                    row => Operand::Row(row),
                },
            };
        }
        number[index] = passed.len();
        passed.push(ChainStep { op: step.op, operands });
    }
    Tensor::build(shape.clone(), |out: &mut [T]| {
        chain(&passed, out);
        Ok(())
    })
}
