//! How well classes are predicted.
//!
//! Classes are codes below `n_classes`. Over no rows, or no weight, a mean is NaN; a precision or recall with
//! nothing to divide by is 0.

use crate::Counts;
use crate::check::{self, mean, ratio};
use mercer_core::Result;
use mercer_math::{Mat, MatRef, Weights};

/// The share of rows whose class is predicted.
///
/// # Example
/// ```
/// assert_eq!(mercer_measure::accuracy(&[0, 1, 1, 2], &[0, 1, 2, 2], None)?, 0.75);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn accuracy(truth: &[u32], predicted: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| f64::from(truth[i] == predicted[i])))
}

/// The share of rows whose class is not predicted: the mean of the 0-1 loss, one minus the [`accuracy`].
pub fn error_rate(truth: &[u32], predicted: &[u32], weights: Option<&[f64]>) -> Result<f64> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    Ok(mean(truth.len(), weights, |i| f64::from(truth[i] != predicted[i])))
}

/// The class with the highest probability in a row: the first of equals.
pub(crate) fn most_probable(p: MatRef<'_>, i: usize) -> usize {
    (1..p.n_cols()).fold(0, |best, c| if p.get(i, c) > p.get(i, best) { c } else { best })
}

/// What the entries of a confusion matrix are divided by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Normalise {
    /// Nothing.
    #[default]
    Nothing,
    /// The weight of the true class: rows add up to 1, the diagonal is the recall.
    Truth,
    /// The weight of the predicted class: columns add up to 1, the diagonal is the precision.
    Predicted,
    /// The weight of all rows.
    All,
}

/// A confusion matrix divided as asked for; a row, column or matrix without weight stays 0.
pub fn normalise_confusion(confusion: &Mat, by: Normalise) -> Mat {
    let row = |i: usize| confusion.row(i).iter().sum::<f64>();
    let total = (0..confusion.n_rows()).map(row).sum::<f64>();
    let divisor = |i: usize, j: usize| match by {
        Normalise::Nothing => 1.0,
        Normalise::Truth => row(i),
        Normalise::Predicted => confusion.col(j).iter().sum(),
        Normalise::All => total,
    };
    Mat::from_fn(confusion.n_rows(), confusion.n_cols(), |i, j| ratio(confusion[(i, j)], divisor(i, j)))
}

/// Weight of rows by true class (row) and predicted class (column).
pub fn confusion_matrix(
    truth: &[u32],
    predicted: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<Mat> {
    check::lengths(truth.len(), predicted.len(), weights)?;
    check::codes("truth", truth, n_classes)?;
    check::codes("predictions", predicted, n_classes)?;
    let mut matrix = Mat::zeros(n_classes, n_classes);
    for (i, (&t, &p)) in truth.iter().zip(predicted).enumerate() {
        matrix[(t as usize, p as usize)] += Weights::from(weights)[i];
    }
    Ok(matrix)
}

/// The mean recall over the classes that occur in the truth; NaN when none does.
pub fn balanced_accuracy(
    truth: &[u32],
    predicted: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let scores = class_scores(truth, predicted, n_classes, weights)?;
    let present = || scores.support.iter().zip(&scores.recall).filter(|(s, _)| **s > 0.0);
    Ok(present().map(|(_, recall)| recall).sum::<f64>() / present().count() as f64)
}

/// Precision, recall and F1 of every class.
#[derive(Clone, Debug, PartialEq)]
pub struct ClassScores {
    /// Of the rows predicted to be of the class, the share that is; 0 when none is predicted.
    pub precision: Vec<f64>,
    /// Of the rows of the class, the share predicted to be; 0 when there is none.
    pub recall: Vec<f64>,
    /// The harmonic mean of precision and recall; 0 when both are.
    pub f1: Vec<f64>,
    /// Weight of the rows of the class.
    pub support: Vec<f64>,
}

/// Precision, recall and F1 averaged over classes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AverageScores {
    /// Mean precision.
    pub precision: f64,
    /// Mean recall.
    pub recall: f64,
    /// Mean F1.
    pub f1: f64,
}

impl ClassScores {
    /// The average in which every class counts the same.
    pub fn macro_average(&self) -> AverageScores {
        let n = self.support.len() as f64;
        let average = |values: &[f64]| ratio(values.iter().sum(), n);
        self.average(average)
    }

    /// The average in which a class counts by its rows; 0 without rows. See [`Counts`] for more averages.
    pub fn weighted_average(&self) -> AverageScores {
        let total: f64 = self.support.iter().sum();
        let average = |values: &[f64]| {
            ratio(values.iter().zip(&self.support).map(|(value, support)| value * support).sum(), total)
        };
        self.average(average)
    }

    fn average(&self, average: impl Fn(&[f64]) -> f64) -> AverageScores {
        let (precision, recall, f1) = (average(&self.precision), average(&self.recall), average(&self.f1));
        AverageScores { precision, recall, f1 }
    }
}

/// Precision, recall, F1 and support of every class.
///
/// # Example
/// ```
/// let scores = mercer_measure::class_scores(&[0, 0, 1, 1], &[0, 1, 1, 1], 2, None)?;
/// assert_eq!((scores.precision[0], scores.recall[0]), (1.0, 0.5));
/// assert_eq!(scores.f1[1], 0.8);
/// # Ok::<(), mercer_core::Error>(())
/// ```
pub fn class_scores(
    truth: &[u32],
    predicted: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<ClassScores> {
    let counts = Counts::of_classes(truth, predicted, n_classes, weights)?;
    let precision = counts.each(|tp, fp, _| ratio(tp, tp + fp));
    let recall = counts.each(|tp, _, miss| ratio(tp, tp + miss));
    let f1 = counts.each(|tp, fp, miss| ratio(2.0 * tp, 2.0 * tp + fp + miss));
    let support = counts.support();
    Ok(ClassScores { precision, recall, f1, support })
}

/// Matthews' correlation coefficient, for any number of classes; 0 when truth or prediction is constant.
///
/// J. Gorodkin. Comparing two K-category assignments by a K-category correlation coefficient. 2004.
pub fn matthews_correlation(
    truth: &[u32],
    predicted: &[u32],
    n_classes: usize,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let confusion = confusion_matrix(truth, predicted, n_classes, weights)?;
    let support: Vec<f64> = (0..n_classes).map(|c| confusion.row(c).iter().sum()).collect();
    let claimed: Vec<f64> = (0..n_classes).map(|c| confusion.col(c).iter().sum()).collect();
    let correct: f64 = (0..n_classes).map(|c| confusion[(c, c)]).sum();
    let total: f64 = support.iter().sum();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(x, y)| x * y).sum::<f64>();
    let covariance = correct * total - dot(&support, &claimed);
    let of_truth = total * total - dot(&support, &support);
    let of_predicted = total * total - dot(&claimed, &claimed);
    let product = of_truth * of_predicted;
    // Rounding leaves crumbs of a variance that is zero.
    let constant = product <= (1e-14 * total * total).powi(2) || !product.is_finite();
    Ok(if constant { 0.0 } else { covariance / product.sqrt() })
}

/// What a disagreement costs in Cohen's kappa.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum KappaWeights {
    /// The same for any two classes.
    #[default]
    Unweighted,
    /// The distance of the codes: for classes in an order.
    Linear,
    /// Its square.
    Quadratic,
}

/// Cohen's kappa (1960, doi:10.1177/001316446002000104): agreement beyond chance, 1 when perfect, 0 by chance.
///
/// NaN without rows, and where chance cannot disagree: truth and prediction are one and the same class throughout.
pub fn cohen_kappa(
    truth: &[u32],
    predicted: &[u32],
    n_classes: usize,
    cost: KappaWeights,
    weights: Option<&[f64]>,
) -> Result<f64> {
    let confusion = confusion_matrix(truth, predicted, n_classes, weights)?;
    let of_truth: Vec<f64> = (0..n_classes).map(|c| confusion.row(c).iter().sum()).collect();
    let of_predicted: Vec<f64> = (0..n_classes).map(|c| confusion.col(c).iter().sum()).collect();
    let total: f64 = of_truth.iter().sum();
    let (mut seen, mut expected) = (0.0, 0.0);
    for (i, by_truth) in of_truth.iter().enumerate() {
        for (j, by_predicted) in of_predicted.iter().enumerate() {
            let distance = i.abs_diff(j) as f64;
            let cost = match cost {
                KappaWeights::Unweighted => f64::from(i != j),
                KappaWeights::Linear => distance,
                KappaWeights::Quadratic => distance * distance,
            };
            seen += cost * confusion[(i, j)];
            expected += cost * by_truth * by_predicted / total;
        }
    }
    Ok(1.0 - seen / expected)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_divided_by_zero() {
        let scores = class_scores(&[0, 0], &[1, 1], 3, None).unwrap();
        assert_eq!((&scores.precision, &scores.recall), (&vec![0.0; 3], &vec![0.0; 3]));
        assert!(accuracy(&[], &[], None).unwrap().is_nan());
        assert!(balanced_accuracy(&[], &[], 2, None).unwrap().is_nan());
        assert_eq!(matthews_correlation(&[0, 0], &[0, 1], 2, None).unwrap(), 0.0);
        assert_eq!(class_scores(&[], &[], 0, None).unwrap().macro_average().f1, 0.0);
        assert!(accuracy(&[1], &[1], Some(&[0.0])).unwrap().is_nan());
    }

    #[test]
    fn sizes_and_codes_are_checked() {
        assert!(accuracy(&[0], &[0, 1], None).unwrap_err().to_string().contains("predictions"));
        assert!(accuracy(&[0], &[0], Some(&[])).unwrap_err().to_string().contains("weights"));
        assert!(confusion_matrix(&[3], &[0], 2, None).unwrap_err().to_string().contains("code 3"));
        let p = MatRef::row_major(&[1.0, 0.0], 1, 2).unwrap();
        assert!(crate::log_loss(&[2], p, None).is_err() && crate::brier_score(&[0, 0], p, None).is_err());
    }

    #[test]
    fn confusion_is_normalised_without_dividing_by_zero() {
        let confusion = confusion_matrix(&[0, 0, 1], &[0, 1, 1], 3, None).unwrap();
        let by = |by| normalise_confusion(&confusion, by).into_vec();
        assert_eq!(by(Normalise::Truth), [0.5, 0.5, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(by(Normalise::Predicted), [1.0, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0]);
        assert_eq!(by(Normalise::All).iter().sum::<f64>(), 1.0);
        assert_eq!(error_rate(&[0, 1], &[0, 0], None).unwrap(), 0.5);
        assert!(cohen_kappa(&[1, 1], &[1, 1], 2, KappaWeights::Unweighted, None).unwrap().is_nan());
        assert!(cohen_kappa(&[], &[], 2, KappaWeights::Linear, None).unwrap().is_nan());
    }

    #[test]
    fn a_weight_of_two_is_two_copies() {
        let (t, p) = ([0, 1, 2, 2, 1], [0, 2, 2, 1, 1]);
        let (tt, pp) = ([0, 1, 1, 2, 2, 1], [0, 2, 2, 2, 1, 1]);
        let w = [1.0, 2.0, 1.0, 1.0, 1.0];
        assert_eq!(class_scores(&t, &p, 3, Some(&w)).unwrap(), class_scores(&tt, &pp, 3, None).unwrap());
    }
}
