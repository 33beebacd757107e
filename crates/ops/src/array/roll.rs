//! `Roll`: elements moved along axes; what leaves at one end comes in at the other.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use tensor::{Result, Tensor, bail, ensure};

use crate::arguments::{axis_of, sizes};
use crate::moving::{Pick, moved};
use crate::strided::grid;

pub(crate) fn register(r: &mut Registry) {
    r.op("Roll", "input: T, shift: Tshift, axis: Taxis -> output: T")
        .attr("T: type")
        .attr("Tshift: {int32, int64}")
        .attr("Taxis: {int32, int64}")
        .shape(shape)
        .kernel("T", types::ALL, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 1)?;
    for index in [1, 2] {
        if let Some(rank) = cx.input(index).rank() {
            ensure!(rank <= 1, InvalidArgument, "Shape must be at most rank 1 but is rank {rank}");
        }
    }
    cx.set(0, input);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let output = roll(cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn roll(input: &Tensor, shift: &Tensor, axis: &Tensor) -> Result<Tensor> {
    let rank = input.shape().rank();
    ensure!(rank >= 1, InvalidArgument, "input must be 1-D or higher");
    ensure!(
        shift.shape().rank() <= 1,
        InvalidArgument,
        "shift must be a scalar or a 1-D vector. Found: {}",
        shift.shape()
    );
    ensure!(
        axis.shape().rank() <= 1,
        InvalidArgument,
        "axis must be a scalar or a 1-D vector. Found: {}",
        axis.shape()
    );
    ensure!(shift.shape() == axis.shape(), InvalidArgument, "shift and axis must have the same size");
    let dims = sizes(input.shape());
    let mut shifts = vec![0usize; rank];
    for (shift, axis) in shift.to_i64_vec()?.into_iter().zip(axis.to_i64_vec()?) {
        let Some(axis) = axis_of(axis, rank) else { bail!(InvalidArgument, "axis {axis} is out of range") };
        let size = dims[axis].max(1);
        shifts[axis] = (shifts[axis] + shift.rem_euclid(size as i64) as usize) % size;
    }
    let maps: Vec<Vec<usize>> =
        dims.iter().zip(&shifts).map(|(dim, shift)| (0..*dim).map(|at| (at + dim - shift) % dim).collect()).collect();
    moved(input.shape().clone(), &[input], &Pick(&grid(&maps, &dims)))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = cx.op("Neg").input(cx.x(1)).output();
    let dx = cx.op("Roll").input(cx.dy(0)?).input(back).input(cx.x(2)).output();
    Ok(vec![Some(dx.into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn shifts_add_up() {
        let x = Tensor::from([0i32, 1, 2, 3, 4]);
        let rolled = |shift: Tensor, axis: Tensor| roll(&x, &shift, &axis);
        assert_eq!(rolled(Tensor::from(2i32), Tensor::from(0i32)).unwrap(), Tensor::from([3i32, 4, 0, 1, 2]));
        assert_eq!(
            rolled(Tensor::from([-7i32, 1]), Tensor::from([0i32, -1])).unwrap(),
            Tensor::from([1i32, 2, 3, 4, 0])
        );
        assert!(rolled(Tensor::from(1i32), Tensor::from(1i32)).is_err());
    }
}
