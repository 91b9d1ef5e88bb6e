//! Several labels a row: truth and prediction as indicator matrices, rows × labels, where anything but 0 is set.
//!
//! Precision, recall, F and Jaccard of labels come from [`Counts::of_labels`](crate::Counts::of_labels).

use crate::check::{self, mean, ratio};
use mercer_core::Result;
use mercer_math::MatRef;

pub(crate) fn same_shape(truth: MatRef<'_>, predicted: MatRef<'_>, weights: Option<&[f64]>) -> Result<()> {
    check::lengths(truth.n_rows(), predicted.n_rows(), weights)?;
    check::same_length("labels of the predictions", truth.n_cols(), predicted.n_cols())
}

/// The share of rows whose labels are all predicted, and no other; NaN over no rows.
pub fn subset_accuracy(truth: MatRef<'_>, predicted: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    same_shape(truth, predicted, weights)?;
    let right =
        |i: usize| (0..truth.n_cols()).all(|c| (truth.get(i, c) != 0.0) == (predicted.get(i, c) != 0.0));
    Ok(mean(truth.n_rows(), weights, |i| f64::from(right(i))))
}

/// The share of labels that are wrong; NaN over no rows or no labels.
pub fn multilabel_hamming(truth: MatRef<'_>, predicted: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    same_shape(truth, predicted, weights)?;
    let k = truth.n_cols();
    let wrong =
        |i: usize| (0..k).filter(|&c| (truth.get(i, c) != 0.0) != (predicted.get(i, c) != 0.0)).count();
    Ok(mean(truth.n_rows(), weights, |i| wrong(i) as f64 / k as f64))
}

/// Precision, recall, F1 and Jaccard of every row's own labels, averaged over rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleScores {
    /// Of the labels predicted, the share that is right.
    pub precision: f64,
    /// Of the labels there are, the share predicted.
    pub recall: f64,
    /// The harmonic mean of both.
    pub f1: f64,
    /// Of the labels that are there or predicted, the share that is both.
    pub jaccard: f64,
}

/// The averages over rows: scikit-learn's `average="samples"`. A row with nothing to divide by counts 0; NaN over
/// no rows.
///
/// # Example
/// ```
/// use mercer_math::MatRef;
/// let truth = MatRef::row_major(&[1.0, 1.0, 0.0, 0.0, 1.0, 1.0], 2, 3).unwrap();
/// let predicted = MatRef::row_major(&[1.0, 0.0, 0.0, 0.0, 1.0, 1.0], 2, 3).unwrap();
/// assert_eq!(mercer_measure::sample_scores(truth, predicted, None)?.recall, 0.75);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn sample_scores(
    truth: MatRef<'_>,
    predicted: MatRef<'_>,
    weights: Option<&[f64]>,
) -> Result<SampleScores> {
    same_shape(truth, predicted, weights)?;
    let counts = |i: usize| {
        let mut n = [0.0; 3];
        for c in 0..truth.n_cols() {
            let (t, p) = (truth.get(i, c) != 0.0, predicted.get(i, c) != 0.0);
            n[0] += f64::from(t && p);
            n[1] += f64::from(t);
            n[2] += f64::from(p);
        }
        n
    };
    let average = |of: fn([f64; 3]) -> f64| mean(truth.n_rows(), weights, |i| of(counts(i)));
    Ok(SampleScores {
        precision: average(|[hit, _, claimed]| ratio(hit, claimed)),
        recall: average(|[hit, there, _]| ratio(hit, there)),
        f1: average(|[hit, there, claimed]| ratio(2.0 * hit, there + claimed)),
        jaccard: average(|[hit, there, claimed]| ratio(hit, there + claimed - hit)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_shapes_are_defined_or_refused() {
        let empty = MatRef::row_major(&[], 0, 3).unwrap();
        assert!(subset_accuracy(empty, empty, None).unwrap().is_nan());
        assert!(sample_scores(empty, empty, None).unwrap().f1.is_nan());
        let none = MatRef::row_major(&[0.0, 0.0], 2, 1).unwrap();
        assert_eq!(sample_scores(none, none, None).unwrap().f1, 0.0);
        assert_eq!(subset_accuracy(none, none, None).unwrap(), 1.0);
        assert!(multilabel_hamming(none, empty, None).is_err());
    }
}
