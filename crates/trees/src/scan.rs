//! The best split of one feature in one node.

use crate::columns::{ABSENT, ROW, STEP, Values, present};
use crate::constraints::{Bounds, Monotone};
use crate::limits::{Limits, Splitter};
use crate::response::{Response, Sides, Summary};
use mercer_math::{below, rng_for, uniform};

/// Where a feature would be cut.
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

/// What came of looking at a feature.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Look {
    /// All values are the same, or all are missing.
    Constant,
    /// No cut leaves enough on both sides.
    Nothing,
    /// The best cut.
    Found(Cut),
}

/// One node, seen from its features.
#[derive(Debug)]
pub(crate) struct View<'a, R: Response> {
    pub(crate) response: &'a R,
    pub(crate) limits: &'a Limits,
    pub(crate) node: &'a Summary,
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

impl<R: Response> View<'_, R> {
    /// The best cut of the feature with these values and entries.
    pub(crate) fn look<'s>(
        &self,
        feature: u32,
        values: &Values<'_>,
        entries: &[u32],
        sides: &mut R::Sides<'s>,
    ) -> Look
    where
        R: 's,
    {
        let (there, gone) = entries.split_at(present(entries));
        if there.is_empty() || (gone.is_empty() && there[1..].iter().all(|e| e & STEP == 0)) {
            return Look::Constant;
        }
        let mut best = None;
        if values.is_categorical() {
            for order in 0..self.response.orders() {
                let ordered = ordered_levels(self.response, order, there);
                self.search(feature, values, order, &ordered, gone, sides, &mut best);
            }
        } else {
            self.search(feature, values, 0, there, gone, sides, &mut best);
        }
        best.map_or(Look::Nothing, Look::Found)
    }

    #[allow(clippy::too_many_arguments)]
    fn search<'s>(
        &self,
        feature: u32,
        values: &Values<'_>,
        order: usize,
        there: &[u32],
        gone: &[u32],
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        if self.limits.splitter == Splitter::Random {
            return self.random(feature, values, order, there, gone, sides, best);
        }
        self.sweep(feature, order, there, gone, false, 1..there.len() + 1, sides, best);
        if !gone.is_empty() {
            self.sweep(feature, order, there, gone, true, 1..there.len(), sides, best);
        }
    }

    /// Tries every step between present values, with the missing ones on one side.
    #[allow(clippy::too_many_arguments)]
    fn sweep<'s>(
        &self,
        feature: u32,
        order: usize,
        there: &[u32],
        gone: &[u32],
        missing_left: bool,
        cuts: std::ops::Range<usize>,
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        let (before, after): (&[u32], &[u32]) = if missing_left { (gone, &[]) } else { (&[], gone) };
        let (n, leaf) = (there.len() + gone.len(), self.limits.min_samples_leaf);
        // The places that leave enough rows on both sides; the last of all parts present from missing.
        let first = cuts.start.max(leaf.saturating_sub(before.len()));
        let last = (cuts.end - 1)
            .min((n - before.len()).saturating_sub(leaf))
            .min(there.len() - usize::from(gone.is_empty()));
        if first > last {
            return;
        }
        sides.announce([before, there, after]);
        sides.start(self.node);
        before.iter().chain(&there[..first - 1]).for_each(|e| sides.add(e & ROW));
        let least = self.limits.min_weight_leaf;
        let most = self.node.weight - least;
        let sign = self.limits.monotone.as_ref().map(|m| m.sign(feature));
        let allowed = |sides: &R::Sides<'s>| {
            sign.is_none_or(|sign| Monotone::allows(sign, self.bounds, sides.values()))
        };
        let mut top = best.map_or(f64::NEG_INFINITY, |b| b.score);
        let mut found = None;
        let inner = last.min(there.len() - 1);
        if first <= inner {
            for (i, pair) in there[first - 1..=inner].windows(2).enumerate() {
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
        if last == there.len() {
            sides.add(there[last - 1] & ROW);
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
    #[allow(clippy::too_many_arguments)]
    fn random<'s>(
        &self,
        feature: u32,
        values: &Values<'_>,
        order: usize,
        there: &[u32],
        gone: &[u32],
        sides: &mut R::Sides<'s>,
        best: &mut Option<Cut>,
    ) where
        R: 's,
    {
        let mut rng = rng_for(self.seed, u64::from(feature) << 16 | order as u64);
        let missing_left = !gone.is_empty() && below(&mut rng, 2) == 1;
        let number = |e: u32| values.number(self.place.of(e & ROW));
        let mut threshold = f64::NAN;
        let at = if values.is_categorical() {
            let steps: Vec<usize> = (1..there.len()).filter(|&i| there[i] & STEP != 0).collect();
            if steps.is_empty() { there.len() } else { steps[below(&mut rng, steps.len())] }
        } else {
            let (low, high) = (number(there[0]), number(there[there.len() - 1]));
            let drawn = low + uniform(&mut rng) * (high - low);
            let at = there.partition_point(|&e| number(e) <= drawn);
            // The lowest goes left and the highest right, unless only missing values are apart.
            if low == high || at == 0 || at == there.len() {
                first_of_last(there)
            } else {
                threshold = drawn;
                at
            }
        };
        let missing_left = missing_left && at < there.len();
        let mut own = *best;
        self.sweep(feature, order, there, gone, missing_left, at..at + 1, sides, &mut own);
        if own != *best {
            *best = own.map(|cut| Cut { threshold, ..cut });
        }
    }
}

/// The place of the first entry that equals the last one, or the end where all are equal.
fn first_of_last(there: &[u32]) -> usize {
    (1..there.len()).rev().find(|&i| there[i] & STEP != 0).unwrap_or(there.len())
}

/// The entries of a categorical feature, its levels in the order of their mean response, ties by code. For two
/// classes and for squared error some optimal subset of levels is a prefix of this order.
pub(crate) fn ordered_levels<R: Response>(response: &R, order: usize, there: &[u32]) -> Vec<u32> {
    let rows: Vec<u32> = there.iter().map(|e| e & ROW).collect();
    let mut starts: Vec<usize> = (0..there.len()).filter(|&i| i == 0 || there[i] & STEP != 0).collect();
    starts.push(there.len());
    let mut levels: Vec<(f64, usize)> =
        (0..starts.len() - 1).map(|g| (response.key(order, &rows[starts[g]..starts[g + 1]]), g)).collect();
    levels.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
    let mut out = Vec::with_capacity(there.len());
    for (_, g) in levels {
        let at = out.len();
        out.extend_from_slice(&rows[starts[g]..starts[g + 1]]);
        out[at] |= STEP;
    }
    debug_assert!(there.iter().all(|e| e & ABSENT == 0));
    out
}
