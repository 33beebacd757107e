//! Gradient descent: `ApplyGradientDescent` and `ResourceApplyGradientDescent`.

use graph::Node;
use graph::op::Registry;
use math::optimize::Optimize;
use tensor::{Complex128, Result};

use super::formula::{Formula, register_dense};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<GradientDescent>(r, "ApplyGradientDescent", &[]);
}

/// var -= alpha * delta
struct GradientDescent;

impl Formula for GradientDescent {
    const VARIABLES: &'static [&'static str] = &["var"];
    const INPUTS: &'static [&'static str] = &["alpha", "delta"];
    const GRADIENT: &'static str = "delta";

    fn of_node(_: &Node) -> Result<Self> {
        Ok(GradientDescent)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var], &[alpha]) = (variables, scalars) else { return };
        F::gradient_descent(var, alpha, grad);
    }

    const COMPLEX: bool = true;

    fn complex_step(&self, variables: &mut [Complex128], g: Complex128, scalars: &[Complex128]) {
        let ([var], &[alpha]) = (variables, scalars) else { return };
        *var -= alpha * g;
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use graph::op::{Value, Variable};
    use tensor::{Code, DType, PartialShape, Tensor, f16};

    use super::super::formula::testing::{assert_close, step};
    use super::*;
    use crate::testing::{Bench, tensor, val};

    fn variable(value: Tensor) -> Value {
        let variable = Variable::new("v", value.dtype(), PartialShape::unknown());
        variable.set(value);
        Value::Ref(Arc::new(variable))
    }

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        assert_close(&step::<GradientDescent>("ApplyGradientDescent", &[], &[0.1]), &[[0.95, -1.85]]);
    }

    #[test]
    fn narrow_floats_and_many_pieces() {
        let bench = Bench::new();
        let half = |v: f32| f16::from_f32(v);
        let inputs =
            vec![variable(Tensor::from([half(1.0), half(-2.0)])), val(half(0.1)), val([half(0.5), half(-1.5)])];
        let out = bench.run("ApplyGradientDescent", &[("T", DType::Half.into())], inputs).unwrap();
        assert_eq!(tensor(&out[0]), Tensor::from([half(0.95), half(-1.85)]));
        let many = 100_000;
        let (ones, grad) = (Tensor::vector(&vec![1f64; many]), Tensor::vector(&vec![2f64; many]));
        let inputs = vec![variable(ones.clone()), val(0.25f64), val(grad)];
        let out = bench.run("ApplyGradientDescent", &[("T", DType::Double.into())], inputs).unwrap();
        assert_eq!(tensor(&out[0]), Tensor::vector(&vec![0.5f64; many]));
        assert_eq!(ones.as_slice::<f64>().unwrap()[many - 1], 1.0);
    }

    #[test]
    fn what_does_not_fit() {
        let run = |alpha: Tensor, delta: Tensor| {
            let inputs = vec![variable(Tensor::from([3f32, 4.0])), val(alpha), val(delta)];
            Bench::new().run("ApplyGradientDescent", &[("T", DType::Float.into())], inputs).err().unwrap()
        };
        // TensorFlow 2.21 gives exactly these.
        let status = run(Tensor::from(1f32), Tensor::from(1f32));
        assert_eq!(
            (status.code(), status.message()),
            (Code::InvalidArgument, "var and delta do not have the same shape[2] []")
        );
        let status = run(Tensor::from([1f32, 2.0]), Tensor::from([1f32, 2.0]));
        assert_eq!(status.message(), "alpha is not a scalar: [2]");
    }
}
