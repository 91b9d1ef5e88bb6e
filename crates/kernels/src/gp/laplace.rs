//! Laplace's approximation to a Gaussian process of two classes: the mode of the latent function's posterior, and the marginal
//! likelihood about it.

use super::likelihood::lower_times;
use super::search::not_definite;
use crate::kernel::{Kernel, PointsRef};
use mercer_core::{ErrorKind, Result, Session};
use mercer_math::{BlockCholesky, Mat, NoFactor, axpy, dot, log1p_exp, scale};
use rayon::prelude::*;

/// Rows and their classes, with the memory that evaluations share.
pub(super) struct Laplace<'a> {
    pub(super) who: &'static str,
    pub(super) points: PointsRef<'a>,
    /// 1 for the positive class, 0 for the other one.
    pub(super) y: &'a [f64],
    pub(super) max_iter: usize,
    /// Whether a search for the mode begins at the last mode.
    pub(super) warm: bool,
    pub(super) session: &'a Session,
    memory: [Option<Mat>; 4],
    last: Option<Vec<f64>>,
}

/// The mode of the posterior.
pub(super) struct Mode {
    /// The approximate log marginal likelihood.
    pub(super) value: f64,
    /// y − π at the mode.
    pub(super) pull: Vec<f64>,
    /// √(π(1 − π)).
    pub(super) root: Vec<f64>,
    /// 1 − 2π.
    bend: Vec<f64>,
    /// K⁻¹ f.
    weights: Vec<f64>,
    factor: BlockCholesky,
}

impl<'a> Laplace<'a> {
    pub(super) fn new(
        who: &'static str,
        points: PointsRef<'a>,
        y: &'a [f64],
        (max_iter, warm): (usize, bool),
        session: &'a Session,
    ) -> Self {
        Self { who, points, y, max_iter, warm, session, memory: [None, None, None, None], last: None }
    }

    fn take(&mut self, place: usize) -> Mat {
        let n = self.points.len();
        self.memory[place].take().unwrap_or_else(|| Mat::zeros(n, n))
    }

    /// The lower triangle of the Gram matrix.
    fn gram(&mut self, kernel: &Kernel) -> Result<Mat> {
        let (mut gram, session) = (self.take(0), self.session);
        let go_on = || session.step("kernel matrix", 0, None, None).is_none();
        match kernel.lower_gram(&kernel.side(self.points)?, &mut gram, &go_on) {
            true => Ok(gram),
            false => Err(ErrorKind::Cancelled.into()),
        }
    }

    /// Newton's method for the mode (Rasmussen and Williams, algorithm 3.1); `None` where it leaves the numbers.
    fn mode(&mut self, gram: &Mat) -> Result<Option<Mode>> {
        let (n, y, session) = (self.y.len(), self.y, self.session);
        let mut f = self.last.take().filter(|_| self.warm).unwrap_or_else(|| vec![0.0; n]);
        let mut best: Option<Mode> = None;
        let mut value = f64::NEG_INFINITY;
        for _ in 0..self.max_iter {
            let pi: Vec<f64> = f.iter().map(|f| 1.0 / (1.0 + (-f).exp())).collect();
            let root: Vec<f64> = pi.iter().map(|p| (p * (1.0 - p)).sqrt()).collect();
            let memory = best.take().map_or_else(|| self.take(1), |mode| mode.factor.into_memory());
            let factor =
                match BlockCholesky::new(inner(gram, &root, memory), &|| session.interrupted().is_none()) {
                    Ok(factor) => factor,
                    Err(NoFactor::Stopped) => return Err(ErrorKind::Cancelled.into()),
                    Err(NoFactor::NotPositive(..)) => return Ok(None),
                };
            let pull: Vec<f64> = y.iter().zip(&pi).map(|(y, p)| y - p).collect();
            let b: Vec<f64> = (0..n).map(|i| root[i] * root[i] * f[i] + pull[i]).collect();
            let kb = lower_times(gram, &b);
            let mut inside = Mat::from_fn(n, 1, |i, _| root[i] * kb[i]);
            factor.solve(&mut inside);
            let weights: Vec<f64> = (0..n).map(|i| b[i] - root[i] * inside[(i, 0)]).collect();
            f = lower_times(gram, &weights);
            let losses: f64 = f.iter().zip(y).map(|(f, y)| log1p_exp(-(2.0 * y - 1.0) * f)).sum();
            let new = -0.5 * dot(&weights, &f) - losses - 0.5 * factor.log_det();
            if !new.is_finite() {
                return Ok(None);
            }
            let bend = pi.iter().map(|p| 1.0 - 2.0 * p).collect();
            best = Some(Mode { value, pull, root, bend, weights, factor });
            if new - value < 1e-10 {
                break;
            }
            value = new;
        }
        self.last = Some(f);
        Ok(best.map(|mode| Mode { value, ..mode }).filter(|mode| mode.value.is_finite()))
    }

    /// The mode at a kernel, or the error that says what is wrong with it.
    pub(super) fn need_mode(&mut self, kernel: &Kernel) -> Result<Mode> {
        let gram = self.gram(kernel)?;
        let mode = self.mode(&gram)?.ok_or_else(|| not_definite(self.who, kernel));
        self.memory[0] = Some(gram);
        mode
    }

    /// The approximate log marginal likelihood and its gradient in the logarithms of the hyper-parameters (algorithm 5.1).
    pub(super) fn value_grad(&mut self, kernel: &Kernel) -> Result<Option<(f64, Vec<f64>)>> {
        let gram = self.gram(kernel)?;
        let Some(mode) = self.mode(&gram)? else {
            self.memory[0] = Some(gram);
            return Ok(None);
        };
        let (n, mut half, mut inverse) = (self.y.len(), self.take(2), self.take(3));
        mode.factor.inverse_into(&mut half, &mut inverse);
        let root = &mode.root;
        let third: Vec<f64> = (0..n).map(|i| -0.5 * (1.0 - inverse[(i, i)]) * mode.bend[i]).collect();
        inverse.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
            line[..=i].iter_mut().zip(root).for_each(|(v, r)| *v *= root[i] * r);
        });
        // (I − R K) s, whose product with ∂K (y − π) is the part that comes through the mode.
        let mut through = third.clone();
        axpy(-1.0, &lower_times(&inverse, &lower_times(&gram, &third)), &mut through);
        inverse.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
            let line = &mut line[..=i];
            scale(-0.5, line);
            axpy(0.5 * mode.weights[i], &mode.weights[..=i], line);
            axpy(0.5 * through[i], &mode.pull[..=i], line);
            axpy(0.5 * mode.pull[i], &through[..=i], line);
        });
        let gradient = kernel.gradient_lower(&kernel.side(self.points)?, &inverse);
        self.memory = [Some(gram), Some(mode.factor.into_memory()), Some(half), Some(inverse)];
        Ok(Some((mode.value, gradient)))
    }

    /// How far the mode is from its equation: the largest component of y − σ(K (y − π)) − (y − π).
    pub(super) fn residual(&mut self, kernel: &Kernel, pull: &[f64]) -> Result<f64> {
        let gram = self.gram(kernel)?;
        let f = lower_times(&gram, pull);
        self.memory[0] = Some(gram);
        let off = f.iter().zip(self.y).zip(pull).map(|((f, y), p)| (y - 1.0 / (1.0 + (-f).exp()) - p).abs());
        Ok(off.fold(0.0, |m, v| if v > m || v.is_nan() { v } else { m }))
    }
}

/// B = I + W^½ K W^½, its lower triangle, in memory that is there.
pub(super) fn inner(gram: &Mat, root: &[f64], mut out: Mat) -> Mat {
    let n = root.len();
    out.as_mut_slice().par_chunks_mut(n.max(1)).enumerate().for_each(|(i, line)| {
        let parts = line[..=i].iter_mut().zip(&gram.row(i)[..=i]).zip(root);
        parts.for_each(|((v, k), r)| *v = root[i] * k * r);
        line[i] += 1.0;
    });
    out
}
