//! Adagrad: `ApplyAdagrad`, `ResourceApplyAdagrad`, `SparseApplyAdagrad`, `ResourceSparseApplyAdagrad`,
//! `ApplyAdagradV2`, `ResourceApplyAdagradV2`, `SparseApplyAdagradV2` and `ResourceSparseApplyAdagradV2`.

use graph::op::Registry;
use graph::{Node, ReadAttrs};
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    let attrs = ["update_slots: bool = true"];
    register_dense::<Adagrad>(r, "ApplyAdagrad", &attrs);
    register_sparse::<Adagrad>(r, "SparseApplyAdagrad", &["lr", "grad", "indices"], &attrs);
    register_dense::<AdagradV2>(r, "ApplyAdagradV2", &attrs);
    register_sparse::<AdagradV2>(r, "SparseApplyAdagradV2", &["lr", "epsilon", "grad", "indices"], &attrs);
}

/// accum += grad^2; var -= lr * grad / sqrt(accum)
struct Adagrad {
    update_slots: bool,
}

impl Formula for Adagrad {
    const VARIABLES: &'static [&'static str] = &["var", "accum"];
    const INPUTS: &'static [&'static str] = &["lr", "grad"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(Adagrad { update_slots: node.attr_bool("update_slots")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr]) = (variables, scalars) else { return };
        F::adagrad(var, accum, lr, grad, self.update_slots);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, accum], &[lr]) = (variables, scalars) else { return };
        *accum += if self.update_slots { g * g } else { Complex128::ZERO };
        *var -= g * lr / accum.sqrt();
    }
}

/// accum += grad^2; var -= lr * grad / (sqrt(accum) + epsilon)
struct AdagradV2 {
    update_slots: bool,
}

impl Formula for AdagradV2 {
    const VARIABLES: &'static [&'static str] = &["var", "accum"];
    const INPUTS: &'static [&'static str] = &["lr", "epsilon", "grad"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(AdagradV2 { update_slots: node.attr_bool("update_slots")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr, epsilon]) = (variables, scalars) else { return };
        F::adagrad_v2(var, accum, lr, epsilon, grad, self.update_slots);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, accum], &[lr, epsilon]) = (variables, scalars) else { return };
        *accum += if self.update_slots { g * g } else { Complex128::ZERO };
        *var -= g * lr / (accum.sqrt() + epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let after = step::<Adagrad>("ApplyAdagrad", &[], &[0.1]);
        assert_close(&after, &[[0.942265, -1.9051317], [0.75, 2.5]]);
        let after = step::<Adagrad>("ApplyAdagrad", &[("update_slots", false.into())], &[0.1]);
        assert_close(&after, &[[0.92928934, -1.7], [0.5, 0.25]]);
        let after = step::<AdagradV2>("ApplyAdagradV2", &[], &[0.1, 0.01]);
        assert_close(&after, &[[0.942924, -1.9057279], [0.75, 2.5]]);
    }
}
