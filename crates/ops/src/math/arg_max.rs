//! `ArgMax` and `ArgMin`: where the greatest or least element along an axis is.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output, ReadAttrs};
use math::reduce::{ArgOp, arg_reduce};
use tensor::DType::{self, *};
use tensor::{PartialShape, Result, Shape, Tensor, bf16, ensure, err, f16};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] =
        &[Float, Double, Int32, UInt8, Int16, Int8, Int64, BFloat16, UInt16, Half, UInt32, UInt64, Bool];
    const ALLOWED: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, \
                           uint64, qint8, quint8, qint32, qint16, quint16, bool}";
    r.op("ArgMax", "input: T, dimension: Tidx -> output: output_type")
        .attr(ALLOWED)
        .attr("Tidx: {int16, int32, int64} = int32")
        .attr("output_type: {int16, uint16, int32, int64} = int64")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .not_differentiable();
    r.op("ArgMin", "input: T, dimension: Tidx -> output: output_type")
        .attr(ALLOWED)
        .attr("Tidx: {int32, int64} = int32")
        .attr("output_type: {int32, int64} = int64")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    let input = cx.input(0);
    let Some(dims) = input.dims() else { return Ok(()) };
    if dims.len() <= 1 {
        cx.set(0, PartialShape::scalar());
        return Ok(());
    }
    let Some(axis) = cx.int(1) else {
        cx.set(0, PartialShape::of_rank(dims.len() - 1));
        return Ok(());
    };
    let rank = dims.len() as i64;
    ensure!(
        (-rank..rank).contains(&axis),
        InvalidArgument,
        "Dimension ({axis}) must be in the range [{}, {rank}), where {rank} is the number of dimensions in the input. \
         for '{}' (op: '{}')",
        -rank,
        cx.node.name,
        cx.node.op
    );
    let axis = axis.rem_euclid(rank) as usize;
    let kept: Vec<Option<i64>> = dims.iter().enumerate().filter(|(i, _)| *i != axis).map(|(_, dim)| *dim).collect();
    cx.set(0, PartialShape::new(&kept));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let op = if node.op == "ArgMax" { ArgOp::Max } else { ArgOp::Min };
    let output_type = node.attr_type("output_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let place = arg_extreme(op, cx.input(0)?, cx.input(1)?, output_type)?;
        cx.set_output(0, place);
        Ok(())
    }))
}

fn arg_extreme(op: ArgOp, input: &Tensor, axis: &Tensor, output_type: DType) -> Result<Tensor> {
    ensure!(
        axis.shape().is_scalar(),
        InvalidArgument,
        "dim must be a scalar, but received tensor of shape: {}",
        axis.shape()
    );
    let axis = axis.to_i64_vec()?.first().copied().unwrap_or(0);
    let rank = input.shape().rank() as i64;
    ensure!(
        (-rank..rank).contains(&axis),
        InvalidArgument,
        "Expected dimension in the range [{}, {rank}), but got {axis}",
        -rank
    );
    let axis = axis.rem_euclid(rank) as usize;
    let dims = input.dims();
    let len = input.shape().dim(axis);
    ensure!(len > 0, InvalidArgument, "Reduction axis {axis} is empty in shape {}", input.shape());
    let kept: Vec<i64> = [&dims[..axis], &dims[axis + 1..]].concat();
    let shape = Shape::new(&kept)?;
    let mut places = vec![0i64; shape.num_elements()];
    if !places.is_empty() {
        let inner = Shape::new(&dims[axis + 1..])?.num_elements();
        if input.dtype() == Bool {
            let values: Vec<u8> = input.as_slice::<bool>()?.iter().map(|value| *value as u8).collect();
            arg_reduce(op, len, inner, &values, &mut places);
        } else {
            dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
                arg_reduce(op, len, inner, input.as_slice::<T>()?, &mut places);
                Ok(())
            })?;
        }
    }
    match output_type {
        Int64 => Tensor::from_slice(&shape, &places),
        other => dispatch!(other, T in [i16, u16, i32] => {
            Tensor::build(shape, |out: &mut [T]| {
                out.iter_mut().zip(&places).for_each(|(o, place)| *o = *place as T);
                Ok(())
            })
        })
        .map_err(|_| err!(InvalidArgument, "places of type {other}")),
    }
}

/// Places of the greatest and least elements (`ArgMax`, `ArgMin`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 3.0, 2.0], [6.0, 4.0, 5.0]]);
/// assert_eq!(eval(&x.argmax(1))?, Tensor::from([1i64, 0]));
/// assert_eq!(eval(&x.argmin(-1))?, Tensor::from([0i64, 1]));
/// # Ok(())
/// # }
/// ```
pub trait ArgMaxOps {
    /// Returns where the greatest element along an axis is.
    fn argmax(&self, axis: i32) -> Output;
    /// Returns where the least element along an axis is.
    fn argmin(&self, axis: i32) -> Output;
}

impl ArgMaxOps for Output {
    #[track_caller]
    fn argmax(&self, axis: i32) -> Output {
        let axis = self.graph().constant(axis);
        self.graph().op("ArgMax").input(self).input(axis).at(std::panic::Location::caller()).output()
    }

    #[track_caller]
    fn argmin(&self, axis: i32) -> Output {
        let axis = self.graph().constant(axis);
        self.graph().op("ArgMin").input(self).input(axis).at(std::panic::Location::caller()).output()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn places_and_mistakes() {
        let matrix = Tensor::from([[1f32, 5.0, 5.0], [7.0, 2.0, 0.0]]);
        let run = |axis: i32, output| arg_extreme(ArgOp::Max, &matrix, &Tensor::from(axis), output);
        assert_eq!(run(1, Int64).unwrap(), Tensor::from([1i64, 0]));
        assert_eq!(run(-2, Int32).unwrap(), Tensor::from([1i32, 0, 0]));
        assert_eq!(run(2, Int64).unwrap_err().message(), "Expected dimension in the range [-2, 2), but got 2");
        let empty = Tensor::zeros(Float, &Shape::new(&[2, 0]).unwrap()).unwrap();
        let status = arg_extreme(ArgOp::Max, &empty, &Tensor::from(1i32), Int64).unwrap_err();
        assert_eq!(status.message(), "Reduction axis 1 is empty in shape [2,0]");
        assert_eq!(arg_extreme(ArgOp::Min, &empty, &Tensor::from(0i32), Int64).unwrap().dims(), [0]);
    }
}
