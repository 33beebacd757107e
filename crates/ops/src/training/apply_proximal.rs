//! Proximal steps: `ApplyProximalGradientDescent`, `ResourceApplyProximalGradientDescent`,
//! `SparseApplyProximalGradientDescent`, `ResourceSparseApplyProximalGradientDescent`, `ApplyProximalAdagrad`,
//! `ResourceApplyProximalAdagrad`, `SparseApplyProximalAdagrad` and `ResourceSparseApplyProximalAdagrad`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::Result;

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<ProximalGradientDescent>(r, "ApplyProximalGradientDescent", &[]);
    register_dense::<ProximalAdagrad>(r, "ApplyProximalAdagrad", &[]);
    let sparse: &'static [&'static str] = &["lr", "l1", "l2", "grad", "indices"];
    let rows: &'static [&'static str] = &["alpha", "l1", "l2", "grad", "indices"];
    register_sparse::<SparseProximalGradientDescent>(r, "SparseApplyProximalGradientDescent", rows, &[]);
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

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var], &[alpha, l1, l2]) = (variables, scalars) else { return };
        F::proximal_gradient_descent(var, alpha, l1, l2, grad);
    }
}

/// The same with TensorFlow's other name for the gradient.
struct SparseProximalGradientDescent;

impl Formula for SparseProximalGradientDescent {
    const VARIABLES: &'static [&'static str] = &["var"];
    const INPUTS: &'static [&'static str] = &["alpha", "l1", "l2", "grad"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(SparseProximalGradientDescent)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        ProximalGradientDescent.step(variables, grad, scalars);
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

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum], &[lr, l1, l2]) = (variables, scalars) else { return };
        F::proximal_adagrad(var, accum, lr, l1, l2, grad);
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let gradient_descent =
            |scalars: &[f32]| step::<ProximalGradientDescent>("ApplyProximalGradientDescent", &[], scalars);
        assert_close(&gradient_descent(&[0.1, 0.5, 0.2]), &[[0.88235295, -1.764706]]);
        assert_close(&gradient_descent(&[0.1, 0.0, 0.2]), &[[0.9313726, -1.8137256]]);
        let after = step::<ProximalAdagrad>("ApplyProximalAdagrad", &[], &[0.1, 0.5, 0.2]);
        assert_close(&after, &[[0.86456364, -1.8501068], [0.75, 2.5]]);
    }
}
