//! Ordinal regression: classes in an order, told apart by thresholds on a linear score.
//!
//! # Objective
//! With a score $f_i = x_i^\top w$ and thresholds $\theta_1 < \dots < \theta_{K-1}$ between $K$ classes,
//! $$ \min_{w,\theta}\ \sum_i s_i\,\ell(y_i, f_i, \theta) + \tfrac{\alpha}{2}\lVert w\rVert_2^2. $$
//! The proportional odds (`logit`) are $P(y \le k \mid x) = \sigma(\theta_k - f)$ and $\ell = -\ln P(y \mid x)$. The threshold
//! losses sum a loss $g$ of margins: over the two thresholds at the ends of the class (`immediate`),
//! $g(f - \theta_{y-1}) + g(\theta_y - f)$, or over all of them (`all`), which counts how many classes a score is off.
//! $g$ is the logistic loss $\ln(1 + e^{-z})$ or the smooth hinge: $\tfrac12 - z$ up to 0, $\tfrac12(1 - z)^2$ up to 1, then 0.
//!
//! # Algorithm
//! The variables are the first threshold, the gaps between thresholds, not negative, and the coefficients of columns about
//! their means in units of their spread. All losses are convex in them: the proportional odds are the immediate logistic loss
//! and $-\ln(1 - e^{-\delta_y})$ of the gap of the class. L-BFGS-B minimises.
//!
//! # Complexity
//! O(n d) an iteration, or O(nnz) of sparse rows, and O(n K) more for the losses of all thresholds; memory of a copy of the
//! rows, of sparse ones of two sparse copies.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::OrdinalRegression;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(9, 1, |i, _| i as f64);
//! let data = Dataset::new(&x).with_target(Target::classes(&[1, 1, 1, 2, 2, 2, 3, 3, 3]))?;
//! let model = OrdinalRegression::default().alpha(0.1).fit(&data)?;
//! assert_eq!(model.predict(&x)?.class()?.0, &[0, 0, 0, 1, 1, 1, 2, 2, 2]);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! The order of classes is the order of labels: numbers by size, words by the alphabet. A class that does not occur has
//! no room between its thresholds and is never predicted. Immediate losses may close the room of a class that is rare: its two
//! thresholds are then the same. Without a penalty, classes that a score tells apart wholly have no finite optimum.
//!
//! # References
//! - P. McCullagh. Regression models for ordinal data. JRSS B 42(2), 1980. doi:10.1111/j.2517-6161.1980.tb01109.x
//! - J. D. M. Rennie, N. Srebro. Loss functions for preference levels: regression with discrete ordered labels. IJCAI
//!   workshop on advances in preference handling, 2005.

mod problem;
pub(crate) mod rows;

use mercer_core::{
    Abilities, Attribute, Capabilities, Certificate, Choice, Dataset, Evidence, Fitted, Input, Labels, Learn,
    ParamGroup, Params, Prediction, Proba, Result, Schema, Session,
};
use mercer_math::{Mat, argmax};
use problem::Problem;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What is paid for a score on the wrong side of thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum OrdinalLoss {
    /// Proportional odds: the likelihood of cumulative logits.
    Logit,
    /// The logistic loss at the two thresholds of the class.
    ImmediateLogistic,
    /// The smooth hinge at the two thresholds of the class.
    ImmediateHinge,
    /// The logistic loss at all thresholds.
    AllLogistic,
    /// The smooth hinge at all thresholds.
    AllHinge,
}

impl OrdinalLoss {
    fn is_all(self) -> bool {
        matches!(self, OrdinalLoss::AllLogistic | OrdinalLoss::AllHinge)
    }

    /// The loss of a margin, and its slope.
    fn margin(self, z: f64) -> (f64, f64) {
        match self {
            OrdinalLoss::ImmediateHinge | OrdinalLoss::AllHinge => match z {
                z if z >= 1.0 => (0.0, 0.0),
                z if z > 0.0 => (0.5 * (1.0 - z).powi(2), z - 1.0),
                z => (0.5 - z, -1.0),
            },
            OrdinalLoss::Logit | OrdinalLoss::ImmediateLogistic | OrdinalLoss::AllLogistic => {
                ((-z).max(0.0) + (-z.abs()).exp().ln_1p(), -sigmoid(-z))
            }
        }
    }
}

/// 1 / (1 + e⁻ᶻ).
fn sigmoid(z: f64) -> f64 {
    let e = (-z.abs()).exp();
    if z < 0.0 { e / (1.0 + e) } else { 1.0 / (1.0 + e) }
}

/// When the solvers of scores without an intercept stop.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct ScoreSolverParams {
    /// Most iterations of the solver.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_iter: usize,
    /// Largest entry of the gradient of the mean objective, in units of the columns, at which to stop.
    #[param(default = 1e-8, range = "[0, inf)")]
    pub tol: f64,
}

/// Ordinal regression: thresholds on a linear score tell classes apart that have an order.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "ordinal-regression",
    canon = "L9",
    task = Classification,
    python = "linear_model",
    tried = " | alpha=0.0 | loss=all_logistic,alpha=10 | loss=immediate_logistic,alpha=300 | loss=all_hinge,alpha=30 | loss=immediate_hinge,alpha=30",
    can = "proba weights sparse scaled",
    references = "McCullagh. Regression models for ordinal data. JRSS B 42(2), 1980.|\
                  Rennie, Srebro. Loss functions for preference levels. IJCAI workshop, 2005."
)]
pub struct OrdinalRegression {
    /// Strength of the L2 penalty.
    #[param(default = 1.0, range = "[0, inf)", search = "log 1e-4..1e3")]
    pub alpha: f64,
    /// The likelihood of proportional odds, or a loss of margins at thresholds.
    #[param(default = OrdinalLoss::Logit, search = "among logit|immediate_logistic|immediate_hinge|all_logistic|all_hinge")]
    pub loss: OrdinalLoss,
    /// When to stop.
    #[param(flatten)]
    pub stop: ScoreSolverParams,
}

/// A fitted ordinal regression.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OrdinalModel {
    /// The coefficients: the greater the score, the higher the class.
    pub coef: Vec<f64>,
    /// The thresholds between each class and the next. A class that did not occur has the same on both sides.
    pub thresholds: Vec<f64>,
    /// Steps that the solver took.
    pub n_iter: u64,
    labels: Labels,
    loss: OrdinalLoss,
    alpha: f64,
    certificate: Certificate,
}

/// Names of the evidence.
const GRADIENT: &str = "relative gradient";
const GAP: &str = "gap bound";
/// The threshold beyond all scores, at the side of classes that did not occur.
const BEYOND: f64 = 1e300;

impl Learn for OrdinalRegression {
    type Model = OrdinalModel;

    /// Without a penalty the units of columns do not matter; margins are no probabilities.
    fn capabilities(&self) -> Capabilities {
        let own = Self::declaration().capabilities;
        Capabilities { scaled: self.alpha > 0.0, proba: self.loss == OrdinalLoss::Logit, ..own }
    }

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<OrdinalModel> {
        let mut problem = Problem::of(Self::NAME, data, self.loss, self.alpha, None)?;
        let (v, objective, termination, n_iter) =
            problem.minimise(self.stop.tol, self.stop.max_iter, session)?;
        let (relative, gap) = problem.evidence(&v);
        let meaning = "largest entry of the gradient of the convex mean objective, each over the most it can be: zero at the optimum";
        let mut certificate = Certificate::new(termination)
            .with_iterations(n_iter)
            .with_objective(objective)
            .with_evidence(Evidence::residual(GRADIENT, relative, meaning));
        if let Some(gap) = gap.filter(|gap| *gap <= 1.0) {
            let meaning = "convexity: the mean objective is within this of its minimum, if the best thresholds lie within 1 of these";
            certificate = certificate.with_evidence(Evidence::bound(GAP, gap, meaning));
        }
        let labels = data.labels().cloned().unwrap_or_else(|| [].into());
        let theta = problem.thresholds(&v);
        let (coef, at_means) = problem.rows.unscaled(&v[theta.len()..]);
        // The threshold after a class is that after the last class up to it that occurs.
        let after = |c: u32| match problem.present.partition_point(|&p| p <= c) {
            0 => -BEYOND,
            at => theta.get(at - 1).map_or(BEYOND, |t| t + at_means),
        };
        let thresholds = (0..labels.len().saturating_sub(1)).map(|c| after(c as u32)).collect();
        Ok(OrdinalModel { coef, thresholds, n_iter, labels, loss: self.loss, alpha: self.alpha, certificate })
    }
}

impl OrdinalModel {
    fn scores(&self, input: &Input<'_>, session: &Session) -> Result<Vec<f64>> {
        let x = input.rows(OrdinalRegression::NAME)?.numbers(OrdinalRegression::NAME)?;
        let x = x.view();
        let score = |i: usize| x.dot_row(i, &self.coef);
        Ok(match x.n_rows() {
            n if n <= 1024 => (0..n).map(score).collect(),
            n => session.run(|| (0..n).into_par_iter().with_min_len(256).map(score).collect()),
        })
    }

    /// The probability of each class at a score.
    fn shares(&self, f: f64, out: &mut [f64]) {
        let k = out.len();
        for (c, p) in out.iter_mut().enumerate() {
            let low = if c == 0 { f64::NEG_INFINITY } else { self.thresholds[c - 1] - f };
            let high = if c + 1 == k { f64::INFINITY } else { self.thresholds[c] - f };
            // Differences of small numbers keep their digits.
            *p = if low > 0.0 { sigmoid(-low) - sigmoid(-high) } else { sigmoid(high) - sigmoid(low) };
        }
    }
}

impl Proba for OrdinalModel {
    fn probabilities(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        let scores = self.scores(input, session)?;
        let mut out = Mat::zeros(scores.len(), self.labels.len());
        scores.iter().enumerate().for_each(|(i, &f)| self.shares(f, out.row_mut(i)));
        Ok(out)
    }
}

impl Fitted for OrdinalModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let scores = self.scores(input, session)?;
        let mut shares = vec![0.0; self.labels.len()];
        let class = |f: &f64| match self.loss {
            OrdinalLoss::Logit => {
                self.shares(*f, &mut shares);
                argmax(&shares) as u32
            }
            _ => self.thresholds.iter().filter(|t| f > *t).count() as u32,
        };
        schema.prediction([scores.iter().map(class).collect::<Vec<u32>>()])
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { proba: (self.loss == OrdinalLoss::Logit).then_some(self as _), ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        (ability == "proba").then(|| "losses of margins are no likelihood; loss=logit is one".to_owned())
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let who = OrdinalRegression::NAME;
        let mut problem = Problem::of(who, data, self.loss, self.alpha, Some(&self.labels))?;
        let v = problem.point(self);
        let (relative, gap) = problem.evidence(&v);
        let gap = gap.map(|gap| (GAP.to_owned(), gap));
        Ok(std::iter::once((GRADIENT.to_owned(), relative)).chain(gap).collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (d, k) = (self.coef.len(), self.thresholds.len());
        vec![
            Attribute::real("coef_", "The coefficients of the score.", &[d], self.coef.clone()),
            Attribute::real("thresholds_", "The thresholds between classes.", &[k], self.thresholds.clone()),
            Attribute::int("n_iter_", "Steps that the solver took.", &[], vec![self.n_iter as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let fits = schema.labels() == Some(&self.labels)
            && self.coef.len() == schema.n_features()
            && self.labels.len() >= 2
            && self.thresholds.len() + 1 == self.labels.len()
            && self.coef.iter().chain(&self.thresholds).all(|v| v.is_finite())
            && self.thresholds.windows(2).all(|w| w[0] <= w[1])
            && self.alpha >= 0.0;
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}
