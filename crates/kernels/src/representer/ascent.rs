//! Dual ascent by blocks of coordinates, with blocks of the Gram matrix that need not be kept.

use super::loss::ConvexLoss;
use crate::kernel::{Kernel, Side};
use mercer_core::{Result, Session, Termination};
use mercer_math::{Mat, MatRef, Weights, matmul_parallel, shuffle};
use rayon::prelude::*;
use std::borrow::Cow;
use std::ops::Range;

/// Coordinates of a block.
const BLOCK: usize = 128;
/// Passes over a block while its part of the Gram matrix is at hand.
const INNER: usize = 4;
/// A Gram matrix of so many points is kept whole.
const KEPT: usize = 4096;

/// What is learnt: targets t and signs σ of each point and output, with weights.
pub(super) struct Targets<'a> {
    pub(super) t: Mat,
    /// None means +1 for all.
    pub(super) signs: Option<Mat>,
    pub(super) weights: Weights<'a>,
}

impl Targets<'_> {
    pub(super) fn sign(&self, i: usize, k: usize) -> f64 {
        self.signs.as_ref().map_or(1.0, |s| s[(i, k)])
    }

    /// Σ sℓ(r) − b r + sℓ*(b/s), the duality gap: a sum of terms that are each at least zero, and zero at the optimum.
    pub(super) fn gap(&self, loss: ConvexLoss, outputs: &Mat, dual: &Mat) -> f64 {
        self.sum(|i, k, s| {
            let (r, b) = (self.t[(i, k)] - self.sign(i, k) * outputs[(i, k)], dual[(i, k)]);
            let term = s * loss.value(r) - b * r + loss.conjugate(b, s);
            // Rounding may lie below zero; what is no number must stay none.
            if term < 0.0 { 0.0 } else { term }
        })
    }

    /// The loss of the function that is zero everywhere.
    pub(super) fn loss_of_zero(&self, loss: ConvexLoss) -> f64 {
        self.sum(|i, k, s| s * loss.value(self.t[(i, k)]))
    }

    fn sum(&self, term: impl Fn(usize, usize, f64) -> f64) -> f64 {
        let rows = (0..self.t.n_rows()).filter(|&i| self.weights.counts(i));
        rows.flat_map(|i| (0..self.t.n_cols()).map(move |k| (i, k)))
            .map(|(i, k)| term(i, k, self.weights[i]))
            .sum()
    }
}

/// A problem with all that its solution needs.
pub(super) struct Ascent<'a> {
    pub(super) owner: &'a str,
    pub(super) kernel: &'a Kernel,
    pub(super) side: &'a Side<'a>,
    pub(super) targets: &'a Targets<'a>,
    pub(super) loss: ConvexLoss,
    pub(super) alpha: f64,
    pub(super) tol: f64,
    pub(super) max_iter: usize,
}

/// Where an ascent ended: dual variables b and outputs f, points × outputs.
pub(super) struct Reached {
    pub(super) dual: Mat,
    pub(super) passes: u64,
    pub(super) termination: Termination,
}

impl Ascent<'_> {
    /// max_b Σ b t − sℓ*(b/s) − (1/2α) aᵀKa with a = σb, until the gap is at most `tol` of the loss of zero.
    pub(super) fn climb(&self, session: &Session) -> Result<Reached> {
        let (n, outputs) = (self.targets.t.n_rows(), self.targets.t.n_cols());
        let gram = (n <= KEPT).then(|| self.kernel.gram_in(self.owner, self.side, session)).transpose()?;
        let diagonal = self.kernel.diagonal(self.side);
        let (mut dual, mut f) = (Mat::zeros(n, outputs), Mat::zeros(n, outputs));
        let mut order: Vec<usize> = (0..n.div_ceil(BLOCK)).collect();
        let wanted = self.tol * self.targets.loss_of_zero(self.loss);
        let total = Some(self.max_iter as u64);
        for pass in 0..self.max_iter as u64 {
            shuffle(&mut session.rng(pass), &mut order);
            for &b in &order {
                let range = b * BLOCK..((b + 1) * BLOCK).min(n);
                self.climb_block(range, gram.as_ref(), &diagonal, &mut dual, &mut f);
                if let Some(termination) = session.step("pass", pass, total, None) {
                    return Ok(Reached { dual, passes: pass, termination });
                }
            }
            let gap = self.targets.gap(self.loss, &f, &dual);
            if gap <= wanted {
                return Ok(Reached { dual, passes: pass + 1, termination: Termination::Converged });
            }
            if let Some(termination) = session.step("pass", pass + 1, total, Some(gap)) {
                return Ok(Reached { dual, passes: pass + 1, termination });
            }
        }
        Ok(Reached { dual, passes: self.max_iter as u64, termination: Termination::IterationLimit })
    }

    /// Ascent in the coordinates of one block; then all outputs follow.
    fn climb_block(
        &self,
        range: Range<usize>,
        gram: Option<&Mat>,
        diagonal: &[f64],
        dual: &mut Mat,
        f: &mut Mat,
    ) {
        let (n, outputs, first) = (f.n_rows(), f.n_cols(), range.start);
        let rows = self.rows(range.clone(), gram, n);
        let row = |i: usize| &rows[(i - first) * n + first..(i - first) * n + range.end];
        let mut change = Mat::zeros(range.len(), outputs);
        for k in 0..outputs {
            let mut near: Vec<f64> = range.clone().map(|i| f[(i, k)]).collect();
            for _ in 0..INNER {
                for i in range.clone().filter(|&i| self.targets.weights.counts(i)) {
                    let (sign, before) = (self.targets.sign(i, k), dual[(i, k)]);
                    let r = self.targets.t[(i, k)] - sign * near[i - first];
                    let q = (diagonal[i] / self.alpha).max(0.0);
                    let b = self.loss.step(r, q, before, self.targets.weights[i]);
                    if b == before || !b.is_finite() {
                        continue;
                    }
                    let moved = sign * (b - before) / self.alpha;
                    dual[(i, k)] = b;
                    change[(i - first, k)] += moved;
                    mercer_math::axpy(moved, row(i), &mut near);
                }
            }
        }
        if let Some(rows) = MatRef::row_major(&rows, range.len(), n) {
            let moved = matmul_parallel(rows.t(), change.view());
            f.as_mut_slice().iter_mut().zip(moved.as_slice()).for_each(|(f, m)| *f += m);
        }
    }

    /// Rows of the Gram matrix: as they were kept, or made now by both cores.
    fn rows<'m>(&self, range: Range<usize>, gram: Option<&'m Mat>, n: usize) -> Cow<'m, [f64]> {
        if let Some(gram) = gram {
            return Cow::Borrowed(&gram.as_slice()[range.start * n..range.end * n]);
        }
        let mut out = vec![0.0; range.len() * n];
        out.par_chunks_mut(16 * n).enumerate().for_each(|(c, out)| {
            let start = range.start + 16 * c;
            self.kernel.block(self.side, start..start + out.len() / n, self.side, out);
        });
        Cow::Owned(out)
    }
}
