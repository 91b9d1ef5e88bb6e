//! Growing one regression tree from histograms of gradients: leaf-wise (best first), or level by level.
//!
//! A split parts the rows of its node, builds the histogram of the child with fewer rows, and takes it from the
//! node's own to have that of the other child. What cannot be split any more has no histogram built.
//!
//! The leaves that are next in turn are divided at once, one a thread, and what comes of the later ones is kept until
//! their turn: small nodes are too little work to share. The tree is the same as if they were divided one by one.

use super::binned_tree::BinnedTree;
use super::histogram::{Groups, Histogram, PARALLEL, add, subtract};
use super::partition::part;
use super::quantised::{Packed, Sums};
use super::split::{Bounds, Limits, Split, SplitFinder};
use crate::bins::Bins;
use mercer_core::Session;
use mercer_math::{rng_for, sample_indices, seed_for};
use rayon::prelude::*;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes that the histograms of open leaves may take together; leaves beyond that build theirs anew.
const POOL: usize = 1 << 30;

/// The training context that all trees of a model share.
#[derive(Debug)]
pub(crate) struct BoostContext<'a> {
    pub(crate) bins: &'a Bins,
    pub(crate) groups: &'a Groups,
    pub(crate) limits: &'a Limits,
    pub(crate) session: &'a Session,
}

/// A split candidate: a leaf with its best split, if it has one.
#[derive(Debug)]
struct Open {
    node: u32,
    /// The way from the root, as a number.
    path: u64,
    start: usize,
    end: usize,
    depth: usize,
    sums: Sums,
    bounds: Bounds,
    histogram: Option<Histogram>,
    split: Option<Split>,
    /// The sets of columns that may meet, as far as they hold all columns met so far.
    sets: Vec<u32>,
    /// Both sides of the split, where the leaf was divided before its turn; they are not in the tree yet.
    sides: Option<Box<[Open; 2]>>,
}

/// A leaf to divide, with its rows and room for as many.
struct Share<'r> {
    leaf: &'r mut Open,
    rows: &'r mut [u32],
    room: &'r mut [u32],
    words: &'r mut [i64],
    /// Whether other leaves are divided at the same time.
    company: bool,
}

/// Buffers that live from tree to tree.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    room: Vec<u32>,
    words: Vec<i64>,
    pool: Pool,
}

/// The histogram pool: histograms to use again.
#[derive(Debug, Default)]
struct Pool {
    spare: Mutex<Vec<Histogram>>,
    held: AtomicUsize,
}

impl Pool {
    fn spare(&self) -> std::sync::MutexGuard<'_, Vec<Histogram>> {
        self.spare.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn take(&self) -> Histogram {
        self.held.fetch_add(1, Ordering::Relaxed);
        self.spare().pop().unwrap_or_default()
    }

    fn give(&self, histogram: Option<Histogram>) {
        if let Some(histogram) = histogram {
            self.held.fetch_sub(1, Ordering::Relaxed);
            self.spare().push(histogram);
        }
    }
}

/// The tree grower.
#[derive(Debug)]
struct Grower<'a> {
    context: &'a BoostContext<'a>,
    finder: SplitFinder<'a>,
    packed: &'a Packed,
    /// Columns that this tree may use.
    columns: Vec<u32>,
    /// Groups of columns of which the tree uses any.
    wanted: Vec<bool>,
    seed: u64,
    pool: &'a Pool,
}

/// Grows the tree of the rows, which come back in the order of the leaves.
pub(crate) fn grow(
    context: &BoostContext<'_>,
    packed: &Packed,
    work: &mut Workspace,
    seed: u64,
    rows: &mut [u32],
) -> BinnedTree {
    let shown = context.bins.shown();
    let chosen = choose(shown.len(), context.limits.tree_features, seed, u64::MAX);
    let columns: Vec<u32> = chosen.into_iter().map(|k| shown[k as usize]).collect();
    let mut wanted = vec![false; context.groups.len()];
    columns.iter().for_each(|&j| wanted[context.groups.group_of(context.bins.track(j as usize))] = true);
    let finder = SplitFinder { bins: context.bins, limits: context.limits, packed };
    work.room.resize(rows.len(), 0);
    work.words.resize(rows.len(), 0);
    let Workspace { room, words, pool } = work;
    Grower { context, finder, packed, columns, wanted, seed, pool }.grow(rows, room, words)
}

impl Grower<'_> {
    fn grow(&self, rows: &mut [u32], room: &mut [u32], words: &mut [i64]) -> BinnedTree {
        let (limits, mut tree) = (self.context.limits, BinnedTree::default());
        let mut root = Open {
            node: tree.push(Bounds::NONE),
            path: 0,
            start: 0,
            end: rows.len(),
            depth: 0,
            sums: self.packed.total(rows),
            bounds: Bounds::NONE,
            histogram: None,
            split: None,
            sets: (0..limits.interactions.len() as u32).collect(),
            sides: None,
        };
        if limits.max_leaves > 1 && self.can_split(&root) {
            self.fill(&mut root, None, None, (rows, words), false);
        }
        let mut open = vec![root];
        while open.len() < limits.max_leaves {
            let Some(next) = self.next(&open) else { break };
            if open[next].sides.is_none() {
                self.prepare(&mut open, (rows, room, words));
            }
            let leaf = open.swap_remove(next);
            open.extend(enter(&mut tree, leaf));
            if self.context.session.interrupted().is_some() {
                break;
            }
        }
        for leaf in open {
            if leaf.sides.is_some() {
                // Parted in advance and then not split: how many are depends on the threads, the order of rows must not.
                rows[leaf.start..leaf.end].sort_unstable();
            }
            tree.leaves.push((leaf.node, leaf.start, leaf.end));
            let unused = leaf.sides.into_iter().flat_map(|sides| sides.map(|side| side.histogram));
            unused.chain([leaf.histogram]).for_each(|histogram| self.pool.give(histogram));
        }
        tree
    }

    /// The leaf to split next.
    fn next(&self, open: &[Open]) -> Option<usize> {
        (0..open.len()).filter(|&i| open[i].split.is_some()).min_by(|&a, &b| self.order(&open[a], &open[b]))
    }

    /// Which of two leaves comes first.
    fn order(&self, a: &Open, b: &Open) -> std::cmp::Ordering {
        let gain = |leaf: &Open| leaf.split.map_or(0.0, |s| s.gain);
        let rank = |leaf: &Open| if self.context.limits.best_first { 0 } else { leaf.depth };
        rank(a).cmp(&rank(b)).then(gain(b).total_cmp(&gain(a))).then(a.node.cmp(&b.node))
    }

    /// Divides the next leaf, and with it others that come soon, as many as there are threads.
    fn prepare(
        &self,
        open: &mut [Open],
        (mut rows, mut room, mut words): (&mut [u32], &mut [u32], &mut [i64]),
    ) {
        let left = self.context.limits.max_leaves - open.len();
        let mut chosen: Vec<&mut Open> =
            open.iter_mut().filter(|leaf| leaf.split.is_some() && leaf.sides.is_none()).collect();
        let most = rayon::current_num_threads().min(left);
        if chosen.len() > most {
            chosen.select_nth_unstable_by(most - 1, |a, b| self.order(a, b));
            chosen.truncate(most);
        }
        chosen.sort_unstable_by_key(|leaf| leaf.start);
        let (company, mut at) = (chosen.len() > 1, 0);
        let mut shares = Vec::with_capacity(chosen.len());
        for leaf in chosen {
            let (skip, len) = (leaf.start - at, leaf.end - leaf.start);
            at = leaf.end;
            let (rows, room) = (cut(&mut rows, skip, len), cut(&mut room, skip, len));
            shares.push(Share { leaf, rows, room, words: cut(&mut words, skip, len), company });
        }
        // The children of the last split are not split.
        let fill = left > 1;
        shares.into_par_iter().with_max_len(1).for_each(|share| self.divide(share, fill));
    }

    fn can_split(&self, leaf: &Open) -> bool {
        let limits = self.context.limits;
        leaf.depth < limits.max_depth
            && leaf.end - leaf.start >= (2 * limits.min_rows).max(2)
            && self.finder.real(leaf.sums).1 >= 2.0 * limits.min_hessian
    }

    /// Parts the rows of a leaf, and looks for the splits of both sides.
    fn divide(&self, share: Share<'_>, fill: bool) {
        let Share { leaf, rows, room, words, company } = share;
        let Some(split) = leaf.split else { return };
        let (bins, j) = (self.context.bins, split.column as usize);
        let sides = bins.by_track(j, &split.sides(bins.missing(j)));
        let n_left = part(rows, room, bins.codes(bins.track(j)), &sides);
        let bounds = self.bounds(leaf.bounds, &split);
        let (feature, mut sets) = (bins.feature(j) as u32, std::mem::take(&mut leaf.sets));
        sets.retain(|&s| self.context.limits.interactions[s as usize].contains(&feature));
        let middle = leaf.start + n_left;
        let child = |side: u64, sums: Sums, start: usize, end: usize, bounds: Bounds| Open {
            node: 0,
            path: seed_for(leaf.path, side),
            start,
            end,
            depth: leaf.depth + 1,
            sums,
            bounds,
            histogram: None,
            split: None,
            sets: sets.clone(),
            sides: None,
        };
        let mut left = child(0, split.left, leaf.start, middle, bounds.0);
        let mut right = child(1, split.right, middle, leaf.end, bounds.1);
        let parent = leaf.histogram.take();
        if fill {
            let (low, high) = rows.split_at(n_left);
            let (left, right) = ((&mut left, low), (&mut right, high));
            let (small, large) = if low.len() <= high.len() { (left, right) } else { (right, left) };
            self.fill_both(small, large, parent, (words, company));
        } else {
            self.pool.give(parent);
        }
        leaf.sides = Some(Box::new([left, right]));
    }

    /// The histograms of two children, as far as they can be split, and their splits.
    fn fill_both(
        &self,
        small: (&mut Open, &[u32]),
        large: (&mut Open, &[u32]),
        parent: Option<Histogram>,
        (words, company): (&mut [i64], bool),
    ) {
        match parent {
            Some(parent) if self.can_split(large.0) => {
                self.fill(small.0, Some(large.0), Some(parent), (small.1, words), company);
            }
            parent => {
                self.pool.give(parent);
                for (leaf, rows) in [(&mut *small.0, small.1), (&mut *large.0, large.1)] {
                    if self.can_split(leaf) {
                        self.fill(leaf, None, None, (rows, words), company);
                    }
                }
            }
        }
        for leaf in [small.0, large.0] {
            let held = self.pool.held.load(Ordering::Relaxed);
            let full = held * self.context.groups.n_bins() * size_of::<Sums>() > POOL;
            if leaf.split.is_none() || full {
                self.pool.give(leaf.histogram.take());
            }
        }
    }

    /// Builds the histogram of a leaf, takes it from its parent's for the sibling, and finds the best splits of both:
    /// all of it group by group.
    fn fill(
        &self,
        leaf: &mut Open,
        mut sibling: Option<&mut Open>,
        parent: Option<Histogram>,
        (rows, words): (&[u32], &mut [i64]),
        company: bool,
    ) {
        let (groups, packed) = (self.context.groups, self.packed);
        let (mut own, mut other) = (self.pool.take(), parent.unwrap_or_default());
        let words = groups.gather(packed, rows, words);
        let parts = groups.by_rows(packed, words, &self.wanted, company);
        let columns = (self.columns_of(leaf), sibling.as_ref().map(|s| self.columns_of(s)));
        let mut others = groups.parts(&mut other).into_iter();
        let mut tasks: Vec<_> =
            groups.parts(&mut own).into_iter().map(|own| (own, others.next())).enumerate().collect();
        tasks.retain(|(group, _)| self.wanted[*group]);
        let (here, beside) = (&*leaf, sibling.as_deref());
        let one = |(group, (own, other)): (usize, (&mut [Sums], Option<&mut [Sums]>))| {
            match parts.split_first() {
                Some((first, others)) => {
                    own.copy_from_slice(&first[groups.range(group)]);
                    others.iter().for_each(|other| add(own, &other[groups.range(group)]));
                }
                None => groups.by_group(packed, group, words, own),
            }
            let first = self.best_of_group(here, group, own, columns.0.as_deref());
            let second = other.zip(beside).and_then(|(other, beside)| {
                subtract(other, own);
                self.best_of_group(beside, group, other, columns.1.as_ref().and_then(|c| c.as_deref()))
            });
            (first, second)
        };
        let merge = |a: (Option<Split>, Option<Split>), b: (_, _)| (better(a.0, b.0), better(a.1, b.1));
        let work = groups.n_bins() + if parts.is_empty() { rows.len() * groups.len() } else { 0 };
        let found = if work < PARALLEL {
            tasks.into_iter().map(one).fold((None, None), merge)
        } else {
            tasks.into_par_iter().map(one).reduce(|| (None, None), merge)
        };
        (leaf.split, leaf.histogram) = (found.0, Some(own));
        if let Some(sibling) = &mut sibling {
            (sibling.split, sibling.histogram) = (found.1, Some(other));
        }
    }

    /// The columns that a leaf may be split by, rising; `None` for all of the tree's.
    fn columns_of(&self, leaf: &Open) -> Option<Vec<u32>> {
        let (limits, bins) = (self.context.limits, self.context.bins);
        if limits.interactions.is_empty() && limits.node_features >= 1.0 {
            return None;
        }
        let may = |j: &u32| {
            let feature = bins.feature(*j as usize) as u32;
            let sets = &limits.interactions;
            sets.is_empty() || leaf.sets.iter().any(|&s| sets[s as usize].contains(&feature))
        };
        let among: Vec<u32> = self.columns.iter().copied().filter(may).collect();
        let chosen = choose(among.len(), limits.node_features, self.seed, leaf.path);
        Some(chosen.into_iter().map(|k| among[k as usize]).collect())
    }

    /// The best split of a leaf by the columns of a group: the first column of the greatest gain.
    fn best_of_group(
        &self,
        leaf: &Open,
        group: usize,
        part: &[Sums],
        columns: Option<&[u32]>,
    ) -> Option<Split> {
        let columns = columns.unwrap_or(&self.columns);
        if !self.can_split(leaf) {
            return None;
        }
        let (groups, bins, mut room) = (self.context.groups, self.context.bins, Vec::new());
        let mut found = None;
        for track in groups.columns(group) {
            let sums = groups.column(part, group, track);
            for &j in bins.members(track).iter().filter(|j| columns.binary_search(j).is_ok()) {
                let j = j as usize;
                let own = match bins.shared(j) {
                    Some((default, others)) => {
                        self.finder.alone(&sums[others], default, leaf.sums, &mut room)
                    }
                    None => Some(sums),
                };
                found = better(found, own.and_then(|own| self.finder.best(j, own, leaf.sums, leaf.bounds)));
            }
        }
        found
    }

    /// The bounds of both children of a split of a node with its own.
    fn bounds(&self, own: Bounds, split: &Split) -> (Bounds, Bounds) {
        let sign = self.context.limits.monotone.get(split.column as usize).copied().unwrap_or(0);
        if sign == 0 {
            return (own, own);
        }
        let value = |sums: Sums| {
            let (g, h) = self.finder.real(sums);
            SplitFinder::value(self.context.limits, g, h, own)
        };
        let middle = 0.5 * (value(split.left) + value(split.right));
        if sign > 0 {
            (Bounds(own.0, middle), Bounds(middle, own.1))
        } else {
            (Bounds(middle, own.1), Bounds(own.0, middle))
        }
    }
}

/// Takes the next `len` values but `skip` ones off the front of a slice.
fn cut<'r, T>(rest: &mut &'r mut [T], skip: usize, len: usize) -> &'r mut [T] {
    let (taken, others) = std::mem::take(rest)[skip..].split_at_mut(len);
    *rest = others;
    taken
}

/// Enters the split of a leaf that was divided into the tree; its sides are the new leaves.
fn enter(tree: &mut BinnedTree, leaf: Open) -> Vec<Open> {
    let Some(mut sides) = leaf.sides else { return Vec::new() };
    sides.iter_mut().for_each(|side| side.node = tree.push(side.bounds));
    let node = leaf.node as usize;
    tree.split[node] = leaf.split;
    (tree.left[node], tree.right[node]) = (sides[0].node, sides[1].node);
    Vec::from(*sides)
}

/// The better of two splits, that of the first column where they gain the same.
fn better(a: Option<Split>, b: Option<Split>) -> Option<Split> {
    match (&a, &b) {
        (Some(x), Some(y)) if y.gain > x.gain || (y.gain == x.gain && y.column < x.column) => b,
        (None, _) => b,
        _ => a,
    }
}

/// A share of `d` columns, at least one, rising.
fn choose(d: usize, share: f64, seed: u64, task: u64) -> Vec<u32> {
    if share >= 1.0 {
        return (0..d as u32).collect();
    }
    let wanted = ((share * d as f64).ceil() as usize).clamp(1, d.max(1)).min(d);
    let mut chosen: Vec<u32> =
        sample_indices(&mut rng_for(seed, task), d, wanted).into_iter().map(|j| j as u32).collect();
    chosen.sort_unstable();
    chosen
}
