//! The marginal likelihood of a Gaussian process with Gaussian noise: its value, its gradient, and leaving one row out.

use super::search::not_definite;
use super::trend::Trend;
use crate::kernel::{Kernel, PointsRef, Side};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{BlockCholesky, Cholesky, Mat, NoFactor, axpy, dot, matmul, scale};
use rayon::prelude::*;
use std::f64::consts::PI;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Rows, targets and noise, with the memory that evaluations share.
pub(super) struct Likelihood<'a> {
    pub(super) who: &'static str,
    pub(super) points: PointsRef<'a>,
    /// Rows × targets.
    pub(super) y: &'a Mat,
    pub(super) noise: &'a [f64],
    /// Rows × functions of the mean.
    pub(super) basis: Mat,
    pub(super) session: &'a Session,
    memory: [Option<Mat>; 3],
    /// The last kernel that was looked at, and everything there: a search mostly ends where it looked last.
    last: Option<(Kernel, Standing)>,
}

/// K + noise as its Cholesky factor, and what the functions of the mean add to it.
#[derive(Clone, Debug)]
pub(super) struct Factored {
    pub(super) factor: BlockCholesky,
    /// K⁻¹H, rows × functions.
    pub(super) across: Mat,
    /// The factor of A = HᵀK⁻¹H.
    pub(super) inner: Option<Cholesky>,
}

/// What the factor says of the targets.
pub(super) struct Solved {
    /// P y, rows × targets.
    pub(super) alpha: Mat,
    /// The coefficients of the mean, functions × targets.
    pub(super) beta: Mat,
    pub(super) value: f64,
    /// U with P = K⁻¹ − U Uᵀ, by columns.
    u: Vec<Vec<f64>>,
}

/// Everything at one kernel.
pub(super) struct Standing {
    pub(super) value: f64,
    pub(super) gradient: Vec<f64>,
    /// The diagonal of P.
    pub(super) diagonal: Vec<f64>,
    pub(super) alpha: Mat,
    pub(super) beta: Mat,
    pub(super) factored: Factored,
}

impl Standing {
    /// The log probability of each target given all others, summed.
    pub(super) fn leave_one_out(&self) -> f64 {
        let (n, t) = (self.alpha.n_rows(), self.alpha.n_cols());
        let term = |i: usize, k: usize| {
            let p = self.diagonal[i];
            0.5 * (p.ln() - (2.0 * PI).ln() - self.alpha[(i, k)] * self.alpha[(i, k)] / p)
        };
        (0..n).map(|i| (0..t).map(|k| term(i, k)).sum::<f64>()).sum()
    }
}

impl<'a> Likelihood<'a> {
    pub(super) fn new(
        who: &'static str,
        points: PointsRef<'a>,
        y: &'a Mat,
        noise: &'a [f64],
        trend: &Trend,
        session: &'a Session,
    ) -> Self {
        let memory = [None, None, None];
        Self { who, points, y, noise, basis: trend.values(points), session, memory, last: None }
    }

    fn take(&mut self, place: usize) -> Mat {
        let n = self.points.len();
        self.memory[place].take().unwrap_or_else(|| Mat::zeros(n, n))
    }

    /// The factor of the kernel's Gram matrix with the noise; `None` where it is not positive definite.
    pub(super) fn factored(&mut self, kernel: &Kernel) -> Result<Option<(Side<'a>, Factored)>> {
        let side = kernel.side(self.points)?;
        let (mut gram, session, done) = (self.take(0), self.session, AtomicU64::new(0));
        let go_on = || session.step("kernel matrix", done.fetch_add(1, Relaxed), None, None).is_none();
        if !kernel.lower_gram(&side, &mut gram, &go_on) {
            return Err(ErrorKind::Cancelled.into());
        }
        self.noise.iter().enumerate().for_each(|(i, v)| gram[(i, i)] += v);
        let factor = match BlockCholesky::new(gram, &go_on) {
            Ok(factor) => factor,
            Err(NoFactor::Stopped) => return Err(ErrorKind::Cancelled.into()),
            Err(NoFactor::NotPositive(_, memory)) => {
                self.memory[0] = Some(memory);
                return Ok(None);
            }
        };
        Ok(Factored::new(factor, &self.basis).map(|factored| (side, factored)))
    }

    /// What the factor says of the targets; `None` where it is not finite.
    pub(super) fn solved(&self, factored: &Factored) -> Option<Solved> {
        let (n, m, t) = (self.points.len(), self.basis.n_cols(), self.y.n_cols());
        let mut alpha = self.y.clone();
        factored.factor.solve(&mut alpha);
        let mut beta = matmul(factored.across.view().t(), self.y.view());
        let mut u = factored.across.view().t().to_mat();
        let mut log_det = factored.factor.log_det();
        if let Some(inner) = &factored.inner {
            inner.solve(&mut beta);
            let pulled = matmul(factored.across.view(), beta.view());
            axpy(-1.0, pulled.as_slice(), alpha.as_mut_slice());
            inner.solve_l(&mut u);
            log_det += inner.log_det();
        }
        let square = dot(self.y.as_slice(), alpha.as_slice());
        let value = -0.5 * (square + t as f64 * (log_det + (n - m) as f64 * (2.0 * PI).ln()));
        let u = (0..m).map(|k| u.row(k).to_vec()).collect();
        (value.is_finite() && alpha.view().find_non_finite().is_none()).then_some(Solved {
            alpha,
            beta,
            value,
            u,
        })
    }

    /// The value and its gradient in the logarithms of the hyper-parameters; `None` outside of the domain.
    pub(super) fn value_grad(&mut self, kernel: &Kernel) -> Result<Option<(f64, Vec<f64>)>> {
        if let Some((_, last)) = self.last.take() {
            self.memory[0] = Some(last.factored.factor.into_memory());
        }
        let Some(standing) = self.standing(kernel, true)? else { return Ok(None) };
        let found = (standing.value, standing.gradient.clone());
        self.last = Some((kernel.clone(), standing));
        Ok(Some(found))
    }

    /// Everything at one kernel, with the gradient where it is wanted; `None` outside of the domain.
    pub(super) fn standing(&mut self, kernel: &Kernel, with_gradient: bool) -> Result<Option<Standing>> {
        let Some((side, factored)) = self.factored(kernel)? else { return Ok(None) };
        let Some(solved) = self.solved(&factored) else { return Ok(None) };
        let (mut half, mut inverse) = (self.take(1), self.take(2));
        factored.factor.inverse_into(&mut half, &mut inverse);
        let own = |i: usize| inverse[(i, i)] - solved.u.iter().map(|u| u[i] * u[i]).sum::<f64>();
        let diagonal: Vec<f64> = (0..self.points.len()).map(own).collect();
        let mut gradient = Vec::new();
        if with_gradient {
            weigh(&mut inverse, &solved);
            gradient = kernel.gradient_lower(&side, &inverse);
        }
        (self.memory[1], self.memory[2]) = (Some(half), Some(inverse));
        let Solved { alpha, beta, value, .. } = solved;
        Ok(Some(Standing { value, gradient, diagonal, alpha, beta, factored }))
    }

    /// How far P y is from solving its equations, (K + noise) α + H β = y, relative to the largest target.
    pub(super) fn residual(&mut self, kernel: &Kernel, alpha: &Mat, beta: &Mat) -> Result<f64> {
        let mut gram = self.take(2);
        kernel.lower_gram(&kernel.side(self.points)?, &mut gram, &|| true);
        self.noise.iter().enumerate().for_each(|(i, v)| gram[(i, i)] += v);
        let trend = matmul(self.basis.view(), beta.view());
        let mut worst = 0.0f64;
        for k in 0..self.y.n_cols() {
            let (y, mut left) = (self.y.col(k), trend.col(k));
            axpy(1.0, &lower_times(&gram, &alpha.col(k)), &mut left);
            let size = y.iter().fold(f64::MIN_POSITIVE, |m, v| m.max(v.abs()));
            let off = y.iter().zip(&left).map(|(y, l)| (y - l).abs() / size);
            worst = off.fold(worst, |m, v| if v > m || v.is_nan() { v } else { m });
        }
        self.memory[2] = Some(gram);
        Ok(worst)
    }

    /// [`Likelihood::standing`], or the error that says what is wrong with the kernel.
    pub(super) fn need_standing(&mut self, kernel: &Kernel, with_gradient: bool) -> Result<Standing> {
        match self.last.take() {
            Some((known, standing)) if known == *kernel => return Ok(standing),
            Some((_, standing)) => self.memory[0] = Some(standing.factored.factor.into_memory()),
            None => {}
        }
        self.standing(kernel, with_gradient)?.ok_or_else(|| not_definite(self.who, kernel))
    }
}

impl Factored {
    /// What the functions of the mean add to a factor; `None` where they depend on each other.
    fn new(factor: BlockCholesky, basis: &Mat) -> Option<Self> {
        let mut across = basis.clone();
        if basis.n_cols() == 0 {
            return Some(Self { factor, across, inner: None });
        }
        factor.solve(&mut across);
        let inner = Cholesky::new(&matmul(basis.view().t(), across.view()))?;
        Some(Self { factor, across, inner: Some(inner) })
    }
}

/// K v for a symmetric K of which the lower triangle is there.
pub(super) fn lower_times(lower: &Mat, v: &[f64]) -> Vec<f64> {
    let mut out = vec![0.0; v.len()];
    for i in 0..v.len() {
        let line = lower.row(i);
        out[i] += dot(&line[..=i], &v[..=i]);
        axpy(v[i], &line[..i], &mut out[..i]);
    }
    out
}

/// Turns the lower triangle of K⁻¹ into W = ½(Σ α αᵀ − t P), the weights of the kernel's derivatives in the gradient.
fn weigh(inverse: &mut Mat, solved: &Solved) {
    let (n, t) = (inverse.n_rows(), solved.alpha.n_cols());
    let columns: Vec<Vec<f64>> = (0..t).map(|k| solved.alpha.col(k)).collect();
    inverse.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
        let line = &mut line[..=i];
        scale(-0.5 * t as f64, line);
        columns.iter().for_each(|a| axpy(0.5 * a[i], &a[..=i], line));
        solved.u.iter().for_each(|u| axpy(0.5 * t as f64 * u[i], &u[..=i], line));
    });
}
