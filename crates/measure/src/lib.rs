//! Metrics, splits, intervals, losses and regularisers: pure functions of slices, without a learner in sight.
//!
//! Classes are `u32` codes below `n_classes`, probabilities a [`MatRef`](mercer_math::MatRef) of rows × classes,
//! the positives of a binary question `bool`s. Weights are not negative; a weight of two is two copies of a row,
//! one of zero is no row. Lengths that differ are errors; what has no value (no rows, one class) is NaN or 0 as
//! each function says, never a panic. [`Metric`] finds them by name, [`Splitter`] reads a way to split from text,
//! [`Loss`] and [`Regulariser`] are the named pieces of objectives.

mod answers;
mod auc;
mod averages;
mod bootstrap;
mod calibration;
mod check;
mod classification;
mod cluster;
mod coherence;
mod compare;
mod curves;
mod deviance;
mod intervals;
pub mod loss;
mod metric;
mod metric_functions;
mod metric_table;
mod multilabel;
mod probabilities;
mod ranking;
mod regression;
pub mod regulariser;
mod scored;
mod silhouette;
mod spec;
mod split_groups;
mod split_random;
mod splits;
pub mod splitter;
mod tails;
mod validation_schemes;

pub use answers::Answers;
pub use auc::{AucAverage, roc_auc, roc_auc_one_vs_rest, roc_auc_ovo, roc_auc_ovr};
pub use averages::{Average, Counts};
pub use bootstrap::{Bootstrap, BootstrapMethod, bca_interval, bootstrap_interval, percentile_interval};
pub use calibration::{Binning, CalibrationBin, calibration_curve, expected_calibration_error};
pub use classification::{
    AverageScores, ClassScores, KappaWeights, Normalise, accuracy, balanced_accuracy, class_scores,
    cohen_kappa, confusion_matrix, error_rate, matthews_correlation, normalise_confusion,
};
pub use cluster::{
    EntropyMean, VMeasure, adjusted_mutual_information, adjusted_rand_index, fowlkes_mallows,
    mutual_information, normalised_mutual_information, rand_index, v_measure,
};
pub use coherence::{Coherence, coherence};
pub use compare::{
    TTest, Test, corrected_t_test, discordant, five_by_two_f, five_by_two_t, mcnemar_chi2, mcnemar_exact,
    wilcoxon,
};
pub use curves::{
    Enclosure, PrecisionRecallCurve, RocCurve, average_precision, break_even_point, precision_recall_curve,
    roc_curve,
};
pub use deviance::{
    d2_absolute_error, d2_pinball, d2_tweedie, gamma_deviance, pinball_loss, poisson_deviance,
    tweedie_deviance,
};
pub use intervals::{Interval, clopper_pearson, t_interval, wilson};
pub use loss::{ClassBlock, Link, Loss, class_probabilities, softmax};
pub use metric::{CustomMetric, Metric, MetricParam, Needs, evaluate};
pub use metric_table::METRICS;
pub use multilabel::{SampleScores, multilabel_hamming, sample_scores, subset_accuracy};
pub use probabilities::{brier_score, calibration_error, d2_brier, d2_log_loss, log_loss, top_k_accuracy};
pub use ranking::{dcg, mean_average_precision, mean_reciprocal_rank, ndcg};
pub use regression::{
    explained_variance, max_error, mean_absolute_error, mean_absolute_percentage_error, mean_squared_error,
    mean_squared_log_error, median_absolute_error, r2, root_mean_squared_error, root_mean_squared_log_error,
};
pub use regulariser::Regulariser;
pub use scored::Scored;
pub use silhouette::{calinski_harabasz, davies_bouldin, silhouette, silhouette_of_rows};
pub use split_groups::{group_k_fold, group_shuffle_split, leave_one_group_out, stratified_group_k_fold};
pub use split_random::{
    TimeSeries, bootstrap_splits, leave_one_out, leave_p_out, repeated_k_fold, repeated_stratified_k_fold,
    shuffle_split, time_series_split,
};
pub use splits::{Split, folds, k_fold, stratification_note, stratified_k_fold, train_test};
pub use splitter::Splitter;
pub use tails::{f_tail, t_critical, t_two_sided};
pub use validation_schemes::{
    NestedRound, Scale, TripleRound, average_values, nested, nested_over, triple, triple_split,
};
