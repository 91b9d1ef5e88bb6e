//! Bootstrap intervals of any metric, by percentiles or bias-corrected and accelerated (BCa).
//!
//! # Algorithm
//! A metric is a function of row indices. Each draw resamples rows with replacement, within strata where they are
//! given, from its own stream of the seed, so that the result does not depend on threads. BCa (Efron, 1987,
//! doi:10.1080/01621459.1987.10478410) shifts the percentiles by the bias of the draws around the estimate and by the
//! acceleration, the skewness of the jackknife: one row left out at a time, or, beyond `jackknife` rows, one of
//! `jackknife` groups of rows (row i in group i mod `jackknife`), which costs fewer evaluations.

use crate::check;
use crate::intervals::{Interval, check_confidence, quantile};
use crate::splits::by_class;
use mercer_core::{Error, Result};
use mercer_math::special::{norm_cdf, norm_ppf};
use mercer_math::{below, rng_for};
use rayon::prelude::*;

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

/// How a bootstrap interval is made of the draws.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum BootstrapMethod {
    /// Percentiles of the draws.
    Percentile,
    /// Bias-corrected and accelerated.
    #[default]
    Bca,
}

/// A bootstrap interval to be made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bootstrap<'a> {
    /// Number of draws.
    pub n_draws: usize,
    /// Confidence, in (0, 1).
    pub confidence: f64,
    /// How the interval is made.
    pub method: BootstrapMethod,
    /// Classes, say: rows are drawn within each, so that its share stays.
    pub strata: Option<&'a [u32]>,
    /// At most so many evaluations for the acceleration of BCa; at least 2.
    pub jackknife: usize,
    /// The seed of the draws.
    pub seed: u64,
}

impl Default for Bootstrap<'_> {
    fn default() -> Self {
        Self {
            n_draws: 2000,
            confidence: 0.95,
            method: BootstrapMethod::Bca,
            strata: None,
            jackknife: 200,
            seed: 0,
        }
    }
}

impl Bootstrap<'_> {
    /// The interval of a metric over `n` rows; draws run in rayon's current pool.
    ///
    /// The estimate is the metric on all rows. Draws that give NaN (one class only, say) are left out; when all do,
    /// or the estimate is NaN, the interval is NaN. Where all draws are equal the interval is that value; where the
    /// jackknife has no value the acceleration is 0.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Bootstrap;
    /// let values: Vec<f64> = (0..100).map(f64::from).collect();
    /// let mean = |rows: &[usize]| Ok(rows.iter().map(|&i| values[i]).sum::<f64>() / rows.len() as f64);
    /// let interval = Bootstrap::default().interval(100, mean)?;
    /// assert!(interval.lower < 49.5 && 49.5 < interval.upper);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn interval(&self, n: usize, metric: impl Fn(&[usize]) -> Result<f64> + Sync) -> Result<Interval> {
        check_confidence("Bootstrap", self.confidence)?;
        if n == 0 || self.n_draws == 0 {
            return Err(Error::too_few("Bootstrap", if n == 0 { "rows" } else { "draws" }, 1, 0));
        }
        if self.jackknife < 2 {
            return Err(Error::param("Bootstrap", "jackknife", "at least 2", self.jackknife));
        }
        let strata = match self.strata {
            Some(codes) => {
                check::same_length("strata", n, codes.len())?;
                by_class(codes)
            }
            None => vec![(0..n).collect()],
        };
        let estimate = metric(&(0..n).collect::<Vec<_>>())?;
        let draw = |draw: u64| {
            let mut rng = rng_for(self.seed, draw);
            let mut rows = Vec::with_capacity(n);
            for stratum in &strata {
                rows.extend((0..stratum.len()).map(|_| stratum[below(&mut rng, stratum.len())]));
            }
            metric(&rows)
        };
        let draws = (0..self.n_draws as u64).into_par_iter().map(draw).collect::<Result<Vec<_>>>()?;
        if self.method == BootstrapMethod::Percentile {
            return percentile_interval(estimate, &draws, self.confidence);
        }
        let groups = n.min(self.jackknife);
        let without = |group: usize| {
            let rows: Vec<usize> = (0..n).filter(|i| i % groups != group).collect();
            if rows.is_empty() { Ok(f64::NAN) } else { metric(&rows) }
        };
        let jackknife = (0..groups).into_par_iter().map(without).collect::<Result<Vec<_>>>()?;
        bca_interval(estimate, &draws, &jackknife, self.confidence)
    }
}

fn sorted_numbers(draws: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = draws.iter().copied().filter(|v| !v.is_nan()).collect();
    values.sort_unstable_by(f64::total_cmp);
    values
}

/// The percentiles of draws; NaN draws are left out.
pub fn percentile_interval(estimate: f64, draws: &[f64], confidence: f64) -> Result<Interval> {
    check_confidence("percentile_interval", confidence)?;
    let (values, tail) = (sorted_numbers(draws), (1.0 - confidence) / 2.0);
    Ok(Interval { estimate, lower: quantile(&values, tail), upper: quantile(&values, 1.0 - tail) })
}

/// The BCa interval from draws and the values of the jackknife; NaN among either are left out.
///
/// NaN when the estimate is, or there are no draws.
pub fn bca_interval(estimate: f64, draws: &[f64], jackknife: &[f64], confidence: f64) -> Result<Interval> {
    check_confidence("bca_interval", confidence)?;
    let values = sorted_numbers(draws);
    let (Some(&first), Some(&last)) = (values.first(), values.last()) else {
        return Ok(Interval { estimate, lower: f64::NAN, upper: f64::NAN });
    };
    if estimate.is_nan() || first == last {
        let end = if estimate.is_nan() { f64::NAN } else { first };
        return Ok(Interval { estimate, lower: end, upper: end });
    }
    // Draws equal to the estimate count half below it. An estimate beyond all draws would shift without bound.
    let below = values.partition_point(|v| *v < estimate) + values.partition_point(|v| *v <= estimate);
    let n = values.len() as f64;
    let bias = norm_ppf((below as f64 / (2.0 * n)).clamp(0.5 / n, 1.0 - 0.5 / n));
    let acceleration = acceleration(jackknife);
    let end = |tail: f64| {
        let z = bias + norm_ppf(tail);
        quantile(&values, norm_cdf(bias + z / (1.0 - acceleration * z)))
    };
    let tail = (1.0 - confidence) / 2.0;
    Ok(Interval { estimate, lower: end(tail), upper: end(1.0 - tail) })
}

/// A sixth of the skewness of the jackknife's influence; 0 where it has none.
fn acceleration(jackknife: &[f64]) -> f64 {
    let values: Vec<f64> = jackknife.iter().copied().filter(|v| v.is_finite()).collect();
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let moment = |power: i32| values.iter().map(|v| (mean - v).powi(power)).sum::<f64>();
    check::ratio(moment(3), 6.0 * moment(2).powf(1.5))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mean_of(values: &[f64]) -> impl Fn(&[usize]) -> Result<f64> + Sync + '_ {
        |rows: &[usize]| Ok(rows.iter().map(|&i| values[i]).sum::<f64>() / rows.len() as f64)
    }

    #[test]
    fn the_bootstrap_covers_the_mean_and_is_repeatable() {
        let values: Vec<f64> = (0..200).map(|i| f64::from(i % 20)).collect();
        let run = |seed| bootstrap_interval(200, 500, 0.95, seed, mean_of(&values)).unwrap();
        let interval = run(1);
        assert_eq!((interval, interval.estimate), (run(1), 9.5));
        assert!(interval.lower < 9.5 && 9.5 < interval.upper && interval.upper - interval.lower < 2.0);
        assert_ne!(interval, run(2));
        let nan = bootstrap_interval(3, 5, 0.9, 0, |_| Ok(f64::NAN)).unwrap();
        assert!(nan.lower.is_nan());
        // The parallel one draws the same rows.
        let method = BootstrapMethod::Percentile;
        let parallel = Bootstrap { n_draws: 500, seed: 1, method, ..Bootstrap::default() };
        assert_eq!(parallel.interval(200, mean_of(&values)).unwrap(), interval);
    }

    /// 95 % intervals of the mean of skewed data cover it about as often; false alarm below 1e-6 at 4.9 deviations.
    #[test]
    fn bca_covers_as_often_as_it_says() {
        let (mut covered, rounds) = (0.0, 300);
        for round in 0..rounds {
            let mut rng = rng_for(77, round);
            let values: Vec<f64> = (0..60).map(|_| -mercer_math::uniform(&mut rng).ln()).collect();
            let by = Bootstrap { n_draws: 400, seed: round, ..Bootstrap::default() };
            let interval = by.interval(60, mean_of(&values)).unwrap();
            covered += f64::from(interval.lower <= 1.0 && 1.0 <= interval.upper);
        }
        let share = covered / rounds as f64;
        assert!((share - 0.94).abs() < 4.9 * (0.06 * 0.94 / rounds as f64).sqrt(), "{share}");
    }

    #[test]
    fn strata_keep_their_sizes_and_groups_stand_for_rows() {
        let strata: Vec<u32> = (0..100).map(|i| u32::from(i < 10)).collect();
        let by = Bootstrap { strata: Some(&strata), n_draws: 50, ..Bootstrap::default() };
        let share = |rows: &[usize]| Ok(rows.iter().filter(|&&i| i < 10).count() as f64 / rows.len() as f64);
        let interval = by.interval(100, share).unwrap();
        assert!((interval.lower - 0.1).abs() < 1e-15 && (interval.upper - 0.1).abs() < 1e-15);
        let values: Vec<f64> = (0..3000).map(|i| f64::from(i % 61).powi(2)).collect();
        let at = |jackknife| {
            let by = Bootstrap { jackknife, n_draws: 300, ..Bootstrap::default() };
            by.interval(3000, mean_of(&values)).unwrap()
        };
        let (coarse, exact) = (at(100), at(3000));
        assert!((coarse.lower - exact.lower).abs() < 0.1 * (exact.upper - exact.lower));
    }

    #[test]
    fn odd_input_is_refused_or_defined() {
        let constant = Bootstrap::default().interval(5, |_| Ok(2.0)).unwrap();
        assert_eq!((constant.lower, constant.upper), (2.0, 2.0));
        let nan = Bootstrap::default().interval(5, |_| Ok(f64::NAN)).unwrap();
        assert!(nan.lower.is_nan());
        let one = Bootstrap::default().interval(1, |_| Ok(2.0)).unwrap();
        assert_eq!(one.lower, 2.0);
        assert!(Bootstrap { confidence: 1.0, ..Bootstrap::default() }.interval(5, |_| Ok(1.0)).is_err());
        assert!(Bootstrap { n_draws: 0, ..Bootstrap::default() }.interval(5, |_| Ok(1.0)).is_err());
        assert!(Bootstrap { jackknife: 1, ..Bootstrap::default() }.interval(5, |_| Ok(1.0)).is_err());
        assert!(Bootstrap { strata: Some(&[1]), ..Bootstrap::default() }.interval(5, |_| Ok(1.0)).is_err());
        assert!(Bootstrap::default().interval(0, |_| Ok(1.0)).is_err());
        let failing = |_: &[usize]| Err(Error::numeric("metric", "no"));
        assert!(Bootstrap::default().interval(5, failing).is_err());
        assert!(bca_interval(3.0, &[1.0, 2.0], &[], 0.9).unwrap().upper <= 2.0);
    }
}
