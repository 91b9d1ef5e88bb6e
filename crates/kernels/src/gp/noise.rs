//! What is added to the diagonal of the Gram matrix: one number, or one for each row.

use mercer_core::{Error, ParamKind, ParamType, Result, Value};
use serde::{Deserialize, Serialize};

/// The variance of the noise of all rows, or of each.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Noise {
    /// This one.
    One(f64),
    /// As many as there are rows.
    Each(Vec<f64>),
}

impl ParamType for Noise {
    /// A number; a list is the exception.
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        match self {
            Noise::One(alpha) => alpha.to_value(),
            Noise::Each(alphas) => alphas.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::List(_) => Vec::from_value(value).map(Noise::Each),
            value => f64::from_value(value).map(Noise::One).map_err(|e| format!("{e}, or one for each row")),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            Noise::One(alpha) => visit(*alpha),
            Noise::Each(alphas) => alphas.iter().for_each(|v| visit(*v)),
        }
    }
}

impl Noise {
    /// That of each of `n` rows.
    pub(super) fn of_rows(&self, who: &str, n: usize) -> Result<Vec<f64>> {
        match self {
            Noise::One(alpha) => Ok(vec![*alpha; n]),
            Noise::Each(alphas) if alphas.len() == 1 => Ok(vec![alphas[0]; n]),
            Noise::Each(alphas) if alphas.len() == n => Ok(alphas.clone()),
            Noise::Each(alphas) => {
                let allowed = format!("a number, or one for each of {n} rows");
                Err(Error::param(who, "alpha", allowed, format!("{} numbers", alphas.len())))
            }
        }
    }

    /// That of a new row, where it is known.
    pub(super) fn of_new_rows(&self) -> f64 {
        match self {
            Noise::One(alpha) => *alpha,
            Noise::Each(_) => 0.0,
        }
    }
}
