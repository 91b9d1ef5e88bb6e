//! The names of losses: one list for reading, writing and naming them.

use super::Loss;
use crate::spec::Spec;
use mercer_core::{Error, ParamKind, ParamType, Result, Value};
use std::fmt;

/// A parameter of a loss.
struct Parameter {
    name: &'static str,
    usual: f64,
    range: &'static str,
    holds: fn(f64) -> bool,
}

/// A loss under its names.
struct Named {
    name: &'static str,
    /// Other usual names, scikit-learn's among them.
    also: &'static [&'static str],
    parameter: Option<Parameter>,
    /// The loss with this value of its parameter.
    make: fn(f64) -> Loss,
}

const fn plain(name: &'static str, also: &'static [&'static str], make: fn(f64) -> Loss) -> Named {
    Named { name, also, parameter: None, make }
}

impl Named {
    const fn with(self, name: &'static str, usual: f64, range: &'static str, holds: fn(f64) -> bool) -> Self {
        Self { parameter: Some(Parameter { name, usual, range, holds }), ..self }
    }

    fn usual(&self) -> Loss {
        (self.make)(self.parameter.as_ref().map_or(0.0, |p| p.usual))
    }
}

fn is_width(v: f64) -> bool {
    v >= 0.0 && v.is_finite()
}

const LOSSES: [Named; 18] = [
    plain("zero_one", &["0_1", "zero_one_loss"], |_| Loss::ZeroOne),
    plain("logistic", &["log_loss", "log"], |_| Loss::Logistic),
    plain("perceptron", &[], |_| Loss::Perceptron),
    plain("hinge", &[], |_| Loss::Hinge),
    plain("squared_hinge", &[], |_| Loss::SquaredHinge),
    plain("modified_huber", &[], |_| Loss::ModifiedHuber),
    plain("exponential", &[], |_| Loss::Exponential),
    plain("squared", &["squared_error", "squared_loss"], |_| Loss::Squared),
    plain("half_squared", &["half_squared_error"], |_| Loss::HalfSquared),
    plain("absolute", &["absolute_error"], |_| Loss::Absolute),
    plain("epsilon_insensitive", &[], |epsilon| Loss::EpsilonInsensitive { epsilon }).with(
        "epsilon",
        0.1,
        "in [0, inf)",
        is_width,
    ),
    plain("squared_epsilon_insensitive", &[], |epsilon| Loss::SquaredEpsilonInsensitive { epsilon }).with(
        "epsilon",
        0.1,
        "in [0, inf)",
        is_width,
    ),
    plain("huber", &[], |delta| Loss::Huber { delta })
        .with("delta", 1.35, "in (0, inf)", |v| v > 0.0 && v.is_finite()),
    plain("quantile", &["pinball"], |alpha| Loss::Quantile { alpha })
        .with("alpha", 0.5, "in [0, 1]", |v| (0.0..=1.0).contains(&v)),
    plain("cross_entropy", &[], |_| Loss::CrossEntropy),
    plain("poisson", &["poisson_deviance"], |_| Loss::Poisson),
    plain("gamma", &["gamma_deviance"], |_| Loss::Gamma),
    plain("tweedie", &["tweedie_deviance"], |power| Loss::Tweedie { power }).with(
        "power",
        1.5,
        "in (1, 2)",
        |v| v > 1.0 && v < 2.0,
    ),
];

impl Loss {
    /// Reads a loss from text: `hinge`, `huber(delta=1.35)`. Usual other names are known (`log_loss`,
    /// `squared_error`, `absolute_error`, `pinball`, …).
    ///
    /// # Example
    /// ```
    /// use mercer_measure::Loss;
    /// let loss = Loss::parse("huber(delta=2)")?;
    /// assert_eq!(loss, Loss::Huber { delta: 2.0 });
    /// assert_eq!(loss.value(5.0, 0.0), 2.0 * (5.0 - 1.0));
    /// # Ok::<(), mercer_core::Error>(())
    /// ```
    pub fn parse(text: &str) -> Result<Loss> {
        Self::read(Spec::parse("loss", text)?)
    }

    /// Reads a loss from a parameter's value.
    pub fn from_value(value: &Value) -> Result<Loss> {
        Self::read(Spec::of("loss", value)?)
    }

    fn read(mut spec: Spec) -> Result<Loss> {
        let kind = spec.kind.as_str();
        let Some(named) = LOSSES.iter().find(|l| l.name == kind || l.also.contains(&kind)) else {
            return Err(Error::unknown("loss", kind, LOSSES.iter().map(|l| l.name)));
        };
        match &named.parameter {
            None => spec.name_all(&[]).map(|()| named.usual()),
            Some(p) => {
                spec.name_all(&[p.name])?;
                spec.real(p.name, p.usual, p.range, p.holds).map(named.make)
            }
        }
    }

    /// Every loss with its usual parameters.
    pub fn all() -> impl Iterator<Item = Loss> {
        LOSSES.iter().map(Named::usual)
    }

    /// The value of its parameter; 0 where there is none.
    fn parameter(&self) -> f64 {
        match *self {
            Loss::EpsilonInsensitive { epsilon } | Loss::SquaredEpsilonInsensitive { epsilon } => epsilon,
            Loss::Huber { delta } => delta,
            Loss::Quantile { alpha } => alpha,
            Loss::Tweedie { power } => power,
            _ => 0.0,
        }
    }
}

impl ParamType for Loss {
    fn kind() -> ParamKind {
        ParamKind::Text
    }
    fn to_value(&self) -> Value {
        Value::Text(self.to_string())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let read = match value {
            Value::Text(text) => Loss::parse(text),
            other => Loss::from_value(other),
        };
        read.map_err(|e| format!("a loss ({e})"))
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let value = self.parameter();
        let kind = std::mem::discriminant(self);
        match LOSSES.iter().find(|l| std::mem::discriminant(&l.usual()) == kind) {
            Some(Named { name, parameter: Some(p), .. }) => write!(f, "{name}({}={value})", p.name),
            Some(Named { name, .. }) => f.write_str(name),
            None => write!(f, "{self:?}"),
        }
    }
}
