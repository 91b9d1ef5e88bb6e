//! Deviances and the share of them that a prediction saves: pinball, Poisson, Gamma, Tweedie, D².
//!
//! Over no rows, or no weight, a mean is NaN. Values outside a deviance's domain are refused by row.

use crate::check::{self, mean};
use crate::loss::{Loss, unit_deviance};
use crate::regression::explained;
use mercer_core::{Error, Result};

/// The mean pinball loss of a predicted quantile: `alpha` for each unit too low, `1 - alpha` for each too high.
///
/// `alpha` in [0, 1]; at ½ it is half the mean absolute error.
pub fn pinball_loss(truth: &[f64], predicted: &[f64], alpha: f64, weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    if !(0.0..=1.0).contains(&alpha) {
        return Err(Error::param("pinball", "alpha", "in [0, 1]", alpha));
    }
    Ok(mean(truth.len(), weights, |i| Loss::Quantile { alpha }.value(predicted[i], truth[i])))
}

/// The mean Tweedie deviance for a `power` of the variance: 0 squared error, 1 Poisson, 2 Gamma, between them
/// compound Poisson, 3 inverse Gaussian, below 0 extreme stable.
///
/// There is none for a power within (0, 1). Domains: power < 0 needs f > 0; [1, 2) y ≥ 0 and f > 0; from 2 on both
/// above 0.
pub fn tweedie_deviance(
    truth: &[f64],
    predicted: &[f64],
    power: f64,
    weights: Option<&[f64]>,
) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    if !power.is_finite() || (power > 0.0 && power < 1.0) {
        return Err(Error::param("tweedie", "power", "finite and outside (0, 1)", power));
    }
    let who = "the Tweedie deviance";
    if power != 0.0 {
        check::every(who, "prediction", predicted, "above 0", |v| v > 0.0)?;
    }
    if power >= 2.0 {
        check::every(who, "truth", truth, "above 0", |v| v > 0.0)?;
    } else if power >= 1.0 {
        check::every(who, "truth", truth, "at least 0", |v| v >= 0.0)?;
    }
    Ok(mean(truth.len(), weights, |i| unit_deviance(truth[i], predicted[i], power)))
}

/// The mean Poisson deviance: Tweedie's with power 1.
pub fn poisson_deviance(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    tweedie_deviance(truth, predicted, 1.0, weights)
}

/// The mean Gamma deviance: Tweedie's with power 2.
pub fn gamma_deviance(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    tweedie_deviance(truth, predicted, 2.0, weights)
}

/// The share of the Tweedie deviance of the mean that the prediction saves; R² at power 0. NaN for fewer than two
/// rows; of a constant truth 1 when it is met exactly, else 0.
pub fn d2_tweedie(truth: &[f64], predicted: &[f64], power: f64, weights: Option<&[f64]>) -> Result<f64> {
    let loss = tweedie_deviance(truth, predicted, power, weights)?;
    if truth.len() < 2 {
        return Ok(f64::NAN);
    }
    let constant = vec![mean(truth.len(), weights, |i| truth[i]); truth.len()];
    let least = mean(truth.len(), weights, |i| unit_deviance(truth[i], constant[i], power));
    Ok(explained(loss, least))
}

/// The share of the pinball loss of the truth's own `alpha`-quantile that the prediction saves. NaN for fewer than
/// two rows.
///
/// Where the quantile is not unique it is the mean of the lower and the upper one.
pub fn d2_pinball(truth: &[f64], predicted: &[f64], alpha: f64, weights: Option<&[f64]>) -> Result<f64> {
    let loss = pinball_loss(truth, predicted, alpha, weights)?;
    if truth.len() < 2 {
        return Ok(f64::NAN);
    }
    let constant = vec![check::quantile(truth.iter().copied(), alpha, weights); truth.len()];
    Ok(explained(loss, pinball_loss(truth, &constant, alpha, weights)?))
}

/// [`d2_pinball`] at the median: the share of the absolute error saved.
pub fn d2_absolute_error(truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    d2_pinball(truth, predicted, 0.5, weights)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_are_refused_by_row() {
        let refused =
            |y: f64, f: f64, power: f64| tweedie_deviance(&[1.0, y], &[1.0, f], power, None).unwrap_err();
        assert!(refused(1.0, 0.0, 1.0).to_string().contains("prediction of row 1"));
        assert!(refused(-1.0, 1.0, 1.5).to_string().contains("truth of row 1"));
        assert!(refused(0.0, 1.0, 2.0).to_string().contains("above 0"));
        assert!(refused(1.0, f64::NAN, 1.0).to_string().contains("NaN"));
        assert!(refused(1.0, 1.0, 0.5).to_string().contains("power"));
        assert!(pinball_loss(&[1.0], &[1.0], -0.1, None).is_err());
    }

    #[test]
    fn no_rows_and_constant_truths_are_defined() {
        assert!(poisson_deviance(&[], &[], None).unwrap().is_nan());
        assert!(d2_tweedie(&[1.0], &[1.0], 1.0, None).unwrap().is_nan());
        assert_eq!(d2_absolute_error(&[2.0, 2.0], &[2.0, 2.0], None).unwrap(), 1.0);
        assert_eq!(d2_tweedie(&[2.0, 2.0], &[2.0, 3.0], 0.0, None).unwrap(), 0.0);
        assert_eq!(poisson_deviance(&[0.0], &[2.0], None).unwrap(), 4.0);
    }
}
