//! FTRL: `ApplyFtrl`, `ResourceApplyFtrl`, `SparseApplyFtrl`, `ResourceSparseApplyFtrl`, `ApplyFtrlV2`,
//! `ResourceApplyFtrlV2`, `SparseApplyFtrlV2` and `ResourceSparseApplyFtrlV2`.

use graph::op::Registry;
use graph::{Node, ReadAttrs};
use math::optimize::Optimize;
use tensor::Result;

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    let attrs = ["multiply_linear_by_lr: bool = false"];
    register_dense::<Ftrl>(r, "ApplyFtrl", &attrs);
    register_sparse::<Ftrl>(r, "SparseApplyFtrl", &["grad", "indices", "lr", "l1", "l2", "lr_power"], &attrs);
    register_dense::<FtrlV2>(r, "ApplyFtrlV2", &attrs);
    register_sparse::<FtrlV2>(
        r,
        "SparseApplyFtrlV2",
        &["grad", "indices", "lr", "l1", "l2", "l2_shrinkage", "lr_power"],
        &attrs,
    );
}

/// n = accum + grad^2; linear += grad - (n^-p - accum^-p) / lr * var; var = (sign(linear) l1 - linear) /
/// (n^-p / lr + 2 l2) where |linear| > l1, else 0; accum = n. If scaled, what goes into `linear` is multiplied by lr.
struct Ftrl {
    scaled: bool,
}

impl Formula for Ftrl {
    const VARIABLES: &'static [&'static str] = &["var", "accum", "linear"];
    const INPUTS: &'static [&'static str] = &["grad", "lr", "l1", "l2", "lr_power"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(Ftrl { scaled: node.attr_bool("multiply_linear_by_lr")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum, linear], &[lr, l1, l2, lr_power]) = (variables, scalars) else { return };
        let rule =
            math::optimize::Ftrl { lr, l1, l2, l2_shrinkage: F::ZERO, lr_power, multiply_linear_by_lr: self.scaled };
        F::ftrl(var, accum, linear, rule, grad);
    }
}

/// As [`Ftrl`], with grad + 2 l2_shrinkage var in the place of grad in `linear`.
struct FtrlV2 {
    scaled: bool,
}

impl Formula for FtrlV2 {
    const VARIABLES: &'static [&'static str] = &["var", "accum", "linear"];
    const INPUTS: &'static [&'static str] = &["grad", "lr", "l1", "l2", "l2_shrinkage", "lr_power"];

    fn of_node(node: &Node) -> Result<Self> {
        Ok(FtrlV2 { scaled: node.attr_bool("multiply_linear_by_lr")? })
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, accum, linear], &[lr, l1, l2, l2_shrinkage, lr_power]) = (variables, scalars) else { return };
        let rule = math::optimize::Ftrl { lr, l1, l2, l2_shrinkage, lr_power, multiply_linear_by_lr: self.scaled };
        F::ftrl(var, accum, linear, rule, grad);
    }
}

#[cfg(test)]
mod tests {
    use super::super::formula::testing::{assert_close, step};
    use super::*;

    #[test]
    fn one_step_as_in_tensorflow_2_21() {
        let after = step::<Ftrl>("ApplyFtrl", &[], &[0.1, 0.05, 0.02, -0.5]);
        assert_close(&after, &[[0.10507581, -1.3924823], [0.75, 2.5], [-0.9641862, 22.122776]]);
        let scaled = [("multiply_linear_by_lr", true.into())];
        let after = step::<Ftrl>("ApplyFtrl", &scaled, &[0.1, 0.05, 0.02, -0.5]);
        assert_close(&after, &[[-0.012736843, -2.5280294], [0.75, 2.5], [0.016081378, 4.0122776]]);
        let after = step::<Ftrl>("ApplyFtrl", &[], &[0.1, 0.05, 0.02, -0.3]);
        assert_close(&after, &[[0.040770393, -1.0286844], [0.75, 2.5], [-0.42562366, 13.632565]]);
        let after = step::<FtrlV2>("ApplyFtrlV2", &[], &[0.1, 0.05, 0.02, 0.03, -0.5]);
        assert_close(&after, &[[0.09817947, -1.3849119], [0.75, 2.5], [-0.90418625, 22.002775]]);
    }
}
