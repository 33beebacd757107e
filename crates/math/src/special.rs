//! Special functions of mathematics in double precision: Bessel functions, incomplete gamma and beta functions, zeta,
//! integrals of exponentials and their inverses.
//!
//! Each is evaluated where it converges fast: a power series near the origin, an asymptotic series far away, a continued
//! fraction or a trapezoidal sum of an integral between. Arguments outside a function's domain give what TensorFlow gives.

use std::f64::consts::{FRAC_1_SQRT_2, FRAC_PI_2, PI, SQRT_2};

use crate::elementwise::{digamma, erf, erfc, lgamma};

/// Where the next term of a sum no longer changes it.
const TINY: f64 = 1e-17;
/// The constant of Euler and Mascheroni.
const EULER: f64 = 0.577_215_664_901_532_9;

/// The modified Bessel function of the first kind of order 0 or 1, times `e^-|x|`.
fn bessel_i_scaled(order: u32, x: f64) -> f64 {
    let y = x.abs();
    if y == f64::INFINITY {
        return 0.0;
    }
    let value = if y < 20.0 {
        let (quarter, n) = (y * y / 4.0, f64::from(order));
        let (mut term, mut sum, mut k) = (if order == 0 { 1.0 } else { y / 2.0 }, 0.0, 0.0);
        while term > sum * TINY {
            sum += term;
            k += 1.0;
            term *= quarter / (k * (k + n));
        }
        sum * (-y).exp()
    } else {
        // sum of (-1)^k a_k / y^k, where a_k / a_(k-1) = (4 n^2 - (2k - 1)^2) / (8 k)
        let n = 4.0 * f64::from(order * order);
        let (mut term, mut sum, mut k) = (1f64, 1.0, 1.0);
        while term.abs() > TINY && k < 60.0 {
            term *= -(n - (2.0 * k - 1.0) * (2.0 * k - 1.0)) / (8.0 * k * y);
            sum += term;
            k += 1.0;
        }
        sum / (2.0 * PI * y).sqrt()
    };
    if order == 1 && x < 0.0 { -value } else { value }
}

/// I0(x) e^-|x|.
pub fn bessel_i0e(x: f64) -> f64 {
    if x.is_nan() { x } else { bessel_i_scaled(0, x) }
}

/// I1(x) e^-|x|.
pub fn bessel_i1e(x: f64) -> f64 {
    if x.is_nan() { x } else { bessel_i_scaled(1, x) }
}

/// The modified Bessel function of the first kind of order 0.
pub fn bessel_i0(x: f64) -> f64 {
    bessel_i0e(x) * x.abs().exp()
}

/// The modified Bessel function of the first kind of order 1.
pub fn bessel_i1(x: f64) -> f64 {
    bessel_i1e(x) * x.abs().exp()
}

/// The integral of e^(-x (cosh t - 1)) cosh(n t) from 0 up, by the trapezoidal rule, whose error vanishes faster than any
/// power of the step for such functions.
fn bessel_k_scaled(order: i32, x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x <= 0.0 {
        return f64::INFINITY;
    }
    if x == f64::INFINITY {
        return 0.0;
    }
    // The integrand's width falls with the root of x.
    let step = 0.125 / (1.0 + x / 8.0).sqrt();
    let (mut sum, mut t) = (0.5, step);
    loop {
        let half = (t / 2.0).sinh();
        let term = (-2.0 * x * half * half).exp() * if order == 0 { 1.0 } else { t.cosh() };
        sum += term;
        if term < sum * TINY || t > 800.0 {
            return sum * step;
        }
        t += step;
    }
}

/// K0(x) e^x.
pub fn bessel_k0e(x: f64) -> f64 {
    bessel_k_scaled(0, x)
}

/// K1(x) e^x.
pub fn bessel_k1e(x: f64) -> f64 {
    bessel_k_scaled(1, x)
}

/// The modified Bessel function of the second kind of order 0.
pub fn bessel_k0(x: f64) -> f64 {
    if x <= 0.0 { f64::INFINITY } else { bessel_k0e(x) * (-x).exp() }
}

/// The modified Bessel function of the second kind of order 1.
pub fn bessel_k1(x: f64) -> f64 {
    if x <= 0.0 { f64::INFINITY } else { bessel_k1e(x) * (-x).exp() }
}

/// The Bessel function of the first kind of order 0.
pub fn bessel_j0(x: f64) -> f64 {
    if x.is_infinite() { f64::NAN } else { libm::j0(x) }
}

/// The Bessel function of the first kind of order 1.
pub fn bessel_j1(x: f64) -> f64 {
    if x.is_infinite() { f64::NAN } else { libm::j1(x) }
}

/// The Bessel function of the second kind of order 0.
pub fn bessel_y0(x: f64) -> f64 {
    match x {
        _ if x <= 0.0 => f64::NEG_INFINITY,
        _ if x == f64::INFINITY => f64::NAN,
        _ => libm::y0(x),
    }
}

/// The Bessel function of the second kind of order 1.
pub fn bessel_y1(x: f64) -> f64 {
    match x {
        _ if x <= 0.0 => f64::NEG_INFINITY,
        _ if x == f64::INFINITY => f64::NAN,
        _ => libm::y1(x),
    }
}

/// Dawson's integral e^(-x^2) times the integral of e^(t^2) from 0 to x, by Rybicki's sum.
pub fn dawsn(x: f64) -> f64 {
    if x.is_nan() {
        return x;
    }
    if x.is_infinite() || x == 0.0 {
        return 0.0;
    }
    if x.abs() < 0.2 {
        // sum of (-2)^n x^(2n+1) / (2n+1)!!
        let (mut term, mut sum, mut n) = (x, x, 1.0);
        while term.abs() > sum.abs() * TINY {
            term *= -2.0 * x * x / (2.0 * n + 1.0);
            sum += term;
            n += 1.0;
        }
        return sum;
    }
    if x.abs() > 50.0 {
        // 1/(2x) (1 + 1/(2x^2) + 3/(4x^4) + ...)
        let s = 1.0 / (2.0 * x * x);
        return (1.0 + s * (1.0 + 3.0 * s * (1.0 + 5.0 * s * (1.0 + 7.0 * s)))) / (2.0 * x);
    }
    const STEP: f64 = 0.2;
    let y = x.abs();
    let near = 2.0 * (y / (2.0 * STEP)).round();
    let rest = y - near * STEP;
    let mut sum = 0.0;
    for k in -32..32 {
        let n = f64::from(2 * k + 1);
        let apart = rest - n * STEP;
        sum += (-apart * apart).exp() / (n + near);
    }
    (sum / PI.sqrt()).copysign(x)
}

/// The number whose complementary error function is `p`, for `p` from 0 to 2.
fn erfc_inv(p: f64) -> f64 {
    match p {
        _ if !(0.0..=2.0).contains(&p) => return f64::NAN,
        0.0 => return f64::INFINITY,
        2.0 => return f64::NEG_INFINITY,
        1.0 => return 0.0,
        _ if p > 1.0 => return -erfc_inv(2.0 - p),
        _ => {}
    }
    // A rational approximation good to 5e-4, then Halley's method.
    let t = (-2.0 * (p / 2.0).ln()).sqrt();
    let guess = t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1.0 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
    let mut x = guess * FRAC_1_SQRT_2;
    for _ in 0..3 {
        let slope = 2.0 / PI.sqrt() * (-x * x).exp();
        let u = (erfc(x) - p) / slope;
        x += u / (1.0 + x * u);
    }
    x
}

/// The number whose error function is `x`.
pub fn erfinv(x: f64) -> f64 {
    if x.abs() > 0.5 {
        return (erfc_inv(1.0 - x.abs())).copysign(x);
    }
    if x.is_nan() || x == 0.0 {
        return x;
    }
    let mut y = x * PI.sqrt() / 2.0;
    for _ in 0..5 {
        let u = (erf(y) - x) / (2.0 / PI.sqrt() * (-y * y).exp());
        y -= u / (1.0 + y * u);
    }
    y
}

/// The quantile of the standard normal distribution.
pub fn ndtri(p: f64) -> f64 {
    if (0.25..=0.75).contains(&p) { SQRT_2 * erfinv(2.0 * p - 1.0) } else { -SQRT_2 * erfc_inv(2.0 * p) }
}

/// The exponential integral Ei.
pub fn expint(x: f64) -> f64 {
    if !(0.0..f64::INFINITY).contains(&x) {
        return f64::NAN;
    }
    if x == 0.0 {
        return f64::NEG_INFINITY;
    }
    if x < 40.0 {
        let (mut term, mut sum, mut k) = (1.0, 0.0f64, 1.0);
        loop {
            term *= x / k;
            sum += term / k;
            if term / k <= sum.abs() * TINY {
                return EULER + x.ln() + sum;
            }
            k += 1.0;
        }
    }
    let (mut term, mut sum, mut k) = (1.0, 1.0, 1.0);
    while term > TINY && k < x {
        term *= k / x;
        sum += term;
        k += 1.0;
    }
    x.exp() / x * sum
}

/// The integrals of cos(pi t^2 / 2) and sin(pi t^2 / 2) from 0 to x.
fn fresnel(x: f64) -> (f64, f64) {
    let y = x.abs();
    if x.is_nan() {
        return (x, x);
    }
    let (c, s) = if y > 1e8 {
        (0.5, 0.5)
    } else if y < 1.5 {
        let fact = FRAC_PI_2 * y * y;
        let (mut term, mut c, mut s, mut n, mut k) = (y, y, 0.0, 3.0, 1u32);
        loop {
            term *= fact / f64::from(k);
            let part = if k / 2 % 2 == 0 { term / n } else { -term / n };
            if k % 2 == 1 {
                s += part
            } else {
                c += part
            }
            if term < TINY * y || term == 0.0 {
                break (c, s);
            }
            n += 2.0;
            k += 1;
        }
    } else {
        use num_complex::Complex64 as C;
        let square = PI * y * y;
        let mut b = C::new(1.0, -square);
        let (mut upper, mut n) = (C::new(1e300, 0.0), -1.0);
        let mut lower = 1.0 / b;
        let mut h = lower;
        for _ in 0..400 {
            n += 2.0;
            let a = -n * (n + 1.0);
            b += 4.0;
            lower = 1.0 / (a * lower + b);
            upper = b + a / upper;
            let factor = upper * lower;
            h *= factor;
            if (factor.re - 1.0).abs() + factor.im.abs() < 1e-16 {
                break;
            }
        }
        h *= C::new(y, -y);
        let turn = C::new((square / 2.0).cos(), (square / 2.0).sin());
        let both = C::new(0.5, 0.5) * (1.0 - turn * h);
        (both.re, both.im)
    };
    (c.copysign(x), s.copysign(x))
}

/// Fresnel's integral of the cosine.
pub fn fresnel_cos(x: f64) -> f64 {
    fresnel(x).0
}

/// Fresnel's integral of the sine.
pub fn fresnel_sin(x: f64) -> f64 {
    fresnel(x).1
}

/// Spence's function: the dilogarithm of 1 - x.
pub fn spence(x: f64) -> f64 {
    // The dilogarithm for |z| up to 1/2.
    fn dilogarithm(z: f64) -> f64 {
        let (mut power, mut sum, mut k) = (z, 0f64, 1.0);
        while power.abs() > sum.abs() * TINY && k < 200.0 {
            sum += power / (k * k);
            power *= z;
            k += 1.0;
        }
        sum
    }
    match x {
        _ if !(0.0..f64::INFINITY).contains(&x) => f64::NAN,
        0.0 => PI * PI / 6.0,
        _ if x < 0.5 => PI * PI / 6.0 - x.ln() * (-x).ln_1p() - dilogarithm(x),
        _ if x <= 1.5 => dilogarithm(1.0 - x),
        _ => -0.5 * x.ln() * x.ln() - spence(1.0 / x),
    }
}

/// A number and its derivative.
#[derive(Clone, Copy)]
struct Dual(f64, f64);

impl Dual {
    fn plus(self, other: Dual) -> Dual {
        Dual(self.0 + other.0, self.1 + other.1)
    }
    fn times(self, other: Dual) -> Dual {
        Dual(self.0 * other.0, self.0 * other.1 + self.1 * other.0)
    }
    fn over(self, other: Dual) -> Dual {
        let quotient = self.0 / other.0;
        Dual(quotient, (self.1 - quotient * other.1) / other.0)
    }
}

/// More terms than this are not summed: beyond, the result is as exact as the logarithms in it.
const MAX_TERMS: usize = 20_000;

/// x^a e^-x / gamma(a) and its derivative in a.
fn gamma_factor(a: f64, x: f64) -> Dual {
    let value = (a * x.ln() - x - lgamma(a)).exp();
    Dual(value, value * (x.ln() - digamma(a)))
}

/// The lower incomplete gamma function and its derivative in a, for x not much above a: a series.
fn gamma_series(a: f64, x: f64) -> Dual {
    let mut denominator = Dual(a, 1.0);
    let mut term = Dual(1.0, 0.0).over(denominator);
    let mut sum = term;
    for _ in 0..MAX_TERMS {
        denominator.0 += 1.0;
        term = term.times(Dual(x, 0.0).over(denominator));
        sum = sum.plus(term);
        if term.0 < sum.0 * TINY && term.1.abs() <= sum.1.abs() * TINY {
            break;
        }
    }
    sum.times(gamma_factor(a, x))
}

/// The upper incomplete gamma function and its derivative in a, for x above a: a continued fraction, by Lentz's method.
fn gamma_fraction(a: f64, x: f64) -> Dual {
    let mut b = Dual(x + 1.0 - a, -1.0);
    let mut c = Dual(1e300, 0.0);
    let mut d = Dual(1.0, 0.0).over(b);
    let mut h = d;
    for i in 1..MAX_TERMS {
        let i = i as f64;
        let factor = Dual(-i * (i - a), i);
        b.0 += 2.0;
        d = Dual(1.0, 0.0).over(factor.times(d).plus(b));
        c = b.plus(factor.over(c));
        let change = c.times(d);
        h = h.times(change);
        if (change.0 - 1.0).abs() < 1e-16 && change.1.abs() < 1e-15 {
            break;
        }
    }
    h.times(gamma_factor(a, x))
}

/// The regularised lower incomplete gamma function and its derivative in `a`.
fn igamma_both(a: f64, x: f64) -> Dual {
    let nan = Dual(f64::NAN, f64::NAN);
    if a.is_nan() || x.is_nan() || x < 0.0 || a <= 0.0 {
        return nan;
    }
    if x == 0.0 {
        return Dual(0.0, 0.0);
    }
    if x == f64::INFINITY || a == f64::INFINITY {
        return match (a == f64::INFINITY, x == f64::INFINITY) {
            (true, true) => nan,
            (true, false) => Dual(0.0, 0.0),
            _ => Dual(1.0, 0.0),
        };
    }
    if x > 1.0 && x > a {
        let Dual(value, slope) = gamma_fraction(a, x);
        return Dual(1.0 - value, -slope);
    }
    gamma_series(a, x)
}

/// The regularised lower incomplete gamma function.
pub fn igamma(a: f64, x: f64) -> f64 {
    igamma_both(a, x).0
}

/// The regularised upper incomplete gamma function.
pub fn igammac(a: f64, x: f64) -> f64 {
    if a > 0.0 && x > 1.0 && x > a && x.is_finite() { gamma_fraction(a, x).0 } else { 1.0 - igamma(a, x) }
}

/// The derivative of [`igamma`] in `a`.
pub fn igamma_grad_a(a: f64, x: f64) -> f64 {
    igamma_both(a, x).1
}

/// The derivative in `alpha` of a number drawn from the gamma distribution of `alpha`.
pub fn random_gamma_grad(alpha: f64, sample: f64) -> f64 {
    if alpha.is_nan() || sample.is_nan() || alpha <= 0.0 || sample < 0.0 {
        return f64::NAN;
    }
    if sample == 0.0 {
        return 0.0;
    }
    let density = (-sample + (alpha - 1.0) * sample.ln() - lgamma(alpha)).exp();
    -igamma_grad_a(alpha, sample) / density
}

/// The sum of (q + k)^-x over k from 0 up, by Euler's and Maclaurin's formula.
pub fn zeta(x: f64, q: f64) -> f64 {
    if x == 1.0 {
        return f64::INFINITY;
    }
    if x < 1.0 || x.is_nan() || q.is_nan() {
        return f64::NAN;
    }
    if q <= 0.0 {
        if q == q.floor() {
            return if x == x.floor() && x % 2.0 == 0.0 { f64::INFINITY } else { f64::NAN };
        }
        if x != x.floor() {
            return f64::NAN;
        }
    }
    // B_2k / (2k)!
    const BERNOULLI: [f64; 12] = [
        1.0 / 12.0,
        -1.0 / 720.0,
        1.0 / 30_240.0,
        -1.0 / 1_209_600.0,
        1.0 / 47_900_160.0,
        -691.0 / 1_307_674_368_000.0,
        1.0 / 74_724_249_600.0,
        -3_617.0 / 10_670_622_842_880_000.0,
        43_867.0 / 5_109_094_217_170_944_000.0,
        -174_611.0 / 802_857_662_698_291_200_000.0,
        77_683.0 / 14_101_100_039_391_805_440_000.0,
        -236_364_091.0 / 1_693_824_136_731_743_669_452_800_000.0,
    ];
    let (mut sum, mut at) = (0.0, q);
    // The formula needs a start that is far enough from 0; terms before it are added one by one.
    let mut steps = 0;
    while (at < 12.0 || steps < 9) && steps < 100_000 {
        let term = at.powf(-x);
        sum += term;
        at += 1.0;
        steps += 1;
        if term.abs() < sum.abs() * TINY {
            return sum;
        }
    }
    let power = at.powf(-x);
    sum += at * power / (x - 1.0) + power / 2.0;
    let (mut factor, mut scale) = (x, power / at);
    for (k, number) in BERNOULLI.iter().enumerate() {
        let term = number * factor * scale;
        sum += term;
        if term.abs() < sum.abs() * TINY {
            break;
        }
        let k = 2.0 * k as f64 + 1.0;
        factor *= (x + k) * (x + k + 1.0);
        scale /= at * at;
    }
    sum
}

/// The derivative of order `n` of the digamma function.
pub fn polygamma(n: f64, x: f64) -> f64 {
    if n != n.floor() || n < 0.0 || n.is_nan() || x.is_nan() {
        return f64::NAN;
    }
    if n == 0.0 {
        return digamma(x);
    }
    let sign = if n % 2.0 == 0.0 { -1.0 } else { 1.0 };
    let factorial = if n < 170.0 { (1..=n as u32).map(f64::from).product() } else { lgamma(n + 1.0).exp() };
    sign * factorial * zeta(n + 1.0, x)
}

/// The regularised incomplete beta function.
pub fn betainc(a: f64, b: f64, x: f64) -> f64 {
    if a.is_nan() || b.is_nan() || x.is_nan() || a <= 0.0 || b <= 0.0 || !(0.0..=1.0).contains(&x) {
        return f64::NAN;
    }
    if x == 0.0 || x == 1.0 {
        return x;
    }
    // The fraction converges fast on the near side of the mean.
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - beta_fraction(b, a, 1.0 - x, x);
    }
    beta_fraction(a, b, x, 1.0 - x)
}

/// `rest` is 1 - x.
fn beta_fraction(a: f64, b: f64, x: f64, rest: f64) -> f64 {
    let front = (lgamma(a + b) - lgamma(a) - lgamma(b) + a * x.ln() + b * rest.ln()).exp() / a;
    let small = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / small(1.0 - (a + b) * x / (a + 1.0)));
    let mut h = d;
    for m in 1..MAX_TERMS {
        let m = m as f64;
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        d = 1.0 / small(1.0 + even * d);
        c = small(1.0 + even / c);
        h *= d * c;
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        d = 1.0 / small(1.0 + odd * d);
        c = small(1.0 + odd / c);
        let change = d * c;
        h *= change;
        if (change - 1.0).abs() < 1e-16 {
            break;
        }
    }
    front * h
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Known to all the digits that a double has.
    #[test]
    fn known_values() {
        let close = |got: f64, want: f64| assert!((got - want).abs() <= 2e-14 * want.abs(), "{got} is not {want}");
        close(bessel_i0(1.0), 1.266_065_877_752_008_4);
        close(bessel_i1(-2.5), -2.516_716_245_288_698_4);
        close(bessel_i0e(30.0), 0.073_145_946_482_237_28);
        close(bessel_k0(1.0), 0.421_024_438_240_708_33);
        close(bessel_k1(1.0), 0.601_907_230_197_234_6);
        close(bessel_k0e(20.0), 0.278_544_876_657_182_2);
        close(dawsn(1.0), 0.538_079_506_912_768_4);
        close(dawsn(0.1), 0.099_335_992_397_852_87);
        close(erfinv(0.5), 0.476_936_276_204_469_9);
        close(ndtri(1e-3), -3.090_232_306_167_813_5);
        close(expint(1.0), 1.895_117_816_355_936_8);
        close(fresnel_cos(1.0), 0.779_893_400_376_822_9);
        close(fresnel_sin(2.5), 0.619_181_755_819_593_2);
        close(spence(0.5), 0.582_240_526_465_012_5);
        close(zeta(2.0, 1.0), PI * PI / 6.0);
        close(polygamma(1.0, 1.0), PI * PI / 6.0);
        close(igamma(2.0, 3.0), 0.800_851_726_528_544_2);
        close(igammac(2.0, 3.0), 0.199_148_273_471_455_77);
        close(betainc(2.0, 3.0, 0.25), 0.261_718_75);
    }

    #[test]
    fn the_derivative_of_the_incomplete_gamma_function() {
        for (a, x) in [(0.5, 0.3), (2.0, 3.0), (5.0, 4.0), (3.0, 9.0)] {
            let slope = (igamma(a + 1e-5, x) - igamma(a - 1e-5, x)) / 2e-5;
            assert!((igamma_grad_a(a, x) - slope).abs() < 1e-8, "{a} {x}: {} {slope}", igamma_grad_a(a, x));
        }
    }

    #[test]
    fn nothing_runs_for_ever() {
        for x in [1e-300, 1e-9, 1e9, 1e300, f64::MAX, f64::MIN_POSITIVE] {
            for function in [bessel_i0, bessel_k1, dawsn, ndtri, expint, fresnel_cos, spence, erfinv] {
                let _ = (function(x), function(-x));
            }
            for y in [1e-300, 1.0, 1e300] {
                let _ = (igamma(x, y), igammac(x, y), zeta(x, y), polygamma(x, y), betainc(x, y, 0.5), zeta(2.0, -x));
            }
        }
    }
}
