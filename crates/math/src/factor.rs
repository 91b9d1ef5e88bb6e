//! Factorisations through faer, on one thread so that results do not depend on the number of threads.
//!
//! Non-finite input gives `None`: no decomposition panics or loops on it. Signs are fixed by a rule, so the
//! same matrix always gives the same vectors.

use crate::{Mat, MatRef, matmul};
use faer::Par;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::linalg::cholesky::llt;
use faer::linalg::{evd, householder, qr::no_pivoting, svd as faer_svd};

type FaerMat = faer::Mat<f64>;

/// The Cholesky factor L of a symmetric positive definite matrix A = L Lᵀ.
///
/// # Example
/// ```
/// use mercer_math::{Cholesky, Mat};
/// let a = Mat::from_rows(&[[4.0, 2.0], [2.0, 3.0]]).unwrap();
/// let x = Cholesky::new(&a).unwrap().solve_vec(&[8.0, 7.0]);
/// assert!((x[0] - 1.25).abs() < 1e-15 && (x[1] - 1.5).abs() < 1e-15);
/// ```
#[derive(Clone, Debug)]
pub struct Cholesky {
    l: FaerMat,
}

impl Cholesky {
    /// Factors `a`, of which only the lower triangle is read; `None` when `a` is not square, not finite or
    /// not positive definite to working precision.
    pub fn new(a: &Mat) -> Option<Self> {
        let n = a.n_rows();
        let finite = (0..n).all(|i| a.row(i).iter().take(i + 1).all(|v| v.is_finite()));
        (n == a.n_cols() && finite).then_some(())?;
        let mut l = FaerMat::from_fn(n, n, |i, j| if i >= j { a[(i, j)] } else { 0.0 });
        let scratch = llt::factor::cholesky_in_place_scratch::<f64>(n, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        llt::factor::cholesky_in_place(l.as_mut(), Default::default(), Par::Seq, stack, Default::default())
            .ok()?;
        // The factor of an overflowing matrix is positive but not finite.
        let valid = (0..n).all(|i| l[(i, i)] > 0.0 && (0..=i).all(|j| l[(i, j)].is_finite()));
        valid.then_some(Self { l })
    }

    /// Order of the matrix.
    pub fn n(&self) -> usize {
        self.l.nrows()
    }

    /// The factor L, with zeros above the diagonal.
    pub fn l(&self) -> Mat {
        Mat::from_fn(self.n(), self.n(), |i, j| if i >= j { self.l[(i, j)] } else { 0.0 })
    }

    /// Replaces `b` by the solution of A X = B.
    ///
    /// # Panics
    /// When `b` has not one row for each row of A.
    pub fn solve(&self, b: &mut Mat) {
        assert_eq!(b.n_rows(), self.n(), "rows of the right-hand side");
        if b.n_cols() > 0 && self.n() > 0 {
            let mut memory = MemBuffer::new(faer::dyn_stack::StackReq::EMPTY);
            let stack = MemStack::new(&mut memory);
            llt::solve::solve_in_place(self.l.as_ref(), b.to_faer_mut(), Par::Seq, stack);
        }
    }

    /// The solution of A x = b.
    ///
    /// # Panics
    /// When `b` has not one value for each row of A.
    pub fn solve_vec(&self, b: &[f64]) -> Vec<f64> {
        assert_eq!(b.len(), self.n(), "length of the right-hand side");
        let mut column = Mat::from_fn(b.len(), 1, |i, _| b[i]);
        self.solve(&mut column);
        column.into_vec()
    }

    /// Replaces `b` by L⁻¹ B: whitening, and variances of Gaussian processes.
    ///
    /// # Panics
    /// When `b` has not one row for each row of A.
    pub fn solve_l(&self, b: &mut Mat) {
        assert_eq!(b.n_rows(), self.n(), "rows of the right-hand side");
        if b.n_cols() > 0 && self.n() > 0 {
            let l = self.l.as_ref();
            faer::linalg::triangular_solve::solve_lower_triangular_in_place(l, b.to_faer_mut(), Par::Seq);
        }
    }

    /// The logarithm of the determinant of A.
    pub fn log_det(&self) -> f64 {
        2.0 * (0..self.n()).map(|i| self.l[(i, i)].ln()).sum::<f64>()
    }

    /// The inverse of A, symmetric to the bit.
    pub fn inverse(&self) -> Mat {
        let mut inverse = Mat::identity(self.n());
        self.solve(&mut inverse);
        crate::symmetrise(&mut inverse);
        inverse
    }
}

/// The solution of A X = B for a symmetric positive definite A; `None` as for [`Cholesky::new`].
pub fn solve_spd(a: &Mat, b: &Mat) -> Option<Mat> {
    (a.n_rows() == b.n_rows()).then_some(())?;
    let mut x = b.clone();
    Cholesky::new(a)?.solve(&mut x);
    Some(x)
}

/// Eigenvalues and eigenvectors of a symmetric matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct Eigh {
    /// Eigenvalues, from the largest to the smallest.
    pub values: Vec<f64>,
    /// Orthonormal eigenvectors as columns, in the order of the values; of each, the entry that is largest
    /// in absolute value is positive.
    pub vectors: Mat,
}

/// The eigendecomposition of a symmetric matrix, of which only the lower triangle is read.
///
/// `None` when the matrix is not square or not finite.
pub fn eigh(a: &Mat) -> Option<Eigh> {
    let n = a.n_rows();
    (n == a.n_cols() && a.view().find_non_finite().is_none()).then_some(())?;
    if n == 0 {
        // faer computes a negative scratch size for this case.
        return Some(Eigh { values: Vec::new(), vectors: Mat::zeros(0, 0) });
    }
    let (mut u, mut s) = (FaerMat::zeros(n, n), faer::diag::Diag::<f64>::zeros(n));
    let vectors = evd::ComputeEigenvectors::Yes;
    let scratch = evd::self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    let a = a.view().to_faer();
    evd::self_adjoint_evd(a, s.as_mut(), Some(u.as_mut()), Par::Seq, stack, Default::default()).ok()?;
    // faer sorts ascending.
    let values: Vec<f64> = (0..n).rev().map(|j| s.column_vector()[j]).collect();
    let signs: Vec<f64> = (0..n).map(|j| sign_of_largest((0..n).map(|i| u[(i, j)]))).collect();
    let vectors = Mat::from_fn(n, n, |i, j| u[(i, n - 1 - j)] * signs[n - 1 - j]);
    values.iter().all(|v| v.is_finite()).then_some(Eigh { values, vectors })
}

/// The eigenvalues of a symmetric matrix, from the largest to the smallest, at a fraction of the cost of [`eigh`].
///
/// Only the lower triangle is read; `None` when the matrix is not square or not finite.
pub fn eigvalsh(a: &Mat) -> Option<Vec<f64>> {
    let n = a.n_rows();
    (n == a.n_cols() && a.view().find_non_finite().is_none()).then_some(())?;
    if n == 0 {
        return Some(Vec::new());
    }
    let mut s = faer::diag::Diag::<f64>::zeros(n);
    let vectors = evd::ComputeEigenvectors::No;
    let scratch = evd::self_adjoint_evd_scratch::<f64>(n, vectors, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    evd::self_adjoint_evd(a.view().to_faer(), s.as_mut(), None, Par::Seq, stack, Default::default()).ok()?;
    let values: Vec<f64> = (0..n).rev().map(|j| s.column_vector()[j]).collect();
    values.iter().all(|v| v.is_finite()).then_some(values)
}

/// The sign, as ±1, of the entry that is largest in absolute value; the first one of equals.
fn sign_of_largest(values: impl Iterator<Item = f64>) -> f64 {
    let largest = values.fold(0.0f64, |m, v| if v.abs() > m.abs() { v } else { m });
    if largest < 0.0 { -1.0 } else { 1.0 }
}

/// A thin singular value decomposition X = U diag(s) Vᵀ.
#[derive(Clone, Debug, PartialEq)]
pub struct Svd {
    /// Left vectors as columns: n_samples by k.
    pub u: Mat,
    /// Singular values, from the largest to the smallest.
    pub s: Vec<f64>,
    /// Right vectors as rows: k by n_features. Of each row the entry that is largest in absolute value is
    /// positive (`svd_flip` of scikit-learn with `u_based_decision=False`).
    pub vt: Mat,
}

impl Svd {
    /// Turns the pairs of vectors so that the sign rule of `vt` holds.
    pub(crate) fn flip_signs(&mut self) {
        for k in 0..self.s.len() {
            if sign_of_largest(self.vt.row(k).iter().copied()) < 0.0 {
                crate::scale(-1.0, self.vt.row_mut(k));
                (0..self.u.n_rows()).for_each(|i| self.u[(i, k)] = -self.u[(i, k)]);
            }
        }
    }
}

/// The thin singular value decomposition; `None` when `x` is not finite.
///
/// # Example
/// ```
/// use mercer_math::{Mat, svd};
/// let x = Mat::from_rows(&[[3.0, 0.0], [0.0, -4.0], [0.0, 0.0]]).unwrap();
/// let svd = svd(x.view()).unwrap();
/// assert!((svd.s[0] - 4.0).abs() < 1e-14 && (svd.s[1] - 3.0).abs() < 1e-14);
/// ```
pub fn svd(x: MatRef<'_>) -> Option<Svd> {
    let (n, d) = (x.n_rows(), x.n_cols());
    let k = n.min(d);
    x.find_non_finite().is_none().then_some(())?;
    let (mut u, mut v) = (FaerMat::zeros(n, k), FaerMat::zeros(d, k));
    let mut s = faer::diag::Diag::<f64>::zeros(k);
    if k > 0 {
        let thin = faer_svd::ComputeSvdVectors::Thin;
        let scratch = faer_svd::svd_scratch::<f64>(n, d, thin, thin, Par::Seq, Default::default());
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        let (u, v) = (Some(u.as_mut()), Some(v.as_mut()));
        faer_svd::svd(x.to_faer(), s.as_mut(), u, v, Par::Seq, stack, Default::default()).ok()?;
    }
    let s: Vec<f64> = (0..k).map(|j| s.column_vector()[j]).collect();
    let mut svd = Svd { u: Mat::from_faer(u.as_ref()), s, vt: Mat::from_faer(v.transpose()) };
    svd.flip_signs();
    svd.s.iter().all(|v| v.is_finite()).then_some(svd)
}

/// The thin decomposition X = Q R, with orthonormal columns in Q and a non-negative diagonal in R.
///
/// Returns `(q, r)` of shapes n by k and k by d, k = min(n, d); `None` when `x` is not finite.
pub fn qr_thin(x: MatRef<'_>) -> Option<(Mat, Mat)> {
    let (n, k) = (x.n_rows(), x.n_rows().min(x.n_cols()));
    let (qr, coefficients) = reflectors(x)?;
    let mut q = FaerMat::identity(n, k);
    if k > 0 {
        let block = coefficients.nrows();
        let scratch =
            householder::apply_block_householder_sequence_on_the_left_in_place_scratch::<f64>(n, block, k);
        let mut memory = MemBuffer::new(scratch);
        let stack = MemStack::new(&mut memory);
        householder::apply_block_householder_sequence_on_the_left_in_place_with_conj(
            qr.as_ref().subcols(0, k),
            coefficients.as_ref(),
            faer::Conj::No,
            q.as_mut(),
            Par::Seq,
            stack,
        );
    }
    let q = Mat::from_fn(n, k, |i, j| if qr[(j, j)] < 0.0 { -q[(i, j)] } else { q[(i, j)] });
    q.view().find_non_finite().is_none().then(|| (q, upper(&qr)))
}

/// R of the decomposition X = Q R alone, k by d with k = min(n, d) and a non-negative diagonal; `None` when `x` or R is
/// not finite.
///
/// # Example
/// ```
/// use mercer_math::{Mat, qr_r};
/// let r = qr_r(Mat::from_rows(&[[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]]).unwrap().view()).unwrap();
/// assert!((r[(0, 0)] - 5.0).abs() < 1e-15 && r[(1, 0)] == 0.0);
/// ```
pub fn qr_r(x: MatRef<'_>) -> Option<Mat> {
    let r = upper(&reflectors(x)?.0);
    r.view().find_non_finite().is_none().then_some(r)
}

/// Householder's reflectors under R, and their block coefficients; `None` when `x` is not finite.
fn reflectors(x: MatRef<'_>) -> Option<(FaerMat, FaerMat)> {
    let (n, d) = (x.n_rows(), x.n_cols());
    x.find_non_finite().is_none().then_some(())?;
    let mut qr = x.to_faer().to_owned();
    if n.min(d) == 0 {
        return Some((qr, FaerMat::zeros(0, 0)));
    }
    let block = no_pivoting::factor::recommended_block_size::<f64>(n, d);
    let mut coefficients = FaerMat::zeros(block, n.min(d));
    let scratch = no_pivoting::factor::qr_in_place_scratch::<f64>(n, d, block, Par::Seq, Default::default());
    let mut memory = MemBuffer::new(scratch);
    let stack = MemStack::new(&mut memory);
    no_pivoting::factor::qr_in_place(qr.as_mut(), coefficients.as_mut(), Par::Seq, stack, Default::default());
    Some((qr, coefficients))
}

/// R with a non-negative diagonal, from above the reflectors.
fn upper(qr: &FaerMat) -> Mat {
    let sign = |i: usize| if qr[(i, i)] < 0.0 { -1.0 } else { 1.0 };
    Mat::from_fn(
        qr.nrows().min(qr.ncols()),
        qr.ncols(),
        |i, j| if j >= i { sign(i) * qr[(i, j)] } else { 0.0 },
    )
}

/// How many singular values count as non-zero: those above `rcond` times the largest.
fn rank_of(s: &[f64], rcond: Option<f64>, n: usize, d: usize) -> usize {
    let rcond = rcond.unwrap_or(f64::EPSILON * n.max(d) as f64);
    let largest = s.first().copied().unwrap_or(0.0);
    s.iter().take_while(|&&v| v > rcond * largest && v > 0.0).count()
}

/// The Moore-Penrose inverse; singular values up to `rcond` times the largest count as zero.
///
/// `rcond` defaults to machine epsilon times the larger dimension; `None` when `x` is not finite.
pub fn pinv(x: MatRef<'_>, rcond: Option<f64>) -> Option<Mat> {
    Some(lstsq(x, Mat::identity(x.n_rows()).view(), rcond)?.0)
}

/// The least-squares solution of smallest norm of X B = Y, by singular values, and the rank of X.
///
/// `rcond` as for [`pinv`]; `None` when the rows differ in number or a value is not finite.
pub fn lstsq(x: MatRef<'_>, y: MatRef<'_>, rcond: Option<f64>) -> Option<(Mat, usize)> {
    (x.n_rows() == y.n_rows() && y.find_non_finite().is_none()).then_some(())?;
    let svd = svd(x)?;
    let rank = rank_of(&svd.s, rcond, x.n_rows(), x.n_cols());
    // B = V diag(1/s) (Uᵀ Y), with the rows beyond the rank left at zero.
    let mut projected = matmul(svd.u.view().t(), y);
    for k in 0..svd.s.len() {
        if k < rank {
            projected.row_mut(k).iter_mut().for_each(|v| *v /= svd.s[k]);
        } else {
            projected.row_mut(k).fill(0.0);
        }
    }
    Some((matmul(svd.vt.view().t(), projected.view()), rank))
}

#[cfg(test)]
#[path = "factor_tests.rs"]
mod tests;
