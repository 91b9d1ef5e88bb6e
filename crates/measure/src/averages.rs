//! Precision, recall, F measures and Jaccard from counts of hits and misses, one class at a time or averaged.
//!
//! All are made of [`Counts`], which come from class codes or from the 0/1 columns of a multilabel target, so that
//! both share one arithmetic. What has nothing to divide by is 0, scikit-learn's `zero_division=0`.

use crate::check::{self, ratio};
use mercer_core::{Error, Result};
use mercer_math::{MatRef, Weights};

/// How the classes' values become one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Average {
    /// The second of two classes; the macro average where there are not two.
    #[default]
    Positive,
    /// One value from the counts of all classes added up.
    Micro,
    /// The mean over all `n_classes`, also those without rows: every class counts the same.
    Macro,
    /// The mean over classes by the weight of their rows; 0 without rows.
    Weighted,
}

/// Weights of hits and misses of every class.
#[derive(Clone, Debug, PartialEq)]
pub struct Counts {
    /// Rows of the class that are predicted to be.
    pub true_positive: Vec<f64>,
    /// Rows of other classes predicted to be of the class.
    pub false_positive: Vec<f64>,
    /// Rows of the class predicted to be of another.
    pub false_negative: Vec<f64>,
    /// All rows.
    pub total: f64,
}

impl Counts {
    /// Counts of class codes below `n_classes`.
    pub fn of_classes(
        truth: &[u32],
        predicted: &[u32],
        n_classes: usize,
        weights: Option<&[f64]>,
    ) -> Result<Self> {
        check::lengths(truth.len(), predicted.len(), weights)?;
        check::codes("truth", truth, n_classes)?;
        check::codes("predictions", predicted, n_classes)?;
        let mut counts = Self::zeros(n_classes);
        for (i, (&t, &p)) in truth.iter().zip(predicted).enumerate() {
            let (w, t, p) = (Weights::from(weights)[i], t as usize, p as usize);
            counts.total += w;
            if t == p {
                counts.true_positive[t] += w;
            } else {
                counts.false_negative[t] += w;
                counts.false_positive[p] += w;
            }
        }
        Ok(counts)
    }

    /// Counts of indicator matrices, a column a label; entries other than 0 count as set.
    pub fn of_labels(truth: MatRef<'_>, predicted: MatRef<'_>, weights: Option<&[f64]>) -> Result<Self> {
        crate::multilabel::same_shape(truth, predicted, weights)?;
        let mut counts = Self::zeros(truth.n_cols());
        for i in 0..truth.n_rows() {
            let w = Weights::from(weights)[i];
            counts.total += w;
            for label in 0..truth.n_cols() {
                let to = match (truth.get(i, label) != 0.0, predicted.get(i, label) != 0.0) {
                    (true, true) => &mut counts.true_positive,
                    (true, false) => &mut counts.false_negative,
                    (false, true) => &mut counts.false_positive,
                    (false, false) => continue,
                };
                to[label] += w;
            }
        }
        Ok(counts)
    }

    fn zeros(n: usize) -> Self {
        let zeros = || vec![0.0; n];
        Self { true_positive: zeros(), false_positive: zeros(), false_negative: zeros(), total: 0.0 }
    }

    /// Number of classes.
    pub fn n_classes(&self) -> usize {
        self.true_positive.len()
    }

    /// Weight of the rows of every class.
    pub fn support(&self) -> Vec<f64> {
        self.true_positive.iter().zip(&self.false_negative).map(|(t, f)| t + f).collect()
    }

    /// `of(hits, false alarms, misses)` of every class.
    pub fn each(&self, of: impl Fn(f64, f64, f64) -> f64) -> Vec<f64> {
        let (tp, fp, miss) = (&self.true_positive, &self.false_positive, &self.false_negative);
        (0..self.n_classes()).map(|c| of(tp[c], fp[c], miss[c])).collect()
    }

    fn average(&self, average: Average, of: impl Fn(f64, f64, f64) -> f64) -> f64 {
        let sum = |values: &[f64]| values.iter().sum::<f64>();
        match average {
            Average::Positive if self.n_classes() == 2 => {
                of(self.true_positive[1], self.false_positive[1], self.false_negative[1])
            }
            Average::Micro => {
                of(sum(&self.true_positive), sum(&self.false_positive), sum(&self.false_negative))
            }
            Average::Weighted => {
                let (values, support) = (self.each(of), self.support());
                let weighted: f64 = values.iter().zip(&support).map(|(v, s)| v * s).sum();
                ratio(weighted, sum(&support))
            }
            Average::Macro | Average::Positive => ratio(sum(&self.each(of)), self.n_classes() as f64),
        }
    }

    /// Of the rows predicted to be of the class, the share that is; 0 when none is predicted.
    pub fn precision(&self, average: Average) -> f64 {
        self.average(average, |tp, fp, _| ratio(tp, tp + fp))
    }

    /// Of the rows of the class, the share predicted to be; 0 when there is none.
    pub fn recall(&self, average: Average) -> f64 {
        self.average(average, |tp, _, miss| ratio(tp, tp + miss))
    }

    /// `F_beta = (1 + b²) TP / ((1 + b²) TP + b² FN + FP)`: recall counts `beta` times as much as precision.
    ///
    /// 0 when the class neither occurs nor is predicted. `beta` is not negative; infinity gives the recall.
    pub fn f_beta(&self, beta: f64, average: Average) -> Result<f64> {
        if beta.is_nan() || beta < 0.0 {
            return Err(Error::param("F_beta", "beta", "in [0, inf]", beta));
        }
        // a = 1 / (1 + b²): the same measure in the spelling of note 004, finite for any beta.
        self.f_alpha(1.0 / (1.0 + beta * beta), average)
    }

    /// Note 004's `F_alpha = TP / (alpha (TP + FP) + (1 - alpha) (TP + FN))` for `alpha` in [0, 1].
    ///
    /// 1 gives the precision, 0 the recall, ½ F1; `F_beta` is `alpha = 1 / (1 + beta²)`. 0 when nothing is to be
    /// divided by.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::{Average, Counts};
    /// let counts = Counts::of_classes(&[1, 1, 1, 0, 0], &[1, 1, 0, 1, 0], 2, None)?;
    /// // TP = 2, FP = 1, FN = 1
    /// assert_eq!(counts.f_alpha(0.25, Average::Positive)?, 2.0 / (0.25 * 3.0 + 0.75 * 3.0));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn f_alpha(&self, alpha: f64, average: Average) -> Result<f64> {
        if !(0.0..=1.0).contains(&alpha) {
            return Err(Error::param("F_alpha", "alpha", "in [0, 1]", alpha));
        }
        let of = |tp: f64, fp: f64, miss: f64| ratio(tp, tp + alpha * fp + (1.0 - alpha) * miss);
        Ok(self.average(average, of))
    }

    /// The harmonic mean of precision and recall; 0 when both are.
    pub fn f1(&self, average: Average) -> f64 {
        self.average(average, |tp, fp, miss| ratio(2.0 * tp, 2.0 * tp + fp + miss))
    }

    /// Jaccard's index: of the rows that are of the class or predicted to be, the share that is both.
    pub fn jaccard(&self, average: Average) -> f64 {
        self.average(average, |tp, fp, miss| ratio(tp, tp + fp + miss))
    }

    /// Recall of the second of two classes over its false-positive rate. NaN without rows of a class or without
    /// false positives.
    pub fn positive_likelihood_ratio(&self) -> f64 {
        let (sensitivity, fall_out) = self.rates_of_second();
        if fall_out == 0.0 { f64::NAN } else { sensitivity / fall_out }
    }

    /// The share of positives missed over the share of negatives recognised, of the second of two classes. NaN
    /// without rows of a class or without true negatives.
    pub fn negative_likelihood_ratio(&self) -> f64 {
        let (sensitivity, fall_out) = self.rates_of_second();
        if fall_out == 1.0 { f64::NAN } else { (1.0 - sensitivity) / (1.0 - fall_out) }
    }

    fn rates_of_second(&self) -> (f64, f64) {
        if self.n_classes() != 2 {
            return (f64::NAN, f64::NAN);
        }
        let (tp, fp, miss) = (self.true_positive[1], self.false_positive[1], self.false_negative[1]);
        let negatives = self.total - tp - miss;
        (tp / (tp + miss), fp / negatives)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn f_alpha_runs_from_recall_to_precision_through_f1() {
        let counts = Counts::of_classes(&[1, 1, 1, 1, 0, 0], &[1, 1, 0, 0, 1, 0], 2, None).unwrap();
        let f = |alpha| counts.f_alpha(alpha, Average::Positive).unwrap();
        assert_eq!(f(0.0), counts.recall(Average::Positive));
        assert_eq!(f(1.0), counts.precision(Average::Positive));
        assert_eq!(f(0.5), counts.f1(Average::Positive));
        // TP = 2, FP = 1, FN = 2: 2 / (0.3 · 3 + 0.7 · 4).
        assert!((f(0.3) - 2.0 / 3.7).abs() < 1e-15);
        assert_eq!(counts.f_beta(f64::INFINITY, Average::Positive).unwrap(), 0.5);
        assert!(
            counts.f_alpha(1.5, Average::Macro).is_err() && counts.f_alpha(f64::NAN, Average::Macro).is_err()
        );
        assert!(counts.f_beta(-1.0, Average::Macro).is_err());
    }

    #[test]
    fn nothing_is_divided_by_zero() {
        for average in [Average::Positive, Average::Micro, Average::Macro, Average::Weighted] {
            for counts in [
                Counts::of_classes(&[], &[], 0, None).unwrap(),
                Counts::of_classes(&[], &[], 2, None).unwrap(),
                Counts::of_classes(&[0, 0], &[1, 1], 2, Some(&[0.0, 0.0])).unwrap(),
            ] {
                assert_eq!(counts.precision(average), 0.0);
                assert_eq!(counts.f_alpha(0.3, average).unwrap(), 0.0);
                assert_eq!(counts.jaccard(average), 0.0);
                assert!(counts.positive_likelihood_ratio().is_nan());
            }
        }
        assert!(Counts::of_classes(&[2], &[0], 2, None).is_err());
    }
}
