//! What stochastic gradient descent learns: coefficients, where it stands, and what is proved of them.

use super::descent::State;
use super::proof::{Found, Measure};
use super::train::{Ended, Lessons, Plan, overflow};
use crate::linear_scores::{best_class, scores};
use crate::points::on_points;
use mercer_core::{
    Abilities, Attribute, Certificate, ClassWeight, Dataset, Decision, Evidence, Fitted, Input, Prediction,
    Proba, Result, Schema, Session,
};
use mercer_math::{Mat, sigmoid_slice};
use mercer_measure::{Link, Loss};
use serde::{Deserialize, Serialize};

/// A linear model by stochastic gradient descent, which can go on learning.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SgdModel {
    /// The coefficients: 1 × features for two classes and for numbers, else classes × features.
    pub coef: Mat,
    /// The intercept of each row of coefficients.
    pub intercept: Vec<f64>,
    /// Passes over the rows, the most of any class.
    pub n_iter: u64,
    /// Steps made, and one.
    pub t: f64,
    states: Vec<State>,
    classes: bool,
    loss: String,
    penalty: (f64, f64),
    fit_intercept: bool,
    class_weight: Option<ClassWeight>,
    certificate: Certificate,
}

const WHO: &str = "a linear model by stochastic gradients";
const OBJECTIVE: &str = "objective";
const GRADIENT: &str = "relative gradient";
const MISTAKES: &str = "mistake bound";

impl SgdModel {
    /// The model of descents that ended. `bounded` asks for the mistake bound of the perceptron.
    pub(crate) fn new(
        plan: &Plan<'_>,
        ended: Ended,
        data: &Dataset<'_>,
        lessons: &Lessons,
        bounded: bool,
    ) -> Result<Self> {
        let ended_after = ended.epochs;
        let answers: Vec<(Vec<f64>, f64)> = ended.states.iter().map(State::answer).collect();
        let coef = Mat::from_fn(answers.len(), data.n_features(), |k, j| answers[k].0[j]);
        let mut model = Self {
            coef,
            intercept: answers.iter().map(|(_, b)| *b).collect(),
            n_iter: ended.epochs,
            t: ended.states.iter().map(|s| s.t).fold(1.0, f64::max),
            classes: lessons.classes,
            loss: plan.rule.loss.to_string(),
            penalty: (plan.rule.l1, plan.rule.l2),
            fit_intercept: plan.rule.fit_intercept,
            class_weight: plan.class_weight.cloned(),
            certificate: Certificate::new(ended.termination).with_iterations(ended.epochs),
            states: ended.states,
        };
        let last: Vec<(Vec<f64>, f64)> = model.states.iter().map(|s| (s.w.clone(), s.intercept)).collect();
        let found = model.measure(data, lessons, &answers)?;
        if !found.objective.is_finite() || !found.gradient.is_finite() {
            return Err(overflow(plan.name, ended_after));
        }
        let apart = if bounded { model.measure(data, lessons, &last)?.mistakes } else { f64::INFINITY };
        model.certificate = model.certify(plan, &found, apart, bounded);
        Ok(model)
    }

    fn certify(&self, plan: &Plan<'_>, found: &Found, mistakes: f64, bounded: bool) -> Certificate {
        let meaning = "mean loss and penalty at the coefficients, summed over classes";
        let slope = "largest entry of the least subgradient of the objective, each over the mean size of that of a single row that is wrong: zero at the optimum of a smooth objective";
        let mut out = self
            .certificate
            .clone()
            .with_objective(found.objective)
            .with_evidence(Evidence::value(OBJECTIVE, found.objective, meaning).on_scale(found.size))
            .with_evidence(Evidence::value(GRADIENT, found.gradient, slope));
        if mistakes.is_finite() {
            let made: u64 = self.states.iter().map(|s| s.updates).sum();
            let meaning = "(R/γ)² of the margin γ by which the last coefficients keep the classes apart: no order of the rows has more mistakes (Novikoff)";
            out = out
                .with_evidence(Evidence::bound(MISTAKES, mistakes, meaning))
                .with_note(format!("{made} mistakes, of at most {mistakes:.0}"));
        } else if bounded {
            out = out.with_note("the classes are not apart: no mistake bound holds");
        }
        match plan.rule.robbins_monro() {
            Some(conditions) if conditions.holds() => out,
            Some(conditions) => {
                let lacks = match (conditions.sum_diverges, conditions.squares_converge) {
                    (false, true) => "the sum of its steps is finite",
                    (true, false) => "the sum of its squared steps is infinite",
                    _ => "the sums of its steps and of their squares are not as they ask",
                };
                out.with_note(format!(
                    "the learning rate does not satisfy the conditions of Robbins and Monro: {lacks}"
                ))
            }
            None => out.with_note("steps are set by each row: no learning rate falls"),
        }
    }

    fn loss(&self) -> Result<Loss> {
        Loss::parse(&self.loss)
    }

    fn measure(&self, data: &Dataset<'_>, lessons: &Lessons, weights: &[(Vec<f64>, f64)]) -> Result<Found> {
        let x = data.numbers(WHO)?;
        let (l1, l2) = self.penalty;
        let (loss, fit_intercept) = (self.loss()?, self.fit_intercept);
        Ok(on_points(x.view(), 0.0, Measure { lessons, loss, l1, l2, fit_intercept, weights }))
    }

    /// Where its descents stand.
    pub(crate) fn states(&self) -> &[State] {
        &self.states
    }

    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        scores(WHO, &self.coef, &self.intercept, input, session)
    }
}

/// Whether scores of a loss can be read as probabilities.
pub(crate) fn gives_probabilities(loss: Loss) -> bool {
    matches!(loss, Loss::Logistic | Loss::CrossEntropy | Loss::ModifiedHuber)
}

impl Fitted for SgdModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let found = self.scores(input, session)?;
        if self.classes {
            return schema.prediction([best_class(&found)]);
        }
        let mut values = found.into_vec();
        if self.loss()?.link() == Link::Log {
            Link::Log.means(&mut values);
        }
        schema.prediction([values])
    }

    fn abilities(&self) -> Abilities<'_> {
        let read = self.classes && self.loss().is_ok_and(gives_probabilities);
        Abilities {
            decision: self.classes.then_some(self as &dyn Decision),
            proba: read.then_some(self as &dyn Proba),
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        let why = "its loss is none of log_loss, cross_entropy and modified_huber";
        (ability == "proba" && self.classes).then(|| why.to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let lessons = Lessons::of(WHO, self.loss()?, self.class_weight.as_ref(), data, false)?;
        let answers: Vec<(Vec<f64>, f64)> =
            (0..self.coef.n_rows()).map(|k| (self.coef.row(k).to_vec(), self.intercept[k])).collect();
        let last: Vec<(Vec<f64>, f64)> = self.states.iter().map(|s| (s.w.clone(), s.intercept)).collect();
        let found = self.measure(data, &lessons, &answers)?;
        let mistakes = self.measure(data, &lessons, &last)?.mistakes;
        let named = |name: &str, value| (name.to_owned(), value);
        Ok(vec![
            named(OBJECTIVE, found.objective),
            named(GRADIENT, found.gradient),
            named(MISTAKES, mistakes),
        ])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.coef.n_rows(), self.coef.n_cols());
        let shape = if self.classes { vec![k, d] } else { vec![d] };
        vec![
            Attribute::real("coef_", "The coefficients.", &shape, self.coef.as_slice().to_vec()),
            Attribute::real("intercept_", "The intercepts.", &[k], self.intercept.clone()),
            Attribute::int("n_iter_", "Passes over the rows.", &[], vec![self.n_iter as i64]),
            Attribute::real("t_", "Steps made, and one.", &[], vec![self.t]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map_or(0, |l| l.len());
        let rows = if classes <= 2 { 1 } else { classes };
        let d = schema.n_features();
        let fits = self.classes == (classes > 0)
            && self.coef.is_consistent()
            && (self.coef.n_rows(), self.coef.n_cols()) == (rows, d)
            && self.intercept.len() == rows
            && self.states.len() == rows
            && self.states.iter().all(|s| s.w.len() == d && (s.sum.is_empty() || s.sum.len() == d))
            && self.loss().is_ok();
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Decision for SgdModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.scores(input, session)
    }
}

impl Proba for SgdModel {
    /// Each class against the rest, then all scaled to sum to 1; where no class has any, all have the same.
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let mut p = self.scores(input, session)?;
        match self.loss()? {
            Loss::ModifiedHuber => {
                p.as_mut_slice().iter_mut().for_each(|f| *f = 0.5 * (f.clamp(-1.0, 1.0) + 1.0));
            }
            _ => sigmoid_slice(p.as_mut_slice()),
        }
        if p.n_cols() == 1 {
            return Ok(Mat::from_fn(p.n_rows(), 2, |i, c| if c == 1 { p[(i, 0)] } else { 1.0 - p[(i, 0)] }));
        }
        for i in 0..p.n_rows() {
            let row = p.row_mut(i);
            let (total, k) = (row.iter().sum::<f64>(), row.len() as f64);
            row.iter_mut().for_each(|v| *v = if total > 0.0 { *v / total } else { 1.0 / k });
        }
        Ok(p)
    }
}
