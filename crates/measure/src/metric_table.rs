//! The table of built-in metrics.

use crate::averages::Average;
use crate::metric::{Metric, MetricParam, Needs};
use crate::metric_functions::Of;
use crate::{AucAverage, Binning, EntropyMean, KappaWeights};
use crate::{classification as labels, cluster, curves, deviance, multilabel, probabilities as proba};
use crate::{ranking, regression as numbers, silhouette as distances};
use Needs::{Groups, Labels, Numbers, Probabilities, Scores};
use mercer_core::Task::{self, Classification, Clustering, Regression};

const fn number(
    name: &'static str,
    default: f64,
    expected: &'static str,
    holds: fn(f64) -> bool,
) -> MetricParam {
    MetricParam { name, default, expected, words: &[], holds }
}

const fn choice(name: &'static str, words: &'static [&'static str]) -> MetricParam {
    MetricParam { name, default: 0.0, expected: "one of its words", words, holds: |_| true }
}

const AVERAGE: MetricParam = choice("average", &["binary", "micro", "macro", "weighted"]);
const BETA: MetricParam = number("beta", 1.0, "in [0, inf]", |v| v >= 0.0);
const ALPHA: MetricParam = number("alpha", 0.5, "in [0, 1]", |v| (0.0..=1.0).contains(&v));
const POWER: MetricParam =
    number("power", 0.0, "finite and outside (0, 1)", |v| v.is_finite() && (v <= 0.0 || v >= 1.0));
const FIRST: MetricParam = number("k", f64::INFINITY, "a whole number of at least 1", is_count);
const ENTROPIES: MetricParam = choice("average", &["arithmetic", "geometric", "min", "max"]);

fn is_count(v: f64) -> bool {
    v >= 1.0 && v.fract() == 0.0
}

fn average(place: f64) -> Average {
    [Average::Positive, Average::Micro, Average::Macro, Average::Weighted][(place as usize).min(3)]
}

fn auc_average(place: f64) -> AucAverage {
    if place == 0.0 { AucAverage::Macro } else { AucAverage::Weighted }
}

fn entropies(place: f64) -> EntropyMean {
    let all = [EntropyMean::Arithmetic, EntropyMean::Geometric, EntropyMean::Min, EntropyMean::Max];
    all[(place as usize).min(3)]
}

fn kappa_weights(place: f64) -> KappaWeights {
    [KappaWeights::Unweighted, KappaWeights::Linear, KappaWeights::Quadratic][(place as usize).min(2)]
}

fn first(k: f64) -> Option<usize> {
    k.is_finite().then_some(k as usize)
}

/// One entry in a line, so that the table below reads as one.
#[rustfmt::skip]
#[allow(clippy::too_many_arguments)] // A row of the table: naming eight fields eighty times would hide it.
const fn entry(
    name: &'static str, label: &'static str, aliases: &'static [&'static str],
    task: Task, greater_is_better: bool, needs: Needs, of: Of, doc: &'static str,
) -> Metric {
    let (params, args, binary_only, shown) = (&[], [0.0; 2], false, false);
    // Losses are at least 0, scores shares; others say so.
    let range = (0.0, if greater_is_better { 1.0 } else { f64::INFINITY });
    Metric { name, label, aliases, task, binary_only, greater_is_better, range, needs, doc, params, shown, args, of }
}

impl Metric {
    const fn shown(self) -> Self {
        Self { shown: true, ..self }
    }

    const fn within(self, low: f64, high: f64) -> Self {
        Self { range: (low, high), ..self }
    }

    const fn binary(self) -> Self {
        Self { binary_only: true, ..self }
    }

    const fn params(self, params: &'static [MetricParam]) -> Self {
        let mut args = [0.0; 2];
        let mut place = 0;
        while place < params.len() {
            args[place] = params[place].default;
            place += 1;
        }
        Self { params, args, ..self }
    }
}

/// All built-in metrics; the first of a task is its default.
#[rustfmt::skip]
pub static METRICS: &[Metric] = &[
    entry("log_loss", "log loss", &["logloss", "cross_entropy", "deviance"], Classification, false, Probabilities, Of::Classes(|c, _| c.of_probabilities(proba::log_loss)), "Mean of -ln p(true class).").shown(),
    entry("auc", "AUC", &["roc_auc", "roc_auc_score"], Classification, true, Scores, Of::Classes(|c, a| c.auc(a[0] != 0.0, auc_average(a[1]))), "Area under the ROC curve; over several classes the mean of each against the rest.").params(&[choice("multi_class", &["ovr", "ovo"]), choice("average", &["macro", "weighted"])]).shown(),
    entry("accuracy", "accuracy", &["acc", "accuracy_score", "subset_accuracy"], Classification, true, Labels, Of::Labels(labels::accuracy, multilabel::subset_accuracy), "Share of rows whose class, or whole set of labels, is predicted.").shown(),
    entry("balanced_accuracy", "balanced accuracy", &["balanced_accuracy_score"], Classification, true, Labels, Of::Classes(|c, _| c.of_labels(labels::balanced_accuracy)), "Mean recall over classes.").shown(),
    entry("f1", "F1", &["f1_score"], Classification, true, Labels, Of::Counts(|c, a| Ok(c.f1(average(a[0])))), "F1 of the second of two classes, else the mean over classes.").params(&[AVERAGE]).shown(),
    entry("precision", "precision", &["precision_score"], Classification, true, Labels, Of::Counts(|c, a| Ok(c.precision(average(a[0])))), "Precision of the second of two classes, else the mean over classes.").params(&[AVERAGE]).shown(),
    entry("recall", "recall", &["sensitivity", "recall_score"], Classification, true, Labels, Of::Counts(|c, a| Ok(c.recall(average(a[0])))), "Recall of the second of two classes, else the mean over classes.").params(&[AVERAGE]).shown(),
    entry("mcc", "MCC", &["matthews_correlation", "matthews", "matthews_corrcoef"], Classification, true, Labels, Of::Classes(|c, _| c.of_labels(labels::matthews_correlation)), "Matthews' correlation of truth and prediction.").shown().within(-1.0, 1.0),
    entry("brier", "Brier score", &["brier_score_loss"], Classification, false, Probabilities, Of::Classes(|c, _| c.of_probabilities(proba::brier_score)), "Mean squared distance of probabilities and truth.").shown().within(0.0, 2.0),
    entry("average_precision", "average precision", &["ap", "pr_auc", "average_precision_score"], Classification, true, Scores, Of::Classes(|c, _| c.of_second(curves::average_precision)), "Precision averaged over recall, of the second of two classes.").binary().shown(),

    entry("error_rate", "error rate", &["zero_one_loss", "zero_one"], Classification, false, Labels, Of::Labels(labels::error_rate, |t, p, w| Ok(1.0 - multilabel::subset_accuracy(t, p, w)?)), "Share of rows whose class is not predicted.").within(0.0, 1.0),
    entry("precision_micro", "precision (micro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.precision(Average::Micro))), "Precision of all classes' counts added up."),
    entry("precision_macro", "precision (macro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.precision(Average::Macro))), "Mean precision over classes."),
    entry("precision_weighted", "precision (weighted)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.precision(Average::Weighted))), "Precision averaged over classes by their rows."),
    entry("precision_samples", "precision (samples)", &[], Classification, true, Labels, Of::Multilabel(|t, p, w| Ok(multilabel::sample_scores(t, p, w)?.precision)), "Precision of each row's set of labels, averaged over rows."),
    entry("recall_micro", "recall (micro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.recall(Average::Micro))), "Recall of all classes' counts added up."),
    entry("recall_macro", "recall (macro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.recall(Average::Macro))), "Mean recall over classes."),
    entry("recall_weighted", "recall (weighted)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.recall(Average::Weighted))), "Recall averaged over classes by their rows."),
    entry("recall_samples", "recall (samples)", &[], Classification, true, Labels, Of::Multilabel(|t, p, w| Ok(multilabel::sample_scores(t, p, w)?.recall)), "Recall of each row's set of labels, averaged over rows."),
    entry("f1_micro", "F1 (micro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.f1(Average::Micro))), "F1 of all classes' counts added up."),
    entry("f1_macro", "F1 (macro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.f1(Average::Macro))), "Mean F1 over classes."),
    entry("f1_weighted", "F1 (weighted)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.f1(Average::Weighted))), "F1 averaged over classes by their rows."),
    entry("f1_samples", "F1 (samples)", &[], Classification, true, Labels, Of::Multilabel(|t, p, w| Ok(multilabel::sample_scores(t, p, w)?.f1)), "F1 of each row's set of labels, averaged over rows."),
    entry("fbeta", "F-beta", &["f_beta", "fbeta_score"], Classification, true, Labels, Of::Counts(|c, a| c.f_beta(a[0], average(a[1]))), "F measure in which recall counts beta times as much as precision.").params(&[BETA, AVERAGE]),
    entry("f_alpha", "F-alpha", &[], Classification, true, Labels, Of::Counts(|c, a| c.f_alpha(a[0], average(a[1]))), "TP / (alpha (TP + FP) + (1 - alpha) (TP + FN)): 1 is precision, 0 recall.").params(&[ALPHA, AVERAGE]),
    entry("jaccard", "Jaccard", &["jaccard_score"], Classification, true, Labels, Of::Counts(|c, a| Ok(c.jaccard(average(a[0])))), "Hits over hits and misses, of the second of two classes, else the mean over classes.").params(&[AVERAGE]),
    entry("jaccard_micro", "Jaccard (micro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.jaccard(Average::Micro))), "Jaccard's index of all classes' counts added up."),
    entry("jaccard_macro", "Jaccard (macro)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.jaccard(Average::Macro))), "Mean Jaccard index over classes."),
    entry("jaccard_weighted", "Jaccard (weighted)", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.jaccard(Average::Weighted))), "Jaccard's index averaged over classes by their rows."),
    entry("jaccard_samples", "Jaccard (samples)", &[], Classification, true, Labels, Of::Multilabel(|t, p, w| Ok(multilabel::sample_scores(t, p, w)?.jaccard)), "Jaccard's index of each row's set of labels, averaged over rows."),
    entry("hamming", "Hamming loss", &[], Classification, false, Labels, Of::Labels(labels::error_rate, multilabel::multilabel_hamming), "Share of labels that are wrong.").within(0.0, 1.0),
    entry("kappa", "Cohen's kappa", &["cohen_kappa", "cohen_kappa_score"], Classification, true, Labels, Of::Classes(|c, a| c.of_labels(|t, p, k, w| labels::cohen_kappa(t, p, k, kappa_weights(a[0]), w))), "Agreement beyond chance; weights none, linear or quadratic.").params(&[choice("weights", &["none", "linear", "quadratic"])]).within(-1.0, 1.0),
    entry("positive_likelihood_ratio", "positive likelihood ratio", &[], Classification, true, Labels, Of::Counts(|c, _| Ok(c.positive_likelihood_ratio())), "Recall over false-positive rate, of the second of two classes.").binary().within(0.0, f64::INFINITY),
    entry("negative_likelihood_ratio", "negative likelihood ratio", &[], Classification, false, Labels, Of::Counts(|c, _| Ok(c.negative_likelihood_ratio())), "Share of positives missed over share of negatives recognised, of the second of two classes.").binary(),
    entry("top_k", "top-k accuracy", &["top_k_accuracy_score"], Classification, true, Scores, Of::Classes(|c, a| proba::top_k_accuracy(c.truth, c.all_scores()?, a[0] as usize, c.weights)), "Share of rows whose class is among the k with the highest scores.").params(&[number("k", 2.0, "a whole number of at least 1", is_count)]),
    entry("d2_log_loss", "D² of log loss", &["d2_log_loss_score"], Classification, true, Probabilities, Of::Classes(|c, _| c.of_probabilities(proba::d2_log_loss)), "Share of the log loss of constant shares saved.").within(f64::NEG_INFINITY, 1.0),
    entry("d2_brier", "D² of the Brier score", &["d2_brier_score"], Classification, true, Probabilities, Of::Classes(|c, _| c.of_probabilities(proba::d2_brier)), "Share of the Brier score of constant shares saved.").within(f64::NEG_INFINITY, 1.0),
    entry("ece", "calibration error", &["expected_calibration_error"], Classification, false, Probabilities, Of::Classes(|c, a| proba::calibration_error(c.truth, c.probabilities()?, a[0] as usize, if a[1] == 0.0 { Binning::Uniform } else { Binning::Quantile }, c.weights)), "Mean distance of predicted and observed shares over bins.").params(&[number("bins", 10.0, "a whole number from 1 to 1000000", |v| is_count(v) && v <= 1e6), choice("strategy", &["uniform", "quantile"])]).within(0.0, 1.0),
    entry("roc_auc_ovr", "AUC (one vs rest)", &[], Classification, true, Scores, Of::Classes(|c, _| c.auc(false, AucAverage::Macro)), "Mean AUC of each class against the rest."),
    entry("roc_auc_ovo", "AUC (one vs one)", &[], Classification, true, Scores, Of::Classes(|c, _| c.auc(true, AucAverage::Macro)), "Mean AUC within each pair of classes."),
    entry("roc_auc_ovr_weighted", "AUC (one vs rest, weighted)", &[], Classification, true, Scores, Of::Classes(|c, _| c.auc(false, AucAverage::Weighted)), "AUC of each class against the rest, averaged by rows."),
    entry("roc_auc_ovo_weighted", "AUC (one vs one, weighted)", &[], Classification, true, Scores, Of::Classes(|c, _| c.auc(true, AucAverage::Weighted)), "AUC within each pair of classes, averaged by rows."),
    entry("break_even", "break-even point", &[], Classification, true, Scores, Of::Classes(|c, _| c.of_second(curves::break_even_point)), "Precision where it equals recall, of the second of two classes.").binary(),

    entry("rmse", "RMSE", &["root_mean_squared_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::root_mean_squared_error(t, p, w)), "Root of the mean squared error.").shown(),
    entry("r2", "R²", &["r_squared", "r2_score"], Regression, true, Numbers, Of::Numbers(|t, p, w, _| numbers::r2(t, p, w)), "Share of the variance explained.").shown().within(f64::NEG_INFINITY, 1.0),
    entry("mae", "MAE", &["mean_absolute_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::mean_absolute_error(t, p, w)), "Mean absolute error.").shown(),
    entry("mse", "MSE", &["mean_squared_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::mean_squared_error(t, p, w)), "Mean squared error.").shown(),
    entry("median_absolute_error", "median absolute error", &["medae"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::median_absolute_error(t, p, w)), "Median absolute error.").shown(),
    entry("explained_variance", "explained variance", &["explained_variance_score"], Regression, true, Numbers, Of::Numbers(|t, p, w, _| numbers::explained_variance(t, p, w)), "As R², a constant offset forgiven.").shown().within(f64::NEG_INFINITY, 1.0),
    entry("mape", "MAPE", &["mean_absolute_percentage_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::mean_absolute_percentage_error(t, p, w)), "Mean error as a share of the truth."),
    entry("max_error", "largest error", &[], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::max_error(t, p, w)), "Largest absolute error."),
    entry("msle", "MSLE", &["mean_squared_log_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::mean_squared_log_error(t, p, w)), "Mean squared error of ln(1 + value)."),
    entry("rmsle", "RMSLE", &["root_mean_squared_log_error"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| numbers::root_mean_squared_log_error(t, p, w)), "Root of the mean squared error of ln(1 + value)."),
    entry("pinball", "pinball loss", &["mean_pinball_loss", "quantile_loss"], Regression, false, Numbers, Of::Numbers(|t, p, w, a| deviance::pinball_loss(t, p, a[0], w)), "Loss of a predicted quantile.").params(&[ALPHA]),
    entry("tweedie", "Tweedie deviance", &["mean_tweedie_deviance"], Regression, false, Numbers, Of::Numbers(|t, p, w, a| deviance::tweedie_deviance(t, p, a[0], w)), "Mean deviance for a variance that grows with a power of the mean.").params(&[POWER]),
    entry("poisson_deviance", "Poisson deviance", &["mean_poisson_deviance"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| deviance::poisson_deviance(t, p, w)), "Mean Poisson deviance, for counts."),
    entry("gamma_deviance", "Gamma deviance", &["mean_gamma_deviance"], Regression, false, Numbers, Of::Numbers(|t, p, w, _| deviance::gamma_deviance(t, p, w)), "Mean Gamma deviance, for positive numbers."),
    entry("d2_tweedie", "D² (Tweedie)", &["d2_tweedie_score"], Regression, true, Numbers, Of::Numbers(|t, p, w, a| deviance::d2_tweedie(t, p, a[0], w)), "Share of the Tweedie deviance of the mean saved.").params(&[POWER]).within(f64::NEG_INFINITY, 1.0),
    entry("d2_pinball", "D² (pinball)", &["d2_pinball_score"], Regression, true, Numbers, Of::Numbers(|t, p, w, a| deviance::d2_pinball(t, p, a[0], w)), "Share of the pinball loss of the quantile saved.").params(&[ALPHA]).within(f64::NEG_INFINITY, 1.0),
    entry("d2_absolute_error", "D² (absolute error)", &["d2_absolute_error_score"], Regression, true, Numbers, Of::Numbers(|t, p, w, _| deviance::d2_absolute_error(t, p, w)), "Share of the absolute error of the median saved.").within(f64::NEG_INFINITY, 1.0),
    entry("ndcg", "NDCG", &["ndcg_score"], Regression, true, Numbers, Of::Ranking(|r, s, q, w, a| ranking::ndcg(r, s, q, first(a[0]), w)), "Discounted cumulative gain over that of the best ranking.").params(&[FIRST]),
    entry("dcg", "DCG", &["dcg_score"], Regression, true, Numbers, Of::Ranking(|r, s, q, w, a| ranking::dcg(r, s, q, first(a[0]), w)), "Discounted cumulative gain.").params(&[FIRST]).within(0.0, f64::INFINITY),
    entry("map", "MAP", &["mean_average_precision"], Regression, true, Numbers, Of::Ranking(|r, s, q, w, a| ranking::mean_average_precision(r, s, q, first(a[0]), w)), "Average precision of each query, averaged.").params(&[FIRST]),
    entry("mrr", "MRR", &["mean_reciprocal_rank"], Regression, true, Numbers, Of::Ranking(|r, s, q, w, _| ranking::mean_reciprocal_rank(r, s, q, w)), "One over the rank of the first relevant item, averaged over queries."),

    entry("silhouette", "silhouette", &["silhouette_score"], Clustering, true, Groups, Of::Distances(distances::silhouette), "Mean silhouette under Euclidean distance.").shown().within(-1.0, 1.0),
    entry("adjusted_rand", "adjusted Rand index", &["ari", "adjusted_rand_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| cluster::adjusted_rand_index(t, l, w)), "Agreement with known groups, adjusted for chance.").shown().within(-1.0, 1.0),
    entry("davies_bouldin", "Davies-Bouldin index", &["davies_bouldin_score"], Clustering, false, Groups, Of::Distances(distances::davies_bouldin), "Spread of groups over the distance of their centres."),
    entry("calinski_harabasz", "Calinski-Harabasz index", &["calinski_harabasz_score"], Clustering, true, Groups, Of::Distances(distances::calinski_harabasz), "Spread between groups over spread within.").within(0.0, f64::INFINITY),
    entry("rand", "Rand index", &["rand_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| cluster::rand_index(t, l, w)), "Share of pairs of rows on which groups agree."),
    entry("ami", "adjusted mutual information", &["adjusted_mutual_info", "adjusted_mutual_info_score"], Clustering, true, Groups, Of::Groups(|t, l, w, a| cluster::adjusted_mutual_information(t, l, entropies(a[0]), w)), "Information shared with known groups, adjusted for chance.").params(&[ENTROPIES]).within(f64::NEG_INFINITY, 1.0),
    entry("nmi", "normalised mutual information", &["normalized_mutual_information", "normalized_mutual_info_score"], Clustering, true, Groups, Of::Groups(|t, l, w, a| cluster::normalised_mutual_information(t, l, entropies(a[0]), w)), "Information shared with known groups, as a share.").params(&[ENTROPIES]),
    entry("mutual_info", "mutual information", &["mutual_info_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| cluster::mutual_information(t, l, w)), "Information shared with known groups, in nats.").within(0.0, f64::INFINITY),
    entry("homogeneity", "homogeneity", &["homogeneity_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| Ok(cluster::v_measure(t, l, 1.0, w)?.homogeneity)), "How pure the groups are."),
    entry("completeness", "completeness", &["completeness_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| Ok(cluster::v_measure(t, l, 1.0, w)?.completeness)), "How whole the known groups stay."),
    entry("v_measure", "V-measure", &["v_measure_score"], Clustering, true, Groups, Of::Groups(|t, l, w, a| Ok(cluster::v_measure(t, l, a[0], w)?.v_measure)), "Harmonic mean of homogeneity and completeness.").params(&[number("beta", 1.0, "in [0, inf)", |v| v >= 0.0 && v.is_finite())]),
    entry("fowlkes_mallows", "Fowlkes-Mallows index", &["fowlkes_mallows_score"], Clustering, true, Groups, Of::Groups(|t, l, w, _| cluster::fowlkes_mallows(t, l, w)), "Geometric mean of pairwise precision and recall."),
];
