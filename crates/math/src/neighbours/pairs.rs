//! Distances of two rows that are no norm of their difference.

use crate::dot;
use serde::{Deserialize, Serialize};

/// Distances of two rows that are no norm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PairMetric {
    /// Σ|a−b|².
    Sqeuclidean,
    /// 1 − cos.
    Cosine,
    /// 1 − correlation.
    Correlation,
    /// On the sphere.
    Haversine,
    /// Share of unequal features.
    Hamming,
    /// Σ|a−b|/(|a|+|b|).
    Canberra,
    /// Σ|a−b|/Σ(|a|+|b|).
    Braycurtis,
    /// Share of unequal features among those that are not both zero.
    Jaccard,
    /// Those that differ over those and twice those in both.
    Dice,
    /// Twice those that differ over all and those that differ.
    RogersTanimoto,
    /// The share that is not in both.
    RussellRao,
    /// Twice those that differ over those and the ones in both.
    SokalSneath,
    /// By the odds of agreeing.
    Yule,
    /// Euclidean over the features that both have.
    NanEuclidean,
}

impl PairMetric {
    /// The distance of two rows of `n` features by which of their features are zero, from those that are not zero in both.
    fn of_marks(self, a: &[f64], b: &[f64], n: usize) -> f64 {
        let ratio = |top: f64, bottom: f64| if bottom > 0.0 { top / bottom } else { 0.0 };
        let (mut both, mut left, mut right) = (0.0, 0.0, 0.0);
        for (a, b) in a.iter().zip(b) {
            match (*a != 0.0, *b != 0.0) {
                (true, true) => both += 1.0,
                (true, false) => left += 1.0,
                (false, true) => right += 1.0,
                (false, false) => {}
            }
        }
        let (n, differ) = (n as f64, left + right);
        match self {
            PairMetric::Dice => ratio(differ, 2.0 * both + differ),
            PairMetric::RogersTanimoto => ratio(2.0 * differ, n + differ),
            PairMetric::RussellRao => ratio(n - both, n),
            PairMetric::SokalSneath => ratio(2.0 * differ, both + 2.0 * differ),
            PairMetric::Yule => {
                let (odd, even) = (left * right, both * (n - both - differ));
                ratio(2.0 * odd, even + odd)
            }
            _ => ratio(differ, both + differ),
        }
    }

    /// The distance of two rows of `n` features, given those that are not zero in both, in the same order.
    pub fn of_sparse(self, a: &[f64], b: &[f64], n: usize) -> f64 {
        match self {
            PairMetric::Hamming => self.between(a, b) * a.len() as f64 / n.max(1) as f64,
            PairMetric::Jaccard
            | PairMetric::Dice
            | PairMetric::RogersTanimoto
            | PairMetric::RussellRao
            | PairMetric::SokalSneath
            | PairMetric::Yule => self.of_marks(a, b, n),
            _ => self.between(a, b),
        }
    }

    /// The distance of two rows.
    pub fn between(self, a: &[f64], b: &[f64]) -> f64 {
        let pairs = || a.iter().zip(b);
        let ratio = |top: f64, bottom: f64| if bottom > 0.0 { top / bottom } else { 0.0 };
        match self {
            PairMetric::Sqeuclidean => pairs().map(|(a, b)| (a - b) * (a - b)).sum(),
            PairMetric::Cosine => angle(a, b),
            PairMetric::Correlation => {
                let centred = |v: &[f64]| {
                    let mean = v.iter().sum::<f64>() / v.len() as f64;
                    v.iter().map(|x| x - mean).collect::<Vec<f64>>()
                };
                angle(&centred(a), &centred(b))
            }
            PairMetric::Haversine => {
                let half = |a: f64, b: f64| (0.5 * (a - b)).sin().powi(2);
                let h = half(a[0], b[0]) + a[0].cos() * b[0].cos() * half(a[1], b[1]);
                2.0 * h.sqrt().min(1.0).asin()
            }
            PairMetric::Hamming => ratio(pairs().filter(|(a, b)| a != b).count() as f64, a.len() as f64),
            PairMetric::Canberra => pairs().map(|(a, b)| ratio((a - b).abs(), a.abs() + b.abs())).sum(),
            PairMetric::Braycurtis => ratio(
                pairs().map(|(a, b)| (a - b).abs()).sum(),
                pairs().map(|(a, b)| a.abs() + b.abs()).sum(),
            ),
            PairMetric::NanEuclidean => {
                let both = pairs().filter(|(a, b)| !a.is_nan() && !b.is_nan());
                let (count, sum) = both.fold((0, 0.0), |(n, sum), (a, b)| (n + 1, sum + (a - b) * (a - b)));
                if count > 0 { (a.len() as f64 / f64::from(count) * sum).sqrt() } else { f64::INFINITY }
            }
            PairMetric::Jaccard
            | PairMetric::Dice
            | PairMetric::RogersTanimoto
            | PairMetric::RussellRao
            | PairMetric::SokalSneath
            | PairMetric::Yule => self.of_marks(a, b, a.len()),
        }
    }
}

/// 1 − cos of two vectors; of a vector of length zero, 1.
fn angle(a: &[f64], b: &[f64]) -> f64 {
    let lengths = dot(a, a).sqrt() * dot(b, b).sqrt();
    if lengths > 0.0 { (1.0 - dot(a, b) / lengths).clamp(0.0, 2.0) } else { 1.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn correlations_are_those_of_scipy() {
        let distance = PairMetric::Correlation.between(&[1.0, 0.0, 1.0], &[1.0, 1.0, 0.0]);
        assert!((distance - 1.5).abs() < 1e-15);
    }

    #[test]
    fn distances_on_the_sphere_are_those_of_the_earth() {
        // Buenos Aires and Paris, from the documentation of scikit-learn: 11099.540 km.
        let [a, b] =
            [[-34.83333f64, -58.5166646], [49.0083899664, 2.53844117956]].map(|p| p.map(f64::to_radians));
        assert!((6371.0 * PairMetric::Haversine.between(&a, &b) - 11099.5403).abs() < 1e-3);
    }

    #[test]
    fn marks_are_compared_as_scipy_compares_them() {
        // scipy.spatial.distance 1.17.1 of these two rows.
        let (a, b) = ([1.0, 0.0, 1.0, 1.0, 0.0, 0.0], [1.0, 1.0, 0.0, 1.0, 0.0, 0.0]);
        let all = [
            (PairMetric::Jaccard, 0.5),
            (PairMetric::Dice, 1.0 / 3.0),
            (PairMetric::RogersTanimoto, 0.5),
            (PairMetric::RussellRao, 4.0 / 6.0),
            (PairMetric::SokalSneath, 4.0 / 6.0),
            (PairMetric::Yule, 0.4),
            (PairMetric::Hamming, 2.0 / 6.0),
        ];
        for (metric, expected) in all {
            let (whole, some) = (metric.between(&a, &b), metric.of_sparse(&a[..4], &b[..4], 6));
            assert!((whole - expected).abs() < 1e-15, "{metric:?}: {whole}");
            assert!((some - expected).abs() < 1e-15, "{metric:?} of sparse rows: {some}");
        }
    }

    #[test]
    fn features_that_are_missing_are_left_out() {
        // The example of scikit-learn's documentation of nan_euclidean_distances.
        let (a, b) = ([3.0, f64::NAN, f64::NAN, 6.0], [1.0, f64::NAN, 4.0, 5.0]);
        let distance = PairMetric::NanEuclidean.between(&a, &b);
        assert!((distance - (4.0f64 / 2.0 * 5.0).sqrt()).abs() < 1e-15);
        assert_eq!(PairMetric::NanEuclidean.between(&[f64::NAN], &[1.0]), f64::INFINITY);
    }
}
