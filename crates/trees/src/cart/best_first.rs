//! Best-first tree growth, up to a number of leaves: one loop for exact and for histogram trees.

use crate::cart::criterion::Criterion;
use crate::cart::depth_first::{Grower, Item, Split};
use crate::grown::Grown;
use mercer_core::Termination;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A leaf's number, and its best split, if it has one: the improvement, the leaf again, the split.
pub(crate) type Entered<L, S> = (u32, Option<(f64, L, S)>);

/// A tree that can grow leaf by leaf.
pub(crate) trait Growth {
    /// A leaf of it.
    type Leaf;
    /// How a leaf would be split.
    type Split;

    /// Enters a leaf: its number, and its best split, if it has one, with the improvement that it brings.
    fn enter(&mut self, leaf: Self::Leaf) -> Entered<Self::Leaf, Self::Split>;
    /// Splits leaf `id` into its left and right child.
    fn divide(&mut self, id: u32, leaf: Self::Leaf, split: Self::Split) -> [Self::Leaf; 2];
    /// Whether growth was interrupted.
    fn is_stopped(&self) -> bool;
}

/// Splits the leaf of the greatest improvement until there are `max_leaves` or none can be split.
pub(crate) fn grow<G: Growth>(tree: &mut G, root: G::Leaf, max_leaves: usize) {
    let (mut frontier, mut leaves) = (BinaryHeap::new(), 1);
    let enter = |tree: &mut G, leaf: G::Leaf, frontier: &mut BinaryHeap<_>| {
        if let (id, Some((improvement, leaf, split))) = tree.enter(leaf) {
            frontier.push(Candidate { id, improvement, what: (leaf, split) });
        }
    };
    enter(tree, root, &mut frontier);
    while leaves < max_leaves && !tree.is_stopped() {
        let Some(Candidate { id, what: (leaf, split), .. }) = frontier.pop() else { return };
        tree.divide(id, leaf, split).into_iter().for_each(|leaf| enter(tree, leaf, &mut frontier));
        leaves += 1;
    }
}

/// A split candidate: a leaf that could be split, ordered by the improvement; the older of two equal ones first.
struct Candidate<W> {
    id: u32,
    improvement: f64,
    /// The leaf and its split.
    what: W,
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

/// Best-first growth with exact splits.
pub(crate) struct Exact<'g, 'p, R: Criterion> {
    grower: Grower<'p>,
    criterion: &'g R,
    sides: R::Sides<'g>,
}

impl<'g, 'p, R: Criterion> Exact<'g, 'p, R> {
    /// Grows up to `max_leaves` under `root`.
    pub(crate) fn grow(
        grower: Grower<'p>,
        criterion: &'g R,
        root: Item,
        max_leaves: usize,
    ) -> (Grown, Option<Termination>) {
        let mut tree = Self { grower, criterion, sides: criterion.sides() };
        grow(&mut tree, root, max_leaves);
        (tree.grower.out, tree.grower.stopped)
    }
}

impl<R: Criterion> Growth for Exact<'_, '_, R> {
    type Leaf = Item;
    type Split = Split;

    fn enter(&mut self, item: Item) -> (u32, Option<(f64, Item, Split)>) {
        let id = self.grower.out.push(item.parent, item.is_left, &item.summary);
        if item.terminal || self.grower.interrupted(item.summary.rows) {
            return (id, None);
        }
        let (item, split) = self.grower.choose(self.criterion, &mut self.sides, item);
        (id, split.map(|split| (split.improvement, item, split)))
    }

    fn divide(&mut self, id: u32, item: Item, split: Split) -> [Item; 2] {
        self.grower.divide(self.criterion, &item, split, id)
    }

    fn is_stopped(&self) -> bool {
        self.grower.stopped.is_some()
    }
}
