//! How a block of rows visits the trees of a grove.

use super::source::Block;
use super::{Grove, LANES, Leaf, Spot};
use std::ops::Range;

/// A way of walking rows to their leaves.
pub(super) trait Walk {
    /// Walks the chosen rows through a tree, given by its nodes, and calls `emit(row, leaf)` for each, in any order.
    fn walk(&self, tree: Range<usize>, chosen: &[u32], emit: impl FnMut(u32, Leaf));
}

/// Rows as they are.
pub(super) struct Plain<'a> {
    pub(super) grove: &'a Grove,
    pub(super) rows: &'a Block<'a>,
}

impl Walk for Plain<'_> {
    fn walk(&self, tree: Range<usize>, chosen: &[u32], mut emit: impl FnMut(u32, Leaf)) {
        for lanes in chosen.chunks(LANES) {
            let row = |k: usize| self.rows.row(lanes[k.min(lanes.len() - 1)] as usize);
            let mut at = [tree.start as u32; LANES];
            self.grove.leaves(&mut at, std::array::from_fn(row));
            lanes.iter().zip(at).for_each(|(&i, at)| emit(i, self.grove.leaf(at)));
        }
    }
}

/// The trees that a block of rows visits, and the rows that each tree is to be visited by.
pub(super) struct Visit<'a> {
    pub(super) grove: &'a Grove,
    pub(super) rows: &'a Block<'a>,
    pub(super) trees: &'a Range<usize>,
    pub(super) stride: usize,
    pub(super) wanted: Option<&'a (dyn Fn(usize, usize) -> bool + Sync)>,
}

impl Visit<'_> {
    /// Some trees at a time for each row.
    pub(super) fn few<T>(&self, out: &mut [T], write: &impl Fn(usize, Leaf, Spot<'_>, &mut [T])) {
        for (i, out) in out.chunks_mut(self.stride).enumerate() {
            let (row, spot) = (self.rows.row(i), Spot { rows: self.rows, i });
            for first in self.trees.clone().step_by(LANES) {
                let last = self.trees.end - 1;
                let mut at = std::array::from_fn(|k| self.grove.roots[(first + k).min(last)]);
                self.grove.leaves(&mut at, [row; LANES]);
                (first..=last).zip(at).for_each(|(t, at)| write(t, self.grove.leaf(at), spot, out));
            }
        }
    }

    /// Some rows at a time for each tree.
    pub(super) fn many<T>(
        &self,
        walk: &impl Walk,
        out: &mut [T],
        write: &impl Fn(usize, Leaf, Spot<'_>, &mut [T]),
    ) {
        let all = 0..self.rows.n as u32;
        let mut chosen: Vec<u32> = all.clone().collect();
        for t in self.trees.clone() {
            if let Some(wanted) = self.wanted {
                chosen.clear();
                chosen.extend(all.clone().filter(|&i| wanted(t, self.rows.first + i as usize)));
            }
            walk.walk(self.grove.range(t), &chosen, |i, leaf| {
                let i = i as usize;
                write(t, leaf, Spot { rows: self.rows, i }, &mut out[i * self.stride..][..self.stride]);
            });
        }
    }
}
