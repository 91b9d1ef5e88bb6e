//! Metrics, splits and intervals: pure functions of slices, without a learner in sight.
//!
//! Classes are `u32` codes below `n_classes`, probabilities a [`MatRef`](mercer_math::MatRef) of rows × classes,
//! the positives of a binary question `bool`s. Weights are not negative; a weight of two is two copies of a row,
//! one of zero is no row. Lengths that differ are errors; what has no value (no rows, one class) is NaN or 0 as
//! each function says, never a panic. [`Metric`] finds them by name.

mod beta;
mod check;
mod classification;
mod cluster;
mod curves;
mod intervals;
mod metric;
mod regression;
mod splits;

pub use classification::{
    AverageScores, ClassScores, accuracy, balanced_accuracy, brier_score, class_scores, confusion_matrix,
    log_loss, matthews_correlation,
};
pub use cluster::{adjusted_rand_index, silhouette, silhouette_of_rows};
pub use curves::{
    Binning, CalibrationBin, PrecisionRecallCurve, RocCurve, average_precision, calibration_curve,
    expected_calibration_error, precision_recall_curve, roc_auc, roc_auc_one_vs_rest, roc_curve,
};
pub use intervals::{Interval, TTest, bootstrap_interval, clopper_pearson, corrected_t_test, t_interval};
pub use metric::{METRICS, Metric, Needs, Scored, evaluate};
pub use regression::{
    explained_variance, mean_absolute_error, mean_squared_error, median_absolute_error, r2,
    root_mean_squared_error,
};
pub use splits::{Split, group_k_fold, k_fold, stratification_note, stratified_k_fold, train_test};
