//! `PyFunc`, `PyFuncStateless`: functions of the program that built the graph, which they are called back in by a token.
//!
//! A function lives in the process that registered it, so these ops run in sessions and servers of that process only.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use graph::op::{Kernel, OpContext, Registry};
use graph::{Node, ReadAttrs};
use parking_lot::RwLock;
use tensor::{Result, Tensor, ensure, err};

/// A function of tensors that a graph calls by a token.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::ops::{HostFunction, forget_function, register_function};
/// let first: HostFunction = Arc::new(|mut inputs| Ok(vec![inputs.remove(0)]));
/// register_function("first", first);
/// forget_function("first");
/// ```
pub type HostFunction = Arc<dyn Fn(Vec<Tensor>) -> Result<Vec<Tensor>> + Send + Sync>;

static FUNCTIONS: LazyLock<RwLock<HashMap<String, HostFunction>>> = LazyLock::new(RwLock::default);

/// Makes a function known in this process: nodes `PyFunc` with this token call it.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::register_function;
/// let g = Graph::new();
/// register_function("half", Arc::new(|inputs| Ok(vec![Tensor::from(inputs[0].to::<f32>()? / 2.0)])));
/// let call = g.op("PyFunc").input_list(&[g.constant(3f32)]).attr("token", "half");
/// let half = call.attr("Tout", tensorfleet::AttrValue::Types(vec![DType::Float])).output();
/// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&half)?, 1.5);
/// # Ok::<(), Status>(())
/// ```
pub fn register_function(token: &str, function: HostFunction) {
    FUNCTIONS.write().insert(token.to_owned(), function);
}

/// Forgets a function: nodes with its token fail from here on.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::ops::{forget_function, register_function};
/// register_function("gone", Arc::new(|inputs| Ok(inputs)));
/// forget_function("gone");
/// let g = Graph::new();
/// let call = g.op("PyFunc").input_list(&[g.constant(3f32)]).attr("token", "gone");
/// let call = call.attr("Tout", tensorfleet::AttrValue::Types(vec![DType::Float])).output();
/// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&call).unwrap_err().code(), Code::NotFound);
/// # Ok::<(), Status>(())
/// ```
pub fn forget_function(token: &str) {
    FUNCTIONS.write().remove(token);
}

pub(crate) fn register(r: &mut Registry) {
    for (op, stateful) in [("PyFunc", true), ("PyFuncStateless", false)] {
        let entry = r.op(op, "input: Tin -> output: Tout");
        let entry = entry.attr("token: string").attr("Tin: list(type) >= 0").attr("Tout: list(type) >= 0");
        let entry = if stateful { entry.stateful() } else { entry };
        entry.any_kernel(kernel).not_differentiable();
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let token = node.attr_str("token")?.to_owned();
    let types = node.attr_types("Tout")?.to_vec();
    // The program's own code takes as long as it takes, so it runs beside the kernels.
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let function = FUNCTIONS.read().get(&token).cloned().ok_or_else(|| {
            err!(
                NotFound,
                "callback {token} is not found: a function runs only in the process of the program that made it"
            )
        })?;
        let inputs = (0..cx.num_inputs()).map(|index| cx.take_input(index)).collect::<Result<Vec<_>>>()?;
        let outputs = function(inputs)?;
        ensure!(
            outputs.len() == types.len(),
            InvalidArgument,
            "the function {token} returned {} values, not {}",
            outputs.len(),
            types.len()
        );
        for (index, (output, wanted)) in outputs.into_iter().zip(&types).enumerate() {
            ensure!(
                output.dtype() == *wanted,
                InvalidArgument,
                "{index}-th value returned by {token} is {}, but expects {wanted}",
                output.dtype()
            );
            cx.set_output(index, output);
        }
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, val};
    use graph::AttrValue;
    use tensor::{Code, DType};

    fn call(token: &str, inputs: &[Tensor], types: &[DType]) -> Result<usize> {
        let attrs = [
            ("token", AttrValue::from(token.to_owned())),
            ("Tin", AttrValue::Types(inputs.iter().map(Tensor::dtype).collect())),
            ("Tout", AttrValue::Types(types.to_vec())),
        ];
        let inputs = inputs.iter().map(|input| val(input.clone())).collect();
        Ok(Bench::new().run("PyFunc", &attrs, inputs)?.len())
    }

    #[test]
    fn what_a_function_returns_is_checked() {
        register_function("twice", Arc::new(|inputs| Ok(vec![inputs[0].clone(), inputs[0].clone()])));
        let input = [Tensor::from(1f32)];
        assert_eq!(call("twice", &input, &[DType::Float, DType::Float]).unwrap(), 2);
        assert_eq!(call("twice", &input, &[DType::Float]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(call("twice", &input, &[DType::Float, DType::Int32]).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(call("nobody's", &input, &[DType::Float]).unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn a_function_that_fails_fails_the_step() {
        register_function("fails", Arc::new(|_| Err(err!(DataLoss, "of no use"))));
        let status = call("fails", &[], &[DType::Float]).unwrap_err();
        assert_eq!((status.code(), status.message().contains("of no use")), (Code::DataLoss, true));
    }
}
