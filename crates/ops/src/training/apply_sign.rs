//! Steps by the signs of the gradient and of its mean: `ApplyAddSign`, `ResourceApplyAddSign`, `ApplyPowerSign` and
//! `ResourceApplyPowerSign`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::Result;

use super::formula::{Formula, register_dense};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<AddSign>(r, "ApplyAddSign", &[]);
    register_dense::<PowerSign>(r, "ApplyPowerSign", &[]);
}

fn sign<F: Optimize>(x: F) -> F {
    if x > F::ZERO {
        F::ONE
    } else if x < F::ZERO {
        F::ZERO.minus(F::ONE)
    } else {
        x
    }
}

/// m = beta m + (1 - beta) grad; the product of the signs of grad and m.
fn agreement<F: Optimize>(m: &mut F, grad: F, beta: F) -> F {
    *m = m.times(beta).plus(grad.times(F::ONE.minus(beta)));
    sign(grad).times(sign(*m))
}

/// var -= lr (alpha + sign_decay s) grad, with s of the agreement of the signs
struct AddSign;

impl Formula for AddSign {
    const VARIABLES: &'static [&'static str] = &["var", "m"];
    const INPUTS: &'static [&'static str] = &["lr", "alpha", "sign_decay", "beta", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(AddSign)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, m], &[lr, alpha, decay, beta]) = (variables, scalars) else { return };
        for (at, g) in grad.iter().enumerate() {
            let scale = alpha.plus(decay.times(agreement(&mut m[at], *g, beta)));
            var[at] = var[at].minus(lr.times(scale).times(*g));
        }
    }
}

/// var -= lr exp(logbase sign_decay s) grad
struct PowerSign;

impl Formula for PowerSign {
    const VARIABLES: &'static [&'static str] = &["var", "m"];
    const INPUTS: &'static [&'static str] = &["lr", "logbase", "sign_decay", "beta", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(PowerSign)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, m], &[lr, logbase, decay, beta]) = (variables, scalars) else { return };
        for (at, g) in grad.iter().enumerate() {
            let scale = logbase.times(decay).times(agreement(&mut m[at], *g, beta)).exp();
            var[at] = var[at].minus(lr.times(scale).times(*g));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    /// m = [0.5, 0.075]: the first gradient agrees with its mean, the second does not.
    #[test]
    fn one_step() {
        let after = step::<AddSign>("ApplyAddSign", &[], &[0.1, 2.0, 0.5, 0.9]);
        assert_close(&after, &[[1.0 - 0.1 * 2.5 * 0.5, -2.0 + 0.1 * 1.5 * 1.5], [0.5, 0.075]]);
        let after = step::<PowerSign>("ApplyPowerSign", &[], &[0.1, 2.0, 0.5, 0.9]);
        let e = std::f32::consts::E;
        assert_close(&after, &[[1.0 - 0.1 * e * 0.5, -2.0 + 0.1 / e * 1.5], [0.5, 0.075]]);
    }
}
