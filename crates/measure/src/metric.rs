//! Metrics by name: what each needs, which way is better, and one door to all of them.
//!
//! The built-in ones are the rows of [`METRICS`]. One with parameters is asked for as `fbeta(beta=2)`, in the
//! grammar of [`Value`](mercer_core::Value); it is made once, kept for the life of the process and found again by
//! its name. [Custom](Metric::custom) ones belong to who made them, and no name finds them. Names of scikit-learn's scorers are aliases; `neg_…` names mean
//! the metric itself, whose `greater_is_better` says the rest.

use crate::METRICS;
use crate::metric_functions::{Args, Classes, Of};
use crate::scored::Scored;
use crate::spec::{Spec, plain};
use mercer_core::{Error, ErrorKind, Result, Task};
use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, PoisonError, RwLock};

/// What a metric looks at besides the truth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Needs {
    /// Predicted classes, or sets of labels.
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

/// A parameter of a metric.
#[derive(Clone, Copy, Debug)]
pub struct MetricParam {
    /// Its name.
    pub name: &'static str,
    /// The value unless another is given; of a choice the place of the word.
    pub default: f64,
    /// What is allowed, in words.
    pub expected: &'static str,
    /// The words of a choice, the default first; none for a number.
    pub words: &'static [&'static str],
    pub(crate) holds: fn(f64) -> bool,
}

/// A metric: one row of [`METRICS`], or one made from it by parameters, or a custom one.
///
/// Names are unique: metrics are equal when their names are.
#[derive(Clone, Copy)]
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
    /// The least and the greatest value that it can take.
    pub range: (f64, f64),
    /// What it looks at.
    pub needs: Needs,
    /// One line about it.
    pub doc: &'static str,
    /// Its parameters.
    pub params: &'static [MetricParam],
    /// Whether it is shown where no metric is asked for.
    pub shown: bool,
    pub(crate) args: Args,
    pub(crate) of: Of,
}

/// A metric of the user's: truth and prediction, and weights, to a number.
pub type CustomMetric = Arc<dyn Fn(&Scored<'_>, Option<&[f64]>) -> Result<f64> + Send + Sync>;

/// Metrics made at run time, by their names. They are leaked on purpose: a metric is a `&'static` everywhere, and
/// there are never many of them.
static MADE: RwLock<BTreeMap<String, &'static Metric>> = RwLock::new(BTreeMap::new());

/// More metrics than this at run time are refused: names may come from a stranger.
const MOST_MADE: usize = 10_000;

impl Metric {
    /// The metric with this name or alias; case, spaces and dashes do not matter. The error suggests the closest.
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Metric;
    /// assert_eq!(Metric::by_name("Log loss")?.name, "log_loss");
    /// assert_eq!(Metric::by_name("neg_mean_squared_error")?.name, "mse");
    /// assert_eq!(Metric::by_name("fbeta(beta=2)")?.name, "fbeta(beta=2)");
    /// assert!(Metric::by_name("acuracy").unwrap_err().to_string().contains("`accuracy`"));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn by_name(name: &str) -> Result<&'static Metric> {
        let wanted = plain(name);
        let made = || MADE.read().unwrap_or_else(PoisonError::into_inner).get(&wanted).copied();
        let found = built_in(&wanted).or_else(made);
        match found.or_else(|| wanted.strip_prefix("neg_").and_then(built_in)) {
            Some(metric) => Ok(metric),
            None if name.contains('(') => Self::with_params(Spec::parse("metric", name)?),
            None => Err(unknown(name)),
        }
    }

    /// Makes a metric from a built-in one and its parameters, or finds it again.
    fn with_params(mut spec: Spec) -> Result<&'static Metric> {
        let kind = spec.kind.strip_prefix("neg_").unwrap_or(&spec.kind);
        let base = built_in(kind).ok_or_else(|| unknown(&spec.kind))?;
        spec.name_all(&base.params.iter().map(|p| p.name).collect::<Vec<_>>())?;
        let (mut args, mut text) = (base.args, Vec::new());
        for (place, param) in base.params.iter().enumerate() {
            let shown = if param.words.is_empty() {
                args[place] = spec.real(param.name, param.default, param.expected, param.holds)?;
                args[place].to_string()
            } else {
                let word = spec.choice(param.name, param.words)?;
                args[place] = word as f64;
                param.words[word].to_owned()
            };
            if args[place] != param.default {
                text.push(format!("{}={shown}", param.name));
            }
        }
        if text.is_empty() {
            return Ok(base);
        }
        let text = text.join(",");
        let name = format!("{}({text})", base.name);
        let made = Metric { args, aliases: &[], shown: false, ..*base };
        remember(name, format!("{} ({text})", base.label), made)
    }

    /// A metric of the user's. It belongs to who made it: no name finds it, so that two of one name never meet; it stays
    /// for the life of the process. The names of built-in ones are taken.
    ///
    /// # Example
    /// ```
    /// use mercer_core::Task;
    /// use mercer_measure::{Metric, Needs, Scored};
    /// use std::sync::Arc;
    /// let bias = Arc::new(|scored: &Scored<'_>, _: Option<&[f64]>| match scored {
    ///     Scored::Numbers { truth, predicted } => {
    ///         Ok(predicted.iter().sum::<f64>() - truth.iter().sum::<f64>())
    ///     }
    ///     _ => Ok(f64::NAN),
    /// });
    /// let metric = Metric::custom("total bias", Task::Regression, false, Needs::Numbers, bias)?;
    /// let scored = Scored::Numbers { truth: &[1.0, 2.0], predicted: &[1.5, 2.0] };
    /// assert_eq!(metric.evaluate(&scored, None)?, 0.5);
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn custom(
        name: &str,
        task: Task,
        greater_is_better: bool,
        needs: Needs,
        of: CustomMetric,
    ) -> Result<&'static Metric> {
        let own = plain(name);
        if own.is_empty() || own.contains(['(', ')']) {
            return Err(Error::param("a custom metric", "name", "a name without brackets", name));
        }
        if built_in(&own).is_some() {
            return Err(Error::param("a custom metric", "name", "none of a built-in metric", name));
        }
        let made = Metric {
            name: "",
            label: "",
            aliases: &[],
            task,
            binary_only: false,
            greater_is_better,
            range: (f64::NEG_INFINITY, f64::INFINITY),
            needs,
            doc: "A metric of the user's.",
            params: &[],
            shown: false,
            args: [0.0; 2],
            of: Of::Custom(Box::leak(Box::new(of))),
        };
        Ok(kept(own, name.trim().to_owned(), made))
    }

    /// The t-interval of the mean of some scores, cut at the ends of the metric's range; `None` for fewer than two.
    pub fn t_interval(&self, scores: &[f64], level: f64) -> Option<(f64, f64)> {
        let found = crate::t_interval(scores, level).ok().filter(|i| i.lower.is_finite())?;
        Some((found.lower.max(self.range.0), found.upper.min(self.range.1)))
    }

    /// The metric by which models of a task are compared unless another is asked for: log loss for classes, RMSE
    /// for numbers, silhouette for groups, none for the rest.
    pub fn default_for(task: Task) -> Option<&'static Metric> {
        METRICS.iter().find(|m| m.task == task)
    }

    /// The metrics of a task that are shown where none is asked for, the default first. All that there are:
    /// [`Metric::all_for`].
    pub fn shown_for(task: Task) -> impl Iterator<Item = &'static Metric> {
        METRICS.iter().filter(move |m| m.task == task && m.shown)
    }

    /// Every metric of a task: built-in, and made at run time.
    pub fn all_for(task: Task) -> Vec<&'static Metric> {
        let made = MADE.read().unwrap_or_else(PoisonError::into_inner);
        METRICS.iter().chain(made.values().copied()).filter(|m| m.task == task).collect()
    }

    /// Whether `a` is better than `b`; NaN is never better, and anything is better than NaN.
    pub fn is_better(&self, a: f64, b: f64) -> bool {
        !a.is_nan() && (b.is_nan() || if self.greater_is_better { a > b } else { a < b })
    }

    /// The value of the metric. Ranking metrics take numbers, too, as one query.
    pub fn evaluate(&self, scored: &Scored<'_>, weights: Option<&[f64]>) -> Result<f64> {
        if let Of::Custom(of) = self.of {
            return of(scored, weights);
        }
        match *scored {
            Scored::Classes { truth, n_classes, predicted, probabilities, scores } => {
                Classes { metric: self, truth, n_classes, predicted, probabilities, scores, weights }.value()
            }
            Scored::Numbers { truth, predicted } => match self.of {
                Of::Numbers(of) => of(truth, predicted, weights, self.args),
                Of::Ranking(of) => of(truth, predicted, None, weights, self.args),
                _ => Err(self.wrong_kind("numbers")),
            },
            Scored::Groups { labels, truth, x } => match self.of {
                Of::Groups(of) => {
                    of(truth.ok_or_else(|| self.lacks("known groups"))?, labels, weights, self.args)
                }
                Of::Distances(of) => of(x.ok_or_else(|| self.lacks("the rows"))?, labels, weights),
                _ => Err(self.wrong_kind("groups")),
            },
            Scored::Multilabel { truth, predicted } => match self.of {
                Of::Counts(of) => of(&crate::Counts::of_labels(truth, predicted, weights)?, self.args),
                Of::Multilabel(of) | Of::Labels(_, of) => of(truth, predicted, weights),
                _ => Err(self.wrong_kind("sets of labels")),
            },
            Scored::Ranking { relevance, scores, queries } => match self.of {
                Of::Ranking(of) => of(relevance, scores, queries, weights, self.args),
                _ => Err(self.wrong_kind("a ranking")),
            },
        }
    }

    pub(crate) fn wrong_kind(&self, got: &str) -> Error {
        let takes = match (self.of, self.task) {
            (Of::Multilabel(_), _) => "sets of labels",
            (Of::Ranking(_), _) => "a ranking or numbers",
            (_, Task::Classification) => "classes",
            (_, Task::Regression) => "numbers",
            (
                _,
                Task::Clustering
                | Task::Transformation
                | Task::Sampling
                | Task::Planning
                | Task::Composite
                | Task::Outliers
                | Task::Neighbours
                | Task::Densities,
            ) => "groups",
        };
        ErrorKind::Kind { learner: self.label.to_owned(), takes: takes.to_owned(), got: got.to_owned() }
            .into()
    }

    pub(crate) fn lacks(&self, what: &str) -> Error {
        Error::incapable(self.label, format!("be computed without {what}"))
    }
}

/// The value of a metric: [`Metric::evaluate`] as a function.
pub fn evaluate(metric: &Metric, scored: &Scored<'_>, weights: Option<&[f64]>) -> Result<f64> {
    metric.evaluate(scored, weights)
}

/// The row of the table with this plain name.
fn built_in(wanted: &str) -> Option<&'static Metric> {
    let is = |m: &&Metric| {
        m.name == wanted || plain(m.label) == wanted || m.aliases.iter().any(|a| plain(a) == wanted)
    };
    METRICS.iter().find(is)
}

fn unknown(name: &str) -> Error {
    let made = MADE.read().unwrap_or_else(PoisonError::into_inner);
    let built_in = METRICS.iter().flat_map(|m| std::iter::once(m.name).chain(m.aliases.iter().copied()));
    Error::unknown("metric", name, built_in.chain(made.keys().map(String::as_str)))
}

/// Keeps a metric for ever under its name; one that is there already is given back unless it is to be replaced.
fn remember(name: String, label: String, metric: Metric) -> Result<&'static Metric> {
    let mut made = MADE.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(&known) = made.get(&name) {
        return Ok(known);
    }
    if made.len() >= MOST_MADE {
        return Err(Error::numeric("metrics", format!("no more than {MOST_MADE} can be made at run time")));
    }
    let metric = kept(name.clone(), label, metric);
    made.insert(name, metric);
    Ok(metric)
}

/// The metric under a name, for the life of the process.
fn kept(name: String, label: String, metric: Metric) -> &'static Metric {
    let (name, label) = (Box::leak(name.into_boxed_str()), Box::leak(label.into_boxed_str()));
    Box::leak(Box::new(Metric { name, label, ..metric }))
}

impl PartialEq for Metric {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

impl Eq for Metric {}

impl fmt::Debug for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, task, greater_is_better, needs, .. } = self;
        write!(f, "Metric {{ name: {name:?}, task: {task}, greater_is_better: {greater_is_better}, ")?;
        write!(f, "needs: {needs:?} }}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use Task::{Classification, Regression};
    use mercer_math::MatRef;

    #[test]
    fn names_are_unique_and_found() {
        let mut seen = std::collections::HashSet::new();
        for metric in METRICS {
            let mut names = vec![metric.name.to_owned(), plain(metric.label)];
            names.extend(metric.aliases.iter().map(|a| (*a).to_owned()));
            names.sort();
            names.dedup();
            assert!(names.into_iter().all(|n| seen.insert(n)), "{}", metric.name);
            assert_eq!(Metric::by_name(metric.name).unwrap(), metric);
            assert_eq!(Metric::by_name(metric.label).unwrap(), metric);
            assert!(!metric.doc.is_empty() && metric.params.len() <= 2);
        }
        assert_eq!(Metric::by_name("R²").unwrap().name, "r2");
        assert_eq!(Metric::default_for(Classification).unwrap().name, "log_loss");
        assert_eq!(Metric::default_for(Regression).unwrap().name, "rmse");
        assert_eq!(Metric::default_for(Task::Planning), None);
        assert_eq!(Metric::shown_for(Classification).count(), 10);
        assert!(Metric::all_for(Classification).len() > 30);
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
        let sets = [1.0, 0.0, 0.0, 1.0, 1.0, 1.0, 1.0, 0.0];
        let other = [1.0, 0.0, 1.0, 1.0, 1.0, 0.0, 1.0, 1.0];
        let multilabel = Scored::Multilabel {
            truth: MatRef::row_major(&sets, 4, 2).unwrap(),
            predicted: MatRef::row_major(&other, 4, 2).unwrap(),
        };
        let ranking = Scored::Ranking { relevance: &[1.0, 0.0], scores: &[0.1, 0.2], queries: Some(&[1, 1]) };
        for metric in METRICS {
            let all = [&classes, &numbers, &groups, &multilabel, &ranking];
            let values = all.map(|scored| evaluate(metric, scored, None));
            let right = match metric.of {
                Of::Classes(_) => [true, false, false, false, false],
                Of::Counts(_) | Of::Labels(..) => [true, false, false, true, false],
                Of::Multilabel(_) => [false, false, false, true, false],
                Of::Numbers(_) => [false, true, false, false, false],
                Of::Ranking(_) => [false, true, false, false, true],
                _ => [false, false, true, false, false],
            };
            for (i, value) in values.into_iter().enumerate() {
                let within = |v: f64| v.is_finite() && metric.range.0 <= v && v <= metric.range.1;
                assert_eq!(value.is_ok_and(within), right[i], "{} on {i}", metric.name);
            }
        }
    }

    #[test]
    fn intervals_stay_within_the_range_of_the_metric() {
        let of = |name: &str, scores: &[f64]| Metric::by_name(name).unwrap().t_interval(scores, 0.95);
        let (low, high) = of("log_loss", &[0.01, 0.5, 0.02]).unwrap();
        assert!(low == 0.0 && high > 0.8 && high < 1.0, "{high}");
        assert_eq!(of("accuracy", &[1.0, 0.5, 1.0]).unwrap().1, 1.0);
        let (low, high) = of("r2", &[0.99, -0.5, 0.97]).unwrap();
        assert!(low < -1.0 && high == 1.0);
        assert_eq!(of("rmse", &[3.0]), None);
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

    #[test]
    fn parameters_are_read_checked_and_interned() {
        let by = |name: &str| Metric::by_name(name).unwrap();
        assert!(std::ptr::eq(by("fbeta(beta=2)"), by("F_beta( beta = 2.0 )")));
        assert!(std::ptr::eq(by("fbeta(2)"), by("fbeta(beta=2)")));
        assert!(std::ptr::eq(by("pinball(alpha=0.5)"), by("pinball")));
        assert_eq!(by("neg_mean_pinball_loss(alpha=0.9)").name, "pinball(alpha=0.9)");
        assert_eq!(
            by("auc(average=weighted, multi_class=ovo)").name,
            "auc(multi_class=ovo,average=weighted)"
        );
        let scored = Scored::Numbers { truth: &[2.0, 4.0], predicted: &[1.0, 5.0] };
        assert_eq!(by("pinball(alpha=0.9)").evaluate(&scored, None).unwrap(), 0.5);
        let wrong = |name: &str, expect: &str| {
            let error = Metric::by_name(name).unwrap_err().to_string();
            assert!(error.contains(expect), "{name}: {error}");
        };
        wrong("pinball(alpha=2)", "`alpha` of pinball must be in [0, 1], got 2");
        wrong("fbeta(beta=nan)", "`beta`");
        wrong("top_k(k=1.5)", "whole number");
        wrong("f1(average=media)", "one of binary, micro, macro, weighted");
        wrong("f1(aver=macro)", "has no parameter `aver`");
        wrong("accuracy(1)", "has no parameter `0`");
        wrong("nothing(x=1)", "no metric is called `nothing`");
        wrong("f1(", "cannot read");
        wrong("", "no metric");
    }

    #[test]
    fn custom_metrics_belong_to_who_made_them() {
        let constant = |value: f64| -> CustomMetric { Arc::new(move |_, _| Ok(value)) };
        let make = |name, value| Metric::custom(name, Regression, true, Needs::Numbers, constant(value));
        let scored = Scored::Numbers { truth: &[], predicted: &[] };
        let (first, second) = (make("My Metric", 1.0).unwrap(), make("my_metric", 2.0).unwrap());
        assert_eq!(first.evaluate(&scored, None).unwrap(), 1.0);
        assert_eq!(second.evaluate(&scored, None).unwrap(), 2.0);
        assert!(Metric::by_name("my_metric").is_err());
        assert!(Metric::all_for(Regression).iter().all(|m| m.name != "my_metric"));
        assert!(make("RMSE", 1.0).is_err() && make("f(1)", 1.0).is_err() && make(" ", 1.0).is_err());
    }
}
