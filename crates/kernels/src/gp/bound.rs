//! The likelihood of a Gaussian process through inducing points, with its gradient: Titsias's bound, or that of FITC.
//!
//! With $A = L^{-1}K_{mn}$ for $K_{mm} = LL^\top$, noise $\Lambda$ and $B = I + A\Lambda^{-1}A^\top$, everything is a sum over rows: two
//! passes over blocks of them, of which nothing is kept but the noise of each row. The gradient is that
//! of a Gaussian with covariance $A^\top A + \Lambda$, $S = \tfrac12(\beta\beta^\top - \Sigma^{-1})$, handed to $K_{mn}$ and $K_{mm}$ by
//! $P = K_{mm}^{-1}K_{mn}$ and $P\Sigma^{-1} = L^{-\top}B^{-1}A\Lambda^{-1}$; $P\beta$ is the weights of the inducing points.

use super::search::not_definite;
use super::sparse::SparseMethod;
use crate::kernel::{Kernel, PointsRef, Side};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{Cholesky, Mat, axpy, dot, matmul, scale, tree_reduce};
use std::f64::consts::PI;
use std::ops::Range;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows of one term of a sum.
const SOME: usize = 1024;

/// Rows, a target and inducing points.
pub(super) struct Bound<'a> {
    pub(super) who: &'static str,
    pub(super) points: PointsRef<'a>,
    pub(super) inducing: PointsRef<'a>,
    pub(super) y: &'a [f64],
    pub(super) method: SparseMethod,
    /// The share of each inducing point's own variance that is added to it: it grows with the kernel, so that its factor keeps its digits.
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
    /// L⁻¹.
    half: Mat,
    noise: Vec<f64>,
    /// Σ k_ii − q_ii.
    missed: f64,
}

/// Sums over some rows.
struct Sums {
    /// A Λ⁻¹ Aᵀ.
    square: Mat,
    /// A Λ⁻¹ y.
    product: Vec<f64>,
    noise: Vec<f64>,
    missed: f64,
}

/// Sums over some rows for the gradient.
struct Slopes {
    /// Gᵀ P.
    square: Mat,
    of_kernel: Vec<f64>,
    of_noise: f64,
}

/// A kernel with its points, for the blocks of a pass.
struct Pass<'p> {
    function: &'p Kernel,
    rows: &'p Side<'p>,
    few: &'p Side<'p>,
    sigma: f64,
}

impl Pass<'_> {
    /// Some rows of Aᵀ.
    fn block(&self, half: &Mat, rows: Range<usize>) -> Mat {
        let mut cross = Mat::zeros(rows.len(), self.few.len());
        self.function.block(self.rows, rows, self.few, cross.as_mut_slice());
        matmul(cross.view(), half.view().t())
    }
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

    /// The sum of a term for each block of rows, in a tree fixed by their number; the session is asked before each.
    fn over_blocks<T: Send>(
        &self,
        term: impl Fn(Range<usize>) -> Result<T> + Sync,
        merge: impl Fn(T, T) -> T + Sync,
    ) -> Result<Option<T>> {
        let (n, done) = (self.y.len(), AtomicU64::new(0));
        let blocks = n.div_ceil(SOME);
        let leaf = |at: usize| {
            let step = done.fetch_add(1, Relaxed);
            if self.session.step("blocks of rows", step, Some(blocks as u64), None).is_some() {
                return Err(ErrorKind::Cancelled.into());
            }
            term(at * SOME..((at + 1) * SOME).min(n))
        };
        tree_reduce(blocks, leaf, |a, b| Ok(merge(a?, b?))).transpose()
    }

    /// The sums at a kernel; `None` where a factor does not exist.
    pub(super) fn summed(&self, kernel: &Kernel) -> Result<Option<Summed>> {
        let Some((function, sigma)) = Self::parts(kernel) else { return Ok(None) };
        let (side, few) = (function.side(self.points)?, function.side(self.inducing)?);
        let (n, m) = (side.len(), few.len());
        let mut gram = function.gram(&few);
        (0..m).for_each(|i| gram[(i, i)] *= 1.0 + self.jitter);
        let Some(outer) = Cholesky::new(&gram) else { return Ok(None) };
        let mut half = Mat::identity(m);
        outer.solve_l(&mut half);
        let diagonal = function.diagonal(&side);
        let pass = Pass { function, rows: &side, few: &few, sigma };
        let term = |rows: Range<usize>| Ok(self.sums(&pass, &half, &diagonal, rows));
        let Some(Sums { square: mut b, product, noise, missed }) = self.over_blocks(term, Sums::merge)?
        else {
            return Ok(None);
        };
        mercer_math::symmetrise(&mut b);
        (0..m).for_each(|i| b[(i, i)] += 1.0);
        let Some(inner) = Cholesky::new(&b) else { return Ok(None) };
        let weights = mercer_math::gemv_t(half.view(), &inner.solve_vec(&product));
        let mut c = Mat::from_fn(m, 1, |i, _| product[i]);
        inner.solve_l(&mut c);
        let spread: f64 = noise.iter().map(|v| v.ln()).sum();
        let square: f64 = self.y.iter().zip(&noise).map(|(y, v)| y * y / v).sum();
        let fit = square - dot(c.as_slice(), c.as_slice());
        let mut value = -0.5 * (n as f64 * (2.0 * PI).ln() + spread + inner.log_det() + fit);
        if self.method == SparseMethod::Vfe {
            value -= 0.5 * missed / sigma;
        }
        let fine = value.is_finite() && weights.iter().all(|w| w.is_finite());
        Ok(fine.then_some(Summed { value, outer, inner, weights, half, noise, missed }))
    }

    fn sums(&self, pass: &Pass<'_>, half: &Mat, diagonal: &[f64], rows: Range<usize>) -> Sums {
        let (own, m) = (pass.block(half, rows.clone()), half.n_rows());
        let short = |i: usize| (diagonal[rows.start + i] - dot(own.row(i), own.row(i))).max(0.0);
        let short: Vec<f64> = (0..rows.len()).map(short).collect();
        let fitc = self.method == SparseMethod::Fitc;
        let noise: Vec<f64> = short.iter().map(|s| if fitc { pass.sigma + s } else { pass.sigma }).collect();
        let (mut scaled, mut product) = (own.clone(), vec![0.0; m]);
        for (i, v) in noise.iter().enumerate() {
            scale(1.0 / v, scaled.row_mut(i));
            axpy(self.y[rows.start + i], scaled.row(i), &mut product);
        }
        let square = matmul(scaled.view().t(), own.view());
        Sums { square, product, noise, missed: short.iter().sum() }
    }

    /// [`Bound::summed`], or the error that says what is wrong with the kernel.
    pub(super) fn need(&self, kernel: &Kernel) -> Result<Summed> {
        self.summed(kernel)?.ok_or_else(|| not_definite(self.who, kernel))
    }

    /// The value and its gradient in the logarithms of the hyper-parameters, those of the noise last.
    pub(super) fn value_grad(&self, kernel: &Kernel) -> Result<Option<(f64, Vec<f64>)>> {
        let Some(found) = self.summed(kernel)? else { return Ok(None) };
        Ok(Some((found.value, self.gradient(kernel, &found)?)))
    }

    /// The gradient, from the sums at the same kernel:
    /// Σ G_ij ∂k(x_i, z_j) + Σ d_i ∂k(x_i, x_i) − ½ Σ (Gᵀ P)_jk ∂k(z_j, z_k).
    pub(super) fn gradient(&self, kernel: &Kernel, found: &Summed) -> Result<Vec<f64>> {
        let Some((function, sigma)) = Self::parts(kernel) else { return Ok(Vec::new()) };
        let (side, few) = (function.side(self.points)?, function.side(self.inducing)?);
        let mut turned = found.half.clone();
        found.inner.solve(&mut turned);
        let mut left = Mat::identity(few.len());
        found.inner.solve_l(&mut left);
        let lifted = mercer_math::gemv_t(found.outer.l().view(), &found.weights);
        let pass = Pass { function, rows: &side, few: &few, sigma };
        let term = |rows: Range<usize>| self.slopes(&pass, found, [&turned, &left], &lifted, rows);
        let Some(Slopes { square: mut outer, mut of_kernel, mut of_noise }) =
            self.over_blocks(term, Slopes::merge)?
        else {
            return Ok(Vec::new());
        };
        scale(-0.5, outer.as_mut_slice());
        (0..few.len()).for_each(|i| outer[(i, i)] *= 1.0 + self.jitter);
        axpy(1.0, &function.gradient_lower(&few, &outer), &mut of_kernel);
        if self.method == SparseMethod::Vfe {
            of_noise += 0.5 * found.missed / (sigma * sigma);
        }
        if kernel.theta().len() > of_kernel.len() {
            of_kernel.push(of_noise * sigma);
        }
        Ok(of_kernel)
    }

    /// The terms of some rows; `by` is B⁻¹L⁻¹ and the inverse of B's factor, `lifted` Lᵀ w.
    fn slopes(
        &self,
        pass: &Pass<'_>,
        found: &Summed,
        by: [&Mat; 2],
        lifted: &[f64],
        rows: Range<usize>,
    ) -> Result<Slopes> {
        let (own, vfe) = (pass.block(&found.half, rows.clone()), self.method == SparseMethod::Vfe);
        let p = matmul(own.view(), found.half.view());
        let inverse = matmul(own.view(), by[1].view().t());
        // 2 P S′, by rows: begins as the rows of L⁻ᵀB⁻¹A.
        let mut g = matmul(own.view(), by[0].view());
        let (mut on_diagonal, mut of_noise) = (Vec::with_capacity(rows.len()), 0.0);
        for i in 0..rows.len() {
            let v = found.noise[rows.start + i];
            // β = Σ⁻¹y = Λ⁻¹(y − K_nm w), since w = L⁻ᵀB⁻¹AΛ⁻¹y and K_nm = Aᵀ Lᵀ; and P β = w.
            let beta = (self.y[rows.start + i] - dot(own.row(i), lifted)) / v;
            let s = 0.5 * (beta * beta - 1.0 / v + dot(inverse.row(i), inverse.row(i)) / (v * v));
            let line = g.row_mut(i);
            scale(-1.0 / v, line);
            axpy(beta, &found.weights, line);
            axpy(if vfe { 1.0 / pass.sigma } else { -2.0 * s }, p.row(i), line);
            on_diagonal.push(if vfe { -0.5 / pass.sigma } else { s });
            of_noise += s;
        }
        let square = matmul(g.view().t(), p.view());
        let (PointsRef::Dense(x), PointsRef::Dense(z)) = (self.points, self.inducing) else {
            return Err(crate::kernel::wrong_points(&pass.function.to_string(), "rows"));
        };
        let b = rows.len();
        let stacked = Mat::from_fn(b + z.n_rows(), x.n_cols(), |i, j| {
            if i < b { x.get(rows.start + i, j) } else { z.get(i - b, j) }
        });
        let side = pass.function.side(PointsRef::Dense(stacked.view()))?;
        Ok(Slopes { square, of_kernel: pass.function.gradient_cross(&side, &on_diagonal, &g), of_noise })
    }
}

impl Sums {
    fn merge(mut self, other: Self) -> Self {
        axpy(1.0, other.square.as_slice(), self.square.as_mut_slice());
        axpy(1.0, &other.product, &mut self.product);
        self.noise.extend(other.noise);
        self.missed += other.missed;
        self
    }
}

impl Slopes {
    fn merge(mut self, other: Self) -> Self {
        axpy(1.0, other.square.as_slice(), self.square.as_mut_slice());
        axpy(1.0, &other.of_kernel, &mut self.of_kernel);
        self.of_noise += other.of_noise;
        self
    }
}
