//! Nearest centres of many rows, and the sums that k-means needs: kernels over packed row-major rows.
//!
//! The value of a pair (row, centre) is added up over the features in one fixed order, whatever other rows and
//! centres are asked about in the same call. A result is therefore a function of the pair alone: it does not
//! change with blocks, threads, or with what a caller was able to skip.

use crate::simd::{fma, twin};
use crate::{Mat, MatRef};

/// Rows that are scanned side by side: two AVX2 registers.
const ROWS: usize = 8;
/// Centres that are scanned side by side: with eight rows, twelve accumulators of the sixteen registers.
const TILE: usize = 6;

/// Centres packed for scanning. Distances are taken as ‖c‖² − 2 x·c + ‖x‖² about an origin near the data,
/// so that data far from zero lose no digits; [`Nearest::slack`] bounds what rounding can do to them.
#[derive(Clone, Debug)]
pub struct Centres {
    /// −2 (c − origin): tiles of [`TILE`] centres, by features.
    packed: Vec<[f64; TILE]>,
    /// ‖c − origin‖²; infinity where a tile has no centre.
    squares: Vec<[f64; TILE]>,
    origin: Vec<f64>,
    largest: f64,
}

/// The centre found for a row.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Nearest {
    /// The first of the nearest centres.
    pub label: u32,
    /// Its squared distance, to within `slack`.
    pub best: f64,
    /// The squared distance of the next centre, to within `slack`; infinity for a single centre.
    pub second: f64,
    /// A bound on the rounding error of either.
    pub slack: f64,
}

impl Nearest {
    /// Whether rounding could have changed the label.
    pub fn is_ambiguous(&self) -> bool {
        // Positive form: NaN from values near overflow is ambiguous.
        let apart = self.second - self.best > 2.0 * self.slack;
        !apart
    }
}

impl Centres {
    /// Packs centres, one a row, about an origin.
    ///
    /// # Panics
    /// When the origin has not one value for each column.
    pub fn new(centres: MatRef<'_>, origin: &[f64]) -> Self {
        let (k, d) = (centres.n_rows(), centres.n_cols());
        assert_eq!(origin.len(), d, "one value of the origin for each column");
        let tiles = k.div_ceil(TILE);
        let mut packed = vec![[0.0; TILE]; tiles * d];
        let mut squares = vec![[f64::INFINITY; TILE]; tiles];
        let mut largest = 0.0f64;
        for c in 0..k {
            let (tile, lane) = (c / TILE, c % TILE);
            let mut square = 0.0;
            for j in 0..d {
                let v = centres.get(c, j) - origin[j];
                square += v * v;
                packed[tile * d + j][lane] = -2.0 * v;
            }
            squares[tile][lane] = square;
            largest = largest.max(square);
        }
        Self { packed, squares, origin: origin.to_vec(), largest }
    }

    /// The nearest centre of each of the chosen `rows` of `x`, which holds packed rows; one result a row chosen.
    ///
    /// # Panics
    /// When a row is not in `x` or `found` is not as long as `rows`.
    pub fn scan(&self, x: &[f64], rows: &[u32], found: &mut [Nearest]) {
        assert_eq!(rows.len(), found.len(), "one result for each row");
        scan(self, x, rows, found);
    }
}

#[inline(always)]
fn scan_body<const FMA: bool>(centres: &Centres, x: &[f64], rows: &[u32], found: &mut [Nearest]) {
    let d = centres.origin.len();
    let mut lanes = vec![[0.0; ROWS]; d];
    // Rounding of a dot product of d terms, with room for the squares and the sum of the three.
    let unit = 2.0 * f64::EPSILON * (d as f64 + 16.0);
    for (rows, found) in rows.chunks(ROWS).zip(found.chunks_mut(ROWS)) {
        for (l, &row) in rows.iter().enumerate() {
            let row = &x[row as usize * d..][..d];
            lanes.iter_mut().zip(row).for_each(|(lanes, v)| lanes[l] = *v);
        }
        let mut squares = [0.0; ROWS];
        for (lanes, o) in lanes.iter_mut().zip(&centres.origin) {
            for l in 0..ROWS {
                lanes[l] -= o;
                squares[l] = fma::<FMA>(lanes[l], lanes[l], squares[l]);
            }
        }
        let (mut best, mut second, mut label) = ([f64::INFINITY; ROWS], [f64::INFINITY; ROWS], [0.0; ROWS]);
        let mut id = 0.0;
        for (tile, square) in centres.packed.chunks_exact(d.max(1)).zip(&centres.squares) {
            let scores = tile_scores::<FMA>(&lanes, tile, square);
            for score in scores {
                for l in 0..ROWS {
                    let less = score[l] < best[l];
                    let rest = if score[l] < second[l] { score[l] } else { second[l] };
                    second[l] = if less { best[l] } else { rest };
                    label[l] = if less { id } else { label[l] };
                    best[l] = if less { score[l] } else { best[l] };
                }
                id += 1.0;
            }
        }
        for (l, found) in found.iter_mut().enumerate() {
            let slack = unit * (squares[l] + centres.largest);
            let (best, second) = (best[l] + squares[l], second[l] + squares[l]);
            *found = Nearest { label: label[l] as u32, best, second, slack };
        }
    }
}

/// ‖c‖² − 2 x·c of eight rows and one tile of centres.
#[inline(always)]
fn tile_scores<const FMA: bool>(
    rows: &[[f64; ROWS]],
    tile: &[[f64; TILE]],
    square: &[f64; TILE],
) -> [[f64; ROWS]; TILE] {
    let mut scores = [[0.0; ROWS]; TILE];
    (0..TILE).for_each(|q| scores[q] = [square[q]; ROWS]);
    for (x, c) in rows.iter().zip(tile) {
        for q in 0..TILE {
            for l in 0..ROWS {
                scores[q][l] = fma::<FMA>(x[l], c[q], scores[q][l]);
            }
        }
    }
    scores
}

/// A few points packed for the distances of many rows from all of them.
///
/// Distances are taken as by [`Centres`]; those that are small beside what they are a difference of are taken directly, so that
/// no distance loses more than six digits.
#[derive(Clone, Debug)]
pub struct FewPoints {
    centres: Centres,
    points: Mat,
}

/// Squared distances below this share of the squares they are a difference of are taken directly.
const SMALL: f64 = 1e-5;

impl FewPoints {
    /// Packs points, one a row, about an origin.
    pub fn new(points: Mat, origin: &[f64]) -> Self {
        Self { centres: Centres::new(points.view(), origin), points }
    }

    /// The squared distances of the chosen `rows` of `x` (packed rows) from every point, point by point.
    ///
    /// # Panics
    /// When a row is not in `x`, or `out` has not one place for each pair.
    pub fn sq_dists(&self, x: &[f64], rows: &[u32], out: &mut [f64]) {
        assert_eq!(out.len(), self.points.n_rows() * rows.len(), "one place for each pair");
        few(self, x, rows, out);
    }
}

#[inline(always)]
fn few_body<const FMA: bool>(few: &FewPoints, x: &[f64], rows: &[u32], out: &mut [f64]) {
    let (d, k, m, centres) = (few.points.n_cols(), few.points.n_rows(), rows.len(), &few.centres);
    let (mut lanes, mut fars) = (vec![[0.0; ROWS]; d], vec![[0.0; ROWS]; TILE]);
    for (first, rows) in (0..).step_by(ROWS).zip(rows.chunks(ROWS)) {
        for (l, &row) in rows.iter().enumerate() {
            let row = &x[row as usize * d..][..d];
            lanes.iter_mut().zip(row).for_each(|(lanes, v)| lanes[l] = *v);
        }
        let mut squares = [0.0; ROWS];
        for (lanes, o) in lanes.iter_mut().zip(&centres.origin) {
            for l in 0..ROWS {
                lanes[l] -= o;
                squares[l] = fma::<FMA>(lanes[l], lanes[l], squares[l]);
            }
        }
        for (at, (tile, square)) in centres.packed.chunks_exact(d.max(1)).zip(&centres.squares).enumerate() {
            // All six are stored before some are looked at: what is looked at by number does not stay in registers.
            for (far, score) in fars.iter_mut().zip(tile_scores::<FMA>(&lanes, tile, square)) {
                *far = score;
            }
            for (q, (far, square)) in fars.iter_mut().zip(square).enumerate().take(k - at * TILE) {
                let mut small = false;
                for l in 0..ROWS {
                    far[l] += squares[l];
                    // Positive form: what overflowed is taken directly.
                    let large = far[l] > SMALL * (squares[l] + square);
                    small |= !large;
                }
                let out = &mut out[(at * TILE + q) * m + first..][..rows.len()];
                out.copy_from_slice(&far[..rows.len()]);
                if small {
                    settle::<FMA>(few.points.row(at * TILE + q), (x, rows), (&squares, *square), out);
                }
            }
        }
    }
}

/// Takes small distances directly.
#[inline(always)]
fn settle<const FMA: bool>(
    point: &[f64],
    (x, rows): (&[f64], &[u32]),
    (squares, square): (&[f64; ROWS], f64),
    out: &mut [f64],
) {
    for ((&row, far), own) in rows.iter().zip(out).zip(squares) {
        let large = *far > SMALL * (own + square);
        if !large {
            *far = gap::<FMA>(&x[row as usize * point.len()..][..point.len()], point);
        }
    }
}

/// Lanes of the sums over features.
const LANES: usize = 8;

/// Σ (x − c)², eight lanes folded in halves, then the tail.
#[inline(always)]
fn gap<const FMA: bool>(x: &[f64], c: &[f64]) -> f64 {
    let (xs, x_rest) = x.as_chunks::<LANES>();
    let (cs, c_rest) = c.as_chunks::<LANES>();
    let mut acc = [0.0; LANES];
    for (x, c) in xs.iter().zip(cs) {
        for l in 0..LANES {
            let v = x[l] - c[l];
            acc[l] = fma::<FMA>(v, v, acc[l]);
        }
    }
    let (xs, x_rest) = x_rest.as_chunks::<4>();
    let (cs, c_rest) = c_rest.as_chunks::<4>();
    for (x, c) in xs.iter().zip(cs) {
        for l in 0..4 {
            let v = x[l] - c[l];
            acc[l] = fma::<FMA>(v, v, acc[l]);
        }
    }
    for (l, (x, c)) in x_rest.iter().zip(c_rest).enumerate() {
        let v = x - c;
        acc[4 + l] = fma::<FMA>(v, v, acc[4 + l]);
    }
    fold(acc)
}

#[inline(always)]
fn fold(acc: [f64; LANES]) -> f64 {
    ((acc[0] + acc[4]) + (acc[2] + acc[6])) + ((acc[1] + acc[5]) + (acc[3] + acc[7]))
}

#[inline(always)]
fn to_point_body<const FMA: bool>(x: &[f64], rows: &[u32], point: &[f64], out: &mut [f64]) {
    let d = point.len();
    for (&row, out) in rows.iter().zip(out) {
        *out = gap::<FMA>(&x[row as usize * d..][..d], point);
    }
}

#[inline(always)]
fn to_own_body<const FMA: bool>(x: &[f64], labels: &[u32], centres: &Mat, out: &mut [f64]) {
    let (d, centres) = (centres.n_cols(), centres.as_slice());
    for ((row, &label), out) in x.chunks_exact(d.max(1)).zip(labels).zip(out) {
        *out = gap::<FMA>(row, &centres[label as usize * d..][..d]);
    }
}

#[inline(always)]
fn add_body<const FMA: bool>(
    x: &[f64],
    labels: &[u32],
    weights: Option<&[f64]>,
    centres: &Mat,
    sums: &mut [f64],
) {
    let (d, centres) = (centres.n_cols(), centres.as_slice());
    for (i, (row, &label)) in x.chunks_exact(d.max(1)).zip(labels).enumerate() {
        let at = label as usize * d;
        let pairs = row.iter().zip(&centres[at..][..d]).zip(&mut sums[at..][..d]);
        match weights {
            None => pairs.for_each(|((x, c), s)| *s += x - c),
            Some(w) => pairs.for_each(|((x, c), s)| *s = fma::<FMA>(w[i], x - c, *s)),
        }
    }
}

twin! {
    wide fn scan(centres: &Centres, x: &[f64], rows: &[u32], found: &mut [Nearest]) = scan_body
}
twin! {
    wide fn few(points: &FewPoints, x: &[f64], rows: &[u32], out: &mut [f64]) = few_body
}
twin! {
    /// The squared distances of the chosen `rows` of `x` (packed rows) from one point.
    ///
    /// # Panics
    /// When a row is not in `x`.
    pub fn sq_dists_to(x: &[f64], rows: &[u32], point: &[f64], out: &mut [f64]) = to_point_body
}
twin! {
    /// The squared distance of each row of `x` (packed rows) from the centre of its label.
    ///
    /// # Panics
    /// When a label is not below the number of centres.
    pub wide fn sq_dists_own(x: &[f64], labels: &[u32], centres: &Mat, out: &mut [f64]) = to_own_body
}
twin! {
    wide fn add(x: &[f64], labels: &[u32], weights: Option<&[f64]>, centres: &Mat, sums: &mut [f64]) = add_body
}

/// Adds `w (x − c)` of each row of `x` (packed rows) to the row of `sums` of its label's centre `c`.
///
/// # Panics
/// When a label is not below the number of centres, or shapes do not fit.
pub fn add_differences(x: &[f64], labels: &[u32], weights: Option<&[f64]>, centres: &Mat, sums: &mut Mat) {
    assert_eq!((centres.n_rows(), centres.n_cols()), (sums.n_rows(), sums.n_cols()), "shape of the sums");
    add(x, labels, weights, centres, sums.as_mut_slice());
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{normal, rng_for, sq_dist};
    use proptest::prelude::*;

    fn random(n: usize, d: usize, seed: u64, offset: f64) -> Mat {
        let mut rng = rng_for(seed, 0);
        Mat::from_fn(n, d, |_, _| offset + normal(&mut rng))
    }

    proptest! {
        #[test]
        fn scans_find_the_nearest(n in 1usize..40, d in 1usize..40, k in 1usize..20, seed in 0u64..1000, offset in -1e3..1e3f64) {
            let (x, c) = (random(n, d, seed, offset), random(k, d, seed + 1, offset));
            let packed = Centres::new(c.view(), x.row(0));
            let rows: Vec<u32> = (0..n as u32).rev().collect();
            let (mut found, mut twin) = (vec![Nearest::default(); n], vec![Nearest::default(); n]);
            packed.scan(x.as_slice(), &rows, &mut found);
            scan_body::<false>(&packed, x.as_slice(), &rows, &mut twin);
            for ((&i, f), t) in rows.iter().zip(&found).zip(&twin) {
                let mut all: Vec<f64> = (0..k).map(|c_| sq_dist(x.row(i as usize), c.row(c_))).collect();
                let own = all[f.label as usize];
                prop_assert!((own - f.best).abs() <= f.slack && (t.best - f.best).abs() <= 2.0 * f.slack);
                all.sort_by(f64::total_cmp);
                prop_assert!(f.is_ambiguous() || own == all[0]);
                prop_assert!(k == 1 && f.second == f64::INFINITY || (f.second - all[1]).abs() <= f.slack);
                prop_assert!(f.is_ambiguous() || f.label == t.label);
            }
        }

        #[test]
        fn sums_and_distances_agree_with_their_scalar_twins(n in 1usize..30, d in 1usize..40, k in 1usize..6, seed in 0u64..1000) {
            let (x, c) = (random(n, d, seed, 0.0), random(k, d, seed + 1, 0.0));
            let labels: Vec<u32> = (0..n).map(|i| (i % k) as u32).collect();
            let weights: Vec<f64> = (0..n).map(|i| i as f64).collect();
            let mut own = vec![0.0; n];
            sq_dists_own(x.as_slice(), &labels, &c, &mut own);
            for (i, &own) in own.iter().enumerate() {
                let expected = sq_dist(x.row(i), c.row(i % k));
                prop_assert!((own - expected).abs() <= 1e-13 * expected);
                prop_assert!((own - gap::<false>(x.row(i), c.row(i % k))).abs() <= 1e-13 * expected);
                let mut one = [0.0];
                sq_dists_to(x.as_slice(), &[i as u32], c.row(i % k), &mut one);
                prop_assert_eq!(one[0].to_bits(), own.to_bits());
            }
            for weights in [None, Some(&weights[..])] {
                let (mut sums, mut twin) = (Mat::zeros(k, d), Mat::zeros(k, d));
                add_differences(x.as_slice(), &labels, weights, &c, &mut sums);
                add_body::<false>(x.as_slice(), &labels, weights, &c, twin.as_mut_slice());
                prop_assert!(sums.as_slice().iter().zip(twin.as_slice()).all(|(a, b)| (a - b).abs() < 1e-10));
            }
        }
    }

    #[test]
    fn distances_from_few_points_are_distances() {
        for (n, d, k, offset) in [(1, 1, 1, 0.0), (19, 30, 6, 1e4), (40, 3, 13, -5.0), (8, 17, 7, 0.0)] {
            let (mut x, c) = (random(n, d, 5, offset), random(k, d, 6, offset));
            // A row that is a point, and one that is near to it.
            x.row_mut(0).copy_from_slice(c.row(k - 1));
            x.row_mut(n - 1)[0] = c[(0, 0)] + 1e-9;
            let points = FewPoints::new(c.clone(), &vec![offset; d]);
            let rows: Vec<u32> = (0..n as u32).rev().collect();
            let (mut found, mut twin) = (vec![0.0; n * k], vec![0.0; n * k]);
            points.sq_dists(x.as_slice(), &rows, &mut found);
            few_body::<false>(&points, x.as_slice(), &rows, &mut twin);
            for (q, i) in (0..k).flat_map(|q| (0..n).map(move |i| (q, i))) {
                let expected = sq_dist(x.row(rows[i] as usize), c.row(q));
                assert!((found[q * n + i] - expected).abs() <= 1e-9 * expected);
                assert!((twin[q * n + i] - expected).abs() <= 1e-9 * expected);
            }
        }
    }

    #[test]
    fn values_near_overflow_are_ambiguous() {
        let c = Mat::from_rows(&[[1e200, 0.0], [-1e200, 1e200]]).expect("shape");
        let mut found = [Nearest::default()];
        Centres::new(c.view(), &[0.0, 0.0]).scan(&[1e200, 1e200], &[0], &mut found);
        assert!(found[0].is_ambiguous() && found[0].label < 2);
    }
}
