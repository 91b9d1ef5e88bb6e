//! Statistical summaries: estimates with standard errors, tests and confidence intervals, and the influence of rows.

use super::{answering, lacks};
use crate::asked::Asked;
use crate::contract::{Learn, Model};
use crate::data_kinds::Input;
use crate::error::{Error, Result};
use crate::nested::NestedModel;
use crate::schema::Schema;
use crate::session::Session;
use crate::trained::Trained;
use serde::Serialize;
use std::fmt;

/// One line of the table of a [`Summary`].
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SummaryRow {
    /// The feature, or `(intercept)`.
    pub name: String,
    /// The coefficient.
    pub estimate: f64,
    /// Its standard error.
    pub std_error: f64,
    /// The estimate over its standard error.
    pub statistic: f64,
    /// The chance of a statistic at least as far from zero, were the true coefficient zero.
    pub p_value: f64,
    /// The lower end of the confidence interval.
    pub lower: f64,
    /// The upper end of the confidence interval.
    pub upper: f64,
}

/// The law of the statistics of a [`Summary`] under the hypothesis that a coefficient is zero.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Statistic {
    /// Student's t with the residual degrees of freedom: exact for Gaussian errors.
    T,
    /// The standard normal law, for many rows.
    Z,
}

/// What a fitted model says of its parameters, if its assumptions hold.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Summary {
    /// The learner.
    pub model: String,
    /// The name of the target.
    pub target: String,
    /// One line for each coefficient, the intercept first.
    pub coefficients: Vec<SummaryRow>,
    /// The law of their statistics.
    pub statistic: Statistic,
    /// The level of the confidence intervals.
    pub level: f64,
    /// The number of rows, or the sum of their weights.
    pub n_rows: f64,
    /// Coefficients besides the intercept.
    pub df_model: f64,
    /// Rows less coefficients.
    pub df_residual: f64,
    /// The share of the variance that is explained; about zero where there is no intercept.
    pub r_squared: Option<f64>,
    /// The same, with both variances divided by their degrees of freedom.
    pub adjusted_r_squared: Option<f64>,
    /// McFadden's share of the log likelihood of the best constant that is saved, for classes.
    pub pseudo_r_squared: Option<f64>,
    /// The F statistic of the hypothesis that all coefficients but the intercept are zero.
    pub f_statistic: Option<f64>,
    /// The chance of a larger one under this hypothesis.
    pub f_p_value: Option<f64>,
    /// The standard deviation of the errors; the root of the dispersion, for families of the mean.
    pub sigma: Option<f64>,
    /// Twice the log likelihood that an exact fit would have more, in units of the dispersion.
    pub deviance: Option<f64>,
    /// The deviance of the best constant.
    pub null_deviance: Option<f64>,
    /// The log likelihood.
    pub log_likelihood: f64,
    /// Akaike's information criterion, −2 log likelihood + 2 coefficients.
    pub aic: f64,
    /// The Bayesian information criterion, −2 log likelihood + ln(rows) coefficients.
    pub bic: f64,
}

/// How much each row draws a least-squares fit to itself.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Influence {
    /// How far the fit at a row follows its own target: the diagonal of the hat matrix.
    pub leverage: Vec<f64>,
    /// Target less prediction.
    pub residuals: Vec<f64>,
    /// Residuals over their own standard deviations.
    pub standardised: Vec<f64>,
    /// How far all predictions move when a row is left out, over the number of coefficients times the error variance.
    pub cooks_distance: Vec<f64>,
}

/// A model with a statistical summary.
pub trait Summarised {
    /// The summary, with confidence intervals of a level in (0, 1) and the names of a schema.
    fn summary(&self, level: f64, schema: &Schema) -> Result<Summary>;

    /// The influence of rows with these targets.
    fn influence(&self, _: &Input<'_>, _: &[f64], _: &Session) -> Result<Influence> {
        Err(Error::incapable("this model", "tell the influence of rows"))
    }
}

impl dyn Model + '_ {
    /// Estimates with standard errors, tests and confidence intervals of a level in (0, 1).
    pub fn summary(&self, level: f64) -> Result<Summary> {
        if !(level > 0.0 && level < 1.0) {
            return Err(Error::param(self.declaration().name, "level of a summary", "in (0, 1)", level));
        }
        let last = answering(self);
        let object = last.abilities().summary.ok_or_else(|| lacks(last, "summary"))?;
        object.summary(level, last.schema())
    }
}

impl<L: Learn> Trained<L> {
    /// Estimates with standard errors, tests and 95 % confidence intervals.
    pub fn summary(&self) -> Result<Summary> {
        self.as_model().summary(0.95)
    }

    /// Leverage, residuals and Cook's distance of the rows of a data set.
    pub fn influence(&self, data: &crate::Dataset<'_>) -> Result<Influence> {
        let target = data.need_target("influence")?;
        let (input, session) = (data.input(), Session::default());
        self.as_model().on(&input, &session)?.influence(target.numbers()?)
    }
}

impl Asked<'_> {
    /// Leverage, residuals and Cook's distance of these rows with their targets.
    pub fn influence(&self, target: &[f64]) -> Result<Influence> {
        let n = self.input().n_units().unwrap_or(0);
        if target.len() != n {
            return Err(Error::shape("targets", n, target.len()));
        }
        self.need("summary", |can| can.summary)?.influence(self.input(), target, self.session())
    }
}

impl Summarised for NestedModel {
    fn summary(&self, level: f64, _: &Schema) -> Result<Summary> {
        self.0.summary(level)
    }
    fn influence(&self, input: &Input<'_>, target: &[f64], session: &Session) -> Result<Influence> {
        self.0.on(input, session)?.influence(target)
    }
}

/// A number as tables show it: six digits, and powers of ten where there would be many zeros.
fn shown(v: f64) -> String {
    match v.abs() {
        a if a == 0.0 || (1e-3..1e6).contains(&a) => {
            let digits = (5 - a.max(1e-3).log10().floor() as i32).clamp(0, 7) as usize;
            format!("{v:.digits$}")
        }
        a if a.is_finite() => format!("{v:.4e}"),
        _ => v.to_string(),
    }
}

fn shown_p(p: f64) -> String {
    if p < 1e-4 { format!("{p:.1e}") } else { format!("{p:.4}") }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.coefficients.iter().map(|c| c.name.chars().count()).max().unwrap_or(0).max(11);
        let rule = "-".repeat(name + 72);
        writeln!(f, "{} of {}", self.model, self.target)?;
        writeln!(f, "{rule}")?;
        let (letter, percent) =
            (if self.statistic == Statistic::T { "t" } else { "z" }, 50.0 * (1.0 - self.level));
        let (low, high) = (format!("{:.4}", percent / 100.0), format!("{:.4}", 1.0 - percent / 100.0));
        let p = format!("P>|{letter}|");
        writeln!(
            f,
            "{:name$} {:>12} {:>12} {letter:>9} {p:>9} {low:>12} {high:>12}",
            "", "coefficient", "std error"
        )?;
        for c in &self.coefficients {
            let [estimate, error, low, high] = [c.estimate, c.std_error, c.lower, c.upper].map(shown);
            let (statistic, p) = (format!("{:.3}", c.statistic), shown_p(c.p_value));
            let pad = name - c.name.chars().count();
            writeln!(
                f,
                "{}{:pad$} {estimate:>12} {error:>12} {statistic:>9} {p:>9} {low:>12} {high:>12}",
                c.name, ""
            )?;
        }
        writeln!(f, "{rule}")?;
        writeln!(f, "{} rows, {} residual degrees of freedom", self.n_rows, self.df_residual)?;
        if let Some(sigma) = self.sigma {
            writeln!(f, "standard deviation of the errors {}", shown(sigma))?;
        }
        if let (Some(r2), Some(adjusted)) = (self.r_squared, self.adjusted_r_squared) {
            writeln!(f, "R² {r2:.6}, adjusted {adjusted:.6}")?;
        }
        if let (Some(value), Some(p)) = (self.f_statistic, self.f_p_value) {
            writeln!(
                f,
                "F {} on {} and {} degrees of freedom, p {}",
                shown(value),
                self.df_model,
                self.df_residual,
                shown_p(p)
            )?;
        }
        if let (Some(deviance), Some(null)) = (self.deviance, self.null_deviance) {
            writeln!(f, "deviance {}, of the best constant {}", shown(deviance), shown(null))?;
        }
        if let Some(share) = self.pseudo_r_squared {
            writeln!(f, "McFadden's R² {share:.6}")?;
        }
        let [likelihood, aic, bic] = [self.log_likelihood, self.aic, self.bic].map(shown);
        write!(f, "log likelihood {likelihood}, AIC {aic}, BIC {bic}")
    }
}
