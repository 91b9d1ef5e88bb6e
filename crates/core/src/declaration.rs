//! What a learner says of itself: name, task, parameters, capabilities, canon ids.

use crate::abilities::Capabilities;
use crate::data_kinds::Kinds;
use crate::value::Value;
use std::fmt;

/// The declaration of a learner, the one source of its documentation, flags, classes and search space.
#[derive(Clone, Debug)]
pub struct Declaration {
    /// The name of the type: `LogisticRegression`.
    pub name: &'static str,
    /// Names on the command line, the first being the usual one: `logistic`.
    pub aliases: &'static [&'static str],
    /// One sentence.
    pub summary: &'static str,
    /// The canon rows it covers, wholly or in part.
    pub canon: &'static [&'static str],
    /// What it learns.
    pub task: Task,
    /// The kinds of data that it learns from and its models are asked about.
    pub kinds: Kinds,
    /// What it can do.
    pub capabilities: Capabilities,
    /// The file that it is written in: `crates/linear/src/ridge.rs`.
    pub file: &'static str,
    /// The learner of the other task that goes by the same name: the regressor of a classifier, and the other way.
    pub twin: Option<&'static str>,
    /// The settings under which `compare` tries it and its twin, by preset: `max_depth=3`, or nothing for defaults.
    pub presets: &'static [(Preset, &'static str)],
    /// The settings under which the contract suite tries it, the first of them quick; none means its defaults.
    pub tried: &'static [&'static str],
    /// The rows on which the contract suite tries it.
    pub fixture: FixtureRows,
    /// How many rows it is made for, where its time grows with their square or cube: `compare` leaves it out beyond, and the
    /// contract suite asks no more of it.
    pub most_rows: Option<usize>,
    /// The Python module of its class: `linear_model`.
    pub python: &'static str,
    /// What its Python class takes beside its own parameters: seed, threads, progress.
    pub session: &'static [&'static str],
    /// What its Python class takes for scikit-learn's sake alone, each with its default as Python writes it: what says
    /// nothing to the learner (`copy`), and what the class itself does before and after the learner (`dtype`).
    pub door: &'static [(&'static str, &'static str)],
    /// What its Python class has beyond what follows from task and abilities.
    pub mixins: &'static [&'static str],
    /// Papers and books.
    pub references: &'static [&'static str],
    /// Its hyper-parameters.
    pub params: Vec<ParamDeclaration>,
}

impl Declaration {
    /// The usual name on the command line.
    pub fn alias(&self) -> &'static str {
        self.aliases.first().copied().unwrap_or(self.name)
    }

    /// Whether `name` means this learner: its own name or an alias, in any case.
    pub fn answers_to(&self, name: &str) -> bool {
        std::iter::once(&self.name).chain(self.aliases).any(|n| n.eq_ignore_ascii_case(name))
    }

    /// The JSON schema of its parameters.
    pub fn json_schema(&self) -> serde_json::Value {
        let properties: serde_json::Map<_, _> =
            self.params.iter().map(|p| (p.name.to_owned(), p.json_schema())).collect();
        serde_json::json!({
            "$schema": "https://json-schema.org/draft/2020-12/schema",
            "title": self.name,
            "description": self.summary,
            "type": "object",
            "properties": properties,
            "additionalProperties": false,
        })
    }
}

/// A list of learners that `compare` tries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// In every comparison: what is said without looking at the features.
    Baseline,
    /// A first look.
    Quick,
    /// Models that a person can read.
    Explain,
    /// A thorough search for the best.
    Best,
}

/// The rows on which the contract suite tries a learner; those that take no negative values get none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum FixtureRows {
    /// Any numbers.
    #[default]
    Numbers,
    /// Few values a column, for learners that take each value for a level.
    Levels,
    /// Any numbers, with targets above zero.
    PositiveTarget,
}

/// One hyper-parameter of a [`Declaration`].
#[derive(Clone, Debug)]
pub struct ParamDeclaration {
    /// Its name.
    pub name: &'static str,
    /// One line of meaning.
    pub doc: &'static str,
    /// Its type.
    pub kind: ParamKind,
    /// Its default.
    pub default: Value,
    /// The valid range of its numbers.
    pub range: Option<Range>,
    /// The search range.
    pub search: Option<&'static str>,
}

impl ParamDeclaration {
    /// What may be given, in words: "number in [0, inf)".
    pub fn allowed(&self) -> String {
        match &self.range {
            Some(range) => format!("{} in {}", self.kind, range.text),
            None => self.kind.to_string(),
        }
    }

    fn json_schema(&self) -> serde_json::Value {
        let mut schema = self.kind.json_schema();
        schema["description"] = self.doc.into();
        schema["default"] = self.default.to_json();
        if let (Some(range), true) =
            (&self.range, schema.get("type").is_some_and(|t| t == "number" || t == "integer"))
        {
            let mut bound = |key: &str, v: f64| {
                if v.is_finite() {
                    schema[key] = v.into();
                }
            };
            bound(if range.low_open { "exclusiveMinimum" } else { "minimum" }, range.low);
            bound(if range.high_open { "exclusiveMaximum" } else { "maximum" }, range.high);
        }
        schema
    }
}

/// The type of a hyper-parameter, seen from outside.
#[derive(Clone, Debug, PartialEq)]
pub enum ParamKind {
    /// A real number.
    Real,
    /// A whole number.
    Integer,
    /// True or false.
    Bool,
    /// Any text.
    Text,
    /// One of some words, or (where a type is given too) a number.
    Choice {
        /// The words.
        words: &'static [&'static str],
        /// Whether a number may stand in place of a word.
        number: bool,
    },
    /// A value or none.
    Optional(Box<ParamKind>),
    /// Several values.
    List(Box<ParamKind>),
    /// A learner.
    Learner,
    /// Named learners in order.
    Steps,
    /// A kernel: one of some words, or a value made of several.
    Kernel {
        /// The words.
        words: &'static [&'static str],
    },
}

impl fmt::Display for ParamKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ParamKind::Real => f.write_str("number"),
            ParamKind::Integer => f.write_str("integer"),
            ParamKind::Bool => f.write_str("true or false"),
            ParamKind::Text => f.write_str("text"),
            ParamKind::Choice { words: [], number: true } => f.write_str("number"),
            ParamKind::Choice { words, number } => {
                let or_number = if *number { " or number" } else { "" };
                write!(f, "{}{or_number}", words.join(" | "))
            }
            ParamKind::Optional(inner) => write!(f, "{inner} or none"),
            ParamKind::List(inner) => write!(f, "list of {inner}"),
            ParamKind::Learner => f.write_str("learner"),
            ParamKind::Steps => f.write_str("named steps"),
            ParamKind::Kernel { .. } => f.write_str("kernel"),
        }
    }
}

impl ParamKind {
    fn json_schema(&self) -> serde_json::Value {
        use serde_json::json;
        match self {
            ParamKind::Real => json!({ "type": "number" }),
            ParamKind::Integer => json!({ "type": "integer" }),
            ParamKind::Bool => json!({ "type": "boolean" }),
            ParamKind::Text => json!({ "type": "string" }),
            ParamKind::Choice { words, number: false } => json!({ "enum": words }),
            ParamKind::Choice { words, number: true } => {
                json!({ "anyOf": [{ "enum": words }, { "type": "number" }] })
            }
            ParamKind::Optional(inner) => json!({ "anyOf": [inner.json_schema(), { "type": "null" }] }),
            ParamKind::List(inner) => json!({ "type": "array", "items": inner.json_schema() }),
            ParamKind::Learner => json!({ "type": "object", "required": ["type"] }),
            ParamKind::Steps => json!({ "type": "array", "items": { "type": "array" } }),
            ParamKind::Kernel { words } => {
                json!({ "anyOf": [{ "enum": words }, { "type": "object", "required": ["type"] }] })
            }
        }
    }
}

/// An interval of numbers, in the notation of mathematics: `[0, inf)`, `(0, 1]`.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    /// As written.
    pub text: &'static str,
    /// The lower end.
    pub low: f64,
    /// The upper end.
    pub high: f64,
    /// Whether the lower end is left out.
    pub low_open: bool,
    /// Whether the upper end is left out.
    pub high_open: bool,
}

impl Range {
    /// Whether `v` lies inside; NaN never does.
    pub fn holds(&self, v: f64) -> bool {
        let above = if self.low_open { self.low < v } else { self.low <= v };
        let below = if self.high_open { v < self.high } else { v <= self.high };
        above && below
    }
}

/// Where a search looks for a parameter's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Search {
    /// Evenly on the logarithm.
    Log(f64, f64),
    /// Evenly.
    Linear(f64, f64),
    /// Whole numbers, evenly.
    Integer(i64, i64),
    /// One of these.
    Among(Vec<Value>),
}

impl Search {
    /// Reads `log 1e-4..1e4`, `linear 0..1`, `int 2..64` or `among a|b|none`, each with an optional condition behind
    /// it: `linear 0..1 if penalty=elasticnet`.
    pub fn parse(text: &str) -> Option<(Search, Option<When>)> {
        match text.split_once(" if ") {
            Some((search, when)) => Some((Self::parse_range(search)?, Some(When::parse(when)?))),
            None => Some((Self::parse_range(text)?, None)),
        }
    }

    fn parse_range(text: &str) -> Option<Search> {
        let (kind, rest) = text.split_once(' ')?;
        let ends = || rest.split_once("..").map(|(a, b)| (a.trim(), b.trim()));
        let reals = || ends().and_then(|(a, b)| Some((a.parse::<f64>().ok()?, b.parse::<f64>().ok()?)));
        match kind {
            "log" => reals().filter(|(a, b)| 0.0 < *a && a < b).map(|(a, b)| Search::Log(a, b)),
            "linear" => reals().filter(|(a, b)| a < b).map(|(a, b)| Search::Linear(a, b)),
            "int" => {
                let (a, b) = ends()?;
                Some(Search::Integer(a.parse().ok()?, b.parse().ok()?))
            }
            "among" => {
                rest.split('|').map(|v| Value::parse(v).ok()).collect::<Option<_>>().map(Search::Among)
            }
            _ => None,
        }
    }
}

/// The condition under which a parameter is searched: another one has one of some values.
#[derive(Clone, Debug, PartialEq)]
pub struct When {
    /// The other parameter.
    pub param: String,
    /// The values.
    pub values: Vec<Value>,
}

impl When {
    /// Reads `penalty=l1|elasticnet`.
    pub fn parse(text: &str) -> Option<When> {
        let (param, values) = text.split_once('=')?;
        let values = values.split('|').map(|v| Value::parse(v).ok()).collect::<Option<_>>()?;
        Some(When { param: param.trim().to_owned(), values })
    }
}

/// What a learner learns.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub enum Task {
    /// Classes from inputs.
    Classification,
    /// Numbers from inputs.
    Regression,
    /// Groups of rows.
    Clustering,
    /// Another representation of the rows.
    Transformation,
    /// Draws from a density.
    Sampling,
    /// A policy for a decision process.
    Planning,
    /// What its last step learns.
    Composite,
    /// The rows that are unlike the others: -1 for those, 1 for the rest.
    Outliers,
    /// The nearest rows of rows.
    Neighbours,
    /// The density of rows.
    Densities,
}

impl Task {
    /// Whether a target is learnt from inputs. Learners of other tasks may want one all the same (`supervised`).
    pub fn has_target(self) -> bool {
        match self {
            Task::Classification | Task::Regression => true,
            Task::Clustering
            | Task::Transformation
            | Task::Sampling
            | Task::Planning
            | Task::Composite
            | Task::Outliers
            | Task::Neighbours
            | Task::Densities => false,
        }
    }

    /// Whether models predict; others transform rows, hold draws, or are asked for neighbours and densities.
    pub fn predicts(self) -> bool {
        match self {
            Task::Classification
            | Task::Regression
            | Task::Clustering
            | Task::Planning
            | Task::Composite
            | Task::Outliers => true,
            Task::Transformation | Task::Sampling | Task::Neighbours | Task::Densities => false,
        }
    }
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Task::Classification => "classification",
            Task::Regression => "regression",
            Task::Clustering => "clustering",
            Task::Transformation => "transformation",
            Task::Sampling => "sampling",
            Task::Planning => "planning",
            Task::Composite => "that of its last step",
            Task::Outliers => "outlier detection",
            Task::Neighbours => "nearest neighbours",
            Task::Densities => "density estimation",
        })
    }
}
