//! The traversal of the trees by a block of rows.

use super::source::Block;
use super::{LANES, Leaf, PackedTrees, RowCursor};
use std::ops::Range;

/// A way of walking rows to their leaves.
pub(super) trait Walk {
    /// Walks the chosen rows through a tree, given by its nodes, and calls `emit(row, leaf)` for each, in any order.
    fn walk(&self, tree: Range<usize>, chosen: &[u32], emit: impl FnMut(u32, Leaf));
}

/// Rows as they are.
pub(super) struct Plain<'a> {
    pub(super) packed: &'a PackedTrees,
    pub(super) rows: &'a Block<'a>,
}

impl Walk for Plain<'_> {
    fn walk(&self, tree: Range<usize>, chosen: &[u32], mut emit: impl FnMut(u32, Leaf)) {
        for lanes in chosen.chunks(LANES) {
            let row = |k: usize| self.rows.row(lanes[k.min(lanes.len() - 1)] as usize);
            let mut at = [tree.start as u32; LANES];
            self.packed.leaves(&mut at, std::array::from_fn(row));
            lanes.iter().zip(at).for_each(|(&i, at)| emit(i, self.packed.leaf(at)));
        }
    }
}

/// The trees that a block of rows visits, and the rows that each tree is to be visited by.
pub(super) struct Visit<'a> {
    pub(super) packed: &'a PackedTrees,
    pub(super) rows: &'a Block<'a>,
    pub(super) trees: &'a Range<usize>,
    pub(super) stride: usize,
    pub(super) wanted: Option<&'a (dyn Fn(usize, usize) -> bool + Sync)>,
}

impl Visit<'_> {
    /// Some trees at a time for each row.
    pub(super) fn few<T>(&self, out: &mut [T], write: &impl Fn(usize, Leaf, RowCursor<'_>, &mut [T])) {
        for (i, out) in out.chunks_mut(self.stride).enumerate() {
            let (row, cursor) = (self.rows.row(i), RowCursor { rows: self.rows, i });
            for first in self.trees.clone().step_by(LANES) {
                let last = self.trees.end - 1;
                let mut at = std::array::from_fn(|k| self.packed.roots[(first + k).min(last)]);
                self.packed.leaves(&mut at, [row; LANES]);
                (first..=last).zip(at).for_each(|(t, at)| write(t, self.packed.leaf(at), cursor, out));
            }
        }
    }

    /// Some rows at a time for each tree.
    pub(super) fn many<T>(
        &self,
        walk: &impl Walk,
        out: &mut [T],
        write: &impl Fn(usize, Leaf, RowCursor<'_>, &mut [T]),
    ) {
        let all = 0..self.rows.n as u32;
        let mut chosen: Vec<u32> = all.clone().collect();
        for t in self.trees.clone() {
            if let Some(wanted) = self.wanted {
                chosen.clear();
                chosen.extend(all.clone().filter(|&i| wanted(t, self.rows.first + i as usize)));
            }
            walk.walk(self.packed.range(t), &chosen, |i, leaf| {
                let i = i as usize;
                write(t, leaf, RowCursor { rows: self.rows, i }, &mut out[i * self.stride..][..self.stride]);
            });
        }
    }
}
