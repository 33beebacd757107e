//! Elementary functions of `f32` without branches, so that loops over them vectorise.
//!
//! Each is within 3 units in the last place of the true value, denormal results and infinities
//! included, and passes NaN on. The polynomials are the classic single-precision ones.

use std::f32::consts::LOG2_E;

/// Adding this to a small float leaves its nearest integer in the low bits.
const ROUNDER: f32 = 12_582_912.0;
/// ln 2 in two parts; the first has few enough bits that products with small integers are exact.
const LN2_HIGH: f32 = 0.693_359_4;
const LN2_LOW: f32 = -2.121_944_4e-4;

/// e to the power x.
#[inline(always)]
pub fn exp(x: f32) -> f32 {
    // Beyond these bounds the result is 0 or infinity, which the scaling below produces.
    let bounded = if x > 89.0 { 89.0 } else { x };
    let bounded = if bounded < -104.0 { -104.0 } else { bounded };
    let (q, power) = reduced_expm1(bounded);
    let y = q + 1.0;
    // Two steps, because 2^n itself may be out of range while the result is denormal.
    let half = power >> 1;
    y * power_of_two(half) * power_of_two(power.wrapping_sub(half))
}

/// The natural logarithm.
#[inline(always)]
pub fn log(x: f32) -> f32 {
    let tiny = x < f32::MIN_POSITIVE;
    let scaled = if tiny { x * 8_388_608.0 } else { x };
    let exponent_shift = if tiny { 23 } else { 0 };
    // Split into m * 2^e with m between sqrt(1/2) and sqrt(2).
    let bits = scaled.to_bits() as i32;
    let offset = bits.wrapping_sub(0x3f35_04f3);
    let e = ((offset >> 23) - exponent_shift) as f32;
    let m = f32::from_bits(((offset & 0x007f_ffff) + 0x3f35_04f3) as u32);
    let t = m - 1.0;
    let z = t * t;
    let mut p = 7.037_683_6e-2f32;
    p = p.mul_add(t, -1.151_461e-1);
    p = p.mul_add(t, 1.167_699_9e-1);
    p = p.mul_add(t, -1.242_014_1e-1);
    p = p.mul_add(t, 1.424_932_3e-1);
    p = p.mul_add(t, -1.666_805_8e-1);
    p = p.mul_add(t, 2.000_071_5e-1);
    p = p.mul_add(t, -2.499_999_4e-1);
    p = p.mul_add(t, 3.333_333e-1);
    let mut y = (t * z) * p;
    y = e.mul_add(LN2_LOW, y);
    y = z.mul_add(-0.5, y);
    let y = e.mul_add(LN2_HIGH, t + y);
    let y = if x == 0.0 { f32::NEG_INFINITY } else { y };
    let y = if x < 0.0 { f32::NAN } else { y };
    // Infinity and NaN are their own logarithms.
    if x < f32::INFINITY { y } else { x }
}

/// ln(1 + x), accurate near 0.
#[inline(always)]
pub fn log1p(x: f32) -> f32 {
    let w = 1.0 + x;
    // The rounding error made in w is undone by the quotient x / (w - 1).
    let y = log(w) * (x / (w - 1.0));
    let y = if w == 1.0 { x } else { y };
    if w == f32::INFINITY { w } else { y }
}

/// e^x - 1, accurate near 0.
#[inline(always)]
pub fn expm1(x: f32) -> f32 {
    let bounded = if x > 89.0 { 89.0 } else { x };
    let bounded = if bounded < -20.0 { -20.0 } else { bounded };
    let (q, power) = reduced_expm1(bounded);
    // 2^n (q + 1) - 1, by halves so that 2^n is always in range.
    let half = power_of_two(power.wrapping_sub(1));
    2.0 * half.mul_add(q, half - 0.5)
}

/// The hyperbolic tangent.
#[inline(always)]
pub fn tanh(x: f32) -> f32 {
    let far = x.abs();
    // Beyond this bound the result is 1, and far beyond it the quotient would be one of infinities.
    let bounded = if far > 20.0 { 20.0 } else { far };
    let y = expm1(2.0 * bounded);
    (y / (y + 2.0)).copysign(x)
}

/// 1 / (1 + e^-x).
#[inline(always)]
pub fn sigmoid(x: f32) -> f32 {
    let e = exp(-x.abs());
    let top = if x < 0.0 { e } else { 1.0 };
    top / (1.0 + e)
}

/// Splits x into n ln 2 + r and returns e^r - 1 and n.
#[inline(always)]
fn reduced_expm1(x: f32) -> (f32, i32) {
    let shifted = x.mul_add(LOG2_E, ROUNDER);
    let n = shifted - ROUNDER;
    let power = (shifted.to_bits() as i32).wrapping_sub(ROUNDER.to_bits() as i32);
    let r = n.mul_add(-LN2_LOW, n.mul_add(-LN2_HIGH, x));
    let mut p = 1.987_569_1e-4f32;
    p = p.mul_add(r, 1.398_2e-3);
    p = p.mul_add(r, 8.333_452e-3);
    p = p.mul_add(r, 4.166_579_6e-2);
    p = p.mul_add(r, 1.666_666_5e-1);
    p = p.mul_add(r, 0.5);
    ((p * r).mul_add(r, r), power)
}

#[inline(always)]
fn power_of_two(n: i32) -> f32 {
    f32::from_bits((n.wrapping_add(127) as u32) << 23)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The distance between `got` and the true value in units in the last place of the latter.
    fn ulps(got: f32, truth: f64) -> f64 {
        if truth.is_nan() || got.is_nan() {
            return if truth.is_nan() && got.is_nan() { 0.0 } else { f64::INFINITY };
        }
        let rounded = truth as f32;
        if got == rounded {
            return 0.0;
        }
        let unit = (f32::from_bits(rounded.abs().to_bits() + 1) - rounded.abs()) as f64;
        (got as f64 - truth).abs() / unit
    }

    /// Checks `f` against `truth` on floats spread over all exponents and both signs.
    fn worst(f: fn(f32) -> f32, truth: fn(f64) -> f64) -> f64 {
        let mut worst = 0.0f64;
        for step in 0..(1u32 << 20) {
            let x = f32::from_bits(step * 4096 + step % 4093);
            let distance = ulps(f(x), truth(x as f64));
            assert!(distance <= 3.0, "f({x:e}) = {:e}, true {:e}", f(x), truth(x as f64));
            worst = worst.max(distance);
        }
        worst
    }

    #[test]
    fn within_three_units_everywhere() {
        worst(exp, f64::exp);
        worst(log, f64::ln);
        worst(log1p, f64::ln_1p);
        worst(expm1, f64::exp_m1);
        worst(tanh, f64::tanh);
        worst(sigmoid, |x| if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) });
    }

    #[test]
    fn special_values() {
        let inf = f32::INFINITY;
        assert_eq!([exp(inf), exp(-inf), exp(0.0), exp(1000.0), exp(-1000.0)], [inf, 0.0, 1.0, inf, 0.0]);
        assert_eq!([log(inf), log(0.0), log(-0.0), log(1.0)], [inf, -inf, -inf, 0.0]);
        assert!(log(-1.0).is_nan() && log(-inf).is_nan() && log(f32::NAN).is_nan());
        assert_eq!([tanh(inf), tanh(-inf), tanh(50.0), tanh(0.0)], [1.0, -1.0, 1.0, 0.0]);
        assert!(tanh(-0.0).is_sign_negative());
        assert_eq!([sigmoid(inf), sigmoid(-inf), sigmoid(0.0)], [1.0, 0.0, 0.5]);
        assert!(exp(f32::NAN).is_nan() && tanh(f32::NAN).is_nan() && sigmoid(f32::NAN).is_nan());
        assert_eq!([log1p(-1.0), log1p(inf), expm1(-inf), expm1(inf)], [-inf, inf, -1.0, inf]);
    }
}
