//! `Merge` and `RefMerge`: pass on whichever of their inputs has a value, and say which one.

use graph::op::{GradContext, Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{PartialShape, Result};

pub(crate) fn register(r: &mut Registry) {
    r.op("Merge", "inputs: N * T -> output: T, value_index: int32")
        .role(Role::Merge)
        .attr("T: type")
        .attr("N: int >= 1")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("RefMerge", "inputs: Ref(N * T) -> output: Ref(T), value_index: int32")
        .role(Role::Merge)
        .leaves_variables()
        .attr("T: type")
        .attr("N: int >= 1")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut shape = cx.input(0);
    for index in 1..cx.num_inputs() {
        shape = shape.common(&cx.input(index));
    }
    cx.set(0, shape);
    cx.set(1, PartialShape::scalar());
    if let Some((dtype, shape)) = cx.handle(0) {
        cx.set_handle(0, dtype, shape);
    }
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        if let Some(index) = (0..cx.num_inputs()).find(|index| cx.has_input(*index)) {
            let value = cx.take_value(index);
            cx.set_value(0, value);
            cx.set_output(1, index as i32);
        }
        Ok(())
    }))
}

/// The gradient goes back to the input that was passed on; the others get none.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let mut grads = Vec::with_capacity(cx.num_inputs());
    for index in 0..cx.num_inputs() {
        let own = cx.graph.constant(index as i32);
        let chosen = cx.op("Equal").input(cx.y(1)).input(own).output();
        grads.push(Some(cx.op("Switch").input(&dy).input(chosen).build().output(1).into()));
    }
    Ok(grads)
}

/// Brings two branches together again (`Merge`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let (if_false, if_true) = g.constant(3f32).switch(&g.constant(true));
/// let (value, which) = if_false.merge(&if_true);
/// assert_eq!(eval(&value)?, Tensor::from(3f32));
/// assert_eq!(eval(&which)?, Tensor::from(1i32)); // the second one
/// # Ok(())
/// # }
/// ```
pub trait MergeOps {
    /// Returns this value or another, whichever there is, and the number of the one there is.
    fn merge(&self, other: &Output) -> (Output, Output);
}

impl MergeOps for Output {
    #[track_caller]
    fn merge(&self, other: &Output) -> (Output, Output) {
        let node = self.graph().op("Merge").input_list(&[self.clone(), other.clone()]).build();
        (node.output(0), node.output(1))
    }
}

#[cfg(test)]
mod tests {
    use graph::op::Value;
    use tensor::{DType, Tensor};

    use crate::testing::{Bench, tensor, val};

    #[test]
    fn the_input_that_is_there_is_passed_on() {
        let attrs = [("T", DType::Float.into()), ("N", 2i64.into())];
        let outputs = Bench::new().run("Merge", &attrs, vec![Value::Empty, val(3f32)]).unwrap();
        assert_eq!((tensor(&outputs[0]), tensor(&outputs[1])), (Tensor::from(3f32), Tensor::from(1i32)));
        let outputs = Bench::new().run("Merge", &attrs, vec![Value::Empty, Value::Empty]).unwrap();
        assert!(outputs.iter().all(|output| matches!(output, Value::Empty)));
    }
}
