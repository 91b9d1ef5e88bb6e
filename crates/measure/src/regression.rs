//! How far predicted numbers are from the truth. Over no rows, or no weight, a mean is NaN.

use crate::check::{self, mean, weight};
use mercer_core::Result;

/// The mean squared error.
pub fn mean_squared_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| (truth[i] - predicted[i]).powi(2)))
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
    Ok(mean(truth.len(), weights, |i| (truth[i] - predicted[i]).abs()))
}

/// The median absolute error; with weights the weighted median, the mean of both where it is not unique.
pub fn median_absolute_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    let mut errors: Vec<(f64, f64)> =
        (0..truth.len()).map(|i| ((truth[i] - predicted[i]).abs(), weight(weights, i))).collect();
    errors.retain(|(_, w)| *w > 0.0);
    errors.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let half = errors.iter().map(|(_, w)| w).sum::<f64>() / 2.0;
    let mut below = 0.0;
    for (i, (error, w)) in errors.iter().enumerate() {
        below += w;
        if below > half {
            return Ok(*error);
        }
        if below == half {
            return Ok(errors.get(i + 1).map_or(*error, |(next, _)| (error + next) / 2.0));
        }
    }
    Ok(errors.last().map_or(f64::NAN, |(error, _)| *error))
}

/// One minus residual over total; where the truth is constant, 1 for a perfect prediction and else 0.
fn explained(residual: f64, total: f64) -> f64 {
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
