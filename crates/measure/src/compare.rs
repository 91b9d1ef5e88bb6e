//! Whether two models differ: paired tests. All p-values are two-sided.

use crate::check::same_length;
use crate::intervals::moments;
use crate::tails::{chi2_1_tail, f_tail, t_two_sided};
use mercer_core::{Error, Result};
use mercer_math::special::{erfc, incomplete_beta};

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
    same_length("scores of the second model", first.len(), second.len())?;
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

/// A statistic with its p-value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Test {
    /// The statistic.
    pub statistic: f64,
    /// The two-sided p-value.
    pub p_value: f64,
}

/// McNemar's exact test (1947): of the rows on which one model is right and the other wrong, `only_first` are the
/// first's. Under equal models each is a fair coin. The statistic is the smaller count; without such rows p = 1.
pub fn mcnemar_exact(only_first: u64, only_second: u64) -> Test {
    let (small, n) = (only_first.min(only_second) as f64, only_first as f64 + only_second as f64);
    // P(X <= small) of a binomial is an incomplete beta function.
    let tail = if small >= n { 1.0 } else { incomplete_beta(n - small, small + 1.0, 0.5) };
    Test { statistic: small, p_value: (2.0 * tail).min(1.0) }
}

/// McNemar's test by the chi-squared approximation with Edwards' continuity correction, for many such rows;
/// without any, 0 and p = 1.
pub fn mcnemar_chi2(only_first: u64, only_second: u64) -> Test {
    let (a, b) = (only_first as f64, only_second as f64);
    if a + b == 0.0 {
        return Test { statistic: 0.0, p_value: 1.0 };
    }
    let statistic = ((a - b).abs() - 1.0).max(0.0).powi(2) / (a + b);
    Test { statistic, p_value: chi2_1_tail(statistic) }
}

/// Numbers of rows that only the first, and only the second, of two models predicts right.
pub fn discordant(truth: &[u32], first: &[u32], second: &[u32]) -> Result<(u64, u64)> {
    same_length("predictions of the first model", truth.len(), first.len())?;
    same_length("predictions of the second model", truth.len(), second.len())?;
    let (mut only_first, mut only_second) = (0, 0);
    for ((t, a), b) in truth.iter().zip(first).zip(second) {
        only_first += u64::from(a == t && b != t);
        only_second += u64::from(a != t && b == t);
    }
    Ok((only_first, only_second))
}

/// More differences than this, or ties among them, are tested by the normal approximation.
const MOST_EXACT: usize = 50;

/// Wilcoxon's signed-rank test (1945, doi:10.2307/3001968) of paired scores, say of two models on many data sets.
///
/// Equal pairs are left out (Wilcoxon's own rule). Exact for up to 50 differences without ties in size; else the
/// normal approximation with the correction for ties, without one for continuity. The statistic is the smaller
/// rank sum; without differences it is 0 and p = 1. NaN differences are refused.
pub fn wilcoxon(first: &[f64], second: &[f64]) -> Result<Test> {
    same_length("scores of the second model", first.len(), second.len())?;
    let mut differences: Vec<f64> = first.iter().zip(second).map(|(a, b)| a - b).collect();
    if let Some(pair) = differences.iter().position(|d| d.is_nan()) {
        return Err(Error::numeric("wilcoxon", format!("the difference of pair {pair} is NaN")));
    }
    differences.retain(|d| *d != 0.0);
    differences.sort_unstable_by(|a, b| a.abs().total_cmp(&b.abs()));
    let n = differences.len();
    if n == 0 {
        return Ok(Test { statistic: 0.0, p_value: 1.0 });
    }
    let (mut positive, mut ties, mut before) = (0.0, 0.0, 0usize);
    for run in differences.chunk_by(|a, b| a.abs() == b.abs()) {
        let size = run.len() as f64;
        let rank = before as f64 + (size + 1.0) / 2.0;
        positive += rank * run.iter().filter(|d| **d > 0.0).count() as f64;
        ties += size * size * size - size;
        before += run.len();
    }
    let size = n as f64;
    let total = size * (size + 1.0) / 2.0;
    let statistic = positive.min(total - positive);
    if ties == 0.0 && n <= MOST_EXACT {
        return Ok(Test { statistic, p_value: rank_sum_tail(n, statistic as usize) });
    }
    let variance = size * (size + 1.0) * (2.0 * size + 1.0) / 24.0 - ties / 48.0;
    let z = (statistic - total / 2.0) / variance.sqrt();
    Ok(Test { statistic, p_value: erfc(z.abs() / std::f64::consts::SQRT_2) })
}

/// Twice the chance that the positive ranks of `n` fair signs add up to at most `most`, exact below 2^53.
fn rank_sum_tail(n: usize, most: usize) -> f64 {
    let mut ways = vec![0.0; most + 1];
    ways[0] = 1.0;
    for rank in 1..=n.min(most) {
        for sum in (rank..=most).rev() {
            ways[sum] += ways[sum - rank];
        }
    }
    (2.0 * ways.iter().sum::<f64>() / 2f64.powi(n as i32)).min(1.0)
}

/// Differences of two models' scores in five rounds of two-fold cross validation: one pair a round.
fn five_by_two(differences: &[[f64; 2]]) -> Result<(f64, f64)> {
    if differences.len() != 5 {
        return Err(Error::shape("rounds of 5x2 cross validation", 5, differences.len()));
    }
    let variance = |[a, b]: &[f64; 2]| {
        let mean = (a + b) / 2.0;
        (a - mean).powi(2) + (b - mean).powi(2)
    };
    let squares = differences.iter().flatten().map(|d| d * d).sum();
    Ok((squares, differences.iter().map(variance).sum()))
}

/// Dietterich's 5x2cv paired t-test (1998, doi:10.1162/089976698300017197): `differences[i]` are first minus second
/// model on both folds of round `i`; five degrees of freedom.
///
/// No difference at all gives t = 0 and p = 1; differences without variance an infinite t and p = 0.
pub fn five_by_two_t(differences: &[[f64; 2]]) -> Result<Test> {
    let (squares, variances) = five_by_two(differences)?;
    if squares == 0.0 {
        return Ok(Test { statistic: 0.0, p_value: 1.0 });
    }
    let statistic = differences[0][0] / (variances / 5.0).sqrt();
    // 0 / 0: the first difference is 0 and so is the variance.
    let statistic = if statistic.is_nan() && variances == 0.0 { 0.0 } else { statistic };
    Ok(Test { statistic, p_value: t_two_sided(statistic, 5.0) })
}

/// Alpaydin's combined 5x2cv F-test (1999, doi:10.1162/089976699300016007), which uses all ten differences: ten and
/// five degrees of freedom. No difference at all gives 0 and p = 1.
pub fn five_by_two_f(differences: &[[f64; 2]]) -> Result<Test> {
    let (squares, variances) = five_by_two(differences)?;
    if squares == 0.0 {
        return Ok(Test { statistic: 0.0, p_value: 1.0 });
    }
    let statistic = squares / (2.0 * variances);
    Ok(Test { statistic, p_value: f_tail(statistic, 10.0, 5.0) })
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
        assert_eq!(wilcoxon(&[1.0], &[1.0]).unwrap(), Test { statistic: 0.0, p_value: 1.0 });
        assert_eq!(wilcoxon(&[], &[]).unwrap().p_value, 1.0);
        assert!(wilcoxon(&[f64::NAN], &[1.0]).is_err() && wilcoxon(&[], &[1.0]).is_err());
        assert_eq!((mcnemar_exact(0, 0).p_value, mcnemar_chi2(0, 0).p_value), (1.0, 1.0));
        assert_eq!(mcnemar_exact(4, 4).p_value, 1.0);
        assert_eq!(five_by_two_t(&[[0.0; 2]; 5]).unwrap().p_value, 1.0);
        assert_eq!(five_by_two_t(&[[0.1; 2]; 5]).unwrap().p_value, 0.0);
        assert_eq!(five_by_two_f(&[[0.1; 2]; 5]).unwrap().p_value, 0.0);
        assert!(five_by_two_f(&[[0.1; 2]; 4]).is_err());
    }

    #[test]
    fn discordant_rows_are_counted() {
        assert_eq!(discordant(&[0, 1, 1, 0], &[0, 1, 0, 1], &[1, 1, 1, 1]).unwrap(), (1, 1));
        assert!(discordant(&[0], &[0], &[]).is_err());
        // Five coins all heads: 2 / 32.
        assert!((mcnemar_exact(5, 0).p_value - 0.0625).abs() < 1e-15);
        // Three positive differences: the smaller sum is 0, one way of eight.
        assert_eq!(wilcoxon(&[1.0, 2.0, 3.5], &[0.0; 3]).unwrap().p_value, 0.25);
    }
}
