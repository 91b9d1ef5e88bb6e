//! Learners as parameters of learners, and models inside models.

use crate::catalogue;
use crate::contract::{Encoded, Learner, Model};
use crate::declaration::ParamKind;
use crate::error::{Error, Result};
use crate::params::ParamType;
use crate::table::ColumnKind;
use crate::value::{Object, Value};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use std::cell::{Cell, RefCell};

/// A learner as a parameter, for instance the base of an ensemble.
#[derive(Clone, Debug)]
pub struct NestedLearner(pub Box<dyn Learner>);

/// Named learners in order, the parameter of a pipeline. Children are addressed as `name__parameter`.
#[derive(Clone, Debug, Default)]
pub struct Steps(pub Vec<(String, NestedLearner)>);

/// Which columns of a table a step of a column transformer takes.
#[derive(Clone, Debug, PartialEq)]
pub enum Columns {
    /// Those with these names, in this order.
    Names(Vec<String>),
    /// All of one kind.
    Kind(ColumnKind),
    /// All that no other step takes.
    Rest,
}

/// One step of a column transformer.
#[derive(Clone, Debug)]
pub struct ColumnStep {
    /// Its name.
    pub name: String,
    /// What it does.
    pub learner: NestedLearner,
    /// Which columns it takes.
    pub columns: Columns,
}

/// The steps of a column transformer. Children are addressed as `name__parameter`.
#[derive(Clone, Debug, Default)]
pub struct ColumnSteps(pub Vec<ColumnStep>);

/// The words for kinds of columns.
const KINDS: [(&str, ColumnKind); 5] = [
    ("numeric", ColumnKind::Numeric),
    ("categorical", ColumnKind::Categorical),
    ("boolean", ColumnKind::Boolean),
    ("text", ColumnKind::Text),
    ("time", ColumnKind::Time),
];

impl Columns {
    fn to_value(&self) -> Value {
        match self {
            Columns::Names(names) => Value::List(names.iter().cloned().map(Value::Text).collect()),
            Columns::Kind(kind) => Value::Text(kind.to_string()),
            Columns::Rest => Value::Text("rest".to_owned()),
        }
    }

    fn from_value(value: &Value) -> Result<Self, String> {
        let text = |v: &Value| match v {
            Value::Text(name) => Ok(name.clone()),
            _ => Err("columns by name".to_owned()),
        };
        match value {
            Value::List(names) => names.iter().map(text).collect::<Result<_, _>>().map(Columns::Names),
            Value::Text(word) if word == "rest" => Ok(Columns::Rest),
            Value::Text(word) => Ok(match KINDS.iter().find(|(name, _)| name == word) {
                Some((_, kind)) => Columns::Kind(*kind),
                None => Columns::Names(vec![word.clone()]),
            }),
            _ => Err("a list of columns, a kind of column, or `rest`".to_owned()),
        }
    }
}

impl ParamType for ColumnSteps {
    fn kind() -> ParamKind {
        ParamKind::Steps
    }
    fn to_value(&self) -> Value {
        let step = |s: &ColumnStep| {
            Value::List(vec![Value::Text(s.name.clone()), s.learner.to_value(), s.columns.to_value()])
        };
        Value::List(self.0.iter().map(step).collect())
    }
    fn from_value(value: &Value) -> Result<Self, String> {
        let expected = || "a list of [name, learner, columns]".to_owned();
        let Value::List(items) = value else { return Err(expected()) };
        let step = |item: &Value| match item {
            Value::List(parts) => match parts.as_slice() {
                [Value::Text(name), learner, columns] => Ok(ColumnStep {
                    name: name.clone(),
                    learner: NestedLearner::from_value(learner)?,
                    columns: Columns::from_value(columns)?,
                }),
                _ => Err(expected()),
            },
            _ => Err(expected()),
        };
        items.iter().map(step).collect::<Result<_, String>>().map(ColumnSteps)
    }
    fn child(&self, path: &str) -> Option<Result<Value>> {
        let (name, rest) = parted(path);
        let step = self.0.iter().find(|s| s.name == name)?;
        rest.map_or_else(|| Some(Ok(step.learner.to_value())), |rest| step.learner.child(rest))
    }
    fn set_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        let (name, rest) = parted(path);
        let step = self.0.iter_mut().find(|s| s.name == name)?;
        replace_child("ColumnTransformer", name, &mut step.learner, rest, value)
    }
}

/// The first name of a path, and what follows it.
fn parted(path: &str) -> (&str, Option<&str>) {
    path.split_once("__").map_or((path, None), |(name, rest)| (name, Some(rest)))
}

/// Sets a parameter of a step, or puts another learner in its place.
fn replace_child(
    owner: &str,
    name: &str,
    step: &mut NestedLearner,
    rest: Option<&str>,
    value: &Value,
) -> Option<Result<()>> {
    match rest {
        Some(rest) => step.set_child(rest, value),
        None => Some(
            NestedLearner::from_value(value)
                .map(|made| *step = made)
                .map_err(|e| Error::param(owner, name, e, value)),
        ),
    }
}

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
        let (name, rest) = parted(path);
        let (_, step) = self.0.iter().find(|(n, _)| n == name)?;
        match rest {
            Some(rest) => step.child(rest),
            None => Some(Ok(step.to_value())),
        }
    }
    fn set_child(&mut self, path: &str, value: &Value) -> Option<Result<()>> {
        let (name, rest) = parted(path);
        let (_, step) = self.0.iter_mut().find(|(n, _)| n == name)?;
        replace_child("Pipeline", name, step, rest, value)
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
