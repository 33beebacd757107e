//! Adagrad by dual averaging: `ApplyAdagradDA`, `ResourceApplyAdagradDA`, `SparseApplyAdagradDA` and
//! `ResourceSparseApplyAdagradDA`.

use graph::Node;
use graph::op::Registry;
use math::optimize::{AdagradDa, Optimize};
use tensor::Result;

use super::formula::{Formula, register_dense, register_sparse};

pub(crate) fn register(r: &mut Registry) {
    register_dense::<DualAveraging>(r, "ApplyAdagradDA", &[]);
    let sparse: &'static [&'static str] = &["grad", "indices", "lr", "l1", "l2", "global_step"];
    register_sparse::<DualAveraging>(r, "SparseApplyAdagradDA", sparse, &[]);
}

/// sum += grad; squares += grad^2; var = -lr * shrunk(sum, l1 * step) / (l2 * step * lr + sqrt(squares))
struct DualAveraging;

impl Formula for DualAveraging {
    const VARIABLES: &'static [&'static str] = &["var", "gradient_accumulator", "gradient_squared_accumulator"];
    const INPUTS: &'static [&'static str] = &["grad", "lr", "l1", "l2", "global_step"];

    fn of_node(_: &Node) -> Result<Self> {
        Ok(DualAveraging)
    }

    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]) {
        let ([var, sum, squares], &[lr, l1, l2, global_step]) = (variables, scalars) else { return };
        F::adagrad_da(var, sum, squares, AdagradDa { lr, l1, l2, global_step }, grad);
    }
}
