//! Split criteria: the impurity of a node, and the score of a split as rows move from the right side to the left.
//!
//! A criterion owns the response of its rows: `classes` (Gini's index, entropy, error of the majority) and
//! `multi_output` for classes, `squared_error` (also standard deviation and Poisson deviance) and `absolute_error` for
//! numbers.

pub(crate) mod absolute_error;
pub(crate) mod classes;
pub(crate) mod multi_output;
pub(crate) mod squared_error;

use mercer_math::Weights;

/// Node statistics: what a node knows of the responses of its rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct NodeSummary {
    /// Rows.
    pub(crate) rows: usize,
    /// Their weight.
    pub(crate) weight: f64,
    /// Impurity of the criterion.
    pub(crate) impurity: f64,
    /// What a leaf predicts: class shares, or the mean or median of each output.
    pub(crate) value: Vec<f64>,
    /// Weighted sums: of each class, or of each output (less its mean over all rows).
    pub(crate) totals: Vec<f64>,
    /// The loss of the certificate, summed: weight of errors, squares, or absolute residuals.
    pub(crate) loss: f64,
}

/// A split criterion, with the responses of some rows.
pub(crate) trait Criterion: Send + Sync + Sized {
    /// Keeps the two sides of a split.
    type Sides<'a>: Sides
    where
        Self: 'a;

    /// The responses of the chosen rows, in their order.
    fn gather(&self, rows: &[u32]) -> Self;
    /// What a node of these rows knows.
    fn summary(&self, rows: &mut dyn Iterator<Item = u32>) -> NodeSummary;
    /// Room for the two sides, to be started for each feature.
    fn sides(&self) -> Self::Sides<'_>;
    /// In how many ways the levels of a category are ordered; the best split over all of them is taken.
    fn orders(&self) -> usize;
    /// What the levels are ordered by: the mean over the rows of a level.
    fn key(&self, order: usize, rows: &[u32]) -> f64;
}

/// The two sides of a split, while rows move from right to left.
pub(crate) trait Sides {
    /// Told of the entries in the order in which they will be added, before `start`.
    fn announce(&mut self, _order: [&[u32]; 3]) {}
    /// Everything on the right.
    fn start(&mut self, node: &NodeSummary);
    /// One row moves to the left.
    fn add(&mut self, row: u32);
    /// The score, greater is better; comparable within one node.
    fn score(&self) -> f64;
    /// The weight on the left.
    fn weight(&self) -> f64;
    /// What both sides would predict: the share of the second class, or the first output.
    fn values(&self) -> (f64, f64);
}

/// Weight of row `i`.
#[inline]
pub(crate) fn weight(w: &Option<Vec<f64>>, i: u32) -> f64 {
    Weights::of(w)[i as usize]
}

pub(crate) fn pick<T: Copy>(values: &[T], rows: &[u32]) -> Vec<T> {
    rows.iter().map(|&i| values[i as usize]).collect()
}

pub(crate) fn pick_wide(values: &[f64], width: usize, rows: &[u32]) -> Vec<f64> {
    rows.iter().flat_map(|&i| &values[i as usize * width..][..width]).copied().collect()
}
