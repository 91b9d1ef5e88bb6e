//! Special functions, accurate to about 1e-15 relative unless said otherwise.

use std::f64::consts::{FRAC_1_SQRT_2, PI};

/// The error function $ \tfrac{2}{\sqrt\pi}\int_0^x e^{-t^2}\,dt $.
pub fn erf(x: f64) -> f64 {
    libm::erf(x)
}

/// `1 - erf(x)`, without cancellation for large `x`.
pub fn erfc(x: f64) -> f64 {
    libm::erfc(x)
}

/// The logarithm of |Γ(x)|; infinite at zero and the negative integers.
pub fn lgamma(x: f64) -> f64 {
    libm::lgamma(x)
}

/// The derivative of `ln Γ`; NaN at zero and the negative integers. Absolute error about 1e-15 near its root.
pub fn digamma(x: f64) -> f64 {
    if x.is_nan() || x == f64::INFINITY {
        return x;
    }
    if x <= 0.0 {
        if x == x.floor() {
            return f64::NAN;
        }
        // Reflection, with the argument of tan reduced first: pi * x loses digits for large |x|.
        let fraction = x - x.floor();
        return digamma(1.0 - x) - PI / (PI * fraction).tan();
    }
    // Recurrence up to 10, then the asymptotic series with Bernoulli numbers B_2k / 2k.
    let (mut shift, mut x) = (0.0, x);
    while x < 10.0 {
        shift -= 1.0 / x;
        x += 1.0;
    }
    const B: [f64; 7] =
        [1.0 / 12.0, -1.0 / 120.0, 1.0 / 252.0, -1.0 / 240.0, 1.0 / 132.0, -691.0 / 32760.0, 1.0 / 12.0];
    let y = 1.0 / (x * x);
    let series = B.iter().rev().fold(0.0, |s, &b| (s + b) * y);
    shift + x.ln() - 0.5 / x - series
}

/// Coefficients of 1/Γ(1 + z) in powers of z (Abramowitz and Stegun 6.1.34).
const RECIPROCAL_GAMMA: [f64; 20] = [
    1.0,
    0.577_215_664_901_532_9,
    -0.655_878_071_520_253_8,
    -0.042_002_635_034_095_2,
    0.166_538_611_382_291_5,
    -0.042_197_734_555_544_3,
    -0.009_621_971_527_877,
    0.007_218_943_246_663,
    -0.001_165_167_591_859_1,
    -0.000_215_241_674_114_9,
    0.000_128_050_282_388_2,
    -0.000_020_134_854_780_7,
    -0.000_001_250_493_482_1,
    0.000_001_133_027_232,
    -0.000_000_205_633_841_7,
    0.000_000_006_116_095,
    0.000_000_005_002_007_5,
    -0.000_000_001_181_274_6,
    0.000_000_000_104_342_7,
    0.000_000_000_007_782_3,
];

/// The modified Bessel function of the second kind $K_\nu(x)$ for $\nu \ge 0$ and $x > 0$; NaN elsewhere, infinity at 0.
/// Relative error about 1e-14.
///
/// Temme's series below 2, Steed's continued fraction above, for the fraction of ν in [-½, ½]; then the recurrence upwards,
/// which is stable. N. M. Temme, Journal of Computational Physics 19, 1975, doi:10.1016/0021-9991(75)90082-0.
///
/// # Example
/// ```
/// let k = mercer_math::special::bessel_k(0.5, 2.0);
/// assert!((k - (std::f64::consts::PI / 4.0).sqrt() * (-2.0f64).exp()).abs() < 1e-15);
/// ```
pub fn bessel_k(nu: f64, x: f64) -> f64 {
    if x == 0.0 {
        return f64::INFINITY;
    }
    if !((0.0..1e6).contains(&nu) && x > 0.0) {
        return f64::NAN;
    }
    let steps = (nu + 0.5).floor();
    let mu = nu - steps;
    let (mut low, mut high) = if x < 2.0 { temme(mu, x) } else { steed(mu, x) };
    for i in 1..=steps as u64 {
        (low, high) = (high, (mu + i as f64) * 2.0 / x * high + low);
    }
    low
}

/// K_μ(x) and K_{μ+1}(x) for |μ| ≤ ½ and small x.
fn temme(mu: f64, x: f64) -> (f64, f64) {
    let square = mu * mu;
    let series =
        |first: usize| RECIPROCAL_GAMMA[first..].iter().step_by(2).rev().fold(0.0, |s, c| s * square + c);
    let (odd, even) = (-series(1), series(0));
    let (plus, minus) = (even - mu * odd, even + mu * odd);
    let ratio = |v: f64, f: fn(f64) -> f64| if v.abs() < 1e-8 { 1.0 } else { f(v) / v };
    let log = (2.0 / x).ln();
    let e = mu * log;
    let mut f = (odd * e.cosh() + even * ratio(e, f64::sinh) * log) / ratio(PI * mu, f64::sin);
    let (mut p, mut q) = (0.5 * e.exp() / plus, 0.5 * (-e).exp() / minus);
    let (mut c, mut sum, mut sum1) = (1.0, f, p);
    for i in 1..500 {
        let i = f64::from(i);
        f = (i * f + p + q) / (i * i - square);
        c *= 0.25 * x * x / i;
        p /= i - mu;
        q /= i + mu;
        sum += c * f;
        sum1 += c * (p - i * f);
        if (c * f).abs() < sum.abs() * 1e-17 {
            break;
        }
    }
    (sum, sum1 * 2.0 / x)
}

/// K_μ(x) and K_{μ+1}(x) for |μ| ≤ ½ and larger x.
fn steed(mu: f64, x: f64) -> (f64, f64) {
    let first = 0.25 - mu * mu;
    let mut b = 2.0 * (1.0 + x);
    let mut d = 1.0 / b;
    let (mut h, mut step) = (d, d);
    let (mut q1, mut q2, mut q, mut c, mut a) = (0.0, 1.0, first, first, -first);
    let mut s = 1.0 + q * step;
    for i in 2..10_000 {
        let i = f64::from(i);
        a -= 2.0 * (i - 1.0);
        c = -a * c / i;
        (q1, q2) = (q2, (q1 - b * q2) / a);
        q += c * q2;
        b += 2.0;
        d = 1.0 / (b + a * d);
        step *= b * d - 1.0;
        h += step;
        s += q * step;
        if (q * step / s).abs() < 1e-17 {
            break;
        }
    }
    let low = (PI / (2.0 * x)).sqrt() * (-x).exp() / s;
    (low, low * (mu + x + 0.5 - first * h) / x)
}

/// The distribution function of the standard normal law.
pub fn norm_cdf(x: f64) -> f64 {
    0.5 * erfc(-x * FRAC_1_SQRT_2)
}

/// The quantile function of the standard normal law; NaN outside [0, 1].
///
/// Algorithm AS 241 (PPND16) of M. J. Wichura, Applied Statistics 37(3), 1988, doi:10.2307/2347330.
///
/// # Example
/// ```
/// let z = mercer_math::special::norm_ppf(0.975);
/// assert!((z - 1.959963984540054).abs() < 1e-14);
/// ```
pub fn norm_ppf(p: f64) -> f64 {
    if !(0.0..=1.0).contains(&p) {
        return f64::NAN;
    }
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        return q * ratio(0.180625 - q * q, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    if tail == 0.0 {
        return f64::INFINITY.copysign(q);
    }
    let r = (-tail.ln()).sqrt();
    let z = if r <= 5.0 { ratio(r - 1.6, &MIDDLE) } else { ratio(r - 5.0, &FAR) };
    z.copysign(q)
}

/// Numerator and denominator of a rational function, constant term first.
type Rational = ([f64; 8], [f64; 8]);

fn ratio(x: f64, (top, bottom): &Rational) -> f64 {
    let horner = |c: &[f64; 8]| c.iter().rev().fold(0.0, |s, &c| s * x + c);
    horner(top) / horner(bottom)
}

const CENTRE: Rational = (
    [
        3.387_132_872_796_366_5,
        133.141_667_891_784_38,
        1_971.590_950_306_551_3,
        13_731.693_765_509_46,
        45_921.953_931_549_87,
        67_265.770_927_008_7,
        33_430.575_583_588_13,
        2_509.080_928_730_122_7,
    ],
    [
        1.0,
        42.313_330_701_600_91,
        687.187_007_492_057_9,
        5_394.196_021_424_751,
        21_213.794_301_586_597,
        39_307.895_800_092_71,
        28_729.085_735_721_943,
        5_226.495_278_852_854,
    ],
);

const MIDDLE: Rational = (
    [
        1.423_437_110_749_683_5,
        4.630_337_846_156_546,
        5.769_497_221_460_691,
        3.647_848_324_763_204_5,
        1.270_458_252_452_368_4,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759,
        1.676_384_830_183_803_8,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
);

const FAR: Rational = (
    [
        6.657_904_643_501_103,
        5.463_784_911_164_114,
        1.784_826_539_917_291_3,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_88e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
);

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tol: f64) {
        assert!((a - b).abs() <= tol * b.abs().max(1.0), "{a} != {b}");
    }

    #[test]
    fn known_values() {
        const EULER: f64 = 0.577_215_664_901_532_9;
        close(digamma(1.0), -EULER, 1e-15);
        close(digamma(0.5), -EULER - 2.0 * 2f64.ln(), 1e-15);
        close(digamma(2.0), 1.0 - EULER, 1e-15);
        close(digamma(1.461_632_144_968_362_3), 0.0, 1e-15);
        close(digamma(-0.5), digamma(0.5) + 2.0, 1e-14);
        close(digamma(1e10), 1e10f64.ln() - 0.5e-10, 1e-15);
        assert!(digamma(0.0).is_nan() && digamma(-3.0).is_nan() && digamma(f64::NAN).is_nan());
        assert!(digamma(f64::NEG_INFINITY).is_nan());
        close(lgamma(0.5), 0.5 * PI.ln(), 1e-15);
        close(erf(0.5) + erfc(0.5), 1.0, 1e-15);
        close(norm_cdf(0.0), 0.5, 0.0);
        close(norm_cdf(1.959_963_984_540_054), 0.975, 1e-15);
        assert!((norm_cdf(-38.0) / 2.885_428e-316 - 1.0).abs() < 1e-5);
    }

    #[test]
    fn digamma_satisfies_its_recurrence_and_is_the_slope_of_lgamma() {
        for i in 1..200 {
            let x = 0.13 * f64::from(i);
            close(digamma(x + 1.0), digamma(x) + 1.0 / x, 3e-15);
            let slope = (lgamma(x + 1e-5) - lgamma(x - 1e-5)) / 2e-5;
            assert!((slope - digamma(x)).abs() < 1e-5 * (1.0 + 1.0 / (x * x * x)));
        }
    }

    #[test]
    fn norm_ppf_inverts_norm_cdf() {
        for i in -370..=80 {
            let z = f64::from(i) * 0.1;
            // Above zero, 1 - p is rounded: the error in z is eps / density, which bounds the range here.
            let tol = if z > 0.0 { 2e-16 * (0.5 * z * z).exp() * 3.0 + 1e-14 } else { 1e-14 };
            assert!((norm_ppf(norm_cdf(z)) - z).abs() <= tol * z.abs().max(1.0), "z = {z}");
        }
        assert_eq!(norm_ppf(0.0), f64::NEG_INFINITY);
        assert_eq!(norm_ppf(1.0), f64::INFINITY);
        assert_eq!(norm_ppf(0.5), 0.0);
        assert!(norm_ppf(-0.1).is_nan() && norm_ppf(f64::NAN).is_nan());
        assert!((norm_cdf(norm_ppf(1e-300)) / 1e-300 - 1.0).abs() < 1e-11);
    }
}
