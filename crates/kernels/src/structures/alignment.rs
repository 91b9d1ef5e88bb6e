//! The global alignment kernel of series.
//!
//! M. Cuturi. Fast global alignment kernels. ICML 2011.

use super::series::square;
use mercer_math::exp_slice;

/// The logarithm of the global alignment kernel: the sum over all alignments of Π κ(xᵢ, yⱼ), where κ = g/(2 − g) with g the RBF kernel of
/// width σ, which makes the sum positive semi-definite (Cuturi 2011). Lines of the table are scaled by their largest value; where values of
/// a line lie too far apart for that, it is taken in logarithms.
pub fn log_global_alignment(x: &[f64], y: &[f64], n_coordinates: usize, sigma: f64) -> f64 {
    let d = n_coordinates.max(1);
    let m = y.len() / d;
    let (mut kappa, mut above, mut line) = (vec![0.0; m], vec![0.0; m + 1], vec![0.0; m + 1]);
    above[0] = 1.0;
    let mut scale = 0.0;
    for own in x.chunks_exact(d) {
        local(own, y, sigma, &mut kappa);
        line[0] = 0.0;
        let (mut before, mut largest, mut least) = (0.0, 0.0f64, f64::INFINITY);
        for ((at, pair), kappa) in line[1..].iter_mut().zip(above.windows(2)).zip(&kappa) {
            before = kappa * (before + pair[0] + pair[1]);
            (largest, least) = (largest.max(before), least.min(before));
            *at = before;
        }
        if !(largest < f64::INFINITY && least > largest * SMALLEST) {
            return log_by_logarithms(x, y, d, sigma);
        }
        line[1..].iter_mut().for_each(|v| *v /= largest);
        scale += largest.ln();
        std::mem::swap(&mut above, &mut line);
        above[0] = 0.0;
    }
    scale + above[m].ln()
}

/// Values of a line that are smaller than this share of the largest would be lost.
const SMALLEST: f64 = 1e-250;

/// κ of a point with all points of a series.
fn local(own: &[f64], y: &[f64], sigma: f64, out: &mut [f64]) {
    let unit = -0.5 / (sigma * sigma);
    out.iter_mut().zip(y.chunks_exact(own.len())).for_each(|(v, y)| *v = unit * square(own, y));
    exp_slice(out);
    out.iter_mut().for_each(|g| *g /= 2.0 - *g);
}

fn log_by_logarithms(x: &[f64], y: &[f64], d: usize, sigma: f64) -> f64 {
    let m = y.len() / d;
    let mut above = vec![f64::NEG_INFINITY; m + 1];
    above[0] = 0.0;
    let mut line = vec![f64::NEG_INFINITY; m + 1];
    for own in x.chunks_exact(d) {
        line[0] = f64::NEG_INFINITY;
        for j in 1..=m {
            let half = square(own, &y[(j - 1) * d..j * d]) / (2.0 * sigma * sigma);
            // ln κ with g = e^−h: −h − ln(2 − e^−h).
            let log = -half - (2.0 - (-half).exp()).ln();
            line[j] = log + log_sum3(above[j], above[j - 1], line[j - 1]);
        }
        std::mem::swap(&mut above, &mut line);
    }
    above[m]
}

fn log_sum3(a: f64, b: f64, c: f64) -> f64 {
    let largest = a.max(b).max(c);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + ((a - largest).exp() + (b - largest).exp() + (c - largest).exp()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{Mat, normal, rng_for};

    #[test]
    fn global_alignment_is_the_same_in_logarithms() {
        let mut rng = rng_for(9, 0);
        let x = Mat::from_fn(6, 40, |_, _| normal(&mut rng));
        for sigma in [0.05, 0.3, 1.0, 5.0] {
            for i in 0..6 {
                let found = log_global_alignment(x.row(0), &x.row(i)[..20 + 3 * i], 1, sigma);
                let expected = log_by_logarithms(x.row(0), &x.row(i)[..20 + 3 * i], 1, sigma);
                assert!((found - expected).abs() < 1e-11 * expected.abs(), "{sigma} {i}: {found} {expected}");
            }
        }
    }
}
