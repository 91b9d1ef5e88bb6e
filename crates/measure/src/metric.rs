//! Metrics by name: what each needs, which way is better, and one door to all of them.

use crate::{check, classification, cluster, curves, regression};
use mercer_core::{Error, ErrorKind, Result, Task};
use mercer_math::MatRef;
use std::borrow::Cow;

/// What a metric looks at besides the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Predicted classes.
    Labels,
    /// A score that ranks rows, a column a class; probabilities serve.
    Scores,
    /// Probabilities of the classes.
    Probabilities,
    /// Predicted numbers.
    Numbers,
    /// Groups of rows.
    Groups,
}

/// A metric: one row of [`METRICS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Metric {
    /// The name by which it is asked for: `log_loss`.
    pub name: &'static str,
    /// The name that is printed: "log loss".
    pub label: &'static str,
    /// Other names by which it is found.
    pub aliases: &'static [&'static str],
    /// The task that it scores.
    pub task: Task,
    /// Whether it is for two classes only.
    pub binary_only: bool,
    /// Whether a larger value is better.
    pub greater_is_better: bool,
    /// What it looks at.
    pub needs: Needs,
    /// One line about it.
    pub doc: &'static str,
    id: Id,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Id {
    LogLoss,
    Auc,
    Accuracy,
    BalancedAccuracy,
    F1,
    Precision,
    Recall,
    Matthews,
    Brier,
    AveragePrecision,
    Rmse,
    Mse,
    Mae,
    MedianError,
    R2,
    ExplainedVariance,
    Rand,
    Silhouette,
}

/// One entry in a line, so that the table below reads as one.
#[rustfmt::skip]
#[allow(clippy::too_many_arguments)] // A row of the table: naming eight fields eighteen times would hide it.
const fn entry(
    id: Id, name: &'static str, label: &'static str, aliases: &'static [&'static str],
    task: Task, greater_is_better: bool, needs: Needs, doc: &'static str,
) -> Metric {
    let binary_only = matches!(id, Id::AveragePrecision);
    Metric { name, label, aliases, task, binary_only, greater_is_better, needs, doc, id }
}

use Needs::{Groups, Labels, Numbers, Probabilities, Scores};
use Task::{Classification, Clustering, Regression};

/// All metrics; the first of a task is its default.
#[rustfmt::skip]
pub static METRICS: &[Metric] = &[
    entry(Id::LogLoss, "log_loss", "log loss", &["logloss", "cross_entropy", "deviance"], Classification, false, Probabilities, "Mean of -ln p(true class)."),
    entry(Id::Auc, "auc", "AUC", &["roc_auc"], Classification, true, Scores, "Area under the ROC curve; over several classes the mean of each against the rest."),
    entry(Id::Accuracy, "accuracy", "accuracy", &["acc"], Classification, true, Labels, "Share of rows whose class is predicted."),
    entry(Id::BalancedAccuracy, "balanced_accuracy", "balanced accuracy", &[], Classification, true, Labels, "Mean recall over classes."),
    entry(Id::F1, "f1", "F1", &["f1_score", "f1_macro"], Classification, true, Labels, "F1 of the second of two classes, else the mean over classes."),
    entry(Id::Precision, "precision", "precision", &[], Classification, true, Labels, "Precision of the second of two classes, else the mean over classes."),
    entry(Id::Recall, "recall", "recall", &["sensitivity"], Classification, true, Labels, "Recall of the second of two classes, else the mean over classes."),
    entry(Id::Matthews, "mcc", "MCC", &["matthews_correlation", "matthews"], Classification, true, Labels, "Matthews' correlation of truth and prediction."),
    entry(Id::Brier, "brier", "Brier score", &["brier_score"], Classification, false, Probabilities, "Mean squared distance of probabilities and truth."),
    entry(Id::AveragePrecision, "average_precision", "average precision", &["ap", "pr_auc"], Classification, true, Scores, "Precision averaged over recall, of the second of two classes."),
    entry(Id::Rmse, "rmse", "RMSE", &["root_mean_squared_error"], Regression, false, Numbers, "Root of the mean squared error."),
    entry(Id::R2, "r2", "R²", &["r_squared", "R²"], Regression, true, Numbers, "Share of the variance explained."),
    entry(Id::Mae, "mae", "MAE", &["mean_absolute_error"], Regression, false, Numbers, "Mean absolute error."),
    entry(Id::Mse, "mse", "MSE", &["mean_squared_error"], Regression, false, Numbers, "Mean squared error."),
    entry(Id::MedianError, "median_absolute_error", "median absolute error", &["medae"], Regression, false, Numbers, "Median absolute error."),
    entry(Id::ExplainedVariance, "explained_variance", "explained variance", &[], Regression, true, Numbers, "As R², a constant offset forgiven."),
    entry(Id::Silhouette, "silhouette", "silhouette", &["silhouette_score"], Clustering, true, Groups, "Mean silhouette under Euclidean distance."),
    entry(Id::Rand, "adjusted_rand", "adjusted Rand index", &["adjusted_rand_index", "ari"], Clustering, true, Groups, "Agreement with known groups, adjusted for chance."),
];

/// Truth and prediction, as far as they are there.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Scored<'a> {
    /// Classes.
    Classes {
        /// True codes.
        truth: &'a [u32],
        /// Number of classes.
        n_classes: usize,
        /// Predicted codes; without them the most probable class.
        predicted: Option<&'a [u32]>,
        /// Rows × classes.
        probabilities: Option<MatRef<'a>>,
        /// Rows × classes, or rows × 1 for two classes (the second is positive); without them probabilities.
        scores: Option<MatRef<'a>>,
    },
    /// Numbers.
    Numbers {
        /// True numbers.
        truth: &'a [f64],
        /// Predicted numbers.
        predicted: &'a [f64],
    },
    /// Groups.
    Groups {
        /// The groups found.
        labels: &'a [u32],
        /// The groups known.
        truth: Option<&'a [u32]>,
        /// The rows.
        x: Option<MatRef<'a>>,
    },
}

impl Metric {
    /// The metric with this name or alias; case, spaces and dashes do not matter. The error suggests the closest.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Metric;
    /// assert_eq!(Metric::by_name("Log loss")?.name, "log_loss");
    /// assert!(Metric::by_name("acuracy").unwrap_err().to_string().contains("`accuracy`"));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<&'static Metric> {
        let plain = |text: &str| text.to_lowercase().replace([' ', '-'], "_");
        let wanted = plain(name);
        let is = |m: &&Metric| {
            m.name == wanted || plain(m.label) == wanted || m.aliases.iter().any(|a| plain(a) == wanted)
        };
        let known = || METRICS.iter().flat_map(|m| std::iter::once(m.name).chain(m.aliases.iter().copied()));
        METRICS.iter().find(is).ok_or_else(|| Error::unknown("metric", name, known()))
    }

    /// The metric by which models of a task are compared unless another is asked for: log loss for classes, RMSE
    /// for numbers, silhouette for groups, none for the rest.
    pub fn default_for(task: Task) -> Option<&'static Metric> {
        METRICS.iter().find(|m| m.task == task)
    }

    /// All metrics of a task, the default first.
    pub fn all_for(task: Task) -> impl Iterator<Item = &'static Metric> {
        METRICS.iter().filter(move |m| m.task == task)
    }

    /// Whether `a` is better than `b`; NaN is never better, and anything is better than NaN.
    pub fn is_better(&self, a: f64, b: f64) -> bool {
        !a.is_nan() && (b.is_nan() || if self.greater_is_better { a > b } else { a < b })
    }

    /// The value of the metric.
    pub fn evaluate(&self, scored: &Scored<'_>, weights: Option<&[f64]>) -> Result<f64> {
        match *scored {
            Scored::Classes { truth, n_classes, predicted, probabilities, scores } => {
                Classes { metric: self, truth, n_classes, predicted, probabilities, scores, weights }
                    .evaluate()
            }
            Scored::Numbers { truth, predicted } => self.of_numbers(truth, predicted, weights),
            Scored::Groups { labels, truth, x } => self.of_groups(labels, truth, x),
        }
    }

    fn of_numbers(&self, truth: &[f64], predicted: &[f64], weights: Option<&[f64]>) -> Result<f64> {
        let of = match self.id {
            Id::Rmse => regression::root_mean_squared_error,
            Id::Mse => regression::mean_squared_error,
            Id::Mae => regression::mean_absolute_error,
            Id::MedianError => regression::median_absolute_error,
            Id::R2 => regression::r2,
            Id::ExplainedVariance => regression::explained_variance,
            _ => return Err(self.wrong_kind("numbers")),
        };
        of(truth, predicted, weights)
    }

    fn of_groups(&self, labels: &[u32], truth: Option<&[u32]>, x: Option<MatRef<'_>>) -> Result<f64> {
        match self.id {
            Id::Rand => {
                cluster::adjusted_rand_index(truth.ok_or_else(|| self.lacks("known groups"))?, labels)
            }
            Id::Silhouette => cluster::silhouette(x.ok_or_else(|| self.lacks("the rows"))?, labels),
            _ => Err(self.wrong_kind("groups")),
        }
    }

    fn wrong_kind(&self, got: &str) -> Error {
        let takes = match self.task {
            Classification => "classes",
            Regression => "numbers",
            _ => "groups",
        };
        ErrorKind::Kind { learner: self.label.to_owned(), takes: takes.to_owned(), got: got.to_owned() }
            .into()
    }

    fn lacks(&self, what: &str) -> Error {
        Error::incapable(self.label, format!("be computed without {what}"))
    }
}

/// The value of a metric: [`Metric::evaluate`] as a function.
pub fn evaluate(metric: &Metric, scored: &Scored<'_>, weights: Option<&[f64]>) -> Result<f64> {
    metric.evaluate(scored, weights)
}

/// Classes with all that may be known about them.
struct Classes<'a> {
    metric: &'a Metric,
    truth: &'a [u32],
    n_classes: usize,
    predicted: Option<&'a [u32]>,
    probabilities: Option<MatRef<'a>>,
    scores: Option<MatRef<'a>>,
    weights: Option<&'a [f64]>,
}

impl Classes<'_> {
    fn evaluate(&self) -> Result<f64> {
        match self.metric.id {
            Id::LogLoss => classification::log_loss(self.truth, self.probabilities()?, self.weights),
            Id::Brier => classification::brier_score(self.truth, self.probabilities()?, self.weights),
            Id::Auc if self.n_classes > 2 => {
                curves::roc_auc_one_vs_rest(self.truth, self.scores()?, self.weights)
            }
            Id::Auc => curves::roc_auc(&self.is_second()?, &self.score_of_second()?, self.weights),
            Id::AveragePrecision => {
                curves::average_precision(&self.is_second()?, &self.score_of_second()?, self.weights)
            }
            _ => self.of_labels(),
        }
    }

    fn of_labels(&self) -> Result<f64> {
        let (t, p, k, w) = (self.truth, &*self.labels()?, self.n_classes, self.weights);
        let scores = |pick: fn(&classification::ClassScores) -> &[f64]| -> Result<f64> {
            let scores = classification::class_scores(t, p, k, w)?;
            let values = pick(&scores);
            Ok(if k == 2 { values[1] } else { check::ratio(values.iter().sum(), k as f64) })
        };
        match self.metric.id {
            Id::Accuracy => classification::accuracy(t, p, w),
            Id::BalancedAccuracy => classification::balanced_accuracy(t, p, k, w),
            Id::Matthews => classification::matthews_correlation(t, p, k, w),
            Id::F1 => scores(|s| &s.f1),
            Id::Precision => scores(|s| &s.precision),
            Id::Recall => scores(|s| &s.recall),
            _ => Err(self.metric.wrong_kind("classes")),
        }
    }

    fn probabilities(&self) -> Result<MatRef<'_>> {
        let p = self.probabilities.ok_or_else(|| self.metric.lacks("probabilities"))?;
        check::same_length("columns of probabilities", self.n_classes, p.n_cols())?;
        Ok(p)
    }

    fn scores(&self) -> Result<MatRef<'_>> {
        self.scores.or(self.probabilities).ok_or_else(|| self.metric.lacks("scores or probabilities"))
    }

    fn is_second(&self) -> Result<Vec<bool>> {
        check::codes("truth", self.truth, 2)?;
        Ok(self.truth.iter().map(|&t| t == 1).collect())
    }

    fn score_of_second(&self) -> Result<Cow<'_, [f64]>> {
        let scores = self.scores()?;
        match scores.n_cols() {
            1 => Ok(scores.col_cow(0)),
            2 => Ok(scores.col_cow(1)),
            n => Err(Error::shape(format!("columns of scores for {}", self.metric.label), 2, n)),
        }
    }

    /// The predicted classes, or the most probable: the first of equals.
    fn labels(&self) -> Result<Cow<'_, [u32]>> {
        if let Some(predicted) = self.predicted {
            return Ok(Cow::Borrowed(predicted));
        }
        let p = self.probabilities.ok_or_else(|| self.metric.lacks("predicted classes"))?;
        let best = |i: usize| (1..p.n_cols()).fold(0, |b, c| if p.get(i, c) > p.get(i, b) { c } else { b });
        Ok((0..p.n_rows()).map(|i| best(i) as u32).collect::<Vec<_>>().into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = std::collections::HashSet::new();
        for metric in METRICS {
            assert!(seen.insert(metric.name));
            assert!(metric.aliases.iter().all(|a| seen.insert(a)), "{}", metric.name);
            assert_eq!(Metric::by_name(metric.name).unwrap(), metric);
            assert_eq!(Metric::by_name(metric.label).unwrap(), metric);
        }
        assert_eq!(Metric::by_name("R²").unwrap().name, "r2");
        assert_eq!(Metric::default_for(Classification).unwrap().name, "log_loss");
        assert_eq!(Metric::default_for(Regression).unwrap().name, "rmse");
        assert_eq!(Metric::default_for(Task::Planning), None);
    }

    #[test]
    fn every_metric_has_a_value_where_it_applies_and_an_error_elsewhere() {
        let p = [0.9, 0.1, 0.2, 0.8, 0.4, 0.6, 0.7, 0.3];
        let p = MatRef::row_major(&p, 4, 2).unwrap();
        let classes = Scored::Classes {
            truth: &[0, 1, 0, 1],
            n_classes: 2,
            predicted: None,
            probabilities: Some(p),
            scores: None,
        };
        let numbers = Scored::Numbers { truth: &[1.0, 2.0, 3.0], predicted: &[1.0, 2.5, 2.0] };
        let groups = Scored::Groups { labels: &[0, 0, 1, 1], truth: Some(&[0, 0, 1, 1]), x: Some(p) };
        for metric in METRICS {
            let values = [&classes, &numbers, &groups].map(|scored| evaluate(metric, scored, None));
            let right = match metric.task {
                Classification => 0,
                Regression => 1,
                _ => 2,
            };
            for (i, value) in values.into_iter().enumerate() {
                assert_eq!(value.is_ok_and(|v| v.is_finite()), i == right, "{} on {i}", metric.name);
            }
        }
    }

    #[test]
    fn what_is_lacking_is_named() {
        let labels = Scored::Classes {
            truth: &[0, 1],
            n_classes: 2,
            predicted: Some(&[0, 1]),
            probabilities: None,
            scores: None,
        };
        assert_eq!(Metric::by_name("f1").unwrap().evaluate(&labels, None).unwrap(), 1.0);
        let error = Metric::by_name("log_loss").unwrap().evaluate(&labels, None).unwrap_err();
        assert_eq!(error.to_string(), "log loss cannot be computed without probabilities");
        let rmse = Metric::by_name("rmse").unwrap();
        assert_eq!(rmse.evaluate(&labels, None).unwrap_err().to_string(), "RMSE takes numbers, not classes");
        assert!(rmse.is_better(1.0, 2.0) && !rmse.is_better(f64::NAN, 2.0) && rmse.is_better(1.0, f64::NAN));
    }
}
