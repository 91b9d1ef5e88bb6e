//! Power transformation: each feature by the power that makes it most nearly normal.
//!
//! # Objective
//! The λ of largest likelihood under the assumption that $y = \psi(\lambda, x)$ is normal, with Box and Cox's
//! $\psi = (x^\lambda - 1)/\lambda$ for $x > 0$, or Yeo and Johnson's $\psi = ((1 + x)^\lambda - 1)/\lambda$ for
//! $x \ge 0$ and $-((1 - x)^{2 - \lambda} - 1)/(2 - \lambda)$ for $x < 0$; then mean 0 and variance 1 with
//! `standardize`.
//!
//! # Algorithm
//! The likelihood is concave in λ: Brent's method finds the zero of its derivative, column by column in parallel.
//! Constant features keep λ = 1. Missing values are left out and stay missing.
//!
//! # Complexity
//! Time O(k n d) for k evaluations (about a dozen), memory O(n) a thread.
//!
//! # Example
//! ```
//! use mercer_core::{Dataset, Fit};
//! use mercer_math::Mat;
//! use mercer_prepare::{PowerMethod, PowerTransformer};
//! let x = Mat::from_fn(99, 1, |i, _| (i as f64 / 20.0).exp());
//! let model = PowerTransformer::default().method(PowerMethod::BoxCox).fit(&Dataset::new(&x))?;
//! assert!(model.lambdas[0].abs() < 1e-6); // exponentials: the logarithm is the power 0
//! # Ok::<(), mercer_core::Error>(())
//! ```
//!
//! # Numerics
//! Powers are computed as `expm1(λ log1p(x)) / λ`, without loss near λ = 0 or x = 0. λ is kept where no training value
//! leaves the range of numbers. λ = 1 leaves values exactly as they are.
//!
//! # References
//! - G. E. P. Box, D. R. Cox. An analysis of transformations. JRSS B 26(2), 1964. doi:10.1111/j.2517-6161.1964.tb00553.x
//! - I.-K. Yeo, R. A. Johnson. A new family of power transformations to improve normality or symmetry. Biometrika 87(4),
//!   2000. doi:10.1093/biomet/87.4.954

use super::columns::{ColumnMap, Values, by_columns, map_columns, refuse, same_names, to_invert};
use super::likelihood::{Likelihood, power};
use super::standard::{deviation, moments_of};
use mercer_core::{
    Abilities, Attribute, Certificate, Choice, Dataset, Error, Evidence, Fitted, Input, Inverse, Learn,
    Params, Result, Rows, Schema, Session, Termination, Transformer,
};
use mercer_math::Moments;
use serde::{Deserialize, Serialize};

/// The family of powers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Choice, Serialize, Deserialize)]
pub enum PowerMethod {
    /// Yeo and Johnson's: all values.
    #[choice("yeo-johnson")]
    YeoJohnson,
    /// Box and Cox's: values above 0.
    #[choice("box-cox")]
    BoxCox,
}

/// Power transformation: each numeric feature to most nearly normal; other columns pass through.
#[derive(Clone, Debug, PartialEq, Params)]
#[params(
    aliases = "power-transformer power",
    canon = "D3",
    task = Transformation,
    python = "preprocessing",
    door = "copy=True",
    mixins = "ScalerMixin",
    can = "transform inverse weights missing categorical text",
    references = "Box, Cox. An analysis of transformations. JRSS B 26(2), 1964.|Yeo, Johnson. A new family of power transformations. Biometrika 87(4), 2000."
)]
pub struct PowerTransformer {
    /// The family of powers: yeo-johnson (all values) or box-cox (values above 0).
    #[param(default = PowerMethod::YeoJohnson)]
    pub method: PowerMethod,
    /// Whether the result has mean 0 and variance 1.
    #[param(default = true)]
    pub standardize: bool,
}

/// Fitted powers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct PowerTransformerModel {
    /// The power of each feature (1 for columns that pass through).
    pub lambdas: Vec<f64>,
    mean: Vec<f64>,
    scale: Vec<f64>,
    method: PowerMethod,
    certificate: Certificate,
}

const EVIDENCE: &str = "largest derivative of a feature's log-likelihood, per unit of weight";

/// What is found for one column.
struct Found {
    lambda: f64,
    mean: f64,
    scale: f64,
    residual: f64,
    evaluations: u64,
}

impl Learn for PowerTransformer {
    type Model = PowerTransformerModel;

    fn learn(&self, data: &Dataset<'_>, session: &Session) -> Result<PowerTransformerModel> {
        let rows = data.rows(Self::NAME)?;
        self.method.check_domain(&rows, data.weights().as_deref())?;
        let found =
            by_columns(&rows, data.weights().as_deref(), session, |_, column| Ok(self.column(&column)))?;
        let blank = || Found { lambda: 1.0, mean: 0.0, scale: 1.0, residual: 0.0, evaluations: 0 };
        let found: Vec<Found> = found.into_iter().map(|f| f.unwrap_or_else(blank)).collect();
        let residual = found.iter().map(|f| f.residual).fold(0.0, f64::max);
        let hidden = found.iter().any(|f| f.residual.is_nan());
        let evidence = Evidence::residual(
            EVIDENCE,
            residual,
            "zero at the power of largest likelihood, which is the only one: the likelihood is concave",
        );
        let mut certificate =
            Certificate::new(if hidden { Termination::Stalled } else { Termination::Converged })
                .with_iterations(found.iter().map(|f| f.evaluations).max().unwrap_or(0))
                .with_evidence(evidence);
        if hidden {
            certificate = certificate.with_note("rounding hides the likelihood of a feature; its power is 1");
        }
        Ok(PowerTransformerModel {
            lambdas: found.iter().map(|f| f.lambda).collect(),
            mean: found.iter().map(|f| f.mean).collect(),
            scale: found.iter().map(|f| f.scale).collect(),
            method: self.method,
            certificate,
        })
    }
}

impl PowerTransformer {
    fn column(&self, column: &Values<'_>) -> Found {
        let (lambda, residual, evaluations) = match self.method.likelihood(column) {
            None => (1.0, 0.0, 0),
            Some(likelihood) => match likelihood.maximum() {
                Some((lambda, n)) => (lambda, likelihood.residual(lambda), n),
                None => (1.0, f64::NAN, 0),
            },
        };
        let mut out = Found { lambda, mean: 0.0, scale: 1.0, residual, evaluations };
        if self.standardize {
            let mut y = column.values.to_vec();
            y.iter_mut().for_each(|v| *v = self.method.forward(lambda, *v));
            let moments: Moments = moments_of(&y, column.weights.as_deref());
            (out.mean, out.scale) = (moments.mean, deviation(&moments));
        }
        out
    }
}

impl PowerMethod {
    fn check_domain(self, rows: &Rows<'_>, weights: Option<&[f64]>) -> Result<()> {
        if self == PowerMethod::YeoJohnson {
            return Ok(());
        }
        let hint = "box-cox takes values above 0; set method=yeo-johnson";
        refuse(PowerTransformer::NAME, rows, weights, |v| v <= 0.0, hint)
    }

    /// The likelihood of a column; `None` where it is constant or has no value.
    fn likelihood(self, column: &Values<'_>) -> Option<Likelihood> {
        let moments = moments_of(&column.values, column.weights.as_deref());
        let pairs: Vec<(f64, f64)> = column.present().collect();
        let constant = pairs.iter().all(|(x, _)| *x == pairs[0].0);
        if constant || (deviation(&moments) == 1.0 && moments.variance() < 0.5) {
            return None;
        }
        Some(match self {
            PowerMethod::YeoJohnson => Likelihood::yeo_johnson(&pairs),
            PowerMethod::BoxCox => Likelihood::box_cox(&pairs),
        })
    }

    fn forward(self, lambda: f64, x: f64) -> f64 {
        match self {
            PowerMethod::BoxCox => power(lambda, x.ln()),
            PowerMethod::YeoJohnson if lambda == 1.0 => x,
            PowerMethod::YeoJohnson if x < 0.0 => -power(2.0 - lambda, (-x).ln_1p()),
            PowerMethod::YeoJohnson => power(lambda, x.ln_1p()),
        }
    }

    fn backward(self, lambda: f64, y: f64) -> f64 {
        // The u whose power is y; NaN where no x leads to y.
        let undo = |lambda: f64, y: f64| if lambda == 0.0 { y } else { (lambda * y).ln_1p() / lambda };
        match self {
            PowerMethod::BoxCox => undo(lambda, y).exp(),
            PowerMethod::YeoJohnson if lambda == 1.0 => y,
            PowerMethod::YeoJohnson if y < 0.0 => -undo(2.0 - lambda, -y).exp_m1(),
            PowerMethod::YeoJohnson => undo(lambda, y).exp_m1(),
        }
    }
}

impl ColumnMap for PowerTransformerModel {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (lambda, mean, scale) = (self.lambdas[j], self.mean[j], self.scale[j]);
        values.iter_mut().for_each(|v| *v = (self.method.forward(lambda, *v) - mean) / scale);
    }
}

/// The inverse map.
struct Undo<'a>(&'a PowerTransformerModel);

impl ColumnMap for Undo<'_> {
    fn column(&self, j: usize, values: &mut [f64]) {
        let (lambda, mean, scale) = (self.0.lambdas[j], self.0.mean[j], self.0.scale[j]);
        values.iter_mut().for_each(|v| *v = self.0.method.backward(lambda, *v * scale + mean));
    }
}

impl Transformer for PowerTransformerModel {
    fn transformed(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = input.rows(PowerTransformer::NAME)?;
        self.method.check_domain(rows, None)?;
        map_columns(rows, session, self)
    }

    fn names_out(&self, schema: &Schema) -> Vec<String> {
        same_names(schema)
    }
}

impl Inverse for PowerTransformerModel {
    fn inverted(&self, input: &Input<'_>, session: &Session) -> Result<Rows<'static>> {
        let rows = to_invert(PowerTransformer::NAME, input, self.lambdas.len())?;
        if rows.is_sparse() {
            return Err(Error::incapable(PowerTransformer::NAME, "undo sparse rows"));
        }
        map_columns(rows, session, &Undo(self))
    }
}

impl Fitted for PowerTransformerModel {
    fn certificate(&self) -> &Certificate {
        &self.certificate
    }

    fn abilities(&self) -> Abilities<'_> {
        Abilities { transform: Some(self), inverse: Some(self), ..Abilities::default() }
    }

    fn reprove(&self, data: &Dataset<'_>, session: &Session) -> Result<Vec<(String, f64)>> {
        let rows = data.rows(PowerTransformer::NAME)?;
        let found = by_columns(&rows, data.weights().as_deref(), session, |j, column| {
            Ok(self.method.likelihood(&column).map_or(0.0, |l| l.residual(self.lambdas[j])))
        })?;
        Ok(vec![(EVIDENCE.to_owned(), found.into_iter().flatten().fold(0.0, f64::max))])
    }

    fn attributes(&self) -> Vec<Attribute> {
        let d = [self.lambdas.len()];
        vec![Attribute::real("lambdas_", "The power of each feature.", &d, self.lambdas.clone())]
    }

    fn validate(&self, schema: &Schema) -> Result<(), String> {
        let d = schema.n_features();
        let fits = [self.lambdas.len(), self.mean.len(), self.scale.len()].iter().all(|&l| l == d);
        if fits { Ok(()) } else { Err("powers do not fit the schema".to_owned()) }
    }
}
