//! The number of components that the data make likeliest.

use mercer_math::special::lgamma;
use std::f64::consts::{LN_2, PI};

/// A variance below this is none.
const LEAST: f64 = 1e-15;

/// The number of components of the largest evidence, by Laplace's approximation of Minka (2000): `variances` are all
/// eigenvalues of the covariance of `n` rows, by falling size.
pub(crate) fn likeliest(variances: &[f64], n: f64) -> usize {
    let mut best = (1, f64::NEG_INFINITY);
    for k in 1..variances.len() {
        let evidence = evidence(variances, k, n);
        if evidence > best.1 {
            best = (k, evidence);
        }
    }
    best.0
}

/// The logarithm of the evidence for `k` components.
fn evidence(variances: &[f64], k: usize, n: f64) -> f64 {
    let d = variances.len();
    if variances[k - 1] < LEAST {
        return f64::NEG_INFINITY;
    }
    let (left, rank) = ((d - k) as f64, k as f64);
    let sphere = |i: usize| {
        let half = (d - i) as f64 / 2.0;
        lgamma(half) - half * PI.ln()
    };
    let directions = (0..k).map(sphere).sum::<f64>() - rank * LN_2;
    let noise = (variances[k..].iter().sum::<f64>() / left).max(LEAST);
    let kept = -variances[..k].iter().map(|v| v.ln()).sum::<f64>() * n / 2.0;
    let rest = -noise.ln() * n * left / 2.0;
    let free = d as f64 * rank - rank * (rank + 1.0) / 2.0;
    let inverse = |j: usize| 1.0 / if j < k { variances[j] } else { noise };
    let mut curvature = 0.0;
    for i in 0..k {
        for j in i + 1..d {
            curvature += ((variances[i] - variances[j]) * (inverse(j) - inverse(i))).ln() + n.ln();
        }
    }
    directions + kept + rest + (2.0 * PI).ln() * (free + rank) / 2.0 - curvature / 2.0 - rank * n.ln() / 2.0
}
