//! A parameter that is one whole number or several.

use mercer_core::{ParamKind, ParamType, Value};

/// One whole number, or a list of some: `3` or `[2, 3]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Whole {
    /// One number.
    One(usize),
    /// Several numbers.
    Many(Vec<usize>),
}

impl ParamType for Whole {
    fn kind() -> ParamKind {
        ParamKind::Integer
    }

    fn to_value(&self) -> Value {
        match self {
            Whole::One(n) => n.to_value(),
            Whole::Many(list) => list.to_value(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        let found = match value {
            Value::List(_) => Vec::<usize>::from_value(value).map(Whole::Many),
            one => usize::from_value(one).map(Whole::One),
        };
        found.map_err(|_| "a whole number, at least 0, or a list of such".to_owned())
    }

    fn numbers(&self, visit: &mut dyn FnMut(f64)) {
        match self {
            Whole::One(n) => visit(*n as f64),
            Whole::Many(list) => list.iter().for_each(|&n| visit(n as f64)),
        }
    }
}

impl From<usize> for Whole {
    fn from(n: usize) -> Self {
        Whole::One(n)
    }
}
