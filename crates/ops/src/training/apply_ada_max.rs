//! AdaMax: `ApplyAdaMax` and `ResourceApplyAdaMax`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::Result;

use super::formula::{Formula, register_dense};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<AdaMax>(r, "ApplyAdaMax", &[]);
}

/// m += (grad - m)(1 - beta1); v = max(beta2 v, |grad|); var -= lr / (1 - beta1_power) * m / (v + epsilon)
struct AdaMax;

impl Formula for AdaMax {
    const VARIABLES: &'static [&'static str] = &["var", "m", "v"];
    const INPUTS: &'static [&'static str] = &["beta1_power", "lr", "beta1", "beta2", "epsilon", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(AdaMax)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, m, v], &[beta1_power, lr, beta1, beta2, epsilon]) = (variables, scalars) else { return };
        let rate = lr.over(F::ONE.minus(beta1_power));
        for (at, g) in grad.iter().enumerate() {
            m[at] = m[at].plus(g.minus(m[at]).times(F::ONE.minus(beta1)));
            v[at] = beta2.times(v[at]).greater(g.abs());
            var[at] = var[at].minus(rate.times(m[at].over(v[at].plus(epsilon))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    /// m = [0.5, 0.25 - 0.175], v = [max(0.12375, 0.5), max(1.98, 1.5)], and the rate is 0.1 / 0.1.
    #[test]
    fn one_step() {
        let after = step::<AdaMax>("ApplyAdaMax", &[], &[0.9, 0.1, 0.9, 0.99, 0.01]);
        assert_close(&after, &[[1.0 - 0.5 / 0.51, -2.0 - 0.075 / 1.99], [0.5, 0.075], [0.5, 1.98]]);
    }
}
