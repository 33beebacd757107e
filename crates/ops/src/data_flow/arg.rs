//! `_Arg`: an argument of the step or function that the graph is the body of.

use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("_Arg", "-> output: T")
        .role(Role::Argument)
        .attr("T: type")
        .attr("index: int >= 0")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (index, dtype) = (node.attr_int("index")? as usize, node.attr_type("T")?);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let value = cx.step.frame.arg(index)?.clone();
        ensure!(
            value.dtype() == dtype,
            InvalidArgument,
            "Type mismatch: actual {} vs. expect {dtype} in argument {index}",
            value.dtype()
        );
        cx.set_output(0, value);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use tensor::{DType, Tensor};

    use crate::testing::{Bench, val};

    #[test]
    fn arguments_in_results_out() {
        let bench = Bench::with_args(vec![Tensor::from(1f32), Tensor::from(2i32)], 1);
        let attrs = [("T", DType::Int32.into()), ("index", 1i64.into())];
        assert_eq!(bench.value("_Arg", &attrs, vec![]).unwrap(), Tensor::from(2i32));
        let wrong = [("T", DType::Float.into()), ("index", 1i64.into())];
        let status = bench.run("_Arg", &wrong, vec![]).err().unwrap();
        assert!(status.message().starts_with("Type mismatch: actual int32 vs. expect float"));
        let first = [("T", DType::Int32.into()), ("index", 0i64.into())];
        bench.run("_Retval", &first, vec![val(5i32)]).unwrap();
        assert_eq!(bench.step.frame.take_results(), [Some(Tensor::from(5i32))]);
    }
}
