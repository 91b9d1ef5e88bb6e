//! A grove in half the bytes, for many rows: thresholds and values by their ranks.
//!
//! With the different thresholds t₀ < t₁ < … of a feature, `value <= tᵢ` holds exactly where fewer than i + 1
//! thresholds are less than the value. Rows are written as these counts, a byte or two each, and walk nodes
//! of eight bytes, so that both stay in the cache; the leaves are the same.

use super::visit::Walk;
use super::{FEATURE, Grove, LEAF, LEVELS, Leaf, MISSING_LEFT, select};
use mercer_math::prefetch;
use rayon::prelude::*;
use std::sync::OnceLock;

/// Rows that are written at a time, so that they stay in cache while their features are.
const BLOCK: usize = 64;
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

/// The nodes of a grove with ranks for thresholds.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ranked {
    nodes: Vec<Small>,
    /// The thresholds of each feature, rising.
    thresholds: Vec<Vec<f64>>,
}

/// Ranks once they are asked for; they follow from the nodes, so they make no difference between groves.
#[derive(Clone, Debug, Default)]
pub(super) struct Lazy(pub(super) OnceLock<Option<Ranked>>);

impl PartialEq for Lazy {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl Ranked {
    /// `None` where there are categories, or too many features or thresholds for two bytes.
    pub(super) fn new(grove: &Grove) -> Option<Self> {
        let d = grove.n_features as usize;
        if !grove.set_bits.is_empty() || d > SMALL_FEATURE as usize {
            return None;
        }
        let mut thresholds = vec![Vec::new(); d];
        for node in grove.nodes.iter().filter(|n| n.feature & (LEAF | LEVELS) == 0) {
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
        let nodes = grove.nodes.par_iter().map(small).collect();
        Some(Self { nodes, thresholds })
    }

    /// Whether the ranks of all features fit one byte.
    pub(super) fn fits_bytes(&self) -> bool {
        self.thresholds.iter().all(|t| t.len() < usize::from(u8::MISSING))
    }

    /// The ranks of `n` rows.
    pub(super) fn encode<R: Rank>(&self, n: usize, value: impl Fn(usize, usize) -> f64) -> Encoded<'_, R> {
        let d = self.thresholds.len();
        let mut ranks = vec![R::MISSING; n * d];
        for (b, ranks) in ranks.chunks_mut(BLOCK * d.max(1)).enumerate() {
            for (j, thresholds) in self.thresholds.iter().enumerate() {
                for (i, out) in ranks.iter_mut().skip(j).step_by(d).enumerate() {
                    let v = value(b * BLOCK + i, j);
                    if !v.is_nan() {
                        *out = R::from_place(thresholds.partition_point(|t| *t < v));
                    }
                }
            }
        }
        Encoded { nodes: &self.nodes, ranks, d }
    }
}

/// Rows by their ranks, `d` a row.
pub(super) struct Encoded<'a, R> {
    nodes: &'a [Small],
    ranks: Vec<R>,
    d: usize,
}

impl<R: Rank> Walk for Encoded<'_, R> {
    /// A row that has come to its leaf makes room for the next one, so that [`LANES`] rows are always under way.
    fn walk(&self, root: u32, chosen: &[u32], emit: &mut dyn FnMut(u32, Leaf)) {
        let (mut lanes, mut next) = (Vec::with_capacity(LANES), chosen.iter());
        let start = |&row: &u32| Lane { at: root, row, base: row as usize * self.d };
        lanes.extend(next.by_ref().take(LANES).map(start));
        while !lanes.is_empty() {
            let mut k = 0;
            while k < lanes.len() {
                let lane = &mut lanes[k];
                let node = self.nodes[lane.at as usize];
                if node.feature & SMALL_LEAF == 0 {
                    let rank = self.ranks[lane.base + (node.feature & SMALL_FEATURE) as usize];
                    let missing_left = node.feature & SMALL_MISSING_LEFT != 0;
                    let go_left = (rank.into() <= node.rank) | ((rank == R::MISSING) & missing_left);
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
