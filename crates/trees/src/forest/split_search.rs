//! Histogram split search: the best cut of one feature in one node, between its bins.

use super::code_set::CodeSet;
use super::histogram_tree::{Cut, Grower, Node};
use super::split_statistics::SplitStatistics;
use crate::cart::depth_first::middle;
use crate::cart::splitter::SplitSearch;
use crate::limits::Splitter;
use mercer_math::{below, uniform};

/// Nodes of fewer rows note the bins that they touch.
const FEW: usize = 192;
/// The histograms of so many columns that lie side by side are added up in one pass.
const GROUP: usize = 8;

/// The histograms of some columns of one node.
#[derive(Debug, Default)]
pub(super) struct Group<C> {
    /// The first of the columns; none where there are no histograms of the node yet.
    first: Option<usize>,
    cells: Vec<[C; 256]>,
    rows: Vec<[u32; 256]>,
}

impl<C> Group<C> {
    pub(super) fn forget(&mut self) {
        self.first = None;
    }
}

/// The best split candidate of a sweep: so many bins of the order go left; none is 0.
struct Best {
    score: f64,
    at: usize,
    missing_left: bool,
    /// The weight on the left.
    weight: f64,
}

impl Default for Best {
    fn default() -> Self {
        Self { score: f64::NEG_INFINITY, at: 0, missing_left: false, weight: 0.0 }
    }
}

impl Best {
    fn found(&self, cut: impl FnOnce(&Best) -> Cut) -> SplitSearch<Cut> {
        if self.at == 0 { SplitSearch::Nothing } else { SplitSearch::Found(cut(self)) }
    }
}

impl<T: SplitStatistics> Grower<'_, T> {
    /// The best cut of a feature in the node just opened, of which `all` features are looked at.
    pub(super) fn best_cut(&mut self, node: &Node, feature: u32, all: bool) -> SplitSearch<Cut> {
        if self.limits.splitter == Splitter::Random && self.codes.columns[feature as usize].levels.is_none() {
            return self.random_cut(node, feature);
        }
        let many = node.end - node.start >= FEW.max(16 * size_of::<T::Cell>());
        let touched = if all && many && !self.is_near {
            self.take_of_group(node, feature)
        } else {
            self.fill(node, feature)
        };
        let found = self.search(node, feature, &touched);
        for code in touched.codes() {
            self.cells[code as usize] = T::Cell::default();
            self.rows[code as usize] = 0;
        }
        found
    }

    /// Adds up the histogram of a feature, and says which bins have rows.
    fn fill(&mut self, node: &Node, feature: u32) -> CodeSet {
        let (d, j) = (self.codes.columns.len(), feature as usize);
        let table = if self.is_near { &self.near[..] } else { &self.codes.codes };
        let (entries, cells) = (&self.entries[node.start..node.end], &mut *self.cells);
        for e in entries {
            self.statistics.add(&mut cells[table[e.row as usize * d + j] as usize], e.item);
        }
        if self.limits.min_samples_leaf > 1 {
            entries.iter().for_each(|e| self.rows[table[e.row as usize * d + j] as usize] += 1);
        }
        if entries.len() >= FEW {
            return self.touched();
        }
        let mut touched = CodeSet::default();
        for e in entries {
            let code = table[e.row as usize * d + j];
            touched.insert(code);
        }
        touched
    }

    /// The bins that have rows.
    fn touched(&self) -> CodeSet {
        let mut touched = CodeSet::default();
        for (code, cell) in self.cells.iter().enumerate() {
            touched.0[code >> 6] |= u64::from(!self.statistics.is_empty(cell)) << (code & 63);
        }
        touched
    }

    /// Takes the histogram of a feature from its group, which is added up first where need be.
    fn take_of_group(&mut self, node: &Node, feature: u32) -> CodeSet {
        let first = feature as usize / GROUP * GROUP;
        if self.group.first != Some(first) {
            self.fill_group(node, first);
        }
        let k = feature as usize - first;
        *self.cells = self.group.cells[k];
        if self.limits.min_samples_leaf > 1 {
            *self.rows = self.group.rows[k];
        }
        self.touched()
    }

    /// Adds up the histograms of the group of a column, in one pass over the rows.
    fn fill_group(&mut self, node: &Node, first: usize) {
        let (d, table) = (self.codes.columns.len(), &self.codes.codes);
        let here = first..d.min(first + GROUP);
        let (entries, group) = (&self.entries[node.start..node.end], &mut self.group);
        group.first = Some(first);
        group.cells.clear();
        group.cells.resize(GROUP, [T::Cell::default(); 256]);
        for e in entries {
            let codes = &table[e.row as usize * d..][here.clone()];
            for (cells, &code) in group.cells.iter_mut().zip(codes) {
                self.statistics.add(&mut cells[code as usize], e.item);
            }
        }
        if self.limits.min_samples_leaf > 1 {
            group.rows.clear();
            group.rows.resize(GROUP, [0; 256]);
            for e in entries {
                let codes = &table[e.row as usize * d..][here.clone()];
                group.rows.iter_mut().zip(codes).for_each(|(rows, &code)| rows[code as usize] += 1);
            }
        }
    }

    /// The best cut between the touched bins.
    fn search(&mut self, node: &Node, feature: u32, touched: &CodeSet) -> SplitSearch<Cut> {
        let codes = self.codes;
        let column = &codes.columns[feature as usize];
        let missing = column.missing.filter(|&m| touched.has(m));
        let mut present = *touched;
        if let Some(code) = missing {
            present.remove(code);
        }
        let bins = present.len();
        if bins == 0 || (bins == 1 && missing.is_none()) {
            return SplitSearch::Constant;
        }
        let rows = node.end - node.start;
        let mut best = Best::default();
        if column.levels.is_none() {
            self.sweep(present.codes(), missing, rows, None, &mut best);
            return best.found(|best| self.cut_of(feature, touched, &present, best, missing));
        }
        let mut winner = Vec::new();
        for order in 0..self.statistics.orders() {
            let mut levels: Vec<u8> = present.codes().collect();
            levels.sort_by(|&a, &b| {
                let key = |c: u8| self.statistics.key(order, &self.cells[c as usize]);
                key(a).total_cmp(&key(b)).then(a.cmp(&b))
            });
            let only = (self.limits.splitter == Splitter::Random).then(|| {
                let at = 1 + below(&mut self.rng, levels.len().max(2) - 1);
                (at, at < levels.len() && missing.is_some() && below(&mut self.rng, 2) == 1)
            });
            let before = best.score;
            self.sweep(levels.iter().copied(), missing, rows, only, &mut best);
            if best.score > before {
                winner = levels;
            }
        }
        best.found(|best| self.levels_cut(feature, touched, &winner, best, missing))
    }

    /// Tries every place between two bins, with the missing values on either side, and present against missing.
    fn sweep(
        &self,
        bins: impl Iterator<Item = u8> + Clone,
        missing: Option<u8>,
        rows: usize,
        only: Option<(usize, bool)>,
        best: &mut Best,
    ) {
        let (leaf, least) = (self.limits.min_samples_leaf, self.limits.min_weight_leaf);
        for missing_left in [false, true] {
            let (mut left, mut left_rows) = (T::Cell::default(), 0);
            match missing {
                Some(m) if missing_left => {
                    (left, left_rows) = (self.cells[m as usize], self.rows[m as usize] as usize);
                }
                None if missing_left => return,
                _ => {}
            }
            let mut bins = bins.clone().enumerate().peekable();
            while let Some((i, bin)) = bins.next() {
                self.statistics.merge(&mut left, &self.cells[bin as usize]);
                if bins.peek().is_none() && (missing_left || missing.is_none()) {
                    break;
                }
                if leaf > 1 {
                    left_rows += self.rows[bin as usize] as usize;
                    if left_rows < leaf || rows - left_rows < leaf {
                        continue;
                    }
                }
                if only.is_some_and(|only| only != (i + 1, missing_left)) {
                    continue;
                }
                let score = self.statistics.score(&left, &self.total);
                if score > best.score && self.weighs_enough(&left, least) {
                    *best = Best { score, at: i + 1, missing_left, weight: self.statistics.weight(&left) };
                }
            }
        }
    }

    fn cut_of(
        &self,
        feature: u32,
        touched: &CodeSet,
        present: &CodeSet,
        best: &Best,
        missing: Option<u8>,
    ) -> Cut {
        let column = &self.codes.columns[feature as usize];
        let mut after = present.codes().skip(best.at - 1);
        let (low, high) = (after.next().unwrap_or(0), after.next());
        let threshold =
            high.map_or(f64::INFINITY, |high| middle(column.highs[low as usize], column.lows[high as usize]));
        let mut left = CodeSet::up_to(low);
        missing.filter(|_| best.missing_left).into_iter().for_each(|m| left.insert(m));
        let missing_left = self.missing_left(best, missing);
        Cut { score: best.score, feature, left, threshold, missing_left, seen: *touched }
    }

    fn levels_cut(
        &self,
        feature: u32,
        touched: &CodeSet,
        levels: &[u8],
        best: &Best,
        missing: Option<u8>,
    ) -> Cut {
        let mut left = CodeSet::default();
        let on_left = missing.filter(|_| best.missing_left);
        levels[..best.at].iter().copied().chain(on_left).for_each(|b| left.insert(b));
        let missing_left = self.missing_left(best, missing);
        Cut { score: best.score, feature, left, threshold: f64::NAN, missing_left, seen: *touched }
    }

    fn missing_left(&self, best: &Best, missing: Option<u8>) -> bool {
        if missing.is_some() { best.missing_left } else { 2.0 * best.weight > self.node.weight }
    }

    #[inline]
    fn weighs_enough(&self, left: &T::Cell, least: f64) -> bool {
        least <= 0.0 || {
            let weight = self.statistics.weight(left);
            weight >= least && weight <= self.node.weight - least
        }
    }

    /// One random threshold between the least and the greatest value of a numeric feature.
    fn random_cut(&mut self, node: &Node, feature: u32) -> SplitSearch<Cut> {
        let (d, j) = (self.codes.columns.len(), feature as usize);
        let column = &self.codes.columns[j];
        let entries = &self.entries[node.start..node.end];
        let table = if self.is_near { &self.near[..] } else { &self.codes.codes };
        let (mut low, mut high, mut any) = (u8::MAX, 0, false);
        for e in entries {
            let code = table[e.row as usize * d + j];
            let missing = Some(code) == column.missing;
            any |= missing;
            low = low.min(if missing { u8::MAX } else { code });
            high = high.max(if missing { 0 } else { code });
        }
        if low > high || (low == high && !any) {
            return SplitSearch::Constant;
        }
        let (mut bin, mut threshold) = (high, f64::INFINITY);
        if low < high {
            let (first, last) = (column.lows[low as usize], column.highs[high as usize]);
            let u = uniform(&mut self.rng);
            // Weighted ends: their difference may be more than the greatest number.
            let drawn = (1.0 - u) * first + u * last;
            let places = &column.highs[low as usize..high as usize];
            bin = (low as usize + places.partition_point(|h| *h <= drawn)).max(low as usize + 1) as u8 - 1;
            let (a, b) = (column.highs[bin as usize], column.lows[bin as usize + 1]);
            threshold = if drawn >= a && drawn < b { drawn } else { middle(a, b) };
        }
        let missing_left = any && low < high && below(&mut self.rng, 2) == 1;
        let mut codes = CodeSet::up_to(bin);
        column.missing.filter(|_| missing_left).into_iter().for_each(|m| codes.insert(m));
        let (mut sides, mut left_rows) = ([T::Cell::default(); 2], 0);
        for e in entries {
            let go = codes.has(table[e.row as usize * d + j]);
            self.statistics.add(&mut sides[usize::from(go)], e.item);
            left_rows += usize::from(go);
        }
        let left = sides[1];
        let leaf = self.limits.min_samples_leaf;
        let rows_left = left_rows >= leaf && entries.len() - left_rows >= leaf;
        if !rows_left || !self.weighs_enough(&left, self.limits.min_weight_leaf) {
            return SplitSearch::Nothing;
        }
        let score = self.statistics.score(&left, &self.total);
        if score == f64::NEG_INFINITY {
            return SplitSearch::Nothing;
        }
        let missing_left =
            if any { missing_left } else { 2.0 * self.statistics.weight(&left) > self.node.weight };
        SplitSearch::Found(Cut {
            score,
            feature,
            left: codes,
            threshold,
            missing_left,
            seen: CodeSet::default(),
        })
    }
}
