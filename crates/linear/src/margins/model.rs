//! What linear support vector machines learn: coefficients and intercepts, and the proof of how good they are.

use super::machine::{Form, Machine, Solved};
use super::problem::Standing;
use crate::linear_scores::{best_class, scores};
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Decision, Evidence, Fitted, Input, Prediction, Result,
    Schema, Session,
};
use mercer_math::Mat;
use serde::{Deserialize, Serialize};

/// A fitted linear support vector machine.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LinearSvmModel {
    /// The coefficients: 1 × features for two classes and for numbers, else classes × features.
    pub coef: Mat,
    /// The intercept of each row of coefficients.
    pub intercept: Vec<f64>,
    /// Passes over the rows or coefficients, or Newton steps; the most of any class.
    pub n_iter: u64,
    machine: Machine,
    /// Whether it tells classes apart.
    classes: bool,
    certificate: Certificate,
}

const GAP: &str = "relative duality gap";
const RESIDUAL: &str = "relative residual";

impl LinearSvmModel {
    pub(crate) fn new(machine: Machine, classes: bool, solved: &Solved, d: usize) -> Self {
        let joint = machine.form == Form::CrammerSinger && solved.weights.len() == 2;
        let of = |k: usize, j: usize| match joint {
            // Of two classes the difference decides.
            true => solved.weights[1][j] - solved.weights[0][j],
            false => solved.weights[k][j],
        };
        let rows = if joint { 1 } else { solved.weights.len() };
        let coef = Mat::from_fn(rows, d, of);
        let intercept = (0..rows).map(|k| if machine.bias != 0.0 { machine.bias * of(k, d) } else { 0.0 });
        let certificate = certify(&machine, solved);
        let n_iter = solved.iterations as u64;
        Self { intercept: intercept.collect(), coef, n_iter, machine, classes, certificate }
    }

    /// The vectors of weights that the solver had.
    fn weights(&self) -> Vec<Vec<f64>> {
        let one = |k: usize, factor: f64| -> Vec<f64> {
            let constant = (self.machine.bias != 0.0).then(|| self.intercept[k] / self.machine.bias);
            self.coef.row(k).iter().copied().chain(constant).map(|w| factor * w).collect()
        };
        match self.machine.form == Form::CrammerSinger && self.coef.n_rows() == 1 {
            // Both classes share the difference, since the sum of all weights is zero.
            true => vec![one(0, -0.5), one(0, 0.5)],
            false => (0..self.coef.n_rows()).map(|k| one(k, 1.0)).collect(),
        }
    }
}

fn certify(machine: &Machine, solved: &Solved) -> Certificate {
    let s = solved.standing;
    let [gap, residual] = numbers(&s);
    let proved = "the objective is at most this share of that of no coefficients above its minimum";
    let meaning = match machine.form {
        Form::L1 => "largest violation of the optimality conditions, over the steepest slope of the loss",
        _ => {
            "largest entry of what the coefficients lack to be the sum of the rows that hold them, each over the sizes of what it is the sum of"
        }
    };
    Certificate::new(solved.termination)
        .with_iterations(solved.iterations as u64)
        .with_objective(s.objective)
        .with_evidence(Evidence::bound(GAP, gap, proved))
        .with_evidence(Evidence::residual(RESIDUAL, residual, meaning))
        .with_note(format!("{} support vectors", s.support))
}

fn numbers(standing: &Standing) -> [f64; 2] {
    [standing.relative_gap(), standing.residual]
}

impl Fitted for LinearSvmModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        let found = scores(&self.machine.name, &self.coef, &self.intercept, input, session)?;
        match self.classes {
            true => schema.prediction([best_class(&found)]),
            false => schema.prediction([found.into_vec()]),
        }
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { decision: self.classes.then_some(self as &dyn Decision), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let [gap, residual] = numbers(&self.machine.standing(data, &self.weights(), session)?);
        Ok(vec![(GAP.to_owned(), gap), (RESIDUAL.to_owned(), residual)])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let (k, d) = (self.coef.n_rows(), self.coef.n_cols());
        let shape = if self.classes { vec![k, d] } else { vec![d] };
        vec![
            Attribute::real("coef_", "The coefficients.", &shape, self.coef.as_slice().to_vec()),
            Attribute::real("intercept_", "The intercepts.", &[k], self.intercept.clone()),
            Attribute::int("n_iter_", "Passes or Newton steps.", &[], vec![self.n_iter as i64]),
        ]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let classes = schema.labels().map_or(0, |l| l.len());
        let rows = if classes <= 2 { 1 } else { classes };
        let fits = self.classes == (classes > 0)
            && self.coef.is_consistent()
            && (self.coef.n_rows(), self.coef.n_cols()) == (rows, schema.n_features())
            && self.intercept.len() == rows
            && self.machine.c > 0.0;
        if fits { Ok(()) } else { Err("coefficients do not fit the schema".to_owned()) }
    }
}

impl Decision for LinearSvmModel {
    fn decisions(&self, input: &Input<'_>, session: &Session) -> Result<Mat> {
        scores(&self.machine.name, &self.coef, &self.intercept, input, session)
    }
}
