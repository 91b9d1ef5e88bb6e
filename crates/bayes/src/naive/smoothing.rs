//! What learners of counts share: pseudo-counts of features and of classes.

use mercer_core::{Error, ParamGroup, ParamKind, ParamType, Result, Value};
use serde::{Deserialize, Serialize};

/// The pseudo-count of every feature, or that of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Smoothing {
    /// This one.
    One(f64),
    /// As many as there are features.
    Each(Vec<f64>),
}

impl ParamType for Smoothing {
    /// A number; a list is the exception.
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        match self {
            Smoothing::One(alpha) => alpha.to_value(),
            Smoothing::Each(alphas) => alphas.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Smoothing::Each),
            value => f64::from_value(value).map(Smoothing::One).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            Smoothing::One(alpha) => visit(*alpha),
            Smoothing::Each(alphas) => alphas.iter().for_each(|v| visit(*v)),
        }
    }
}

/// The shares of classes, smoothed or given.
#[derive(Clone, Debug, PartialEq, ParamGroup, Serialize, Deserialize)]
pub struct PriorParams {
    /// Whether pseudo-counts below 1e-10, even 0, are taken as they are; else they become 1e-10.
    #[param(default = true)]
    pub force_alpha: bool,
    /// Whether classes have the shares of the training rows; else all have the same.
    #[param(default = true)]
    pub fit_prior: bool,
    /// The share of each class, in place of what the rows say.
    #[param(default = None, range = "[0, inf)")]
    pub class_prior: Option<Vec<f64>>,
    /// The pseudo-count of each class and of one that was never seen, which then has a probability, too; 0 counts rows alone.
    #[param(default = 0.0, range = "[0, inf)")]
    pub prior_alpha: f64,
}

/// Smoothing of features and shares of classes.
#[derive(Clone, Debug, PartialEq, ParamGroup, Serialize, Deserialize)]
pub struct CountParams {
    /// The pseudo-count of each feature in each class (Laplace smoothing): one for all, or a list of one for each; 0 smooths
    /// nothing.
    #[param(default = Smoothing::One(1.0), range = "[0, inf)", search = "log 1e-3..10")]
    pub alpha: Smoothing,
    /// The shares of classes.
    #[param(flatten)]
    pub prior: PriorParams,
}

/// Logarithms of the shares of classes.
pub(super) struct LogPriors {
    /// Of each class.
    pub(super) known: Vec<f64>,
    /// Of a class that was never seen, where classes are smoothed.
    pub(super) unseen: Option<f64>,
}

/// The least pseudo-count that is not taken for 0, unless it is forced.
const LEAST: f64 = 1e-10;

impl PriorParams {
    /// A pseudo-count as it counts.
    pub(super) fn smooth(&self, alpha: f64) -> f64 {
        if self.force_alpha { alpha } else { alpha.max(LEAST) }
    }

    /// p_y = (c_y + λ) / (n + λ(k + 1)): the one more is the class outside of the domain.
    pub(super) fn log_priors(&self, who: &str, counts: &[f64]) -> Result<LogPriors> {
        let k = counts.len();
        if let Some(given) = &self.class_prior {
            if given.len() != k {
                let expected =
                    format!("one for each of {k} classes (Number of priors must match number of classes)");
                return Err(Error::param(who, "class_prior", expected, given.len()));
            }
            return Ok(LogPriors { known: given.iter().map(|p| p.ln()).collect(), unseen: None });
        }
        if !self.fit_prior {
            return Ok(LogPriors { known: vec![-(k as f64).ln(); k], unseen: None });
        }
        let lambda = self.prior_alpha;
        let total = (counts.iter().sum::<f64>() + lambda * (k + 1) as f64).ln();
        Ok(LogPriors {
            known: counts.iter().map(|c| (c + lambda).ln() - total).collect(),
            unseen: (lambda > 0.0).then(|| lambda.ln() - total),
        })
    }
}

impl CountParams {
    /// The pseudo-count of each of `d` features.
    pub(super) fn alphas(&self, who: &str, d: usize) -> Result<Vec<f64>> {
        let smooth = |alpha: &f64| self.prior.smooth(*alpha);
        match &self.alpha {
            Smoothing::One(alpha) => Ok(vec![smooth(alpha); d]),
            Smoothing::Each(alphas) if alphas.len() == d => Ok(alphas.iter().map(smooth).collect()),
            Smoothing::Each(alphas) => {
                let expected = format!(
                    "a number, or one for each of {d} features (When alpha is an array, it should contains `n_features`)"
                );
                Err(Error::param(who, "alpha", expected, format!("{} numbers", alphas.len())))
            }
        }
    }
}
