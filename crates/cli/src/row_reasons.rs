//! Why a model says what it says of a row: what each feature adds, the largest first.

use crate::fail::CommandResult;
use mercer::{Asked, Column, Contributions, Outputs};
use serde_json::{Map, Value, json};

/// What the features add to what a model says of one row.
pub(crate) struct RowReasons {
    /// What they add up to: the predicted class, its score, or the target.
    pub(crate) what: String,
    /// What the model says on average.
    pub(crate) base: f64,
    /// Feature and part, the largest first.
    pub(crate) parts: Vec<(String, f64)>,
}

/// The reasons for every row. Of several classes, the one that is predicted is explained.
pub(crate) fn row_reasons(asked: &Asked<'_>) -> CommandResult<Vec<RowReasons>> {
    let (parts, schema) = (asked.contributions()?, asked.schema());
    let labels = schema.labels();
    let n_rows = parts.values.first().map_or(0, |v| v.n_rows());
    let classes = match labels {
        Some(_) => asked.predict()?.class()?.0.to_vec(),
        None => vec![0; n_rows],
    };
    let target = schema.targets.first().and_then(|t| t.name.clone());
    let what = |class: usize| match (labels, parts.outputs, parts.values.len()) {
        // Two classes share one score, which is that of the second.
        (Some(labels), Outputs::Scores, 1) => (0, labels.last().map(|l| format!("score of {l}"))),
        (Some(labels), Outputs::Scores, n) => {
            (class.min(n - 1), labels.get(class).map(|l| format!("score of {l}")))
        }
        (Some(labels), _, n) => (class.min(n - 1), labels.get(class).map(ToString::to_string)),
        (None, ..) => (0, target.clone()),
    };
    let one = |(i, &class): (usize, &u32)| {
        let (k, what) = what(class as usize);
        RowReasons {
            what: what.unwrap_or_else(|| "prediction".to_owned()),
            base: parts.base[k],
            parts: sorted(&parts, k, i),
        }
    };
    Ok(classes.iter().enumerate().map(one).collect())
}

fn sorted(parts: &Contributions, output: usize, row: usize) -> Vec<(String, f64)> {
    let value = |j: usize| parts.values[output][(row, j)];
    let mut order: Vec<usize> = (0..parts.features.len()).collect();
    order.sort_by(|&a, &b| value(b).abs().total_cmp(&value(a).abs()));
    order.into_iter().map(|j| (parts.features[j].clone(), value(j))).collect()
}

impl RowReasons {
    /// What is said.
    pub(crate) fn total(&self) -> f64 {
        self.base + self.parts.iter().map(|(_, v)| v).sum::<f64>()
    }

    /// As JSON, with the first `most` parts.
    pub(crate) fn json(&self, most: usize) -> Value {
        let adds: Map<_, _> =
            self.parts.iter().take(most).map(|(name, v)| (name.clone(), json!(v))).collect();
        json!({ "what": self.what, "base": self.base, "contributions": adds })
    }
}

/// Two columns for each of the first `most` parts: the feature, and what it adds.
pub(crate) fn reason_columns(rows: &[RowReasons], most: usize) -> Vec<(String, Column<'static>)> {
    let most = most.min(rows.first().map_or(0, |r| r.parts.len()));
    let pair = |k: usize| {
        let names: Vec<Option<&str>> = rows.iter().map(|r| Some(r.parts[k].0.as_str())).collect();
        let adds: Vec<f64> = rows.iter().map(|r| r.parts[k].1).collect();
        [
            (format!("because_{}", k + 1), Column::categories(&names)),
            (format!("adds_{}", k + 1), Column::numbers(adds)),
        ]
    };
    (0..most).flat_map(pair).collect()
}
