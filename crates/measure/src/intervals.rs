//! How sure a measured score is: intervals, and the comparison of two models on the same folds.

use crate::beta::{beta_quantile, t_critical, t_two_sided};
use mercer_core::{Error, Result};
use mercer_math::{below, rng_for};

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

fn check_confidence(who: &str, confidence: f64) -> Result<()> {
    if confidence > 0.0 && confidence < 1.0 {
        return Ok(());
    }
    Err(Error::param(who, "confidence", "in (0, 1)", confidence))
}

/// Mean and sample variance.
fn moments(values: &[f64]) -> (f64, f64) {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    (mean, values.iter().map(|v| (v - mean).powi(2)).sum::<f64>() / (n - 1.0))
}

/// The mean of some scores with Student's interval. With one value the interval is NaN.
///
/// Scores of cross-validation share training rows, so this interval is somewhat too narrow for them; see
/// [`corrected_t_test`].
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

/// The outcome of a comparison.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TTest {
    /// Mean of first minus second.
    pub difference: f64,
    /// The statistic.
    pub t: f64,
    /// The two-sided p-value.
    pub p_value: f64,
}

/// The corrected resampled t-test of Nadeau and Bengio (2003, doi:10.1023/A:1024068626366) between the scores
/// of two models on the same folds: the variance grows by `n_test / n_train` for the rows that folds share.
///
/// Equal scores on all folds give t = 0 and p = 1; a constant difference gives an infinite t and p = 0.
pub fn corrected_t_test(first: &[f64], second: &[f64], n_train: usize, n_test: usize) -> Result<TTest> {
    crate::check::same_length("scores of the second model", first.len(), second.len())?;
    if first.len() < 2 {
        return Err(Error::too_few("corrected_t_test", "folds", 2, first.len()));
    }
    if n_train == 0 || n_test == 0 {
        return Err(Error::too_few("corrected_t_test", "rows", 1, 0));
    }
    let differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    let (difference, variance) = moments(&differences);
    if differences.iter().all(|&d| d == 0.0) {
        return Ok(TTest { difference: 0.0, t: 0.0, p_value: 1.0 });
    }
    let k = differences.len() as f64;
    let t = difference / ((1.0 / k + n_test as f64 / n_train as f64) * variance).sqrt();
    Ok(TTest { difference, t, p_value: t_two_sided(t, k - 1.0) })
}

/// The percentile bootstrap of a metric: `metric` is given row indices drawn with replacement.
///
/// The estimate is the metric on all rows. Draws that give NaN (one class only, say) are left out; when all do,
/// the interval is NaN. The same seed gives the same interval.
pub fn bootstrap_interval(
    n: usize,
    n_draws: usize,
    confidence: f64,
    seed: u64,
    mut metric: impl FnMut(&[usize]) -> Result<f64>,
) -> Result<Interval> {
    check_confidence("bootstrap_interval", confidence)?;
    if n == 0 || n_draws == 0 {
        return Err(Error::too_few("bootstrap_interval", if n == 0 { "rows" } else { "draws" }, 1, 0));
    }
    let mut rows: Vec<usize> = (0..n).collect();
    let estimate = metric(&rows)?;
    let mut values = Vec::with_capacity(n_draws);
    for draw in 0..n_draws {
        let mut rng = rng_for(seed, draw as u64);
        rows.iter_mut().for_each(|row| *row = below(&mut rng, n));
        let value = metric(&rows)?;
        if !value.is_nan() {
            values.push(value);
        }
    }
    values.sort_unstable_by(f64::total_cmp);
    let tail = (1.0 - confidence) / 2.0;
    Ok(Interval { estimate, lower: quantile(&values, tail), upper: quantile(&values, 1.0 - tail) })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn degenerate_comparisons_are_defined() {
        let same = corrected_t_test(&[0.5, 0.6], &[0.5, 0.6], 80, 20).unwrap();
        assert_eq!((same.t, same.p_value), (0.0, 1.0));
        let constant = corrected_t_test(&[1.0, 1.0], &[0.5, 0.5], 80, 20).unwrap();
        assert_eq!((constant.t, constant.p_value), (f64::INFINITY, 0.0));
        assert!(corrected_t_test(&[1.0], &[0.5], 80, 20).is_err());
        assert!(corrected_t_test(&[1.0, 2.0], &[0.5], 80, 20).is_err());
        assert!(t_interval(&[0.5], 0.95).unwrap().lower.is_nan());
        assert!(t_interval(&[], 0.95).is_err() && t_interval(&[1.0, 2.0], 1.0).is_err());
    }

    #[test]
    fn the_bootstrap_covers_the_mean_and_is_repeatable() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 20)).collect();
        let run = |seed| {
            let mean = |rows: &[usize]| Ok(rows.iter().map(|&i| values[i]).sum::<f64>() / rows.len() as f64);
            bootstrap_interval(200, 500, 0.95, seed, mean).unwrap()
        };
        let interval = run(1);
        assert_eq!((interval, interval.estimate), (run(1), 9.5));
        assert!(interval.lower < 9.5 && 9.5 < interval.upper && interval.upper - interval.lower < 2.0);
        assert_ne!(interval, run(2));
        let nan = bootstrap_interval(3, 5, 0.9, 0, |_| Ok(f64::NAN)).unwrap();
        assert!(nan.lower.is_nan());
    }

    #[test]
    fn clopper_and_pearson_reach_the_ends() {
        let none = clopper_pearson(0, 10, 0.95).unwrap();
        assert_eq!(none.lower, 0.0);
        assert!((none.upper - (1.0 - 0.025f64.powf(0.1))).abs() < 1e-14);
        assert_eq!(clopper_pearson(10, 10, 0.95).unwrap().upper, 1.0);
        assert!(clopper_pearson(3, 2, 0.95).is_err() && clopper_pearson(0, 0, 0.95).is_err());
    }
}
