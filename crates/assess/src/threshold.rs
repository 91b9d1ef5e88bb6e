//! Thresholds: where the score of the second class turns into its name.
//!
//! # Objective
//! The threshold $t$ of best mean metric over held-out folds, $\max_t \frac1k\sum_i m(y_i, [s_i \ge t])$, or of least
//! expected cost $\frac1n\sum_i C_{y_i,[s_i \ge t]}$ for a matrix of costs.
//!
//! # Algorithm
//! Out-of-fold scores are pooled; candidate thresholds lie between neighbouring scores, at most `thresholds` of them
//! spread evenly over their ranks, and half (for probabilities) is always one. The best, the nearest to the middle of
//! equals, is stored in the model beside a classifier trained on all rows.
//!
//! # Complexity
//! `cv` + 1 fits of the classifier and O(thresholds · n) for the scan.
//!
//! # Example
//! ```
//! use mercer_assess::TunedThresholdClassifierCV;
//! assert_eq!(TunedThresholdClassifierCV::default().scoring, "balanced_accuracy");
//! ```
//!
//! # Numerics
//! None beyond the classifier's.
//!
//! # References
//! - C. Elkan. The foundations of cost-sensitive learning. IJCAI 2001.

use crate::base::{self, HeldOutParams};
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Dataset, Error, Evidence, Fitted, Input, Kinds, Learn,
    Model, NestedLearner, NestedModel, Params, Prediction, Result, Schema, Session,
};
use mercer_math::Weights;
use mercer_measure::{Metric, Scored};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// A classifier of two classes whose threshold is tuned on rows that it did not see.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "threshold tuned-threshold",
    canon = "A2",
    task = Classification,
    python = "model_selection",
    tried = "| scoring=f1,estimator=tree(max_depth=3) | costs=[0, 1, 5, 0]",
    session = "n_jobs random_state",
    door = "response_method='auto' refit=True store_cv_results=False",
    can = "proba decision weights sparse binary thresholded counts_rows ordered",
    order = "thresholds cv",
    references = "Elkan. The foundations of cost-sensitive learning. IJCAI 2001."
)]
pub struct TunedThresholdClassifierCV {
    /// The classifier, and the folds that hold rows out for it.
    #[param(flatten)]
    pub held_out: HeldOutParams,
    /// The metric of predicted classes that decides; not used when costs are given.
    #[param(default = "balanced_accuracy".to_owned())]
    pub scoring: String,
    /// The costs of a true negative, a false positive, a false negative and a true positive.
    #[param(default = None)]
    pub costs: Option<Vec<f64>>,
    /// The most thresholds that are tried.
    #[param(default = 100, range = "[1, 1000000]")]
    pub thresholds: usize,
}

/// A classifier of two classes with a threshold given by hand.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "fixed-threshold",
    canon = "A2",
    task = Classification,
    python = "model_selection",
    door = "pos_label=None response_method='auto'",
    can = "proba decision weights sparse binary thresholded counts_rows ordered",
    references = "Elkan. The foundations of cost-sensitive learning. IJCAI 2001."
)]
pub struct FixedThresholdClassifier {
    /// The classifier; none means logistic regression.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// The score from which the second class is named.
    #[param(default = 0.5, range = "(-inf, inf)")]
    pub threshold: f64,
}

/// A classifier with its threshold.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ThresholdModel {
    inner: NestedModel,
    objective: Objective,
    /// The score from which the second class is named.
    pub threshold: f64,
    /// The metric, or minus the cost, that the threshold reached on rows held out; NaN where it was given by hand.
    pub score: f64,
    certificate: Certificate,
}

impl TunedThresholdClassifierCV {
    fn objective(&self) -> Result<Objective> {
        match &self.costs {
            Some(costs) => match costs.as_slice() {
                &[tn, fp, false_negative, tp] if costs.iter().all(|c| c.is_finite()) => {
                    Ok(Objective::Costs([tn, fp, false_negative, tp]))
                }
                _ => {
                    let expected =
                        "four numbers: true negative, false positive, false negative, true positive";
                    Err(Error::param(Self::NAME, "costs", expected, format!("{costs:?}")))
                }
            },
            None => {
                let metric = Metric::by_name(&self.scoring)?;
                if metric.needs != mercer_measure::Needs::Labels
                    || metric.task != mercer_core::Task::Classification
                {
                    let expected = "a metric of predicted classes";
                    return Err(Error::param(Self::NAME, "scoring", expected, &self.scoring));
                }
                Ok(Objective::Metric(metric.name.to_owned()))
            }
        }
    }
}

/// What makes one threshold better than another.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
enum Objective {
    Metric(String),
    Costs([f64; 4]),
}

impl Objective {
    /// The value for predicted classes; larger is better.
    fn value(&self, truth: &[u32], predicted: &[u32], weights: Option<&[f64]>) -> Result<f64> {
        match self {
            Objective::Metric(name) => {
                let metric = Metric::by_name(name)?;
                let scored = Scored::Classes {
                    truth,
                    n_classes: 2,
                    predicted: Some(predicted),
                    probabilities: None,
                    scores: None,
                };
                let value = metric.evaluate(&scored, weights)?;
                Ok(if metric.greater_is_better { value } else { -value })
            }
            Objective::Costs(costs) => {
                let weight = Weights::from(weights);
                let cost = |i: usize| weight[i] * costs[2 * truth[i] as usize + predicted[i] as usize];
                let total: f64 = weight.iter(truth.len()).sum();
                Ok(-(0..truth.len()).map(cost).sum::<f64>() / total)
            }
        }
    }
}

/// Truth, scores and weights of the rows of one fold.
struct Held {
    truth: Vec<u32>,
    scores: Vec<f64>,
    weights: Option<Vec<f64>>,
}

impl Learn for TunedThresholdClassifierCV {
    type Model = ThresholdModel;

    fn kinds(&self) -> Kinds {
        base::kinds(&self.held_out.estimator)
    }

    fn capabilities(&self) -> Capabilities {
        capabilities::<Self>(&self.held_out.estimator)
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        self.objective()?;
        base::check::<Self>(&self.held_out.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ThresholdModel> {
        let (learner, objective) = (base::resolve(&self.held_out.estimator)?, self.objective()?);
        let target = data.need_target(Self::NAME)?;
        let truth = target.class()?.0;
        let folds = base::folds(data, self.held_out.cv, Self::NAME)?;
        let weights = data.weights();
        let held = |fold: &mercer_measure::Split| -> Result<Held> {
            let model = learner.train(&data.subset(&fold.train)?, &session.quiet())?;
            Ok(Held {
                scores: score_of_second(model.as_ref(), &data.subset(&fold.test)?.input(), session)?,
                truth: fold.test.iter().map(|&r| truth[r]).collect(),
                weights: weights.as_ref().map(|w| fold.test.iter().map(|&r| w[r]).collect()),
            })
        };
        let held: Vec<Held> = folds.par_iter().with_max_len(1).map(held).collect::<Result<_>>()?;
        let model = learner.train(data, &session.quiet())?;
        let middle = if model.can().proba { 0.5 } else { 0.0 };
        let candidates = candidates(&held, self.thresholds, middle);
        let scored = candidates
            .par_iter()
            .map(|&t| Ok((mean_value(&objective, &held, t)?, t)))
            .collect::<Result<Vec<(f64, f64)>>>()?;
        let better = |best: Option<(f64, f64)>, next: &(f64, f64)| match best {
            _ if next.0.is_nan() => best,
            Some(b) if next.0 < b.0 || (next.0 == b.0 && (next.1 - middle).abs() >= (b.1 - middle).abs()) => {
                best
            }
            _ => Some(*next),
        };
        let (score, threshold) = scored.iter().fold(None, better).unwrap_or((f64::NAN, middle));
        let mut made = ThresholdModel::new(model, objective, threshold, score, data, session)?;
        if let Objective::Costs([tn, fp, missed, tp]) = made.objective {
            let ideal = (fp - tn) / ((fp - tn) + (missed - tp));
            made.certificate.notes.push(format!(
                "for calibrated probabilities the threshold of least expected cost is {ideal} (Elkan 2001, eq. 2)"
            ));
        }
        Ok(made)
    }
}

impl Learn for FixedThresholdClassifier {
    type Model = ThresholdModel;

    fn kinds(&self) -> Kinds {
        base::kinds(&self.estimator)
    }

    fn capabilities(&self) -> Capabilities {
        let inner = base::resolve(&self.estimator).map(|l| l.capabilities()).unwrap_or_default();
        let wrapped = capabilities::<Self>(&self.estimator);
        Capabilities { counts_rows: inner.counts_rows, ordered: inner.ordered, ..wrapped }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        base::check::<Self>(&self.estimator)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<ThresholdModel> {
        let model = base::resolve(&self.estimator)?.train(data, session)?;
        let objective = Objective::Metric("accuracy".to_owned());
        ThresholdModel::new(model, objective, self.threshold, f64::NAN, data, session)
    }
}

/// What a threshold on a classifier can do: it gives the scores that the classifier gives.
fn capabilities<L: Params>(estimator: &Option<NestedLearner>) -> Capabilities {
    let together = base::capabilities::<L>(estimator);
    base::resolve(estimator).map_or(together, |inner| {
        let Capabilities { proba, decision, .. } = inner.capabilities();
        Capabilities { proba, decision, ..together }
    })
}

/// The score that a threshold cuts: the probability of the second class, else its decision value.
fn score_of_second(model: &dyn Model, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
    let asked = model.on(input, session)?;
    let scores = if asked.abilities().proba.is_some() { asked.proba()? } else { asked.decision()? };
    Ok(scores.col(scores.n_cols() - 1))
}

/// Thresholds between neighbouring scores, evenly over their ranks, and the middle.
fn candidates(held: &[Held], most: usize, middle: f64) -> Vec<f64> {
    let mut scores: Vec<f64> =
        held.iter().flat_map(|h| h.scores.iter().copied()).filter(|s| !s.is_nan()).collect();
    scores.sort_by(f64::total_cmp);
    scores.dedup();
    let gaps = scores.len().saturating_sub(1);
    let n = most.min(gaps);
    let between = |i: usize| {
        let at = if n == gaps { i } else { (i * 2 + 1) * gaps / (2 * n) };
        scores[at] + (scores[at + 1] - scores[at]) / 2.0
    };
    let mut out: Vec<f64> = (0..n).map(between).chain([middle]).collect();
    out.sort_by(f64::total_cmp);
    out.dedup();
    out
}

fn mean_value(objective: &Objective, held: &[Held], threshold: f64) -> Result<f64> {
    let mut sum = 0.0;
    for fold in held {
        let predicted: Vec<u32> = fold.scores.iter().map(|&s| u32::from(s >= threshold)).collect();
        sum += objective.value(&fold.truth, &predicted, fold.weights.as_deref())?;
    }
    Ok(sum / held.len() as f64)
}

impl ThresholdModel {
    fn new(
        model: Box<dyn Model>,
        objective: Objective,
        threshold: f64,
        score: f64,
        data: &Dataset<'_>,
        session: &Session,
    ) -> Result<Self> {
        let mut certificate = Certificate::new(model.certificate().termination);
        certificate.children = vec![("estimator".to_owned(), model.certificate().clone())];
        let mut made = Self { inner: NestedModel(model), objective, threshold, score, certificate };
        let meaning = "what decided, on the training rows at the threshold";
        made.certificate.evidence.push(Evidence::value(
            "training score",
            made.training_score(data, session)?,
            meaning,
        ));
        Ok(made)
    }

    fn training_score(&self, data: &Dataset<'_>, session: &Session) -> Result<f64> {
        let target = data.need_target(TunedThresholdClassifierCV::NAME)?;
        let scores = score_of_second(self.inner.0.as_ref(), &data.input(), session)?;
        let weights = data.weights().map(|w| w.into_owned());
        let held = Held { truth: target.class()?.0.to_vec(), scores, weights };
        mean_value(&self.objective, &[held], self.threshold)
    }
}

impl Fitted for ThresholdModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = score_of_second(self.inner.0.as_ref(), input, session)?;
        schema.prediction([scores.iter().map(|&s| u32::from(s >= self.threshold)).collect::<Vec<u32>>()])
    }

    fn abilities(&self) -> Abilities<'_> {
        let Abilities { proba, decision, .. } = self.inner.abilities();
        Abilities { proba, decision, ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        Ok(vec![("training score".to_owned(), self.training_score(data, session)?)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![
            Attribute::real(
                "best_threshold_",
                "The score from which the second class is named.",
                &[],
                vec![self.threshold],
            ),
            Attribute::real(
                "best_score_",
                "What the threshold reached on rows held out.",
                &[],
                vec![self.score],
            ),
        ]
    }

    fn parts(&self) -> Vec<(&str, &NestedModel)> {
        vec![("estimator", &self.inner)]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let two = |labels: Option<&mercer_core::Labels>| labels.is_some_and(|l| l.len() == 2);
        let can = self.inner.0.can();
        let ok = two(schema.labels()) && two(self.inner.0.schema().labels()) && (can.proba || can.decision);
        if ok && !self.threshold.is_nan() {
            Ok(())
        } else {
            Err("a threshold without two classes".to_owned())
        }
    }
}
