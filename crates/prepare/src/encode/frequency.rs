//! A number of rows, or a share of them.

use mercer_core::{Error, ParamKind, ParamType, Result, Value};

/// A number of rows (a whole number), or a share of them (a number with a point): `3` or `0.01`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Frequency {
    /// So many rows.
    Count(usize),
    /// This share of all rows.
    Share(f64),
}

impl Frequency {
    /// The frequency in rows, of `n`.
    pub(crate) fn of(self, n: f64) -> f64 {
        match self {
            Frequency::Count(count) => count as f64,
            Frequency::Share(share) => share * n,
        }
    }

    /// Refuses a share above 1; the range of the parameter has refused the rest.
    pub(crate) fn check(self, owner: &str, name: &str) -> Result<()> {
        match self {
            Frequency::Share(share) if !(0.0..=1.0).contains(&share) => {
                Err(Error::param(owner, name, "a whole number of rows, or a share in [0, 1]", share))
            }
            _ => Ok(()),
        }
    }
}

impl ParamType for Frequency {
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        match self {
            Frequency::Count(count) => count.to_value(),
            Frequency::Share(share) => Value::Real(*share),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Int(_) => usize::from_value(value).map(Frequency::Count),
            value => f64::from_value(value).map(Frequency::Share),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        visit(self.of(1.0));
    }
}
