//! Dynamic time warping of series and its lower bounds.
//!
//! A series is a sequence of points with one or more coordinates, row by row. Warping finds the alignment of two series, monotone and
//! without gaps, of least cost: $\min_\pi \sqrt{\sum_{(i,j) \in \pi} \lVert x_i - y_j\rVert^2}$. It is symmetric and zero for equal series, but no
//! metric, and $e^{-\gamma\,\mathrm{DTW}^2}$ is not positive semi-definite in general; the global alignment kernel, which sums over all alignments
//! instead of taking the best, is.
//!
//! H. Sakoe, S. Chiba. Dynamic programming algorithm optimization for spoken word recognition. IEEE Transactions on Acoustics, Speech, and
//! Signal Processing 26(1), 1978, doi:10.1109/TASSP.1978.1163055. E. Keogh, C. A. Ratanamahatana. Exact indexing of dynamic time warping.
//! Knowledge and Information Systems 7, 2005, doi:10.1007/s10115-004-0154-9.

use super::warp_lanes::{LANES, Scratch, warp_all};
use mercer_core::{Error, Result, SeriesRef};
use mercer_math::{Mat, symmetrise};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// How far alignments may stray from the diagonal (Sakoe and Chiba).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Band {
    /// A share of the longer series, in [0, 1]; 1 is without limit.
    Share(f64),
    /// So many places.
    Radius(usize),
}

impl Band {
    /// A band that is a share of the longer series; shares outside of [0, 1] are refused.
    pub fn new(share: f64) -> Result<Self> {
        match (0.0..=1.0).contains(&share) {
            true => Ok(Self::Share(share)),
            false => Err(Error::param("Band", "share", "in [0, 1]", share)),
        }
    }

    /// No band.
    pub const NONE: Self = Self::Share(1.0);

    /// How many places an alignment may stray; at least the difference of the lengths, without which there is none.
    pub(super) fn width(self, n: usize, m: usize) -> usize {
        let longer = n.max(m);
        let own = match self {
            Band::Share(share) => (share * longer as f64).floor() as usize,
            Band::Radius(radius) => radius,
        };
        own.max(n.abs_diff(m)).min(longer)
    }
}

/// The squared distance of two series after warping: Σ ‖xᵢ − yⱼ‖² along the best alignment within the band; infinity where it
/// exceeds `limit`, or where one series is empty and the other is not.
///
/// ```
/// use mercer_kernels::{Band, dtw_squared};
/// let (x, y) = ([0.0, 0.0, 1.0, 2.0], [0.0, 1.0, 1.0, 2.0]);
/// assert_eq!(dtw_squared(&x, &y, 1, Band::NONE, f64::INFINITY), 0.0);
/// ```
///
/// # Panics
/// When a length is no multiple of the number of coordinates.
pub fn dtw_squared(x: &[f64], y: &[f64], n_coordinates: usize, band: Band, limit: f64) -> f64 {
    let (mut lines, d) = (Vec::new(), n_coordinates.max(1));
    assert!(x.len().is_multiple_of(d) && y.len().is_multiple_of(d), "whole points");
    warp(x, y, d, band, limit, &mut lines)
}

/// Two lines of the table of costs, the shorter series along the line; a line whose least cost exceeds the limit ends it.
fn warp(x: &[f64], y: &[f64], d: usize, band: Band, limit: f64, lines: &mut Vec<f64>) -> f64 {
    if y.len() > x.len() {
        return warp(y, x, d, band, limit, lines);
    }
    let (n, m) = (x.len() / d, y.len() / d);
    if m == 0 {
        return if n == 0 { 0.0 } else { f64::INFINITY };
    }
    let width = band.width(n, m);
    lines.clear();
    lines.resize(2 * (m + 1), f64::INFINITY);
    let (mut above, mut line) = lines.split_at_mut(m + 1);
    above[0] = 0.0;
    for (i, own) in x.chunks_exact(d).enumerate() {
        let (first, last) = ((i + 1).saturating_sub(width).max(1), (i + 1 + width).min(m));
        line[first - 1] = f64::INFINITY;
        let mut least = f64::INFINITY;
        let mut before = line[first - 1];
        for j in first..=last {
            let cost = square(own, &y[(j - 1) * d..j * d]);
            before = cost + before.min(above[j]).min(above[j - 1]);
            line[j] = before;
            least = least.min(before);
        }
        if last < m {
            line[last + 1] = f64::INFINITY;
        }
        if least > limit {
            return f64::INFINITY;
        }
        std::mem::swap(&mut above, &mut line);
        line[0] = f64::INFINITY;
    }
    if above[m] > limit { f64::INFINITY } else { above[m] }
}

/// The squared distance of two points, added up in one order wherever it is taken.
#[inline(always)]
pub(super) fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}

/// The distance of two series after warping.
pub fn dtw(x: &[f64], y: &[f64], n_coordinates: usize, band: Band) -> f64 {
    dtw_squared(x, y, n_coordinates, band, f64::INFINITY).sqrt()
}

/// The upper and lower envelope of a series of single numbers: the largest and the smallest value within `width` places.
pub fn envelope(x: &[f64], width: usize) -> (Vec<f64>, Vec<f64>) {
    let over = |better: fn(f64, f64) -> bool| {
        // Places whose values may still be the best of a later window, best first (Lemire 2009).
        let mut queue = std::collections::VecDeque::new();
        let mut out = Vec::with_capacity(x.len());
        for i in 0..x.len() + width {
            if i < x.len() {
                while queue.back().is_some_and(|&b: &usize| !better(x[b], x[i])) {
                    queue.pop_back();
                }
                queue.push_back(i);
            }
            if i >= width {
                let centre = i - width;
                while queue.front().is_some_and(|&f| f + width < centre) {
                    queue.pop_front();
                }
                out.push(queue.front().map_or(f64::NAN, |&f| x[f]));
            }
        }
        out.truncate(x.len());
        out
    };
    (over(|a, b| a > b), over(|a, b| a < b))
}

/// Keogh's lower bound of the squared distance after warping, for series of equal length whose alignments stay within the width of
/// the envelope of the second: the squared distance from it.
pub fn lower_bound(x: &[f64], upper: &[f64], lower: &[f64]) -> f64 {
    let off = |((x, u), l): ((&f64, &f64), &f64)| {
        if x > u {
            x - u
        } else if x < l {
            l - x
        } else {
            0.0
        }
    };
    x.iter().zip(upper).zip(lower).map(off).map(|v| v * v).sum()
}

/// The best alignment of two series, from the first points to the last, with their squared distance after warping. Of equal steps
/// the one on both series goes first, then the one on `x`.
///
/// # Panics
/// When a length is no multiple of the number of coordinates, or a series is empty.
pub fn dtw_path(x: &[f64], y: &[f64], n_coordinates: usize, band: Band) -> (Vec<(usize, usize)>, f64) {
    let d = n_coordinates.max(1);
    assert!(x.len().is_multiple_of(d) && y.len().is_multiple_of(d), "whole points");
    let (n, m) = (x.len() / d, y.len() / d);
    assert!(n > 0 && m > 0, "series that are not empty");
    let width = band.width(n, m);
    let mut costs = Mat::from_fn(n + 1, m + 1, |_, _| f64::INFINITY);
    costs[(0, 0)] = 0.0;
    for i in 1..=n {
        for j in i.saturating_sub(width).max(1)..=(i + width).min(m) {
            let before = costs[(i - 1, j - 1)].min(costs[(i - 1, j)]).min(costs[(i, j - 1)]);
            costs[(i, j)] = before + square(&x[(i - 1) * d..i * d], &y[(j - 1) * d..j * d]);
        }
    }
    let (mut path, mut i, mut j) = (vec![(n - 1, m - 1)], n, m);
    while (i, j) != (1, 1) {
        let steps = [(i - 1, j - 1), (i - 1, j), (i, j - 1)];
        let best = steps.into_iter().min_by(|a, b| costs[*a].total_cmp(&costs[*b])).unwrap_or((1, 1));
        (i, j) = best;
        path.push((i - 1, j - 1));
    }
    path.reverse();
    (path, costs[(n, m)])
}

/// The squared distances after warping of `x` and the series `cols` of `y`: those of equal length side by side.
pub(super) fn warped_line(
    x: &[f64],
    y: SeriesRef<'_>,
    cols: Range<usize>,
    band: Band,
    scratch: &mut (Scratch, Vec<usize>),
    out: &mut [f64],
) {
    let (start, end) = (cols.start, cols.end);
    let mut from = start;
    while from < end {
        let length = y.get(from).len();
        let to = (from..end).find(|&j| y.get(j).len() != length).unwrap_or(end);
        scratch.1.clear();
        scratch.1.extend(from..to);
        warp_all(x, y, &scratch.1, band, &mut scratch.0, &mut out[from - start..to - start]);
        from = to;
    }
}

/// The distances after warping of all series of `x` from all of `y`, or from each other, in parallel. Before each of `x` it is asked whether
/// to go on, from any thread; `None` where the answer was no.
///
/// # Panics
/// When the series have not the same number of coordinates.
pub fn dtw_matrix(
    x: SeriesRef<'_>,
    y: Option<SeriesRef<'_>>,
    band: Band,
    go_on: &(dyn Fn() -> bool + Sync),
) -> Option<Mat> {
    let (n, other) = (x.len(), y.unwrap_or(x));
    assert_eq!(x.n_coordinates(), other.n_coordinates(), "the same number of coordinates");
    let m = other.len();
    let mut out = Mat::zeros(n, m);
    let whole = AtomicBool::new(true);
    let one = |scratch: &mut _, (i, out): (usize, &mut [f64])| {
        if !whole.load(Relaxed) || !go_on() {
            return whole.store(false, Relaxed);
        }
        // Of series with each other, the lower triangle: warping is symmetric, to the last bit.
        let cols = if y.is_some() { 0..m } else { 0..i };
        warped_line(x.get(i), other, cols.clone(), band, scratch, &mut out[cols]);
        out.iter_mut().for_each(|v| *v = v.sqrt());
    };
    out.as_mut_slice().par_chunks_mut(m.max(1)).enumerate().for_each_init(Default::default, one);
    if y.is_none() {
        symmetrise(&mut out);
    }
    whole.into_inner().then_some(out)
}

/// Envelopes of series, for lower bounds of their distances.
#[derive(Debug)]
pub(crate) struct Envelopes(Vec<(Vec<f64>, Vec<f64>)>);

impl Envelopes {
    /// Those of all series, or none where points have several coordinates.
    pub(crate) fn of(series: SeriesRef<'_>, band: Band) -> Self {
        let one = |i: usize| {
            let own = series.get(i);
            envelope(own, band.width(own.len(), own.len()))
        };
        match series.n_coordinates() {
            1 => Self((0..series.len()).into_par_iter().map(one).collect()),
            _ => Self(Vec::new()),
        }
    }

    /// A lower bound of the squared distance of `x` and series `j`; 0 where they are not equally long.
    fn bound(&self, x: &[f64], j: usize) -> f64 {
        match self.0.get(j) {
            Some((upper, lower)) if upper.len() == x.len() => lower_bound(x, upper, lower),
            _ => 0.0,
        }
    }
}

/// The distances after warping of `x` from the `k` nearest of `y`, at their places in `out`; others may be infinite. Series are looked at in
/// the order of their lower bounds, until none can be nearer than those found.
pub(crate) fn nearest_line(
    x: &[f64],
    y: SeriesRef<'_>,
    envelopes: &Envelopes,
    band: Band,
    k: usize,
    out: &mut [f64],
) {
    out.fill(f64::INFINITY);
    let mut order: Vec<(f64, usize, usize)> =
        (0..y.len()).map(|j| (envelopes.bound(x, j), y.get(j).len(), j)).collect();
    order.sort_by(|a, b| a.0.total_cmp(&b.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let (mut scratch, mut found) = (Scratch::default(), [0.0; LANES]);
    let mut best: Vec<f64> = Vec::with_capacity(k + LANES);
    let mut rest = order.as_slice();
    while let Some(&(bound, length, _)) = rest.first() {
        if best.len() >= k && bound > best[k - 1] {
            break;
        }
        // Lanes take series of one length.
        let n = rest.iter().take(LANES).take_while(|o| o.1 == length).count();
        let which: Vec<usize> = rest[..n].iter().map(|o| o.2).collect();
        warp_all(x, y, &which, band, &mut scratch, &mut found[..n]);
        which.iter().zip(found).for_each(|(&j, square)| out[j] = square.sqrt());
        best.extend(&found[..n]);
        best.sort_by(f64::total_cmp);
        best.truncate(k);
        rest = &rest[n..];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{definiteness, log_global_alignment};
    use mercer_core::Series;
    use mercer_math::{normal, rng_for};

    fn random(n: usize, d: usize, seed: u64) -> Mat {
        let mut rng = rng_for(seed, 0);
        Mat::from_fn(n, d, |_, _| normal(&mut rng))
    }

    /// Every alignment, one after the other.
    fn by_force(x: &[f64], y: &[f64], width: usize) -> f64 {
        fn walk(x: &[f64], y: &[f64], i: usize, j: usize, width: usize) -> f64 {
            if i.abs_diff(j) > width {
                return f64::INFINITY;
            }
            let own = (x[i] - y[j]).powi(2);
            let steps = [
                (i > 0, i.wrapping_sub(1), j),
                (j > 0, i, j.wrapping_sub(1)),
                (i > 0 && j > 0, i.wrapping_sub(1), j.wrapping_sub(1)),
            ];
            if i == 0 && j == 0 {
                return own;
            }
            own + steps
                .iter()
                .filter(|s| s.0)
                .map(|s| walk(x, y, s.1, s.2, width))
                .fold(f64::INFINITY, f64::min)
        }
        walk(x, y, x.len() - 1, y.len() - 1, width)
    }

    #[test]
    fn warping_is_the_best_of_all_alignments() {
        for (seed, n, m) in [(1, 6, 6), (2, 5, 7), (3, 1, 4), (4, 7, 3)] {
            let (x, y) = (random(1, n, seed), random(1, m, seed + 10));
            for share in [0.0, 0.2, 0.5, 1.0] {
                let band = Band::new(share).unwrap();
                let expected = by_force(x.row(0), y.row(0), band.width(n, m));
                let found = dtw_squared(x.row(0), y.row(0), 1, band, f64::INFINITY);
                assert!(
                    (found - expected).abs() < 1e-12 * expected,
                    "{n} {m} {share}: {found} for {expected}"
                );
                assert_eq!(found, dtw_squared(y.row(0), x.row(0), 1, band, f64::INFINITY));
                assert_eq!(dtw_squared(x.row(0), y.row(0), 1, band, 0.9 * found), f64::INFINITY);
            }
        }
        assert!(Band::new(1.5).is_err() && Band::new(f64::NAN).is_err());
    }

    fn series(x: &Mat) -> Series {
        Series::new(1, (0..=x.n_rows()).map(|i| i * x.n_cols()).collect(), x.as_slice().to_vec()).unwrap()
    }

    #[test]
    fn bounds_lie_below_and_neighbours_are_those_of_all_tables() {
        let (x, y) = (series(&random(20, 30, 5)), series(&random(25, 30, 6)));
        let (x, y) = (x.view(), y.view());
        for band in [Band::Share(0.1), Band::Radius(9), Band::NONE] {
            let all = dtw_matrix(x, Some(y), band, &|| true).unwrap();
            let envelopes = Envelopes::of(y, band);
            for i in 0..20 {
                let mut order: Vec<(f64, usize)> = all.row(i).iter().copied().zip(0..).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                let mut found = [0.0; 25];
                nearest_line(x.get(i), y, &envelopes, band, 3, &mut found);
                assert!(order[..3].iter().all(|&(d, j)| found[j] == d), "row {i}");
                for j in 0..25 {
                    assert_eq!(all[(i, j)], dtw(x.get(i), y.get(j), 1, band));
                    assert!(found[j] == all[(i, j)] || all[(i, j)] > order[2].0);
                    assert!(envelopes.bound(x.get(i), j).sqrt() <= all[(i, j)] + 1e-12);
                }
            }
        }
        assert!(dtw_matrix(x, None, Band::NONE, &|| false).is_none());
    }

    /// Series of several lengths and coordinates, side by side and one by one; the distances of paths are those of the tables.
    #[test]
    fn lanes_and_paths_are_the_tables_of_pairs() {
        let (mut rng, mut starts) = (rng_for(3, 0), vec![0]);
        for i in 0..40 {
            starts.push(starts[i] + 2 * (5 + (i / 19) * 3));
        }
        let values = (0..starts[40]).map(|_| normal(&mut rng)).collect();
        let own = Series::new(2, starts, values).unwrap();
        let own = own.view();
        for band in [Band::NONE, Band::Radius(2)] {
            let all = dtw_matrix(own, None, band, &|| true).unwrap();
            for i in 0..40 {
                for j in 0..40 {
                    let squared = dtw_squared(own.get(i), own.get(j), 2, band, f64::INFINITY);
                    assert_eq!(all[(i, j)], squared.sqrt());
                    let (path, length) = dtw_path(own.get(i), own.get(j), 2, band);
                    assert_eq!(length, squared);
                    let point = |s: &[f64], t: usize| [s[2 * t], s[2 * t + 1]];
                    let cost: f64 =
                        path.iter().map(|&(s, t)| square(&point(own.get(i), s), &point(own.get(j), t))).sum();
                    assert!((cost - squared).abs() <= 1e-12 * squared);
                    assert!(path.windows(2).all(|w| (1..=2).contains(&(w[1].0 + w[1].1 - w[0].0 - w[0].1))));
                }
            }
        }
    }

    /// The exponential of a warped distance has negative eigenvalues; the kernel that sums over all alignments has none.
    #[test]
    fn warping_is_indefinite_and_global_alignment_is_not() {
        let x = random(40, 12, 7);
        // All series of four zeros and ones.
        let bits = series(&Mat::from_fn(16, 4, |i, j| ((i >> j) & 1) as f64));
        let distances = dtw_matrix(bits.view(), None, Band::NONE, &|| true).unwrap();
        let gram = Mat::from_fn(16, 16, |i, j| (-distances[(i, j)].powi(2)).exp());
        assert!(definiteness(&gram).unwrap().least < -1e-2, "{:?}", definiteness(&gram));
        let log = |i: usize, j: usize| log_global_alignment(x.row(i), x.row(j), 1, 1.5);
        let gram = Mat::from_fn(40, 40, |i, j| (log(i, j) - 0.5 * (log(i, i) + log(j, j))).exp());
        assert!(definiteness(&gram).unwrap().is_semidefinite(), "{:?}", definiteness(&gram));
    }
}
