//! The Cholesky factor of large matrices, in blocks on all threads of the pool, and the inverse from it.
//!
//! Every block of rows is computed by the same operations in the same order, whoever computes it, so that results do not
//! depend on the number of threads. The work is n³/3 for the factor and 2n³/3 for the inverse.

use crate::{Mat, dot};
use faer::linalg::matmul::matmul;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::{Accum, MatMut, Par};
use rayon::prelude::*;

/// Rows of a block of right-hand sides.
const BLOCK: usize = 128;

/// Rows and columns of a block of a matrix of order `n`: each block packs all others once, so that large ones pack less, and a small
/// matrix still has a few for every thread.
fn block_of(n: usize) -> usize {
    if n < 1024 { BLOCK } else { 2 * BLOCK }
}

/// The Cholesky factor L of a symmetric positive definite matrix A = L Lᵀ.
///
/// # Example
/// ```
/// use mercer_math::{BlockCholesky, Mat};
/// let a = Mat::from_rows(&[[4.0, 2.0], [2.0, 3.0]]).unwrap();
/// let factor = BlockCholesky::new(a, &|| true).unwrap();
/// let mut x = Mat::from_rows(&[[8.0], [7.0]]).unwrap();
/// factor.solve(&mut x);
/// assert!((x[(0, 0)] - 1.25).abs() < 1e-15 && (x[(1, 0)] - 1.5).abs() < 1e-15);
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BlockCholesky {
    /// The factor by rows; what stands above its diagonal is never read.
    l: Mat,
}

/// Why there is no factor.
#[derive(Clone, Debug, PartialEq)]
pub enum NoFactor {
    /// The matrix is not positive definite to working precision, or not finite: some pivot in the block of rows that begins here
    /// is not positive. The memory of the matrix comes back.
    NotPositive(usize, Mat),
    /// The caller asked to stop.
    Stopped,
}

impl BlockCholesky {
    /// Factors `a`, of which only the lower triangle is read, in its own memory. Between blocks of columns `go_on` is asked.
    ///
    /// # Panics
    /// When the matrix is not square.
    pub fn new(mut a: Mat, go_on: &(dyn Fn() -> bool + Sync)) -> Result<Self, NoFactor> {
        let n = a.n_rows();
        assert_eq!(n, a.n_cols(), "a square matrix");
        let block = block_of(n);
        let mut panel = vec![0.0; n * block.min(n)];
        for k in (0..n).step_by(block) {
            if !go_on() {
                return Err(NoFactor::Stopped);
            }
            let b = block.min(n - k);
            let (above, below) = a.as_mut_slice().split_at_mut((k + b) * n);
            let corner =
                MatMut::from_row_major_slice_mut(&mut above[k * n..], b, n).submatrix_mut(0, k, b, b);
            let Some(corner) = crate::Cholesky::new(&Mat::from_faer(corner.as_ref())).map(|c| c.l()) else {
                return Err(NoFactor::NotPositive(k, a));
            };
            for i in 0..b {
                above[(k + i) * n + k..][..b].copy_from_slice(corner.row(i));
            }
            let (corner, panel) = (corner.view().to_faer(), &mut panel[..(n - k - b) * b]);
            // L_ik Lᵀ_kk = A_ik, kept aside, since all blocks of rows need it.
            let rows = below.par_chunks_mut(block * n).zip(panel.par_chunks_mut(block * b));
            rows.for_each(|(rows, panel)| {
                let m = rows.len() / n;
                let mut own = MatMut::from_row_major_slice_mut(rows, m, n).submatrix_mut(0, k, m, b);
                solve_lower_triangular_in_place(corner, own.as_mut().transpose_mut(), Par::Seq);
                MatMut::from_row_major_slice_mut(panel, m, b).copy_from(own.as_ref());
            });
            let panel = faer::MatRef::from_row_major_slice(panel, n - k - b, b);
            below.par_chunks_mut(block * n).enumerate().for_each(|(at, rows)| {
                let m = rows.len() / n;
                let (first, end) = (at * block, at * block + m);
                let rest = MatMut::from_row_major_slice_mut(rows, m, n).submatrix_mut(0, k + b, m, end);
                let (left, right) = (panel.subrows(first, m), panel.subrows(0, end).transpose());
                matmul(rest, Accum::Add, left, right, -1.0, Par::Seq);
            });
        }
        Ok(Self { l: a })
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.l.n_rows()
    }

    /// The factor L, with zeros above the diagonal.
    pub fn l(&self) -> Mat {
        let n = self.n();
        Mat::from_fn(n, n, |i, j| if i >= j { self.l[(i, j)] } else { 0.0 })
    }

    /// The memory of the factor, for the next one.
    pub fn into_memory(self) -> Mat {
        self.l
    }

    /// The diagonal of the factor.
    pub fn pivots(&self) -> impl Iterator<Item = f64> + '_ {
        (0..self.n()).map(|i| self.l[(i, i)])
    }

    /// The logarithm of the determinant of A.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.n()).map(|i| self.l[(i, i)].ln()).sum::<f64>()
    }

    /// Replaces `b` by the solution of A X = B, on one thread.
    ///
    /// # Panics
    /// When `b` has not one row for each row of A.
    pub fn solve(&self, b: &mut Mat) {
        self.solve_l(b);
        if b.n_cols() > 0 && self.n() > 0 {
            solve_upper_triangular_in_place(self.l.view().to_faer().transpose(), b.to_faer_mut(), Par::Seq);
        }
    }

    /// Replaces `b` by L⁻¹ B, on one thread.
    ///
    /// # Panics
    /// When `b` has not one row for each row of A.
    pub fn solve_l(&self, b: &mut Mat) {
        assert_eq!(b.n_rows(), self.n(), "rows of the right-hand side");
        if b.n_cols() > 0 && self.n() > 0 {
            solve_lower_triangular_in_place(self.l.view().to_faer(), b.to_faer_mut(), Par::Seq);
        }
    }

    /// Replaces the rows of `b`, each a right-hand side, by L⁻¹ of it, in parallel over blocks of rows.
    ///
    /// # Panics
    /// When `b` has not one column for each row of A.
    pub fn solve_l_rows(&self, b: &mut Mat) {
        solve_lower_rows(&self.l, b);
    }

    /// The inverse of A, of which only the lower triangle is written. `scratch` holds (L⁻¹)ᵀ afterwards.
    ///
    /// # Panics
    /// When `scratch` or `out` has another shape than A.
    pub fn inverse_into(&self, scratch: &mut Mat, out: &mut Mat) {
        let n = self.n();
        for m in [&*scratch, &*out] {
            assert_eq!((m.n_rows(), m.n_cols()), (n, n), "the shape of the inverse");
        }
        if n == 0 {
            return;
        }
        let (l, block) = (self.l.view().to_faer(), block_of(n));
        scratch.as_mut_slice().par_chunks_mut(block * n).enumerate().for_each(|(at, rows)| {
            // Columns of L⁻¹ are independent of each other, and zero above the diagonal.
            let (k, m) = (at * block, rows.len() / n);
            rows.fill(0.0);
            (0..m).for_each(|i| rows[i * n + k + i] = 1.0);
            let own = MatMut::from_row_major_slice_mut(rows, m, n).submatrix_mut(0, k, m, n - k);
            solve_lower_triangular_in_place(l.submatrix(k, k, n - k, n - k), own.transpose_mut(), Par::Seq);
        });
        let half = scratch.view().to_faer();
        out.as_mut_slice().par_chunks_mut(block * n).enumerate().for_each(|(at, rows)| {
            let (k, m) = (at * block, rows.len() / n);
            let own = MatMut::from_row_major_slice_mut(rows, m, n).submatrix_mut(0, 0, m, k + m);
            let (left, right) = (half.submatrix(k, k, m, n - k), half.submatrix(0, k, k + m, n - k));
            matmul(own, Accum::Replace, left, right.transpose(), 1.0, Par::Seq);
        });
    }

    /// The diagonal of A⁻¹ from (L⁻¹)ᵀ, as [`BlockCholesky::inverse_into`] leaves it.
    pub fn inverse_diagonal(half: &Mat) -> Vec<f64> {
        (0..half.n_rows()).map(|i| dot(half.row(i), half.row(i))).collect()
    }
}

/// Replaces the rows of `b`, each a right-hand side, by L⁻¹ of it, in parallel over blocks of rows; of L the lower triangle is read.
///
/// # Panics
/// When L is not square or `b` has not one column for each of its rows.
pub fn solve_lower_rows(l: &Mat, b: &mut Mat) {
    let n = l.n_rows();
    assert_eq!((l.n_cols(), b.n_cols()), (n, n), "columns of the right-hand sides");
    if n > 0 {
        b.as_mut_slice().par_chunks_mut(BLOCK * n).for_each(|rows| {
            let m = rows.len() / n;
            let rows = MatMut::from_row_major_slice_mut(rows, m, n).transpose_mut();
            solve_lower_triangular_in_place(l.view().to_faer(), rows, Par::Seq);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{matmul_parallel, normal, rng_for};

    fn definite(n: usize) -> Mat {
        let mut rng = rng_for(n as u64, 3);
        let x = Mat::from_fn(n, n + 3, |_, _| normal(&mut rng));
        matmul_parallel(x.view(), x.view().t())
    }

    fn close(found: &Mat, expected: &Mat, tol: f64) {
        let size = expected.as_slice().iter().fold(0.0f64, |m, v| m.max(v.abs()));
        for (i, (a, b)) in found.as_slice().iter().zip(expected.as_slice()).enumerate() {
            assert!((a - b).abs() <= tol * size, "{i}: {a} for {b}");
        }
    }

    #[test]
    fn factors_solves_and_inverts_at_any_size_around_a_block() {
        for n in [0, 1, 2, 127, 128, 129, 300, 1100] {
            let a = definite(n);
            let factor = BlockCholesky::new(a.clone(), &|| true).expect("definite");
            let l = factor.l();
            close(&matmul_parallel(l.view(), l.view().t()), &a, 1e-13);
            let mut x = a.clone();
            factor.solve(&mut x);
            close(&x, &Mat::identity(n), 1e-8);
            let mut rows = l.view().t().to_mat();
            factor.solve_l_rows(&mut rows);
            close(&rows, &Mat::identity(n), 1e-8);
            let (mut scratch, mut inverse) = (Mat::zeros(n, n), Mat::zeros(n, n));
            factor.inverse_into(&mut scratch, &mut inverse);
            crate::symmetrise(&mut inverse);
            close(&matmul_parallel(inverse.view(), a.view()), &Mat::identity(n), 1e-8);
            let diagonal = BlockCholesky::inverse_diagonal(&scratch);
            assert!((0..n).all(|i| (diagonal[i] - inverse[(i, i)]).abs() <= 1e-12 * diagonal[i]));
            let expected = crate::Cholesky::new(&a).map_or(f64::NAN, |c| c.log_det());
            assert!((factor.log_det() - expected).abs() <= 1e-10 * (1.0 + expected.abs()), "{n}");
        }
    }

    #[test]
    fn results_do_not_depend_on_threads() {
        let a = definite(400);
        let run = |threads| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("pool");
            pool.install(|| {
                let factor = BlockCholesky::new(a.clone(), &|| true).expect("definite");
                let (mut scratch, mut inverse) = (Mat::zeros(400, 400), Mat::zeros(400, 400));
                factor.inverse_into(&mut scratch, &mut inverse);
                (factor.l(), scratch, inverse)
            })
        };
        assert_eq!(run(1), run(3));
    }

    #[test]
    fn what_is_not_definite_is_refused_and_a_caller_may_stop() {
        let mut a = definite(200);
        a[(150, 150)] = -1.0;
        assert!(matches!(BlockCholesky::new(a.clone(), &|| true), Err(NoFactor::NotPositive(128, _))));
        a[(3, 2)] = f64::NAN;
        assert!(matches!(BlockCholesky::new(a.clone(), &|| true), Err(NoFactor::NotPositive(0, _))));
        assert!(matches!(BlockCholesky::new(a, &|| false), Err(NoFactor::Stopped)));
    }
}
