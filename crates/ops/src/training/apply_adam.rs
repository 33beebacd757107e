//! Adam: `ApplyAdam` and `ResourceApplyAdam`; and `ResourceApplyAdamWithAmsgrad`, whose steps never grow.

use graph::op::Registry;
use graph::{Node, ReadAttrs};
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense, register_resource};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<Adam>(r, "ApplyAdam", &["use_nesterov: bool = false"]);
    register_resource::<Amsgrad>(r, "ApplyAdamWithAmsgrad", &[]);
}

/// As Adam, with the greatest v so far in the place of v.
struct Amsgrad;

impl Formula for Amsgrad {
    const VARIABLES: &'static [&'static str] = &["var", "m", "v", "vhat"];
    const INPUTS: &'static [&'static str] = &["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(Amsgrad)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, m, v, most], &[beta1_power, beta2_power, lr, beta1, beta2, epsilon]) = (variables, scalars) else {
            return;
        };
        let rate = lr.times(F::ONE.minus(beta2_power).sqrt()).over(F::ONE.minus(beta1_power));
        for (at, g) in grad.iter().enumerate() {
            m[at] = m[at].plus(g.minus(m[at]).times(F::ONE.minus(beta1)));
            v[at] = v[at].plus(g.times(*g).minus(v[at]).times(F::ONE.minus(beta2)));
            most[at] = most[at].greater(v[at]);
            var[at] = var[at].minus(m[at].times(rate).over(most[at].sqrt().plus(epsilon)));
        }
    }
}

/// m += (grad - m)(1 - beta1); v += (grad^2 - v)(1 - beta2); var -= lr_t * m / (sqrt(v) + epsilon), with
/// lr_t = lr * sqrt(1 - beta2_power) / (1 - beta1_power). With Nesterov's look ahead, m beta1 + (1 - beta1) grad stands
/// for m.
struct Adam {
    nesterov: bool,
}

impl Formula for Adam {
    const VARIABLES: &'static [&'static str] = &["var", "m", "v"];
    const INPUTS: &'static [&'static str] = &["beta1_power", "beta2_power", "lr", "beta1", "beta2", "epsilon", "grad"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(Adam { nesterov: node.attr_bool("use_nesterov")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, m, v], &[beta1_power, beta2_power, lr, beta1, beta2, epsilon]) = (variables, scalars) else {
            return;
        };
        let rule =
            math::optimize::Adam { beta1_power, beta2_power, lr, beta1, beta2, epsilon, nesterov: self.nesterov };
        F::adam(var, m, v, rule, grad);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var, m, v], &[beta1_power, beta2_power, lr, beta1, beta2, epsilon]) = (variables, scalars) else {
            return;
        };
        let rate = lr * (1.0 - beta2_power).sqrt() / (1.0 - beta1_power);
        *m += (g - *m) * (1.0 - beta1);
        *v += (g * g - *v) * (1.0 - beta2);
        let ahead = if self.nesterov { g * (1.0 - beta1) + beta1 * *m } else { *m };
        *var -= ahead * rate / (v.sqrt() + epsilon);
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let step = |nesterov: bool| {
            step::<Adam>("ApplyAdam", &[("use_nesterov", nesterov.into())], &[0.9, 0.99, 0.1, 0.9, 0.99, 0.01])
        };
        assert_close(&step(false), &[[0.8631326, -2.0052629], [0.5, 0.075], [0.12625, 2.0025]]);
        assert_close(&step(true), &[[0.8631326, -1.994211], [0.5, 0.075], [0.12625, 2.0025]]);
    }
}
