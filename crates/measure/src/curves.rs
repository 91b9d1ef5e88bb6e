//! What a threshold on a score trades: the ROC curve, precision and recall, and which of two curves is better.

use crate::auc::sort_key;
use crate::check::{self, ratio};
use mercer_core::{Error, Result};
use mercer_math::Weights;

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
        let rows = (0..scores.len()).filter(|&i| Weights::from(weights)[i] != 0.0);
        let mut order: Vec<(u64, usize)> = rows.map(|i| (!sort_key(scores[i]), i)).collect();
        order.sort_unstable();
        let (mut tp, mut fp) = (check::Sum::default(), check::Sum::default());
        let mut steps = Self { thresholds: vec![], true_positive: vec![], false_positive: vec![] };
        for (place, &(key, i)) in order.iter().enumerate() {
            if truth[i] {
                tp.add(Weights::from(weights)[i])
            } else {
                fp.add(Weights::from(weights)[i])
            }
            // Rows with the same score cannot be told apart: they make one step.
            if order.get(place + 1).is_none_or(|&(next, _)| next != key) {
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

/// Which of two curves encloses the other: the one that does is the better classifier at every threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Enclosure {
    /// The first is nowhere below the second, and somewhere above.
    First,
    /// The second is nowhere below the first, and somewhere above.
    Second,
    /// They are the same curve.
    Same,
    /// They cross: compare areas, or the break-even points.
    Neither,
}

/// Where curves differ by less, they touch.
const TOUCH: f64 = 1e-12;

/// Heights of a curve with rising `x` where it arrives at and leaves `at`, which lies within it.
fn heights(x: &[f64], y: &[f64], at: f64) -> (f64, f64) {
    let (first, after) = (x.partition_point(|&v| v < at), x.partition_point(|&v| v <= at));
    if first < after {
        return (y[first], y[after - 1]);
    }
    if first == 0 || first == x.len() {
        let end = y[first.min(x.len() - 1)];
        return (end, end);
    }
    let share = (at - x[first - 1]) / (x[first] - x[first - 1]);
    let height = y[first - 1] + share * (y[first] - y[first - 1]);
    (height, height)
}

/// Both curves are straight between the abscissae of either, so comparing there compares everywhere.
fn enclosure(first: (&[f64], &[f64]), second: (&[f64], &[f64])) -> Result<Enclosure> {
    let curves = [first.0, first.1, second.0, second.1];
    if curves.iter().any(|values| values.is_empty() || values.iter().any(|v| v.is_nan())) {
        return Err(Error::numeric("comparing two curves", "one of them lacks a class"));
    }
    let (mut above, mut under) = (false, false);
    for &at in first.0.iter().chain(second.0) {
        let (a, b) = (heights(first.0, first.1, at), heights(second.0, second.1, at));
        for gap in [a.0 - b.0, a.1 - b.1] {
            above |= gap > TOUCH;
            under |= gap < -TOUCH;
        }
    }
    Ok(match (above, under) {
        (true, false) => Enclosure::First,
        (false, true) => Enclosure::Second,
        (false, false) => Enclosure::Same,
        (true, true) => Enclosure::Neither,
    })
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

    /// Which of two ROC curves encloses the other, tied scores joined by a straight line. An error when a curve lacks
    /// a class.
    pub fn versus(&self, other: &RocCurve) -> Result<Enclosure> {
        enclosure(
            (&self.false_positive_rate, &self.true_positive_rate),
            (&other.false_positive_rate, &other.true_positive_rate),
        )
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

    /// Which of two precision-recall curves encloses the other, points joined by straight lines.
    pub fn versus(&self, other: &PrecisionRecallCurve) -> Result<Enclosure> {
        enclosure((&self.recall, &self.precision), (&other.recall, &other.precision))
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

/// The break-even point of a score: precision where it equals recall. NaN without rows.
pub fn break_even_point(truth: &[bool], scores: &[f64], weights: Option<&[f64]>) -> Result<f64> {
    Ok(precision_recall_curve(truth, scores, weights)?.break_even_point())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_class_is_defined() {
        let roc = roc_curve(&[true, true], &[0.1, 0.2], None).unwrap();
        assert!(roc.area().is_nan() && roc.versus(&roc).is_err());
        assert!(roc_curve(&[true], &[f64::NAN], None).unwrap_err().to_string().contains("row 0"));
        assert_eq!(average_precision(&[false, false], &[0.1, 0.2], None).unwrap(), 0.0);
        assert!(average_precision(&[], &[], None).unwrap().is_nan());
        assert!(break_even_point(&[], &[], None).unwrap().is_nan());
    }

    #[test]
    fn enclosing_curves_are_told_from_crossing_ones() {
        let truth = [true, true, false, false];
        let roc = |scores: [f64; 4]| roc_curve(&truth, &scores, None).unwrap();
        let pr = |scores: [f64; 4]| precision_recall_curve(&truth, &scores, None).unwrap();
        let perfect = [4.0, 3.0, 2.0, 1.0];
        let one_swap = [4.0, 2.0, 3.0, 1.0];
        let tied = [1.0; 4];
        let crossing = ([4.0, 1.0, 3.0, 2.0], [3.0, 2.0, 4.0, 1.0]);
        for (first, second, expected) in [
            (perfect, one_swap, Enclosure::First),
            (tied, perfect, Enclosure::Second),
            (one_swap, one_swap, Enclosure::Same),
            (crossing.0, crossing.1, Enclosure::Neither),
        ] {
            assert_eq!(roc(first).versus(&roc(second)).unwrap(), expected);
            assert_eq!(pr(first).versus(&pr(second)).unwrap(), expected);
        }
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
}
