//! What the iterations of a loop keep for its gradient: the values that the gradient needs, on stacks, and how many iterations
//! there were.
//!
//! A value goes onto a stack in each iteration, after the counter went up and before it goes around; the gradient's loop takes
//! it off before its own counter goes around. A stack is outside of all loops, so what a loop within a loop puts there in one
//! iteration of the outer one has to come before what it puts there in the next: the inner counter starts after the outer one
//! went up, and the inner loop of the gradient ends before the outer counter there goes around.

use tensor::{DType, PartialShape, Result, err};

use super::capture::{bring_in, first, is_constant_enter, local};
use super::{ContextId, Kept};
use crate::builder::{Graph, Output};
use crate::data::{Endpoint, NodeId};
use crate::gradient_walk::Returned;
use crate::op::Role;

/// Counts the iterations of a loop.
#[derive(Clone, Copy)]
pub(crate) struct Counter {
    /// The count in the beginning.
    pub start: NodeId,
    /// Adds one, or takes one away.
    pub step: NodeId,
    /// Takes the count to the next iteration.
    pub next: NodeId,
    /// The count in the end.
    pub total: Endpoint,
}

impl Graph {
    /// The counter of a loop's iterations, built when it is first asked for.
    pub(super) fn iteration_counter(&self, context: ContextId) -> Result<Counter> {
        let (outer, counter, goes_on) = {
            let state = self.state();
            let looped = state.contexts.looped(context).ok_or_else(no_loop)?;
            let switch = looped.vars.first().map(|var| state.data.node(var.switch).inputs[1]);
            (state.contexts.outer(context), looped.counter, switch)
        };
        if let Some(counter) = counter {
            return Ok(counter);
        }
        let goes_on = self.endpoint(goes_on.ok_or_else(no_loop)?);
        let (zero, start) = self.only_in_context(outer, |graph| -> Result<_> {
            let zero = constant(graph, "f_count", 0)?;
            let start = graph.enter(context, "f_count", &zero, &PartialShape::scalar())?;
            Ok((first(zero)?.node, start))
        })?;
        let counter = self.only_in_context(Some(context), |graph| -> Result<Counter> {
            let merge = graph.op("Merge").input_list(&[start.clone(), start.clone()]).try_build()?.output(0);
            let switch = graph.op("Switch").input(&merge).input(&goes_on).try_build()?;
            let one = constant(graph, "Add/y", 1)?;
            let step = graph.op("AddV2").name("Add").input(switch.output(1)).input(one).try_build()?.output(0);
            let next = graph.op("NextIteration").input(&step).try_build()?.output(0);
            graph.close_loop(first(merge)?.node, &next);
            let total = graph.op("Exit").name("f_count").input(switch.output(0)).try_build()?.output(0);
            Ok(Counter { start: zero, step: first(step)?.node, next: first(next)?.node, total: first(total)? })
        })?;
        if let Some(looped) = self.state().contexts.looped_mut(context) {
            looped.counter = Some(counter);
        }
        Ok(counter)
    }

    /// A loop in the current context that runs as often as `forward` did: its context, and the output that says whether it
    /// goes on.
    pub(super) fn open_reverse_loop(&self, forward: ContextId) -> Result<(ContextId, Output)> {
        let forward_counter = self.iteration_counter(forward)?;
        let (frame, parallel_iterations, around) = {
            let state = self.state();
            let contexts = &state.contexts;
            let looped = contexts.looped(forward).ok_or_else(no_loop)?;
            let around = contexts.loop_of(contexts.current).and_then(|id| Some((id, contexts.looped(id)?.reverses?)));
            (looped.frame.clone(), looped.parallel_iterations, around)
        };
        if let Some((_, outer)) = around {
            let step = self.iteration_counter(outer)?.step;
            self.add_wait(forward_counter.start, step);
        }
        // What goes back over a loop that goes back itself runs as often as the first one.
        let mut origin = forward;
        while let Some(earlier) = self.state().contexts.looped(origin).and_then(|looped| looped.reverses) {
            origin = earlier;
        }
        let total = self.endpoint(self.iteration_counter(origin)?.total);
        let one = constant(self, "b_count", 1)?;
        let context = self.open_loop(&self.unique_name(&frame), parallel_iterations, Some(forward));
        let start = self.enter(context, "b_count", &total, &PartialShape::scalar())?;
        let (goes_on, counter) = self.only_in_context(Some(context), |graph| -> Result<_> {
            let merge = graph.op("Merge").input_list(&[start.clone(), start.clone()]).try_build()?.output(0);
            graph.set_pivot(context, &merge)?;
            let more = graph.op("GreaterEqual").input(&merge).input(&one).try_build()?.output(0);
            let goes_on = graph.op("LoopCond").name("b_count").input(more).try_build()?.output(0);
            let switch = graph.op("Switch").input(&merge).input(&goes_on).try_build()?;
            let step = graph.op("Sub").input(switch.output(1)).input(&one).try_build()?.output(0);
            graph.set_pivot(context, &step)?;
            let next = graph.op("NextIteration").input(&step).try_build()?.output(0);
            graph.close_loop(first(merge)?.node, &next);
            let total = graph.op("Exit").name("b_count").input(switch.output(0)).try_build()?.output(0);
            let start = first(start)?.node;
            Ok((goes_on, Counter { start, step: first(step)?.node, next: first(next)?.node, total: first(total)? }))
        })?;
        if origin != forward {
            // It takes what that loop keeps, so it begins when that has ended.
            self.add_wait(counter.start, forward_counter.total.node);
        }
        if let Some(looped) = self.state().contexts.looped_mut(context) {
            looped.counter = Some(counter);
        }
        if let Some((outer, _)) = around {
            let name = self.unique_name("b_sync");
            self.wait_in_iteration(outer, counter.total.node, &name)?;
        }
        Ok((context, goes_on))
    }

    /// Puts a value of each iteration of a loop onto a stack outside of all loops; returns that, and what has run when all are there.
    pub(super) fn give_back(&self, context: ContextId, value: &Output) -> Result<(Output, NodeId)> {
        let counter = self.iteration_counter(context)?;
        let dtype = value.dtype().ok_or_else(no_loop)?;
        let stack = self.only_in_context(None, |graph| -> Result<Output> {
            let no_limit = constant(graph, "g_acc", -1)?;
            Ok(graph.op("StackV2").name("g_acc").input(no_limit).attr("elem_type", dtype).try_build()?.output(0))
        })?;
        let push = self.only_in_context(Some(context), |graph| {
            let push = graph.op("StackPushV2").input(&stack).input(value);
            push.control_inputs(&[graph.node(counter.step)]).try_build()
        })?;
        self.add_wait(counter.next, push.id.ok_or_else(no_loop)?);
        Ok((stack, counter.total.node))
    }

    /// Takes a gradient off its stack in each iteration of a loop that goes back.
    pub(super) fn take_back(&self, context: ContextId, returned: &Returned) -> Result<Output> {
        let (start, like) = (self.iteration_counter(context)?.start, self.endpoint(returned.value));
        self.add_wait(start, returned.after);
        let dtype = like.dtype().ok_or_else(no_loop)?;
        let pop = self.only_in_context(Some(context), |graph| {
            graph.op("StackPopV2").input(&returned.stack).attr("elem_type", dtype).try_build()
        })?;
        let id = pop.id.ok_or_else(no_loop)?;
        self.wait_in_iteration(context, id, &self.unique_name("b_sync"))?;
        pop.output(0).set_shape(like.shape());
        // There is no way for gradients from here to where it came from.
        self.state().contexts.kept.push(Kept { value: returned.gradient, pop: id, plain: false });
        Ok(pop.output(0))
    }

    /// Lets the next iteration begin, as far as the counter is concerned, only after `node`, which may not run.
    fn wait_in_iteration(&self, context: ContextId, node: NodeId, name: &str) -> Result<()> {
        let (sync, next) = {
            let state = self.state();
            let looped = state.contexts.looped(context).ok_or_else(no_loop)?;
            (looped.sync, looped.counter.ok_or_else(no_loop)?.next)
        };
        let sync = match sync {
            Some(sync) => sync,
            None => {
                let sync = self.only_in_context(Some(context), |graph| {
                    let name = graph.state().scopes.unique(name);
                    graph.op("ControlTrigger").name_exactly(name).try_build()
                })?;
                let sync = sync.id.ok_or_else(no_loop)?;
                self.add_wait(next, sync);
                if let Some(looped) = self.state().contexts.looped_mut(context) {
                    looped.sync = Some(sync);
                }
                sync
            }
        };
        self.add_wait(sync, node);
        Ok(())
    }
}

/// What stands, in a context that goes back over a loop, for a value that the loop computed in the same iteration.
pub(super) fn kept(graph: &Graph, context: ContextId, value: Endpoint, name: &str) -> Result<Endpoint> {
    let (node, outer, captured, backward, forward, home) = {
        let state = graph.state();
        let contexts = &state.contexts;
        let node = state.data.node(value.node).clone();
        let home = contexts.of_outputs(&state.data, value.node).ok_or_else(no_loop)?;
        let switched = contexts.branch(home).is_some() && contexts.captures(value.node);
        let captured = (switched || is_constant_enter(&state.data, value.node)).then(|| node.inputs[0]);
        let backward = contexts.loop_of(Some(context)).ok_or_else(no_loop)?;
        let forward = contexts.looped(backward).and_then(|looped| looped.reverses).ok_or_else(no_loop)?;
        (node, contexts.outer(context), captured, backward, forward, home)
    };
    if let Some(outside) = captured {
        // It comes from outside of the loop or branch, and comes in here in the same way.
        let outside = local(graph, outer, outside, name)?;
        return bring_in(graph, context, outside, name);
    }
    if node.role() == Role::Constant {
        let copy = graph.only_in_context(Some(context), |graph| {
            let name = graph.state().scopes.unique(&format!("{name}/Const"));
            let copy = graph.op("Const").name_exactly(name);
            copy.attr("dtype", node.attrs["dtype"].clone()).attr("value", node.attrs["value"].clone()).try_build()
        })?;
        return first(copy.output(0));
    }
    let counter = graph.iteration_counter(forward)?;
    let value = graph.endpoint(value);
    let dtype = value.dtype().ok_or_else(no_loop)?;
    let unique = |last: &str| graph.state().scopes.unique(&format!("{name}/{last}"));
    let around = graph.state().contexts.around_reversed(backward, forward);
    let stack = graph.only_in_context(around, |graph| -> Result<Output> {
        let no_limit = constant_exactly(graph, &unique("Const"), -1)?;
        let stack = graph.op("StackV2").name_exactly(unique("f_acc")).input(no_limit).attr("elem_type", dtype);
        Ok(stack.colocate_with(&value.operation()).try_build()?.output(0))
    })?;
    let push = graph.only_in_context(Some(home), |graph| {
        let push = graph.op("StackPushV2").name_exactly(unique("StackPushV2")).input(&stack).input(&value);
        push.control_inputs(&[graph.node(counter.step)]).try_build()
    })?;
    let push = push.id.ok_or_else(no_loop)?;
    if home == forward {
        graph.add_wait(counter.next, push);
    } else {
        graph.wait_in_iteration(forward, push, &format!("{name}/f_sync"))?;
    }
    let pop = graph.only_in_context(Some(context), |graph| {
        graph.op("StackPopV2").name_exactly(unique("StackPopV2")).input(&stack).attr("elem_type", dtype).try_build()
    })?;
    graph.wait_in_iteration(backward, pop.id.ok_or_else(no_loop)?, &format!("{name}/b_sync"))?;
    pop.output(0).set_shape(value.shape());
    let popped = first(pop.output(0))?;
    let mut state = graph.state();
    let contexts = &mut state.contexts;
    let plain = home == forward
        && context == backward
        && contexts.outer(forward).is_none()
        && contexts.outer(backward).is_none();
    contexts.kept.push(Kept { value: first(value)?, pop: popped.node, plain });
    Ok(popped)
}

fn constant(graph: &Graph, name: &str, value: i32) -> Result<Output> {
    constant_exactly(graph, &graph.unique_name(name), value)
}

fn constant_exactly(graph: &Graph, name: &str, value: i32) -> Result<Output> {
    let node = graph.op("Const").name_exactly(name);
    let value = tensor::Tensor::from(value);
    Ok(node.attr("dtype", DType::Int32).attr("value", value).try_build()?.output(0))
}

fn no_loop() -> tensor::Status {
    err!(Internal, "a value is kept for the gradient of a loop that is none")
}
