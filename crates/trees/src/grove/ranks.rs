//! A grove in half the bytes, for many rows: thresholds and values by their ranks.
//!
//! With the different thresholds t₀ < t₁ < … of a feature, `value <= tᵢ` holds exactly where fewer than i + 1
//! thresholds are less than the value. Rows are written as these counts, two bytes each, and walk nodes of eight
//! bytes, so that both stay in the cache; the leaves are the same.

use super::{FEATURE, Grove, LEAF, LEVELS, Leaf, MISSING_LEFT, select};
use std::sync::OnceLock;

/// The rank of a missing value; greater than that of any threshold.
const MISSING: u16 = u16::MAX;
/// Rows under way at a time.
const LANES: usize = 16;
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
        for own in &mut thresholds {
            own.sort_unstable_by(f64::total_cmp);
            own.dedup();
        }
        if thresholds.iter().any(|t| t.len() >= MISSING as usize) {
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
        let nodes = grove.nodes.iter().map(small).collect();
        Some(Self { nodes, thresholds })
    }

    /// Writes the ranks of `n` rows, `d` a row.
    pub(super) fn encode(&self, n: usize, value: impl Fn(usize, usize) -> f64) -> Vec<u16> {
        let d = self.thresholds.len();
        let mut out = vec![0; n * d];
        for (j, thresholds) in self.thresholds.iter().enumerate() {
            for (i, out) in out.iter_mut().skip(j).step_by(d).enumerate() {
                let v = value(i, j);
                let rank = thresholds.partition_point(|t| *t < v) as u16;
                *out = if v.is_nan() { MISSING } else { rank };
            }
        }
        out
    }

    /// Walks the chosen rows from a root and calls `emit(row, leaf)` for each. A row that has come to its leaf makes
    /// room for the next one, so that [`LANES`] rows are always under way.
    pub(super) fn stream(&self, ranks: &[u16], root: u32, chosen: &[u32], emit: &mut dyn FnMut(u32, Leaf)) {
        let d = self.thresholds.len();
        let (mut lanes, mut next) = (Vec::with_capacity(LANES), chosen.iter());
        lanes.extend(next.by_ref().take(LANES).map(|&row| Lane { at: root, row, base: row as usize * d }));
        while !lanes.is_empty() {
            let mut k = 0;
            while k < lanes.len() {
                let lane = &mut lanes[k];
                let node = self.nodes[lane.at as usize];
                if node.feature & SMALL_LEAF == 0 {
                    let rank = ranks[lane.base + (node.feature & SMALL_FEATURE) as usize];
                    let missing_left = node.feature & SMALL_MISSING_LEFT != 0;
                    let go_left = (rank <= node.rank) | ((rank == MISSING) & missing_left);
                    lane.at = select(go_left, lane.at + 1, node.right);
                    k += 1;
                    continue;
                }
                emit(lane.row, Leaf { node: lane.at, place: node.right });
                match next.next() {
                    Some(&row) => *lane = Lane { at: root, row, base: row as usize * d },
                    None => {
                        lanes.swap_remove(k);
                    }
                }
            }
        }
    }
}

/// A row under way.
struct Lane {
    at: u32,
    row: u32,
    base: usize,
}
