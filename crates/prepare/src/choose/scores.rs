//! Scores of single features against a target: F tests, chi-squared, correlation; information is next door.
//!
//! Weights are counts of rows. Deviations are from a value of the column itself, so that a constant one is exactly so.

use super::base::numbers_of;
use super::information;
use super::selection::ColumnsOf;
use mercer_core::{Capabilities, Choice, Dataset, Result};
use mercer_math::Weights;
use mercer_math::special::{erfc, upper_gamma};
use mercer_measure::f_tail;
use rayon::prelude::*;

/// How a feature is scored against the target.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum ScoreFunction {
    /// F of the analysis of variance between the classes.
    FClassif,
    /// F of a linear regression on the feature alone.
    FRegression,
    /// Chi-squared between the classes and a feature that counts.
    Chi2,
    /// Mutual information with the classes, from nearest neighbours.
    MutualInfoClassif,
    /// Mutual information with a number, from nearest neighbours.
    MutualInfoRegression,
    /// Pearson's correlation.
    RRegression,
}

impl ScoreFunction {
    /// Whether it counts rows one by one, and so takes no weights.
    pub(crate) fn is_information(self) -> bool {
        matches!(self, ScoreFunction::MutualInfoClassif | ScoreFunction::MutualInfoRegression)
    }

    /// What a selection by this score takes: no weights where rows are counted, no negative values as counts.
    pub(crate) fn narrow(self, can: Capabilities) -> Capabilities {
        let (weights, nonnegative) = (!self.is_information(), self == ScoreFunction::Chi2);
        Capabilities { weights, nonnegative, ..can }
    }

    /// Whether it comes with p-values.
    pub(crate) fn has_pvalues(self) -> bool {
        matches!(self, ScoreFunction::FClassif | ScoreFunction::FRegression | ScoreFunction::Chi2)
    }
}

/// The scores of all features, and their p-values where there are any.
pub(crate) type Scores = (Vec<f64>, Option<Vec<f64>>);

/// Scores every feature of a data set.
pub(crate) fn scores(learner: &str, function: ScoreFunction, data: &Dataset<'_>) -> Result<Scores> {
    let numbers = data.numbers(learner)?;
    let columns = ColumnsOf::new(numbers.view());
    let target = data.need_target(learner)?;
    let weights = Weights::of(&data.weights()).to_vec(data.n_rows());
    let each = |of: &(dyn Fn(usize) -> (f64, f64) + Sync)| -> Scores {
        let (scores, pvalues) = (0..columns.n_cols()).into_par_iter().map(of).unzip();
        (scores, Some(pvalues))
    };
    Ok(match function {
        ScoreFunction::FClassif => {
            let classes = Classes::new(target.class()?, &weights);
            each(&|j| classes.f(&columns, j))
        }
        ScoreFunction::Chi2 => {
            let rows = data.rows(learner)?;
            crate::scale::columns::refuse(
                learner,
                &rows,
                Some(&weights),
                |v| v < 0.0,
                "chi2 takes counts, which are not negative",
            )?;
            let classes = Classes::new(target.class()?, &weights);
            each(&|j| classes.chi2(&columns, j))
        }
        ScoreFunction::FRegression | ScoreFunction::RRegression => {
            let y = numbers_of(learner, &target)?;
            let total: f64 = weights.iter().sum();
            let correlations: Vec<f64> = (0..columns.n_cols())
                .into_par_iter()
                .map(|j| correlation(&columns, j, &y, &weights))
                .collect();
            match function {
                ScoreFunction::RRegression => (correlations, None),
                _ => {
                    let (f, p) = correlations.iter().map(|&r| f_of(r, total - 2.0)).unzip();
                    (f, Some(p))
                }
            }
        }
        ScoreFunction::MutualInfoClassif => {
            let (codes, labels) = target.class()?;
            (information::with_classes(&columns, codes, labels.len()), None)
        }
        ScoreFunction::MutualInfoRegression => {
            (information::with_numbers(&columns, &numbers_of(learner, &target)?), None)
        }
    })
}

/// F of a correlation, and its p-value. A correlation of one has the largest F that there is, as in scikit-learn.
fn f_of(r: f64, freedom: f64) -> (f64, f64) {
    let f = r * r / (1.0 - r * r) * freedom;
    match f {
        f if f.is_infinite() => (f64::MAX, 0.0),
        f if f.is_nan() => (f, f64::NAN),
        f => (f, f_tail(f, 1.0, freedom)),
    }
}

/// Pearson's correlation; 0 where feature or target is constant.
fn correlation(columns: &ColumnsOf<'_>, j: usize, y: &[f64], weights: &[f64]) -> f64 {
    let x = columns.dense(j, y.len());
    let first = weights.iter().position(|w| *w > 0.0).unwrap_or(0);
    let total: f64 = weights.iter().sum();
    let mean = |v: &[f64]| {
        let o = v.get(first).copied().unwrap_or(0.0);
        o + v.iter().zip(weights).map(|(v, w)| w * (v - o)).sum::<f64>() / total
    };
    let (mx, my) = (mean(&x), mean(y));
    let (mut xy, mut xx, mut yy) = (0.0, 0.0, 0.0);
    for ((x, y), w) in x.iter().zip(y).zip(weights) {
        let (dx, dy) = (x - mx, y - my);
        xy += w * dx * dy;
        xx += w * dx * dx;
        yy += w * dy * dy;
    }
    let r = xy / (xx.sqrt() * yy.sqrt());
    if r.is_finite() { r.clamp(-1.0, 1.0) } else { 0.0 }
}

/// Rows by class, with the weight of each class.
struct Classes<'a> {
    codes: &'a [u32],
    weights: &'a [f64],
    sizes: Vec<f64>,
    total: f64,
}

impl<'a> Classes<'a> {
    fn new((codes, labels): (&'a [u32], &mercer_core::Labels), weights: &'a [f64]) -> Self {
        let mut sizes = vec![0.0; labels.len()];
        codes.iter().zip(weights).for_each(|(&c, w)| sizes[c as usize] += w);
        Self { codes, weights, total: sizes.iter().sum(), sizes }
    }

    /// The classes that have rows.
    fn present(&self) -> impl Iterator<Item = usize> + '_ {
        (0..self.sizes.len()).filter(|&c| self.sizes[c] > 0.0)
    }

    /// F = (spread between classes / (k − 1)) / (spread within classes / (n − k)), and its p-value.
    fn f(&self, columns: &ColumnsOf<'_>, j: usize) -> (f64, f64) {
        let k = self.sizes.len();
        let x = columns.dense(j, self.codes.len());
        let first = self.weights.iter().position(|w| *w > 0.0).unwrap_or(0);
        let origin = x.get(first).copied().unwrap_or(0.0);
        let mut means = vec![0.0; k];
        for (i, &c) in self.codes.iter().enumerate() {
            means[c as usize] += self.weights[i] * (x[i] - origin);
        }
        let mean = means.iter().sum::<f64>() / self.total;
        self.present().for_each(|c| means[c] /= self.sizes[c]);
        let between: f64 = self.present().map(|c| self.sizes[c] * (means[c] - mean).powi(2)).sum();
        let within: f64 = (self.codes.iter().enumerate())
            .map(|(i, &c)| self.weights[i] * (x[i] - origin - means[c as usize]).powi(2))
            .sum();
        let (a, b) = (self.present().count() as f64 - 1.0, self.total - self.present().count() as f64);
        let f = (between / a) / (within / b);
        (f, if f.is_nan() || b <= 0.0 || a <= 0.0 { f64::NAN } else { f_tail(f, a, b) })
    }

    /// Σ (observed − expected)² / expected over the classes, and its p-value.
    fn chi2(&self, columns: &ColumnsOf<'_>, j: usize) -> (f64, f64) {
        let mut observed = vec![0.0; self.sizes.len()];
        columns.each(j, |i, v| observed[self.codes[i] as usize] += self.weights[i] * v);
        let total: f64 = observed.iter().sum();
        let term = |c: usize| {
            let expected = self.sizes[c] / self.total * total;
            (observed[c] - expected).powi(2) / expected
        };
        let value: f64 = self.present().map(term).sum();
        (value, chi2_tail(value, self.present().count() as f64 - 1.0))
    }
}

/// The chance that a chi-squared variable with `df` degrees of freedom exceeds `x`; NaN without freedom.
pub(crate) fn chi2_tail(x: f64, df: f64) -> f64 {
    match df {
        _ if x.is_nan() || df <= 0.0 => f64::NAN,
        _ if x <= 0.0 => 1.0,
        1.0 => erfc((x / 2.0).sqrt()),
        _ => upper_gamma(df / 2.0, x / 2.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chi_squared_has_the_tails_of_the_tables() {
        // With two degrees of freedom the tail is e^(-x/2); with four, e^(-x/2) (1 + x/2).
        for x in [0.01, 0.5, 2.0, 7.0, 40.0, 300.0] {
            let (two, four) = ((-x / 2.0f64).exp(), (-x / 2.0f64).exp() * (1.0 + x / 2.0));
            assert!((chi2_tail(x, 2.0) - two).abs() <= 1e-13 * two, "{x}");
            assert!((chi2_tail(x, 4.0) - four).abs() <= 1e-12 * four, "{x}");
        }
        assert!((chi2_tail(3.841_458_820_694_124, 1.0) - 0.05).abs() < 1e-14);
    }
}
