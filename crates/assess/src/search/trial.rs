//! One setting with what was measured of it.

use super::space::Setting;
use mercer_core::{Column, Error, Result, Table, Value};
use mercer_measure::Metric;
use serde_json::json;

/// One setting with what was measured of it.
#[derive(Clone, Debug, PartialEq)]
pub struct Trial {
    /// Its place in the order of the search, from 0.
    pub number: usize,
    /// The parameters.
    pub setting: Setting,
    /// The share of the training rows (or of the resource) that it was given.
    pub share: f64,
    /// A score for each fold and metric; empty when it failed.
    pub scores: Vec<Vec<f64>>,
    /// Mean seconds of a fit.
    pub fit_seconds: f64,
    /// Why it failed.
    pub error: Option<String>,
}

impl Trial {
    /// The mean of a metric over the folds; NaN for a failed trial.
    pub fn mean(&self, metric: usize) -> f64 {
        let sum: f64 = self.scores.iter().map(|fold| fold[metric]).sum();
        sum / self.scores.len() as f64
    }

    /// The standard deviation of a metric over the folds, as NumPy takes it (divided by their number).
    pub fn std(&self, metric: usize) -> f64 {
        let mean = self.mean(metric);
        let sum: f64 = self.scores.iter().map(|fold| (fold[metric] - mean).powi(2)).sum();
        (sum / self.scores.len() as f64).sqrt()
    }

    /// The trial as a line of a journal.
    pub fn to_json(&self) -> serde_json::Value {
        let setting: Vec<_> =
            self.setting.iter().map(|(path, value)| json!([path, value.to_json()])).collect();
        let scores: Vec<Vec<serde_json::Value>> =
            self.scores.iter().map(|fold| fold.iter().map(|s| Value::Real(*s).to_json()).collect()).collect();
        json!({
            "number": self.number, "setting": setting, "share": self.share, "scores": scores,
            "fit_seconds": self.fit_seconds, "error": self.error,
        })
    }

    /// Reads a line of a journal; `None` where it is none of ours.
    pub fn from_json(json: &serde_json::Value) -> Option<Trial> {
        let setting = json["setting"].as_array()?.iter().map(|pair| {
            let pair = pair.as_array().filter(|p| p.len() == 2)?;
            Some((pair[0].as_str()?.to_owned(), Value::from_json(&pair[1])?))
        });
        let score = |s: &serde_json::Value| match s.as_str() {
            Some(text) => text.parse().ok(),
            None => s.as_f64(),
        };
        let fold =
            |fold: &serde_json::Value| fold.as_array()?.iter().map(score).collect::<Option<Vec<f64>>>();
        Some(Trial {
            number: usize::try_from(json["number"].as_u64()?).ok()?,
            setting: setting.collect::<Option<_>>()?,
            share: json["share"].as_f64()?,
            scores: json["scores"].as_array()?.iter().map(fold).collect::<Option<_>>()?,
            fit_seconds: json["fit_seconds"].as_f64()?,
            error: json["error"].as_str().map(str::to_owned),
        })
    }
}

/// Trials as a table: a row each, with its parameters, means, deviations and the score of every fold.
pub(crate) fn table(trials: &[Trial], metrics: &[&'static Metric]) -> Result<Table<'static>> {
    let numbers = |f: &dyn Fn(&Trial) -> f64| Column::numbers(trials.iter().map(f).collect::<Vec<_>>());
    let mut columns = vec![("trial".to_owned(), numbers(&|t| t.number as f64))];
    let mut paths: Vec<&str> = Vec::new();
    for (path, _) in trials.iter().flat_map(|t| &t.setting) {
        if !paths.contains(&path.as_str()) {
            paths.push(path);
        }
    }
    columns.extend(paths.iter().map(|path| (format!("param_{path}"), param_column(trials, path))));
    for (m, metric) in metrics.iter().enumerate() {
        columns.push((format!("mean_{}", metric.name), numbers(&|t| t.mean(m))));
        columns.push((format!("std_{}", metric.name), numbers(&|t| t.std(m))));
    }
    let n_folds = trials.iter().map(|t| t.scores.len()).max().unwrap_or(0);
    for fold in 0..n_folds {
        for (m, metric) in metrics.iter().enumerate() {
            let score = |t: &Trial| t.scores.get(fold).map_or(f64::NAN, |s| s[m]);
            columns.push((format!("split{fold}_{}", metric.name), numbers(&score)));
        }
    }
    columns.push(("share".to_owned(), numbers(&|t| t.share)));
    columns.push(("fit_seconds".to_owned(), numbers(&|t| t.fit_seconds)));
    let errors: Vec<Option<String>> = trials.iter().map(|t| t.error.clone()).collect();
    if errors.iter().any(Option::is_some) {
        columns.push(("error".to_owned(), Column::Text(errors.into())));
    }
    if trials.is_empty() {
        return Err(Error::too_few("a table of trials", "trials", 1, 0));
    }
    Table::new(columns)
}

/// The values of one parameter: numbers where all are, else as they are written.
fn param_column(trials: &[Trial], path: &str) -> Column<'static> {
    let value = |t: &Trial| t.setting.iter().find(|(p, _)| p == path).map(|(_, v)| v.clone());
    let number = |v: &Option<Value>| match v {
        Some(Value::Real(r)) => Some(*r),
        Some(Value::Int(i)) => Some(*i as f64),
        None => Some(f64::NAN),
        Some(_) => None,
    };
    let values: Vec<Option<Value>> = trials.iter().map(value).collect();
    match values.iter().map(number).collect::<Option<Vec<f64>>>() {
        Some(numbers) => Column::numbers(numbers),
        None => Column::Text(values.into_iter().map(|v| v.map(|v| v.to_string())).collect()),
    }
}
