//! The named functions of two elements, broadcast by a plan.

use super::unary::{SELU_SCALE, SELU_SCALE_ALPHA};
use super::{CHEAP, COSTLY};
use crate::approx;
use crate::broadcast::{self, BroadcastPlan, Each, RowKernel};
use crate::convert::Narrow as _;
use crate::number::{Number, Real};
use half::{bf16, f16};
use num_complex::Complex;

/// A function of two elements, named as TensorFlow names the op. For the gradient ops the left
/// operand is the gradient and the right one the output or feature, except that TanhGrad,
/// SigmoidGrad, SqrtGrad, RsqrtGrad and ReciprocalGrad take (y, dy), as TensorFlow does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BinaryOp {
    Add,
    Atan2,
    Div,
    DivNoNan,
    EluGrad,
    FloorDiv,
    FloorMod,
    Maximum,
    Minimum,
    Mul,
    MulNoNan,
    Pow,
    ReciprocalGrad,
    Relu6Grad,
    ReluGrad,
    RsqrtGrad,
    SeluGrad,
    SigmoidGrad,
    SoftplusGrad,
    SoftsignGrad,
    SqrtGrad,
    SquaredDifference,
    Sub,
    TanhGrad,
    TruncateMod,
    Xdivy,
    Xlog1py,
    Xlogy,
}

/// A comparison of two elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOp {
    Equal,
    NotEqual,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
}

/// Element types with the functions of [`BinaryOp`].
pub trait Binary: Number {
    /// True when this type has the function.
    fn has(op: BinaryOp) -> bool {
        Self::kernel(op).is_some()
    }

    /// The loops of `op` over rows; none when the type lacks the function.
    fn kernel(op: BinaryOp) -> Option<&'static dyn RowKernel<Self, Self, Self>>;

    /// `out = op(a, b)`. Panics when the type lacks the function.
    fn binary(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], b: &[Self], out: &mut [Self]);

    /// `data = op(data, b)`; data has the output's shape.
    fn binary_in_place(op: BinaryOp, plan: &BroadcastPlan, data: &mut [Self], b: &[Self]);

    /// `data = op(a, data)`; data has the output's shape.
    fn binary_in_place_right(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], data: &mut [Self]);
}

/// Element types with an order.
pub trait Compare: Copy + Send + Sync + 'static {
    /// `out = a op b`. Panics when the type has no order and the comparison needs one.
    fn compare(op: CompareOp, plan: &BroadcastPlan, a: &[Self], b: &[Self], out: &mut [bool]);
}

fn grain(op: BinaryOp) -> usize {
    use BinaryOp::*;
    match op {
        Atan2 | FloorMod | Pow | SoftplusGrad | TruncateMod | Xlog1py | Xlogy => COSTLY,
        _ => CHEAP,
    }
}

/// The three entry points, the same for every type.
macro_rules! entry_points {
    () => {
        fn binary(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], b: &[Self], out: &mut [Self]) {
            broadcast::apply_rows(plan, a, b, out, defined(op, Self::kernel(op)), grain(op));
        }
        fn binary_in_place(op: BinaryOp, plan: &BroadcastPlan, data: &mut [Self], b: &[Self]) {
            broadcast::apply_in_place(plan, data, b, defined(op, Self::kernel(op)), grain(op));
        }
        fn binary_in_place_right(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], data: &mut [Self]) {
            broadcast::apply_in_place_right(plan, a, data, defined(op, Self::kernel(op)), grain(op));
        }
    };
}

fn defined<K>(op: BinaryOp, kernel: Option<K>) -> K {
    kernel.unwrap_or_else(|| panic!("{op:?} is not defined for the element type"))
}

macro_rules! float_kernels {
    ($t:ident, $log:expr, $log1p:expr, $sigmoid:expr) => {
        impl Binary for $t {
            fn kernel(op: BinaryOp) -> Option<&'static dyn RowKernel<$t, $t, $t>> {
                use BinaryOp::*;
                Some(match op {
                    Add => &Each(|x: $t, y: $t| x + y),
                    Atan2 => &Each(|x: $t, y: $t| x.atan2(y)),
                    Div => &Each(|x: $t, y: $t| x / y),
                    DivNoNan => &Each(|x: $t, y: $t| if y == 0.0 { 0.0 } else { x / y }),
                    EluGrad => &Each(|g: $t, y: $t| if y < 0.0 { (y + 1.0) * g } else { g }),
                    FloorDiv => &Each(|x: $t, y: $t| (x / y).floor()),
                    FloorMod => &Each(|x: $t, y: $t| {
                        let r = x % y;
                        if r != 0.0 && ((y < 0.0) != (r < 0.0)) { r + y } else { r }
                    }),
                    Maximum => &Each(|x: $t, y: $t| x.greater(y)),
                    Minimum => &Each(|x: $t, y: $t| x.lesser(y)),
                    Mul => &Each(|x: $t, y: $t| x * y),
                    MulNoNan => &Each(|x: $t, y: $t| if y == 0.0 { 0.0 } else { x * y }),
                    Pow => &Each(|x: $t, y: $t| x.powf(y)),
                    ReciprocalGrad => &Each(|y: $t, dy: $t| -dy * y * y),
                    Relu6Grad => &Each(|g: $t, x: $t| if x > 0.0 && x < 6.0 { g } else { 0.0 }),
                    ReluGrad => &Each(|g: $t, x: $t| g * (if x > 0.0 { 1.0 } else { 0.0 })),
                    RsqrtGrad => &Each(|y: $t, dy: $t| dy * -0.5 * (y * y * y)),
                    SeluGrad => &Each(|g: $t, y: $t| {
                        let (scale, shift) = (SELU_SCALE as $t, SELU_SCALE_ALPHA as $t);
                        if y < 0.0 { g * (y + shift) } else { g * scale }
                    }),
                    SigmoidGrad => &Each(|y: $t, dy: $t| dy * y * (1.0 - y)),
                    SoftplusGrad => &Each(|g: $t, x: $t| g * $sigmoid(x)),
                    SoftsignGrad => &Each(|g: $t, x: $t| {
                        let d = 1.0 + x.abs();
                        g / (d * d)
                    }),
                    SqrtGrad => &Each(|y: $t, dy: $t| 0.5 * dy / y),
                    SquaredDifference => &Each(|x: $t, y: $t| (x - y) * (x - y)),
                    Sub => &Each(|x: $t, y: $t| x - y),
                    TanhGrad => &Each(|y: $t, dy: $t| dy * (1.0 - y * y)),
                    TruncateMod => &Each(|x: $t, y: $t| x % y),
                    Xdivy => &Each(|x: $t, y: $t| if x == 0.0 { 0.0 } else { x / y }),
                    Xlog1py => &Each(|x: $t, y: $t| if x == 0.0 { 0.0 } else { x * $log1p(y) }),
                    Xlogy => &Each(|x: $t, y: $t| if x == 0.0 { 0.0 } else { x * $log(y) }),
                })
            }
            entry_points!();
        }
    };
}
float_kernels!(f32, approx::log, approx::log1p, approx::sigmoid);
float_kernels!(f64, f64::ln, f64::ln_1p, |x: f64| 1.0 / (1.0 + (-x).exp()));

/// So many numbers are converted at once.
const ROW: usize = 512;

/// Rows of a 16-bit float: converted, computed as `f32`, converted back.
struct Through<K: ?Sized + 'static>(&'static K);

macro_rules! half_kernels {
    ($($t:ident)*) => {$(
        impl RowKernel<$t, $t, $t> for Through<dyn RowKernel<f32, f32, f32>> {
            fn both(&self, a: &[$t], b: &[$t], out: &mut [$t]) {
                let (mut x, mut y, mut z) = ([0.0f32; ROW], [0.0f32; ROW], [0.0f32; ROW]);
                for ((a, b), out) in a.chunks(ROW).zip(b.chunks(ROW)).zip(out.chunks_mut(ROW)) {
                    let n = out.len();
                    $t::widen_row(a, &mut x[..n]);
                    $t::widen_row(b, &mut y[..n]);
                    self.0.both(&x[..n], &y[..n], &mut z[..n]);
                    $t::narrow_row(&z[..n], out);
                }
            }
            fn right_fixed(&self, a: &[$t], b: $t, out: &mut [$t]) {
                let (mut x, mut z) = ([0.0f32; ROW], [0.0f32; ROW]);
                for (a, out) in a.chunks(ROW).zip(out.chunks_mut(ROW)) {
                    let n = out.len();
                    $t::widen_row(a, &mut x[..n]);
                    self.0.right_fixed(&x[..n], b.to_wide(), &mut z[..n]);
                    $t::narrow_row(&z[..n], out);
                }
            }
            fn left_fixed(&self, a: $t, b: &[$t], out: &mut [$t]) {
                let (mut y, mut z) = ([0.0f32; ROW], [0.0f32; ROW]);
                for (b, out) in b.chunks(ROW).zip(out.chunks_mut(ROW)) {
                    let n = out.len();
                    $t::widen_row(b, &mut y[..n]);
                    self.0.left_fixed(a.to_wide(), &y[..n], &mut z[..n]);
                    $t::narrow_row(&z[..n], out);
                }
            }
        }

        impl Binary for $t {
            fn kernel(_: BinaryOp) -> Option<&'static dyn RowKernel<$t, $t, $t>> { None }
            fn has(_: BinaryOp) -> bool { true }
            fn binary(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], b: &[Self], out: &mut [Self]) {
                broadcast::apply_rows(plan, a, b, out, &Through(defined(op, f32::kernel(op))), grain(op));
            }
            fn binary_in_place(op: BinaryOp, plan: &BroadcastPlan, data: &mut [Self], b: &[Self]) {
                let kernel = Through(defined(op, f32::kernel(op)));
                broadcast::apply_in_place(plan, data, b, &kernel, grain(op));
            }
            fn binary_in_place_right(op: BinaryOp, plan: &BroadcastPlan, a: &[Self], data: &mut [Self]) {
                let kernel = Through(defined(op, f32::kernel(op)));
                broadcast::apply_in_place_right(plan, a, data, &kernel, grain(op));
            }
        }
    )*};
}
half_kernels!(f16 bf16);

macro_rules! integer_kernels {
    ($($t:ident)*) => {$(
        impl Binary for $t {
            #[allow(unused_comparisons)]
            fn kernel(op: BinaryOp) -> Option<&'static dyn RowKernel<$t, $t, $t>> {
                use BinaryOp::*;
                Some(match op {
                    Add => &Each(|x: $t, y: $t| x.wrapping_add(y)),
                    Div => &Each(|x: $t, y: $t| x.over(y)),
                    FloorDiv => &Each(|x: $t, y: $t| {
                        if y == 0 { return 0; }
                        let q = x.wrapping_div(y);
                        if x.wrapping_rem(y) != 0 && ((x < 0) != (y < 0)) { q - 1 } else { q }
                    }),
                    FloorMod => &Each(|x: $t, y: $t| {
                        if y == 0 { return 0; }
                        let r = x.wrapping_rem(y);
                        if r != 0 && ((r < 0) != (y < 0)) { r + y } else { r }
                    }),
                    Maximum => &Each(|x: $t, y: $t| x.greater(y)),
                    Minimum => &Each(|x: $t, y: $t| x.lesser(y)),
                    Mul => &Each(|x: $t, y: $t| x.wrapping_mul(y)),
                    Pow => &Each(|x: $t, y: $t| integer_power(x, y)),
                    ReluGrad => &Each(|g: $t, x: $t| if x > 0 { g } else { 0 }),
                    Relu6Grad => &Each(|g: $t, x: $t| if x > 0 && x < 6 { g } else { 0 }),
                    SquaredDifference => &Each(|x: $t, y: $t| {
                        let d = x.wrapping_sub(y);
                        d.wrapping_mul(d)
                    }),
                    Sub => &Each(|x: $t, y: $t| x.wrapping_sub(y)),
                    TruncateMod => &Each(|x: $t, y: $t| if y == 0 { 0 } else { x.wrapping_rem(y) }),
                    _ => return None,
                })
            }
            entry_points!();
        }
    )*};
}
integer_kernels!(i8 i16 i32 i64 u8 u16 u32 u64);

macro_rules! complex_kernels {
    ($($t:ident)*) => {$(
        impl Binary for Complex<$t> {
            fn kernel(op: BinaryOp) -> Option<&'static dyn RowKernel<Self, Self, Self>> {
                use BinaryOp::*;
                type C = Complex<$t>;
                Some(match op {
                    Add => &Each(|x: C, y: C| x + y),
                    Div => &Each(|x: C, y: C| x / y),
                    DivNoNan => &Each(|x: C, y: C| if y == C::ZERO { C::ZERO } else { x / y }),
                    Mul => &Each(|x: C, y: C| x * y),
                    MulNoNan => &Each(|x: C, y: C| if y == C::ZERO { C::ZERO } else { x * y }),
                    Pow => &Each(|x: C, y: C| if y == C::ZERO { C::ONE } else { x.powc(y) }),
                    ReciprocalGrad => &Each(|y: C, dy: C| -dy * (y * y).conj()),
                    RsqrtGrad => &Each(|y: C, dy: C| dy * -0.5 * (y * y * y).conj()),
                    SigmoidGrad => &Each(|y: C, dy: C| dy * y * (C::ONE - y)),
                    SqrtGrad => &Each(|y: C, dy: C| dy * 0.5 / y.conj()),
                    SquaredDifference => &Each(|x: C, y: C| (x - y) * (x - y).conj()),
                    Sub => &Each(|x: C, y: C| x - y),
                    TanhGrad => &Each(|y: C, dy: C| dy * (C::ONE - y * y)),
                    Xdivy => &Each(|x: C, y: C| if x == C::ZERO { C::ZERO } else { x / y }),
                    Xlog1py => &Each(|x: C, y: C| if x == C::ZERO { C::ZERO } else { x * (y + 1.0).ln() }),
                    Xlogy => &Each(|x: C, y: C| if x == C::ZERO { C::ZERO } else { x * y.ln() }),
                    _ => return None,
                })
            }
            entry_points!();
        }
    )*};
}
complex_kernels!(f32 f64);

/// Power by squaring, wrapping. A negative exponent makes 0 (callers report it).
fn integer_power<T: Real>(base: T, exponent: T) -> T
where
    i128: From<T>,
{
    let mut exponent = i128::from(exponent);
    if exponent < 0 {
        return T::ZERO;
    }
    let (mut result, mut square) = (T::ONE, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = result.times(square);
        }
        square = square.times(square);
        exponent >>= 1;
    }
    result
}

macro_rules! ordered {
    ($($t:ty)*) => {$(
        impl Compare for $t {
            fn compare(op: CompareOp, plan: &BroadcastPlan, a: &[$t], b: &[$t], out: &mut [bool]) {
                let kernel: &dyn RowKernel<$t, $t, bool> = match op {
                    CompareOp::Equal => &Each(|x: $t, y: $t| x == y),
                    CompareOp::NotEqual => &Each(|x: $t, y: $t| x != y),
                    CompareOp::Less => &Each(|x: $t, y: $t| x < y),
                    CompareOp::LessEqual => &Each(|x: $t, y: $t| x <= y),
                    CompareOp::Greater => &Each(|x: $t, y: $t| x > y),
                    CompareOp::GreaterEqual => &Each(|x: $t, y: $t| x >= y),
                };
                broadcast::apply_rows(plan, a, b, out, kernel, CHEAP);
            }
        }
    )*};
}
ordered!(f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64 bool);

macro_rules! unordered {
    ($($t:ty)*) => {$(
        impl Compare for $t {
            fn compare(op: CompareOp, plan: &BroadcastPlan, a: &[$t], b: &[$t], out: &mut [bool]) {
                match op {
                    CompareOp::Equal => broadcast::apply(plan, a, b, out, |x, y| x == y),
                    CompareOp::NotEqual => broadcast::apply(plan, a, b, out, |x, y| x != y),
                    _ => panic!("complex numbers have no order"),
                }
            }
        }
    )*};
}
unordered!(Complex<f32> Complex<f64>);

#[cfg(test)]
mod tests {
    use super::*;

    fn run<T: Binary>(op: BinaryOp, a: &[T], b: &[T]) -> Vec<T> {
        let plan = BroadcastPlan::new(&[a.len() as i64], &[b.len() as i64]).unwrap();
        let mut out = vec![T::ZERO; plan.len()];
        T::binary(op, &plan, a, b, &mut out);
        out
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn floats_as_tensorflow() {
        let (nan, inf) = (f32::NAN, f32::INFINITY);
        let max = run(BinaryOp::Maximum, &[nan, 1.0, 0.0, -0.0], &[1.0, nan, -0.0, 0.0]);
        assert!(max[0].is_nan() && max[1].is_nan());
        assert!(max[2].is_sign_positive() && max[3].is_sign_negative());
        assert_eq!(run(BinaryOp::FloorDiv, &[7.0, -7.0, 1.0], &[2.0f32, 2.0, 0.0]), [3.0, -4.0, inf]);
        assert_eq!(
            run(BinaryOp::FloorMod, &[7.0, -7.0, 7.0, -7.0, 5.0], &[2.0f32, 2.0, -2.0, -2.0, inf]),
            [1.0, 1.0, -1.0, -1.0, 5.0]
        );
        assert_eq!(run(BinaryOp::DivNoNan, &[1.0, nan, inf], &[0.0]), [0.0, 0.0, 0.0]);
        assert_eq!(run(BinaryOp::Xlogy, &[0.0, 0.0, 1.0], &[0.0, nan, 0.0]), [0.0, 0.0, -inf]);
        let grad = run(BinaryOp::ReluGrad, &[1.0, 1.0, 1.0, nan], &[nan, 0.0, 1.0, 0.0]);
        assert!(grad[..3] == [0.0, 0.0, 1.0] && grad[3].is_nan());
        assert_eq!(run(BinaryOp::Relu6Grad, &[1.0f32], &[nan, 0.0, 6.0, 7.0, 3.0])[4], 1.0);
        assert_eq!(run(BinaryOp::EluGrad, &[1.0f32], &[nan, 0.0, 1.0, -0.5]), [1.0, 1.0, 1.0, 0.5]);
        assert_eq!(run(BinaryOp::SeluGrad, &[1.0f32], &[1.0, -0.5]), [1.050701, 1.2580993]);
        assert_eq!(run(BinaryOp::ReciprocalGrad, &[2.0f32, 3.0], &[5.0, 7.0]), [-20.0, -63.0]);
        assert_eq!(run(BinaryOp::RsqrtGrad, &[2.0f32, 3.0], &[5.0, 7.0]), [-20.0, -94.5]);
        assert_eq!(run(BinaryOp::SqrtGrad, &[2.0f32, 0.0], &[5.0, 1.0]), [1.25, inf]);
        assert_eq!(run(BinaryOp::SigmoidGrad, &[2.0f32, 3.0], &[5.0, 7.0]), [-10.0, -42.0]);
        assert_eq!(run(BinaryOp::TanhGrad, &[2.0f32, 3.0], &[5.0, 7.0]), [-15.0, -56.0]);
        assert_eq!(run(BinaryOp::SoftsignGrad, &[1.0f32], &[0.0, 1.0, -1.0]), [1.0, 0.25, 0.25]);
    }

    /// The values are those of TensorFlow 2.21, except for division by zero, which it reports.
    #[test]
    fn integers_as_tensorflow() {
        let (a, b) = ([7, -7, 7, -7], [2, 2, -2, -2]);
        assert_eq!(run(BinaryOp::FloorDiv, &a, &b), [3, -4, -4, 3]);
        assert_eq!(run(BinaryOp::FloorMod, &a, &b), [1, 1, -1, -1]);
        assert_eq!(run(BinaryOp::TruncateMod, &a, &b), [1, -1, 1, -1]);
        assert_eq!(run(BinaryOp::Div, &a, &b), [3, -3, -3, 3]);
        assert_eq!(run(BinaryOp::FloorDiv, &[i32::MIN, 5], &[-1, 0]), [i32::MIN, 0]);
        assert_eq!(run(BinaryOp::Pow, &[2, 3, -2, 0], &[10, 21, 3, 0]), [1024, 1870418611, -8, 1]);
        assert_eq!(run(BinaryOp::Add, &[250u8], &[10, 5]), [4, 255]);
    }

    #[test]
    fn halves_and_comparisons() {
        let h = |x: f32| f16::from_f32(x);
        assert_eq!(run(BinaryOp::Mul, &[h(1.5), h(2.0)], &[h(2.0)]), [h(3.0), h(4.0)]);
        let plan = BroadcastPlan::new(&[3], &[]).unwrap();
        let mut out = [false; 3];
        f32::compare(CompareOp::Less, &plan, &[1.0, f32::NAN, 3.0], &[2.0], &mut out);
        assert_eq!(out, [true, false, false]);
        f32::compare(CompareOp::NotEqual, &plan, &[2.0, f32::NAN, 3.0], &[2.0], &mut out);
        assert_eq!(out, [false, true, true]);
    }
}
