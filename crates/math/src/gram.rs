//! Gram matrices XᵀX: the sums behind least squares, covariance and principal components.

use crate::gemm::gemm_into;
use crate::{BLOCK_ROWS, Mat, MatRef, axpy, tree_reduce};
use faer::linalg::matmul::triangular::{BlockStructure, matmul as triangular_matmul};
use faer::{Accum, Par};
use rayon::prelude::*;

/// Beyond this many columns the output is cut rather than the rows: partial sums would not fit in memory.
const WIDE: usize = 768;
/// Columns of one task for wide matrices.
const PANEL: usize = 128;
/// Rows copied at a time where centring or weights need a copy, so that the copy stays in cache.
const COPY_ROWS: usize = 256;

/// The symmetric matrix XᵀX, in parallel.
///
/// Blocks of [`BLOCK_ROWS`] rows are merged in the fixed tree; above 768 columns, panels of the result
/// are computed instead. Either way the bits do not depend on the number of threads.
///
/// # Example
/// ```
/// use mercer_math::{Mat, gram_blocked};
/// let x = Mat::from_rows(&[[1.0, 2.0], [3.0, 4.0]]).unwrap();
/// assert_eq!(gram_blocked(x.view()).as_slice(), &[10.0, 14.0, 14.0, 20.0]);
/// ```
pub fn gram_blocked(x: MatRef<'_>) -> Mat {
    let d = x.n_cols();
    let mut gram = if d > WIDE { gram_by_panels(x) } else { gram_by_rows(x) };
    symmetrise(&mut gram);
    gram
}

fn gram_by_rows(x: MatRef<'_>) -> Mat {
    let d = x.n_cols();
    let leaf = |block: usize| {
        let mut gram = Mat::zeros(d, d);
        weighted_gram(x.rows(block * BLOCK_ROWS..(block + 1) * BLOCK_ROWS), None, None, &mut gram);
        gram
    };
    let merge = |mut a: Mat, b: Mat| {
        axpy(1.0, b.as_slice(), a.as_mut_slice());
        a
    };
    tree_reduce(x.n_rows().div_ceil(BLOCK_ROWS), leaf, merge).unwrap_or_else(|| Mat::zeros(d, d))
}

fn gram_by_panels(x: MatRef<'_>) -> Mat {
    let d = x.n_cols();
    let mut gram = Mat::zeros(d, d);
    let xt = x.t();
    gram.as_mut_slice().par_chunks_mut(PANEL * d).enumerate().for_each(|(panel, out)| {
        let rows = panel * PANEL..((panel + 1) * PANEL).min(d);
        // Rows of the lower triangle end on the diagonal: columns beyond this panel are not computed.
        let part_cols = rows.end;
        let mut part = vec![0.0; rows.len() * part_cols];
        gemm_into(1.0, xt.rows(rows), xt.rows(0..part_cols).t(), 0.0, &mut part);
        out.chunks_exact_mut(d).zip(part.chunks_exact(part_cols)).for_each(|(out, part)| {
            out[..part_cols].copy_from_slice(part);
        });
    });
    gram
}

/// Adds `(X - 1 mᵀ)ᵀ W (X - 1 mᵀ)` of one block of rows to the lower triangle of `acc`, on one thread.
///
/// `weights` (any sign) default to ones and `mean` to zero. Reduce blocks with [`tree_reduce`] or
/// [`StreamReducer`](crate::StreamReducer), then call [`symmetrise`].
///
/// # Panics
/// When the shapes do not fit.
pub fn weighted_gram(x: MatRef<'_>, weights: Option<&[f64]>, mean: Option<&[f64]>, acc: &mut Mat) {
    let (n, d) = (x.n_rows(), x.n_cols());
    assert_eq!((acc.n_rows(), acc.n_cols()), (d, d), "shape of the Gram matrix");
    assert!(crate::Weights::from(weights).fit(n), "one weight for each row");
    assert!(mean.is_none_or(|m| m.len() == d), "one mean for each column");
    if weights.is_none() && mean.is_none() {
        return add_lower(x, x, acc);
    }
    if d == 0 {
        return;
    }
    let size = COPY_ROWS.min(n) * d;
    let (mut left, mut right) = (vec![0.0; size], vec![0.0; if weights.is_some() { size } else { 0 }]);
    for start in (0..n).step_by(COPY_ROWS) {
        let part = x.rows(start..start + COPY_ROWS);
        let rows = part.n_rows();
        copy_centred(part, mean, &mut left[..rows * d]);
        let Some(left) = MatRef::row_major(&left[..rows * d], rows, d) else { continue };
        let Some(weights) = weights else {
            add_lower(left, left, acc);
            continue;
        };
        let pairs = right.chunks_exact_mut(d).zip(left.data().chunks_exact(d));
        for ((right, left), w) in pairs.zip(&weights[start..start + rows]) {
            right.iter_mut().zip(left).for_each(|(r, l)| *r = w * l);
        }
        let Some(right) = MatRef::row_major(&right[..rows * d], rows, d) else { continue };
        add_lower(left, right, acc);
    }
}

/// Copies `x - 1 meanᵀ` by rows.
fn copy_centred(x: MatRef<'_>, mean: Option<&[f64]>, out: &mut [f64]) {
    let d = x.n_cols();
    if x.has_contiguous_rows() {
        for (i, out) in out.chunks_exact_mut(d).enumerate() {
            out.copy_from_slice(x.row(i).unwrap_or(&[]));
        }
    } else {
        out.copy_from_slice(x.to_mat().as_slice());
    }
    if let Some(mean) = mean {
        out.chunks_exact_mut(d).for_each(|row| axpy(-1.0, mean, row));
    }
}

/// Adds the lower triangle of `leftᵀ * right`.
fn add_lower(left: MatRef<'_>, right: MatRef<'_>, acc: &mut Mat) {
    if left.n_rows() == 0 || left.n_cols() == 0 {
        return;
    }
    triangular_matmul(
        acc.to_faer_mut(),
        BlockStructure::TriangularLower,
        Accum::Add,
        left.t().to_faer(),
        BlockStructure::Rectangular,
        right.to_faer(),
        BlockStructure::Rectangular,
        1.0,
        Par::Seq,
    );
}

/// Copies the lower triangle of a square matrix over the upper one.
///
/// # Panics
/// When the matrix is not square.
pub fn symmetrise(m: &mut Mat) {
    let n = m.n_rows();
    assert_eq!(n, m.n_cols(), "a square matrix");
    const TILE: usize = 32;
    for i0 in (0..n).step_by(TILE) {
        for j0 in (i0..n).step_by(TILE) {
            for i in i0..(i0 + TILE).min(n) {
                for j in j0.max(i + 1)..(j0 + TILE).min(n) {
                    m[(i, j)] = m[(j, i)];
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{matmul, normal, rng_for};

    fn random(n: usize, d: usize) -> Mat {
        let mut rng = rng_for(n as u64, d as u64);
        Mat::from_fn(n, d, |_, _| normal(&mut rng))
    }

    fn close(a: &Mat, b: &Mat, tol: f64) {
        assert!(a.as_slice().iter().zip(b.as_slice()).all(|(x, y)| (x - y).abs() < tol));
    }

    #[test]
    fn gram_matches_the_product() {
        for (n, d) in [(1, 1), (5, 3), (5000, 17), (3, 40), (30, 800), (0, 4), (4, 0), (2100, 70)] {
            let x = random(n, d);
            let turned = x.view().t().to_mat();
            let expected = matmul(x.view().t(), x.view());
            for x in [x.view(), turned.view().t()] {
                close(&gram_blocked(x), &expected, 1e-9);
            }
        }
    }

    #[test]
    fn gram_does_not_depend_on_threads() {
        for (n, d) in [(9000, 12), (20, 900)] {
            let x = random(n, d);
            let run = |threads| {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
                pool.install(|| gram_blocked(x.view()))
            };
            assert_eq!(run(1), run(3));
        }
    }

    #[test]
    fn weights_and_means_are_applied() {
        let (n, d) = (700, 6);
        let x = random(n, d);
        let mut rng = rng_for(9, 9);
        let weights: Vec<f64> = (0..n).map(|_| normal(&mut rng)).collect();
        let mean: Vec<f64> = (0..d).map(|_| normal(&mut rng)).collect();
        let direct = |w: Option<&[f64]>, m: Option<&[f64]>| {
            let at = |i: usize, j: usize| x[(i, j)] - m.map_or(0.0, |m| m[j]);
            Mat::from_fn(d, d, |a, b| (0..n).map(|i| crate::Weights::from(w)[i] * at(i, a) * at(i, b)).sum())
        };
        for w in [None, Some(&weights[..])] {
            for m in [None, Some(&mean[..])] {
                let mut acc = Mat::zeros(d, d);
                weighted_gram(x.view().rows(0..300), w.map(|w| &w[..300]), m, &mut acc);
                weighted_gram(x.view().rows(300..n), w.map(|w| &w[300..]), m, &mut acc);
                symmetrise(&mut acc);
                close(&acc, &direct(w, m), 1e-9);
            }
        }
    }
}
