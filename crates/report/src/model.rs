//! What a report is made of.

use crate::tasks::{Binary, Chains, Clusters, Multiclass, Policy, Regression};
use mercer_plot::{AnyChart, Bar, nonfinite_json};
use serde::{Deserialize, Serialize};

/// Everything that a report shows; parts left empty do not appear.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Report {
    /// Heading, usually the name of the data.
    pub title: String,
    /// The result in one sentence.
    pub verdict: String,
    /// What was learned: "binary classification of survived".
    pub task: String,
    /// Short facts under the verdict: ("rows", "891").
    pub facts: Vec<(String, String)>,
    /// Models compared, with the baseline.
    pub leaderboard: Option<Leaderboard>,
    /// Diagnostics.
    pub checks: Vec<Check>,
    /// Main plots of a binary classifier.
    pub binary: Option<Binary>,
    /// Main plots of a classifier with three or more classes.
    pub multiclass: Option<Multiclass>,
    /// Main plots of a regression.
    pub regression: Option<Regression>,
    /// Main plots of a clustering.
    pub clusters: Option<Clusters>,
    /// Main plots of Markov chains.
    pub chains: Option<Chains>,
    /// Main plots of a learned policy.
    pub policy: Option<Policy>,
    /// Further main plots and tables: learning curve, slices, coefficients.
    pub sections: Vec<Section>,
    /// Which features matter.
    pub importance: Vec<Importance>,
    /// Further explanations, such as partial dependence.
    pub explanations: Vec<Section>,
    /// The columns of the data.
    pub profile: Vec<ColumnProfile>,
    /// The steps of the pipeline, in order.
    pub pipeline: Vec<Step>,
    /// How training ended and what is proved.
    pub certificates: Vec<CertificateView>,
    /// How to get this result again.
    pub reproducibility: Reproducibility,
}

/// Models compared on the same rows.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Leaderboard {
    /// The metric that ranks: "log loss".
    pub metric: String,
    /// Whether a greater score is better.
    pub greater_is_better: bool,
    /// How it was measured: "5-fold stratified, same folds for all".
    pub method: String,
    /// Best first.
    pub rows: Vec<LeaderRow>,
}

/// One model of a leaderboard.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct LeaderRow {
    /// Its place, from 1.
    pub rank: usize,
    /// Its name.
    pub model: String,
    /// Its score by the ranking metric.
    #[serde(with = "nonfinite_json")]
    pub score: f64,
    /// The 95 % interval of the score.
    #[serde(with = "nonfinite_json")]
    pub interval: Option<(f64, f64)>,
    /// Scores by further metrics; a column for each name.
    #[serde(with = "nonfinite_json")]
    pub extra: Vec<(String, f64)>,
    /// Seconds to fit once.
    #[serde(with = "nonfinite_json")]
    pub fit_seconds: Option<f64>,
    /// Seconds to predict one row.
    #[serde(with = "nonfinite_json")]
    pub predict_row_seconds: Option<f64>,
    /// Size of the saved model.
    pub size_bytes: Option<u64>,
    /// Anything worth saying: "tie with 1 (p = 0.21)".
    pub note: String,
    /// Whether this is the baseline.
    pub is_baseline: bool,
}

/// How grave a check's finding is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// Must be looked at.
    Issue,
    /// Should be looked at.
    Warning,
    /// Worth knowing.
    Note,
    /// Nothing found.
    #[default]
    Passed,
}

/// One diagnostic.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Check {
    /// Its code: "K008".
    pub code: String,
    /// How grave.
    pub level: Level,
    /// What was found.
    pub message: String,
    /// What to do next, such as a command; may be empty.
    pub help: String,
}

/// A heading with text, charts and tables, for what has no structure of its own.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Section {
    /// Heading.
    pub title: String,
    /// A paragraph; may be empty.
    pub text: String,
    /// Charts; a chart's description is shown as its caption.
    pub charts: Vec<AnyChart>,
    /// Tables.
    pub tables: Vec<Table>,
}

/// A table of text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Table {
    /// What the table shows.
    pub caption: String,
    /// Headings.
    pub columns: Vec<String>,
    /// Cells, row by row; the first of a row is its heading.
    pub rows: Vec<Vec<String>>,
}

/// The importance of features, most important first.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Importance {
    /// The model explained.
    pub model: String,
    /// How it was measured: "permutation, drop in log loss, 10 repeats".
    pub method: String,
    /// Feature, importance and perhaps its interval.
    pub rows: Vec<Bar>,
}

/// One column of the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ColumnProfile {
    /// Its name.
    pub name: String,
    /// Its type: "number", "category", "date".
    pub kind: String,
    /// How many values are missing.
    pub missing: u64,
    /// How many values differ.
    pub unique: u64,
    /// In words: "0.42 to 80, median 28".
    pub summary: String,
    /// Counts of a small histogram; may be empty.
    #[serde(with = "nonfinite_json")]
    pub histogram: Vec<f64>,
}

/// One step of a pipeline.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Step {
    /// Its name: "impute".
    pub name: String,
    /// What it does here: "median of 2 columns".
    pub summary: String,
    /// Parameters and their values.
    pub parameters: Vec<(String, String)>,
}

/// A certificate of training, for people.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CertificateView {
    /// The model.
    pub model: String,
    /// How training ended: "converged".
    pub termination: String,
    /// Whether that is how it should end; `false` is flagged.
    pub converged: bool,
    /// How many iterations it took.
    pub iterations: Option<u64>,
    /// The objective reached.
    #[serde(with = "nonfinite_json")]
    pub objective: Option<f64>,
    /// Numbers that prove something.
    pub evidence: Vec<Evidence>,
    /// Remarks.
    pub notes: Vec<String>,
}

/// A number of a certificate and what it means.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// Its name: "duality gap".
    pub name: String,
    /// The number.
    #[serde(with = "nonfinite_json")]
    pub value: f64,
    /// What it proves.
    pub meaning: String,
}

/// How to get the same result again.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Reproducibility {
    /// The exact command.
    pub command: String,
    /// The seed.
    pub seed: Option<u64>,
    /// The number of threads (which does not change the result).
    pub threads: Option<usize>,
    /// Mercer's version.
    pub version: String,
    /// Hash of the data.
    pub data_hash: String,
    /// Name of the data.
    pub data_name: String,
    /// Rows of the data.
    pub n_rows: u64,
    /// Columns of the data.
    pub n_cols: u64,
    /// When the report was made, as given by the caller.
    pub created: Option<String>,
}
