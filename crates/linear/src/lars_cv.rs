//! Least angles with cross-validation along the path: at which strength to end.
//!
//! # Objective
//! The strength $\alpha$ of [`LassoLars`](crate::LassoLars) or [`Lars`](crate::Lars) with the least mean squared error on rows
//! held out, averaged over folds.
//!
//! # Algorithm
//! The whole path of each fold's training rows is followed, side by side. Between knots coefficients, and so residuals, are
//! linear in the strength: with the residuals $r_0, r_1$ at two knots the squared error in between is
//! $(1-s)^2\lVert r_0\rVert^2 + 2s(1-s)\,r_0^\top r_1 + s^2\lVert r_1\rVert^2$, so every strength at which any fold has a knot
//! is tried exactly. The path of all rows then ends at the best.
//!
//! # Complexity
//! That of `cv` + 1 paths, O(n k) more for the errors at k knots.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LassoLarsCV;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(30, 2, |i, j| ((i * (j + 2)) % 7) as f64);
//! let y: Vec<f64> = (0..30).map(|i| 3.0 * x[(i, 0)] + 1.0).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = LassoLarsCV::default().fit(&data)?;
//! assert!((model.coef()[0] - 3.0).abs() < 1e-6);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Folds are of consecutive rows, as scikit-learn's are for `cv` a number (of whole groups where there are groups). Of equal
//! errors the smallest strength wins, as in scikit-learn. The certificate is that of the final path; what is proved says
//! nothing of the choice.
//!
//! # References
//! - B. Efron, T. Hastie, I. Johnstone, R. Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004.
//!   doi:10.1214/009053604000000067

use crate::intercept::InterceptParams;
use crate::lars::{LarsModel, LeastAngleParams, learn};
use crate::lasso::SignParams;
use crate::least_angle::{Knots, Steps, least_angles};
use crate::sparse_path::Columns;
use mercer_core::{
    Abilities, Attribute, Certificate, Dataset, Error, ErrorKind, Fitted, Input, Learn, ParamGroup, Params,
    Prediction, Result, Schema, Session,
};
use mercer_math::dot;
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// The folds that whole paths are tried on.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct FoldParams {
    /// Number of folds that whole paths are tried on; none means 5.
    #[param(default = None, range = "[2, inf)")]
    pub cv: Option<usize>,
}

/// The path of each fold, and the strengths that are tried.
#[derive(Clone, Debug, PartialEq, ParamGroup)]
pub struct LarsCvParams {
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Most knots of each path.
    #[param(default = 500, range = "[0, inf)")]
    pub max_iter: usize,
    /// The folds.
    #[param(flatten)]
    pub folds: FoldParams,
    /// Most strengths that are tried; of more, evenly many are left out.
    #[param(default = 1000, range = "[1, inf)")]
    pub max_n_alphas: usize,
}

/// Least angle regression that ends where cross-validation says.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "LarsCV",
    aliases = "lars-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "n_jobs verbose",
    door = "precompute='auto' eps=2.220446049250313e-16 copy_X=True",
    mixins = "LarsCvMixin",
    can = "explain sparse counts_rows ordered",
    references = "Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004."
)]
pub struct LarsCV {
    /// The path and the folds.
    #[param(flatten)]
    pub path: LarsCvParams,
}

/// The lasso by least angles, whose strength is chosen by cross-validation.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "LassoLarsCV",
    aliases = "lasso-lars-cv",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "n_jobs verbose",
    door = "precompute='auto' eps=2.220446049250313e-16 copy_X=True",
    mixins = "LarsCvMixin",
    tried = "max_iter=1",
    can = "explain sparse scaled zeroes counts_rows ordered",
    references = "Efron, Hastie, Johnstone, Tibshirani. Least angle regression. Annals of Statistics 32(2), 2004."
)]
pub struct LassoLarsCV {
    /// The path and the folds.
    #[param(flatten)]
    pub path: LarsCvParams,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
}

/// A path of least angles that ends where cross-validation says.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LarsCvModel {
    lars: LarsModel,
    alpha: f64,
    /// The strengths tried, from the smallest.
    alphas: Vec<f64>,
    /// The errors, strengths × folds.
    mse_path: Vec<f64>,
    n_folds: usize,
}

impl Learn for LarsCV {
    type Model = LarsCvModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LarsCvModel> {
        self.path.search(Self::NAME, data, (false, false), session)
    }
}

impl Learn for LassoLarsCV {
    type Model = LarsCvModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LarsCvModel> {
        self.path.search(Self::NAME, data, (true, self.sign.positive), session)
    }
}

impl LarsCvParams {
    fn search(
        &self,
        name: &str,
        data: &Dataset<'_>,
        (lasso, positive): (bool, bool),
        session: &Session,
    ) -> Result<LarsCvModel> {
        let folds = mercer_measure::folds(data, self.folds.cv.unwrap_or(5), None)?;
        let (quiet, max_iter) = (session.quiet(), self.max_iter);
        let steps = Steps { lasso, positive, max_iter, alpha_min: 0.0, session: &quiet };
        let one =
            |f: &mercer_measure::Split| FoldPath::of(name, data, f, self.intercept.fit_intercept, &steps);
        let paths: Vec<Result<FoldPath>> = folds.par_iter().with_max_len(1).map(one).collect();
        let paths = paths.into_iter().collect::<Result<Vec<_>>>()?;
        if session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let mut alphas: Vec<f64> = paths.iter().flat_map(|p| p.alphas.iter().copied()).collect();
        alphas.sort_by(f64::total_cmp);
        alphas.dedup();
        let stride = (alphas.len() / self.max_n_alphas).max(1);
        let alphas: Vec<f64> = alphas.into_iter().step_by(stride).collect();
        let mse_path: Vec<f64> =
            alphas.iter().flat_map(|&alpha| paths.iter().map(move |p| p.error(alpha))).collect();
        let mut best = (f64::INFINITY, 0);
        for (a, errors) in mse_path.chunks_exact(paths.len()).enumerate() {
            let mean = mercer_math::sum(errors) / paths.len() as f64;
            if mean < best.0 {
                best = (mean, a);
            }
        }
        if !best.0.is_finite() {
            return Err(Error::numeric(name, "no strength has a finite error on the rows held out"));
        }
        let alpha = alphas[best.1];
        let params = LeastAngleParams { intercept: self.intercept.clone(), fit_path: true };
        let steps = Steps { alpha_min: alpha, session, ..steps };
        let lars = learn(name, data, &steps, &params)?;
        Ok(LarsCvModel { lars, alpha, alphas, mse_path, n_folds: paths.len() })
    }
}

/// What a path says of the rows that it did not see: all that its errors between knots need.
struct FoldPath {
    /// The strengths at the knots, from the largest.
    alphas: Vec<f64>,
    /// The squared length of the residual at each knot.
    squares: Vec<f64>,
    /// The product of the residuals at each knot and at the one before.
    products: Vec<f64>,
    n: f64,
}

impl FoldPath {
    fn of(
        name: &str,
        data: &Dataset<'_>,
        fold: &mercer_measure::Split,
        centre: bool,
        steps: &Steps<'_>,
    ) -> Result<Self> {
        let train = data.subset(&fold.train)?;
        let columns = Columns::of(name, &train.with_input(train.input())?, centre)?;
        let Knots { alphas, coefs, .. } = least_angles(&columns, steps);
        let test = data.subset(&fold.test)?;
        let (numbers, target) = (test.numbers(name)?, test.need_target(name)?);
        let y = target.numbers()?;
        let residual = |w: &Vec<f64>| -> Vec<f64> {
            let bias = columns.mean_y[0] - dot(&columns.mean_x, w);
            y.iter().enumerate().map(|(i, y)| y - bias - numbers.view().dot_row(i, w)).collect()
        };
        let (mut squares, mut products, mut before) = (Vec::new(), Vec::new(), Vec::new());
        for w in &coefs {
            let now = residual(w);
            squares.push(dot(&now, &now));
            products.push(if before.is_empty() { 0.0 } else { dot(&before, &now) });
            before = now;
        }
        Ok(Self { alphas, squares, products, n: y.len() as f64 })
    }

    /// The mean squared error where the path has come to a strength; beyond its ends that at the end.
    fn error(&self, alpha: f64) -> f64 {
        let after = self.alphas.iter().position(|a| *a <= alpha);
        let sum = match after {
            Some(0) => self.squares[0],
            None => self.squares[self.squares.len() - 1],
            Some(k) => {
                let (high, low) = (self.alphas[k - 1], self.alphas[k]);
                let s = if high > low { (high - alpha) / (high - low) } else { 1.0 };
                let ends = (1.0 - s) * (1.0 - s) * self.squares[k - 1] + s * s * self.squares[k];
                ends + 2.0 * s * (1.0 - s) * self.products[k]
            }
        };
        sum / self.n
    }
}

impl LarsCvModel {
    /// The coefficients.
    pub fn coef(&self) -> &[f64] {
        self.lars.coef()
    }

    /// The strength chosen.
    pub fn alpha(&self) -> f64 {
        self.alpha
    }

    /// The strengths tried, from the smallest.
    pub fn alphas(&self) -> &[f64] {
        &self.alphas
    }

    /// The mean squared errors on rows held out, strengths × folds.
    pub fn mse_path(&self) -> &[f64] {
        &self.mse_path
    }
}

impl Fitted for LarsCvModel {
    fn certificate(&self) -> &Certificate {
        self.lars.certificate()
    }

    fn abilities(&self) -> Abilities<'_> {
        self.lars.abilities()
    }

    fn infer(&self, input: &Input<'_>, schema: &Schema, session: &Session) -> Result<Prediction> {
        self.lars.infer(input, schema, session)
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        self.lars.reprove(data, session)
    }

    fn attributes(&self) -> Vec<Attribute> {
        let mut all = self.lars.attributes();
        let a = self.alphas.len();
        all.push(Attribute::real("alpha_", "The strength chosen.", &[], vec![self.alpha]));
        all.push(Attribute::real("cv_alphas_", "The strengths tried.", &[a], self.alphas.clone()));
        let doc = "The mean squared error on rows held out, for each strength and fold.";
        all.push(Attribute::real("mse_path_", doc, &[a, self.n_folds], self.mse_path.clone()));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if self.alphas.is_empty() || self.mse_path.len() != self.alphas.len() * self.n_folds {
            return Err("errors do not fit the strengths and folds".to_owned());
        }
        self.lars.validate(schema)
    }
}
