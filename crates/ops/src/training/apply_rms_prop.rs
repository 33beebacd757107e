//! RMSProp: `ApplyRMSProp`, `ResourceApplyRMSProp`, `SparseApplyRMSProp`, `ResourceSparseApplyRMSProp`,
//! `ApplyCenteredRMSProp`, `ResourceApplyCenteredRMSProp`, `SparseApplyCenteredRMSProp` and
//! `ResourceSparseApplyCenteredRMSProp`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    let sparse: &'static [&'static str] = &["lr", "rho", "momentum", "epsilon", "grad", "indices"];
    register_dense::<RmsProp>(r, "ApplyRMSProp", &[]);
    register_sparse::<RmsProp>(r, "SparseApplyRMSProp", sparse, &[]);
    register_dense::<CenteredRmsProp>(r, "ApplyCenteredRMSProp", &[]);
    register_sparse::<CenteredRmsProp>(r, "SparseApplyCenteredRMSProp", sparse, &[]);
}

/// ms += (grad^2 - ms)(1 - rho); mom = mom * momentum + lr * grad / sqrt(ms + epsilon); var -= mom
struct RmsProp;

impl Formula for RmsProp {
    const VARIABLES: &'static [&'static str] = &["var", "ms", "mom"];
    const INPUTS: &'static [&'static str] = &["lr", "rho", "momentum", "epsilon", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(RmsProp)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, ms, mom], &[lr, rho, momentum, epsilon]) = (variables, scalars) else { return };
        F::rmsprop(var, ms, mom, math::optimize::RmsProp { lr, rho, momentum, epsilon }, grad);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, ms, mom], &[lr, rho, momentum, epsilon]) = (variables, scalars) else { return };
        *ms += (g * g - *ms) * (1.0 - rho);
        *mom = *mom * momentum + g * lr / (*ms + epsilon).sqrt();
        *var -= *mom;
    }
}

/// As RMSProp, but the mean gradient mg is taken off: the root is of ms - mg^2 + epsilon.
struct CenteredRmsProp;

impl Formula for CenteredRmsProp {
    const VARIABLES: &'static [&'static str] = &["var", "mg", "ms", "mom"];
    const INPUTS: &'static [&'static str] = &["lr", "rho", "momentum", "epsilon", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(CenteredRmsProp)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, mg, ms, mom], &[lr, rho, momentum, epsilon]) = (variables, scalars) else { return };
        F::centered_rmsprop(var, mg, ms, mom, math::optimize::RmsProp { lr, rho, momentum, epsilon }, grad);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, mg, ms, mom], &[lr, rho, momentum, epsilon]) = (variables, scalars) else { return };
        *ms += (g * g - *ms) * (1.0 - rho);
        *mg += (g - *mg) * (1.0 - rho);
        *mom = *mom * momentum + g * lr / (*ms - *mg * *mg + epsilon).sqrt();
        *var -= *mom;
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step, step_from};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let after = step::<RmsProp>("ApplyRMSProp", &[], &[0.1, 0.8, 0.7, 0.01]);
        assert_close(&after, &[[0.83877903, -3.2153628], [0.45, 0.65], [0.16122098, 1.2153628]]);
        let before = [[1.0, -2.0], [0.5, 0.25], [1.125, 2.0], [0.75, 0.5]];
        let after = step_from::<CenteredRmsProp>("ApplyCenteredRMSProp", &[], &[0.1, 0.8, 0.7, 0.01], &before);
        assert_close(&after, &[[0.41566092, -2.2452354], [0.5, -0.1], [0.95, 2.05], [0.5843391, 0.24523544]]);
    }
}
