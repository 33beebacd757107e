//! Bits of integers: `BitwiseAnd`, `BitwiseOr`, `BitwiseXor`, `LeftShift`, `RightShift`, `Invert` and `PopulationCount`.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use math::broadcast;
use math::elementwise::{CHEAP, map_in_place};
use tensor::{Element, Result, Tensor};

use super::binary::broadcast_plan;

const ALLOWED: &str = "T: {int8, int16, int32, int64, uint8, uint16, uint32, uint64}";

pub(crate) fn register(r: &mut Registry) {
    for (name, commutes) in
        [("BitwiseAnd", true), ("BitwiseOr", true), ("BitwiseXor", true), ("LeftShift", false), ("RightShift", false)]
    {
        let entry = r
            .op(name, "x: T, y: T -> z: T")
            .attr(ALLOWED)
            .shape(ShapeContext::broadcast)
            .kernel("T", types::INTEGERS, kernel)
            .not_differentiable();
        if commutes {
            entry.commutative();
        }
    }
    r.op("Invert", "x: T -> y: T")
        .attr(ALLOWED)
        .shape(ShapeContext::unchanged)
        .kernel("T", types::INTEGERS, invert_kernel)
        .not_differentiable();
    r.op("PopulationCount", "x: T -> y: uint8")
        .attr(ALLOWED)
        .shape(ShapeContext::unchanged)
        .kernel("T", types::INTEGERS, count_kernel)
        .not_differentiable();
}

/// Integers of one size, with the functions of this file.
trait Bits: Element + Copy + Send + Sync {
    fn of(op: &str) -> fn(Self, Self) -> Self;
    fn inverted(self) -> Self;
    fn ones(self) -> u8;
}

macro_rules! bits {
    ($($t:ty)*) => {$(
        impl Bits for $t {
            fn of(op: &str) -> fn($t, $t) -> $t {
                // Shifts by less than nothing or by more than there are bits shift by what is nearest.
                #[allow(unused_comparisons)]
                fn places(by: $t) -> u32 {
                    if by < 0 { 0 } else { (by as u64).min(u64::from(<$t>::BITS) - 1) as u32 }
                }
                match op {
                    "BitwiseAnd" => |x, y| x & y,
                    "BitwiseOr" => |x, y| x | y,
                    "BitwiseXor" => |x, y| x ^ y,
                    "LeftShift" => |x, y| x << places(y),
                    _ => |x, y| x >> places(y),
                }
            }
            fn inverted(self) -> $t { !self }
            fn ones(self) -> u8 { self.count_ones() as u8 }
        }
    )*};
}
bits!(i8 i16 i32 i64 u8 u16 u32 u64);

fn kernel(node: &Node) -> Result<Kernel> {
    let op = node.op.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let z = both(&op, cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, z);
        Ok(())
    }))
}

fn both(op: &str, a: &Tensor, b: &Tensor) -> Result<Tensor> {
    let (plan, shape) = broadcast_plan(a.shape(), b.shape())?;
    dispatch!(a.dtype(), T in [i8, i16, i32, i64, u8, u16, u32, u64] => {
        let (x, y) = (a.as_slice::<T>()?, b.as_slice::<T>()?);
        let function = T::of(op);
        Tensor::build(shape, |out: &mut [T]| {
            broadcast::apply(&plan, x, y, out, function);
            Ok(())
        })
    })
}

fn invert_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let mut x = cx.take_input(0)?;
        dispatch!(x.dtype(), T in [i8, i16, i32, i64, u8, u16, u32, u64] => {
            map_in_place(x.make_mut::<T>()?, CHEAP, T::inverted);
            Ok(())
        })?;
        cx.set_output(0, x);
        Ok(())
    }))
}

fn count_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        let y = dispatch!(x.dtype(), T in [i8, i16, i32, i64, u8, u16, u32, u64] => {
            let values = x.as_slice::<T>()?;
            Tensor::build(x.shape().clone(), |out: &mut [u8]| {
                out.iter_mut().zip(values).for_each(|(o, x)| *o = x.ones());
                Ok(())
            })
        })?;
        cx.set_output(0, y);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn shifts_too_far() {
        let x = Tensor::from([-5i8, 5, 1, -128]);
        let by = Tensor::from([9i8, -3, 7, 100]);
        assert_eq!(both("LeftShift", &x, &by).unwrap(), Tensor::from([-128i8, 5, -128, 0]));
        assert_eq!(both("RightShift", &x, &by).unwrap(), Tensor::from([-1i8, 5, 0, -1]));
    }
}
