//! The named functions of one element.

use super::{CHEAP, COSTLY};
use crate::approx;
use crate::broadcast::STAGE;
use crate::convert::Narrow as _;
use crate::simd::widest;
use crate::threads::parallel_units;
use half::{bf16, f16};

/// A function of one element, named as TensorFlow names the op.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOp {
    Abs,
    Acos,
    Acosh,
    Asin,
    Asinh,
    Atan,
    Atanh,
    Ceil,
    Cos,
    Cosh,
    Digamma,
    Elu,
    Erf,
    Erfc,
    Exp,
    Expm1,
    Floor,
    Lgamma,
    Log,
    Log1p,
    Neg,
    Reciprocal,
    Relu,
    Relu6,
    Rint,
    Rsqrt,
    Selu,
    Sigmoid,
    Sign,
    Sin,
    Sinh,
    Softplus,
    Softsign,
    Sqrt,
    Square,
    Tan,
    Tanh,
}

/// Element types with the functions of [`UnaryOp`].
pub trait Unary: Copy + Send + Sync + Sized + 'static {
    /// True when this type has the function: integers have few.
    fn has(op: UnaryOp) -> bool;
    /// `out = op(a)`. Panics when the type lacks the function.
    fn unary(op: UnaryOp, a: &[Self], out: &mut [Self]);
    /// `data = op(data)`. Panics when the type lacks the function.
    fn unary_in_place(op: UnaryOp, data: &mut [Self]);
}

fn grain(op: UnaryOp) -> usize {
    use UnaryOp::*;
    match op {
        Abs | Ceil | Floor | Neg | Reciprocal | Relu | Relu6 | Rint | Sign | Sqrt | Square => CHEAP,
        Rsqrt | Softsign => CHEAP,
        _ => COSTLY,
    }
}

/// Runs a slice loop of `op` in parallel, out of place.
fn apart<T: Copy + Send + Sync>(op: UnaryOp, a: &[T], out: &mut [T], f: fn(UnaryOp, &[T], &mut [T])) {
    assert_eq!(a.len(), out.len());
    parallel_units(out, 1, grain(op), |first, out| f(op, &a[first..first + out.len()], out));
}

/// Runs a slice loop of `op` in parallel, in place, through a buffer that stays in the cache.
fn in_place<T: Copy + Send + Default>(op: UnaryOp, data: &mut [T], f: fn(UnaryOp, &[T], &mut [T])) {
    parallel_units(data, 1, grain(op), |_, data| {
        let mut buffer = [T::default(); STAGE];
        for piece in data.chunks_mut(STAGE) {
            let old = &mut buffer[..piece.len()];
            old.copy_from_slice(piece);
            f(op, old, piece);
        }
    });
}

macro_rules! float_functions {
    ($t:ident, $run:ident, $exp:expr, $log:expr, $log1p:expr, $expm1:expr, $tanh:expr, $sigmoid:expr) => {
        impl Unary for $t {
            fn has(_: UnaryOp) -> bool {
                true
            }
            fn unary(op: UnaryOp, a: &[Self], out: &mut [Self]) {
                apart(op, a, out, $run);
            }
            fn unary_in_place(op: UnaryOp, data: &mut [Self]) {
                in_place(op, data, $run);
            }
        }

        fn $run(op: UnaryOp, a: &[$t], out: &mut [$t]) {
            #[inline(always)]
            fn each(a: &[$t], out: &mut [$t], f: impl Fn($t) -> $t) {
                widest(
                    #[inline(always)]
                    || {
                        for (o, &x) in out.iter_mut().zip(a) {
                            *o = f(x);
                        }
                    },
                );
            }
            // Below this e^x is lost against 1, above its opposite ln(1 + e^x) is x.
            let small = $t::EPSILON.ln() + 2.0;
            match op {
                UnaryOp::Abs => each(a, out, |x| x.abs()),
                UnaryOp::Acos => each(a, out, |x| x.acos()),
                UnaryOp::Acosh => each(a, out, |x| x.acosh()),
                UnaryOp::Asin => each(a, out, |x| x.asin()),
                UnaryOp::Asinh => each(a, out, |x| x.asinh()),
                UnaryOp::Atan => each(a, out, |x| x.atan()),
                UnaryOp::Atanh => each(a, out, |x| x.atanh()),
                UnaryOp::Ceil => each(a, out, |x| x.ceil()),
                UnaryOp::Cos => each(a, out, |x| x.cos()),
                UnaryOp::Cosh => each(a, out, |x| x.cosh()),
                UnaryOp::Digamma => each(a, out, |x| digamma(x as f64) as $t),
                UnaryOp::Elu => each(
                    a,
                    out,
                    #[inline(always)]
                    |x| if x < 0.0 { $expm1(x) } else { x },
                ),
                UnaryOp::Erf => each(a, out, |x| erf(x as f64) as $t),
                UnaryOp::Erfc => each(a, out, |x| erfc(x as f64) as $t),
                UnaryOp::Exp => each(a, out, $exp),
                UnaryOp::Expm1 => each(a, out, $expm1),
                UnaryOp::Floor => each(a, out, |x| x.floor()),
                UnaryOp::Lgamma => each(a, out, |x| lgamma(x as f64) as $t),
                UnaryOp::Log => each(a, out, $log),
                UnaryOp::Log1p => each(a, out, $log1p),
                UnaryOp::Neg => each(a, out, |x| -x),
                UnaryOp::Reciprocal => each(a, out, |x| 1.0 / x),
                UnaryOp::Relu => each(a, out, |x| if x < 0.0 { 0.0 } else { x }),
                UnaryOp::Relu6 => each(a, out, |x| {
                    let x = if x < 0.0 { 0.0 } else { x };
                    if x > 6.0 { 6.0 } else { x }
                }),
                UnaryOp::Rint => each(a, out, |x| x.round_ties_even()),
                UnaryOp::Rsqrt => each(a, out, |x| 1.0 / x.sqrt()),
                UnaryOp::Selu => each(
                    a,
                    out,
                    #[inline(always)]
                    |x| {
                        let (scale, scale_alpha) = (SELU_SCALE as $t, SELU_SCALE_ALPHA as $t);
                        if x < 0.0 { scale_alpha * $expm1(x) } else { scale * x }
                    },
                ),
                UnaryOp::Sigmoid => each(a, out, $sigmoid),
                UnaryOp::Sign => each(a, out, |x| {
                    let s = if x > 0.0 {
                        1.0
                    } else if x < 0.0 {
                        -1.0
                    } else {
                        0.0
                    };
                    if x.is_nan() { x } else { s }
                }),
                UnaryOp::Sin => each(a, out, |x| x.sin()),
                UnaryOp::Sinh => each(a, out, |x| x.sinh()),
                UnaryOp::Softplus => {
                    // Two passes, because one loop over both functions does not vectorise.
                    each(a, out, $exp);
                    widest(
                        #[inline(always)]
                        || {
                            for (o, &x) in out.iter_mut().zip(a) {
                                let y = if x < small { *o } else { $log1p(*o) };
                                *o = if x > -small { x } else { y };
                            }
                        },
                    );
                }
                UnaryOp::Softsign => each(a, out, |x| x / (1.0 + x.abs())),
                UnaryOp::Sqrt => each(a, out, |x| x.sqrt()),
                UnaryOp::Square => each(a, out, |x| x * x),
                UnaryOp::Tan => each(a, out, |x| x.tan()),
                UnaryOp::Tanh => each(a, out, $tanh),
            }
        }
    };
}

float_functions!(f32, run_f32, approx::exp, approx::log, approx::log1p, approx::expm1, approx::tanh, approx::sigmoid);
float_functions!(f64, run_f64, f64::exp, f64::ln, f64::ln_1p, f64::exp_m1, f64::tanh, sigmoid_f64);

fn sigmoid_f64(x: f64) -> f64 {
    let e = (-x.abs()).exp();
    if x < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// The constants of the scaled exponential linear unit.
pub(super) const SELU_SCALE: f64 = 1.0507009873554804934193349852946;
pub(super) const SELU_SCALE_ALPHA: f64 = 1.7580993408473768599402175208123;

macro_rules! half_functions {
    ($($t:ident $run:ident)*) => {$(
        impl Unary for $t {
            fn has(_: UnaryOp) -> bool { true }
            fn unary(op: UnaryOp, a: &[Self], out: &mut [Self]) { apart(op, a, out, $run); }
            fn unary_in_place(op: UnaryOp, data: &mut [Self]) { in_place(op, data, $run); }
        }

        fn $run(op: UnaryOp, a: &[$t], out: &mut [$t]) {
            let (mut from, mut to) = ([0.0f32; STAGE], [0.0f32; STAGE]);
            for (a, out) in a.chunks(STAGE).zip(out.chunks_mut(STAGE)) {
                let (from, to) = (&mut from[..a.len()], &mut to[..a.len()]);
                $t::widen_row(a, from);
                run_f32(op, from, to);
                $t::narrow_row(to, out);
            }
        }
    )*};
}
half_functions!(f16 run_f16 bf16 run_bf16);

macro_rules! integer_functions {
    ($($t:ident $run:ident $negate:ident $signum:expr;)*) => {$(
        impl Unary for $t {
            fn has(op: UnaryOp) -> bool {
                use UnaryOp::*;
                matches!(op, Abs | Neg | Relu | Relu6 | Sign | Square | Rint)
            }
            fn unary(op: UnaryOp, a: &[Self], out: &mut [Self]) { apart(op, a, out, $run); }
            fn unary_in_place(op: UnaryOp, data: &mut [Self]) { in_place(op, data, $run); }
        }

        fn $run(op: UnaryOp, a: &[$t], out: &mut [$t]) {
            #[allow(unused_comparisons)]
            let f: fn($t) -> $t = match op {
                UnaryOp::Abs => |x| if x < 0 { x.wrapping_neg() } else { x },
                UnaryOp::Neg => |x| x.wrapping_neg(),
                UnaryOp::Relu => |x| if x < 0 { 0 } else { x },
                UnaryOp::Relu6 => |x| if x < 0 { 0 } else if x > 6 { 6 } else { x },
                UnaryOp::Rint => |x| x,
                UnaryOp::Sign => $signum,
                UnaryOp::Square => |x| x.wrapping_mul(x),
                _ => panic!("{op:?} is not defined for {}", stringify!($t)),
            };
            for (o, &x) in out.iter_mut().zip(a) { *o = f(x); }
        }
    )*};
}
integer_functions!(
    i8 run_i8 wrapping_neg |x| x.signum();
    i16 run_i16 wrapping_neg |x| x.signum();
    i32 run_i32 wrapping_neg |x| x.signum();
    i64 run_i64 wrapping_neg |x| x.signum();
    u8 run_u8 wrapping_neg |x| (x > 0) as u8;
    u16 run_u16 wrapping_neg |x| (x > 0) as u16;
    u32 run_u32 wrapping_neg |x| (x > 0) as u32;
    u64 run_u64 wrapping_neg |x| (x > 0) as u64;
);

/// The error function, from its series near 0 and its continued fraction elsewhere.
pub(crate) fn erf(x: f64) -> f64 {
    if x.abs() < 2.0 { erf_series(x) } else { 1.0 - erfc(x) }
}

/// 1 - erf(x), accurate in the tail.
pub(crate) fn erfc(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x < 2.0 {
        return if x < -2.0 { 2.0 - erfc_tail(-x) } else { 1.0 - erf_series(x) };
    }
    erfc_tail(x)
}

fn erf_series(x: f64) -> f64 {
    // erf x = 2/sqrt(pi) e^(-x^2) sum of 2^n x^(2n+1) / (1*3*...*(2n+1)): all terms of one sign.
    let s = 2.0 * x * x;
    let (mut term, mut sum, mut n) = (x, x, 1.0);
    while term.abs() > sum.abs() * 1e-17 && n < 200.0 {
        term *= s / (2.0 * n + 1.0);
        sum += term;
        n += 1.0;
    }
    std::f64::consts::FRAC_2_SQRT_PI * (-x * x).exp() * sum
}

fn erfc_tail(x: f64) -> f64 {
    if x > 28.0 {
        return 0.0;
    }
    // Backward evaluation of x + (1/2)/(x + 1/(x + (3/2)/(x + ...))).
    let mut f = x;
    for k in (1..120).rev() {
        f = x + 0.5 * k as f64 / f;
    }
    (-x * x).exp() / (f * std::f64::consts::PI.sqrt())
}

/// The derivative of [`lgamma`]: by reflection to positive numbers, by recurrence to great ones, and there by the
/// asymptotic series.
pub(crate) fn digamma(x: f64) -> f64 {
    if x.is_nan() || (x <= 0.0 && x == x.floor()) {
        return f64::NAN;
    }
    if x <= 0.0 {
        let pi = std::f64::consts::PI;
        return digamma(1.0 - x) - pi / (pi * x).tan();
    }
    let (mut x, mut below) = (x, 0.0);
    while x < 10.0 {
        below += 1.0 / x;
        x += 1.0;
    }
    const SERIES: [f64; 7] =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let squared = 1.0 / (x * x);
    let tail = SERIES.iter().rev().fold(0.0, |sum, term| (sum + term) * squared);
    x.ln() - 0.5 / x - tail - below
}

/// ln |gamma(x)| by Lanczos' approximation (g = 7, 9 terms).
pub(crate) fn lgamma(x: f64) -> f64 {
    const TERMS: [f64; 9] = [
        0.999_999_999_999_809_9,
        676.520_368_121_885_1,
        -1_259.139_216_722_402_8,
        771.323_428_777_653_1,
        -176.615_029_162_140_6,
        12.507_343_278_686_905,
        -0.138_571_095_265_720_12,
        9.984_369_578_019_572e-6,
        1.505_632_735_149_311_6e-7,
    ];
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || (x <= 0.0 && x == x.floor()) {
        return f64::INFINITY;
    }
    if x < 0.5 {
        let pi = std::f64::consts::PI;
        return (pi / (pi * x).sin().abs()).ln() - lgamma(1.0 - x);
    }
    if x == 1.0 || x == 2.0 {
        return 0.0;
    }
    let x = x - 1.0;
    let sum = (1..9).fold(TERMS[0], |sum, i| sum + TERMS[i] / (x + i as f64));
    let t = x + 7.5;
    0.5 * (2.0 * std::f64::consts::PI).ln() + (x + 0.5) * t.ln() - t + sum.ln()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn f(op: UnaryOp, a: &[f32]) -> Vec<f32> {
        let mut out = vec![0.0; a.len()];
        f32::unary(op, a, &mut out);
        let mut data = a.to_vec();
        f32::unary_in_place(op, &mut data);
        assert!(data.iter().zip(&out).all(|(x, y)| x.to_bits() == y.to_bits()));
        out
    }

    /// The values are those of TensorFlow 2.21.
    #[test]
    fn special_values_as_tensorflow() {
        let nan = f32::NAN;
        let relu = f(UnaryOp::Relu, &[nan, -1.0, -0.0, 1.0]);
        assert!(relu[0].is_nan() && relu[2].is_sign_negative());
        assert_eq!(relu[1..], [0.0, 0.0, 1.0]);
        assert_eq!(f(UnaryOp::Relu6, &[-1.0, 7.0, 1.0]), [0.0, 6.0, 1.0]);
        assert!(f(UnaryOp::Relu6, &[nan])[0].is_nan() && f(UnaryOp::Sign, &[nan])[0].is_nan());
        assert_eq!(f(UnaryOp::Sign, &[-0.0, 3.0, -2.0]), [0.0, 1.0, -1.0]);
        assert_eq!(f(UnaryOp::Rint, &[0.5, 1.5, 2.5, -1.5]), [0.0, 2.0, 2.0, -2.0]);
        assert_eq!(f(UnaryOp::Elu, &[-1.0, 1.0, -100.0]), [-0.63212055, 1.0, -1.0]);
        assert_eq!(f(UnaryOp::Softplus, &[100.0, 0.0]), [100.0, std::f32::consts::LN_2]);
        assert_eq!(f(UnaryOp::Selu, &[-1.0, 1.0]), [-1.1113307, 1.050701]);
    }

    #[test]
    fn error_function_and_gamma() {
        let close = |got: f64, want: f64| assert!((got - want).abs() <= 1e-13 * want.abs(), "{got} {want}");
        close(erf(0.5), 0.520_499_877_813_046_5);
        close(erf(-2.5), -0.999_593_047_982_555);
        close(erfc(3.0), 2.209_049_699_858_544e-5);
        close(erfc(-1.0), 1.842_700_792_949_715);
        close(lgamma(10.0), 12.801_827_480_081_469);
        close(lgamma(0.25), 1.288_022_524_698_077_4);
        close(lgamma(-0.5), 1.265_512_123_484_645_4);
        assert_eq!((erf(f64::INFINITY), erfc(f64::INFINITY), lgamma(1.0)), (1.0, 0.0, 0.0));
    }

    #[test]
    fn other_types() {
        let mut out = [0i32; 3];
        i32::unary(UnaryOp::Abs, &[-5, i32::MIN, 7], &mut out);
        assert_eq!(out, [5, i32::MIN, 7]);
        let mut halves = [f16::from_f32(4.0), f16::from_f32(-1.0)];
        f16::unary_in_place(UnaryOp::Sqrt, &mut halves);
        assert!(halves[0] == f16::from_f32(2.0) && halves[1].is_nan());
        let mut wide = [0.0f64; 1];
        f64::unary(UnaryOp::Sigmoid, &[-1.0], &mut wide);
        assert!((wide[0] - 0.268_941_421_369_995_1).abs() < 1e-16);
        assert!(!i32::has(UnaryOp::Exp));
    }
}
