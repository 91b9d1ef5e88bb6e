//! The main plots, task by task, as plain numbers.

use mercer_plot::{Dendrogram, nonfinite_json};
use serde::{Deserialize, Serialize};

/// A named curve with its summary number.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Curve {
    /// Its name, such as a class or a model.
    pub name: String,
    /// The points in order.
    #[serde(with = "nonfinite_json")]
    pub points: Vec<(f64, f64)>,
    /// The area under it, or whatever sums it up.
    #[serde(with = "nonfinite_json")]
    pub area: Option<f64>,
}

/// One bin of a calibration curve.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CalibrationBin {
    /// Mean predicted probability.
    #[serde(with = "nonfinite_json")]
    pub predicted: f64,
    /// Observed share of the positive class.
    #[serde(with = "nonfinite_json")]
    pub observed: f64,
    /// Lower and upper end of the observed share's 95 % interval.
    #[serde(with = "nonfinite_json")]
    pub interval: Option<(f64, f64)>,
    /// How many rows.
    pub count: u64,
}

/// The confusion counts at one threshold: positive when the score is at least the threshold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ThresholdRow {
    /// The threshold.
    #[serde(with = "nonfinite_json")]
    pub threshold: f64,
    /// Positives found.
    pub true_positive: u64,
    /// Negatives taken for positives.
    pub false_positive: u64,
    /// Positives missed.
    pub false_negative: u64,
    /// Negatives left alone.
    pub true_negative: u64,
}

/// A binary classifier.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Binary {
    /// Name of the positive class.
    pub positive: String,
    /// Name of the negative class.
    pub negative: String,
    /// ROC curves (false positive rate, true positive rate); `area` is the AUC. Usually one.
    pub roc: Vec<Curve>,
    /// Precision–recall curves (recall, precision); `area` is the average precision. Usually one.
    pub precision_recall: Vec<Curve>,
    /// The value at which precision equals recall.
    #[serde(with = "nonfinite_json")]
    pub break_even: Option<f64>,
    /// The share of positives, the precision of guessing.
    #[serde(with = "nonfinite_json")]
    pub positive_share: Option<f64>,
    /// Predicted against observed probability.
    pub calibration: Vec<CalibrationBin>,
    /// Confusion counts by threshold, increasing; see [`Binary::count_thresholds`].
    pub thresholds: Vec<ThresholdRow>,
    /// The threshold in use.
    #[serde(with = "nonfinite_json")]
    pub threshold: f64,
}

impl Binary {
    /// Counts the confusions at 201 evenly spaced thresholds: over [0, 1] when the scores lie there, else over
    /// their range. Rows whose score is not finite are left out.
    pub fn count_thresholds(labels: &[bool], scores: &[f64]) -> Vec<ThresholdRow> {
        const STEPS: usize = 200;
        let mut rows: Vec<(f64, bool)> =
            scores.iter().copied().zip(labels.iter().copied()).filter(|r| r.0.is_finite()).collect();
        rows.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(first), Some(last)) = (rows.first(), rows.last()) else { return Vec::new() };
        let (low, high) = if first.0 >= 0.0 && last.0 <= 1.0 { (0.0, 1.0) } else { (first.0, last.0) };
        let positives = rows.iter().filter(|r| r.1).count();
        let (mut below, mut positives_below) = (0, 0);
        let mut table = Vec::with_capacity(STEPS + 1);
        for i in 0..=STEPS {
            // Each end is divided first, so that the width of an extreme range cannot overflow.
            let (a, b) = ((STEPS - i) as f64 / STEPS as f64, i as f64 / STEPS as f64);
            let threshold = low * a + high * b;
            while below < rows.len() && rows[below].0 < threshold {
                positives_below += usize::from(rows[below].1);
                below += 1;
            }
            let true_positive = positives - positives_below;
            table.push(ThresholdRow {
                threshold,
                true_positive: true_positive as u64,
                false_positive: (rows.len() - below - true_positive) as u64,
                false_negative: positives_below as u64,
                true_negative: (below - positives_below) as u64,
            });
        }
        table
    }
}

/// Scores of one class.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct ClassRow {
    /// The class.
    pub class: String,
    /// Precision.
    #[serde(with = "nonfinite_json")]
    pub precision: f64,
    /// Recall.
    #[serde(with = "nonfinite_json")]
    pub recall: f64,
    /// F1.
    #[serde(with = "nonfinite_json")]
    pub f1: f64,
    /// How many rows truly belong to it.
    pub support: u64,
}

/// A classifier with three or more classes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Multiclass {
    /// Class names, in the order of the matrix.
    pub classes: Vec<String>,
    /// Counts: rows are actual classes, columns predicted ones.
    pub confusion: Vec<Vec<u64>>,
    /// Scores per class.
    pub per_class: Vec<ClassRow>,
    /// One-against-rest ROC curves.
    pub roc: Vec<Curve>,
}

/// A regression.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Regression {
    /// What is predicted, with its unit.
    pub target: String,
    /// Actual values.
    #[serde(with = "nonfinite_json")]
    pub actual: Vec<f64>,
    /// Predicted values, out of sample, in the same order.
    #[serde(with = "nonfinite_json")]
    pub predicted: Vec<f64>,
    /// Interval coverage: (promised, observed).
    #[serde(with = "nonfinite_json")]
    pub coverage: Vec<(f64, f64)>,
}

/// What a criterion says of numbers of clusters.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct CountCriterion {
    /// Its name.
    pub name: String,
    /// (number of clusters, value).
    #[serde(with = "nonfinite_json")]
    pub points: Vec<(f64, f64)>,
    /// The standard error of each value; may be empty.
    #[serde(with = "nonfinite_json")]
    pub errors: Vec<f64>,
    /// The number of clusters that it chooses.
    pub chosen: Option<u64>,
    /// How it chooses.
    pub rule: String,
}

/// A component of a mixture, in the units of the data.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Component {
    /// Its name.
    pub name: String,
    /// Its share of the rows.
    #[serde(with = "nonfinite_json")]
    pub share: f64,
    /// Mean and standard deviation of each feature of numbers, by name.
    #[serde(with = "nonfinite_json")]
    pub features: Vec<(String, (f64, f64))>,
}

/// A clustering.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Clusters {
    /// Cluster names; numbers are used where missing.
    pub names: Vec<String>,
    /// Rows in two dimensions.
    #[serde(with = "nonfinite_json")]
    pub map: Vec<(f64, f64)>,
    /// The cluster of each row of the map; `None` is noise.
    pub assignments: Vec<Option<usize>>,
    /// What the map's axes are.
    pub map_axes: (String, String),
    /// Rows per cluster.
    pub sizes: Vec<u64>,
    /// Mean silhouette per cluster; may be empty.
    #[serde(with = "nonfinite_json")]
    pub silhouette: Vec<f64>,
    /// Where each component of a mixture lies on the map: closed lines; may be empty.
    #[serde(with = "nonfinite_json")]
    pub outlines: Vec<Vec<(f64, f64)>>,
    /// The components of a mixture; may be empty.
    pub components: Vec<Component>,
    /// What criteria say of other numbers of clusters; may be empty.
    pub choice: Vec<CountCriterion>,
    /// The last mergers of a hierarchy.
    pub mergers: Option<Dendrogram>,
    /// A sentence per cluster; may be empty.
    pub profiles: Vec<String>,
}

/// One parameter sampled by Markov chains.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chain {
    /// Its name.
    pub name: String,
    /// Draws, chain by chain; may be empty.
    #[serde(with = "nonfinite_json")]
    pub traces: Vec<Vec<f64>>,
    /// How many draws of each chain have a rank among all draws in each of equally wide bins; may be empty.
    pub ranks: Vec<Vec<u64>>,
    /// Posterior mean.
    #[serde(with = "nonfinite_json")]
    pub mean: f64,
    /// A 95 % interval.
    #[serde(with = "nonfinite_json")]
    pub interval: Option<(f64, f64)>,
    /// R-hat; flagged unless at most 1.01.
    #[serde(with = "nonfinite_json")]
    pub r_hat: f64,
    /// Effective sample size.
    #[serde(with = "nonfinite_json")]
    pub ess: f64,
}

/// Draws from a posterior.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Chains {
    /// The parameters.
    pub parameters: Vec<Chain>,
    /// How many divergent transitions there were.
    pub divergences: Option<u64>,
    /// How many draws lie from one that the traces hold to the next; 0 is taken as 1.
    pub every: usize,
}

/// A policy on a grid.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct GridPolicy {
    /// Columns of the grid.
    pub n_columns: usize,
    /// State values, row by row from the top; NaN is a wall.
    #[serde(with = "nonfinite_json")]
    pub values: Vec<f64>,
    /// The move in each cell as (right, up); `None` where there is none; may be empty.
    #[serde(with = "nonfinite_json")]
    pub moves: Vec<Option<(f64, f64)>>,
}

/// A state, its value and what is done there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct StateRow {
    /// The state.
    pub state: String,
    /// Its value.
    #[serde(with = "nonfinite_json")]
    pub value: f64,
    /// The action taken.
    pub action: String,
}

/// A learned policy.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Policy {
    /// On a grid.
    pub grid: Option<GridPolicy>,
    /// As a table.
    pub states: Vec<StateRow>,
}
