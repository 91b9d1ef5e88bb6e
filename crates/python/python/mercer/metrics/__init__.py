"""Metrics with scikit-learn's names and meaning, its errors and its warnings.

Ties, one class, nothing to divide by and equal scores are defined: see ``docs/metrics.md``. Metrics that scikit-learn
lacks: ``f_alpha_score``, ``break_even_point``, ``expected_calibration_error``, ``mean_average_precision``,
``mean_reciprocal_rank``; intervals: ``bootstrap_interval``; tests: ``mcnemar_test``, ``wilcoxon_test``,
``corrected_t_test``.
"""

from mercer._scoring import check_scoring, get_scorer, get_scorer_names, make_scorer
from mercer.metrics import cluster
from mercer.metrics._curves import (
    auc,
    average_precision_score,
    break_even_point,
    confusion_matrix_at_thresholds,
    det_curve,
    metric_at_thresholds,
    precision_recall_curve,
    roc_auc_score,
    roc_curve,
)
from mercer.metrics._labels import (
    accuracy_score,
    balanced_accuracy_score,
    class_likelihood_ratios,
    cohen_kappa_score,
    confusion_matrix,
    f1_score,
    f_alpha_score,
    fbeta_score,
    hamming_loss,
    jaccard_score,
    matthews_corrcoef,
    multilabel_confusion_matrix,
    precision_recall_fscore_support,
    precision_score,
    recall_score,
    zero_one_loss,
)
from mercer.metrics._numbers import (
    d2_absolute_error_score,
    d2_pinball_score,
    d2_tweedie_score,
    explained_variance_score,
    max_error,
    mean_absolute_error,
    mean_absolute_percentage_error,
    mean_gamma_deviance,
    mean_pinball_loss,
    mean_poisson_deviance,
    mean_squared_error,
    mean_squared_log_error,
    mean_tweedie_deviance,
    median_absolute_error,
    r2_score,
    root_mean_squared_error,
    root_mean_squared_log_error,
)
from mercer.metrics._probabilities import (
    brier_score_loss,
    d2_brier_score,
    d2_log_loss_score,
    expected_calibration_error,
    hinge_loss,
    log_loss,
)
from mercer.metrics._rankings import (
    coverage_error,
    dcg_score,
    label_ranking_average_precision_score,
    label_ranking_loss,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg_score,
    top_k_accuracy_score,
)
from mercer.metrics._report import classification_report
from mercer.metrics._tests import bootstrap_interval, corrected_t_test, mcnemar_test, wilcoxon_test
from mercer.metrics.cluster import (
    adjusted_mutual_info_score,
    adjusted_rand_score,
    calinski_harabasz_score,
    completeness_score,
    davies_bouldin_score,
    fowlkes_mallows_score,
    homogeneity_completeness_v_measure,
    homogeneity_score,
    mutual_info_score,
    normalized_mutual_info_score,
    pair_confusion_matrix,
    rand_score,
    silhouette_samples,
    silhouette_score,
    v_measure_score,
)


def _positive_likelihood_ratio(y_true, y_pred):
    return class_likelihood_ratios(y_true, y_pred, replace_undefined_by={"LR+": 1.0, "LR-": 1.0})[0]


def _negative_likelihood_ratio(y_true, y_pred):
    return class_likelihood_ratios(y_true, y_pred, replace_undefined_by={"LR+": 1.0, "LR-": 1.0})[1]


__all__ = [name for name, value in sorted(globals().items()) if callable(value) and not name.startswith("_")] + ["cluster"]
