//! How well the probabilities of classes are predicted.
//!
//! Probabilities are rows × classes. Over no rows, or no weight, a mean is NaN.

use crate::check::{self, mean};
use crate::{Binning, calibration_curve, expected_calibration_error};
use mercer_core::{Error, Result};
use mercer_math::MatRef;

fn check_probabilities(truth: &[u32], probabilities: MatRef<'_>, weights: Option<&[f64]>) -> Result<()> {
    check::lengths(truth.len(), probabilities.n_rows(), weights)?;
    check::codes("truth", truth, probabilities.n_cols())
}

/// The mean of `-ln p(true class)`, probabilities clipped to `[eps, 1 - eps]` as scikit-learn does.
///
/// # Example
/// ```
/// use mercer_math::MatRef;
/// let p = MatRef::row_major(&[0.5, 0.5, 0.25, 0.75], 2, 2).unwrap();
/// let loss = mercer_measure::log_loss(&[0, 0], p, None)?;
/// assert!((loss - (2f64.ln() + 4f64.ln()) / 2.0).abs() < 1e-15);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn log_loss(truth: &[u32], probabilities: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    check_probabilities(truth, probabilities, weights)?;
    let clip = |p: f64| p.clamp(f64::EPSILON, 1.0 - f64::EPSILON);
    Ok(mean(truth.len(), weights, |i| -clip(probabilities.get(i, truth[i] as usize)).ln()))
}

/// The mean squared distance between probabilities and truth (Brier, 1950); halved for two classes, so that it
/// is `mean((p - y)²)` of the positive one, as is usual.
pub fn brier_score(truth: &[u32], probabilities: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    check_probabilities(truth, probabilities, weights)?;
    let n_classes = probabilities.n_cols();
    let distance = |i: usize| {
        let term = |c: usize| probabilities.get(i, c) - f64::from(truth[i] as usize == c);
        (0..n_classes).map(|c| term(c).powi(2)).sum::<f64>()
    };
    let scale = if n_classes == 2 { 0.5 } else { 1.0 };
    Ok(scale * mean(truth.len(), weights, distance))
}

/// The loss `of` predictions, against that of predicting every class by its share: 1 is perfect, 0 no better than
/// the shares. NaN for fewer than two rows; where the shares are perfect themselves, 1 if the loss is 0, else 0.
fn against_shares(
    truth: &[u32],
    probabilities: MatRef<'_>,
    weights: Option<&[f64]>,
    of: impl Fn(&[u32], MatRef<'_>, Option<&[f64]>) -> Result<f64>,
) -> Result<f64> {
    let loss = of(truth, probabilities, weights)?;
    if truth.len() < 2 {
        return Ok(f64::NAN);
    }
    let k = probabilities.n_cols();
    let shares: Vec<f64> =
        (0..k).map(|c| mean(truth.len(), weights, |i| f64::from(truth[i] as usize == c))).collect();
    let repeated: Vec<f64> = truth.iter().flat_map(|_| shares.iter().copied()).collect();
    let Some(constant) = MatRef::row_major(&repeated, truth.len(), k) else { return Ok(f64::NAN) };
    Ok(crate::regression::explained(loss, of(truth, constant, weights)?))
}

/// The share of the log loss of constant class shares that the predictions save (scikit-learn's
/// `d2_log_loss_score`).
pub fn d2_log_loss(truth: &[u32], probabilities: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    against_shares(truth, probabilities, weights, log_loss)
}

/// The share of the Brier score of constant class shares that the predictions save.
pub fn d2_brier(truth: &[u32], probabilities: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    against_shares(truth, probabilities, weights, brier_score)
}

/// The share of rows whose true class is among the `k` with the highest scores.
///
/// Of equal scores the later class ranks higher, as in scikit-learn; a `k` of all classes gives 1. NaN scores are
/// refused, `k = 0` too.
pub fn top_k_accuracy(truth: &[u32], scores: MatRef<'_>, k: usize, weights: Option<&[f64]>) -> Result<f64> {
    check_probabilities(truth, scores, weights)?;
    if k == 0 {
        return Err(Error::param("top_k", "k", "at least 1", 0));
    }
    if let Some((row, _)) = scores.find(f64::is_nan) {
        return Err(Error::numeric("top-k accuracy", format!("a score of row {row} is NaN")));
    }
    let hit = |i: usize| {
        let class = truth[i] as usize;
        let own = scores.get(i, class);
        let above = |c: &usize| scores.get(i, *c) > own || (*c > class && scores.get(i, *c) == own);
        (0..scores.n_cols()).filter(above).count() < k
    };
    Ok(mean(truth.len(), weights, |i| f64::from(hit(i))))
}

/// The expected calibration error: the mean over rows of |confidence - observed share| of their bin.
///
/// For two classes the probability of the second is binned; for more, that of the most probable class (the first
/// of equals) against whether it is the true one (Guo et al., 2017). NaN without rows.
///
/// # Example
/// ```
/// use mercer_math::MatRef;
/// use mercer_measure::{Binning, calibration_error};
/// // Two rows at 0.75, of which one is positive: off by a quarter.
/// let p = MatRef::row_major(&[0.25, 0.75, 0.25, 0.75], 2, 2).unwrap();
/// assert_eq!(calibration_error(&[0, 1], p, 10, Binning::Uniform, None)?, 0.25);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn calibration_error(
    truth: &[u32],
    probabilities: MatRef<'_>,
    n_bins: usize,
    binning: Binning,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check_probabilities(truth, probabilities, weights)?;
    let k = probabilities.n_cols();
    let top = |i: usize| {
        let class = if k == 2 { 1 } else { crate::classification::most_probable(probabilities, i) };
        (truth[i] as usize == class, probabilities.get(i, class))
    };
    let (hits, confidence): (Vec<bool>, Vec<f64>) = (0..truth.len()).map(top).unzip();
    Ok(expected_calibration_error(&calibration_curve(&hits, &confidence, n_bins, binning, weights)?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ties_nan_and_ends_of_top_k() {
        let scores = MatRef::row_major(&[0.2, 0.2, 0.1, 0.0, 0.5, 0.5], 2, 3).unwrap();
        let top = |k| top_k_accuracy(&[0, 2], scores, k, None).unwrap();
        assert_eq!((top(1), top(2), top(9)), (0.5, 1.0, 1.0));
        assert!(top_k_accuracy(&[0, 2], scores, 0, None).is_err());
        let nan = MatRef::row_major(&[f64::NAN, 0.0], 1, 2).unwrap();
        assert!(top_k_accuracy(&[0], nan, 1, None).unwrap_err().to_string().contains("row 0"));
        let none = MatRef::row_major(&[], 0, 2).unwrap();
        assert!(top_k_accuracy(&[], none, 1, None).unwrap().is_nan());
        assert!(calibration_error(&[], none, 5, Binning::Uniform, None).unwrap().is_nan());
        assert!(d2_log_loss(&[], none, None).unwrap().is_nan());
    }

    #[test]
    fn calibration_of_many_classes_is_that_of_the_most_probable() {
        // Confidence 0.6 twice, right once: |0.6 - 0.5|.
        let p = MatRef::row_major(&[0.6, 0.2, 0.2, 0.2, 0.6, 0.2], 2, 3).unwrap();
        let found = calibration_error(&[0, 2], p, 10, Binning::Uniform, None).unwrap();
        assert!((found - 0.1).abs() < 1e-15);
        // Weight 3 on the right one: |0.6 - 0.75|.
        let found = calibration_error(&[0, 2], p, 10, Binning::Uniform, Some(&[3.0, 1.0])).unwrap();
        assert!((found - 0.15).abs() < 1e-15);
    }
}
