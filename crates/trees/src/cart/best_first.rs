//! Best-first tree growth, up to a number of leaves.

use crate::cart::criterion::Criterion;
use crate::cart::depth_first::{Grower, Item};
use crate::grown::Grown;
use mercer_core::Termination;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A split candidate: a leaf that could be split, ordered by the improvement; the older of two equal ones first.
pub(crate) struct Candidate<W> {
    pub(crate) id: u32,
    pub(crate) improvement: f64,
    /// The leaf and its split.
    pub(crate) what: W,
}

impl<W> PartialEq for Candidate<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl<W> Eq for Candidate<W> {}
impl<W> PartialOrd for Candidate<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl<W> Ord for Candidate<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.improvement.total_cmp(&other.improvement).then(other.id.cmp(&self.id))
    }
}

/// Splits the leaf of the greatest improvement until there are `max_leaves` or none can be split.
pub(crate) fn grow<R: Criterion>(
    mut grower: Grower<'_>,
    criterion: &R,
    root: Item,
    max_leaves: usize,
) -> (Grown, Option<Termination>) {
    let mut sides = criterion.sides();
    let mut frontier = BinaryHeap::new();
    let mut leaves = 1;
    let mut new = vec![root];
    loop {
        for item in new {
            let id = grower.out.push(item.parent, item.is_left, &item.summary);
            if item.terminal || grower.interrupted(item.summary.rows) {
                continue;
            }
            if let (item, Some(split)) = grower.choose(criterion, &mut sides, item) {
                frontier.push(Candidate { id, improvement: split.improvement, what: (item, split) });
            }
        }
        if leaves >= max_leaves || grower.stopped.is_some() {
            break;
        }
        let Some(Candidate { id, what: (item, split), .. }) = frontier.pop() else { break };
        new = grower.divide(criterion, &item, split, id).into();
        leaves += 1;
    }
    (grower.out, grower.stopped)
}
