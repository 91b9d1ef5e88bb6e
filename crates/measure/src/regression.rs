//! How far predicted numbers are from the truth. Over no rows, or no weight, a mean is NaN.

use crate::Loss;
use crate::check::{self, mean};
use mercer_core::Result;
use mercer_math::Weights;

/// The mean squared error.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| Loss::Squared.value(predicted[i], truth[i])))
}

/// The root of the mean squared error, in the unit of the target.
///
/// # Example
/// ```
/// assert_eq!(mercer_measure::root_mean_squared_error(&[0.0, 0.0], &[3.0, 3.0], None)?, 3.0);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn root_mean_squared_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    Ok(mean_squared_error(truth, predicted, weights)?.sqrt())
}

/// The mean absolute error.
pub fn mean_absolute_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| Loss::Absolute.value(predicted[i], truth[i])))
}

/// The median absolute error; with weights the weighted median, the mean of both where it is not unique.
pub fn median_absolute_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    let errors = truth.iter().zip(predicted).map(|(t, p)| (t - p).abs());
    Ok(check::quantile(errors, 0.5, weights))
}

/// One minus residual over total; where the truth is constant, 1 for a perfect prediction and else 0.
pub(crate) fn explained(residual: f64, total: f64) -> f64 {
    match (residual == 0.0, total == 0.0) {
        (true, true) => 1.0,
        (false, true) => 0.0,
        _ => 1.0 - residual / total,
    }
}

/// R², the share of the variance that is explained: 1 is perfect, 0 is the mean, below is worse than the mean.
///
/// NaN for fewer than two rows; for a constant truth 1 when it is met exactly, else 0.
pub fn r2(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    let residual = mean_squared_error(truth, predicted, weights)?;
    if truth.len() < 2 {
        return Ok(f64::NAN);
    }
    let centre = mean(truth.len(), weights, |i| truth[i]);
    Ok(explained(residual, mean(truth.len(), weights, |i| (truth[i] - centre).powi(2))))
}

/// The explained variance: as [`r2`], but a constant offset of the predictions is forgiven.
pub fn explained_variance(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    let n = truth.len();
    let offset = mean(n, weights, |i| truth[i] - predicted[i]);
    let centre = mean(n, weights, |i| truth[i]);
    let residual = mean(n, weights, |i| (truth[i] - predicted[i] - offset).powi(2));
    Ok(explained(residual, mean(n, weights, |i| (truth[i] - centre).powi(2))))
}

/// The mean of `|y - f| / max(|y|, eps)`, as a share, not in per cent; a true 0 makes it huge, as in scikit-learn.
pub fn mean_absolute_percentage_error(
    truth: &[f64],
    predicted: &[f64],
    weights: Option<&[f64]>,
) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| (truth[i] - predicted[i]).abs() / truth[i].abs().max(f64::EPSILON)))
}

/// The largest absolute error among rows with weight; NaN over none, or where an error is NaN.
pub fn max_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    let errors = (0..truth.len())
        .filter(|&i| Weights::from(weights).counts(i))
        .map(|i| (truth[i] - predicted[i]).abs());
    Ok(errors.reduce(|a, b| if a.is_nan() || a > b { a } else { b }).unwrap_or(f64::NAN))
}

/// The mean of `(ln(1 + y) - ln(1 + f))²`; a value of -1 or below is refused.
pub fn mean_squared_log_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    check::every("the squared log error", "truth", truth, "above -1", |v| v > -1.0)?;
    check::every("the squared log error", "prediction", predicted, "above -1", |v| v > -1.0)?;
    Ok(mean(truth.len(), weights, |i| (truth[i].ln_1p() - predicted[i].ln_1p()).powi(2)))
}

/// The root of [`mean_squared_log_error`].
pub fn root_mean_squared_log_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    Ok(mean_squared_log_error(truth, predicted, weights)?.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_truths_are_defined() {
        assert_eq!(r2(&[2.0, 2.0], &[2.0, 2.0], None).unwrap(), 1.0);
        assert_eq!(r2(&[2.0, 2.0], &[2.0, 3.0], None).unwrap(), 0.0);
        assert!(r2(&[2.0], &[2.0], None).unwrap().is_nan());
        assert!(mean_squared_error(&[], &[], None).unwrap().is_nan());
        assert!(median_absolute_error(&[], &[], None).unwrap().is_nan());
        assert!(mean_absolute_error(&[1.0], &[], None).is_err());
    }

    #[test]
    fn zeros_and_domains_are_defined() {
        assert_eq!(max_error(&[1.0, 2.0], &[1.5, 9.0], Some(&[1.0, 0.0])).unwrap(), 0.5);
        assert!(max_error(&[], &[], None).unwrap().is_nan());
        assert!(max_error(&[1.0, 0.0], &[f64::NAN, 9.0], None).unwrap().is_nan());
        assert!(mean_absolute_percentage_error(&[0.0], &[1.0], None).unwrap() > 1e15);
        let error = mean_squared_log_error(&[0.0, -1.0], &[0.0, 0.0], None).unwrap_err().to_string();
        assert!(error.contains("row 1") && error.contains("above -1"), "{error}");
    }

    #[test]
    fn the_mean_explains_nothing_and_offsets_are_forgiven() {
        let truth = [1.0, 2.0, 6.0];
        assert_eq!(r2(&truth, &[3.0; 3], None).unwrap(), 0.0);
        assert_eq!(explained_variance(&truth, &[11.0, 12.0, 16.0], None).unwrap(), 1.0);
    }

    #[test]
    fn medians_with_weights_are_medians_of_copies() {
        let zeros = [0.0; 5];
        let errors = [5.0, 1.0, 3.0, 2.0, 4.0];
        assert_eq!(median_absolute_error(&zeros, &errors, None).unwrap(), 3.0);
        assert_eq!(median_absolute_error(&zeros[..4], &errors[..4], None).unwrap(), 2.5);
        let weights = [1.0, 3.0, 0.0, 1.0, 1.0];
        assert_eq!(median_absolute_error(&zeros, &errors, Some(&weights)).unwrap(), 1.5);
    }
}
