//! Brute force by products of matrices: ‖b‖² − 2 a·b + ‖a‖² chooses candidates, whose ranks are then added up as every other rank.

use super::rank::{Norm, rank_between};
use crate::gemm::gemm_into;
use crate::simd::twin;
use crate::{Mat, MatRef, dot};

/// Rows of one product: with [`QUERIES`], a block of scores stays in the cache of a core.
const ROWS: usize = 512;
/// Queries of one product.
pub(super) const QUERIES: usize = 128;

/// What products need of the rows: a copy about their mean, so that rows far from zero lose no digits, and squared norms.
#[derive(Clone, Debug)]
pub(super) struct Products {
    centred: Mat,
    squares: Vec<f64>,
    origin: Vec<f64>,
    largest: f64,
}

impl Products {
    /// `None` where squares overflow: such rows are compared directly.
    pub(super) fn new(x: &Mat) -> Option<Self> {
        let (n, d) = (x.n_rows(), x.n_cols());
        let mut origin = vec![0.0; d];
        (0..n).for_each(|i| origin.iter_mut().zip(x.row(i)).for_each(|(o, v)| *o += v / n as f64));
        let centred = Mat::from_fn(n, d, |i, j| x[(i, j)] - origin[j]);
        let squares: Vec<f64> = (0..n).map(|i| dot(centred.row(i), centred.row(i))).collect();
        let largest = squares.iter().copied().fold(0.0, f64::max);
        largest.is_finite().then_some(Self { centred, squares, origin, largest })
    }

    /// Calls `take(query, row, rank)` for all pairs whose rank may be at most `limit(query)`, and maybe for some more; of a query, in the
    /// order of the rows. `queries` are at most [`QUERIES`]. `false` where their squares overflow, and nothing was done.
    pub(super) fn scan(
        &self,
        x: &Mat,
        queries: MatRef<'_>,
        mut take: impl FnMut(usize, u32, f64) -> f64,
        limits: &mut [f64],
    ) -> bool {
        let (m, n, d) = (queries.n_rows(), x.n_rows(), x.n_cols());
        let own = queries.to_mat();
        let centred = Mat::from_fn(m, d, |i, j| own[(i, j)] - self.origin[j]);
        let squares: Vec<f64> = (0..m).map(|i| dot(centred.row(i), centred.row(i))).collect();
        if !squares.iter().all(|s| s.is_finite()) {
            return false;
        }
        // Rounding of dot products of d terms, with room for the squares, the sum of the three and the centring.
        let unit = 4.0 * f64::EPSILON * (d as f64 + 16.0);
        let shift: Vec<f64> = squares.iter().map(|s| unit * (s + self.largest) - s).collect();
        let mut scores = vec![0.0; m * ROWS.min(n)];
        let mut passed = Vec::new();
        for start in (0..n).step_by(ROWS) {
            let end = (start + ROWS).min(n);
            let width = end - start;
            let scores = &mut scores[..m * width];
            gemm_into(-2.0, centred.view(), self.centred.view().rows(start..end).t(), 0.0, scores);
            for (i, scores) in scores.chunks_exact(width).enumerate() {
                passed.clear();
                candidates(scores, &self.squares[start..end], limits[i] + shift[i], &mut passed);
                for &at in &passed {
                    let row = start + at as usize;
                    // The limit may have sunk since the scores were looked at.
                    if scores[at as usize] + self.squares[row] <= limits[i] + shift[i] {
                        let rank = rank_between(Norm::Euclidean, x.row(row), own.row(i));
                        limits[i] = take(i, row as u32, rank);
                    }
                }
            }
        }
        true
    }
}

#[inline(always)]
fn candidates_body<const FMA: bool>(scores: &[f64], squares: &[f64], most: f64, passed: &mut Vec<u32>) {
    for (block, (scores, squares)) in scores.chunks(8).zip(squares.chunks(8)).enumerate() {
        // Without a branch for each, eight are compared at once; few blocks have any.
        let any =
            scores.iter().zip(squares).fold(false, |any, (score, square)| any | (score + square <= most));
        if any {
            let hits = scores.iter().zip(squares).enumerate();
            let hits = hits.filter(|(_, (score, square))| *score + *square <= most);
            passed.extend(hits.map(|(l, _)| (8 * block + l) as u32));
        }
    }
}

twin! {
    fn candidates(scores: &[f64], squares: &[f64], most: f64, passed: &mut Vec<u32>) = candidates_body
}
