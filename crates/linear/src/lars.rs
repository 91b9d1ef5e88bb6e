//! Least angle regression: the whole path of a linear model, feature by feature.
//!
//! # Objective
//! [`LassoLars`]: the lasso, $\min_{w,b} \frac{1}{2n}\lVert y - Xw - b\rVert_2^2 + \alpha\lVert w\rVert_1$, exactly, with
//! every strength above $\alpha$ on the way. [`Lars`]: the same path without features that leave, which at its knots has
//! all features in use equally correlated with the residual, and at its end is least squares.
//!
//! # Algorithm
//! From knot to knot: the features in use move along $G^{-1}s$, with their products $G$ and the signs $s$ of their
//! correlations, until another feature correlates as much and joins, or, for the lasso, a coefficient reaches zero and
//! leaves.
//!
//! # Complexity
//! O(n d + k²) a knot with k features in use, whose factor grows and shrinks with them.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LassoLars;
//! use mercer_math::Mat;
//! let x = Mat::from_rows(&[[-1.0, 1.0], [0.0, -2.0], [1.0, 1.0]]).unwrap();
//! let data = Dataset::new(&x).with_target(Target::real(vec![-2.0, 0.0, 2.0]))?;
//! let model = LassoLars::default().alpha(0.1).fit(&data)?;
//! assert!((model.coef()[0] - 1.85).abs() < 1e-12 && model.coef()[1] == 0.0);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Residual and correlations are computed anew from the coefficients at each knot, so that no rounding adds up. Features
//! that those in use already span stay out; the certificate names them. `Lars` keeps the signs of the correlations when a coefficient crosses zero,
//! as in the paper.
//!
//! # References
//! - B. Efron, T. Hastie, I. Johnstone, R. Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
//!   doi:10.1214/009053604000000067

use crate::intercept::InterceptParams;
use crate::least_angle::{Knots, Steps, least_angles};
use crate::linear_model::{LinearRegressionModel, larger};
use crate::sparse_path::Columns;
use mercer_core::{
    Abilities, Attribute, AttributeValues, Certificate, Dataset, Error, Evidence, Fitted, Input, Learn,
    ParamGroup, Params, Prediction, Result, Schema, Session, Termination,
};
use mercer_math::{Mat, dot};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// What both least angle regressions share.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct LeastAngleParams {
    /// Whether there is an intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Whether to keep the whole path.
    #[param(default = true)]
    pub fit_path: bool,
}

/// Least angle regression.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lars",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state verbose",
    door = "precompute='auto' eps=2.220446049250313e-16 copy_X=True jitter=None",
    mixins = "LeastAngleMixin",
    can = "explain sparse multi_output",
    references = "Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004."
)]
pub struct Lars {
    /// Most features in use.
    #[param(default = 500, range = "[1, inf)")]
    pub n_nonzero_coefs: usize,
    /// The intercept, and what is kept.
    #[param(flatten)]
    pub angles: LeastAngleParams,
}

/// The lasso by least angles: exact, with its whole path.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "lasso-lars",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "random_state verbose",
    door = "precompute='auto' eps=2.220446049250313e-16 copy_X=True jitter=None",
    mixins = "LeastAngleMixin",
    tried = "alpha=0.01",
    can = "explain sparse multi_output scaled zeroes",
    references = "Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004."
)]
pub struct LassoLars {
    /// Strength of the penalty.
    #[param(flatten)]
    pub penalty: crate::lasso::L1PenaltyParams,
    /// Most knots.
    #[param(default = 500, range = "[1, inf)")]
    pub max_iter: usize,
    /// The intercept, and what is kept.
    #[param(flatten)]
    pub angles: LeastAngleParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: crate::lasso::SignParams,
}

/// A linear regression with its path of least angles.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LarsModel {
    pub(crate) linear: LinearRegressionModel,
    lasso: bool,
    positive: bool,
    fit_path: bool,
    n_iter: Vec<u64>,
    /// The strengths at the knots of each target; the last one alone where no path is kept.
    alphas: Vec<Vec<f64>>,
    /// The features in use of each target.
    active: Vec<Vec<u32>>,
    /// The coefficients at the knots of each target, features × knots.
    paths: Vec<Mat>,
}

impl Learn for Lars {
    type Model = LarsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LarsModel> {
        let max_iter = self.n_nonzero_coefs;
        let steps = Steps { lasso: false, positive: false, max_iter, alpha_min: 0.0, session };
        learn(Self::NAME, data, &steps, &self.angles)
    }
}

impl Learn for LassoLars {
    type Model = LarsModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LarsModel> {
        let (positive, alpha_min) = (self.sign.positive, self.penalty.alpha);
        let steps = Steps { lasso: true, positive, max_iter: self.max_iter, alpha_min, session };
        learn(Self::NAME, data, &steps, &self.angles)
    }
}

pub(crate) fn learn(
    name: &str,
    data: &Dataset<'_>,
    steps: &Steps<'_>,
    params: &LeastAngleParams,
) -> Result<LarsModel> {
    let columns = Columns::of(name, data, params.intercept.fit_intercept)?;
    let t = columns.targets();
    let knots: Vec<Knots> = (0..t).into_par_iter().map(|k| least_angles(&columns.only(k), steps)).collect();
    finish(name, &columns, knots, steps, params)
}

/// The model that ends at the last of the knots of each target.
pub(crate) fn finish(
    name: &str,
    columns: &Columns,
    knots: Vec<Knots>,
    steps: &Steps<'_>,
    params: &LeastAngleParams,
) -> Result<LarsModel> {
    let (t, d) = (columns.targets(), columns.n());
    let last = |k: &Knots, j: usize| k.coefs.last().map_or(0.0, |w| w[j]);
    let coef = Mat::from_fn(t, d, |k, j| last(&knots[k], j));
    let alphas: Vec<Vec<f64>> = knots
        .iter()
        .map(|k| if params.fit_path { k.alphas.clone() } else { k.alphas[k.alphas.len() - 1..].to_vec() })
        .collect();
    if !alphas.iter().flatten().all(|v| v.is_finite()) {
        let why = "values whose squares are too large or too small: scale the features or the target";
        return Err(Error::numeric(name, why));
    }
    let path = |k: &Knots| Mat::from_fn(d, k.coefs.len(), |j, knot| k.coefs[knot][j]);
    let ended = knots.iter().map(|k| k.termination).find(|t| !t.is_success());
    let fit_path = params.fit_path;
    let kept = |k: &Knots| k.active.iter().map(|&j| j as u32).collect();
    let certificate = Certificate::new(ended.unwrap_or(Termination::Exact));
    let w = coef.view().t().to_mat();
    let linear = LinearRegressionModel::about(name, &w, (&columns.mean_x, &columns.mean_y), certificate)?;
    let mut model = LarsModel {
        linear: LinearRegressionModel { fit_intercept: params.intercept.fit_intercept, ..linear },
        lasso: steps.lasso,
        positive: steps.positive,
        fit_path,
        n_iter: knots.iter().map(|k| (k.alphas.len() - 1) as u64).collect(),
        alphas,
        active: knots.iter().map(kept).collect(),
        paths: knots.iter().filter(|_| fit_path).map(path).collect(),
    };
    model.certify(columns);
    if let Some(knots) = knots.iter().find(|k| !k.spanned.is_empty()) {
        let note = format!("features that others span stay out: {:?}", knots.spanned);
        model.linear.certificate = model.linear.certificate.with_note(note);
    }
    Ok(model)
}

const ANGLES: &str = "relative violation of equal correlations";

impl LarsModel {
    /// The coefficients, target by target.
    pub fn coef(&self) -> &[f64] {
        self.linear.coef.as_slice()
    }

    /// The strengths at the knots of each target.
    pub fn alphas(&self) -> &[Vec<f64>] {
        &self.alphas
    }

    /// The coefficients at the knots of each target, features × knots; none where no path is kept.
    pub fn paths(&self) -> &[Mat] {
        &self.paths
    }

    /// The features in use of each target, in the order in which they came.
    pub fn active(&self) -> &[Vec<u32>] {
        &self.active
    }

    fn certify(&mut self, columns: &Columns) {
        let meaning = match self.lasso {
            true => {
                "the largest violation of the lasso's optimality conditions at the last strength over the largest entry of X'y"
            }
            false => {
                "how much features in use differ in their correlation with the residual, or others exceed it, over the largest entry of X'y"
            }
        };
        let evidence = Evidence::residual(ANGLES, self.violation(columns), meaning);
        let knots = self.n_iter.iter().copied().max().unwrap_or(0);
        let certificate = Certificate::new(self.linear.certificate.termination);
        self.linear.certificate = certificate.with_iterations(knots).with_evidence(evidence);
    }

    /// How far the correlations of a feature in use are from the last strength, or those of others above it.
    fn violation(&self, columns: &Columns) -> f64 {
        let (n, t, d) = (columns.n_rows(), columns.targets(), columns.n());
        let all: Vec<usize> = (0..d).collect();
        let (mut residual, mut left, mut xy) = (Vec::new(), vec![0.0; d * t], vec![0.0; d * t]);
        let coef = &self.linear.coef;
        let w: Vec<f64> = all.iter().flat_map(|&j| (0..t).map(move |k| coef[(k, j)])).collect();
        columns.residual(&w, &mut residual);
        columns.correlate(&all, &residual, &mut left);
        columns.correlate(&all, &columns.y, &mut xy);
        let norm = columns.norm2.iter().copied().fold(0.0, f64::max).sqrt();
        let of = |k: usize| {
            let height = self.alphas[k].last().map_or(0.0, |a| a * columns.total);
            let y = &columns.y[k * n..(k + 1) * n];
            let raw = (dot(y, y) + columns.total * columns.mean_y[k].powi(2)).sqrt();
            let size = xy.iter().skip(k).step_by(t).fold(1e-12 * norm * raw, |a, v| a.max(v.abs()));
            let off = |j: usize| {
                let (c, w) = (left[j * t + k], coef[(k, j)]);
                match (w == 0.0, self.lasso) {
                    (true, _) if self.positive => (c - height).max(0.0),
                    (true, _) => (c.abs() - height).max(0.0),
                    (false, true) => (c - height * w.signum()).abs(),
                    (false, false) => (c.abs() - height).abs(),
                }
            };
            let worst = (0..d).map(off).fold(0.0, larger);
            let shift = columns.mean_y[k] - dot(&columns.mean_x, coef.row(k)) - self.linear.intercept[k];
            let worst = worst + norm * columns.total.sqrt() * shift.abs();
            if worst == 0.0 { 0.0 } else { worst / size }
        };
        (0..t).map(of).fold(0.0, larger)
    }
}

impl Fitted for LarsModel {
    fn meets_not_finite(&self) -> bool {
        true
    }

    fn certificate(&self) -> &Certificate {
        self.linear.certificate()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.linear.abilities()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.linear.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, _: &Session) -> Result<Vec<(String, f64)>> {
        let columns = Columns::of("a linear model", data, self.linear.fit_intercept)?;
        Ok(vec![(ANGLES.to_owned(), self.violation(&columns))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.linear.attributes();
        let one = self.n_iter.len() == 1;
        let n_iter = self.n_iter.iter().map(|n| *n as i64).collect();
        let shape = if one { vec![] } else { vec![self.n_iter.len()] };
        all.push(Attribute::int("n_iter_", "Knots after the first.", &shape, n_iter));
        let ints = |v: &Vec<u32>| v.iter().map(|j| i64::from(*j)).collect::<Vec<i64>>();
        let (alphas, active) = ("The strengths at the knots.", "The features in use, as they came.");
        if one {
            all.push(Attribute::real("alphas_", alphas, &[self.alphas[0].len()], self.alphas[0].clone()));
        } else {
            let each = self.alphas.iter().map(|a| AttributeValues::Real(a.clone())).collect();
            all.push(Attribute::several("alphas_", alphas, each));
        }
        if self.fit_path && one {
            let (path, used) = (&self.paths[0], ints(&self.active[0]));
            all.push(Attribute::int("active_", active, &[used.len()], used));
            let shape = [path.n_rows(), path.n_cols()];
            let doc = "The coefficients at the knots.";
            all.push(Attribute::real("coef_path_", doc, &shape, path.as_slice().to_vec()));
        } else if self.fit_path {
            let each = self.active.iter().map(|a| AttributeValues::Int(ints(a))).collect();
            all.push(Attribute::several("active_", active, each));
            let each = self.paths.iter().map(|p| AttributeValues::Real(p.as_slice().to_vec())).collect();
            all.push(Attribute::several(
                "coef_path_",
                "The coefficients at the knots, feature by feature.",
                each,
            ));
        }
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let t = self.linear.intercept.len();
        let paths = if self.fit_path { t } else { 0 };
        let fits = [self.n_iter.len(), self.alphas.len(), self.active.len()].iter().all(|n| *n == t)
            && self.paths.len() == paths
            && self.alphas.iter().all(|a| !a.is_empty())
            && self.paths.iter().zip(&self.alphas).all(|(p, a)| {
                p.is_consistent() && p.n_rows() == self.linear.coef.n_cols() && p.n_cols() == a.len()
            });
        if fits { self.linear.validate(schema) } else { Err("the path does not fit the targets".to_owned()) }
    }
}
