//! Adadelta: `ApplyAdadelta`, `ResourceApplyAdadelta`, `SparseApplyAdadelta` and `ResourceSparseApplyAdadelta`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<Adadelta>(r, "ApplyAdadelta", &[]);
    register_sparse::<Adadelta>(r, "SparseApplyAdadelta", &["lr", "rho", "epsilon", "grad", "indices"], &[]);
}

/// accum = rho accum + (1 - rho) grad^2; update = grad * sqrt(accum_update + epsilon) / sqrt(accum + epsilon);
/// var -= lr * update; accum_update = rho accum_update + (1 - rho) update^2
struct Adadelta;

impl Formula for Adadelta {
    const VARIABLES: &'static [&'static str] = &["var", "accum", "accum_update"];
    const INPUTS: &'static [&'static str] = &["lr", "rho", "epsilon", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(Adadelta)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum, accum_update], &[lr, rho, epsilon]) = (variables, scalars) else { return };
        F::adadelta(var, accum, accum_update, lr, rho, epsilon, grad);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, accum, accum_update], &[lr, rho, epsilon]) = (variables, scalars) else { return };
        *accum = *accum * rho + g * g * (1.0 - rho);
        let update = (*accum_update + epsilon).sqrt() / (*accum + epsilon).sqrt() * g;
        *var -= update * lr;
        *accum_update = *accum_update * rho + update * update * (1.0 - rho);
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let after = step::<Adadelta>("ApplyAdadelta", &[], &[0.1, 0.8, 0.01]);
        assert_close(&after, &[[0.9729132, -1.7382315], [0.45, 0.65], [0.11467391, 2.9704545]]);
    }
}
