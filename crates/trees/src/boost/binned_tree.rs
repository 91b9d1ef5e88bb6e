//! A regression tree on binned columns, as it grew: its splits compare codes.

use super::split::{Bounds, Cut, Split};
use crate::bins::Bins;
use crate::grown::{LEAF, Rule};

/// A regression tree on binned columns: nodes in the order they were made, the root first.
#[derive(Clone, Debug, Default)]
pub(crate) struct BinnedTree {
    pub(crate) split: Vec<Option<Split>>,
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) bounds: Vec<Bounds>,
    /// The leaves, each with the range of its rows.
    pub(crate) leaves: Vec<(u32, usize, usize)>,
}

impl BinnedTree {
    /// Adds a leaf.
    pub(super) fn push(&mut self, bounds: Bounds) -> u32 {
        self.split.push(None);
        self.left.push(LEAF);
        self.right.push(LEAF);
        self.bounds.push(bounds);
        self.split.len() as u32 - 1
    }

    /// The leaf of a row of the quantised columns.
    pub(crate) fn leaf(&self, bins: &Bins, row: usize) -> u32 {
        let mut at = 0u32;
        while let Some(split) = &self.split[at as usize] {
            let (j, code) = (split.column as usize, bins.code(split.column as usize, row));
            let goes_left = if bins.missing(j) == Some(code) {
                split.missing_left
            } else {
                match split.cut {
                    Cut::UpTo(bin) => code <= bin,
                    Cut::Among(set) => set[usize::from(code) / 64] >> (code % 64) & 1 == 1,
                }
            };
            at = if goes_left { self.left[at as usize] } else { self.right[at as usize] };
        }
        at
    }

    /// The tests of all nodes, on values instead of codes.
    pub(crate) fn rules(&self, bins: &Bins) -> Vec<Rule> {
        self.split.iter().map(|split| split.as_ref().map_or(Rule::Leaf, |split| rule(split, bins))).collect()
    }
}

fn rule(split: &Split, bins: &Bins) -> Rule {
    let (j, missing_left) = (split.column as usize, split.missing_left);
    let feature = bins.feature(j) as u32;
    match split.cut {
        Cut::UpTo(bin) if bins.encoded(j).is_some() => {
            let (encoded, threshold) = (bins.encoded(j), bins.threshold(j, usize::from(bin)));
            let statistics = encoded.map_or(&[][..], |e| &e.statistics);
            let mut set = vec![0u64; statistics.len().div_ceil(64)];
            for (c, &s) in statistics.iter().enumerate() {
                let goes_left = if s.is_nan() { missing_left } else { s <= threshold };
                set[c / 64] |= u64::from(goes_left) << (c % 64);
            }
            Rule::Levels { feature, set, missing_left }
        }
        Cut::UpTo(bin) => {
            Rule::Number { feature, threshold: bins.threshold(j, usize::from(bin)), missing_left }
        }
        Cut::Among(_) => {
            let sides = split.sides(None);
            let all = (0..bins.n_bins(j)).flat_map(|b| bins.levels(j, b));
            let mut set = vec![0u64; all.max().map_or(0, |&c| c as usize / 64 + 1)];
            for bin in (0..bins.n_bins(j)).filter(|&b| sides[b]) {
                bins.levels(j, bin).iter().for_each(|&c| set[c as usize / 64] |= 1 << (c % 64));
            }
            Rule::Levels { feature, set, missing_left }
        }
    }
}
