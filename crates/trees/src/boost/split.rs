//! Histogram split search: the best split of a node by its histogram of gradients.
//!
//! Forests search their histograms in `forest::split_search`, and the two stay apart: here a cell is a packed sum of
//! whole-number gradients that is subtracted from its parent, all cuts of a column are weighed at once in vector
//! lanes, and penalties shape the gain; there a cell is any statistic of a criterion, made anew for a node and emptied as
//! it is read, and a cut carries the set of codes that the node has seen.

use super::quantised::{Packed, Sums};
use super::settings::FEW_LEVELS;
use super::split_scores::Scale;
use crate::bins::Bins;

/// Limits and penalties of a tree, as the parameters say.
#[derive(Clone, Debug)]
pub(crate) struct Limits {
    pub(crate) max_leaves: usize,
    pub(crate) max_depth: usize,
    /// Whether the leaf of the greatest gain is split first, or the highest one.
    pub(crate) best_first: bool,
    pub(crate) min_rows: usize,
    pub(crate) min_hessian: f64,
    pub(crate) min_gain: f64,
    pub(crate) l1: f64,
    pub(crate) l2: f64,
    /// Added to the hessian of a level before levels are ordered; levels with less are not looked at.
    pub(crate) cat_smooth: f64,
    /// Added to `l2` for splits of levels.
    pub(crate) cat_l2: f64,
    /// Columns of at most so many levels are split one level against the others.
    pub(crate) one_hot: usize,
    /// Most levels that a split names of a column that has more than a few.
    pub(crate) cat_levels: usize,
    /// Features looked at for each split, as a share.
    pub(crate) node_features: f64,
    /// Features looked at for each tree, as a share.
    pub(crate) tree_features: f64,
    /// For each column, whether the prediction must rise (1), fall (-1), or neither; empty for none.
    pub(crate) monotone: Vec<i8>,
    /// Sets of columns that may meet on a way from the root to a leaf; empty for all.
    pub(crate) interactions: Vec<Vec<u32>>,
}

/// The test of a split: which codes of a column go left.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Cut {
    /// Codes of bins up to this one.
    UpTo(u8),
    /// Codes whose bit is set.
    Among([u64; 4]),
}

/// A split of a node, with its gain and the sums of both sides.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Split {
    pub(crate) column: u32,
    pub(crate) cut: Cut,
    pub(crate) missing_left: bool,
    pub(crate) gain: f64,
    pub(crate) left: Sums,
    pub(crate) right: Sums,
}

impl Split {
    /// For each code, whether it goes left; the code of missing values follows its own rule.
    pub(crate) fn sides(&self, missing: Option<u8>) -> [bool; 256] {
        let mut sides = std::array::from_fn(|code| match self.cut {
            Cut::UpTo(bin) => code <= usize::from(bin),
            Cut::Among(set) => set[code / 64] >> (code % 64) & 1 == 1,
        });
        if let Some(code) = missing {
            sides[usize::from(code)] = self.missing_left;
        }
        sides
    }
}

/// Monotone bounds: the lowest and highest value that ancestors leave to a node.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Bounds(pub(crate) f64, pub(crate) f64);

impl Bounds {
    pub(crate) const NONE: Bounds = Bounds(f64::NEG_INFINITY, f64::INFINITY);
}

/// The split finder of one tree.
#[derive(Debug)]
pub(crate) struct SplitFinder<'a> {
    pub(crate) bins: &'a Bins,
    pub(crate) limits: &'a Limits,
    pub(crate) packed: &'a Packed,
}

impl SplitFinder<'_> {
    /// The gradient and hessian of some sums.
    #[inline]
    pub(crate) fn real(&self, sums: Sums) -> (f64, f64) {
        let p = self.packed;
        let units = if p.constant { sums.count() } else { sums.hessian() };
        (sums.gradient as f64 * p.gradient_unit, f64::from(units) * p.hessian_unit)
    }

    /// The value of a leaf that is best for its gradient and hessian, before the learning rate.
    pub(crate) fn value(limits: &Limits, g: f64, h: f64, bounds: Bounds) -> f64 {
        let value = -soft(g, limits.l1) / (h + limits.l2 + 1e-15);
        value.clamp(bounds.0, bounds.1)
    }

    /// Twice the loss that a leaf takes away.
    #[inline]
    fn score(&self, g: f64, h: f64, l2: f64) -> f64 {
        let g = soft(g, self.limits.l1);
        g * g / (h + l2 + 1e-15)
    }

    /// The score of a leaf whose value is held within bounds.
    fn bounded(&self, g: f64, h: f64, value: f64) -> f64 {
        -(2.0 * g * value + (h + self.limits.l2) * value * value + 2.0 * self.limits.l1 * value.abs())
    }

    /// The sums of each code of a column that shares its track, from those of its codes beside the default one: what
    /// they leave of the node. `None` where so few rows have them that no split can be valid, since one of its sides is
    /// without the default.
    pub(crate) fn alone<'r>(
        &self,
        others: &[Sums],
        default: usize,
        node: Sums,
        room: &'r mut Vec<Sums>,
    ) -> Option<&'r [Sums]> {
        let away = others.iter().fold(Sums::default(), |sum, &s| sum.plus(s));
        if (away.count() as usize) < self.limits.min_rows.max(1) {
            return None;
        }
        room.clear();
        room.extend_from_slice(&others[..default]);
        room.push(node.minus(away));
        room.extend_from_slice(&others[default..]);
        Some(room)
    }

    /// The best split of column `j`, if it has a valid one; `node` are the sums of all rows.
    pub(crate) fn best(&self, j: usize, bins: &[Sums], node: Sums, bounds: Bounds) -> Option<Split> {
        let (g, h) = self.real(node);
        let sign = self.limits.monotone.get(j).copied().unwrap_or(0);
        let mut best = Best { finder: self, node, sign, bounds, l2: self.limits.l2, found: None, least: 0.0 };
        let parent = if bounds == Bounds::NONE {
            self.score(g, h, self.limits.l2)
        } else {
            self.bounded(g, h, Self::value(self.limits, g, h, bounds))
        };
        best.least = parent + self.limits.min_gain;
        if self.bins.is_categorical(j) {
            self.levels(j, bins, &mut best);
        } else {
            self.numbers(j, bins, &mut best);
        }
        let (score, cut, left, missing_left) = best.found?;
        let right = node.minus(left);
        Some(Split { column: j as u32, cut, missing_left, gain: score - parent, left, right })
    }

    fn numbers(&self, j: usize, bins: &[Sums], best: &mut Best<'_>) {
        let n_bins = self.bins.n_bins(j);
        let absent = bins.get(n_bins).copied().filter(|s| s.count() > 0);
        let plain = best.sign == 0 && best.bounds == Bounds::NONE && self.limits.l1 == 0.0;
        let sweep = if plain { Best::sweep } else { Best::step };
        // The last cut parts present from missing values.
        let last = if absent.is_some() { n_bins } else { n_bins.saturating_sub(1) };
        sweep(best, &bins[..last], Sums::default(), absent.is_some().then_some(false));
        if let Some(absent) = absent {
            sweep(best, &bins[..n_bins.saturating_sub(1)], absent, Some(true));
        }
    }

    fn levels(&self, j: usize, bins: &[Sums], best: &mut Best<'_>) {
        let n_bins = self.bins.n_bins(j);
        let set = |codes: &[usize]| {
            let mut set = [0u64; 4];
            codes.iter().for_each(|&c| set[c / 64] |= 1 << (c % 64));
            set
        };
        let filled: Vec<usize> = (0..bins.len()).filter(|&b| bins[b].count() > 0).collect();
        let missing_left = |codes: &[usize], left: Sums, best: &Best<'_>| match bins.get(n_bins) {
            Some(absent) if absent.count() > 0 => codes.contains(&n_bins),
            _ => best.left_heavier(left),
        };
        if filled.len() <= self.limits.one_hot {
            for &b in &filled {
                let goes_left = missing_left(&[b], bins[b], best);
                best.try_left(bins[b], Cut::Among(set(&[b])), goes_left);
            }
            return;
        }
        best.l2 += self.limits.cat_l2;
        let smooth = self.limits.cat_smooth;
        let mut order: Vec<(f64, usize)> = filled
            .into_iter()
            .map(|b| (self.real(bins[b]), b))
            .filter(|&(_, b)| f64::from(bins[b].count()) >= smooth.min(10.0))
            .map(|((g, h), b)| (g / (h + smooth), b))
            .collect();
        if order.len() < 2 {
            return;
        }
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let most = if n_bins > FEW_LEVELS { self.limits.cat_levels } else { usize::MAX };
        for backwards in [false, true] {
            if backwards {
                order.reverse();
            }
            let codes: Vec<usize> = order.iter().map(|o| o.1).collect();
            let mut left = Sums::default();
            // Beyond the middle, a prefix is what the other end leaves.
            let half = codes.len().div_ceil(2) - usize::from(backwards);
            for k in 0..half.min(most) {
                left = left.plus(bins[codes[k]]);
                let goes_left = missing_left(&codes[..=k], left, best);
                if !best.try_left(left, Cut::Among(set(&codes[..=k])), goes_left) {
                    break;
                }
            }
        }
    }
}

/// The best split candidate of a column so far.
struct Best<'a> {
    finder: &'a SplitFinder<'a>,
    node: Sums,
    sign: i8,
    bounds: Bounds,
    l2: f64,
    /// The score that a cut has to exceed.
    least: f64,
    found: Option<(f64, Cut, Sums, bool)>,
}

impl Best<'_> {
    fn left_heavier(&self, left: Sums) -> bool {
        2 * u64::from(left.count()) > u64::from(self.node.count())
    }

    /// Weighs the cuts after each bin one by one; `left` goes left before the first.
    fn step(&mut self, bins: &[Sums], mut left: Sums, missing_left: Option<bool>) {
        for (b, &bin) in bins.iter().enumerate().filter(|(_, bin)| bin.count() > 0) {
            left = left.plus(bin);
            let missing_left = missing_left.unwrap_or_else(|| self.left_heavier(left));
            if !self.try_left(left, Cut::UpTo(b as u8), missing_left) {
                break;
            }
        }
    }

    /// As [`Best::step`], for leaves without bounds or L1 penalty: all cuts at once.
    fn sweep(&mut self, bins: &[Sums], start: Sums, missing_left: Option<bool>) {
        let (limits, packed) = (self.finder.limits, self.finder.packed);
        let scale = Scale {
            node: self.node,
            gradient: packed.gradient_unit,
            hessian: packed.hessian_unit,
            constant: packed.constant,
            l2: self.l2 + 1e-15,
            min_rows: limits.min_rows.max(1),
            min_hessian: limits.min_hessian,
        };
        if let Some((bin, score, left)) = scale.best_cut(bins, start, self.least) {
            let missing_left = missing_left.unwrap_or_else(|| self.left_heavier(left));
            (self.least, self.found) = (score, Some((score, Cut::UpTo(bin as u8), left, missing_left)));
        }
    }

    /// Weighs a cut. Whether a larger left side can still be valid is the answer.
    #[inline]
    fn try_left(&mut self, left: Sums, cut: Cut, missing_left: bool) -> bool {
        let limits = self.finder.limits;
        let right = self.node.minus(left);
        if (left.count() as usize) < limits.min_rows {
            return true;
        }
        let ((gl, hl), (gr, hr)) = (self.finder.real(left), self.finder.real(right));
        if (right.count() as usize) < limits.min_rows.max(1) || hr < limits.min_hessian {
            return false;
        }
        if hl < limits.min_hessian {
            return true;
        }
        let score = if self.sign == 0 && self.bounds == Bounds::NONE {
            self.finder.score(gl, hl, self.l2) + self.finder.score(gr, hr, self.l2)
        } else {
            let value = |g, h| SplitFinder::value(limits, g, h, self.bounds);
            let (a, b) = (value(gl, hl), value(gr, hr));
            if f64::from(self.sign) * (b - a) < 0.0 {
                return true;
            }
            self.finder.bounded(gl, hl, a) + self.finder.bounded(gr, hr, b)
        };
        if score > self.least {
            self.least = score;
            self.found = Some((score, cut, left, missing_left));
        }
        true
    }
}

/// Soft thresholding.
#[inline]
fn soft(g: f64, l1: f64) -> f64 {
    if l1 == 0.0 { g } else { g.signum() * (g.abs() - l1).max(0.0) }
}
