//! Top-down induction: choose a test, part the rows, go on in each branch.

use crate::multiway::attributes::{AttributeValues, Item, Problem};
use crate::multiway::{GrowingNode, Split};
use mercer_core::{MISSING_CODE, Session, Termination};
use rayon::prelude::*;

/// Ways longer than this end in a leaf: the recursion must not outgrow the stack.
const DEEPEST: usize = 500;
/// Nodes with more values than this are looked at by several threads.
const SHARED: usize = 1 << 15;

/// How a node chooses its test, given the gain of each attribute that may be tested.
pub(crate) type Choose<'a> = &'a dyn Fn(&[Option<super::gain::Gain>]) -> Option<usize>;

/// Grows a tree, depth first.
pub(crate) struct Grower<'a> {
    pub(crate) problem: &'a Problem,
    pub(crate) session: &'a Session,
    pub(crate) choose: Choose<'a>,
    /// Least weight of two branches.
    pub(crate) least: f64,
    /// Whether rows whose tested value is missing go down every branch by its weight, or stay.
    pub(crate) fractional: bool,
    /// Why the work ended early.
    pub(crate) stopped: Option<Termination>,
    /// Nodes made so far.
    pub(crate) nodes: u64,
}

impl Grower<'_> {
    /// The tree of these rows; `used` are the discrete attributes tested above.
    pub(crate) fn grow(&mut self, items: &[Item], used: &mut Vec<bool>, depth: usize) -> GrowingNode {
        let totals = self.problem.totals(items);
        let weight: f64 = totals.iter().sum();
        let pure = totals.iter().filter(|t| **t > 0.0).count() < 2;
        self.nodes += 1;
        if self.stopped.is_none() {
            self.stopped = self.session.step("nodes", self.nodes, None, None);
        }
        if pure || weight < 2.0 * self.least || depth >= DEEPEST || self.stopped.is_some() {
            return GrowingNode::leaf(totals);
        }
        let (problem, least, tested, d) = (self.problem, self.least, &*used, used.len());
        let gain = |j: usize| if tested[j] { None } else { problem.gain(j, items, least) };
        let gains: Vec<_> = if items.len().saturating_mul(d) > SHARED {
            (0..d).into_par_iter().map(gain).collect()
        } else {
            (0..d).map(gain).collect()
        };
        let Some(feature) = (self.choose)(&gains) else { return GrowingNode::leaf(totals) };
        let threshold = gains[feature].and_then(|g| g.threshold);
        let threshold = threshold.map(|middle| self.problem.greatest_below(feature, middle));
        let split = Split { feature: feature as u32, threshold };
        let parts = self.problem.part(split, items, self.fractional);
        used[feature] = threshold.is_none();
        let branch = |(code, part): (u32, Vec<Item>)| (code, self.grow(&part, used, depth + 1));
        let children = parts.into_iter().map(branch).collect();
        used[feature] = false;
        GrowingNode { totals, split: Some(split), children }
    }
}

impl Problem {
    /// The greatest training value that is not above the middle of two: C4.5's thresholds are values of the data.
    fn greatest_below(&self, feature: usize, middle: f64) -> f64 {
        let AttributeValues::Numbers(values) = &self.factors[feature] else { return middle };
        let below = self.items.iter().map(|i| values[i.row as usize]).filter(|v| *v <= middle);
        let greatest = below.fold(f64::NEG_INFINITY, f64::max);
        if greatest.is_finite() { greatest } else { middle }
    }

    /// The rows of each branch that has any, by its number. Rows whose value is missing are left out, or with
    /// `fractional` go down every such branch with its share of their weight.
    pub(crate) fn part(&self, split: Split, items: &[Item], fractional: bool) -> Vec<(u32, Vec<Item>)> {
        let branch = |item: &Item| match &self.factors[split.feature as usize] {
            AttributeValues::Levels(codes, _) => codes[item.row as usize],
            AttributeValues::Numbers(values) => match values[item.row as usize] {
                v if v.is_nan() => MISSING_CODE,
                v => u32::from(split.threshold.is_some_and(|t| v > t)),
            },
        };
        let mut keyed: Vec<(u32, Item)> = items.iter().map(|item| (branch(item), *item)).collect();
        keyed.sort_by_key(|(branch, _)| *branch);
        let unknown = keyed.split_off(keyed.partition_point(|(branch, _)| *branch != MISSING_CODE));
        let known: f64 = keyed.iter().map(|(_, item)| item.weight).sum();
        let share_out = |group: &[(u32, Item)]| {
            let mut part: Vec<Item> = group.iter().map(|(_, item)| *item).collect();
            let share = part.iter().map(|item| item.weight).sum::<f64>() / known;
            if fractional {
                part.extend(unknown.iter().map(|(_, i)| Item { row: i.row, weight: i.weight * share }));
            }
            (group[0].0, part)
        };
        keyed.chunk_by(|a, b| a.0 == b.0).map(share_out).collect()
    }
}
