//! Exponentials over slices, and the stable functions built on them.

use crate::simd::{fma, scale, sum, twin};

/// 1.5 * 2^52: adding it rounds to an integer, which then sits in the low bits of the sum.
const MAGIC: f64 = 6_755_399_441_055_744.0;
/// ln 2 in two parts, as in fdlibm: multiples of the first by |n| < 2^20 are exact.
const LN2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// 1/k! for k = 13 down to 2: on |r| <= ln(2)/2 the next term is below 5e-18.
const TAYLOR: [f64; 12] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
];

/// `exp(x)` without branches: x = n ln 2 + r, a polynomial in r, then 2^n as two factors so that
/// subnormal results round once. The two clamps let NaN pass.
#[inline(always)]
pub(crate) fn exp_one<const FMA: bool>(x: f64) -> f64 {
    let x = if x > 710.0 { 710.0 } else { x };
    let x = if x < -746.0 { -746.0 } else { x };
    let n = fma::<FMA>(x, std::f64::consts::LOG2_E, MAGIC) - MAGIC;
    let r = fma::<FMA>(-n, LN2_LOW, fma::<FMA>(-n, LN2_HIGH, x));
    let mut q = TAYLOR[0];
    for &c in &TAYLOR[1..] {
        q = fma::<FMA>(q, r, c);
    }
    let p = 1.0 + fma::<FMA>(r * r, q, r);
    // Left shift drops all but the low twelve bits, so MAGIC's own bits need no subtraction.
    let half = n * 0.5 + MAGIC;
    let rest = (n - (half - MAGIC)) + MAGIC;
    let power = |m: f64| f64::from_bits(m.to_bits().wrapping_add(1023) << 52);
    p * power(half) * power(rest)
}

#[inline(always)]
fn each<const FMA: bool>(values: &mut [f64], f: impl Fn(f64) -> f64) {
    let (chunks, rest) = values.as_chunks_mut::<8>();
    for chunk in chunks {
        for v in chunk {
            *v = f(*v);
        }
    }
    for v in rest {
        *v = f(*v);
    }
}

#[inline(always)]
fn exp_body<const FMA: bool>(values: &mut [f64]) {
    each::<FMA>(values, exp_one::<FMA>);
}

#[inline(always)]
fn sigmoid_body<const FMA: bool>(values: &mut [f64]) {
    each::<FMA>(values, |x| {
        let z = exp_one::<FMA>(-x.abs());
        let top = if x < 0.0 { z } else { 1.0 };
        top / (1.0 + z)
    });
}

twin! {
    /// Replaces every `x` by `exp(x)`, within 2 ulp; infinities, NaN, overflow and underflow as `f64::exp`.
    ///
    /// # Example
    /// ```
    /// let mut v = [0.0, 1.0, f64::NEG_INFINITY];
    /// mercer_math::exp_slice(&mut v);
    /// assert_eq!((v[0], v[2]), (1.0, 0.0));
    /// ```
    pub wide fn exp_slice(values: &mut [f64]) = exp_body
}
twin! {
    /// Replaces every `x` by `1 / (1 + exp(-x))`, with small relative error at both ends.
    pub fn sigmoid_slice(values: &mut [f64]) = sigmoid_body
}

/// `ln(1 + exp(x))`, without overflow and without loss for very negative `x`.
pub fn log1p_exp(x: f64) -> f64 {
    x.max(0.0) + (-x.abs()).exp().ln_1p()
}

/// The largest value; NaN if there is one, negative infinity for no value.
fn max_or_nan(values: &[f64]) -> f64 {
    values.iter().fold(f64::NEG_INFINITY, |m, &v| if v > m || v.is_nan() { v } else { m })
}

/// `ln sum_i exp(x_i)`, without overflow; negative infinity for no value.
///
/// # Example
/// ```
/// let v = mercer_math::log_sum_exp(&[1000.0, 1000.0]);
/// assert!((v - (1000.0 + 2f64.ln())).abs() < 1e-12);
/// ```
pub fn log_sum_exp(values: &[f64]) -> f64 {
    let max = max_or_nan(values);
    if !max.is_finite() {
        return if values.iter().any(|v| v.is_nan()) { f64::NAN } else { max };
    }
    let mut buffer = [0.0; 64];
    let mut total = 0.0;
    for chunk in values.chunks(buffer.len()) {
        let part = &mut buffer[..chunk.len()];
        part.iter_mut().zip(chunk).for_each(|(b, v)| *b = v - max);
        exp_slice(part);
        total += sum(part);
    }
    if total.is_nan() { total } else { max + total.ln() }
}

/// Replaces the values by `exp(x_i) / sum_j exp(x_j)`.
///
/// Entries of positive infinity share the mass; values that are all negative infinity become uniform;
/// a NaN makes every entry NaN.
pub fn softmax_in_place(values: &mut [f64]) {
    let max = max_or_nan(values);
    if max.is_infinite() && !values.iter().any(|v| v.is_nan()) {
        values.iter_mut().for_each(|v| *v = f64::from(u8::from(*v == max)));
    } else {
        values.iter_mut().for_each(|v| *v -= max);
        exp_slice(values);
    }
    let total = sum(values);
    scale(1.0 / total, values);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ulps(a: f64, b: f64) -> u64 {
        if a.is_nan() && b.is_nan() { 0 } else { a.to_bits().abs_diff(b.to_bits()) }
    }

    fn check_exp(x: f64) {
        let mut fast = [x];
        exp_slice(&mut fast);
        let mut wide = [x; 8];
        exp_slice(&mut wide);
        let portable = exp_one::<false>(x);
        assert!(ulps(fast[0], x.exp()) <= 2, "exp({x}): {} and {}", fast[0], x.exp());
        assert!(ulps(portable, x.exp()) <= 2, "exp({x}): {portable} and {}", x.exp());
        assert_eq!(ulps(fast[0], wide[3]), 0);
    }

    #[test]
    fn exp_at_the_edges() {
        for x in [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, 709.782712893384, 709.7827128933841]
        {
            check_exp(x);
        }
        for x in [710.0, 1e300, -708.4, -744.4, -745.13, -745.2, -746.0, -1e300, f64::MIN_POSITIVE, 5e-324] {
            check_exp(x);
        }
        (0..200_000).for_each(|i| check_exp(-750.0 + 1465.0 * f64::from(i) / 2e5));
        (0..20_000).for_each(|i| check_exp(-1.0 + 1e-4 * f64::from(i)));
    }

    #[test]
    fn stable_at_the_ends() {
        assert_eq!(log1p_exp(800.0), 800.0);
        assert_eq!(log1p_exp(-800.0), 0.0);
        assert_eq!(log1p_exp(-100.0), (-100f64).exp());
        assert_eq!(log1p_exp(0.0), 2f64.ln());
        assert!(log1p_exp(f64::NAN).is_nan());
        let mut s = [800.0, -740.0, 0.0, f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
        sigmoid_slice(&mut s);
        assert_eq!((s[0], s[2], s[4], s[5]), (1.0, 0.5, 1.0, 0.0));
        assert!(s[1] > 0.0 && s[3].is_nan());
        const NEG: f64 = f64::NEG_INFINITY;
        assert_eq!(log_sum_exp(&[]), NEG);
        assert_eq!(log_sum_exp(&[NEG, NEG]), NEG);
        assert_eq!(log_sum_exp(&[NEG, 3.0]), 3.0);
        assert_eq!(log_sum_exp(&[f64::INFINITY, 3.0]), f64::INFINITY);
        assert!(log_sum_exp(&[f64::NAN, f64::INFINITY]).is_nan());
        assert!(log_sum_exp(&[1.0, f64::NAN, 2.0]).is_nan());
        let mut p = [NEG, NEG];
        softmax_in_place(&mut p);
        assert_eq!(p, [0.5, 0.5]);
        let mut p = [f64::INFINITY, 0.0, f64::INFINITY];
        softmax_in_place(&mut p);
        assert_eq!(p, [0.5, 0.0, 0.5]);
        let mut p = [f64::NAN, 0.0, f64::INFINITY];
        softmax_in_place(&mut p);
        assert!(p.iter().all(|v| v.is_nan()));
        softmax_in_place(&mut []);
    }

    proptest! {
        #[test]
        fn exp_and_sigmoid_agree_with_the_library(x in -760.0..720.0f64) {
            check_exp(x);
            let mut s = [x];
            sigmoid_slice(&mut s);
            let mut portable = [x];
            sigmoid_body::<false>(&mut portable);
            let reference = if x < 0.0 { x.exp() / (1.0 + x.exp()) } else { 1.0 / (1.0 + (-x).exp()) };
            prop_assert!(ulps(s[0], reference) <= 4 && ulps(portable[0], reference) <= 4);
        }

        #[test]
        fn softmax_is_a_shift_invariant_distribution(
            v in proptest::collection::vec(-50.0..50.0f64, 1..150), shift in -600.0..600.0f64
        ) {
            let mut p = v.clone();
            softmax_in_place(&mut p);
            prop_assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-13);
            let moved: Vec<f64> = v.iter().map(|x| x + shift).collect();
            prop_assert!((log_sum_exp(&moved) - shift - log_sum_exp(&v)).abs() < 1e-12 * (1.0 + shift.abs()));
            for (p, x) in p.iter().zip(&v) {
                prop_assert!((p.ln() - (x - log_sum_exp(&v))).abs() < 1e-12);
            }
        }
    }
}
