//! A moment in which no step is halfway through its updates, as the planner puts it around saves and restores:
//! `_HoldUpdates`, `_AwaitUpdates` and `_ReleaseUpdates`; and what makes a restore one act: `_RollBack`, `_ForgetValue`
//! and `_ForgetVariable`.

use std::sync::Arc;

use graph::op::{
    AWAIT, AsyncContext, Done, HOLD, Kernel, OpContext, Outputs, Registry, ResourceVariable, ShapeContext, Step,
    StepId, Value, Variable, place,
};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use smallvec::smallvec;
use tensor::{PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    // The steps that have begun to change something, here and on the devices that were held before: pairs of a step and a
    // place where it does so.
    r.op("_HoldUpdates", "before: int64 -> begun: int64")
        .stateful()
        .shape(|cx| {
            cx.set(0, PartialShape::from([None]));
            Ok(())
        })
        .any_kernel(|_| Ok(Kernel::asynchronous(hold)))
        .not_differentiable();
    r.op("_AwaitUpdates", "begun: int64 ->")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::asynchronous(wait)))
        .not_differentiable();
    r.op("_ReleaseUpdates", "->")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::cheap(release)))
        .not_differentiable();
    r.op("_RollBack", "->")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(|_| Ok(Kernel::cheap(roll_back)))
        .not_differentiable();
    r.op("_ForgetValue", "ref: Ref(T), value: T ->")
        .attr("T: type")
        .attr("validate_shape: bool = true")
        .allows_uninitialized_input()
        .shape(ShapeContext::unknown)
        .any_kernel(forget_value)
        .not_differentiable();
    r.op("_ForgetVariable", "resource: resource, value: dtype ->")
        .attr("dtype: type")
        .attr("validate_shape: bool = false")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(forget_variable)
        .not_differentiable();
}

/// Gives an outcome once, whoever comes first: what was waited for, or the end of the step.
type Once = Arc<Mutex<Option<Done>>>;

fn give(once: &Once, outcome: Result<Outputs>) {
    let done = once.lock().take();
    if let Some(done) = done {
        done(outcome);
    }
}

/// Ends a wait when the step is cancelled.
fn end_with(step: &Arc<Step>, once: &Once) -> graph::op::Registration {
    let (held, once) = (Arc::downgrade(step), once.clone());
    step.cancellation.on_cancel(move |reason| {
        if let Some(step) = held.upgrade() {
            step.resources.updates().end(step.id);
        }
        give(&once, Err(reason.clone()));
    })
}

fn hold(cx: AsyncContext, done: Done) {
    let before = match cx.input(0).and_then(|before| before.to_i64_vec()) {
        Ok(before) => before,
        Err(status) => return done(Err(status)),
    };
    let (once, step): (Once, _) = (Arc::new(Mutex::new(Some(done))), cx.step.clone());
    let registration = end_with(&step, &once);
    let holder = step.clone();
    step.resources.updates().hold(step.id, move |begun| {
        let (resources, id) = (holder.resources.clone(), holder.id);
        let alarm = holder.host.after(HOLD, Box::new(move || _ = resources.updates().release(id)));
        holder.resources.updates().keep_alarm(holder.id, alarm);
        let mut all = before;
        all.extend(begun.iter().flat_map(|(id, place)| [id.0, *place]));
        drop(registration);
        give(&once, Ok(smallvec![Value::Tensor(Tensor::vector(&all))]));
    });
}

fn wait(cx: AsyncContext, done: Done) {
    let begun: Vec<(StepId, i64)> = match cx.input(0).and_then(|begun| begun.to_i64_vec()) {
        Ok(begun) => begun.chunks_exact(2).map(|pair| (StepId(pair[0]), pair[1])).collect(),
        Err(status) => return done(Err(status)),
    };
    let (once, step): (Once, _) = (Arc::new(Mutex::new(Some(done))), cx.step.clone());
    let registration = end_with(&step, &once);
    let (resources, id) = (step.resources.clone(), step.id);
    let alarm = step.host.after(AWAIT, Box::new(move || resources.updates().stop_awaiting(id)));
    let device = step.device.clone();
    step.resources.updates().await_ended(step.id, place(&step.device), &begun, move |left| {
        drop((registration, alarm));
        if left > 0 {
            tracing::warn!(
                device,
                steps = left,
                "steps are halfway through their updates and do not end; going on without them"
            );
        }
        give(&once, Ok(Outputs::new()));
    });
}

fn release(cx: &mut OpContext<'_>) -> Result<()> {
    if !cx.step.resources.updates().release(cx.step.id) {
        tracing::warn!(
            device = cx.step.device,
            "updates went on before all values were taken, so these may be of different moments"
        );
    }
    Ok(())
}

fn roll_back(cx: &mut OpContext<'_>) -> Result<()> {
    cx.step.resources.roll_back(cx.step.id);
    Ok(())
}

/// What `Assign` would refuse is refused here, before anything is forgotten.
fn forget(variable: &Variable, value: &Tensor, validate: bool) -> Result<()> {
    ensure!(
        variable.dtype() == value.dtype(),
        InvalidArgument,
        "variable '{}' holds {}, but a value of type {} was assigned",
        variable.name(),
        variable.dtype(),
        value.dtype()
    );
    if validate {
        let expected = variable.snapshot().map_or_else(|| variable.shape().clone(), |old| old.shape().into());
        ensure!(
            expected.is_compatible_with(value.shape()),
            InvalidArgument,
            "Assign requires shapes of both tensors to match. lhs shape= {expected} rhs shape= {}",
            value.shape()
        );
    }
    variable.forget();
    Ok(())
}

// A session's kernels of one name are one kernel, so what differs is read from the node that runs.
fn forget_value(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        forget(cx.variable(0)?, cx.input(1)?, cx.node.attr_bool("validate_shape")?)
    }))
}

fn forget_variable(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| match cx.resource::<ResourceVariable>(0) {
        Ok(variable) => forget(&variable.0, cx.input(1)?, cx.node.attr_bool("validate_shape")?),
        // There is nothing to forget yet.
        Err(_) => Ok(()),
    }))
}
