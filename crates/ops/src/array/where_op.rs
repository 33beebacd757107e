//! `Where`: the places of the elements that are not zero.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Output};
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bf16, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("Where", "input: T -> index: int64")
        .attr("T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, uint16, complex128, half, uint32, uint64, bool} = bool")
        .shape(shape)
        .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let rank = cx.input(0).rank().map(|rank| rank as i64);
    cx.set(0, PartialShape::new(&[None, rank]));
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let places = places(cx.input(0)?)?;
        cx.set_output(0, places);
        Ok(())
    }))
}

/// One row for every element that is not zero: its index along each axis.
fn places(input: &Tensor) -> Result<Tensor> {
    let rank = input.shape().rank();
    ensure!(input.dtype() != DType::Half, Unimplemented, "No WhereOp available for float16/half type on CPU");
    ensure!((1..=8).contains(&rank), InvalidArgument, "WhereOp : Unhandled input dimensions: {rank}");
    let found = nonzero(input)?;
    let shape = Shape::new(&[found.len() as i64, rank as i64])?;
    Tensor::build(shape, |out: &mut [i64]| {
        for (row, place) in out.chunks_exact_mut(rank).zip(found) {
            let mut rest = place as i64;
            for (slot, dim) in row.iter_mut().zip(input.dims()).rev() {
                (*slot, rest) = (rest % dim, rest / dim);
            }
        }
        Ok(())
    })
}

fn nonzero(input: &Tensor) -> Result<Vec<usize>> {
    macro_rules! find {
        ($type:ty, $tensor:expr) => {{
            let zero = <$type>::default();
            let tensor = $tensor;
            let values = tensor.as_slice::<$type>()?;
            values.iter().enumerate().filter(|(_, value)| **value != zero).map(|(place, _)| place).collect()
        }};
    }
    Ok(match input.dtype() {
        DType::Bool => find!(bool, input),
        DType::Float => find!(f32, input),
        DType::Double => find!(f64, input),
        DType::BFloat16 => find!(bf16, input),
        DType::Complex64 => find!(Complex64, input),
        DType::Complex128 => find!(Complex128, input),
        // Of integers only the size matters.
        other => match other.size() {
            1 => find!(u8, input.bitcast(DType::UInt8)?),
            2 => find!(u16, input.bitcast(DType::UInt16)?),
            4 => find!(u32, input.bitcast(DType::UInt32)?),
            _ => find!(u64, input.bitcast(DType::UInt64)?),
        },
    })
}

/// Coordinates of what is true (`Where`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([[1f32, 0.0], [0.0, 2.0]]);
/// assert_eq!(eval(&x.where_true())?, Tensor::from([[0i64, 0], [1, 1]]));
/// # Ok(())
/// # }
/// ```
pub trait WhereOps {
    /// Returns the places of the elements that are true or not zero, one row each.
    fn where_true(&self) -> Output;
}

impl WhereOps for Output {
    #[track_caller]
    fn where_true(&self) -> Output {
        self.unary("Where")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minus_zero_is_zero_and_nan_is_not() {
        let x = Tensor::from([[0f32, -0.0, f32::NAN], [1.0, 0.0, -1.0]]);
        assert_eq!(places(&x).unwrap(), Tensor::from([[0i64, 2], [1, 0], [1, 2]]));
        assert_eq!(places(&Tensor::from([0i8, 0])).unwrap().dims(), [0, 1]);
        let scalar = places(&Tensor::from(true)).unwrap_err();
        assert_eq!(scalar.message(), "WhereOp : Unhandled input dimensions: 0");
    }
}
