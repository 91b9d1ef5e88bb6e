//! What the rows of the table compute, by the kind of data they look at.

use crate::check;
use crate::classification::most_probable;
use crate::metric::{CustomMetric, Metric};
use crate::{AucAverage, Counts, auc};
use mercer_core::{Error, Result};
use mercer_math::MatRef;
use std::borrow::Cow;

/// The values of a metric's parameters, in their order.
pub(crate) type Args = [f64; 2];

type Weights<'a> = Option<&'a [f64]>;

type RankingFn = fn(&[f64], &[f64], Option<&[u64]>, Weights<'_>, Args) -> Result<f64>;

/// A metric's function.
#[derive(Clone, Copy)]
pub(crate) enum Of {
    /// Of classes, as far as they are known.
    Classes(fn(&Classes<'_>, Args) -> Result<f64>),
    /// Of hits and misses, of classes and of sets of labels alike.
    Counts(fn(&Counts, Args) -> Result<f64>),
    /// Of classes, and of sets of labels.
    Labels(
        fn(&[u32], &[u32], Weights<'_>) -> Result<f64>,
        fn(MatRef<'_>, MatRef<'_>, Weights<'_>) -> Result<f64>,
    ),
    /// Of sets of labels only.
    Multilabel(fn(MatRef<'_>, MatRef<'_>, Weights<'_>) -> Result<f64>),
    /// Of numbers.
    Numbers(fn(&[f64], &[f64], Weights<'_>, Args) -> Result<f64>),
    /// Of relevances, scores and queries.
    Ranking(RankingFn),
    /// Of known groups and those found.
    Groups(fn(&[u32], &[u32], Weights<'_>, Args) -> Result<f64>),
    /// Of rows and the groups found.
    Distances(fn(MatRef<'_>, &[u32], Weights<'_>) -> Result<f64>),
    /// Of anything.
    Custom(&'static CustomMetric),
}

/// Classes with all that may be known about them.
pub(crate) struct Classes<'a> {
    pub(crate) metric: &'a Metric,
    pub(crate) truth: &'a [u32],
    pub(crate) n_classes: usize,
    pub(crate) predicted: Option<&'a [u32]>,
    pub(crate) probabilities: Option<MatRef<'a>>,
    pub(crate) scores: Option<MatRef<'a>>,
    pub(crate) weights: Weights<'a>,
}

impl Classes<'_> {
    pub(crate) fn value(&self) -> Result<f64> {
        match self.metric.of {
            Of::Classes(of) => of(self, self.metric.args),
            Of::Counts(of) => {
                let counts = Counts::of_classes(self.truth, &self.labels()?, self.n_classes, self.weights)?;
                of(&counts, self.metric.args)
            }
            Of::Labels(of, _) => of(self.truth, &self.labels()?, self.weights),
            _ => Err(self.metric.wrong_kind("classes")),
        }
    }

    /// A function of truth, predicted classes, their number and weights.
    pub(crate) fn of_labels(
        &self,
        of: impl Fn(&[u32], &[u32], usize, Weights<'_>) -> Result<f64>,
    ) -> Result<f64> {
        of(self.truth, &self.labels()?, self.n_classes, self.weights)
    }

    /// A function of truth, probabilities and weights.
    pub(crate) fn of_probabilities(
        &self,
        of: fn(&[u32], MatRef<'_>, Weights<'_>) -> Result<f64>,
    ) -> Result<f64> {
        of(self.truth, self.probabilities()?, self.weights)
    }

    /// A function of the score of the second of two classes.
    pub(crate) fn of_second(&self, of: fn(&[bool], &[f64], Weights<'_>) -> Result<f64>) -> Result<f64> {
        of(&self.is_second()?, &self.score_of_second()?, self.weights)
    }

    /// The area under the ROC curve, for any number of classes.
    pub(crate) fn auc(&self, one_vs_one: bool, average: AucAverage) -> Result<f64> {
        if self.n_classes <= 2 {
            return self.of_second(auc::roc_auc);
        }
        let of = if one_vs_one { auc::roc_auc_ovo } else { auc::roc_auc_ovr };
        of(self.truth, self.all_scores()?, average, self.weights)
    }

    pub(crate) fn probabilities(&self) -> Result<MatRef<'_>> {
        let p = self.probabilities.ok_or_else(|| self.metric.lacks("probabilities"))?;
        check::same_length("columns of probabilities", self.n_classes, p.n_cols())?;
        Ok(p)
    }

    fn scores(&self) -> Result<MatRef<'_>> {
        self.scores.or(self.probabilities).ok_or_else(|| self.metric.lacks("scores or probabilities"))
    }

    /// A score for every class.
    pub(crate) fn all_scores(&self) -> Result<MatRef<'_>> {
        let scores = self.scores()?;
        check::same_length("columns of scores", self.n_classes, scores.n_cols())?;
        Ok(scores)
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
        Ok((0..p.n_rows()).map(|i| most_probable(p, i) as u32).collect::<Vec<_>>().into())
    }
}
