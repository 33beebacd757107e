//! Momentum: `ApplyMomentum`, `ResourceApplyMomentum`, `SparseApplyMomentum` and `ResourceSparseApplyMomentum`; Keras'
//! variant, `ResourceApplyKerasMomentum` and `ResourceSparseApplyKerasMomentum`.

use graph::op::Registry;
use graph::{Node, ReadAttrs};
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense, register_resource, register_resource_sparse, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    let attrs = ["use_nesterov: bool = false"];
    register_dense::<Momentum>(r, "ApplyMomentum", &attrs);
    register_sparse::<Momentum>(r, "SparseApplyMomentum", &["lr", "grad", "indices", "momentum"], &attrs);
    register_resource::<KerasMomentum>(r, "ApplyKerasMomentum", &attrs);
    let inputs = &["lr", "grad", "indices", "momentum"];
    register_resource_sparse::<KerasMomentum>(r, "SparseApplyKerasMomentum", inputs, &attrs);
}

/// accum = accum * momentum + grad; var -= lr * accum, or with Nesterov's look ahead
/// var -= lr * (grad + momentum * accum)
struct Momentum {
    nesterov: bool,
}

impl Formula for Momentum {
    const VARIABLES: &'static [&'static str] = &["var", "accum"];
    const INPUTS: &'static [&'static str] = &["lr", "grad", "momentum"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(Momentum { nesterov: node.attr_bool("use_nesterov")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr, momentum]) = (variables, scalars) else { return };
        F::momentum(var, accum, lr, grad, momentum, self.nesterov);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, accum], &[lr, momentum]) = (variables, scalars) else { return };
        *accum = *accum * momentum + g;
        *var -= if self.nesterov { g * lr + *accum * momentum * lr } else { *accum * lr };
    }
}

/// accum = accum * momentum - lr * grad; var += accum, or with Nesterov's look ahead
/// var += momentum * accum - lr * grad
struct KerasMomentum {
    nesterov: bool,
}

impl Formula for KerasMomentum {
    const VARIABLES: &'static [&'static str] = &["var", "accum"];
    const INPUTS: &'static [&'static str] = &["lr", "grad", "momentum"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(KerasMomentum { nesterov: node.attr_bool("use_nesterov")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr, momentum]) = (variables, scalars) else { return };
        for ((x, a), g) in var.iter_mut().zip(accum.iter_mut()).zip(grad) {
            let pull = g.times(lr);
            *a = a.times(momentum).minus(pull);
            *x = x.plus(if self.nesterov { a.times(momentum).minus(pull) } else { *a });
        }
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, accum], &[lr, momentum]) = (variables, scalars) else { return };
        *accum = *accum * momentum - g * lr;
        *var += if self.nesterov { *accum * momentum - g * lr } else { *accum };
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graph::op::{Value, Variable};
    use tensor::{DType, PartialShape, Tensor};

    use super::super::formula::testing::{assert_close, step};
    use super::*;
    use crate::testing::{Bench, val};

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let step =
            |nesterov: bool| step::<Momentum>("ApplyMomentum", &[("use_nesterov", nesterov.into())], &[0.1, 0.9]);
        assert_close(&step(false), &[[0.905, -1.8725], [0.95, -1.275]]);
        assert_close(&step(true), &[[0.8645, -1.73525], [0.95, -1.275]]);
    }

    #[test]
    fn keras_one_step_as_in_tensorflow_2_21() {
        let run = |nesterov: bool| {
            let (mut var, mut accum) = ([1f32, -2.0], [0.5f32, 0.25]);
            KerasMomentum { nesterov }.step(&mut [&mut var, &mut accum], &[0.5, -1.5], &[0.1, 0.9]);
            vec![var.to_vec(), accum.to_vec()]
        };
        assert_close(&run(false), &[[1.4, -1.625], [0.4, 0.375]]);
        assert_close(&run(true), &[[1.31, -1.5125], [0.4, 0.375]]);
    }

    #[test]
    fn rows_move_alone() {
        let variable = |name: &str, value: Tensor| {
            let variable = Variable::new(name, DType::Float, PartialShape::unknown());
            variable.set(value);
            Arc::new(variable)
        };
        let var = variable("var", Tensor::from([[1f32, -2.0], [1.0, -2.0], [1.0, -2.0]]));
        let accum = variable("accum", Tensor::from([[0.5f32, 0.25], [0.5, 0.25], [0.5, 0.25]]));
        let run = |row: i64| {
            let inputs = vec![
                Value::Ref(var.clone()),
                Value::Ref(accum.clone()),
                val(0.1f32),
                val([[0.5f32, -1.5]]),
                val([row]),
                val(0.9f32),
            ];
            let attrs = [("T", DType::Float.into()), ("Tindices", DType::Int64.into())];
            Bench::new().run("SparseApplyMomentum", &attrs, inputs).map(|_| ())
        };
        run(1).unwrap();
        let moved = var.read().unwrap();
        assert_eq!(moved.as_slice::<f32>().unwrap()[..2], [1.0, -2.0]);
        assert!((moved.as_slice::<f32>().unwrap()[2] - 0.905).abs() < 1e-6);
        assert_eq!(moved.as_slice::<f32>().unwrap()[4..], [1.0, -2.0]);
        assert!(run(3).unwrap_err().message().starts_with("Index 3 at offset 0 in indices is out of range"));
    }
}
