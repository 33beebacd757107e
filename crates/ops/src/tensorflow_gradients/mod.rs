//! Gradients of the nodes, with the names, that TensorFlow's Python library adds, for programs whose graphs are to be the same.
//!
//! The ops' own files say how a gradient goes through them in as few nodes as possible; an op is here only if TensorFlow adds
//! others. When a step is planned, most of them are folded or left out again.

mod arrays;
mod binary;
mod nn;
mod nodes;
mod reductions;
mod unary;

use graph::Gradient;
use graph::op::{GradFn, Registry};
use tensor::Result;

type Gradients = Result<Vec<Option<Gradient>>>;
type Table = &'static [(&'static str, GradFn)];

/// Tells the registry of all of them.
pub(crate) fn register(registry: &mut Registry) {
    for table in [arrays::TABLE, binary::TABLE, nn::TABLE, reductions::TABLE, unary::TABLE] {
        for (op, gradient) in table {
            registry.add_tensorflow_gradient(op, *gradient);
        }
    }
}

#[cfg(test)]
mod tests {
    use graph::op::GradientRule;
    use graph::{GradientOptions, GradientStyle, Graph, gradients_with};
    use tensor::Tensor;

    /// An op that is here has a gradient of its own too: what Rust programs get.
    #[test]
    fn every_op_has_its_own_gradient_too() {
        let registry = crate::registry();
        for table in [
            super::arrays::TABLE,
            super::binary::TABLE,
            super::nn::TABLE,
            super::reductions::TABLE,
            super::unary::TABLE,
        ] {
            for (op, _) in table {
                let spec = registry.find(op).unwrap();
                assert!(matches!(spec.gradient, GradientRule::Function(_)), "{op}");
            }
        }
    }

    /// TensorFlow 2.21 adds these for the gradient of a mean of products, of which one factor is repeated.
    #[test]
    fn names_of_a_mean_of_products() {
        let graph = Graph::with_registry(crate::registry());
        let x = graph.op("Placeholder").name("x").attr("dtype", tensor::DType::Float);
        let x = x.attr("shape", tensor::PartialShape::from_dims(&[-1, 3])).output();
        let w = graph.op("Const").name("w").attr("dtype", tensor::DType::Float);
        let w = w.attr("value", Tensor::from([1f32, 2.0, 3.0])).output();
        let product = graph.op("Mul").name("product").input(&x).input(&w).output();
        let axes = graph.op("Const").name("axes").attr("dtype", tensor::DType::Int32);
        let axes = axes.attr("value", Tensor::from([0i32, 1])).output();
        let mean = graph.op("Mean").name("mean").input(&product).input(axes).output();
        let style = GradientStyle::TensorFlow { gate: true, colocate: false };
        gradients_with(&mean, [&x, &w], GradientOptions { style, ..Default::default() }).unwrap();
        let names: Vec<String> = graph.read(|data| data.nodes().iter().map(|node| node.name.clone()).collect());
        for name in [
            "gradients/mean_grad/Reshape/shape",
            "gradients/mean_grad/Tile",
            "gradients/mean_grad/truediv",
            "gradients/product_grad/Shape_1",
            "gradients/product_grad/Sum/reduction_indices",
            "gradients/product_grad/tuple/group_deps",
            "gradients/product_grad/tuple/control_dependency_1",
        ] {
            assert!(names.iter().any(|known| known == name), "{name} is not in {names:?}");
        }
    }
}
