//! `_UnaryOpsComposition`: functions of one number, one after the other, as TensorFlow's graph optimizer joins them.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::elementwise::UnaryOp;
use tensor::{DType, Result, ensure, err};

use super::unary::{formula, unary};

pub(crate) fn register(r: &mut Registry) {
    r.op("_UnaryOpsComposition", "x: T -> y: T")
        .attr("T: {float, half, double}")
        .attr("op_names: list(string)")
        .shape(ShapeContext::unchanged)
        .kernel("T", &[DType::Float, DType::Half, DType::Double], kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let mut functions = Vec::new();
    for name in node.attr_strings("op_names")? {
        functions.push(std::str::from_utf8(name).ok().and_then(function).ok_or_else(|| {
            err!(InvalidArgument, "Do not have a compute function registered for op: {}", String::from_utf8_lossy(name))
        })?);
    }
    ensure!(!functions.is_empty(), InvalidArgument, "Unary op composition must have at least one op");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut x = cx.take_input(0)?;
        for function in &functions {
            x = unary(*function, x)?;
        }
        cx.set_output(0, x);
        Ok(())
    }))
}

fn function(name: &str) -> Option<UnaryOp> {
    match name {
        "Elu" => Some(UnaryOp::Elu),
        "Relu" => Some(UnaryOp::Relu),
        "Relu6" => Some(UnaryOp::Relu6),
        "Selu" => Some(UnaryOp::Selu),
        // These have no place in a composition in TensorFlow.
        "Digamma" | "Erf" | "Erfc" | "Lgamma" | "Sign" => None,
        other => formula(other),
    }
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use tensor::Tensor;

    use crate::testing::{Bench, val};

    #[test]
    fn functions_in_turn() {
        let bench = Bench::new();
        let names = |names: &[&'static str]| {
            let names = names.iter().map(|name| bytes::Bytes::from_static(name.as_bytes())).collect();
            [("T", AttrValue::Type(tensor::DType::Float)), ("op_names", AttrValue::Strings(names))]
        };
        let y = bench.value("_UnaryOpsComposition", &names(&["Square", "Neg"]), vec![val([1f32, -3.0])]).unwrap();
        assert_eq!(y, Tensor::from([-1f32, -9.0]));
        let unknown = bench.value("_UnaryOpsComposition", &names(&["MatMul"]), vec![val([1f32])]).unwrap_err();
        assert!(unknown.message().starts_with("Do not have a compute function registered for op: MatMul"));
    }
}
