//! The variance of an average: how the errors of a forest's trees vary and correlate.

use crate::packed::PackedTrees;
use mercer_core::{Dataset, Result, Session};

/// Variance and correlation of the errors of the trees over rows.
///
/// The average of B errors of variance σ² each and correlation ρ has variance ρσ² + (1 − ρ)σ²/B: more trees remove
/// the second part alone. Here σ² is the mean variance of a tree's error over the rows, and ρ the mean covariance of
/// two trees over it, so that the identity holds exactly.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnsembleVariance {
    /// σ²: the variance of a tree's error, a mean over the trees.
    pub of_tree: f64,
    /// ρ: the correlation of two trees' errors.
    pub correlation: f64,
    /// The variance of the forest's error.
    pub of_average: f64,
    /// B: the trees.
    pub trees: usize,
}

impl EnsembleVariance {
    /// Measures it on some rows; `error(row, value)` is the error of a leaf.
    pub(crate) fn measure(
        packed: &PackedTrees,
        data: &Dataset<'_>,
        session: &Session,
        error: impl Fn(usize, &[f64]) -> f64,
    ) -> Result<Self> {
        let (n, trees) = (data.n_rows(), packed.n_trees());
        let leaves = packed.apply(&data.input(), session)?;
        let (mut sums, mut squares, mut average) =
            (vec![0.0; trees], vec![0.0; trees], Vec::with_capacity(n));
        for (i, row) in leaves.chunks(trees).enumerate() {
            let mut total = 0.0;
            for (t, &leaf) in row.iter().enumerate() {
                let e = error(i, packed.value(t, leaf as usize).unwrap_or(&[0.0]));
                sums[t] += e;
                squares[t] += e * e;
                total += e;
            }
            average.push(total / trees as f64);
        }
        let (n, b) = (n as f64, trees as f64);
        let variance = |sum: f64, square: f64| (square / n - (sum / n) * (sum / n)).max(0.0);
        let of_tree = sums.iter().zip(&squares).map(|(s, q)| variance(*s, *q)).sum::<f64>() / b;
        let of_average = variance(average.iter().sum(), average.iter().map(|a| a * a).sum());
        let correlation =
            if trees > 1 && of_tree > 0.0 { (of_average / of_tree - 1.0 / b) / (1.0 - 1.0 / b) } else { 1.0 };
        Ok(Self { of_tree, correlation, of_average, trees })
    }
}
