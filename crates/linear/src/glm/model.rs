//! What generalised linear models learn: coefficients on the scale of the link, and what is proved of them.

use super::family::Family;
use super::frame::GlmFrame;
use super::inference::Inference;
use super::solver::Glm;
use super::{GlmParams, GlmSolver};
use crate::intercept::InterceptParams;
use crate::linear_model::{GRADIENT, larger};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, Evidence, Fitted, Input, Prediction, Result, Schema,
    Session, Summarised, Summary, Termination, sums,
};
use serde::{Deserialize, Serialize};

/// A fitted generalised linear model.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct GlmModel {
    /// Its learner.
    name: String,
    coef: Vec<f64>,
    intercept: f64,
    family: Family,
    alpha: f64,
    fit_intercept: bool,
    /// The column that is added to the score, with a coefficient of 1.
    offset: Option<usize>,
    n_iter: u64,
    /// What is known of the coefficients, or why nothing is.
    inference: Result<Inference, String>,
    certificate: Certificate,
}

/// Where a search has ended.
pub(super) struct Standing {
    /// What the gradient is measured by.
    pub(super) size: f64,
    pub(super) termination: Termination,
    pub(super) grad: Vec<f64>,
    pub(super) value: f64,
    pub(super) iterations: u64,
}

/// The name of the bound.
const GAP: &str = "gap bound";

impl Standing {
    /// The certificate of a point in a frame.
    fn certificate(&self, family: Family, frame: &GlmFrame) -> Certificate {
        let largest = self.grad.iter().fold(0.0, |m, g| larger(m, (g / self.size).abs()));
        let mut out =
            Certificate::new(self.termination).with_iterations(self.iterations).with_objective(self.value);
        if self.grad.is_empty() {
            return out.with_note("stopped before the objective was evaluated: nothing is proved");
        }
        let kind = if family.convex() {
            "zero at the optimum, since it is convex"
        } else {
            "zero where it is stationary"
        };
        let meaning = format!(
            "largest entry of the gradient of the mean objective over the pull of the target's spread: {kind}"
        );
        out = out.with_evidence(Evidence::residual(GRADIENT, largest, meaning));
        if !family.convex() {
            return out.with_note(
                "the deviance of this power and link is not convex: the gradient proves no minimum",
            );
        }
        let (b, w) = self.grad.split_at(usize::from(frame.intercept));
        let penalty = &frame.penalty[b.len()..];
        let gap: f64 = b.iter().map(|g| g.abs()).sum::<f64>()
            + w.iter().zip(penalty).filter(|(g, _)| **g != 0.0).map(|(g, p)| g * g / (2.0 * p)).sum::<f64>();
        // Deviances are at least zero: a bound beyond the objective says nothing.
        if gap.is_finite() && gap <= self.value {
            let also = if b.is_empty() { "" } else { ", if the best intercept lies within 1 of this" };
            let meaning = format!("strong convexity: the mean objective is within this of its minimum{also}");
            out = out.with_evidence(Evidence::bound(GAP, gap, meaning).on_scale(self.value));
        }
        out
    }
}

impl GlmModel {
    pub(super) fn new(
        name: &str,
        (family, params, offset): (Family, &GlmParams, Option<usize>),
        frame: &GlmFrame,
        point: &[f64],
        standing: &Standing,
        inference: Result<Inference, String>,
    ) -> Result<Self> {
        let (mut coef, intercept) = frame.unscaled(point);
        offset.into_iter().for_each(|j| coef[j] = 1.0);
        if !coef.iter().chain([&intercept]).all(|v| v.is_finite()) {
            return Err(Error::numeric(
                name,
                "values too large or too small: scale the features or the target",
            ));
        }
        Ok(Self {
            name: name.to_owned(),
            coef,
            intercept,
            family,
            alpha: params.alpha,
            fit_intercept: frame.intercept,
            offset,
            n_iter: standing.iterations,
            inference,
            certificate: standing.certificate(family, frame),
        })
    }

    /// The coefficients, on the scale of the link; that of the offset is 1.
    pub fn coef(&self) -> &[f64] {
        &self.coef
    }

    /// The intercept, on the scale of the link.
    pub fn intercept(&self) -> f64 {
        self.intercept
    }

    /// Steps that the solver took.
    pub fn n_iter(&self) -> u64 {
        self.n_iter
    }
}

impl Fitted for GlmModel {
    const VERSION: u32 = 2;

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, _: &Session) -> Result<Prediction> {
        let x = input.rows(&self.name)?.numbers(&self.name)?;
        let x = x.view();
        let mut scores: Vec<f64> =
            (0..x.n_rows()).map(|i| x.dot_row(i, &self.coef) + self.intercept).collect();
        self.family.link().means(&mut scores);
        schema.prediction([scores])
    }

    fn abilities(&self) -> Abilities<'_> {
        let summary = self.inference.as_ref().ok().map(|_| self as &dyn Summarised);
        Abilities { summary, ..Abilities::default() }
    }

    fn why_not(&self, ability: &str) -> Option<String> {
        self.inference.as_ref().err().filter(|_| ability == "summary").cloned()
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.family.check(&self.name, data.need_target(&self.name)?.numbers()?)?;
        let params = GlmParams {
            alpha: self.alpha,
            intercept: InterceptParams { fit_intercept: self.fit_intercept },
            solver: GlmSolver::Lbfgs,
            max_iter: 1,
            tol: 1e-4,
            offset: None,
        };
        let glm = Glm::new(&self.name, self.family, &params);
        let glm = glm.with_offset(self.offset).at(&self.coef, self.intercept);
        let there = sums::fit(&self.name, &glm, data, session)?;
        Ok(there.certificate.evidence.into_iter().map(|e| (e.name, e.value)).collect())
    }

    fn attributes(&self) -> Vec<Attribute> {
        vec![
            Attribute::real(
                "coef_",
                "The coefficients; 1 for the offset.",
                &[self.coef.len()],
                self.coef.clone(),
            ),
            Attribute::real("intercept_", "The intercept.", &[], vec![self.intercept]),
            Attribute::int("n_iter_", "Steps that the solver took.", &[], vec![self.n_iter as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let width = self.coef.len() + usize::from(self.fit_intercept);
        let fits = self.coef.len() == schema.n_features()
            && schema.targets.len() == 1
            && self.family.power.is_finite()
            && self.alpha >= 0.0
            && self.offset.is_none_or(|j| j < self.coef.len())
            && self.inference.as_ref().is_ok_and(|i| i.fits(width)) | self.inference.is_err();
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Summarised for GlmModel {
    fn summary(&self, level: f64, schema: &Schema) -> Result<Summary> {
        let known = self.inference.as_ref().map_err(|why| Error::incapable(&self.name, why.clone()))?;
        let intercept = self.fit_intercept.then_some(self.intercept);
        let estimates = intercept.into_iter().chain(self.coef.iter().copied()).collect();
        Ok(known.summary(&self.name, estimates, (self.offset, level), schema))
    }
}
