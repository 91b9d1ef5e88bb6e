//! Rank-coded packed trees, in half the bytes, for many rows: thresholds and values by their ranks.
//!
//! With the different thresholds t₀ < t₁ < … of a feature, `value <= tᵢ` holds exactly where fewer than i + 1
//! thresholds are less than the value. Rows are written as these counts, a byte or two each, and walk nodes
//! of eight bytes, so that both stay in the cache; the leaves are the same.

use super::visit::Walk;
use super::{FEATURE, LEAF, LEVELS, Leaf, MISSING_LEFT, PackedTrees, select};
use mercer_math::prefetch;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::OnceLock;

/// Rows that are written at a time, so that they stay in cache while their features are.
const BLOCK: usize = 512;
/// Nodes of a line of the cache.
const LINE: usize = 64 / size_of::<Small>();
/// Rows under way at a time.
const LANES: usize = 32;
/// Flags in the feature of a [`Small`] node.
const SMALL_LEAF: u16 = 1 << 15;
const SMALL_MISSING_LEFT: u16 = 1 << 14;
const SMALL_FEATURE: u16 = SMALL_MISSING_LEFT - 1;

#[derive(Clone, Copy, Debug, PartialEq)]
struct Small {
    feature: u16,
    rank: u16,
    right: u32,
}

/// The nodes of packed trees with ranks for thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranked {
    nodes: Vec<Small>,
    /// The thresholds of each feature, rising.
    thresholds: Vec<Scale>,
}

/// The thresholds of a feature, rising, and where to look for a value among them.
#[derive(Clone, Debug, PartialEq)]
struct Scale {
    values: Vec<f64>,
    /// Cells of equal width: the first threshold of each, and the end of the last.
    cells: Vec<u16>,
    low: f64,
    /// Cells for each unit.
    per_unit: f64,
}

impl Scale {
    fn new(values: Vec<f64>) -> Self {
        let finite = || values.iter().copied().filter(|v| v.is_finite());
        let low = finite().next().unwrap_or(0.0);
        let width = finite().next_back().unwrap_or(0.0) - low;
        let n_cells = (4 * values.len()).next_power_of_two().min(1 << 14);
        let per_unit = if width > 0.0 { n_cells as f64 / width } else { 0.0 };
        let mut scale = Self { values, cells: vec![0; n_cells + 1], low, per_unit };
        for (place, cell) in scale.values.iter().map(|&v| scale.cell(v)).enumerate().collect::<Vec<_>>() {
            scale.cells[cell + 1] = place as u16 + 1;
        }
        (1..scale.cells.len()).for_each(|c| scale.cells[c] = scale.cells[c].max(scale.cells[c - 1]));
        scale
    }

    /// The cell of a value: that of a greater one is not less.
    #[inline]
    fn cell(&self, v: f64) -> usize {
        (((v - self.low) * self.per_unit) as usize).min(self.cells.len() - 2)
    }

    /// How many thresholds are less than a value: those of the cells before, and some of its own.
    #[inline]
    fn rank(&self, v: f64) -> usize {
        let cell = self.cell(v);
        let (start, end) = (usize::from(self.cells[cell]), usize::from(self.cells[cell + 1]));
        start + self.values[start..end].partition_point(|t| *t < v)
    }
}

/// Ranks once they are asked for; they follow from the nodes, so they make no difference to equality.
#[derive(Clone, Debug, Default)]
pub(super) struct Lazy(pub(super) OnceLock<Option<Ranked>>);

impl PartialEq for Lazy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Ranked {
    /// `None` where there are categories, or too many features or thresholds for two bytes.
    pub(super) fn new(packed: &PackedTrees) -> Option<Self> {
        let d = packed.n_features as usize;
        if !packed.set_bits.is_empty() || d > SMALL_FEATURE as usize {
            return None;
        }
        let mut thresholds = vec![Vec::new(); d];
        for node in packed.nodes.iter().filter(|n| n.feature & (LEAF | LEVELS) == 0) {
            thresholds[(node.feature & FEATURE) as usize].push(node.threshold);
        }
        thresholds.par_iter_mut().for_each(|own| {
            own.sort_unstable_by(f64::total_cmp);
            own.dedup();
        });
        if thresholds.iter().any(|t| t.len() >= u16::MISSING as usize) {
            return None;
        }
        let small = |node: &super::Node| {
            let feature = (node.feature & FEATURE) as u16;
            if node.feature & LEAF != 0 {
                return Small { feature: SMALL_LEAF, rank: 0, right: node.right };
            }
            let rank = thresholds[feature as usize].partition_point(|t| *t < node.threshold) as u16;
            let flag = if node.feature & MISSING_LEFT != 0 { SMALL_MISSING_LEFT } else { 0 };
            Small { feature: feature | flag, rank, right: node.right }
        };
        let nodes = packed.nodes.par_iter().map(small).collect();
        Some(Self { nodes, thresholds: thresholds.into_par_iter().map(Scale::new).collect() })
    }

    /// Whether the ranks of all features fit one byte.
    pub(super) fn fits_bytes(&self) -> bool {
        self.thresholds.iter().all(|t| t.values.len() < usize::from(u8::MISSING))
    }

    /// The ranks of `n` rows.
    pub(super) fn encode<R: Rank>(&self, n: usize, value: impl Fn(usize, usize) -> f64) -> Encoded<'_, R> {
        let d = self.thresholds.len();
        let (mut ranks, mut missing) = (vec![R::MISSING; n * d], false);
        for (b, ranks) in ranks.chunks_mut(BLOCK * d.max(1)).enumerate() {
            for (j, thresholds) in self.thresholds.iter().enumerate() {
                for (i, out) in ranks.iter_mut().skip(j).step_by(d).enumerate() {
                    let v = value(b * BLOCK + i, j);
                    missing |= v.is_nan();
                    if !v.is_nan() {
                        *out = R::from_place(thresholds.rank(v));
                    }
                }
            }
        }
        Encoded { nodes: &self.nodes, ranks, d, missing }
    }
}

/// Rows by their ranks, `d` a row.
pub(super) struct Encoded<'a, R> {
    nodes: &'a [Small],
    ranks: Vec<R>,
    d: usize,
    /// Whether any value is missing.
    missing: bool,
}

impl<R: Rank> Encoded<'_, R> {
    /// A row that has come to its leaf makes room for the next one, so that [`LANES`] rows are always under way.
    #[inline(always)]
    fn run<const MISSING: bool>(&self, root: usize, chosen: &[u32], mut emit: impl FnMut(u32, Leaf)) {
        let (mut lanes, mut next) = (Vec::with_capacity(LANES), chosen.iter());
        let start = |&row: &u32| Lane { at: root as u32, row, base: row as usize * self.d };
        lanes.extend(next.by_ref().take(LANES).map(start));
        while !lanes.is_empty() {
            let mut k = 0;
            while k < lanes.len() {
                let lane = &mut lanes[k];
                let node = self.nodes[lane.at as usize];
                if node.feature & SMALL_LEAF == 0 {
                    let rank = self.ranks[lane.base + (node.feature & SMALL_FEATURE) as usize];
                    let missing_left = node.feature & SMALL_MISSING_LEFT != 0;
                    let go_left =
                        (rank.into() <= node.rank) | (MISSING & (rank == R::MISSING) & missing_left);
                    lane.at = select(go_left, lane.at + 1, node.right);
                    prefetch(self.nodes, lane.at as usize);
                    k += 1;
                    continue;
                }
                emit(lane.row, Leaf { node: lane.at, place: node.right });
                match next.next().map(start) {
                    Some(next) => *lane = next,
                    None => {
                        lanes.swap_remove(k);
                    }
                }
            }
        }
    }
}

impl<R: Rank> Walk for Encoded<'_, R> {
    fn walk(&self, tree: Range<usize>, chosen: &[u32], emit: impl FnMut(u32, Leaf)) {
        if chosen.len() * LINE >= tree.len() {
            // Most lines of the tree will be passed: one after the other, they come sooner.
            tree.clone().step_by(LINE).for_each(|i| prefetch(self.nodes, i));
        }
        if self.missing {
            self.run::<true>(tree.start, chosen, emit);
        } else {
            self.run::<false>(tree.start, chosen, emit);
        }
    }
}

/// How many thresholds are less than a value, in one byte or two.
pub(super) trait Rank: Copy + PartialEq + Into<u16> + Send + Sync {
    /// The rank of a missing value; greater than that of any threshold.
    const MISSING: Self;

    /// A rank from a count, which must be less than that of missing values.
    fn from_place(place: usize) -> Self;
}

impl Rank for u8 {
    const MISSING: Self = u8::MAX;

    #[inline]
    fn from_place(place: usize) -> Self {
        place as Self
    }
}

impl Rank for u16 {
    const MISSING: Self = u16::MAX;

    #[inline]
    fn from_place(place: usize) -> Self {
        place as Self
    }
}

/// A row under way.
struct Lane {
    at: u32,
    row: u32,
    base: usize,
}

#[cfg(test)]
mod tests {
    use super::*;
    use mercer_math::{normal, rng_for};

    #[test]
    fn ranks_count_the_thresholds_below() {
        let mut rng = rng_for(5, 0);
        let mut spread: Vec<f64> = (0..500).map(|_| normal(&mut rng).powi(5)).collect();
        spread.extend([f64::NEG_INFINITY, f64::INFINITY, 0.0, 1e-300]);
        let far = vec![-f64::MAX, -1.0, 1.0, f64::MAX];
        for mut values in [spread, far, vec![], vec![3.0], vec![f64::INFINITY], vec![f64::NEG_INFINITY, 2.0]]
        {
            values.sort_by(f64::total_cmp);
            values.dedup();
            let asked: Vec<f64> = (0..2000).map(|_| normal(&mut rng).powi(7)).collect();
            let edges = [f64::NEG_INFINITY, f64::INFINITY, f64::MAX, -f64::MAX, 0.0, -0.0];
            let around = values.iter().flat_map(|v| [*v, v.next_up(), v.next_down()]);
            let asked: Vec<f64> = asked.into_iter().chain(edges).chain(around).collect();
            let scale = Scale::new(values.clone());
            for v in asked {
                assert_eq!(scale.rank(v), values.iter().filter(|t| **t < v).count(), "{v}");
            }
        }
    }
}
