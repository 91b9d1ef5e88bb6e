//! How sure a measured score is: intervals of means and shares. Of any metric: see [`Bootstrap`](crate::Bootstrap).

use crate::tails::t_critical;
use mercer_core::{Error, Result};
use mercer_math::special::{beta_quantile, norm_ppf};

/// An estimate with an interval around it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The estimate.
    pub estimate: f64,
    /// The lower end.
    pub lower: f64,
    /// The upper end.
    pub upper: f64,
}

pub(crate) fn check_confidence(who: &str, confidence: f64) -> Result<()> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    Err(Error::param(who, "confidence", "in (0, 1)", confidence))
}

/// Mean and sample variance.
pub(crate) fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The mean of some scores with Student's interval. With one value the interval is NaN.
///
/// Scores of cross-validation share training rows, so this interval is somewhat too narrow for them; see
/// [`corrected_t_test`](crate::corrected_t_test).
///
/// # Example
/// ```
/// let interval = mercer_measure::t_interval(&[0.8, 0.9, 1.0], 0.95)?;
/// assert!((interval.estimate - 0.9).abs() < 1e-15 && interval.lower < 0.7);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn t_interval(values: &[f64], confidence: f64) -> Result<Interval> {
    check_confidence("t_interval", confidence)?;
    if values.is_empty() {
        return Err(Error::too_few("t_interval", "values", 1, 0));
    }
    let (estimate, variance) = moments(values);
    if values.len() == 1 {
        return Ok(Interval { estimate, lower: f64::NAN, upper: f64::NAN });
    }
    let n = values.len() as f64;
    let half = t_critical(1.0 - confidence, n - 1.0) * (variance / n).sqrt();
    Ok(Interval { estimate, lower: estimate - half, upper: estimate + half })
}

/// The linear quantile of sorted values (numpy's default); NaN of none.
pub(crate) fn quantile(sorted: &[f64], q: f64) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return f64::NAN };
    let place = q * last as f64;
    let low = (place.floor() as usize).min(last);
    let (a, b) = (sorted[low], sorted[(low + 1).min(last)]);
    if a == b { a } else { a + (place - low as f64) * (b - a) }
}

/// The exact binomial interval of Clopper and Pearson (1934, doi:10.1093/biomet/26.4.404) for a share.
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Result<Interval> {
    check_confidence("clopper_pearson", confidence)?;
    if trials == 0 {
        return Err(Error::too_few("clopper_pearson", "trials", 1, 0));
    }
    if successes > trials {
        return Err(Error::param("clopper_pearson", "successes", format!("at most {trials}"), successes));
    }
    let (k, n, tail) = (successes as f64, trials as f64, (1.0 - confidence) / 2.0);
    let lower = if successes == 0 { 0.0 } else { beta_quantile(k, n - k + 1.0, tail) };
    let upper = if successes == trials { 1.0 } else { 1.0 - beta_quantile(n - k, k + 1.0, tail) };
    Ok(Interval { estimate: k / n, lower, upper })
}

/// Wilson's score interval (1927, doi:10.1080/01621459.1927.10502953) for a share: narrower than Clopper and
/// Pearson's, right on average rather than always.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Result<Interval> {
    check_confidence("wilson", confidence)?;
    if trials == 0 {
        return Err(Error::too_few("wilson", "trials", 1, 0));
    }
    if successes > trials {
        return Err(Error::param("wilson", "successes", format!("at most {trials}"), successes));
    }
    let (n, z) = (trials as f64, norm_ppf(0.5 + confidence / 2.0));
    let p = successes as f64 / n;
    let z2 = z * z;
    let centre = (p + z2 / (2.0 * n)) / (1.0 + z2 / n);
    let half = z / (1.0 + z2 / n) * (p * (1.0 - p) / n + z2 / (4.0 * n * n)).sqrt();
    // At the ends the interval reaches them exactly, but for rounding.
    let lower = if successes == 0 { 0.0 } else { (centre - half).max(0.0) };
    let upper = if successes == trials { 1.0 } else { (centre + half).min(1.0) };
    Ok(Interval { estimate: p, lower, upper })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_value_has_no_interval() {
        assert!(t_interval(&[0.5], 0.95).unwrap().lower.is_nan());
        assert!(t_interval(&[], 0.95).is_err() && t_interval(&[1.0, 2.0], 1.0).is_err());
    }

    #[test]
    fn clopper_and_pearson_reach_the_ends() {
        let none = clopper_pearson(0, 10, 0.95).unwrap();
        assert_eq!(none.lower, 0.0);
        assert!((none.upper - (1.0 - 0.025f64.powf(0.1))).abs() < 1e-14);
        assert_eq!(clopper_pearson(10, 10, 0.95).unwrap().upper, 1.0);
        assert!(clopper_pearson(3, 2, 0.95).is_err() && clopper_pearson(0, 0, 0.95).is_err());
        assert_eq!((wilson(0, 10, 0.95).unwrap().lower, wilson(9, 9, 0.95).unwrap().upper), (0.0, 1.0));
        assert!(
            wilson(3, 2, 0.95).is_err() && wilson(0, 0, 0.95).is_err() && wilson(1, 2, f64::NAN).is_err()
        );
    }
}
