//! One tree, grown from histograms: best leaf first, or level by level.
//!
//! A split parts the rows of its node, builds the histogram of the child with fewer rows, and takes it from the
//! node's own to have that of the other child. What cannot be split any more has no histogram built.

use super::histogram::{Groups, Histogram, PARALLEL, Packed, Sums, add, subtract};
use super::partition::part;
use super::split::{Bounds, Cut, Limits, Scan, Split};
use crate::bins::Bins;
use crate::grown::{LEAF, Rule};
use mercer_core::Session;
use mercer_math::{rng_for, sample_indices};
use rayon::prelude::*;

/// Bytes that the histograms of open leaves may take together; leaves beyond that build theirs anew.
const POOL: usize = 1 << 30;

/// What all trees of a model share.
#[derive(Debug)]
pub(crate) struct Field<'a> {
    pub(crate) bins: &'a Bins,
    pub(crate) groups: &'a Groups,
    pub(crate) limits: &'a Limits,
    pub(crate) session: &'a Session,
}

/// A tree as it grew: nodes in the order they were made, the root first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Draft {
    pub(crate) split: Vec<Option<Split>>,
    pub(crate) left: Vec<u32>,
    pub(crate) right: Vec<u32>,
    pub(crate) bounds: Vec<Bounds>,
    /// The leaves, each with the range of its rows.
    pub(crate) leaves: Vec<(u32, usize, usize)>,
}

impl Draft {
    fn push(&mut self, bounds: Bounds) -> u32 {
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

/// A leaf that may be split.
#[derive(Debug)]
struct Open {
    node: u32,
    start: usize,
    end: usize,
    depth: usize,
    sums: Sums,
    histogram: Option<Histogram>,
    split: Option<Split>,
    /// The sets of columns that may meet, as far as they hold all columns met so far.
    sets: Vec<u32>,
}

/// Buffers that live from tree to tree.
#[derive(Debug, Default)]
pub(crate) struct Workspace {
    room: Vec<u32>,
    gathered: Vec<i64>,
    spare: Vec<Histogram>,
}

/// Grows one tree.
#[derive(Debug)]
pub(crate) struct Grower<'a> {
    field: &'a Field<'a>,
    scan: Scan<'a>,
    packed: &'a Packed,
    /// Columns that this tree may use.
    columns: Vec<u32>,
    /// Groups of columns of which the tree uses any.
    wanted: Vec<bool>,
    seed: u64,
    work: &'a mut Workspace,
    held: usize,
    draft: Draft,
}

impl<'a> Grower<'a> {
    pub(crate) fn new(field: &'a Field<'a>, packed: &'a Packed, work: &'a mut Workspace, seed: u64) -> Self {
        let shown = field.bins.shown();
        let chosen = choose(shown.len(), field.limits.tree_features, seed, u64::MAX);
        let columns: Vec<u32> = chosen.into_iter().map(|k| shown[k as usize]).collect();
        let mut wanted = vec![false; field.groups.len()];
        columns.iter().for_each(|&j| wanted[field.groups.group_of(field.bins.track(j as usize))] = true);
        let scan = Scan { bins: field.bins, limits: field.limits, packed };
        Self { field, scan, packed, columns, wanted, seed, work, held: 0, draft: Draft::default() }
    }

    /// Grows the tree of the rows, which come back in the order of the leaves.
    pub(crate) fn grow(mut self, rows: &mut [u32]) -> Draft {
        let limits = self.field.limits;
        self.work.room.resize(rows.len(), 0);
        let node = self.draft.push(Bounds::NONE);
        let (histogram, split, sets) = (None, None, (0..limits.interactions.len() as u32).collect());
        let (end, sums) = (rows.len(), self.packed.total(rows));
        let mut root = Open { node, start: 0, end, depth: 0, sums, histogram, split, sets };
        if limits.max_leaves > 1 && self.can_split(&root) {
            self.fill(&mut root, None, None, rows);
        }
        let mut open = vec![root];
        while open.len() < limits.max_leaves {
            let Some(next) = self.next(&open) else { break };
            let leaf = open.swap_remove(next);
            let last = open.len() + 2 >= limits.max_leaves;
            let children = self.divide(leaf, rows, last);
            open.extend(children);
            if self.field.session.interrupted().is_some() {
                break;
            }
        }
        for leaf in open {
            self.draft.leaves.push((leaf.node, leaf.start, leaf.end));
            self.release(leaf.histogram);
        }
        self.draft
    }

    /// The leaf to split next.
    fn next(&self, open: &[Open]) -> Option<usize> {
        let gain = |leaf: &Open| leaf.split.map(|s| s.gain);
        let rank = |leaf: &Open| if self.field.limits.best_first { 0 } else { leaf.depth };
        (0..open.len()).filter(|&i| open[i].split.is_some()).min_by(|&a, &b| {
            let (a, b) = (&open[a], &open[b]);
            rank(a)
                .cmp(&rank(b))
                .then(gain(b).unwrap_or(0.0).total_cmp(&gain(a).unwrap_or(0.0)))
                .then(a.node.cmp(&b.node))
        })
    }

    fn can_split(&self, leaf: &Open) -> bool {
        let limits = self.field.limits;
        leaf.depth < limits.max_depth
            && leaf.end - leaf.start >= (2 * limits.min_rows).max(2)
            && self.scan.real(leaf.sums).1 >= 2.0 * limits.min_hessian
    }

    fn take(&mut self) -> Histogram {
        self.held += 1;
        self.work.spare.pop().unwrap_or_default()
    }

    fn release(&mut self, histogram: Option<Histogram>) {
        if let Some(histogram) = histogram {
            self.held -= 1;
            self.work.spare.push(histogram);
        }
    }

    /// Splits a leaf and looks for the splits of its children.
    fn divide(&mut self, leaf: Open, rows: &mut [u32], last: bool) -> Vec<Open> {
        let Open { node, start, end, depth, histogram, split, mut sets, .. } = leaf;
        let Some(split) = split else { return Vec::new() };
        let j = split.column as usize;
        let bins = self.field.bins;
        let sides = bins.by_track(j, &split.sides(bins.missing(j)));
        let room = &mut self.work.room[..end - start];
        let middle = start + part(&mut rows[start..end], room, bins.codes(bins.track(j)), &sides);
        let bounds = self.bounds(node, &split);
        let feature = bins.feature(j) as u32;
        sets.retain(|&s| self.field.limits.interactions[s as usize].contains(&feature));
        let mut child = |sums: Sums, start: usize, end: usize, bounds: Bounds| {
            let node = self.draft.push(bounds);
            let (histogram, split, sets) = (None, None, sets.clone());
            Open { node, start, end, depth: depth + 1, sums, histogram, split, sets }
        };
        let mut left = child(split.left, start, middle, bounds.0);
        let mut right = child(split.right, middle, end, bounds.1);
        self.draft.split[node as usize] = Some(split);
        (self.draft.left[node as usize], self.draft.right[node as usize]) = (left.node, right.node);
        if last {
            self.release(histogram);
        } else {
            let (small, large) = if middle - start <= end - middle {
                (&mut left, &mut right)
            } else {
                (&mut right, &mut left)
            };
            self.fill_both(small, large, histogram, rows);
        }
        vec![left, right]
    }

    /// The histograms of two children, as far as they can be split, and their splits.
    fn fill_both(&mut self, small: &mut Open, large: &mut Open, parent: Option<Histogram>, rows: &[u32]) {
        let wanted = (self.can_split(small), self.can_split(large));
        match parent {
            Some(parent) if wanted.1 => self.fill(small, Some(large), Some(parent), rows),
            parent => {
                self.release(parent);
                for (leaf, wanted) in [(&mut *small, wanted.0), (&mut *large, wanted.1)] {
                    if wanted {
                        self.fill(leaf, None, None, rows);
                    }
                }
            }
        }
        for leaf in [small, large] {
            let full = self.held * self.field.groups.n_bins() * size_of::<Sums>() > POOL;
            if leaf.split.is_none() || full {
                let unused = leaf.histogram.take();
                self.release(unused);
            }
        }
    }

    /// Builds the histogram of a leaf, takes it from its parent's for the sibling, and finds the best splits of both:
    /// all of it group by group.
    fn fill(
        &mut self,
        leaf: &mut Open,
        mut sibling: Option<&mut Open>,
        parent: Option<Histogram>,
        rows: &[u32],
    ) {
        let (groups, packed) = (self.field.groups, self.packed);
        let mut own = self.take();
        let mut other = parent.unwrap_or_default();
        let mut room = std::mem::take(&mut self.work.gathered);
        let rows = &rows[leaf.start..leaf.end];
        let words = groups.gather(packed, rows, &mut room);
        let by_rows = groups.by_rows(packed, words, &self.wanted);
        let columns = (self.columns_of(leaf), sibling.as_ref().map(|s| self.columns_of(s)));
        let mut others = groups.parts(&mut other).into_iter();
        let mut tasks: Vec<_> =
            groups.parts(&mut own).into_iter().map(|own| (own, others.next())).enumerate().collect();
        tasks.retain(|(group, _)| self.wanted[*group]);
        let (here, there) = (&*leaf, sibling.as_deref());
        let one = |(group, (own, other)): (usize, (&mut [Sums], Option<&mut [Sums]>))| {
            match by_rows.split_first() {
                Some((first, others)) => {
                    own.copy_from_slice(&first[groups.range(group)]);
                    others.iter().for_each(|other| add(own, &other[groups.range(group)]));
                }
                None => groups.by_group(packed, group, words, own),
            }
            let first = self.look(here, group, own, columns.0.as_deref());
            let second = other.zip(there).and_then(|(other, there)| {
                subtract(other, own);
                self.look(there, group, other, columns.1.as_ref().and_then(|c| c.as_deref()))
            });
            (first, second)
        };
        let merge = |a: (Option<Split>, Option<Split>), b: (_, _)| (better(a.0, b.0), better(a.1, b.1));
        let found = if rows.len() * groups.len() + groups.n_bins() < PARALLEL {
            tasks.into_iter().map(one).fold((None, None), merge)
        } else {
            tasks.into_par_iter().map(one).reduce(|| (None, None), merge)
        };
        self.work.gathered = room;
        (leaf.split, leaf.histogram) = (found.0, Some(own));
        if let Some(sibling) = &mut sibling {
            (sibling.split, sibling.histogram) = (found.1, Some(other));
        }
    }

    /// The columns that a leaf may be split by, rising; `None` for all of the tree's.
    fn columns_of(&self, leaf: &Open) -> Option<Vec<u32>> {
        let (limits, bins) = (self.field.limits, self.field.bins);
        if limits.interactions.is_empty() && limits.node_features >= 1.0 {
            return None;
        }
        let may = |j: &u32| {
            let feature = bins.feature(*j as usize) as u32;
            let sets = &limits.interactions;
            sets.is_empty() || leaf.sets.iter().any(|&s| sets[s as usize].contains(&feature))
        };
        let among: Vec<u32> = self.columns.iter().copied().filter(may).collect();
        let chosen = choose(among.len(), limits.node_features, self.seed, u64::from(leaf.node));
        Some(chosen.into_iter().map(|k| among[k as usize]).collect())
    }

    /// The best split of a leaf by the columns of a group: the first column of the greatest gain.
    fn look(&self, leaf: &Open, group: usize, part: &[Sums], columns: Option<&[u32]>) -> Option<Split> {
        let bounds = self.draft.bounds[leaf.node as usize];
        let columns = columns.unwrap_or(&self.columns);
        if !self.can_split(leaf) {
            return None;
        }
        let (groups, bins, mut room) = (self.field.groups, self.field.bins, Vec::new());
        let mut found = None;
        for track in groups.columns(group) {
            let sums = groups.column(part, group, track);
            for &j in bins.members(track).iter().filter(|j| columns.binary_search(j).is_ok()) {
                let j = j as usize;
                let own = match bins.shared(j) {
                    Some((default, others)) => self.scan.alone(&sums[others], default, leaf.sums, &mut room),
                    None => Some(sums),
                };
                found = better(found, own.and_then(|own| self.scan.best(j, own, leaf.sums, bounds)));
            }
        }
        found
    }

    /// The bounds of both children of a split of a node.
    fn bounds(&self, node: u32, split: &Split) -> (Bounds, Bounds) {
        let own = self.draft.bounds[node as usize];
        let sign = self.field.limits.monotone.get(split.column as usize).copied().unwrap_or(0);
        if sign == 0 {
            return (own, own);
        }
        let value = |sums: Sums| {
            let (g, h) = self.scan.real(sums);
            Scan::value(self.field.limits, g, h, own)
        };
        let middle = 0.5 * (value(split.left) + value(split.right));
        if sign > 0 {
            (Bounds(own.0, middle), Bounds(middle, own.1))
        } else {
            (Bounds(middle, own.1), Bounds(own.0, middle))
        }
    }
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
