//! The lasso by least angles, whose strength an information criterion chooses.
//!
//! # Objective
//! Of all knots of the lasso's path the one with the least
//! $$ n \ln(2\pi\sigma^2) + \frac{\lVert y - X w - b\rVert^2}{\sigma^2} + c\,k $$
//! with the number $k$ of coefficients in use, which is the path's degrees of freedom, and $c = 2$ (Akaike) or $c = \ln n$
//! (Bayes). The variance $\sigma^2$ of the noise is given, or that of the residuals of least squares.
//!
//! # Algorithm
//! One path. Least squares (with `positive` such without negative coefficients) is its end, so the noise costs nothing more.
//!
//! # Complexity
//! That of the path, O(n k) more for the residuals at k knots.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit, Target};
//! use mercer_linear::LassoLarsIC;
//! use mercer_math::Mat;
//! let x = Mat::from_fn(30, 2, |i, j| ((i * (j + 2)) % 7) as f64);
//! let y: Vec<f64> = (0..30).map(|i| 3.0 * x[(i, 0)] + (i % 3) as f64).collect();
//! let data = Dataset::new(&x).with_target(Target::real(y))?;
//! let model = LassoLarsIC::default().fit(&data)?;
//! assert!((model.coef()[0] - 3.0).abs() < 0.1);
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Where least squares fits exactly, the noise is taken to be that of rounding. The noise cannot be estimated from fewer rows
//! than there are features (and intercept), plus one: it must be given then.
//!
//! # References
//! - H. Zou, T. Hastie, R. Tibshirani. On the "degrees of freedom" of the lasso. Annals of Statistics 35(5), 2007.
//!   doi:10.1214/009053607000000127

use crate::intercept::InterceptParams;
use crate::lars::{LarsModel, LeastAngleParams, finish};
use crate::lasso::SignParams;
use crate::least_angle::{Knots, Steps, least_angles};
use crate::sparse_path::Columns;
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Fitted, Input, Learn, Params, Prediction,
    Result, Schema, Session,
};
use mercer_math::{argmax, dot};
use serde::{Deserialize, Serialize};

/// What a coefficient in use costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice)]
pub enum Criterion {
    /// Akaike's: 2.
    Aic,
    /// Bayes': the logarithm of the number of rows.
    Bic,
}

/// The lasso by least angles, whose strength an information criterion chooses.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    name = "LassoLarsIC",
    aliases = "lasso-lars-ic",
    canon = "L3 A7",
    task = Regression,
    python = "linear_model",
    session = "verbose",
    door = "precompute='auto' eps=2.220446049250313e-16 copy_X=True",
    mixins = "LeastAngleMixin",
    tried = "criterion=bic",
    can = "explain sparse scaled zeroes counts_rows",
    references = "Zou, Hastie, Tibshirani. On the \"degrees of freedom\" of the lasso. Annals of Statistics 35(5), 2007."
)]
pub struct LassoLarsIC {
    /// What a coefficient in use costs.
    #[param(default = Criterion::Aic)]
    pub criterion: Criterion,
    /// The intercept.
    #[param(flatten)]
    pub intercept: InterceptParams,
    /// Most knots.
    #[param(default = 500, range = "[0, inf)")]
    pub max_iter: usize,
    /// What coefficients may be.
    #[param(flatten)]
    pub sign: SignParams,
    /// The variance of the noise; none takes that of the residuals of least squares.
    #[param(default = None, range = "(0, inf)")]
    pub noise_variance: Option<f64>,
}

/// A knot of the lasso's path, chosen by an information criterion.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LarsIcModel {
    lars: LarsModel,
    n_iter: u64,
    /// The strengths at all knots.
    alphas: Vec<f64>,
    /// The criterion at each.
    criterion: Vec<f64>,
    noise_variance: f64,
}

impl Learn for LassoLarsIC {
    type Model = LarsIcModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<LarsIcModel> {
        let columns = Columns::of(Self::NAME, data, self.intercept.fit_intercept)?;
        let (n, d) = (columns.n_rows(), columns.n());
        let freedom = n as f64 - d as f64 - f64::from(u8::from(self.intercept.fit_intercept));
        if self.noise_variance.is_none() && freedom <= 0.0 {
            let why = "You are using LassoLarsIC in the case where the number of samples is smaller than the number of \
                       features, which leave no residuals to estimate the variance of the noise from: give \
                       noise_variance";
            return Err(Error::numeric(Self::NAME, why));
        }
        // Without the variance of the noise the path is followed to its end, which is least squares.
        let max_iter = if self.noise_variance.is_some() { self.max_iter } else { usize::MAX };
        let steps = Steps { lasso: true, positive: self.sign.positive, max_iter, alpha_min: 0.0, session };
        let mut knots = least_angles(&columns, &steps);
        let mut residual = Vec::new();
        let squares = knots.coefs.iter().map(|w| {
            columns.residual(w, &mut residual);
            dot(&residual, &residual)
        });
        let squares: Vec<f64> = squares.collect();
        let rounding = f64::EPSILON * f64::EPSILON * dot(&columns.y, &columns.y) / columns.total;
        let estimate = squares.last().map_or(0.0, |s| s / freedom);
        let noise = self.noise_variance.unwrap_or_else(|| estimate.max(rounding).max(f64::MIN_POSITIVE));
        let kept = knots.alphas.len().min(self.max_iter.saturating_add(1));
        let price = match self.criterion {
            Criterion::Aic => 2.0,
            Criterion::Bic => (n as f64).ln(),
        };
        let used = |w: &Vec<f64>| w.iter().filter(|v| v.abs() > f64::EPSILON).count() as f64;
        let base = n as f64 * (std::f64::consts::TAU * noise).ln();
        let each = squares.iter().zip(&knots.coefs).take(kept);
        let criterion: Vec<f64> = each.map(|(s, w)| base + s / noise + price * used(w)).collect();
        if !criterion.iter().all(|v| v.is_finite()) {
            let why = "values whose squares are too large or too small: scale the features or the target";
            return Err(Error::numeric(Self::NAME, why));
        }
        let best = argmax(&criterion.iter().map(|c| -c).collect::<Vec<f64>>());
        let alphas = knots.alphas[..kept].to_vec();
        knots =
            Knots { alphas: vec![knots.alphas[best]], coefs: vec![knots.coefs.swap_remove(best)], ..knots };
        knots.active = (0..d).filter(|&j| knots.coefs[0][j] != 0.0).collect();
        let params = LeastAngleParams { intercept: self.intercept.clone(), fit_path: false };
        let lars = finish(Self::NAME, &columns, vec![knots], &steps, &params)?;
        Ok(LarsIcModel { lars, n_iter: (kept - 1) as u64, alphas, criterion, noise_variance: noise })
    }
}

impl LarsIcModel {
    /// The coefficients.
    pub fn coef(&self) -> &[f64] {
        self.lars.coef()
    }

    /// The strength chosen.
    pub fn alpha(&self) -> f64 {
        self.lars.alphas()[0][0]
    }

    /// The strengths at all knots of the path.
    pub fn alphas(&self) -> &[f64] {
        &self.alphas
    }

    /// The criterion at each knot.
    pub fn criterion(&self) -> &[f64] {
        &self.criterion
    }

    /// The variance of the noise, given or estimated.
    pub fn noise_variance(&self) -> f64 {
        self.noise_variance
    }
}

impl Fitted for LarsIcModel {
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
        let mut all = self.lars.linear.attributes();
        let a = self.alphas.len();
        all.push(Attribute::int("n_iter_", "Knots after the first.", &[], vec![self.n_iter as i64]));
        all.push(Attribute::real("alpha_", "The strength chosen.", &[], vec![self.alpha()]));
        all.push(Attribute::real("alphas_", "The strengths at the knots.", &[a], self.alphas.clone()));
        let doc = "The information criterion at each knot.";
        all.push(Attribute::real("criterion_", doc, &[a], self.criterion.clone()));
        let doc = "The variance of the noise, given or estimated.";
        all.push(Attribute::real("noise_variance_", doc, &[], vec![self.noise_variance]));
        all
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        if self.alphas.is_empty() || self.criterion.len() != self.alphas.len() || schema.targets.len() != 1 {
            return Err("the criterion does not fit the knots".to_owned());
        }
        self.lars.validate(schema)
    }
}
