//! AdaBoost.R2: weak regressors, each trained on what the others miss most.
//!
//! # Objective
//! The weighted median of members $h_t$ with weights $\ln(1/\beta_t)$, where
//! $\beta_t = \bar L_t / (1 - \bar L_t)$ and $\bar L_t = \sum_i w_i L_i$ is the mean of the relative losses
//! $L_i = g(|y_i - h_t(x_i)| / \max_j |y_j - h_t(x_j)|)$ with $g(r) = r$, $r^2$ or $1 - e^{-r}$.
//!
//! # Algorithm
//! Each member learns from rows drawn in proportion to their weights; then the weight of row $i$ is multiplied by
//! $\beta_t^{1 - L_i}$, so that what is predicted well weighs less. Training stops at $\bar L_t \ge \tfrac12$.
//!
//! # Complexity
//! `n_estimators` fits, one after the other.
//!
//! # Example
//! ```
//! use mercer_ensemble::AdaBoostRegressor;
//! assert_eq!(AdaBoostRegressor::default().n_estimators, 50);
//! ```
//!
//! # Numerics
//! Weights are normalised in each round. The median is the first prediction at which half of the weight is reached.
//!
//! The weighted median of the members is no sum of what they say, so there are no exact contributions to it: `shap_values`
//! and `--explain` refuse. Gradient boosting, bagging and averages have them.
//!
//! # References
//! - H. Drucker. Improving regressors using boosting techniques. ICML 1997.

use crate::base;
use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Fitted, Input, Learn, NestedLearner,
    NestedModel, Params, Prediction, Result, Schema, Session, Task, Termination,
};
use mercer_math::Weights;
use serde::{Deserialize, Serialize};

/// The loss relative to the largest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum RelativeLoss {
    /// r.
    Linear,
    /// r².
    Square,
    /// 1 − e^−r.
    Exponential,
}

/// AdaBoost.R2: the weighted median of regressors, each trained on what the others miss most.
#[derive(Clone, Debug, Params)]
#[params(
    aliases = "adaboost-regressor",
    canon = "T6",
    task = Regression,
    python = "ensemble",
    twin = "AdaBoostClassifier",
    tried = "n_estimators=12",
    can = "members weights counts_rows ordered random",
    references = "Drucker. Improving regressors using boosting techniques. ICML 1997."
)]
pub struct AdaBoostRegressor {
    /// The weak learner; none means a tree of depth 3.
    #[param(default = None)]
    pub estimator: Option<NestedLearner>,
    /// Most members.
    #[param(default = 50, range = "[1, inf)", search = "int 10..200")]
    pub n_estimators: usize,
    /// Exponent of every β.
    #[param(default = 1.0, range = "(0, inf)", search = "log 0.01..2")]
    pub learning_rate: f64,
    /// How losses grow with the error.
    #[param(default = RelativeLoss::Linear, search = "among linear|square|exponential")]
    pub loss: RelativeLoss,
}

/// Regressors with their weights.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct AdaBoostRegressorModel {
    members: Vec<NestedModel>,
    /// ln(1/β) of each member.
    pub weights: Vec<f64>,
    /// The mean relative loss of each member.
    pub errors: Vec<f64>,
    certificate: Certificate,
}

const SHALLOW: &str = "DecisionTreeRegressor:max_depth=3";

impl RelativeLoss {
    fn of(self, r: f64) -> f64 {
        match self {
            RelativeLoss::Linear => r,
            RelativeLoss::Square => r * r,
            RelativeLoss::Exponential => 1.0 - (-r).exp(),
        }
    }
}

impl Learn for AdaBoostRegressor {
    type Model = AdaBoostRegressorModel;

    fn capabilities(&self) -> Capabilities {
        let together = base::together_with(Self::declaration().capabilities, &self.estimator, SHALLOW);
        Capabilities { weights: true, ..together }
    }

    fn check(&self) -> Result<()> {
        self.check_params()?;
        let member = base::resolve(&self.estimator, SHALLOW)?;
        base::check_member(Self::NAME, "estimator", member.as_ref(), Task::Regression)
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<AdaBoostRegressorModel> {
        let learner = base::resolve(&self.estimator, SHALLOW)?;
        let (plain, input) = (data.without_weights(), data.input());
        let target = data.need_target(Self::NAME)?;
        let truth = target.numbers()?;
        let mut w = Weights::of(&data.weights()).to_vec(truth.len());
        let mut model = AdaBoostRegressorModel {
            members: Vec::new(),
            weights: Vec::new(),
            errors: Vec::new(),
            certificate: Certificate::new(Termination::Complete),
        };
        let mut termination = Termination::Complete;
        for t in 0..self.n_estimators {
            let last = model.errors.last().copied();
            if let Some(why) = session.step("AdaBoost.R2", t as u64, Some(self.n_estimators as u64), last) {
                termination = why;
                break;
            }
            let total: f64 = w.iter().sum();
            mercer_math::scale(1.0 / total, &mut w);
            let rows = base::draw_by_weight(&mut session.rng(t as u64), &w, None);
            let member = learner.train(&plain.subset(&rows)?, &session.split(t as u64).quiet())?;
            let found = base::numbers(member.as_ref(), &input, session)?;
            let losses = self.losses(truth, &found, &w);
            let error: f64 = losses.iter().zip(&w).filter(|(_, w)| **w > 0.0).map(|(l, w)| l * w).sum();
            if error >= 0.5 && !model.members.is_empty() {
                // The end that the algorithm sets itself.
                termination = Termination::Converged;
                break;
            }
            let beta = error / (1.0 - error);
            let usable = error > 0.0 && error < 0.5;
            model.members.push(NestedModel(member));
            model.errors.push(error);
            model.weights.push(if usable { self.learning_rate * (1.0 / beta).ln() } else { 1.0 });
            if !usable {
                break;
            }
            w.iter_mut().zip(&losses).for_each(|(w, l)| *w *= beta.powf((1.0 - l) * self.learning_rate));
        }
        let names = (0..).map(|t| format!("member {t}"));
        let found = model.infer(&input, &Schema::of(data), session)?;
        let evidence = base::fit_evidence(data, &found, Self::NAME)?;
        let certificate = base::certificate(termination, names.zip(&model.members));
        model.certificate =
            base::certified(certificate.with_iterations(model.members.len() as u64), evidence, data)?;
        Ok(model)
    }
}

impl AdaBoostRegressor {
    /// The loss of each row relative to the largest of those that weigh anything.
    fn losses(&self, truth: &[f64], found: &[f64], w: &[f64]) -> Vec<f64> {
        let errors: Vec<f64> = truth.iter().zip(found).map(|(y, f)| (y - f).abs()).collect();
        let largest = errors.iter().zip(w).filter(|(_, w)| **w > 0.0).fold(0.0f64, |m, (e, _)| m.max(*e));
        let relative = |e: &f64| if largest > 0.0 { self.loss.of((e / largest).min(1.0)) } else { 0.0 };
        errors.iter().map(relative).collect()
    }
}

base::members_of!(AdaBoostRegressorModel, members);

impl Fitted for AdaBoostRegressorModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { members: Some(self), ..Abilities::default() }
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let all = self
            .members
            .iter()
            .map(|m| base::numbers(m.0.as_ref(), input, session))
            .collect::<Result<Vec<_>>>()?;
        let half = 0.5 * self.weights.iter().sum::<f64>();
        let median = |i: usize| {
            let outputs: Vec<f64> = all.iter().map(|values| values[i]).collect();
            let order = mercer_math::argsort(&outputs);
            let mut sum = 0.0;
            let at = order.iter().find(|&&m| {
                sum += self.weights[m];
                sum >= half
            });
            at.or(order.last()).map_or(f64::NAN, |&m| outputs[m])
        };
        schema.prediction([(0..input.n_units().unwrap_or(0)).map(median).collect::<Vec<f64>>()])
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let found = self.infer(&data.input(), &Schema::of(data), session)?;
        let (name, value) = base::fit_evidence(data, &found, AdaBoostRegressor::NAME)?;
        Ok(vec![(name.to_owned(), value)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let n = self.weights.len();
        vec![
            Attribute::real("estimator_weights_", "The weight of each member.", &[n], self.weights.clone()),
            Attribute::real(
                "estimator_errors_",
                "The mean relative loss of each.",
                &[n],
                self.errors.clone(),
            ),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let n = self.members.len();
        let ok = n > 0
            && (self.weights.len(), self.errors.len()) == (n, n)
            && self.weights.iter().all(|v| v.is_finite())
            && self.members.iter().all(|m| base::fits(m, schema));
        if ok { Ok(()) } else { Err("members that do not fit the schema".to_owned()) }
    }
}
