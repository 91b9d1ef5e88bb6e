//! Means over a law by sums: Fisher's information and entropies that have no closed form.

use crate::family::Univariate;
use mercer_math::Mat;

/// The points and weights of the double exponential rule over (0, 1): its ends may be singular.
///
/// H. Takahasi, M. Mori. Double exponential formulas for numerical integration. Publ. RIMS 9, 1974. doi:10.2977/prims/1195192451
fn unit_rule() -> impl Iterator<Item = (f64, f64)> {
    const STEP: f64 = 1.0 / 64.0;
    (-230i32..=230).map(|k| {
        let t = f64::from(k) * STEP;
        let u = std::f64::consts::FRAC_PI_2 * t.sinh();
        // x = 1 / (1 + e^(−2u)); dx = x (1 − x) 2 u' dt.
        let x = 1.0 / (1.0 + (-2.0 * u).exp());
        (x, STEP * std::f64::consts::PI * t.cosh() * x / (1.0 + (2.0 * u).exp()))
    })
}

/// Calls `each` with points and weights that sum up to means over the law: the whole numbers of the bulk of a discrete one,
/// quantiles of a continuous one.
fn over(law: &(impl Univariate + ?Sized), mut each: impl FnMut(f64, f64)) {
    if law.family().discrete {
        let (first, last) = (law.quantile(1e-18), law.quantile(1.0 - 1e-16));
        let mut x = first;
        // Beyond this many values their sum is taken in strides, over which such a law hardly changes.
        let stride = ((last - first) / 1e6).ceil().max(1.0);
        while x <= last {
            each(x, stride * law.density(x));
            x += stride;
        }
        return;
    }
    for (p, weight) in unit_rule().filter(|(_, w)| *w > 1e-300) {
        let x = law.quantile(p);
        if x.is_finite() {
            each(x, weight);
        }
    }
}

/// The mean of score × scoreᵀ.
pub(crate) fn by_sums(law: &(impl Univariate + ?Sized)) -> Mat {
    let n = law.parameters().len();
    let mut out = Mat::zeros(n, n);
    over(law, |x, weight| {
        let score = law.score(x);
        for i in 0..n {
            for j in 0..n {
                let term = weight * score[i] * score[j];
                out[(i, j)] += if term.is_finite() { term } else { 0.0 };
            }
        }
    });
    out
}

/// The mean of a function.
pub(crate) fn mean_over(law: &impl Univariate, of: impl Fn(f64) -> f64) -> f64 {
    let mut sum = 0.0;
    over(law, |x, weight| sum += weight * of(x));
    sum
}

/// −Σ p ln p of a discrete law.
pub(crate) fn entropy_by_sums(law: &impl Univariate) -> f64 {
    let mut sum = 0.0;
    over(law, |x, weight| {
        if weight > 0.0 {
            sum -= weight * law.log_density(x);
        }
    });
    sum
}
