//! What least squares says of its coefficients: standard errors, tests, likelihood, and the influence of rows.
//!
//! Assumes independent Gaussian errors of one variance. Weights count rows, as everywhere in Mercer: a weight of 2 is
//! two copies of a row, so that the number of rows is the sum of the weights.

use super::frame::Frame;
use crate::linear_model::LinearRegressionModel;
use mercer_core::{Error, Influence, Input, Result, Schema, Statistic, Summary, SummaryRow};
use mercer_math::{Mat, dot};
use mercer_measure::{f_tail, t_critical, t_two_sided};
use serde::{Deserialize, Serialize};

/// More coefficients than this keep their standard errors alone, since all that rows need to know their influence grows
/// with the square.
const MOST_KEPT: usize = 513;

/// What is kept of a fit for its summary.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Inference {
    /// The standard error of each coefficient over that of the errors, the intercept first.
    factors: Vec<f64>,
    /// R⁻¹ of the rows in their frame, where there are not too many coefficients.
    root: Option<(Mat, Vec<f64>)>,
    /// Rows, or the sum of their weights.
    n_rows: f64,
    /// Σ s r².
    residual: f64,
    /// Σ s (y − ȳ)², about zero without an intercept.
    total: f64,
}

impl Inference {
    /// `None` where there are not more rows than coefficients.
    pub(crate) fn of(frame: &Frame, inverse: Mat, squares: f64) -> Option<Self> {
        let (q, first) = (frame.width(), usize::from(frame.intercept));
        (frame.weight - q as f64 > 1e-9 * frame.weight).then_some(())?;
        let mut factors = Vec::with_capacity(q);
        if frame.intercept {
            // The intercept is u₀ − Σ m_j u_j / unit_j.
            let mut along = inverse.row(0).to_vec();
            for (i, (&j, unit)) in frame.used.iter().zip(&frame.unit).enumerate() {
                mercer_math::axpy(-frame.shift[j] / unit, inverse.row(i + 1), &mut along);
            }
            factors.push(dot(&along, &along).sqrt());
        }
        let norm = |i: usize| dot(inverse.row(i), inverse.row(i)).sqrt();
        factors.extend((first..q).map(|i| norm(i) / frame.unit[i - first]));
        let unit = frame.unit_y[0] * frame.unit_y[0];
        Some(Self {
            factors,
            root: (q <= MOST_KEPT).then(|| (inverse, frame.unit.clone())),
            n_rows: frame.weight,
            residual: squares * unit,
            total: frame.spread[0] * unit,
        })
    }

    /// Whether the parts of a loaded model fit together.
    pub(crate) fn fits(&self, width: usize, linear: &LinearRegressionModel) -> bool {
        let d = linear.coef.n_cols();
        let root = self.root.as_ref().is_none_or(|(root, unit)| {
            root.is_consistent() && root.n_rows() == width && root.n_cols() == width && unit.len() == d
        });
        self.factors.len() == width && linear.coef.n_rows() == 1 && linear.intercept.len() == 1 && root
    }

    fn df_residual(&self) -> f64 {
        self.n_rows - self.factors.len() as f64
    }

    fn sigma(&self) -> f64 {
        (self.residual / self.df_residual()).sqrt()
    }

    pub(crate) fn summary(&self, linear: &LinearRegressionModel, level: f64, schema: &Schema) -> Summary {
        let (n, df, sigma) = (self.n_rows, self.df_residual(), self.sigma());
        let critical = t_critical(1.0 - level, df);
        let intercept = linear.fit_intercept.then(|| ("(intercept)".to_owned(), linear.intercept[0]));
        let features = schema.features.iter().map(|f| f.name.clone()).zip(linear.coef.row(0).iter().copied());
        let row = |((name, estimate), factor): ((String, f64), &f64)| {
            let std_error = sigma * factor;
            let statistic = estimate / std_error;
            SummaryRow {
                name,
                estimate,
                std_error,
                statistic,
                p_value: if statistic.is_nan() { 1.0 } else { t_two_sided(statistic, df) },
                lower: estimate - critical * std_error,
                upper: estimate + critical * std_error,
            }
        };
        let coefficients = intercept.into_iter().chain(features).zip(&self.factors).map(row).collect();
        let df_model = linear.coef.n_cols() as f64;
        let r_squared = 1.0 - self.residual / self.total;
        let f = (self.total - self.residual) / df_model / (self.residual / df);
        let log_likelihood = -0.5 * n * ((2.0 * std::f64::consts::PI * self.residual / n).ln() + 1.0);
        let (p, free) = (self.factors.len() as f64, n - f64::from(u8::from(linear.fit_intercept)));
        Summary {
            model: "LinearRegression".to_owned(),
            target: schema
                .targets
                .first()
                .and_then(|t| t.name.clone())
                .unwrap_or_else(|| "the target".to_owned()),
            coefficients,
            statistic: Statistic::T,
            level,
            n_rows: n,
            df_model,
            df_residual: df,
            r_squared: Some(r_squared),
            adjusted_r_squared: Some(1.0 - (1.0 - r_squared) * free / df),
            pseudo_r_squared: None,
            f_statistic: Some(f),
            f_p_value: Some(if f.is_nan() { 1.0 } else { f_tail(f, df_model, df) }),
            sigma: Some(sigma),
            deviance: None,
            null_deviance: None,
            log_likelihood,
            aic: -2.0 * log_likelihood + 2.0 * p,
            bic: -2.0 * log_likelihood + n.ln() * p,
        }
    }

    /// h = ‖R⁻ᵀx‖² of each row x in the frame, and Cook's distance r² h / (p σ² (1 − h)²).
    pub(crate) fn influence(
        &self,
        linear: &LinearRegressionModel,
        input: &Input<'_>,
        target: &[f64],
    ) -> Result<Influence> {
        let Some((root, unit)) = &self.root else {
            let why = format!("tell the influence of rows: it has more than {MOST_KEPT} coefficients");
            return Err(Error::incapable("LinearRegression", why));
        };
        let x = input.rows("LinearRegression")?.dense("LinearRegression")?;
        let (x, first) = (x.view(), usize::from(linear.fit_intercept));
        let shift = |j: usize| if first == 1 { linear.means[j] } else { 0.0 };
        let rows = Mat::from_fn(x.n_rows(), root.n_rows(), |i, j| {
            j.checked_sub(first).map_or(1.0, |j| (x.get(i, j) - shift(j)) / unit[j])
        });
        let along = mercer_math::matmul_parallel(rows.view(), root.view());
        let leverage: Vec<f64> = (0..x.n_rows()).map(|i| dot(along.row(i), along.row(i))).collect();
        let predicted = linear.scores(mercer_core::NumbersRef::Dense(x));
        let residuals: Vec<f64> = target.iter().zip(predicted.as_slice()).map(|(y, f)| y - f).collect();
        let (sigma, p) = (self.sigma(), self.factors.len() as f64);
        let standardised: Vec<f64> =
            residuals.iter().zip(&leverage).map(|(r, h)| r / (sigma * (1.0 - h).max(0.0).sqrt())).collect();
        let cooks_distance =
            standardised.iter().zip(&leverage).map(|(s, h)| s * s * h / ((1.0 - h) * p)).collect();
        Ok(Influence { leverage, residuals, standardised, cooks_distance })
    }
}
