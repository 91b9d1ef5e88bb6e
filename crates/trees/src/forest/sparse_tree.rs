//! Tree growth on sparse rows of many columns: exact splits from the entries that are stored.
//!
//! A node gathers the entries of its rows by column; a column of which it has none is zero there, and cannot be cut. What
//! is not stored counts by what is: a cut below zero adds up its left side, a cut above zero its right side. A node
//! costs as many steps as its rows have entries, whatever the number of columns.

use super::histogram_tree::Entry;
use super::split_statistics::SplitStatistics;
use crate::cart::criterion::NodeSummary;
use crate::cart::depth_first::{NONE, is_terminal, middle};
use crate::cart::splitter::beats;
use crate::grown::Grown;
use crate::limits::{Limits, Splitter};
use mercer_core::{Session, Termination};
use mercer_math::{Csr, Rng, below, uniform};

/// Sparse rows, the kept ones by their place.
#[derive(Debug)]
pub(crate) struct SparseRows {
    rows: Csr,
    kept: Option<Vec<u32>>,
}

impl SparseRows {
    /// Rows from a matrix by columns, whose entries rise and are not zero.
    pub(crate) fn of_columns(columns: &Csr, kept: Option<&[u32]>) -> Self {
        Self { rows: columns.view().transposed(), kept: kept.map(<[u32]>::to_vec) }
    }

    pub(crate) fn n_features(&self) -> usize {
        self.rows.n_cols()
    }

    /// The columns and values that a kept row stores.
    fn row(&self, row: u32) -> (&[u32], &[f64]) {
        let place = self.kept.as_ref().map_or(row, |kept| kept[row as usize]);
        self.rows.view().row(place as usize)
    }

    fn value(&self, row: u32, feature: u32) -> f64 {
        let (features, values) = self.row(row);
        features.binary_search(&feature).map_or(0.0, |at| values[at])
    }
}

struct Node {
    parent: u32,
    is_left: bool,
    start: usize,
    end: usize,
    depth: usize,
}

#[derive(Clone, Copy)]
struct Cut {
    score: f64,
    feature: u32,
    threshold: f64,
}

/// The entries of a node, by column.
#[derive(Default)]
struct Gathered {
    /// Where the entries of a column start, for all columns; used again for the next node.
    starts: Vec<u32>,
    touched: Vec<u32>,
    /// Values with the places of their rows.
    entries: Vec<(f64, u32)>,
}

/// The grower of one tree.
pub(crate) struct SparseGrower<'a, T: SplitStatistics> {
    statistics: &'a T,
    rows: &'a SparseRows,
    limits: Limits,
    session: &'a Session,
    entries: Vec<Entry<T::Item>>,
    scratch: Vec<Entry<T::Item>>,
    /// The features that the tree may use, where not all are.
    allowed: Option<Vec<bool>>,
    rng: Rng,
    node: NodeSummary,
    total: T::Cell,
    gathered: Gathered,
    out: Grown,
}

impl<'a, T: SplitStatistics> SparseGrower<'a, T> {
    pub(crate) fn new(
        (statistics, rows, session): (&'a T, &'a SparseRows, &'a Session),
        mut limits: Limits,
        entries: Vec<Entry<T::Item>>,
        features: &[u32],
        rng: Rng,
    ) -> Self {
        // What a leaf loses is not added up.
        let mut node = NodeSummary { loss: f64::NAN, ..NodeSummary::default() };
        let total = statistics.describe(entries.iter().map(|e| e.item), &mut node);
        limits.min_weight_leaf *= node.weight;
        let d = rows.n_features();
        let allowed = (features.len() < d).then(|| {
            let mut allowed = vec![false; d];
            features.iter().for_each(|&f| allowed[f as usize] = true);
            allowed
        });
        let gathered = Gathered { starts: vec![0; d], ..Gathered::default() };
        let (scratch, out) = (Vec::new(), Grown::default());
        Self { statistics, rows, limits, session, entries, scratch, allowed, rng, node, total, gathered, out }
    }

    /// Grows the tree depth first.
    pub(crate) fn grow(mut self) -> (Grown, Option<Termination>) {
        let end = self.entries.len();
        let mut stack = vec![Node { parent: NONE, is_left: false, start: 0, end, depth: 0 }];
        let mut stopped = None;
        while let Some(node) = stack.pop() {
            let items = self.entries[node.start..node.end].iter().map(|e| e.item);
            self.total = self.statistics.describe(items, &mut self.node);
            let id = self.out.push(node.parent, node.is_left, &self.node);
            stopped = stopped.or_else(|| self.session.interrupted());
            if stopped.is_some() || is_terminal(&self.limits, &self.node, node.depth) {
                continue;
            }
            let Some(cut) = self.choose(&node) else { continue };
            let at = node.start + self.part(&node, cut);
            let heavier_left = 2 * (at - node.start) > node.end - node.start;
            self.out.split_number(id, cut.feature, cut.threshold, heavier_left);
            let depth = node.depth + 1;
            stack.push(Node { parent: id, is_left: false, start: at, end: node.end, depth });
            stack.push(Node { parent: id, is_left: true, start: node.start, end: at, depth });
        }
        (self.out, stopped)
    }

    /// Sorts the entries of a node into columns.
    fn gather(&mut self, node: &Node) {
        let Self { gathered: Gathered { starts, touched, entries }, rows, allowed, .. } = self;
        touched.clear();
        let may = |f: u32| allowed.as_ref().is_none_or(|allowed| allowed[f as usize]);
        let mut n = 0;
        for e in &self.entries[node.start..node.end] {
            for &f in rows.row(e.row).0.iter().filter(|&&f| may(f)) {
                if starts[f as usize] == 0 {
                    touched.push(f);
                }
                starts[f as usize] += 1;
                n += 1;
            }
        }
        touched.sort_unstable();
        // From counts to ends; filling from the back leaves the starts.
        let mut end = 0;
        for &f in touched.iter() {
            end += starts[f as usize];
            starts[f as usize] = end;
        }
        entries.clear();
        entries.resize(n, (0.0, 0));
        for (place, e) in self.entries[node.start..node.end].iter().enumerate().rev() {
            let (features, values) = rows.row(e.row);
            for (&f, &v) in features.iter().zip(values).filter(|(f, _)| may(**f)) {
                starts[f as usize] -= 1;
                entries[starts[f as usize] as usize] = (v, (node.start + place) as u32);
            }
        }
    }

    /// The best cut of the node just opened: of all columns, or of as many drawn ones that can be cut as are wanted.
    fn choose(&mut self, node: &Node) -> Option<Cut> {
        self.gather(node);
        let touched = std::mem::take(&mut self.gathered.touched);
        let end_of = |k: usize, gathered: &Gathered| {
            touched.get(k + 1).map_or(gathered.entries.len(), |&f| gathered.starts[f as usize] as usize)
        };
        let ranges: Vec<(u32, usize, usize)> = (0..touched.len())
            .map(|k| {
                let f = touched[k];
                (f, self.gathered.starts[f as usize] as usize, end_of(k, &self.gathered))
            })
            .collect();
        touched.iter().for_each(|&f| self.gathered.starts[f as usize] = 0);
        self.gathered.touched = touched;
        let mut order: Vec<u32> = (0..ranges.len() as u32).collect();
        let sampled = self.limits.max_features < self.rows.n_features();
        let (mut wanted, mut best) = (self.limits.max_features, None::<Cut>);
        for i in 0..order.len() {
            if wanted == 0 {
                break;
            }
            if sampled {
                let drawn = i + below(&mut self.rng, order.len() - i);
                order.swap(i, drawn);
            }
            let Some(cut) = self.best_cut(node, ranges[order[i] as usize]) else { continue };
            wanted -= 1;
            if best.is_none_or(|old| beats((cut.score, cut.feature), (old.score, old.feature))) {
                best = Some(cut);
            }
        }
        best
    }

    /// The best cut of one column.
    fn best_cut(&mut self, node: &Node, (feature, from, to): (u32, usize, usize)) -> Option<Cut> {
        let mut column = std::mem::take(&mut self.gathered.entries);
        let entries = &mut column[from..to];
        entries.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let cut = match self.limits.splitter {
            Splitter::Best => self.sweep(node, feature, entries),
            Splitter::Random => self.random(node, feature, entries),
        };
        self.gathered.entries = column;
        cut
    }

    /// Tries a cut between each two values, zero among them: from the lowest up to zero, and from the highest down.
    fn sweep(&self, node: &Node, feature: u32, entries: &[(f64, u32)]) -> Option<Cut> {
        let (rows, k) = (node.end - node.start, entries.len());
        let (below_zero, zeros) = (entries.partition_point(|e| e.0 < 0.0), rows > k);
        let mut best = None::<Cut>;
        let mut side = T::Cell::default();
        for i in 0..below_zero {
            self.statistics.add(&mut side, self.entries[entries[i].1 as usize].item);
            let next = match i + 1 {
                n if n == below_zero && zeros => 0.0,
                n => entries.get(n).map_or(entries[i].0, |e| e.0),
            };
            self.consider(&mut best, feature, (entries[i].0, next), (i + 1, rows), &side);
        }
        let mut side = T::Cell::default();
        for i in (below_zero..k).rev() {
            self.statistics.add(&mut side, self.entries[entries[i].1 as usize].item);
            let before = match i == below_zero {
                true if zeros => 0.0,
                // Between the last below zero and the first above it, the other sweep has looked.
                true => entries[i].0,
                false => entries[i - 1].0,
            };
            self.consider(&mut best, feature, (before, entries[i].0), (k - i, rows), &side);
        }
        best
    }

    /// Takes a cut between two values into account, of which one side has these rows.
    fn consider(
        &self,
        best: &mut Option<Cut>,
        feature: u32,
        (low, high): (f64, f64),
        (n, rows): (usize, usize),
        side: &T::Cell,
    ) {
        let least = self.limits.min_samples_leaf.max(1);
        if low < high && n >= least && rows - n >= least && self.weighs_enough(side) {
            let score = self.statistics.score(side, &self.total);
            if score > best.map_or(f64::NEG_INFINITY, |b| b.score) {
                *best = Some(Cut { score, feature, threshold: middle(low, high) });
            }
        }
    }

    fn weighs_enough(&self, side: &T::Cell) -> bool {
        let (weight, least) = (self.statistics.weight(side), self.limits.min_weight_leaf);
        weight >= least && self.node.weight - weight >= least
    }

    /// Tries one random threshold.
    fn random(&mut self, node: &Node, feature: u32, entries: &[(f64, u32)]) -> Option<Cut> {
        let rows = node.end - node.start;
        let zero = (rows > entries.len()).then_some(0.0);
        let low = zero.map_or(entries[0].0, |zero| entries[0].0.min(zero));
        let high = zero.map_or(entries[entries.len() - 1].0, |zero| entries[entries.len() - 1].0.max(zero));
        if low == high {
            return None;
        }
        let u = uniform(&mut self.rng);
        let drawn = (1.0 - u) * low + u * high;
        let threshold = if drawn < high { drawn } else { low };
        // The side that zero is not on is all stored.
        let at = entries.partition_point(|e| e.0 <= threshold);
        let stored = if threshold >= 0.0 { &entries[at..] } else { &entries[..at] };
        let mut side = T::Cell::default();
        stored.iter().for_each(|e| self.statistics.add(&mut side, self.entries[e.1 as usize].item));
        let (n, least) = (stored.len(), self.limits.min_samples_leaf.max(1));
        let score = self.statistics.score(&side, &self.total);
        let good = n >= least && rows - n >= least && self.weighs_enough(&side) && score > f64::NEG_INFINITY;
        good.then_some(Cut { score, feature, threshold })
    }

    /// Parts the entries of a node stably; how many go left.
    fn part(&mut self, node: &Node, cut: Cut) -> usize {
        let rows = self.rows;
        self.scratch.clear();
        let (mut left, entries) = (0, &mut self.entries[node.start..node.end]);
        for i in 0..entries.len() {
            let e = entries[i];
            if rows.value(e.row, cut.feature) <= cut.threshold {
                entries[left] = e;
                left += 1;
            } else {
                self.scratch.push(e);
            }
        }
        entries[left..].copy_from_slice(&self.scratch);
        left
    }
}
