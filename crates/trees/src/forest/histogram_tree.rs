//! Histogram tree growth on binned columns, one tree in one task; a tree that stands for itself hands off its subtrees to others.
//!
//! The rows of a node are a range of entries, each a row with its response; a split parts the range stably. A node
//! draws features until enough of them can be cut, adds up one histogram for each, and cuts at the best place
//! between two bins that it has rows in. Cells are emptied as they are read, so small nodes pay for the bins that
//! they touch alone. A node whose rows fit the first cache is copied together before it goes on.

use super::binned_columns::BinnedColumns;
use super::code_set::CodeSet;
use super::split_search::{Group, SplitSearch};
use super::split_statistics::SplitStatistics;
use crate::cart::best_first::Candidate;
use crate::cart::criterion::NodeSummary;
use crate::cart::depth_first::{NONE, bitset, is_terminal};
use crate::constraints::Allowed;
use crate::grown::Grown;
use crate::limits::Limits;
use mercer_core::{Session, Termination};
use mercer_math::{Rng, below, rng_for};
use rayon::prelude::*;
use std::collections::BinaryHeap;
use std::sync::Arc;

/// The codes of a node that is copied together take at most so many bytes.
const NEAR: usize = 1 << 15;
/// Subtrees of this many rows, or of a sixty-fourth of all, are handed off.
const HAND_OFF: usize = 8192;
/// Those of fewer rows are not worth it.
const KEEP: usize = 512;
/// The first stream of the subtrees that are handed off.
const SUBTREES: u64 = 1 << 32;

/// A row of the tree with its response.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry<I> {
    pub(crate) row: u32,
    pub(crate) item: I,
}

/// A node to be grown.
#[derive(Clone, Debug)]
pub(super) struct Node {
    parent: u32,
    is_left: bool,
    pub(super) start: usize,
    pub(super) end: usize,
    depth: usize,
    /// So many features at the front of the list are constant here, or may not be met.
    constants: usize,
    /// The features that may be met, where not all may.
    allowed: Option<Arc<Allowed>>,
}

/// A split candidate: where a node is cut.
#[derive(Clone, Debug)]
pub(super) struct Cut {
    pub(super) score: f64,
    pub(super) feature: u32,
    /// The codes that go left, one bit each.
    pub(super) left: CodeSet,
    pub(super) threshold: f64,
    /// Where missing values go; where the node has none, to the heavier side.
    pub(super) missing_left: bool,
    /// The codes that the node has rows of.
    pub(super) seen: CodeSet,
}

/// The tree grower.
#[derive(Debug)]
pub(crate) struct Grower<'a, T: SplitStatistics> {
    pub(super) statistics: &'a T,
    pub(super) codes: &'a BinnedColumns,
    pub(super) limits: Limits,
    session: &'a Session,
    pub(super) entries: Vec<Entry<T::Item>>,
    scratch: Vec<Entry<T::Item>>,
    pub(super) near: Vec<u8>,
    pub(super) is_near: bool,
    pub(super) cells: Box<[T::Cell; 256]>,
    pub(super) rows: Box<[u32; 256]>,
    pub(super) group: Group<T::Cell>,
    /// The features that the tree may use; those that are of no use to a node come first.
    features: Vec<u32>,
    pub(super) rng: Rng,
    /// Weight of all rows.
    weight: f64,
    out: Grown,
    pub(super) node: NodeSummary,
    pub(super) total: T::Cell,
    visited: usize,
    stopped: Option<Termination>,
    /// Nodes of more rows than [`KEEP`] and at most so many are handed off.
    hand_off: usize,
    handed: Vec<(Node, Vec<u32>)>,
}

impl<'a, T: SplitStatistics> Grower<'a, T> {
    pub(crate) fn new(
        statistics: &'a T,
        codes: &'a BinnedColumns,
        limits: Limits,
        session: &'a Session,
        entries: Vec<Entry<T::Item>>,
        features: Vec<u32>,
        rng: Rng,
    ) -> Self {
        let mut new = Self::of_part(statistics, codes, limits, session, entries, features, rng);
        new.limits.min_weight_leaf *= new.node.weight;
        new.weight = new.node.weight;
        new
    }

    /// A grower whose limits are those of the whole tree.
    fn of_part(
        statistics: &'a T,
        codes: &'a BinnedColumns,
        limits: Limits,
        session: &'a Session,
        entries: Vec<Entry<T::Item>>,
        features: Vec<u32>,
        rng: Rng,
    ) -> Self {
        // What a leaf loses is not added up.
        let mut node = NodeSummary { loss: f64::NAN, ..NodeSummary::default() };
        let total = statistics.describe(entries.iter().map(|e| e.item), &mut node);
        Self {
            statistics,
            codes,
            limits,
            session,
            scratch: vec![Entry::default(); entries.len() + 1],
            entries,
            near: Vec::new(),
            is_near: false,
            cells: Box::new([T::Cell::default(); 256]),
            rows: Box::new([0; 256]),
            group: Group::default(),
            features,
            rng,
            weight: node.weight,
            out: Grown::default(),
            node,
            total,
            visited: 0,
            stopped: None,
            hand_off: 0,
            handed: Vec::new(),
        }
    }

    /// The root.
    fn root(&self) -> Node {
        let (start, end) = (0, self.entries.len());
        let allowed = self.limits.interactions.as_ref().map(|m| m.root());
        Node { parent: NONE, is_left: false, start, end, depth: 0, constants: 0, allowed }
    }

    /// Grows the whole tree: depth first, or best first where its leaves are limited.
    pub(crate) fn grow(mut self) -> (Grown, Option<Termination>) {
        let root = self.root();
        match self.limits.max_leaf_nodes {
            Some(leaves) => self.grow_best_first(root, leaves),
            None => self.grow_under(root),
        }
        (self.out, self.stopped)
    }

    /// Grows the whole tree, with subtrees in parallel where it grows depth first. Which these are depends on the data
    /// alone.
    pub(crate) fn grow_in_parallel(mut self) -> (Grown, Option<Termination>) {
        if self.limits.max_leaf_nodes.is_some() {
            return self.grow();
        }
        self.hand_off = HAND_OFF.max(self.entries.len() / 64);
        self.grow_under(self.root());
        let handed = std::mem::take(&mut self.handed);
        let made: Vec<(Grown, Option<Termination>)> =
            handed.par_iter().enumerate().with_max_len(1).map(|(t, task)| self.subtree(t, task)).collect();
        for ((node, _), (subtree, stopped)) in handed.iter().zip(made) {
            self.out.append(node.parent, node.is_left, subtree);
            self.stopped = self.stopped.or(stopped);
        }
        (self.out, self.stopped)
    }

    /// Grows what hangs under a node that was handed off, with a random stream of its own.
    fn subtree(&self, t: usize, (node, features): &(Node, Vec<u32>)) -> (Grown, Option<Termination>) {
        let entries = self.entries[node.start..node.end].to_vec();
        let rng = rng_for(self.session.seed(), SUBTREES + t as u64);
        let (limits, features) = (self.limits.clone(), features.clone());
        let mut grower =
            Self::of_part(self.statistics, self.codes, limits, self.session, entries, features, rng);
        grower.weight = self.weight;
        let end = node.end - node.start;
        grower.grow_under(Node { parent: NONE, is_left: false, start: 0, end, ..node.clone() });
        (grower.out, grower.stopped)
    }

    fn grow_best_first(&mut self, root: Node, max_leaves: usize) {
        let (mut frontier, mut new, mut leaves) = (BinaryHeap::new(), vec![root], 1);
        loop {
            for mut node in new.drain(..).rev() {
                let id = self.open(&node);
                // Nodes are not visited in the order in which constant features could be passed on.
                node.constants = 0;
                if self.is_leaf(&node) {
                    continue;
                }
                if let Some(cut) = self.choose(&mut node) {
                    let improvement = self.improvement(&node, &cut);
                    node.constants = 0;
                    frontier.push(Candidate { id, improvement, what: (node, cut) });
                }
            }
            if leaves >= max_leaves || self.stopped.is_some() {
                return;
            }
            let Some(Candidate { id, what: (node, cut), .. }) = frontier.pop() else { return };
            let at = self.divide(&node, &cut, id);
            new.extend(self.children(&node, &cut, id, at));
            leaves += 1;
        }
    }

    fn grow_under(&mut self, root: Node) {
        let mut stack = vec![root];
        while let Some(mut node) = stack.pop() {
            let rows = node.end - node.start;
            if !self.is_near && rows <= self.hand_off && rows > KEEP && node.parent != NONE {
                self.handed.push((node, self.features.clone()));
                continue;
            }
            if !self.is_near && rows * self.codes.columns.len() <= NEAR {
                self.bring_near(&node);
                self.is_near = true;
                self.grow_under(node);
                self.is_near = false;
                continue;
            }
            let id = self.open(&node);
            if self.is_leaf(&node) {
                continue;
            }
            if let Some(cut) = self.choose(&mut node) {
                let at = self.divide(&node, &cut, id);
                stack.extend(self.children(&node, &cut, id, at));
            }
        }
    }

    /// Adds the node to the tree, with what it knows.
    fn open(&mut self, node: &Node) -> u32 {
        let items = self.entries[node.start..node.end].iter().map(|e| e.item);
        self.total = self.statistics.describe(items, &mut self.node);
        self.out.push(node.parent, node.is_left, &self.node)
    }

    /// Whether the node just opened stays a leaf without a look at its features.
    fn is_leaf(&mut self, node: &Node) -> bool {
        self.visited += 1;
        if self.stopped.is_none() && (self.node.rows >= 1024 || self.visited % 64 == 1) {
            self.stopped = self.session.interrupted();
        }
        self.stopped.is_some() || is_terminal(&self.limits, &self.node, node.depth)
    }

    /// Copies the codes of a node together; its entries count them from 0.
    fn bring_near(&mut self, node: &Node) {
        let d = self.codes.columns.len();
        self.near.clear();
        for (i, entry) in self.entries[node.start..node.end].iter_mut().enumerate() {
            self.near.extend_from_slice(&self.codes.codes[entry.row as usize * d..][..d]);
            entry.row = i as u32;
        }
    }

    /// The best cut of the node just opened.
    fn choose(&mut self, node: &mut Node) -> Option<Cut> {
        let d = self.features.len();
        let (mut wanted, mut among) = (self.limits.max_features, d);
        if let Some(allowed) = &node.allowed {
            (wanted, among) = (allowed.wanted, allowed.count);
            for i in node.constants..d {
                if !allowed.has(self.features[i]) {
                    self.features.swap(node.constants, i);
                    node.constants += 1;
                }
            }
        }
        let sampled = wanted < among;
        self.group.forget();
        let mut best: Option<Cut> = None;
        let mut next = node.constants;
        while wanted > 0 && next < d {
            if sampled {
                let drawn = next + below(&mut self.rng, d - next);
                self.features.swap(next, drawn);
            }
            match self.best_cut(node, self.features[next], !sampled) {
                SplitSearch::Constant => {
                    self.features.swap(node.constants, next);
                    node.constants += 1;
                }
                SplitSearch::Nothing => {}
                SplitSearch::Found(cut) => {
                    wanted -= 1;
                    if best.as_ref().is_none_or(|old| wins(&cut, old)) {
                        best = Some(cut);
                    }
                }
            }
            next += 1;
        }
        let best = best?;
        let least = self.limits.min_impurity_decrease;
        (least <= 0.0 || self.improvement(node, &best) + f64::EPSILON >= least).then_some(best)
    }

    /// The decrease of impurity, times the node's share of the weight.
    fn improvement(&self, node: &Node, cut: &Cut) -> f64 {
        let part = |wanted: bool| {
            let mut side = NodeSummary::default();
            let entries = self.entries[node.start..node.end].iter();
            let items = entries.filter(|e| self.goes_left(cut, e.row) == wanted).map(|e| e.item);
            self.statistics.describe(items, &mut side);
            side.weight * side.impurity
        };
        let (mut own, entries) = (NodeSummary::default(), &self.entries[node.start..node.end]);
        self.statistics.describe(entries.iter().map(|e| e.item), &mut own);
        (own.weight * own.impurity - part(true) - part(false)) / self.weight
    }

    #[inline]
    fn table(&self) -> &[u8] {
        if self.is_near { &self.near } else { &self.codes.codes }
    }

    #[inline]
    fn goes_left(&self, cut: &Cut, row: u32) -> bool {
        let code = self.table()[row as usize * self.codes.columns.len() + cut.feature as usize];
        cut.left.has(code)
    }

    /// Writes the cut into node `id` and parts its entries; how many go left.
    fn divide(&mut self, node: &Node, cut: &Cut, id: u32) -> usize {
        let (d, j) = (self.codes.columns.len(), cut.feature as usize);
        let table = if self.is_near { &self.near[..] } else { &self.codes.codes };
        let entries = &mut self.entries[node.start..node.end];
        let (right, mut l, mut r) = (&mut self.scratch, 0, 0);
        for i in 0..entries.len() {
            let e = entries[i];
            let go = usize::from(cut.left.has(table[e.row as usize * d + j]));
            entries[l] = e;
            right[r] = e;
            l += go;
            r += 1 - go;
        }
        entries[l..].copy_from_slice(&right[..r]);
        match &self.codes.columns[j].levels {
            Some(levels) => {
                let of = |wanted: bool| -> Vec<u32> {
                    let seen = (0..levels.len()).filter(|&b| cut.seen.has(b as u8));
                    let bins = seen.filter(|&b| cut.left.has(b as u8) == wanted);
                    bins.flat_map(|b| levels[b].iter().copied()).collect()
                };
                let set = bitset(&of(true), &of(false), cut.missing_left);
                self.out.split_levels(id, cut.feature, set, cut.missing_left);
            }
            None => self.out.split_number(id, cut.feature, cut.threshold, cut.missing_left),
        }
        l
    }

    /// Both children, the left one on top of the stack.
    fn children(&self, node: &Node, cut: &Cut, id: u32, n_left: usize) -> [Node; 2] {
        let at = node.start + n_left;
        let allowed = self.limits.allowed_after(&node.allowed, cut.feature);
        let child = |is_left: bool, start: usize, end: usize| Node {
            parent: id,
            is_left,
            start,
            end,
            depth: node.depth + 1,
            constants: node.constants,
            allowed: allowed.clone(),
        };
        [child(false, at, node.end), child(true, node.start, at)]
    }
}

/// Whether a cut is better than the best so far. Equal partitions through different features may differ in the last
/// digits of their sums; then the lower feature is taken.
fn wins(cut: &Cut, old: &Cut) -> bool {
    let slack = 1e-11 * old.score.abs();
    cut.score > old.score + slack || (cut.feature < old.feature && cut.score >= old.score - slack)
}
