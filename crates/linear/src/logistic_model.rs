//! What logistic regression learns: coefficients and intercepts, and the proof of how good they are.

use crate::class_weights::ClassWeightParams;
use crate::intercept::InterceptParams;
use crate::linear_scores::scores;
use crate::logistic::LogisticRegression;
use crate::logistic_direct::relative_gap;
use crate::logistic_inference::LogisticInference;
use crate::logistic_loss::{ABSENT, LogisticLocal, LogisticSums};
use crate::logistic_settings::{LogisticFitParams, LogisticPenalty, LogisticSolver};
use crate::logistic_state::LogisticState;
use mercer_core::sums::{self, Block, BySums, Round, Shape};
use mercer_core::{
    Abilities, Attribute, Certificate, ClassWeight, Contributions, Dataset, Decision, Error, Evidence,
    Explainer, Fitted, Input, Interactions, Outputs, Params, Prediction, Proba, Result, Schema, Session,
    Summarised, Summary, Termination,
};
use mercer_math::{Mat, argmax};
use mercer_measure::class_probabilities;
use mercer_optim::AskTell;
use serde::{Deserialize, Serialize};

/// A fitted logistic regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LogisticModel {
    /// The coefficients: 1 × features for two classes, else classes × features.
    pub coef: Mat,
    /// The intercept of each row of coefficients. A class that did not occur in training has -1e300.
    pub intercept: Vec<f64>,
    /// Steps that the solver took.
    pub n_iter: u64,
    /// The weight of the loss against the penalty, where there is one.
    c: Option<f64>,
    /// The share of the L1 part in it.
    l1_share: f64,
    fit_intercept: bool,
    /// What one unit of the intercept costs beside one of a coefficient; 0 for nothing.
    intercept_cost: f64,
    class_weight: Option<ClassWeight>,
    /// The means of the features over the training rows, about which scores are explained.
    means: Vec<f64>,
    /// What is known of the coefficients, or why nothing is.
    inference: Result<LogisticInference, String>,
    certificate: Certificate,
}

/// Names of the evidence.
const GRADIENT: &str = "gradient";
const GAP: &str = "gap bound";
const DUALITY: &str = "relative duality gap";

impl LogisticModel {
    /// The best point of a search.
    pub(crate) fn new(
        learner: &LogisticRegression,
        state: &LogisticState,
        termination: Termination,
        inference: Result<LogisticInference, String>,
    ) -> Self {
        let (dims, k) = (state.dims, state.dims.columns());
        let empty = AskPoint::default();
        let found = state.search.as_ref().map_or(empty, AskPoint::of);
        let at = |j: usize, c: usize| found.point.get(j * k + c).copied().unwrap_or(0.0);
        let coef = Mat::from_fn(k, dims.features, |c, j| at(j, c));
        let mut intercept: Vec<f64> =
            (0..k).map(|c| if dims.intercept { at(dims.features, c) } else { 0.0 }).collect();
        if k > 1 {
            settle_intercepts(&mut intercept, &state.scale);
        }
        let (c, class_weight) =
            (learner.penalised().then_some(learner.c), learner.fitting.classes.class_weight.clone());
        let n_iter = state.ended.map_or(found.iterations, |e| e.iterations);
        let mut certificate = Certificate::new(termination).with_iterations(n_iter);
        if found.grad.is_empty() {
            certificate =
                certificate.with_note("stopped before the objective was evaluated: nothing is proved");
        } else {
            let (largest, gap) = evidence(state, &found);
            let meaning = "largest entry of the (least sub-)gradient of the mean objective, which is convex, over the mean size of its feature: zero at the optimum";
            certificate = certificate
                .with_objective(found.value * state.total() * c.unwrap_or(1.0))
                .with_evidence(Evidence::residual(GRADIENT, largest, meaning));
            // The objective is at least zero: a bound beyond it says nothing.
            if let Some(gap) = gap.filter(|gap| *gap <= found.value.max(f64::EPSILON)) {
                let also = if dims.intercept && state.intercept_cost == 0.0 {
                    ", if the best intercepts lie within 1 of these"
                } else {
                    ""
                };
                let meaning = format!("convexity: the mean objective is within this of its minimum{also}");
                certificate = certificate.with_evidence(Evidence::bound(GAP, gap, meaning));
            }
        }
        if let Some(gap) = state.ended.and_then(|e| e.gap) {
            let meaning = "weak duality: the objective is at most this share of that of no coefficients above its minimum";
            certificate = certificate.with_evidence(Evidence::bound(DUALITY, gap, meaning));
        }
        if let Some(why) = inference.as_ref().err().filter(|why| why.contains("separable")) {
            certificate = certificate.with_note(why.clone());
        }
        Self {
            coef,
            intercept,
            n_iter,
            c,
            l1_share: learner.l1_share(),
            fit_intercept: dims.intercept,
            intercept_cost: state.intercept_cost,
            class_weight,
            means: state.means.clone(),
            inference,
            certificate,
        }
    }

    /// The model of the mean coefficients of several, of which nothing is proved; of none, there is none.
    pub(crate) fn mean(models: &[&Self]) -> Self {
        let mut out = models[0].clone();
        for model in &models[1..] {
            mercer_math::axpy(1.0, model.coef.as_slice(), out.coef.as_mut_slice());
            mercer_math::axpy(1.0, &model.intercept, &mut out.intercept);
            mercer_math::axpy(1.0, &model.means, &mut out.means);
        }
        let share = 1.0 / models.len() as f64;
        mercer_math::scale(share, out.coef.as_mut_slice());
        mercer_math::scale(share, &mut out.intercept);
        mercer_math::scale(share, &mut out.means);
        let ends = models.iter().map(|m| m.certificate.termination);
        let ended = ends.reduce(|a, b| if a.is_success() { b } else { a }).unwrap_or(Termination::Stalled);
        let why = "the mean of the coefficients of several fits, which is no optimum: nothing is proved";
        out.certificate = Certificate::without_evidence(ended, why);
        out.inference = Err(why.to_owned());
        out
    }

    /// Coefficients and intercepts by features, as the loss takes them.
    pub(crate) fn point(&self, intercept: bool) -> Vec<f64> {
        let (k, d) = (self.coef.n_rows(), self.coef.n_cols());
        let weights = (0..d).flat_map(|j| (0..k).map(move |c| (j, c))).map(|(j, c)| self.coef[(c, j)]);
        // The loss leaves absent classes out by itself.
        let intercepts = self.intercept.iter().map(|&b| if b == ABSENT { 0.0 } else { b });
        weights.chain(intercepts.filter(|_| intercept)).collect()
    }

    /// The scores of the rows, rows × columns.
    pub(crate) fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        scores(LogisticRegression::NAME, &self.coef, &self.intercept, input, session)
    }
}

/// What a search has found.
#[derive(Default)]
struct AskPoint {
    point: Vec<f64>,
    grad: Vec<f64>,
    value: f64,
    iterations: u64,
}

impl AskPoint {
    fn of(search: &AskTell) -> Self {
        Self {
            point: search.point().to_vec(),
            grad: search.grad(),
            value: search.value(),
            iterations: search.iterations() as u64,
        }
    }
}

/// Intercepts that sum to zero over the classes that occur, and rule the others out.
fn settle_intercepts(intercept: &mut [f64], scale: &[f64]) {
    let present = |c: usize| scale.get(c).is_some_and(|s| *s > 0.0);
    let n = (0..intercept.len()).filter(|&c| present(c)).count().max(1);
    let mean = (0..intercept.len()).filter(|&c| present(c)).map(|c| intercept[c]).sum::<f64>() / n as f64;
    for (c, b) in intercept.iter_mut().enumerate() {
        *b = if present(c) { *b - mean } else { ABSENT };
    }
}

/// The largest entry of a (sub)gradient g over the mean size of its feature, and a bound on how far the mean objective F is above its minimum: |g_b| plus
/// ‖g_w‖² / 2λ where an L2 part makes it strongly convex, else ‖g_w‖∞ (‖w‖₁ + F / l1) where there is an L1 part, since
/// the best coefficients have ‖w*‖₁ <= F / l1 and F(w) − F* <= g · (w − w*). Intercepts that are penalised count as coefficients.
fn evidence(state: &LogisticState, found: &AskPoint) -> (f64, Option<f64>) {
    let sup = |v: &[f64]| v.iter().fold(0.0f64, |m, g| if g.abs() > m || g.is_nan() { g.abs() } else { m });
    let (w, b) = found.grad.split_at(state.dims.penalised());
    let norm1 = || found.point[..w.len()].iter().map(|w| w.abs()).sum::<f64>();
    let cost = state.intercept_cost;
    let rest = match (cost > 0.0, state.lambda > 0.0) {
        (true, true) => mercer_math::dot(b, b) / (2.0 * state.intercept_lambda()),
        (true, false) => {
            let far = |(g, at): (&f64, &f64)| g.abs() * (at.abs() + found.value / (state.l1 * cost));
            b.iter().zip(&found.point[w.len()..]).map(far).sum()
        }
        (false, _) => b.iter().map(|g| g.abs()).sum::<f64>(),
    };
    let gap = match (state.lambda > 0.0, state.l1 > 0.0) {
        (true, _) => Some(mercer_math::dot(w, w) / (2.0 * state.lambda) + rest),
        (false, true) => Some(sup(w) * (norm1() + found.value / state.l1) + rest),
        (false, false) => None,
    };
    let k = state.dims.columns();
    let over = |(j, g): (usize, &f64)| match state.sizes[j / k] {
        size if size > 0.0 => g / size,
        _ => *g,
    };
    let relative: Vec<f64> = w.iter().enumerate().map(over).collect();
    (crate::linear_model::larger(sup(&relative), sup(b)), gap)
}

impl Fitted for LogisticModel {
    const VERSION: u32 = 2;

    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.scores(input, session)?;
        let best = |z: &[f64]| match z {
            [z] => u32::from(*z > 0.0),
            many => argmax(many) as u32,
        };
        schema.prediction([(0..scores.n_rows()).map(|i| best(scores.row(i))).collect::<Vec<u32>>()])
    }

    fn abilities(&self) -> Abilities<'_> {
        let summary = self.inference.as_ref().ok().map(|_| self as &dyn Summarised);
        Abilities {
            proba: Some(self),
            decision: Some(self),
            explain: Some(self),
            summary,
            ..Abilities::default()
        }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        self.inference.as_ref().err().filter(|_| ability == "summary").cloned()
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let proof = Proof::of(self);
        let mut found = sums::fit(LogisticRegression::NAME, &proof, data, session)?;
        if self.certificate.evidence.iter().any(|e| e.name == DUALITY) {
            found.push((DUALITY.to_owned(), relative_gap(&proof.learner, &proof.point, data)?));
        }
        Ok(found)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.coef.n_rows(), self.coef.n_cols());
        vec![
            Attribute::real("coef_", "The coefficients.", &[k, d], self.coef.as_slice().to_vec()),
            Attribute::real("intercept_", "The intercepts.", &[k], self.intercept.clone()),
            Attribute::int("n_iter_", "Steps that the solver took.", &[1], vec![self.n_iter as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map_or(0, |l| l.len());
        let rows = if classes == 2 { 1 } else { classes };
        let fits = classes >= 2
            && self.coef.is_consistent()
            && (self.coef.n_rows(), self.coef.n_cols()) == (rows, schema.n_features())
            && self.intercept.len() == rows
            && self.means.len() == self.coef.n_cols()
            && self.inference.as_ref().map_or(true, |i| i.fits(&self.coef))
            && (0.0..=1.0).contains(&self.l1_share)
            && self.c.is_none_or(|c| c > 0.0)
            && self.intercept_cost >= 0.0;
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Decision for LogisticModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        self.scores(input, session)
    }
}

impl Proba for LogisticModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        Ok(class_probabilities(self.scores(input, session)?, 1.0))
    }
}

impl Summarised for LogisticModel {
    fn summary(&self, level: f64, schema: &Schema) -> Result<Summary> {
        let known = self.inference.as_ref();
        let known = known.map_err(|why| Error::incapable(LogisticRegression::NAME, why.clone()))?;
        Ok(known.summary(&self.coef, &self.intercept, level, schema))
    }
}

/// On the scale of the scores (log-odds of two classes): w_j (x_j − x̄_j) about the score of the mean row.
impl Explainer for LogisticModel {
    fn contributions(&self, input: &Input<'_>, _: &Session) -> Result<Contributions> {
        let (base, values) = crate::linear_model::about_means(
            (&self.coef, &self.intercept),
            &self.means,
            input,
            LogisticRegression::NAME,
        )?;
        Ok(Contributions { features: Vec::new(), outputs: Outputs::Scores, base, values })
    }

    fn interactions(&self, input: &Input<'_>, session: &Session) -> Result<Interactions> {
        Ok(crate::linear_model::all_alone(&self.contributions(input, session)?.values))
    }
}

/// Recomputes the evidence: one round counts the classes, one evaluates the gradient at the model.
struct Proof {
    learner: LogisticRegression,
    point: Vec<f64>,
}

impl Proof {
    fn of(model: &LogisticModel) -> Self {
        let tied = model.intercept_cost > 0.0;
        let learner = LogisticRegression {
            penalty: model.c.map(|_| LogisticPenalty::Elasticnet),
            l1_ratio: model.l1_share,
            c: model.c.unwrap_or(1.0),
            fitting: LogisticFitParams {
                intercept: InterceptParams { fit_intercept: model.fit_intercept },
                classes: ClassWeightParams { class_weight: model.class_weight.clone() },
                solver: if tied { LogisticSolver::Liblinear } else { LogisticSolver::Lbfgs },
                intercept_scaling: if tied { 1.0 / model.intercept_cost } else { 1.0 },
                ..LogisticRegression::default().fitting
            },
        };
        Self { learner, point: model.point(model.fit_intercept) }
    }
}

impl BySums for Proof {
    type State = LogisticState;
    type Summary = LogisticSums;
    type Local = LogisticLocal;
    type Model = Vec<(String, f64)>;

    fn block_rows(&self, shape: &Shape) -> usize {
        self.learner.block_rows(shape)
    }

    fn begin(&self, shape: &Shape, session: &Session) -> Result<LogisticState> {
        self.learner.begin(shape, session)
    }

    fn empty(&self, state: &LogisticState) -> LogisticSums {
        self.learner.empty(state)
    }

    fn absorb(
        &self,
        s: &LogisticState,
        block: &Block<'_>,
        local: &mut LogisticLocal,
        out: &mut LogisticSums,
    ) -> Result<()> {
        self.learner.absorb(s, block, local, out)
    }

    fn merge(&self, into: &mut LogisticSums, other: LogisticSums) {
        into.merge(other);
    }

    fn advance(
        &self,
        mut state: LogisticState,
        sums: LogisticSums,
        _: &Session,
    ) -> Result<Round<LogisticState, Self::Model>> {
        if state.search.is_none() {
            self.learner.start(&mut state, &sums, None)?;
            state.evaluate_at(self.point.clone())?;
            return Ok(Round::Go(state));
        }
        let (value, grad) = state.objective(&self.point, &sums);
        let Some(search) = &mut state.search else { return Ok(Round::Go(state)) };
        search.tell_value(value, grad, <[f64]>::to_vec);
        let (largest, gap) =
            evidence(&state, &state.search.as_ref().map_or_else(AskPoint::default, AskPoint::of));
        let gap = gap.map(|gap| (GAP.to_owned(), gap));
        Ok(Round::Done(std::iter::once((GRADIENT.to_owned(), largest)).chain(gap).collect()))
    }
}
