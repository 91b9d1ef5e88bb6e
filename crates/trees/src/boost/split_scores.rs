//! Split gains of all cuts of a numeric column at once, in loops that run on vectors.

use super::quantised::Sums;
use mercer_math::wide;

/// Most cuts of a column.
const CUTS: usize = 256;
/// Cuts that are few, so that not even emptying longer arrays is worth it.
const FEW: usize = 8;
/// Cuts weighed side by side.
const LANES: usize = 4;

/// The scale of gain: what the sums of a node are worth, and what its children need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    pub(crate) node: Sums,
    /// The gradient of one unit.
    pub(crate) gradient: f64,
    /// The hessian of one unit.
    pub(crate) hessian: f64,
    /// Whether counts stand for hessians.
    pub(crate) constant: bool,
    pub(crate) l2: f64,
    /// Least rows of a child.
    pub(crate) min_rows: usize,
    /// Least hessian of a child.
    pub(crate) min_hessian: f64,
}

impl Scale {
    fn hessian_of(&self, sums: Sums) -> f64 {
        f64::from(if self.constant { sums.count() } else { sums.hessian() }) * self.hessian
    }

    /// The cut of the greatest score above `least`, the first of equal ones: its bin, its score, and what goes left.
    /// `start` goes left before the first bin.
    pub(crate) fn best_cut(&self, bins: &[Sums], start: Sums, least: f64) -> Option<(usize, f64, Sums)> {
        match bins.len() <= FEW {
            true => self.best_of::<FEW>(bins, start, least),
            false => self.best_of::<CUTS>(bins, start, least),
        }
    }

    /// The best of at most `N` cuts.
    fn best_of<const N: usize>(&self, bins: &[Sums], start: Sums, least: f64) -> Option<(usize, f64, Sums)> {
        let mut lefts = [Sums::default(); N];
        let mut left = start;
        for (out, &bin) in lefts.iter_mut().zip(bins) {
            left = left.plus(bin);
            *out = left;
        }
        let lefts = &lefts[..bins.len().min(N)];
        let (rows, hessian) = (self.node.count() as usize, self.hessian_of(self.node));
        let first = lefts.partition_point(|&left| {
            (left.count() as usize) < self.min_rows || self.hessian_of(left) < self.min_hessian
        });
        let end = lefts.partition_point(|&left| {
            rows - left.count() as usize >= self.min_rows
                && hessian - self.hessian_of(left) >= self.min_hessian
        });
        let lefts = lefts.get(first..end).filter(|lefts| !lefts.is_empty())?;
        let mut scores = [f64::NEG_INFINITY; N];
        let top = wide(|| self.scores(lefts, &mut scores));
        if top <= least {
            return None;
        }
        let at = scores.iter().position(|&score| score == top)?;
        Some((first + at, top, lefts[at]))
    }

    /// Writes the score of each cut; the greatest is the answer.
    #[inline(always)]
    fn scores(&self, lefts: &[Sums], scores: &mut [f64]) -> f64 {
        let shift = if self.constant { 0 } else { 32 };
        let (total_g, total_h) = (self.node.gradient as f64 * self.gradient, self.hessian_of(self.node));
        for (out, left) in scores.iter_mut().zip(lefts) {
            let gl = exact(left.gradient) * self.gradient;
            let hl = exact((left.packed() >> shift & 0xFFFF_FFFF) as i64) * self.hessian;
            let (gr, p, q) = (total_g - gl, hl + self.l2, total_h - hl + self.l2);
            *out = (gl * gl * q + gr * gr * p) / (p * q);
        }
        let mut tops = [f64::NEG_INFINITY; LANES];
        for scores in scores.as_chunks::<LANES>().0 {
            for (top, &score) in tops.iter_mut().zip(scores) {
                *top = if score > *top { score } else { *top };
            }
        }
        tops.into_iter().fold(f64::NEG_INFINITY, f64::max)
    }
}

/// A whole number of less than 2^51 as a float: the processor's own conversion does not run on vectors.
#[inline(always)]
fn exact(v: i64) -> f64 {
    const SHIFT: f64 = 6_755_399_441_055_744.0; // 1.5 · 2^52
    f64::from_bits(v.wrapping_add(SHIFT.to_bits() as i64) as u64) - SHIFT
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_exact() {
        for v in [0, 1, -1, 12_345, -98_765, (1 << 51) - 1, 1 - (1 << 51)] {
            assert_eq!(exact(v), v as f64);
        }
    }

    #[test]
    fn the_best_cut_is_that_of_a_loop() {
        let bin = |k: i64| Sums::new((k * 7919) % 23 - 11, 1 + (k * 31 % 5) as u32, 1 + (k % 4) as u32);
        for (n, constant) in [(1, true), (2, false), (3, true), (40, false), (255, true), (256, false)] {
            let bins: Vec<Sums> = (0..n).map(bin).collect();
            let node = bins.iter().fold(Sums::new(5, 3, 4), |a, &b| a.plus(b));
            let scale = Scale {
                node,
                gradient: 0.5,
                hessian: 0.25,
                constant,
                l2: 0.5,
                min_rows: 5,
                min_hessian: 1.0,
            };
            let (mut left, mut found) = (Sums::new(5, 3, 4), None);
            let mut top = 1.0;
            for (b, &bin) in bins.iter().enumerate() {
                left = left.plus(bin);
                let right = node.minus(left);
                let fits = |s: Sums| s.count() >= 5 && scale.hessian_of(s) >= 1.0;
                let score = |s: Sums| (s.gradient as f64 * 0.5).powi(2) / (scale.hessian_of(s) + 0.5);
                let score = score(left) + score(right);
                if fits(left) && fits(right) && score > top + 1e-9 {
                    (top, found) = (score, Some(b));
                }
            }
            let best = scale.best_cut(&bins, Sums::new(5, 3, 4), 1.0);
            assert_eq!(best.map(|b| b.0), found, "{n}");
            assert!(best.is_none_or(|b| (b.1 - top).abs() < 1e-9));
        }
    }
}
