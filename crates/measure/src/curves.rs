//! What a threshold on a score trades: ROC, precision and recall, calibration.

use crate::check::{self, mean, ratio, weight};
use mercer_core::{Error, Result};
use mercer_math::MatRef;

/// Weights of true and false positives at each distinct score taken as threshold, from the highest down.
struct Steps {
    thresholds: Vec<f64>,
    true_positive: Vec<f64>,
    false_positive: Vec<f64>,
}

impl Steps {
    fn new(metric: &str, truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<Self> {
        check::lengths(truth.len(), scores.len(), weights)?;
        check::ordered(metric, scores)?;
        let mut order: Vec<usize> = (0..scores.len()).filter(|&i| weight(weights, i) != 0.0).collect();
        order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]));
        let (mut tp, mut fp) = (check::Sum::default(), check::Sum::default());
        let mut steps = Self { thresholds: vec![], true_positive: vec![], false_positive: vec![] };
        for (place, &i) in order.iter().enumerate() {
            if truth[i] {
                tp.add(weight(weights, i))
            } else {
                fp.add(weight(weights, i))
            }
            // Rows with the same score cannot be told apart: they make one step.
            if order.get(place + 1).is_none_or(|&next| scores[next] != scores[i]) {
                steps.thresholds.push(scores[i]);
                steps.true_positive.push(tp.value());
                steps.false_positive.push(fp.value());
            }
        }
        Ok(steps)
    }

    fn positives(&self) -> f64 {
        self.true_positive.last().copied().unwrap_or(0.0)
    }

    fn negatives(&self) -> f64 {
        self.false_positive.last().copied().unwrap_or(0.0)
    }
}

/// The receiver operating characteristic: one point a threshold, from "nothing is positive" to "everything is".
#[derive(Clone, Debug, PartialEq)]
pub struct RocCurve {
    /// Rows with at least this score are called positive; the first is infinite.
    pub thresholds: Vec<f64>,
    /// Share of the negatives called positive; NaN without negatives.
    pub false_positive_rate: Vec<f64>,
    /// Share of the positives called positive; NaN without positives.
    pub true_positive_rate: Vec<f64>,
}

impl RocCurve {
    /// The area under the curve, by trapezia: ties count a half. NaN when a class is absent.
    pub fn area(&self) -> f64 {
        let (x, y) = (&self.false_positive_rate, &self.true_positive_rate);
        let area = |i: usize| (x[i] - x[i - 1]) * (y[i] + y[i - 1]) / 2.0;
        let mut sum = check::Sum::default();
        (1..x.len()).for_each(|i| sum.add(area(i)));
        if x.len() < 2 { f64::NAN } else { sum.value() }
    }
}

/// The ROC curve of a score; every distinct score is a threshold.
pub fn roc_curve(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<RocCurve> {
    let steps = Steps::new("the ROC curve", truth, scores, weights)?;
    let (positives, negatives) = (steps.positives(), steps.negatives());
    let rate = |counts: &[f64], total: f64| {
        let start = if total == 0.0 { f64::NAN } else { 0.0 };
        std::iter::once(start).chain(counts.iter().map(|c| c / total)).collect()
    };
    Ok(RocCurve {
        thresholds: std::iter::once(f64::INFINITY).chain(steps.thresholds).collect(),
        false_positive_rate: rate(&steps.false_positive, negatives),
        true_positive_rate: rate(&steps.true_positive, positives),
    })
}

/// The area under the ROC curve: the chance that a positive scores above a negative. NaN when a class is absent.
///
/// # Example
/// ```
/// let truth = [false, false, true, true];
/// assert_eq!(mercer_measure::roc_auc(&truth, &[0.1, 0.4, 0.35, 0.8], None)?, 0.75);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn roc_auc(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    Ok(roc_curve(truth, scores, weights)?.area())
}

/// The mean over classes of the AUC of each against the rest; classes that are absent, or alone, do not count.
pub fn roc_auc_one_vs_rest(truth: &[u32], scores: MatRef<'_>, weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), scores.n_rows(), weights)?;
    check::codes("truth", truth, scores.n_cols())?;
    let (mut sum, mut n) = (0.0, 0.0);
    for class in 0..scores.n_cols() {
        let positive: Vec<bool> = truth.iter().map(|&t| t as usize == class).collect();
        let area = roc_auc(&positive, &scores.col_cow(class), weights)?;
        if !area.is_nan() {
            sum += area;
            n += 1.0;
        }
    }
    Ok(sum / n)
}

/// Precision against recall: one point a threshold, from the highest down.
#[derive(Clone, Debug, PartialEq)]
pub struct PrecisionRecallCurve {
    /// Rows with at least this score are called positive; the first is infinite.
    pub thresholds: Vec<f64>,
    /// Share of the rows called positive that are; 1 at the first point by convention.
    pub precision: Vec<f64>,
    /// Share of the positives called positive; 1 at all but the first point where there are none, as in scikit-learn.
    pub recall: Vec<f64>,
}

impl PrecisionRecallCurve {
    /// Average precision: precision weighted by the gain in recall, without interpolation.
    pub fn average_precision(&self) -> f64 {
        let mut sum = check::Sum::default();
        for i in 1..self.recall.len() {
            sum.add((self.recall[i] - self.recall[i - 1]) * self.precision[i]);
        }
        if self.recall.len() < 2 { f64::NAN } else { sum.value() }
    }

    /// The value at which precision equals recall, linear between thresholds; NaN on an empty curve.
    pub fn break_even_point(&self) -> f64 {
        let gap = |i: usize| self.precision[i] - self.recall[i];
        for i in 1..self.recall.len() {
            if gap(i) <= 0.0 {
                let (before, after) = (gap(i - 1), gap(i));
                let share = ratio(before, before - after);
                return self.recall[i - 1] + share * (self.recall[i] - self.recall[i - 1]);
            }
        }
        // Everything is positive: precision reaches recall only at the end.
        self.recall.last().filter(|_| self.recall.len() > 1).map_or(f64::NAN, |&r| r)
    }
}

/// The precision-recall curve of a score.
pub fn precision_recall_curve(
    truth: &[bool],
    scores: &[f64],
    weights: Option<&[f64]>,
) -> Result<PrecisionRecallCurve> {
    let steps = Steps::new("the precision-recall curve", truth, scores, weights)?;
    let positives = steps.positives();
    let pairs = || steps.true_positive.iter().zip(&steps.false_positive);
    let precision = std::iter::once(1.0).chain(pairs().map(|(&t, &f)| ratio(t, t + f))).collect();
    let recall_at = |t: f64| if positives == 0.0 { 1.0 } else { t / positives };
    let recall = std::iter::once(0.0).chain(steps.true_positive.iter().map(|&t| recall_at(t))).collect();
    let thresholds = std::iter::once(f64::INFINITY).chain(steps.thresholds).collect();
    Ok(PrecisionRecallCurve { thresholds, precision, recall })
}

/// Average precision of a score: the area under the precision-recall steps. 0 without positives.
pub fn average_precision(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    Ok(precision_recall_curve(truth, scores, weights)?.average_precision())
}

/// How bins of predicted probabilities are cut.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Binning {
    /// Equal widths over [0, 1].
    #[default]
    Uniform,
    /// About equal numbers of rows.
    Quantile,
}

/// One bin of a calibration curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CalibrationBin {
    /// Lower edge.
    pub lower: f64,
    /// Upper edge, inclusive.
    pub upper: f64,
    /// Mean predicted probability of the rows in the bin.
    pub predicted: f64,
    /// Share of positives among them.
    pub observed: f64,
    /// Their weight.
    pub weight: f64,
}

/// Predicted against observed frequency, by bins of the prediction; empty bins are left out.
pub fn calibration_curve(
    truth: &[bool],
    probabilities: &[f64],
    n_bins: usize,
    binning: Binning,
    weights: Option<&[f64]>,
) -> Result<Vec<CalibrationBin>> {
    check::lengths(truth.len(), probabilities.len(), weights)?;
    if n_bins == 0 {
        return Err(Error::param("calibration_curve", "n_bins", "at least 1", 0));
    }
    if let Some(row) = probabilities.iter().position(|p| !(0.0..=1.0).contains(p)) {
        let reason = format!("the probability of row {row} is {}, outside [0, 1]", probabilities[row]);
        return Err(Error::numeric("calibration_curve", reason));
    }
    let edges = bin_edges(probabilities, n_bins, binning);
    let inner = &edges[1..n_bins];
    let mut bins = vec![[0.0; 3]; n_bins];
    for (i, &p) in probabilities.iter().enumerate() {
        let w = weight(weights, i);
        let bin = &mut bins[inner.partition_point(|&edge| edge < p)];
        bin[0] += w;
        bin[1] += w * p;
        bin[2] += w * f64::from(truth[i]);
    }
    let filled = bins.iter().enumerate().filter(|(_, bin)| bin[0] > 0.0);
    let bin = |(b, &[weight, p, y]): (usize, &[f64; 3])| CalibrationBin {
        lower: edges[b],
        upper: edges[b + 1],
        predicted: p / weight,
        observed: y / weight,
        weight,
    };
    Ok(filled.map(bin).collect())
}

fn bin_edges(probabilities: &[f64], n_bins: usize, binning: Binning) -> Vec<f64> {
    let share = |b: usize| b as f64 / n_bins as f64;
    if binning == Binning::Uniform || probabilities.is_empty() {
        return (0..=n_bins).map(share).collect();
    }
    let mut sorted = probabilities.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    (0..=n_bins).map(|b| crate::intervals::quantile(&sorted, share(b))).collect()
}

/// The expected calibration error: the mean over rows of |predicted - observed| of their bin. NaN without rows.
pub fn expected_calibration_error(bins: &[CalibrationBin]) -> f64 {
    let weights: Vec<f64> = bins.iter().map(|b| b.weight).collect();
    mean(bins.len(), Some(&weights), |b| (bins[b].predicted - bins[b].observed).abs())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_has_no_area() {
        assert!(roc_auc(&[true, true], &[0.1, 0.2], None).unwrap().is_nan());
        assert!(roc_auc(&[false], &[0.1], None).unwrap().is_nan());
        assert!(roc_auc(&[], &[], None).unwrap().is_nan());
        assert_eq!(average_precision(&[false, false], &[0.1, 0.2], None).unwrap(), 0.0);
        assert!(average_precision(&[], &[], None).unwrap().is_nan());
    }

    #[test]
    fn constant_scores_are_chance_and_nan_is_refused() {
        assert_eq!(roc_auc(&[true, false, true], &[1.0; 3], None).unwrap(), 0.5);
        assert!(roc_auc(&[true], &[f64::NAN], None).unwrap_err().to_string().contains("row 0"));
        assert_eq!(roc_auc(&[true, false], &[f64::INFINITY, f64::NEG_INFINITY], None).unwrap(), 1.0);
        assert_eq!(roc_auc(&[true, false], &[0.0, -0.0], None).unwrap(), 0.5);
    }

    #[test]
    fn precision_equals_recall_at_the_break_even_point() {
        // Two positives among the two highest scores of four, one wrong: precision = recall = 1/2 at rank 2.
        let curve = precision_recall_curve(&[true, false, true, false], &[4.0, 3.0, 2.0, 1.0], None).unwrap();
        assert_eq!(curve.break_even_point(), 0.5);
        let all = precision_recall_curve(&[true, true], &[2.0, 1.0], None).unwrap();
        assert_eq!(all.break_even_point(), 1.0);
        let worst = precision_recall_curve(&[false, false, true], &[3.0, 2.0, 1.0], None).unwrap();
        assert_eq!(worst.break_even_point(), 0.0);
    }

    #[test]
    fn calibrated_predictions_have_no_error() {
        let bins =
            calibration_curve(&[true, false, true, true], &[0.5, 0.5, 1.0, 1.0], 4, Binning::Uniform, None)
                .unwrap();
        assert_eq!(bins.len(), 2);
        assert_eq!(expected_calibration_error(&bins), 0.0);
        assert!(calibration_curve(&[true], &[1.5], 4, Binning::Uniform, None).is_err());
        assert!(calibration_curve(&[true], &[0.5], 0, Binning::Uniform, None).is_err());
    }
}
