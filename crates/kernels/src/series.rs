//! Dynamic time warping of series, its lower bounds, and the global alignment kernel.
//!
//! A series is a sequence of points with one or more coordinates, row by row. Warping finds the alignment of two series, monotone and
//! without gaps, of least cost: $\min_\pi \sqrt{\sum_{(i,j) \in \pi} \lVert x_i - y_j\rVert^2}$. It is symmetric and zero for equal series, but no
//! metric, and $e^{-\gamma\,\mathrm{DTW}}$ is not positive semi-definite in general; the global alignment kernel, which sums over all alignments
//! instead of taking the best, is.
//!
//! H. Sakoe, S. Chiba. Dynamic programming algorithm optimization for spoken word recognition. IEEE Transactions on Acoustics, Speech, and
//! Signal Processing 26(1), 1978, doi:10.1109/TASSP.1978.1163055. E. Keogh, C. A. Ratanamahatana. Exact indexing of dynamic time warping.
//! Knowledge and Information Systems 7, 2005, doi:10.1007/s10115-004-0154-9. M. Cuturi. Fast global alignment kernels. ICML 2011.

use mercer_core::{Error, Result};
use mercer_math::{Mat, MatRef, sq_dist};
use rayon::prelude::*;

/// How far alignments may stray from the diagonal, as a share of the longer series (Sakoe and Chiba); 1 is without limit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Band(f64);

impl Band {
    /// A band; shares outside of [0, 1] are refused.
    pub fn new(share: f64) -> Result<Self> {
        match (0.0..=1.0).contains(&share) {
            true => Ok(Self(share)),
            false => Err(Error::param("Band", "share", "in [0, 1]", share)),
        }
    }

    /// No band.
    pub const NONE: Self = Self(1.0);

    /// How many places an alignment may stray; at least the difference of the lengths, without which there is none.
    fn width(self, n: usize, m: usize) -> usize {
        let longer = n.max(m);
        ((self.0 * longer as f64).floor() as usize).max(n.abs_diff(m)).min(longer)
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
            let cost = match d {
                1 => (own[0] - y[j - 1]) * (own[0] - y[j - 1]),
                _ => sq_dist(own, &y[(j - 1) * d..j * d]),
            };
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

/// The distances after warping of all rows of `x`, each a series of single numbers, from all rows of `y`, in parallel.
pub fn dtw_matrix(x: MatRef<'_>, y: MatRef<'_>, band: Band) -> Mat {
    let (n, m) = (x.n_rows(), y.n_rows());
    let mut out = Mat::zeros(n, m);
    out.as_mut_slice().par_chunks_mut(m.max(1)).enumerate().for_each_init(Vec::new, |lines, (i, out)| {
        let own = x.row_cow(i);
        for (j, out) in out.iter_mut().enumerate() {
            *out = warp(&own, &y.row_cow(j), 1, band, f64::INFINITY, lines).sqrt();
        }
    });
    out
}

/// For each row of `x`, the nearest rows of `y` after warping with their distances, `k` of them, nearest first; of equals the first. Lower bounds
/// and limits spare most tables.
///
/// # Panics
/// When rows have different lengths, or there are fewer than `k` rows of `y`.
pub fn dtw_nearest(x: MatRef<'_>, y: MatRef<'_>, band: Band, k: usize) -> Vec<Vec<(f64, usize)>> {
    assert_eq!(x.n_cols(), y.n_cols(), "series of equal length");
    assert!(k <= y.n_rows(), "as many rows as neighbours");
    let width = band.width(x.n_cols(), y.n_cols());
    let envelopes: Vec<_> = (0..y.n_rows()).map(|j| envelope(&y.row_cow(j), width)).collect();
    let one = |lines: &mut Vec<f64>, i: usize| {
        let own = x.row_cow(i);
        let mut order: Vec<(f64, usize)> =
            envelopes.iter().enumerate().map(|(j, (u, l))| (lower_bound(&own, u, l), j)).collect();
        order.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let mut best: Vec<(f64, usize)> = Vec::with_capacity(k + 1);
        for (bound, j) in order {
            let limit = if best.len() < k { f64::INFINITY } else { best[k - 1].0 };
            if bound > limit {
                break;
            }
            let found = (warp(&own, &y.row_cow(j), 1, band, limit, lines), j);
            let at = best.partition_point(|b| b.0.total_cmp(&found.0).then(b.1.cmp(&found.1)).is_lt());
            best.insert(at, found);
            best.truncate(k);
        }
        best.into_iter().map(|(square, j)| (square.sqrt(), j)).collect()
    };
    (0..x.n_rows()).into_par_iter().map_init(Vec::new, one).collect()
}

/// The logarithm of the global alignment kernel: the sum over all alignments of Π κ(xᵢ, yⱼ), where κ = g/(2 − g) with g the RBF kernel of
/// width σ, which makes the sum positive semi-definite (Cuturi 2011).
pub fn log_global_alignment(x: &[f64], y: &[f64], n_coordinates: usize, sigma: f64) -> f64 {
    let d = n_coordinates.max(1);
    let (n, m) = (x.len() / d, y.len() / d);
    let mut above = vec![f64::NEG_INFINITY; m + 1];
    above[0] = 0.0;
    for own in x.chunks_exact(d).take(n) {
        let mut line = vec![f64::NEG_INFINITY; m + 1];
        for j in 1..=m {
            let half = sq_dist(own, &y[(j - 1) * d..j * d]) / (2.0 * sigma * sigma);
            // ln κ with g = e^−h: −h − ln(2 − e^−h).
            let log = -half - (2.0 - (-half).exp()).ln();
            line[j] = log + log_sum3(above[j], above[j - 1], line[j - 1]);
        }
        above = line;
    }
    above[m]
}

fn log_sum3(a: f64, b: f64, c: f64) -> f64 {
    let largest = a.max(b).max(c);
    if largest == f64::NEG_INFINITY {
        return largest;
    }
    largest + ((a - largest).exp() + (b - largest).exp() + (c - largest).exp()).ln()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::definiteness;
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

    #[test]
    fn bounds_lie_below_and_neighbours_are_those_of_all_tables() {
        let (x, y) = (random(20, 30, 5), random(25, 30, 6));
        for share in [0.1, 0.3, 1.0] {
            let band = Band::new(share).unwrap();
            let all = dtw_matrix(x.view(), y.view(), band);
            let found = dtw_nearest(x.view(), y.view(), band, 3);
            for i in 0..20 {
                let mut order: Vec<(f64, usize)> = all.row(i).iter().copied().zip(0..).collect();
                order.sort_by(|a, b| a.0.total_cmp(&b.0));
                assert_eq!(found[i], order[..3], "row {i}");
                for j in 0..25 {
                    let (u, l) = envelope(y.row(j), band.width(30, 30));
                    assert!(lower_bound(x.row(i), &u, &l).sqrt() <= all[(i, j)] + 1e-12);
                }
            }
        }
    }

    /// The exponential of a warped distance has negative eigenvalues; the kernel that sums over all alignments has none.
    #[test]
    fn warping_is_indefinite_and_global_alignment_is_not() {
        let x = random(40, 12, 7);
        // All series of four zeros and ones.
        let bits = Mat::from_fn(16, 4, |i, j| ((i >> j) & 1) as f64);
        let distances = dtw_matrix(bits.view(), bits.view(), Band::NONE);
        let gram = Mat::from_fn(16, 16, |i, j| (-distances[(i, j)].powi(2)).exp());
        assert!(definiteness(&gram).unwrap().least < -1e-2, "{:?}", definiteness(&gram));
        let log = |i: usize, j: usize| log_global_alignment(x.row(i), x.row(j), 1, 1.5);
        let gram = Mat::from_fn(40, 40, |i, j| (log(i, j) - 0.5 * (log(i, i) + log(j, j))).exp());
        assert!(definiteness(&gram).unwrap().is_semidefinite(), "{:?}", definiteness(&gram));
    }
}
