//! `Transpose` and `ConjugateTranspose`: axes in another order.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::{axis_of, int_constant, int_vector, kernel_by_size, sizes};
use crate::moving::taken;
use crate::strided::Walk;

pub(crate) fn register(r: &mut Registry) {
    r.op("Transpose", "x: T, perm: Tperm -> y: T")
        .attr("T: type")
        .attr("Tperm: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(kernel)
        .gradient(gradient);
    r.op("ConjugateTranspose", "x: T, perm: Tperm -> y: T")
        .attr("T: type")
        .attr("Tperm: {int32, int64} = int32")
        .shape(shape)
        .any_kernel(conjugate_kernel)
        .gradient(gradient);
}

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let length = cx.with_rank(1, 1)?.dim(0);
    let input = cx.input(0);
    if let (Some(length), Some(rank)) = (length, input.rank()) {
        ensure!(length == rank as i64, InvalidArgument, "Dimension must be {rank} but is {length}");
    }
    let permutation = cx.ints(1);
    let rank = input.rank().or(length.map(|length| length as usize)).or(permutation.as_ref().map(Vec::len));
    let Some(rank) = rank else { return Ok(()) };
    let Some(permutation) = permutation else {
        // With one axis or none there is only one order.
        cx.set(0, if rank <= 1 && input.rank().is_some() { input } else { PartialShape::of_rank(rank) });
        return Ok(());
    };
    let mut dims = Vec::with_capacity(rank);
    for axis in permutation {
        let Some(at) = axis_of(axis, rank) else {
            bail!(InvalidArgument, "perm dim {axis} is out of range of input rank {rank}")
        };
        dims.push(input.dim(at).unwrap_or(-1));
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let turned = transpose(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, turned);
        Ok(())
    }))
}

fn conjugate_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let mut turned = transpose(&cx.take_input(0)?, cx.input(1)?)?;
        match turned.dtype() {
            DType::Complex64 => turned.make_mut::<Complex64>()?.iter_mut().for_each(|value| *value = value.conj()),
            DType::Complex128 => turned.make_mut::<Complex128>()?.iter_mut().for_each(|value| *value = value.conj()),
            _ => {}
        }
        cx.set_output(0, turned);
        Ok(())
    }))
}

/// Axis `i` of the result is axis `perm[i]` of `x`.
pub(crate) fn transpose(x: &Tensor, perm: &Tensor) -> Result<Tensor> {
    let perm = int_vector(perm, "perm must be rank 1, got shape ")?;
    let rank = x.shape().rank();
    ensure!(
        perm.len() == rank,
        InvalidArgument,
        "transpose expects a vector of size {rank}. But input(1) is a vector of size {}",
        perm.len()
    );
    let mut axes = Vec::with_capacity(rank);
    let mut present = vec![false; rank];
    for axis in &perm {
        let Some(at) = axis_of(*axis, rank) else {
            let counted = if *axis < 0 { axis.saturating_add(rank as i64) } else { *axis };
            bail!(InvalidArgument, "{counted} is out of range [0 .. {rank})")
        };
        present[at] = true;
        axes.push(at);
    }
    if let Some(missing) = present.iter().position(|present| !present) {
        let list = axes.iter().map(|axis| axis.to_string()).collect::<Vec<_>>().join(",");
        bail!(InvalidArgument, "{missing} is missing from {{{list}}}.");
    }
    let dims: Vec<i64> = axes.iter().map(|axis| x.dims()[*axis]).collect();
    let shape = Shape::new(&dims)?;
    if x.num_elements() == 0 {
        return x.reshape(shape);
    }
    taken(x, &Walk::permuted(&sizes(x.shape()), &axes), shape)
}

/// The axes go back; a conjugated tensor is conjugated again.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = cx.op("InvertPermutation").input(cx.x(1)).output();
    Ok(vec![Some(cx.op(&cx.node.op).input(cx.dy(0)?).input(back).output().into()), None])
}

/// Puts the axes of a tensor in another order (`Transpose`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]);
/// assert_eq!(eval(&x.transpose(&[1, 0]))?, Tensor::from([[1f32, 4.0], [2.0, 5.0], [3.0, 6.0]]));
/// # Ok(())
/// # }
/// ```
pub trait TransposeOps {
    /// Returns this with axis `perm[i]` as axis `i`.
    fn transpose(&self, perm: &[i64]) -> Output;
}

impl TransposeOps for Output {
    #[track_caller]
    fn transpose(&self, perm: &[i64]) -> Output {
        let perm = int_constant(self.graph(), perm);
        self.graph().op("Transpose").name("transpose").input(self).input(perm).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn axes_in_another_order() {
        let x = Tensor::new([2, 1, 3], (0..6).collect::<Vec<i32>>()).unwrap();
        let turned = transpose(&x, &Tensor::from([-1i32, 1, 0])).unwrap();
        assert_eq!((turned.dims(), turned.as_slice::<i32>().unwrap()), (&[3, 1, 2][..], &[0, 3, 1, 4, 2, 5][..]));
        let message = |perm: &[i64]| transpose(&x, &Tensor::vector(perm)).unwrap_err().message().to_owned();
        // TensorFlow 2.21 says each of these.
        assert_eq!(message(&[0]), "transpose expects a vector of size 3. But input(1) is a vector of size 1");
        assert_eq!(message(&[0, 0, 2]), "1 is missing from {0,0,2}.");
        assert_eq!(message(&[0, 1, 3]), "3 is out of range [0 .. 3)");
        assert_eq!(message(&[0, 1, -4]), "-1 is out of range [0 .. 3)");
    }
}
