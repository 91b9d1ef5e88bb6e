//! The likelihood of a Gaussian process through inducing points, with its gradient: Titsias's bound, or that of FITC.
//!
//! With $A = L^{-1}K_{mn}$ for $K_{mm} = LL^\top$, noise $\Lambda$ and $B = I + A\Lambda^{-1}A^\top$, everything is a sum over rows. The gradient is that
//! of a Gaussian with covariance $A^\top A + \Lambda$, $S = \tfrac12(\beta\beta^\top - \Sigma^{-1})$, handed to $K_{mn}$ and $K_{mm}$ by
//! $P = K_{mm}^{-1}K_{mn}$ and $P\Sigma^{-1} = L^{-\top}B^{-1}A\Lambda^{-1}$.

use super::search::not_definite;
use super::sparse::SparseMethod;
use crate::kernel::{Kernel, PointsRef};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{Cholesky, Mat, axpy, dot, gemm_into, matmul_parallel, tree_reduce};
use std::f64::consts::PI;

/// Rows of one term of a sum.
const SOME: usize = 1024;

/// Rows, a target and inducing points.
pub(super) struct Bound<'a> {
    pub(super) who: &'static str,
    pub(super) points: PointsRef<'a>,
    pub(super) inducing: PointsRef<'a>,
    pub(super) y: &'a [f64],
    pub(super) method: SparseMethod,
    /// Added to the diagonal of the inducing points' Gram matrix.
    pub(super) jitter: f64,
    pub(super) session: &'a Session,
}

/// The factors, and what they say of the target.
pub(super) struct Summed {
    pub(super) value: f64,
    /// K_mm = L Lᵀ.
    pub(super) outer: Cholesky,
    /// B.
    pub(super) inner: Cholesky,
    /// L⁻ᵀB⁻¹AΛ⁻¹y, the weights of the inducing points.
    pub(super) weights: Vec<f64>,
    /// Rows of Aᵀ.
    rows: Mat,
    noise: Vec<f64>,
    /// Σ k_ii − q_ii.
    missed: f64,
}

impl Bound<'_> {
    /// The kernel of the function, and the variance of the noise, of a kernel that is their sum.
    pub(super) fn parts(kernel: &Kernel) -> Option<(&Kernel, f64)> {
        match kernel {
            Kernel::Sum(parts) => match parts.as_slice() {
                [function, Kernel::White(noise)] => Some((function, noise.value())),
                _ => None,
            },
            _ => None,
        }
    }

    /// The sums at a kernel; `None` where a factor does not exist.
    pub(super) fn summed(&self, kernel: &Kernel) -> Result<Option<Summed>> {
        if self.session.step("inducing points", 0, None, None).is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let Some((function, sigma)) = Self::parts(kernel) else { return Ok(None) };
        let (side, few) = (function.side(self.points)?, function.side(self.inducing)?);
        let (n, m) = (side.len(), few.len());
        let mut gram = function.gram(&few);
        (0..m).for_each(|i| gram[(i, i)] += self.jitter);
        let Some(outer) = Cholesky::new(&gram) else { return Ok(None) };
        let mut half = Mat::identity(m);
        outer.solve_l(&mut half);
        let rows = matmul_parallel(function.cross(&side, &few).view(), half.view().t());
        if self.session.interrupted().is_some() {
            return Err(ErrorKind::Cancelled.into());
        }
        let diagonal = function.diagonal(&side);
        let short: Vec<f64> =
            (0..n).map(|i| (diagonal[i] - dot(rows.row(i), rows.row(i))).max(0.0)).collect();
        let own = |i: usize| if self.method == SparseMethod::Fitc { sigma + short[i] } else { sigma };
        let noise: Vec<f64> = (0..n).map(own).collect();
        let (mut b, ay) = sums(&rows, &noise, self.y);
        mercer_math::symmetrise(&mut b);
        (0..m).for_each(|i| b[(i, i)] += 1.0);
        let Some(inner) = Cholesky::new(&b) else { return Ok(None) };
        let weights = mercer_math::gemv_t(half.view(), &inner.solve_vec(&ay));
        let mut c = Mat::from_fn(m, 1, |i, _| ay[i]);
        inner.solve_l(&mut c);
        let spread: f64 = noise.iter().map(|v| v.ln()).sum();
        let square: f64 = self.y.iter().zip(&noise).map(|(y, v)| y * y / v).sum();
        let missed: f64 = short.iter().sum();
        let fit = square - dot(c.as_slice(), c.as_slice());
        let mut value = -0.5 * (n as f64 * (2.0 * PI).ln() + spread + inner.log_det() + fit);
        if self.method == SparseMethod::Vfe {
            value -= 0.5 * missed / sigma;
        }
        let fine = value.is_finite() && weights.iter().all(|w| w.is_finite());
        Ok(fine.then_some(Summed { value, outer, inner, weights, rows, noise, missed }))
    }

    /// [`Bound::summed`], or the error that says what is wrong with the kernel.
    pub(super) fn need(&self, kernel: &Kernel) -> Result<Summed> {
        self.summed(kernel)?.ok_or_else(|| not_definite(self.who, kernel))
    }

    /// The value and its gradient in the logarithms of the hyper-parameters, those of the noise last.
    pub(super) fn value_grad(&self, kernel: &Kernel) -> Result<Option<(f64, Vec<f64>)>> {
        let Some(found) = self.summed(kernel)? else { return Ok(None) };
        let Some((function, sigma)) = Self::parts(kernel) else { return Ok(None) };
        let (n, m, vfe) = (self.y.len(), found.weights.len(), self.method == SparseMethod::Vfe);
        let mut half = Mat::identity(m);
        found.outer.solve_l(&mut half);
        let mut turned = half.clone();
        found.inner.solve(&mut turned);
        // The rows of P and of L⁻ᵀB⁻¹A.
        let (p, shrunk) = (
            matmul_parallel(found.rows.view(), half.view()),
            matmul_parallel(found.rows.view(), turned.view()),
        );
        let inverse = {
            let mut left = Mat::identity(m);
            found.inner.solve_l(&mut left);
            matmul_parallel(found.rows.view(), left.view().t())
        };
        // β = Σ⁻¹y = Λ⁻¹(y − K_nm w), since w = L⁻ᵀB⁻¹AΛ⁻¹y and K_nm = Aᵀ Lᵀ.
        let lifted = mercer_math::gemv_t(found.outer.l().view(), &found.weights);
        let fitted = mercer_math::gemv(found.rows.view(), &lifted);
        let beta: Vec<f64> = (0..n).map(|i| (self.y[i] - fitted[i]) / found.noise[i]).collect();
        let own = |i: usize| {
            let v = found.noise[i];
            0.5 * (beta[i] * beta[i] - 1.0 / v + dot(inverse.row(i), inverse.row(i)) / (v * v))
        };
        let s: Vec<f64> = (0..n).map(own).collect();
        let p_beta = mercer_math::gemv_t(p.view(), &beta);
        // 2 P S′, by rows.
        let mut g = shrunk;
        for i in 0..n {
            let line = g.row_mut(i);
            mercer_math::scale(-1.0 / found.noise[i], line);
            axpy(beta[i], &p_beta, line);
            axpy(if vfe { 1.0 / sigma } else { -2.0 * s[i] }, p.row(i), line);
        }
        let on_diagonal: Vec<f64> = s.iter().map(|s| if vfe { -0.5 / sigma } else { *s }).collect();
        let mut slopes = self.through_kernel(function, &g, &p, &on_diagonal)?;
        let mut of_noise: f64 = s.iter().sum();
        if vfe {
            of_noise += 0.5 * found.missed / (sigma * sigma);
        }
        if kernel.theta().len() > slopes.len() {
            slopes.push(of_noise * sigma);
        }
        Ok(Some((found.value, slopes)))
    }

    /// Σ G_ij ∂k(x_i, z_j) + Σ d_i ∂k(x_i, x_i) − ½ Σ (Gᵀ P)_jk ∂k(z_j, z_k): blocks of rows are stacked upon the inducing points.
    fn through_kernel(&self, function: &Kernel, g: &Mat, p: &Mat, on_diagonal: &[f64]) -> Result<Vec<f64>> {
        let (n, m) = (g.n_rows(), g.n_cols());
        let few = function.side(self.inducing)?;
        let (mut outer, none) = (matmul_parallel(g.view().t(), p.view()), Vec::new());
        mercer_math::scale(-0.5, outer.as_mut_slice());
        let mut slopes = function.gradient_lower(&few, &outer);
        let (PointsRef::Dense(x), PointsRef::Dense(z)) = (self.points, self.inducing) else {
            return Ok(none);
        };
        let size = m.max(64);
        for first in (0..n).step_by(size) {
            if self.session.interrupted().is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            let b = size.min(n - first);
            let stacked =
                Mat::from_fn(
                    b + m,
                    x.n_cols(),
                    |i, j| if i < b { x.get(first + i, j) } else { z.get(i - b, j) },
                );
            let mut weights = Mat::zeros(b + m, b + m);
            for i in 0..b {
                weights[(i, i)] = on_diagonal[first + i];
                (0..m).for_each(|j| weights[(b + j, i)] = 0.5 * g[(first + i, j)]);
            }
            let side = function.side(PointsRef::Dense(stacked.view()))?;
            axpy(1.0, &function.gradient_lower(&side, &weights), &mut slopes);
        }
        Ok(slopes)
    }
}

/// A Λ⁻¹ Aᵀ, its lower triangle at least, and A Λ⁻¹ y, by blocks of rows.
fn sums(rows: &Mat, noise: &[f64], y: &[f64]) -> (Mat, Vec<f64>) {
    let (n, m) = (rows.n_rows(), rows.n_cols());
    let block = |at: usize| {
        let range = at * SOME..((at + 1) * SOME).min(n);
        let own = rows.view().rows(range.clone());
        let scaled = Mat::from_fn(range.len(), m, |i, j| own.get(i, j) / noise[range.start + i]);
        let mut square = Mat::zeros(m, m);
        gemm_into(1.0, scaled.view().t(), own, 0.0, square.as_mut_slice());
        let mut product = vec![0.0; m];
        (0..range.len()).for_each(|i| axpy(y[range.start + i], scaled.row(i), &mut product));
        (square, product)
    };
    let merge = |mut a: (Mat, Vec<f64>), b: (Mat, Vec<f64>)| {
        axpy(1.0, b.0.as_slice(), a.0.as_mut_slice());
        axpy(1.0, &b.1, &mut a.1);
        a
    };
    tree_reduce(n.div_ceil(SOME), block, merge).unwrap_or_else(|| (Mat::zeros(m, m), vec![0.0; m]))
}
