//! `CheckNumerics` and `CheckNumericsV2`: pass numbers on, and fail at what is none (NaN) or infinite.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::{self, BFloat16, Double, Float, Half};
use tensor::{Result, Tensor, bail, bf16, f16};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[BFloat16, Half, Float, Double];
    for op in ["CheckNumerics", "CheckNumericsV2"] {
        r.op(op, "tensor: T -> output: T")
            .attr("T: {bfloat16, half, float, double}")
            .attr("message: string")
            .stateful()
            .shape(ShapeContext::unchanged)
            .kernel("T", TYPES, kernel)
            .gradient(grad);
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let message = node.attr_str("message")?.to_owned();
    // The second version tells the two infinities apart.
    let signs = node.op == "CheckNumericsV2";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let tensor = cx.take_input(0)?;
        let found = dispatch!(tensor.dtype(), T in [f32, f64, f16, bf16] => found::<T>(&tensor))?;
        if found != Found::default() {
            bail!(InvalidArgument, "{message} : Tensor had {} values", found.text(signs));
        }
        cx.set_output(0, tensor);
        Ok(())
    }))
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Found {
    minus: bool,
    plus: bool,
    nan: bool,
}

fn found<T: tensor::Element + Into<f64>>(tensor: &Tensor) -> Result<Found> {
    let mut found = Found::default();
    for element in tensor.as_slice::<T>()? {
        let value: f64 = (*element).into();
        if !value.is_finite() {
            found.nan |= value.is_nan();
            found.plus |= value == f64::INFINITY;
            found.minus |= value == f64::NEG_INFINITY;
        }
    }
    Ok(found)
}

impl Found {
    fn text(self, signs: bool) -> String {
        let words = if signs {
            [(self.minus, "-Inf"), (self.plus, "+Inf"), (self.nan, "NaN")]
        } else {
            [(false, ""), (self.minus || self.plus, "Inf"), (self.nan, "NaN")]
        };
        let words: Vec<&str> = words.into_iter().filter_map(|(there, word)| there.then_some(word)).collect();
        match words.as_slice() {
            [all @ .., last] if all.len() > 1 => format!("{}, and {last}", all.join(", ")),
            few => few.join(" and "),
        }
    }
}

/// The gradient is checked as well.
fn grad(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let message = cx.node.attr_str("message")?;
    let message = format!("Not a number (NaN) or infinity (Inf) values detected in gradient. {message}");
    Ok(vec![Some(cx.op(&cx.node.op).input(cx.dy(0)?).attr("message", message).output().into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_number_is_told_as_tensorflow_does() {
        // TensorFlow 2.21 gives these words.
        let words = |values: &[f32], signs| found::<f32>(&Tensor::vector(values)).unwrap().text(signs);
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        assert_eq!(words(&[1.0, inf, nan], false), "Inf and NaN");
        assert_eq!(words(&[-inf], false), "Inf");
        assert_eq!(words(&[inf, -inf], true), "-Inf and +Inf");
        assert_eq!(words(&[nan, -inf, inf], true), "-Inf, +Inf, and NaN");
        assert_eq!(found::<f32>(&Tensor::vector(&[1f32, f32::MAX])).unwrap(), Found::default());
    }
}
