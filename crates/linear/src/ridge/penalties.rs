//! The penalties of ridge regression: one for all targets, or one for each.

use super::Ridge;
use mercer_core::{Error, ParamKind, ParamType, Params, Result, Value};

/// One strength for all targets, or one for each.
#[derive(Clone, Debug, PartialEq)]
pub enum Penalties {
    /// This one.
    One(f64),
    /// As many as there are targets.
    Several(Vec<f64>),
}

impl ParamType for Penalties {
    /// A number; a list is the exception.
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        match self {
            Penalties::One(alpha) => alpha.to_value(),
            Penalties::Several(alphas) => alphas.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Penalties::Several),
            value => f64::from_value(value).map(Penalties::One).map_err(|e| format!("{e}, or a list")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        self.all().iter().for_each(|v| visit(*v));
    }
}

impl Penalties {
    pub(crate) fn all(&self) -> &[f64] {
        match self {
            Penalties::One(alpha) => std::slice::from_ref(alpha),
            Penalties::Several(alphas) => alphas,
        }
    }

    /// That of a target.
    pub(crate) fn of(&self, target: usize) -> f64 {
        let all = self.all();
        all.get(target).or(all.last()).copied().unwrap_or(0.0)
    }

    /// The smallest.
    pub(crate) fn least(&self) -> f64 {
        self.all().iter().copied().fold(f64::INFINITY, f64::min)
    }

    /// One for each of so many targets.
    pub(crate) fn of_targets(&self, targets: usize) -> Result<Vec<f64>> {
        match self {
            Penalties::One(alpha) => Ok(vec![*alpha; targets]),
            Penalties::Several(alphas) if alphas.len() == targets => Ok(alphas.clone()),
            Penalties::Several(alphas) => {
                let allowed = format!("one penalty, or one for each of {targets} targets");
                Err(Error::param(Ridge::NAME, "alpha", allowed, format!("{} penalties", alphas.len())))
            }
        }
    }

    /// The only one, for what is known of one penalty alone.
    pub(crate) fn only(&self, what: &str) -> Result<f64> {
        match self {
            Penalties::One(alpha) => Ok(*alpha),
            Penalties::Several(_) => {
                Err(Error::param(Ridge::NAME, "alpha", format!("one number for {what}"), "a list"))
            }
        }
    }
}

/// Different penalties, each with the targets that have it, so that equations are taken apart once for each.
pub(super) fn groups(alphas: &[f64]) -> Vec<(f64, Vec<usize>)> {
    let mut out: Vec<(f64, Vec<usize>)> = Vec::new();
    for (k, alpha) in alphas.iter().enumerate() {
        match out.iter_mut().find(|(known, _)| known == alpha) {
            Some((_, targets)) => targets.push(k),
            None => out.push((*alpha, vec![k])),
        }
    }
    out
}
