//! Learners as parameters of learners, and models inside models.

use crate::catalogue;
use crate::contract::{Encoded, Learner, Model};
use crate::declaration::ParamKind;
use crate::error::{Error, Result};
use crate::params::ParamType;
use crate::value::{Object, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::{Cell, RefCell};

/// A learner as a parameter, for instance the base of an ensemble.
#[derive(Clone, Debug)]
pub struct NestedLearner(pub Box<dyn Learner>);

/// Named learners in order, the parameter of a pipeline. Children are addressed as `name__parameter`.
#[derive(Clone, Debug, Default)]
pub struct Steps(pub Vec<(String, NestedLearner)>);

impl ParamType for NestedLearner {
    fn kind() -> ParamKind {
        ParamKind::Learner
    }
    fn to_value(&self) -> Value {
        Value::Object(self.0.to_object())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let made = match value {
            Value::Object(object) => catalogue::make(object),
            Value::Text(name) => catalogue::make(&Object { kind: name.clone(), ..Object::default() }),
            _ => return Err("a learner".to_owned()),
        };
        made.map(NestedLearner).map_err(|e| format!("a learner ({e})"))
    }
    fn child(&self, path: &str) -> Option<Result<Value>> {
        Some(self.0.get(path))
    }
    fn set_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        Some(self.0.with(path, value).map(|learner| self.0 = learner))
    }
}

impl ParamType for Steps {
    fn kind() -> ParamKind {
        ParamKind::Steps
    }
    fn to_value(&self) -> Value {
        let pair = |(name, step): &(String, NestedLearner)| {
            Value::List(vec![Value::Text(name.clone()), step.to_value()])
        };
        Value::List(self.0.iter().map(pair).collect())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let expected = || "a list of [name, learner]".to_owned();
        let Value::List(items) = value else { return Err(expected()) };
        let step = |item: &Value| match item {
            Value::List(pair) => match pair.as_slice() {
                [Value::Text(name), learner] => Ok((name.clone(), NestedLearner::from_value(learner)?)),
                _ => Err(expected()),
            },
            // A step without a name is called after its learner: `[standard-scaler, ridge(alpha=1)]`.
            other => {
                let step = NestedLearner::from_value(other)?;
                Ok((step.0.declaration().alias().to_owned(), step))
            }
        };
        items.iter().map(step).collect::<Result<_, String>>().map(Steps)
    }
    fn child(&self, path: &str) -> Option<Result<Value>> {
        let (name, rest) = path.split_once("__").map_or((path, None), |(n, r)| (n, Some(r)));
        let (_, step) = self.0.iter().find(|(n, _)| n == name)?;
        match rest {
            Some(rest) => step.child(rest),
            None => Some(Ok(step.to_value())),
        }
    }
    fn set_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        let (name, rest) = path.split_once("__").map_or((path, None), |(n, r)| (n, Some(r)));
        let (_, step) = self.0.iter_mut().find(|(n, _)| n == name)?;
        match rest {
            Some(rest) => step.set_child(rest, value),
            None => Some(
                NestedLearner::from_value(value)
                    .map(|made| *step = made)
                    .map_err(|e| Error::param("Pipeline", name, e, value)),
            ),
        }
    }
}

/// A model inside a model: serialised as (name, version, bytes), read back through the catalogue.
#[derive(Clone, Debug)]
pub struct NestedModel(pub Box<dyn Model>);

/// Models within models beyond this depth are refused, so that no file can overflow the stack.
const MAX_DEPTH: usize = 16;

thread_local! {
    static DEPTH: Cell<usize> = const { Cell::new(0) };
    /// Postcard drops the text of an error; the real one waits here.
    static LAST_ERROR: RefCell<Option<Error>> = const { RefCell::new(None) };
}

pub(crate) fn take_error() -> Option<Error> {
    LAST_ERROR.with(RefCell::take)
}

impl Serialize for NestedModel {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.0.encode().map_err(serde::ser::Error::custom)?.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for NestedModel {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let encoded = Encoded::deserialize(deserializer)?;
        let depth = DEPTH.get();
        let made = if depth >= MAX_DEPTH {
            Err(Error::format(format!("models nested more than {MAX_DEPTH} deep")))
        } else {
            DEPTH.set(depth + 1);
            let made = catalogue::decode(&encoded);
            DEPTH.set(depth);
            made
        };
        made.map(NestedModel).map_err(|e| {
            let text = e.to_string();
            LAST_ERROR.with(|slot| slot.replace(Some(e)));
            serde::de::Error::custom(text)
        })
    }
}
