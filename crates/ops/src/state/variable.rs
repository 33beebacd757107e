//! `VariableV2` and `Variable`: a reference to a variable that outlives steps and sessions.

use std::sync::Arc;

use graph::op::{Container, Kernel, OpContext, RefVariable, Registry, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, ensure};

pub(crate) fn register(r: &mut Registry) {
    for op in ["VariableV2", "Variable"] {
        r.op(op, "-> ref: Ref(dtype)")
            .attr("shape: shape")
            .attr("dtype: type")
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    // The older op could not tell a scalar from an unknown shape.
    let vague = cx.node.op == "Variable" && shape.rank() == Some(0);
    cx.set(0, if vague { PartialShape::unknown() } else { shape });
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let place = Container::of_variable(node)?;
    let (dtype, mut shape) = (node.attr_type("dtype")?, node.attr_shape("shape")?.clone());
    if node.op == "Variable" && shape.rank() == Some(0) {
        shape = PartialShape::unknown();
    }
    let name = node.name.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let found = cx.step.resources.lookup_or_create(&place.container, &place.name, || {
            Ok(RefVariable(Arc::new(Variable::new(name.clone(), dtype, shape.clone()))))
        })?;
        ensure!(
            found.0.dtype() == dtype,
            InvalidArgument,
            "variable '{}' holds {}, but {dtype} was asked for",
            place.name,
            found.0.dtype()
        );
        cx.set_ref(0, found.0.clone());
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use graph::op::Value;
    use tensor::{DType, PartialShape, Tensor};

    use crate::testing::{Bench, val};

    fn attrs(name: &'static str, dtype: DType) -> Vec<(&'static str, AttrValue)> {
        vec![("dtype", dtype.into()), ("shape", PartialShape::from([2]).into()), ("shared_name", name.into())]
    }

    fn variable(bench: &Bench, name: &'static str, dtype: DType) -> Value {
        bench.run("VariableV2", &attrs(name, dtype), vec![]).unwrap().remove(0)
    }

    #[test]
    fn nodes_of_one_name_share_a_variable() {
        let bench = Bench::new();
        let assign = [("T", DType::Float.into())];
        bench.run("Assign", &assign, vec![variable(&bench, "v", DType::Float), val([1f32, 2.0])]).unwrap();
        let later = bench.next_step();
        assert_eq!(later.value("VariableV2", &attrs("v", DType::Float), vec![]).unwrap(), Tensor::from([1f32, 2.0]));
        let Value::Ref(other) = variable(&later, "w", DType::Float) else { panic!() };
        assert!(!other.is_initialized());
        assert!(later.run("VariableV2", &attrs("v", DType::Int32), vec![]).is_err());
    }

    #[test]
    fn the_value_must_have_the_declared_shape() {
        let bench = Bench::new();
        let attrs = [("T", DType::Float.into())];
        let status = bench.run("Assign", &attrs, vec![variable(&bench, "v", DType::Float), val(1f32)]).err().unwrap();
        // TensorFlow 2.21 gives exactly this.
        assert_eq!(status.message(), "Assign requires shapes of both tensors to match. lhs shape= [2] rhs shape= []");
        let free = [("T", DType::Float.into()), ("validate_shape", false.into())];
        let out = bench.value("Assign", &free, vec![variable(&bench, "v", DType::Float), val(1f32)]).unwrap();
        assert_eq!(out, Tensor::from(1f32));
    }
}
