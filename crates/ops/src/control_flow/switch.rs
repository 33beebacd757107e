//! `Switch` and `RefSwitch`: pass their input on to one of two outputs; the other one stays without a value.

use graph::op::{GradContext, Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("Switch", "data: T, pred: bool -> output_false: T, output_true: T")
        .role(Role::Switch)
        .attr("T: type")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("RefSwitch", "data: Ref(T), pred: bool -> output_false: Ref(T), output_true: Ref(T)")
        .role(Role::Switch)
        .leaves_variables()
        .attr("T: type")
        .allows_uninitialized_input()
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    for output in 0..2 {
        cx.set(output, cx.input(0));
        if let Some((dtype, shape)) = cx.handle(0) {
            cx.set_handle(output, dtype, shape);
        }
    }
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let pred = cx.input(1)?;
        ensure!(
            pred.shape().is_scalar(),
            InvalidArgument,
            "The second input must be a scalar, but it has shape {}",
            pred.shape()
        );
        let taken = pred.to_scalar::<bool>()? as usize;
        let value = cx.take_value(0);
        cx.set_value(taken, value);
        Ok(())
    }))
}

/// What comes back is the gradient of the branch that was taken; a branch without one contributes zeros.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let sides = [cx.dy(0)?, cx.dy(1)?];
    Ok(vec![Some(cx.op("Merge").input_list(&sides).output().into()), None])
}

/// Sends a value down one of two branches (`Switch`); only that branch runs.
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant(3f32);
/// let (if_false, if_true) = x.switch(&x.greater(5.0));
/// let (y, _) = (if_false * 10.0).merge(&(if_true + 1.0));
/// assert_eq!(eval(&y)?, Tensor::from(30f32));
/// # Ok(())
/// # }
/// ```
pub trait SwitchOps {
    /// Returns this value on the first output if `pred` is false, on the second if it is true.
    fn switch(&self, pred: &Output) -> (Output, Output);
}

impl SwitchOps for Output {
    #[track_caller]
    fn switch(&self, pred: &Output) -> (Output, Output) {
        let op = if self.is_ref() { "RefSwitch" } else { "Switch" };
        let node = self.graph().op(op).input(self).input(pred).build();
        (node.output(0), node.output(1))
    }
}

#[cfg(test)]
mod tests {
    use graph::op::Value;
    use tensor::{DType, Tensor};

    use crate::testing::{Bench, tensor, val};

    #[test]
    fn only_one_side_gets_the_value() {
        let switch =
            |pred: bool| Bench::new().run("Switch", &[("T", DType::Float.into())], vec![val(7f32), val(pred)]).unwrap();
        let outputs = switch(true);
        assert!(matches!(outputs[0], Value::Empty));
        assert_eq!(tensor(&outputs[1]), Tensor::from(7f32));
        assert!(matches!(switch(false)[1], Value::Empty));
    }

    #[test]
    fn the_condition_is_one_bool() {
        let inputs = vec![val(7f32), val([true])];
        let status = Bench::new().run("Switch", &[("T", DType::Float.into())], inputs).err().unwrap();
        // TensorFlow 2.21 gives exactly this.
        assert_eq!(status.message(), "The second input must be a scalar, but it has shape [1]");
    }
}
