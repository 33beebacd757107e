//! `If`, `Case` and `While` as Switch, Merge and the loop ops around the bodies of their branches.

use tensor::{DType, Result, bail, ensure};

use super::{Body, Expansion};
use crate::attr::{AttrValue, FunctionRef, ReadAttrs};
use crate::data::{Endpoint, Node, NodeId, ValueType};

impl Expansion<'_> {
    /// One of two bodies, which are made of whether the condition holds, their arguments and what they wait for.
    pub(super) fn branches(
        &mut self,
        pred: Endpoint,
        inputs: &[Endpoint],
        before: &[NodeId],
        body: impl Fn(&mut Self, bool, &[Endpoint], NodeId) -> Result<Body>,
    ) -> Result<Body> {
        let bool_type = [("T", AttrValue::Type(DType::Bool))];
        let pred = self.truth(pred)?;
        let pivot = self.add("Switch", "switch_pred", &[pred, pred], before, &bool_type)?;
        let mut switched = Vec::with_capacity(inputs.len());
        for input in inputs {
            let dtype = [("T", AttrValue::Type(self.type_of(*input)?))];
            switched.push(self.add("Switch", "switch", &[*input, pred], before, &dtype)?);
        }
        let mut bodies = Vec::with_capacity(2);
        for index in [0, 1] {
            let taken = Endpoint { node: pivot, index };
            let start = self.add("Identity", if index == 1 { "then" } else { "else" }, &[taken], &[], &bool_type)?;
            let args: Vec<Endpoint> = switched.iter().map(|node| Endpoint { node: *node, index }).collect();
            bodies.push((body(self, index == 1, &args, start)?, start));
        }
        let (Some((first, start)), Some((second, other))) = (bodies.first(), bodies.get(1)) else {
            bail!(Internal, "a condition without two branches")
        };
        ensure!(
            first.results.len() == second.results.len(),
            InvalidArgument,
            "branches have {} and {} results",
            first.results.len(),
            second.results.len()
        );
        let (first_effects, second_effects) = (first.effects.clone(), second.effects.clone());
        let (start, other) = (*start, *other);
        let pairs: Vec<[Endpoint; 2]> = first.results.iter().zip(&second.results).map(|(a, b)| [*a, *b]).collect();
        let mut results = Vec::with_capacity(pairs.len());
        for pair in pairs {
            let attrs = [("T", AttrValue::Type(self.type_of(pair[0])?)), ("N", AttrValue::Int(2))];
            let merge = self.add("Merge", "merge", &pair, &[], &attrs)?;
            results.push(Endpoint { node: merge, index: 0 });
        }
        let mut effects = Vec::new();
        if !first_effects.is_empty() || !second_effects.is_empty() || results.is_empty() {
            // Whichever branch was taken is over.
            let mut ends = Vec::new();
            for (start, effects) in [(start, first_effects), (other, second_effects)] {
                let end = self.add("Identity", "end", &[Endpoint { node: start, index: 0 }], &effects, &bool_type)?;
                ends.push(Endpoint { node: end, index: 0 });
            }
            let attrs = [("T", AttrValue::Type(DType::Bool)), ("N", AttrValue::Int(2))];
            effects.push(self.add("Merge", "merge_end", &ends, &[], &attrs)?);
        }
        Ok(Body { results, effects })
    }

    /// A choice by number: between two halves of the branches, which are choices again. A number that is out of range means
    /// the last branch.
    pub(super) fn case(
        &mut self,
        node: &Node,
        index: Endpoint,
        inputs: &[Endpoint],
        functions: &[FunctionRef],
    ) -> Result<Body> {
        let before = &node.control_inputs;
        if let [only] = functions {
            let mut nodes: Vec<NodeId> = inputs.iter().map(|input| input.node).chain([index.node]).collect();
            nodes.extend(before);
            let start = self.add("NoOp", "start", &[], &nodes, &[])?;
            return self.inline(only, inputs, start, "branch");
        }
        ensure!(!functions.is_empty(), InvalidArgument, "a choice of no branches");
        let (lower, upper) = functions.split_at(functions.len() / 2);
        let int = [("T", AttrValue::Type(DType::Int32))];
        let half = self.number(lower.len() as i32, index, before)?;
        let zero = self.number(0, index, before)?;
        let below = self.add("Less", "below", &[index, half], &[], &int)?;
        let positive = self.add("GreaterEqual", "positive", &[index, zero], &[], &int)?;
        let both = [below, positive].map(|node| Endpoint { node, index: 0 });
        let chosen = self.add("LogicalAnd", "chosen", &both, &[], &[])?;
        let rest = self.add("Sub", "rest", &[index, half], &[], &int)?;
        let indices = [index, Endpoint { node: rest, index: 0 }];
        let all: Vec<Endpoint> = indices.iter().chain(inputs).copied().collect();
        let types = |list: &[ValueType]| match list {
            [] => AttrValue::EmptyList,
            list => AttrValue::Types(list.iter().map(|value| value.dtype).collect()),
        };
        let (given, results) = (types(node.input_types.get(1..).unwrap_or_default()), types(&node.output_types));
        self.branches(Endpoint { node: chosen, index: 0 }, &all, before, |this, low, args, start| {
            let (index, functions) = if low { (args[0], lower) } else { (args[1], upper) };
            let args = &args[indices.len()..];
            if let [only] = functions {
                return this.inline(only, args, start, if low { "then" } else { "else" });
            }
            let attrs = [
                ("Tin", given.clone()),
                ("Tout", results.clone()),
                ("branches", AttrValue::Functions(functions.to_vec())),
            ];
            let inputs: Vec<Endpoint> = [index].iter().chain(args).copied().collect();
            let half = this.add(&node.op, if low { "lower" } else { "upper" }, &inputs, &[], &attrs)?;
            let results = (0..node.output_types.len() as u32).map(|index| Endpoint { node: half, index });
            Ok(Body { results: results.collect(), effects: vec![half] })
        })
    }

    /// A condition as a bool: numbers hold if they are not zero, other tensors if they have elements.
    fn truth(&mut self, condition: Endpoint) -> Result<Endpoint> {
        let dtype = self.type_of(condition)?;
        if dtype == DType::Bool {
            return Ok(condition);
        }
        let truth = self.add("ToBool", "truth", &[condition], &[], &[("T", AttrValue::Type(dtype))])?;
        Ok(Endpoint { node: truth, index: 0 })
    }

    /// A constant that is there when `index` is.
    fn number(&mut self, number: i32, index: Endpoint, before: &[NodeId]) -> Result<Endpoint> {
        let attrs = [("dtype", AttrValue::Type(DType::Int32)), ("value", AttrValue::Tensor(number.into()))];
        let constant = self.add("Const", "number", &[], &[before, &[index.node]].concat(), &attrs)?;
        Ok(Endpoint { node: constant, index: 0 })
    }

    pub(super) fn repeat(&mut self, node: &Node, cond: &FunctionRef, body: &FunctionRef) -> Result<Body> {
        ensure!(!node.inputs.is_empty(), InvalidArgument, "a loop without variables");
        let types = node.inputs.iter().map(|input| self.type_of(*input)).collect::<Result<Vec<_>>>()?;
        let parallel = node.attr_int("parallel_iterations").unwrap_or(10);
        let frame = AttrValue::String(node.name.clone().into_bytes().into());
        let mut merges = Vec::with_capacity(types.len());
        for (input, dtype) in node.inputs.iter().zip(&types) {
            let attrs = [
                ("T", AttrValue::Type(*dtype)),
                ("frame_name", frame.clone()),
                ("is_constant", AttrValue::Bool(false)),
                ("parallel_iterations", AttrValue::Int(parallel)),
            ];
            let enter = self.add("Enter", "enter", &[*input], &node.control_inputs, &attrs)?;
            let entered = Endpoint { node: enter, index: 0 };
            let attrs = [("T", AttrValue::Type(*dtype)), ("N", AttrValue::Int(2))];
            // The second input is the next iteration's, which is put in its place below.
            merges.push(self.add("Merge", "merge", &[entered, entered], &[], &attrs)?);
        }
        let values: Vec<Endpoint> = merges.iter().map(|merge| Endpoint { node: *merge, index: 0 }).collect();
        let start = self.add("NoOp", "cond_start", &[], &merges, &[])?;
        let asked = self.inline(cond, &values, start, "cond")?;
        let &[goes_on] = &asked.results[..] else {
            bail!(
                InvalidArgument,
                "Expected a single scalar return value from the While cond function, got {} tensors.",
                asked.results.len()
            )
        };
        let goes_on = self.truth(goes_on)?;
        let loop_cond = self.add("LoopCond", "loop_cond", &[goes_on], &asked.effects, &[])?;
        let loop_cond = Endpoint { node: loop_cond, index: 0 };
        let (mut args, mut exits) = (Vec::new(), Vec::new());
        for (value, dtype) in values.iter().zip(&types) {
            let attrs = [("T", AttrValue::Type(*dtype))];
            let switch = self.add("Switch", "switch", &[*value, loop_cond], &[], &attrs)?;
            let arg = self.add("Identity", "arg", &[Endpoint { node: switch, index: 1 }], &[], &attrs)?;
            args.push(Endpoint { node: arg, index: 0 });
            let exit = self.add("Exit", "exit", &[Endpoint { node: switch, index: 0 }], &[], &attrs)?;
            exits.push(Endpoint { node: exit, index: 0 });
        }
        let arg_nodes: Vec<NodeId> = args.iter().map(|arg| arg.node).collect();
        let start = self.add("NoOp", "body_start", &[], &arg_nodes, &[])?;
        let done = self.inline(body, &args, start, "body")?;
        ensure!(
            done.results.len() == types.len(),
            InvalidArgument,
            "While loop body returned {} arguments. Expected: {}",
            done.results.len(),
            types.len()
        );
        for ((result, merge), dtype) in done.results.iter().zip(&merges).zip(&types) {
            ensure!(self.type_of(*result)? == *dtype, InvalidArgument, "a loop variable changes its type");
            let attrs = [("T", AttrValue::Type(*dtype))];
            let kept = self.add("Identity", "result", &[*result], &done.effects, &attrs)?;
            let next = self.add("NextIteration", "next", &[Endpoint { node: kept, index: 0 }], &[], &attrs)?;
            if let Some(input) = self.graph.node_mut(*merge).inputs.get_mut(1) {
                *input = Endpoint { node: next, index: 0 };
            }
        }
        Ok(Body { results: exits, effects: Vec::new() })
    }
}
