//! Proximal steps: `ApplyProximalGradientDescent`, `ApplyProximalAdagrad` and their resource and sparse forms.

use graph::Node;
use graph::op::Registry;
use tensor::Result;

use super::formula::{Float, Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<ProximalGradientDescent>(r, "ApplyProximalGradientDescent", &[]);
    register_dense::<ProximalAdagrad>(r, "ApplyProximalAdagrad", &[]);
    let sparse: &'static [&'static str] = &["lr", "l1", "l2", "grad", "indices"];
    register_sparse::<ProximalAdagrad>(r, "SparseApplyProximalAdagrad", sparse, &[]);
}

/// p = var - alpha * delta; var = sign(p) * max(|p| - alpha l1, 0) / (1 + alpha l2)
struct ProximalGradientDescent;

impl Formula for ProximalGradientDescent {
    const VARIABLES: &'static [&'static str] = &["var"];
    const INPUTS: &'static [&'static str] = &["alpha", "l1", "l2", "delta"];
    const GRADIENT: &'static str = "delta";

    fn of_node(_: &Node) -> Result<Self> {
        Ok(ProximalGradientDescent)
    }

    fn step<F: Float>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var], &[alpha, l1, l2]) = (variables, scalars) else { return };
        for (x, g) in var.iter_mut().zip(grad) {
            *x = towards_zero(*x - *g * alpha, alpha, l1, l2);
        }
    }
}

/// accum += grad^2; then a proximal step at the rate lr / sqrt(accum)
struct ProximalAdagrad;

impl Formula for ProximalAdagrad {
    const VARIABLES: &'static [&'static str] = &["var", "accum"];
    const INPUTS: &'static [&'static str] = &["lr", "l1", "l2", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(ProximalAdagrad)
    }

    fn step<F: Float>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr, l1, l2]) = (variables, scalars) else { return };
        for ((x, a), g) in var.iter_mut().zip(accum.iter_mut()).zip(grad) {
            *a += *g * *g;
            let rate = lr / a.root();
            *x = towards_zero(*x - *g * rate, rate, l1, l2);
        }
    }
}

fn towards_zero<F: Float>(x: F, rate: F, l1: F, l2: F) -> F {
    let shrunk = if l1 > F::ZERO { x.sign() * (x.magnitude() - rate * l1).or_zero_if_negative() } else { x };
    shrunk / (F::ONE + l2 * rate)
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let gradient_descent = |scalars: &[f32]| {
            step::<ProximalGradientDescent>("ApplyProximalGradientDescent", &[], scalars)
        };
        assert_close(&gradient_descent(&[0.1, 0.5, 0.2]), &[[0.88235295, -1.764706]]);
        assert_close(&gradient_descent(&[0.1, 0.0, 0.2]), &[[0.9313726, -1.8137256]]);
        let after = step::<ProximalAdagrad>("ApplyProximalAdagrad", &[], &[0.1, 0.5, 0.2]);
        assert_close(&after, &[[0.86456364, -1.8501068], [0.75, 2.5]]);
    }
}
