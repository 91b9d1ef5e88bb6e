//! How much classes count: a parameter of classifiers.

use crate::declaration::ParamKind;
use crate::error::{Error, Result};
use crate::params::ParamType;
use crate::target::Labels;
use crate::value::Value;
use serde::{Deserialize, Serialize};

/// The weight of each class, by its label as it is written.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LabelWeights(Vec<(String, f64, bool)>);

impl LabelWeights {
    /// Weights by label, as a map or a list of pairs; `None` where there is no such thing, or no weight.
    pub fn from_value(value: &Value) -> Option<Self> {
        let pairs: Vec<(Value, Value)> = match value {
            Value::Map(pairs) => pairs.clone(),
            Value::List(items) => items.iter().map(pair).collect::<Option<_>>()?,
            _ => return None,
        };
        let one = |(label, weight): &(Value, Value)| {
            let weight = f64::from_value(weight).ok().filter(|w| w.is_finite() && *w >= 0.0)?;
            let (text, quoted) = match label {
                Value::Text(text) => (text.clone(), true),
                Value::Int(whole) => (whole.to_string(), false),
                Value::Real(real) => (real.to_string(), false),
                Value::Bool(truth) => (truth.to_string(), false),
                _ => return None,
            };
            Some((text, weight, quoted))
        };
        (!pairs.is_empty()).then_some(())?;
        pairs.iter().map(one).collect::<Option<_>>().map(Self)
    }

    /// The map that was given.
    pub fn to_value(&self) -> Value {
        let label = |text: &String, quoted: bool| match (quoted, Value::parse(text)) {
            (false, Ok(plain)) => plain,
            _ => Value::Text(text.clone()),
        };
        Value::Map(self.0.iter().map(|(text, w, quoted)| (label(text, *quoted), Value::Real(*w))).collect())
    }

    /// The weight of every class of a dictionary. Classes that are left out weigh 1, unless there are labels that are no
    /// class.
    pub fn resolve(&self, owner: &str, labels: &Labels) -> Result<Vec<f64>> {
        let names: Vec<String> = labels.iter().map(ToString::to_string).collect();
        let given = |name: &String| self.0.iter().find(|(label, ..)| label == name).map(|(_, w, _)| *w);
        let weights: Vec<Option<f64>> = names.iter().map(given).collect();
        let left_out = weights.iter().position(Option::is_none);
        let unknown = self.0.iter().find(|(label, ..)| !names.contains(label));
        if let (Some(class), Some((label, ..))) = (left_out, unknown) {
            let allowed = format!("weights of classes of the target, of `{}` among them", names[class]);
            return Err(Error::param(owner, "class_weight", allowed, format!("the class `{label}`")));
        }
        Ok(weights.into_iter().map(|w| w.unwrap_or(1.0)).collect())
    }
}

fn pair(value: &Value) -> Option<(Value, Value)> {
    match value {
        Value::List(items) => match items.as_slice() {
            [label, weight] => Some((label.clone(), weight.clone())),
            _ => None,
        },
        _ => None,
    }
}

/// How classes are weighted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClassWeight {
    /// All classes weigh the same in sum.
    Balanced,
    /// Each weighs what is given.
    Given(LabelWeights),
}

/// What is expected of a weight of classes, beside words.
pub const WEIGHTS: &str = "or a weight for each class, as in [[yes, 2], [no, 1]]";

impl ParamType for ClassWeight {
    fn kind() -> ParamKind {
        ParamKind::Choice { words: &["balanced"], number: false }
    }

    fn to_value(&self) -> Value {
        match self {
            ClassWeight::Balanced => Value::Text("balanced".to_owned()),
            ClassWeight::Given(weights) => weights.to_value(),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        match value {
            Value::Text(word) if word == "balanced" => Ok(ClassWeight::Balanced),
            other => LabelWeights::from_value(other)
                .map(ClassWeight::Given)
                .ok_or_else(|| format!("balanced {WEIGHTS}")),
        }
    }
}

impl ClassWeight {
    /// The factor of each class, from the sums of the weights of their rows.
    pub fn factors(&self, owner: &str, labels: &Labels, totals: &[f64]) -> Result<Vec<f64>> {
        match self {
            ClassWeight::Given(weights) => weights.resolve(owner, labels),
            ClassWeight::Balanced => Ok(balanced(totals)),
        }
    }
}

/// The factors that make all classes that are there weigh the same, leaving the total as it is.
pub fn balanced(totals: &[f64]) -> Vec<f64> {
    let present = totals.iter().filter(|t| **t > 0.0).count() as f64;
    let total: f64 = totals.iter().sum();
    totals.iter().map(|&t| if t > 0.0 { total / (present * t) } else { 1.0 }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::target::Label;

    #[test]
    fn weights_are_found_by_label_and_written_as_they_were_given() {
        let labels: Labels = vec![Label::Int(1), Label::Int(2)].into();
        for (text, expected) in [("[[1, 3], [2, 0.5]]", Ok([3.0, 0.5])), ("[[2, 4]]", Ok([1.0, 4.0]))] {
            let given = ClassWeight::from_value(&Value::parse(text).unwrap()).unwrap();
            let found = given.factors("a test", &labels, &[1.0, 1.0]).map(|f| [f[0], f[1]]);
            assert_eq!(found.map_err(|e| e.to_string()), expected);
            let json = given.to_value().to_json();
            assert_eq!(ClassWeight::from_value(&Value::from_json(&json).unwrap()).unwrap(), given);
            assert_eq!(
                ClassWeight::from_value(&Value::parse(&given.to_value().to_string()).unwrap()),
                Ok(given)
            );
        }
        let stray = ClassWeight::from_value(&Value::parse("[[1, 2], [7, 2]]").unwrap()).unwrap();
        let error = stray.factors("a test", &labels, &[1.0, 1.0]).unwrap_err().to_string();
        assert!(error.contains("class_weight") && error.contains('7'), "{error}");
        for bad in ["[[1, -1]]", "[]", "heavy", "[1, 2]", "[[1, nan]]"] {
            assert!(ClassWeight::from_value(&Value::parse(bad).unwrap()).is_err(), "{bad}");
        }
    }

    #[test]
    fn balance_leaves_the_total() {
        assert_eq!(balanced(&[1.0, 3.0, 0.0]), [2.0, 2.0 / 3.0, 1.0]);
    }
}
