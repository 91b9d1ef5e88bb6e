//! Exact split search: the best split of one feature in one node, between all of its values.
//!
//! Decision trees, model trees and the exact trees of forests all search here; isolation trees draw their cuts without
//! a criterion, and so without a search.

use crate::cart::criterion::{Criterion, NodeSummary, Sides};
use crate::constraints::{Bounds, Monotone};
use crate::limits::{Limits, Splitter};
use crate::sorted_columns::{ABSENT, ROW, STEP, Values, n_present};
use mercer_math::{below, rng_for, uniform};

/// A split candidate: where a feature would be cut.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Cut {
    /// Greater is better, comparable within a node.
    pub(crate) score: f64,
    /// The present entries before this place go left.
    pub(crate) at: usize,
    /// The missing entries go left.
    pub(crate) missing_left: bool,
    /// Which ordering of the levels was used.
    pub(crate) order: usize,
    /// A threshold that was drawn; NaN means the middle of the two values beside the cut.
    pub(crate) threshold: f64,
}

/// The result of a split search on one feature, exact or by histogram.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SplitSearch<C> {
    /// All values are the same, or all are missing.
    Constant,
    /// No cut leaves enough on both sides.
    Nothing,
    /// The best cut.
    Found(C),
}

/// Whether a split candidate, given by score and rank of its feature, beats the best one so far. Equal partitions through
/// different features may differ in the last digits of their sums; then the feature of lower rank is taken.
pub(crate) fn beats<T: Ord>((score, rank): (f64, T), (best, of): (f64, T)) -> bool {
    let slack = 1e-11 * best.abs();
    score > best + slack || (rank < of && score >= best - slack)
}

/// The entries of one feature in the order in which they are cut.
#[derive(Clone, Copy, Debug)]
struct Ordered<'e> {
    feature: u32,
    /// Which ordering of the levels this is; 0 for numbers.
    order: usize,
    present: &'e [u32],
    missing: &'e [u32],
}

/// One node, seen from its features.
#[derive(Debug)]
pub(crate) struct NodeSearch<'a, R: Criterion> {
    pub(crate) criterion: &'a R,
    pub(crate) limits: &'a Limits,
    pub(crate) node: &'a NodeSummary,
    pub(crate) seed: u64,
    /// What monotone splits above leave to the node.
    pub(crate) bounds: Bounds,
    /// The place of local rows among all rows.
    pub(crate) place: Place<'a>,
}

/// The places of a grower's rows in the data: through up to two lists.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place<'a> {
    pub(crate) local: Option<&'a [u32]>,
    pub(crate) kept: Option<&'a [u32]>,
}

impl Place<'_> {
    pub(crate) fn of(&self, row: u32) -> usize {
        let row = self.local.map_or(row, |l| l[row as usize]);
        self.kept.map_or(row, |k| k[row as usize]) as usize
    }
}

impl<R: Criterion> NodeSearch<'_, R> {
    /// The best cut of the feature with these values and entries.
    pub(crate) fn best_cut<'s>(
        &self,
        feature: u32,
        values: &Values<'_>,
        entries: &[u32],
        sides: &mut R::Sides<'s>,
    ) -> SplitSearch<Cut>
    where
        R: 's,
    {
        let (present, missing) = entries.split_at(n_present(entries));
        if present.is_empty() || (missing.is_empty() && present[1..].iter().all(|e| e & STEP == 0)) {
            return SplitSearch::Constant;
        }
        let mut best = None;
        if values.is_categorical() {
            for order in 0..self.criterion.orders() {
                let ordered = ordered_levels(self.criterion, order, present);
                let entries = Ordered { feature, order, present: &ordered, missing };
                self.search(values, entries, sides, &mut best);
            }
        } else {
            self.search(values, Ordered { feature, order: 0, present, missing }, sides, &mut best);
        }
        best.map_or(SplitSearch::Nothing, SplitSearch::Found)
    }

    fn search<'s>(
        &self,
        values: &Values<'_>,
        entries: Ordered<'_>,
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        if self.limits.splitter == Splitter::Random {
            return self.random(values, entries, sides, best);
        }
        let n = entries.present.len();
        self.sweep(entries, false, 1..n + 1, sides, best);
        if !entries.missing.is_empty() {
            self.sweep(entries, true, 1..n, sides, best);
        }
    }

    /// Tries every step between present values, with the missing ones on one side.
    fn sweep<'s>(
        &self,
        entries: Ordered<'_>,
        missing_left: bool,
        cuts: std::ops::Range<usize>,
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        let Ordered { feature, order, present, missing } = entries;
        let (before, after): (&[u32], &[u32]) = if missing_left { (missing, &[]) } else { (&[], missing) };
        let (n, leaf) = (present.len() + missing.len(), self.limits.min_samples_leaf);
        // The places that leave enough rows on both sides; the last of all parts present from missing.
        let first = cuts.start.max(leaf.saturating_sub(before.len()));
        let last = (cuts.end - 1)
            .min((n - before.len()).saturating_sub(leaf))
            .min(present.len() - usize::from(missing.is_empty()));
        if first > last {
            return;
        }
        sides.announce([before, present, after]);
        sides.start(self.node);
        before.iter().chain(&present[..first - 1]).for_each(|e| sides.add(e & ROW));
        let least = self.limits.min_weight_leaf;
        let most = self.node.weight - least;
        let sign = self.limits.monotone.as_ref().map(|m| m.sign(feature));
        let allowed = |sides: &R::Sides<'s>| {
            sign.is_none_or(|sign| Monotone::allows(sign, self.bounds, sides.values()))
        };
        let mut top = best.map_or(f64::NEG_INFINITY, |b| b.score);
        let mut found = None;
        let inner = last.min(present.len() - 1);
        if first <= inner {
            for (i, pair) in present[first - 1..=inner].windows(2).enumerate() {
                sides.add(pair[0] & ROW);
                if pair[1] & STEP != 0 {
                    let score = sides.score();
                    let heavy = least == 0.0 || (sides.weight() >= least && sides.weight() <= most);
                    if score > top && heavy && allowed(sides) {
                        (top, found) = (score, Some(first + i));
                    }
                }
            }
        }
        if last == present.len() {
            sides.add(present[last - 1] & ROW);
            let score = sides.score();
            if score > top && sides.weight() >= least && sides.weight() <= most && allowed(sides) {
                (top, found) = (score, Some(last));
            }
        }
        if let Some(at) = found {
            *best = Some(Cut { score: top, at, missing_left, order, threshold: f64::NAN });
        }
    }

    /// Tries one random threshold, and a coin for the missing values.
    fn random<'s>(
        &self,
        values: &Values<'_>,
        entries: Ordered<'_>,
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        let Ordered { feature, order, present, missing } = entries;
        let mut rng = rng_for(self.seed, u64::from(feature) << 16 | order as u64);
        let missing_left = !missing.is_empty() && below(&mut rng, 2) == 1;
        let number = |e: u32| values.number(self.place.of(e & ROW));
        let mut threshold = f64::NAN;
        let at = if values.is_categorical() {
            let steps: Vec<usize> = (1..present.len()).filter(|&i| present[i] & STEP != 0).collect();
            if steps.is_empty() { present.len() } else { steps[below(&mut rng, steps.len())] }
        } else {
            let (low, high) = (number(present[0]), number(present[present.len() - 1]));
            let drawn = low + uniform(&mut rng) * (high - low);
            let at = present.partition_point(|&e| number(e) <= drawn);
            // The lowest goes left and the highest right, unless only missing values are apart.
            if low == high || at == 0 || at == present.len() {
                first_of_last(present)
            } else {
                threshold = drawn;
                at
            }
        };
        let missing_left = missing_left && at < present.len();
        let mut own = *best;
        self.sweep(entries, missing_left, at..at + 1, sides, &mut own);
        if own != *best {
            *best = own.map(|cut| Cut { threshold, ..cut });
        }
    }
}

/// The place of the first entry that equals the last one, or the end where all are equal.
fn first_of_last(present: &[u32]) -> usize {
    (1..present.len()).rev().find(|&i| present[i] & STEP != 0).unwrap_or(present.len())
}

/// The entries of a categorical feature, its levels in the order of their mean response, ties by code. For two
/// classes and for squared error some optimal subset of levels is a prefix of this order.
pub(crate) fn ordered_levels<R: Criterion>(criterion: &R, order: usize, present: &[u32]) -> Vec<u32> {
    let rows: Vec<u32> = present.iter().map(|e| e & ROW).collect();
    let mut starts: Vec<usize> = (0..present.len()).filter(|&i| i == 0 || present[i] & STEP != 0).collect();
    starts.push(present.len());
    let mut levels: Vec<(f64, usize)> =
        (0..starts.len() - 1).map(|g| (criterion.key(order, &rows[starts[g]..starts[g + 1]]), g)).collect();
    levels.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out = Vec::with_capacity(present.len());
    for (_, g) in levels {
        let at = out.len();
        out.extend_from_slice(&rows[starts[g]..starts[g + 1]]);
        out[at] |= STEP;
    }
    debug_assert!(present.iter().all(|e| e & ABSENT == 0));
    out
}
