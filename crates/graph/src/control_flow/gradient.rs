//! Gradients of conditionals and loops. That of a conditional is a conditional of the same predicate; that of a loop is a loop
//! that goes back over its iterations.

use tensor::{DType, PartialShape, Result, Tensor, err};

use super::capture::first;
use super::{CondId, ContextId, LoopVar};
use crate::builder::{Graph, Output};
use crate::data::Endpoint;
use crate::gradient_walk::{Returned, Walk};
use crate::gradients::{Gradient, is_differentiable};

impl Walk<'_> {
    /// Hands the gradients of what a conditional returned on to what its branches use.
    pub fn pass_cond(&mut self, id: CondId) -> Result<()> {
        let graph = self.graph;
        let (cond, branch) = {
            let state = graph.state();
            let cond = state.contexts.conds[id.0 as usize].clone();
            let branch = state.contexts.branch(cond.branches[0]).cloned();
            (cond, branch.ok_or_else(|| err!(Internal, "a conditional without branches"))?)
        };
        let mut joined = Vec::new();
        for merge in &cond.merges {
            if self.is_between(*merge)
                && let Some(gradient) = self.total(Endpoint { node: *merge, index: 0 })?
            {
                let inputs = self.data.node(*merge).inputs.clone();
                joined.push((gradient.to_dense(), inputs));
            }
        }
        let name = self.data.node(branch.pivot).name.clone();
        let scope = format!("{}_grad", name.rsplit_once('/').map_or(name.as_str(), |(scope, _)| scope));
        let pred = graph.endpoint(branch.pred);
        let (full, opened) =
            graph.with_name_scope(&scope, |graph| (graph.name_scope(), graph.open_cond(&pred, Some(branch.family))));
        let (backward, contexts) = opened?;
        // By what was used: the gradients if the predicate is false, and if it is true.
        let mut used: Vec<(Endpoint, [Option<Output>; 2])> = Vec::new();
        for side in [1, 0] {
            let passed = graph.with_context(Some(contexts[side]), |graph| -> Result<_> {
                for (gradient, inputs) in &joined {
                    let gradient = graph.localized(gradient, &full)?;
                    self.arrive(inputs[side], gradient);
                }
                self.level(Some(cond.branches[side]), false)?;
                self.totals_of_captured(cond.branches[side])
            })?;
            for (_, value, gradient) in passed {
                match used.iter_mut().find(|(known, _)| *known == value) {
                    Some((_, sides)) => sides[side] = Some(gradient),
                    None => {
                        let mut sides = [None, None];
                        sides[side] = Some(gradient);
                        used.push((value, sides));
                    }
                }
            }
        }
        graph.with_name_scope(&format!("{full}/"), |graph| {
            for (value, sides) in used {
                let Some(like) = sides.iter().flatten().next().cloned() else { continue };
                let mut complete = [Vec::new(), Vec::new()];
                for (side, gradient) in sides.into_iter().enumerate() {
                    complete[side].push(match gradient {
                        Some(gradient) => gradient,
                        None => {
                            graph.with_context(Some(contexts[side]), |graph| zeros_for(graph, "zeros", value, &like))?
                        }
                    });
                }
                for merged in graph.join_branches(backward, contexts, complete)? {
                    self.arrive(value, merged);
                }
            }
            Ok(())
        })
    }

    /// Hands the gradients of what a loop returned on to what its variables began with, and to what its body uses.
    pub fn pass_loop(&mut self, forward: ContextId) -> Result<()> {
        let graph = self.graph;
        let (frame, vars) = {
            let state = graph.state();
            let looped = state.contexts.looped(forward);
            let looped = looped.ok_or_else(|| err!(Internal, "a loop that is none"))?;
            (looped.frame.clone(), looped.vars.clone())
        };
        let mut arrived = Vec::new();
        for var in vars {
            if self.is_between(var.merge) && is_differentiable(self.data.node(var.exit).output_types[0].dtype) {
                let gradient = self.total(Endpoint { node: var.exit, index: 0 })?;
                arrived.push((var, gradient.map(|gradient| gradient.to_dense())));
            }
        }
        let back = self.take_returned(|home| home == Some(forward));
        if arrived.iter().all(|(_, gradient)| gradient.is_none()) && back.is_empty() {
            return Ok(());
        }
        let (backward, goes_on) = graph.open_reverse_loop(forward)?;
        for returned in back {
            let gradient = graph.take_back(backward, &returned)?;
            self.arrive(returned.value, gradient);
        }
        let mut carried = Vec::with_capacity(arrived.len());
        for (var, gradient) in arrived {
            let gradient = match gradient {
                Some(gradient) => gradient,
                None => {
                    let exit = Endpoint { node: var.exit, index: 0 };
                    zeros_for(graph, "zeros", exit, &graph.endpoint(exit))?
                }
            };
            let switch = self.carry(&var, backward, &gradient, &goes_on)?;
            self.arrive(self.data.node(var.next).inputs[0], switch.output(1));
            carried.push((var, switch));
        }
        graph.with_context(Some(backward), |_| self.level(Some(forward), false))?;
        let mut around = Vec::with_capacity(carried.len());
        for (var, switch) in carried {
            let node = |id| self.data.node(id).name.clone();
            let (switch_name, enter_name) = (node(var.switch), node(var.enter));
            let result = graph.with_context(Some(backward), |graph| -> Result<Output> {
                let scope = format!("{switch_name}_grad");
                graph.with_name_scope(&scope, |graph| -> Result<()> {
                    let total = self.total(Endpoint { node: var.switch, index: 1 })?;
                    let total = match total {
                        Some(gradient) => gradient.to_dense(),
                        None => graph.op("ZerosLike").input(switch.output(1)).try_build()?.output(0),
                    };
                    let next = graph.op("NextIteration").input(total).try_build()?;
                    if let (Some(switch), Some(id)) = (switch.id, next.id) {
                        let merge = graph.read(|data| data.node(switch).inputs[0].node);
                        let enter = graph.read(|data| data.node(merge).inputs[0].node);
                        graph.close_loop(merge, &next.output(0));
                        around.push(LoopVar { enter, merge, switch, next: id, exit: switch });
                    }
                    Ok(())
                })?;
                let scope = format!("{enter_name}_grad");
                graph.with_name_scope(&scope, |graph| {
                    Ok(graph.op("Exit").input(switch.output(0)).try_build()?.output(0))
                })
            })?;
            if let (Some(last), Some(exit)) = (around.last_mut(), result.endpoint) {
                last.exit = exit.node;
            }
            self.arrive(self.data.node(var.enter).inputs[0], result);
        }
        let invariants = graph.with_context(Some(backward), |_| self.totals_of_captured(forward))?;
        for (enter, value, gradient) in invariants {
            let kept = graph.state().contexts.kept().iter().find(|kept| kept.pop == enter.node).copied();
            if let Some(kept) = kept {
                // It was kept by the loop that this one goes back over, and gets its gradient there.
                if is_differentiable(gradient.dtype().unwrap_or(DType::Int32)) {
                    let gradient = graph.with_context(Some(backward), |graph| graph.localized(&gradient, "g_acc"))?;
                    let (stack, after) = graph.give_back(backward, &gradient)?;
                    let gradient = first(gradient)?;
                    self.returned.push(Returned { value: kept.value, gradient, stack, after });
                }
            } else if self.is_between(value.node) {
                let name = self.data.node(enter.node).name.clone();
                let total = graph.with_name_scope(&format!("{name}_grad"), |graph| {
                    accumulate(graph, backward, value, &gradient, &goes_on, &mut around)
                        .map_err(|status| status.context(format_args!("gradient of '{name}' in the loop '{frame}'")))
                })?;
                self.arrive(value, total);
            }
        }
        if let Some(looped) = graph.state().contexts.looped_mut(backward) {
            looped.vars = around;
        }
        Ok(())
    }

    /// Lets the gradient of a loop variable into the loop that goes back: the `Switch` that it comes to in each iteration.
    fn carry(
        &self,
        var: &LoopVar,
        backward: ContextId,
        gradient: &Output,
        goes_on: &Output,
    ) -> Result<crate::builder::Operation> {
        let graph = self.graph;
        let scope = |id| format!("{}_grad", self.data.node(id).name);
        let shape = self.data.node(var.merge).output_shape(0);
        let enter =
            graph.with_name_scope(&scope(var.exit), |graph| graph.enter(backward, "b_exit", gradient, &shape))?;
        graph.with_context(Some(backward), |graph| {
            let merge = graph.with_name_scope(&scope(var.switch), |graph| {
                graph.op("Merge").name("b_switch").input_list(&[enter.clone(), enter.clone()]).try_build()
            })?;
            graph.with_name_scope(&scope(var.merge), |graph| {
                graph.op("Switch").input(merge.output(0)).input(goes_on).colocate_with(&merge).try_build()
            })
        })
    }

    /// What was brought into a context: inside, outside, and its gradient.
    fn totals_of_captured(&mut self, context: ContextId) -> Result<Vec<(Endpoint, Endpoint, Output)>> {
        let mut inside: Vec<Endpoint> = {
            let state = self.graph.state();
            state.contexts.context(context).captured.values().copied().collect()
        };
        inside.sort();
        inside.dedup();
        let mut totals = Vec::new();
        for inside in inside {
            if self.is_between(inside.node)
                && let Some(gradient) = self.total(inside)?
            {
                let outside = self.data.node(inside.node).inputs[0];
                totals.push((inside, outside, gradient.to_dense()));
            }
        }
        Ok(totals)
    }
}

/// The sum, over all iterations of a loop, of the gradients of something that stays the same in all of them.
fn accumulate(
    graph: &Graph,
    backward: ContextId,
    value: Endpoint,
    gradient: &Output,
    goes_on: &Output,
    around: &mut Vec<LoopVar>,
) -> Result<Gradient> {
    let zeros = zeros_for(graph, "b_acc", value, gradient)?;
    let enter = graph.enter(backward, "b_acc", &zeros, &zeros.shape())?;
    graph.with_context(Some(backward), |graph| {
        let merge = graph.op("Merge").name("b_acc").input_list(&[enter.clone(), enter.clone()]).try_build()?;
        let switch = graph.op("Switch").input(merge.output(0)).input(goes_on).try_build()?;
        let sum = graph.op("AddV2").name("Add").input(switch.output(1)).input(gradient).try_build()?.output(0);
        let next = graph.op("NextIteration").input(sum).try_build()?;
        let total = graph.op("Exit").name("b_acc").input(switch.output(0)).try_build()?;
        let enter = enter.endpoint.map(|enter| enter.node);
        if let (Some(enter), Some(merge), Some(switch), Some(id), Some(exit)) =
            (enter, merge.id, switch.id, next.id, total.id)
        {
            graph.close_loop(merge, &next.output(0));
            around.push(LoopVar { enter, merge, switch, next: id, exit });
        }
        Ok(total.output(0).into())
    })
}

/// Zeros, in the current context, for the gradient of a value where there is none; `like` is of its type.
fn zeros_for(graph: &Graph, name: &str, value: Endpoint, like: &Output) -> Result<Output> {
    let dtype = like.dtype().unwrap_or(DType::Float);
    let value = graph.endpoint(value);
    let is_handle = value.dtype() == Some(DType::Resource);
    let known: PartialShape = if is_handle { like.shape() } else { value.shape().merge(&like.shape())? };
    let dims = match known.to_shape() {
        Some(shape) => {
            let dims: Option<Vec<i32>> = shape.dims().iter().map(|dim| i32::try_from(*dim).ok()).collect();
            let dims = dims.ok_or_else(|| err!(InvalidArgument, "a gradient of shape {shape} is too large"))?;
            graph.constant(Tensor::vector(&dims))
        }
        None if is_handle => graph.op("VariableShape").input(&value).try_build()?.output(0),
        None => return Ok(graph.op("ZerosLike").name(name).input(&value).try_build()?.output(0)),
    };
    let zero = crate::operators::Operand::to_output(&0f32, graph, Some(dtype));
    Ok(graph.op("Fill").name(name).input(dims).input(zero).try_build()?.output(0))
}
