//! Depth-first tree growth on sorted columns (the exact method of SLIQ and SPRINT).
//!
//! Every feature keeps its list of rows, sorted once; a split parts each list stably, so that the lists of both
//! children are sorted again. Large nodes look at their features in parallel. A node of at most [`HAND_OFF`]
//! rows is handed off: its lists are copied with rows renumbered from 0, so that all of it fits the cache, and
//! such subtrees grow in parallel. Which of the two happens depends on the data alone.

use crate::cart::criterion::{Criterion, NodeSummary};
use crate::cart::splitter::{Cut, NodeSearch, Place, SplitSearch, beats, ordered_levels};
use crate::constraints::{Allowed, Bounds};
use crate::grown::Grown;
use crate::limits::{Limits, Ties};
use crate::sorted_columns::{ABSENT, ROW, STEP, SortedColumns, Values, n_present};
use mercer_core::{Session, Termination};
use mercer_math::{rng_for, seed_for, shuffle};
use rayon::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Nodes of at most this many rows become subtrees of their own.
const HAND_OFF: usize = 8192;
/// A node with fewer entries than this is looked at in place.
const PARALLEL: usize = 1 << 15;
/// No parent.
pub(crate) const NONE: u32 = u32::MAX;

/// What all parts of the tree share.
#[derive(Debug)]
pub(crate) struct Problem<'a> {
    pub(crate) columns: &'a [Values<'a>],
    /// The rows of positive weight, where some have none.
    pub(crate) kept: Option<&'a [u32]>,
    pub(crate) limits: &'a Limits,
    pub(crate) session: &'a Session,
    /// Weight of all rows.
    pub(crate) weight: f64,
    /// Rows that have reached a leaf.
    pub(crate) settled: AtomicU64,
    /// All rows.
    pub(crate) rows: usize,
}

/// A node to be grown.
#[derive(Clone, Debug)]
pub(crate) struct Item {
    pub(crate) parent: u32,
    pub(crate) is_left: bool,
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) depth: usize,
    pub(crate) seed: u64,
    /// The slots that still vary and may be met: a range of the arena.
    pub(crate) active: (usize, usize),
    pub(crate) terminal: bool,
    pub(crate) bounds: Bounds,
    /// The features that may be met here, where not all may.
    pub(crate) allowed: Option<Arc<Allowed>>,
    pub(crate) summary: NodeSummary,
}

/// A split that was chosen.
#[derive(Debug)]
pub(crate) struct Split {
    pub(crate) slot: u32,
    pub(crate) cut: Cut,
    pub(crate) left: NodeSummary,
    pub(crate) right: NodeSummary,
    pub(crate) improvement: f64,
}

/// Grows one tree or subtree.
#[derive(Debug)]
pub(crate) struct Grower<'p> {
    pub(crate) p: &'p Problem<'p>,
    pub(crate) lists: SortedColumns,
    /// The feature of each slot of the lists.
    features: Vec<u32>,
    local: Option<Vec<u32>>,
    marks: Vec<u8>,
    scratch: Vec<u32>,
    pub(crate) arena: Vec<u32>,
    pub(crate) out: Grown,
    pub(crate) stopped: Option<Termination>,
    visited: usize,
    hand_off: bool,
}

impl<'p> Grower<'p> {
    pub(crate) fn new(
        p: &'p Problem<'p>,
        lists: SortedColumns,
        features: Vec<u32>,
        local: Option<Vec<u32>>,
    ) -> Self {
        let m = lists.m;
        let hand_off = local.is_none() && m > HAND_OFF;
        let (arena, scratch) = ((0..features.len() as u32).collect(), Vec::new());
        let (out, stopped) = (Grown::default(), None);
        Self {
            p,
            lists,
            features,
            local,
            marks: vec![0; m],
            scratch,
            arena,
            out,
            stopped,
            visited: 0,
            hand_off,
        }
    }

    /// The root of this grower's rows.
    pub(crate) fn root(&self, summary: NodeSummary, seed: u64) -> Item {
        let terminal = is_terminal(self.p.limits, &summary, 0);
        let (end, active) = (self.lists.m, (0, self.arena.len()));
        let allowed = self.p.limits.interactions.as_ref().map(|m| m.root());
        let (parent, is_left, start, depth) = (NONE, false, 0, 0);
        let bounds = (f64::NEG_INFINITY, f64::INFINITY);
        Item { parent, is_left, start, end, depth, seed, active, terminal, bounds, allowed, summary }
    }

    /// A node of another grower whose rows and features are those of this one.
    fn adopt(&self, item: &Item) -> Item {
        let (end, active) = (self.lists.m, (0, self.arena.len()));
        Item { parent: NONE, is_left: false, start: 0, end, active, ..item.clone() }
    }

    /// Grows everything under `root`, depth first, and the subtrees handed off.
    pub(crate) fn grow<R: Criterion>(mut self, criterion: &R, root: Item) -> (Grown, Option<Termination>) {
        let mut stack = vec![root];
        let mut tasks = Vec::new();
        let mut sides = criterion.sides();
        while let Some(item) = stack.pop() {
            self.arena.truncate(item.active.1);
            if self.hand_off && !item.terminal && item.summary.rows <= HAND_OFF && item.parent != NONE {
                let active = self.arena[item.active.0..item.active.1].to_vec();
                tasks.push((item, active));
                continue;
            }
            let rows = item.summary.rows;
            let id = self.out.push(item.parent, item.is_left, &item.summary);
            if item.terminal || self.interrupted(rows) {
                self.settle(rows);
                continue;
            }
            match self.choose(criterion, &mut sides, item) {
                (item, Some(split)) => {
                    let [left, right] = self.divide(criterion, &item, split, id);
                    stack.push(right);
                    stack.push(left);
                }
                _ => self.settle(rows),
            }
        }
        self.grow_tasks(criterion, tasks)
    }

    fn settle(&self, rows: usize) {
        self.p.settled.fetch_add(rows as u64, Ordering::Relaxed);
    }

    /// Whether to stop: asked for every large node, and now and then for small ones.
    pub(crate) fn interrupted(&mut self, rows: usize) -> bool {
        self.visited += 1;
        if self.stopped.is_none() && (rows >= 1024 || self.visited % 64 == 1) {
            let (done, total) = (self.p.settled.load(Ordering::Relaxed), Some(self.p.rows as u64));
            self.stopped = self.p.session.step("rows in leaves", done, total, None);
        }
        self.stopped.is_some()
    }

    fn grow_tasks<R: Criterion>(
        self,
        criterion: &R,
        tasks: Vec<(Item, Vec<u32>)>,
    ) -> (Grown, Option<Termination>) {
        let mut inverse = vec![0u32; if tasks.is_empty() { 0 } else { self.lists.m }];
        let rows_of = |(item, active): &(Item, Vec<u32>)| -> Vec<u32> {
            self.lists.segment(active[0], item.start, item.end).iter().map(|e| e & ROW).collect()
        };
        for task in &tasks {
            rows_of(task).iter().enumerate().for_each(|(i, &row)| inverse[row as usize] = i as u32);
        }
        let grow = |task: &(Item, Vec<u32>)| {
            let ((item, active), rows) = (task, rows_of(task));
            let mut entries = Vec::with_capacity(rows.len() * active.len());
            for &slot in active {
                let segment = self.lists.segment(slot, item.start, item.end);
                entries.extend(segment.iter().map(|e| e & !ROW | inverse[(e & ROW) as usize]));
            }
            let lists = SortedColumns { m: rows.len(), entries };
            let features = active.iter().map(|&slot| self.features[slot as usize]).collect();
            let local = criterion.gather(&rows);
            let grower = Grower::new(self.p, lists, features, Some(rows));
            let root = grower.adopt(item);
            grower.grow(&local, root)
        };
        let subtrees: Vec<(Grown, Option<Termination>)> =
            tasks.par_iter().with_max_len(1).map(grow).collect();
        let (mut out, mut stopped) = (self.out, self.stopped);
        for ((item, _), (subtree, why)) in tasks.iter().zip(subtrees) {
            out.append(item.parent, item.is_left, subtree);
            stopped = stopped.or(why);
        }
        (out, stopped)
    }

    fn place(&self) -> Place<'_> {
        Place { local: self.local.as_deref(), kept: self.p.kept }
    }

    /// The best split of a node over its features; the item comes back without the features found constant.
    pub(crate) fn choose<R: Criterion>(
        &mut self,
        criterion: &R,
        sides: &mut R::Sides<'_>,
        mut item: Item,
    ) -> (Item, Option<Split>) {
        let active = self.arena[item.active.0..item.active.1].to_vec();
        let all = (self.p.limits.max_features, self.p.columns.len());
        let (mut wanted, among) = item.allowed.as_ref().map_or(all, |a| (a.wanted, a.count));
        let (mut best, mut constants) = (None, Vec::new());
        let mut order = active.clone();
        if wanted < among {
            shuffle(&mut rng_for(item.seed, u64::MAX), &mut order);
        } else {
            wanted = order.len();
        }
        let seed = match self.p.limits.ties {
            Ties::First => None,
            Ties::Random => Some(item.seed),
        };
        let mut rest = &order[..];
        while wanted > 0 && !rest.is_empty() {
            let (now, later) = rest.split_at(wanted.min(rest.len()));
            rest = later;
            for (&slot, found) in now.iter().zip(self.search_features(criterion, sides, &item, now)) {
                match found {
                    SplitSearch::Constant => constants.push(slot),
                    // A feature that varies but cannot be cut is looked past, so that a valid cut is found.
                    SplitSearch::Nothing => {}
                    SplitSearch::Found(cut) => {
                        wanted -= 1;
                        better(&mut best, slot, cut, seed);
                    }
                }
            }
        }
        if !constants.is_empty() {
            constants.sort_unstable();
            let start = self.arena.len();
            self.arena.extend(active.iter().filter(|slot| constants.binary_search(slot).is_err()));
            item.active = (start, self.arena.len());
        }
        let split = best.and_then(|(slot, cut)| self.weigh(criterion, &item, slot, cut));
        (item, split)
    }

    fn search_features<R: Criterion>(
        &self,
        criterion: &R,
        sides: &mut R::Sides<'_>,
        item: &Item,
        slots: &[u32],
    ) -> Vec<SplitSearch<Cut>> {
        let (limits, node, seed) = (self.p.limits, &item.summary, item.seed);
        let search = NodeSearch { criterion, limits, node, seed, bounds: item.bounds, place: self.place() };
        let one = |sides: &mut R::Sides<'_>, slot: u32| {
            let feature = self.features[slot as usize];
            let entries = self.lists.segment(slot, item.start, item.end);
            search.best_cut(feature, &self.p.columns[feature as usize], entries, sides)
        };
        if self.local.is_none() && slots.len() > 1 && node.rows * slots.len() >= PARALLEL {
            return slots
                .par_iter()
                .map_init(|| criterion.sides(), |sides, &slot| one(sides, slot))
                .collect();
        }
        slots.iter().map(|&slot| one(sides, slot)).collect()
    }

    /// The entries of the chosen feature in the order of its cut, split into present and missing.
    fn ordered<R: Criterion>(
        &self,
        criterion: &R,
        item: &Item,
        slot: u32,
        cut: &Cut,
    ) -> (Vec<u32>, Vec<u32>) {
        let entries = self.lists.segment(slot, item.start, item.end);
        let (present, missing) = entries.split_at(n_present(entries));
        let categorical = self.p.columns[self.features[slot as usize] as usize].is_categorical();
        let present =
            if categorical { ordered_levels(criterion, cut.order, present) } else { present.to_vec() };
        (present, missing.to_vec())
    }

    /// Both children of a cut, and whether they are worth it.
    fn weigh<R: Criterion>(&self, criterion: &R, item: &Item, slot: u32, cut: Cut) -> Option<Split> {
        let (present, missing) = self.ordered(criterion, item, slot, &cut);
        let (low, high) = present.split_at(cut.at);
        let (missing_on_left, missing_on_right) =
            if cut.missing_left { (&missing[..], &[][..]) } else { (&[][..], &missing[..]) };
        let summary = |a: &[u32], b: &[u32]| criterion.summary(&mut a.iter().chain(b).map(|e| e & ROW));
        let (left, right) = (summary(low, missing_on_left), summary(high, missing_on_right));
        let node = &item.summary;
        let kept = (left.weight * left.impurity + right.weight * right.impurity) / node.weight;
        let improvement = node.weight / self.p.weight * (node.impurity - kept);
        let enough = improvement + f64::EPSILON >= self.p.limits.min_impurity_decrease;
        enough.then_some(Split { slot, cut, left, right, improvement })
    }

    /// Writes the split into node `id`, parts the lists, and returns the children.
    pub(crate) fn divide<R: Criterion>(
        &mut self,
        criterion: &R,
        item: &Item,
        split: Split,
        id: u32,
    ) -> [Item; 2] {
        let Split { slot, cut, left, right, .. } = split;
        let (present, missing) = self.ordered(criterion, item, slot, &cut);
        for (i, e) in present.iter().enumerate() {
            self.marks[(e & ROW) as usize] = u8::from(i < cut.at);
        }
        missing.iter().for_each(|e| self.marks[(e & ROW) as usize] = u8::from(cut.missing_left));
        let missing_left = if missing.is_empty() { left.weight > right.weight } else { cut.missing_left };
        let feature = self.features[slot as usize];
        let values = &self.p.columns[feature as usize];
        let place = self.place();
        let row = |i: usize| place.of(present[i] & ROW);
        if values.is_categorical() {
            let codes =
                |range: std::ops::Range<usize>| range.map(|i| values.code(row(i))).collect::<Vec<_>>();
            let set = bitset(&codes(0..cut.at), &codes(cut.at..present.len()), missing_left);
            self.out.split_levels(id, feature, set, missing_left);
        } else {
            let threshold = if !cut.threshold.is_nan() {
                cut.threshold
            } else if cut.at == present.len() {
                f64::INFINITY
            } else {
                middle(values.number(row(cut.at - 1)), values.number(row(cut.at)))
            };
            self.out.split_number(id, feature, threshold, missing_left);
        }
        let (depth, limits, n_left) = (item.depth + 1, self.p.limits, left.rows);
        let bounds = match &limits.monotone {
            Some(monotone) => monotone.bounds(feature, item.bounds, [&left, &right]),
            None => [item.bounds; 2],
        };
        let allowed = limits.allowed_after(&item.allowed, feature);
        let active = self.active_after(item, &allowed);
        let child = |mut summary: NodeSummary, is_left: bool| {
            let bounds = bounds[usize::from(!is_left)];
            if let Some(monotone) = &limits.monotone {
                monotone.clip(&mut summary, bounds);
            }
            let terminal = is_terminal(limits, &summary, depth);
            let (start, end) =
                if is_left { (item.start, item.start + n_left) } else { (item.start + n_left, item.end) };
            let (seed, allowed) = (seed_for(item.seed, u64::from(!is_left)), allowed.clone());
            Item { parent: id, is_left, start, end, depth, seed, active, terminal, bounds, allowed, summary }
        };
        let children = [child(left, true), child(right, false)];
        let wanted = (!children[0].terminal, !children[1].terminal);
        let in_order = !values.is_categorical() && (missing.is_empty() || !cut.missing_left);
        self.part(item, active, n_left, wanted, in_order.then_some(slot));
        children
    }

    /// The slots of the children of a node: as far as their features may still be met.
    fn active_after(&mut self, item: &Item, allowed: &Option<Arc<Allowed>>) -> (usize, usize) {
        match (allowed, &item.allowed) {
            (Some(allowed), Some(before)) if !Arc::ptr_eq(allowed, before) => {
                let active = self.arena[item.active.0..item.active.1].to_vec();
                let start = self.arena.len();
                let may = |slot: &u32| allowed.has(self.features[*slot as usize]);
                self.arena.extend(active.into_iter().filter(may));
                (start, self.arena.len())
            }
            _ => item.active,
        }
    }

    /// Parts the lists of the active features of a node by the marks; `done` is in order already.
    fn part(
        &mut self,
        item: &Item,
        active: (usize, usize),
        n_left: usize,
        wanted: (bool, bool),
        done: Option<u32>,
    ) {
        if wanted == (false, false) {
            return;
        }
        let (m, marks, rows) = (self.lists.m, &self.marks, item.summary.rows);
        let active = &self.arena[active.0..active.1];
        let todo = |slot: u32| Some(slot) != done;
        if self.local.is_none() && active.len() > 1 && rows * active.len() >= PARALLEL {
            self.lists.entries.par_chunks_mut(m).enumerate().for_each_init(
                Vec::new,
                |scratch, (slot, list)| {
                    let slot = slot as u32;
                    if todo(slot) && active.binary_search(&slot).is_ok() {
                        part_list(&mut list[item.start..item.end], marks, n_left, wanted, scratch);
                    }
                },
            );
            return;
        }
        for &slot in active.iter().filter(|slot| todo(**slot)) {
            let base = slot as usize * m;
            let list = &mut self.lists.entries[base + item.start..base + item.end];
            part_list(list, marks, n_left, wanted, &mut self.scratch);
        }
    }
}

/// Takes the split candidate of a feature where it beats the best one so far; ties fall to the first feature, or by a seed.
fn better(best: &mut Option<(u32, Cut)>, slot: u32, cut: Cut, seed: Option<u64>) {
    let rank = |slot: u32| (seed.map(|seed| seed_for(seed, u64::from(slot))), slot);
    if best.as_ref().is_none_or(|old| beats((cut.score, rank(slot)), (old.1.score, rank(old.0)))) {
        *best = Some((slot, cut));
    }
}

/// Whether a node is a leaf without a look at its features.
pub(crate) fn is_terminal(limits: &Limits, node: &NodeSummary, depth: usize) -> bool {
    depth >= limits.max_depth
        || node.rows < limits.min_samples_split
        || node.rows < limits.min_samples_leaf.saturating_mul(2)
        || node.weight < 2.0 * limits.min_weight_leaf
        || node.impurity <= f64::EPSILON
}

/// The middle of two values, at least the lower and less than the upper one.
pub(crate) fn middle(low: f64, high: f64) -> f64 {
    let middle = low / 2.0 + high / 2.0;
    if middle >= low && middle < high { middle } else { low }
}

/// The levels that go left, one bit each; levels that are in neither list follow the missing values.
pub(crate) fn bitset(left: &[u32], right: &[u32], missing_left: bool) -> Vec<u64> {
    let words = left.iter().chain(right).max().map_or(0, |&c| c as usize / 64 + 1);
    let mut set = vec![if missing_left { u64::MAX } else { 0 }; words];
    left.iter().for_each(|&c| set[c as usize / 64] |= 1 << (c % 64));
    right.iter().for_each(|&c| set[c as usize / 64] &= !(1 << (c % 64)));
    set
}

/// Parts one list stably: rows that are marked first. A step between two entries stays between the entries
/// that remain around it. Only the sides that are wanted are written.
fn part_list(list: &mut [u32], marks: &[u8], n_left: usize, wanted: (bool, bool), scratch: &mut Vec<u32>) {
    const KEEP: u32 = ROW | ABSENT;
    let m = list.len();
    if !wanted.1 {
        let (mut l, mut step) = (0, 0);
        for i in 0..m {
            let e = list[i];
            let go = u32::from(marks[(e & ROW) as usize]);
            step |= e & STEP;
            list[l] = e & KEEP | step;
            l += go as usize;
            step &= go.wrapping_sub(1);
        }
        return;
    }
    if scratch.len() < m + 1 {
        scratch.resize(m + 1, 0);
    }
    let right = &mut scratch[..m + 1];
    let (mut l, mut r, mut left_step, mut right_step) = (0, 0, 0, 0);
    for i in 0..m {
        let e = list[i];
        let go = u32::from(marks[(e & ROW) as usize]);
        left_step |= e & STEP;
        right_step |= e & STEP;
        list[l] = e & KEEP | left_step;
        right[r] = e & KEEP | right_step;
        l += go as usize;
        r += 1 - go as usize;
        left_step &= go.wrapping_sub(1);
        right_step &= 0u32.wrapping_sub(go);
    }
    list[n_left..].copy_from_slice(&right[..m - n_left]);
}
