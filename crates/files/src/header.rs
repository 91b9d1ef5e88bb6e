//! The header of a model file: what can be known of a model without making it.

use mercer_core::{
    Certificate, Column, ColumnKind, DataKind, Encoded, Error, Feature, Graph, Input, Model, Prediction,
    Result, Schema, Series, Session, Table, TargetValues, Value,
};
use serde::{Deserialize, Serialize};
use std::borrow::Cow;

/// The JSON header of a model file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Header {
    /// The learner's name in the catalogue.
    pub learner: String,
    /// The version of the model's own form.
    pub model_version: u32,
    /// The version of Mercer that wrote it.
    pub mercer_version: String,
    /// What it learns.
    pub task: String,
    /// Every hyper-parameter used.
    pub params: serde_json::Value,
    /// The seed.
    pub seed: u64,
    /// Features with their kinds and categories, targets with their classes.
    pub schema: Schema,
    /// How training ended, and what is proved.
    pub certificate: Certificate,
    /// The command that trained it.
    pub command: Option<String>,
    /// Synthetic rows and what the model makes of them; checked at every load.
    pub test_vector: Option<TestVector>,
}

/// Synthetic rows with the model's answers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TestVector {
    /// The number of rows; the rows themselves follow from the schema.
    pub n_rows: usize,
    /// The answers, row by row.
    pub outputs: Vec<String>,
}

impl Header {
    pub(crate) fn new(model: &dyn Model, encoded: &Encoded, command: Option<&str>) -> Result<Self> {
        Ok(Self {
            learner: encoded.name.clone(),
            model_version: encoded.version,
            mercer_version: env!("CARGO_PKG_VERSION").to_owned(),
            task: model.learner().task().to_string(),
            params: Value::Object(model.learner().to_object()).to_json()["params"].take(),
            seed: model.seed(),
            schema: model.schema().clone(),
            certificate: finite(model.certificate()),
            command: command.map(str::to_owned),
            test_vector: TestVector::of(model, &Session::default()),
        })
    }

    /// Refuses a model that does not answer the test vector as it did when it was written.
    pub(crate) fn check(&self, model: &dyn Model, session: &Session) -> Result<()> {
        match (&self.test_vector, TestVector::of(model, session)) {
            (Some(stored), Some(found)) if !stored.agrees(&found) => {
                Err(Error::format("it no longer gives the answers that it gave when it was written"))
            }
            (Some(_), None) => Err(Error::format("it cannot answer its own test vector")),
            _ => Ok(()),
        }
    }
}

/// JSON has no infinities: a certificate keeps what it can say.
fn finite(certificate: &Certificate) -> Certificate {
    let mut copy = certificate.clone();
    copy.objective = copy.objective.filter(|v| v.is_finite());
    copy.evidence.retain(|e| e.value.is_finite());
    copy.children.iter_mut().for_each(|(_, child)| *child = finite(child));
    copy
}

impl TestVector {
    const ROWS: usize = 5;

    /// The model's answers on the synthetic rows; `None` where it has none to give.
    pub(crate) fn of(model: &dyn Model, session: &Session) -> Option<Self> {
        let input = match model.learner().kinds().asked_about {
            DataKind::Rows => synthetic_rows(model.schema(), Self::ROWS)?,
            DataKind::Strings => synthetic_strings(Self::ROWS),
            // Nothing can be made up of these that a model would know.
            DataKind::Density | DataKind::Mdp | DataKind::States | DataKind::Environment => return None,
            DataKind::Series => synthetic_series(model.schema().n_features(), Self::ROWS)?,
            DataKind::Graphs => synthetic_graphs(Self::ROWS)?,
        };
        let quiet = session.clone().with_threads(1);
        let outputs = match model.predict(&input, &quiet) {
            Ok(prediction) => describe(&prediction),
            Err(_) => describe_rows(&model.transform(&input, &quiet).ok()?)?,
        };
        Some(Self { n_rows: Self::ROWS, outputs })
    }

    /// Whether two answers are the same, numbers to nine digits (another machine may round otherwise).
    fn agrees(&self, other: &Self) -> bool {
        let same = |a: &str, b: &str| match (a.parse::<f64>(), b.parse::<f64>()) {
            (Ok(a), Ok(b)) => (a - b).abs() <= 1e-9 * (1.0 + a.abs()) || (a.is_nan() && b.is_nan()),
            _ => a == b,
        };
        self.outputs.len() == other.outputs.len()
            && self.outputs.iter().zip(&other.outputs).all(|(a, b)| same(a, b))
    }
}

fn describe(prediction: &Prediction) -> Vec<String> {
    let columns = prediction.columns();
    let text = |i: usize| {
        columns.iter().map(move |c| match &c.values {
            TargetValues::Numbers(v) => v[i].to_string(),
            TargetValues::Codes(_) => c.text(i),
        })
    };
    (0..prediction.n_rows()).flat_map(text).collect()
}

fn describe_rows(rows: &mercer_core::Rows<'_>) -> Option<Vec<String>> {
    let dense = rows.dense("a test vector").ok()?;
    let view = dense.view();
    Some(
        (0..view.n_rows())
            .flat_map(|i| (0..view.n_cols().min(8)).map(move |j| view.get(i, j).to_string()))
            .collect(),
    )
}

/// Strings in a fixed pattern.
fn synthetic_strings(n_rows: usize) -> Input<'static> {
    Input::Strings((0..n_rows).map(|i| "abcde"[i % 5..].to_owned()).collect())
}

/// Series of so many coordinates in a fixed pattern.
fn synthetic_series(d: usize, n_rows: usize) -> Option<Input<'static>> {
    let value = |i: usize, t: usize| ((i * 7 + t * 3) % 11) as f64 / 4.0 - 1.0;
    let values = (0..n_rows).flat_map(|i| (0..8 * d).map(move |t| value(i, t))).collect();
    Series::new(d, (0..=n_rows).map(|i| 8 * d * i).collect(), values).ok().map(Input::from)
}

/// Paths of growing length whose labels come in turn.
fn synthetic_graphs(n_rows: usize) -> Option<Input<'static>> {
    let path = |i: usize| {
        let edges: Vec<_> = (0..=i).map(|v| (v, v + 1, 1.0)).collect();
        Graph::new(i + 2, &edges, false)?.with_labels((0..i + 2).map(|v| ["a", "b", "c"][v % 3]))
    };
    (0..n_rows).map(path).collect::<Result<Vec<_>, _>>().ok().map(Input::from)
}

/// Rows made from the schema alone: small numbers in a fixed pattern, levels in turn.
fn synthetic_rows(schema: &Schema, n_rows: usize) -> Option<Input<'static>> {
    let column = |(j, feature): (usize, &Feature)| {
        let column = match feature.kind {
            ColumnKind::Numeric => Column::numbers(
                (0..n_rows).map(|i| ((i * 7 + j * 3) % 11) as f64 / 4.0 - 1.0).collect::<Vec<_>>(),
            ),
            ColumnKind::Boolean => Column::Boolean((0..n_rows).map(|i| Some((i + j) % 2 == 0)).collect()),
            ColumnKind::Text => {
                Column::Text((0..n_rows).map(|i| Some(format!("word{} text{j}", i % 3))).collect())
            }
            ColumnKind::Time => {
                let hour = 3_600_000_000;
                Column::Time((0..n_rows).map(|i| (i * 11 + j) as i64 * hour * 977).collect())
            }
            ColumnKind::Categorical => {
                let codes = match feature.levels.len() as u32 {
                    0 => vec![mercer_core::MISSING_CODE; n_rows],
                    n => (0..n_rows as u32).map(|i| (i + j as u32) % n).collect(),
                };
                Column::Categorical { codes: Cow::Owned(codes), levels: feature.levels.clone() }
            }
        };
        (feature.name.clone(), column)
    };
    let table = Table::new(schema.features.iter().enumerate().map(column).collect()).ok()?;
    let plain = schema.features.iter().all(|f| f.kind == ColumnKind::Numeric);
    if plain && !schema.named {
        let rows = mercer_core::Rows::from(table).dense("a test vector").ok()?;
        return Some(Input::from(rows.view().to_mat()));
    }
    Some(Input::from(table))
}
