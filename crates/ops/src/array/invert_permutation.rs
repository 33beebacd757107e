//! `InvertPermutation`: the permutation that takes another one back.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{Result, Tensor, bail, ensure};

use crate::arguments::{int_tensor, kernel_by_size};

pub(crate) fn register(r: &mut Registry) {
    r.op("InvertPermutation", "x: T -> y: T")
        .attr("T: {int32, int64} = int32")
        .shape(invert_shape)
        .any_kernel(invert_kernel)
        .not_differentiable();
}

fn invert_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(0, 1)?;
    cx.set(0, shape);
    Ok(())
}

fn invert_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let inverse = invert(cx.input(0)?)?;
        cx.set_output(0, inverse);
        Ok(())
    }))
}

pub(super) fn invert(permutation: &Tensor) -> Result<Tensor> {
    ensure!(permutation.shape().rank() == 1, InvalidArgument, "invert_permutation expects a 1D vector.");
    let values = permutation.to_i64_vec()?;
    let mut inverse = vec![-1; values.len()];
    for (place, value) in values.iter().enumerate() {
        let Some(slot) = usize::try_from(*value).ok().and_then(|value| inverse.get_mut(value)) else {
            bail!(InvalidArgument, "{value} is not between 0 and {}", values.len())
        };
        ensure!(*slot == -1, InvalidArgument, "{value} is duplicated in the input.");
        *slot = place as i64;
    }
    int_tensor(&inverse, permutation.dtype())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn inverse_permutations() {
        assert_eq!(invert(&Tensor::from([2i32, 0, 1])).unwrap(), Tensor::from([1i32, 2, 0]));
        let message = |list: [i64; 2]| invert(&Tensor::from(list)).unwrap_err().message().to_owned();
        assert_eq!(message([0, 2]), "2 is not between 0 and 2");
        assert_eq!(message([0, -1]), "-1 is not between 0 and 2");
        assert_eq!(message([0, 0]), "0 is duplicated in the input.");
    }
}
