//! Parameters that are a number of rows or features, or a share of them.

use crate::declaration::ParamKind;
use crate::error::{Error, Result};
use crate::params::ParamType;
use crate::value::Value;
use mercer_derive::Choice;
use serde::{Deserialize, Serialize};

/// A count (a whole number) or a share (a number with a point): `3` is three rows, `0.1` a tenth of them, and `1.0`
/// all. Where words such as `auto` may stand too, an enum that derives `Choice` holds it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum CountOrShare {
    /// So many.
    Count(usize),
    /// This share of all.
    Share(f64),
}

impl CountOrShare {
    /// How many of `n`; whoever asks rounds.
    pub fn of(self, n: f64) -> f64 {
        match self {
            CountOrShare::Count(count) => count as f64,
            CountOrShare::Share(share) => share * n,
        }
    }

    /// Refuses counts below `least`, and shares outside (0, 1]. `words` are those that may stand in its place, as in
    /// "auto, ".
    pub fn check(self, owner: &str, name: &str, words: &str, least: usize) -> Result<()> {
        let good = match self {
            CountOrShare::Count(count) => count >= least,
            CountOrShare::Share(share) => share > 0.0 && share <= 1.0,
        };
        let expected = || format!("{words}a whole number from {least}, or a fraction in (0.0, 1.0]");
        if good { Ok(()) } else { Err(Error::param(owner, name, expected(), self.of(1.0))) }
    }
}

impl ParamType for CountOrShare {
    fn kind() -> ParamKind {
        ParamKind::Real
    }
    fn to_value(&self) -> Value {
        match self {
            CountOrShare::Count(count) => count.to_value(),
            CountOrShare::Share(share) => share.to_value(),
        }
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        match (value, usize::from_value(value)) {
            (Value::Int(_), Ok(count)) => Ok(CountOrShare::Count(count)),
            // No count is below 0: the range, or `check`, says what is expected instead.
            _ => f64::from_value(value).map(CountOrShare::Share),
        }
    }
    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        visit(self.of(1.0));
    }
}

/// How many features are looked at for each split.
#[derive(Clone, Copy, Debug, PartialEq, Choice)]
pub enum MaxFeatures {
    /// The square root of their number.
    Sqrt,
    /// The logarithm of their number to base 2.
    Log2,
    /// So many, or this share of them.
    Of(CountOrShare),
}

impl MaxFeatures {
    /// How many of `d` features are looked at.
    pub fn of(self, d: usize) -> usize {
        let wanted = match self {
            MaxFeatures::Sqrt => (d as f64).sqrt() as usize,
            MaxFeatures::Log2 => (d as f64).log2() as usize,
            MaxFeatures::Of(amount) => amount.of(d as f64) as usize,
        };
        wanted.clamp(1, d)
    }

    /// Refuses counts below 1 and shares outside (0, 1].
    pub fn check(self, owner: &str) -> Result<()> {
        match self {
            MaxFeatures::Of(amount) => amount.check(owner, "max_features", "sqrt, log2, ", 1),
            MaxFeatures::Sqrt | MaxFeatures::Log2 => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_makes_a_share() {
        let read = |value| CountOrShare::from_value(&value).unwrap();
        assert_eq!(read(Value::Int(1)), CountOrShare::Count(1));
        assert_eq!(read(Value::Real(1.0)), CountOrShare::Share(1.0));
        assert_eq!((read(Value::Int(3)).of(8.0), read(Value::Real(0.25)).of(8.0)), (3.0, 2.0));
        assert_eq!(CountOrShare::from_value(&Value::Text("many".into())), Err("a number".to_owned()));
        for amount in [CountOrShare::Count(7), CountOrShare::Share(0.7)] {
            assert_eq!(read(amount.to_value()), amount);
        }
    }

    #[test]
    fn counts_and_shares_have_ranges_of_their_own() {
        let check = |amount: CountOrShare| amount.check("Forest", "max_samples", "auto, ", 2);
        assert!(check(CountOrShare::Count(2)).is_ok() && check(CountOrShare::Share(1.0)).is_ok());
        for bad in [CountOrShare::Count(1), CountOrShare::Share(0.0), CountOrShare::Share(f64::NAN)] {
            let error = check(bad).unwrap_err().to_string();
            assert!(error.contains("auto, a whole number from 2, or a fraction in (0.0, 1.0]"), "{error}");
        }
    }
}
